"""The content cache of vectors: a text is embedded once per embedder, ever."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from kgnb.errors import BackendError, DataError, NotKept
from kgnb.files import PATIENCE, opened, unusable, write_ahead
from kgnb.vectors.embedder import Embedder, Vectors

_FORMAT = 2  # what format 1 wrote is read as well: all vectors whole
_KEYS_A_QUERY = 500  # below SQLite's oldest limit of 999 parameters


class CacheUnusable(BackendError):
    """The cache is locked, read-only or on a full disk; what is in it is sound."""


class VectorCache:
    """Vectors by embedder name and SHA-256 of the text, in one SQLite file (or ``:memory:``).

    Safe to share between threads and processes. It holds no texts, so it can be given to a colleague who may see the
    vectors but not the ontology.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = str(path)
        self._lock = threading.RLock()
        self._process = 0
        self._connection: sqlite3.Connection | None = None
        with suppress(CacheUnusable), self._open():  # one that is only locked may be free by the time it is used
            pass

    def get(self, embedder: str, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors there are, each of shape (dimensions,)."""
        found: dict[bytes, Vectors] = {}
        with self._open() as connection:
            for start in range(0, len(keys), _KEYS_A_QUERY):
                part = keys[start : start + _KEYS_A_QUERY]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, vector FROM vectors WHERE embedder = ? AND key IN ({marks})"
                rows = connection.execute(query, (embedder, *part)).fetchall()
                found.update((key, self._vector(blob)) for key, blob in rows)
        return found

    def put(self, embedder: str, vectors: Mapping[bytes, Vectors]) -> None:
        """Write vectors in one transaction; a key that is there keeps what it has."""
        rows = [(embedder, key, _packed(vector)) for key, vector in vectors.items()]
        with self._open() as connection, connection:
            connection.executemany("INSERT OR IGNORE INTO vectors (embedder, key, vector) VALUES (?, ?, ?)", rows)

    def count(self, embedder: str | None = None) -> int:
        """How many vectors there are, of one embedder or of all."""
        where, values = ("", ()) if embedder is None else (" WHERE embedder = ?", (embedder,))
        with self._open() as connection:
            return int(connection.execute("SELECT count(*) FROM vectors" + where, values).fetchone()[0])

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """The connection, under the lock; SQLite's errors leave as ours."""
        with self._lock:
            try:
                if self._connection is None or self._process != os.getpid():  # a forked child may not use the parent's
                    self._connection = opened(Path(self.path), PATIENCE, self._set_up, "DEFERRED")
                    self._process = os.getpid()
                yield self._connection
            except sqlite3.OperationalError as error:
                what, fix = unusable(Path(self.path), error) or (str(error), "")
                raise CacheUnusable(f"The vector cache {what}.", service=self.path, fix=fix) from error
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                raise self._corrupt(str(error)) from error

    def _set_up(self, db: sqlite3.Connection) -> None:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if not 0 <= version <= _FORMAT:
            raise self._corrupt(f"its format is {version}, this version of kgnb writes format {_FORMAT}")
        write_ahead(db)
        with db:
            db.execute(
                "CREATE TABLE IF NOT EXISTS vectors "
                "(embedder TEXT NOT NULL, key BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (embedder, key))"
            )
            db.execute(f"PRAGMA user_version = {_FORMAT}")

    def _vector(self, blob: object) -> Vectors:
        """The stored vector, checked: a row of finite parts and unit length is what was written."""
        vector = _unpacked(blob) if isinstance(blob, bytes) else None
        if vector is None:
            raise self._corrupt("it holds something that is not a vector")
        length = float(np.linalg.norm(vector.astype(np.float64)))
        if not (abs(length - 1.0) < 1e-3 or length == 0.0):
            raise self._corrupt(f"it holds a vector of length {length:.3g} where all have length 1")
        return vector

    def _corrupt(self, what: str) -> DataError:
        return DataError(
            f"The vector cache is damaged: {what}.",
            where=self.path,
            fix="Delete this file (and the -wal and -shm files beside it); it is filled again as texts are embedded.",
        )


class CachedEmbedder:
    """An embedder that asks another one only for texts it has not seen.

    ``computed`` and ``reused`` count distinct texts over all calls; ``on_progress(done, total)`` is called, in the
    calling thread, once for what the cache had and again after every batch. Batches are committed as they come: a run
    that is killed loses at most one. Where the cache is locked, read-only or on a full disk, that is said (NotKept) and
    the texts are embedded without it, unless a service is paid for them: then it is an error.
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
        """One unit-length float32 row a text, in order; an empty text gives a zero row."""
        distinct = {_key(text): text for text in texts if text}
        found = self._kept(list(distinct))
        missing = [(key, text) for key, text in distinct.items() if key not in found]
        with self._counting:
            self.reused += len(found)
        self._report(len(found), len(distinct))
        for start in range(0, len(missing), self._batch_size):
            batch = missing[start : start + self._batch_size]
            rows = self.embedder.embed([text for _, text in batch])
            fresh = {key: row for (key, _), row in zip(batch, rows, strict=True)}
            self._keep(fresh)
            found.update(fresh)
            with self._counting:
                self.computed += len(batch)
            self._report(len(found), len(distinct))
        return self._rows(texts, found)

    def _kept(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        try:
            return {} if self._lost else self.cache.get(self.name, keys)
        except CacheUnusable as error:
            self._lose(error)
            return {}

    def _keep(self, fresh: Mapping[bytes, Vectors]) -> None:
        try:
            if not self._lost:
                self.cache.put(self.name, fresh)
        except CacheUnusable as error:
            self._lose(error)

    def _lose(self, error: CacheUnusable) -> None:
        if hasattr(self.embedder, "usage"):
            raise error
        self._lost = True
        warnings.warn(f"vectors are not kept: {error.what} {error.fix}", NotKept, stacklevel=4)

    def _rows(self, texts: Sequence[str], found: Mapping[bytes, Vectors]) -> Vectors:
        lengths = {len(vector) for vector in found.values()} or {self.dimensions}
        if len(lengths) > 1:
            raise DataError(
                f"The vectors of {self.name} have different lengths: {sorted(lengths)}.",
                where=self.cache.path,
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
    """Its parts, 4 bytes each; where most are zero (counts of characters) length, places and parts of the others."""
    places = np.flatnonzero(vector)
    if len(vector) >= 1 << 16 or 12 * len(places) > 4 * len(vector):
        return np.ascontiguousarray(vector, dtype="<f4").tobytes()
    numbers = np.concatenate([[len(vector)], places]).astype("<u2")
    return b"\0" + numbers.tobytes() + vector[places].astype("<f4").tobytes()  # an odd number of bytes


def _unpacked(blob: bytes) -> Vectors | None:
    """What was packed, every part equal; None for anything else."""
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
