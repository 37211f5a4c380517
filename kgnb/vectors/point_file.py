"""The points of a vector index in a folder: an SQLite file of vectors and JSON, and no pickle."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from kgnb.files import from_json
from kgnb.sqlite_file import SqliteFile
from kgnb.vectors.embedder import Vectors
from kgnb.vectors.index import Point


class PointFile(SqliteFile):
    """Collections, their views and their points, for one process at a time.

    A view is a row whose id is the length of its vectors; a point is a row of float32 and its
    payload in JSON.

    Raises:
        Locked: another process has it open.
    """

    what, table, version = "the file of vectors", "points", 1
    columns = (
        "(collection TEXT NOT NULL, view TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, "
        "vector BLOB, payload TEXT, PRIMARY KEY (collection, view, kind, id))"
    )
    patience = 0.5

    def collections(self) -> dict[str, dict[str, int]]:
        """The views of each collection, with the lengths of their vectors."""
        kept: dict[str, dict[str, int]] = {}
        with self.use() as db:
            rows = db.execute("SELECT collection, view, id FROM points WHERE kind = 'view'")
            for collection, view, dimensions in rows.fetchall():
                kept.setdefault(collection, {})[view] = int(dimensions)
        return kept

    def points(self, collection: str) -> Iterator[Point]:
        """The points of a collection."""
        with self.use() as db:
            rows = db.execute(
                "SELECT view, id, vector, payload FROM points WHERE collection = ? AND kind = 'point'",
                (collection,),
            ).fetchall()
        for view, id, vector, payload in rows:
            kept = from_json(payload)
            if not isinstance(kept, dict):
                raise self.damaged("it holds a payload that is not one")
            yield Point(id, view, np.frombuffer(vector, dtype="<f4"), kept)

    def create(self, collection: str, views: Mapping[str, int]) -> None:
        """Add a collection."""
        self.insert(
            [(collection, view, "view", str(size), None, None) for view, size in views.items()]
        )

    def add(self, collection: str, points: Sequence[tuple[Point, Vectors]]) -> None:
        """Write points, in place of those with their ids, in one transaction."""
        with self.use() as db, db:
            db.execute("BEGIN IMMEDIATE")
            db.executemany(
                "INSERT OR REPLACE INTO points VALUES (?, ?, 'point', ?, ?, ?)",
                [
                    (collection, point.view, point.id, vector.astype("<f4").tobytes(), made)
                    for point, vector in points
                    for made in [json.dumps(dict(point.payload), ensure_ascii=True)]
                ],
            )

    def _opened(self) -> sqlite3.Connection:
        db = super()._opened()
        try:
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            # the lock is taken by the first write, and held from then on
            db.execute("BEGIN EXCLUSIVE")
            db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        return db
