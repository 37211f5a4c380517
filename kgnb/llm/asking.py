"""Asking many requests at once, a bounded number at a time, with the answers in the order of the
questions.
"""

from __future__ import annotations

import atexit
import contextvars
import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, TypeVar

from kgnb.errors import BackendError, LimitError, ReplyError, Waiting
from kgnb.llm.model import ChatModel, Reply, Request
from kgnb.llm.pacing import rest, stopped

Failure: TypeAlias = BackendError | ReplyError | LimitError | Waiting
Outcome: TypeAlias = Reply | Failure
_LANDING = (
    5.0  # seconds that a process which ends waits for replies under way, for they are paid for
)
_workers: set[threading.Thread] = set()
Item = TypeVar("Item")
Result = TypeVar("Result")


class StopAsking(KeyboardInterrupt):
    """Somebody wants nothing more to be asked, and what has been answered by now; raised by a
    signal handler.
    """


_rounds = {"under way": 0, "ended": 0}  # of asking in the main thread, which alone counts them


def stop_asking() -> None:
    """End the asking under way in the main thread, whose run has been stopped; for a signal
    handler.

    Between two rounds, while prompts are made, nothing is raised: a stopped run asks nothing in the
    next one, and keeps what was answered. Before the first round there is nothing to keep.

    Raises:
        StopAsking: something is being asked, or nothing has been asked yet.
    """
    if _rounds["under way"] or not _rounds["ended"]:
        raise StopAsking


def ask_many(model: ChatModel, requests: Sequence[Request], width: int = 8) -> list[Outcome]:
    """One outcome per request, in their order, at most ``width`` being asked at a time; see
    ``do_many``.
    """
    return do_many(model.ask, requests, width)


def do_many(
    do: Callable[[Item], Result],
    items: Sequence[Item],
    width: int = 8,
    on_done: Callable[[int, Result | Failure], object] | None = None,
) -> list[Result | Failure]:
    """One outcome per item, in their order, at most ``width`` being worked on at a time.

    If an item fails for good (BackendError, ReplyError, LimitError) or waits for replies (Waiting),
    its outcome is the error, and the others go on; ``raise_waiting`` then says what all items wait
    for. ``on_done(index, outcome)`` is called in the caller's thread as each one ends. Workers see
    the caller's context variables.

    Anything else ends it all: an interrupt, a fault in ``on_done``, a ConfigError or DataError (a
    wrong key, a reply missing from a replay: the next call would fail the same way). What has not
    started is then never asked, nobody waits any longer to try again, and the error is raised at
    once. Only ``StopAsking`` is not raised: items without an answer get a LimitError.
    """
    waiting: queue.SimpleQueue[tuple[int, contextvars.Context]] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, Result | Failure] | BaseException] = queue.SimpleQueue()
    stop = threading.Event()

    def work() -> None:
        try:
            while not stop.is_set():
                index, context = waiting.get_nowait()
                try:
                    done.put((index, context.run(do, items[index])))
                except (BackendError, ReplyError, LimitError, Waiting) as error:
                    done.put((index, error))
        except queue.Empty:
            pass
        except BaseException as error:  # for the caller's thread, which alone may raise it
            stop.set()
            done.put(error)
        finally:
            _workers.discard(threading.current_thread())

    for index in range(len(items)):
        context = contextvars.copy_context()
        context.run(stopped.set, stop)
        waiting.put((index, context))
    outcomes: dict[int, Result | Failure] = {}
    rounds = _rounds if threading.current_thread() is threading.main_thread() else dict(_rounds)
    try:
        rounds["under way"] += 1
        for _ in range(min(max(width, 1), len(items))):
            worker = threading.Thread(target=work, daemon=True, name="kgnb-ask")
            _workers.add(worker)
            worker.start()
        while len(outcomes) < len(items):
            ended = _next(done)
            if isinstance(ended, BaseException):
                raise ended
            index, outcome = ended
            outcomes[index] = outcome
            if on_done:
                on_done(index, outcome)
    except StopAsking:
        for index in range(len(items)):
            outcomes.setdefault(
                index, LimitError("stopped by hand before it was answered", limit="stopped")
            )
    finally:
        rounds["ended"] += 1
        rounds["under way"] -= 1
        stop.set()
    return [outcomes[index] for index in range(len(items))]


def raise_waiting(outcomes: Iterable[object]) -> None:
    """End a round of requests if some of them wait for their replies.

    Raises:
        Waiting: at least one of the outcomes is a Waiting; says everything that waits.
    """
    for outcome in outcomes:
        if isinstance(outcome, Waiting):
            raise outcome.again()


def in_one_round(works: Iterable[Callable[[], Result]]) -> list[Result]:
    """The results of calling each of these, one after the other; one that waits for replies does
    not hold up the rest.

    Raises:
        Waiting: some wait; the others have been done as far as possible.
    """
    results: list[Result] = []
    waiting: list[Waiting] = []
    for work in works:
        try:
            results.append(work())
        except Waiting as error:
            waiting.append(error)
    raise_waiting(waiting)
    return results


@atexit.register
def _land() -> None:
    """After an interrupt: replies under way are paid for, and a cache keeps those that arrive."""
    end = time.monotonic() + _LANDING
    for worker in list(_workers):
        worker.join(max(0.0, end - time.monotonic()))


def _next(done: queue.SimpleQueue[Item]) -> Item:
    while True:
        rest(0)  # also ends this round if it is part of one that was stopped
        try:
            return done.get(timeout=0.2)  # an endless wait cannot be interrupted on Windows
        except queue.Empty:
            continue
