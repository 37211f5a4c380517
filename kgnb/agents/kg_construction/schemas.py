"""JSON Schemas of tool arguments: one that loses nothing, and a strict one derived from it for function calling."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kgnb.agents.kg_construction.values import Parameter
from kgnb.kg.terms import Iri, Literal
from kgnb.shapes.datatypes import json_type

_UNSUPPORTED = frozenset({
    "$schema", "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "title",
    "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "default", "examples", "not", "const",
})  # fmt: skip
"""Keywords that strict function calling refuses; the lossless schema checks them again."""


def input_schema(parameters: Iterable[Parameter]) -> dict[str, Any]:
    """The schema of a tool's arguments (JSON Schema 2020-12)."""
    listed = tuple(parameters)
    return {
        "type": "object",
        "properties": {p.name: _one(p) for p in listed},
        "required": [p.name for p in listed if p.required],
        "additionalProperties": False,
    }


def _one(parameter: Parameter) -> dict[str, Any]:
    told = {"description": parameter.description} if parameter.description else {}
    if parameter.choices and parameter.kind != "open entity":
        names = [name for name, _ in parameter.choices]
        values = [_json_value(name, term) for name, term in parameter.choices]
        iris = [str(term) for _, term in parameter.choices if isinstance(term, Iri) and str(term) not in names]
        return {"enum": [*dict.fromkeys(values), *iris], **_type_of(values), **told}
    if parameter.kind == "number":
        return {"type": "number", **told}
    if parameter.kind == "value":
        return _any_of([json_type(datatype) for datatype in parameter.datatypes]) | told
    if parameter.kind == "any":
        return {"type": ["string", "number", "boolean"], **told}
    if parameter.kind == "language":
        return {"type": "string", "pattern": "^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$", **told}
    return {"type": "string", "minLength": 1, **told}


def _type_of(values: list[Any]) -> dict[str, Any]:
    return {"type": "string"} if all(isinstance(value, str) for value in values) else {}


def _json_value(name: str, term: object) -> Any:
    """How a literal choice is said in JSON: numbers and truth values as such."""
    if isinstance(term, Literal) and term.datatype:
        kind = json_type(term.datatype).get("type")
        if kind == "integer":
            return int(term.text)
        if kind == "number":
            return float(term.text)
        if kind == "boolean":
            return term.text in ("true", "1")
    return name


def _any_of(kinds: list[dict[str, Any]]) -> dict[str, Any]:
    different = [kind for at, kind in enumerate(kinds) if kind not in kinds[:at]]
    if not different:
        return {"type": ["string", "number", "boolean"]}
    return dict(different[0]) if len(different) == 1 else {"anyOf": different}


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
