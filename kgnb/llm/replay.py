"""Replies kept by content: asked once, replayed for ever, handed to a colleague who has neither key nor network."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import threading
import time
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from typing import Literal as OneOf

from kgnb.errors import BackendError, ConfigError, DataError, NotKept
from kgnb.files import PATIENCE, opened, unusable, write_ahead
from kgnb.llm.checking import check_answering
from kgnb.llm.kept import VERSION, Key, reply_from_json, reply_to_json, server_alias, without_secrets
from kgnb.llm.model import ChatModel, Reply, Request, shown

try:
    import fcntl
except ImportError:  # Windows: processes may ask the same question twice at the same moment; threads may not
    fcntl = None  # type: ignore[assignment]

_PLACES = 256  # questions share a place where their digests happen to agree; that costs a wait, no more


class Turns:
    """Locks by digest. A process that dies lets go of its locks; the file beside the cache stays empty."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f"{path.name}-turns")
        self._threads = [threading.Lock() for _ in range(_PLACES)]
        self._opening = threading.Lock()
        self._file: tuple[int, int] | None = None  # the process that opened it, and its descriptor

    @contextmanager
    def of(self, digest: str) -> Iterator[None]:
        """Wait for the turn to ask the question with this (hexadecimal) digest, and hold it."""
        place = int(digest[:8], 16) % _PLACES
        with self._threads[place]:  # POSIX locks do not tell threads apart
            file = self._descriptor()
            if fcntl is None or file is None:
                yield
                return
            while not _taken(file, place):
                time.sleep(0.05)
            try:
                yield
            finally:
                fcntl.lockf(file, fcntl.LOCK_UN, 1, place)

    def _descriptor(self) -> int | None:
        with self._opening:
            if self._file is None or self._file[0] != os.getpid():
                try:
                    self._file = (os.getpid(), os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666))
                except OSError:  # a cache that can only be read
                    return None
            return self._file[1]


def _taken(file: int, place: int) -> bool:
    """Waits for a place; False where the system sees a deadlock with another process: it does not tell threads apart,
    each of which holds one place at most."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX, 1, place)
    except OSError as error:
        if error.errno != errno.EDEADLK:
            raise
        return False
    return True


@cache
def turns(path: Path) -> Turns:
    """Those beside a file, one for a process: a descriptor stays open, for to close one lets go of all its locks."""
    return Turns(path)


_TABLE = "CREATE TABLE IF NOT EXISTS replies (digest TEXT PRIMARY KEY, request TEXT NOT NULL, reply TEXT NOT NULL)"
_LONGEST_FILE = 50_000_000  # bytes; no reply is that long
Mode = OneOf["record", "replay", "live"]


class ReplayCache:
    """Replies in an SQLite file; any number of threads and processes may share it.

    Kept: text, tool calls, usage, finish reason, model. Never kept: headers, keys, times. The first reply to a request
    stays: who comes later gets it too.

    Raises:
        DataError: the file is damaged, is something else, or was written by a later kgnb. It is left as it is.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        with self._guard():
            self._db = opened(self.path, PATIENCE, self._set_up)

    def _set_up(self, db: sqlite3.Connection) -> None:
        [version] = db.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise DataError("was written by a later version of kgnb", where=str(self.path), fix="Update kgnb.")
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and "replies" not in tables:
            raise DataError(
                "is an SQLite file, but no cache of replies", where=str(self.path), fix="Name another file."
            )
        if not tables:
            write_ahead(db)
            db.execute(_TABLE)
            db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("PRAGMA synchronous = NORMAL")

    def __repr__(self) -> str:
        return f"ReplayCache({str(self.path)!r})"

    def __reduce__(self) -> tuple[type[ReplayCache], tuple[Path]]:
        return ReplayCache, (self.path,)  # another process opens its own connection

    def __len__(self) -> int:
        with self._guard():
            return int(self._db.execute("SELECT count(*) FROM replies").fetchone()[0])

    def close(self) -> None:
        """Closes the file; what is in it stays."""
        self._db.close()

    def get(self, key: Key) -> Reply | None:
        """The reply kept under the key, marked as cached; None where there is none."""
        with self._guard():
            row = self._db.execute("SELECT reply FROM replies WHERE digest = ?", (key.digest,)).fetchone()
        return replace(reply_from_json(row[0], f"{self.path}: {key.digest}"), cached=True) if row else None

    def put(self, key: Key, reply: Reply, *, instead: bool = False) -> None:
        """Keeps a reply, unless there is one (``instead``: in place of it)."""
        how = "REPLACE" if instead else "IGNORE"
        with self._guard():
            row = (key.digest, key.content, reply_to_json(reply))
            self._db.execute(f"INSERT OR {how} INTO replies VALUES (?, ?, ?)", row)

    def models(self) -> list[tuple[str, str]]:
        """The models whose replies are kept, each with its server's alias, the most frequent first."""
        with self._guard():
            rows = self._db.execute(
                "SELECT json_extract(request, '$.model'), json_extract(request, '$.server'), count(*) FROM replies "
                "GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"
            ).fetchall()
        return [(str(model), str(server)) for model, server, _ in rows]

    # ------------------------------------------------------------------------------------ to a colleague and back

    def export_folder(self, folder: Path | str, only: Collection[str] | None = None) -> int:
        """Writes a JSON file a reply (all, or those with a digest in ``only``), named by digest; gives their number.

        The same replies give the same bytes. Files of other replies that lie in the folder stay.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with self._guard():
            rows = self._db.execute("SELECT digest, request, reply FROM replies ORDER BY digest").fetchall()
        rows = [row for row in rows if only is None or row[0] in only]
        for digest, request, reply in rows:
            content = {"request": json.loads(request), "reply": json.loads(reply)}
            text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
            (folder / f"{digest}.json").write_bytes(text.encode("utf-8", "backslashreplace"))
        return len(rows)

    def import_folder(self, folder: Path | str) -> int:
        """Takes in what ``export_folder`` wrote, all of it or nothing; gives the number of replies that were new.

        Raises:
            DataError: there is no such folder, or a file's content is not what its name, a digest, says.
        """
        folder = Path(folder)
        if not folder.is_dir():
            raise DataError("is no folder", where=str(folder), fix="Name the folder that the export wrote.")
        entries = [_entry(path) for path in sorted(folder.glob("*.json"))]
        with self._guard():
            before = self._db.total_changes
            with self._db:  # commits, or takes all of it back
                self._db.execute("BEGIN IMMEDIATE")
                self._db.executemany("INSERT OR IGNORE INTO replies VALUES (?, ?, ?)", entries)
            return self._db.total_changes - before

    @contextmanager
    def _guard(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except (sqlite3.Error, UnicodeDecodeError) as error:
                told = unusable(self.path, error)
                if told is not None:
                    raise DataError(f"the cache of replies: {told[0]}", where="", fix=told[1]) from error
                raise self._unusable(str(error)) from error

    def _unusable(self, why: str) -> DataError:
        return DataError(
            f"the cache of replies cannot be used: {why}",
            where=str(self.path),
            fix="Nothing in it was changed. Move it away to start a new one, or name another folder ($KGNB_CACHE).",
        )


def models_in(cache: Path) -> list[tuple[str, str]]:
    """The models whose replies a cache folder holds, each with its server's alias, the most frequent first."""
    path = cache / "replies.sqlite"
    if not path.is_file():
        return []
    replies = ReplayCache(path)
    try:
        return replies.models()
    finally:
        replies.close()


def _entry(path: Path) -> tuple[str, str, str]:
    """One exported file as a row; its name must be the digest of its request."""
    fix = "Export it again, or delete this file."
    try:
        if path.stat().st_size > _LONGEST_FILE:
            raise DataError("is too large for a kept reply", where=str(path), fix=fix)
        content = json.loads(path.read_bytes())
        key = Key.of_content(content["request"])
        reply = reply_to_json(reply_from_json(json.dumps(content["reply"]), str(path)))
    except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise DataError(f"cannot be read as a kept reply: {error}", where=str(path), fix=fix) from error
    if key.digest != path.stem:
        raise DataError("holds another request than its name says", where=str(path), fix=fix)
    return key.digest, key.content, reply


class MissingReply(DataError):
    """A replay lacks a reply: ``digest`` names the call. Every further call would fail alike."""

    def __init__(self, what: str, *, digest: str, where: str, fix: str) -> None:
        super().__init__(what, where=where, fix=fix, details=f"digest {digest}")
        self.digest = digest


class Replaying:
    """A model whose replies are kept: "record" asks what is not kept yet, "replay" never asks, "live" keeps nothing.

    For a replay without a server the model may be just its name. ``server`` tells apart models of one name on several
    servers; where it is not given it is made from the model's own address (``server_alias``). Two threads or processes
    with the same question at the same time ask once.
    """

    def __init__(
        self, model: ChatModel | str, cache: ReplayCache, mode: Mode = "record", *, server: str | None = None
    ) -> None:
        if mode not in ("record", "replay", "live"):
            raise ValueError(f"mode is record, replay or live, not {mode!r}")
        if isinstance(model, str) and mode != "replay":
            raise ValueError("only a replay can do with a model's name alone")
        self.model = model
        self.cache = cache
        self.mode = mode
        self.server = _server_of(model) if server is None else server
        self._turns = turns(cache.path.absolute())

    def __repr__(self) -> str:
        return f"Replaying({self.model!r}, mode={self.mode!r})"

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model if isinstance(self.model, str) else self.model.name

    def ask(self, request: Request) -> Reply:
        """The kept reply, or the model's.

        Raises:
            MissingReply (a DataError): replaying, and no reply to this request is kept.
            DataError: the cache is damaged.
        """
        if self.mode == "live" and not isinstance(self.model, str):
            return without_secrets(self.model.ask(request))
        key = Key.of(request, self.name, self.server)
        if self.mode == "record" and (ready := self.cache.get(key)) is not None and _trusted(ready):
            return ready
        with self._turns.of(key.digest):
            kept = self.cache.get(key)
            if self.mode == "replay" or isinstance(self.model, str):
                if kept is None:
                    raise self._missing(key, request)
                return kept
            if kept is not None and _trusted(kept):
                return kept
            reply = without_secrets(self.model.ask(request))
            try:
                self.cache.put(key, reply, instead=kept is not None)
            except DataError as error:  # the reply is paid for: it is used, kept or not
                warnings.warn(f"a reply is not kept: {error.what}", NotKept, stacklevel=2)
            return reply

    def check_answering(self) -> None:
        """Whether the model answers; where it does not, whether there are kept replies to do without it."""
        if self.mode == "replay":
            return
        try:
            check_answering(None if isinstance(self.model, str) else self.model)
        except (BackendError, ConfigError):
            if self.mode == "live" or (self.name, self.server) not in self.cache.models():
                raise

    def _missing(self, key: Key, request: Request) -> MissingReply:
        prompt = shown(request.messages[-1].text, 80) if request.messages else ""
        return MissingReply(
            f"no reply of {self.name} ({self.server or 'no server'}) is kept for: {prompt} [{key.digest[:12]}]",
            digest=key.digest,
            where=str(self.cache.path),
            fix="A replay never asks a model. Import the folder that holds this reply, or set model.replay to record.",
        )


def _trusted(reply: Reply) -> bool:
    """A prompt that was too long yesterday may fit today's server: that is the one reply not to trust."""
    return reply.finish_reason != "context_overflow"


def _server_of(model: ChatModel | str) -> str:
    """The alias of the server behind a model and whatever is wrapped around it."""
    inner: Any = model
    while inner is not None and not hasattr(inner, "base_url"):
        inner = getattr(inner, "model", None)
    return server_alias(inner.base_url) if inner is not None else ""
