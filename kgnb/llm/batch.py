"""A model that is asked by file: requests wait in a folder until somebody brings the replies.

For batch services at half the price, machines without network, models behind a chat window, and for recording.
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
from kgnb.files import append_lines, read_lines, write_whole
from kgnb.llm.kept import Key
from kgnb.llm.model import Reply, Request, Usage
from kgnb.llm.prices import Price, estimate_tokens, estimate_usage
from kgnb.llm.replay import MissingReply, turns
from kgnb.llm.wire import from_wire, to_wire

ENDPOINT = "/v1/chat/completions"
_LOCK = "0" * 8  # the one turn there is in a folder


def request_id(request: Request) -> str:
    """The ``custom_id`` of a request: made from what is asked, whichever model is, and from how where that is unusual.

    >>> from kgnb.llm.model import Message
    >>> request_id(Request((Message("user", "Is a hut a refuge?"),)))[:9]
    'kgnb-02e3'
    """
    content = json.loads(Key.of(request, "").content)
    plain = json.loads(Key.of(Request(()), "").content)
    kept = {name: value for name, value in content.items() if value != plain.get(name)}
    return f"kgnb-{Key.of_content(kept).digest[:32]}"


class Replies:
    """The replies in a folder's ``replies*.jsonl``, read again as files change.

    A line is that of the OpenAI Batch API (``custom_id``, ``response`` with ``status_code`` and ``body``, ``error``),
    or plain: ``custom_id`` with ``text`` or ``tool_calls`` (name and arguments each), and perhaps ``usage`` (tokens in
    and out). Of several good lines with one id the last one counts.

    Raises:
        DataError: a line is none of these.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.errors: dict[str, list[str]] = {}  # by id: what a service said in place of a reply
        self._found: dict[str, Mapping[str, Any]] = {}
        self._seen: tuple[tuple[str, int, int], ...] = ()

    def get(self, wanted: str, model: str = "") -> Reply | None:
        """The reply with this id; None where there is none."""
        line = self._found.get(wanted)
        return None if line is None else _reply(line, model, self.folder)

    def __contains__(self, wanted: object) -> bool:
        return wanted in self._found

    def __len__(self) -> int:
        return len(self._found)

    def lines(self) -> dict[str, Mapping[str, Any]]:
        """The line of every reply, by id."""
        return dict(self._found)

    def refresh(self) -> None:
        """Reads the files again if one is new or has changed."""
        paths = sorted(self.folder.glob("replies*.jsonl"))
        seen = tuple((path.name, (stat := path.stat()).st_size, stat.st_mtime_ns) for path in paths)
        if seen == self._seen:
            return
        found: dict[str, Mapping[str, Any]] = {}
        errors: dict[str, list[str]] = {}
        for path in paths:
            for number, line in read_lines(path):
                wanted = line.get("custom_id")
                if not isinstance(wanted, str):
                    raise _no_reply(f"{path}:{number}", "it has no custom_id")
                if problem := _problem(line):
                    errors.setdefault(wanted, []).append(problem)
                    continue
                _reply(line, "", Path(f"{path}:{number}"))  # says now what is wrong with it
                found[wanted] = line
        self._found, self.errors, self._seen = found, errors, seen


def _problem(line: Mapping[str, Any]) -> str:
    """What a service says in place of a reply; "" where there is a reply."""
    response = line.get("response")
    status = response.get("status_code", 200) if isinstance(response, Mapping) else 200
    if line.get("error") or status != 200:
        return json.dumps(line.get("error") or response)[:300]
    return ""


def _reply(line: Mapping[str, Any], model: str, where: Path) -> Reply:
    response = line.get("response")
    body = response.get("body") if isinstance(response, Mapping) else _plain(line)
    try:
        return from_wire(body, model)
    except ValueError as error:
        raise _no_reply(str(where), str(error)) from error


def _plain(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """A plain line as the completion it stands for."""
    if "text" not in line and "tool_calls" not in line:
        return {}
    text, calls, usage = line.get("text", ""), line.get("tool_calls"), line.get("usage")
    calls = calls if isinstance(calls, list) else []
    text = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    made = [call if "function" in call else {"function": call} for call in calls if isinstance(call, Mapping)]
    counts = (
        dict(zip(("prompt_tokens", "completion_tokens"), usage, strict=False)) if isinstance(usage, list) else usage
    )
    return {"choices": [{"message": {"content": text, "tool_calls": made}}], "usage": counts}


def _no_reply(where: str, why: str) -> DataError:
    fix = (
        'A line is one of a batch service\'s output, or {"custom_id": ..., "text": ...} or {..., "tool_calls": [...]}.'
    )
    return DataError(f"this line holds no reply: {why}", where=where, fix=fix)


class BatchModel:
    """Answers from the replies in a folder; a request without one is appended to ``requests-NNN.jsonl``, and waits.

    Every process that has something new to ask begins a file of its own. A request is written once, however often and
    by however many processes it is asked; again only after a service has answered it with an error.

    Args:
        folder: made if it is not there.
        name: the model that is to answer: goes into the requests, the ledger and the verdicts.
        price: of a million tokens in and out, to say what waits costs.
    """

    def __init__(self, folder: Path | str, name: str = "batch", price: Price | None = None) -> None:
        self.folder = Path(folder).expanduser()
        self._name = name
        self._price = price
        self._lock = threading.Lock()
        self._replies = Replies(self.folder)
        self._file: Path | None = None  # of this process
        self._written: Counter[str] = Counter()  # how often each request stands in the folder
        self._sizes: dict[str, int] = {}  # of its files, when they were read
        self._waiting: dict[str, int] = {}  # tokens by id: of requests made here that have no reply
        self.folder.mkdir(parents=True, exist_ok=True)
        self._turns = turns(self.folder.absolute() / "batch")
        self._replies.refresh()

    @property
    def name(self) -> str:
        """The model that is to answer."""
        return self._name

    @property
    def server(self) -> str:
        """There is none; runs in one folder belong together."""
        return "batch"

    def ask(self, request: Request) -> Reply:
        """The reply, if there is one.

        Raises:
            Waiting: there is none yet; the request is in the folder.
        """
        wanted = request_id(request)
        with self._lock:
            if wanted not in self._replies:
                self._replies.refresh()
            reply = self._replies.get(wanted, self._name)
            if reply is None:
                self._waiting[wanted] = estimate_usage(request).prompt_tokens
                self._emit(wanted, request)
        if reply is None:
            raise Waiting(self._told)
        return _counted(reply, request)

    def _emit(self, wanted: str, request: Request) -> None:
        with self._turns.of(_LOCK):
            self._look()
            if self._written[wanted] > len(self._replies.errors.get(wanted, ())):
                return
            if self._file is None:
                names = (path.stem[9:] for path in self.folder.glob("requests-*.jsonl"))
                number = max((int(name) for name in names if name.isdecimal()), default=0) + 1
                self._file = self.folder / f"requests-{number:03}.jsonl"
            body = {"model": self._name} | to_wire(request)
            append_lines(self._file, [{"custom_id": wanted, "method": "POST", "url": ENDPOINT, "body": body}])
            self._written[wanted] += 1
            self._sizes[self._file.name] = self._file.stat().st_size

    def _look(self) -> None:
        """Takes in what other processes have written."""
        sizes = {path.name: path.stat().st_size for path in self.folder.glob("requests-*.jsonl")}
        if sizes != self._sizes:
            self._written = Counter(row["custom_id"] for row in requests_in(self.folder))
            self._sizes = sizes

    def _told(self) -> tuple[str, str]:
        with self._lock:
            self._replies.refresh()
            self._waiting = {one: tokens for one, tokens in self._waiting.items() if one not in self._replies}
            number, tokens = len(self._waiting), sum(self._waiting.values())
        cost = f", ${tokens * self._price.prompt / 1e6:.4f} and the replies" if self._price else ""
        requests = "1 request waits for its reply" if number == 1 else f"{number:,} requests wait for their replies"
        return (
            f"{requests} in {self.folder} (about {tokens:,} tokens in{cost})",
            f"Have requests-*.jsonl answered into {self.folder / 'replies.jsonl'} (kgnb batch status, show, answer), "
            "then run this again.",
        )


class RecordedModel:
    """Answers from a recording alone: a folder of replies to the requests of a stated commit's prompts.

    It costs nothing and asks nobody. A request that is not recorded ends the run.
    """

    free = True

    def __init__(self, folder: Path | str, name: str) -> None:
        self.folder = Path(folder)
        self._name = name
        self._replies = Replies(self.folder)
        if not (self.folder / "replies.jsonl").is_file():
            raise DataError(
                "there is no such recording", where=str(folder), fix="See data/recordings for those there are."
            )
        self._replies.refresh()

    @property
    def name(self) -> str:
        """The recording's name, "recorded:" before it."""
        return self._name

    @property
    def server(self) -> str:
        """There is none."""
        return "recorded"

    def ask(self, request: Request) -> Reply:
        """The recorded reply.

        Raises:
            MissingReply (a DataError): there is none: the prompts have changed, or something else is asked.
        """
        wanted = request_id(request)
        reply = self._replies.get(wanted, self._name)
        if reply is None:
            raise MissingReply(
                f"{self._name} holds no reply to this request [{wanted}]",
                digest=wanted,
                where=str(self.folder),
                fix="It was made for other data, options or prompts: record anew with kgnb batch (docs/models.md).",
            )
        return replace(_counted(reply, request), cached=True)


# ------------------------------------------------------------------------------------------------ what is in a folder


@dataclass(frozen=True)
class Standing:
    """How far a batch folder is."""

    requests: int
    answered: int
    failed: int  # a service answered with an error, and they are to be asked again
    waiting: tuple[str, ...]
    tokens: int  # of the requests that wait, about


def requests_in(folder: Path) -> Iterator[dict[str, Any]]:
    """Every line of ``requests-*.jsonl``, in order.

    Raises:
        DataError: a line is no request.
    """
    for path in sorted(folder.glob("requests-*.jsonl")):
        for number, line in read_lines(path):
            if not isinstance(line.get("custom_id"), str) or not isinstance(line.get("body"), dict):
                raise DataError("this line is no request", where=f"{path}:{number}", fix="Delete the line.")
            yield line


def standing(folder: Path | str) -> Standing:
    """How many requests a folder holds, and which of them have no reply.

    Raises:
        DataError: there is no such folder, or a file in it cannot be read.
    """
    path = Path(folder)
    if not path.is_dir():
        raise DataError("is no folder", where=str(folder), fix="Name the one of batch:FOLDER.")
    replies = Replies(path)
    replies.refresh()
    rows = {row["custom_id"]: row for row in requests_in(path)}
    waiting = tuple(wanted for wanted in rows if wanted not in replies)
    tokens = sum(_length(rows[wanted]["body"]) for wanted in waiting)
    failed = sum(wanted in replies.errors for wanted in waiting)
    return Standing(len(rows), len(rows) - len(waiting), failed, waiting, tokens)


def answer(folder: Path | str, wanted: str, reply: Mapping[str, Any]) -> None:
    """Adds a plain reply (``text`` or ``tool_calls``) to a folder's ``replies.jsonl``.

    Raises:
        DataError: it holds neither.
    """
    line = {"custom_id": wanted, **reply}
    _reply(line, "", Path(folder))
    append_lines(Path(folder) / "replies.jsonl", [line])


def record(folder: Path | str, target: Path | str) -> int:
    """Writes the replies of a batch folder as a recording: ids and replies, no request; gives their number.

    Tokens are those that were counted, else estimated from the request. What is recorded already stays.

    Raises:
        DataError: there is nothing to record.
    """
    path, out = Path(folder), Path(target)
    replies, before = Replies(path), Replies(out)
    replies.refresh()
    before.refresh()
    rows = {row["custom_id"]: row["body"] for row in requests_in(path)}
    lines: dict[str, Mapping[str, Any]] = before.lines()
    for wanted, body in rows.items():
        reply = replies.get(wanted)
        if reply is not None:
            prompt = sum(_length(body.get(part, "")) for part in ("messages", "tools", "response_format"))
            said = len(reply.text) + sum(len(json.dumps(call.arguments)) for call in reply.tool_calls)
            usage = reply.usage if reply.usage.total else Usage(prompt, -(-said // 4))
            calls = [{"name": call.name, "arguments": dict(call.arguments)} for call in reply.tool_calls]
            lines[wanted] = {"custom_id": wanted, **({"text": reply.text} if reply.text or not calls else {})}
            lines[wanted] |= {"tool_calls": calls} if calls else {}  # type: ignore[operator]  # it is a dict
            lines[wanted] |= {"usage": [usage.prompt_tokens, usage.completion_tokens]}  # type: ignore[operator]
    if not lines:
        raise DataError("no request in it has a reply", where=str(folder), fix="See kgnb batch status.")
    out.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(lines[wanted], ensure_ascii=False) + "\n" for wanted in sorted(lines))
    write_whole(out / "replies.jsonl", text)
    return len(lines)


def _length(value: Any) -> int:
    """About how many tokens a part of a body is."""
    return estimate_tokens(json.dumps(value, ensure_ascii=False))


def _counted(reply: Reply, request: Request) -> Reply:
    """The reply with its tokens, estimated where nobody counted them."""
    usage = reply.usage if reply.usage.total else estimate_usage(request, reply.text)
    return replace(reply, usage=usage, carried={})  # a recording holds none: the next request has to be the same
