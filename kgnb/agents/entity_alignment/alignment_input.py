"""Who is to be aligned with whom: sources, targets and seeds, checked and numbered as rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from kgnb.agents.entity_alignment.graphs import EntityGraph, Integers
from kgnb.agents.entity_alignment.values import Options

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
