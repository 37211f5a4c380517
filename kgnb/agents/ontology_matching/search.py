"""Search: the nearest entities of the same kind on the other side, view by view, both ways
(Agent-OM, section 4.2).

All of one side are compared with all of the other in blocked products over the stored vectors.
Vectors are centred over both sides, and a candidate must beat 95 % of random pairs of its view, as
a threshold tuned for one embedder is wrong for the next. Independent of vectors, equal names are
candidates, and so are pairs related to candidates: the parent of several, the inverse of a
property, the children of a parent's counterpart, properties between counterparts, and names that
are equal but for a qualifier ("plexiform layer of the cerebral cortex").
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from kgnb.agents.ontology_matching.coherence import StatedApart
from kgnb.agents.ontology_matching.lexicon import (
    PREPOSITIONS,
    centred_by_language,
    language,
    strangers,
)
from kgnb.agents.ontology_matching.values import (
    AS_USUAL,
    KINDS,
    SIDES,
    VIEWS,
    Cosines,
    Described,
    Description,
    Found,
    Key,
    MatchingPlan,
    Options,
    Pair,
    Ranked,
    Side,
    Stored,
    View,
)
from kgnb.kg.ontology import Kind
from kgnb.kg.words import key, normal
from kgnb.vectors.embedder import Embedder, Vectors
from kgnb.vectors.index import Hit, Payload, VectorIndex
from kgnb.vectors.nearest import (
    Grouped,
    NearestRows,
    floor,
    nearest_among,
    nearest_entities,
    pair_cosines,
)

FEW = 40
"""Entities of a kind up to which the nearest are candidates at any distance: pairs without a word
in common are below the background. Of 242 counterparts in small pairs 238 are among the first six,
187 without this.
"""

STEADY = 20
"""Weight, in texts, of the mean of all texts in the centre of the definitions."""

LARGE = 5000
"""Entities of a side up to which all are compared in memory, whatever the index; beyond, an index
that searches is asked, and only what it finds is compared.
"""

NAMESAKES = 100  # of one name, before it counts as no name
SPARE = 8
"""Texts that an index is asked for beside each candidate: an entity has several, and the order of
an index is that of vectors that are not centred.
"""

Known: TypeAlias = Mapping[Key, Description]


def search(
    stored: Stored,
    *,
    options: Options = Options(),
    plan: MatchingPlan = AS_USUAL,
    in_memory: int = LARGE,
) -> Found:
    """Every entity's candidates: the ``k`` nearest in each view at or above its threshold, and
    equal names always.

    Cosines are of centred vectors, so that 0 is the similarity of two unrelated names of these
    ontologies. Where a side has more than ``in_memory`` entities and the index searches by itself,
    candidates are what it finds.
    """
    described = stored.described
    sides = described.of("source"), described.of("target")
    apart = StatedApart(described.source, described.target)
    rankings = list(_equal_names(*sides))
    homonyms = sorted({r.pair for r in rankings if apart(r.source, r.target)})
    plans = {kind: plan.of(kind, options) for kind in KINDS}
    most = max(each.k for each in plans.values())
    asked_of_index = stored.vectors.searches and max(map(len, sides)) > in_memory
    floors: list[tuple[str, float]] = []
    nearest: dict[Pair, float] = {}  # at any distance
    for view in VIEWS:
        grouped = _grouped(stored, view)
        floors.append((view, floor(*grouped)))
        threshold = floors[-1][1] if options.similarity is None else options.similarity
        both = (
            found_by_index(stored, view, grouped, most)
            if asked_of_index
            else nearest_entities(*grouped, most)
        )
        for direction, neighbours in zip(SIDES, both, strict=True):
            asking, asked = sides if direction == "source" else sides[::-1]
            ranked = _ranked(view, direction, asking, asked, neighbours, threshold, options, most)
            rankings += [
                r for r in ranked if view in plans[r.kind].views and r.rank <= plans[r.kind].k
            ]
            if options.similarity is None:
                for pair, score in _nearest(direction, asking, asked, neighbours):
                    nearest[pair] = max(nearest.get(pair, -1.0), round(score, 6))
    rankings += further(described, rankings, nearest)
    allowed = _allowed(described, apart)
    rankings = [ranked for ranked in rankings if allowed(ranked)]
    rankings.sort(key=lambda r: (r.direction, r.kind, r.source, r.target, r.view))
    pairs = sorted({ranked.pair for ranked in rankings})
    return Found(
        described, tuple(rankings), _cosines(pairs, stored), tuple(floors), tuple(homonyms)
    )


def found_by_index(
    stored: Stored, view: View, grouped: tuple[Grouped, Grouped], k: int
) -> tuple[NearestRows, NearestRows]:
    """The nearest in both directions among the pairs that the index finds from either side.

    It is asked for centred vectors among those stored, which orders texts of one language as
    centred cosines do but for the lengths of the centred ones; these are compared again.
    """
    sides = [stored.described.of(side) for side in SIDES]
    pairs: list[tuple[int, ...]] = []
    for here, there in ((0, 1), (1, 0)):
        position: dict[Any, int] = {d.key: number for number, d in enumerate(sides[there])}
        owners = np.asarray(grouped[here].owners).tolist()
        kinds = np.asarray(grouped[here].kinds)[owners]
        for where in _filters(sides, view, there):
            texts = np.flatnonzero(kinds == where["kind"])
            hits = stored.vectors.search_many(
                stored.collections[there],
                view,
                grouped[here].vectors[texts],
                k=SPARE * k,
                where=where,
            )
            for text, near in zip(texts, hits, strict=True):
                found = [position[hit.payload["iri"], hit.payload["kind"]] for hit in near]
                pairs += [(owners[text], other)[:: there - here] for other in found]
    rows, columns = np.array(sorted(set(pairs)), dtype=np.int64).reshape(-1, 2).T
    return nearest_among(*grouped, rows, columns, k)


def _filters(
    sides: Sequence[Sequence[Description]], view: View, there: int
) -> Iterator[Mapping[str, str]]:
    """Kinds, and languages where the two sides have none in common: each has a centre of its own."""
    kinds = sorted({d.kind for d in sides[0]} & {d.kind for d in sides[1]})
    entities = [[d.entity for d in side] for side in sides]
    if view == "semantic" or not strangers(*entities):
        yield from ({"kind": kind} for kind in kinds)
        return
    tags = {""}
    for e in entities[there]:
        tags |= {t.language or "" for t in (*e.labels, *e.synonyms, *e.definitions, *e.comments)}
    yield from ({"kind": kind, "language": tag} for kind, tag in product(kinds, sorted(tags)))


def _allowed(described: Described, apart: StatedApart) -> Callable[[Ranked], bool]:
    """Whether two entities can be equal: a term that both ontologies have is itself and nothing
    else, and what they say is disjoint is not the same.
    """
    keys = [{description.key for description in described.of(side)} for side in SIDES]
    shared = keys[0] & keys[1]

    def allowed(ranked: Ranked) -> bool:
        source, target, kind = ranked.pair
        if source != target and ((source, kind) in shared or (target, kind) in shared):
            return False
        return not apart(source, target)

    return allowed


@dataclass(frozen=True)
class Similar:
    """One entity of a vector store that is near to a text; ``text`` is its nearest."""

    side: Side
    iri: str
    kind: str
    text: str
    cosine: float


def similar(
    stored: Stored, text: str, embedder: Embedder, *, k: int = 10, kind: str = ""
) -> list[Similar]:
    """The ``k`` entities of each side nearest to a text by name or meaning, as the index finds them.

    Cosines are those of the store, not centred as in ``search``.

    Raises:
        ValueError: the embedder is not that of the stored vectors.
    """
    if embedder.name != stored.embedder:
        raise ValueError(
            f"the store holds vectors of {stored.embedder}, not of {embedder.name}: run store again"
        )
    vector = embedder.embed([normal(text) or text])[0]
    found: list[Similar] = []
    for side, collection in zip(SIDES, stored.collections, strict=True):
        hits: list[Hit] = []
        for view in ("syntactic", "lexical"):
            # an entity has several texts, so the nearest points are fewer entities
            hits += stored.vectors.search(collection, view, vector, k=4 * k, kind=kind)
        best: dict[tuple[str, str], Similar] = {}
        for hit in sorted(hits, key=lambda hit: (-hit.score, hit.id)):
            iri, sort, nearest = (str(hit.payload[key]) for key in ("iri", "kind", "text"))
            best.setdefault((iri, sort), Similar(side, iri, sort, nearest, hit.score))
        found += list(best.values())[:k]
    return found


def _grouped(stored: Stored, view: View, only: str = "") -> tuple[Grouped, Grouped]:
    """The stored vectors of one view, both sides, centred together; rows belong to entities by
    position.

    ``only`` selects the texts of one sort: names, or meanings.
    """
    index: VectorIndex = stored.vectors
    sides = [stored.described.of(side) for side in SIDES]
    read = [index.read(collection, view)[1:] for collection in stored.collections]
    usual = None
    if only:
        usual = _usual(*(vectors for _, vectors in read))
        picked = [
            [n for n, payload in enumerate(payloads) if payload["sort"] == only]
            for payloads, _ in read
        ]
        read = [
            ([payloads[n] for n in rows], v[rows])
            for (payloads, v), rows in zip(read, picked, strict=True)
        ]
    languages = _languages(sides, view, [payloads for payloads, _ in read])
    vectors = centred_by_language([v for _, v in read], languages, usual)
    found: list[Grouped] = []
    for (payloads, _), rows, descriptions in zip(read, vectors, sides, strict=True):
        position: dict[Key, int] = {
            description.key: n for n, description in enumerate(descriptions)
        }
        owners = np.array([position[str(p["iri"]), p["kind"]] for p in payloads], dtype=np.int64)  # type: ignore[index]
        found.append(
            Grouped(
                rows, owners, len(descriptions), [description.kind for description in descriptions]
            )
        )
    return found[0], found[1]


def _usual(*views: Vectors) -> Vectors:
    """Rows that keep the centre of a few texts near that of all texts; by themselves, few are all
    far apart.
    """
    texts = np.vstack(views)
    return np.repeat(texts.mean(axis=0, keepdims=True), STEADY, axis=0) if len(texts) else texts


def _languages(
    sides: Sequence[Sequence[Description]], view: View, payloads: Sequence[Sequence[Payload]]
) -> list[list[str]]:
    """Each text's language if the two ontologies have none in common; else "" for all.

    Axioms mention names, so they are in the language of most names of their side.
    """
    if not strangers(*([d.entity for d in side] for side in sides)):
        return [[""] * len(side) for side in payloads]
    if view != "semantic":
        return [[str(payload["language"]) for payload in side] for side in payloads]
    spoken = [Counter(map(language, side)).most_common(1)[0][0] for side in sides]
    return [[tag] * len(side) for tag, side in zip(spoken, payloads, strict=True)]


def _ranked(
    view: View,
    direction: Side,
    asking: Sequence[Description],
    asked: Sequence[Description],
    neighbours: NearestRows,
    threshold: float,
    options: Options,
    k: int,
) -> Iterator[Ranked]:
    """The ``k`` nearest above the threshold; of kinds with at most ``k`` entities all of them."""
    numbers = Counter(description.kind for description in asked)
    few = {kind for kind, number in numbers.items() if number <= k and options.similarity is None}
    near = (neighbours.scores >= threshold).tolist()
    every = zip(neighbours.indices.tolist(), neighbours.scores.tolist(), near, strict=True)
    for one, row in zip(asking, every, strict=True):
        small = one.kind in few
        hits: list[tuple[float, str, float]] = [
            (-round(score, 6), asked[i].iri, score)
            for i, score, high in zip(*row, strict=True)
            if i >= 0 and (high or small)
        ]
        rank, last = 0, math.inf
        for farther, iri, score in sorted(hits):
            rank += farther != last  # equal scores share a rank
            last = farther
            if rank > k:
                break
            ends = (one.iri, iri) if direction == "source" else (iri, one.iri)
            yield Ranked(*ends, one.kind, view, direction, rank, score)


def _nearest(
    direction: Side,
    asking: Sequence[Description],
    asked: Sequence[Description],
    neighbours: NearestRows,
) -> Iterator[tuple[Pair, float]]:
    """The nearest at any distance, of kinds with few entities on both sides."""
    numbers = [Counter(description.kind for description in side) for side in (asking, asked)]
    few = {kind for kind in numbers[0] if max(number[kind] for number in numbers) <= FEW}
    for one, indices, scores in zip(asking, neighbours.indices, neighbours.scores, strict=True):
        for i, score in zip(indices, scores, strict=True) if one.kind in few else ():
            if i >= 0:
                ends = (one.iri, asked[i].iri) if direction == "source" else (asked[i].iri, one.iri)
                yield (*ends, one.kind), float(score)


def _equal_names(source: Sequence[Description], target: Sequence[Description]) -> Iterator[Ranked]:
    """Pairs with an equal name or synonym, or stated to be equal; own names rank before synonyms.

    Plural endings, numerals, spacing and the order of words are ignored, and initials stand for
    their words. A name that more than a hundred have tells none of them from the others.
    """
    short = {
        word for d in (*source, *target) for name in d.names for word in name if 2 <= len(word) <= 4
    }
    known: defaultdict[tuple[str, str], list[tuple[Description, bool]]] = defaultdict(list)
    for description in target:
        for form, own in _forms(description, short).items():
            known[description.kind, form].append((description, own))
    best: dict[Pair, int] = dict.fromkeys(_stated(source, target), 1)
    for description in source:
        for form, own in _forms(description, short).items():
            namesakes = known.get((description.kind, form), ())
            for other, other_own in namesakes if len(namesakes) <= NAMESAKES else ():
                pair = (description.iri, other.iri, description.kind)
                best[pair] = min(best.get(pair, 9), 1 + (not own) + (not other_own))
    for (pair, rank), direction in product(sorted(best.items()), SIDES):
        yield Ranked(*pair, "exact", direction, rank, 1.0)


def _stated(source: Sequence[Description], target: Sequence[Description]) -> Iterator[Pair]:
    """Pairs that one of the ontologies states to be equal, and terms that both have."""
    for ours, theirs, step in ((source, target, 1), (target, source, -1)):
        there = {description.key for description in theirs}
        for description in ours:
            iri, kind = description.key
            same = {iri, *description.entity.equivalents, *description.entity.matches}
            for other in sorted(same):
                if (other, kind) in there:
                    one, another = (iri, other)[::step]
                    yield one, another, kind


def _forms(description: Description, short: Set[str]) -> dict[str, bool]:
    """The comparable forms of every name, and whether it is the entity's own name rather than a
    synonym.
    """
    forms: dict[str, bool] = {}
    for number, name in enumerate(description.names):
        plain = key(" ".join(name))
        for form in (
            "".join(plain),
            *(" ".join(sorted(one)) for one in (plain, *_abbreviated(plain, short))),
        ):
            forms.setdefault(form, number < description.synonyms_from)
    return forms


def _abbreviated(name: tuple[str, ...], short: Set[str]) -> Iterator[tuple[str, ...]]:
    """The name with a run of two to four words replaced by their initials, if some name has those
    as a word.

    Initials as a whole name are too ambiguous: Na is not NeutralAtom.
    """
    for length in range(2, min(len(name) - 1, 4) + 1):
        for start in range(len(name) - length + 1):
            initials = "".join(word[0] for word in name[start : start + length])
            if initials in short:
                yield (*name[:start], initials, *name[start + length :])


def _cosines(pairs: list[Pair], stored: Stored) -> dict[Pair, Cosines]:
    """Each candidate pair's cosine in every view, also in those that did not rank it.

    The vectors are read and centred again, one view after another: all four at once take four times
    the memory.
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
    for pair, i, j, (syntactic, lexical, semantic, meaning) in zip(
        pairs, row, column, near.tolist(), strict=True
    ):
        # what a model wrote of names and positions says nothing that these do not say
        told = source[i].own_meaning and target[j].own_meaning
        cosines[pair] = Cosines(syntactic, lexical, semantic, meaning if told else None)
    return cosines


CLOSE = 8
"""Children of one class, or properties between two classes, beyond which being one of them means
nothing.
"""


def further(
    described: Described, rankings: Sequence[Ranked], nearest: Mapping[Pair, float]
) -> list[Ranked]:
    """Pairs related to those ranked, for both directions, at the last rank; then the ``nearest``,
    best first.
    """
    source, target = ({d.key: d for d in described.of(side)} for side in SIDES)
    known = {ranked.pair for ranked in rankings}
    found = set(_related(source, target, rankings)) - known
    last = max((ranked.rank for ranked in rankings), default=0) + 1
    ranked = [Ranked(*pair, "related", side, last, 0.0) for pair in sorted(found) for side in SIDES]
    asked: Counter[tuple[Side, str, Kind]] = Counter()
    for pair, side in product(
        sorted(nearest.keys() - known - found, key=lambda pair: (-nearest[pair], pair)), SIDES
    ):
        asking = (side, pair[side == "target"], pair[2])
        asked[asking] += 1
        ranked.append(Ranked(*pair, "related", side, last + asked[asking], 0.0))
    return ranked


def _related(source: Known, target: Known, rankings: Sequence[Ranked]) -> Iterator[Pair]:
    equal = {ranked.pair for ranked in rankings if ranked.view == "exact"}
    first = {ranked.pair for ranked in rankings if ranked.rank <= 2} | equal
    yield from _parents(source, target, rankings)
    for one, other, kind in first:
        if "property" in kind:
            yield from (
                (iri, other, kind)
                for iri in source[one, kind].entity.inverse
                if (iri, kind) in source
            )
            yield from (
                (one, iri, kind)
                for iri in target[other, kind].entity.inverse
                if (iri, kind) in target
            )
    for one, other, kind in equal:
        ours, theirs = source[one, kind].entity.children, target[other, kind].entity.children
        if kind == "class" and max(len(ours), len(theirs)) <= CLOSE:
            yield from (
                (a, b, kind)
                for a, b in product(ours, theirs)
                if (a, kind) in source and (b, kind) in target
            )
    yield from _between_counterparts(
        source, target, {pair[:2] for pair in equal if pair[2] == "class"}
    )
    yield from _but_for_a_qualifier(source, target)


def _parents(source: Known, target: Known, rankings: Sequence[Ranked]) -> Iterator[Pair]:
    """A class and the common parent of several of its candidates."""
    listed: defaultdict[tuple[Side, str], set[str]] = defaultdict(set)
    for ranked in rankings:
        if ranked.kind == "class" and ranked.view != "semantic":
            listed[ranked.direction, ranked.asked[0]].add(ranked.asked[1])
    for (side, iri), others in listed.items():
        there = target if side == "source" else source
        above = Counter(
            parent for other in others for parent in there[other, "class"].entity.parents
        )
        for parent, number in above.items():
            if number > 1 and (parent, "class") in there:
                yield (iri, parent, "class") if side == "source" else (parent, iri, "class")


def _between_counterparts(
    source: Known, target: Known, equal: Set[tuple[str, str]]
) -> Iterator[Pair]:
    """Object properties whose domain and range have equal names, if there are few."""
    kind: Kind = "object property"
    by_ends: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for (iri, sort), one in target.items():
        for ends in product(one.entity.domain, one.entity.range) if sort == kind else ():
            by_ends[ends].append(iri)
    images: defaultdict[str, list[str]] = defaultdict(list)
    for iri, image in equal:
        images[iri].append(image)
    for (iri, sort), one in source.items():
        if sort == kind:
            here, there = (
                [i for end in iris for i in images[end]]
                for iris in (one.entity.domain, one.entity.range)
            )
            found = {other for pair in product(here, there) for other in by_ends.get(pair, ())}
            if len(found) <= CLOSE:
                yield from ((iri, other, kind) for other in found)


def _but_for_a_qualifier(*sides: Known) -> Iterator[Pair]:
    named: tuple[defaultdict[tuple[str, tuple[str, ...]], list[str]], ...] = (
        defaultdict(list),
        defaultdict(list),
    )
    shortened: list[tuple[int, Key, tuple[str, ...]]] = []
    for side, descriptions in enumerate(sides):
        for at, one in descriptions.items():
            for name in one.names:
                named[side][one.kind, key(" ".join(name))].append(one.iri)
                end = next(
                    (n for n, word in enumerate(name) if n > 1 and word in PREPOSITIONS), None
                )
                if end is not None:
                    shortened.append((side, at, key(" ".join(name[:end]))))
    for side, (iri, kind), form in shortened:
        for other in named[1 - side].get((kind, form), ())[:CLOSE]:
            yield (other, iri, kind) if side else (iri, other, kind)
