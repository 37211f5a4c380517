"""What a chat model is: requests in, replies out, both plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable
from typing import Literal as OneOf

Role = OneOf["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool a model may call: name, what it does, and the JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call a model asked for. ``arguments`` is parsed JSON, not yet checked against the tool's schema."""

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


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens in and out, as the server counted them (an estimate is marked as one)."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated or other.estimated,
        )

    @property
    def total(self) -> int:
        """All tokens."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that decides a reply; its canonical JSON is the cache key."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None  # JSON schema the reply's text must follow
    tools: tuple[ToolSpec, ...] = ()
    temperature: float = 0.0
    max_tokens: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at the network: the HTTP status (0 where there was none), what went wrong, and how long it took."""

    status: int
    error: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer, and what it took to get it."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    finish_reason: str = "stop"
    model: str = ""
    cached: bool = False
    seconds: float = 0.0
    attempts: tuple[Attempt, ...] = ()


@runtime_checkable
class ChatModel(Protocol):
    """A model one can ask. Failing for good raises BackendError whose ``.attempts`` lists every try."""

    @property
    def name(self) -> str:
        """The model's name as the server knows it."""
        ...

    def ask(self, request: Request) -> Reply:
        """The reply to one request; may be called from several threads at once."""
        ...
