"""A vector index in plain numpy: what ``memory`` is, and what every other index is held against."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kgnb.vectors.embedder import Vectors
from kgnb.vectors.index import Hit, Payload, Point
from kgnb.vectors.points import (
    checked_name,
    checked_point,
    checked_vector,
    checked_view,
    checked_views,
    matrix,
    meets,
    no_collection,
    ordered,
)

_MARGIN = 2e-5  # a float32 cosine is off by less; whatever is that near to the k-th is ordered exactly


@dataclass
class _View:
    """The points of one view by id; ``pack`` sorts them and makes their vectors the rows of one matrix."""

    dimensions: int
    points: dict[str, tuple[Payload, Vectors]] = field(default_factory=dict)
    packed: tuple[list[str], Vectors] | None = None

    def pack(self) -> tuple[list[str], Vectors]:
        if self.packed is None:
            ids = sorted(self.points)
            vectors = matrix([self.points[id][1] for id in ids], self.dimensions)
            vectors.setflags(write=False)  # it is given to readers as it is
            self.points = {id: (self.points[id][0], row) for id, row in zip(ids, vectors, strict=True)}
            self.packed = ids, vectors
        return self.packed


class MemoryIndex:
    """A ``VectorIndex`` in this process, gone when closed. Compares with every point: 8 ms a search among 20,000."""

    name = "memory"

    def __init__(self) -> None:
        self._collections: dict[str, dict[str, _View]] = {}
        self._lock = threading.RLock()

    def collections(self) -> tuple[str, ...]:
        """The names of the collections there are, sorted."""
        with self._lock:
            return tuple(sorted(self._collections))

    def create(self, collection: str, views: Mapping[str, int]) -> None:
        """Make an empty collection with these named vectors and their lengths; one that exists is kept as it is."""
        empty = {view: _View(dimensions) for view, dimensions in checked_views(views).items()}
        with self._lock:
            self._collections.setdefault(checked_name(collection), empty)

    def add(self, collection: str, points: Sequence[Point]) -> None:
        """Write points; one of the same view and id overwrites. All are checked before any is written."""
        with self._lock:
            views = self._views(collection)
            lengths = {name: view.dimensions for name, view in views.items()}
            vectors = [checked_point(point, lengths) for point in points]
            for point, vector in zip(points, vectors, strict=True):
                views[point.view].points[point.id] = (dict(point.payload), vector)
                views[point.view].packed = None

    def count(self, collection: str) -> int:
        """How many points a collection holds; 0 where there is none."""
        with self._lock:
            return sum(len(view.points) for view in self._collections.get(collection, {}).values())

    def read(self, collection: str, view: str) -> tuple[list[str], list[Payload], Vectors]:
        """All ids (sorted), payloads and vectors of one view."""
        with self._lock:
            kept = self._view(collection, view)
            ids, vectors = kept.pack()
            return list(ids), [dict(kept.points[id][0]) for id in ids], vectors

    def search(
        self, collection: str, view: str, vector: Sequence[float], *, k: int, where: Payload | None = None
    ) -> list[Hit]:
        """The ``k`` nearest points of one view whose payload equals ``where`` in every key given."""
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        with self._lock:
            kept = self._view(collection, view)
            query = checked_vector(vector, kept.dimensions)
            ids, vectors = kept.pack()
            if not np.any(query):
                return []  # nothing is near to an empty text
            rows = np.array([row for row, id in enumerate(ids) if meets(kept.points[id][0], where)], dtype=np.int64)
            cosines = (vectors @ query)[rows]  # what is stored has unit length, or is zero
            if len(rows) > k:
                rows = rows[cosines >= np.partition(cosines, -k)[-k] - _MARGIN]
            found = [(ids[row], dict(kept.points[ids[row]][0]), vectors[row]) for row in rows]
        return ordered(query, found, k)

    def delete(self, collection: str) -> None:
        """Drop a collection; one that is not there is no error."""
        with self._lock:
            self._collections.pop(collection, None)

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._collections.clear()

    def _views(self, collection: str) -> dict[str, _View]:
        if collection not in self._collections:
            raise no_collection(self.name, collection, self.collections())
        return self._collections[collection]

    def _view(self, collection: str, view: str) -> _View:
        views = self._views(collection)
        checked_view(view, {name: kept.dimensions for name, kept in views.items()})
        return views[view]
