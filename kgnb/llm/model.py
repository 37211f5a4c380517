"""What a chat model is: requests in, replies out, both plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable
from typing import Literal as OneOf

from kgnb.errors import BackendError

Role = OneOf["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that a model may call: its name, what it does, and the JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model asked for. ``arguments`` is parsed JSON, not yet checked against the
    tool's schema.
    """

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    text: str
    tool_calls: tuple[ToolCall, ...] = ()  # of an assistant's turn
    tool_call_id: str = ""  # of a tool's turn: the call it answers
    carried: Mapping[str, Any] = field(
        default_factory=dict
    )  # of an assistant's turn: ``Reply.carried``


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens in and out, as the server counted them (an estimate is marked as one).

    ``cached_tokens`` of those in came from the server's own cache; ``reasoning_tokens`` of those
    out were reasoning.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    cached_tokens: int = 0
    reasoning_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated or other.estimated,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )

    @property
    def total(self) -> int:
        """All tokens."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that decides a reply; its canonical JSON is the cache key.

    ``options`` are further fields of the body, such as ``reasoning_effort``.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None  # JSON schema the reply's text must follow
    tools: tuple[ToolSpec, ...] = ()
    temperature: float | None = 0.0  # None: the model's own
    max_tokens: int | None = None
    seed: int | None = 0
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try over the network: the HTTP status (0 if there was none), what went wrong, and how
    long it took.
    """

    status: int
    error: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer, and what it took to get it.

    ``carried`` is what the server sent besides text and calls and wants back with them: reasoning,
    signatures.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    finish_reason: str = "stop"
    model: str = ""
    cached: bool = False
    seconds: float = 0.0
    attempts: tuple[Attempt, ...] = ()
    carried: Mapping[str, Any] = field(default_factory=dict)
    cached_on: str = field(default="", compare=False)  # the day of a cached reply


@runtime_checkable
class ChatModel(Protocol):
    """A chat model. If it fails for good it raises a BackendError whose ``.attempts`` lists every
    try. One with a true attribute ``free`` costs nothing.
    """

    @property
    def name(self) -> str:
        """The model's name as the server knows it."""

    def ask(self, request: Request) -> Reply:
        """The reply to one request; may be called from several threads at once."""


@runtime_checkable
class ChatServer(ChatModel, Protocol):
    """A chat model behind an address."""

    @property
    def base_url(self) -> str:
        """The server's URL."""

    def served(self) -> str:
        """The model that the server says it serves under this name; "" if it does not say."""

    def check_answering(self) -> None:
        """Check that the server is there; ConfigError or BackendError say what is wrong."""


class ModelError(BackendError):
    """A model server did not answer, however often it was asked.

    ``attempts`` lists every try, the last one last. ``passing``: trying again may help.
    ``retry_after``: how many seconds the server asked to be left alone, None if it did not say.
    """

    def __init__(
        self,
        what: str,
        *,
        service: str,
        fix: str = "",
        details: str = "",
        attempts: tuple[Attempt, ...] = (),
        passing: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(what, service=service, fix=fix, details=details)
        self.attempts = attempts
        self.passing = passing
        self.retry_after = retry_after

    @property
    def status(self) -> int:
        """The HTTP status of the last try; 0 where there was none."""
        return self.attempts[-1].status if self.attempts else 0
