from dataclasses import replace

from kgnb.agents.entity_alignment.align import align
from kgnb.agents.entity_alignment.judges import make_judge
from kgnb.agents.entity_alignment.judging_values import PATHS, LookOptions
from kgnb.agents.entity_alignment.reflect import again, reflect
from kgnb.agents.entity_alignment.select import select
from kgnb.judging import CallableJudge, Verdict
from kgnb.llm.scripted import ScriptedModel


def doubting(confidence):
    return CallableJudge(
        lambda question: Verdict("equivalent", question.others[0].iri, confidence, "a guess"),
        "doubting",
    )


def everywhere(planned, *, reflect_below=0.75):
    """The same rows, all with a reflector in their way, each shown in one order."""
    paths = {row: PATHS[-1] for row in planned.asked}
    options = LookOptions(reflect_below=reflect_below, both_orders=0.0)
    return select(replace(planned, paths=paths), options=options)


def test_only_answers_that_are_not_sure_are_looked_at_again(planned):
    selected = everywhere(planned)
    assert reflect(align(selected, doubting(0.9)), doubting(0.9)).counts()["reflected"] == 0
    done = reflect(align(selected, doubting(0.6)), doubting(0.9))
    assert done.counts()["reflected"] == len(selected.questions)
    assert {tuple(said.confidence for said in answer.said) for answer in done.answers} == {
        (0.6, 0.9)
    }
    assert {(answer.before.confidence, answer.verdict.confidence) for answer in done.answers} == {
        (0.6, 0.9)
    }


def test_the_earlier_answer_is_told_and_the_order_is_turned(planned):
    seen = []

    def note(question):
        seen.append(question)
        return Verdict("unsure")

    selected = everywhere(planned)
    done = reflect(align(selected, doubting(0.4)), CallableJudge(note))
    for first, second in zip(selected.questions, seen, strict=True):
        assert [card.iri for card in second.others] == [card.iri for card in first.others][::-1]
        assert first.others[0].name in second.text and "a guess" in second.text
        assert second.id != first.id
    assert all(answer.verdict.confidence == 0.4 for answer in done.answers)


def test_a_model_is_told_what_the_first_judge_chose_and_to_name_one_fact(planned):
    model = ScriptedModel(
        lambda request: (
            '{"answers": [{"question": 1, "why": "", "letter": "none", "decision": "different", "confidence": 0.9}]}'
        )
    )
    first = align(everywhere(planned), doubting(0.4)).answers[0]
    make_judge("model", model=model).judge([first.question, again(first)])
    told = [
        " ".join(message.text.split()) for request in model.asked for message in request.messages
    ]
    letter = "ABCD"[len(first.question.others) - 1]
    assert len(told) == 4
    assert "name it" not in told[0] and "first judge" not in told[1]
    assert (
        "name it" in told[2]
        and f"[first judge: {letter} (" in told[3]
        and "0.40 because: a guess]" in told[3]
    )
