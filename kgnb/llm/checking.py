"""What a model server can do, found out by asking it: what `%llm test` shows, and whether it answers at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kgnb.errors import BackendError, shown
from kgnb.files import from_json
from kgnb.llm.model import Message, Reply, Request, ToolSpec, Usage, behind

if TYPE_CHECKING:
    from kgnb.llm.openai_model import OpenAIModel

# Each prompt asks for one thing and the request's form for another: a reply in that form shows that it is enforced.
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"word": {"type": "string", "enum": ["violet"]}},
    "required": ["word"],
    "additionalProperties": False,
}
_GREET = ToolSpec(
    "greet",
    "Says hello to somebody.",
    {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": False},
)


def check_answering(model: object) -> None:
    """Check that a model's server is there before long work that needs it; models without a server always pass.

    Raises:
        ConfigError: the key or the model's name is refused.
        BackendError: the server cannot be reached, or its answer is not a reply.
    """
    check = behind(model, "check_answering")
    if check is not None:
        check()


@dataclass(frozen=True)
class Check:
    """What a server did when asked. Without ``schema`` or ``tools``, kgnb makes do with words and JSON."""

    name: str
    server: str
    models: tuple[str, ...]  # that the server offers; empty if it does not say
    answer: str  # to "say hello"
    schema: bool  # replies follow a JSON schema even against the prompt
    tools: bool  # it calls tools natively
    counts_tokens: bool
    usage: Usage  # of the calls made for this
    seconds: float
    notes: tuple[str, ...]  # what the server refused

    def __str__(self) -> str:
        able = {"JSON schema": self.schema, "tool calls": self.tools, "token counts": self.counts_tokens}
        lines = [f"{self.name} at {self.server} answers: {self.answer or '(nothing)'}"]
        lines += [f"{what}: {'yes' if works else 'no'}" for what, works in able.items()]
        if self.models and self.name not in self.models:
            more = f" and {len(self.models) - 5} more" if len(self.models) > 5 else ""
            lines.append(f"the server lists {', '.join(self.models[:5])}{more}, not {self.name}")
        return "\n".join([*lines, *(f"refused: {note}" for note in self.notes)])


def check(model: OpenAIModel) -> Check:
    """Ask a server three small questions, and for its models.

    Raises:
        ConfigError: the key, the URL or the model's name is wrong.
        BackendError: the first question gets no reply.
    """
    hello = model.ask(Request((Message("user", "Say hello in one word."),), max_tokens=256))
    schema = _asked(model, Request((Message("user", "Say the word green."),), schema=_SCHEMA, max_tokens=256))
    tools = _asked(model, Request((Message("user", "Greet Ada, with the tool."),), tools=(_GREET,), max_tokens=256))
    replies = [reply for reply in (hello, schema, tools) if isinstance(reply, Reply)]
    refused = [attempt.error for reply in replies for attempt in reply.attempts if attempt.error]
    return Check(
        name=model.name,
        server=model.server,
        models=model.models(),
        answer=shown(hello.text, 60),
        schema=isinstance(schema, Reply) and _follows(schema.text),
        tools=isinstance(tools, Reply) and any(call.name == _GREET.name for call in tools.tool_calls),
        counts_tokens=not hello.usage.estimated,
        usage=sum((reply.usage for reply in replies), Usage()),
        seconds=sum(reply.seconds for reply in replies),
        notes=tuple(dict.fromkeys([*refused, *(str(each) for each in (schema, tools) if isinstance(each, str))])),
    )


def _asked(model: OpenAIModel, request: Request) -> Reply | str:
    """The reply, or why there is none: what a server cannot do is no reason not to try the next thing."""
    try:
        return model.ask(request)
    except BackendError as error:
        return error.what


def _follows(text: str) -> bool:
    try:
        return bool(from_json(text) == {"word": "violet"})
    except ValueError:
        return False
