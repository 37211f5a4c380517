"""JSON Schemas of tool arguments, which lose nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kgnb.agents.kg_construction.tool_values import Parameter
from kgnb.kg.terms import Iri, Literal
from kgnb.shapes.datatypes import json_type


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
