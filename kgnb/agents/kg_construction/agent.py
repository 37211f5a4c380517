"""Graph construction, described: its stages and options, from which shells are made.

Its graph grows over cells, so its task keeps a session beside the stages' values; ``serve`` is a
server and no step.
"""

from __future__ import annotations

from kgnb.agents.agent import Agent, Input, Output, Stage, later
from kgnb.agents.kg_construction.options import GroundOptions, Options, Reading
from kgnb.agents.options import names_of

_HERE = "kgnb.agents.kg_construction"
AGENT = Agent(
    name="kg_construction",
    magic="kgc",
    command="build",
    title="Graph construction",
    summary="Build a graph through the tools of an ontology",
    inputs=(
        Input(
            "tbox",
            "graph",
            "a file or folder of RDF, a name of %kg, a URL, huts:kitchen",
            ("huts:kitchen",),
        ),
        Input(
            "documents",
            "text",
            "files, folders or patterns: text, Markdown, HTML, tables, PDF, Word (.docx)",
            ("huts:kitchen-notes",),
            many=True,
            stage="instantiate",
        ),
        Input(
            "shapes",
            "graph",
            "SHACL shapes in addition to those in the ontology",
            optional=True,
            named=True,
        ),
        Input(
            "namespace",
            "text",
            "how the IRIs of new entities begin",
            optional=True,
            named=True,
            metavar="IRI",
        ),
        Input(
            "open_world",
            "flag",
            'do not read "some" as "must be stated"',
            optional=True,
            default=False,
            named=True,
        ),
        Input(
            "derive_types",
            "flag",
            "read domains and ranges as RDFS does: a fact makes its ends members of them",
            optional=True,
            default=False,
            named=True,
        ),
        Input(
            "only",
            "text",
            "use only the part of a large ontology that CLASS needs",
            optional=True,
            many=True,
            default=(),
            named=True,
            metavar="CLASS",
        ),
        Input(
            "outside",
            "text",
            "a tool for the model to use: MODULE:FUNCTION, or an MCP server by URL or command",
            optional=True,
            many=True,
            default=(),
            local=True,
            named=True,
            flag="--tools",
            metavar="TOOL",
            stage="instantiate",
        ),
        Input(
            "allow",
            "text",
            "call a tool only with such arguments, as readfile(path=/data/*): what a document says "
            "decides them",
            optional=True,
            many=True,
            default=(),
            named=True,
            local=True,
            metavar="TOOL(ARGUMENT=PATTERN)",
            stage="instantiate",
        ),
        Input(
            "extractor",
            "text",
            "a model that first notes what each passage says; the main model builds from that",
            optional=True,
            local=True,
            named=True,
            flag="--notes",
            metavar="MODEL",
            stage="instantiate",
        ),
        Input(
            "examples",
            "file",
            "example texts with their facts (JSON Lines), to show the model",
            optional=True,
            local=True,
            named=True,
            stage="instantiate",
        ),
        Input(
            "journals",
            "text",
            "keep journals in this folder, so that nothing is read twice",
            optional=True,
            local=True,
            named=True,
            flag="--folder",
            metavar="FOLDER",
            stage="instantiate",
        ),
        Input(
            "reference",
            "graph",
            "then link the entities to those of this graph: a file, an endpoint's URL",
            optional=True,
            named=True,
            stage="ground",
            leads=True,
        ),
        Input(
            "into",
            "text",
            "extend the graph in this file, or that of a SPARQL service by the URL of its updates",
            optional=True,
            named=True,
            local=True,
            written=True,
            metavar="FILE|URL",
        ),
        Input("session", "value", "an open session to write into", optional=True),
        Input("checked", "value", "whether constraints are checked", optional=True, default=True),
    ),
    options={"options": Options, "reading": Reading, "grounding": GroundOptions},
    stages=(
        Stage(
            later(f"{_HERE}.compile:compile"),
            ("tbox", "shapes"),
            {name: name for name in ("closed_world", "derive_types", "only")},
            help="Compile an ontology into tools that can only write valid facts, and start a new graph.",
        ),
        Stage(
            later(f"{_HERE}.plan:plan"),
            ("compile", "budget"),
            {
                name: name
                for name in (
                    "longest",
                    "most_steps",
                    "no_plan",
                    "follow",
                    "instructions",
                    "note_budget",
                )
            },
            help="Make the prompts for every step of the task.",
        ),
        Stage(
            later(f"{_HERE}.instantiate:instantiate"),
            ("documents", "compile", "reader", "plan", "options"),
            {},
            (*names_of(Options), "judge"),
            "Read documents with the tools, and add what they say to the graph.",
        ),
        Stage(
            later(f"{_HERE}.ground:ground"),
            ("built", "reference", "grounding"),
            {},
            names_of(GroundOptions),
            "Link the graph's entities to those of a reference graph.",
        ),
        Stage(later(f"{_HERE}.serve:serve"), help="Offer the tools to any MCP client.", apart=True),
    ),
    provides={
        "budget": lambda task: task.option("tool_budget"),
        "longest": lambda task: 0,
        "most_steps": later(f"{_HERE}.plan:most_steps"),
        "no_plan": lambda task: task.option("no_plan"),
        "follow": lambda task: task.option("plan"),
        "instructions": lambda task: task.option("instructions"),
        "note_budget": lambda task: task.option("note_budget"),
    },
    task="kgnb.tasks.building:BuildingTask",
    exports={
        ".trig": lambda built: built.session.trig(),
        ".ttl": lambda built: built.session.turtle(),
        ".jsonld": lambda built: built.session.jsonld(),
    },
    printed=".trig",
    outputs=(
        Output(
            "review",
            "what is left for a person, as CSV",
            lambda task: task.left_for_a_person(),
            "FILE.csv",
        ),
        Output(
            "links",
            "the links to the entities of --reference, as owl:sameAs",
            lambda task: task.grounding.turtle(),
            "FILE.ttl",
            needs="reference",
        ),
    ),
    about="""Read DOCUMENTS through the tools of the ontology TBOX and write what they say as a graph.

TBOX is a file or folder of RDF, the URL of a SPARQL endpoint, or huts:kitchen (our own example).
DOCUMENTS are files, folders or patterns: plain text, Markdown, HTML, CSV, PDF, Word (.docx). Exit
status 1 if a document could not be read; the graph of the others is still written. .trig has
provenance, .ttl and .jsonld have none. The folder of --run also keeps journals, so that an
interrupted run continues where it stopped.""",
    examples=(
        "kgnb build huts:kitchen huts:kitchen-notes --judge rule --out kitchen.trig",
        "kgnb build tbox.ttl papers/ --shapes shapes.ttl --model gpt-4o --run runs/papers -o papers.trig",
    ),
    begins="compile",
)
