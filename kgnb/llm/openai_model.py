"""A chat model behind any OpenAI-compatible server: hosted, vLLM, Ollama, llama.cpp; ``openai`` stays in this file."""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from kgnb.errors import ConfigError
from kgnb.files import from_json
from kgnb.llm.model import Attempt, Message, ModelError, Reply, Request, Usage, shown
from kgnb.llm.prices import estimate_usage
from kgnb.llm.reply import json_values
from kgnb.llm.wire import CARRIED, Form, Gathered, completion_of, error_text, from_wire, responses_body, to_wire
from kgnb.patience import on_this_machine, retry_after
from kgnb.secret import SHORTEST, Secret

MOST = 64 * 2**20
"""Bytes a server may answer with; no reply is that long."""


class Bounds:
    """What is left to the call that a thread is making; a client's connections look here before they read or write."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._own = threading.local()

    @contextmanager
    def of(self, seconds: float) -> Iterator[None]:
        """For one call in this thread."""
        self._own.end, self._own.left = time.monotonic() + seconds, self._most
        try:
            yield
        finally:
            self._own.end = None

    def seconds(self, timeout: float | None) -> float | None:
        """The time-out of one read or write; 0 or less where the call's time is over."""
        end: float | None = getattr(self._own, "end", None)
        if end is None:
            return timeout
        left = end - time.monotonic()
        return left if timeout is None else min(timeout, left)

    def took(self, number: int) -> None:
        """Notes bytes that have come.

        Raises:
            ValueError: they are too many.
        """
        if getattr(self._own, "end", None) is not None:
            self._own.left -= number
            if self._own.left < 0:
                raise ValueError(f"the answer is longer than {self._most // 2**20} MiB")

    def around(self, client: Any) -> None:
        """Bounds all connections that an httpx (or httpx2) client is going to make, also those by a proxy."""
        for transport in (client._transport, *client._mounts.values()):
            pool = getattr(transport, "_pool", None)
            if pool is not None:
                pool._network_backend = _Backend(pool._network_backend, self, type(pool).__module__.partition(".")[0])


def plain_only(response: Any) -> None:
    """A hook of a client that asks for nothing packed: what comes packed all the same may unpack to any length.

    Raises:
        ValueError: it is packed.
    """
    if response.headers.get("content-encoding", "identity") != "identity":
        raise ValueError("the answer is compressed, and none that is was asked for")


class _Backend:
    """Makes connections whose reads and writes are bounded."""

    def __init__(self, inner: Any, bounds: Bounds, library: str) -> None:
        self._inner, self._bounds, self._library = inner, bounds, library

    def connect_tcp(self, host: str, port: int, timeout: float | None = None, **how: Any) -> _Stream:
        stream = self._inner.connect_tcp(host, port, timeout=self._bounds.seconds(timeout), **how)
        return _Stream(stream, self._bounds, self._library)

    def connect_unix_socket(self, path: str, timeout: float | None = None, **how: Any) -> _Stream:
        stream = self._inner.connect_unix_socket(path, timeout=self._bounds.seconds(timeout), **how)
        return _Stream(stream, self._bounds, self._library)

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _Stream:
    """A connection, read and written within the bounds of the call that a thread is making."""

    def __init__(self, inner: Any, bounds: Bounds, library: str) -> None:
        self._inner, self._bounds, self._library = inner, bounds, library

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data: bytes = self._inner.read(max_bytes, self._left(timeout, "ReadTimeout"))
        self._bounds.took(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._left(timeout, "WriteTimeout"))

    def close(self) -> None:
        self._inner.close()

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> _Stream:
        inner = self._inner.start_tls(ssl_context, server_hostname, self._left(timeout, "ConnectTimeout"))
        return _Stream(inner, self._bounds, self._library)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)

    def _left(self, timeout: float | None, over: str) -> float | None:
        left = self._bounds.seconds(timeout)
        if left is not None and left <= 0:
            raise getattr(sys.modules[self._library], over)("timed out")
        return left


OPENAI = "https://api.openai.com/v1"
_PATIENCE = 10.0  # seconds a server may take to list its models
_ANSWER = 256  # tokens of its context that a prompt has to leave for the answer


class OpenAIModel:
    """Asks a chat-completions server; one call is one try (``Paced`` adds pace and retries).

    What a server refuses with 400 is spared: a JSON schema becomes a JSON object becomes words in the prompt (also
    where the server takes the schema and ignores it), and ``temperature``, ``seed``, ``tools`` and the like are left
    out where it says that it does not know them; every such try is in ``Reply.attempts``. A model that only has the
    Responses API is asked by that. Ollama, which cuts a long prompt silently, is asked for its context.

    A prompt that is too long or
    filtered gives a Reply without text whose ``finish_reason`` is "context_overflow" or "content_filter"; one cut short
    ends with "length".

    ``timeout`` is for the whole call, and no reply may be longer than 64 MiB. Redirects are not followed.

    With ``on_token`` the reply is streamed, every piece of text handed over as it comes; after a retry it starts anew.

    Raises:
        ConfigError: no key for the default server, a bad URL; and on asking, 401, 403 and 404.
        ModelError (a BackendError): everything else that goes wrong between here and the reply.
    """

    def __init__(
        self,
        name: str,
        base_url: str | None = None,
        api_key: str | Secret | None = None,
        *,
        timeout: float = 60.0,
        on_token: Callable[[str], object] | None = None,
        headers: Mapping[str, Secret] | None = None,
        api_version: str = "",
    ) -> None:
        if not name:
            raise ConfigError("the model has no name", fix="Set model.name in kgnb.toml or $KGNB_MODEL.")
        self._name = name
        self.base_url = (base_url or OPENAI).rstrip("/")
        self._key = _checked_key(api_key, self.base_url)
        self._service = _without_credentials(self.base_url)
        self._timeout = timeout
        self._on_token = on_token
        self._client: Any = None
        self._opening = threading.Lock()
        self._bounds = Bounds()
        self._api_version = api_version
        self._headers = {"api-key": self._key} if api_version else {}  # Azure's deployments want it there
        self._headers |= {name: _checked_key(value) for name, value in (headers or {}).items() if value}
        self._forms: dict[str, Form] = {}  # by schema: the strictest form the server took
        self._strictest: Form = "json_schema"  # what a new schema is put in
        self._without: frozenset[str] = frozenset()  # parameters the server refused
        self._responses = False  # whether the model is asked by the Responses API
        self._ollama = urlsplit(self.base_url).port == 11434
        self._context: int | None = None  # tokens an Ollama server reads; 0: not known

    def __repr__(self) -> str:
        return f"OpenAIModel({self._name!r}, base_url={self._service!r})"

    @property
    def name(self) -> str:
        """The model's name as the server knows it."""
        return self._name

    @property
    def server(self) -> str:
        """Where the model is, without credentials."""
        return self._service

    def ask(self, request: Request) -> Reply:
        """The reply to one request, or why there is none; may be called from several threads at once."""
        expected = estimate_usage(request).prompt_tokens
        if self._ollama and (context := self._context_length()) and expected + _ANSWER > context:
            told = f"about {expected:,} tokens do not fit the server's context of {context:,}"
            return Reply("", finish_reason="context_overflow", model=self._name, attempts=(Attempt(0, told, 0.0),))
        schema = json.dumps(request.schema) if request.schema is not None else ""
        form, without = self._forms.get(schema, self._strictest), self._without
        attempts: list[Attempt] = []
        spent = Usage()
        while True:
            body = to_wire(request, form, without) | self._streaming(without)
            start, by_responses = time.perf_counter(), self._responses
            got = self._call(body)
            seconds = time.perf_counter() - start
            if isinstance(got, Reply) and form == "json_schema" and ignored(got, request.schema):
                attempts.append(Attempt(200, "the JSON schema was ignored", seconds))
                form, spent = MILDER[form], spent + got.usage
                continue
            if isinstance(got, Reply):
                attempts.append(Attempt(200, "", seconds))
                if spent.total and not ignored(got, request.schema):
                    self._strictest = form  # words helped where the schema did not
                self._forms[schema], self._without = form, self._without | without
                break
            attempts.append(Attempt(got.status, got.message, seconds))
            if not by_responses and responses_only(got):
                self._responses = True
                continue
            end = ending(got)
            if end:
                return Reply("", (), Usage(), end, self._name, False, _sum(attempts), tuple(attempts))
            less = milder(got, body, form, without)
            if less is None:
                raise self._failure(got, tuple(attempts))
            form, without = less
        usage = got.usage if got.usage.total else estimate_usage(request, got.text)
        return replace(got, usage=spent + usage, seconds=_sum(attempts), attempts=tuple(attempts))

    def models(self) -> tuple[str, ...]:
        """The names of the models the server offers; empty where it does not say."""
        got = self._guarded(lambda client: client.models.with_raw_response.list().text)
        data = _json(got).get("data") if isinstance(got, str) else None
        names = [entry.get("id") for entry in data if isinstance(entry, Mapping)] if isinstance(data, list) else []
        return tuple(sorted({shown(name, 100) for name in names if isinstance(name, str)}))

    def check_answering(self) -> None:
        """One question that costs nothing, or, to a server that does not list its models, a word.

        Raises:
            ConfigError: the key or the model's name is refused.
            ModelError: the server cannot be reached, or answers with something that is no reply.
        """
        got = self._guarded(lambda client: client.with_options(timeout=_PATIENCE).models.with_raw_response.list().text)
        listed = _json(got).get("data") if isinstance(got, str) else None
        if isinstance(listed, list):  # what Ollama says of its own models
            self._ollama |= any(isinstance(one, Mapping) and one.get("owned_by") == "library" for one in listed)
        if isinstance(got, str) and "data" in _json(got) or isinstance(got, Refusal) and got.late:
            return  # one that is late may be at work
        if isinstance(got, Refusal) and got.status in (0, 401, 403):
            raise self._failure(got, (Attempt(got.status, got.message, 0.0),))
        try:
            self.ask(Request((Message("user", "Say yes."),), max_tokens=16))
        except ModelError as error:
            if error.status != 429:  # it is there
                raise

    def _context_length(self) -> int:
        """The tokens an Ollama server reads of a prompt; 0 where it does not say."""
        if self._context is None:
            root, own = self._service.removesuffix("/v1"), {"model": self._name}
            shown = self._plain(f"{root}/api/show", own)
            given = re.search(r"^num_ctx\s+(\d+)", str(shown.get("parameters", "")), re.MULTILINE)
            if given is None:
                self._plain(f"{root}/api/generate", own)  # loads the model: then it tells what it was loaded with
                loaded = self._plain(f"{root}/api/ps").get("models") or ()
                names = (self._name, f"{self._name}:latest")
                found = (one.get("context_length") for one in loaded if one.get("name") in names)
                self._context = int(next(found, 0) or 0)
            else:
                self._context = int(given.group(1))
        return self._context

    def _plain(self, url: str, body: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """What another path of the server says; nothing where it says nothing."""
        got = self._guarded(
            lambda client: client.post(url, cast_to=object, body=body) if body else client.get(url, cast_to=object)
        )
        return got if isinstance(got, Mapping) else {}

    # -------------------------------------------------------------------------------------------- one try

    def _streaming(self, without: frozenset[str]) -> dict[str, Any]:
        if self._on_token is None:
            return {}
        options = {} if "stream_options" in without else {"stream_options": {"include_usage": True}}
        return {"stream": True, **options}

    def _call(self, body: dict[str, Any]) -> Reply | Refusal:
        got = self._guarded(lambda client: self._completion(client, body))
        if isinstance(got, Refusal):
            return got
        try:
            return from_wire(got, self._name)
        except ValueError as error:
            return Refusal(200, self._clean(str(error)), got)

    def _completion(self, client: Any, body: dict[str, Any]) -> Any:
        if self._responses:
            asked = client.responses.with_raw_response.create(model=self._name, **responses_body(body))
            return completion_of(from_json(asked.text))
        raw = self._raw(client, body)
        if not body.get("stream"):
            return from_json(raw.text)
        with closing(raw.http_response) as response:
            if "text/event-stream" not in raw.headers.get("content-type", ""):
                return from_json(response.read())  # a server that cannot stream
            gathered = Gathered()
            for line in response.iter_lines():
                text = gathered.add(line)
                if text and self._on_token:
                    self._on_token(text)
            return gathered.whole()

    def _raw(self, client: Any, body: dict[str, Any]) -> Any:
        return client.chat.completions.with_raw_response.create(model=self._name, **body)

    def _guarded(self, call: Callable[[Any], Any]) -> Any:
        """What the call gives, or a Refusal. Nothing of the library's errors gets out: they may quote the key."""
        client = self._opened()
        import openai

        # A stream lets the HTTP library's own errors through (httpx2 since openai 3, httpx before).
        broken = tuple(sys.modules[name].HTTPError for name in ("httpx2", "httpx") if name in sys.modules)
        try:
            with self._bounds.of(self._timeout):
                return call(client)
        except openai.APIStatusError as error:
            headers = {name.lower(): value for name, value in error.response.headers.items()}
            message = error_text(error.body) or f"HTTP status {error.status_code}"
            if 300 <= error.status_code < 400:
                message = f"it redirects to {headers.get('location', 'another place')}, which is not followed"
            return Refusal(error.status_code, self._clean(message), error.body, headers)
        except openai.APITimeoutError:
            return Refusal(0, f"no answer within {self._timeout:g} s", late=True)
        except openai.APIConnectionError as error:
            return Refusal(0, self._clean(f"no connection: {error.__cause__ or error}"))
        except (openai.OpenAIError, *broken) as error:
            return Refusal(0, self._clean(f"the reply broke off: {error}"))
        except (ValueError, RecursionError) as error:  # broken JSON, a broken stream, bytes that are no text
            return Refusal(200, self._clean(f"the answer is not a chat completion: {error}"))

    def _opened(self) -> Any:
        """The client; imported on first use, as that takes a second or two."""
        with self._opening:
            if self._client is None:
                import openai

                # A redirect would take the prompts elsewhere, and what is packed may unpack to any length.
                own = openai.DefaultHttpxClient(
                    trust_env=not on_this_machine(self.base_url),
                    follow_redirects=False,
                    event_hooks={"response": [plain_only]},
                )
                self._bounds.around(own)
                self._client = openai.OpenAI(
                    api_key=self._key,
                    base_url=self.base_url,
                    timeout=self._timeout,
                    max_retries=0,
                    http_client=own,
                    default_headers={"Accept-Encoding": "identity", **self._headers},
                    default_query={"api-version": self._api_version} if self._api_version else None,
                )
                if self.base_url != OPENAI:  # read from the environment, and no business of another server
                    self._client.organization = self._client.project = None
            return self._client

    def _clean(self, text: str) -> str:
        for secret in (self._key, *self._headers.values()):
            text = text.replace(secret, "***") if len(secret) >= SHORTEST or secret == self._key else text
        return shown(text)

    # -------------------------------------------------------------------------------------------- when it fails

    def _failure(self, got: Refusal, attempts: tuple[Attempt, ...]) -> ConfigError | ModelError:
        where = f"{self._service} (model {self._name})"
        if got.status in (401, 403):
            return ConfigError(
                f"{where} refused the key with {got.status}: {got.message}",
                fix='Set model.key = "env:NAME" in kgnb.toml or KGNB_KEY=env:NAME, where $NAME holds a valid key.',
            )
        if got.status == 404:
            return ConfigError(
                f"{where} is not there: {got.message}",
                fix="Check model.name ($KGNB_MODEL) and model.base_url ($KGNB_BASE_URL, most often ending in /v1).",
            )
        said = f"answered {got.status}" if got.status else "did not answer"
        return ModelError(
            f"{where} {said}: {got.message}",
            service=self._service,
            fix=advice(got),
            details=self._clean(json.dumps(got.body)) if got.body else "",
            attempts=attempts,
            passing=got.passing,
            retry_after=got.retry_after,
        )


def _sum(attempts: list[Attempt]) -> float:
    return sum(attempt.seconds for attempt in attempts)


def _json(text: str) -> Mapping[str, Any]:
    try:
        value = from_json(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}


def _checked_key(api_key: str | Secret | None, base_url: str = "") -> str:
    key = (api_key.reveal() if isinstance(api_key, Secret) else api_key or "").strip()
    if not key and base_url == OPENAI:
        raise ConfigError(
            "OpenAI's server needs a key",
            fix='Set model.key = "env:OPENAI_API_KEY" in kgnb.toml (and that variable), or another model.base_url.',
        )
    if not (key.isascii() and key.isprintable()):  # a header cannot hold it, and the error would show it
        raise ConfigError(
            "the API key, or a header, holds characters that none may have", fix="Copy it again into its variable."
        )
    return key or "none"  # the client wants one, local servers do not


def _without_credentials(base_url: str) -> str:
    try:
        parts = urlsplit(base_url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        valid = False
    if not valid:
        raise ConfigError(
            "model.base_url is not a URL", fix="It looks like http://127.0.0.1:8080/v1; see $KGNB_BASE_URL."
        )
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


MILDER: dict[Form, Form] = {"json_schema": "json_object", "json_object": "text"}
_OPTIONAL = ("temperature", "seed", "max_tokens", "stream_options", "tools", "parallel_tool_calls", "verbosity")
# what a server may refuse and we can spare
_OVERFLOW = re.compile(r"context[_ ](length|size|window)|maximum context|prompt is too long|too many tokens", re.I)
_FILTERED = re.compile(r"content_filter|content_policy|content management policy", re.I)


@dataclass(frozen=True)
class Refusal:
    """One try that gave no reply."""

    status: int  # 0: there was no answer
    message: str
    body: Any = None  # the error's JSON, where there was one
    headers: Mapping[str, str] | None = None
    late: bool = False  # the server took the call and did not answer in time

    @property
    def error(self) -> Mapping[str, Any]:
        """The error's fields, as ``{"error": {...}}`` or bare."""
        inner = self.body.get("error", self.body) if isinstance(self.body, Mapping) else None
        return inner if isinstance(inner, Mapping) else {}

    @property
    def code(self) -> str:
        """The error's code and type."""
        return f"{self.error.get('code') or ''} {self.error.get('type') or ''}"

    @property
    def passing(self) -> bool:
        """Whether the same call may succeed later."""
        if "insufficient_quota" in self.code or (self.headers or {}).get("x-should-retry") == "false":
            return False
        return self.status in (0, 200, 408, 409, 429) or self.status >= 500 and self.status != 501

    @property
    def retry_after(self) -> float | None:
        """Seconds the server asked to be left alone."""
        return retry_after(self.headers or {})


def advice(got: Refusal) -> str:
    """How to mend it."""
    if got.status == 0:
        return "Is the server running, and is model.base_url right? A slow one may need a larger model.timeout."
    if 300 <= got.status < 400:
        return "Set model.base_url ($KGNB_BASE_URL) to where it leads, if you trust that place."
    if got.status == 429:
        return "Lower model.requests_per_minute or model.width, or look at the account's quota."
    if got.status == 200:
        return "Something else than a chat server may be answering (a proxy, a login page): check model.base_url."
    return (
        "The server's own log may say more." if got.status >= 500 else "Try `%llm test` to see what the server can do."
    )


def ending(got: Refusal) -> str:
    """The finish_reason of a refusal that is the model's answer to this very prompt; "" for any other."""
    if got.status not in (400, 413, 422):
        return ""
    said = f"{got.code} {got.message}"
    if re.search(r"max_(completion_)?tokens\W.{0,20}too large", said):  # as vLLM says; the prompt fits
        return ""
    return "context_overflow" if _OVERFLOW.search(said) else "content_filter" if _FILTERED.search(said) else ""


def responses_only(got: Refusal) -> bool:
    """Whether a refusal says that this model has no chat completions."""
    return got.status in (400, 404) and "v1/responses" in got.message


def milder(
    got: Refusal, body: Mapping[str, Any], form: Form, without: frozenset[str]
) -> tuple[Form, frozenset[str]] | None:
    """What to ask for instead, after the server refused a part of the request; None where nothing is left to spare."""
    if got.status not in (400, 422) and "--jinja" not in got.message:  # llama.cpp's 500 for tools
        return None
    param = str(got.error.get("param") or "")
    said = param or (error_text(got.body) or json.dumps(got.body)[:300])  # FastAPI's 422 names the field in a list
    for name in _OPTIONAL:
        if name in body and name not in without and re.search(rf"\b{name}\b", said.replace("tool choice", "tools")):
            return form, without | {name}
    sent_back = any("carried" not in without and set(CARRIED) & set(message) for message in body.get("messages", ()))
    if sent_back and re.search(r"reasoning|thinking", said):
        return form, without | {"carried"}
    if "response_format" in body and (not param or "response_format" in param):
        return MILDER[form], without
    return None


def ignored(reply: Reply, schema: Mapping[str, Any] | None) -> bool:
    """Whether a reply shows that the server took a JSON schema and did not hold the model to it.

    That is a whole reply in which no JSON object has the keys that the schema requires; the values are not looked at.
    """
    if schema is None or reply.tool_calls or reply.finish_reason != "stop":
        return False
    required = set(schema.get("required") or ())
    objects = [value for value in json_values(reply.text) if isinstance(value, Mapping)]
    return not any(required <= set(value) for value in objects)
