"""Validate: a judge decides which candidate, if any, means the same as each entity (Agent-OM, section 4.2).

The paper's validator sees two names at a time and loses a third of what the search had found; ours shows the judge both
descriptions and all candidates of an entity together, and the answer is a letter out of that list.
"""

from __future__ import annotations

from dataclasses import replace

from kgnb.agents.ontology_matching.values import Judged, MatchQuestion, Summarised, Validated
from kgnb.judging import UNSURE, Judge, Verdict

DECISIONS = ("equivalent", "broader", "narrower", "related", "different")

INSTRUCTIONS = """You align two data models{context}. Each numbered item shows one entity of the first model and
lettered candidates of the second. Say which single candidate denotes the same thing as the entity, judging by what
each is for, not by how its name is spelled: the neighbours tell. Decisions: equivalent (same extension),
broader (the candidate is more general than the entity), narrower (the candidate is more specific), related (close, yet
neither), different (no candidate fits). Prefer equivalent if one candidate is; a shared word is not enough."""


def validate(summarised: Summarised, judge: Judge[MatchQuestion]) -> Validated:
    """The judge's verdict on every question; an answer that was not on the list counts as unsure."""
    verdicts = judge.judge(summarised.questions)
    if len(verdicts) != len(summarised.questions):
        raise ValueError(
            f"the {judge.name} judge gave {len(verdicts)} verdicts on {len(summarised.questions)} questions"
        )
    judged = tuple(
        Judged(question, _checked(question, verdict))
        for question, verdict in zip(summarised.questions, verdicts, strict=True)
    )
    return Validated(summarised.described, judged, judge.name)


def _checked(question: MatchQuestion, verdict: Verdict) -> Verdict:
    """The verdict, if it keeps to the closed list; any callable may be a judge, so this is checked here once more."""
    offered = {other.iri for other in question.others}
    if verdict.decision not in (*DECISIONS, UNSURE):
        return _unsure(verdict, f"{verdict.decision!r} is not a decision")
    if verdict.choice is not None and verdict.choice not in offered:
        return _unsure(verdict, f"{verdict.choice!r} was not among the candidates")
    if verdict.decision not in ("different", UNSURE) and verdict.choice is None:
        return _unsure(verdict, f"{verdict.decision!r} without a candidate")
    if not 0.0 <= verdict.confidence <= 1.0:
        return _unsure(verdict, f"confidence {verdict.confidence} is not between 0 and 1")
    return replace(verdict, also=tuple((iri, score) for iri, score in verdict.also if iri in offered))


def _unsure(verdict: Verdict, reason: str) -> Verdict:
    return Verdict(UNSURE, None, 0.0, reason, verdict.judged_by)
