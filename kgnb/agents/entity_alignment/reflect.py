"""Reflect: a second look at answers that are not sure, with the first answer in view (EA-Agent's reflector).

Only where the way has a reflector and the answer is not confident; both answers stay in the trace.
"""

from __future__ import annotations

from dataclasses import replace

from kgnb.agents.entity_alignment.align import verdicts_on
from kgnb.agents.entity_alignment.judging_values import REFLECT, Aligned, AlignQuestion, Answer
from kgnb.judging import Judge
from kgnb.judging.sheet import lettered


def reflect(aligned: Aligned, judge: Judge[AlignQuestion]) -> Aligned:
    """The answers, with those that were not sure given once more; an undecided second look changes nothing."""
    doubtful = [number for number, answer in enumerate(aligned.answers) if needs_a_second_look(answer, aligned)]
    questions = [again(aligned.answers[number]) for number in doubtful]
    verdicts = dict(zip(doubtful, verdicts_on(questions, judge), strict=True))
    answers = tuple(
        replace(
            answer,
            verdict=verdicts[number] if verdicts[number].sure else answer.verdict,
            said=(*answer.said, verdicts[number]),
            reflected=True,
            before=answer.verdict,
        )
        if number in verdicts
        else answer
        for number, answer in enumerate(aligned.answers)
    )
    simulation = aligned.simulation or bool(getattr(judge, "simulation", False))
    return replace(aligned, answers=answers, simulation=simulation)


def needs_a_second_look(answer: Answer, aligned: Aligned) -> bool:
    """Whether its way has a reflector, and the answer is unsure or not confident."""
    if REFLECT not in aligned.selected.planned.path(answer.question.row):
        return False
    return answer.unsure or answer.verdict.confidence < aligned.selected.options.reflect_below


def again(answer: Answer) -> AlignQuestion:
    """The same question with the earlier answer beside it, and its candidates in the opposite order."""
    question, verdict = answer.question.turned(), answer.verdict
    letters = {
        option.id: f"{letter} ({card.name})"
        for (letter, option), card in zip(lettered(question.options), question.others, strict=True)
    }
    said = letters.get(verdict.choice or "", "none of them" if verdict.sure else "undecided")
    why = f" because: {verdict.rationale}" if verdict.rationale else ""
    return replace(question, earlier=" ".join(f"{said}, {verdict.confidence:.2f}{why}".split())[:300])
