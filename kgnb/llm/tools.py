"""Letting a model call functions: one loop, for servers with tool calls and for those without."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, validate_call

from kgnb.errors import shown
from kgnb.llm.model import ChatModel, Message, Reply, Request, ToolCall, ToolSpec
from kgnb.llm.reply import HOPELESS, UnusableReply, json_values
from kgnb.llm.wire import UNREADABLE, readable

_SILENT = 3  # replies in a row without a call, after which the model is not asked again
_NUDGE = "That was no tool call. Call a tool, or {finish}."
_MOST_REPEATED = 3  # replies with one and the same refused call, after which it is not asked again
_AGAIN = "This very call was refused before: change it, or go on with something else."
_LONGEST_RESULT = 8000  # characters of a result that the model gets to see
_HOW = (
    "You act by calling tools, one at a time. Reply with one JSON object and nothing else: "
    '{{"tool": NAME, "arguments": {{...}}}}. The tools:\n{tools}'
)

FINISH = ToolSpec(
    "finish",
    "Ends the work. Call it when there is nothing more to do.",
    {
        "type": "object",
        "properties": {
            "summary": {"type": "string", "description": "what was done, in a sentence"}
        },
        "required": ["summary"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True)
class Tool:
    """Something a model may do: what it is told about it, and the function, called with keyword
    arguments.
    """

    spec: ToolSpec
    function: Callable[..., Any]


@dataclass(frozen=True)
class ToolUse:
    """One call: ``error`` says why it was refused or failed; otherwise ``result`` is what the
    function returned.
    """

    call: ToolCall
    result: Any = None
    error: str = ""


@dataclass(frozen=True)
class ToolTalk:
    """The outcome of a loop. ``answer`` holds the arguments of ``finish``; None if the limit came
    first.
    """

    messages: tuple[Message, ...]
    replies: tuple[Reply, ...]
    uses: tuple[ToolUse, ...]
    answer: Mapping[str, Any] | None = None


class SameCall(UnusableReply):
    """A model that makes one and the same refused call again and again."""


def refused(use: ToolUse) -> bool:
    """Whether a call failed, or its function answered that it refuses it."""
    return bool(use.error) or (isinstance(use.result, Mapping) and use.result.get("ok") is False)


def call_tools(
    model: ChatModel,
    messages: Sequence[Message],
    tools: Mapping[str, Tool],
    limit: int,
    *,
    finish: ToolSpec = FINISH,
    emulate: bool | None = None,
    checked: bool = True,
    request: Request = Request(()),  # noqa: B008 - frozen
    worked: bool = False,
    on_reply: Callable[[Reply], object] = lambda reply: None,
) -> ToolTalk:
    """Let the model call tools until it calls ``finish``, for at most ``limit`` replies.

    Arguments are validated against the tool's schema before its function runs. An unknown tool, bad
    arguments and a ValueError of the function become the call's result, for the model to read; any
    other error ends the loop. A reply in words gets a nudge; words after a successful call end
    the work if ``finish`` requires no arguments. Calls are numbered here, so that a replay does not
    depend on a server's random ids.

    Args:
        emulate: True asks for calls as JSON by a schema instead of native tool calls; None does so
            after the second
            reply without a call, if there has been no call at all: the sign of a server without
            tool calls.
        checked: False leaves it to the functions to validate their arguments.
        request: temperature, seed and ``max_tokens``.
        worked: the model has called tools before, so a reply in words ends the work.
        on_reply: called with each reply before its calls are carried out.

    Raises:
        UnusableReply (a ReplyError): three replies in a row held no call, or asking again would be
        no use.
        SameCall (an UnusableReply): three replies held one and the same refused call.
    """
    if not messages:
        raise ValueError("there is no message to begin with")
    if finish.name in tools:
        raise ValueError(f"{finish.name} ends the loop: no tool may have its name")
    specs = (*(tool.spec for tool in tools.values()), finish)
    names = {spec.name for spec in specs}
    talk, replies, uses, silent = list(messages), list[Reply](), list[ToolUse](), 0
    ends_in_words = not finish.parameters.get("required")
    wrong = Counter[tuple[str, str]]()  # how many replies held a refused call
    while len(replies) < limit:
        asking = replace(request, messages=tuple(talk), tools=specs)
        reply = model.ask(_emulated(asking) if emulate else asking)
        replies.append(reply)
        on_reply(reply)
        calls = reply.tool_calls or _calls_in_text(reply.text, None if emulate else names)
        if not calls and reply.finish_reason in HOPELESS:
            raise UnusableReply(
                f"no answer: {HOPELESS[reply.finish_reason]}", replies=tuple(replies)
            )
        if not calls:
            worked = worked or any(not use.error for use in uses)
            failed = bool(uses) and bool(uses[-1].error)
            if ends_in_words and worked and (silent or not failed):
                return ToolTalk(
                    (*talk, Message("assistant", reply.text)), tuple(replies), tuple(uses), {}
                )
            silent += 1
            if silent == _SILENT:
                raise UnusableReply(
                    f"{_SILENT} replies in a row held no tool call", replies=tuple(replies)
                )
            if emulate is None and silent > 1 and not uses and not worked:
                emulate = True
                continue
            talk += [
                Message("assistant", reply.text),
                Message("user", _NUDGE.format(finish=finish.name)),
            ]
            continue
        silent = 0
        said = reply.text if reply.tool_calls else ""  # else the text was the call
        before = sum(len(message.tool_calls) for message in talk)  # some servers want every id once
        calls = tuple(
            replace(call, id=f"call_{before + n}") for n, call in enumerate(calls, start=1)
        )
        talk.append(Message("assistant", said, calls, carried=reply.carried))
        again = set[tuple[str, str]]()
        for call in calls:
            use = _use(call, tools, finish, checked)
            key = call.name, json.dumps(call.arguments, sort_keys=True, default=str)
            again |= {key} if refused(use) else set()
            if use.error and wrong[key]:
                use = replace(use, error=f"{use.error} {_AGAIN}")
            uses.append(use)
            if call.name == finish.name and not use.error:
                return ToolTalk(tuple(talk), tuple(replies), tuple(uses), call.arguments)
            talk.append(Message("tool", _told(use), tool_call_id=call.id))
        wrong.update(again)
        if again and max(wrong.values()) >= _MOST_REPEATED:
            name, _ = max(wrong, key=wrong.__getitem__)
            what = f"{_MOST_REPEATED} replies held the same refused call of {shown(name, 60)}"
            raise SameCall(what, replies=tuple(replies))
    return ToolTalk(tuple(talk), tuple(replies), tuple(uses))


def violations(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[str]:
    """Where arguments violate a schema, at most five places; nothing that it refers to is fetched."""
    # take a second to import, and most runs call no tool
    from jsonschema import Draft202012Validator
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    validator = Draft202012Validator(schema, registry=Registry())
    try:
        wrong = sorted(validator.iter_errors(arguments), key=lambda each: each.json_path)
    except (Unresolvable, RecursionError) as error:
        return [f"the schema of this tool cannot be used: {error}"]
    return [f"{each.json_path}: {each.message}" for each in wrong[:5]]


def _use(call: ToolCall, tools: Mapping[str, Tool], finish: ToolSpec, checked: bool) -> ToolUse:
    if call.name != finish.name and call.name not in tools:
        known = ", ".join([*tools, finish.name])
        return ToolUse(call, error=f"there is no tool {shown(call.name, 60)}; there are {known}")
    if UNREADABLE in call.arguments:
        return ToolUse(call, error="the arguments are not a JSON object")
    spec = finish if call.name == finish.name else tools[call.name].spec
    validated = checked or call.name == finish.name
    if validated and (wrong := violations(spec.parameters, call.arguments)):
        return ToolUse(call, error=shown("; ".join(wrong), 600))
    if call.name == finish.name:
        return ToolUse(call)
    try:
        return ToolUse(call, tools[call.name].function(**call.arguments))
    except ValueError as error:
        return ToolUse(call, error=shown(str(error), 600) or type(error).__name__)


def _told(use: ToolUse) -> str:
    """A call's outcome as the model reads it."""
    value = {"error": use.error} if use.error else use.result
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    left = len(text) - _LONGEST_RESULT
    return text if left <= 0 else f"{text[:_LONGEST_RESULT]} (cut: {left} more characters)"


# ------------------------------------------------------------------------------------ servers
# without tool calls


def _emulated(request: Request) -> Request:
    """The same request in plain messages: the tools as words, the call as JSON that follows a
    schema.
    """
    tools = "\n".join(
        f"- {tool.name}: {tool.description} Arguments: {json.dumps(tool.parameters)}"
        for tool in request.tools
    )
    how = _HOW.format(tools=tools)
    messages = request.messages
    if messages[0].role == "system":  # some servers take only one, and only in front
        how, messages = f"{messages[0].text}\n\n{how}", messages[1:]
    plain = (Message("system", how), *map(_plain, messages))
    return replace(request, messages=plain, tools=(), schema=_call_schema(request.tools))


def _plain(message: Message) -> Message:
    if message.role == "tool":
        return Message("user", f"Result:\n{message.text}")
    if message.tool_calls:
        calls = [
            json.dumps({"tool": call.name, "arguments": call.arguments})
            for call in message.tool_calls
        ]
        return Message("assistant", "\n".join(calls))
    return message


def _call_schema(tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """One kind of object per tool, told apart by its name; definitions move to the root, where
    references point.
    """
    definitions: dict[str, Any] = {}
    forms = []
    for tool in tools:
        parameters = _renamed(tool.parameters, f"#/$defs/{tool.name}.")
        definitions |= {
            f"{tool.name}.{name}": each for name, each in parameters.pop("$defs", {}).items()
        }
        named = {"tool": {"type": "string", "enum": [tool.name]}, "arguments": parameters}
        forms.append(
            {
                "type": "object",
                "properties": named,
                "required": [*named],
                "additionalProperties": False,
            }
        )
    return {"anyOf": forms} | ({"$defs": definitions} if definitions else {})


def _renamed(schema: Any, place: str) -> Any:
    """A schema with references to its own definitions redirected."""
    if isinstance(schema, list):
        return [_renamed(each, place) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        key: place + value.removeprefix("#/$defs/")
        if key == "$ref" and isinstance(value, str) and value.startswith("#/$defs/")
        else _renamed(value, place)
        for key, value in schema.items()
    }


def _calls_in_text(text: str, names: Set[str] | None) -> tuple[ToolCall, ...]:
    """The calls in a reply's text, under the names that models are used to.

    None at all if anything else in JSON stands beside them. A model that was asked for one call as
    JSON may name any tool. One that was asked for native calls may make several, as small models do
    in a fence, but must name existing tools (of ``names``), or its JSON is not a call.
    """
    calls: list[ToolCall] = []
    for value in json_values(text):
        for call in value if isinstance(value, list) else [value]:
            if not isinstance(call, dict):
                return ()
            name = call.get("tool", call.get("name"))
            if not isinstance(name, str) or names is not None and name not in names:
                return ()
            calls.append(ToolCall("", name, readable(call.get("arguments", {}))))
    return tuple(calls) if names is not None or len(calls) == 1 else ()


def tool_from_function(function: Callable[..., Any]) -> Tool:
    """A tool made from a function: its name, the first paragraph of its docstring, its type hints.

    ``Annotated[str, pydantic.Field(description=...)]`` describes a parameter. Arguments are
    converted to the hinted types (an enum, a date, a pydantic model) before the function sees them.

    >>> def search(label: str, k: int = 5) -> list[str]:
    ...     '''Finds entities by label.'''
    ...     return [label] * k
    >>> tool_from_function(search).spec.parameters["required"]
    ['label']

    Raises:
        TypeError: a parameter cannot be passed by name.
    """
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(
                f"{function.__name__}: {parameter} cannot be given by name, so a model cannot give it"
            )
    about = " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
    arguments: TypeAdapter[Any] = TypeAdapter(function)  # type: ignore[arg-type]  # pydantic takes functions as types
    return Tool(
        ToolSpec(function.__name__, about, arguments.json_schema()), validate_call(function)
    )
