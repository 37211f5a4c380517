"""What differs between two runs."""

from collections.abc import Mapping
from dataclasses import dataclass

from kgnb.judging import CallableJudge, Option, Verdict
from kgnb.run import Run
from tests.test_run import Pair

OPTIONS = (Option("b#Bed", "Bed"),)


@dataclass(frozen=True)
class Merged:
    number: int

    def counts(self) -> Mapping[str, int]:
        return {"mappings": self.number}


def a_run(
    k: int = 10, seed: int = 0, mappings: int = 2, bunk: str | None = "b#Bed", more: tuple[Pair, ...] = ()
) -> Run:
    def rule(question: Pair) -> Verdict:
        choice = bunk if question.text == "Bunk" else None
        return Verdict("equivalent" if choice else "different", choice, 0.9)

    def merge() -> Merged:
        return Merged(mappings)

    run = Run("example", parameters={"k": k, "judge": "rule"}, data={"a.owl": "1"}, seed=seed)
    run.do(run.watch_judge(CallableJudge(rule)).judge, [Pair("1", "Bunk", OPTIONS), Pair("2", "Hut", OPTIONS), *more])
    run.do(merge)
    return run.finish()


def test_equal_runs_do_not_differ() -> None:
    comparison = a_run().compare(a_run())
    assert comparison.same_result
    assert not (comparison.parameters or comparison.data or comparison.versions)
    assert set(comparison.totals) <= {"seconds"}


def test_parameters_counts_and_judgements_that_changed_are_listed() -> None:
    comparison = a_run().compare(a_run(k=20, seed=1, mappings=1, bunk=None))
    assert comparison.parameters == {"k": (10, 20), "seed": (0, 1)}
    assert comparison.counts == {"merge": {"mappings": (2, 1)}}
    [change] = comparison.judgements
    assert (change.step, change.question, change.text) == ("judge", "1", "Bunk")
    assert change.before is not None and change.before.choice == "b#Bed"
    assert change.after is not None and change.after.decision == "different"
    assert not comparison.same_result
    text = str(comparison)
    assert "parameter k: 10 -> 20" in text
    assert "step merge, mappings: 2 -> 1" in text
    assert "judgement of 'Bunk': equivalent b#Bed -> different" in text


def test_a_question_only_one_run_was_asked_is_a_change() -> None:
    comparison = a_run().compare(a_run(more=(Pair("3", "Route", OPTIONS),)))
    [change] = comparison.judgements
    assert change.before is None and change.after is not None
    assert "judgement of 'Route': not asked -> different" in str(comparison)
