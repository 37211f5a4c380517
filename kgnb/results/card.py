"""One answer as a card, with its picture, its query and, folded away, how it was found; one entity
as a page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from kgnb.results import cells
from kgnb.results.bundle import CARD_MIME, Bundled, Json
from kgnb.results.cells import Value
from kgnb.results.escaping import escaped, fold, kept, one_line, shortened
from kgnb.results.graph import GraphPicture

LARGE = 12  # answers shown large; the others are behind a fold
_MOST = 1000  # answers kept in a saved notebook
_QUERY = 20_000  # characters of a query that are kept


@dataclass(frozen=True, repr=False)
class Card(Bundled):
    """A question with its answers; ``plain`` makes the text of it, for terminals and logs.

    ``said`` goes below the answers; ``notes`` are for every reader; ``facts`` are folded away.
    """

    title: str
    answers: Sequence[Value]
    said: str
    plain: Callable[[], str]
    notes: Sequence[str] = ()
    picture: GraphPicture | None = None
    query: str = ""
    facts: Sequence[str] = ()
    mime = CARD_MIME

    def text(self) -> str:
        """What ``plain`` makes."""
        return self.plain()

    def json(self) -> Json:
        """What the extension draws (``CardData`` in ``card.ts``)."""
        return {
            "version": 1,
            "title": kept(self.title),
            "answers": [cells.as_json(value, "text") for value in self.answers[:_MOST]],
            "large": LARGE,
            "total": len(self.answers),
            "said": kept(self.said),
            "notes": [kept(note) for note in self.notes],
            "picture": self.picture.json() if self.picture else None,
            "query": kept(self.query, _QUERY),
            "facts": [kept(fact) for fact in self.facts],
        }

    def html(self) -> str:
        """The card as HTML that JupyterLab's sanitiser leaves as it is."""
        large = (
            ", ".join(cells.as_html(value, "text") for value in self.answers[:LARGE]) or "No answer"
        )
        rest = ", ".join(cells.as_html(value, "text") for value in self.answers[LARGE:_MOST])
        left = len(self.answers) - LARGE
        query = f'<pre style="white-space: pre-wrap">{escaped(shortened(self.query, _QUERY))}</pre>'
        facts = "".join(f"<div>{escaped(kept(fact))}</div>" for fact in self.facts)
        return (
            f'<div style="font-size: 13px"><div style="opacity: 0.75">{escaped(one_line(kept(self.title)))}</div>'
            f'<div style="font-size: 22px; line-height: 1.3; font-weight: 600; margin: 2px 0">{large}</div>'
            + (fold(f"{left:,} more", rest) if left > 0 else "")
            + f'<div style="opacity: 0.75; margin: 0 0 4px 0">{escaped(kept(self.said))}</div>'
            + "".join(f"<div>{escaped(kept(note))}</div>" for note in self.notes)
            + (self.picture.html() if self.picture else "")
            + (fold("SPARQL", query) if self.query else "")
            + (fold("How it was found", facts) if facts else "")
            + "</div>"
        )


@dataclass(frozen=True, repr=False)
class Page(Bundled):
    """All that is known of one entity: its name and IRI, lines about it, then sentences, tables and
    pictures.
    """

    heading: str
    parts: Sequence[str | Bundled]
    iri: str = ""
    about: Sequence[str] = ()

    def text(self) -> str:
        """The parts one below the other."""
        lines = [f"  {one_line(line)}" for line in (self.iri, *self.about) if line]
        blocks = ["\n".join([one_line(self.heading), *lines]).strip()]
        for said, group in groupby(self.parts, lambda part: isinstance(part, str)):
            parts = [one_line(part) if isinstance(part, str) else part.text() for part in group]
            blocks += ["\n".join(parts)] if said else parts
        return "\n\n".join(filter(None, blocks))

    def html(self) -> str:
        """The same, every text escaped."""
        name = f"<strong>{escaped(self.heading)}</strong>" * bool(self.heading)
        iri = f" <code>{escaped(self.iri)}</code>" * bool(self.iri)
        head = "<br>".join(filter(None, [name + iri, *map(escaped, self.about)]))
        parts = [
            f"<p>{escaped(part)}</p>" if isinstance(part, str) else part.html()
            for part in self.parts
        ]
        return "".join([f"<p>{head}</p>" if head else "", *parts])
