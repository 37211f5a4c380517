"""Graph construction for scripts: opens inputs, fills in defaults, runs the pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.compile import compile as compile_graph
from kgnb.agents.kg_construction.documents import Documents, find_documents
from kgnb.agents.kg_construction.examples import Example, read_examples
from kgnb.agents.kg_construction.ground import Grounding, ReferenceNames, label_index
from kgnb.agents.kg_construction.ground import Options as GroundOptions
from kgnb.agents.kg_construction.ground import ground as ground_graph
from kgnb.agents.kg_construction.instantiate import Options as BuildOptions
from kgnb.agents.kg_construction.instantiate import build_graph as build
from kgnb.agents.kg_construction.outside import look_up_tool, outside_tools
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.readers import CallableReader, ModelReader, PassageTask, Reader
from kgnb.agents.kg_construction.rule_reader import rule_reader
from kgnb.agents.kg_construction.session import ConstructionSession
from kgnb.agents.kg_construction.workspace import Workspace
from kgnb.backends import GraphSource, file_of, open_graph, open_model
from kgnb.errors import ConfigError
from kgnb.llm.model import ChatModel
from kgnb.llm.tools import Tool
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.running import answering_model, judge_and_model, within

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
    """The tools of an ontology: per class find and create, per property add, and inspect, missing, finish.

    ``path_or_graph`` is a file, folder or glob of RDF, several of them, an rdflib graph, a kgnb Graph, an endpoint's
    URL or ``huts:NAME``; ``shapes`` likewise, with SHACL core constraints (those in the ontology's own file are read,
    too). ``closed_world=False`` allows required facts to be missing; ``loose_ranges=True`` lets object
    properties without a range take values as well as entities; ``derive_types=True`` reads domains and ranges as RDFS
    does: a fact makes its two ends members of them. ``only`` names classes of a large ontology: tools are made for
    those and for the classes they depend on. No model is asked and ``owl:imports`` are not followed.

    Raises DataError for a missing or malformed file and for shapes that cannot be enforced, ValueError for a class in
    ``only`` that does not exist.
    """
    graph = open_graph(path_or_graph)
    more = open_graph(shapes) if shapes is not None else None
    return compile_graph(graph, more, closed_world=closed_world, loose_ranges=loose_ranges,
                         derive_types=derive_types, only=tuple(only))  # fmt: skip


def build_graph(
    documents: Documents,
    pack_or_tbox: ToolPack | GraphSource,
    *,
    judge: str | Reader | Callable[[PassageTask, Workspace], object] = "auto",
    shapes: GraphSource | None = None,
    model: ChatModel | None = None,
    options: BuildOptions = BuildOptions(),
    namespace: str | None = None,
    session: ConstructionSession | None = None,
    folder: str | Path | None = None,
    checked: bool = True,
    outside: Sequence[str | Tool | Callable[..., Any]] = (),
    extractor: ChatModel | str | None = None,
    examples: str | Path | Iterable[Example] | None = None,
    run: Run | None = None,
    settings: Settings | None = None,
    on_event: Callable[[Any], None] | None = None,
) -> Built:
    """The graph that documents make, written through the tools of an ontology.

    Args:
        documents: files, folders and patterns (plain text, Markdown, HTML, PDF), Document values, or ``{name: text}``.
        pack_or_tbox: a compiled pack, or what ``compile_ontology`` takes.
        judge: who reads: "auto" (the model if one is set, else rule), "rule", "model", a Reader, or any function of the
            task and the workspace.
        shapes: SHACL for a T-Box that is not compiled yet.
        namespace: what the IRIs of new entities begin with.
        session: an open session of the pack to write into; its graph grows.
        folder: where journals are kept: a run that was killed resumes there and asks nothing twice.
        checked: False checks no constraint (for ablations).
        outside: tools of others that the model may ask while it reads: functions (or MODULE:FUNCTION), or MCP servers
            by URL or command line. Their answers are kept in the journals.
        extractor: a model (or its name) that first summarises each passage; the other model builds from the summary.
        examples: texts with the facts expected from them, or a JSON Lines file of these; a model is shown those
            most like what it reads.

    Raises:
        DataError: an input is missing or malformed. A document that cannot be read is only listed in the result.
        ConfigError: a model is asked for and none is set.
        BackendError: the model's server keeps failing.

    >>> note = "Tea\\n\\nHut: Refuge de l'Ambre\\nServes 4\\n"
    >>> build_graph({"note": note}, "huts:kitchen", judge="rule").counts()["documents"]
    1
    """
    settings = settings or Settings.load()
    found = find_documents(_named(documents))
    if not isinstance(pack_or_tbox, ToolPack):
        pack = compile_ontology(pack_or_tbox, shapes)
    elif shapes is None:
        pack = pack_or_tbox
    else:
        raise ValueError("shapes are compiled into a pack: give them to compile_ontology")
    target = session or (pack.session(namespace, checked=checked) if namespace else pack.session(checked=checked))
    data = {"tbox": pack.manifest["tbox_sha256"][:16], "shapes": pack.manifest["shapes_sha256"][:16]}
    with within(run, "kg_construction", data, settings, on_event) as run:
        if isinstance(judge, str):
            judge, settings = judge_and_model(judge, settings)
        chat = model or (answering_model(settings, "extract") if judge in ("auto", "model") else None)
        reader = make_reader(judge, pack, run.watch(chat) if chat else None, options)
        if isinstance(extractor, str):
            extractor = open_model(settings.with_(model=extractor))
        shown = read_examples(examples)
        if (outside or extractor or shown) and not isinstance(reader, ModelReader):
            raise ConfigError(
                "outside tools, an extractor and examples need a model",
                fix="Set a model (KGNB_MODEL).",
            )
        with outside_tools(outside) as asked:
            if isinstance(reader, ModelReader):
                notes = run.watch(extractor) if extractor else None
                reader = replace(
                    reader, outside=asked or reader.outside, extractor=notes or reader.extractor,
                    examples=shown or reader.examples,
                )  # fmt: skip
            return build(
                found, pack, reader, options=options, session=target, checked=checked, run=run,
                folder=Path(folder) / "journals" if folder is not None else None,
            )  # fmt: skip


def make_reader(
    judge: str | Reader | Callable[[PassageTask, Workspace], object],
    pack: ToolPack,
    model: ChatModel | None,
    options: BuildOptions = BuildOptions(),
) -> Reader:
    """The reader of this name, or the one given.

    Raises:
        ConfigError: a model is asked for and none is set, or a person, who calls the tools in a notebook.
        ValueError: there is no reader of this name.
    """
    if not isinstance(judge, str):
        return judge if hasattr(judge, "read") else CallableReader(judge)  # type: ignore[return-value]
    if judge == "person":
        fix = "In a notebook: %kgc call TOOL --fill shows a tool's form; %kgc missing says what is still required."
        raise ConfigError("a person reads by calling the tools", fix=fix)
    if judge not in READERS:
        raise ValueError(f"there is no judge {judge!r}; there are {', '.join(READERS)}, and person in a notebook")
    if judge == "model" and model is None:
        raise ConfigError("no model is set", fix="Set KGNB_MODEL (and KGNB_BASE_URL), or use the judge rule.")
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
    """The links from the entities of a graph to those of a reference graph or endpoint; see the stage ``ground``.

    ``schema`` says with its ``rdfs:subClassOf`` which classes fit; that of a built graph is known.
    """
    settings = settings or Settings.load()
    more = [open_graph(schema)] if schema is not None else []
    if isinstance(graph, Built):
        more.append(open_graph(graph.pack.subclasses()))
        graph = graph.graph
    mine, theirs = open_graph(graph), open_graph(reference)
    with within(run, "kg_construction", {}, settings, on_event) as noting:
        return noting.do(
            ground_graph, mine, noting.watch_graph(theirs), options, schema=more, predicates=predicates,
            decisions=decisions, cache=Path(cache) if cache is not None else None,
            on_page=lambda rows: noting.progress(rows, None, "labels"),
        )  # fmt: skip


def look_up(reference: GraphSource, pack: ToolPack, options: GroundOptions = GroundOptions()) -> Tool:
    """A tool that looks a name up in a reference graph: for ``build_graph(outside=...)`` and servers."""
    theirs = open_graph(reference)
    schema = [theirs, open_graph(pack.subclasses())]
    return look_up_tool(ReferenceNames(label_index(theirs, page=options.page), options, schema))


def _named(documents: Documents) -> Documents:
    """The documents, with the paths of ``huts:NAME``."""
    if isinstance(documents, str):
        return file_of(documents)
    if isinstance(documents, list | tuple):
        return [file_of(one) if isinstance(one, str) else one for one in documents]
    return documents
