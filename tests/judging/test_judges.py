"""Judges that ask no model: callables, cascades, recordings, people, simulations."""

import json
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgnb.errors import DataError
from kgnb.judging import (
    CallableJudge,
    Cascade,
    Decisions,
    Oracle,
    PersonJudge,
    Verdict,
    overridden,
    pending,
    sure_outside,
    unsure,
)
from tests.judging.questions import ALL, BUNK, KEEPER, STORM, Ask, ask


class Fixed:
    """Answers from a table by the question's text, and counts its batches."""

    def __init__(self, name: str, verdicts: dict[str, Verdict] | None = None) -> None:
        self.name = name
        self.verdicts = verdicts or {}
        self.batches: list[list[str]] = []

    def judge(self, questions: Sequence[Ask]) -> list[Verdict]:
        self.batches.append([question.text for question in questions])
        return [self.verdicts.get(question.text, unsure("not in the table", self.name)) for question in questions]


RIGHT = Fixed(
    "right",
    {
        BUNK.text: Verdict("equivalent", "b#Bed", 1.0),
        KEEPER.text: Verdict("equivalent", "b#Warden", 1.0),
        STORM.text: Verdict("different", None, 1.0),
    },
)


def first(question: Ask) -> tuple[str, str | None]:
    return ("equivalent", question.options[0].id)


# ------------------------------------------------------------------------------------------------ callables


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (Verdict("equivalent", "b#Sofa", 0.8), "chose 'b#Sofa', which is not an option"),
        (Verdict("equivalent", "b#Bed", 1.8), "confidence 1.8 is not between 0 and 1"),
        (Verdict("equivalent", "b#Bed", float("nan")), "confidence nan is not between 0 and 1"),
    ],
)
def test_an_answer_that_is_no_answer_to_the_question_is_unsure(verdict: Verdict, reason: str) -> None:
    [checked] = CallableJudge(lambda question: verdict, "mine").judge([BUNK])
    assert (checked.decision, checked.choice, checked.rationale) == ("unsure", None, reason)


def test_a_callable_must_give_a_verdict() -> None:
    with pytest.raises(TypeError, match="mine gave a str"):
        CallableJudge(lambda question: "yes", "mine").judge([BUNK])  # type: ignore[arg-type,return-value]


# ------------------------------------------------------------------------------------------------ cascade


def test_a_confidence_inside_the_band_is_not_sure() -> None:
    cheap = Fixed("rule", {BUNK.text: Verdict("equivalent", "b#Bed", 0.5), STORM.text: Verdict("different", None, 0.9)})
    costly = Fixed("model", dict(RIGHT.verdicts))
    Cascade(cheap, costly, sure=sure_outside(0.3, 0.7)).judge([BUNK, STORM])
    assert costly.batches == [[BUNK.text]]
    with pytest.raises(ValueError):
        sure_outside(0.7, 0.3)


# ------------------------------------------------------------------------------------------------ people


def test_a_person_answers_what_was_decided_and_the_rest_waits(tmp_path: Path) -> None:
    decisions = Decisions(tmp_path / "decisions.jsonl")
    judge = PersonJudge(decisions)
    assert {verdict.rationale for verdict in judge.judge(ALL)} == {"waiting for a person"}
    decisions.decide(BUNK, "equivalent", "b#Bed", who="ana", note="same thing")
    decisions.decide(STORM, "different", who="bo")
    verdicts = judge.judge(ALL)
    assert verdicts[0] == Verdict("equivalent", "b#Bed", 1.0, "same thing", "person:ana")
    assert verdicts[1].decision == "unsure"
    assert verdicts[2] == Verdict("different", None, 1.0, "", "person:bo")


def test_the_later_decision_wins_and_the_earlier_stays_on_file(tmp_path: Path) -> None:
    decisions = Decisions(tmp_path / "decisions.jsonl")
    decisions.decide(BUNK, "equivalent", "b#Bed", who="ana")
    decisions.decide(BUNK, "different", who="bo")
    assert decisions.standing()[BUNK.id].decision == "different"
    decisions.withdraw(BUNK, who="bo")
    assert len(decisions) == 0
    assert PersonJudge(decisions).judge([BUNK])[0].decision == "unsure"
    assert [entry.decision for entry in decisions.history()] == ["equivalent", "different", None]


def test_a_decision_outside_the_options_is_refused(tmp_path: Path) -> None:
    decisions = Decisions(tmp_path / "decisions.jsonl")
    for decision, choice in (("equivalent", "b#Sofa"), ("unsure", None), ("", None)):
        with pytest.raises(ValueError):
            decisions.decide(BUNK, decision, choice)
    assert not decisions.path.exists()


@settings(max_examples=25)
@given(st.integers(1, 200))
def test_a_decision_after_a_cut_line_is_not_lost(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    decisions = Decisions(tmp_path_factory.mktemp("d") / "decisions.jsonl")
    decisions.decide(BUNK, "equivalent", "b#Bed", note="é")
    size = decisions.path.stat().st_size
    decisions.decide(KEEPER, "different")
    decisions.path.write_bytes(decisions.path.read_bytes()[: size + cut])
    kept = len(decisions)
    decisions.decide(STORM, "different")
    assert len(decisions) == kept + 1
    assert decisions.standing()[BUNK.id].note == "é"


def test_a_last_line_that_was_written_by_hand_without_its_end_counts(tmp_path: Path) -> None:
    decisions = Decisions(tmp_path / "decisions.jsonl")
    decisions.path.write_text(json.dumps({"question": BUNK.id, "decision": "different"}))
    decisions.decide(STORM, "different")
    assert len(decisions) == 2


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    decisions = Decisions(tmp_path / "decisions.jsonl")
    decisions.path.write_text("not a decision\n")
    with pytest.raises(DataError, match=r"decisions\.jsonl:1"):
        decisions.history()


def test_decisions_of_two_processes_do_not_mix(tmp_path: Path) -> None:
    program = textwrap.dedent("""
        import sys
        from kgnb.judging import Decisions
        from tests.judging.questions import ask
        for number in range(30):
            Decisions(sys.argv[1]).decide(ask(f"{sys.argv[2]} {number}", "Bed"), "equivalent", "b#Bed", note="x" * 500)
    """)
    root = Path(__file__).parents[2]
    processes = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "d.jsonl"), who], cwd=root) for who in "ab"
    ]
    assert [process.wait() for process in processes] == [0, 0]
    assert len(Decisions(tmp_path / "d.jsonl")) == 60


def test_a_persons_decision_overrides_a_judge_and_saves_its_work(tmp_path: Path) -> None:
    decisions = Decisions(tmp_path / "decisions.jsonl")
    decisions.decide(KEEPER, "different", who="ana")
    inner = Fixed("model", dict(RIGHT.verdicts))
    judge = overridden(inner, decisions)
    verdicts = judge.judge(ALL)
    assert inner.batches == [[BUNK.text, STORM.text]]
    assert [(verdict.decision, verdict.judged_by) for verdict in verdicts] == [
        ("equivalent", "model"),
        ("different", "person:ana"),
        ("different", "model"),
    ]
    assert judge.name == "person > model"


def test_the_queue_shows_first_what_brings_most() -> None:
    verdicts = [
        Verdict("unsure", also=(("b#Bed", 0.2),)),
        Verdict("equivalent", "b#Warden", 0.5),
        Verdict("unsure", also=(("b#Meal", 0.7), ("b#Path", 0.1))),
        Verdict("unsure"),
    ]
    extra = ask("class Hut", "Lodge")
    queue = pending([*ALL, extra], verdicts)
    assert [(entry.question.text, entry.gain) for entry in queue] == [
        (STORM.text, 0.7),
        (BUNK.text, 0.2),
        (extra.text, 0.0),
    ]


# ------------------------------------------------------------------------------------------------ simulations

MANY = [ask(f"class Number{number}", "Bed", "Route", "Warden") for number in range(2000)]


def test_an_oracle_errs_at_its_rate_and_says_it_is_a_simulation() -> None:
    judge = Oracle(first, 0.2, seed=1)
    verdicts = judge.judge(MANY)
    wrong = [verdict for verdict in verdicts if verdict.choice != "b#Bed"]
    assert 0.17 < len(wrong) / len(MANY) < 0.23  # three standard errors are 0.027
    assert judge.asked == 2000
    assert judge.simulation is True
    assert judge.name == "oracle (simulation, error rate 0.2)"
    assert {verdict.judged_by for verdict in verdicts} == {judge.name}
    assert {(verdict.choice, verdict.decision) for verdict in wrong} == {
        (None, "different"),
        ("b#Route", "equivalent"),
        ("b#Warden", "equivalent"),
    }


def test_an_error_depends_on_question_and_seed_not_on_order_or_batch() -> None:
    forwards = Oracle(first, 0.3, seed=5).judge(MANY)
    one_by_one = Oracle(first, 0.3, seed=5)
    backwards = [one_by_one.judge([question])[0] for question in reversed(MANY)]
    assert forwards == backwards[::-1]
    assert forwards != Oracle(first, 0.3, seed=6).judge(MANY)


@pytest.mark.parametrize("arguments", [{"error_rate": 1.5}, {"error_rate": -0.1}, {"confidence": 2.0}])
def test_an_error_rate_and_a_confidence_are_shares(arguments: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        Oracle(first, **arguments)  # type: ignore[arg-type]


def test_a_simulation_stays_one_in_whatever_wraps_it(tmp_path: Path) -> None:
    oracle = Oracle(first, 0.1)
    assert Cascade(RIGHT, oracle).simulation
    assert overridden(oracle, Decisions(tmp_path / "d.jsonl")).simulation
    assert not Cascade(RIGHT, RIGHT).simulation
