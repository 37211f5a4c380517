import json
from pathlib import Path

import pytest

from kgnb.agents.ontology_matching.reviewed import MatchDecisions
from kgnb.agents.ontology_matching.values import Judged, MatchQuestion
from kgnb.judging import Decisions, PersonJudge, Verdict
from kgnb.widgets.review import (
    HERE,
    ReviewQueue,
    ReviewWidget,
    nothing_waits,
    review_table,
    side_by_side,
    waiting,
)
from tests.magics.conftest import Notebook


@pytest.fixture
def questions(notebook: Notebook) -> tuple[MatchQuestion, ...]:
    for line in (
        "start alpine.ttl refuge.ttl",
        "retrieve",
        "store",
        "search --similarity 0",
        "summarise",
    ):
        notebook.good(f"%om {line}")
    found: tuple[MatchQuestion, ...] = notebook.matching.values["summarise"].questions
    assert len(found) > 4
    return found


def undecided(questions: tuple[MatchQuestion, ...]) -> list[Judged]:
    return [
        Judged(
            question,
            Verdict(
                "unsure", also=((question.others[-1].iri, number / 20),), rationale="cannot tell"
            ),
        )
        for number, question in enumerate(questions)
    ]


@pytest.fixture
def queue(questions: tuple[MatchQuestion, ...], tmp_path: Path) -> ReviewQueue:
    return ReviewQueue(undecided(questions), MatchDecisions(tmp_path / "mine.jsonl"), who="Ada")


def test_what_promises_most_comes_first_and_sure_verdicts_do_not_come_at_all(
    questions: tuple[MatchQuestion, ...],
) -> None:
    judged = undecided(questions)
    judged[0] = Judged(questions[0], Verdict("equivalent", questions[0].others[0].iri, 0.6))
    entries = waiting(judged)
    assert [entry.gain for entry in entries] == sorted(
        (entry.gain for entry in entries), reverse=True
    )
    assert questions[0].id not in {entry.question.id for entry in entries}
    shaky = waiting(judged, below=0.7)[-1]
    assert shaky.question.id == questions[0].id and shaky.gain == pytest.approx(0.4)


def test_an_empty_queue_says_so_and_names_a_line_that_shows_what_was_decided(
    questions: tuple[MatchQuestion, ...], tmp_path: Path
) -> None:
    assert "no question was asked" in nothing_waits([], "%om review")
    for confidence, bound in ((0.6, "0.9"), (0.9, "0.91"), (0.94, "0.95"), (0.995, "1")):
        judged = [
            Judged(one, Verdict("equivalent", one.others[0].iri, confidence)) for one in questions
        ]
        said = nothing_waits(judged, "%om review")
        assert said.startswith(f"Nothing to review: all {len(questions)} questions are decided.")
        assert said.endswith(f"%om review --below {bound}")
        assert len(waiting(judged, below=float(bound))) == len(questions)
    certain = [Judged(one, Verdict("different", None, 1.0)) for one in questions]
    assert "--below" not in nothing_waits(certain, "%om review")
    queue = ReviewQueue([], Decisions(tmp_path / "mine.jsonl"), nothing=said)
    queue.act("undo")
    assert queue.rows() == [] and queue.view()["nothing"] == said and len(review_table([])) == 0


def test_every_question_is_a_row_and_what_waits_comes_first(
    questions: tuple[MatchQuestion, ...], tmp_path: Path
) -> None:
    judged = undecided(questions)
    judged[0] = Judged(
        questions[0], Verdict("equivalent", questions[0].others[0].iri, 0.6, "", "rule")
    )
    queue = ReviewQueue(judged, Decisions(tmp_path / "mine.jsonl"))
    rows = queue.rows()
    assert len(rows) == len(questions) and [row["waits"] for row in rows[-2:]] == [True, False]
    last = rows[-1]
    assert (last["decision"], last["confidence"], last["by"]) == ("equivalent", 0.6, "rule")
    assert last["candidates"] == [other.name for other in questions[0].others]
    assert rows[0]["choice"] == len(rows[0]["candidates"]) - 1 and rows[0]["why"] == "cannot tell"
    assert len(json.dumps(rows)) / len(rows) < 1_000  # a notebook stays small


def several(queue: ReviewQueue) -> list[MatchQuestion]:
    """The questions with several candidates."""
    return [one.question for one in queue.entries if len(one.question.others) > 1]


def test_many_are_decided_at_once_with_who_and_when_and_one_undo_takes_all_back(
    queue: ReviewQueue,
) -> None:
    first, second, third = several(queue)[:3]
    queue.act("equivalent", [first.id, second.id], [0, 1])
    queue.who = "Bo"
    queue.act("different", [third.id])
    decided = queue.decided()
    assert [
        (decided[one.id]["decision"], decided[one.id]["choice"]) for one in (first, second)
    ] == [
        ("equivalent", 0),
        ("equivalent", 1),
    ]
    assert [decided[one.id]["who"] for one in (first, third)] == ["Ada", "Bo"]
    assert decided[first.id]["when"].startswith("20") and queue.view()["changed"] == 3
    queue.act("broader", [first.id], [1])
    queue.act("undo")
    assert queue.decided()[first.id]["decision"] == "equivalent"  # what stood before stands again
    queue.act("undo")
    queue.act("undo")
    assert not queue.decided().keys() & {first.id, second.id, third.id}
    assert queue.view()["changed"] == 0 and not queue.view()["undoable"]


def test_what_was_applied_can_be_taken_back_and_applied_once_more(
    questions: tuple[MatchQuestion, ...], tmp_path: Path
) -> None:
    judged = undecided(questions)
    queue = ReviewQueue(judged, Decisions(tmp_path / "mine.jsonl"), apply=lambda: judged)
    first, second = several(queue)[:2]
    queue.act("equivalent", [first.id, second.id])
    queue.apply()
    assert queue.view()["changed"] == 0 and queue.view()["undoable"]
    queue.act("undo")
    assert queue.view()["changed"] == 2  # the result does not know yet
    queue.act("different", [first.id])
    queue.act("undo")
    assert queue.view()["changed"] == 2
    queue.apply()
    assert queue.view()["changed"] == 0 and not queue.decided()


def test_a_decision_is_withdrawn_one_candidate_is_rejected_and_nonsense_decides_nothing(
    queue: ReviewQueue,
) -> None:
    first, second = several(queue)[:2]
    queue.act("reject", [first.id], [0])
    assert queue.decisions.standing()[first.id].offered == (first.others[0].iri,)
    assert queue.decided()[first.id]["decision"] == "not this one"
    queue.act("withdraw", [first.id])
    assert first.id not in queue.decided()
    lines = len(queue.decisions.history())
    for action, choices, said in (
        ("equivalent", [0, 98], "no candidate 99"),
        ("shout", [], "not possible here"),
    ):
        with pytest.raises(ValueError, match=said):
            queue.act(action, [first.id, second.id], choices)
    assert len(queue.decisions.history()) == lines


def test_both_sides_stand_beside_each_other_with_what_agrees(queue: ReviewQueue) -> None:
    [question] = [
        one.question
        for one in queue.entries
        if one.question.about.name == "kitchen" and one.question.side == "source"
    ]
    place = [other.name for other in question.others].index("kitchen")
    lines = side_by_side(question, place)
    assert all(len(line) == 4 for line in lines)
    assert any(agreement == "equal name" or "equal" in agreement for *_, agreement in lines)


def test_messages_from_the_front_end_move_the_widget_and_bad_ones_do_no_harm(
    queue: ReviewQueue,
) -> None:
    told: list[int] = []
    widget = ReviewWidget(queue, lambda: told.append(len(widget.decided)))
    first = queue.entries[0].question
    widget.who = "Cy"
    widget._handle_custom_msg({"action": "equivalent", "choices": [0], "questions": [first.id]}, [])
    assert widget.decided[first.id]["who"] == "Cy" and told == [len(widget.decided)]
    widget._handle_custom_msg({"action": "open", "choices": [0], "questions": [first.id]}, [])
    assert widget.detail["id"] == first.id and widget.detail["names"][0] == first.about.name
    for nonsense in (
        {"action": "<script>", "questions": [first.id]},
        {"action": "equivalent", "choices": [99], "questions": [first.id]},
        {"action": "equivalent", "choices": "many", "questions": [first.id]},
        {"action": "open"},
        {"action": "equivalent", "questions": ["no such question"]},
        "nonsense",
    ):
        widget._handle_custom_msg(nonsense, [])
    assert len(queue.decisions.history()) == 1


def test_applying_brings_new_verdicts_and_what_fails_is_said(
    questions: tuple[MatchQuestion, ...], tmp_path: Path
) -> None:
    decisions = Decisions(tmp_path / "mine.jsonl")

    def again() -> list[Judged]:
        if len(decisions) > 1:
            raise ValueError("the model does not answer")
        verdicts = PersonJudge(decisions).judge(questions)
        return [Judged(one, verdict) for one, verdict in zip(questions, verdicts, strict=True)]

    queue = ReviewQueue(undecided(questions), decisions, apply=again)
    widget = ReviewWidget(queue)
    first, second = (row["id"] for row in widget.rows[:2])
    widget._handle_custom_msg({"action": "equivalent", "choices": [0], "questions": [first]}, [])
    widget._handle_custom_msg({"action": "apply"}, [])
    assert widget.view["said"] == "Applied 1 decision." and widget.view["changed"] == 0
    [row] = [row for row in widget.rows if row["id"] == first]
    assert row["by"] == "person" and not row["waits"]
    widget._handle_custom_msg({"action": "different", "questions": [second]}, [])
    widget._handle_custom_msg({"action": "apply"}, [])
    assert widget.view["said"] == "the model does not answer" and widget.view["changed"] == 1


def test_scripts_set_text_only_and_load_nothing() -> None:
    for name in ("review.js", "line.js"):
        source = (HERE / name).read_text(encoding="utf-8")
        for forbidden in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "import ",
            "fetch(",
            "eval(",
        ):
            assert forbidden not in source, f"{name}: {forbidden}"
        # the attribute, or the name that a script gives it
        assert "data-lm-suppress-shortcuts" in source or "lmSuppressShortcuts" in source
