"""Act: a judge chooses what to ask of the graph, and it is asked (section 3.3).

Every action offered is made of IRIs that were seen in this run. What a judge writes itself (a query, an action not on
the list) is held to the same rule; a repeated action is refused, and so is ``Paths`` with fewer than two entities.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from kgnb.agents.question_answering.actions import Action, Finish, Neighbours, Paths, Query, read_action, written
from kgnb.agents.question_answering.patterns import counted_from, sparql
from kgnb.agents.question_answering.querying import check, proof_of, unknown, values_of
from kgnb.agents.question_answering.questions import ActQuestion
from kgnb.agents.question_answering.reading import Hop, Reading
from kgnb.agents.question_answering.showing import act_text, triple_text
from kgnb.agents.question_answering.state import State, iris
from kgnb.agents.question_answering.values import Acted, Refusal
from kgnb.errors import BackendError, DataError
from kgnb.judging import Verdict
from kgnb.kg.terms import Blank, Iri, Triple

INSTRUCTIONS = """You answer a question from a knowledge graph, one step at a time. Choose the action that brings you
nearest to the answer, given what was observed and what is remembered. Choose to answer once what is remembered
suffices."""
_READINGS = 5  # offered
_NEIGHBOURS = 12  # offered
_ENTITIES = 300  # offered


def act(state: State) -> State:
    """The state with one more action done: chosen by the judge, checked, and asked of the graph."""
    question = act_question(state)
    (verdict,) = state.desk.judges.act.judge([question])
    known: dict[str, str] = {**state.observation.labels, **state.memory.labels}
    known |= {one.iri: one.label for one in state.linked.links}
    acted = replace(_done(state, question, verdict), labels=known)
    seen = state.seen | iris(acted.triples) | iris(acted.values)
    return replace(state, stage="act", history=(*state.history, acted), seen=seen)


def act_question(state: State) -> ActQuestion:
    """What may be done next. Nothing that was done before is offered again."""
    label = state.desk.hood.names.label
    offers: list[tuple[Action, str, Reading | None]] = []
    for reading in state.observation.readings[:_READINGS]:
        action = action_of(reading)
        offers.append((action, f"ask the graph: {reading.explanation}", reading))
    for seen in state.observation.triples:
        subject, relation, object_ = seen.triple
        near = object_ if seen.inverse else subject
        if isinstance(near, Iri):
            arrow = "leads to it" if seen.inverse else "leads on"
            offers.append(
                (Neighbours(near, relation), f"neighbours of {label(near)} by {label(relation)} ({arrow})", None)
            )
    best, other = offers[: len(offers) and _READINGS], offers[_READINGS:]
    offers = best + other[:_NEIGHBOURS]
    task = state.linked.entities
    offers += [
        (Paths(a, b, 2), f"paths between {label(a)} and {label(b)}", None)
        for at, a in enumerate(task[:3])
        for b in task[at + 1 : 3]
    ]
    done = {written(acted.action) for acted in state.history}
    unique: dict[str, tuple[Action, str, Reading | None]] = {}
    for entry in offers:
        unique.setdefault(written(entry[0]), entry)
    left = [entry for key, entry in unique.items() if key not in done]
    left.append((Finish(), "answer now, from what is remembered", None))
    relations = {seen.triple[1] for seen in state.observation.triples} | {
        hop.relation for reading in state.observation.readings for hop in (*reading.hops, *reading.by)
    }
    known = _offered(state, relations)
    state.desk.hood.names.fetch(known)  # in batches, not one by one
    return ActQuestion(
        asked=state.question.text,
        text=act_text(state),
        actions=tuple(action for action, _, _ in left),
        shown=tuple(shown for _, shown, _ in left),
        readings=tuple(reading for _, _, reading in left),
        entities=tuple((iri, label(iri)) for iri in known),
        relations=tuple((iri, label(iri)) for iri in sorted(relations)),
        done=tuple(acted.action for acted in state.history),
        settled=state.settled,
    )


def _offered(state: State, relations: Set[str]) -> list[str]:
    """The entities a judge may name: those nearest to the question first where there are too many for a prompt."""
    near = {str(iri) for iri in state.linked.entities} | iris(state.memory.triples)
    near |= iris(tuple(seen.triple for seen in state.observation.triples))
    ranked = sorted((iri for iri in state.seen if iri not in relations), key=lambda iri: (iri not in near, iri))
    return sorted(ranked[:_ENTITIES])


def action_of(reading: Reading) -> Action:
    """The action that asks what a reading asks: one relation of an entity, or a query."""
    plain = reading.form == "values" and _bare(reading)
    if plain and reading.start is not None and len(reading.hops) == 1:
        return Neighbours(reading.start, reading.hops[0].relation)
    return Query(sparql(reading))


def _bare(reading: Reading) -> bool:
    """Whether a reading is a path and nothing else."""
    return reading.type is None and not (
        reading.by or reading.also or reading.among or reading.apart or reading.further
    )


def allowed(state: State, action: Action, *, ours: bool = False) -> Action:
    """The action, if it may be done; a query of ``ours`` follows a reading, and need not be taken apart again.

    Raises:
        ValueError: it was done before, names what was never seen, or asks too much; says which.
    """
    if written(action) in {written(acted.action) for acted in state.history} and not isinstance(action, Finish):
        raise ValueError("this was done before: choose another action")
    if isinstance(action, Query):
        if not ours:
            check(action.sparql, state.seen)
        return action
    named = [action.entity, action.relation] if isinstance(action, Neighbours) else []
    if isinstance(action, Paths):
        if action.a == action.b:
            raise ValueError("paths lead between two different entities")
        if not 1 <= action.max_length <= 3:
            raise ValueError("paths are of 1 to 3 triples")
        named = [action.a, action.b]
    for iri in named:
        if iri is not None and iri not in state.seen:
            raise ValueError(unknown(iri, state.seen))
    return action


def _done(state: State, question: ActQuestion, verdict: Verdict) -> Acted:
    by = verdict.judged_by or state.desk.judges.act.name
    refused: tuple[Refusal, ...] = tuple(Refusal(text, reason) for text, reason in _refusals(verdict))
    if verdict.choice is None:
        return Acted(Finish(), verdict.rationale or "no action was chosen", 0.0, by, refused=refused)
    try:
        action = read_action(verdict.choice)
        reading = _reading(question, action)
        allowed(state, action, ours=reading is not None)
        acted = Acted(action, verdict.rationale, verdict.confidence, by, reading=reading, refused=refused)
        return _performed(state, acted)
    except (ValueError, DataError) as error:  # not an action, not allowed, or a query the store cannot read
        reason = error.what if isinstance(error, DataError) else str(error)
        return Acted(Finish(), "the action was refused", 0.0, by, refused=(*refused, Refusal(verdict.choice, reason)))
    except BackendError as error:
        reason = f"the graph did not answer: {error.what}"
        return Acted(read_action(verdict.choice), verdict.rationale, 0.0, by, refused=refused, notes=(reason,))


def _refusals(verdict: Verdict) -> tuple[tuple[str, str], ...]:
    """Actions a model was told it may not do, before the one it chose; see ``ModelActor``."""
    return tuple(getattr(verdict, "refused", ()))


def _reading(question: ActQuestion, action: Action) -> Reading | None:
    pairs = zip(question.actions, question.readings, strict=True)
    return next((reading for offered, reading in pairs if written(offered) == written(action)), None)


def _performed(state: State, acted: Acted) -> Acted:
    """The action with what the graph says to it."""
    hood, action = state.desk.hood, acted.action
    if isinstance(action, Neighbours):
        triples, notes = _neighbours(state, action, acted.reading)
        return replace(acted, triples=triples, notes=notes)
    if isinstance(action, Paths):
        paths = hood.between(action.a, action.b, action.max_length)
        return replace(acted, triples=tuple(dict.fromkeys(triple for path in paths for triple in path)))
    if isinstance(action, Query):
        values, note = values_of(hood, action.sparql)
        reading = acted.reading
        if reading is not None and reading.start is not None and reading.hops and _bare(reading):
            paths, more = hood.along(reading.start, reading.hops)
            if reading.target is not None:
                paths = [path for path in paths if reading.target in (path[-1][0], path[-1][2])]
            triples = tuple(dict.fromkeys(triple for path in paths for triple in path))
            note = note or more
        else:
            counted = reading is not None and reading.counted
            query = counted_from(reading, values) if reading is not None and counted else action.sparql
            triples = proof_of(hood, query) if values else ()
        return replace(acted, values=values, triples=triples, notes=(note,) if note else ())
    return acted


def _neighbours(
    state: State, action: Neighbours, reading: Reading | None
) -> tuple[tuple[Triple, ...], tuple[str, ...]]:
    hood, options = state.desk.hood, state.options
    if reading is not None:
        hops = [reading.hops[0]]
    elif action.relation is not None:
        hops = [Hop(action.relation), Hop(action.relation, inverse=True)]
    else:
        hops = [hop for hop, _, _ in hood.ways(action.entity, inverse=options.directions == "both").hops]
    if options.directions == "outgoing":
        hops = [hop for hop in hops if not hop.inverse]
    found: list[Triple] = []
    notes: list[str] = []
    for hop in hops:
        ends, more = hood.ends(action.entity, hop, options.page)
        if more:
            notes.append(f"{hood.names.label(hop.relation)}: the first {len(ends):,} were read, and there are more")
        for end in ends:
            if not hop.inverse:
                found.append((action.entity, hop.relation, end))
            elif isinstance(end, Iri | Blank):
                found.append((end, hop.relation, action.entity))
    return tuple(dict.fromkeys(found)), tuple(notes)


__all__ = ["act", "act_question", "action_of", "allowed", "triple_text"]
