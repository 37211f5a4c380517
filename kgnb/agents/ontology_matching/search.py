"""Search: the nearest entities of the same kind on the other side, view by view, both ways (Agent-OM, section 4.2).

All of one side against all of the other is one blocked product over the stored vectors, not a query an entity. Vectors
are centred over both sides, and a candidate must beat 95 % of random pairs of its view: a threshold tuned for one
embedder is wrong for the next. Equal names are candidates whatever their vectors say.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from itertools import product

import numpy as np

from kgnb.agents.ontology_matching.related import further
from kgnb.agents.ontology_matching.tongues import centred_by_language, language, strangers
from kgnb.agents.ontology_matching.values import (
    VIEWS,
    Cosines,
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
    for view in VIEWS:
        a, b = _grouped(stored, view)
        there, back = nearest_entities(a, b, options.k)
        floors.append((view, floor(a, b)))
        threshold = floors[-1][1] if options.similarity is None else options.similarity
        few = _few(target, options), _few(source, options)
        rankings += _ranked(view, "source", source, target, there, threshold, options.k, few[0])
        rankings += _ranked(view, "target", target, source, back, threshold, options.k, few[1])
    rankings += further(described, rankings)
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
    return np.repeat(texts.mean(axis=0, keepdims=True), STEADY if len(texts) else 0, axis=0)


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
    there = {description.key for description in target}
    for description in source:
        for iri in (*description.entity.equivalents, *description.entity.matches):
            if (iri, description.kind) in there:
                yield description.iri, iri, description.kind
    here = {description.key for description in source}
    for description in target:
        for iri in (*description.entity.equivalents, *description.entity.matches):
            if (iri, description.kind) in here:
                yield iri, description.iri, description.kind


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
