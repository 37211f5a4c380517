"""The Responses form, for models that have no other: a chat-completions body put into it, and its answer put back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_DROPPED = ("messages", "seed", "stream", "stream_options", "response_format", "verbosity", "reasoning_effort", "tools")
_SAME = {"max_tokens": "max_output_tokens", "max_completion_tokens": "max_output_tokens"}


def responses_body(body: Mapping[str, Any]) -> dict[str, Any]:
    """The Responses call for a chat-completions body. Nothing is kept at the server: reasoning is carried by us."""
    made: dict[str, Any] = {_SAME.get(name, name): value for name, value in body.items() if name not in _DROPPED}
    made |= {"input": [item for message in body["messages"] for item in _items(message)], "store": False}
    form = body.get("response_format") or {}
    text = {"format": {"type": form["type"], **form.get("json_schema", {})}} if form else {}
    text |= {"verbosity": body["verbosity"]} if "verbosity" in body else {}
    made |= {"text": text} if text else {}
    made |= {"reasoning": {"effort": body["reasoning_effort"]}} if "reasoning_effort" in body else {}
    if "tools" in body:  # strict is what a tool is there unless it says otherwise
        made["tools"] = [{"type": "function", "strict": False, **tool["function"]} for tool in body["tools"]]
        made["include"] = ["reasoning.encrypted_content"]
    return made


def _items(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A message as items: what was thought, what was said, the calls; or what a call brought."""
    if message["role"] == "tool":
        yield {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
        return
    yield from message.get("reasoning_details", ())
    if message["content"] or not message.get("tool_calls"):
        yield {"role": message["role"], "content": message["content"]}
    for call in message.get("tool_calls", ()):
        yield {"type": "function_call", "call_id": call["id"], **call["function"]}


def completion_of(answer: Any) -> Any:
    """A Responses answer as the chat completion it stands for; as it is where it is none."""
    output = answer.get("output") if isinstance(answer, Mapping) else None
    if not isinstance(output, list) or answer.get("error"):
        return answer
    items = [item for item in output if isinstance(item, Mapping)]
    parts = [part for item in items if item.get("type") == "message" for part in item.get("content") or ()]
    calls = [
        {"id": item.get("call_id"), "function": {"name": item.get("name"), "arguments": item.get("arguments")}}
        for item in items
        if item.get("type") == "function_call"
    ]
    message = {
        "content": "".join(str(part.get("text", "")) for part in parts if part.get("type") == "output_text"),
        "refusal": "".join(str(part.get("refusal", "")) for part in parts if part.get("type") == "refusal"),
        "tool_calls": calls,
        "reasoning_details": [dict(item) for item in items if item.get("type") == "reasoning"],
    }
    why = (answer.get("incomplete_details") or {}).get("reason", "")
    used = answer.get("usage") or {}
    usage = {
        "prompt_tokens": used.get("input_tokens"),
        "completion_tokens": used.get("output_tokens"),
        "prompt_tokens_details": used.get("input_tokens_details"),
        "completion_tokens_details": used.get("output_tokens_details"),
    }
    choice = {"message": message, "finish_reason": "length" if why == "max_output_tokens" else why or "stop"}
    return {"choices": [choice], "usage": usage, "model": answer.get("model")}
