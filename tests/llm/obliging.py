"""A model for tests that understands nothing and answers everything: by schema, by tool, the same
every time.

    with StubServer(oblige) as server: ...

What it chooses hangs on the digest of what it is asked, so that a replay, a resumed run and a run
in another process get the same answers, and answers to different questions differ.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.llm.stub_server import Answer, Body, Call

FINISHERS = ("finish", "answer")
ENOUGH = 6  # tool calls in one conversation, after which it ends the work


def oblige(body: Body) -> Answer:
    """A tool call where tools are offered, JSON by the schema where there is one, else a word."""
    draw = _Draw(json.dumps(body["messages"], sort_keys=True))
    tools = {
        tool["function"]["name"]: tool["function"]["parameters"] for tool in body.get("tools") or ()
    }
    if tools:
        done = sum(len(message.get("tool_calls") or ()) for message in body["messages"])
        ends = [name for name in FINISHERS if name in tools]
        name = (
            ends[0]
            if ends and done >= ENOUGH
            else draw.one(sorted(set(tools) - {"finish", "give_up"}) or sorted(tools))
        )
        return Call(name, draw.value(tools[name], tools[name]))
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema":
        schema = form["json_schema"]["schema"]
        return json.dumps(draw.value(schema, schema))
    return "ready"


class _Draw:
    """Choices that follow from a text."""

    def __init__(self, seed: str) -> None:
        self._seed, self._number = seed, 0

    def one(self, options: Sequence[Any]) -> Any:
        """One of the options."""
        self._number += 1
        digest = hashlib.sha256(f"{self._number}{self._seed}".encode("utf-8", "replace")).digest()
        return options[int.from_bytes(digest[:4]) % len(options)]

    def value(self, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
        """A value that follows a JSON schema."""
        if "$ref" in schema:
            return self.value(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
        if "enum" in schema:
            return self.one(schema["enum"])
        for alternatives in ("anyOf", "oneOf"):
            if alternatives in schema:
                return self.value(self.one(schema[alternatives]), root)
        kind = schema.get("type", "string")
        kind = self.one(kind) if isinstance(kind, list) else kind
        if kind == "object":
            return {
                name: self._named(name, each, root)
                for name, each in schema.get("properties", {}).items()
            }
        if kind == "array":
            return self._list(schema, root)
        plain = {
            "integer": self.one((1, 2, 3)),
            "number": self.one((0.55, 0.7, 0.95)),
            "boolean": True,
            "null": None,
        }
        return plain[kind] if kind in plain else self._word(schema)

    def _named(self, name: str, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
        return "Because I say so." if name == "why" else self.value(schema, root)

    def _list(self, schema: Mapping[str, Any], root: Mapping[str, Any]) -> list[Any]:
        """One item for each question of a sheet, else one or two."""
        items = schema["items"]
        numbers = items.get("properties", {}).get("question", {}).get("enum")
        if numbers is None:
            return [self.value(items, root) for _ in range(self.one((1, 2)))]
        answers = [self.value(items, root) | {"question": number} for number in numbers]
        if "decision" not in items["properties"]:
            return answers
        none = [
            word
            for word in items["properties"]["decision"]["enum"]
            if word in ("different", "none")
        ]
        return [
            answer | {"decision": none[0]} if answer["letter"] == "none" else answer
            for answer in answers
        ]

    def _word(self, schema: Mapping[str, Any]) -> str:
        if "pattern" in schema and re.fullmatch(schema["pattern"], "2026-01-01"):
            return "2026-01-01"
        return str(self.one(("lentils", "tea", "cook", "salt")))
