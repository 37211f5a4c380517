"""What the task opens for the stages, and what it writes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kgnb.agents.agent import AgentTask
from kgnb.agents.entity_alignment.duplicates import merged
from kgnb.agents.entity_alignment.final_alignment import Settled
from kgnb.agents.entity_alignment.judges import EntityDecisions, make_judge, make_planner
from kgnb.agents.entity_alignment.judging_values import (
    Aligned,
    AlignQuestion,
    PlanQuestion,
    Selected,
)
from kgnb.errors import DataError
from kgnb.judging import Judge
from kgnb.mapping_files import WRITERS


def decisions_of(task: AgentTask) -> EntityDecisions | None:
    """The file of a person's decisions, if one is named."""
    return EntityDecisions(task.option("decisions")) if task.option("decisions") else None


def judge(task: AgentTask) -> Judge[AlignQuestion]:
    """The judge of candidates that the options name."""
    return make_judge(
        task.option("judge"),
        model=task["model"],
        reference=task["pairs"] or None,
        error_rate=task.option("error_rate"),
        seed=task.option("seed"),
        decisions=decisions_of(task),
        width=task["settings"].width,
        remember=task["remember"],
    )


def planner(task: AgentTask) -> Judge[PlanQuestion]:
    """The judge of plans that the options name."""
    return make_planner(
        task.option("planner"),
        model=task["planning_model"],
        decisions=task["plans"] or None,
        width=task["settings"].width,
    )


def selected(task: AgentTask) -> Selected:
    """The value of ``select``, with the current options of the look."""
    selected: Selected = replace(task.need("select"), options=task["look"])
    return selected


def aligned(task: AgentTask) -> Aligned:
    """The value of ``align``, with the current options of the look."""
    aligned: Aligned = task.need("align")
    return replace(aligned, selected=replace(aligned.selected, options=task["look"]))


def plain_pairs(settled: Settled) -> str:
    """The pairs in three columns: source IRI, target IRI, confidence."""
    return "".join(f"{one}\t{other}\t{sure:g}\n" for one, other, sure in settled.pairs())


def sssom(settled: Settled) -> str:
    """The alignment as SSSOM."""
    return WRITERS["sssom"](settled.alignment())


def rdf(settled: Settled) -> str:
    """The alignment in the OAEI's format."""
    return WRITERS["rdf"](settled.alignment())


def turtle(settled: Settled) -> str:
    """The alignment as Turtle."""
    return WRITERS["turtle"](settled.alignment())


def merged_table(task: Any) -> str:
    """One table's duplicates made one thing each, as CSV."""
    check_one_table(task)
    return merged(task.settled())


def check_one_table(task: Any) -> None:
    """Raises DataError where two tables are aligned, which leave nothing to merge."""
    sides = task.sides
    if sides.left is not sides.right:
        raise DataError(
            "--merged writes one table without its duplicates, and these are two",
            where=f"{sides.left.name} and {sides.right.name}",
            fix="Name one of them alone, or write the pairs with --out FILE.csv, both sides beside each other.",
        )
