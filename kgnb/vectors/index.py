"""What a vector index is: collections of points with named vectors and a payload."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from kgnb.errors import BackendError
from kgnb.vectors.embedder import Vectors

Payload = Mapping[str, str | int | float | bool | None]


@dataclass(frozen=True, slots=True)
class Point:
    """One stored text: which named vector (``view``) it fills, its vector, and what it is about."""

    id: str  # any text; the same id and view overwrite
    view: str
    vector: Sequence[float] | Vectors  # a row of a matrix takes a tenth of the memory of a list
    payload: Payload = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hit:
    """One point found by a search; ``score`` is the cosine."""

    id: str
    score: float
    payload: Payload


@runtime_checkable
class VectorIndex(Protocol):
    """Named collections of points, read or searched view by view."""

    @property
    def name(self) -> str:
        """The index's name in messages: memory, a folder or a URL."""

    def collections(self) -> tuple[str, ...]:
        """The names of its collections, sorted."""

    def create(self, collection: str, views: Mapping[str, int]) -> None:
        """Create an empty collection with these named vectors and their lengths; an existing one
        stays as it is.
        """

    def add(self, collection: str, points: Sequence[Point]) -> None:
        """Write points, in batches; all are checked before any is written."""

    def count(self, collection: str) -> int:
        """How many points a collection holds; 0 if it does not exist."""

    def read(self, collection: str, view: str) -> tuple[list[str], list[Payload], Vectors]:
        """All ids (sorted), payloads and vectors (of unit length, or zero) of one view."""

    def search(
        self,
        collection: str,
        view: str,
        vector: Sequence[float] | Vectors,
        *,
        k: int,
        kind: str = "",
    ) -> list[Hit]:
        """The ``k`` points of one view (of one kind, if given) nearest to a vector, best first,
        equal scores by id.
        """

    @property
    def searches(self) -> bool:
        """Whether the nearest are found where they are stored, and need not be read for it."""

    def search_many(
        self,
        collection: str,
        view: str,
        vectors: Vectors,
        *,
        k: int,
        where: Mapping[str, str],
    ) -> list[list[Hit]]:
        """About the ``k`` nearest of each of many vectors, among points whose payload is so."""

    def close(self) -> None:
        """Let go of files and connections; closing twice is allowed."""


def nearest_points(
    ids: Sequence[str],
    payloads: Sequence[Payload],
    stored: Vectors,
    vector: Sequence[float] | Vectors,
    k: int,
    kind: str,
) -> list[Hit]:
    """The ``k`` points (of one kind, if given) nearest to a vector; cosines of 6 places, which tie
    in any store.
    """
    query = unit_vector(vector, stored.shape[1]).astype(np.float64)
    if not np.any(query):
        return []  # nothing is near to an empty text
    rows = [row for row, payload in enumerate(payloads) if not kind or payload.get("kind") == kind]
    scores = np.round(stored[rows] @ query, 6) + 0.0
    best = sorted(
        zip(scores.tolist(), rows, strict=True), key=lambda found: (-found[0], ids[found[1]])
    )
    return [Hit(ids[row], score, payloads[row]) for score, row in best[:k]]


_FORBIDDEN = frozenset('<>:"/\\|?*\0\x1f')
RESERVED = "_kgnb"  # the payload key under which a store keeps a point's id and view


def checked_name(name: str, what: str = "collection") -> str:
    """The name, if every store accepts it as one (no path parts, at most 200 bytes); ValueError
    otherwise.
    """
    if (
        not name
        or name in {".", ".."}
        or len(name.encode("utf-8", "replace")) > 200
        or set(name) & _FORBIDDEN
    ):
        raise ValueError(
            f'{name!r} cannot name a {what}: 1 to 200 bytes, none of < > : " / \\ | ? *'
        )
    return name


def checked_views(views: Mapping[str, int]) -> dict[str, int]:
    """The views, sorted; ValueError for names or lengths that some store would refuse."""
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


def checked_point(point: Point, views: Mapping[str, int]) -> Vectors:
    """The point's vector as float32, of unit length or zero; ValueError if the point cannot be
    stored.
    """
    if not point.id or not _is_text(point.id):
        raise ValueError(
            f"{point.id!r} cannot be a point's id: it must be some text without half surrogate pairs"
        )
    dimensions = checked_view(point.view, views)
    for key, value in point.payload.items():
        if key == RESERVED or not _is_text(key):
            raise ValueError(f"{key!r} cannot be a payload key")
        if (isinstance(value, str) and not _is_text(value)) or (
            isinstance(value, float) and not math.isfinite(value)
        ):
            raise ValueError(f"{value!r} cannot be a payload value: JSON cannot hold it")
    return unit_vector(point.vector, dimensions)


def unit_vector(vector: Sequence[float] | Vectors, dimensions: int) -> Vectors:
    """The vector as float32, of unit length or zero; ValueError if its length or a part is wrong."""
    values = np.asarray(vector, dtype=np.float64)
    if values.shape != (dimensions,):
        raise ValueError(
            f"a vector of shape {values.shape} does not fit a view of {dimensions} dimensions"
        )
    if not np.isfinite(values).all():
        raise ValueError("a vector holds a part that is not a finite number")
    return (values / (np.linalg.norm(values) or 1.0)).astype(np.float32)


def no_collection(service: str, collection: str, existing: Sequence[str]) -> BackendError:
    """The error of any index for a collection that it does not have."""
    known = ", ".join(map(repr, existing)) or "none"
    return BackendError(
        f"The vector index ({service}) has no collection {collection!r}; it has: {known}.",
        service=service,
        fix="Store the ontology first (create the collection and add its points), or check the name.",
    )


def matrix(rows: Sequence[Sequence[float] | Vectors], dimensions: int) -> Vectors:
    """The rows as one float32 matrix, even if there are none."""
    return np.asarray(rows, dtype=np.float32).reshape(len(rows), dimensions)


def _is_text(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


class MemoryIndex:
    """A ``VectorIndex`` in this process, gone when closed."""

    name = "memory"
    searches = False

    def __init__(self) -> None:
        # of each collection: the lengths of its views, and its points by view and id
        self._collections: dict[
            str, tuple[dict[str, int], dict[tuple[str, str], tuple[Payload, Vectors]]]
        ] = {}
        self._lock = threading.RLock()

    def collections(self) -> tuple[str, ...]:
        """The names of its collections, sorted."""
        with self._lock:
            return tuple(sorted(self._collections))

    def create(self, collection: str, views: Mapping[str, int]) -> None:
        """Create an empty collection with these named vectors and their lengths; an existing one
        stays as it is.
        """
        with self._lock:
            self._collections.setdefault(checked_name(collection), (checked_views(views), {}))

    def add(self, collection: str, points: Sequence[Point]) -> None:
        """Write points; all are checked before any is written."""
        with self._lock:
            views, held = self._collection(collection)
            vectors = [checked_point(point, views) for point in points]
            for point, vector in zip(points, vectors, strict=True):
                held[point.view, point.id] = (dict(point.payload), vector)

    def count(self, collection: str) -> int:
        """How many points a collection holds; 0 if it does not exist."""
        with self._lock:
            return len(self._collection(collection)[1]) if collection in self._collections else 0

    def read(self, collection: str, view: str) -> tuple[list[str], list[Payload], Vectors]:
        """All ids (sorted), payloads and vectors of one view."""
        with self._lock:
            views, held = self._collection(collection)
            dimensions = checked_view(view, views)
            ids = sorted(id for one, id in held if one == view)
            points = [held[view, id] for id in ids]
        return (
            ids,
            [dict(payload) for payload, _ in points],
            matrix([vector for _, vector in points], dimensions),
        )

    def search(
        self,
        collection: str,
        view: str,
        vector: Sequence[float] | Vectors,
        *,
        k: int,
        kind: str = "",
    ) -> list[Hit]:
        """The ``k`` points of one view (of one kind, if given) nearest to a vector, best first,
        equal scores by id.
        """
        return nearest_points(*self.read(collection, view), vector, k, kind)

    def search_many(
        self,
        collection: str,
        view: str,
        vectors: Vectors,
        *,
        k: int,
        where: Mapping[str, str],
    ) -> list[list[Hit]]:
        """The ``k`` nearest of each of many vectors, among points whose payload is so."""
        ids, payloads, stored = self.read(collection, view)
        rows = [n for n, payload in enumerate(payloads) if where.items() <= payload.items()]
        kept = [ids[n] for n in rows], [payloads[n] for n in rows], stored[rows]
        return [nearest_points(*kept, vector, k, "") for vector in vectors]

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._collections.clear()

    def _collection(
        self, name: str
    ) -> tuple[dict[str, int], dict[tuple[str, str], tuple[Payload, Vectors]]]:
        if name not in self._collections:
            raise no_collection(self.name, name, self.collections())
        return self._collections[name]
