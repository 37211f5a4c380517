"""The entity alignment agent: its stages, options and judges, from which magic, command and panel
are made.
"""

from __future__ import annotations

from dataclasses import replace

from kgnb.agents.agent import Agent, AgentTask, Input, Review, Stage
from kgnb.agents.entity_alignment.align import align
from kgnb.agents.entity_alignment.final_alignment import reviewable
from kgnb.agents.entity_alignment.judges import (
    EntityDecisions,
    JudgeName,
    PlannerName,
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


@options
class Looking:
    """Who plans and who judges, and their files."""

    judge: JudgeName = Field(
        default="auto", description="who decides; auto: the model if one is set, else rule"
    )
    planner: PlannerName = Field(
        default="auto", description="who plans which tools look; auto: the rule"
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
        model=task["model"],
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
            "a name of %%kg, files, an endpoint's URL, huts:hollenmark; or a folder",
        ),
        Input("right", "graph", "the other graph (none where the first is a folder)"),
    ),
    options={"options": Options, "look": LookOptions, "looking": Looking},
    stages=(
        Stage(
            propose,
            ("left", "right", "embedder", "options"),
            {"seeds": "seeds", "sources": "sources", "targets": "targets"},
            (*OWN, "embedder"),
            "Give every entity candidates and a first alignment, without a model.",
            ("%ea propose", "%ea propose --assignment argmax --hops 1"),
        ),
        Stage(
            plan,
            ("propose", "planner"),
            {"options": "look"},
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
    lent=("seeds", "sources", "targets", "pairs", "plans"),
    judges=("judge", "planner"),
    internal=("names",),
    review=Review(
        ("align", "reflect"),
        reviewable,
        EntityDecisions,
        ReviewedEntities,
        "entity-decisions.jsonl",
    ),
    start_help="Name the two graphs; what is set here holds for all stages.",
    start_examples=("%ea start huts:hollenmark huts:corvane --reference huts:entity-reference",),
)
