"""The graph-construction report: patterns read our notes, recorded replies show the worth of
feedback.
"""

import pytest

from kgnb.datasets import huts
from kgnb.errors import DataError
from kgnb.reporting import kg_construction as report
from kgnb.reporting.kg_construction import (
    each,
    entity_records,
    figures,
    micro,
    records,
    reference_graph,
    scored,
)
from kgnb.reporting.session import current
from kgnb.tasks.building import build_graph, compile_ontology
from tests.reporting.conftest import drawn_cells

PACK = compile_ontology("huts:kitchen", "huts:kitchen-shapes")


def test_the_rule_reads_our_notes_and_every_fact_it_writes_conforms() -> None:
    built = build_graph("huts:kitchen-notes", PACK, judge="rule")
    wanted = reference_graph(huts.path("kitchen-reference"))
    assert micro(scored(records(built.graph, wanted, huts.KITCHEN_QUERIES))).f1 > 0.95
    assert not built.session.validate()
    assert built.failed == ()
    assert scored(entity_records(wanted, wanted, PACK))["recipe"].total.f1 == 1


def test_the_report_shows_every_part() -> None:
    results = report.run_report(
        tbox="huts:kitchen",
        shapes="huts:kitchen-shapes",
        documents="huts:kitchen-notes",
        reference="huts:kitchen-reference",
        against="huts:pantry",
        judge="rule",
        tboxes="",
        papers=True,
    )
    page = "".join(drawn_cells("kg-construction", results, current()))
    for said in (
        "micro",
        "kitchen.ttl",
        "functional",
        "57.2 %",
        "other data: 30 chemistry papers",
        "Cost beside quality",
        "Bars in percent. ",
    ):
        assert said in page
    assert " repaired), " in str(report.notice(results))
    missed = report.errors(results)
    assert {row[1] for row in missed.rows} <= {"differs", "missing", "not in the reference"}
    assert len(missed) == sum(len(one.differences()) for one in results.records.values()) > 0
    assert all({"found", "reference"} & dict(details).keys() for details in missed.details)
    ours, theirs = figures(results)[0], figures(results)[-1]
    assert ours.source == "this run" and theirs.value("f1") == 0.826 and theirs.elsewhere
    assert "Ontology-to-tools" in theirs.source
    assert len(report.picture(results).nodes) <= 24
    assert report.stages(results).rows[-1][6] == "$0"


def test_without_being_asked_a_report_speaks_of_no_paper_and_of_no_planted_mistake(
    tmp_path,
) -> None:
    (tmp_path / "note.txt").write_text("Soup\n\nServes 4\n\n- 1 kg peas\n\n1. Boil the peas.\n")
    results = report.run_report(
        tbox="huts:kitchen",
        shapes="",
        documents=str(tmp_path / "note.txt"),
        reference="",
        against="",
        judge="rule",
        tboxes="",
    )
    [row] = figures(results)
    assert {one.why for one in row.figures.values()} == {"no reference"}
    page = "".join(drawn_cells("kg-construction", results, current()))
    assert "World Avatar" not in page and "lanted" not in page
    found = report.metrics(results)
    assert not {"planted", "refused", "accepted"} & found.keys()
    assert found["headline"][0]["empty"]["f1"] == "no reference"


def test_step_plan_and_outside_tools_are_measured_on_recorded_replies() -> None:
    def read(outside: str = "kgnb.datasets.huts:register", **options: object):
        results = report.run_report(
            tbox="huts:dairy",
            shapes="",
            documents="huts:dairy-notes",
            reference="huts:dairy-reference",
            against="",
            judge="recorded:dairy",
            tboxes="",
            outside=outside,
            options=options,
        )
        return results, report.metrics(results)

    (whole, first), (_, planless), (_, alone) = read(), read(no_plan=True), read(outside="")
    assert whole.title == "kgnb's alp dairies, 4 documents"
    assert first["scores"]["micro"] == planless["scores"]["micro"] == 1
    assert alone["scores"]["supplies"] < 1 and alone["headline"][0]["precision"] == 100
    assert first["cost"]["tokens"] >= planless["cost"]["tokens"] > 0
    # what replays the replies of another report says nothing of the part left out
    assert first["requests"] and first["requests"] != alone["requests"]
    assert (first["requests"] == planless["requests"]) == (first["cost"] == planless["cost"])


def test_a_pattern_stands_for_every_tbox_that_matches(tmp_path) -> None:
    for name in ("b.ttl", "a.ttl"):
        (tmp_path / name).write_text("")
    assert each(f"huts:kitchen, {tmp_path}/*.ttl") == [
        "huts:kitchen",
        f"{tmp_path}/a.ttl",
        f"{tmp_path}/b.ttl",
    ]
    with pytest.raises(DataError, match="no file matches"):
        each(f"{tmp_path}/*.owl")
