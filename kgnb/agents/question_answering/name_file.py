"""The names of one large graph's entities in a file, so that another process need not read them
again.

The file is named by the digest of the graph, and holds what ``Directory`` reads of it, so that it
is never out of date. Without it, or if it is damaged, the names are read from the graph.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from kgnb.errors import DataError, NotKept
from kgnb.files import make_private
from kgnb.kg.terms import Iri
from kgnb.sqlite_file import SqliteFile, remove

Key = tuple[str, ...]
KEPT_FROM = 20_000  # names; fewer are read in a second
MOST = 8  # graphs whose names are kept, those asked last
_JOINT = "\x01"  # between the words of a name: before all letters, so that texts sort as tuples do


class NameFile(SqliteFile):
    """Names by their keys, and by what typos spare."""

    what, version, table = "the index of names", 1, "names"
    columns = "(key TEXT NOT NULL, spared TEXT NOT NULL, iri TEXT NOT NULL, name TEXT NOT NULL)"

    def of(self, key: Key) -> dict[Iri, str]:
        """The entities with this key, each with its name."""
        with self.use() as db:
            rows = db.execute("SELECT iri, name FROM names WHERE key = ?", (_JOINT.join(key),))
            return {Iri(iri): name for iri, name in rows}

    def spared(self, spared: str) -> dict[Key, str]:
        """The keys with this first letter and these numbers, and their texts."""
        with self.use() as db:
            rows = db.execute("SELECT DISTINCT key FROM names WHERE spared = ?", (spared,))
            keys = [tuple(key.split(_JOINT)) for (key,) in rows]
        return {key: " ".join(key) for key in keys}

    def first(self, number: int) -> list[Key]:
        """So many keys, in order."""
        with self.use() as db:
            rows = db.execute("SELECT DISTINCT key FROM names ORDER BY key LIMIT ?", (number,))
            return [tuple(key.split(_JOINT)) for (key,) in rows]


def opened(path: Path) -> NameFile | None:
    """The index in a file; None if there is none that can be used."""
    try:
        if not path.is_file():
            return None
        found = NameFile(path)
        with found.use() as db:
            if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'by_spared'").fetchone():
                os.utime(path)
                return found
        found.close()
    except (DataError, OSError):
        pass
    discard(path)
    return None


def discard(path: Path) -> None:
    """Remove a file that cannot be used, if that can be done."""
    with suppress(OSError):
        remove(path)


def keep(path: Path, names: Iterable[tuple[Key, str, Iri, str]]) -> None:
    """Write an index (key, what typos spare, entity, name), whole or not at all; those of the
    graphs asked longest ago go.
    """
    draft = path.with_name(f".{path.stem}.{os.getpid()}.sqlite")
    try:
        make_private(path.parent)
        discard(draft)
        file = NameFile(draft)
        file.insert([(_JOINT.join(key), *others) for key, *others in names])
        with file.use() as db:
            db.execute("CREATE INDEX by_key ON names (key)")
            db.execute("CREATE INDEX by_spared ON names (spared)")
        file.close()
        os.replace(draft, path)
        for old in sorted(path.parent.glob("*.sqlite"), key=_asked)[:-MOST]:
            discard(old)
    except (DataError, OSError) as error:
        discard(draft)
        said = str(error).partition("\n")[0]
        warnings.warn(f"the names of this graph are not kept: {said}", NotKept, stacklevel=4)


def _asked(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process has removed it
        return 0.0
