"""Ontology matching as a model plans it (Agent-OM, section 4): the stages are its tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kgnb.agents.agent import AgentTask
from kgnb.errors import BackendError, LimitError, ReplyError
from kgnb.llm.model import ChatModel, Message
from kgnb.llm.tools import call_tools, tool_from_function
from kgnb.mappings import Alignment

LIMIT = 16  # replies: six stages, and some to go back

INSTRUCTIONS = """You run a pipeline that aligns two ontologies. Its stages are tools; each works on what the stages
before it left. Call them one at a time, look at the counts each reports, and call finish once merge has given an
alignment. If the counts after search or merge look wrong (hardly any candidates, say), go back and call search again
with another k."""


def run_as_planned(task: AgentTask, model: ChatModel) -> Alignment:
    """The alignment by the stages that the model called, and those it left out; each is a step of
    the run.
    """
    order = task.agent.sequence

    def done(stage: str, **instead: Any) -> dict[str, Any]:
        before = order[order.index(stage) - 1]
        if stage != order[0] and before not in task.values:
            raise ValueError(f"{stage} works on what {before} leaves: call {before} first")
        return dict(task.do(stage, **instead).counts())

    def retrieve_entities() -> dict[str, Any]:
        """Describes every entity of both ontologies."""
        return done("retrieve")

    def store_entities() -> dict[str, Any]:
        """Embeds and stores the descriptions."""
        return done("store")

    def search_candidates(k: int = task.option("k")) -> dict[str, Any]:
        """Finds the k nearest entities on the other side in each view."""
        return done("search", options=replace(task["options"], k=min(k, 50)))

    def summarise_rankings() -> dict[str, Any]:
        """Fuses the rankings of the views into one."""
        return done("summarise")

    def validate_candidates() -> dict[str, Any]:
        """Has every question judged."""
        return done("validate")

    def merge_verdicts() -> dict[str, Any]:
        """Merges the verdicts into an alignment."""
        return done("merge")

    every = (
        retrieve_entities,
        store_entities,
        search_candidates,
        summarise_rankings,
        validate_candidates,
        merge_verdicts,
    )
    steps: dict[str, Callable[[], dict[str, Any]]] = dict(zip(order, every, strict=True))
    tools = {tool.spec.name: tool for tool in map(tool_from_function, every)}
    about = {name: task[name].name for name in ("source", "target")}
    about |= {"context": task.option("context"), "judge": task["judge"].name}
    try:
        call_tools(
            model,
            [Message("system", INSTRUCTIONS), Message("user", json.dumps(about))],
            tools,
            LIMIT,
        )
        note = ""
    except (BackendError, LimitError, ReplyError) as error:
        note = f"the model stopped planning: {str(error).splitlines()[0]}"
    left = [stage for stage in order if stage not in task.values]
    for stage in left:
        steps[stage]()
    if left:
        note = "; ".join(
            filter(None, (note, f"the model left out {', '.join(left)}: done in the fixed order"))
        )
    alignment: Alignment = task.values["merge"]
    return replace(alignment, notes=(*alignment.notes, *([note] if note else [])))
