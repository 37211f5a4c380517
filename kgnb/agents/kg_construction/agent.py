"""Graph construction, described: its stages and options, from which shells are made.

Its graph grows over cells, so its task keeps a session beside the stages' values; ``serve`` is a
server and no step.
"""

from __future__ import annotations

from kgnb.agents.agent import Agent, Input, Stage
from kgnb.agents.kg_construction.compile import compile
from kgnb.agents.kg_construction.ground import Options as GroundOptions
from kgnb.agents.kg_construction.ground import ground
from kgnb.agents.kg_construction.instantiate import Options, instantiate
from kgnb.agents.kg_construction.plan import plan
from kgnb.agents.kg_construction.serve import serve
from kgnb.agents.options import names_of

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
            "a file or folder of RDF, a name of %%kg, a URL, huts:kitchen",
            ("huts:kitchen",),
        ),
        Input(
            "documents",
            "text",
            "files, folders or patterns: text, Markdown, HTML, PDF",
            ("huts:kitchen-notes",),
        ),
    ),
    options={"options": Options, "grounding": GroundOptions},
    stages=(
        Stage(
            compile,
            ("tbox", "shapes"),
            {name: name for name in ("closed_world", "derive_types", "only")},
            help="Compile an ontology into tools that can only write valid facts, and start a new graph.",
        ),
        Stage(
            plan,
            ("compile", "budget"),
            {name: name for name in ("no_plan", "follow", "instructions")},
            help="Make the prompts for every step of the task.",
        ),
        Stage(
            instantiate,
            ("documents", "compile", "reader", "plan", "options"),
            {},
            names_of(Options),
            "Read documents with the tools, and add what they say to the graph.",
        ),
        Stage(
            ground,
            ("built", "reference", "grounding"),
            {},
            names_of(GroundOptions),
            "Link the graph's entities to those of a reference graph.",
        ),
        Stage(serve, help="Offer the tools to any MCP client.", apart=True),
    ),
    provides={
        "budget": lambda task: task.option("tool_budget"),
        "no_plan": lambda task: task.option("no_plan"),
        "follow": lambda task: task.option("plan"),
        "instructions": lambda task: task.option("instructions"),
    },
    lent=("shapes", "closed_world", "derive_types", "only", "reader", "built", "reference"),
    begins="compile",
)
