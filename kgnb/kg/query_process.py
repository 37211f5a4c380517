"""Queries of a local graph in a process of their own, which can be killed: an engine deep in a join
cannot be stopped.

The process is a fork of this one (copied on write). It is kept for the next queries until the graph
changes, a query is stopped or takes too long, it was not asked for a while, or this process ends; a
fork takes 35 ms for each million triples. Answers come back as the engine's own TSV and N-Triples,
for terms are slow to pickle. Where a process cannot be forked (Windows) the query runs in this
process, and nothing stops it.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from multiprocessing import Pipe
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import WeakKeyDictionary, finalize

import pyoxigraph as ox

from kgnb.errors import BackendError, KgnbError
from kgnb.kg.engine_results import from_n_triples, from_tsv
from kgnb.kg.graph import Bindings, Graph, Solutions, too_slow
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.sparql import check_limit, expect_form, limited
from kgnb.kg.terms import Triple

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

STEP = 0.05  # seconds between checks whether the query is still wanted
GIVEN_UP: ContextVar[threading.Event | None] = ContextVar("kgnb_query_given_up", default=None)
"""Set by whoever no longer waits for the queries of this context."""


def endable(graph: Graph) -> Graph:
    """A local graph with its queries in processes that can be killed; any other graph unchanged."""
    return (
        EndableGraph(graph) if hasattr(os, "fork") and isinstance(graph, OxigraphGraph) else graph
    )


class EndableGraph:
    """A local graph that runs each query in a process; everything else is done by the graph itself."""

    def __init__(self, graph: OxigraphGraph) -> None:
        self.graph = graph
        self.prefixes, self.mended, self.beyond = graph.prefixes, graph.mended, graph.beyond
        # Look-ups are short, and an update in another process would be lost.
        self.triples, self.add, self.count = graph.triples, graph.add, graph.count
        self.update, self.close = graph.update, graph.close

    @property
    def name(self) -> str:
        """The name of the local graph."""
        return self.graph.name

    def select(
        self,
        query: str,
        *,
        bindings: Bindings = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Solutions:
        """The rows of a SELECT query; the process is killed after ``timeout`` seconds."""
        answer = self._run("rows", query, bindings, limit, timeout)
        return answer if isinstance(answer, Solutions) else from_tsv(answer, limit)

    def ask(self, query: str, *, bindings: Bindings = None, timeout: float | None = None) -> bool:
        """The answer of an ASK query."""
        return bool(self._run("ask", query, bindings, None, timeout))

    def construct(
        self,
        query: str,
        *,
        bindings: Bindings = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> list[Triple]:
        """The triples of a CONSTRUCT or DESCRIBE query, sorted."""
        return from_n_triples(self._run("triples", query, bindings, limit, timeout))

    def _run(
        self,
        what: str,
        query: str,
        bindings: Bindings,
        limit: int | None,
        timeout: float | None,
    ) -> Any:
        # The copy of an rdflib graph is made here, once, and not in each process.
        store = self.graph.store
        asked = (what, query, dict(bindings or {}), limit, timeout)
        with _lent(self.graph, store) as worker:
            return worker.answer(asked, timeout, self.name)


def _answered(graph: OxigraphGraph, asked: tuple[Any, ...]) -> object:
    """What the process answers: rows as TSV, triples as N-Triples, yes or no."""
    what, query, bindings, limit, timeout = asked
    if what == "ask":
        return graph.ask(query, bindings=bindings, timeout=timeout)
    if what == "triples":
        expect_form(query, "CONSTRUCT", "DESCRIBE")
        return graph.serialized(query, ox.RdfFormat.N_TRIPLES, bindings, limit)
    check_limit(limit)
    expect_form(query, "SELECT")
    text = limited(query, None if limit is None else limit + 1)
    written = graph.serialized(text, ox.QueryResultsFormat.TSV, bindings)
    if b"<<(" in written:  # a triple term, or a text that looks like one
        return graph.select(query, bindings=bindings, limit=limit, timeout=timeout)
    return written


IDLE = 60.0  # seconds after which a process that is not asked ends
_workers: WeakKeyDictionary[OxigraphGraph, _Worker] = WeakKeyDictionary()
_taking = threading.Lock()


@contextmanager
def _lent(graph: OxigraphGraph, store: ox.Store) -> Iterator[_Worker]:
    """The process kept for this version of the graph; a new one where there is none, or where it is
    busy with another thread's query.
    """
    with _taking:
        worker = _workers.pop(graph, None)
    if worker is not None and not worker.knows(store, graph.version):
        worker.end()
        worker = None
    worker = worker or _Worker(graph, store)
    try:
        yield worker
    except BaseException:
        worker.close_unless_sound()
        raise
    finally:
        if worker.pid:
            with _taking:
                other = _workers.get(graph)
                # a store on disk is not kept open by a process that nobody sees
                if other is None and not graph.in_folder:
                    _workers[graph] = worker
                    worker.when_dropped(graph)
                else:
                    worker.end()


class _Worker:
    """A forked process that answers queries of one version of a graph, one after another."""

    def __init__(self, graph: OxigraphGraph, store: ox.Store) -> None:
        self._owner = os.getpid()
        self._store: ox.Store | None = store
        self._version = graph.version
        self._pipe, other = Pipe()
        self._finalizer: Any = None
        self._sound = True
        with warnings.catch_warnings():
            # The fork uses no thread, no socket and no lock of this process but the graph's own.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.pid = os.fork()
        if self.pid == 0:
            self._pipe.close()
            _serve(graph, other)
        other.close()

    def knows(self, store: ox.Store, version: int) -> bool:
        """Whether its copy is that of this version, and it is still there."""
        if self._store is not store or self._version != version or self._owner != os.getpid():
            return False
        if os.waitpid(self.pid, os.WNOHANG) == (0, 0):
            return True
        self._forget()  # it was not asked for a while, and ended
        return False

    def when_dropped(self, graph: OxigraphGraph) -> None:
        """End it when nobody has the graph any more."""
        if self._finalizer is None:
            self._finalizer = finalize(graph, self.end)

    def answer(self, asked: tuple[Any, ...], timeout: float | None, name: str) -> Any:
        """Its answer to one query.

        Raises:
            BackendError: it took longer than ``timeout`` seconds, was given up, or its process died.
        """
        given_up = GIVEN_UP.get()
        end = None if timeout is None else time.monotonic() + timeout
        self._sound = False
        try:
            self._pipe.send(asked)
            while not self._pipe.poll(STEP):
                if given_up is not None and given_up.is_set():
                    raise BackendError("the query was stopped", service=name)
                if end is not None and time.monotonic() > end:
                    raise too_slow(name, timeout, "give it a longer --timeout")
            found, failure = self._pipe.recv()
        except (OSError, EOFError) as error:
            raise _died(self.end(), name) from error
        self._sound = True
        if failure is not None:
            raise _raised(*failure)
        return found

    def close_unless_sound(self) -> None:
        """End it where its query was not answered to the end."""
        if not self._sound:
            self.end()

    def end(self) -> int:
        """Kill it; its exit status as ``waitpid`` gives it."""
        pid, status = self.pid, 0
        self._forget()
        if pid and self._owner == os.getpid():  # not in a fork of the process that began it
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                _, status = os.waitpid(pid, 0)
        return status

    def _forget(self) -> None:
        self._pipe.close()
        if self._finalizer is not None:
            self._finalizer.detach()
        self.pid, self._store, self._finalizer = 0, None, None


def _serve(graph: OxigraphGraph, pipe: Connection) -> NoReturn:
    """Everything the fork does. It frees and closes nothing that belongs to the process it was
    forked from.
    """
    try:
        gc.disable()
        # Stop is sent to the whole group; the parent ends this process
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
        while pipe.poll(IDLE):
            asked = pipe.recv()
            try:
                pipe.send((_answered(graph, asked), None))
            except (KgnbError, ValueError, MemoryError, RecursionError) as error:
                notes = getattr(error, "__notes__", [])
                attributes = {**vars(error), "__notes__": notes}
                pipe.send((None, (type(error), error.args, attributes)))
    finally:
        os._exit(0)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


def _raised(
    kind: type[Exception], arguments: tuple[Any, ...], attributes: dict[str, Any]
) -> Exception:
    """The error of the process, whose class may take other arguments than it keeps."""
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(attributes)
    return error


def _died(status: int, name: str) -> BackendError:
    signalled = f"signal {status & 0x7F}" if status & 0x7F else f"status {status >> 8}"
    return BackendError(
        f"the query's process died ({signalled})",
        service=name,
        fix="It may have needed more memory than there is: ask a narrower query, or add a LIMIT.",
    )
