"""Align: a judge says which candidate is the same thing as the entity, if any (EA-Agent's aligner).

Candidates are shown in shuffled order and chosen by letter. Where the best two are close they are
shown in the opposite order as well; if the answer changes with the order, it is unsure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgnb.agents.entity_alignment.judging_values import (
    DIFFERENT,
    EQUIVALENT,
    Aligned,
    AlignQuestion,
    EntityVerdicts,
    Selected,
)
from kgnb.judging import UNSURE, Judge, Verdict, verdicts

DECISIONS = (EQUIVALENT, DIFFERENT)

_FACTS = """A line gives a name, then facts, parted by semicolons:
"property: value", or "property ← other" where the other has that property with this one as its value.
"(= X)" beside a neighbour of the entity: that neighbour is matched with X of the second graph; "(=)" beside a
candidate's neighbour: it is the match of a neighbour of the entity. "[taken: Y]": the candidate is matched with Y,
another entity of the first graph. Such matches are likely, not certain. Facts are a selection: what is not shown may
still hold. Languages, spellings and the names of properties differ between graphs."""

INSTRUCTIONS = f"""You find which entity of a second graph is the same real thing as an entity of a first graph. Each
question shows the entity, then lettered candidates. {_FACTS}
An equal or translated name is good evidence unless facts contradict it (another kind of thing, another place, another
date); without such a name, facts that fit one candidate alone decide. A shared neighbour that several candidates have
decides nothing. Numbers measured twice may differ a little. An entity has one counterpart at most, and often none:
similar is not the same. Decisions: equivalent (the very same thing), different (none of the candidates is it)."""

REFLECTION = f"""You check answers to the question which entity of a second graph is the same real thing as an entity
of a first graph. Each question shows the entity with the first judge's choice, how sure it was and why; then lettered
candidates, in the opposite order to the first judge's. {_FACTS}
Look for one fact that only the right candidate can have, and name it in "why". Keep the first choice unless that fact
contradicts it. Decisions: equivalent (the very same thing), different (none of the candidates is it)."""


def align(selected: Selected, judge: Judge[AlignQuestion]) -> Aligned:
    """The judge's answer to every question; hard ones are asked in both orders."""
    hard = [
        number for number, question in enumerate(selected.questions) if is_hard(question, selected)
    ]
    asked = [*selected.questions, *(selected.questions[number].turned() for number in hard)]
    said: list[tuple[Verdict, ...]] = [
        (verdict,) for verdict in verdicts(asked, judge, DECISIONS, DIFFERENT)
    ]
    for number, other in zip(hard, said[len(selected.questions) :], strict=True):
        said[number] += other
    answers = tuple(
        EntityVerdicts(question, together(one), one)
        for question, one in zip(selected.questions, said, strict=False)
    )
    return Aligned(selected, answers, judge.name, bool(getattr(judge, "simulation", False)))


def is_hard(question: AlignQuestion, selected: Selected) -> bool:
    """Whether the best two candidates are so close that the question is asked in both orders."""
    margin = float(selected.planned.proposal.margin[question.row])
    return len(question.others) > 1 and margin < selected.options.both_orders


def together(said: Sequence[Verdict]) -> Verdict:
    """The outcome of several verdicts on one question: they agree, one alone decided, or it is
    unsure.

    >>> one, other = Verdict("equivalent", "b#1", 0.8), Verdict("equivalent", "b#2", 0.9)
    >>> together([one, one]).choice, together([one, other]).decision
    ('b#1', 'unsure')
    """
    decided = [verdict for verdict in said if verdict.sure]
    if not decided:
        return said[0]
    best = max(decided, key=lambda verdict: verdict.confidence)
    if len({verdict.choice for verdict in decided}) == 1:
        mean = sum(verdict.confidence for verdict in decided) / len(decided)
        return replace(best, confidence=round(mean, 4)) if len(decided) == len(said) else best
    also = tuple(
        (verdict.choice, verdict.confidence / 2)
        for verdict in decided
        if verdict.choice is not None
    )
    return Verdict(
        UNSURE,
        None,
        0.0,
        "the answer turned with the order of the candidates",
        best.judged_by,
        also,
    )
