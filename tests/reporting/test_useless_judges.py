"""Every report judged by a model that answers nothing, everything, or the first option: no figure
looks good, and every cell is measured, cited, or empty with a reason.
"""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from kgnb.errors import BackendError
from kgnb.reporting.report import find_template
from kgnb.reporting.session import OURS, ReportSession, begin, marks
from kgnb.settings import Settings
from tests.llm.stub_server import Answer, Body, Call, StubServer
from tests.reporting.calling import arguments

REPORTS: dict[str, tuple[str, dict[str, object]]] = {
    "ontology-matching": ("run_cases", {"judge": "model"}),
    "question-answering": ("run_questions", {"judge": "model", "most": 4, "rounds": 2}),
    "entity-alignment": (
        "run_pair",
        {"judge": "model", "share": 0.05},
    ),
    "kg-construction": ("run_report", {"judge": "model", "against": ""}),
}
NOTE = "Lentil stew\n\nHut: Refuge de l'Ambre\nServes 4\n\n- 300 g lentils\n\n1. Simmer for 20 minutes.\n"


def nothing(body: Body) -> Answer:
    return "I cannot say."


def _answers(body: Body, letter: str, decision: int) -> Answer:
    if body.get("tools"):
        tools = {one["function"]["name"]: one["function"]["parameters"] for one in body["tools"]}
        name = "answer" if "answer" in tools else sorted(tools)[0]
        return Call(name, {key: ["1"] for key in tools[name].get("required", ())})
    form = body.get("response_format") or {}
    if form.get("type") != "json_schema":
        return "ready"
    asked = form["json_schema"]["schema"]["properties"].get("answers", {}).get("items", {})
    fields = asked.get("properties", {})
    answer = {
        "why": "",
        "letter": letter,
        "decision": fields.get("decision", {}).get("enum", ["equivalent"])[decision],
        "confidence": 1.0,
    }
    numbers = fields.get("question", {}).get("enum", [1])
    return json.dumps({"answers": [{"question": number, **answer} for number in numbers]})


def first(body: Body) -> Answer:
    return _answers(body, "A", 0)


def everything(body: Body) -> Answer:
    return _answers(body, "B", 0)


def every_figure(metrics: dict[str, Any]) -> None:
    for row in metrics["headline"]:
        empty = row.get("empty", {})
        for name, value in row.items():
            if value is None:
                assert empty.get(name), (row, name)
            elif isinstance(value, float | int) and not isinstance(value, bool):
                assert row["source"], (row, name)
        assert row["source"] == OURS or "," in row["source"] or empty, row


@pytest.mark.slow
@pytest.mark.parametrize("judge", [nothing, everything, first])
@pytest.mark.parametrize("name", REPORTS)
def test_no_figure_of_a_report_looks_good_with_a_useless_judge(
    name: str, judge: Any, tmp_path: Path
) -> None:
    function, given = REPORTS[name]
    if name == "kg-construction":
        (tmp_path / "note.txt").write_text(NOTE)
        given = given | {"documents": str(tmp_path / "note.txt")}
    module = import_module(f"kgnb.reporting.{name.replace('-', '_')}")
    with StubServer(judge) as server:
        settings = Settings(
            embedder="characters", cache=tmp_path / "cache", model="stub", base_url=server.url
        )
        session = ReportSession(tmp_path, settings)
        begin(session)
        named = arguments(find_template(name).parameters, given)
        try:
            results = getattr(module, function)(**named)
        except BackendError as error:
            # no reply at all could be used: the run fails, and no figure is printed
            assert judge is nothing and "none of its replies could be used" in str(error)
            return
        module.save(results, session)
    metrics = json.loads((tmp_path / "metrics.json").read_text())
    every_figure(metrics)
    ours = metrics["headline"][0]
    quality = next(ours[key] for key in ("F1", "f1", "hits1") if key in ours)
    before = [row for row in metrics["headline"] if "before" in str(row) or "alone" in str(row)]
    if before:
        # candidates are good by themselves: what they give without the model stands beside
        f1 = "f1" if "f1" in ours else "F1"
        assert ours[f1] <= before[0][f1]
        assert any("no better than kgnb" in mark or "answered" in mark for mark in marks(metrics))
    else:
        assert quality is None or quality < 60, ours
    if judge is nothing and metrics["judged"]["asked"]:
        assert marks(metrics), "a silent model is named beside the figures"


STREETS = ("Ring", "Am Markt", "Lindenweg", "Gartenweg")
NAMES = ("Otto Berger", "Mia Lund", "Lena Costa", "Karl Petit", "Ines Weiss", "Paul Moreau")


def tables(folder: Path) -> dict[str, str]:
    """Two lists of twelve customers, of whom half are in both."""
    both = [f"{name},{street} {at}" for at, name in enumerate(NAMES) for street in STREETS[:1]]
    ours = [f"{name[::-1].title()},{STREETS[at % 4]} {50 + at}" for at, name in enumerate(NAMES)]
    theirs = [
        f"{name.upper()[2:]},{STREETS[-1 - at % 4]} {70 + at}" for at, name in enumerate(NAMES)
    ]
    for name, rows in (("ours.csv", both + ours), ("theirs.csv", both + theirs)):
        (folder / name).write_text("name,street\n" + "\n".join(rows) + "\n")
    return {"source": str(folder / "ours.csv"), "target": str(folder / "theirs.csv")}


def test_no_estimate_rests_on_the_word_of_a_model_that_was_not_tried(tmp_path: Path) -> None:
    report: Any = import_module("kgnb.reporting.entity_alignment")
    with StubServer(everything) as server:
        settings = Settings(
            embedder="characters", cache=tmp_path / "cache", model="stub", base_url=server.url
        )
        begin(ReportSession(tmp_path, settings))
        results = report.run_pair(**tables(tmp_path), judge="model", share=1.0)
    settled = results.headline[0].settled
    said = [choice for choice in settled.choices.values() if choice.by == "model:stub"]
    written = [choice for choice in said if choice.target >= 0]
    assert written and all(choice.confidence == 1.0 for choice in written)
    rests = len(settled.pairs(untried=False))
    assert rests == len(settled.pairs()) - len(written)
    assert f"{len(written)} match" in settled.untried
    assert all(settled.untried in row.covers for row in report.figures(results))
    assert sum(row[1] for row in report.slices(results).rows) == rests
    assert f"n = {rests}." in str(report.risk(results))
