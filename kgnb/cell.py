"""Which cell of a notebook runs, so that a record can say where it was made."""

from __future__ import annotations

from contextvars import ContextVar

_cell: ContextVar[str] = ContextVar("kgnb_cell", default="")


def enter_cell(cell: str | None) -> None:
    """Say which cell runs from now on, by its id in the notebook; "" for none.

    >>> enter_cell("4f1c")
    >>> current_cell()
    '4f1c'
    >>> enter_cell("")
    """
    _cell.set(cell or "")


def current_cell() -> str:
    """The id of the cell that is running; "" outside notebooks."""
    return _cell.get()
