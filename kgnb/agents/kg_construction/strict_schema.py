"""A JSON Schema that strict function calling takes, derived from one that loses nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_UNSUPPORTED = frozenset({
    "$schema", "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "title",
    "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "default", "examples", "not", "const",
})  # fmt: skip
"""Keywords that strict function calling refuses; the lossless schema checks them again."""


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema for strict function calling: every property required, optional ones nullable, keywords it knows.

    >>> strict({"type": "object", "properties": {"label": {"type": "string", "minLength": 1}}, "required": []})
    {'type': 'object', 'properties': {'label': {'type': ['string', 'null']}}, 'required': ['label'],
     'additionalProperties': False}
    """
    required = set(schema.get("required", ()))
    properties = {
        name: _plain(inner) if name in required else _nullable(_plain(inner))
        for name, inner in schema.get("properties", {}).items()
    }
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _plain(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_plain(inner) for inner in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {key: inner if key == "enum" else _plain(inner) for key, inner in schema.items() if key not in _UNSUPPORTED}


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in schema:
        return schema | {"anyOf": [*schema["anyOf"], {"type": "null"}]}
    found = dict(schema)
    if "type" in found:
        kinds = found["type"] if isinstance(found["type"], list) else [found["type"]]
        found["type"] = [*kinds, "null"]
    if "enum" in found:
        found["enum"] = [*found["enum"], None]
    return found
