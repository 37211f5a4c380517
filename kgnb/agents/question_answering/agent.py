"""The description of question answering, its stages and options, from which every interface is
built.

The stages pass on one state, and observe, act and reflect repeat, so a task keeps its states.
"""

from __future__ import annotations

from kgnb.agents.agent import Agent, Input, Stage, later
from kgnb.agents.question_answering.options import Judging, Options

_HERE = "kgnb.agents.question_answering"
AGENT = Agent(
    name="question_answering",
    magic="qa",
    command="ask",
    title="Question answering",
    summary="Ask a graph",
    inputs=(
        Input(
            "graph",
            "graph",
            "a name of %kg, a file, a folder, an endpoint's URL, huts:graph",
            ("huts:graph",),
            many=True,
        ),
        Input(
            "examples",
            "file",
            "answered questions over this graph to learn wordings from: lines {id, question, "
            "entities, values}",
            optional=True,
            default=(),
            local=True,
            named=True,
            metavar="FILE.jsonl",
            read=later(f"{_HERE}.examples:examples_in"),
        ),
        Input(
            "decisions",
            "text",
            "a person's decisions, for --judge person",
            optional=True,
            local=True,
            named=True,
            metavar="FILE",
        ),
    ),
    asked=(
        Input("question", "text", "what to ask"),
        Input(
            "entities",
            "text",
            "an entity the question is about, by IRI or name, instead of linking",
            optional=True,
            many=True,
            default=(),
            named=True,
            flag="-e --entity",
            metavar="IRI",
        ),
    ),
    options={"options": Options, "judging": Judging},
    stages=(
        Stage(
            later(f"{_HERE}.link:link"),
            ("state",),
            {},
            ("links",),
            "Find the entities a question mentions, and what else its words may mean.",
        ),
        Stage(
            later(f"{_HERE}.observe:observe"),
            ("state",),
            {},
            ("depth", "breadth", "share", "directions", "observation"),
            "Look around the entities: the triples that fit the question, ranked and as a picture.",
        ),
        Stage(
            later(f"{_HERE}.act:act"),
            ("state",),
            {},
            ("judge",),
            "Choose what to ask the graph, and ask it: the action, its reason and the graph's reply.",
        ),
        Stage(
            later(f"{_HERE}.reflect:reflect"),
            ("state",),
            {},
            ("keep", "reflection", "judge"),
            "Keep the triples that matter: the memory as paths, with new ones marked.",
        ),
        Stage(
            later(f"{_HERE}.answer:answer"),
            ("state",),
            {},
            ("confidence", "own_knowledge", "judge"),
            "Answer from the memory: values, the triples that prove them, and SPARQL that reproduces them.",
        ),
    ),
    task="kgnb.tasks.asking:AskingTask",
    start_help="Name the graph to ask; what is set here holds for all questions.",
    start_examples=(
        "%qa start huts:graph",
        "%qa start https://example.org/sparql --judge rule --depth 2",
    ),
)
