"""The cache as a folder of text files, from which a colleague replays runs without key or network.

``replies/<digest>.json``, ``verdicts.jsonl`` and ``vectors.jsonl`` (Base64 of little-endian
float32). The same cache gives the same bytes.
"""

from __future__ import annotations

import base64
import json
import sqlite3
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from kgnb.errors import DataError
from kgnb.files import from_json, make_private, write_whole
from kgnb.judging.memory import VerdictStore
from kgnb.llm.replay import ReplayCache
from kgnb.sqlite_file import TODAY, remove
from kgnb.vectors.cached_embedder import VectorCache

FILES = {"replies": "replies.sqlite", "verdicts": "verdicts.sqlite", "vectors": "vectors.sqlite"}
GRAPHS = "graphs"
"""What is kept of large graphs, one file each in the folder ``names``: the names of their entities."""
KINDS = (*FILES, GRAPHS)
COLUMNS = {
    "verdicts": (
        "judge",
        "question",
        "decision",
        "choice",
        "confidence",
        "rationale",
        "signed",
        "also",
    ),
    "vectors": ("embedder", "key", "vector"),
}


def contents(cache: Path) -> dict[str, tuple[int, int]]:
    """The number of replies, verdicts, vectors and graphs in a cache, and their size in bytes."""
    found = {}
    for name, file in FILES.items():
        path = cache / file
        count = next(_rows(path, f"SELECT count(*) FROM {name}"), (0,))[0]
        found[name] = (int(count), path.stat().st_size if path.is_file() else 0)
    graphs = _graphs(cache)
    found[GRAPHS] = (len(graphs), sum(path.stat().st_size for path in graphs))
    return found


def _graphs(cache: Path) -> list[Path]:
    return sorted((cache / "names").glob("*.sqlite"))


def export_cache(cache: Path, folder: Path | str, *, vectors: bool = True) -> dict[str, int]:
    """Write a cache to a folder; returns how many of each were written."""
    folder = Path(folder)
    (folder / "replies").mkdir(parents=True, exist_ok=True)
    counts = {"replies": 0}
    if (cache / FILES["replies"]).is_file():
        with closing(ReplayCache(cache / FILES["replies"])) as replies:
            counts["replies"] = replies.export_folder(folder / "replies")
    for name in ("verdicts", "vectors") if vectors else ("verdicts",):
        columns = COLUMNS[name]
        lines = [
            json.dumps(dict(zip(columns, map(_written, row), strict=True)), ensure_ascii=False)
            for row in _rows(
                cache / FILES[name], f"SELECT {', '.join(columns)} FROM {name} ORDER BY 1, 2"
            )
        ]
        write_whole(folder / f"{name}.jsonl", "".join(f"{line}\n" for line in lines))
        counts[name] = len(lines)
    return counts


def import_cache(cache: Path, folder: Path | str) -> dict[str, int]:
    """Import what ``export_cache`` wrote (or a bare folder of replies); returns how many of each
    were new.

    Raises:
        DataError: the folder is not an export, or a file is damaged.
    """
    folder = Path(folder)
    home = folder / "replies" if (folder / "replies").is_dir() else folder
    if home is folder and not any(folder.glob("*.json")):
        raise DataError(
            "there is no exported cache",
            where=str(folder),
            fix="Name the folder that the export wrote.",
        )
    make_private(cache)
    with closing(ReplayCache(cache / FILES["replies"])) as replies:
        counts = {"replies": replies.import_folder(home)}
    for name, opened in (("verdicts", VerdictStore), ("vectors", VectorCache)):
        if (folder / f"{name}.jsonl").is_file():
            opened(
                cache / FILES[name]
            ).close()  # creates the table, and refuses a file of another kind
            counts[name] = _insert(cache / FILES[name], name, folder / f"{name}.jsonl")
    return counts


def clear_cache(cache: Path, names: Sequence[str] = KINDS) -> dict[str, int]:
    """Delete these kinds of entries, also while processes use the cache; returns how many of each
    there were.

    Raises:
        ValueError: there is no such kind.
        DataError: a file is not a cache of ours, or damaged.
    """
    if unknown := [name for name in names if name not in KINDS]:
        raise ValueError(f"the cache does not hold {unknown[0]!r}\nIt holds: {', '.join(KINDS)}.")
    counts = {name: contents(cache)[name][0] for name in names}
    for name in names:
        if name == GRAPHS:
            for path in _graphs(cache):
                remove(path)
        elif counts[name]:
            with closing(sqlite3.connect(cache / FILES[name], timeout=60)) as db:
                with db:
                    db.execute(f"DELETE FROM {name}")
                db.execute("VACUUM")
    return counts


DATED = {"replies": ReplayCache, "verdicts": VerdictStore}


def forget(cache: Path, text: str) -> dict[str, int]:
    """Delete every reply and verdict that holds a text, in whatever case or Unicode form, also
    while processes use the cache, and overwrite where it stood; and what is kept of every graph
    that names it. Returns how many of each there were.

    Vectors are kept by a digest of their text, which cannot be searched.
    """
    if not text.strip():
        raise ValueError("there is no text to forget")
    # what is no JSON after all may hold it as JSON in ASCII would
    wanted = [_plain(one) for one in (text, json.dumps(text)[1:-1])]

    def holds(kept: str | bytes | float | None) -> bool:
        if not isinstance(kept, str | bytes):
            return False
        whole = kept if isinstance(kept, str) else kept.decode("utf-8", "replace")
        plain = _plain("\n".join(_texts(whole)))
        return any(one in plain for one in wanted)

    counts = {}
    for name, columns in (("replies", ("request", "reply")), ("verdicts", COLUMNS["verdicts"])):
        where = " OR ".join(f"holds({column})" for column in columns)
        counts[name] = _forgotten(cache, name, where, [], holds)
    naming = [
        path
        for path in _graphs(cache)
        if any(holds(name) for (name,) in _rows(path, "SELECT name FROM names"))
    ]
    for path in naming:
        remove(path)
    counts[GRAPHS] = len(naming)
    return counts


def _plain(text: str) -> str:
    """A text in one spelling: an accent is one character or two, a name may begin a new line."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value; those of a text that is JSON, instead of itself."""
    if isinstance(value, str):
        inner: Any = None
        if value[:1] in ("{", "["):
            with suppress(ValueError):
                inner = from_json(value)
        if inner is None:
            yield value
        else:
            yield from _texts(inner)
    elif isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)


def forget_older(cache: Path, days: int) -> dict[str, int]:
    """Delete every reply and verdict that was kept more than so many days ago, as ``forget`` does.

    What a version of kgnb without dates has kept counts as older.
    """
    counts = {}
    for name, kind in DATED.items():
        if (cache / FILES[name]).is_file():
            # keeps days from now on, if it does not yet
            kind(cache / FILES[name]).close()
        entry = kind.dated.replace("new.", "")
        where = f"{entry} NOT IN (SELECT entry FROM days WHERE day >= {TODAY} - ?)"
        counts[name] = _forgotten(cache, name, where, [days])
    return counts


def _forgotten(
    cache: Path,
    name: str,
    where: str,
    values: Sequence[Any],
    holds: Callable[[Any], bool] = bool,
) -> int:
    if not (cache / FILES[name]).is_file():
        return 0
    with closing(sqlite3.connect(cache / FILES[name], timeout=60)) as db:
        db.create_function("holds", 1, holds, deterministic=True)
        db.execute("PRAGMA secure_delete = ON")
        with db:
            count = db.execute(f"DELETE FROM {name} WHERE {where}", values).rowcount
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return count


def _insert(path: Path, name: str, file: Path) -> int:
    columns = COLUMNS[name]
    rows = list(_read(file, columns))
    with closing(sqlite3.connect(path, timeout=60)) as db, db:
        marks = ", ".join("?" * len(columns))
        query = f"INSERT OR IGNORE INTO {name} ({', '.join(columns)}) VALUES ({marks})"
        return max(0, db.executemany(query, rows).rowcount)


def _read(file: Path, columns: Sequence[str]) -> Iterator[list[Any]]:
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                content = from_json(line)
                row = [content[column] for column in columns]
                yield [
                    base64.b64decode(value["base64"]) if isinstance(value, dict) else value
                    for value in row
                ]
            except (ValueError, KeyError, TypeError) as error:
                fix = "Export it again, or delete this line."
                raise DataError(
                    f"not an exported entry: {error}", where=f"{file}:{number}", fix=fix
                ) from error


def _rows(path: Path, query: str) -> Iterator[tuple[Any, ...]]:
    if not path.is_file():
        return
    try:
        with closing(sqlite3.connect(path, timeout=60)) as db:
            yield from db.execute(query)
    except sqlite3.Error as error:
        raise DataError(
            f"cannot be read: {error}", where=str(path), fix="Move it away to start a new one."
        ) from error


def _written(value: Any) -> Any:
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value
