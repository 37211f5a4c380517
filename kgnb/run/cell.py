"""Which notebook cell is being run: a step notes it, so that a trace can lead back to the cell that made it."""

from __future__ import annotations

from contextvars import ContextVar

_cell: ContextVar[str] = ContextVar("kgnb_cell", default="")


def enter_cell(cell: str | None) -> None:
    """Says which cell runs from now on, by its id in the notebook; an empty id where none does.

    >>> enter_cell("4f1c")
    >>> current_cell()
    '4f1c'
    >>> enter_cell("")
    """
    _cell.set(cell or "")


def current_cell() -> str:
    """The id of the cell that is being run, or an empty text outside notebooks."""
    return _cell.get()
