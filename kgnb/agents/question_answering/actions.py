"""What may be asked of the graph, and how an action is written down and read back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeAlias

from kgnb.kg.terms import Iri


@dataclass(frozen=True)
class Neighbours:
    """The triples of an entity in both directions, or those of one relation only."""

    entity: Iri
    relation: Iri | None = None


@dataclass(frozen=True)
class Paths:
    """The paths between two entities, of at most ``max_length`` triples in any direction."""

    a: Iri
    b: Iri
    max_length: int = 2


@dataclass(frozen=True)
class Query:
    """A SPARQL query that only reads: for counting, ordering, filtering, yes and no."""

    sparql: str


@dataclass(frozen=True)
class Finish:
    """Go on to ``answer``: what is remembered suffices, or nothing more will come."""


Action: TypeAlias = Neighbours | Paths | Query | Finish


def written(action: Action) -> str:
    """An action as one line of JSON: the id it is chosen by.

    >>> written(Neighbours(Iri("http://huts.example/id/ottertal")))
    '{"neighbours": ["http://huts.example/id/ottertal"]}'
    """
    if isinstance(action, Neighbours):
        return json.dumps({"neighbours": [action.entity, *([action.relation] if action.relation else [])]})
    if isinstance(action, Paths):
        return json.dumps({"paths": [action.a, action.b, action.max_length]})
    return json.dumps({"query": action.sparql} if isinstance(action, Query) else {"answer": True})


def read_action(text: str) -> Action:
    """The action that ``written`` wrote.

    Raises:
        ValueError: it is none.
    """
    try:
        ((name, value),) = json.loads(text).items()
        if name == "neighbours" and 1 <= len(value) <= 2:
            return Neighbours(*map(_iri, value))
        if name == "paths" and len(value) in (2, 3):
            return Paths(_iri(value[0]), _iri(value[1]), int(value[2]) if len(value) == 3 else 2)
        if name == "query" and isinstance(value, str) and value.strip():
            return Query(value)
        if name == "answer":
            return Finish()
    except (ValueError, AttributeError, TypeError):
        pass
    raise ValueError(f"not an action: {text[:200]!r}")


def _iri(value: object) -> Iri:
    if not isinstance(value, str) or not value:
        raise ValueError("not an IRI")
    return Iri(value)
