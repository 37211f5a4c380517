"""The state of a notebook between cells: graphs, settings, tasks and runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Thread
from typing import Any

from kgnb.backends import URL, open_graph, open_ontology
from kgnb.errors import BackendError, DataError, nearest
from kgnb.kg.graph import Graph
from kgnb.kg.ontology import Ontology
from kgnb.kg.schema import Schema
from kgnb.magics.answering import Answering
from kgnb.run import Event, Run
from kgnb.settings import Settings
from kgnb.tasks.task import Opener, Task


@dataclass
class NamedGraph:
    """A graph opened under a name; its ontology is read when it is first needed."""

    name: str
    graph: Graph
    origin: str  # as given when it was opened
    ontologies: dict[bool, Ontology] = field(default_factory=dict)  # with individuals, and without
    schema: Schema | None = None  # read in the background by ``reading``
    reading: Thread | None = None
    for_hints: Schema | None = None  # read when a result was empty
    queries: list[str] = field(default_factory=list)  # of this notebook, the latest first
    digests: Mapping[str, str] = field(default_factory=dict)  # of the files it was read from
    version: int = 0  # of the graph as they say it

    def changed(self) -> None:
        """Forgets what was read of the graph, as that may be out of date."""
        self.ontologies.clear()
        self.schema = self.reading = self.for_hints = None


class Session(Opener):
    """The state of one IPython shell, made by ``kgnb.magics.load``; its tasks may name open graphs."""

    watched = True

    def __init__(
        self, settings: Settings, answering: Mapping[str, Answering] | None = None
    ) -> None:
        super().__init__(settings, on_event=self.tell)
        self.show: Callable[[Event], Any] | None = None  # what shows the events of runs, if any
        self.graphs: dict[str, NamedGraph] = {}
        self.current: str = ""
        self.tasks: dict[str, Task] = {}  # by the agent's name
        self.runs: list[Run] = []
        self.prefixes: dict[str, str] = {}  # those of %kg prefix
        self.answering = answering or {}  # by comm target

    def tell(self, event: Event) -> None:
        """Shows an event of a run on the progress line, if one is there."""
        show = self.show  # another thread may end the line now
        if show is not None:
            show(event)

    @property
    def begun(self) -> list[Run]:
        """The runs that have a step, oldest first; a person counts them from 1."""
        return [run for run in self.runs if run.steps]

    def graph(self, name: str = "") -> NamedGraph:
        """The open graph of this name, or the current one; DataError if there is none."""
        wanted = name or self.current
        if wanted in self.graphs:
            return self.graphs[wanted]
        known = (
            f"Open graphs: {', '.join(self.graphs)}."
            if self.graphs
            else "Open one: %kg open FILE --as NAME"
        )
        raise DataError(
            f"no graph called {wanted} is open" if wanted else "no graph is open",
            fix=f"{nearest(wanted, self.graphs)} {known}".lstrip(),
        )

    def source(self, spec: Any) -> Any:
        """The open graph of this name, else ``spec`` itself."""
        named = self.graphs.get(spec) if isinstance(spec, str) else None
        return named.graph if named is not None else spec

    def digests(self, spec: Any) -> Mapping[str, str]:
        """The digests of the files that an open graph of this name still says."""
        named = self.graphs.get(spec) if isinstance(spec, str) else None
        same = named is not None and getattr(named.graph, "version", None) == named.version
        return named.digests if named is not None and same else {}

    def ontology(self, spec: Any, *, individuals: bool = False) -> Ontology:
        """The ontology given by the name of an open graph, a path, a URL, a data set or a Python
        object.
        """
        named = self.graphs.get(spec) if isinstance(spec, str) else None
        if named is None:
            return open_ontology(spec, individuals=individuals)
        if individuals not in named.ontologies:
            named.ontologies[individuals] = open_ontology(named.graph, individuals=individuals)
        return named.ontologies[individuals]

    def new_run(self, *given: Any) -> Run:
        """A run, kept by the session."""
        run = super().new_run(*given)
        self.runs.append(run)
        return run

    def graph_of(self, spec: Any) -> Graph | None:
        """The graph behind a spec of ``ontology``; None for an Ontology or a graph on a server."""
        named = self.graphs.get(spec) if isinstance(spec, str) else None
        origin = named.origin if named is not None else spec
        if isinstance(spec, Ontology) or (isinstance(origin, str) and URL.match(origin)):
            return None
        graph = named.graph if named is not None else open_graph(spec)
        return None if URL.match(graph.name) else graph

    def changed(self) -> None:
        """Tells the panel that something may have changed."""
        self.answering["kgnb.panel"].tell({"changed": True})

    def close(self) -> None:
        """Closes every graph and index."""
        for named in self.graphs.values():
            named.graph.close()
        for index in self._indexes.values():
            index.close()
        self.graphs.clear()
        self._indexes.clear()


def milliseconds(graph: Graph, timeout: float | None = None) -> int:
    """How long a graph takes to answer a simple query; KgnbError if it does not."""
    begun = time.monotonic()
    try:
        graph.ask("ASK { ?s ?p ?o }", timeout=timeout)
    except BackendError as error:
        if "no boolean" not in error.what:
            raise
        graph.select("SELECT ?s { ?s ?p ?o } LIMIT 1", timeout=timeout)  # it knows no ASK
    return round((time.monotonic() - begun) * 1000)


def is_remote(named: NamedGraph) -> bool:
    """Whether a graph is on a server."""
    return URL.match(named.origin) is not None or URL.match(named.graph.name) is not None
