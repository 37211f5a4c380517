"""The review of what only notebooks ask a person: statements and links of a built graph, answers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kgnb.judging import Decisions
from kgnb.magics import panel
from kgnb.widgets.review import ReviewWidget
from tests.magics.conftest import Notebook


@pytest.fixture
def lively(notebook: Notebook) -> Iterator[Notebook]:
    """A notebook with somebody before it, who can press a button."""

    class Kernel:
        _allow_stdin = True
        comm_manager = None

    notebook.shell.kernel = Kernel()
    yield notebook
    del notebook.shell.kernel


def review(notebook: Notebook, line: str) -> ReviewWidget:
    shown = notebook.good(f"shown = {line}\nshown").value
    widget = shown.widget.children[0]
    assert isinstance(widget, ReviewWidget) and "text/html" in shown._repr_mimebundle_()
    return widget


def press(widget: ReviewWidget, action: str, *questions: str, choices: Any = ()) -> None:
    message = {"action": action, "questions": list(questions), "choices": list(choices)}
    widget._handle_custom_msg(message, [])


QUESTION = '%qa ask "Who is the warden of the Hochkar House?"'


def test_an_answer_called_wrong_or_right_is_so_the_next_time_and_until_it_is_taken_back(
    lively: Notebook,
) -> None:
    lively.good("%qa start huts:graph --judge rule")
    first = lively.good(f"answer = {QUESTION}\nanswer").value
    widget = review(lively, "%qa review --who Ada")
    [row] = widget.rows
    assert row["candidates"] == [first.label(first.values[0])] and row["decision"] == "right"
    press(widget, "different", row["id"])
    press(widget, "apply")
    assert widget.view["said"] == "Applied 1 decision."
    again = lively.good(f"answer = {QUESTION}\nanswer").value
    assert (again.status, again.values, again.judged_by) == ("unsure", (), "person:Ada")
    press(widget, "undo")
    press(widget, "equivalent", row["id"], choices=[0])
    again = lively.good(f"answer = {QUESTION}\nanswer").value
    assert (again.values, again.confidence, again.judged_by) == (first.values, 1.0, "person:Ada")
    [kept] = Decisions("answer-decisions.jsonl").standing().values()
    assert kept.who == "Ada" and kept.when


def test_what_reading_left_open_is_decided_and_leaves_the_queue(lively: Notebook) -> None:
    lively.good("%kgc compile huts:kitchen --shapes huts:kitchen-shapes")
    built = lively.good("x = %kgc instantiate huts:kitchen-notes --judge rule\nx").value
    widget = review(lively, "%kgc review --who Ada")
    assert len(widget.rows) == len(built.doubts) > 2
    first, second = (row["id"] for row in widget.rows[:2])
    press(widget, "different", first, second)
    press(widget, "apply")
    assert widget.view["said"] == "Applied 2 decisions."
    assert len(widget.rows) == len(built.doubts) - 2
    assert {row["id"] for row in widget.rows}.isdisjoint({first, second})
    assert {one.who for one in Decisions("graph-decisions.jsonl").history()} == {"Ada"}


def test_a_value_that_does_not_fit_is_named_by_its_thing_and_offers_no_datatype(
    lively: Notebook, folder: Path
) -> None:
    (folder / "ships.ttl").write_text(SHIPS, encoding="utf-8")
    (folder / "log.txt").write_text("Brig Elke\n\nbuilt: long ago\ncrew: 12\n", encoding="utf-8")
    lively.good("%kgc compile ships.ttl\nx = %kgc instantiate log.txt")
    (row,) = review(lively, "%kgc review --who Ada").rows
    assert "Brig Elke" in row["name"] and "long ago" in row["name"] and "http" not in row["name"]
    assert row["candidates"] == []


SHIPS = """
@prefix : <http://ships.example/#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Ship a owl:Class ; rdfs:label "ship" .
:built a owl:DatatypeProperty ; rdfs:label "built" ; rdfs:domain :Ship ; rdfs:range xsd:integer .
:crew a owl:DatatypeProperty ; rdfs:label "crew" ; rdfs:domain :Ship ; rdfs:range xsd:integer .
"""
TBOX = """
@prefix : <http://x.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Food a owl:Class ; rdfs:label "food" .
"""
PANTRY = (
    TBOX
    + """
:a a :Food ; rdfs:label "barley" . :b a :Food ; rdfs:label "barley" .
"""
)


def test_the_panel_counts_what_waits_as_the_reviews_of_answers_and_graphs_do(
    lively: Notebook,
) -> None:
    def waits() -> dict[str, int]:
        return {line: n for name in lively.session.tasks for line, n in counted(name).items()}

    def counted(name: str) -> dict[str, int]:
        return panel.reviews(lively.session, name)

    lively.good("%qa start huts:graph --judge rule")
    lively.good(QUESTION)
    assert waits() == {"%qa review": 0}  # it is sure of the answer
    lively.good('%qa ask "Who painted the Hochkar House?"')
    lively.good("%kgc compile huts:kitchen --shapes huts:kitchen-shapes")
    lively.good("x = %kgc instantiate huts:kitchen-notes --judge rule")
    answers, graph = (review(lively, f"%{magic} review --who Ada") for magic in ("qa", "kgc"))
    assert waits() == {"%qa review": 1, "%kgc review": len(graph.rows)}
    for widget in (answers, graph):
        first = next(row for row in widget.rows if row["waits"])
        press(widget, "open", first["id"], choices=[0])
        assert any(first["why"] in line for line in widget.detail["lines"])
        press(widget, "different", first["id"])
    assert waits() == {"%qa review": 0, "%kgc review": len(graph.rows) - 1}
    for widget in (answers, graph):
        press(widget, "undo")
    assert waits() == {"%qa review": 1, "%kgc review": len(graph.rows)}


def test_a_link_is_chosen_among_its_candidates(lively: Notebook, folder: Path) -> None:
    (folder / "tbox.ttl").write_text(TBOX)
    (folder / "pantry.ttl").write_text(PANTRY)
    lively.good("%kgc compile tbox.ttl")
    lively.good("%kgc call create_food label=barley")
    grounding = lively.good("x = %kgc ground pantry.ttl\nx").value
    assert len(grounding.unsure) == 1
    widget = review(lively, "%kgc review --who Ada")
    [row] = [row for row in widget.rows if row["kind"] == "link"]
    press(widget, "equivalent", row["id"], choices=[1])
    press(widget, "apply")
    [link] = lively.session.tasks["kg_construction"].grounding.links
    assert (link.outcome, link.target) == ("decided", "http://x.example/b")


def test_a_link_and_a_statement_are_decided_on_a_line(lively: Notebook, folder: Path) -> None:
    (folder / "tbox.ttl").write_text(TBOX)
    (folder / "pantry.ttl").write_text(PANTRY)
    lively.good("%kgc compile tbox.ttl")
    assert "%kgc instantiate" in str(lively("%kgc review --list").error)
    lively.good("%kgc call create_food label=barley")
    lively.good("x = %kgc ground pantry.ttl")
    listed = lively.good("x = %kgc review --list --links\nx").value
    assert len(listed.rows) == 1 and "--accept # [CHOICE]" in listed.notes[-1]
    assert "choose from 1. barley" in str(lively("%kgc review --accept barley 3").error)
    lively.good("%kgc review --accept barley 2 --who Ada")
    [link] = lively.session.tasks["kg_construction"].grounding.links
    assert (link.outcome, link.target) == ("decided", "http://x.example/b")
    assert not lively.good("x = %kgc review --list\nx").value.rows
    (folder / "ships.ttl").write_text(SHIPS, encoding="utf-8")
    (folder / "log.txt").write_text("Brig Elke\n\nbuilt: long ago\ncrew: 12\n", encoding="utf-8")
    lively.good("%kgc compile ships.ttl\nx = %kgc instantiate log.txt")
    lively.good("%kgc review --reject 1 --who Ada")
    assert not lively.session.tasks["kg_construction"].built.doubts


def test_a_pair_that_nobody_was_asked_about_is_taken_out_where_it_is_seen(
    lively: Notebook, folder: Path
) -> None:
    names = ["Amber Foods", "Birch Optics", "Cedar Trading", "Dune Pharma"]
    for file in ("left.csv", "right.csv"):
        lines = [f"{number},{name},{1900 + number},Bern" for number, name in enumerate(names)]
        (folder / file).write_text("\n".join(["id,name,founded,city", *lines]) + "\n")
    lively.good("%ea start left.csv right.csv\nx = %ea run")
    task = lively.session.tasks["entity_alignment"]
    assert len(task.settled().alignment()) == len(names)
    widget = review(lively, "%ea review --who Ada")
    [row] = [row for row in widget.rows if row["name"] == names[0]]
    assert row["decision"] == "equivalent" and not row["waits"]
    press(widget, "open", row["id"], choices=[row["choice"]])
    assert ["founded", "1900", "1900", "equal"] in widget.detail["lines"]
    press(widget, "different", row["id"])
    press(widget, "apply")
    assert widget.view["said"] == "Applied 1 decision."
    assert len(task.settled().alignment()) == len(names) - 1
