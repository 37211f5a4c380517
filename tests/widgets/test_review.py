import json
from pathlib import Path

import pytest

from kgnb.agents.ontology_matching.values import Judged, MatchQuestion
from kgnb.judging import Decisions, Verdict
from kgnb.widgets.review import (
    HERE,
    ReviewQueue,
    ReviewWidget,
    nothing_waits,
    review_table,
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
    return ReviewQueue(waiting(undecided(questions)), Decisions(tmp_path / "mine.jsonl"), "Ada")


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
    queue.act("equivalent", 0)
    queue.act("undo")
    view = queue.view()
    assert (
        view["done"] and view["total"] == 0 and view["hint"] == said and len(review_table([])) == 0
    )


def test_an_answer_is_written_at_once_and_the_next_question_shown(queue: ReviewQueue) -> None:
    first, second, third = (entry.question for entry in queue.entries[:3])
    for _ in range(2):  # a key pressed twice answers one question only
        queue.act("equivalent", 0, first.id)
    assert (
        len(queue.answers) == 1
        and queue.current is queue.entries[1]
        and queue.view()["decided"] == 1
    )
    queue.act("different", -1, second.id)
    queue.act("broader", len(third.others) - 1, third.id)
    standing = queue.decisions.standing()
    said = [(standing[one.id].decision, standing[one.id].choice) for one in (first, second, third)]
    assert said == [
        ("equivalent", first.others[0].iri),
        ("different", None),
        ("broader", third.others[-1].iri),
    ]
    assert standing[first.id].who == "Ada"


def test_undo_takes_back_an_answer_skipped_questions_come_back_and_nonsense_is_refused(
    queue: ReviewQueue,
) -> None:
    first = queue.entries[0].question
    queue.act("undo")
    assert not queue.view()["undoable"]
    queue.act("equivalent", 0, first.id)
    queue.act("undo")
    assert queue.decisions.standing() == {} and queue.current is queue.entries[0]
    assert [decision.decision for decision in queue.decisions.history()] == ["equivalent", None]
    for action, choice, said in (
        ("equivalent", 98, "no candidate 99"),
        ("shout", -1, "no action 'shout'"),
    ):
        with pytest.raises(ValueError, match=said):
            queue.act(action, choice)
    assert not queue.answers
    queue.act("skip")
    while queue.current is not None and queue.current.question.id != first.id:
        queue.act("different")
    assert queue.current is queue.entries[0]
    queue.act("different")
    assert (
        queue.current is None
        and queue.view()["done"]
        and queue.view()["decided"] == len(queue.entries)
    )


def test_the_view_holds_one_question_with_the_judges_favourite_so_that_a_notebook_stays_small(
    queue: ReviewQueue,
) -> None:
    view = queue.view()
    assert set(view["question"]) == {"id", "name", "iri", "kind", "side", "text"}
    assert view["chosen"] == len(view["candidates"]) - 1 and "cannot tell" in view["hint"]
    assert len(json.dumps(view)) < 6_000
    assert sum((HERE / name).stat().st_size for name in ("review.js", "review.css")) < 12_000
    table = review_table(queue.entries)
    assert len(table) == len(queue.entries) and "1. " in table.df()["candidates"][0]


def test_messages_from_the_front_end_move_the_widget_and_bad_ones_do_no_harm(
    queue: ReviewQueue,
) -> None:
    widget = ReviewWidget(queue)
    first = queue.entries[0].question
    widget._handle_custom_msg({"action": "equivalent", "choice": 0, "question": first.id}, [])
    assert widget.view["decided"] == 1
    widget._handle_custom_msg({"action": "<script>", "choice": 0}, [])
    widget._handle_custom_msg({"action": "equivalent", "choice": 99}, [])
    widget._handle_custom_msg({"action": "equivalent", "choice": "many"}, [])
    widget._handle_custom_msg("nonsense", [])
    assert widget.view["decided"] == 1 and len(queue.decisions.history()) == 1
    assert repr(widget) == f"ReviewWidget(1 of {len(queue.entries)} answered)"


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
        assert "lmSuppressShortcuts" in source
