"""Validate: a judge decides which candidate, if any, means the same as each entity (Agent-OM,
section 4.2).

The paper's validator sees two names at a time and loses a third of the candidates found. Here the
judge sees the descriptions of an entity and all its candidates together, and answers with a letter
of that list.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from kgnb.agents.ontology_matching.leftover import with_leftover
from kgnb.agents.ontology_matching.lexicon import SMALL, foreign
from kgnb.agents.ontology_matching.rule import RuleJudge
from kgnb.agents.ontology_matching.values import (
    AS_USUAL,
    Description,
    Judged,
    Key,
    MatchingPlan,
    MatchQuestion,
    Side,
    Summarised,
    Validated,
)
from kgnb.judging import UNSURE, Judge, Verdict, verdicts

FEW = 50
"""Entities of the source up to which the rule knows too little: a cascade asks a question each, and
"different" becomes unsure. On six small pairs (tests/benchmarks/data, the odd ones) the nearest
free candidate is right in 93 of 320 cases (62 of 103 with a word in common, 31 of 217 without), and
8 of 24 that the rule was sure of are wrong.
"""

CHANCE = 0.5  # of being right, relative to the cosine; it orders the queue of a person
DECISIONS = ("equivalent", "broader", "narrower", "related", "different")

INSTRUCTIONS = """You align two data models{context}. Each question shows an entity of one model and lettered candidates
of the other. Which candidate means the same? Rules:
- Classes mean the same if nearly the same things belong to both, as each model uses them; a class of clearly more or
  fewer things (a person for an author) is not the same. Properties mean the same if they say the same of a thing, in
  the same direction, even if one has a wider domain or range.
- Compare definitions and positions (kinds, domain, range), then names. The same name is good evidence unless definition
  or position contradict it. Other names may be loose synonyms; a word in common alone is no evidence.
- A part, cell, tissue or layer of a thing, a document about it, its result, or a decision on it (acceptance of a paper)
  are not the thing.
- "beside it" lists what the entity's model keeps apart from it, with counterparts (=) that are known: an entity does
  not mean what another one beside it means. A candidate that is the "counterpart of" something else is free only if
  that looks wrong.
- Often there is no counterpart. Statements may be wrong here and there; weigh them all.
- One counterpart is the rule. Questions that share a candidate compete for it."""

EXAMPLES = """
Decided by a person, as examples of what counts as the same here:
{examples}"""

RELATIONS = """
Decisions: equivalent (means the same), broader (the candidate is the nearest more general thing), narrower (the
candidate is more special), related (part of, result of, about, or else close), different (nothing fits). Equivalent
goes before the others where a candidate is; a distant more general candidate is different."""


def validate(
    summarised: Summarised, judge: Judge[MatchQuestion], *, plan: MatchingPlan = AS_USUAL
) -> Validated:
    """The judge's verdict on every question; answers that are not on the list count as unsure."""
    by_rule = {one.kind for one in plan.kinds if not one.model}
    settled: dict[int, Verdict] = {}
    # a rule weighs a pair by its relatives as well, so it sees all of them
    if not judge.name.startswith("rule"):
        for number, question in enumerate(summarised.questions):
            if question.itself:
                same = Verdict("equivalent", question.about.iri, 1.0, "the same IRI", "rule")
                settled[number] = same
    if by_rule and judge.name != "rule":
        known = verdicts(summarised.questions, RuleJudge(), DECISIONS)
        of_kinds = enumerate(zip(summarised.questions, known, strict=True))
        settled |= {number: one for number, (q, one) in of_kinds if q.about.kind in by_rule}
    asked = [q for number, q in enumerate(summarised.questions) if number not in settled]
    found = iter(verdicts(asked, judge, DECISIONS))
    every = tuple(
        Judged(question, settled.get(number) or next(found))
        for number, question in enumerate(summarised.questions)
    )
    unlikely = 0
    every = with_leftover(summarised.described, every)
    if judge.name == "rule":
        every, unlikely = _opened(every)
    return Validated(summarised.described, every, judge.name, summarised.apart, unlikely)


QUEUE = 10
"""Undecided entities a side that wait for a person, best first; a longer queue is not read. On six
small pairs the nearest free candidate with a word in common is right in 62 of 103 cases, one
without in 31 of 217.
"""


def _opened(judged: tuple[Judged, ...]) -> tuple[tuple[Judged, ...], int]:
    """The rule's verdicts, with "different" turned into unsure where the rule cannot know, and how
    many more of these there are that nothing much speaks for.

    That is so in small ontologies, across languages without a word in common, and for equal names.
    An entity that has a counterpart, or whose nearest candidate has one, is left as it is.
    """
    taken: set[tuple[Side, Key]] = set()
    for one in judged:
        if one.verdict.choice is not None:
            about, other = one.question.about.key, (one.verdict.choice, one.question.about.kind)
            taken |= {(one.question.side, about), (one.question.other_side, other)}
    few = sum(one.question.side == "source" for one in judged) <= FEW
    opened: dict[int, Judged] = {}
    queues: dict[Side, list[tuple[float, int]]] = {"source": [], "target": []}
    for number, one in enumerate(judged):
        found = _open(one, taken, few=few)
        if found is not None:
            worth, opened[number] = found
            queues[one.question.side].append((-worth, number))
    kept = {number for queue in queues.values() for _, number in sorted(queue)[:QUEUE]}
    every = [opened[n] if n in kept else one for n, one in enumerate(judged)]
    return tuple(every), len(opened) - len(kept)


def _open(one: Judged, taken: Set[tuple[Side, Key]], *, few: bool) -> tuple[float, Judged] | None:
    """The undecided verdict, with how much speaks for its candidate; None if it is decided."""
    about, verdict = one.question.about, one.verdict
    known = (verdict.decision, verdict.judged_by) != ("different", "rule")
    if known or (one.question.side, about.key) in taken:
        return None
    free = [
        (max(candidate.cosines.syntactic, candidate.cosines.lexical), other)
        for candidate, other in zip(one.question.candidates, one.question.others, strict=True)
        if (other.side, other.key) not in taken
    ]
    if not free:
        return None
    held = dict(verdict.also)
    namesake = next(
        (pair for pair in free if pair[1].iri in held and pair[1].syntactic == about.syntactic),
        None,
    )
    if namesake is not None:
        why = f"both are called “{about.name}”, but what is around them disagrees"
        return 3.0, _undecided(one, *namesake, why)
    cosine, nearest = max(free, key=lambda pair: pair[0])
    said = {word for name in about.names for word in name} - SMALL
    shared = any(not said.isdisjoint(name) for name in nearest.names)
    abroad = not shared and foreign(about, nearest)
    if not (few or abroad):
        return None
    near = f"“{nearest.name}”, the nearest by meaning (cosine {cosine:.2f})"
    if shared:
        why = f"too little speaks for {near}"
    else:
        why = f"no word in common with {near}" + (", and no language either" if abroad else "")
    return shared + cosine, _undecided(one, cosine, nearest, why)


def _undecided(one: Judged, cosine: float, nearest: Description, why: str) -> Judged:
    held = dict(one.verdict.also) or {nearest.iri: CHANCE * max(cosine, 0.0)}
    # the first is the one that the reason speaks of
    also = ((nearest.iri, held.pop(nearest.iri, 0.0)), *held.items())
    why += ": a model or a person has to say"
    return replace(one, verdict=Verdict(UNSURE, None, 0.0, why, one.verdict.judged_by, also))
