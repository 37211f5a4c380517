"""One cell of a table in each of its forms: JSON for the extension, HTML, plain text, and a pandas
value.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias

from kgnb.kg.terms import Blank, Iri, Literal, Term, TripleTerm
from kgnb.results import escaping, wording
from kgnb.results.escaping import kept

Kind: TypeAlias = OneOf["text", "iri", "number", "digits", "percent", "boolean"]
KINDS: tuple[Kind, ...] = ("text", "iri", "number", "digits", "percent", "boolean")
_HTML_LENGTH = 300  # characters of one cell in HTML; the JSON keeps more
_WORD = 40  # letters without a space; longer ones would push the other columns out of sight
_SAFE_INTEGER = 2**53 - 1  # beyond it JavaScript rounds, so the digits travel as text


@dataclass(frozen=True, slots=True)
class LabelledIri:
    """An IRI shown by a label of its own."""

    iri: str
    label: str


class NoFigure(str):
    """Why a cell holds no figure: shown in its place; no value in a data frame."""

    __slots__ = ()


class OfFew(float):
    """A share of few items: shown with their number, and with its bounds where it has some."""

    of: int
    bounds: wording.Bounds | None

    def __new__(cls, value: float, of: int, bounds: wording.Bounds | None = None) -> OfFew:
        """The share of ``of`` items."""
        share = super().__new__(cls, value)
        share.of, share.bounds = of, bounds
        return share

    def __getnewargs__(self) -> tuple[float, int, wording.Bounds | None]:  # type: ignore[override]
        return float(self), self.of, self.bounds

    @property
    def text(self) -> str:
        """The share in words."""
        return f"{wording.percent(self)} ({wording.of_few(self.of, self.bounds)})"


def share(value: float, of: int, *, mean: bool = False) -> float:
    """A share of ``of`` items as a cell; a mean of several shares has no bounds.

    >>> as_text(share(1.0, 4), "percent"), as_text(share(1.0, 400), "percent")
    ('100.0 % (60 to 100, n = 4)', '100.0 %')
    """
    if not 0 < of < wording.FEW:
        return value
    return OfFew(value, of, None if mean else wording.likely(value, of))


Value: TypeAlias = None | bool | int | float | str | LabelledIri | Term


def checked(value: object) -> Value:
    """Return the value if a cell can show it; numbers of other libraries become Python's own.

    Raises:
        TypeError: for any other type.
    """
    if value is None or isinstance(
        value, bool | int | float | str | LabelledIri | Iri | Blank | Literal | TripleTerm
    ):
        return value
    if type(value).__name__ in ("bool_", "bool") and type(value).__module__ == "numpy":
        return bool(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise TypeError(
        f"a table cell cannot show a {type(value).__name__}: give text, a number, a Link or an RDF term"
    )


def has_decimals(values: Iterable[Value]) -> bool:
    """Whether a column's numbers are written with decimals: they are as soon as one number has any.

    >>> has_decimals([1, 2.0, None]), has_decimals([1, 0.5])
    (False, True)
    """
    return any(
        isinstance(value, float) and math.isfinite(value) and not value.is_integer()
        for value in values
    )


def as_text(value: Value, kind: Kind, decimals: bool = False) -> str:
    """Return the cell as a reader sees it, without markup.

    >>> as_text(0.5, "percent"), as_text(True, "boolean"), as_text("https://huts.example.org/alps#Hut", "iri")
    ('50.0 %', 'yes', '…#Hut')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, OfFew):
        return value.text
    if isinstance(value, int | float):
        return (
            wording.percent(value)
            if kind == "percent"
            else wording.number(value, decimals=decimals, grouped=kind != "digits")
        )
    if isinstance(value, LabelledIri):
        return value.label or wording.short_iri(value.iri)
    if isinstance(value, str):
        return wording.short_iri(value) if kind == "iri" or isinstance(value, Iri) else value
    return wording.term_text(value)


def as_html(value: Value, kind: Kind, decimals: bool = False) -> str:
    """Return the cell as escaped HTML; an IRI keeps its full form as the title and is a link where
    that is safe.
    """
    if isinstance(value, OfFew):  # on two lines, else a few columns are as wide as the page
        return value.text.replace(" (", "<br>(", 1)
    text = escaping.one_line(as_text(value, kind, decimals))
    shown = escaping.escaped(escaping.shortened(text, _HTML_LENGTH)) or "<br>"
    if any(
        len(word) > _WORD for word in text.split()
    ):  # broken where it must be; other words stay whole
        shown = f'<span style="word-break: break-all">{shown}</span>'
    iri = iri_of(value, kind)
    if iri is None:
        title = full_text(value)
        more = len(text) > _HTML_LENGTH or (title is not None and title != text)
        return (
            f'<span title="{escaping.escaped(escaping.shortened(title or text))}">{shown}</span>'
            if more
            else shown
        )
    target, title = escaping.link_target(iri), escaping.escaped(escaping.shortened(iri))
    if target is None:
        return f'<span title="{title}">{shown}</span>'
    return f'<a href="{escaping.escaped(target)}" rel="nofollow" title="{title}">{shown}</a>'


def as_json(value: Value, kind: Kind) -> object:
    """Return the cell as JSON: lossless but for text beyond the length limit (``Cell`` in
    ``table-data.ts``).
    """
    if isinstance(value, OfFew):
        return value.text
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _SAFE_INTEGER else str(value)
    if isinstance(value, LabelledIri):
        return {"iri": kept(value.iri), "label": kept(value.label)}
    if isinstance(value, str):
        return {"iri": kept(value)} if kind == "iri" or isinstance(value, Iri) else kept(value)
    return term_json(value)


def term_json(term: Term) -> dict[str, object]:
    """Return an RDF term as JSON."""
    if isinstance(term, Iri):
        return {"iri": kept(term)}
    if isinstance(term, Blank):
        return {"blank": kept(term.label)}
    if isinstance(term, Literal):
        named = {"language": term.language, "datatype": term.datatype}
        return {
            "literal": kept(term.text),
            **{name: kept(text) for name, text in named.items() if text},
        }
    return {"triple": [term_json(part) for part in (term.subject, term.predicate, term.object)]}


def as_pandas(value: Value) -> object:
    """Return the cell as pandas wants it: an IRI as text, a typed literal as a Python value where
    XSD has one.

    >>> as_pandas(Literal("2310", datatype="http://www.w3.org/2001/XMLSchema#integer"))
    2310
    """
    if isinstance(value, LabelledIri):
        return value.iri
    if isinstance(value, Literal):
        from kgnb.kg.result_files import (
            python_value,
        )  # slow to import, and most tables are only looked at

        return python_value(value)
    if isinstance(value, Blank | TripleTerm):
        return wording.term_text(value)
    if isinstance(value, NoFigure):
        return None
    if isinstance(value, OfFew):
        return float(value)
    return str(value) if isinstance(value, str) else value


def iri_of(value: Value, kind: Kind) -> str | None:
    """Return the IRI a cell stands for, or None."""
    if isinstance(value, LabelledIri):
        return value.iri
    return (
        str(value) if isinstance(value, str) and (kind == "iri" or isinstance(value, Iri)) else None
    )


def full_text(value: Value) -> str | None:
    """Return what a literal's short form leaves out (its datatype), or None."""
    if isinstance(value, Literal) and value.datatype:
        return f"{value.text}^^{wording.short_iri(value.datatype)}"
    return None
