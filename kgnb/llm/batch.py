"""A model that is asked by file: requests wait in a folder until somebody brings the replies.

For batch services at half the price, machines without network, models behind a chat window, and for
recordings.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kgnb.errors import DataError, Waiting
from kgnb.files import append_lines, locked, make_private, read_lines, write_whole
from kgnb.llm.bounds import bounded
from kgnb.llm.model import Reply, Request, Usage
from kgnb.llm.prices import Price, counted_usage, estimate_tokens
from kgnb.llm.replay import Key, MissingReply
from kgnb.llm.wire import from_wire, to_wire

ENDPOINT = "/v1/chat/completions"


def request_id(request: Request) -> str:
    """The ``custom_id`` of a request: made from what is asked (not of which model), and of unusual
    settings.

    >>> from kgnb.llm.model import Message
    >>> request_id(Request((Message("user", "Is a hut a refuge?"),)))[:9]
    'kgnb-02e3'
    """
    content = json.loads(Key.of(request, "").content)
    plain = json.loads(Key.of(Request(()), "").content)
    unusual = {name: value for name, value in content.items() if value != plain.get(name)}
    return f"kgnb-{Key.of_content(unusual).digest[:32]}"


def _stamps(folder: Path, pattern: str) -> dict[Path, tuple[int, int]]:
    """The files of a folder, sorted, with what shows that one has changed."""
    return {
        path: ((stat := path.stat()).st_size, stat.st_mtime_ns)
        for path in sorted(folder.glob(pattern))
    }


class Replies:
    """The replies in a folder's ``replies*.jsonl``; ``refresh`` reads the files again once they
    change.

    A line is that of the OpenAI Batch API (``custom_id``, ``response`` with ``status_code`` and
    ``body``, ``error``), or plain: ``custom_id`` with ``text`` or ``tool_calls`` (name and
    arguments each), and perhaps ``usage`` (tokens in and out). The last good line with an id
    counts.

    Raises:
        DataError: a line is none of these.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.errors: Counter[str] = (
            Counter()
        )  # by id: how often a service answered with an error instead
        self.lines: dict[str, Mapping[str, Any]] = {}  # by id
        self._stamps: dict[Path, tuple[int, int]] = {}
        self.refresh()

    def get(self, wanted: str, model: str = "") -> Reply | None:
        """The reply with this id; None if there is none."""
        line = self.lines.get(wanted)
        return None if line is None else _reply(line, model, str(self.folder))

    def refresh(self) -> None:
        """Read the files again if one is new or has changed."""
        stamps = _stamps(self.folder, "replies*.jsonl")
        if stamps == self._stamps:
            return
        lines: dict[str, Mapping[str, Any]] = {}
        errors: Counter[str] = Counter()
        for path in stamps:
            for number, line in read_lines(path):
                wanted, response = line.get("custom_id"), line.get("response")
                if not isinstance(wanted, str):
                    raise _not_a_reply(f"{path}:{number}", "it has no custom_id")
                status = response.get("status_code", 200) if isinstance(response, Mapping) else 200
                if line.get("error") or status != 200:
                    errors[wanted] += 1
                    continue
                _reply(line, "", f"{path}:{number}")  # fails now if it is not a reply
                lines[wanted] = line
        self.lines, self.errors, self._stamps = lines, errors, stamps


def _reply(line: Mapping[str, Any], model: str, where: str) -> Reply:
    response = line.get("response")
    body = response.get("body") if isinstance(response, Mapping) else _completion(line)
    try:
        return from_wire(body, model)
    except ValueError as error:
        raise _not_a_reply(where, str(error)) from error


def _completion(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """The completion that a plain line stands for."""
    if "text" not in line and "tool_calls" not in line:
        return {}
    text, calls, usage = line.get("text", ""), line.get("tool_calls"), line.get("usage")
    if not isinstance(text, str):
        text = json.dumps(text, ensure_ascii=False)
    made = [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []
    made = [call if "function" in call else {"function": call} for call in made]
    if isinstance(usage, list):
        usage = dict(zip(("prompt_tokens", "completion_tokens"), usage, strict=False))
    return {"choices": [{"message": {"content": text, "tool_calls": made}}], "usage": usage}


def _not_a_reply(where: str, why: str) -> DataError:
    fix = (
        "A line is one of a batch service's output, or "
        '{"custom_id": ..., "text": ...} or {..., "tool_calls": [...]}.'
    )
    return DataError(f"this line is not a reply: {why}", where=where, fix=fix)


class BatchModel:
    """Answers from the replies in a folder; a request without one is appended to
    ``requests-NNN.jsonl``, and waits.

    Every process that has something new to ask starts a file of its own. A request is written once,
    however often and by however many processes it is asked; again only after a service has answered
    it with an error.

    Args:
        folder: created if missing.
        name: the model that is to answer; it goes into the requests, the ledger and the verdicts.
        price: of a million tokens in and out, to say what the waiting requests will cost.
    """

    server = "batch"

    def __init__(self, folder: Path | str, name: str = "batch", price: Price | None = None) -> None:
        self.folder = Path(folder).expanduser()
        self.name = name
        self._price = price
        self._lock = threading.Lock()
        self._file: Path | None = None  # this process's own
        self._written: Counter[str] = Counter()  # how often each request is in the folder
        self._stamps: dict[Path, tuple[int, int]] = {}  # of its files, when they were read
        self._waiting: dict[str, int] = {}  # tokens by id: requests made here that have no reply
        make_private(self.folder)
        self._replies = Replies(self.folder)

    def ask(self, request: Request) -> Reply:
        """The reply, if there is one.

        Raises:
            Waiting: there is none yet; the request is in the folder.
        """
        wanted = request_id(request)
        with self._lock:
            if wanted not in self._replies.lines:
                self._replies.refresh()
            reply = self._replies.get(wanted, self.name)
            if reply is None:
                body = {"model": self.name} | to_wire(bounded(request))
                self._waiting[wanted] = _tokens(body)
                self._write(wanted, body)
        if reply is None:
            raise Waiting(self._what_waits, str(self.folder))
        return _counted(reply, request)

    def _write(self, wanted: str, body: Mapping[str, Any]) -> None:
        with locked(self.folder / ".writing"):
            stamps = _stamps(self.folder, "requests-*.jsonl")
            if stamps != self._stamps:  # another process has written
                self._written = Counter(row["custom_id"] for row in requests_in(self.folder))
            if self._written[wanted] <= self._replies.errors[wanted]:
                if self._file is None:
                    numbers = [int(path.stem[9:]) for path in stamps if path.stem[9:].isdecimal()]
                    self._file = self.folder / f"requests-{max(numbers, default=0) + 1:03}.jsonl"
                append_lines(
                    self._file,
                    [{"custom_id": wanted, "method": "POST", "url": ENDPOINT, "body": body}],
                )
                self._written[wanted] += 1
            self._stamps = _stamps(self.folder, "requests-*.jsonl")

    def _what_waits(self) -> tuple[str, str]:
        with self._lock:
            self._replies.refresh()
            self._waiting = {
                one: tokens
                for one, tokens in self._waiting.items()
                if one not in self._replies.lines
            }
            number, tokens = len(self._waiting), sum(self._waiting.values())
        cost = f", ${tokens * self._price.prompt / 1e6:.4f} and the replies" if self._price else ""
        requests = (
            "1 request waits for its reply"
            if number == 1
            else f"{number:,} requests wait for their replies"
        )
        return (
            f"{requests} in {self.folder} (about {tokens:,} tokens in{cost})",
            f"Have requests-*.jsonl answered into {self.folder / 'replies.jsonl'} (kgnb batch status, show, answer), "
            "then run this again.",
        )


class RecordedModel:
    """Answers from a recording alone: a folder of replies to the requests of one commit's prompts.

    It costs nothing and asks nobody. A request that is not recorded ends the run.
    """

    free = True

    def __init__(self, folder: Path | str, name: str) -> None:
        self.folder = Path(folder)
        self.name = name
        if not (self.folder / "replies.jsonl").is_file():
            raise DataError(
                "there is no such recording",
                where=folder,
                fix="See data/recordings for those there are.",
            )
        self._replies = Replies(self.folder)

    def ask(self, request: Request) -> Reply:
        """The recorded reply.

        Raises:
            MissingReply (a DataError): there is none: the prompts have changed, or something else
            is asked.
        """
        wanted = request_id(request)
        reply = self._replies.get(wanted, self.name)
        if reply is None:
            raise MissingReply(
                f"{self.name} holds no reply to this request [{wanted}]",
                digest=wanted,
                where=self.folder,
                fix="It was made for other data, options or prompts: record it again with kgnb batch (docs/models.md).",
            )
        return replace(_counted(reply, request), cached=True)


# ------------------------------------------------------------------------------------------------
# what is in a folder


@dataclass(frozen=True)
class Standing:
    """How far a batch folder has come."""

    requests: int
    answered: int
    failed: int  # a service answered them with an error, and they are to be asked again
    waiting: tuple[str, ...]
    tokens: int  # of the requests that wait, about


def requests_in(folder: Path) -> Iterator[dict[str, Any]]:
    """Every line of ``requests-*.jsonl``, in order.

    Raises:
        DataError: a line is not a request.
    """
    for path in sorted(folder.glob("requests-*.jsonl")):
        for number, line in read_lines(path):
            if not isinstance(line.get("custom_id"), str) or not isinstance(line.get("body"), dict):
                raise DataError(
                    "this line is not a request", where=f"{path}:{number}", fix="Delete the line."
                )
            yield line


def standing(folder: Path | str) -> Standing:
    """How many requests a folder holds, and which of them have no reply.

    Raises:
        DataError: there is no such folder, or a file in it cannot be read.
    """
    path = Path(folder)
    if not path.is_dir():
        raise DataError("is not a folder", where=folder, fix="Name the one of batch:FOLDER.")
    replies = Replies(path)
    rows = {row["custom_id"]: row for row in requests_in(path)}
    waiting = tuple(wanted for wanted in rows if wanted not in replies.lines)
    tokens = sum(_tokens(rows[wanted]["body"]) for wanted in waiting)
    failed = sum(wanted in replies.errors for wanted in waiting)
    return Standing(len(rows), len(rows) - len(waiting), failed, waiting, tokens)


def answer(folder: Path | str, wanted: str, reply: Mapping[str, Any]) -> None:
    """Add a plain reply (``text`` or ``tool_calls``) to a folder's ``replies.jsonl``.

    Raises:
        DataError: it holds neither.
    """
    line = {"custom_id": wanted, **reply}
    _reply(line, "", str(folder))
    append_lines(Path(folder) / "replies.jsonl", [line])


def record(folder: Path | str, target: Path | str) -> int:
    """Write the replies of a batch folder as a recording (ids and replies, no request) and return
    their number.

    Tokens that nobody counted are estimated from the request. What is recorded already stays.

    Raises:
        DataError: there is nothing to record.
    """
    path, out = Path(folder), Path(target)
    with locked(out.with_name(f".{out.name}.writing")):
        return _recorded(path, out)


def _recorded(path: Path, out: Path) -> int:
    replies, lines = Replies(path), Replies(out).lines
    for row in requests_in(path):
        wanted, body = row["custom_id"], row["body"]
        reply = replies.get(wanted)
        if reply is None:
            continue
        prompt = sum(
            _tokens(body.get(part, "")) for part in ("messages", "tools", "response_format")
        )
        said = len(reply.text) + sum(len(json.dumps(call.arguments)) for call in reply.tool_calls)
        usage = reply.usage if reply.usage.total else Usage(prompt, -(-said // 4))
        calls = [
            {"name": call.name, "arguments": dict(call.arguments)} for call in reply.tool_calls
        ]
        text = {"text": reply.text} if reply.text or not calls else {}
        called = {"tool_calls": calls} if calls else {}
        used = {"usage": [usage.prompt_tokens, usage.completion_tokens]}
        lines[wanted] = {"custom_id": wanted, **text, **called, **used}
    if not lines:
        raise DataError("no request in it has a reply", where=path, fix="See kgnb batch status.")
    out.mkdir(parents=True, exist_ok=True)
    content = "".join(
        json.dumps(lines[wanted], ensure_ascii=False) + "\n" for wanted in sorted(lines)
    )
    write_whole(out / "replies.jsonl", content)
    return len(lines)


def _tokens(value: Any) -> int:
    return estimate_tokens(json.dumps(value, ensure_ascii=False))


def _counted(reply: Reply, request: Request) -> Reply:
    """The reply with its tokens, estimated if nobody counted them."""
    return replace(
        reply, usage=counted_usage(reply, request), carried={}
    )  # a recording holds none: the next request has to be the same
