"""How a value is shown, said apart from the value: a module of views registers a function for each kind.

A value that inherits ``Shown`` shows itself in a cell by its view; it need not know what draws it::

    class Stored(Shown): ...

    @view.register
    def stored(value: Stored) -> Table: ...
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any, Protocol


class Drawn(Protocol):
    """What a view gives: a table, a picture, anything with a bundle."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]: ...


@singledispatch
def view(value: object) -> Drawn:
    """The view of a value; TypeError where none is registered for its kind."""
    raise TypeError(f"nothing says how a {type(value).__name__} is shown")


class Shown:
    """A value that shows itself by its registered view."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return view(self)._repr_mimebundle_(include, exclude)
