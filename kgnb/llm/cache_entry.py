"""A cached reply: the key it is stored under, and its JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from kgnb.errors import DataError
from kgnb.files import from_json
from kgnb.llm.model import Reply, Request, ToolCall, Usage
from kgnb.patience import on_this_machine
from kgnb.secret import blot, blotted

VERSION = 1
"""Of the cache's format; part of every key, so that an old reply is never mistaken for a new one."""


@dataclass(frozen=True)
class Key:
    """The key of a cached reply: everything that decides it, as text, and the SHA-256 of that."""

    content: str
    digest: str

    @classmethod
    def of(cls, request: Request, model: str, server: str = "") -> Key:
        """The key of one request to one model.

        The keys of a schema keep their order, for it sways a model: a reason before a decision is not one after it.
        Secrets in messages are blotted out, for a cache is handed around.
        """
        content = {
            "version": VERSION,
            "server": server,
            "model": model,
            "temperature": None if request.temperature is None else float(request.temperature),
            "seed": request.seed,
            "max_tokens": request.max_tokens,
            "schema": request.schema,
            "tools": [
                {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
                for tool in request.tools
            ],
            "messages": [
                {
                    "role": message.role,
                    "text": blot(message.text),
                    "tool_calls": [_call_to_json(call) for call in message.tool_calls],
                    "tool_call_id": message.tool_call_id,
                }
                | ({"carried": message.carried} if message.carried else {})
                for message in request.messages
            ],
        } | ({"options": request.options} if request.options else {})
        return cls.of_content(content)

    @classmethod
    def of_content(cls, content: Mapping[str, Any]) -> Key:
        """The key of a request that is JSON already."""
        text = json.dumps(content, separators=(",", ":"), allow_nan=False)
        return cls(text, hashlib.sha256(text.encode("ascii")).hexdigest())


def server_alias(base_url: str) -> str:
    """A server's name in keys: its host, or "local" for this machine, whatever the port; "" means OpenAI's own.

    >>> server_alias("https://user:pass@llm.example.org:8443/v1"), server_alias("http://127.0.0.1:8080/v1")
    ('llm.example.org', 'local')
    """
    url = base_url or "https://api.openai.com"
    return "local" if on_this_machine(url) else urlsplit(url).hostname or ""


def address_of(server: str) -> str:
    """An address with this alias, to replay what that server was asked.

    >>> [server_alias(address_of(name)) for name in ("local", "api.openai.com", "llm.example.org")]
    ['local', 'api.openai.com', 'llm.example.org']
    """
    return {"local": "http://localhost/v1", "api.openai.com": "", "": ""}.get(server, f"https://{server}/v1")


def _call_to_json(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "name": call.name, "arguments": call.arguments}


def without_secrets(reply: Reply) -> Reply:
    """The reply with secrets blotted out, so that it is the same when it is replayed from the cache."""
    calls = tuple(replace(call, arguments=blotted(call.arguments)) for call in reply.tool_calls)
    return replace(reply, text=blot(reply.text), tool_calls=calls, carried=blotted(reply.carried))


def reply_to_json(reply: Reply) -> str:
    """The part of a reply that is cached: no times, no tries."""
    content = {
        "text": reply.text,
        "tool_calls": [_call_to_json(call) for call in reply.tool_calls],
        "usage": [
            reply.usage.prompt_tokens,
            reply.usage.completion_tokens,
            reply.usage.estimated,
            reply.usage.cached_tokens,
            reply.usage.reasoning_tokens,
        ],
        "finish_reason": reply.finish_reason,
        "model": reply.model,
    } | ({"carried": reply.carried} if reply.carried else {})
    return json.dumps(content, separators=(",", ":"))


def reply_from_json(text: str, where: str) -> Reply:
    """The cached reply in a text; DataError, naming ``where``, if there is none."""
    try:
        content = from_json(text)
        prompt, completion, estimated, *parts = content["usage"]
        read, thought = map(int, parts or (0, 0))
        calls = tuple(
            ToolCall(str(call["id"]), str(call["name"]), dict(call["arguments"])) for call in content["tool_calls"]
        )
        return Reply(
            text=str(content["text"]),
            tool_calls=calls,
            usage=Usage(int(prompt), int(completion), bool(estimated), read, thought),
            finish_reason=str(content["finish_reason"]),
            model=str(content["model"]),
            carried=dict(content.get("carried", {})),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise DataError(
            f"is not a cached reply: {type(error).__name__}: {error}", where=where, fix="Restore it or delete it."
        ) from error
