"""Queries of a local graph in a process of their own, which can be killed: an engine deep in a join
cannot be stopped.

The process is a fork of this one, so it starts within milliseconds with the current graph (copied
on write), and ends when the query is stopped, takes too long, or this process ends. Where a process
cannot be forked (Windows) the query runs in this process, and nothing stops it.
"""

from __future__ import annotations

import gc
import os
import pickle
import select
import signal
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, NoReturn, TypeVar

from kgnb.errors import BackendError, KgnbError
from kgnb.kg.graph import Bindings, Graph, Solutions, too_slow
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import Triple

T = TypeVar("T")
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
        return self._run(
            lambda: self.graph.select(query, bindings=bindings, limit=limit, timeout=timeout),
            timeout,
        )

    def ask(self, query: str, *, bindings: Bindings = None, timeout: float | None = None) -> bool:
        """The answer of an ASK query."""
        return self._run(lambda: self.graph.ask(query, bindings=bindings, timeout=timeout), timeout)

    def construct(
        self, query: str, *, bindings: Bindings = None, timeout: float | None = None
    ) -> list[Triple]:
        """The triples of a CONSTRUCT or DESCRIBE query, sorted."""
        return self._run(
            lambda: self.graph.construct(query, bindings=bindings, timeout=timeout), timeout
        )

    def _run(self, work: Callable[[], T], timeout: float | None) -> T:
        self.graph.store  # noqa: B018  # the copy of an rdflib graph is made here, once, and not in each process
        return _in_process(work, timeout, self.name)


def _in_process(work: Callable[[], T], timeout: float | None, name: str) -> T:
    """What ``work`` returns in a fork of this process.

    Raises:
        BackendError: it took longer than ``timeout`` seconds, was given up, or its process died.
    """
    given_up = GIVEN_UP.get()
    end = None if timeout is None else time.monotonic() + timeout
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # The fork uses no thread, no socket and no lock of this process except the graph's own.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _answer(work, reading, writing)
    os.close(writing)
    received = bytearray()
    try:
        while True:
            if select.select([reading], [], [], STEP)[0]:
                part = os.read(reading, 1 << 20)
                if not part:
                    break
                received += part
            elif given_up is not None and given_up.is_set():
                raise BackendError("the query was stopped", service=name)
            elif end is not None and time.monotonic() > end:
                raise too_slow(name, timeout, "give it a longer --timeout")
    finally:
        os.close(reading)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    return _received(bytes(received), status, name)  # type: ignore[no-any-return]


def _answer(work: Callable[[], object], reading: int, writing: int) -> NoReturn:
    """Everything the fork does. It frees and closes nothing that belongs to the process it was
    forked from.
    """
    try:
        gc.disable()
        signal.signal(
            signal.SIGINT, signal.SIG_IGN
        )  # Stop is sent to the whole group; the parent ends this process
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.close(reading)
        threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
        try:
            answer = b"+" + pickle.dumps(work(), pickle.HIGHEST_PROTOCOL)
        except (KgnbError, ValueError, MemoryError, RecursionError) as error:
            notes = getattr(error, "__notes__", [])
            answer = b"-" + pickle.dumps(
                (type(error), error.args, {**vars(error), "__notes__": notes})
            )
        with os.fdopen(writing, "wb") as out:
            out.write(answer)
    finally:
        os._exit(0)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


def _received(answer: bytes, status: int, name: str) -> Any:
    if answer[:1] == b"+":
        return pickle.loads(answer[1:])
    if answer[:1] == b"-":
        kind, arguments, attributes = pickle.loads(answer[1:])
        error = kind.__new__(kind, *arguments)
        error.__dict__.update(attributes)
        raise error
    signalled = f"signal {status & 0x7F}" if status & 0x7F else f"status {status >> 8}"
    raise BackendError(
        f"the query's process died ({signalled})",
        service=name,
        fix="It may have needed more memory than there is: ask a narrower query, or add a LIMIT.",
    )
