"""The result of building: the graph, the journal of each document, and what was left to a person."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.tool_values import Source, ToolAnswer
from kgnb.agents.kg_construction.workspace import Act, Doubt, about
from kgnb.errors import Damaged, DataError, NotKept
from kgnb.files import from_json, make_private, refuse_link, write_whole
from kgnb.kg.terms import RDFS, Iri, Literal, Term
from kgnb.results.bundle import count
from kgnb.results.graph import GraphPicture
from kgnb.results.interchange import network_of
from kgnb.results.table import Table, Tabled, Value, numbers, texts

if TYPE_CHECKING:
    import networkx
    import rdflib

    from kgnb.agents.kg_construction.session import ConstructionSession


@dataclass(frozen=True)
class Built(Tabled):
    """A built graph. ``partial`` says why it is partial: a budget was spent before all documents
    were read.
    """

    pack: ToolPack
    session: ConstructionSession
    journals: tuple[Journal, ...]
    doubts: tuple[Doubt, ...]
    partial: str = ""

    def marked_partial(self, why: str) -> Built:
        """The same graph, marked as partial."""
        return replace(self, partial=why)

    @property
    def graph(self) -> rdflib.Graph:
        """The facts, without provenance."""
        return self.session.graph

    def networkx(self) -> networkx.MultiDiGraph:
        """The facts as a networkx graph, with labels."""
        return network_of(self.session.facts, self.session.labels())

    @property
    def failed(self) -> tuple[Journal, ...]:
        """Documents that could not be read, or not within the budget."""
        return tuple(journal for journal in self.journals if journal.error)

    def counts(self) -> dict[str, int]:
        """Documents, facts, calls, refusals, repairs and what was left to a person."""
        return {
            "documents": len(self.journals),
            "failed": len(self.failed),
            "stopped": sum(bool(journal.stopped) for journal in self.journals),
            "resumed": sum(journal.resumed for journal in self.journals),
            "facts": len(self.session.facts),
            "calls": sum(len(journal.acts) for journal in self.journals),
            "refused": sum(journal.refused for journal in self.journals),
            "repaired": sum(journal.repaired for journal in self.journals),
            "repeats": sum(journal.repeats for journal in self.journals),
            "to review": len(self.doubts),
        }

    def save(self, path: str | Path) -> Path:
        """Write the graph: .trig with provenance, .ttl or .jsonld without; atomically."""
        return self.session.save(path)

    def table(self) -> Table:
        """The documents, with counts of calls and facts."""
        counted = ("calls", "facts", "refused", "repaired", "to review")
        columns = (
            texts(document="document")
            + numbers(**{name: name for name in counted})
            + texts(note="note")
        )
        left = Counter(doubt.document for doubt in self.doubts)
        stated = [sum(act.triples for act in one.acts) for one in self.journals]
        rows: list[list[Value]] = [
            [
                one.document,
                len(one.acts),
                facts,
                one.refused,
                one.repaired,
                left[one.document],
                one.error or one.stopped or ("taken from the journal" if one.resumed else ""),
            ]
            for one, facts in zip(self.journals, stated, strict=True)
        ]
        notes = [f"Partial: {self.partial}"] if self.partial else []
        notes += [
            f"{sum(stated):,} by document: what several of them state counts in each, what was there "
            "before, and the types and names that the ontology gives, in none."
        ] * (sum(stated) != len(self.session.facts))
        if not self.session.facts and any(one.reader.startswith("rule") for one in self.journals):
            notes += [
                "Without a model only notes with a form are read: keys, headings, lists. "
                "For plain sentences choose a model: %llm use, or KGNB_MODEL."
            ]
        caption = f"Built with {self.pack.name}: {count(len(self.session.facts), 'fact')}"
        return Table(columns, rows, caption=caption, notes=notes)

    def review(self) -> Table:
        """What was left to a person: the call, why it was refused, and its place in the document."""
        columns = texts(
            document="document",
            span="characters",
            tool="tool",
            arguments="arguments",
            why="why",
            allowed="allowed",
        )
        labels = self.session.labels()

        def named(value: Any) -> str:
            return (
                labels.get(value, value)
                if isinstance(value, str)
                else json.dumps(value, ensure_ascii=False)
            )

        rows: list[list[Value]] = [
            [
                one.document,
                f"{one.start}-{one.end}",
                one.tool,
                "; ".join(f"{name}: {named(value)}" for name, value in one.arguments.items()),
                one.reason.replace(f" <{one.arguments.get('iri')}>", ""),
                ", ".join(dict.fromkeys(a for v in one.violations for a in v.allowed[:5])),
            ]
            for one in self.doubts
        ]
        return Table(columns, rows, caption="For a person to decide")

    def violations(self) -> Table:
        """Every refused call with its violations, in order."""
        names = ("document", "tool", "constraint", "got", "hint", "mended")
        columns = texts(**{name: name for name in names})
        rows: list[list[Value]] = []
        for journal in self.journals:
            left = {*map(about, journal.doubts)}
            rows += [
                [
                    journal.document,
                    act.tool,
                    one.constraint,
                    one.got,
                    one.hint,
                    "no" if about(act) in left else "yes",
                ]
                for act in journal.acts
                for one in act.violations
            ]
        return Table(columns, rows, caption="Refused, and what became of it")

    def picture(self, title: str = "") -> GraphPicture:
        """The graph as a picture: entities by label and class, literals left out."""
        triples = [triple for triple in self.session.facts if not isinstance(triple[2], Literal)]
        labels = self.session.labels()
        tbox = self.pack.tbox
        kinds = {
            str(s): str(o)
            for s, p, o in triples
            if p.endswith("#type") and not str(o).startswith(RDFS)
        }

        def name(term: Term) -> str:
            return (
                labels.get(str(term)) or tbox.label(str(term))
                if isinstance(term, Iri)
                else str(term)
            )

        def kind(term: Term) -> str:
            return tbox.label(kinds[str(term)]) if str(term) in kinds else ""

        shown = [triple for triple in triples if not triple[1].endswith("#type")]
        return GraphPicture.of(
            shown, name=name, kind=kind, title=title or f"Built with {self.pack.name}"
        )

    def __repr__(self) -> str:
        counts = self.counts()
        partial = "partial: " if self.partial else ""
        return f"Built({partial}{', '.join(f'{value:,} {name}' for name, value in counts.items() if value)})"


VERSION = 2


@dataclass(frozen=True)
class Journal:
    """All calls for one document, in order, and what was left to a person. ``error`` says why there
    are none.
    """

    document: str
    digest: str  # of the document
    key: str  # a digest of everything that decides what a reader does
    reader: str
    acts: tuple[Act, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    repaired: int = 0
    repeats: int = 0
    notes: tuple[str, ...] = ()
    error: str = ""
    resumed: bool = False
    answers: tuple[ToolAnswer, ...] = ()  # of outside tools
    shared: bool = False  # it was read together with others; they have the same key
    stopped: str = ""  # why the reading of a passage ended early; what was written is kept

    def source(self, act: Act) -> Source:
        """Where a call was read: characters of the document, or an outside tool's answer."""
        answer = None if act.answered is None else self.answers[act.answered]
        return Source(self.document, act.start, act.end, answer)

    @property
    def refused(self) -> int:
        """Calls that were refused."""
        return sum(not act.ok for act in self.acts)


@cache
def _journal() -> TypeAdapter[Journal]:
    return TypeAdapter(Journal)  # made on first use: it takes time


def journal_key(parts: Mapping[str, Any]) -> str:
    """A digest of everything that decides what a reader does with a document."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def journal_file(folder: Path, document: str) -> Path:
    """The file of a document's journal: a readable name, made unique by a digest."""
    plain = (
        "".join(c if c.isalnum() or c in "-_." else "-" for c in document)[:60].strip(".")
        or "document"
    )
    return folder / f"{plain}-{hashlib.sha256(document.encode()).hexdigest()[:10]}.json"


def write_journal(folder: Path, journal: Journal) -> None:
    """Write a journal atomically; warns NotKept where that fails, for the run can do without it."""
    make_private(folder)
    left_out = {"error", "resumed", "stopped"}
    left_out |= {name for name in ("notes", "answers") if not getattr(journal, name)}
    fields = {"version": VERSION, **_journal().dump_python(journal, exclude=left_out)}
    signed = {**fields, "digest": _digest(fields)}
    text = json.dumps(signed, ensure_ascii=False, indent=1) + "\n"
    path = journal_file(folder, journal.document)
    try:
        refuse_link(path)
        write_whole(path, text, lasting=True)
    except DataError as error:
        warnings.warn(
            f"the journal of {journal.document} cannot be saved: {error.what}",
            NotKept,
            stacklevel=2,
        )


def _digest(fields: Mapping[str, Any]) -> str:
    """Of all that a journal says: one that was edited is not what was read of the document."""
    plain = {name: value for name, value in fields.items() if name != "digest"}
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def calls_by_document(folder: Path) -> dict[str, set[str]]:
    """The names of the tools that wrote something, by document, of the journals in a folder.

    Raises:
        DataError: there is no journal in it.
    """
    found: dict[str, set[str]] = {}
    for path in sorted(folder.rglob("*.json")):
        try:
            content = from_json(path.read_text(encoding="utf-8"))
            if content.get("version") == VERSION:
                journal = _journal().validate_python(content)
                found[journal.document] = {act.tool for act in journal.acts if act.writes}
        except (OSError, ValueError, AttributeError):
            continue
    if not found:
        fix = "Name the folder that was given to kgnb build as --run or --folder."
        raise DataError("there are no journals in it", where=str(folder), fix=fix)
    return found


def read_journal(folder: Path, document: str, key: str) -> Journal | None:
    """The journal of a document, if there is one made by the same reader, pack and options; else
    None. One that was changed since it was written warns, and does not count.
    """
    path = journal_file(folder, document)
    try:
        found = from_json(path.read_text(encoding="utf-8"))
        if found["key"] != key or found["version"] != VERSION:
            return None
        # of another document it would take back what was read of that one
        if found["digest"] != _digest(found) or found["document"] != document:
            warnings.warn(
                f"{path} was changed after it was written: {document} is read again",
                Damaged,
                stacklevel=2,
            )
            return None
        return replace(_journal().validate_python(found), resumed=True)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # missing or damaged: the document is read again
