"""The entity alignment agent: its stages, options and judges, from which magic, command and panel
are made.
"""

from __future__ import annotations

from dataclasses import replace

from kgnb.agents.agent import Agent, AgentTask, Input, Output, Review, Stage
from kgnb.agents.entity_alignment.align import align
from kgnb.agents.entity_alignment.duplicates import merged
from kgnb.agents.entity_alignment.final_alignment import Settled, reviewable
from kgnb.agents.entity_alignment.judges import (
    EntityDecisions,
    JudgeName,
    ReviewedEntities,
    make_judge,
    make_planner,
)
from kgnb.agents.entity_alignment.judging_values import (
    Aligned,
    AlignQuestion,
    LookOptions,
    PlanQuestion,
    Selected,
)
from kgnb.agents.entity_alignment.plan import plan
from kgnb.agents.entity_alignment.propose import propose
from kgnb.agents.entity_alignment.reflect import reflect
from kgnb.agents.entity_alignment.select import select
from kgnb.agents.entity_alignment.values import Options
from kgnb.agents.options import Field, names_of, options
from kgnb.judging import Judge
from kgnb.mapping_files import WRITERS


@options
class Looking:
    """Who plans and who judges, and their files."""

    judge: JudgeName = Field(
        default="auto", description="who decides; auto: the model if one is set, else rule"
    )
    planner: str = Field(
        default="auto",
        description="who plans which tools look: rule (auto), thorough (all tools always), model (that of the role "
        "plan), model:NAME or person",
    )
    error_rate: float = Field(
        default=0.0,
        ge=0.0,
        le=1.0,
        description="share of wrong answers of the oracle, a simulation",
    )
    oracle_seed: int = Field(default=0, ge=0, description="seed of the oracle's errors")
    embedder: str = Field(
        default="",
        description="local, characters, tiny, fastembed:MODEL, openai:MODEL or sentence-transformers:MODEL",
    )
    decisions: str = Field(
        default="", description="file of a person's decisions; they override the judge"
    )
    reference: str = Field(default="", description="pairs to be found, for evaluate and the oracle")


def decisions_of(task: AgentTask) -> EntityDecisions | None:
    """The file of a person's decisions, if one is named."""
    return EntityDecisions(task.option("decisions")) if task.option("decisions") else None


def _judge(task: AgentTask) -> Judge[AlignQuestion]:
    return make_judge(
        task.option("judge"),
        model=task["model"],
        reference=task["pairs"] or None,
        error_rate=task.option("error_rate"),
        seed=task.option("oracle_seed"),
        decisions=decisions_of(task),
        width=task["settings"].width,
        remember=task["remember"],
    )


def _planner(task: AgentTask) -> Judge[PlanQuestion]:
    return make_planner(
        task.option("planner"),
        model=task["planning_model"],
        decisions=task["plans"] or None,
        width=task["settings"].width,
    )


def _selected(task: AgentTask) -> Selected:
    """The value of ``select``, with the current options of the look."""
    selected: Selected = replace(task.need("select"), options=task["look"])
    return selected


def _aligned(task: AgentTask) -> Aligned:
    aligned: Aligned = task.need("align")
    return replace(aligned, selected=replace(aligned.selected, options=task["look"]))


def plain_pairs(settled: Settled) -> str:
    """The pairs in three columns: source IRI, target IRI, confidence."""
    return "".join(f"{one}\t{other}\t{sure:g}\n" for one, other, sure in settled.pairs())


OWN = tuple(name for name in names_of(Options) if name != "names")
ORACLE = ("judge", "error_rate", "oracle_seed")
AGENT = Agent(
    name="entity_alignment",
    magic="ea",
    command="align",
    title="Entity alignment",
    summary="Align the entities of two graphs",
    inputs=(
        Input(
            "left",
            "graph",
            "a name of %kg, files, an endpoint's URL, huts:hollenmark; or a folder of both graphs",
        ),
        Input("right", "graph", "the other graph; none where the first is a folder", optional=True),
        Input(
            "seeds",
            "text",
            "known pairs: none, folder (the default for one), stated (owl:sameAs in the graphs), or a file",
            optional=True,
            named=True,
            metavar="none|folder|stated|FILE",
        ),
        Input(
            "names",
            "text",
            "names as they are, hidden (structure and values only), or a JSON file from IRI to name",
            optional=True,
            default="native",
            named=True,
            metavar="native|hidden|FILE.json",
        ),
        Input(
            "labels",
            "graph",
            "vocabularies that label properties and classes, for the judge",
            optional=True,
            many=True,
            default=(),
            named=True,
        ),
        Input(
            "universe",
            "text",
            "targets allowed as answers: the folder's test targets, or all entities",
            optional=True,
            default="test",
            named=True,
            choices=("test", "all"),
        ),
        Input(
            "candidates",
            "file",
            "someone else's candidates, as --ranking writes them or in two columns; no other pair is considered",
            optional=True,
            local=True,
            named=True,
            metavar="FILE.tsv",
        ),
        Input(
            "plans",
            "file",
            "a person's plans (.jsonl)",
            optional=True,
            local=True,
            named=True,
        ),
    ),
    options={"options": Options, "look": LookOptions, "looking": Looking},
    stages=(
        Stage(
            propose,
            ("left", "right", "embedder", "options"),
            {
                "seeds": "seeds",
                "sources": "sources",
                "targets": "targets",
                "candidates": "candidates",
            },
            (*OWN, "embedder"),
            "Give every entity candidates and a first alignment, without a model.",
            ("%ea propose", "%ea propose --assignment argmax --hops 1"),
        ),
        Stage(
            plan,
            ("propose", "planner"),
            {"options": "look", "known": "known"},
            ("share", "sure", "attributes", "relations", "planner"),
            "Choose which entities to judge, and with which tools.",
            ("%ea plan", "%ea plan --share 0.05", "%ea plan --planner thorough"),
        ),
        Stage(
            select,
            ("plan",),
            {"options": "look"},
            ("shown", "attributes", "relations", "entropy"),
            "Choose the triples that tell an entity's candidates apart.",
            ("%ea select", "%ea select --entropy low"),
        ),
        Stage(
            align,
            ("selected", "judge"),
            {},
            (*ORACLE, "decisions", "both_orders", "heed"),
            "Let the judge decide which candidate is the same entity, or none.",
            ("%ea align", "%ea align --judge rule", "%ea align --judge oracle --error-rate 0.1"),
        ),
        Stage(
            reflect,
            ("aligned", "judge"),
            {},
            ("reflect_below", "heed", *ORACLE),
            "Ask again where an answer is unsure.",
            ("%ea reflect", "%ea reflect --reflect-below 0.9"),
        ),
    ),
    provides={
        "judge": _judge,
        "planner": _planner,
        "selected": _selected,
        "aligned": _aligned,
    },
    task="kgnb.tasks.aligning:AligningTask",
    judges=("judge", "planner"),
    internal=("names",),
    review=Review(
        ("align", "reflect"),
        reviewable,
        EntityDecisions,
        ReviewedEntities,
        "entity-decisions.jsonl",
    ),
    exports={
        ".sssom.tsv": lambda settled: WRITERS["sssom"](settled.alignment()),
        ".rdf": lambda settled: WRITERS["rdf"](settled.alignment()),
        ".ttl": lambda settled: WRITERS["turtle"](settled.alignment()),
        ".tsv": plain_pairs,
    },
    printed=".tsv",
    outputs=(
        Output(
            "ranking",
            "the ten best targets of every test source",
            lambda task: task.rankings(),
            "FILE.tsv",
        ),
        Output(
            "trajectories",
            "every path of every entity in question, with verdict, reward and the planner's prompt (needs --reference)",
            lambda task: task.trajectories(),
            "FILE.jsonl",
        ),
        Output(
            "tuning",
            "the best path of each as a line to tune a planner on, in OpenAI's format (needs --reference)",
            lambda task: task.trajectories(tuning=True),
            "FILE.jsonl",
        ),
        Output(
            "merged",
            "of one table: each thing once, with the first known value of every property",
            lambda task: merged(task.settled()),
            "FILE.csv",
        ),
    ),
    about="""Find which entities of two graphs are the same.

Give either a FOLDER in the layout of DBP15K, SRPRS or OpenEA, which holds both graphs; or LEFT and
RIGHT: files or folders of RDF, URLs of SPARQL endpoints, or our own example, huts:hollenmark and
huts:corvane.

\b
Files (UTF-8, tab-separated, full IRIs, no header line):
  --out FILE.tsv      source IRI, target IRI, confidence between 0 and 1
  --ranking FILE.tsv  source IRI, rank from 1, target IRI, score; the ten best of
                      every test source, or of every source without test pairs
  --seeds FILE        source IRI, target IRI (further columns are ignored); or
                      .sssom.tsv, .rdf, .ttl

Existing output files are replaced, whole or not at all. Without --out the plain columns go to standard
output. Entities left without a counterpart are counted, with reasons, on standard error.""",
    examples=(
        "kgnb align data/srprs/en_fr --seeds folder --names hidden --out found.tsv --ranking best.tsv",
        "kgnb align huts:hollenmark huts:corvane --reference huts:entity-reference -o huts.ttl",
        "kgnb align a.ttl https://example.org/sparql --seeds known.tsv --judge rule | less",
        "kgnb align ours.csv theirs.csv --precision 0.8 --out same.tsv",
    ),
    start_help="Name the two graphs; what is set here holds for all stages.",
    start_examples=(
        "%ea start huts:hollenmark huts:corvane --reference huts:entity-reference",
        "%ea start a.ttl b.ttl --seeds known.tsv",
        "%ea start dbp15k/fr_en --names hidden",
    ),
)
