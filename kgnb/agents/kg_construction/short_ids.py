"""Short ids for entities, in place of IRIs: what a model says and reads costs a few tokens instead of twenty."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from kgnb.agents.kg_construction.naming import slug

_ID = re.compile(r"[A-Za-z][\w.:-]{0,39}")
_NAMED = re.compile(r"<?((?:https?|urn):[^\s<>\"']*[^\s<>\"'.,;:)])>?")


class ShortIds:
    """Which id stands for which IRI. An id is chosen by who creates the entity, or made of its class: ``hut:h1``."""

    def __init__(self) -> None:
        self._iris: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def of(self, iri: str, kind: str = "", *, wish: str = "") -> str:
        """The id of an entity; a new one gets the id wished for, if nothing else has it."""
        if iri not in self._ids:
            found = wish if wish and wish not in self._iris and _ID.fullmatch(wish) else self._next(kind)
            self._ids[iri] = found
            self._iris[found] = iri
        elif wish and wish not in self._iris and _ID.fullmatch(wish):
            self._iris[wish] = iri  # a second id for one entity does no harm
        return self._ids[iri]

    def _next(self, kind: str) -> str:
        name = slug(kind, 20) or "entity"
        while True:
            self._counts[name] = self._counts.get(name, 0) + 1
            found = f"{name}:{name[0]}{self._counts[name]}"
            if found not in self._iris:
                return found

    def taken(self, wish: str, iri: str = "") -> bool:
        """Whether an id stands for another entity already."""
        return wish in self._iris and self._iris[wish] != iri

    def iri(self, said: str) -> str:
        """The IRI an id stands for; what is no id comes back as it is."""
        return self._iris.get(said.strip(), said)

    def knows(self, said: object) -> bool:
        """Whether this is an id."""
        return isinstance(said, str) and said.strip() in self._iris

    def shorten(self, text: str, named: Callable[[str], str | None] = lambda iri: None) -> str:
        """A text with the ids of entities in place of their IRIs; ``named`` says what other IRIs are called."""
        return _NAMED.sub(lambda m: self._ids.get(m[1]) or named(m[1]) or m[0], text)

    def shortened(self, value: Any) -> Any:
        """The same for every text in plain JSON."""
        if isinstance(value, str):
            return self.shorten(value)
        if isinstance(value, dict):
            return {key: self.shortened(inner) for key, inner in value.items()}
        return [self.shortened(inner) for inner in value] if isinstance(value, list) else value
