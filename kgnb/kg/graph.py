"""The Graph protocol: what every store, rdflib graph and SPARQL endpoint offers to the rest of
kgnb.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from kgnb.errors import BackendError
from kgnb.kg.terms import Iri, Node, Term, Triple

_Item = TypeVar("_Item")
Row = tuple[Term | None, ...]
Bindings = Mapping[str, Term] | None
"""The terms that variables have before a query runs, by name without the question mark."""


@dataclass(frozen=True, slots=True)
class Solutions:
    """The rows of a SELECT query, fully read: one tuple a row, None where a variable is unbound."""

    variables: tuple[str, ...]
    rows: tuple[Row, ...]
    truncated: bool = False  # there were more rows than the limit, or the service cut its answer
    notes: tuple[str, ...] = ()  # what a reader must know of the values

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Mended:
    """One kind of repair that loading made: how often, and the first of them."""

    kind: str
    count: int
    example: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.count:,} ({self.example})"


def reading_notes(read: object) -> list[str]:
    """What loading a graph, or what was made of one, read otherwise than it stands."""
    name, mended = getattr(read, "name", ""), getattr(read, "mended", ())
    return [f"{name}: {one}" for one in mended]


@runtime_checkable
class Updatable(Protocol):
    """A graph that SPARQL updates can change."""

    def update(self, text: str, *, timeout: float | None = None) -> None:
        """Run a SPARQL update; raises the same errors as a query."""


@runtime_checkable
class Graph(Protocol):
    """A graph that answers queries. Every answer is fully read before it is returned.

    Raises DataError for a malformed query (with line and column where the engine names them) and
    BackendError where a service fails.
    """

    @property
    def name(self) -> str:
        """How messages name this graph: a file name, a folder or a URL."""

    def select(
        self,
        query: str,
        *,
        bindings: Bindings = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Solutions:
        """The rows of a SELECT query, at most ``limit``; ``timeout`` in seconds."""

    def ask(self, query: str, *, bindings: Bindings = None, timeout: float | None = None) -> bool:
        """The answer of an ASK query."""

    def construct(
        self,
        query: str,
        *,
        bindings: Bindings = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> list[Triple]:
        """The triples of a CONSTRUCT or DESCRIBE query, each once, sorted; with a limit, those that
        come first, sorted.
        """

    def triples(
        self,
        subject: Node | None = None,
        predicate: Iri | None = None,
        object: Term | None = None,
        *,
        limit: int | None = None,
    ) -> list[Triple]:
        """The triples that match, from the default graph and all named graphs together."""

    def add(self, triples: Iterable[Triple]) -> None:
        """Add triples to the default graph; raises BackendError where the graph is read-only."""

    def count(self) -> int:
        """How many triples there are."""

    def close(self) -> None:
        """Release files and connections; closing twice is allowed."""


@runtime_checkable
class HoldsGraph(Protocol):
    """A value that can be opened as a graph: the triples of a CONSTRUCT query."""

    def graph(self) -> Graph:
        """The graph."""


def distinct(items: Iterable[_Item], most: int | None) -> dict[_Item, None]:
    """The items, each once, in their order; no more are taken than the first ``most``."""
    found: dict[_Item, None] = {}
    for item in items:
        if len(found) == most:
            break
        found[item] = None
    return found


def too_slow(
    graph: str, timeout: float | None, fix: str = "give it a longer timeout"
) -> BackendError:
    """The error for a query that did not end within ``timeout`` seconds."""
    fix = f"ask a narrower query, add a LIMIT, or {fix}"
    return BackendError(f"the query took longer than {timeout:g} s", service=graph, fix=fix)
