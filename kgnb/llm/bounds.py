"""How long a reply may be, from what is asked: a small model held to a schema may go on for ever.

Bounds are put into what is sent, not into the request, whose content is the key of caches and
recordings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kgnb.llm.model import Request
from kgnb.llm.prices import estimate_usage

TEXT, TEXT_OF_MANY = 4_000, 1_000
"""Characters of a text in a reply, and of one in a list."""

ITEMS = 100
"""Items of a list, where the schema does not tell how many are wanted."""

CALLS = 4_096
"""Tokens of a reply that may call tools."""

THOUGHTS = 24_000
"""Tokens that a thinking model gets besides its answer."""

_LONGEST = 16_000  # tokens of an answer, whatever its schema allows
_SPARE = 256  # tokens, for words around the answer
_DEEPEST = 12  # definitions in one another that are counted


def bounded_schema(schema: Any, text: int = TEXT) -> Any:
    """A schema in which every text and list has an end; what it says itself stays.

    >>> bounded_schema({"type": "array", "items": {"type": "string"}})
    {'type': 'array', 'items': {'type': 'string', 'maxLength': 1000}, 'maxItems': 100}
    """
    if not isinstance(schema, Mapping):
        return schema
    made = dict(schema)
    for name in ("properties", "$defs"):
        if isinstance(made.get(name), Mapping):
            made[name] = {key: bounded_schema(one, text) for key, one in made[name].items()}
    for name in ("anyOf", "oneOf", "allOf", "prefixItems"):
        if isinstance(made.get(name), list):
            made[name] = [bounded_schema(one, text) for one in made[name]]
    if "items" in made:
        made["items"] = bounded_schema(made["items"], TEXT_OF_MANY)
    if made.get("type") == "array":
        made.setdefault("maxItems", max(_wanted(made.get("items")), made.get("minItems", 0)))
    closed = {"enum", "const", "pattern", "format"} & set(made)
    if made.get("type") == "string" and not closed:
        made.setdefault("maxLength", text)
    return made


def _wanted(items: Any) -> int:
    """How many items a list may need: one for each number or word to choose from."""
    choices = items if isinstance(items, Mapping) else {}
    if "enum" in choices:
        return len(choices["enum"])
    numbered = [
        len(one["enum"])
        for one in choices.get("properties", {}).values()
        if isinstance(one, Mapping) and one.get("type") == "integer" and "enum" in one
    ]
    return max(numbered, default=ITEMS)


def most_tokens(request: Request) -> int:
    """The most tokens that the answer to a request takes."""
    if request.schema is not None:
        schema = bounded_schema(request.schema)
        size = _size(schema, schema.get("$defs", {}), _DEEPEST)
        return min(_LONGEST, size + _SPARE)
    if request.tools:
        return CALLS
    return min(8_192, 1_024 + 2 * estimate_usage(request).prompt_tokens)


def bounded(request: Request) -> Request:
    """The request as it is sent to a model that nobody waits for, which may think as well."""
    if request.max_tokens is not None:
        return request
    room = most_tokens(request) + THOUGHTS
    return replace(request, schema=bounded_schema(request.schema), max_tokens=room)


def _size(schema: Any, named: Mapping[str, Any], deep: int) -> int:
    """The tokens of the longest value of a schema, about three characters each."""
    if not isinstance(schema, Mapping) or not deep:
        return 20
    if "$ref" in schema:
        return _size(named.get(str(schema["$ref"]).rpartition("/")[2]), named, deep - 1)
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return max(_size(one, named, deep) for one in choices)
    if "enum" in schema:
        return max((len(str(one)) for one in schema["enum"]), default=0) // 3 + 2
    if schema.get("type") == "string":
        return int(schema.get("maxLength", 60)) // 3 + 2
    if schema.get("type") == "array":
        return int(schema["maxItems"]) * _size(schema.get("items"), named, deep) + 4
    properties = schema.get("properties", {})
    parts = [len(name) // 3 + 4 + _size(one, named, deep) for name, one in properties.items()]
    return sum(parts) + 8
