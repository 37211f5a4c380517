"""Ontology matching from two ontologies to an alignment, in fixed order or as a model plans it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from typing import Literal as OneOf

from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.validate import validate
from kgnb.agents.ontology_matching.values import MatchQuestion, Options
from kgnb.errors import BackendError, LimitError, ReplyError
from kgnb.judging import Judge
from kgnb.kg.ontology import Ontology
from kgnb.llm.model import ChatModel, Message
from kgnb.llm.tools import call_tools, tool_from_function
from kgnb.mappings import Alignment
from kgnb.run import Run
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.index import VectorIndex


def match_ontologies(
    source: Ontology,
    target: Ontology,
    *,
    index: VectorIndex,
    embedder: Embedder,
    judge: Judge[MatchQuestion],
    options: Options = Options(),
    model: ChatModel | None = None,
    run: Run | None = None,
    plan: OneOf["fixed", "model"] = "fixed",
) -> Alignment:
    """The alignment of two ontologies.

    With ``plan="model"`` the ``model`` chooses the next stage by tool calls (Agent-OM, section 4). With
    ``options.define`` it writes missing definitions. Only the ``judge`` judges.

    Raises:
        ValueError: an ontology has nothing to match, or ``plan="model"`` without a model.
    """
    run = run or Run("ontology_matching")
    if plan == "model":
        if model is None:
            raise ValueError('plan="model" needs a model')
        return _planned_by_model(source, target, index, embedder, judge, options, model, run)
    described = run.do(retrieve, source, target, options=options, model=model)
    stored = run.do(store, described, index, embedder)
    found = run.do(search, stored, options=options)
    summarised = run.do(summarise, found, options=options)
    validated = run.do(validate, summarised, judge)
    return run.do(merge, validated, options=options)


STAGES = ("retrieve", "store", "search", "summarise", "validate", "merge")
LIMIT = 16  # replies: six stages, and some to go back

INSTRUCTIONS = """You run a pipeline that aligns two ontologies. Its stages are tools; each works on what the stages
before it left. Call them one at a time, look at the counts each reports, and call finish once merge has given an
alignment. If the counts after search or merge look wrong (hardly any candidates, say), go back and call search again
with another k."""


def _planned_by_model(
    source: Ontology,
    target: Ontology,
    index: VectorIndex,
    embedder: Embedder,
    judge: Judge[MatchQuestion],
    options: Options,
    model: ChatModel,
    run: Run,
) -> Alignment:
    """The alignment by the stages that the model called, and those it left out; each is a step of the run."""
    made: dict[str, Any] = {}

    def done(stage: str, value: Any) -> dict[str, Any]:
        for later in STAGES[STAGES.index(stage) :]:
            made.pop(later, None)  # built on an older value
        made[stage] = value
        return dict(value.counts())

    def needed(stage: str) -> Any:
        before = STAGES[STAGES.index(stage) - 1]
        if before not in made:
            raise ValueError(f"{stage} works on what {before} leaves: call {before} first")
        return made[before]

    def retrieve_entities() -> dict[str, Any]:
        """Describes every entity of both ontologies."""
        return done("retrieve", run.do(retrieve, source, target, options=options, model=model))

    def store_entities() -> dict[str, Any]:
        """Embeds and stores the descriptions."""
        return done("store", run.do(store, needed("store"), index, embedder))

    def search_candidates(k: int = options.k) -> dict[str, Any]:
        """Finds the k nearest entities on the other side in each view."""
        return done("search", run.do(search, needed("search"), options=replace(options, k=min(k, 50))))

    def summarise_rankings() -> dict[str, Any]:
        """Fuses the rankings of the views into one."""
        return done("summarise", run.do(summarise, needed("summarise"), options=options))

    def validate_candidates() -> dict[str, Any]:
        """Has every question judged."""
        return done("validate", run.do(validate, needed("validate"), judge))

    def merge_verdicts() -> dict[str, Any]:
        """Merges the verdicts into an alignment."""
        return done("merge", run.do(merge, needed("merge"), options=options))

    steps: dict[str, Callable[..., dict[str, Any]]] = {
        "retrieve": retrieve_entities,
        "store": store_entities,
        "search": search_candidates,
        "summarise": summarise_rankings,
        "validate": validate_candidates,
        "merge": merge_verdicts,
    }
    tools = {tool.spec.name: tool for tool in map(tool_from_function, steps.values())}
    about = {"source": source.name, "target": target.name, "context": options.context, "judge": judge.name}
    try:
        call_tools(model, [Message("system", INSTRUCTIONS), Message("user", json.dumps(about))], tools, LIMIT)
        note = ""
    except (BackendError, LimitError, ReplyError) as error:
        note = f"the model stopped planning: {str(error).splitlines()[0]}"
    left = [stage for stage in STAGES if stage not in made]
    for stage in left:
        steps[stage]()
    if left:
        note = "; ".join(filter(None, (note, f"the model left out {', '.join(left)}: done in the fixed order")))
    alignment: Alignment = made["merge"]
    return replace(alignment, notes=(*alignment.notes, *([note] if note else [])))
