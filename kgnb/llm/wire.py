"""Chat completions and the Responses API on the wire: plain JSON and back, forgiving about what
servers leave out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from typing import Literal as OneOf

from kgnb.files import from_json
from kgnb.llm.model import Message, Reply, Request, ToolCall, ToolSpec, Usage
from kgnb.openai_server import error_text

Form = OneOf["json_schema", "json_object", "text"]
"""How a schema is put to the server, strictest first."""

UNREADABLE = "kgnb:unreadable"
"""The one key of a tool call's arguments if the server sent something else than a JSON object: the
text it sent.
"""

CARRIED = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
"""What servers send with an assistant's message and some want back with it while a tool loop goes
on.
"""
THOUGHTS = ("reasoning_content", "reasoning")
"""Where servers put what a model thought, as text."""

_CALLS = "calls"  # what came with each tool call beside its name and arguments, such as a signature
SYSTEM = "system"
"""A part that a server may refuse: messages of the system."""

STRICT_TOOLS = "strict_tools"
"""The one of ``Request.options`` that is not a field of the body: marks tools with a suitable
schema as strict.
"""

_INSTRUCTION = "Answer with one JSON value that follows this JSON schema, and with nothing else:\n"


def to_wire(
    request: Request, form: Form = "json_schema", without: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """The body of a call, except for the model's name; parameters named in ``without`` are left
    out.
    """
    messages = [_message(message, "carried" not in without) for message in request.messages]
    options = dict(request.options)
    strict = bool(options.pop(STRICT_TOOLS, False)) and STRICT_TOOLS not in without
    sampling = {"temperature": request.temperature, "seed": request.seed}
    body: dict[str, Any] = {name: value for name, value in sampling.items() if value is not None}
    if request.tools:
        body["tools"] = [_tool(tool, strict) for tool in request.tools]
    else:
        options.pop("parallel_tool_calls", None)  # refused without tools
    body |= options
    if request.max_tokens is not None:
        name = "max_completion_tokens" if "max_tokens" in without else "max_tokens"
        body[name] = request.max_tokens
    if request.schema is not None and form == "json_schema":
        named = {"name": "reply", "schema": dict(request.schema), "strict": _strict(request.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    elif request.schema is not None:
        messages = _instructed(messages, request.schema)
        if form == "json_object":
            body["response_format"] = {"type": "json_object"}
    if SYSTEM in without:
        messages = _without_system(messages)
    return {"messages": messages} | {
        name: value for name, value in body.items() if name not in without
    }


def _without_system(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the system says, said by the user in front of the first message."""
    told = [one["content"] for one in messages if one["role"] == "system"]
    others = [one for one in messages if one["role"] != "system"]
    if told and others and others[0]["role"] == "user":
        first, *rest = others
        return [{**first, "content": "\n\n".join([*told, first["content"]])}, *rest]
    return [{"role": "user", "content": "\n\n".join(told)}, *others] if told else others


def _message(message: Message, carried: bool) -> dict[str, Any]:
    text = message.text.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be sent
    wire: dict[str, Any] = {"role": message.role, "content": text}
    if message.tool_calls:
        wire["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": _dumped(call.arguments)},
            }
            for call in message.tool_calls
        ]
        if carried:
            wire |= {name: value for name, value in message.carried.items() if name in CARRIED}
            for call, more in zip(
                wire["tool_calls"], message.carried.get(_CALLS, ()), strict=False
            ):
                call |= more
    if message.role == "tool":
        wire["tool_call_id"] = message.tool_call_id
    return wire


def _tool(tool: ToolSpec, strict: bool) -> dict[str, Any]:
    function: dict[str, Any] = {"name": tool.name, "description": tool.description}
    function["parameters"] = dict(tool.parameters)
    if strict and _strict(tool.parameters):
        function["strict"] = True
    return {"type": "function", "function": function}


def _instructed(messages: list[dict[str, Any]], schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The schema in words, added to the system message: some servers take only one, and only in
    front.
    """
    instruction = _INSTRUCTION + _dumped(schema)
    if messages and messages[0]["role"] == "system":
        return [
            {**messages[0], "content": f"{messages[0]['content']}\n\n{instruction}"},
            *messages[1:],
        ]
    return [{"role": "system", "content": instruction}, *messages]


def _strict(schema: Any) -> bool:
    """Whether OpenAI's strict mode accepts the schema: every object closed, every property
    required.
    """
    if isinstance(schema, list):
        return all(map(_strict, schema))
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        properties = schema.get("properties") or {}
        if schema.get("additionalProperties") is not False or set(
            schema.get("required") or ()
        ) != set(properties):
            return False
    return all(map(_strict, schema.values()))


def _dumped(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


# ------------------------------------------------------------------------------------------------
# back again


def from_wire(body: Any, model: str) -> Reply:
    """The reply in a completion's JSON; ValueError says what is wrong if there is none."""
    if not isinstance(body, Mapping):
        raise ValueError("the answer is not a JSON object")
    if _deep(body):
        raise ValueError("the answer is nested too deep")
    if body.get("error"):  # some gateways send their errors with status 200
        raise ValueError(f"the server answered with an error: {error_text(body)}")
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise ValueError("the answer holds no choices")
    message = choices[0].get("message")
    if not isinstance(message, Mapping):
        raise ValueError("the answer's first choice holds no message")
    text, refusal = _text(message.get("content")), _text(message.get("refusal"))
    reason = "refusal" if refusal and not text else str(choices[0].get("finish_reason") or "stop")
    calls = _list(message.get("tool_calls"))
    thought = next((_text(message.get(name)) for name in THOUGHTS if message.get(name)), "")
    usage = _usage(body.get("usage"))
    if reason == "length" and not calls and _only_thought(text, thought, usage):
        reason = "thinking"
    elif not (text or refusal or calls):
        # some servers put the whole reply where thoughts go
        text = thought
    return Reply(
        text=text or refusal,
        tool_calls=tuple(_calls(calls)),
        usage=usage,
        finish_reason=reason,
        model=str(body.get("model") or model),
        carried=_carried(message, calls),
    )


def _only_thought(text: str, thought: str, usage: Usage) -> bool:
    """Whether a reply that was cut off holds nothing but the beginning of its thoughts."""
    if not text.strip():
        return bool(thought or usage.reasoning_tokens)
    opened = re.match(r"\s*<(\w*:?think\w*)>", text)
    return opened is not None and f"</{opened[1]}>" not in text


def from_stream(text: str) -> Any:
    """The completion whose pieces a server streamed (text/event-stream).

    Raises:
        ValueError: a piece is not JSON, or the stream broke off.
    """
    message: dict[str, Any] = {}
    calls: dict[int, dict[str, Any]] = {}
    whole: dict[str, Any] = {}
    reason = ""
    for line in text.splitlines():
        field, _, data = line.partition(":")
        if field != "data" or data.strip() in ("", "[DONE]"):
            continue
        piece = _mapping(from_json(data))
        if piece.get("error"):
            return piece
        whole |= {name: piece[name] for name in ("model", "usage") if piece.get(name)}
        choices = _list(piece.get("choices"))
        choice = _mapping(choices[0]) if choices else {}
        reason = str(choice.get("finish_reason") or reason)
        delta = _mapping(choice.get("delta") or choice.get("message"))
        for name in ("content", "refusal", *THOUGHTS):
            if isinstance(delta.get(name), str):
                message[name] = message.get(name, "") + delta[name]
        for call in map(_mapping, _list(delta.get("tool_calls"))):
            _grown(calls, call)
    if not reason and "[DONE]" not in text:
        raise ValueError("the stream broke off")
    message["tool_calls"] = list(calls.values())
    return {"choices": [{"message": message, "finish_reason": reason or "stop"}], **whole}


def _grown(calls: dict[int, dict[str, Any]], piece: Mapping[str, Any]) -> None:
    """Add a piece of a tool call to those it belongs to."""
    index = piece.get("index")
    call = calls.setdefault(
        index if isinstance(index, int) else len(calls), {"function": {"name": "", "arguments": ""}}
    )
    call |= {name: value for name, value in piece.items() if name != "function" and value}
    for name, value in _mapping(piece.get("function")).items():
        if isinstance(value, str):
            call["function"][name] = call["function"].get(name, "") + value


def _carried(message: Mapping[str, Any], calls: list[Any]) -> dict[str, Any]:
    """What a tool loop has to send back with the message; empty without a call."""
    if not calls:
        return {}
    found = {name: message[name] for name in CARRIED if message.get(name)}
    known = ("id", "type", "function", "index")
    more = [
        {name: value for name, value in _mapping(call).items() if name not in known and value}
        for call in calls
    ]
    return found | ({_CALLS: more} if any(more) else {})


def _text(content: Any) -> str:
    """A message's text: a string, or a list of parts of which some are text."""
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _calls(calls: Iterable[Any]) -> Iterable[ToolCall]:
    for number, call in enumerate(calls):
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping) and isinstance(function.get("name"), str):
            yield ToolCall(
                str(call.get("id") or f"call_{number}"), function["name"], _arguments(function)
            )


def _arguments(function: Mapping[str, Any]) -> Mapping[str, Any]:
    sent = function.get("arguments")
    if sent is None or sent == "":
        return {}
    try:
        return readable(from_json(sent) if isinstance(sent, str) else sent)
    except ValueError:
        return {UNREADABLE: str(sent)}


def readable(arguments: Any) -> Mapping[str, Any]:
    """A call's arguments if they are a JSON object that is not nested too deep."""
    if isinstance(arguments, dict) and not _deep(arguments):
        return arguments
    return {
        UNREADABLE: "an object that nests too deep"
        if isinstance(arguments, dict)
        else str(arguments)
    }


def _deep(value: Any, most: int = 100) -> bool:
    inner = value.values() if isinstance(value, Mapping) else _list(value)
    return not most or any(_deep(each, most - 1) for each in inner)


_MOST_TOKENS = 10**9
"""Of one call; a larger number is none that was counted."""


def _usage(usage: Any) -> Usage:
    if not isinstance(usage, Mapping):
        return Usage()
    prompt_details, completion_details = (
        _mapping(usage.get(name)) for name in ("prompt_tokens_details", "completion_tokens_details")
    )
    counts = (
        usage.get("prompt_tokens"),
        usage.get("completion_tokens"),
        prompt_details.get("cached_tokens"),
        completion_details.get("reasoning_tokens"),
    )
    prompt, completion, read, thought = (
        count if type(count) is int and 0 < count < _MOST_TOKENS else 0 for count in counts
    )
    return Usage(prompt, completion, False, read, thought)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


_DROPPED = ("messages", "seed", "response_format", "verbosity", "reasoning_effort", "tools")
_SAME = {"max_tokens": "max_output_tokens", "max_completion_tokens": "max_output_tokens"}


def responses_body(body: Mapping[str, Any]) -> dict[str, Any]:
    """The Responses call for a chat-completions body. The server stores nothing: reasoning is sent
    back by us.
    """
    made: dict[str, Any] = {
        _SAME.get(name, name): value for name, value in body.items() if name not in _DROPPED
    }
    made |= {
        "input": [item for message in body["messages"] for item in _items(message)],
        "store": False,
    }
    form = body.get("response_format") or {}
    text = {"format": {"type": form["type"], **form.get("json_schema", {})}} if form else {}
    text |= {"verbosity": body["verbosity"]} if "verbosity" in body else {}
    made |= {"text": text} if text else {}
    made |= (
        {"reasoning": {"effort": body["reasoning_effort"]}} if "reasoning_effort" in body else {}
    )
    if "tools" in body:  # there, tools are strict unless they say otherwise
        made["tools"] = [
            {"type": "function", "strict": False, **tool["function"]} for tool in body["tools"]
        ]
        made["include"] = ["reasoning.encrypted_content"]
    return made


def _items(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A message as items: reasoning, text and calls, or the output of a call."""
    if message["role"] == "tool":
        yield {
            "type": "function_call_output",
            "call_id": message["tool_call_id"],
            "output": message["content"],
        }
        return
    yield from message.get("reasoning_details", ())
    if message["content"] or not message.get("tool_calls"):
        yield {"role": message["role"], "content": message["content"]}
    for call in message.get("tool_calls", ()):
        yield {"type": "function_call", "call_id": call["id"], **call["function"]}


def completion_of(answer: Any) -> Any:
    """A Responses answer as the chat completion it stands for; anything else unchanged."""
    output = answer.get("output") if isinstance(answer, Mapping) else None
    if not isinstance(output, list) or answer.get("error"):
        return answer
    items = [item for item in output if isinstance(item, Mapping)]
    parts = [
        _mapping(part)
        for item in items
        if item.get("type") == "message"
        for part in _list(item.get("content"))
    ]
    calls = [
        {
            "id": item.get("call_id"),
            "function": {"name": item.get("name"), "arguments": item.get("arguments")},
        }
        for item in items
        if item.get("type") == "function_call"
    ]
    message = {
        "content": "".join(
            str(part.get("text", "")) for part in parts if part.get("type") == "output_text"
        ),
        "refusal": "".join(
            str(part.get("refusal", "")) for part in parts if part.get("type") == "refusal"
        ),
        "tool_calls": calls,
        "reasoning_details": [dict(item) for item in items if item.get("type") == "reasoning"],
    }
    why = _mapping(answer.get("incomplete_details")).get("reason", "")
    used = _mapping(answer.get("usage"))
    usage = {
        "prompt_tokens": used.get("input_tokens"),
        "completion_tokens": used.get("output_tokens"),
        "prompt_tokens_details": used.get("input_tokens_details"),
        "completion_tokens_details": used.get("output_tokens_details"),
    }
    choice = {
        "message": message,
        "finish_reason": "length" if why == "max_output_tokens" else why or "stop",
    }
    return {"choices": [choice], "usage": usage, "model": answer.get("model")}
