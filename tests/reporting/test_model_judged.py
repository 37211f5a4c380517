"""Each agent's report with a model as judge: its page, a spent budget, and the same report made
again.

The second time there is no model, no key, no network and another order of sets: a replay gives the
same figures, pictures and page.
"""

import base64
import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import nbformat
import pytest

from kgnb.llm.replay import server_alias
from kgnb.reporting.html import TIMES
from kgnb.reporting.report import ReportError, ReportResult, find_template, mark_partial, run_report
from kgnb.reporting.session import ReportSession, begin, headline_figures
from kgnb.run import Run
from kgnb.settings import Settings
from tests.llm.obliging import oblige
from tests.llm.stub_server import StubServer
from tests.reporting.calling import RUNS, arguments

pytestmark = [pytest.mark.slow, pytest.mark.fault("determinism")]

LOADS = re.compile(
    r"""(?:src|srcset|action|data)\s*=\s*["']?\s*(?:https?:)?//|url\(\s*["']?(?:https?:)?//|@import|<link|<script"""
)
PICTURE = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")

NOTE = "Lentil stew\n\nHut: Refuge de l'Ambre\nServes 4\n\n- 300 g lentils\n\n1. Simmer for 20 minutes.\n"
SMALL: dict[str, dict[str, object]] = {
    "ontology-matching": {"judge": "cascade"},
    "question-answering": {"judge": "model", "most": 3},
    "entity-alignment": {"judge": "model"},
    "kg-construction": {
        "judge": "model",
        "documents": "note.txt",
        "against": "",
    },
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
    """Keeps kernels from connecting to anything; the file records that it was up, and every
    attempt.

    Jupyter's own sockets are ZeroMQ's: kernels do not open them through Python.
    """
    (tmp_path / "wall").mkdir()
    (tmp_path / "wall" / "sitecustomize.py").write_text(WALL)
    monkeypatch.setenv("WALL", str(tmp_path / "wall.log"))
    with monkeypatch.context() as patch:
        patch.setenv("PYTHONPATH", str(tmp_path / "wall"))
        patch.setenv(
            "PYTHONHASHSEED", "4711"
        )  # and in another order of sets than it was recorded in
        yield tmp_path / "wall.log"


def settings(tmp_path: Path, **more: Any) -> Settings:
    told = {
        "embedder": "characters",
        "cache": tmp_path / "cache",
        "model": "stub",
        "author": "Ada Egger",
    }
    return Settings(timeout=20.0, **told, **more)


def report(
    name: str, folder: Path, told: Settings, monkeypatch: pytest.MonkeyPatch
) -> ReportResult:
    monkeypatch.chdir(folder.parent)
    Path("note.txt").write_text(NOTE)
    return run_report(name, SMALL[name], folder, told)


def pictures(result: ReportResult) -> list[str]:
    cells = nbformat.read(result.notebook, as_version=4).cells
    datas = [
        output.data for cell in cells for output in cell.get("outputs", ()) if "data" in output
    ]
    return [data[kind] for data in datas for kind in sorted(data) if kind.startswith("image/")]


def lasting(result: ReportResult) -> tuple[bytes, list[str], str]:
    """The parts that are the same in every run: figures, pictures, page."""
    return (
        (result.folder / "metrics.json").read_bytes(),
        pictures(result),
        TIMES.sub("", result.html.read_text()),
    )


def calls(folder: Path) -> list[Mapping[str, Any]]:
    return [call for step in Run.load(folder / "run").to_json()["steps"] for call in step["calls"]]


@pytest.mark.parametrize("name", SMALL)
def test_a_report_is_complete_stops_at_its_budget_and_repeats_without_network(
    name: str, tmp_path: Path, wall: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = 1  # the cascade on huts needs two calls in all
    with StubServer(oblige) as server:
        here = settings(tmp_path, base_url=server.url)
        with monkeypatch.context() as patch:
            patch.delenv("PYTHONPATH")
            patch.setenv("PYTHONHASHSEED", "1")
            short = stopped(name, tmp_path / "short", here.with_(calls_limit=budget), patch)
            assert len(server.requests) == budget
            whole = report(name, tmp_path / "whole", here, patch)
            asked = len(server.requests)
    said = "1 model call" if budget == 1 else f"{budget} model calls"
    assert short == f"the budget of {said} is spent ({budget} used)"
    # with a larger budget the paid replies are used, not asked for again
    assert "partial" not in whole.metrics and "This result is partial" not in whole.html.read_text()
    assert sum(call["cached"] for call in calls(tmp_path / "whole")) >= budget
    assert len({call["request"] for call in calls(tmp_path / "whole")}) >= asked - budget
    check_page(whole, tmp_path)
    assert f"KGNB_BASE_URL={server.url}" in whole.html.read_text()  # where its texts went
    # no server any more, no network, another order of sets
    replayed = report(
        name,
        tmp_path / "replayed",
        settings(tmp_path, base_url=server.url, replay="replay"),
        monkeypatch,
    )
    assert lasting(replayed) == lasting(whole)
    assert wall.read_text() == "up\n"
    assert all(call["cached"] and call["usd"] == 0.0 for call in calls(tmp_path / "replayed"))
    if name == "ontology-matching":  # the same code for all
        missing_reply(name, tmp_path, server.url, monkeypatch)
        assert wall.read_text() == "up\n" * 2


def stopped(name: str, folder: Path, told: Settings, monkeypatch: pytest.MonkeyPatch) -> str:
    """Why the report with a spent budget is partial; one report is run as a page, the others only
    as functions.
    """
    if name == "ontology-matching":
        short = report(name, folder, told, monkeypatch)
        assert (
            short.metrics["partial"] is True and "This result is partial" in short.html.read_text()
        )
        cells = nbformat.read(short.notebook, as_version=4).cells
        assert any(
            "Partial: the budget of" in json.dumps(cell.get("outputs", [])) for cell in cells
        )
        return str(short.metrics["partial_reason"])
    monkeypatch.chdir(folder.parent)
    Path("note.txt").write_text(NOTE)
    folder.mkdir()
    begin(session := ReportSession(folder, told.with_(remember=False)))
    module: Any = import_module(f"kgnb.reporting.{name.replace('-', '_')}")
    results = getattr(module, RUNS[name])(**arguments(find_template(name).parameters, SMALL[name]))
    module.save(results, session)
    why = mark_partial(folder)
    assert json.loads((folder / "metrics.json").read_text())["partial_reason"] == why
    return why


def check_page(made: ReportResult, tmp_path: Path) -> None:
    """Headline, errors, costs, how to run it again, who made it when; nothing of this machine,
    nothing to be loaded.
    """
    page = made.html.read_text()
    byline, times = TIMES.findall(page)
    assert "Ada Egger" in byline and re.search(r"\d{4}-\d\d-\d\d", byline)
    assert str(tmp_path) not in page and not LOADS.search(page)
    drawn = [base64.b64decode(picture) for picture in PICTURE.findall(page)]
    assert len(drawn) % 2 == 0 and (
        drawn or "there is no risk to draw" in page
    )  # each in light and in dark
    for heading in ("Headline", "Errors", "Cost", "How to run this again"):
        assert re.search(rf"<h2[^>]*>{heading}</h2>", page), heading
    assert "Cost ledger" in times and all(
        word in times for word in ("Model calls", "US dollars", "Time", "tokens")
    )
    assert page.index('class="parameters"') < page.index("Headline")
    assert "kgnb report" in page.partition("How to reproduce")[2]
    headline = made.metrics["headline"]
    assert any(row["source"] == "this run" for row in headline)
    assert all(row["source"] for row in headline) and headline_figures(made.metrics)
    assert {"calls", "tokens", "prompt_tokens", "completion_tokens"} <= made.metrics["cost"].keys()
    assert (made.folder / "run" / "run.json").is_file() and (made.folder / "timing.json").is_file()
    crate = json.loads((made.folder / "provenance.json").read_text())
    given = {
        entity["name"]: entity["value"]
        for entity in crate["@graph"]
        if entity["@type"] == "PropertyValue"
    }
    assert given.keys() == json.loads((made.folder / "request.json").read_text())["values"].keys()


def missing_reply(name: str, tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a reply in the cache, a replay names it and asks nobody."""
    last = calls(tmp_path / "whole")[-1]["request"]
    with sqlite3.connect(tmp_path / "cache" / "replies.sqlite") as db:
        assert db.execute("DELETE FROM replies WHERE digest = ?", (last,)).rowcount == 1
    with pytest.raises(ReportError) as caught:
        report(
            name,
            tmp_path / "missing",
            settings(tmp_path, base_url=url, replay="replay"),
            monkeypatch,
        )
    assert f"no reply of stub ({server_alias(url)}) is kept for: " in caught.value.what
    assert last[:12] in caught.value.what
    assert caught.value.ledger.state == "failed"
