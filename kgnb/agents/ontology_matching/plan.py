"""Planning: how each kind of entity is matched, as a model chooses (Agent-OM, section 4).

The paper's two agents plan entity by entity, a call each or more. What differs is the kind: classes
have positions, properties have ends, codes have no names. So one call plans all kinds of both sides;
a planner a side would choose the same, as candidates are looked up from both with the same views.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from kgnb.agents.ontology_matching.lexicon import tongues_of
from kgnb.agents.ontology_matching.values import KINDS, VIEWS, KindPlan, MatchingPlan, Options
from kgnb.errors import BackendError, LimitError, ReplyError
from kgnb.kg.labels import is_code, readable
from kgnb.kg.ontology import Entity, Kind, Ontology
from kgnb.kg.words import normal
from kgnb.llm.model import ChatModel, Message, Request
from kgnb.llm.reply import structured
from kgnb.results.bundle import count

INSTRUCTIONS = """You plan how two data models are matched{context}. For each kind of entity you get numbers and a few
names of both models. A candidate for an entity is any near one of the other model; what is plain by name a rule
decides; a judge decides the rest. Choose for each kind, named as it is given:
- views: what candidates are looked up by. syntactic: names; lexical: synonyms and definitions; semantic: position
  (parents, domain, range). Leave out a view that says nothing: semantic where there are no positions, syntactic where
  names are codes, lexical where there are neither synonyms nor definitions, written ones included.
- k: candidates an entity and view, 3 to 10. More where the names of the same thing differ or languages do; each costs
  prompt text.
- define: true has a model write definitions for entities that have none, a call for 20. It pays where definitions are
  missing and names do not say what is meant; not where they are plain words of one language.
- judge: "model" asks a model about what is in doubt, about a call for 12 entities in doubt; "rule" asks nothing. "rule"
  is enough where nearly all of the smaller side have an equal name, or where nothing can be the same.
Say why in one short sentence."""
_NAMES = 8  # names shown of a side


class KindChoice(BaseModel):
    """The plan for one kind of entity."""

    kind: str
    views: list[Literal["syntactic", "lexical", "semantic"]]
    k: int = Field(ge=1, le=50)
    define: bool
    judge: Literal["rule", "model"]
    why: str = ""


class Choices(BaseModel):
    """The reply of a planner."""

    plans: list[KindChoice]


def planned(source: Ontology, target: Ontology, options: Options, model: ChatModel) -> MatchingPlan:
    """The plan of a model; where its reply cannot be used, the fixed one, with a note that says so."""
    kinds = [kind for kind in KINDS if kind != "individual" or options.individuals]
    told: dict[str, Any] = {}
    for kind in kinds:
        sides = source.of_kind(kind), target.of_kind(kind)
        if all(sides):
            told[kind] = {
                "source": _numbers(sides[0]),
                "target": _numbers(sides[1]),
                "equal names": _equal(kind, source, target),
            }
    about = (
        f" (subject: {json.dumps(options.context, ensure_ascii=False)})" if options.context else ""
    )
    messages = (
        Message("system", INSTRUCTIONS.format(context=about)),
        Message(
            "user",
            "\n".join(f"{kind}: {json.dumps(t, ensure_ascii=False)}" for kind, t in told.items()),
        ),
    )
    try:
        reply, replies = structured(model, Request(messages), Choices)
    except (BackendError, LimitError, ReplyError) as error:
        what = str(error).splitlines()[0]
        return MatchingPlan(notes=(f"planned as usual: the model's plan cannot be used: {what}",))
    chosen = {choice.kind: choice for choice in reply.plans if choice.kind in told and choice.views}
    if not chosen:
        return MatchingPlan(notes=("planned as usual: the model's plan names no kind of entity",))
    plans = [_plan(kind, choice) for kind, choice in sorted(chosen.items())]
    tokens = sum(r.usage.prompt_tokens + r.usage.completion_tokens for r in replies)
    cost = f"planned by {model.name}: {count(len(replies), 'call')}, {count(tokens, 'token')}"
    return MatchingPlan(tuple(plans), (cost, *map(_said, chosen.values())))


def _plan(kind: str, choice: KindChoice) -> KindPlan:
    views = tuple(view for view in VIEWS if view in choice.views)
    named: Kind = next(known for known in KINDS if known == kind)
    return KindPlan(named, views, choice.k, choice.define, choice.judge == "model")


def _said(choice: KindChoice) -> str:
    defined = ", definitions written" if choice.define else ""
    plan = f"{choice.kind}: {', '.join(choice.views)}, k {choice.k}, judge {choice.judge}{defined}"
    return f"{plan} ({' '.join(choice.why.split())[:120]})" if choice.why.strip() else plan


def _numbers(entities: Sequence[Entity]) -> dict[str, Any]:
    """What there is to compare, of one side."""
    languages = {tag for entity in entities for tag in tongues_of(entity)}
    return {
        "entities": len(entities),
        "named by codes": sum(e.coded or is_code(e.local_name) for e in entities),
        "with a label": sum(bool(e.labels) for e in entities),
        "with synonyms": sum(bool(e.synonyms) for e in entities),
        "with a definition": sum(bool(e.definitions or e.comments) for e in entities),
        "with parents, domain or range": sum(
            bool(e.parents or e.domain or e.range) for e in entities
        ),
        "languages": sorted(languages)[:6],
        "names, evenly taken": [
            readable(entity)[:60]
            for entity in entities[:: max(1, len(entities) // _NAMES)][:_NAMES]
        ],
    }


def _equal(kind: Kind, source: Ontology, target: Ontology) -> int:
    names = [{normal(readable(entity)) for entity in o.of_kind(kind)} for o in (source, target)]
    return len(names[0] & names[1])
