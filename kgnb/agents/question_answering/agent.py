"""The description of question answering, its stages and options, from which every interface is
built.

The stages pass on one state, and observe, act and reflect repeat, so a task keeps its states.
"""

from __future__ import annotations

from pathlib import Path

from kgnb.agents.agent import Agent, Input, Stage
from kgnb.agents.options import Field, options
from kgnb.agents.question_answering import views
from kgnb.agents.question_answering.act import act
from kgnb.agents.question_answering.answer import answer
from kgnb.agents.question_answering.link import link
from kgnb.agents.question_answering.model_judges import JudgeName
from kgnb.agents.question_answering.observe import observe
from kgnb.agents.question_answering.reflect import reflect
from kgnb.agents.question_answering.state import Example
from kgnb.agents.question_answering.values import Options
from kgnb.datasets.questions import scan_questions


def examples_in(path: Path) -> list[Example]:
    """The answered questions in a file, for the rule judge to learn wordings from.

    Raises:
        DataError: a line of it is no question.
    """
    questions, wrong = scan_questions(path)
    if wrong:
        raise wrong[0]
    return [(each.text, each.entities, each.values or ()) for each in questions]


@options
class Judging:
    """Which judge decides, and which embedder compares words."""

    judge: JudgeName = Field(
        default="auto", description="who decides; auto: cascade with a model, rule without"
    )
    embedder: str = Field(
        default="",
        description="local, characters, tiny, fastembed:MODEL, openai:MODEL or sentence-transformers:MODEL",
    )


__all__ = ["AGENT", "Judging", "views"]  # importing it registers the tables and cards
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
            read=examples_in,
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
            link,
            ("state",),
            {},
            ("links",),
            "Find the entities a question mentions, and what else its words may mean.",
        ),
        Stage(
            observe,
            ("state",),
            {},
            ("depth", "breadth", "share", "directions", "observation"),
            "Look around the entities: the triples that fit the question, ranked and as a picture.",
        ),
        Stage(
            act,
            ("state",),
            {},
            ("judge",),
            "Choose what to ask the graph, and ask it: the action, its reason and the graph's reply.",
        ),
        Stage(
            reflect,
            ("state",),
            {},
            ("keep", "reflection", "judge"),
            "Keep the triples that matter: the memory as paths, with new ones marked.",
        ),
        Stage(
            answer,
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
