"""What every vector index checks and orders alike, so that a change of store changes no result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from kgnb.errors import BackendError
from kgnb.vectors.embedder import Vectors
from kgnb.vectors.index import Hit, Payload, Point

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
