"""The four agents with a model: what it will cost is told before, a kill costs nothing twice, runs
compare.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from kgnb.run import Run
from tests.llm.obliging import oblige
from tests.llm.stub_server import StubServer
from tests.tasks.asked_agents import AGENTS, run_agent, settings_for

CUT = 1  # calls, after which the run is killed


def bodies(server: StubServer) -> Counter[str]:
    return Counter(json.dumps(seen.body, sort_keys=True) for seen in server.requests)


@pytest.mark.parametrize("name", AGENTS)
def test_a_killed_run_goes_on_without_a_repeated_call_and_compares_equal(
    name: str, tmp_path: Path
) -> None:
    told: list[Any] = []
    with StubServer(oblige) as server:
        whole, _ = run_agent(
            name, settings_for(tmp_path / "a", server.url), tmp_path / "whole", told.append
        )
        wanted = bodies(server)
    assert sum(wanted.values()) > CUT and set(wanted.values()) == {1}
    # before the first call somebody has said what is to come
    kinds = [event["event"] for event in told]
    assert kinds.index("estimate") < kinds.index("call")
    with StubServer(oblige) as server:
        words = [name, str(tmp_path / "b"), str(tmp_path / "cut"), server.url, str(CUT)]
        killed = subprocess.run(
            [sys.executable, "-m", "tests.tasks.asked_agents", *words], timeout=120
        )
        assert killed.returncode == -9
        cut = Run.load(tmp_path / "cut")
        assert cut.state == "running" and cut.totals["calls"] == len(server.requests) == CUT
        again, _ = run_agent(name, settings_for(tmp_path / "b", server.url), tmp_path / "resumed")
        assert bodies(server) == wanted
    assert again == whole
    before, after = Run.load(tmp_path / "whole"), Run.load(tmp_path / "resumed")
    compared = before.compare(after)
    assert compared.same_result, str(compared)
    assert not before.compare(before).totals and "cached" in compared.totals
    assert not before.compare(cut).same_result
