"""Search: the nearest entities of the same kind on the other side, view by view, both ways (Agent-OM, section 4.2).

All of one side against all of the other is one blocked product over the stored vectors, not a query an entity. Vectors
are centred over both sides, and a candidate must beat 95 % of random pairs of its view: a threshold tuned for one
embedder is wrong for the next. Equal names are candidates whatever their vectors say, and so is what stands beside
candidates: the parent of several, the inverse of a property, the children of a parent's counterpart, properties between
counterparts, names that are equal but for a qualifier ("plexiform layer of the cerebral cortex").
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import product
from typing import TypeAlias

import numpy as np

from kgnb.agents.ontology_matching.lexicon import PREPOSITIONS
from kgnb.agents.ontology_matching.tongues import centred_by_language, language, strangers
from kgnb.agents.ontology_matching.values import (
    VIEWS,
    Cosines,
    Described,
    Description,
    Found,
    Key,
    Options,
    Pair,
    Ranked,
    Side,
    Stored,
    View,
)
from kgnb.kg.ontology import Kind
from kgnb.kg.words import key
from kgnb.vectors.embedder import Vectors
from kgnb.vectors.index import Payload, VectorIndex
from kgnb.vectors.nearest import Grouped, Neighbours, floor, nearest_entities, pair_cosines, ranks

FEW = 40
"""Entities of a kind up to which the nearest are candidates however far they are: what has no word in common is below
the background. Of 242 of small pairs 238 are among the first six, 187 without."""

STEADY = 20
"""How many definitions it takes before their centre is their own as much as that of all names and definitions."""


def search(stored: Stored, *, options: Options = Options()) -> Found:
    """Every entity's candidates: the ``k`` nearest in each view at or above its threshold, and equal names always.

    Cosines are of centred vectors, so that 0 is what two unrelated names of these ontologies have.
    """
    described = stored.described
    source, target = described.of("source"), described.of("target")
    rankings = list(_equal_names(source, target))
    floors: list[tuple[str, float]] = []
    beside: dict[Pair, float] = {}
    for view in VIEWS:
        a, b = _grouped(stored, view)
        there, back = nearest_entities(a, b, options.k)
        floors.append((view, floor(a, b)))
        threshold = floors[-1][1] if options.similarity is None else options.similarity
        few = _few(target, options), _few(source, options)
        rankings += _ranked(view, "source", source, target, there, threshold, options.k, few[0])
        rankings += _ranked(view, "target", target, source, back, threshold, options.k, few[1])
        if options.similarity is None:
            for pair, score in (*_beside(source, target, there), *_beside(target, source, back, turned=True)):
                beside[pair] = max(beside.get(pair, -1.0), round(score, 6))
    rankings += further(described, rankings, beside)
    rankings.sort(key=lambda r: (r.direction, r.kind, r.source, r.target, r.view))
    pairs = sorted({ranked.pair for ranked in rankings})
    cosines = _cosines(pairs, stored)
    return Found(described, tuple(rankings), cosines, tuple(floors))


def _few(asked: tuple[Description, ...], options: Options) -> Set[Kind]:
    """The kinds of which there are no more than ``k``: nothing is won by leaving some out, and among so few vectors
    neither the centre nor the background of unrelated pairs means much."""
    numbers = Counter(description.kind for description in asked)
    return {kind for kind, number in numbers.items() if number <= options.k and options.similarity is None}


def _grouped(stored: Stored, view: View, only: str = "") -> tuple[Grouped, Grouped]:
    """The stored vectors of one view, both sides, centred together; rows belong to entities by position.

    ``only`` picks the texts of one sort: names, or what they mean.
    """
    index: VectorIndex = stored.vectors
    described = stored.described
    read = [index.read(collection, view) for collection in stored.collections]
    usual = _usual(*(vectors for _, _, vectors in read)) if only else None
    if only:
        picked = [[n for n, payload in enumerate(payloads) if payload["sort"] == only] for _, payloads, _ in read]
        read = [
            (ids, [payloads[n] for n in rows], v[rows]) for (ids, payloads, v), rows in zip(read, picked, strict=True)
        ]
    languages = _languages(stored, view, [payloads for _, payloads, _ in read])
    vectors = centred_by_language([v for _, _, v in read], languages, usual)
    sides: list[Grouped] = []
    for (_, payloads, _), rows, descriptions in zip(
        read, vectors, (described.of("source"), described.of("target")), strict=True
    ):
        position: dict[Key, int] = {description.key: n for n, description in enumerate(descriptions)}
        owners = np.array([position[str(p["iri"]), p["kind"]] for p in payloads], dtype=np.int64)  # type: ignore[index]
        sides.append(Grouped(rows, owners, len(descriptions), [description.kind for description in descriptions]))
    return sides[0], sides[1]


def _usual(*views: Vectors) -> Vectors:
    """Rows that hold a centre of few texts near that of all texts: by themselves, few are all far apart."""
    texts = np.vstack(views)
    return np.repeat(texts.mean(axis=0, keepdims=True), STEADY, axis=0) if len(texts) else texts


def _languages(stored: Stored, view: View, payloads: Sequence[Sequence[Payload]]) -> list[list[str]]:
    """Each text's language where the two ontologies have none in common; else they all are of one kind.

    Axioms mention names, so they are in the language that most names of their side are in.
    """
    sides = (stored.described.of("source"), stored.described.of("target"))
    if not strangers(*sides):
        return [[""] * len(side) for side in payloads]
    if view != "semantic":
        return [[str(payload["language"]) for payload in side] for side in payloads]
    spoken = [Counter(map(language, side)).most_common(1)[0][0] for side in sides]
    return [[tag] * len(side) for tag, side in zip(spoken, payloads, strict=True)]


def _ranked(
    view: View,
    direction: Side,
    asking: tuple[Description, ...],
    asked: tuple[Description, ...],
    neighbours: Neighbours,
    threshold: float,
    k: int,
    few: Set[Kind],
) -> Iterator[Ranked]:
    for one, indices, scores in zip(asking, neighbours.indices, neighbours.scores, strict=True):
        hits = {
            asked[i].iri: float(score)
            for i, score in zip(indices, scores, strict=True)
            if i >= 0 and (score >= threshold or one.kind in few)
        }
        for iri, rank in ranks({iri: round(score, 6) for iri, score in hits.items()}).items():
            if rank <= k:
                ends = (one.iri, iri) if direction == "source" else (iri, one.iri)
                yield Ranked(*ends, one.kind, view, direction, rank, hits[iri])


def _beside(
    asking: tuple[Description, ...], asked: tuple[Description, ...], neighbours: Neighbours, *, turned: bool = False
) -> Iterator[tuple[Pair, float]]:
    """The nearest, however far they are, of kinds that neither side has many of."""
    numbers = [Counter(description.kind for description in side) for side in (asking, asked)]
    few = {kind for kind in numbers[0] if max(number[kind] for number in numbers) <= FEW}
    for one, indices, scores in zip(asking, neighbours.indices, neighbours.scores, strict=True):
        for i, score in zip(indices, scores, strict=True):
            if i >= 0 and one.kind in few:
                ends = (asked[i].iri, one.iri) if turned else (one.iri, asked[i].iri)
                yield (*ends, one.kind), float(score)


def _equal_names(source: tuple[Description, ...], target: tuple[Description, ...]) -> Iterator[Ranked]:
    """Pairs with an equal name or synonym, or said to be equal; own names rank before synonyms.

    Plural endings, numerals, spacing and the order of words do not count, and initials stand for their words.
    """
    short = {word for d in (*source, *target) for name in d.names for word in name if 2 <= len(word) <= 4}
    known: dict[tuple[str, str], list[tuple[Description, bool]]] = defaultdict(list)
    for description in target:
        for form, own in _forms(description, short).items():
            known[description.kind, form].append((description, own))
    best: dict[Pair, int] = dict.fromkeys(_stated(source, target), 1)
    for description in source:
        for form, own in _forms(description, short).items():
            for other, other_own in known.get((description.kind, form), ()):
                pair = (description.iri, other.iri, description.kind)
                best[pair] = min(best.get(pair, 9), 1 + (not own) + (not other_own))
    directions: tuple[Side, Side] = ("source", "target")
    for (pair, rank), direction in product(sorted(best.items()), directions):
        yield Ranked(*pair, "exact", direction, rank, 1.0)


def _stated(source: tuple[Description, ...], target: tuple[Description, ...]) -> Iterator[Pair]:
    """Pairs of which one ontology says itself that they are equal."""
    for ours, theirs, turned in ((source, target, False), (target, source, True)):
        there = {description.key for description in theirs}
        for description in ours:
            for iri in (*description.entity.equivalents, *description.entity.matches):
                if (iri, description.kind) in there:
                    yield (*((iri, description.iri) if turned else (description.iri, iri)), description.kind)


def _forms(description: Description, short: set[str]) -> dict[str, bool]:
    """The comparable forms of every name, and whether it is the entity's own name rather than a synonym."""
    forms: dict[str, bool] = {}
    for number, name in enumerate(description.names):
        plain = key(" ".join(name))
        for form in ("".join(plain), *(" ".join(sorted(one)) for one in (plain, *_abbreviated(plain, short)))):
            forms.setdefault(form, number < description.synonyms_from)
    return forms


def _abbreviated(name: tuple[str, ...], short: set[str]) -> Iterator[tuple[str, ...]]:
    """The name with a run of two to four words replaced by their initials, where some name has those as a word.

    Initials as a whole name say too little: Na is not NeutralAtom.
    """
    for length in range(2, min(len(name) - 1, 4) + 1):
        for start in range(len(name) - length + 1):
            initials = "".join(word[0] for word in name[start : start + length])
            if initials in short:
                yield (*name[:start], initials, *name[start + length :])


def _cosines(pairs: list[Pair], stored: Stored) -> dict[Pair, Cosines]:
    """Each candidate pair's cosine in every view, also in those whose ranking did not have it.

    The vectors are read and centred again, one view after another: all four at once take four times the memory.
    """
    source, target = stored.described.of("source"), stored.described.of("target")
    rows = {description.key: n for n, description in enumerate(source)}
    columns = {description.key: n for n, description in enumerate(target)}
    row = np.array([rows[one, kind] for one, _, kind in pairs], dtype=np.int64)
    column = np.array([columns[other, kind] for _, other, kind in pairs], dtype=np.int64)
    views: list[tuple[View, str]] = [*((view, "") for view in VIEWS), ("lexical", "meaning")]
    each = [pair_cosines(*_grouped(stored, view, only), row, column) for view, only in views]
    near = np.round(np.array(each).T.astype(np.float64), 4)
    cosines: dict[Pair, Cosines] = {}
    for pair, i, j, (syntactic, lexical, semantic, meaning) in zip(pairs, row, column, near.tolist(), strict=True):
        told = source[i].gists and target[j].gists
        cosines[pair] = Cosines(syntactic, lexical, semantic, meaning if told else None)
    return cosines


CLOSE = 8
"""Children of one class, or properties between two, beyond which being one of them says nothing."""

Known: TypeAlias = Mapping[Key, Description]


def further(described: Described, rankings: Sequence[Ranked], beside: Mapping[Pair, float]) -> list[Ranked]:
    """Pairs beside those ranked, for both directions, ranked last; then ``beside``, the highest score first."""
    source, target = ({d.key: d for d in described.of(side)} for side in ("source", "target"))
    known = {ranked.pair for ranked in rankings}
    found = {pair for pair in _pairs(source, target, rankings)} - known
    further = sorted(beside.keys() - known - found, key=lambda pair: (-beside[pair], pair))
    directions: tuple[Side, Side] = ("source", "target")
    last = max((ranked.rank for ranked in rankings), default=0) + 1
    ranked = [Ranked(*pair, "related", side, last, 0.0) for pair in sorted(found) for side in directions]
    asked: Counter[tuple[Side, str, Kind]] = Counter()
    for pair, side in product(further, directions):
        asking = (side, pair[side == "target"], pair[2])
        asked[asking] += 1
        ranked.append(Ranked(*pair, "related", side, last + asked[asking], 0.0))
    return ranked


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
        if kind == "class" and max(len(ours.entity.children), len(theirs.entity.children)) <= CLOSE:
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
        if len(found) <= CLOSE:
            yield from ((at[0], other[0], at[1]) for other in found)


def _but_for_a_qualifier(ones: Iterable[Description], others: Iterable[Description]) -> Iterator[Pair]:
    sides = (tuple(ones), tuple(others))
    named: tuple[dict[tuple[str, tuple[str, ...]], list[Description]], ...] = (defaultdict(list), defaultdict(list))
    shortened: list[tuple[int, Description, tuple[str, ...]]] = []
    for side, descriptions in enumerate(sides):
        for one in descriptions:
            for name in one.names:
                named[side][one.kind, key(" ".join(name))].append(one)
                at = next((n for n, word in enumerate(name) if n > 1 and word in PREPOSITIONS), None)
                if at is not None:
                    shortened.append((side, one, key(" ".join(name[:at]))))
    for side, one, form in shortened:
        for other in named[1 - side].get((one.kind, form), ())[:CLOSE]:
            yield (other.iri, one.iri, one.kind) if side else (one.iri, other.iri, one.kind)
