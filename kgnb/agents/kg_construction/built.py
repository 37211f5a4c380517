"""What building gives: the graph, the journal of each document, and what was left to a person."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgnb.agents.kg_construction.desk import Doubt
from kgnb.agents.kg_construction.journal import Journal
from kgnb.agents.kg_construction.values import ToolPack
from kgnb.kg.terms import RDFS, Iri, Literal, Term
from kgnb.results.graph import GraphPicture
from kgnb.results.table import Column, Table, Value

if TYPE_CHECKING:
    import rdflib

    from kgnb.agents.kg_construction.session import Session


@dataclass(frozen=True)
class Built:
    """A built graph. ``partial`` says why, if it is: a budget was spent before all documents were read."""

    pack: ToolPack
    session: Session
    journals: tuple[Journal, ...]
    doubts: tuple[Doubt, ...]
    partial: str = ""

    @property
    def limited(self) -> bool:
        """Whether a budget was spent before all documents were read."""
        return bool(self.partial)

    def marked_partial(self, why: str) -> Built:
        """The same graph, said to be partial."""
        return replace(self, partial=why)

    @property
    def graph(self) -> rdflib.Graph:
        """The facts, without provenance."""
        return self.session.graph

    @property
    def failed(self) -> tuple[Journal, ...]:
        """Documents that could not be read, or not with what was left of a budget."""
        return tuple(journal for journal in self.journals if journal.error)

    def counts(self) -> dict[str, int]:
        """Documents, facts, calls, refusals, repairs and what is left for a person."""
        return {
            "documents": len(self.journals),
            "failed": len(self.failed),
            "resumed": sum(journal.resumed for journal in self.journals),
            "facts": len(self.session.facts),
            "calls": sum(len(journal.acts) for journal in self.journals),
            "refused": sum(journal.refused for journal in self.journals),
            "repaired": sum(journal.repaired for journal in self.journals),
            "repeats": sum(journal.repeats for journal in self.journals),
            "to review": len(self.doubts),
        }

    def save(self, path: str | Path) -> Path:
        """Write the graph: .trig with provenance, .ttl or .jsonld without; whole or not at all."""
        return self.session.save(path)

    def table(self) -> Table:
        """The documents, with what was done to each."""
        columns = [
            Column("document", "document"),
            *(Column(name, name, "number") for name in ("calls", "facts", "refused", "repaired", "to review")),
            Column("note", "note"),
        ]
        left = Counter(doubt.document for doubt in self.doubts)
        rows: list[list[Value]] = [
            [
                one.document, len(one.acts), sum(act.triples for act in one.acts), one.refused, one.repaired,
                left[one.document], one.error or ("taken from the journal" if one.resumed else ""),
            ]
            for one in self.journals
        ]  # fmt: skip
        notes = [f"Partial: {self.partial}"] if self.partial else []
        caption = f"Built with {self.pack.name}: {len(self.session.facts):,} facts"
        return Table(columns, rows, caption=caption, notes=notes)

    def review(self) -> Table:
        """What was left to a person: the call, why it was refused, and where in which document it stands."""
        columns = [Column(n, t) for n, t in (
            ("document", "document"), ("span", "characters"), ("tool", "tool"), ("arguments", "arguments"),
            ("why", "why"),
            ("allowed", "allowed"),
        )]  # fmt: skip
        rows: list[list[Value]] = [
            [
                one.document, f"{one.start}-{one.end}", one.tool, json.dumps(one.arguments, ensure_ascii=False),
                one.reason, ", ".join(dict.fromkeys(a for v in one.violations for a in v.allowed[:5])),
            ]
            for one in self.doubts
        ]  # fmt: skip
        return Table(columns, rows, caption="For a person to decide")

    def violations(self) -> Table:
        """Every refused call with its violations, in order."""
        columns = [Column(n, t) for n, t in (
            ("document", "document"), ("tool", "tool"), ("constraint", "constraint"), ("got", "got"), ("hint", "hint"),
            ("mended", "mended"),
        )]  # fmt: skip
        rows: list[list[Value]] = []
        for journal in self.journals:
            acts = list(journal.acts)
            for at, act in enumerate(acts):
                later = any(other.ok and other.tool == act.tool for other in acts[at + 1 :])
                rows += [
                    [journal.document, act.tool, one.constraint, one.got, one.hint, "yes" if later else "no"]
                    for one in act.violations
                ]
        return Table(columns, rows, caption="Refused, and what became of it")

    def picture(self, title: str = "") -> GraphPicture:
        """The graph as a picture: entities by label and class, literals left out."""
        triples = [triple for triple in self.session.facts if not isinstance(triple[2], Literal)]
        labels = self.session.labels()
        tbox = self.pack.tbox
        kinds = {str(s): str(o) for s, p, o in triples if p.endswith("#type") and not str(o).startswith(RDFS)}

        def name(term: Term) -> str:
            return labels.get(str(term)) or tbox.label(str(term)) if isinstance(term, Iri) else str(term)

        def kind(term: Term) -> str:
            return tbox.label(kinds[str(term)]) if str(term) in kinds else ""

        shown = [triple for triple in triples if not triple[1].endswith("#type")]
        return GraphPicture.of(shown, name=name, kind=kind, title=title or f"Built with {self.pack.name}")

    def __repr__(self) -> str:
        counts = self.counts()
        partial = "partial: " if self.partial else ""
        return f"Built({partial}{', '.join(f'{value:,} {name}' for name, value in counts.items() if value)})"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return self.table()._repr_mimebundle_(include, exclude)
