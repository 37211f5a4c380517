"""The graph construction a notebook is in the middle of: pack, plan, the graph that grows, and its sources."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import Any

from kgnb.agents.agent import OutOfOrder, Task
from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.documents import Document
from kgnb.agents.kg_construction.ground import Grounding
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.session import Session
from kgnb.agents.kg_construction.tool_values import CallResult, Source, ToolSpec
from kgnb.errors import DataError
from kgnb.magics.arguments import LineError
from kgnb.results.table import Column, Table, Value


class BuildingTask(Task):
    """A graph under way: what its stages gave, the session that writes it, and the documents that were read.

    The graph grows over cells: documents read later join those read before, and no stage takes that back.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.session: Session  # whoever compiles sets it
        self.texts: dict[str, str] = {}  # documents that were read, by name

    @property
    def pack(self) -> ToolPack:
        """The compiled tools."""
        pack: ToolPack = self.need("compile")
        return pack

    @property
    def built(self) -> Built:
        """The graph as it is now."""
        built: Built | None = self.values.get("instantiate")
        return built or Built(self.pack, self.session, (), ())

    @property
    def grounding(self) -> Grounding:
        """The links.

        Raises:
            OutOfOrder: nothing has been grounded yet.
        """
        grounding: Grounding | None = self.values.get("ground")
        if grounding is None:
            raise OutOfOrder("nothing has been grounded yet", fix="Run first: %kgc ground REFERENCE")
        return grounding

    def keep(self, stage: str, value: Any) -> Any:
        """Takes a value as that of a stage; links to what a graph was before it grew are dropped."""
        stale = {"compile": ("plan", "instantiate", "ground"), "instantiate": ("ground",)}.get(stage, ())
        self.dropped = tuple(name for name in stale if self.values.pop(name, None) is not None)
        self.values[stage] = value
        self.run.finish()  # a stage run again opens it again
        return value

    def joined(self, built: Built, documents: list[Document]) -> Built:
        """The graph with what was just read; documents read before stay in its journals."""
        earlier, new = self.built, {journal.document for journal in built.journals}
        journals = [one for one in earlier.journals if one.document not in new]
        doubts = [one for one in earlier.doubts if one.document not in new]
        self.texts |= {document.name: document.text for document in documents}
        grown = Built(built.pack, built.session, (*journals, *built.journals), (*doubts, *built.doubts), built.partial)
        self.keep("instantiate", grown)
        return grown

    def call(self, name: str, arguments: dict[str, Any], who: str) -> CallResult:
        """A call a person makes."""
        return self.session.call(name, arguments, Source(f"person:{who or 'notebook'}"))

    def entity(self, item: str) -> str:
        """The IRI that a person means: an IRI, or a label.

        Raises:
            DataError: nothing is called so, or several things are.
        """
        labels = self.session.labels()
        if item in labels or item in self.session.entities():
            return item
        wanted = " ".join(item.split()).casefold()
        found = [iri for iri, label in labels.items() if label.casefold() == wanted]
        if len(found) == 1:
            return found[0]
        near = get_close_matches(item, list(labels.values()), n=3, cutoff=0.4)
        what = f"{len(found)} entities are called {item}" if found else f"nothing in the graph is called {item}"
        fix = f"Say which: {', '.join(found[:5])}" if found else f"Did you mean {', '.join(near)}?" if near else ""
        raise DataError(what, where="", fix=fix)

    def explained(self, item: str) -> Table:
        """Every call about an entity: what it stated, and the words of which document say so."""
        iri = self.entity(item)
        columns = [Column("tool", "call"), Column("arguments", "arguments"), Column("document", "document"),
                   Column("span", "characters"), Column("words", "its words")]  # fmt: skip
        labels = self.session.labels()
        rows: list[list[Value]] = []
        for journal in self.built.journals:
            for act in journal.acts:
                if act.ok and (act.iri == iri or iri in act.arguments.values()):
                    words = self.texts.get(journal.document, "")[act.start : act.end]
                    said = "; ".join(f"{name}: {labels.get(str(of), of)}" for name, of in act.arguments.items())
                    rows.append([act.tool, said, journal.document, f"{act.start}-{act.end}", words[:200]])
        return Table(columns, rows, caption=f"{labels.get(iri, iri)}: where it comes from", notes=[iri])

    def missing(self) -> Table:
        """What is still required, by entity."""
        columns = [Column("entity", "entity"), Column("path", "property"), Column("constraint", "constraint"),
                   Column("got", "there is"), Column("hint", "how to mend it")]  # fmt: skip
        labels = self.session.labels()
        rows: list[list[Value]] = [
            [labels.get(one.focus, one.focus), one.path, one.constraint, one.got, one.hint.replace(of, "")]
            for one in self.session.missing()
            for of in [f" <{one.focus}>"]
        ]
        return Table(columns, rows, caption="Still required" if rows else "Nothing is missing")


def arguments_of(tool: ToolSpec, words: list[str], line: str = "") -> dict[str, Any]:
    """The arguments of a tool from words like ``beds=28``; numbers and truth values as the schema wants them.

    Raises:
        LineError: a word holds no ``=``, or names no argument of the tool.
    """
    known = tool.input_schema["properties"]
    found: dict[str, Any] = {}
    for word in words:
        name, given, value = word.partition("=")
        if not given or name not in known:
            near = get_close_matches(name, known, n=1)
            fix = f"Did you mean {near[0]}? " if near else ""
            raise LineError(
                f"{tool.name} takes no {word!r}", line=line, at=word, fix=f"{fix}It takes {', '.join(known)}."
            )
        found[name] = _typed(value, known[name])
    return found


def _typed(value: str, schema: dict[str, Any]) -> Any:
    """A word as the JSON value a schema asks for; as text where it does not fit, so that the check can say why."""
    kinds = {schema.get("type")} | {inner.get("type") for inner in schema.get("anyOf", ())}
    try:
        if "integer" in kinds and value.lstrip("+-").isdecimal():
            return int(value)
        if "number" in kinds:
            return float(value) if any(c in value for c in ".eE") else int(value)
    except ValueError:
        return value
    if "boolean" in kinds and value in ("true", "false"):
        return value == "true"
    return value


def told(result: CallResult) -> Table:
    """What came of a call, for a person."""
    columns = [Column("what", "what"), Column("detail", "detail")]
    rows: list[list[Value]] = [["written" if result.ok else "refused", result.iri]]
    for one in result.violations:
        allowed = f" (allowed: {', '.join(one.allowed[:8])})" if one.allowed else ""
        what = one.path if one.path == one.constraint else f"{one.path}: {one.constraint}"
        rows.append([what, f"{one.hint}{allowed}"])
    if result.data is not None:
        rows.append(["answer", json.dumps(result.data, ensure_ascii=False, default=str)])
    return Table(columns, rows)
