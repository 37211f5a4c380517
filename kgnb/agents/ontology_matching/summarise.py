"""Summarise: fuse the rankings of the views into one, by reciprocal rank (Agent-OM, section 4.2)."""

from __future__ import annotations

from collections import defaultdict

from kgnb.agents.ontology_matching.values import (
    VIEWS,
    Candidate,
    Found,
    Key,
    MatchQuestion,
    Options,
    Ranked,
    Side,
    Summarised,
)
from kgnb.mappings import Evidence
from kgnb.vectors.fusion import reciprocal_rank


def summarise(found: Found, *, options: Options = Options()) -> Summarised:
    """One question an entity that has candidates; equal fused scores share a rank, so ties may exceed k."""
    asked: dict[tuple[Side, Key], list[Ranked]] = defaultdict(list)
    for ranked in found.rankings:
        asking = ranked.source if ranked.direction == "source" else ranked.target
        asked[ranked.direction, (asking, ranked.kind)].append(ranked)
    questions = [
        _question(found, description.side, description.key, asked[description.side, description.key], options)
        for description in found.described.descriptions
        if (description.side, description.key) in asked
    ]
    return Summarised(found.described, tuple(questions))


def _question(found: Found, side: Side, key: Key, rankings: list[Ranked], options: Options) -> MatchQuestion:
    views: dict[str, dict[str, int]] = defaultdict(dict)
    reasons: dict[str, list[Evidence]] = defaultdict(list)
    for ranked in rankings:
        answer = ranked.target if side == "source" else ranked.source
        views[ranked.view][answer] = ranked.rank
        says = "equal name" if ranked.view == "exact" else f"rank {ranked.rank} asked from the {side}"
        reasons[answer].append(Evidence(f"{ranked.view} view", says, round(ranked.score, 4)))
    ordered = ["exact", *VIEWS]
    fused = reciprocal_rank([views[view] for view in ordered if view in views], options.fusion_constant)
    other_side: Side = "target" if side == "source" else "source"
    candidates = []
    for entry in fused:
        if entry.rank > options.k and not any(e.kind == "exact view" for e in reasons[entry.id]):
            continue
        source, target = (key[0], entry.id) if side == "source" else (entry.id, key[0])
        cosines = found.cosines[source, target, key[1]]
        candidates.append(
            Candidate(source, target, key[1], round(entry.score, 6), entry.rank, cosines, tuple(reasons[entry.id]))
        )
    others = tuple(
        found.described.find(other_side, c.target if side == "source" else c.source, key[1]) for c in candidates
    )
    about = found.described.find(side, *key)
    return MatchQuestion(side, about, tuple(candidates), others, options.context)
