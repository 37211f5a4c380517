"""What a vector index is: collections of points with named vectors and a payload."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from kgnb.errors import BackendError
from kgnb.vectors.embedder import Vectors

Payload = Mapping[str, str | int | float | bool | None]


@dataclass(frozen=True, slots=True)
class Point:
    """One stored text: which named vector (``view``) it fills, its vector, and what it is about."""

    id: str  # any string; the same id overwrites
    view: str
    vector: Sequence[float] | Vectors  # a row of a matrix takes a tenth of the memory of a list
    payload: Payload = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result, best first; ``score`` is the cosine."""

    id: str
    score: float
    payload: Payload


@runtime_checkable
class VectorIndex(Protocol):
    """Named collections of points. Results are totally ordered: by score, then by id."""

    @property
    def name(self) -> str:
        """How messages call this index: memory, a folder or a URL."""

    def collections(self) -> tuple[str, ...]:
        """The names of the collections there are, sorted."""

    def create(self, collection: str, views: Mapping[str, int]) -> None:
        """Make an empty collection with these named vectors and their lengths; one that exists is kept as it is."""

    def add(self, collection: str, points: Sequence[Point]) -> None:
        """Write points, in batches; writing the same point twice leaves one."""

    def count(self, collection: str) -> int:
        """How many points a collection holds; 0 where there is none."""

    def read(self, collection: str, view: str) -> tuple[list[str], list[Payload], Vectors]:
        """All ids (sorted), payloads and vectors of one view: what a blocked product over all pairs reads once."""

    def search(
        self, collection: str, view: str, vector: Sequence[float], *, k: int, where: Payload | None = None
    ) -> list[Hit]:
        """The ``k`` nearest points of one view whose payload equals ``where`` in every key given."""

    def delete(self, collection: str) -> None:
        """Drop a collection; one that is not there is no error."""

    def close(self) -> None:
        """Let go of files and connections; closing twice is allowed."""


_FORBIDDEN = frozenset('<>:"/\\|?*\0\x1f')
RESERVED = "_kgnb"  # the payload key under which a store keeps a point's id and view


def checked_name(name: str, what: str = "collection") -> str:
    """The name, where every store takes it as a name (no path parts, at most 200 bytes); ValueError otherwise."""
    if not name or name in {".", ".."} or len(name.encode("utf-8", "replace")) > 200 or set(name) & _FORBIDDEN:
        raise ValueError(f'{name!r} cannot name a {what}: 1 to 200 bytes, none of < > : " / \\ | ? *')
    return name


def checked_vector(vector: Sequence[float] | Vectors, dimensions: int) -> Vectors:
    """The vector as float32, of unit length or zero; ValueError if its length or a part does not do."""
    values = np.asarray(vector, dtype=np.float64)
    if values.shape != (dimensions,):
        raise ValueError(f"a vector of shape {values.shape} does not fit a view of {dimensions} dimensions")
    if not np.isfinite(values).all():
        raise ValueError("a vector holds a part that is not a finite number")
    length = np.linalg.norm(values)
    return (values / (length if length > 0 else 1.0)).astype(np.float32)


def checked_point(point: Point, views: Mapping[str, int]) -> Vectors:
    """The point's unit (or zero) float32 vector; ValueError if it fits no view or cannot be written as JSON."""
    if not point.id or not _is_text(point.id):
        raise ValueError(f"{point.id!r} cannot be a point's id: it must be some text without half surrogate pairs")
    dimensions = checked_view(point.view, views)
    for key, value in point.payload.items():
        if key == RESERVED or '"' in key or not _is_text(key):
            raise ValueError(f"{key!r} cannot be a payload key")
        if (isinstance(value, str) and not _is_text(value)) or (isinstance(value, float) and not math.isfinite(value)):
            raise ValueError(f"{value!r} cannot be a payload value: it has no JSON")
    return checked_vector(point.vector, dimensions)


def checked_views(views: Mapping[str, int]) -> dict[str, int]:
    """The views as a plain dict, sorted; ValueError for names or lengths that some store would refuse."""
    if not views:
        raise ValueError("a collection needs at least one view")
    for view, dimensions in views.items():
        checked_name(view, "view")
        if not 1 <= dimensions <= 65536:
            raise ValueError(f"view {view!r} cannot have {dimensions} dimensions: 1 to 65536")
    return dict(sorted(views.items()))


def checked_view(view: str, views: Mapping[str, int]) -> int:
    """The view's length; ValueError if the collection has no such view."""
    if view not in views:
        raise ValueError(f"there is no view {view!r}: the collection has {sorted(views)}")
    return views[view]


def no_collection(service: str, collection: str, there: Sequence[str]) -> BackendError:
    """What any index says about a collection it does not have."""
    known = ", ".join(map(repr, there)) or "none"
    return BackendError(
        f"The vector index ({service}) has no collection {collection!r}; it has: {known}.",
        service=service,
        fix="Store the ontology first (create the collection and add its points), or check the name.",
    )


def meets(payload: Payload, where: Payload | None) -> bool:
    """Whether the payload equals ``where`` in every key given. Numbers compare as numbers; True is not 1."""
    return all(key in payload and _same(payload[key], value) for key, value in (where or {}).items())


def ordered(
    vector: Sequence[float] | Vectors, found: Iterable[tuple[str, Payload, Sequence[float] | Vectors]], k: int
) -> list[Hit]:
    """The ``k`` best of the points found: highest cosine first, then by id.

    Cosines are computed here, in float64 and rounded to 6 places, rather than taken from the store: what two stores
    found then has the same scores, and equal vectors tie exactly.
    """
    query = np.asarray(vector, dtype=np.float64)
    hits = []
    for id, payload, stored in found:
        other = np.asarray(stored, dtype=np.float64)
        lengths = np.linalg.norm(query) * np.linalg.norm(other)
        score = round(float(query @ other / lengths), 6) + 0.0 if lengths > 0 else 0.0
        hits.append(Hit(id, score, payload))
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:k]


def matrix(rows: Sequence[Sequence[float] | Vectors], dimensions: int) -> Vectors:
    """The rows as one float32 matrix, also where there are none."""
    return np.asarray(rows, dtype=np.float32).reshape(len(rows), dimensions)


def _same(one: str | int | float | bool | None, other: str | int | float | bool | None) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _is_text(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


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
