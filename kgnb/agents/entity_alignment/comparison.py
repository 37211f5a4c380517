"""Two graphs ready for comparison: everything that is the same in every round, and every view of a
pair.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, cast

import numpy as np
import scipy
from numpy.typing import NDArray

from kgnb.agents.entity_alignment import relations
from kgnb.agents.entity_alignment.candidates import (
    FINE,
    CandidatePairs,
    Longs,
    Singles,
    dense_dots,
    nearest_pairs,
    nearest_rows,
    sparse_dots,
    united,
)
from kgnb.agents.entity_alignment.graphs import EntityGraph, Integers
from kgnb.agents.entity_alignment.names import Further, SideNames, all_names, compare_ready, folded
from kgnb.agents.entity_alignment.relations import (
    LARGE,
    Edges,
    Matrix,
    SharedSurroundings,
    in_blocks,
    spread,
)
from kgnb.agents.entity_alignment.values import Options
from kgnb.vectors.close_pairs import Each, alone
from kgnb.vectors.embedder import Embedder, Vectors
from kgnb.vectors.reproducible import log, on_grid, unit

NEAREST = 30  # candidates per row and per column from a view
BESIDE = 10  # the same for a view that is secondary to names
LABELS = 256  # dimensions of the vectors that label anchors: enough for 10,000 of them to differ
EVERYONE = 300_000  # pairs of unmatched entities up to which all are compared


NAME_PRIOR = {
    "meaning": 12.0,
    "spelling": 14.0,
    "same name": 3.0,
    "same bare name": 1.0,
    "numbers agree": 3.0,
    "names one hop away": 8.0,
    "names two hops away": 4.0,
}
LABEL_PRIOR = {
    "anchors one hop away": 6.0,
    "anchors two hops away": 6.0,
    "anchors further away": 2.0,
}
STRUCTURE_PRIOR = {
    "shared neighbours": 4.0,
    "shared neighbours, amount": 3.0,
    "shared statements": 6.0,
    "shared statements, amount": 4.0,
}
SIGNATURE_PRIOR = {
    "shared relations": 2.0
}  # no amount: it would raise entities without a counterpart as well
VALUE_PRIOR = {"shared values": 6.0, "shared values, amount": 4.0}


class PairViews(NamedTuple):
    """Views of some pairs, column by column."""

    values: Singles  # (pairs, views)
    prior: dict[str, float]  # view -> weight before anything is learnt; in column order


@dataclass(frozen=True, eq=False)
class GraphComparison:
    """The two graphs' edges, names and values, and who is asked; ``names`` is None if a side has
    none.
    """

    asked: AskedEntities
    options: Options
    edges: tuple[Edges, Edges]
    weights: tuple[Matrix, Matrix]
    names: tuple[SideNames, SideNames] | None
    hops: tuple[list[Vectors], list[Vectors]]  # names as they arrive after one hop, two, ...
    values: SharedSurroundings | None
    each: Each = alone  # applies work to blocks of rows
    apart: Longs = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    # sorted row * width + column of the pairs that are stated to be different
    listed: Longs | None = None  # the same of the only pairs that are considered

    def allowed(self, pairs: CandidatePairs) -> CandidatePairs:
        """The pairs that are not stated to be different, and listed where candidates are."""
        keys = pairs.rows * self.width + pairs.columns
        if self.listed is not None:
            lessons = keys[pairs.rows >= self.asked.open_rows]
            keys = np.union1d(self.listed, lessons)
        elif not len(self.apart):
            return pairs
        keys = keys[~np.isin(keys, self.apart)]
        return CandidatePairs(keys // self.width, keys % self.width)

    @property
    def height(self) -> int:
        """Rows."""
        return len(self.asked.rows)

    @property
    def width(self) -> int:
        """Columns."""
        return len(self.asked.columns)

    def entities(self, pairs: CandidatePairs) -> CandidatePairs:
        """The pairs' entities in place of rows and columns."""
        ends = ((self.asked.rows, pairs.rows), (self.asked.columns, pairs.columns))
        return CandidatePairs(
            *(at if np.array_equal(all_, np.arange(len(all_))) else all_[at] for all_, at in ends)
        )

    def near(self, sides: Sequence[Vectors], k: int) -> CandidatePairs:
        """The nearest pairs by these features: open rows and columns both ways, lessons with all
        columns.
        """
        return self._near(_at(sides[0], self.asked.rows), _at(sides[1], self.asked.columns), k)

    def _near(self, left: Vectors, right: Vectors, k: int) -> CandidatePairs:
        """The same by the features of each row and of each column."""
        asked = self.asked
        found = nearest_pairs(left[: asked.open_rows], right[: asked.open_columns], k, self.each)
        learnt = nearest_rows(left[asked.open_rows :], right, k)
        return united(
            found, CandidatePairs(learnt.rows + asked.open_rows, learnt.columns), width=self.width
        )

    def first_pairs(self) -> CandidatePairs:
        """The candidates by names and values, and the answers to the lessons."""
        asked = self.asked
        found = [CandidatePairs(asked.open_rows + np.arange(len(asked.answers)), asked.answers)]
        if self.names:
            mine, yours = self.names
            left = self.named_surroundings(0, asked.rows)
            right = self.named_surroundings(1, asked.columns)
            found.append(self._near(left, right, NEAREST))
            found.append(self.near((mine.vectors, yours.vectors), BESIDE))
            if mine.further is not None and yours.further is not None:
                found.append(self._near_by_any_name(mine.further, yours.further))
        if self.values is not None:
            rows, columns = asked.rows[: asked.open_rows], asked.columns[: asked.open_columns]
            found.append(value_pairs(self.values, rows, columns, BESIDE))
        return self.allowed(united(*found, width=self.width))

    def _near_by_any_name(self, mine: Further, yours: Further) -> CandidatePairs:
        """Open rows and columns with any two names alike."""
        asked = self.asked
        rows, left = _names_of(mine, asked.rows[: asked.open_rows])
        columns, right = _names_of(yours, asked.columns[: asked.open_columns])
        vectors = mine.names.vectors[left], yours.names.vectors[right]
        near = nearest_pairs(*vectors, BESIDE, self.each)
        return CandidatePairs(rows[near.rows], columns[near.columns])

    def named_surroundings(self, side: int, entities: Longs) -> Vectors:
        """The sum of the name vector of each of these entities of a side and those of its
        surroundings.
        """
        assert self.names is not None
        return _added(self.names[side].vectors, self.hops[side], entities)

    def labelled(self, anchors: Matrix) -> tuple[list[Vectors], list[Vectors]] | None:
        """The labels of sure anchors after one hop, two, ...; None if nothing is sure."""
        sure = anchors.tocoo()
        strong = sure.data > 0.5
        pairs = np.column_stack([sure.row[strong], sure.col[strong]]).astype(np.int32)
        if not len(pairs):
            return None
        hops, seed = max(1, self.options.hops), self.options.seed
        large = sum(edges.entities for edges in self.edges) > LARGE
        size, kept = (
            LABELS // 2 if large and self.names else LABELS,
            np.float16 if large else np.float32,
        )
        one, other = (
            spread(
                relations.labels(pairs, edges.entities, side, size, seed),
                weights,
                hops,
                kept,
                self.each,
            )
            for side, (edges, weights) in enumerate(zip(self.edges, self.weights, strict=True))
        )
        return one, other

    def views(
        self,
        pairs: CandidatePairs,
        anchors: Matrix,
        labelled: tuple[list[Vectors], list[Vectors]] | None,
        before: tuple[CandidatePairs, Singles] | None = None,
    ) -> PairViews:
        """All views of these pairs; what names say of those seen ``before`` is taken from there."""
        entities = self.entities(pairs)
        found: list[PairViews] = []
        if self.names:
            new, same = _places(pairs, before and before[0], self.width)
            named = of_names(
                *self.names, *self.hops, CandidatePairs(entities.rows[new], entities.columns[new])
            )
            if before:
                values = np.empty((len(new), named.values.shape[1]), dtype=np.float32)
                values[new], values[~new] = named.values, before[1][same, : values.shape[1]]
                named = named._replace(values=values)
            found.append(named)
        if self.values is not None:
            found.append(of_values(self.values, entities))
        if labelled is not None:
            dots = [
                dense_dots(mine, yours, entities) for mine, yours in zip(*labelled, strict=True)
            ]
            found += [
                of_labels(dots),
                of_structure(*self.edges, anchors, entities, nameless=not self.names),
            ]
        prior: dict[str, float] = {}
        for part in found:
            prior |= part.prior
        none = np.empty((len(entities.rows), 0), dtype=np.float32)
        values = np.hstack([none, *(part.values for part in found)])
        return PairViews(on_grid(values, FINE, out=values), prior)

    def given(self) -> Matrix:
        """The anchors at the start: seeds, and equal names that are unique per side among entities
        not asked about.
        """
        asked = self.asked
        rows, columns = asked.seeds[:, 0].astype(np.int64), asked.seeds[:, 1].astype(np.int64)
        if self.names:
            busy = [np.concatenate([asked.rows, rows]), np.concatenate([asked.columns, columns])]
            idle = [
                np.setdiff1d(np.arange(e.entities), b)
                for e, b in zip(self.edges, busy, strict=True)
            ]
            one, other = (
                _met_once(self.names[0].whole, idle[0]),
                _met_once(self.names[1].whole, idle[1]),
            )
            shared, at_left, at_right = np.intersect1d(
                one[0], other[0], assume_unique=True, return_indices=True
            )
            rows, columns = (
                np.concatenate([rows, one[1][at_left]]),
                np.concatenate([columns, other[1][at_right]]),
            )
        return self.anchors(rows, columns, np.ones(len(rows), dtype=np.float32))

    def anchors(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], chances: Singles
    ) -> Matrix:
        """Chances of entity pairs as a matrix over both graphs."""
        shape = (self.edges[0].entities, self.edges[1].entities)
        return scipy.sparse.csr_matrix((chances, (rows, columns)), shape=shape)


class RoundResult(NamedTuple):
    """The result of a round: pairs, their views, the weights of the views, and each pair's score
    and chance.
    """

    pairs: CandidatePairs
    evidence: PairViews
    weights: Singles
    logits: Singles
    chances: Singles


def _at(rows: Vectors, places: NDArray[np.int64]) -> Vectors:
    """The rows at these places, without a copy if that is all of them in order."""
    return rows if np.array_equal(places, np.arange(len(rows))) else rows[places]


def _added(rows: Vectors, hops: list[Vectors], places: Longs) -> Vectors:
    def some(part: slice) -> Vectors:
        at = places[part]
        return unit(rows[at].astype(np.float32, copy=False) + sum(hop[at] for hop in hops)).astype(
            rows.dtype
        )

    return in_blocks(some, len(places))


def _places(
    pairs: CandidatePairs, before: CandidatePairs | None, width: int
) -> tuple[NDArray[np.bool_], Longs]:
    """Whether each pair is new, and where each of the others stands in those of before."""
    if before is None or not len(before.rows):
        return np.ones(len(pairs.rows), dtype=bool), np.empty(0, dtype=np.int64)
    keys, seen = (part.rows * width + part.columns for part in (pairs, before))
    place = np.minimum(np.searchsorted(seen, keys), len(seen) - 1)
    new: NDArray[np.bool_] = seen[place] != keys
    return new, place[~new]


def _names_of(
    further: Further, entities: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every name of these entities: the place of its entity in ``entities``, and its own position."""
    often = np.diff(further.starts)[entities]
    place = np.repeat(np.arange(len(entities)), often)
    within = np.arange(len(place)) - np.repeat(np.cumsum(often) - often, often)
    return place, further.starts[entities][place] + within


def _met_once(
    keys: NDArray[np.int64], among: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Keys that only one entity of the side has, if it is among these; and those entities."""
    known, first, often = np.unique(keys, return_index=True, return_counts=True)
    once = (often == 1) & (known >= 0) & np.isin(first, among)
    return known[once], first[once]


def compare(
    left: EntityGraph,
    right: EntityGraph,
    embedder: Embedder,
    asked: AskedEntities,
    options: Options,
    each: Each = alone,
) -> GraphComparison:
    """Both graphs ready for comparison; names are embedded here."""
    edges = (relations.edges_of(left), relations.edges_of(right))
    weights = (relations.adjacency(edges[0]), relations.adjacency(edges[1]))
    named = options.names == "native" and any(left.names) and any(right.names)
    names = compare_ready(left.names, right.names, embedder, seed=options.seed) if named else None
    if names and (left.aliases or right.aliases):
        further = all_names(
            left.names, right.names, (left.aliases, right.aliases), embedder, seed=options.seed
        )
        names = (names[0]._replace(further=further[0]), names[1]._replace(further=further[1]))
    hops: tuple[list[Vectors], list[Vectors]] = ([], [])
    if names:
        kept = np.float16 if len(left) + len(right) > LARGE else np.float32
        one, other = (
            spread(names[at].vectors, weights[at], options.hops, kept, each) for at in (0, 1)
        )
        hops = (one, other)
    values = shared_values(left, right)
    apart = asked.keys(across(left, right, (*left.different, *right.different)))
    listed = None if asked.listed is None else asked.keys(asked.listed)
    return GraphComparison(asked, options, edges, weights, names, hops, values, each, apart, listed)


def across(left: EntityGraph, right: EntityGraph, pairs: Iterable[tuple[str, str]]) -> Integers:
    """Those of these pairs of IRIs that join the two graphs, in either order: (n, 2) entities of left
    and right.
    """
    found = set()
    for one, other in pairs:
        for mine, yours in ((one, other), (other, one)):
            if mine in left and yours in right and (left is not right or mine != yours):
                found.add((left.index(mine), right.index(yours)))
    return np.array(sorted(found), dtype=np.int32).reshape(-1, 2)


Entities: TypeAlias = "Sequence[str] | Sequence[int] | NDArray[np.integer]"
Links: TypeAlias = "Sequence[tuple[str, str]] | Sequence[tuple[int, int]] | NDArray[np.integer]"

_LESSONS = 2000  # seeds that weights are learnt from; more add nothing


class AskedEntities(NamedTuple):
    """Rows are sources without a seed, then lessons (seeds to learn from); columns are free
    targets, then others.
    """

    sources: Integers
    targets: Integers
    seeds: Integers  # (s, 2)
    rows: Longs  # entity of the left of each row
    columns: Longs  # entity of the right of each column
    open_rows: int  # so many rows are asked, the rest are lessons
    open_columns: int  # so many columns may be matched
    answers: Longs  # the column of each lesson
    listed: Integers | None = None  # (n, 2) the only pairs that are considered, if any are named

    def keys(self, pairs: Integers) -> Longs:
        """The sorted row * columns + column of pairs of entities, as far as they are asked about."""
        rows, columns = (
            np.full(max(ends.max(initial=-1), pairs.max(initial=-1)) + 1, -1)
            for ends in (self.rows, self.columns)
        )
        rows[self.rows], columns[self.columns] = (
            np.arange(len(self.rows)),
            np.arange(len(self.columns)),
        )
        one, other = rows[pairs[:, 0]], columns[pairs[:, 1]]
        found: Longs = np.unique(
            (one * len(self.columns) + other)[(one >= 0) & (other >= 0)]
        ).astype(np.int64)
        return found


def asked(
    left: EntityGraph,
    right: EntityGraph,
    seeds: Links,
    sources: Entities | None,
    targets: Entities | None,
    options: Options,
    candidates: Links | None = None,
) -> AskedEntities:
    """The rows and columns for entities named by index or IRI; ValueError for those not in their
    graph.
    """
    links = _links(left, right, seeds)
    mine = _entities(left, sources, "source")
    yours = _entities(right, targets, "target")
    open_rows = mine[~np.isin(mine, links[:, 0])]
    taken = links[:, 1] if options.cardinality == "1:1" else links[:0, 1]
    open_columns = yours[~np.isin(yours, taken)]
    draw = np.random.default_rng(options.seed)
    lessons = links
    if len(lessons) > _LESSONS:
        lessons = lessons[np.sort(draw.choice(len(lessons), _LESSONS, replace=False))]
    others = np.setdiff1d(links[:, 1], open_columns)
    columns = np.concatenate([open_columns, others]).astype(np.int64)
    place = np.full(len(right), -1, dtype=np.int64)
    place[columns] = np.arange(len(columns))
    rows = np.concatenate([open_rows, lessons[:, 0]]).astype(np.int64)
    listed = None if candidates is None else _links(left, right, candidates, "candidate")
    answers = place[lessons[:, 1]]
    return AskedEntities(
        mine, yours, links, rows, columns, len(open_rows), len(open_columns), answers, listed
    )


def _links(left: EntityGraph, right: EntityGraph, seeds: Links, what: str = "seed") -> Integers:
    if len(seeds) and isinstance(seeds[0][0], str):
        named = cast("Sequence[tuple[str, str]]", seeds)
        rows = [(_index(left, one, what), _index(right, other, what)) for one, other in named]
        found = np.array(rows, dtype=np.int32)
    else:
        found = np.asarray(seeds, dtype=np.int32).reshape(-1, 2)
    if len(found) and (found.min() < 0 or (found.max(axis=0) >= (len(left), len(right))).any()):
        raise ValueError(f"a {what} names an entity beyond the end of its graph")
    return np.unique(found, axis=0).astype(np.int32)


def _entities(graph: EntityGraph, chosen: Entities | None, what: str) -> Integers:
    if chosen is None:
        return np.arange(len(graph), dtype=np.int32)
    if len(chosen) and isinstance(chosen[0], str):
        found = np.array([_index(graph, str(iri), what) for iri in chosen], dtype=np.int32)
    else:
        found = np.asarray(chosen, dtype=np.int32).reshape(-1)
    if len(found) and (found.min() < 0 or found.max() >= len(graph)):
        raise ValueError(f"a {what} lies beyond the end of {graph.name}")
    if len(np.unique(found)) != len(found):
        raise ValueError(f"a {what} is named twice")
    return found


def _index(graph: EntityGraph, iri: str, what: str) -> int:
    try:
        return graph.index(iri)
    except KeyError:
        raise ValueError(f"the {what} {iri} is not in {graph.name}") from None


def of_names(
    left: SideNames,
    right: SideNames,
    hops_left: list[Vectors],
    hops_right: list[Vectors],
    pairs: CandidatePairs,
) -> PairViews:
    """How alike the names of the two are, and those of their neighbours."""
    if left.further is not None and right.further is not None:
        views = best_of_names(left.further, right.further, pairs)
    else:
        views = _alike(left, right, pairs)
    views.append(same(left.bare, right.bare, pairs))
    views.append((left.numbers[pairs.rows] == right.numbers[pairs.columns]).astype(np.float32))
    views += [
        dense_dots(mine, yours, pairs)
        for mine, yours in zip(hops_left[:2], hops_right[:2], strict=True)
    ]
    return PairViews(np.column_stack(views), dict(list(NAME_PRIOR.items())[: len(views)]))


def _alike(left: SideNames, right: SideNames, pairs: CandidatePairs) -> list[Singles]:
    """Meaning, spelling and sameness of names."""
    return [
        dense_dots(left.meaning, right.meaning, pairs),
        sparse_dots(left.grams, right.grams, pairs),
        same(left.whole, right.whole, pairs),
    ]


def best_of_names(left: Further, right: Further, pairs: CandidatePairs) -> list[Singles]:
    """Meaning, spelling and sameness of the most alike names of two entities, each view for itself."""
    each = [
        np.diff(side.starts)[ends] for side, ends in ((left, pairs.rows), (right, pairs.columns))
    ]
    met = each[0] * each[1]
    first = np.cumsum(met) - met
    at = np.arange(int(met.sum())) - np.repeat(first, met)
    wide = np.repeat(each[1], met)
    names = CandidatePairs(
        np.repeat(left.starts[pairs.rows], met) + at // wide,
        np.repeat(right.starts[pairs.columns], met) + at % wide,
    )
    if not len(at):
        return [np.zeros(len(pairs.rows), dtype=np.float32)] * 3
    return [np.maximum.reduceat(view, first) for view in _alike(left.names, right.names, names)]


def of_labels(dots: list[Singles]) -> PairViews:
    """How alike the anchors around the two are, hop by hop."""
    columns = [*dots[:2], *([np.mean(dots[2:], axis=0)] if dots[2:] else [])]
    return PairViews(np.column_stack(columns), dict(list(LABEL_PRIOR.items())[: len(columns)]))


def of_values(seen: SharedSurroundings, pairs: CandidatePairs) -> PairViews:
    """How many rare attribute values the two share."""
    return PairViews(np.column_stack(overlap(seen, pairs)), dict(VALUE_PRIOR))


def same(left: np.ndarray, right: np.ndarray, pairs: CandidatePairs) -> Singles:
    """1 for an equal key, less if several entities of a side share it."""
    size = int(max(left.max(initial=-1), right.max(initial=-1))) + 1
    mine, yours = (np.bincount(keys[keys >= 0], minlength=max(size, 1)) for keys in (left, right))
    one, other = left[pairs.rows], right[pairs.columns]
    equal = (one == other) & (one >= 0)
    found: Singles = np.where(
        equal, 1 / np.sqrt(np.maximum(mine[one] * yours[one], 1)), 0.0
    ).astype(np.float32)
    return found


def of_structure(
    left: Edges, right: Edges, anchors: Matrix, pairs: CandidatePairs, *, nameless: bool = False
) -> PairViews:
    """How much the anchored surroundings agree, as cosine and amount; ``nameless``: relations too."""
    alike = relations.counterparts(left, right, anchors)
    seen = [
        relations.neighbours(left, right, anchors),
        relations.statements(left, right, anchors, alike),
    ]
    views = [view for one in seen for view in overlap(one, pairs)]
    views += overlap(relations.signatures(left, right, alike), pairs)[:1] if nameless else []
    return PairViews(
        np.column_stack(views), STRUCTURE_PRIOR | (SIGNATURE_PRIOR if nameless else {})
    )


def overlap(seen: SharedSurroundings, pairs: CandidatePairs) -> list[Singles]:
    """Cosine of the two rows of each pair, and the logarithm of their product, about 1 for a dozen
    rare things.
    """
    product = sparse_dots(seen.left, seen.right, pairs)
    mine, yours = (_lengths(side) for side in seen)
    cosine = product / (1.0 + mine[pairs.rows] * yours[pairs.columns])
    amount: Singles = (log(1 + product) / 4.5).astype(np.float32)
    return [cosine.astype(np.float32), amount]


def _lengths(matrix: Matrix) -> Singles:
    lengths: Singles = np.sqrt(
        np.asarray(scipy.sparse.csr_matrix(matrix).multiply(matrix).sum(axis=1)).ravel()
    )
    return lengths


_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
_WORDS = 40  # of a value that are compared: a long text is not a fact
_RARE = 50  # entities of a side that may share a value that proposes pairs
_BLOCK = 4096


def value_tokens(text: str) -> tuple[str, ...]:
    """The tokens by which a value is compared: the whole value, folded (numbers by their size), and
    its words.

    >>> value_tokens("80.0"), value_tokens("Hütte am See")
    (('=80',), ('=hutte am see', 'hutte', 'am', 'see'))
    """
    if _NUMBER.fullmatch(text.strip()):
        return (f"={float(text):.9g}",)
    plain = folded(text)
    words = plain.split()[:_WORDS]
    return (f"={plain}", *words) if len(words) > 1 else (f"={plain}",) if plain else ()


def shared_values(left: EntityGraph, right: EntityGraph) -> SharedSurroundings | None:
    """Entities by tokens of their values, weighted by the root of their rarity; None if a side has
    no values.
    """
    if not len(left.attribute_triples) or not len(right.attribute_triples):
        return None
    numbers: dict[str, int] = {}
    tables = [_incidence(graph, numbers) for graph in (left, right)]
    mine, yours = (
        scipy.sparse.csr_matrix((t.data, t.indices, t.indptr), shape=(t.shape[0], len(numbers)))
        for t in tables
    )
    often = [np.bincount(table.indices, minlength=len(numbers)) for table in (mine, yours)]
    both = (often[0] > 0) & (often[1] > 0)
    rarity = log(1 + (len(left) + len(right)) / np.maximum(often[0] + often[1], 1)) * both
    weights = scipy.sparse.diags(np.sqrt(rarity).astype(np.float32), format="csr")
    found = SharedSurroundings(
        scipy.sparse.csr_matrix(mine @ weights), scipy.sparse.csr_matrix(yours @ weights)
    )
    found.left.eliminate_zeros()
    found.right.eliminate_zeros()
    return found


def _incidence(graph: EntityGraph, numbers: dict[str, int]) -> Matrix:
    tokens = [
        [numbers.setdefault(t, len(numbers)) for t in dict.fromkeys(value_tokens(v.text))]
        for v in graph.values
    ]
    sizes = np.array([len(found) for found in tokens], dtype=np.int64)
    flat = np.array([number for found in tokens for number in found], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    entity, value = graph.attribute_triples[:, 0], graph.attribute_triples[:, 2]
    met = sizes[value]
    at = np.repeat(starts[value] - (np.cumsum(met) - met), met) + np.arange(int(met.sum()))
    rows, columns = np.repeat(entity.astype(np.int64), met), flat[at]
    keys = np.unique(rows * max(len(numbers), 1) + columns)
    rows, columns = keys // max(len(numbers), 1), keys % max(len(numbers), 1)
    return scipy.sparse.csr_matrix(
        (np.ones(len(keys), np.float32), (rows, columns)), shape=(len(graph), len(numbers))
    )


def own_value(left: EntityGraph, right: EntityGraph, pairs: CandidatePairs) -> Singles:
    """1 for a pair with a value in common that no other entity of either side has, names aside."""
    held: list[dict[str, set[int]]] = [{}, {}]
    for graph, side in zip((left, right), held, strict=True):
        names = list(map(folded, graph.names))
        for entity, _, value in graph.attribute_triples.tolist():
            whole = next(iter(value_tokens(graph.values[value].text)), "=")[1:]
            if whole and whole != names[entity]:
                side.setdefault(whole, set()).add(entity)
    one, other = (
        {whole: min(who) for whole, who in side.items() if len(who) == 1} for side in held
    )
    alone = {(one[whole], other[whole]) for whole in one.keys() & other.keys()}
    return np.array(
        [pair in alone for pair in zip(*map(np.ndarray.tolist, pairs), strict=True)],
        dtype=np.float32,
    )


def value_pairs(seen: SharedSurroundings, rows: Longs, columns: Longs, k: int) -> CandidatePairs:
    """The ``k`` columns that share the most rare tokens with each row."""
    mine, yours = seen.left[rows], seen.right[columns]
    rare = [np.bincount(side.indices, minlength=side.shape[1]) <= _RARE for side in (mine, yours)]
    kept = scipy.sparse.diags((rare[0] & rare[1]).astype(np.float32), format="csr")
    turned = scipy.sparse.csr_matrix((yours @ kept).T)
    found_rows, found_columns = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for first in range(0, len(rows), _BLOCK):
        met = (mine[first : first + _BLOCK] @ turned).tocoo()
        order = np.lexsort((met.col, -met.data, met.row))
        row = met.row[order]
        best = order[(np.arange(len(row)) - np.searchsorted(row, row) < k) & (met.data[order] > 0)]
        found_rows.append(met.row[best].astype(np.int64) + first)
        found_columns.append(met.col[best].astype(np.int64))
    return CandidatePairs(np.concatenate(found_rows), np.concatenate(found_columns))
