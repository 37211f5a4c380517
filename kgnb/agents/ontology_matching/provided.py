"""What the task opens for the stages: the judge and the plan."""

from __future__ import annotations

from typing import Any

from kgnb.agents.agent import AgentTask
from kgnb.agents.ontology_matching.judges import make_judge
from kgnb.agents.ontology_matching.options import Options
from kgnb.agents.ontology_matching.retrieve import comparable
from kgnb.agents.ontology_matching.reviewed import PairDecisions
from kgnb.agents.ontology_matching.values import MatchingPlan, MatchQuestion
from kgnb.judging import Judge
from kgnb.kg.labels import readable


def judge(task: AgentTask) -> Judge[MatchQuestion]:
    """The judge of candidates that the options name."""
    matching: Options = task["options"]
    return make_judge(
        task.option("judge"),
        model=task["model"],
        reference=task["pairs"],
        error_rate=task.option("error_rate"),
        seed=task.option("seed"),
        decisions=task["decided"],
        exclusive=matching.cardinality == "1:1",
        context=matching.context,
        relations=matching.relations,
        ask=matching.ask,
        examples=_examples(task),
        width=task["settings"].width,
        remember=task["remember"],
    )


def plan(task: AgentTask) -> MatchingPlan:
    """The plan of this run; it is as the options say unless a model planned."""
    plan: MatchingPlan = getattr(task, "plan", MatchingPlan())
    return plan


EXAMPLES = 4
"""Confirmed and rejected pairs, each, that prompts quote. The oldest: further decisions leave the
prompts, and what was answered to them, as they are.
"""


def _examples(task: AgentTask) -> list[str]:
    """What a person confirmed and rejected, in words."""
    decisions: PairDecisions | None = task["decided"]
    if decisions is None:
        return []
    confirmed: list[str] = []
    rejected: list[str] = []
    for (source, target, kind), decision in decisions.by_pair().items():
        ends = task["source"].find(source, kind), task["target"].find(target, kind)
        if None in ends:
            continue
        names = [readable(end) for end in ends]
        if decision.relation == "equivalent":
            confirmed.append(f"{names[0]} = {names[1]} ({kind})")
        elif decision.relation == "different":
            rejected.append(f"{names[0]} is not {names[1]} ({kind})")
    return [*confirmed[:EXAMPLES], *rejected[:EXAMPLES]]


def prepared(inputs: dict[str, Any]) -> dict[str, Any]:
    """Both ontologies, made comparable."""
    return dict(
        zip(("source", "target"), comparable(inputs["source"], inputs["target"]), strict=True)
    )
