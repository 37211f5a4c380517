from __future__ import annotations

from kgnb.agents.question_answering.pipeline import answer_question
from kgnb.agents.question_answering.reading import Hop, Reading
from kgnb.agents.question_answering.rehearsing import WEIGHT, estimate, rehearse
from kgnb.agents.question_answering.values import Question
from kgnb.kg.terms import Iri
from tests.agents.question_answering.worlds import TURTLE, V, desk

WIFE, JOB, SEX = Iri(f"{V}spouse"), Iri(f"{V}job"), Iri(f"{V}sex")


def case(entity: str, **scores: float) -> list[Reading]:
    names = {"spouse": WIFE, "job": JOB, "sex": SEX}
    return [
        Reading(Iri(V + entity), (Hop(names[name]),), score=score, phrases=(("What is the better half of X?", 2),))
        for name, score in scores.items()
    ]


def test_a_phrase_stands_for_what_all_its_entities_have() -> None:
    cases = [
        case("a", spouse=-2.0, job=-1.9),
        case("b", spouse=-2.0),
        case("c", spouse=-2.0, sex=-1.9),
        case("d", spouse=-2),
    ]
    learned = estimate(cases, {WIFE: 0.3, JOB: 0.3, SEX: 0.3})
    gains = {relation: gain for (_, relation), gain in learned.items()}
    assert gains[WIFE] > 0.4 * WEIGHT
    assert gains[WIFE] > 4 * max(gains.get(JOB, 0.0), gains.get(SEX, 0.0))


def test_what_everything_has_and_what_is_asked_once_teach_nothing() -> None:
    every = [case(name, sex=-2.0) for name in "abcd"]
    assert estimate(every, {SEX: 1.0}) == {}
    assert estimate([case("a", spouse=-2.0)], {WIFE: 0.1}) == {}
    assert estimate([case("a", spouse=-2.0)] * 9, {WIFE: 0.1}) == {}, "one entity asked of nine times is one entity"


def test_the_order_of_the_questions_does_not_count() -> None:
    questions = [
        Question("1", "Who runs Upper Hut?", (V + "upper",)),
        Question("2", "Who runs Lower Hut?", (V + "lower",)),
        Question("3", "Where does Ann Berger live?", (V + "ann",)),
    ]
    there, back = desk(), desk()
    assert rehearse(there, questions) == rehearse(back, questions[::-1])
    assert there.lexicon.learned == back.lexicon.learned
    for question in questions:
        assert answer_question(question, there) == answer_question(question, back)


def test_a_question_that_cannot_be_read_is_passed_over() -> None:
    found = rehearse(desk(), [Question("1", "Who?", ("no iri",)), Question("2", "Who runs Upper Hut?", (V + "upper",))])
    assert found.counts()["questions"] == 2
    assert "2 questions teach" in found._repr_mimebundle_()["text/plain"]


def test_a_batch_without_answers_does_not_teach_that_it_has_some() -> None:
    turtle = (
        TURTLE
        + ":boss rdfs:label 'telephone number' . :none :boss :cake ."
        + "".join(f':guest{n} rdfs:label "Guest{n}" ; :livesIn :village .' for n in range(12))
    )
    questions = [Question(str(n), f"What is the phone number of Guest{n}?", (f"{V}guest{n}",)) for n in range(12)]
    opened = desk(turtle)
    rehearse(opened, questions)
    assert all(answer_question(question, opened).status == "unsure" for question in questions)
    assert not any(relation == V + "livesIn" for _, relation in opened.lexicon.learned)
