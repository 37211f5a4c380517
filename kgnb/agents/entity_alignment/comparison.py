"""Two graphs made ready to be compared: what does not change from round to round, and every view of a pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from kgnb.agents.entity_alignment import evidence
from kgnb.agents.entity_alignment.candidates import Pairs, Singles, dense_dots, nearest_pairs, nearest_rows, united
from kgnb.agents.entity_alignment.evidence import shared_values, value_pairs
from kgnb.agents.entity_alignment.graphs import EntityGraph, Integers
from kgnb.agents.entity_alignment.names import Further, Named, all_names, compare_ready
from kgnb.agents.entity_alignment.propagation import LARGE, labels, spread, unit
from kgnb.agents.entity_alignment.relations import Edges, Matrix, Seen, adjacency, edges_of
from kgnb.agents.entity_alignment.values import Options
from kgnb.vectors.embedder import Embedder, Vectors

NEAREST = 30  # candidates a view proposes for a row, and for a column
BESIDE = 10  # the same for a view that comes second to names
LABELS = 256  # dimensions of the vectors that label anchors: enough for 10,000 of them to differ
EVERYONE = 300_000  # pairs of leftovers that are all looked at


@dataclass(frozen=True, eq=False)
class Sides:
    """One thing for the left, one for the right."""

    left: Vectors
    right: Vectors


@dataclass(frozen=True, eq=False)
class Comparison:
    """The two graphs' edges, names and values, and who is asked; ``names`` is None where a side has none."""

    asked: Asked
    options: Options
    edges: tuple[Edges, Edges]
    weights: tuple[Matrix, Matrix]
    names: tuple[Named, Named] | None
    hops: tuple[list[Vectors], list[Vectors]]  # names as they arrive after one hop, two, ...
    values: Seen | None
    known: dict[str, NDArray[np.int64] | Singles] = field(default_factory=dict)  # views of pairs seen before

    @property
    def height(self) -> int:
        """Rows."""
        return len(self.asked.rows)

    @property
    def width(self) -> int:
        """Columns."""
        return len(self.asked.columns)

    def entities(self, pairs: Pairs) -> Pairs:
        """Rows and columns as entities."""
        return Pairs(self.asked.rows[pairs.rows], self.asked.columns[pairs.columns])

    def near(self, sides: Sides, k: int) -> Pairs:
        """The nearest pairs of these features: open rows with open columns both ways, lessons with everything."""
        asked, left, right = self.asked, _at(sides.left, self.asked.rows), _at(sides.right, self.asked.columns)
        size = self.options.block_rows
        found = nearest_pairs(left[: asked.open_rows], right[: asked.open_columns], k, size)
        learnt = nearest_rows(left[asked.open_rows :], right, k, size)
        return united(found, Pairs(learnt.rows + asked.open_rows, learnt.columns), width=self.width)

    def first_pairs(self) -> Pairs:
        """What names and values propose, and the answers to the lessons."""
        asked = self.asked
        found = [Pairs(asked.open_rows + np.arange(len(asked.answers)), asked.answers)]
        if self.names:
            mine, yours = self.names
            found.append(self.near(self.named_surroundings(), NEAREST))
            found.append(self.near(Sides(mine.vectors, yours.vectors), BESIDE))
            if mine.further is not None and yours.further is not None:
                found.append(self._near_by_any_name(mine.further, yours.further))
        if self.values is not None:
            rows, columns = asked.rows[: asked.open_rows], asked.columns[: asked.open_columns]
            found.append(value_pairs(self.values, rows, columns, BESIDE))
        return united(*found, width=self.width)

    def _near_by_any_name(self, mine: Further, yours: Further) -> Pairs:
        """Open rows and columns any names of which are alike."""
        asked = self.asked
        rows, left = _names_of(mine, asked.rows[: asked.open_rows])
        columns, right = _names_of(yours, asked.columns[: asked.open_columns])
        near = nearest_pairs(mine.vectors[left], yours.vectors[right], BESIDE, self.options.block_rows)
        return Pairs(rows[near.rows], columns[near.columns])

    def named_surroundings(self) -> Sides:
        """Names of an entity and of what is around it, added up."""
        assert self.names is not None
        return Sides(*(unit(side.vectors + sum(hops)) for side, hops in zip(self.names, self.hops, strict=True)))

    def labelled(self, anchors: Matrix) -> tuple[list[Vectors], list[Vectors]] | None:
        """The labels of sure anchors as they arrive after one hop, two, ...; None where nothing is sure."""
        sure = anchors.tocoo()
        strong = sure.data > 0.5
        pairs = np.column_stack([sure.row[strong], sure.col[strong]]).astype(np.int32)
        if not len(pairs):
            return None
        hops, seed = max(1, self.options.hops), self.options.seed
        large = sum(edges.entities for edges in self.edges) > LARGE
        size, kept = LABELS // 2 if large and self.names else LABELS, np.float16 if large else np.float32
        one, other = (
            spread(labels(pairs, edges.entities, side, size, seed), weights, hops, kept)
            for side, (edges, weights) in enumerate(zip(self.edges, self.weights, strict=True))
        )
        return one, other

    def views(
        self, pairs: Pairs, anchors: Matrix, labelled: tuple[list[Vectors], list[Vectors]] | None
    ) -> evidence.Evidence:
        """Every view there is of these pairs."""
        entities = self.entities(pairs)
        found = [self._unchanging(pairs, entities)]
        if labelled is not None:
            dots = [dense_dots(mine, yours, entities) for mine, yours in zip(*labelled, strict=True)]
            found.append(evidence.of_labels(dots))
            found.append(evidence.of_structure(*self.edges, anchors, entities))
        prior: dict[str, float] = {}
        for part in found:
            prior |= part.prior
        return evidence.Evidence(np.hstack([part.values for part in found]), prior)

    def _unchanging(self, pairs: Pairs, entities: Pairs) -> evidence.Evidence:
        """Names and values, computed once for each pair."""
        keys = pairs.rows * self.width + pairs.columns
        old, kept = self.known.get("keys"), self.known.get("values")
        at = np.searchsorted(old, keys) if old is not None else np.zeros(len(keys), dtype=np.int64)
        met = (old[np.minimum(at, len(old) - 1)] == keys) if old is not None and len(old) else np.zeros(len(keys), bool)
        fresh = self._compared(Pairs(entities.rows[~met], entities.columns[~met]))
        values = np.empty((len(keys), fresh.values.shape[1]), dtype=np.float32)
        values[~met] = fresh.values
        if kept is not None:
            values[met] = kept[at[met]]
        self.known.update(keys=keys, values=values)
        return evidence.Evidence(values, fresh.prior)

    def _compared(self, entities: Pairs) -> evidence.Evidence:
        parts = [evidence.Evidence(np.empty((len(entities.rows), 0), dtype=np.float32), {})]
        if self.names:
            parts.append(evidence.of_names(*self.names, *self.hops, entities))
        if self.values is not None:
            parts.append(evidence.of_values(self.values, entities))
        prior: dict[str, float] = {}
        for part in parts:
            prior |= part.prior
        return evidence.Evidence(np.hstack([part.values for part in parts]), prior)

    def given(self) -> Matrix:
        """Anchors before anything is found: seeds, and equal names met once a side among what is not asked about."""
        asked = self.asked
        rows, columns = asked.seeds[:, 0].astype(np.int64), asked.seeds[:, 1].astype(np.int64)
        if self.names:
            busy = [np.concatenate([asked.rows, rows]), np.concatenate([asked.columns, columns])]
            idle = [np.setdiff1d(np.arange(e.entities), b) for e, b in zip(self.edges, busy, strict=True)]
            one, other = _met_once(self.names[0].whole, idle[0]), _met_once(self.names[1].whole, idle[1])
            shared, at_left, at_right = np.intersect1d(one[0], other[0], assume_unique=True, return_indices=True)
            rows, columns = np.concatenate([rows, one[1][at_left]]), np.concatenate([columns, other[1][at_right]])
        return self.anchors(rows, columns, np.ones(len(rows), dtype=np.float32))

    def anchors(self, rows: NDArray[np.int64], columns: NDArray[np.int64], chances: Singles) -> Matrix:
        """Chances of entity pairs as a matrix over both graphs."""
        shape = (self.edges[0].entities, self.edges[1].entities)
        return sparse.csr_matrix((chances, (rows, columns)), shape=shape)


class Found(NamedTuple):
    """What a round ends with: pairs, what is seen of them, the weights of the views, and each pair's chance."""

    pairs: Pairs
    evidence: evidence.Evidence
    weights: Singles
    logits: Singles
    chances: Singles


def _at(rows: Vectors, places: NDArray[np.int64]) -> Vectors:
    """The rows at these places; themselves where these are all of them in order, as copies are large."""
    return rows if np.array_equal(places, np.arange(len(rows))) else rows[places]


def _names_of(further: Further, entities: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The place among ``entities`` and the position of every name of theirs."""
    often = np.diff(further.starts)[entities]
    place = np.repeat(np.arange(len(entities)), often)
    within = np.arange(len(place)) - np.repeat(np.cumsum(often) - often, often)
    return place, further.starts[entities][place] + within


def _met_once(keys: NDArray[np.int64], among: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Keys that one entity alone of the whole side has, where it is among these; and those entities."""
    known, first, often = np.unique(keys, return_index=True, return_counts=True)
    once = (often == 1) & (known >= 0) & np.isin(first, among)
    return known[once], first[once]


def compare(left: EntityGraph, right: EntityGraph, embedder: Embedder, asked: Asked, options: Options) -> Comparison:
    """Both graphs made ready; names are embedded here."""
    edges = (edges_of(left), edges_of(right))
    weights = (adjacency(edges[0]), adjacency(edges[1]))
    named = options.names == "native" and any(left.names) and any(right.names)
    names = compare_ready(left.names, right.names, embedder, seed=options.seed) if named else None
    if names and (left.aliases or right.aliases):
        further = all_names(left.names, right.names, (left.aliases, right.aliases), embedder, seed=options.seed)
        names = (names[0]._replace(further=further[0]), names[1]._replace(further=further[1]))
    hops: tuple[list[Vectors], list[Vectors]] = ([], [])
    if names:
        kept = np.float16 if len(left) + len(right) > LARGE else np.float32
        hops = (
            spread(names[0].vectors, weights[0], options.hops, kept),
            spread(names[1].vectors, weights[1], options.hops, kept),
        )
    return Comparison(asked, options, edges, weights, names, hops, shared_values(left, right))


Entities: TypeAlias = "Sequence[str] | Sequence[int] | NDArray[np.integer]"
Links: TypeAlias = "Sequence[tuple[str, str]] | Sequence[tuple[int, int]] | NDArray[np.integer]"
Longs = NDArray[np.int64]

_LESSONS = 2000  # seeds that weights are learnt from; more would teach nothing new


class Asked(NamedTuple):
    """Rows are the sources without a seed, then seeds to learn from; columns the targets left, then seeds' targets."""

    sources: Integers  # as asked
    targets: Integers
    seeds: Integers  # (s, 2)
    rows: Longs  # entity of the left behind each row
    columns: Longs  # entity of the right behind each column
    open_rows: int  # the first so many rows are asked, the rest are lessons
    open_columns: int  # the first so many columns can be given
    answers: Longs  # the column of each lesson


def asked(
    left: EntityGraph,
    right: EntityGraph,
    seeds: Links,
    sources: Entities | None,
    targets: Entities | None,
    options: Options,
) -> Asked:
    """Indices for what was named by index or IRI; ValueError for what is in neither graph."""
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
    return Asked(
        mine,
        yours,
        links,
        np.concatenate([open_rows, lessons[:, 0]]).astype(np.int64),
        columns,
        len(open_rows),
        len(open_columns),
        place[lessons[:, 1]],
    )


def _links(left: EntityGraph, right: EntityGraph, seeds: Links) -> Integers:
    if len(seeds) and isinstance(seeds[0][0], str):
        named = cast("Sequence[tuple[str, str]]", seeds)
        rows = [(_index(left, one, "seed"), _index(right, other, "seed")) for one, other in named]
        found = np.array(rows, dtype=np.int32)
    else:
        found = np.asarray(seeds, dtype=np.int32).reshape(-1, 2)
    if len(found) and (found.min() < 0 or (found.max(axis=0) >= (len(left), len(right))).any()):
        raise ValueError("a seed names an entity beyond the end of its graph")
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
