"""A chat model behind any OpenAI-compatible server: hosted, vLLM, Ollama, llama.cpp."""

from __future__ import annotations

import json
import re
import time
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from kgnb.errors import ConfigError, Delayed, Estimated, shown
from kgnb.files import from_json
from kgnb.llm.bounds import THOUGHTS, bounded_schema, most_tokens
from kgnb.llm.model import Attempt, Message, ModelError, Reply, Request, Usage
from kgnb.llm.pacing import rest
from kgnb.llm.prices import counted_usage, estimate_usage
from kgnb.llm.reply import json_values
from kgnb.llm.wire import (
    CARRIED,
    SYSTEM,
    Form,
    completion_of,
    from_stream,
    from_wire,
    responses_body,
    to_wire,
)
from kgnb.openai_server import OPENAI, OpenAIServer, ServerRefusal, error_text
from kgnb.secret import Secret

_PATIENCE = 10.0  # seconds a server may take to list its models
_LOADING = 600.0  # seconds a server may take to load its model
_PAUSE = 1.0  # seconds between two questions whether it has
_ANSWER = 256  # tokens of its context that a prompt has to leave for the answer


class OpenAIModel:
    """Asks a chat-completions server; one call is one try (``Model`` adds pace and retries).

    It makes do without what a server refuses with 400: a JSON schema becomes a JSON object becomes
    words in the prompt (also if the server accepts the schema and ignores it), and ``temperature``,
    ``seed``, ``tools`` and the like are left out if the server says that it does not know them.
    Every such try is in ``Reply.attempts``. A model that only has the Responses API is asked
    through that. Ollama, which cuts long prompts silently, is asked for its context length.

    A prompt that is too long or filtered gives a Reply without text whose ``finish_reason`` is
    "context_overflow" or "content_filter"; a reply that was cut short has "length". ``timeout`` is
    for the whole call.

    Raises:
        ConfigError: there is no key for OpenAI's own server, or the URL is wrong; when asked, for
            401, 403 and 404. ModelError (a BackendError): any other failure to get a reply.
    """

    def __init__(
        self,
        name: str,
        base_url: str | None = None,
        api_key: str | Secret | None = None,
        *,
        timeout: float = 60.0,
        headers: Mapping[str, Secret] | None = None,
        api_version: str = "",
    ) -> None:
        if not name:
            raise ConfigError(
                "the model has no name", fix="Set model.name in kgnb.toml or $KGNB_MODEL."
            )
        self.name = name
        self._calls = OpenAIServer(
            base_url,
            api_key,
            table="model",
            timeout=timeout,
            headers=headers,
            api_version=api_version,
        )
        self.base_url = self._calls.base_url
        self.server = self._calls.service  # the URL without credentials
        self._forms: dict[str, Form] = {}  # by schema: the strictest form that the server accepted
        self._strictest: Form = "json_schema"  # for schemas that it has not seen yet
        self._without: frozenset[str] = frozenset()  # parameters that the server refused
        self._thinks = False  # whether it has needed room to think
        self._estimates = False  # whether its tokens were estimated, and this was said
        self._streams = False  # whether its replies come in pieces, and not otherwise
        self._loaded_by: float | None = None  # when a server that loads its model is given up
        self._responses = False  # whether the model is asked through the Responses API
        self._ollama = urlsplit(self.base_url).port == 11434
        self._served: str | None = None  # the one model that the server lists; "": not known
        self._context: int | None = None  # tokens that an Ollama server reads; 0: unknown

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r}, base_url={self.server!r})"

    def ask(self, request: Request) -> Reply:
        """The reply to one request, or why there is none; may be called from several threads at
        once.
        """
        expected = estimate_usage(request).prompt_tokens
        if self._ollama and (context := self._context_length()) and expected + _ANSWER > context:
            why = f"about {expected:,} tokens do not fit the server's context of {context:,}"
            return Reply(
                "",
                finish_reason="context_overflow",
                attempts=(Attempt(0, why, 0.0),),
            )
        schema = json.dumps(request.schema) if request.schema is not None else ""
        form, without = self._forms.get(schema, self._strictest), self._without
        attempts: list[Attempt] = []
        spent = Usage()
        bound = request.max_tokens is None
        while True:
            asked = self._bounded(request, without) if bound else request
            body = to_wire(asked, form, without)
            start, by_responses = time.perf_counter(), self._responses
            got = self._completion(body)
            seconds = time.perf_counter() - start
            if isinstance(got, Reply):
                got = self._counted(got, request)
            if isinstance(got, Reply) and bound and not self._thinks and thought(got):
                # its thoughts take room that an answer does not
                attempts.append(Attempt(200, "cut off while thinking", seconds))
                self._thinks, spent = True, spent + got.usage
                continue
            if isinstance(got, Reply) and form == "json_schema" and ignored(got, request.schema):
                attempts.append(Attempt(200, "the JSON schema was ignored", seconds))
                form, spent = MILDER[form], spent + got.usage
                continue
            if isinstance(got, Reply):
                attempts.append(Attempt(200, "", seconds))
                if spent.total and not ignored(got, request.schema):
                    self._strictest = form  # words helped where the schema did not
                self._forms[schema], self._without = form, self._without | without
                return replace(
                    got,
                    usage=spent + got.usage,
                    model=self.served() or got.model,
                    seconds=_sum(attempts),
                    attempts=tuple(attempts),
                )
            attempts.append(Attempt(got.status, got.message, seconds))
            if not by_responses and responses_only(got):
                self._responses = True
                continue
            if not self._streams and streams_only(got):
                self._streams = True
                continue
            if loading(got) and self._waited():
                continue
            if bound and for_lack_of_room(got):
                # perhaps only with the room that was asked for the answer
                bound = False
                continue
            if end := ending(got):
                return Reply(
                    "", finish_reason=end, seconds=_sum(attempts), attempts=tuple(attempts)
                )
            less = milder(got, body, form, without)
            if less is None:
                raise self._failure(got, tuple(attempts))
            form, without = less

    def _counted(self, reply: Reply, request: Request) -> Reply:
        """The reply with tokens that a budget can count; said once where the server counts none."""
        usage = counted_usage(reply, request)
        if usage.estimated and not self._estimates:
            self._estimates = True
            said = f"{self.server} counts no tokens, or too few, so that estimates count instead"
            warnings.warn_explicit(said, Estimated, "kgnb", 1)
        return replace(reply, usage=usage)

    def _bounded(self, request: Request, without: frozenset[str]) -> Request:
        """The request with an end to its reply."""
        schema = request.schema if BOUNDS in without else bounded_schema(request.schema)
        room = most_tokens(request) + (THOUGHTS if self._thinks else 0)
        return replace(request, schema=schema, max_tokens=room)

    def served(self) -> str:
        """The model that a server of a single one lists, by whatever name it is asked."""
        if self._served is None and self.base_url == OPENAI:
            self._served = ""  # it has many, and says in each reply which one it was
        if self._served is None:
            listed = self._listed()
            if isinstance(listed, ServerRefusal) and (not listed.status or loading(listed)):
                return ""
            names = _names(listed)
            # of a file, only its name: a folder of this machine is nobody's business
            self._served = re.sub(r"^(/|\w:\\).*[/\\]", "", names[0]) if len(names) == 1 else ""
        return self._served

    def check_answering(self) -> None:
        """Ask something that costs nothing or, from a server that does not list its models, a word.

        Raises:
            ConfigError: the key or the model's name is refused.
            ModelError: the server cannot be reached, or its answer is not a reply.
        """
        listed = self._listed()
        if isinstance(listed, list):  # Ollama says this of its own models
            self._ollama |= any(
                isinstance(one, Mapping) and one.get("owned_by") == "library" for one in listed
            )
            return
        if isinstance(listed, ServerRefusal) and listed.late:
            return  # it may be at work
        if isinstance(listed, ServerRefusal) and listed.status in (0, 401, 403):
            raise self._failure(listed, (Attempt(listed.status, listed.message, 0.0),))
        try:
            self.ask(Request((Message("user", "Say yes."),), max_tokens=16))
        except ModelError as error:
            if error.status != 429:  # then it is there
                raise

    def _listed(self) -> Any:
        """The models as the server lists them, or a Refusal."""
        got = self._calls.call(
            lambda client: from_json(
                client.with_options(timeout=_PATIENCE).models.with_raw_response.list().text
            )
        )
        return got.get("data") if isinstance(got, Mapping) else got

    def _context_length(self) -> int:
        """The tokens of a prompt that an Ollama server reads; 0 if it does not say."""
        if self._context is None:
            root, own = self.server.removesuffix("/v1"), {"model": self.name}
            about = self._get(f"{root}/api/show", own)
            found = re.search(r"^num_ctx\s+(\d+)", str(about.get("parameters", "")), re.MULTILINE)
            if found is None:
                self._get(
                    f"{root}/api/generate", own
                )  # loads the model: only then does it say how long its context is
                loaded = self._get(f"{root}/api/ps").get("models") or ()
                names = (self.name, f"{self.name}:latest")
                lengths = (one.get("context_length") for one in loaded if one.get("name") in names)
                self._context = int(next(lengths, 0) or 0)
            else:
                self._context = int(found.group(1))
        return self._context

    def _get(self, url: str, body: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """What another path of the server answers; empty if it answers nothing."""
        got = self._calls.call(
            lambda client: (
                client.post(url, cast_to=object, body=body)
                if body
                else client.get(url, cast_to=object)
            )
        )
        return got if isinstance(got, Mapping) else {}

    # --------------------------------------------------------------------------------------------
    # one try

    def _completion(self, body: dict[str, Any]) -> Reply | ServerRefusal:
        got = self._calls.call(lambda client: self._received(client, body))
        if isinstance(got, ServerRefusal):
            return got
        try:
            return from_wire(got, self.name)
        except ValueError as error:
            return ServerRefusal(200, self._calls.clean(str(error)), got)

    def _received(self, client: Any, body: dict[str, Any]) -> Any:
        if self._responses:
            raw = client.responses.with_raw_response.create(model=self.name, **responses_body(body))
            return completion_of(from_json(raw.text))
        # not as an argument: the client would then hand over the pieces, with another deadline
        more = {"extra_body": {"stream": True}} if self._streams else {}
        raw = client.chat.completions.with_raw_response.create(model=self.name, **body, **more)
        text = raw.text.lstrip("\ufeff \r\n")
        return from_stream(text) if text.startswith(("data:", "event:", ":")) else from_json(text)

    def _waited(self) -> bool:
        """Wait a little for a server that loads its model; False if that has taken too long."""
        now = time.monotonic()
        if self._loaded_by is None:
            self._loaded_by = now + _LOADING
            said = f"{self.server} is still loading its model; waiting for it"
            warnings.warn_explicit(said, Delayed, "kgnb", 1)
        if now > self._loaded_by:
            return False
        rest(_PAUSE)
        return True

    def _failure(
        self, got: ServerRefusal, attempts: tuple[Attempt, ...]
    ) -> ConfigError | ModelError:
        if error := self._calls.misconfigured(got, self.name):
            return error
        happened = f"answered {got.status}" if got.status else "did not answer"
        return ModelError(
            f"{self.server} (model {self.name}) {happened}: {got.message}",
            service=self.server,
            fix=advice(got),
            details=self._calls.clean(json.dumps(got.body)) if got.body else "",
            attempts=attempts,
            passing=got.passing,
            retry_after=got.retry_after,
        )


def _names(listed: Any) -> tuple[str, ...]:
    entries = listed if isinstance(listed, list) else []
    names = [entry.get("id") for entry in entries if isinstance(entry, Mapping)]
    return tuple(sorted({shown(name, 100) for name in names if isinstance(name, str)}))


def _sum(attempts: list[Attempt]) -> float:
    return sum(attempt.seconds for attempt in attempts)


MILDER: dict[Form, Form] = {"json_schema": "json_object", "json_object": "text"}
# what a server may refuse and we can do without
_OPTIONAL = (
    "temperature",
    "seed",
    "max_tokens",
    "max_completion_tokens",
    "tools",
    "parallel_tool_calls",
    "verbosity",
)
# in the words of OpenAI, vLLM, llama.cpp, Gemini, TGI and Bedrock
_OVERFLOW = re.compile(
    r"context[_ ](length|size|window)|maximum context|prompt is too long|too many (input )?tokens"
    r"|input token count .{0,40}exceeds|exceeds the maximum number of (input )?tokens"
    r"|inputs. (tokens|must).{0,40}must|must have less than \d+ tokens"
    r"|input (is|was) too long|too long for (the )?requested model|maximum (input|prompt) length"
    r"|(input|prompt) (length|tokens?) .{0,40}exceed|reduce the length of the (messages|prompt|input)",
    re.I,
)
# vLLM's words
_TOO_LARGE = re.compile(r"max_(completion_)?tokens\W.{0,20}too large")
_BOUNDS = re.compile(r"\b(maxLength|maxItems|minItems)\b")
BOUNDS = "bounds"
"""A part that a server may refuse: the ends of texts and lists in a schema."""

_NO_SYSTEM = re.compile(
    r"system (role|prompt|message|instruction)s?\b.{0,40}(not|n't|un)\s?(be |yet )?"
    r"(support|allow|permit|enabled|accept)|unsupported.{0,20}system"
    r"|role\W.{0,10}system.{0,30}not|not .{0,20}role\W.{0,3}system|roles? must alternate"
    r"|developer instruction is not enabled",
    re.I,
)
_STREAMS = re.compile(
    r"only supports? stream|stream.{0,20}(mode )?(is )?(required|only)|(must|please) .{0,30}stream"
    r"|stream\W.{0,20}must be (set to )?true|non-?streaming .{0,30}not (be )?support",
    re.I,
)
_FILTERED = re.compile(r"content_filter|content_policy|content management policy", re.I)


def advice(got: ServerRefusal) -> str:
    """How to mend a refusal."""
    if got.status == 0:
        return "Is the server running, and is model.base_url right? A slow one may need a larger model.timeout."
    if 300 <= got.status < 400:
        return "Set model.base_url ($KGNB_BASE_URL) to where it leads, if you trust that place."
    if got.status == 429:
        return "Lower model.requests_per_minute or model.width, or look at the account's quota."
    if got.status == 200:
        return "Perhaps it is not a chat server that answers, but a proxy or a login page: check model.base_url."
    return (
        "The server's own log may say more."
        if got.status >= 500
        else "`%llm test` asks it the shortest of questions."
    )


def ending(got: ServerRefusal) -> str:
    """The finish_reason of a refusal that is the model's answer to this very prompt; "" for any
    other.
    """
    if got.status not in (400, 413, 422):
        return ""
    message = f"{got.code} {got.message}"
    if _TOO_LARGE.search(message):  # the prompt fits
        return ""
    return (
        "context_overflow"
        if _OVERFLOW.search(message)
        else "content_filter"
        if _FILTERED.search(message)
        else ""
    )


def responses_only(got: ServerRefusal) -> bool:
    """Whether a refusal says that this model has no chat completions."""
    return got.status in (400, 404) and "v1/responses" in got.message


def for_lack_of_room(got: ServerRefusal) -> bool:
    """Whether a prompt was refused together with the room that was asked for its answer."""
    if _TOO_LARGE.search(got.message):
        return True
    room = re.search(r"completion|max_\w*tokens|requested \d+ tokens", got.message)
    return room is not None and ending(got) == "context_overflow"


def thought(reply: Reply) -> bool:
    """Whether a reply was cut off because its room went to thoughts."""
    return reply.finish_reason == "thinking" or (
        reply.finish_reason == "length" and reply.usage.reasoning_tokens > 0
    )


def streams_only(got: ServerRefusal) -> bool:
    """Whether a refusal says that replies only come in pieces."""
    return got.status in (400, 422) and _STREAMS.search(got.message) is not None


def loading(got: ServerRefusal) -> bool:
    """Whether a server says that it will answer once it has loaded its model."""
    about = f"{got.message} {got.code}"
    return (
        got.status == 503
        and re.search(r"load(ing|ed)?\b.{0,20}model|model.{0,30}load", about, re.I) is not None
    )


def milder(
    got: ServerRefusal, body: Mapping[str, Any], form: Form, without: frozenset[str]
) -> tuple[Form, frozenset[str]] | None:
    """What to ask for instead after the server refused a part of the request; None if nothing can
    be left out.
    """
    # llama.cpp answers 500 where it has no tools, or its template no system
    by_template = "--jinja" in got.message or _NO_SYSTEM.search(got.message)
    if got.status not in (400, 422) and not by_template:
        return None
    param = str(got.error.get("param") or "")
    named = param or (
        error_text(got.body) or json.dumps(got.body)[:300]
    )  # FastAPI's 422 names the field in a list
    if BOUNDS not in without and _BOUNDS.search(f"{got.message} {named}"):
        return form, without | {BOUNDS}
    messages = body.get("messages", ())
    if (
        SYSTEM not in without
        and any(message["role"] == "system" for message in messages)
        and _NO_SYSTEM.search(f"{got.message} {named}")
    ):
        return form, without | {SYSTEM}
    for name in _OPTIONAL:
        if (
            name in body
            and name not in without
            and re.search(rf"\b{name}\b", named.replace("tool choice", "tools"))
        ):
            return form, without | {name}
    sent_back = any(
        "carried" not in without and set(CARRIED) & set(message)
        for message in body.get("messages", ())
    )
    if sent_back and re.search(r"reasoning|thinking", named):
        return form, without | {"carried"}
    if "response_format" in body and (not param or "response_format" in param):
        return MILDER[form], without
    return None


def ignored(reply: Reply, schema: Mapping[str, Any] | None) -> bool:
    """Whether a reply shows that the server accepted a JSON schema without making the model follow
    it.

    That is a whole reply without any JSON object that has the required keys; their values are not
    looked at.
    """
    if schema is None or reply.tool_calls or reply.finish_reason != "stop":
        return False
    required = set(schema.get("required") or ())
    objects = [value for value in json_values(reply.text) if isinstance(value, Mapping)]
    return not any(required <= set(value) for value in objects)
