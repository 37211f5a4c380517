"""The Graph protocol: what every store, rdflib graph and SPARQL endpoint offers to the rest of kgnb."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from kgnb.kg.terms import Blank, Iri, Term, Triple

Row = tuple[Term | None, ...]


@dataclass(frozen=True, slots=True)
class Solutions:
    """The rows a SELECT query gave, fully read: one tuple a row, None where a variable is unbound."""

    variables: tuple[str, ...]
    rows: tuple[Row, ...]
    truncated: bool = False  # there were more rows than the limit, or the server cut the answer

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


@runtime_checkable
class Updatable(Protocol):
    """A graph that SPARQL updates can change; asked for on purpose, never by a query."""

    def update(self, text: str, *, timeout: float | None = None) -> None:
        """Carry out a SPARQL update; what the engine cannot do or may not do raises as a query does."""


@runtime_checkable
class Graph(Protocol):
    """A graph one can ask. Every answer is fully read before it is returned.

    ``bindings`` gives variables a term before the query runs; a term is never spliced into the text.
    A malformed query raises DataError (with line and column where the engine tells), a failing
    service BackendError.
    """

    @property
    def name(self) -> str:
        """How messages call this graph: a file name, a folder or a URL."""

    def select(
        self,
        query: str,
        *,
        bindings: Mapping[str, Term] | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Solutions:
        """The solutions of a SELECT query, at most ``limit`` rows; ``timeout`` in seconds."""

    def ask(self, query: str, *, bindings: Mapping[str, Term] | None = None, timeout: float | None = None) -> bool:
        """The answer of an ASK query."""

    def construct(
        self, query: str, *, bindings: Mapping[str, Term] | None = None, timeout: float | None = None
    ) -> list[Triple]:
        """The triples of a CONSTRUCT or DESCRIBE query, sorted."""

    def triples(
        self,
        subject: Iri | Blank | None = None,
        predicate: Iri | None = None,
        object: Term | None = None,
        *,
        limit: int | None = None,
    ) -> list[Triple]:
        """The triples that match, over the default graph and all named graphs together."""

    def add(self, triples: Iterable[Triple]) -> None:
        """Add triples to the default graph. An endpoint that is read-only raises BackendError."""

    def count(self) -> int:
        """How many triples there are."""

    def close(self) -> None:
        """Let go of files and connections; closing twice is allowed."""


@runtime_checkable
class HoldsGraph(Protocol):
    """A value that can be opened as a graph: the triples of a CONSTRUCT query."""

    def graph(self) -> Graph:
        """The graph."""
