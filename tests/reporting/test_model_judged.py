"""Reports that a model judged: budgets stop them, replays give them again without model, key and network."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest

from kgnb.reporting.html import without_times
from kgnb.reporting.report import ReportError, ReportResult, run_report
from kgnb.run import Run
from kgnb.settings import Settings
from tests.llm.obliging import oblige
from tests.llm.stub_server import StubServer

pytestmark = pytest.mark.slow

NOTE = "Lentil stew\n\nHut: Refuge de l'Ambre\nServes 4\n\n- 300 g lentils\n\n1. Simmer for 20 minutes.\n"
SMALL: dict[str, dict[str, object]] = {
    "ontology-matching": {"judge": "cascade"},
    "question-answering": {"judge": "model", "most": 3},
    "entity-alignment": {"judge": "model", "ablation": False, "curve": False},
    "kg-construction": {"judge": "model", "ablation": False, "documents": "note.txt", "against": ""},
}
WALL = """
import os, sys
with open(os.environ["WALL"], "a") as log:
    log.write("up\\n")
def refuse(event, told):
    address = told[1] if event == "socket.connect" else told[0]
    if not (isinstance(address, str) and address.startswith("/")):
        with open(os.environ["WALL"], "a") as log:
            log.write(f"{event} {told[-1]}\\n")
        raise OSError("there is no network")
WATCHED = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}
sys.addaudithook(lambda event, told: refuse(event, told) if event in WATCHED else None)
"""


@pytest.fixture
def wall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Refuses kernels to connect to anything; the file notes that it stood, and who ran against it.

    Jupyter's own sockets are ZeroMQ's: kernels do not open them through Python.
    """
    (tmp_path / "wall").mkdir()
    (tmp_path / "wall" / "sitecustomize.py").write_text(WALL)
    monkeypatch.setenv("WALL", str(tmp_path / "wall.log"))
    with monkeypatch.context() as patch:
        patch.setenv("PYTHONPATH", str(tmp_path / "wall"))
        patch.setenv("PYTHONHASHSEED", "4711")  # and in another order of sets than it was recorded in
        yield tmp_path / "wall.log"


def settings(tmp_path: Path, **more: Any) -> Settings:
    return Settings(embedder="characters", cache=tmp_path / "cache", model="stub", timeout=20.0, **more)


def report(name: str, folder: Path, told: Settings, monkeypatch: pytest.MonkeyPatch) -> ReportResult:
    monkeypatch.chdir(folder.parent)
    Path("note.txt").write_text(NOTE)
    return run_report(name, SMALL[name], folder, told)


def pictures(result: ReportResult) -> list[str]:
    cells = nbformat.read(result.notebook, as_version=4).cells
    datas = [output.data for cell in cells for output in cell.get("outputs", ()) if "data" in output]
    return [data[kind] for data in datas for kind in sorted(data) if kind.startswith("image/")]


def lasting(result: ReportResult) -> tuple[bytes, list[str], str]:
    """What must be the same whenever a report is made: figures, pictures, page."""
    return (result.folder / "metrics.json").read_bytes(), pictures(result), without_times(result.html.read_text())


def calls(folder: Path) -> list[Mapping[str, Any]]:
    return [call for step in Run.load(folder / "run").to_json()["steps"] for call in step["calls"]]


@pytest.mark.parametrize("name", SMALL)
def test_a_budget_stops_a_report_and_a_replay_without_network_repeats_it(
    name: str, tmp_path: Path, wall: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = 1  # the cascade on huts needs two calls in all
    with StubServer(oblige) as server:
        here = settings(tmp_path, base_url=server.url)
        with monkeypatch.context() as patch:
            patch.delenv("PYTHONPATH")
            patch.setenv("PYTHONHASHSEED", "1")
            short = report(name, tmp_path / "short", here.with_(calls_limit=budget), patch)
            assert len(server.requests) == budget
            whole = report(name, tmp_path / "whole", here, patch)
            asked = len(server.requests)
    # stopped, and said so wherever one may look
    assert short.metrics["partial"] is True
    assert short.metrics["partial_reason"] == f"the budget of {budget} model calls is spent ({budget} used)"
    assert "This result is partial" in short.html.read_text()
    cells = nbformat.read(short.notebook, as_version=4).cells
    assert any("Partial: the budget of" in json.dumps(cell.get("outputs", [])) for cell in cells)
    # with more of it the paid replies are used, not asked for again
    assert "partial" not in whole.metrics and "This result is partial" not in whole.html.read_text()
    assert sum(call["cached"] for call in calls(tmp_path / "whole")) >= budget
    assert len({call["request"] for call in calls(tmp_path / "whole")}) >= asked - budget
    # no server any more, no network, another order of sets
    replayed = report(
        name, tmp_path / "replayed", settings(tmp_path, base_url=server.url, replay="replay"), monkeypatch
    )
    assert lasting(replayed) == lasting(whole)
    assert wall.read_text() == "up\n"
    assert all(call["cached"] and call["usd"] == 0.0 for call in calls(tmp_path / "replayed"))
    if name == "ontology-matching":  # the same corridor for all
        missing_reply(name, tmp_path, server.url, monkeypatch)
        assert wall.read_text() == "up\n" * 2


def missing_reply(name: str, tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reply that is gone from the cache: the replay names it, and asks nobody."""
    last = calls(tmp_path / "whole")[-1]["request"]
    with sqlite3.connect(tmp_path / "cache" / "replies.sqlite") as db:
        assert db.execute("DELETE FROM replies WHERE digest = ?", (last,)).rowcount == 1
    with pytest.raises(ReportError) as caught:
        report(name, tmp_path / "missing", settings(tmp_path, base_url=url, replay="replay"), monkeypatch)
    assert "no reply of stub (local) is kept for: " in caught.value.what
    assert last[:12] in caught.value.what
    assert caught.value.ledger.state == "failed"
