"""Summarise: fuse the rankings of the views into one, by reciprocal rank (Agent-OM, section 4.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from sys import intern

from kgnb.agents.ontology_matching.values import (
    VIEWS,
    Candidate,
    Description,
    Found,
    Key,
    MatchQuestion,
    Options,
    Ranked,
    Side,
    Summarised,
)
from kgnb.mappings import Evidence
from kgnb.vectors.nearest import reciprocal_rank


def summarise(found: Found, *, options: Options = Options()) -> Summarised:
    """One question an entity that has candidates; equal fused scores share a rank, so ties may exceed k.

    A pair that either direction found is judged in both: what only the other direction found comes last.
    """
    asked: dict[tuple[Side, Key], list[Ranked]] = defaultdict(list)
    for ranked in found.rankings:
        asking = ranked.source if ranked.direction == "source" else ranked.target
        asked[ranked.direction, (asking, ranked.kind)].append(ranked)
    own = {at: _candidates(found, *at, rankings, options) for at, rankings in asked.items()}
    back = _turned(own)
    questions = []
    for description in found.described.descriptions:
        at = (description.side, description.key)
        candidates = own.get(at, [])
        known = {candidate.pair for candidate in candidates}
        further = sorted((c for c in back.get(at, ()) if c.pair not in known), key=lambda c: (-c.score, c.pair))
        last = max((candidate.rank for candidate in candidates), default=0)
        candidates += [replace(c, rank=last + n) for n, c in enumerate(further[: options.k], start=1)]
        if candidates:
            questions.append(_question(found, description, candidates, options))
    return Summarised(found.described, tuple(questions))


def _turned(own: Mapping[tuple[Side, Key], Iterable[Candidate]]) -> dict[tuple[Side, Key], list[Candidate]]:
    """The candidates by the entity they are."""
    found: dict[tuple[Side, Key], list[Candidate]] = defaultdict(list)
    for (side, _), candidates in own.items():
        for one in candidates:
            other: tuple[Side, Key] = (
                ("target", (one.target, one.kind)) if side == "source" else ("source", (one.source, one.kind))
            )
            found[other].append(one)
    return found


def _candidates(found: Found, side: Side, key: Key, rankings: list[Ranked], options: Options) -> list[Candidate]:
    views: dict[str, dict[str, int]] = defaultdict(dict)
    reasons: dict[str, list[Evidence]] = defaultdict(list)
    for ranked in rankings:
        answer = ranked.target if side == "source" else ranked.source
        views[ranked.view][answer] = ranked.rank
        reasons[answer].append(Evidence(intern(f"{ranked.view} view"), intern(_says(ranked)), round(ranked.score, 4)))
    ordered = ["exact", *VIEWS, "related"]
    fused = reciprocal_rank([views[view] for view in ordered if view in views], options.fusion_constant)
    kept = views["exact"].keys() | views["related"].keys()
    candidates = []
    for entry in fused:
        if entry.rank <= options.k or entry.id in kept:
            source, target = (key[0], entry.id) if side == "source" else (entry.id, key[0])
            cosines = found.cosines[source, target, key[1]]
            evidence = tuple(reasons[entry.id])
            candidates.append(Candidate(source, target, key[1], round(entry.score, 6), entry.rank, cosines, evidence))
    return candidates


def _says(ranked: Ranked) -> str:
    if ranked.view == "exact":
        return "equal name"
    return (
        "near other candidates" if ranked.view == "related" else f"rank {ranked.rank} asked from the {ranked.direction}"
    )


def _question(found: Found, about: Description, candidates: list[Candidate], options: Options) -> MatchQuestion:
    other: Side = "target" if about.side == "source" else "source"
    others = (found.described.find(other, getattr(c, other), about.kind) for c in candidates)
    return MatchQuestion(about.side, about, tuple(candidates), tuple(others), options.context)
