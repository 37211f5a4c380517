"""What a notebook remembers between cells: its graphs, settings, budget, tasks; and how it answers the front end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from threading import Thread
from typing import TYPE_CHECKING, Any

from kgnb.backends import URL, open_embedder, open_graph, open_index, open_ontology
from kgnb.errors import DataError, KgnbError
from kgnb.kg.graph import Graph
from kgnb.kg.ontology import Ontology
from kgnb.kg.schema import Schema
from kgnb.llm.model import ChatModel
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.agents import open_input
from kgnb.tasks.running import Role, answering_model
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.index import VectorIndex

if TYPE_CHECKING:
    from kgnb.agents.agent import Task


@dataclass
class NamedGraph:
    """A graph someone opened under a name; its ontology is read when it is first needed."""

    name: str
    graph: Graph
    origin: str  # as it was written when it was opened
    ontologies: dict[bool, Ontology] = field(default_factory=dict)  # with individuals, and without
    schema: Schema | None = None  # for completion; read in the background by ``reading``
    reading: Thread | None = None


class Session:
    """The state of one IPython shell. ``kgnb.magics.load`` makes one; nothing else holds it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.graphs: dict[str, NamedGraph] = {}
        self.current: str = ""
        self.tasks: dict[str, Task] = {}  # by the agent's name
        self.runs: list[Run] = []
        self.prefixes: dict[str, str] = {}  # those of %kg prefix
        self.answering: dict[str, Answering] = {}  # by what the front end calls it
        self.before_cell: Callable[[Any], None] | None = None
        self.after_cell: Callable[[Any], None] | None = None
        self._models: dict[Settings, ChatModel | None] = {}
        self._indexes: dict[str, VectorIndex] = {}

    def model(self, role: Role = "judge") -> ChatModel | None:
        """The chat model in use for a role, or None; opened once for each state of the settings."""
        settings = self.settings.of_role(role)
        if settings not in self._models:
            self._models[settings] = answering_model(settings, role)
        return self._models[settings]

    def embedder(self, name: str = "", *, many: bool = False) -> Embedder:
        """The embedder of this name, or the settings'; ``many``: thousands of texts are to come."""
        return open_embedder(name or None, self.settings, many=many)

    def index(self, location: str = "") -> VectorIndex:
        """The index at this location, or the settings'; opened once, so that what is in memory stays there."""
        location = location or self.settings.index
        if location not in self._indexes:
            self._indexes[location] = open_index(location, self.settings)
        return self._indexes[location]

    def graph(self, name: str = "") -> NamedGraph:
        """The open graph of this name, or the current one.

        Raises:
            DataError: there is none.
        """
        wanted = name or self.current
        if wanted in self.graphs:
            return self.graphs[wanted]
        near = get_close_matches(wanted, self.graphs, n=1)
        known = f"Open are: {', '.join(self.graphs)}." if self.graphs else "Open one: %kg open FILE --as NAME"
        raise DataError(
            f"no graph called {wanted} is open" if wanted else "no graph is open",
            where="",
            fix=f"Did you mean {near[0]}? {known}" if near else known,
        )

    def source(self, spec: Any) -> Any:
        """The graph that is open under this name, or what was given."""
        named = self.graphs.get(spec) if isinstance(spec, str) else None
        return named.graph if named is not None else spec

    def ontology(self, spec: Any, *, individuals: bool = False) -> Ontology:
        """The ontology behind a name of ``%kg``, a path, a URL, a data set's name or a Python object."""
        named = self.graphs.get(spec) if isinstance(spec, str) else None
        if named is None:
            return open_ontology(spec, self.settings, individuals=individuals)
        if individuals not in named.ontologies:
            named.ontologies[individuals] = open_ontology(named.graph, self.settings, individuals=individuals)
        return named.ontologies[individuals]

    def opened(self, kind: str, spec: Any) -> Any:
        """An agent's input, opened as its kind says: graph, ontology, file, folder or text."""
        if kind == "ontology":
            return self.ontology(spec)
        return open_input(kind, self.source(spec) if kind == "graph" else spec, self.settings)

    def graph_of(self, spec: Any) -> Graph | None:
        """The graph behind a spec of ``ontology``; None for an Ontology, and for what lies on a server."""
        named = self.graphs.get(spec) if isinstance(spec, str) else None
        origin = named.origin if named is not None else spec
        if isinstance(spec, Ontology) or (isinstance(origin, str) and URL.match(origin)):
            return None
        return named.graph if named is not None else open_graph(spec, self.settings)

    def close(self) -> None:
        """Let go of every graph and index."""
        for named in self.graphs.values():
            named.graph.close()
        for index in self._indexes.values():
            index.close()
        self.graphs.clear()
        self._indexes.clear()


def is_remote(named: NamedGraph) -> bool:
    """Whether a graph lies on a server."""
    return URL.match(named.origin) is not None


Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class Answering:
    """One comm target of a kernel. A shell without a kernel has no comms, and nothing is answered there."""

    def __init__(self, shell: Any, target: str, answer: Answer) -> None:
        self.target, self._answer = target, answer
        self._comms: list[Any] = []
        self._manager = getattr(getattr(shell, "kernel", None), "comm_manager", None)
        if self._manager is not None:
            self._manager.register_target(target, self._open)

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one question; what goes wrong is told, not raised: the front end shows it."""
        try:
            found = dict(self._answer(question))
        except (KgnbError, ValueError, TypeError, KeyError) as error:
            found = {"error": str(error)}
        return found | {"id": question.get("id")}

    def tell(self, content: Mapping[str, Any]) -> None:
        """Tells every front end that has asked before."""
        for comm in list(self._comms):
            comm.send(dict(content))

    def stop(self) -> None:
        """Closes what is open, and takes the target away."""
        if self._manager is None:
            return
        if self.target in self._manager.targets:
            self._manager.unregister_target(self.target, self._open)
        for comm in list(self._comms):
            comm.close()
        self._comms.clear()

    def _open(self, comm: Any, _message: Any) -> None:
        self._comms.append(comm)
        comm.on_msg(lambda message: comm.send(self.answer(message["content"]["data"])))
        comm.on_close(lambda _message: self._comms.remove(comm) if comm in self._comms else None)
