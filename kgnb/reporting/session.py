"""A report's run as its notebook and its readers see it: session, figures, request, ledger of
cells, signals.

``kgnb report`` calls ``begin`` in the kernel before the first cell, leaving no trace in the
notebook. A notebook opened by hand gets a session of its own: the settings of its folder, and the
folder ``reports/by-hand``.

The ledger tells which cells ran, failed or never ran; it is written before and after every cell, so
that it is true even after ``kill -9``.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias, TypeVar
from typing import Literal as OneOf

from pydantic import TypeAdapter

from kgnb.files import write_json
from kgnb.reporting.scan import redact
from kgnb.results.wording import of_few
from kgnb.run import Event
from kgnb.secret import hide
from kgnb.settings import Settings, known_secrets

T = TypeVar("T")
Amount: TypeAlias = float | int
WHOLE = (
    "all",
    "micro",
    "scores",
    "mean",
)  # where reports without a headline keep the figures of the whole
COSTS = ("calls", "tokens", "prompt_tokens", "completion_tokens")
OURS = "this run"  # the source of a headline's row that the report itself found
MOST = 8


def read_json(path: Path, kind: type[T]) -> T | None:
    """The value of this type in a JSON file, or None where there is none that can be read."""
    try:
        return TypeAdapter(kind).validate_json(path.read_bytes())
    except (OSError, ValueError):
        return None


def read_metrics(folder: Path) -> dict[str, Any]:
    """A report's ``metrics.json``; empty where there is none that can be read."""
    return read_json(folder / "metrics.json", dict[str, Any]) or {}


def headline_figures(metrics: Mapping[str, Any]) -> dict[str, Amount]:
    """The numbers in this run's first row of ``headline``, else those of the whole; at most eight,
    in its order.

    In a sorted table published figures may precede this run's; rows of this run have the source
    ``OURS``.

    >>> rows = [{"matcher": "other", "P": 97.0, "source": "a paper"}, {"matcher": "kgnb", "P": 96.0, "mrr": "0.989"}]
    >>> headline_figures({"headline": rows[1:]})
    {'P': 96.0, 'mrr': 0.989}
    >>> headline_figures({"headline": [rows[0], {"P": 96.0, "source": "this run"}]})
    {'P': 96.0}
    >>> headline_figures({"all": {"f1": 0.5, "kind": "x"}, "calls": 3})
    {'f1': 0.5}
    """
    whole = _own_row(metrics)
    if whole is None:
        whole = next(
            (metrics[name] for name in WHOLE if isinstance(metrics.get(name), Mapping)), None
        )
    if whole is None:
        whole = {name: value for name, value in metrics.items() if name not in COSTS}
    return dict(list(_numbers(whole))[:MOST])


def costs(metrics: Mapping[str, Any]) -> dict[str, Amount]:
    """Model calls and tokens, as if nothing had been cached; no times, which never repeat."""
    where = metrics["cost"] if isinstance(metrics.get("cost"), Mapping) else metrics
    return {name: where[name] for name in COSTS if isinstance(where.get(name), int)}


def marks(metrics: Mapping[str, Any], *, few: bool = True) -> list[str]:
    """Warnings about the figures: a simulation, shares of ``few`` items, a partial result."""
    found = []
    if metrics.get("simulation") and isinstance(metrics["simulation"], str):
        found.append(f"simulation: {metrics['simulation']}")
    if metrics.get("silent") and isinstance(metrics["silent"], str):
        found.append(metrics["silent"])
    if metrics.get("other_graph") and isinstance(metrics["other_graph"], str):
        found.append(metrics["other_graph"])
    found += _of_few(metrics) if few else []
    if metrics.get("partial"):
        why = metrics.get("partial_reason") or metrics["partial"]
        found.append(f"partial: {why}" if isinstance(why, str) else "partial")
    return found


def of_few_in(row: Mapping[str, Any], name: str) -> str:
    """What a row of the headline says behind a share of few items; "" behind any other figure."""
    few = row.get("few", {}).get(name)
    if not few:
        return ""
    between = [bound / 100 for bound in few.get("between", ())]
    return of_few(few["n"], (between[0], between[1]) if between else None)


def _of_few(metrics: Mapping[str, Any]) -> list[str]:
    """Which of the figures that are shown elsewhere are shares of few items."""
    row = _own_row(metrics) or {}
    few = [f"{name} {of_few_in(row, name)}" for name in row.get("few", {})]
    return [f"of few: {'; '.join(few)}"] if few else []


def _own_row(metrics: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """This run's first row of the headline."""
    rows = metrics.get("headline")
    rows = [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []
    return next((row for row in rows if row.get("source") == OURS), rows[0] if rows else None)


def _numbers(values: Mapping[str, Any]) -> Iterator[tuple[str, Amount]]:
    for name, value in values.items():
        if isinstance(value, str):
            try:
                yield name, float(value)
            except ValueError:
                continue
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield name, value


BY_HAND = Path("reports") / "by-hand"
ANNOUNCED = "kgnb: "  # begins a line that is announced while a report runs, and is not part of it


@dataclass(frozen=True)
class ReportSession:
    """A report's folder, its settings, and the command that runs it again."""

    folder: Path
    settings: Settings
    command: str = ""
    data: tuple[tuple[str, str], ...] = ()  # the name and digest of each input file


_current: list[ReportSession] = []


def begin(session: ReportSession) -> None:
    """Make this the session of the running kernel; secrets that its settings name are kept out of
    what it writes.
    """
    hide(*known_secrets(session.settings))
    _current[:] = [session]


def current() -> ReportSession:
    """The session ``kgnb report`` began, or one for a notebook run by hand."""
    if not _current:
        BY_HAND.mkdir(parents=True, exist_ok=True)
        begin(ReportSession(BY_HAND, Settings.load()))
    return _current[0]


def tell(event: Event) -> None:
    """Announce on standard error what a run expects to spend; the engine keeps that out of the
    report.
    """
    if event["event"] == "estimate":
        print(
            ANNOUNCED + ": ".join(filter(None, (event["name"], event["text"]))),
            file=sys.stderr,
            flush=True,
        )


def as_text(session: ReportSession) -> str:
    """This session as one line of JSON; settings name their secrets, but hold none."""
    return TypeAdapter(ReportSession).dump_json(session).decode()


def from_text(text: str) -> ReportSession:
    """The session that ``as_text`` wrote."""
    return TypeAdapter(ReportSession).validate_json(text)


def as_code(session: ReportSession) -> str:
    """Python that begins this session in another process."""
    begin = (
        f"_session.begin(_session.from_text({as_text(session)!r}))\n_session.announce_warnings()"
    )
    return f"from kgnb.reporting import session as _session\n{begin}\ndel _session"


def announce_warnings() -> None:
    """Announce kgnb's own warnings where a report runs; as Python writes them they would bring a
    path of this machine onto the page.
    """
    shown = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if category.__module__ == "kgnb.errors":
            print(f"{ANNOUNCED}{message}", file=sys.stderr, flush=True)
        else:
            shown(message, category, *where, **more)

    warnings.showwarning = show


FILE = "request.json"


@dataclass(frozen=True)
class ReportRequest:
    """A report's name (or its notebook) and the value of every parameter."""

    report: str
    values: Mapping[str, Any]

    def save(self, folder: Path, secrets: tuple[str, ...]) -> None:
        """Write it without secrets."""
        write_json(
            folder / FILE, redact({"report": self.report, "values": dict(self.values)}, secrets)
        )


def read_request(folder: Path) -> ReportRequest | None:
    """The request of the report in a folder, or None."""
    return read_json(folder / FILE, ReportRequest)


State = OneOf["not run", "running", "ran", "failed", "cancelled"]
LEDGER = "cells.json"


@dataclass(frozen=True, slots=True)
class Cell:
    """One code cell: its place among all cells (from 1), its first line, its state, and the seconds
    it took.
    """

    number: int
    title: str
    state: State = "not run"
    seconds: float | None = None
    error: str = ""


@dataclass
class Saved:
    """What a ledger's file says: the process that runs the report, and the cells."""

    process: int
    cells: list[Cell]


@dataclass
class Ledger:
    """The code cells of one report run and the state of each, kept in ``folder``."""

    folder: Path
    cells: dict[int, Cell] = field(default_factory=dict)
    process: int = field(default_factory=os.getpid)
    on_cell: Callable[[int, int, str], object] | None = field(
        default=None, repr=False, compare=False
    )

    def mark(
        self, number: int, state: State, seconds: float | None = None, error: str = ""
    ) -> None:
        """Record a cell's new state and write the ledger."""
        self.cells[number] = replace(self.cells[number], state=state, seconds=seconds, error=error)
        self.save()
        if state == "running" and self.on_cell:
            self.on_cell(
                list(self.cells).index(number) + 1, len(self.cells), self.cells[number].title
            )

    def save(self) -> None:
        """Write the ledger to its folder."""
        write_json(self.folder / LEDGER, asdict(Saved(self.process, list(self.cells.values()))))

    @property
    def state(self) -> State:
        """The worst of the cells' states."""
        states = {cell.state for cell in self.cells.values()}
        worst: tuple[State, ...] = ("running", "failed", "cancelled")
        rest: State = "ran" if states <= {"ran"} else "cancelled" if "ran" in states else "not run"
        return next((state for state in worst if state in states), rest)

    def count(self, state: State) -> int:
        """How many cells are in this state."""
        return sum(cell.state == state for cell in self.cells.values())


def read_ledger(folder: Path) -> Ledger | None:
    """The ledger of a folder, or None; a cell left "running" by a process that is gone is
    "cancelled".
    """
    saved = read_json(folder / LEDGER, Saved)
    if saved is None:
        return None
    gone, cells = not alive(saved.process), {cell.number: cell for cell in saved.cells}
    ended = {
        n: replace(cell, state="cancelled")
        for n, cell in cells.items()
        if gone and cell.state == "running"
    }
    return Ledger(folder, cells | ended, saved.process)


def alive(process: int) -> bool:
    """Whether a process of this machine is running."""
    if os.name == "nt":  # signal 0 would end the process there; assume that it is gone
        return process == os.getpid()
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # somebody else's
        pass
    return True


class Interrupted(KeyboardInterrupt):
    """The work was stopped by a signal; ``signal`` is its number."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.signal = number


def interrupt(number: int) -> None:
    """Raises Interrupted."""
    raise Interrupted(number)


@contextmanager
def on_signals(stop: Callable[[int], object] = interrupt) -> Iterator[None]:
    """SIGINT and SIGTERM call ``stop`` with their number meanwhile; without effect outside the main
    thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        stop(number)

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
