"""Which cells of a report ran, failed, were cancelled or never ran: told truthfully whatever ends the run.

papermill stamps the cells it never reached ``completed`` (seen in 2.7). This ledger is written before and after every
cell, so even a ``kill -9`` leaves a file from which ``read_ledger`` tells what happened.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal as OneOf

from kgnb.files import from_json, write_json

State = OneOf["not run", "running", "ran", "failed", "cancelled"]
FILE = "cells.json"


@dataclass(frozen=True, slots=True)
class Cell:
    """One code cell: its place among all cells (from 1), its first line, its state and, once it ended, its seconds."""

    number: int
    title: str
    state: State = "not run"
    seconds: float | None = None
    error: str = ""


@dataclass
class Ledger:
    """The code cells of one report run and the state of each, kept in ``folder``."""

    folder: Path
    cells: dict[int, Cell] = field(default_factory=dict)
    process: int = field(default_factory=os.getpid)
    on_cell: Callable[[int, int, str], object] | None = field(default=None, repr=False, compare=False)

    def mark(self, number: int, state: State, seconds: float | None = None, error: str = "") -> None:
        """Note a cell's new state and write the ledger."""
        self.cells[number] = replace(self.cells[number], state=state, seconds=seconds, error=error)
        self.save()
        if state == "running" and self.on_cell:
            self.on_cell(list(self.cells).index(number) + 1, len(self.cells), self.cells[number].title)

    def save(self) -> None:
        """Write the ledger to its folder."""
        content = {"process": self.process, "cells": [asdict(cell) for cell in self.cells.values()]}
        write_json(self.folder / FILE, content)

    @property
    def state(self) -> State:
        """The state of the whole: the worst of its cells'."""
        states = {cell.state for cell in self.cells.values()}
        for state in ("running", "failed", "cancelled"):
            if state in states:
                return state
        return "ran" if states <= {"ran"} else "cancelled" if "ran" in states else "not run"

    def count(self, state: State) -> int:
        """How many cells are in this state."""
        return sum(cell.state == state for cell in self.cells.values())


def read_ledger(folder: Path) -> Ledger | None:
    """The ledger of a folder, or None if it has none that can be read.

    A cell left "running" by a process that is gone reads as "cancelled".
    """
    path = folder / FILE
    try:
        content = from_json(path.read_text(encoding="utf-8"))
        gone = not alive(int(content["process"]))
        cells = {cell.number: cell for cell in (Cell(**cell) for cell in content["cells"])}
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None
    ended = {n: replace(cell, state="cancelled") for n, cell in cells.items() if gone and cell.state == "running"}
    return Ledger(folder, cells | ended, content["process"])


def alive(process: int) -> bool:
    """Whether a process of this machine is there."""
    if os.name == "nt":  # signal 0 would end the process there; err on the side of "gone"
        return process == os.getpid()
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
