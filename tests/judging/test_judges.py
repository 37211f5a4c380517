"""Judges that ask no model: callables, people, simulations."""

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
    Judge,
    Oracle,
    PersonJudge,
    Verdict,
    overridden,
    pending,
    verdicts,
)
from tests.judging.questions import ALL, BUNK, KEEPER, STORM, Ask, Table, ask

RIGHT = {
    BUNK.text: Verdict("equivalent", "b#Bed", 1.0),
    KEEPER.text: Verdict("equivalent", "b#Warden", 1.0),
}


def first(question: Ask) -> tuple[str, str | None]:
    return ("equivalent", question.options[0].id)


@pytest.fixture
def decisions(tmp_path: Path) -> Decisions:
    return Decisions(tmp_path / "decisions.jsonl")


def test_an_answer_that_does_not_answer_the_question_is_unsure() -> None:
    for verdict, reason in (
        (Verdict("equivalent", "b#Sofa", 0.8), "chose 'b#Sofa', which is not an option"),
        (Verdict("equivalent", "b#Bed", 1.8), "confidence 1.8 is not between 0 and 1"),
        (Verdict("equivalent", "b#Bed", float("nan")), "confidence nan is not between 0 and 1"),
    ):
        [checked] = CallableJudge(lambda question, verdict=verdict: verdict, "mine").judge([BUNK])  # type: ignore[misc]
        assert (checked.decision, checked.choice, checked.rationale) == ("unsure", None, reason)
    with pytest.raises(TypeError, match="mine gave a str"):
        CallableJudge(lambda question: "yes", "mine").judge([BUNK])  # type: ignore[arg-type,return-value]


def test_a_verdict_counts_with_a_word_of_the_list_and_a_choice_where_that_needs_one() -> None:
    for verdict, decision, reason in (
        (Verdict("same", "b#Bed", 1.0), "unsure", "'same' is not a decision"),
        (Verdict("broader", None, 0.9), "unsure", "'broader' without a candidate"),
        (Verdict("different", "b#Bed", 0.5, also=(("b#Sofa", 0.4),)), "different", ""),
        (Verdict("broader", "b#Bed", 0.5), "broader", ""),
    ):
        judge: Judge[Ask] = CallableJudge(lambda question, verdict=verdict: verdict)  # type: ignore[misc]
        [found] = verdicts([BUNK], judge, ("equivalent", "broader", "different"))
        assert (found.decision, found.rationale, found.also) == (decision, reason, ())
        assert (found.choice is None) == (decision != "broader")

    class Lazy:
        name = "lazy"

        def judge(self, questions: Sequence[Ask]) -> list[Verdict]:
            return []

    with pytest.raises(ValueError, match="the lazy judge gave 0 verdicts on 1 question"):
        verdicts([BUNK], Lazy())


# ------------------------------------------------------------------------------------------------
# people


def test_a_persons_decisions_are_answers_and_the_rest_waits(decisions: Decisions) -> None:
    judge = PersonJudge(decisions)
    assert {verdict.rationale for verdict in judge.judge(ALL)} == {"waiting for a person"}
    decisions.decide(BUNK, "equivalent", "b#Bed", who="ana", note="same thing")
    decisions.decide(STORM, "different", who="bo")
    verdicts = judge.judge(ALL)
    assert verdicts[0] == Verdict("equivalent", "b#Bed", 1.0, "same thing", "person:ana")
    assert (verdicts[1].decision, verdicts[1].judged_by) == ("unsure", "person")
    assert verdicts[2] == Verdict("different", None, 1.0, "", "person:bo")


def test_the_later_decision_wins_and_the_earlier_stays_on_file(decisions: Decisions) -> None:
    decisions.decide(BUNK, "equivalent", "b#Bed", who="ana")
    decisions.decide(BUNK, "different", who="bo")
    assert decisions.standing()[BUNK.id].decision == "different"
    decisions.withdraw(BUNK, who="bo")
    assert len(decisions) == 0
    assert [entry.decision for entry in decisions.history()] == ["equivalent", "different", None]


def test_a_decision_outside_the_options_is_refused(decisions: Decisions) -> None:
    for decision, choice in (("equivalent", "b#Sofa"), ("unsure", None), ("", None)):
        with pytest.raises(ValueError):
            decisions.decide(BUNK, decision, choice)
    assert not decisions.path.exists()


@settings(max_examples=25)
@given(st.integers(1, 200))
def test_a_decision_after_a_cut_line_is_not_lost(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    decisions = Decisions(tmp_path_factory.mktemp("d") / "decisions.jsonl")
    decisions.decide(BUNK, "equivalent", "b#Bed", note="é")
    size = decisions.path.stat().st_size
    decisions.decide(KEEPER, "different")
    decisions.path.write_bytes(decisions.path.read_bytes()[: size + cut])
    kept = len(decisions)
    decisions.decide(STORM, "different")
    assert len(decisions) == kept + 1
    assert decisions.standing()[BUNK.id].note == "é"


def test_lines_written_by_hand_are_read_or_named(decisions: Decisions) -> None:
    decisions.path.write_text(
        json.dumps({"question": BUNK.id, "decision": "different"})
    )  # without an end
    decisions.decide(STORM, "different")
    assert len(decisions) == 2
    for wrong in (
        "not a decision",
        '{"question": 1, "decision": "x"}',
        '{"question": "q", "decision": "x", "about": 1}',
    ):
        decisions.path.write_text(wrong + "\n")
        with pytest.raises(DataError, match=r"decisions\.jsonl:1"):
            decisions.history()


def test_decisions_of_two_processes_do_not_mix(decisions: Decisions) -> None:
    program = textwrap.dedent("""
        import sys
        from kgnb.judging import Decisions
        from tests.judging.questions import ask
        for number in range(30):
            Decisions(sys.argv[1]).decide(ask(f"{sys.argv[2]} {number}", "Bed"), "equivalent", "b#Bed", note="x" * 500)
    """)
    root = Path(__file__).parents[2]
    processes = [
        subprocess.Popen([sys.executable, "-c", program, decisions.path, who], cwd=root)
        for who in "ab"
    ]
    assert [process.wait() for process in processes] == [0, 0]
    assert len(decisions) == 60


def test_a_persons_decision_overrides_a_judge_and_saves_its_work(decisions: Decisions) -> None:
    decisions.decide(KEEPER, "different", who="ana")
    inner = Table("model", RIGHT)
    judge = overridden(inner, decisions)
    verdicts = judge.judge(ALL)
    assert inner.asked == [BUNK.text, STORM.text] and judge.name == "model"
    assert [(verdict.decision, verdict.judged_by) for verdict in verdicts] == [
        ("equivalent", "model"),
        ("different", "person:ana"),
        ("different", "model"),
    ]


def test_the_queue_is_sorted_by_expected_gain() -> None:
    verdicts = [
        Verdict("unsure", also=(("b#Bed", 0.2),)),
        Verdict("equivalent", "b#Warden", 0.5),
        Verdict("unsure", also=(("b#Meal", 0.7), ("b#Path", 0.1))),
        Verdict("unsure"),
    ]
    extra = ask("class Hut", "Lodge")
    queue = [(entry.question.text, entry.gain) for entry in pending([*ALL, extra], verdicts)]
    assert queue == [(STORM.text, 0.7), (BUNK.text, 0.2), (extra.text, 0.0)]


# ------------------------------------------------------------------------------------------------
# simulations

MANY = [ask(f"class Number{number}", "Bed", "Route", "Warden") for number in range(2000)]


def test_an_oracle_errs_at_its_rate_and_says_it_is_a_simulation() -> None:
    judge = Oracle(first, 0.2, seed=1)
    verdicts = judge.judge(MANY)
    wrong = [verdict for verdict in verdicts if verdict.choice != "b#Bed"]
    assert 0.17 < len(wrong) / len(MANY) < 0.23  # three standard errors are 0.027
    assert (judge.asked, judge.simulation, judge.name) == (
        2000,
        True,
        "oracle (simulation, error rate 0.2)",
    )
    assert {verdict.judged_by for verdict in verdicts} == {judge.name}
    assert {(verdict.choice, verdict.decision) for verdict in wrong} == {
        (None, "different"),
        ("b#Route", "equivalent"),
        ("b#Warden", "equivalent"),
    }
    for rate in (1.5, -0.1):
        with pytest.raises(ValueError, match="between 0 and 1"):
            Oracle(first, rate)


def test_an_error_depends_on_question_and_seed_not_on_order_or_batch() -> None:
    forwards = Oracle(first, 0.3, seed=5).judge(MANY)
    one_by_one = Oracle(first, 0.3, seed=5)
    backwards = [one_by_one.judge([question])[0] for question in reversed(MANY)]
    assert forwards == backwards[::-1]
    assert forwards != Oracle(first, 0.3, seed=6).judge(MANY)


def test_a_simulation_remains_one_in_whatever_wraps_it(decisions: Decisions) -> None:
    oracle, table = Oracle(first, 0.1), Table("rule", {})
    assert Cascade(table, oracle).simulation and overridden(oracle, decisions).simulation
    assert not Cascade(table, table).simulation


def test_what_stands_around_a_judge_can_be_put_around_another(decisions: Decisions) -> None:
    decisions.decide(STORM, "different", who="ana")
    rule, other = Table("rule", {}), Table("other", RIGHT)
    around = overridden(rule, decisions).around(lambda judge: other)
    assert [verdict.choice for verdict in around.judge(ALL)] == ["b#Bed", "b#Warden", None]
    assert STORM.text not in other.asked and rule.asked == []
    assert Cascade(rule, rule).around(lambda judge: other).costly is other
