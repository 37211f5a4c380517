"""A chat-completions server on loopback that answers as told and fails as told, for the real client
over real HTTP.

    with StubServer(lambda body: "A", faults=[rate_limited(after_ms=5), None, HTML]) as server:
        model = OpenAIModel("stub", base_url=server.url, api_key="not-a-key")

The first call is turned away with 429, the second is answered, the third gets a web page, the rest
are answered.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from kgnb.testing.loopback import LoopbackRequest, LoopbackServer

JSON = "application/json"
Body = Mapping[str, Any]


@dataclass(frozen=True)
class SeenRequest:
    """One request as it arrived; header names are lower-case."""

    path: str
    headers: Mapping[str, str]
    body: Body

    @property
    def prompt(self) -> str:
        """The text of the last message."""
        return str(self.body["messages"][-1]["content"])


@dataclass(frozen=True)
class StubCall:
    """What a responder returns to have the model call a tool. ``arguments`` may be text, to be
    broken on purpose.
    """

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)


Answer = str | StubCall | Sequence[StubCall]


@dataclass(frozen=True)
class Fault:
    """One way for a call to go wrong. ``text`` replaces the model's answer; ``body`` the whole HTTP
    body.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    content_type: str = JSON
    text: str | None = None
    delay: float = 0.0
    cut: int | None = None  # send only so many bytes of the body, as if they were all
    torn: bool = False  # with ``cut``: announce the whole body, then hang up in the middle
    drop: bool = False  # close the connection with no answer at all
    finish_reason: str = "stop"


def error_body(message: str, code: str | None = None, param: str | None = None) -> str:
    """The JSON of an error as the API sends it."""
    return json.dumps({"error": {"message": message, "type": "stub", "code": code, "param": param}})


def rate_limited(after: float | None = None, after_ms: float | None = None) -> Fault:
    """429, with Retry-After in seconds or retry-after-ms."""
    headers = {} if after is None else {"Retry-After": str(after)}
    headers |= {} if after_ms is None else {"retry-after-ms": str(after_ms)}
    return Fault(429, headers, error_body("slow down", "rate_limit_exceeded"))


def server_error(status: int = 500) -> Fault:
    """A 5xx with a JSON error."""
    return Fault(status, body=error_body("it is us, not you"))


def unauthorised(status: int = 401) -> Fault:
    """401 or 403; the message repeats the key, as real servers do."""
    return Fault(status, body=error_body("Incorrect API key provided: {key}", "invalid_api_key"))


DROPPED = Fault(drop=True)  # hangs up with no answer
CUT_JSON = Fault(cut=40)  # 200, and the first bytes of a good body only
TORN = Fault(cut=40, torn=True)  # the same, and the line goes dead
HTML = Fault(
    body="<html><body><h1>Please log in</h1></body></html>", content_type="text/html"
)  # of a proxy, with 200
TOO_LONG = Fault(
    400,
    body=error_body("maximum context length is 8 tokens", "context_length_exceeded", "messages"),
)
FILTERED = Fault(400, body=error_body("The response was filtered", "content_filter"))


class StubServer(LoopbackServer):
    """Serves /v1/chat/completions and /v1/models on 127.0.0.1, port chosen by the system.

    ``responder`` gets the request body and returns text, a ``StubCall`` or several; it may run on
    several threads at once. ``faults`` tells call by call (from 0) what goes wrong; None, or past
    the end: nothing. ``always`` happens to every call without a fault of its own. ``schema`` /
    ``tools``: what the server makes of ``response_format`` / ``tools``: "yes", "rejected" with 400;
    json_schema alone rejected ("object only"); tools "ignored": a responder's StubCall is then written
    into the text as fenced JSON. ``whole``: the text of the whole body, an error's sent with 400;
    ``routes``: status and body by path.
    """

    protocol, place = "HTTP/1.1", "/v1"

    def __init__(
        self,
        responder: Callable[[Body], Answer] = lambda body: "ok",
        faults: Sequence[Fault | None] = (),
        *,
        always: Fault | None = None,
        schema: Literal["yes", "object only", "rejected"] = "yes",
        tools: Literal["yes", "ignored", "rejected"] = "yes",
        models: Sequence[str] = ("stub",),
        delay: float = 0.0,
        whole: Callable[[Body], str] | None = None,
        routes: Mapping[str, Callable[[SeenRequest], tuple[int, str]]] | None = None,
        owner: str = "stub",
        certificate: Path | None = None,  # with its key, in PEM: it is spoken to by TLS
    ) -> None:
        self.responder, self.faults, self.always = responder, list(faults), always
        self.schema, self.tools, self.models, self.delay = schema, tools, models, delay
        self.whole, self.routes, self.owner = whole, dict(routes or {}), owner
        self.requests: list[SeenRequest] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        super().__init__(certificate)

    @property
    def prompts(self) -> list[str]:
        """The last message of every request so far."""
        return [seen.prompt for seen in self.requests]

    def stop(self) -> None:
        self._closing.set()  # nobody waits past the end
        super().stop()

    # ------------------------------------------------------------------------------------------ one
    # call

    def answer(self, request: LoopbackRequest) -> None:
        path = request.path.partition("?")[0]
        headers = {name.lower(): value for name, value in request.headers.items()}
        seen = SeenRequest(request.path, headers, json.loads(request.body or b"{}"))
        if request.command != "GET":
            fault = self._arrive(seen)
            try:
                self._closing.wait(fault.delay + self.delay)
                return self._answer(request, seen, fault)
            finally:
                with self._lock:
                    self._at_once -= 1
        if path in self.routes:
            return _send(request, *self.routes[path](seen))
        if path != "/v1/models":
            return _send(request, 404, error_body("no such path"))
        data = [
            {"id": name, "object": "model", "created": 0, "owned_by": self.owner}
            for name in self.models
        ]
        return _send(request, 200, json.dumps({"object": "list", "data": data}))

    def _answer(self, request: LoopbackRequest, seen: SeenRequest, fault: Fault) -> None:
        path, body, media_type = seen.path.partition("?")[0], seen.body, fault.content_type
        if fault.drop:
            request.close_connection = True
            return None
        if path in self.routes:
            return _send(request, *self.routes[path](seen))
        if fault.body is not None:
            text = fault.body.replace(
                "{key}", seen.headers.get("authorization", "").removeprefix("Bearer ")
            )
        elif seen.path != "/v1/chat/completions":
            return _send(request, 404, error_body("no such path"))
        elif fault.status != 200:
            text = error_body(f"status {fault.status}")
        elif self.whole is not None:
            text = self.whole(body)
            return _send(request, 400 if "error" in json.loads(text) else 200, text)
        else:
            whole = completion(body, self.message(body, fault), fault.finish_reason)
            text = json.dumps(whole)
        return _send(request, fault.status, text, media_type, fault.headers, fault.cut, fault.torn)

    def _arrive(self, seen: SeenRequest) -> Fault:
        """Notes a request and says what shall happen to it."""
        with self._lock:
            number = len(self.requests)
            self.requests.append(seen)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        fault = self.faults[number] if number < len(self.faults) else None
        return fault or self.always or self._unsupported(seen.body) or Fault()

    def _unsupported(self, body: Body) -> Fault | None:
        form = (body.get("response_format") or {}).get("type")
        if (
            self.schema == "rejected"
            and form
            or self.schema == "object only"
            and form == "json_schema"
        ):
            message = f"response_format {form} is not supported"
            return Fault(400, body=error_body(message, "unsupported_parameter", "response_format"))
        if self.tools == "rejected" and body.get("tools"):
            return Fault(
                400, body=error_body("tools is not supported", "unsupported_parameter", "tools")
            )
        return None

    def message(self, body: Body, fault: Fault) -> dict[str, Any]:
        """The assistant's message."""
        answer = fault.text if fault.text is not None else self.responder(body)
        calls = [answer] if isinstance(answer, StubCall) else answer
        if not isinstance(calls, str) and (not body.get("tools") or self.tools == "ignored"):
            texts = [json.dumps({"name": call.name, "arguments": call.arguments}) for call in calls]
            return {
                "role": "assistant",
                "content": "\n".join(f"```json\n{text}\n```" for text in texts),
            }
        return calling(answer)


def calling(answer: Answer) -> dict[str, Any]:
    """The assistant's message for an answer: text, or native calls."""
    if isinstance(answer, str):
        return {"role": "assistant", "content": answer}
    made = [
        {
            "name": call.name,
            "arguments": call.arguments
            if isinstance(call.arguments, str)
            else json.dumps(call.arguments),
        }
        for call in ([answer] if isinstance(answer, StubCall) else answer)
    ]
    calls = [
        {"id": f"call_{n}", "type": "function", "function": function}
        for n, function in enumerate(made)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def completion(body: Body, message: Mapping[str, Any], finish_reason: str) -> dict[str, Any]:
    """A chat.completion; tokens are characters / 4, which is what a test can count."""
    prompt = sum(len(str(each.get("content") or "")) for each in body.get("messages", [])) // 4
    said = (
        len(json.dumps(message.get("tool_calls"))) // 4
        if message.get("tool_calls")
        else len(message["content"]) // 4
    )
    choice: dict[str, Any] = {
        "index": 0,
        "message": message,
        "finish_reason": "tool_calls" if message.get("tool_calls") else finish_reason,
    }
    return {
        "id": "chatcmpl-stub",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", "stub"),
        "choices": [choice],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": said,
            "total_tokens": prompt + said,
        },
    }


def _send(
    request: LoopbackRequest,
    status: int,
    text: str,
    media_type: str = JSON,
    headers: Mapping[str, str] | None = None,
    cut: int | None = None,
    torn: bool = False,
) -> None:
    content = text.encode()
    request.close_connection = torn
    request.begin(status, media_type, len(content if torn else content[:cut]), headers)
    request.wfile.write(content[:cut])
