"""One result as a card: the answer large, its picture, the query that gives it, and folded away how it was found."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any

from kgnb.results import cells
from kgnb.results.bundle import CARD_MIME, Json, mimebundle
from kgnb.results.cells import Value
from kgnb.results.escaping import escaped, one_line, shortened, whole
from kgnb.results.graph import GraphPicture

LARGE = 12  # answers shown large; the others are behind a fold
_MOST = 1000  # answers kept in a saved notebook
_QUERY = 20_000  # characters of a query that are kept


@dataclass(frozen=True, repr=False)
class Card:
    """A question with its answers; ``plain`` makes the text of it, for terminals and logs.

    ``said`` stands below the answers, ``notes`` are what a reader must know, ``facts`` what only some want to.
    """

    title: str
    answers: Sequence[Value]
    said: str
    plain: Callable[[], str]
    notes: Sequence[str] = ()
    picture: GraphPicture | None = None
    query: str = ""
    facts: Sequence[str] = ()

    def __str__(self) -> str:
        return self.plain()

    def _repr_mimebundle_(
        self, include: Container[str] | None = None, exclude: Container[str] | None = None
    ) -> dict[str, Any]:
        makers = {CARD_MIME: self.json, "text/html": self.html, "text/plain": self.plain}
        return mimebundle(makers, include, exclude)

    def json(self) -> Json:
        """What the extension draws (``CardData`` in ``card.ts``)."""
        return {
            "version": 1,
            "title": _kept(self.title),
            "answers": [cells.as_json(value, "text") for value in self.answers[:_MOST]],
            "large": LARGE,
            "total": len(self.answers),
            "said": _kept(self.said),
            "notes": [_kept(note) for note in self.notes],
            "picture": self.picture.json() if self.picture else None,
            "query": shortened(whole(self.query), _QUERY),
            "facts": [_kept(fact) for fact in self.facts],
        }

    def html(self) -> str:
        """The card as HTML that JupyterLab's sanitiser leaves as it is."""
        large = ", ".join(cells.as_html(value, "text") for value in self.answers[:LARGE]) or "No answer"
        rest = ", ".join(cells.as_html(value, "text") for value in self.answers[LARGE:_MOST])
        left = len(self.answers) - LARGE
        query = f'<pre style="white-space: pre-wrap">{escaped(shortened(self.query, _QUERY))}</pre>'
        facts = "".join(f"<div>{escaped(_kept(fact))}</div>" for fact in self.facts)
        return (
            f'<div style="font-size: 13px"><div style="opacity: 0.75">{escaped(one_line(_kept(self.title)))}</div>'
            f'<div style="font-size: 22px; line-height: 1.3; font-weight: 600; margin: 2px 0">{large}</div>'
            + (_fold(f"{left:,} more", rest) if left > 0 else "")
            + f'<div style="opacity: 0.75; margin: 0 0 4px 0">{escaped(_kept(self.said))}</div>'
            + "".join(f"<div>{escaped(_kept(note))}</div>" for note in self.notes)
            + (self.picture.html() if self.picture else "")
            + (_fold("SPARQL", query) if self.query else "")
            + (_fold("How it was found", facts) if facts else "")
            + "</div>"
        )


def _fold(summary: str, content: str) -> str:
    return f'<details><summary style="cursor: pointer">{escaped(summary)}</summary>{content}</details>'


def _kept(text: str) -> str:
    return shortened(whole(text))
