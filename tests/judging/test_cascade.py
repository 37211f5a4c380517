"""A cascade that weighs the verdicts of two judges, and asks only what an answer is expected to
change.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext

import pytest

from kgnb.errors import BackendError, NotFit, Waiting
from kgnb.judging import Asking, CallableJudge, Cascade, Estimate, Oracle, Verdict, estimate, unsure
from kgnb.judging.cascade import Beliefs, Known
from tests.judging.questions import BUNK, KEEPER, STORM, Ask, Table, ask

BED = Verdict("equivalent", "b#Bed", 0.9, "both are slept in")
SHAKY = {
    BUNK.text: Verdict("equivalent", "b#Bed", 0.55, "names alike"),
    KEEPER.text: Verdict("equivalent", "b#Warden", 0.9999),
}


def weighed(
    cheap: dict[str, Verdict], costly: dict[str, Verdict], **how: object
) -> tuple[Cascade[Ask], Table]:
    model = Table("model", costly)
    return Cascade(Table("rule", cheap), model, asking=Asking(**{"share": 1.0} | how)), model  # type: ignore[arg-type]


def test_what_no_answer_could_change_is_not_asked() -> None:
    cascade, model = weighed(SHAKY, {BUNK.text: BED})
    bunk, keeper, storm = cascade.judge([BUNK, KEEPER, STORM])
    assert model.asked == [BUNK.text]
    assert (keeper.judged_by, storm.judged_by) == ("rule", "rule")
    assert (bunk.decision, bunk.choice, bunk.judged_by) == ("equivalent", "b#Bed", "rule + model")
    assert 0.95 < bunk.confidence < 1
    assert bunk.rationale == "both are slept in"


def test_of_few_questions_all_are_asked_and_the_cheap_judge_is_doubted() -> None:
    right = Verdict("equivalent", "b#Guest", 0.95)
    said = {BUNK.text: BED, KEEPER.text: right, STORM.text: Verdict("different", None, 0.95)}
    for few, asked in ((2, [BUNK.text]), (3, [BUNK.text, KEEPER.text, STORM.text])):
        cascade, model = weighed(SHAKY, said, few=few, share=0.4)
        bunk, keeper, storm = cascade.judge([BUNK, KEEPER, STORM])
        assert model.asked == asked
        assert (bunk.choice, storm.decision) == ("b#Bed", "different")
        assert keeper.choice == ("b#Guest" if few == 3 else "b#Warden")


def test_an_answer_counts_for_as_much_as_its_confidence_says() -> None:
    doubtful, _ = weighed(SHAKY, {BUNK.text: Verdict("different", None, 0.2)})
    certain, _ = weighed(SHAKY, {BUNK.text: Verdict("different", None, 1.0)})
    assert doubtful.judge([BUNK])[0].choice == "b#Bed"
    [verdict] = certain.judge([BUNK])
    assert (verdict.decision, verdict.choice) == ("different", None)
    assert (
        "rule: equivalent (0.55)" in verdict.rationale
        and "model: different (1.00)" in verdict.rationale
    )


def test_the_budget_is_a_share_and_the_most_promising_come_first() -> None:
    many = [ask(f"class N{number}", "Bed", "Route") for number in range(20)]
    cheap = {
        one.text: Verdict("equivalent", "b#Bed", 0.5 + number / 50)
        for number, one in enumerate(many)
    }
    cascade, model = weighed(cheap, {}, share=0.15)
    cascade.judge(many)
    assert model.asked == [one.text for one in many[:3]]
    assert [question.text for question in cascade.open(many)] == model.asked
    nothing, silent = weighed(cheap, {}, share=0.0)
    nothing.judge(many)
    assert silent.asked == []
    for share in (-0.1, float("nan")):
        with pytest.raises(ValueError):
            Asking(share)


def test_one_claim_in_two_questions_is_asked_once_and_settles_both() -> None:
    mine, theirs = ask("class Bunk", "Bed", "Path"), ask("class Bed", "Bunk", "Trail")
    cheap = {
        mine.text: Verdict("equivalent", "b#Bed", 0.6),
        theirs.text: Verdict("equivalent", "b#Bunk", 0.6),
    }

    def claim(question: Ask, option: str) -> tuple[str, ...]:
        return tuple(sorted((question.text.removeprefix("class "), option.removeprefix("b#"))))

    cascade, model = weighed(
        cheap, {text: Verdict("different", None, 0.95) for text in cheap}, claim=claim
    )
    first, second = cascade.judge([mine, theirs])
    assert len(model.asked) == 1
    assert (first.choice, second.choice) == (None, None)
    assert "answers to other questions" in first.rationale + second.rationale


def test_a_reason_is_not_given_for_what_it_speaks_against() -> None:
    mine, theirs = ask("class Bunk", "Bed", "Path"), ask("class Bed", "Bunk", "Trail")
    said = {
        mine.text: Verdict("equivalent", "b#Bed", 0.6, "both are slept in"),
        theirs.text: Verdict("different", None, 0.97, "a bunk is one of two"),
    }

    def claim(question: Ask, option: str) -> tuple[str, ...]:
        return tuple(sorted((question.text.removeprefix("class "), option.removeprefix("b#"))))

    cascade, model = weighed({text: unsure("", "rule") for text in said}, said, claim=claim)
    bunk, _ = cascade.judge([mine, theirs])
    assert len(model.asked) == 2 and bunk.decision == "different"
    assert bunk.rationale == (
        "both are slept in; model: equivalent (0.60); answers to other questions speak otherwise"
    )


def test_other_relations_are_kept_if_the_option_is_not_believed_to_be_right() -> None:
    cascade, _ = weighed(
        SHAKY, {BUNK.text: Verdict("broader", "b#Bed", 0.95, "any place to sleep")}
    )
    [verdict] = cascade.judge([BUNK])
    assert (verdict.decision, verdict.choice, verdict.judged_by) == ("broader", "b#Bed", "model")


@pytest.mark.parametrize("exclusive", [True, False])
def test_an_answer_speaks_only_against_what_it_excludes(exclusive: bool) -> None:
    verdict = Verdict("equivalent", "b#Warden", 0.5, also=(("b#Guest", 0.4),))
    beliefs = Beliefs([KEEPER], [verdict], lambda _, option: option, exclusive=exclusive)
    before = beliefs.held(0)
    beliefs.learn({0: ((0,), 0.9)})
    after = beliefs.held(0)
    assert after[0] > before[0]
    assert after[1] < before[1] if exclusive else after[1] == pytest.approx(before[1])
    if not exclusive:
        beliefs.learn({0: (None, 0.9)})  # none of them
        assert all(now < then for now, then in zip(beliefs.held(0), after, strict=True))


class Failing:
    """Judges the first batches, then its server is down."""

    name = "model"

    def __init__(self, works: int) -> None:
        self.works = works

    def judge(self, questions: Sequence[Ask]) -> list[Verdict]:
        self.works -= 1
        if self.works < 0:
            raise BackendError("m did not answer", service="m")
        return [Verdict("different", None, 0.9) for _ in questions]


def test_if_the_costly_judge_fails_the_cheap_ones_verdict_counts_and_says_so() -> None:
    many = [ask(f"class N{number}", f"Bed{number}", "Route") for number in range(20)]
    cheap = Table("rule", {one.text: Verdict("equivalent", one.options[0].id, 0.6) for one in many})
    verdicts = Cascade(cheap, Failing(1), asking=Asking(1.0)).judge(many)
    failed = [verdict for verdict in verdicts if verdict.failed]
    assert len(failed) == 12 and all(verdict.failed == "model" for verdict in failed)
    assert {(verdict.decision, verdict.judged_by) for verdict in failed} == {("equivalent", "rule")}
    assert failed[0].rationale == "model was not heard (m did not answer)"
    with pytest.raises(BackendError):
        Cascade(cheap, Failing(0), asking=Asking(1.0)).judge(many)


def test_what_one_of_the_judges_cannot_tell() -> None:
    cascade, _ = weighed(SHAKY, {BUNK.text: unsure("cannot tell", "")})
    [verdict] = cascade.judge([BUNK])
    assert (verdict.decision, verdict.judged_by) == ("unsure", "model")
    assert verdict.also[0] == ("b#Bed", 0.55) and "rule: equivalent (0.55)" in verdict.rationale
    cheap = {BUNK.text: unsure("no idea", "rule")}
    cascade, model = weighed(cheap, {BUNK.text: BED})
    assert cascade.judge([BUNK])[0].choice == "b#Bed" and model.asked == [BUNK.text]
    assert weighed(cheap, {}, share=0.0)[0].judge([BUNK])[0].decision == "unsure"


def test_the_estimate_is_of_what_would_be_asked_wave_by_wave() -> None:
    class Counted(Table):
        def estimate(self, questions: Sequence[Ask]) -> Estimate:
            return Estimate(1, len(questions))

    cascade = Cascade(Table("rule", SHAKY), Counted("model", {}), asking=Asking(1.0))
    assert estimate(cascade, [BUNK, KEEPER, STORM]) == Estimate(1, 1)
    doubtful = {one.text: Verdict("equivalent", "b#Bed", 0.6) for one in MANY}
    cascade = Cascade(
        Table("rule", doubtful),
        Counted("model", {}),
        asking=Asking(0.05, claim=lambda q, o: (q.id, o)),
    )
    assert estimate(cascade, MANY) == Estimate(3, 20), "20 questions in waves of 8, 8 and 4"


MANY = [ask(f"class Number{number}", "Bed", "Route", "Warden") for number in range(400)]


def truth(question: Ask) -> tuple[str, str | None]:
    return (
        ("equivalent", "b#Bed")
        if int(question.text.removeprefix("class Number")) % 2
        else ("different", None)
    )


def test_answers_help_even_if_one_in_ten_is_wrong() -> None:
    def guess(question: Ask) -> Verdict:  # right on three in four
        number = int(question.text.removeprefix("class Number"))
        if (number % 2 == 1) != (number % 8 > 5):
            return Verdict("equivalent", "b#Bed", 0.75)
        return Verdict("different", None, 0.75, also=(("b#Bed", 0.25),))

    def right(verdicts: Sequence[Verdict]) -> int:
        return sum(
            v.choice == truth(question)[1] for question, v in zip(MANY, verdicts, strict=True)
        )

    alone = right(CallableJudge(guess).judge(MANY))
    oracle = Oracle(truth, 0.1, seed=3)
    both = right(Cascade(CallableJudge(guess), oracle, asking=Asking(0.5)).judge(MANY))
    assert alone == 300 and oracle.asked == 200
    assert (
        both >= alone + 35
    )  # half of the 100 mistakes are asked about, and nine in ten of the answers are right


KNOWN = [ask(f"class N{number}", "Bed", "Route", "Path") for number in range(10)]
SURE = {one.text: Verdict("equivalent", "b#Bed", 0.99) for one in KNOWN}
OPEN = ask("class Open", "Bed", "Route")


def trial(question: Ask, right: int, present: bool) -> Ask:
    kept = [one for at, one in enumerate(question.options) if present or at != right]
    return Ask(question.text, tuple(kept))


def tried(answer: Callable[[Ask], Verdict]) -> tuple[list[Verdict], list[Ask]]:
    """What a cascade comes to whose costly judge answers so, and the questions that it was asked."""
    asked: list[Ask] = []

    def judged(question: Ask) -> Verdict:
        asked.append(question)
        return answer(question)

    asking = Asking(share=1.0, trial=trial)
    rule = Table("rule", SURE | {OPEN.text: Verdict("equivalent", "b#Bed", 0.55)})
    return Cascade(rule, CallableJudge(judged), asking=asking).judge([*KNOWN, OPEN]), asked


def knows(question: Ask) -> Verdict:
    """Right about what is known, and against the rule about what is open."""
    there = any(option.id == "b#Bed" for option in question.options) and question.text != OPEN.text
    return Verdict("equivalent", "b#Bed", 0.95) if there else Verdict("different", None, 0.95)


USELESS = {
    "always the first option": lambda one: Verdict("equivalent", one.options[0].id, 1.0),
    "always the last option": lambda one: Verdict("equivalent", one.options[-1].id, 1.0),
    "always none": lambda one: Verdict("different", None, 1.0),
    "never sure": lambda one: unsure("no idea", ""),
}


@pytest.mark.parametrize("how", USELESS)
def test_a_judge_that_gets_known_questions_wrong_is_not_heard_and_the_rule_counts(how: str) -> None:
    with pytest.warns(NotFit, match="was not asked what the rule leaves open: it got [0-3] of 6"):
        verdicts, asked = tried(USELESS[how])
    assert len(asked) == 7 and asked[-1] == OPEN
    assert [one.choice for one in verdicts] == ["b#Bed"] * 11
    assert verdicts[-1].confidence == 0.55 and verdicts[-1].failed == "unfit"
    assert "questions right whose answers are known" in verdicts[-1].rationale


def test_a_judge_that_gets_them_right_is_asked_and_believed_as_far_as_that_goes() -> None:
    verdicts, asked = tried(knows)
    assert asked[-1] == OPEN and verdicts[-1].choice is None

    def shaky(question: Ask) -> Verdict:
        wrong = question.text == KNOWN[0].text
        return Verdict("equivalent", "b#Path", 0.95) if wrong else knows(question)

    less, asked = tried(shaky)
    assert asked[-1] == OPEN
    assert less[-1].confidence < verdicts[-1].confidence


def test_trying_is_part_of_the_estimate_and_is_left_out_where_too_little_is_known() -> None:
    asking = Asking(share=1.0, trial=trial)
    assert len(asking.known(KNOWN, list(SURE.values()))) == 6
    assert asking.known(KNOWN[:3], list(SURE.values())[:3]) == []
    assert Asking(share=1.0).known(KNOWN, list(SURE.values())) == []
    wrong = [one for one in asking.known(KNOWN, list(SURE.values())) if one.answer is None]
    assert len(wrong) == 3 and all(len(one.question.options) == 2 for one in wrong)


def test_what_is_tried_and_what_is_asked_first_wait_for_their_replies_in_one_round() -> None:
    rounds: list[list[str]] = []

    class Later(Table):
        def judge(self, questions: Sequence[Ask]) -> list[Verdict]:
            rounds.append([question.text for question in questions])
            raise Waiting(lambda: ("requests wait", ""))

    asking = Asking(share=1.0, trial=trial)
    rule = Table("rule", SURE | {OPEN.text: Verdict("equivalent", "b#Bed", 0.55)})
    with pytest.raises(Waiting):
        Cascade(rule, Later("model", {}), asking=asking).judge([*KNOWN, OPEN])
    assert [len(one) for one in rounds] == [7] and rounds[0][-1] == OPEN.text


@pytest.mark.parametrize("fits", [True, False])
def test_where_the_rule_knows_too_little_a_judge_is_tried_on_what_is_known_anyhow(
    fits: bool,
) -> None:
    own = [ask(f"own {at}", "Bed", "Route") for at in range(4)]
    rounds: list[list[str]] = []

    class Answering(Table):
        def judge(self, questions: Sequence[Ask]) -> list[Verdict]:
            rounds.append([question.text for question in questions])
            return [Verdict("equivalent", "b#Bed" if fits else "b#Route", 0.95) for _ in questions]

        def estimate(self, questions: Sequence[Ask]) -> Estimate:
            return Estimate(1, len(questions))

    asking = Asking(
        share=1.0,
        few=20,
        trial=trial,
        own_trial=lambda questions: [Known(one, "b#Bed") for one in own],
    )
    rule = Table("rule", {OPEN.text: Verdict("equivalent", "b#Route", 0.55)})
    cascade = Cascade(rule, Answering("model", {}), asking=asking)
    assert cascade.estimate([OPEN]) == Estimate(2, 5)
    with nullcontext() if fits else pytest.warns(NotFit):
        [verdict] = cascade.judge([OPEN])
    assert rounds == [[one.text for one in own], [OPEN.text]][: 1 + fits]
    assert verdict.choice == ("b#Bed" if fits else "b#Route")
    assert (verdict.failed == "unfit") is not fits
