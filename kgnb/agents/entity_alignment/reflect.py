"""Reflect: a second look at answers that are not sure, with the first answer in view (EA-Agent's
reflector).

It happens only where the path has a reflector and the answer is not confident; the trace keeps both
answers.
"""

from __future__ import annotations

from dataclasses import replace

from kgnb.agents.entity_alignment.align import DECISIONS
from kgnb.agents.entity_alignment.judging_values import (
    DIFFERENT,
    Aligned,
    AlignQuestion,
    EntityVerdicts,
)
from kgnb.judging import Judge, verdicts
from kgnb.judging.sheet import lettered


def reflect(aligned: Aligned, judge: Judge[AlignQuestion]) -> Aligned:
    """The answers, with those that were not sure asked again; an undecided second look changes
    nothing.
    """
    answers = list(aligned.answers)
    doubtful = [
        number for number, answer in enumerate(answers) if needs_a_second_look(answer, aligned)
    ]
    found = verdicts([again(answers[number]) for number in doubtful], judge, DECISIONS, DIFFERENT)
    for number, second in zip(doubtful, found, strict=True):
        first = answers[number]
        verdict = second if second.sure else first.verdict
        said = (*first.said, second)
        answers[number] = replace(
            first, verdict=verdict, said=said, reflected=True, before=first.verdict
        )
    simulation = aligned.simulation or bool(getattr(judge, "simulation", False))
    return replace(aligned, answers=tuple(answers), simulation=simulation)


def needs_a_second_look(answer: EntityVerdicts, aligned: Aligned) -> bool:
    """Whether the path has a reflector, and the answer is unsure or not confident."""
    if "reflect" not in aligned.selected.planned.path(answer.question.row):
        return False
    if answer.verdict.failed:  # whoever was to judge could not: a second look would not be one
        return False
    if answer.verdict.judged_by == "rule" != aligned.judge:  # a cascade found it not worth asking
        return False
    below = aligned.selected.options.reflect_below
    return answer.unsure or answer.verdict.confidence < below or below >= 1.0


def again(answer: EntityVerdicts) -> AlignQuestion:
    """The same question with the earlier answer, and its candidates in the opposite order."""
    question, verdict = answer.question.turned(), answer.verdict
    letters = {
        option.id: f"{letter} ({card.name})"
        for (letter, option), card in zip(lettered(question.options), question.others, strict=True)
    }
    said = letters.get(verdict.choice or "", "none of them" if verdict.sure else "undecided")
    why = f" because: {verdict.rationale}" if verdict.rationale else ""
    return replace(
        question, earlier=" ".join(f"{said}, {verdict.confidence:.2f}{why}".split())[:300]
    )
