"""Servers on loopback that behave as the documentation of real ones says, for the real client over
real HTTP.

Each is a stub: what it refuses, ignores, wants and sends is what that server documents; what it
answers is obliging.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.llm.obliging import oblige
from tests.llm.stub_server import (
    Answer,
    Body,
    Call,
    Seen,
    StubServer,
    calling,
    completion,
    error_body,
)


@dataclass(frozen=True)
class Server:
    """A stub, how its URL goes on, and what the settings have to say."""

    make: Callable[[], StubServer]
    base: str = "/v1"
    told: Mapping[str, Any] = field(default_factory=dict)


def _whole(body: Body, answer: Answer, **more: Any) -> str:
    return json.dumps(completion(body, calling(answer) | more, "stop"))


# ------------------------------------------------------------------------------------------------
# OpenAI, Azure


def openai_thinking(body: Body) -> str:
    """A thinking model: ``max_completion_tokens``, no temperature, and schemas that strict mode
    takes.
    """
    if "max_tokens" in body:
        told = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
        return error_body(told, "unsupported_parameter", "max_tokens")
    if body.get("temperature", 1) != 1:
        told = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is supported."
        return error_body(told, "unsupported_value", "temperature")
    return _whole(body, oblige(body))


def responses(seen: Seen) -> tuple[int, str]:
    """The Responses API of a thinking model: reasoning items have to come back before the calls
    they led to.
    """
    body = seen.body
    for name in ("messages", "max_tokens", "response_format", "seed", "reasoning_effort"):
        if name in body:
            return 400, error_body(f"Unknown parameter: '{name}'.", "unknown_parameter", name)
    if "temperature" in body:
        told = "Unsupported parameter: 'temperature' is not supported with this model."
        return 400, error_body(told, None, "temperature")
    if body.get("store") is not False:
        return 400, error_body("this organisation keeps nothing", None, "store")
    before = ""
    for item in body["input"]:
        if item.get("type") == "function_call" and before not in ("reasoning", "function_call"):
            return 400, error_body(
                "Item of type 'function_call' was provided without its required 'reasoning' item."
            )
        before = item.get("type", "message")
    asked: dict[str, Any] = {"messages": [_chat(item) for item in body["input"]]}
    asked["tools"] = [{"function": tool} for tool in body.get("tools", ())]
    form = body.get("text", {}).get("format")
    asked["response_format"] = {"type": form["type"], "json_schema": form} if form else {}
    answer = oblige(asked)
    output: list[dict[str, Any]] = [
        {"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA", "summary": []}
    ]
    if isinstance(answer, str):
        output.append(
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": answer}],
            }
        )
    else:
        calls = [answer] if isinstance(answer, Call) else answer
        output += [
            {
                "type": "function_call",
                "call_id": f"c{n}",
                "name": call.name,
                "arguments": json.dumps(call.arguments),
            }
            for n, call in enumerate(calls)
        ]
    usage = {"input_tokens": 20, "output_tokens": 9, "input_tokens_details": {"cached_tokens": 8}}
    usage["output_tokens_details"] = {"reasoning_tokens": 4}
    return 200, json.dumps(
        {"object": "response", "status": "completed", "output": output, "usage": usage}
    )


def _chat(item: Mapping[str, Any]) -> dict[str, Any]:
    """An item as a message, for the obliging model."""
    if item.get("type") == "function_call":
        return {"role": "assistant", "content": "", "tool_calls": [dict(item)]}
    return {
        "role": item.get("role", "tool"),
        "content": str(item.get("content", item.get("output", ""))),
    }


def responses_only(body: Body) -> str:
    """A model that has no chat completions."""
    return error_body(
        "This model is only supported in v1/responses and not in v1/chat/completions.",
        None,
        "model",
    )


def azure(seen: Seen) -> tuple[int, str]:
    """A deployment: the version in the query, the key in a header of its own."""
    if not seen.path.endswith("?api-version=2024-10-21"):
        return 404, error_body("Resource not found", "404")
    if seen.headers.get("api-key") != "azure-key-1234":
        return 401, error_body("Access denied due to invalid subscription key", "401")
    return 200, _whole(seen.body, oblige(seen.body))


# ------------------------------------------------------------------------------------------------
# others


def anthropic(body: Body) -> str:
    """``response_format``, ``seed`` and ``strict`` are ignored; a schema helps only where it stands
    in the prompt.
    """
    if body.get("tools"):
        return _whole(body, oblige(body))
    words = "\n".join(str(message["content"]) for message in body["messages"])
    place = words.find("JSON schema")
    if place < 0:
        return _whole(body, "I would choose A.")
    schema, _ = json.JSONDecoder().raw_decode(words, words.index("{", place))
    form = {"type": "json_schema", "json_schema": {"schema": schema}}
    return _whole(body, f"Here it is:\n```json\n{oblige({**body, 'response_format': form})}\n```")


def vllm(body: Body) -> str:
    """Started without a parser for tool calls, with one for reasoning."""
    if body.get("tools"):
        told = (
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
        )
        return json.dumps(
            {"error": {"message": told, "type": "BadRequestError", "param": None, "code": 400}}
        )
    return _whole(body, oblige(body), reasoning_content="Let me see.")


def lm_studio(body: Body) -> str:
    """Knows ``json_schema`` alone, and says its errors as a text."""
    if (body.get("response_format") or {}).get("type") == "json_object":
        return json.dumps({"error": "'response_format.type' must be 'json_schema' or 'text'"})
    return _whole(body, oblige(body))


def llama_cpp(seen: Seen) -> tuple[int, str]:
    """Started without --jinja: tools are an error of the server's, in some versions with status
    500.
    """
    if seen.body.get("tools"):
        return 500, json.dumps(
            {"error": {"code": 500, "message": "tools param requires --jinja flag"}}
        )
    return 200, _whole(seen.body, oblige(seen.body))


def openrouter(body: Body) -> str:
    """Errors may come with status 200; what a thinking provider sent with a call has to come back
    with it.
    """
    for message in body["messages"]:
        if message.get("tool_calls") and not message.get("reasoning_details"):
            return error_body("reasoning_details is missing in assistant tool call message")
    return _whole(
        body, oblige(body), reasoning_details=[{"type": "reasoning.encrypted", "data": "x"}]
    )


def ollama(loaded: int = 4096, parameters: str = "") -> Callable[[], StubServer]:
    """Cuts a prompt that is longer than its context and says nothing; tells the context where it is
    asked.
    """

    def answer(body: Body) -> str:
        text = json.dumps(body["messages"])
        return _whole(body, oblige(body) if len(text) <= 4 * loaded else "what was the question?")

    def show(seen: Seen) -> tuple[int, str]:
        return 200, json.dumps(
            {"parameters": parameters, "model_info": {"llama.context_length": 131072}}
        )

    def running(seen: Seen) -> tuple[int, str]:
        return 200, json.dumps({"models": [{"name": "stub:latest", "context_length": loaded}]})

    routes = {
        "/api/show": show,
        "/api/ps": running,
        "/api/generate": lambda seen: (200, '{"done": true}'),
    }
    return lambda: StubServer(whole=answer, routes=routes, owner="library")


SERVERS: dict[str, Server] = {
    "OpenAI, chat completions": Server(lambda: StubServer(whole=openai_thinking)),
    "OpenAI, Responses": Server(
        lambda: StubServer(whole=responses_only, routes={"/v1/responses": responses})
    ),
    "Azure OpenAI, deployments": Server(
        lambda: StubServer(routes={"/openai/deployments/mine/chat/completions": azure}),
        "/openai/deployments/mine",
        {"api_version": "2024-10-21", "api_key": "azure-key-1234"},
    ),
    "Anthropic, compatible endpoint": Server(lambda: StubServer(whole=anthropic)),
    "vLLM": Server(lambda: StubServer(whole=vllm)),
    "Ollama": Server(ollama()),
    "LM Studio": Server(lambda: StubServer(whole=lm_studio)),
    "llama.cpp": Server(lambda: StubServer(routes={"/v1/chat/completions": llama_cpp})),
    "OpenRouter": Server(lambda: StubServer(whole=openrouter)),
}
