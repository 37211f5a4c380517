"""Candidates that no view finds, but that stand beside those found (part of ``search``).

The parent of several candidates, the inverse of a property, the children of a parent's counterpart, properties between
counterparts, and names that are equal but for a qualifier ("plexiform layer of the cerebral cortex").
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from kgnb.agents.ontology_matching.lexicon import PREPOSITIONS
from kgnb.agents.ontology_matching.values import Described, Description, Key, Pair, Ranked, Side
from kgnb.kg.words import key

FEW = 8
"""Children of one class, or properties between two, beyond which being one of them says nothing."""

Known: TypeAlias = Mapping[Key, Description]


def further(described: Described, rankings: Sequence[Ranked]) -> list[Ranked]:
    """Pairs beside those ranked, for both directions, ranked last."""
    source, target = ({d.key: d for d in described.of(side)} for side in ("source", "target"))
    found = {pair for pair in _pairs(source, target, rankings)} - {ranked.pair for ranked in rankings}
    directions: tuple[Side, Side] = ("source", "target")
    last = max((ranked.rank for ranked in rankings), default=0) + 1
    return [Ranked(*pair, "related", side, last, 0.0) for pair in sorted(found) for side in directions]


def _pairs(source: Known, target: Known, rankings: Sequence[Ranked]) -> Iterator[Pair]:
    equal = {ranked.pair for ranked in rankings if ranked.view == "exact"}
    first = {ranked.pair for ranked in rankings if ranked.rank <= 2} | equal
    listed: dict[Key, set[str]] = defaultdict(set)
    for ranked in rankings:
        if ranked.kind == "class" and ranked.view != "semantic":
            listed[(ranked.source, ranked.kind) if ranked.direction == "source" else (ranked.target, ranked.kind)].add(
                ranked.target if ranked.direction == "source" else ranked.source
            )
    for at, others in listed.items():
        here = at in source
        there = target if here else source
        above = Counter(p for iri in others if (d := there.get((iri, "class"))) for p in d.entity.parents)
        for parent, number in above.items():
            if number > 1 and (parent, "class") in there:
                yield (at[0], parent, "class") if here else (parent, at[0], "class")
    for one, other, kind in first:
        ours, theirs = source[one, kind], target[other, kind]
        if "property" in kind:
            yield from ((iri, other, kind) for iri in ours.entity.inverse if (iri, kind) in source)
            yield from ((one, iri, kind) for iri in theirs.entity.inverse if (iri, kind) in target)
    for one, other, kind in equal:
        ours, theirs = source[one, kind], target[other, kind]
        if kind == "class" and max(len(ours.entity.children), len(theirs.entity.children)) <= FEW:
            for a in ours.entity.children:
                yield from ((a, b, kind) for b in theirs.entity.children if (a, kind) in source and (b, kind) in target)
    yield from _between_counterparts(source, target, {pair[:2] for pair in equal if pair[2] == "class"})
    yield from _but_for_a_qualifier(source.values(), target.values())


def _between_counterparts(source: Known, target: Known, equal: set[tuple[str, str]]) -> Iterator[Pair]:
    """Properties whose domain and range have counterparts of one name in each other's, where there are few."""
    ours, theirs = ({d.key: d for d in side.values() if d.kind == "object property"} for side in (source, target))
    by_ends: dict[tuple[str, str], list[Key]] = defaultdict(list)
    for at, one in theirs.items():
        for domain in one.entity.domain:
            for reach in one.entity.range:
                by_ends[domain, reach].append(at)
    images: dict[str, list[str]] = defaultdict(list)
    for here, there in equal:
        images[here].append(there)
    for at, one in ours.items():
        ends = [(i, j) for d in one.entity.domain for i in images[d] for r in one.entity.range for j in images[r]]
        found = dict.fromkeys(other for end in ends for other in by_ends.get(end, ()))
        if len(found) <= FEW:
            yield from ((at[0], other[0], at[1]) for other in found)


def _but_for_a_qualifier(ones: Iterable[Description], others: Iterable[Description]) -> Iterator[Pair]:
    known: dict[tuple[str, tuple[str, ...]], list[Description]] = defaultdict(list)
    shortened: list[tuple[Description, bool, tuple[str, ...]]] = []
    for side, descriptions in ((True, ones), (False, others)):
        for one in descriptions:
            for name in one.names:
                at = next((n for n, word in enumerate(name) if n > 1 and word in PREPOSITIONS), None)
                if not side:
                    known[one.kind, key(" ".join(name))].append(one)
                if at is not None:
                    shortened.append((one, side, key(" ".join(name[:at]))))
    here: dict[tuple[str, tuple[str, ...]], list[Description]] = defaultdict(list)
    for one in ones:
        for name in one.names:
            here[one.kind, key(" ".join(name))].append(one)
    for one, is_source, form in shortened:
        for other in (known if is_source else here).get((one.kind, form), ())[:FEW]:
            yield (one.iri, other.iri, one.kind) if is_source else (other.iri, one.iri, one.kind)
