"""The tools that only look: find, inspect, missing and finish."""

from __future__ import annotations

from typing import Any

from rapidfuzz import fuzz

from kgnb.agents.kg_construction.arguments import Arguments
from kgnb.agents.kg_construction.graph_state import GraphState
from kgnb.agents.kg_construction.tool_values import CallResult, ToolSpec
from kgnb.agents.kg_construction.writes import normalised
from kgnb.kg import vocabulary as v
from kgnb.kg.terms import Iri, Literal
from kgnb.shapes.shape import TYPE

_MOST_FOUND = 20
_NEAR = 75.0  # of 100, rapidfuzz's WRatio


def answer(session: GraphState, tool: ToolSpec, read: Arguments) -> CallResult:
    """What a tool that writes nothing has to say."""
    if tool.kind == "find":
        return _find(session, tool.term, read.texts.get("label", ""))
    iri = str(read.term("iri") or "")
    if tool.kind == "inspect":
        return CallResult(True, iri, data=_inspect(session, iri))
    missing = session.missing(iri or None)
    if tool.kind == "missing":
        return CallResult(True, iri, data=[{"entity": one.focus, **one.as_json()} for one in missing])
    missing = missing or session.sparql_violations()
    return CallResult(not missing, violations=missing, retryable=bool(missing))


def _find(session: GraphState, kind: str, said: str) -> CallResult:
    """Entities of a class whose label is, holds or resembles what was said; the ontology's own individuals too."""
    labels = session.labels()
    own = session.pack.tbox.individuals
    below = session.pack.hierarchy.below.get(kind, frozenset({kind}))
    members = session.pack.hierarchy.members.get(kind, frozenset())
    known = dict.fromkeys(session.entities(kind)) | {i: None for i, k in own.items() if k & below or i in members}
    wanted = normalised(said)
    ranked = []
    for at, iri in enumerate(known):
        label = labels.get(iri) or session.pack.tbox.label(iri)
        score = _score(wanted, normalised(label))
        if score >= _NEAR or not wanted:
            ranked.append((-score, at, {"iri": iri, "label": label}))
    found = [entry for _, _, entry in sorted(ranked, key=lambda one: one[:2])]
    exact = [e for e in found if normalised(e["label"]) == wanted]
    data: dict[str, Any] = {"found": found[:_MOST_FOUND], "total": len(found)}
    return CallResult(True, exact[0]["iri"] if len(exact) == 1 else "", data=data)


def _score(wanted: str, label: str) -> float:
    if not wanted or wanted == label:
        return 100.0
    return 95.0 if wanted in label else float(fuzz.WRatio(wanted, label))


def _inspect(session: GraphState, iri: str) -> dict[str, Any]:
    """An entity's classes, labels, facts and what leads to it."""
    tbox, facts, node = session.pack.tbox, session.facts, Iri(iri)
    said: dict[str, list[str]] = {}
    for predicate, values in facts.about(node).items():
        if predicate not in (TYPE, v.LABEL):
            said[tbox.label(predicate)] = [t.text if isinstance(t, Literal) else str(t) for t in values]
    back = {tbox.label(p): [str(s) for s in subjects] for p, subjects in facts.pointing_at(node).items()}
    kinds = [tbox.label(str(kind)) for kind in facts.types(node)] or [
        tbox.label(kind) for kind in sorted(tbox.individuals.get(iri, ()))
    ]
    label = next((t.text for t in facts.objects(node, v.LABEL) if isinstance(t, Literal)), tbox.label(iri))
    return {"iri": iri, "label": label, "classes": kinds, "facts": said, "pointed at by": back}
