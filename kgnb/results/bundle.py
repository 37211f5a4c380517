"""The MIME bundle every result carries, and how much of a big result goes into it.

A value that inherits ``Shown`` shows itself by its view, and need not know what draws it. The views
of a package are in its module ``tables``::

    @view.register
    def stored(value: Stored) -> Table: ...
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Container
from functools import singledispatch
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar, Protocol, TypeAlias

TABLE_MIME = "application/vnd.kgnb.table+json"
RUN_MIME = "application/vnd.kgnb.run+json"
GRAPH_MIME = "application/vnd.kgnb.graph+json"
CARD_MIME = "application/vnd.kgnb.card+json"

# A saved notebook keeps every bundle for good, so each form has its own ceiling. The counts keep
# the JSON of a wide table near 1 MB, its HTML near 60 kB and its text on one screen.
JSON_ROWS = 2_000
HTML_ROWS = 50
TEXT_ROWS = 25
FIRST_ROWS = 10  # seen at once; the rest of an HTML table is behind a fold
# One literal can be a whole book: this much of it is kept, in every form.
TEXT_LENGTH = 2_000

Json: TypeAlias = dict[str, Any]  # a JSON object: the one place where Any is the honest type


class Bundled:
    """A value with a form for each front end: HTML, text, and JSON where ``mime`` names a renderer
    of the extension.

    Only the forms that IPython asks for are made.
    """

    mime: ClassVar[str] = ""

    def json(self) -> Json:
        """What the extension draws."""
        raise NotImplementedError

    def html(self) -> str:
        """HTML that JupyterLab's sanitiser leaves as it is."""
        raise NotImplementedError

    def text(self) -> str:
        """Plain text, for terminals and logs."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.text()

    def _repr_mimebundle_(
        self, include: Container[str] | None = None, exclude: Container[str] | None = None
    ) -> dict[str, Any]:
        makers: dict[str, Callable[[], object]] = {"text/html": self.html, "text/plain": self.text}
        makers |= {self.mime: self.json} if self.mime else {}
        return {
            mime: make()
            for mime, make in makers.items()
            if (not include or mime in include) and not (exclude and mime in exclude)
        }


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number and its noun, grouped and in the right number.

    >>> count(1, "row"), count(12000, "row"), count(2, "query", "queries")
    ('1 row', '12,000 rows', '2 queries')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def one_of(plural: str) -> str:
    """The name of one of the things counted: the first plural word before any colon becomes singular.

    >>> one_of("entities without candidates"), one_of("source entities"), one_of("left: it fits no other")
    ('entity without candidates', 'source entity', 'left: it fits no other')
    """
    return re.sub(r"^([^:]*?\b)(\w+?)(?:(?<=i)es|(?<=ss)es|(?<=[^s])s)\b", _singular, plural)


def _singular(found: re.Match[str]) -> str:
    before, stem = found.groups()
    return f"{before}{stem[:-1]}y" if found[0].endswith("ies") else f"{before}{stem}"


class Drawn(Protocol):
    """What a view returns: a table, a picture, anything with a MIME bundle."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]: ...


@singledispatch
def view(value: object) -> Drawn:
    """The view of a value; TypeError where none is registered for its kind.

    The module ``tables`` beside that of the value registers views, and is imported on first use.
    """
    package = type(value).__module__.rpartition(".")[0]
    tables = f"{package}.tables"
    if package and tables not in sys.modules and find_spec(tables) is not None:
        import_module(tables)
        return view(value)
    raise TypeError(f"no view is registered for {type(value).__name__}")


class Shown:
    """A value that shows itself by its registered view."""

    def plot(self, kind: str = "") -> Any:
        """What is shown, as a chart, if it is a table."""
        return view(self).plot(kind)  # type: ignore[attr-defined]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return view(self)._repr_mimebundle_(include, exclude)
