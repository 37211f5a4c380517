"""What may be asked of the graph, how a question may end, and how either is written down and read back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeAlias

from kgnb.files import from_json
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
class Look:
    """The part of the schema that words speak of: relations and classes by any of their names."""

    words: str


@dataclass(frozen=True)
class Finish:
    """Go on to ``answer``: what is remembered suffices, or nothing more will come."""


@dataclass(frozen=True)
class Commit:
    """The answer: a column of a query that was run (counted from 1), or ``values``, written as they were shown."""

    query: int = 0
    column: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class GiveUp:
    """The graph does not say it."""


Action: TypeAlias = Neighbours | Paths | Query | Look | Finish | Commit | GiveUp


def written(action: Action) -> str:
    """An action as one line of JSON: the id it is chosen by.

    >>> written(Neighbours(Iri("http://huts.example/id/ottertal")))
    '{"neighbours": ["http://huts.example/id/ottertal"]}'
    """
    match action:
        case Neighbours(entity, relation):
            content: dict[str, object] = {"neighbours": [entity, *([relation] if relation else [])]}
        case Paths(a, b, longest):
            content = {"paths": [a, b, longest]}
        case Query(sparql):
            content = {"query": sparql}
        case Look(words):
            content = {"schema": words}
        case Commit(query, column, values):
            content = {"commit": [query, column, *values]}
        case GiveUp():
            content = {"give_up": True}
        case _:
            content = {"answer": True}
    return json.dumps(content)


def read_action(text: str) -> Action:
    """The action that ``written`` wrote.

    Raises:
        ValueError: it is none.
    """
    try:
        ((name, value),) = from_json(text).items()
        if name in ("neighbours", "paths", "commit") and not isinstance(value, list):
            raise ValueError("not a list")
        if name == "neighbours" and 1 <= len(value) <= 2:
            return Neighbours(*map(_iri, value))
        if name == "paths" and len(value) in (2, 3):
            return Paths(_iri(value[0]), _iri(value[1]), int(value[2]) if len(value) == 3 else 2)
        if name == "query" and isinstance(value, str) and value.strip():
            return Query(value)
        if name == "schema" and isinstance(value, str):
            return Look(value)
        if name == "commit":
            return Commit(int(value[0]), str(value[1]), tuple(map(str, value[2:])))
        if name == "give_up":
            return GiveUp()
        if name == "answer":
            return Finish()
    except (ValueError, AttributeError, TypeError, LookupError, OverflowError):
        pass
    raise ValueError(f"not an action: {text[:200]!r}")


def _iri(value: object) -> Iri:
    if not isinstance(value, str) or not value:
        raise ValueError("not an IRI")
    return Iri(value)
