"""Summarise: fuse the rankings of the views into one, by reciprocal rank (Agent-OM, section 4.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import TypeAlias

from kgnb.agents.ontology_matching.values import (
    AS_USUAL,
    SIDES,
    VIEWS,
    Candidate,
    Description,
    Found,
    Key,
    MatchingPlan,
    MatchQuestion,
    Options,
    Ranked,
    Side,
    Summarised,
)
from kgnb.kg.ontology import Kind
from kgnb.mappings import Evidence
from kgnb.vectors.nearest import reciprocal_rank

At: TypeAlias = tuple[Side, Key]


def summarise(
    found: Found, *, options: Options = Options(), plan: MatchingPlan = AS_USUAL
) -> Summarised:
    """One question per entity that has candidates; equal fused scores share a rank, so ties may
    exceed k.

    A pair that either direction found is judged in both; candidates that only the other direction
    found come last.
    """
    asked: defaultdict[At, list[Ranked]] = defaultdict(list)
    for ranked in found.rankings:
        asked[ranked.direction, (ranked.asked[0], ranked.kind)].append(ranked)
    own: dict[At, list[Candidate]] = {}
    for at, rankings in asked.items():
        k = plan.of(at[1][1], options).k
        own[at] = _candidates(found, at[0], rankings, k, options.fusion_constant)
    back: defaultdict[At, list[Candidate]] = defaultdict(list)
    for (side, _), candidates in own.items():
        for one in candidates:
            source, target, kind = one.pair
            back[
                ("target", (target, kind)) if side == "source" else ("source", (source, kind))
            ].append(one)
    siblings = {side: _siblings(found.described.of(side)) for side in SIDES}
    questions = []
    for about in found.described.descriptions:
        candidates = own.get((about.side, about.key), [])
        known = {candidate.pair for candidate in candidates}
        further = [c for c in back[about.side, about.key] if c.pair not in known]
        further.sort(key=lambda c: (-c.score, c.pair))
        last = max((candidate.rank for candidate in candidates), default=0)
        candidates += [
            replace(c, rank=last + n)
            for n, c in enumerate(further[: plan.of(about.kind, options).k], start=1)
        ]
        if candidates:
            there: Side = "target" if about.side == "source" else "source"
            iris = [c.target if about.side == "source" else c.source for c in candidates]
            others = tuple([found.described.find(there, iri, about.kind) for iri in iris])
            questions.append(
                MatchQuestion(
                    about.side,
                    about,
                    tuple(candidates),
                    others,
                    options.context,
                    beside=listed(d.name for d in siblings[about.side][about.key]),
                )
            )
    return Summarised(found.described, tuple(questions), found.apart)


BESIDE = 8  # siblings that a question lists


def listed(names: Iterable[str]) -> tuple[str, ...]:
    """The first names, and how many more there are."""
    every = list(names)
    more = (f"and {len(every) - BESIDE} more",) if len(every) > BESIDE else ()
    return (*every[:BESIDE], *more)


def _siblings(descriptions: Sequence[Description]) -> dict[Key, list[Description]]:
    """The other classes below the same parents, or the other properties of the same domain.

    They tell what an entity does not cover.
    """
    below: defaultdict[tuple[Kind, str], list[Description]] = defaultdict(list)
    for one in descriptions:
        for iri in _above(one):
            below[one.kind, iri].append(one)
    found: dict[Key, list[Description]] = {}
    for one in descriptions:
        near = {d.key: d for iri in _above(one) for d in below[one.kind, iri]}
        near.pop(one.key, None)
        found[one.key] = list(near.values())
    return found


def _above(description: Description) -> tuple[str, ...]:
    entity = description.entity
    return entity.domain if "property" in entity.kind else entity.parents


def _candidates(
    found: Found, side: Side, rankings: Sequence[Ranked], k: int, fusion_constant: float
) -> list[Candidate]:
    """The fused candidates of one entity."""
    views: defaultdict[str, dict[str, int]] = defaultdict(dict)
    reasons: defaultdict[str, list[Evidence]] = defaultdict(list)
    pairs = {ranked.asked[1]: ranked.pair for ranked in rankings}
    for ranked in rankings:
        candidate = ranked.asked[1]
        views[ranked.view][candidate] = ranked.rank
        said = _said(ranked.view, ranked.rank, side)
        reasons[candidate].append(Evidence(*said, round(ranked.score, 4)))
    ordered = ["exact", *VIEWS, "related"]
    fused = reciprocal_rank([views[view] for view in ordered if view in views], fusion_constant)
    kept = views["exact"].keys() | views["related"].keys()
    return [
        Candidate(
            *pair, round(entry.score, 6), entry.rank, found.cosines[pair], tuple(reasons[entry.id])
        )
        for entry in fused
        if (entry.rank <= k or entry.id in kept) and (pair := pairs[entry.id])
    ]


@cache
def _said(view: str, rank: int, side: Side) -> tuple[str, str]:
    """The sort of evidence, and what it says; a few texts, kept once."""
    said = {"exact": "equal name", "related": "near other candidates"}
    return f"{view} view", said.get(view, f"rank {rank} asked from the {side}")
