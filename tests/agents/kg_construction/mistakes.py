"""A scripted reader that knows what a document says and makes the mistakes the paper reports: a simulation, no model.

Wrong units, missing step numbers, facts about things not created yet, invented IRIs, things created twice. It mends
what it is told is wrong, and only that; so with feedback off its mistakes stay. It shows the tools at work, no model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rdflib import RDF, RDFS, Graph, Literal, URIRef
from rdflib.term import Node

from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.readers import Task
from kgnb.agents.kg_construction.tool_values import ToolSpec
from kgnb.agents.kg_construction.workspace import Workspace
from kgnb.shapes.units import OM

_VALUE, _NUMBER, _UNIT = (URIRef(f"{OM}{name}") for name in ("hasValue", "hasNumericalValue", "hasUnit"))
_WRONG = {"degree Celsius": "C!", "minute": "minutess", "hour": "hrs."}


@dataclass
class MistakenReader:
    """Reads each document as its reference graph has it, every ``every``-th call of a kind wrong at first."""

    references: Mapping[str, Graph]
    every: int = 3
    name: str = "scripted with typical mistakes (simulation)"
    made: dict[str, int] = field(default_factory=dict)
    mended: dict[str, int] = field(default_factory=dict)

    def read(self, task: Task, workspace: Workspace) -> None:
        """Writes the document's reference in the last step, mistakes included."""
        if task.last and task.passage.document in self.references:
            _Writing(self, task, workspace, self.references[task.passage.document]).write()


class _Writing:
    def __init__(self, reader: MistakenReader, task: Task, workspace: Workspace, graph: Graph) -> None:
        self.reader, self.task, self.workspace, self.graph = reader, task, workspace, graph
        self.pack: ToolPack = task.pack
        self.creators = {tool.term: tool for tool in self.pack.of_kind("create")}
        self.adders = {tool.term: tool for tool in self.pack.of_kind("add")}
        self.iris: dict[Node, str] = {}
        self.seen: dict[str, int] = {}
        self.left_out: list[tuple[Node, Node, Literal]] = []

    def write(self) -> None:
        entities = [(s, self.creators[str(c)]) for s, c in sorted(self.graph.subject_objects(RDF.type))
                    if str(c) in self.creators and str(c) != f"{OM}Measure"]  # fmt: skip
        pointed = {o for _, p, o in self.graph if p not in (RDF.type,)}
        owned = self.pack.dependent
        for entity, tool in sorted(
            entities, key=lambda one: (bool(owned(one[1].term)), one[0] in pointed, str(one[0]))
        ):
            self._create(entity, tool)
        for subject, predicate, value in sorted(self.graph):
            if str(predicate) in self.adders and subject in self.iris and predicate not in (_VALUE, _NUMBER, _UNIT):
                self._add(subject, predicate, value)
        self._complete()

    def _wrong(self, kind: str) -> bool:
        """Whether it is time for a mistake of this kind."""
        self.seen[kind] = self.seen.get(kind, 0) + 1
        if self.seen[kind] % self.reader.every == 1:
            self.reader.made[kind] = self.reader.made.get(kind, 0) + 1
            return True
        return False

    def _call(self, tool: ToolSpec, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What the reader is told of a call: with feedback off that is not why it was refused."""
        result = self.workspace.call(tool.name, arguments, self.task.passage)
        if self.workspace.feedback:
            return result.as_json()
        return {"received": True} | ({"iri": result.iri} if result.ok and result.iri else {})

    def _create(self, entity: Node, tool: ToolSpec) -> None:
        arguments: dict[str, Any] = {"label": self._label(entity)}
        truth: dict[str, Any] = {}
        if tool.term in self.pack.quantities:
            measure = self.graph.value(entity, _VALUE)
            arguments = {"value": _number(self.graph.value(measure, _NUMBER)), "unit": self._unit(measure)}
            if self._wrong("wrong unit"):
                truth["unit"], arguments["unit"] = arguments["unit"], _WRONG.get(str(arguments["unit"]), "units")
        else:
            owners = {s for s in self.graph.subjects(None, entity) if s in self.iris}
            named = any(isinstance(o, Literal) and str(o) == arguments["label"]
                        for p, o in self.graph.predicate_objects(entity) if p != RDFS.label)  # fmt: skip
            if len(owners) == 1 and (
                self.pack.dependent(tool.term) or not named
            ):  # a part: its name alone does not tell it from others
                arguments["within"] = self.iris[next(iter(owners))]
            if self._wrong("created twice") and "within" not in arguments:
                self._call(tool, {**arguments, "label": f" {arguments['label'].upper()}  "})
        told = self._mended(tool, arguments, truth, "wrong unit")
        if told.get("iri"):
            self.iris[entity] = told["iri"]

    def _mended(self, tool: ToolSpec, arguments: dict[str, Any], truth: Mapping[str, Any], kind: str) -> dict[str, Any]:
        """Calls, and once again with the truth where what is told names what was wrong."""
        told = self._call(tool, arguments)
        named = {one["path"] for one in told.get("violations", ())}
        if named and truth:
            told = self._call(tool, {**arguments, **truth})
            self.reader.mended[kind] = self.reader.mended.get(kind, 0) + bool(told.get("ok"))
        return told

    def _add(self, subject: Node, predicate: Node, value: Node) -> None:
        tool = self.adders[str(predicate)]
        if isinstance(value, Literal):
            plain = value.toPython()
            if isinstance(plain, int) and not isinstance(plain, bool) and self._wrong("missing number"):
                self.left_out.append((subject, predicate, value))
                return
            said = plain if isinstance(plain, bool) else _number(value) if _is_number(plain) else str(value)
            self._call(tool, {"subject": self.iris[subject], "value": said})
            return
        true = self.iris.get(value) or str(value)
        if true not in self.iris.values() and true not in self.pack.tbox.individuals:
            return
        arguments, truth = {"subject": self.iris[subject], "object": true}, dict[str, Any]()
        if self._wrong("invented IRI"):
            truth = {"object": true}
            arguments["object"] = f"{self.workspace.session.namespace}invented/{len(self.seen)}"
        self._mended(tool, arguments, truth, "invented IRI")

    def _complete(self) -> None:
        """States what it left out, if it is told that something is missing."""
        told = self._call(self.pack.tool("missing"), {})
        wanting = {(one["entity"], one["path"]) for one in told.get("data") or ()}
        for subject, predicate, value in self.left_out:
            tool = self.adders[str(predicate)]
            if any(entity == self.iris[subject] and tool.label in path for entity, path in wanting):
                done = self._call(tool, {"subject": self.iris[subject], "value": _number(value)})
                self.reader.mended["missing number"] = self.reader.mended.get("missing number", 0) + bool(
                    done.get("ok")
                )

    def _label(self, entity: Node) -> str:
        label = self.graph.value(entity, RDFS.label)
        texts = sorted(str(o) for o in self.graph.objects(entity) if isinstance(o, Literal) and o.datatype is None)
        plain = [text for text in texts if any(c.isalpha() for c in text)]
        return str(label) if label else max(plain, key=len, default="") if plain else str(entity).rsplit("/", 1)[-1]

    def _unit(self, measure: Node | None) -> str:
        return self.pack.tbox.label(str(self.graph.value(measure, _UNIT)))


def _is_number(value: object) -> bool:
    return not isinstance(value, bool | str) and hasattr(value, "__float__")


def _number(value: Node | None) -> float | int:
    number = float(str(value))
    return int(number) if number == int(number) else number
