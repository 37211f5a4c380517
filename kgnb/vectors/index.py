"""What a vector index is: collections of points with named vectors and a payload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

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
