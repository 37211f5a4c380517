"""Graph construction: its task, and the functions a script calls."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from kgnb.agents.agent import Agent, OutOfOrder
from kgnb.agents.kg_construction import AGENT
from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.compile import MISTAKES
from kgnb.agents.kg_construction.compile import compile as compile_graph
from kgnb.agents.kg_construction.documents import (
    Documents,
    Readable,
    find_documents,
    is_utf8,
    passed_over,
)
from kgnb.agents.kg_construction.examples import Example, read_examples
from kgnb.agents.kg_construction.generic_tools import BUDGET
from kgnb.agents.kg_construction.ground import Grounding, ReferenceNames, label_index
from kgnb.agents.kg_construction.ground import ground as ground_graph
from kgnb.agents.kg_construction.instantiate import Options
from kgnb.agents.kg_construction.instantiate import build_graph as build
from kgnb.agents.kg_construction.options import GroundOptions
from kgnb.agents.kg_construction.outside import look_up_tool, outside_tools
from kgnb.agents.kg_construction.outside_checks import SECONDS, Allow
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.pack_content import ONTOLOGY
from kgnb.agents.kg_construction.readers import CallableReader, ModelReader, PassageTask, Reader
from kgnb.agents.kg_construction.rule_reader import rule_reader
from kgnb.agents.kg_construction.session import ConstructionSession
from kgnb.agents.kg_construction.workspace import Workspace
from kgnb.backends import GraphSource, file_of, open_graph, open_model
from kgnb.errors import ConfigError, DataError
from kgnb.files import Claim, OwnFile, from_json, is_filled
from kgnb.kg.endpoint_graph import EndpointGraph
from kgnb.kg.loading import SUFFIXES, load
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.pushing import push
from kgnb.kg.quads import digest
from kgnb.kg.result_files import inert
from kgnb.llm.model import ChatModel
from kgnb.llm.tools import Tool
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.shapes.phrases import joined
from kgnb.tasks.running import new_run
from kgnb.tasks.task import Task, counted

READERS = ("auto", "rule", "model")


def compile_ontology(
    path_or_graph: GraphSource,
    shapes: GraphSource | None = None,
    *,
    closed_world: bool = True,
    loose_ranges: bool = False,
    derive_types: bool = False,
    only: Sequence[str] = (),
) -> ToolPack:
    """The tools of an ontology: per class find and create, per property add, and inspect, missing,
    finish.

    ``path_or_graph`` is a file, folder or glob of RDF, several of them, an rdflib graph, a kgnb
    Graph, an endpoint's URL or ``huts:NAME``; ``shapes`` likewise, with SHACL core constraints
    (those in the ontology's own file are read, too). ``closed_world=False`` allows required facts
    to be missing; ``loose_ranges=True`` lets object properties without a range take values as well
    as entities; ``derive_types=True`` reads domains and ranges as RDFS does: a fact makes its two
    ends members of them. ``only`` names classes of a large ontology: tools are made for those and
    for the classes they depend on. No model is asked and ``owl:imports`` are not followed.

    Raises:
        DataError: a file is missing or malformed, or shapes cannot be enforced.
        ValueError: a class in ``only`` does not exist.

    Examples:
        >>> pack = compile_ontology("huts:kitchen")
        >>> [tool.name for tool in pack.of_kind("create")][:2]
        ['create_bake', 'create_boil']
    """
    if is_pack(path_or_graph):
        if shapes is not None:
            raise ValueError("shapes are compiled into a pack: give them to kgnb compile")
        return open_pack(Path(path_or_graph))  # type: ignore[arg-type]  # a path, as it is a pack
    graph = open_graph(path_or_graph)
    more = open_graph(shapes) if shapes is not None else None
    return compile_graph(
        graph,
        more,
        closed_world=closed_world,
        loose_ranges=loose_ranges,
        derive_types=derive_types,
        only=tuple(only),
    )


def is_pack(source: object) -> bool:
    """Whether this is a folder that ``kgnb compile`` wrote."""
    return isinstance(source, str | Path) and (Path(source) / "manifest.json").is_file()


def open_pack(folder: Path) -> ToolPack:
    """The pack in a folder that ``kgnb compile`` wrote, compiled again from the ontology in it.

    Raises:
        DataError: the folder is incomplete, was changed, or another version made another pack.
    """
    fix = f"Compile it again: kgnb compile TBOX --out {folder}"
    try:
        manifest = from_json((folder / "manifest.json").read_text(encoding="utf-8"))
        options = {name: manifest.get(name) == "true" for name in ("loose_ranges", "derive_types")}
        closed, content = manifest["closed_world"] == "true", manifest["ontology_sha256"]
        name = str(manifest["name"])
        only = tuple(filter(None, manifest.get("only", "").split(", ")))
        tools = (folder / "tools.json").read_text(encoding="utf-8")
        ontology = (folder / ONTOLOGY).read_bytes()
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise DataError(f"this pack is incomplete: {error!r}", where=folder, fix=fix) from error
    graph = OxigraphGraph(name=name)
    load(graph, folder / ONTOLOGY)
    pack = compile_graph(graph, closed_world=closed, only=only, **options)
    if hashlib.sha256(ontology).hexdigest() != content or pack.tools_json() != tools:
        why = "its files were changed, or another version of kgnb made it"
        raise DataError(f"this pack is not what its ontology gives: {why}", where=folder, fix=fix)
    return pack


def build_graph(
    documents: Documents,
    pack_or_tbox: ToolPack | GraphSource,
    *,
    judge: str | Reader | Callable[[PassageTask, Workspace], object] = "auto",
    shapes: GraphSource | None = None,
    model: ChatModel | None = None,
    options: Options = Options(),
    namespace: str | None = None,
    session: ConstructionSession | None = None,
    folder: str | Path | None = None,
    checked: bool = True,
    outside: Sequence[str | Tool | Callable[..., Any] | Allow] = (),
    extractor: ChatModel | str | None = None,
    examples: str | Path | Iterable[Example] | None = None,
    run: Run | None = None,
    settings: Settings | None = None,
    on_event: Callable[[Any], None] | None = None,
) -> Built:
    """The graph that documents make, written through the tools of an ontology.

    Args:
        documents: files, folders and patterns (text, Markdown, HTML, tables, PDF, Word), Document values,
            or ``{name: text}``.
        pack_or_tbox: a compiled pack, or what ``compile_ontology`` takes.
        judge: who reads: "auto" (the model if one is set, else rule), "rule", "model", a Reader, or
            any function of the task and the workspace.
        shapes: SHACL for a T-Box that is not compiled yet.
        namespace: what the IRIs of new entities begin with.
        session: an open session of the pack to write into; its graph grows.
        folder: where journals are kept: a run that was killed resumes there and asks nothing twice.
        checked: False checks no constraint (for ablations).
        outside: tools of others that the model may ask while it reads: functions (or
            MODULE:FUNCTION), or MCP servers by URL or command line. Their answers are kept in the
            journals.
        extractor: a model (or its name) that first summarises each passage; the other model builds
            from the summary.
        examples: texts with the facts expected from them, or a JSON Lines file of these; a model is
            shown those most like what it reads.

    Raises:
        DataError: an input is missing or malformed. A document that cannot be read is only listed
            in the result.
        ConfigError: a model is asked for and none is set.
        BackendError: the model's server keeps failing.

    Examples:
        >>> note = "Tea\\n\\nHut: Refuge de l'Ambre\\nServes 4\\n"
        >>> build_graph({"note": note}, "huts:kitchen", judge="rule").counts()["documents"]
        1
    """
    inputs = {
        "tbox": pack_or_tbox,
        "documents": documents,
        "shapes": shapes,
        "namespace": namespace,
        "session": session,
        "checked": checked,
        "journals": folder,
        "outside": outside,
        "extractor": extractor,
        "examples": examples,
    }
    return BuildingTask.of(
        AGENT,
        inputs,
        judge=judge,
        model=model,
        options=options,
        run=run,
        settings=settings,
        on_event=on_event,
    ).run_through()


class BuildingTask(Task):
    """A graph in progress: the tools, the session that writes it, and the documents that were read.

    The graph grows: documents read later are added to those read before. One that is read again
    replaces what was read of it.
    """

    judged = False  # its judge reads documents
    opens = {
        "model": lambda task: task.reading_model(),
        "closed_world": lambda task: not task.specs["open_world"],
    }

    def __init__(
        self, agent: Agent, specs: Mapping[str, Any], options: Mapping[str, Any], *more: Any
    ) -> None:
        super().__init__(agent, specs, options, *more)
        if isinstance(self["tbox"], ToolPack):
            self.begin(self["tbox"])

    def open(self) -> dict[str, Any]:
        """The ontology, or the pack made of it, any shapes given beside it, and all else as given."""
        tbox, shapes = self.specs["tbox"], self.specs["shapes"]
        if is_pack(tbox):
            tbox = open_pack(Path(tbox))
        if isinstance(tbox, ToolPack):
            if shapes is not None:
                raise ValueError("shapes are compiled into a pack: give them to kgnb compile")
            return {**self.specs, "tbox": tbox}
        try:
            ontology, shapes = (
                open_graph(self.opener.source(spec)) if spec is not None else None
                for spec in (tbox, shapes)
            )
        except DataError as error:
            if later := _ontologies(self.specs["documents"]):
                error.fix = f"The ontology comes first, then the documents: is {later[0]} it?"
            raise
        return {**self.specs, "tbox": ontology, "shapes": shapes}

    def digests(self) -> dict[str, str]:
        """Digests of the ontology and of the shapes."""
        names = ("tbox", "shapes")
        if isinstance(self["tbox"], ToolPack):
            return {name: self["tbox"].manifest[f"{name}_sha256"][:16] for name in names}
        graphs = {name: self.inputs[name] for name in names}
        return {
            name: digest(graph.triples())[:16] if graph is not None else ""
            for name, graph in graphs.items()
        }

    def reading_model(self) -> ChatModel | None:
        """The model that reads, where the judge may be one."""
        given: ChatModel | None = self.given.get("model")
        if given is not None or self.option("judge") not in ("auto", "model"):
            return given
        return self.opener.model("extract")

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

    def compile(self) -> ToolPack:
        """The tools of the ontology, and a new graph; no step of the run, for what it takes differs
        every time.
        """
        if "compile" not in self.values:
            told = {name: self[name] for name in ("closed_world", "derive_types", "only")}
            self.begin(compile_graph(self["tbox"], self["shapes"], **told))
        if not self.pack.tbox.classes and not self.pack.tbox.properties:
            fix = "TBOX is the file that declares classes and properties; documents come after it."
            where = str(self.specs["tbox"])
            raise DataError("it declares no class or property: is it data?", where=where, fix=fix)
        return self.pack

    def begin(self, pack: ToolPack) -> None:
        """Begins a graph with these tools."""
        begun = {"namespace": self.specs["namespace"]} if self.specs["namespace"] else {}
        given, checked = self.specs["session"], self.specs["checked"]
        store = self._extended() if given is None else None
        self.session: ConstructionSession = given or pack.session(
            **begun, store=store, checked=checked
        )
        self.values = {"compile": pack}

    def _extended(self) -> OxigraphGraph | None:
        """A store with the graph of the file that is to be extended, if one is; a service is asked
        whether it takes updates, before anything is read.
        """
        into = self.specs.get("into")
        if into and _is_address(into):
            EndpointGraph(into, update_url=into).update("INSERT DATA {}")
            return None
        if not into:
            return None
        path = Path(into)
        if path.suffix not in (".trig", ".ttl", ".jsonld") or not path.absolute().parent.is_dir():
            raise DataError(
                "a graph is extended in a .trig, .ttl or .jsonld file, in a folder that exists",
                where=path,
                fix="Name such a file, or the URL of a service's updates.",
            )
        store = OxigraphGraph()
        self._into = OwnFile(path)
        if is_filled(path):
            load(store, path)
        return store

    def _extend(self) -> None:
        """Writes the graph into the file, or adds it to the service, that it is to extend."""
        into = self.specs.get("into")
        if into and _is_address(into):
            push(self.session.content(), EndpointGraph(into, update_url=into))
        elif into:
            with Claim(Path(into), again=True):
                self._into.set_aside()
                self.session.save(into)
                self._into.note()

    def keep(self, stage: str, value: Any) -> Any:
        """Sets the value of a stage; when the graph changes, its links are dropped."""
        if stage == "compile":
            self.begin(value)
        self.dropped = (
            ("ground",)
            if stage == "instantiate" and self.values.pop("ground", None) is not None
            else ()
        )
        self.values[stage] = value
        if self.opener.run is None:
            self.run.finish()  # a later stage opens it again
        return value

    def check(self) -> None:
        """Opens the model, if one is to read."""
        self["model"]

    def run_through(self) -> Built:
        """Compiles the ontology, unless it is a pack, reads the documents, and links the graph to
        the reference, if one is named.
        """
        self.check()
        self.compile()
        with self.ending():
            built = self.read(self.specs["documents"])
            if self.specs["reference"] is not None:
                self.ground(self.specs["reference"])
            return built

    def ground(self, reference: GraphSource, cache: str | Path | None = None) -> Grounding:
        """The links from the graph as it is now to the entities of a reference graph."""
        links = ground(
            self.built,
            self.opener.source(reference),
            options=self["grounding"],
            cache=cache,
            run=self.run,
            settings=self.opener.settings,
        )
        found: Grounding = self.keep("ground", links)
        return found

    @property
    def grounding(self) -> Grounding:
        """The links.

        Raises:
            OutOfOrder: nothing has been grounded yet.
        """
        grounding: Grounding | None = self.values.get("ground")
        if grounding is None:
            raise OutOfOrder(
                "nothing has been grounded yet", fix="Run first: %kgc ground REFERENCE"
            )
        return grounding

    def read(self, documents: Documents) -> Built:
        """The graph with what these documents say; who reads, and with what, is ``given``."""
        found, given, settings = find_documents(_named(documents)), self.specs, self.opener.settings
        options: Options = self["options"]
        reader = make_reader(self.option("judge"), self.pack, self["model"], options)
        extractor = given["extractor"]
        if isinstance(extractor, str):
            extractor = open_model(settings.with_(model=extractor)) if extractor else None
        outside = (*given["outside"], *map(Allow.read, given["allow"]))
        shown = read_examples(given["examples"])
        told = outside or extractor or shown or options.instructions or options.plan
        if told and not isinstance(reader, ModelReader):
            raise ConfigError(
                "outside tools, an extractor, examples, instructions and a plan need a model",
                fix="Set a model (KGNB_MODEL).",
            )
        if given.get("reference") is not None and isinstance(reader, ModelReader):
            outside = (*outside, look_up(self.opener.source(given["reference"]), self.pack))
        kept = given["journals"] or self.opener.folder
        folder = Path(kept) / "journals" if kept else None
        seconds = min(SECONDS, settings.timeout, settings.seconds_limit or SECONDS)
        bounded = outside_tools(outside, budget=options.tool_budget or BUDGET, seconds=seconds)
        with bounded as asked:
            if isinstance(reader, ModelReader):
                notes = self.run.watch(extractor) if extractor else None
                reader = replace(
                    reader,
                    outside=asked or reader.outside,
                    extractor=notes or reader.extractor,
                    examples=shown or reader.examples,
                )
            checked = self.specs["checked"] and not options.unchecked
            self.session.checked = checked
            built = build(
                found,
                self.pack,
                reader,
                options=options,
                session=self.session,
                checked=checked,
                run=self.run,
                folder=folder,
            )
        grown = self.joined(built, found)
        self._extend()
        return grown

    def exported(self) -> Built:
        """The graph as it is now."""
        return self.built

    def left_for_a_person(self) -> str:
        """What reading left open, as CSV; no cell acts as a formula."""
        rows = self.built.review().df()
        text: str = rows.map(lambda cell: inert(cell) if isinstance(cell, str) else cell).to_csv(
            index=False
        )
        return text

    def failed(self) -> list[str]:
        """The documents that could not be read, or not to their end, and why."""
        said = [(one.document, one.error or one.stopped) for one in self.built.journals]
        # what went wrong with a file names it
        return [
            why if name in why.partition(": ")[0] else f"{name}: {why}" for name, why in said if why
        ]

    def summary(self) -> list[str]:
        """What was read and written, which documents gave nothing, mistakes in the ontology."""
        always = ("documents", "facts")
        counts = self.built.counts()
        said = {name: value for name, value in counts.items() if value or name in always}
        lines = [counted(said)]
        if (links := self.values.get("ground")) is not None:
            lines.append(counted(links.counts()))
        return [*lines, *self._silent(), *mistakes(self.pack, str(self.specs["tbox"]))]

    def _silent(self) -> list[str]:
        """Which documents led to no facts, or to a name only, and why that may be."""
        read = [one for one in self.built.journals if not one.error]
        kinds = {
            one.document: {act.tool.partition("_")[0] for act in one.acts if act.writes}
            for one in read
        }
        bare = {
            "nothing": [name for name, tools in kinds.items() if not tools],
            "only a name": [name for name, tools in kinds.items() if tools == {"create"}],
        }
        lines = [
            f"{what} was read in {joined(names, 20, 'and')}"
            for what, names in bare.items()
            if names
        ]
        if lines and any(one.reader.startswith("rule") for one in self.built.journals):
            lines[-1] += (
                ": without a model, only tables, lists and 'key: value' in the ontology's words are "
                "read"
            )
        silent = {name for names in bare.values() for name in names}
        documents = find_documents(_named(self.specs["documents"] or ()))
        odd = [one.name for one in documents if one.name in silent and not is_utf8(one)]
        if odd:
            lines.append(f"not in UTF-8, so read as Windows-1252: {joined(odd, 20, 'and')}")
        if others := passed_over(_named(self.specs["documents"] or ())):
            lines.append(f"passed over, for they are no documents that can be read: {others}")
        return lines

    def joined(self, built: Built, read: Sequence[Readable]) -> Built:
        """The graph with what was just ``read``; its journals also keep the documents read before."""
        earlier = self.built
        # a document that could not be read again keeps what was read of it before
        read_before = {one.document for one in earlier.journals if one.acts}
        lost = {
            one.document: f"kept from before; read again, {one.error}"
            for one in built.journals
            if one.error and not one.acts and one.document in read_before
        }
        new = {journal.document for journal in built.journals}
        journals = [
            replace(one, error=lost.get(one.document, one.error))
            for one in earlier.journals
            if one.document not in new or one.document in lost
        ]
        doubts = [one for one in earlier.doubts if one.document not in new - lost.keys()]
        grown = Built(
            built.pack,
            built.session,
            (*journals, *(one for one in built.journals if one.document not in lost)),
            (*doubts, *built.doubts),
            built.partial,
        )
        found: Built = self.keep("instantiate", grown)
        return found


def mistakes(pack: ToolPack, source: str) -> list[str]:
    """Mistakes in the ontology's own shapes, and an ontology without content."""
    return [
        f"{source}: {' '.join(filter(None, [one.about, one.text]))}"
        for one in pack.warnings
        if one.kind in MISTAKES or one.kind == "empty ontology"
    ]


def _is_address(spec: object) -> bool:
    return str(spec).startswith(("http://", "https://"))


def make_reader(
    judge: str | Reader | Callable[[PassageTask, Workspace], object],
    pack: ToolPack,
    model: ChatModel | None,
    options: Options = Options(),
) -> Reader:
    """The reader of this name, or the one given.

    Raises:
        ConfigError: a model is asked for and none is set, or a person, who calls the tools in a
            notebook.
        ValueError: there is no reader of this name.
    """
    if not isinstance(judge, str):
        return judge if hasattr(judge, "read") else CallableReader(judge)  # type: ignore[return-value]
    if judge == "person":
        fix = "In a notebook: %kgc call TOOL --fill shows a tool's form; %kgc missing says what is still required."
        raise ConfigError("a person reads by calling the tools", fix=fix)
    if judge not in READERS:
        raise ValueError(
            f"there is no judge {judge!r}; there are {', '.join(READERS)}, and person in a notebook"
        )
    if judge == "model" and model is None:
        raise ConfigError(
            "no model is set", fix="Set KGNB_MODEL (and KGNB_BASE_URL), or use the judge rule."
        )
    if judge == "rule" or model is None:
        return rule_reader(pack)
    return ModelReader(model, calls=options.calls)


def ground(
    graph: GraphSource | Built,
    reference: GraphSource,
    *,
    options: GroundOptions = GroundOptions(),
    schema: GraphSource | None = None,
    predicates: tuple[str, ...] = (),
    decisions: Mapping[str, str | None] | None = None,
    cache: str | Path | None = None,
    run: Run | None = None,
    settings: Settings | None = None,
    on_event: Callable[[Any], None] | None = None,
) -> Grounding:
    """The links from the entities of a graph to those of a reference graph or endpoint.

    Args:
        graph: what ``build_graph`` returned, or any graph.
        reference: the graph or endpoint whose IRIs are wanted.
        schema: says with its ``rdfs:subClassOf`` which classes fit; that of a built graph is known.
        predicates: IRIs of the properties that hold names; the usual ones by default.
        decisions: what a person decided: an entity's IRI, and the IRI it is linked to or None.
        cache: a folder where the names of an endpoint are kept.

    Raises:
        DataError: a graph is missing or malformed.
        BackendError: the endpoint keeps failing.

    Examples:
        >>> built = build_graph({"note": "Tea\\n\\nHut: Refuge de l'Ambre\\n"}, "huts:kitchen", judge="rule")
        >>> [(link.label, link.outcome, link.target) for link in ground(built, "huts:pantry").links]
        [("Refuge de l'Ambre", 'exact', 'http://huts.example/id/refuge-de-l-ambre'), ('Tea', 'none', '')]
    """
    more = [open_graph(schema)] if schema is not None else []
    if isinstance(graph, Built):
        more.append(open_graph(graph.pack.subclasses()))
        graph = graph.graph
    mine, theirs = open_graph(graph), open_graph(reference)
    noting = run or new_run(
        "kg_construction", {}, settings=settings or Settings.load(), on_event=on_event
    )
    with noting if run is None else nullcontext():
        return noting.do(
            ground_graph,
            mine,
            noting.watch_graph(theirs),
            options,
            schema=more,
            predicates=predicates,
            decisions=decisions,
            cache=Path(cache) if cache is not None else None,
            on_page=lambda rows: noting.progress(rows, None, "labels"),
        )


def look_up(
    reference: GraphSource, pack: ToolPack, options: GroundOptions = GroundOptions()
) -> Tool:
    """A tool that looks a name up in a reference graph: for ``build_graph(outside=...)`` and
    servers.
    """
    theirs = open_graph(reference)
    schema = [theirs, open_graph(pack.subclasses())]
    return look_up_tool(ReferenceNames(label_index(theirs, page=options.page), options, schema))


def _ontologies(documents: Documents | None) -> list[str]:
    """Those among the documents that are named as RDF files are."""
    given = documents if isinstance(documents, list | tuple) else [documents]
    paths = [Path(one) for one in given if isinstance(one, str | Path)]
    return [str(path) for path in paths if path.suffix.lower() in SUFFIXES]


def _named(documents: Documents) -> Documents:
    """The documents, with the paths of ``huts:NAME``."""
    if isinstance(documents, str):
        return file_of(documents)
    if isinstance(documents, list | tuple):
        return [file_of(one) if isinstance(one, str) else one for one in documents]
    return documents
