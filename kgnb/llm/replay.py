"""Replies cached by content: asked once, replayed ever after, also by a colleague who has neither key nor network."""

from __future__ import annotations

import json
import warnings
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Literal as OneOf

from kgnb.errors import BackendError, ConfigError, DataError, NotKept, shown
from kgnb.files import locked
from kgnb.llm.cache_entry import VERSION, Key, reply_from_json, reply_to_json, server_alias, without_secrets
from kgnb.llm.checking import check_answering
from kgnb.llm.model import ChatModel, Reply, Request, behind
from kgnb.sqlite_file import SqliteFile

_LONGEST_FILE = 50_000_000  # bytes; no reply is that long
Mode = OneOf["record", "replay"]


class ReplayCache(SqliteFile):
    """Replies in an SQLite file that threads and processes share.

    It holds text, tool calls, usage, finish reason and model; never headers, keys or times. The first reply to a
    request stays: later callers get it too.
    """

    what, version, table = "the cache of replies", VERSION, "replies"
    columns = "(digest TEXT PRIMARY KEY, request TEXT NOT NULL, reply TEXT NOT NULL)"

    def get(self, key: Key) -> Reply | None:
        """The cached reply, marked as such; None if there is none."""
        with self.use() as db:
            row = db.execute("SELECT reply FROM replies WHERE digest = ?", (key.digest,)).fetchone()
        return replace(reply_from_json(row[0], f"{self.path}: {key.digest}"), cached=True) if row else None

    def put(self, key: Key, reply: Reply, *, instead: bool = False) -> None:
        """Add a reply unless there is one already; ``instead`` replaces it."""
        how = "REPLACE" if instead else "IGNORE"
        with self.use() as db:
            row = (key.digest, key.content, reply_to_json(reply))
            db.execute(f"INSERT OR {how} INTO replies VALUES (?, ?, ?)", row)

    def models(self) -> list[tuple[str, str]]:
        """The models with cached replies, each with its server's alias, the most frequent first."""
        with self.use() as db:
            rows = db.execute(
                "SELECT json_extract(request, '$.model'), json_extract(request, '$.server'), count(*) FROM replies "
                "GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"
            ).fetchall()
        return [(str(model), str(server)) for model, server, _ in rows]

    # ------------------------------------------------------------------------------------ to a colleague and back

    def export_folder(self, folder: Path | str) -> int:
        """Write one JSON file per reply, named by digest, and return how many.

        The same replies give the same bytes. Other files in the folder stay.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with self.use() as db:
            rows = db.execute("SELECT digest, request, reply FROM replies ORDER BY digest").fetchall()
        for digest, request, reply in rows:
            content = {"request": json.loads(request), "reply": json.loads(reply)}
            text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
            (folder / f"{digest}.json").write_bytes(text.encode("utf-8", "backslashreplace"))
        return len(rows)

    def import_folder(self, folder: Path | str) -> int:
        """Add what ``export_folder`` wrote, all of it or nothing; return how many replies were new.

        Raises:
            DataError: there is no such folder, or a file's content does not match its name, a digest.
        """
        folder = Path(folder)
        if not folder.is_dir():
            raise DataError("is not a folder", where=str(folder), fix="Name the folder that the export wrote.")
        return self.insert([_entry(path) for path in sorted(folder.glob("*.json"))])


def models_in(cache: Path) -> list[tuple[str, str]]:
    """The models with replies in a cache folder, each with its server's alias, the most frequent first."""
    path = cache / "replies.sqlite"
    if not path.is_file():
        return []
    with closing(ReplayCache(path)) as replies:
        return replies.models()


def _entry(path: Path) -> tuple[str, str, str]:
    """One exported file as a row; its name must be the digest of its request."""
    fix = "Export it again, or delete this file."
    try:
        if path.stat().st_size > _LONGEST_FILE:
            raise DataError("is too large for a cached reply", where=str(path), fix=fix)
        content = json.loads(path.read_bytes())
        key = Key.of_content(content["request"])
        reply = reply_to_json(reply_from_json(json.dumps(content["reply"]), str(path)))
    except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise DataError(f"cannot be read as a cached reply: {error}", where=str(path), fix=fix) from error
    if key.digest != path.stem:
        raise DataError("holds another request than its name says", where=str(path), fix=fix)
    return key.digest, key.content, reply


class MissingReply(DataError):
    """A replay lacks a reply: ``digest`` names the call. Every further call would fail the same way."""

    def __init__(self, what: str, *, digest: str, where: str, fix: str) -> None:
        super().__init__(what, where=where, fix=fix, details=f"digest {digest}")
        self.digest = digest


class Replaying:
    """A model with a cache: "record" asks what is not cached yet, "replay" never asks.

    For a replay without a server the model may be just its name. ``server`` tells apart models of one name on several
    servers; by default it follows from the model's own address (``server_alias``). When two threads or processes have
    the same question at the same time, only one of them asks.
    """

    def __init__(
        self, model: ChatModel | str, cache: ReplayCache, mode: Mode = "record", *, server: str | None = None
    ) -> None:
        if mode not in ("record", "replay"):
            raise ValueError(f"mode is record or replay, not {mode!r}")
        if isinstance(model, str) and mode != "replay":
            raise ValueError("a model's name alone is only enough for a replay")
        self.model = model
        self.cache = cache
        self.mode = mode
        url = behind(model, "base_url")
        self.server = server if server is not None else "" if url is None else server_alias(url)

    def __repr__(self) -> str:
        return f"Replaying({self.model!r}, mode={self.mode!r})"

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model if isinstance(self.model, str) else self.model.name

    def ask(self, request: Request) -> Reply:
        """The cached reply, or the model's.

        Raises:
            MissingReply (a DataError): the mode is "replay", and no reply to this request is cached.
            DataError: the cache is damaged.
        """
        key = Key.of(request, self.name, self.server)
        cached = self.cache.get(key)
        if self.mode == "replay" or isinstance(self.model, str):
            if cached is None:
                raise self._missing(key, request)
            return cached
        if cached is not None and _trusted(cached):
            return cached
        with locked(self.cache.path.with_name(f".{key.digest[:32]}.asking")):
            cached = self.cache.get(key)  # somebody else may have asked meanwhile
            if cached is not None and _trusted(cached):
                return cached
            reply = without_secrets(self.model.ask(request))
            try:
                self.cache.put(key, reply, instead=cached is not None)
            except DataError as error:  # the reply is paid for: it is used, cached or not
                warnings.warn(f"a reply is not kept: {error.what}", NotKept, stacklevel=2)
            return reply

    def check_answering(self) -> None:
        """Check that the model answers or, in record mode, that there are cached replies to do without it."""
        if self.mode == "replay":
            return
        try:
            check_answering(self.model)
        except (BackendError, ConfigError):
            if (self.name, self.server) not in self.cache.models():
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
