"""Replies cached by content: asked once, replayed ever after, also by a colleague who has neither
key nor network.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kgnb.errors import DataError
from kgnb.files import from_json
from kgnb.llm.model import Reply, Request, ToolCall, Usage
from kgnb.patience import on_this_machine
from kgnb.secret import blot, blotted
from kgnb.sqlite_file import SqliteFile

OVERFLOW = "context_overflow"  # the finish_reason of a prompt that was too long
_LONGEST_FILE = 50_000_000  # bytes; no reply is that long


# of the cache's format; part of every key, so that an old reply is never mistaken for a new one
VERSION = 1


@dataclass(frozen=True)
class Key:
    """The key of a cached reply: everything that decides it, as text, and the SHA-256 of that."""

    content: str
    digest: str

    @classmethod
    def of(cls, request: Request, model: str, server: str = "") -> Key:
        """The key of one request to one model.

        The keys of a schema keep their order, for it sways a model: a reason before a decision is
        not one after it. Secrets in messages are blotted out, for a cache is handed around.
        """
        content = {
            "version": VERSION,
            "server": server,
            "model": model,
            "temperature": None if request.temperature is None else float(request.temperature),
            "seed": request.seed,
            "max_tokens": request.max_tokens,
            "schema": request.schema,
            "tools": [
                {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
                for tool in request.tools
            ],
            "messages": [
                {
                    "role": message.role,
                    "text": blot(message.text),
                    "tool_calls": [_call_to_json(call) for call in message.tool_calls],
                    "tool_call_id": message.tool_call_id,
                }
                | ({"carried": message.carried} if message.carried else {})
                for message in request.messages
            ],
        } | ({"options": request.options} if request.options else {})
        return cls.of_content(content)

    def answered_by(self, model: str) -> Key:
        """The key of the reply that one model gave, where several answered under one name."""
        return self.of_content({**json.loads(self.content), "reported": model})

    @classmethod
    def of_content(cls, content: Mapping[str, Any]) -> Key:
        """The key of a request that is JSON already."""
        text = json.dumps(content, separators=(",", ":"), allow_nan=False)
        return cls(text, hashlib.sha256(text.encode("ascii")).hexdigest())


_OPENAI = "api.openai.com/v1"


def server_alias(base_url: str) -> str:
    """A server's name in keys: host, port and path, for another model may answer at each; "" means
    OpenAI's own.

    >>> server_alias("https://user:pass@llm.example.org:8443/v1"), server_alias("http://127.0.0.1:8080/v1/")
    ('llm.example.org:8443/v1', 'localhost:8080/v1')
    """
    if not base_url:
        return _OPENAI
    parts = urlsplit(base_url)
    host = "localhost" if on_this_machine(base_url) else parts.hostname or ""
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    port = f":{parts.port}" if parts.port and parts.port != usual else ""
    return f"{f'[{host}]' if ':' in host else host}{port}{parts.path.rstrip('/')}"


def address_of(server: str) -> str:
    """An address with this alias, to replay what that server was asked.

    >>> names = ("localhost:8080/v1", "api.openai.com/v1", "llm.example.org/v1")
    >>> [server_alias(address_of(name)) for name in names] == list(names)
    True
    """
    if server in ("", _OPENAI):
        return ""
    here = server.partition("/")[0].partition(":")[0] == "localhost"
    return f"{'http' if here else 'https'}://{server}"


def _call_to_json(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "name": call.name, "arguments": call.arguments}


def without_secrets(reply: Reply) -> Reply:
    """The reply with secrets blotted out, so that it is the same when it is replayed from the
    cache.
    """
    calls = tuple(replace(call, arguments=blotted(call.arguments)) for call in reply.tool_calls)
    return replace(reply, text=blot(reply.text), tool_calls=calls, carried=blotted(reply.carried))


def reply_to_json(reply: Reply) -> str:
    """The part of a reply that is cached: no times, no tries."""
    content = {
        "text": reply.text,
        "tool_calls": [_call_to_json(call) for call in reply.tool_calls],
        "usage": astuple(reply.usage),
        "finish_reason": reply.finish_reason,
        "model": reply.model,
    } | ({"carried": reply.carried} if reply.carried else {})
    return json.dumps(content, separators=(",", ":"))


def reply_from_json(text: str, where: str) -> Reply:
    """The cached reply in a text; DataError, naming ``where``, if there is none."""
    try:
        content = from_json(text)
        prompt, completion, estimated, *parts = content["usage"]
        read, thought = map(int, parts or (0, 0))
        calls = tuple(
            ToolCall(str(call["id"]), str(call["name"]), dict(call["arguments"]))
            for call in content["tool_calls"]
        )
        return Reply(
            text=str(content["text"]),
            tool_calls=calls,
            usage=Usage(int(prompt), int(completion), bool(estimated), read, thought),
            finish_reason=str(content["finish_reason"]),
            model=str(content["model"]),
            carried=dict(content.get("carried", {})),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise DataError(
            f"is not a cached reply: {type(error).__name__}: {error}",
            where=where,
            fix="Restore it or delete it.",
        ) from error


class ReplayCache(SqliteFile):
    """Replies in an SQLite file that threads and processes share.

    It holds text, tool calls, usage, finish reason, model and day; never headers or keys.
    """

    what, version, table = "the cache of replies", VERSION, "replies"
    dated = "new.digest"
    columns = "(digest TEXT PRIMARY KEY, request TEXT NOT NULL, reply TEXT NOT NULL)"

    def get(self, key: Key) -> Reply | None:
        """The cached reply, marked as such, with its day; None if there is none."""
        query = (
            "SELECT reply, coalesce(date(day), '') FROM replies LEFT JOIN days ON entry = digest "
            "WHERE digest = ?"
        )
        with self.use() as db:
            row = db.execute(query, (key.digest,)).fetchone()
        if row is None:
            return None
        reply = reply_from_json(row[0], f"{self.path}: {key.digest}")
        return replace(reply, cached=True, cached_on=row[1])

    def put(self, key: Key, reply: Reply) -> None:
        """Add a reply.

        One that is there stays, unless the prompt was too long then, or another model gave it: that
        one is set aside under its own key, and counts again once that model answers again.
        """
        kept = self.get(key)
        row = (key.digest, key.content, reply_to_json(reply))
        with self.use() as db:
            if kept is not None and kept.finish_reason != OVERFLOW:
                if kept.model == reply.model:
                    return
                aside = key.answered_by(kept.model)
                moved = (aside.digest, aside.content, key.digest)
                db.execute(
                    "INSERT OR REPLACE INTO replies SELECT ?, ?, reply FROM replies WHERE digest = ?",
                    moved,
                )
                dated = "INSERT OR REPLACE INTO days SELECT ?, day FROM days WHERE entry = ?"
                db.execute(dated, (aside.digest, key.digest))
            db.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", row)

    def models(self) -> list[tuple[str, str]]:
        """The models with cached replies, each with its server's alias, the most frequent first."""
        with self.use() as db:
            rows = db.execute(
                "SELECT json_extract(request, '$.model'), json_extract(request, '$.server'), count(*) FROM replies "
                "GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"
            ).fetchall()
        return [(str(model), str(server)) for model, server, _ in rows]

    # ------------------------------------------------------------------------------------ to a
    # colleague and back

    def export_folder(self, folder: Path | str) -> int:
        """Write one JSON file per reply, named by digest, and return how many.

        The same replies give the same bytes. Other files in the folder stay.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with self.use() as db:
            rows = db.execute(
                "SELECT digest, request, reply FROM replies ORDER BY digest"
            ).fetchall()
        for digest, request, reply in rows:
            content = {"request": from_json(request), "reply": from_json(reply)}
            text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
            (folder / f"{digest}.json").write_bytes(text.encode("utf-8", "backslashreplace"))
        return len(rows)

    def import_folder(self, folder: Path | str) -> int:
        """Add what ``export_folder`` wrote, all of it or nothing; return how many replies were new.

        Raises:
            DataError: there is no such folder, or a file's content does not match its name, a
                digest.
        """
        folder = Path(folder)
        if not folder.is_dir():
            raise DataError(
                "is not a folder", where=folder, fix="Name the folder that the export wrote."
            )
        return self.insert([_entry(path) for path in sorted(folder.glob("*.json"))])


def models_in(cache: Path) -> list[tuple[str, str]]:
    """The models with replies in a cache folder, each with its server's alias, the most frequent
    first.
    """
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
            raise DataError("is too large for a cached reply", where=path, fix=fix)
        content = from_json(path.read_bytes())
        key = Key.of_content(content["request"])
        reply = reply_to_json(reply_from_json(json.dumps(content["reply"]), str(path)))
    except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise DataError(
            f"cannot be read as a cached reply: {error}", where=path, fix=fix
        ) from error
    if key.digest != path.stem:
        raise DataError("holds another request than its name says", where=path, fix=fix)
    return key.digest, key.content, reply


class MissingReply(DataError):
    """A replay lacks a reply: ``digest`` names the call. Every further call would fail the same
    way.
    """

    def __init__(self, what: str, *, digest: str, where: str | Path, fix: str) -> None:
        super().__init__(what, where=where, fix=fix, details=f"digest {digest}")
        self.digest = digest
