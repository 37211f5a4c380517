"""The content cache of vectors: a text is embedded only once per embedder."""

from __future__ import annotations

import hashlib
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from kgnb.errors import DataError, NotKept
from kgnb.sqlite_file import InUse, SqliteFile
from kgnb.vectors.embedder import Embedder, Vectors


class VectorCache(SqliteFile):
    """Vectors by embedder name and SHA-256 of the text.

    It holds no texts, so it can be given to a colleague who may see the vectors but not the
    ontology.
    """

    what, table = "the cache of vectors", "vectors"
    version = 2  # version 1 stored every vector whole, which can still be read
    columns = "(embedder TEXT NOT NULL, key BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (embedder, key))"

    def __init__(self, path: Path | str) -> None:
        with suppress(InUse):  # it may be free by the time it is used
            super().__init__(path)

    def get(self, embedder: str, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors there are, each of shape (dimensions,)."""
        rows = self.select(
            "SELECT key, vector FROM vectors WHERE embedder = ? AND key IN", embedder, keys
        )
        return {key: self._vector(blob) for key, blob in rows}

    def put(self, embedder: str, vectors: Mapping[bytes, Vectors]) -> None:
        """Add vectors in one transaction; existing ones stay."""
        self.insert([(embedder, key, _packed(vector)) for key, vector in vectors.items()])

    def _vector(self, blob: object) -> Vectors:
        """The stored vector, which must be finite and of unit length, as it was written."""
        vector = _unpacked(blob) if isinstance(blob, bytes) else None
        if vector is None:
            raise self.damaged("it holds something that is not a vector")
        length = float(np.linalg.norm(vector.astype(np.float64)))
        if not (abs(length - 1.0) < 1e-3 or length == 0.0):
            raise self.damaged(
                f"it holds a vector of length {length:.3g}, and all should have length 1"
            )
        return vector


class CachedEmbedder:
    """An embedder that asks another one only for texts it has not seen.

    ``computed`` and ``reused`` count distinct texts over all calls; ``on_progress(done, total)`` is
    called in the calling thread, once for what the cache had and again after every batch. Each
    batch is saved as it comes: a run that is killed loses at most one. If the cache is locked,
    read-only or on a full disk, a warning (NotKept) says so and the texts are embedded without it;
    with a service that costs money that is an error instead.
    """

    def __init__(
        self,
        embedder: Embedder,
        cache: VectorCache,
        *,
        batch_size: int = 64,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> None:
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, not {batch_size}")
        self.embedder = embedder
        self.cache = cache
        self.on_progress = on_progress
        self.computed = 0
        self.reused = 0
        self._batch_size = batch_size
        self._counting = threading.Lock()
        self._lost = False

    @property
    def name(self) -> str:
        """The wrapped embedder's name: the vectors are the same."""
        return self.embedder.name

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self.embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length float32 row per text, in order; an empty text gives a zero row."""
        distinct = {_key(text): text for text in texts if text}
        found = self._cached(list(distinct))
        missing = [(key, text) for key, text in distinct.items() if key not in found]
        missing.sort(key=lambda entry: len(entry[1]))  # texts of one length cost less together
        with self._counting:
            self.reused += len(found)
        self._report(len(found), len(distinct))
        for start in range(0, len(missing), self._batch_size):
            batch = missing[start : start + self._batch_size]
            rows = self.embedder.embed([text for _, text in batch])
            fresh = {key: row for (key, _), row in zip(batch, rows, strict=True)}
            self._save(fresh)
            found.update(fresh)
            with self._counting:
                self.computed += len(batch)
            self._report(len(found), len(distinct))
        return self._rows(texts, found)

    def _cached(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        try:
            return {} if self._lost else self.cache.get(self.name, keys)
        except InUse as error:
            self._lose(error)
            return {}

    def _save(self, fresh: Mapping[bytes, Vectors]) -> None:
        try:
            if not self._lost:
                self.cache.put(self.name, fresh)
        except InUse as error:
            self._lose(error)

    def _lose(self, error: InUse) -> None:
        if getattr(self.embedder, "paid", False):
            raise error
        self._lost = True
        warnings.warn(f"vectors are not kept: {error.what}. {error.fix}", NotKept, stacklevel=4)

    def _rows(self, texts: Sequence[str], found: Mapping[bytes, Vectors]) -> Vectors:
        lengths = {len(vector) for vector in found.values()} or {self.dimensions}
        if len(lengths) > 1:
            raise DataError(
                f"The vectors of {self.name} have different lengths: {sorted(lengths)}.",
                where=str(self.cache.path),
                fix="The model behind this name has changed: name it with its version, or delete the cache file.",
            )
        vectors = np.zeros((len(texts), lengths.pop()), dtype=np.float32)
        for row, text in enumerate(texts):
            if text:
                vectors[row] = found[_key(text)]
        return vectors

    def _report(self, done: int, total: int) -> None:
        if self.on_progress is not None:
            self.on_progress(done, total)


def _packed(vector: Vectors) -> bytes:
    """The vector's parts, 4 bytes each; if most are zero (counts of characters), its length and
    only the others.
    """
    places = np.flatnonzero(vector)
    if len(vector) >= 1 << 16 or 12 * len(places) > 4 * len(vector):
        return np.ascontiguousarray(vector, dtype="<f4").tobytes()
    numbers = np.concatenate([[len(vector)], places]).astype("<u2")
    return (
        b"\0" + numbers.tobytes() + vector[places].astype("<f4").tobytes()
    )  # an odd number of bytes


def _unpacked(blob: bytes) -> Vectors | None:
    """The vector that was packed, bit for bit; None for anything else."""
    if len(blob) % 4 == 0:
        return np.frombuffer(blob, dtype="<f4").astype(np.float32) if blob else None
    number, rest = divmod(len(blob) - 3, 6)
    if rest or number < 0 or blob[0]:
        return None
    numbers = np.frombuffer(blob, dtype="<u2", offset=1, count=1 + number)
    if number and numbers[1:].max() >= numbers[0]:
        return None
    vector = np.zeros(int(numbers[0]), dtype=np.float32)
    vector[numbers[1:]] = np.frombuffer(blob, dtype="<f4", offset=3 + 2 * number)
    return vector


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
