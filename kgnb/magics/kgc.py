"""``%kgc``: compile an ontology into tools and build a graph with them, one stage per cell."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from kgnb.agents.kg_construction import AGENT
from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.documents import Readable, read_document
from kgnb.agents.kg_construction.ground import Grounding
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.plan import LONG, Plan
from kgnb.agents.kg_construction.session import ConstructionSession
from kgnb.agents.kg_construction.tool_values import CallResult, Source, ToolDefinition
from kgnb.backends import file_of
from kgnb.datasets import huts
from kgnb.errors import DataError, nearest
from kgnb.files import from_json, no_file, write_whole
from kgnb.judging import Decisions
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.prefixes import shorten
from kgnb.kg.terms import local_name
from kgnb.magics.agent import AgentMagics, agent_verb
from kgnb.magics.arguments import LineError, argument, quote
from kgnb.magics.names import entity_called
from kgnb.magics.open_questions import OF_GRAPHS, decide_graph, queue_of_graph
from kgnb.magics.progress import summary
from kgnb.magics.reviewing import Queue, answers_to
from kgnb.magics.session import NamedGraph
from kgnb.magics.verbs import verb
from kgnb.reporting.kg_construction import (
    entity_records,
    records,
    reference_graph,
    score_table,
    scored,
)
from kgnb.results.bundle import count
from kgnb.results.table import Table, TableRows, texts
from kgnb.tasks.building import BuildingTask
from kgnb.widgets.form import Form, tool_controls

BUILT = "built"  # the name under which the graph is open, to be queried


class GraphInCells(BuildingTask):
    """A graph in progress that a person may change and look into."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.before: ConstructionSession | None = None  # the graph that this one replaced
        self.texts: dict[str, str] = {}  # documents that were read, by name

    def joined(self, built: Built, read: Sequence[Readable]) -> Built:
        """The graph with what was just read; its documents' texts are kept, to be quoted."""
        failed = {journal.document for journal in built.failed}
        self.texts |= {one.name: read_document(one).text for one in read if one.name not in failed}
        return super().joined(built, read)

    def call(self, name: str, arguments: dict[str, Any], who: str) -> CallResult:
        """A call a person makes."""
        return self.session.call(name, arguments, Source(f"person:{who or 'notebook'}"))

    def explained(self, item: str) -> Table:
        """Every call about an entity: what it stated, and the words of the document behind it."""
        labels = self.session.labels()
        iris = sorted({*self.session.entities(), *labels})
        prefixes = self.pack.tbox.ontology.prefixes
        short = [shorten(iri, prefixes) for iri in iris]
        names = short, map(local_name, iris), [labels.get(iri, "") for iri in iris]
        iri = entity_called(item, iris, *names, where="the graph", listing="%kgc picture")
        columns = texts(
            tool="call", arguments="arguments", source="source", span="characters", words="text"
        )
        rows: TableRows = []
        for origin in self.session.origins(iri):
            call, said = self._call(origin.call, labels)
            span = "" if origin.start is None else f"{origin.start}-{origin.end}"
            words = self.texts.get(origin.source, "")[origin.start : origin.end] if span else ""
            rows.append([call, said, origin.source, span, (words or origin.answer)[:200]])
        if not rows:
            rows.append(["none", "", "the graph it was read from, or the ontology", "", ""])
        return Table(
            columns, rows, caption=f"{labels.get(iri, iri)}: where it comes from", notes=[iri]
        )

    @staticmethod
    def _call(said: str, labels: Mapping[str, str]) -> tuple[str, str]:
        """The tool of a call and its arguments, with labels for IRIs."""
        tool, _, written = said.partition(" ")
        try:
            arguments = from_json(written)
        except ValueError:
            return said, ""
        shown = (f"{name}: {labels.get(str(value), value)}" for name, value in arguments.items())
        return tool, "; ".join(shown)

    def missing(self) -> Table:
        """What is still required, by entity."""
        columns = texts(
            entity="entity",
            path="property",
            constraint="constraint",
            got="found",
            hint="how to fix it",
        )
        labels = self.session.labels()
        rows: TableRows = [
            [
                labels.get(one.focus, one.focus),
                one.path,
                one.constraint,
                one.got,
                one.hint.replace(f" <{one.focus}>", ""),
            ]
            for one in self.session.missing()
        ]
        return Table(columns, rows, caption="Still required" if rows else "Nothing is missing")


def arguments_of(tool: ToolDefinition, words: list[str]) -> dict[str, Any]:
    """The arguments of a tool from words like ``beds=28``; numbers and booleans as its schema asks
    for.

    Raises:
        LineError: a word has no ``=``, or does not name an argument of the tool.
    """
    known = tool.input_schema["properties"]
    found: dict[str, Any] = {}
    for word in words:
        name, given, value = word.partition("=")
        if not given or name not in known:
            fix = f"{nearest(name, known)} It takes {', '.join(known)}.".lstrip()
            raise LineError(f"{tool.name} does not take {word!r}", fix=fix)
        found[name] = typed(value, known[name])
    return found


def typed(text: str, schema: Mapping[str, Any]) -> Any:
    """Text as the number or boolean a schema asks for; unchanged if it is neither, so that the
    check can say why.
    """
    kinds = {schema.get("type")} | {inner.get("type") for inner in schema.get("anyOf", ())}
    if kinds & {"integer", "number"}:
        for kind in (int, float):
            with suppress(ValueError):
                return kind(text)
    return text == "true" if "boolean" in kinds and text in ("true", "false") else text


def shown(result: CallResult) -> Table:
    """The result of a call, for a person."""
    rows: TableRows = [["written" if result.ok else "refused", result.iri]]
    for one in result.violations:
        allowed = f" (allowed: {', '.join(one.allowed[:8])})" if one.allowed else ""
        what = one.path if one.path == one.constraint else f"{one.path}: {one.constraint}"
        rows.append([what, f"{one.hint}{allowed}"])
    if result.data is not None:
        rows.append(["answer", json.dumps(result.data, ensure_ascii=False, default=str)])
    return Table(texts(what="what", detail="detail"), rows)


class KgcMagics(AgentMagics[GraphInCells], agent=AGENT):
    """The ``%kgc`` magic: its graph grows over cells, and a person may call its tools."""

    in_cells = GraphInCells
    nothing_yet = "no ontology has been compiled yet"

    @agent_verb(
        AGENT, "compile", "%kgc compile kitchen.ttl --shapes rules.ttl", "%kgc compile huts:kitchen"
    )
    def _compile(self, arguments: argparse.Namespace) -> ToolPack:
        earlier = self.task
        task = self.new_task(arguments)
        pack: ToolPack = task.do("compile")
        self.session.tasks[AGENT.name] = task
        if isinstance(earlier, GraphInCells):
            facts = len(earlier.session.facts)
            task.before = earlier.session if facts else earlier.before
            if facts:
                print(
                    f"This starts a new graph; the {count(facts, 'fact')} of the previous one are kept until another "
                    "replaces it: %kgc export FILE --before"
                )
        return pack

    def first_line(self) -> str:
        """The line to start with."""
        return "%kgc compile TBOX"

    @agent_verb(AGENT, "plan", "%kgc plan", "%kgc plan --steps")
    @argument(
        "--steps",
        action="store_true",
        help="a tool for each class and property, in steps, whatever the size",
    )
    def _plan(self, arguments: argparse.Namespace) -> Plan:
        task = self.current_task(arguments)
        steps: dict[str, Any] = (
            {"longest": LONG, "most_steps": sys.maxsize} if arguments.steps else {}
        )
        made: Plan = task.do("plan", **steps)
        print(summary(task.run.steps[-1]))
        return made

    @agent_verb(
        AGENT,
        "instantiate",
        "%kgc instantiate notes/",
        "%kgc instantiate huts:kitchen-notes --judge rule",
    )
    def _instantiate(self, arguments: argparse.Namespace) -> Built:
        task = self.current_task(arguments)
        self.take("instantiate", arguments, task)
        task.choose({"judge": getattr(arguments, "judge", "auto")})
        with self.progress() as progress:
            built = task.read(
                [str(one) if isinstance(one, str) else one for one in arguments.documents]
            )
            progress.say(summary(task.run.steps[-1]))
        self._open_built(task)
        return built

    def _open_built(self, task: GraphInCells) -> None:
        """Opens the graph as it is now under the name ``built``, with its ontology for the labels."""
        facts, ontology = task.session.facts, self.session.graph_of(task.specs["tbox"])
        graph = OxigraphGraph(name=BUILT)
        graph.add(facts)
        graph.add(ontology.triples() if ontology is not None else ())
        before = self.session.graphs.get(BUILT)
        if before is not None and not before.origin.startswith("%kgc"):
            return  # somebody's own graph has that name
        self.session.graphs[BUILT] = NamedGraph(
            BUILT, graph, f"%kgc: {count(len(facts), 'fact')}, and the ontology"
        )
        self.session.current = self.session.current or BUILT

    @agent_verb(
        AGENT,
        "ground",
        "%kgc ground huts:pantry",
        "%kgc ground https://example.org/sparql --margin 0.1",
    )
    @argument("--cache", metavar="FOLDER", default=None, help="keep the reference's labels here")
    def _ground(self, arguments: argparse.Namespace) -> Grounding:
        task = self.current_task(arguments)
        found = task.ground(arguments.reference, arguments.cache)
        print(summary(task.run.steps[-1]))
        return found

    @agent_verb(
        AGENT,
        "run",
        "%kgc run notes/ --reference pantry.ttl",
        "%kgc run huts:kitchen-notes --judge rule",
    )
    def run(self, arguments: argparse.Namespace) -> Any:
        """Read all documents, and ground the graph if a reference is given."""
        built = self._instantiate(arguments)
        if arguments.reference:
            arguments.cache = None
            self._ground(arguments)
        return built

    @verb("kgc missing", "%kgc missing")
    def missing(self, arguments: argparse.Namespace) -> Table:
        """Show what the graph still needs to be complete."""
        return self.current_task(arguments).missing()

    @verb("kgc call", "%kgc call create_hut label=Ambre", "%kgc call create_hut --fill")
    @argument("tool", metavar="TOOL", help="a tool of the pack")
    @argument("values", metavar="NAME=VALUE", nargs="*", help="its arguments")
    @argument("--who", metavar="NAME", default="", help="your name, stored with the fact")
    @argument("--fill", action="store_true", help="show a form for the tool's arguments")
    def call_tool(self, arguments: argparse.Namespace) -> Any:
        """Call one tool yourself."""
        task = self.current_task(arguments)
        try:
            tool = task.pack.tool(arguments.tool)
        except KeyError as error:
            raise DataError(str(error.args[0]), fix="%kgc compile lists all tools.") from error
        given = arguments_of(tool, [*map(str, arguments.values)])
        if arguments.fill:
            who = f" --who {quote(arguments.who)}" if arguments.who else ""
            return Form(self, f"call{who} {tool.name}", tool_controls(tool.input_schema, given))
        result = task.call(tool.name, given, arguments.who)
        self._open_built(task)
        return shown(result)

    @verb("kgc evaluate", "%kgc evaluate huts:kitchen-reference")
    @argument("reference", metavar="FILE", help="an RDF file with what the documents say")
    @argument(
        "--legacy", action="store_true", help="score as the paper did: empty and empty is a hit"
    )
    def evaluate(self, arguments: argparse.Namespace) -> Table:
        """Compare the graph with a reference, record by record and slot by slot."""
        task = self.current_task(arguments)
        spec = str(arguments.reference)
        path = Path(file_of(spec))
        if not path.is_file():
            raise no_file(spec, "Name an RDF file.")
        graph, wanted = task.session.graph, reference_graph(path)
        mode = "legacy" if arguments.legacy else "strict"
        ours = "kitchen" in spec and spec.startswith("huts:")
        found = (
            records(graph, wanted, huts.KITCHEN_QUERIES)
            if ours
            else entity_records(graph, wanted, task.pack)
        )
        return score_table(scored(found, mode), f"Against {path.name}, {mode}")  # type: ignore[arg-type]

    @verb("kgc explain", "%kgc explain barley")
    @argument("item", metavar="ITEM", nargs="+", help="an IRI or a label")
    def explain(self, arguments: argparse.Namespace) -> Table:
        """Show where everything about an entity comes from: document, characters, text and call."""
        task = self.current_task(arguments)
        return task.explained(" ".join(map(str, arguments.item)))

    @verb(
        "kgc review",
        "%kgc review",
        "%kgc review --links",
        "%kgc review --accept Ambre 2 --who Ada",
        "%kgc review --reject 2",
    )
    @argument("--links", action="store_true", help="only the links that grounding left open")
    @argument(
        "--violations", action="store_true", help="every refused call, and whether it was corrected"
    )
    @answers_to(OF_GRAPHS, "accept", "reject")
    def review(self, arguments: argparse.Namespace) -> Any:
        """Decide what is left for a person: statements that could not be written, and links."""
        if arguments.violations:
            return self.current_task(arguments).built.violations()
        shown = super().review(arguments)
        decided = arguments.accept or arguments.reject
        return self.apply_decisions() if decided else shown

    def review_queue(self, arguments: argparse.Namespace) -> Queue:
        """What reading and grounding left open."""
        task = self.current_task(arguments)
        queue = queue_of_graph(task)
        if arguments.links:
            unsure = task.grounding.unsure
            return replace(queue, answers=[one for one in queue.answers if one.origin in unsure])
        if not queue.answers and "ground" not in task.values:
            task.need("instantiate")
        return queue

    def apply_decisions(self) -> Any:
        """Writes what people accepted, and takes their links."""
        assert self.task is not None
        value = decide_graph(self.task, Decisions(OF_GRAPHS.file), self.task.call)
        self._open_built(self.task)
        return value

    @verb("kgc picture", "%kgc picture")
    def picture(self, arguments: argparse.Namespace) -> Any:
        """Draw the graph as it is now."""
        return self.current_task(arguments).built.picture()

    @verb(
        "kgc export",
        "%kgc export kitchen.trig",
        "%kgc export links.ttl --links",
        "%kgc export report.ttl --shacl",
    )
    @argument("file", metavar="FILE", help=".trig with provenance, .ttl or .jsonld without")
    @argument("--links", action="store_true", help="the links of grounding as owl:sameAs")
    @argument("--shacl", action="store_true", help="the SHACL report on the graph as it is now")
    @argument(
        "--before", action="store_true", help="the previous graph, which %%kgc compile replaced"
    )
    def export(self, arguments: argparse.Namespace) -> None:
        """Write the graph, its links or its SHACL report to a file."""
        task, path = self.current_task(arguments), Path(arguments.file).expanduser()
        if arguments.links:
            write_whole(path, task.grounding.turtle())
        elif arguments.shacl:
            write_whole(path, task.session.shacl_report()[1])
        else:
            session = (arguments.before and task.before) or task.session
            if not session.facts and path.is_file() and path.stat().st_size:
                fix = "Name another file, or delete this one first."
                kept = (
                    f"%kgc export {path} --before writes the previous graph. "
                    if task.before
                    else ""
                )
                raise DataError(
                    "the graph is empty, but the file is not", where=path, fix=kept + fix
                )
            session.save(path)
            print(f"{count(len(session.facts), 'fact')}: ", end="")
        print(f"wrote {path}")

    def suggestions(self, name: str) -> Sequence[str]:
        """Open graphs and our own data for sources, tools for a tool, labels for an item."""
        task = self.task
        if name in ("tbox", "reference"):
            return (*self.session.graphs, "huts:kitchen", "huts:pantry", "huts:kitchen-reference")
        if name == "documents":
            return ("huts:kitchen-notes",)
        if not isinstance(task, GraphInCells):
            return ()
        if name == "tool":
            return tuple(tool.name for tool in task.pack.tools)
        return tuple(task.session.labels().values())[:200] if name == "item" else ()

    def current_task(self, arguments: argparse.Namespace) -> GraphInCells:
        """The current task, with the options of this line; a run whose budget is spent makes way
        for a new one.
        """
        task = super().current_task(arguments)
        if task.run.limit:
            task.begin_again()
        return task
