"""What an embedder is: texts in, unit-length vectors out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]  # shape (texts, dimensions)


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors; the same text gives the same vector, whatever else is in the batch."""

    @property
    def name(self) -> str:
        """The model and its version: vectors of different names are never compared."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length float32 row per text, in order; an empty text gives a zero row."""
