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
        ablation=True,
        papers=True,
    )
    page = "".join(drawn_cells("kg-construction", results, current()))
    for said in (
        "micro",
        "kitchen.ttl",
        "functional",
        "57.2 %",
        "other data: 30 chemistry papers",
        "tool calls per fact",
        "Bars in percent. ",
    ):
        assert said in page
    assert "needs a model" in str(report.ablation(results))
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
        ablation=False,
    )
    [row] = figures(results)
    assert {one.why for one in row.figures.values()} == {"no reference"}
    page = "".join(drawn_cells("kg-construction", results, current()))
    assert "World Avatar" not in page and "lanted" not in page
    found = report.metrics(results)
    assert not {"planted", "refused", "accepted"} & found.keys()
    assert found["headline"][0]["empty"]["f1"] == "no reference"


def test_the_ablation_measures_feedback_step_plan_and_outside_tools_on_recorded_replies() -> None:
    results = report.run_report(
        tbox="huts:dairy",
        shapes="",
        documents="huts:dairy-notes",
        reference="huts:dairy-reference",
        against="",
        judge="recorded:dairy",
        tboxes="",
        ablation=True,
        outside="kgnb.datasets.huts:register",
    )
    rows = {row["read"].partition(", ")[0]: row for row in report.metrics(results)["ablation"]}
    assert list(rows) == [
        "all of it",
        "without feedback",
        "unchecked writes",
        "without step plan",
        "without outside tools",
    ]
    # what replays the replies of the first row says nothing of its part
    replayed = [name for name, row in rows.items() if row["read"].endswith("the same replies")]
    assert replayed == [
        name for name in list(rows)[1:] if rows[name]["calls"] == rows["all of it"]["calls"]
    ]
    assert rows["all of it"]["micro"] == rows["without step plan"]["micro"] == 1
    assert (
        rows["without outside tools"]["supplies"] < 1
        and rows["without outside tools"]["precision"] == 1
    )
    assert rows["all of it"]["tokens"] >= rows["without step plan"]["tokens"] > 0
    assert (
        results.run.totals["calls"] == rows["all of it"]["requests"]
    )  # the ablation is not part of the run
    assert len(report.ablation(results)) == 5
    assert results.title == "kgnb's alp dairies, 4 documents"


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
