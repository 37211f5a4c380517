"""Ontology matching from two ontologies to an alignment: the story, top to bottom."""

from __future__ import annotations

from typing import Literal as OneOf

from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.plan import follow_the_model
from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.validate import validate
from kgnb.agents.ontology_matching.values import MatchQuestion, Options
from kgnb.judging import Judge
from kgnb.kg.ontology import Ontology
from kgnb.llm.model import ChatModel
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

    With ``plan="model"`` the ``model`` chooses the next stage itself through tool calls, as in the paper (Agent-OM,
    section 4), and with ``options.define`` it writes definitions that are missing; judging is the judge's affair.

    Raises:
        ValueError: an ontology has nothing to match, or ``plan="model"`` without a model.
    """
    run = run or Run("ontology_matching")
    if plan == "model":
        if model is None:
            raise ValueError('plan="model" needs a model')
        return follow_the_model(source, target, index, embedder, judge, options, model, run)
    described = run.do(retrieve, source, target, options=options, model=model)
    stored = run.do(store, described, index, embedder)
    found = run.do(search, stored, options=options)
    summarised = run.do(summarise, found, options=options)
    validated = run.do(validate, summarised, judge)
    return run.do(merge, validated, options=options)
