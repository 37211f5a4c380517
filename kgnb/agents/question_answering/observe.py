"""Observe: explore the entities' neighbourhood, relations first, and interpret the question
(section 3.2).

Each of the D turns scores the relations of the observed entities, in both directions, against the
question; reads the other ends of the best ones, N triples in total; and continues from the other
ends of the best P percent. If a relation has more ends than fit, the ends are ranked by their own
vectors. All vectors are cached by text.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from kgnb.agents.question_answering.interpretation import Hop
from kgnb.agents.question_answering.names import is_relation
from kgnb.agents.question_answering.semantic_parser import interpret
from kgnb.agents.question_answering.state import State, iris
from kgnb.agents.question_answering.values import Observation, Seen
from kgnb.kg.labels import is_code
from kgnb.kg.terms import Blank, Iri, Literal, Term, Triple

_ENTITIES = 5  # entities expanded if queries may follow
_DEPTH = 3  # D of the paper
_RELATIONS = 12  # relations per entity whose ends are read in one turn


def observe(state: State) -> State:
    """Start the next round with a new observation around the state's entities."""
    options, context = state.options, state.context
    queries, embedded = context.reader.queries, context.wording.computed
    if state.talk and not options.observes:  # the model explores on its own
        return replace(state, stage="observe", round=state.round + 1)
    if state.settled:  # no observation could change the best interpretation now
        return replace(state, stage="observe", round=state.round + 1)
    interpretations = state.observation.interpretations if state.round else interpret(state)
    triples: tuple[Seen, ...] = ()
    notes: tuple[str, ...] = (
        "observation is switched off: only the readings of the question are seen",
    )
    if options.observation:
        triples, notes = _look(state) if options.observes else _near(state)
    shown = iris(tuple(seen.triple for seen in triples))
    used = frozenset(str(iri) for interpretation in interpretations for iri in interpretation.iris)
    labels = context.reader.names.labels(sorted(shown | used))
    observation = Observation(
        triples,
        interpretations,
        notes,
        context.reader.queries - queries,
        context.wording.computed - embedded,
        labels,
    )
    seen = state.seen | shown | used | frozenset(map(str, state.entities))
    return replace(
        state,
        stage="observe",
        round=state.round + 1,
        observation=observation,
        observed=tuple(dict.fromkeys((*state.observed, *(one.triple for one in triples)))),
        seen=seen,
    )


def _near(state: State) -> tuple[tuple[Seen, ...], tuple[str, ...]]:
    """One triple per relation of the entities, best match first.

    This costs one query per entity, and suffices to start with if queries may follow.
    """
    found, notes = list[Seen](), list[str]()
    homonyms = (link.iri for link in state.linked.links if not link.is_class)
    for entity in list(dict.fromkeys((*state.entities, *homonyms)))[:_ENTITIES]:
        found += [
            Seen(_triple(entity, hop, end), score, 1, hop.inverse, ends)
            for (hop, ends, end), score in _scored(state, entity, notes)
            if end is not None and _fits(hop, end)
        ]
    return tuple(sorted(found, key=_order)[: state.options.breadth]), tuple(notes)


def _scored(
    state: State, entity: Iri, notes: list[str]
) -> list[tuple[tuple[Hop, int, Term | None], float]]:
    """An entity's relations, each with its number of ends, one of them, and its nearness to the
    question.
    """
    context = state.context
    expansion = context.reader.expand(entity, inverse=state.options.directions == "both")
    if expansion.note:
        notes.append(f"{context.reader.names.label(entity)}: {expansion.note}")
    known = [step for step in expansion.hops if is_relation(step[0].relation)]
    if not known:
        return []
    context.lexicon.meet((hop.relation, sample) for hop, _, sample in known)
    names = [context.lexicon.name(hop.relation) for hop, _, _ in known]
    near = context.wording.nearness([state.question.text], names)[0]
    return [(step, float(score)) for step, score in zip(known, near, strict=True)]


def _look(state: State) -> tuple[tuple[Seen, ...], tuple[str, ...]]:
    """The observed triples, best first, and notes on what was left out."""
    options = state.options
    found: dict[Triple, Seen] = {}
    notes: list[str] = []
    frontier, looked = list(state.entities), set[Iri]()
    depth = options.depth or (_DEPTH if options.tools == "paper" else 1)
    for turn in range(1, depth + 1):
        around = [seen for entity in frontier for seen in _around(state, entity, turn, notes)]
        looked.update(frontier)
        around.sort(key=_order)
        kept = [seen for seen in around if seen.triple not in found][: options.breadth]
        found.update((seen.triple, seen) for seen in kept)
        best = kept[: ceil(options.share * len(kept))]
        ends = [seen.triple[0] if seen.inverse else seen.triple[2] for seen in best]
        frontier = [
            end for end in dict.fromkeys(ends) if isinstance(end, Iri) and end not in looked
        ]
        if not frontier:
            break
    return tuple(sorted(found.values(), key=_order)), tuple(dict.fromkeys(notes))


def _around(state: State, entity: Iri, turn: int, notes: list[str]) -> list[Seen]:
    """The triples of one entity's best relations."""
    context, options = state.context, state.options
    ranked = sorted(
        _scored(state, entity, notes),
        key=lambda entry: (-entry[1], entry[0][0].relation, entry[0][0].inverse),
    )
    room = max(3, options.breadth // 4)
    found: list[Seen] = []
    for (hop, count, _), score in ranked[:_RELATIONS]:
        ends, more = _ends(state, entity, hop, count, room)
        if more:
            notes.append(
                f"{context.reader.names.label(entity)}, {context.lexicon.name(hop.relation)}: {more}"
            )
        found += [
            Seen(_triple(entity, hop, end), score, turn, hop.inverse, count)
            for end in ends
            if _fits(hop, end)
        ]
    return found


def _ends(state: State, entity: Iri, hop: Hop, count: int, room: int) -> tuple[list[Term], str]:
    """The other ends of a relation: all, or the best ``room`` from a sample of one page; and a note
    if sampled.
    """
    context = state.context
    if count <= room:
        return list(context.reader.ends(entity, hop, room)[0]), ""
    read, truncated = context.reader.ends(entity, hop, state.options.page)
    sample = (
        [read[at * len(read) // (2 * room)] for at in range(2 * room)]
        if len(read) > 2 * room
        else list(read)
    )
    sample = list(dict.fromkeys(sample))
    context.reader.names.fetch([end for end in sample if isinstance(end, Iri)])
    # codes carry no meaning: do not pay for their vectors
    texts = [
        context.reader.names.label(end) if isinstance(end, Iri) else getattr(end, "text", "")
        for end in sample
    ]
    texts = ["" if is_code(text) else text for text in texts]
    near = context.wording.likeness([state.question.text], texts)[0]
    best = sorted(range(len(sample)), key=lambda at: (-near[at], at))[:room]
    of = f"the first {len(read):,} of " if truncated else ""
    return [
        sample[at] for at in sorted(best)
    ], f"{len(best)} of {of}{max(count, len(read)):,} were taken, evenly spread"


def _triple(entity: Iri, hop: Hop, end: Term) -> Triple:
    if hop.inverse and isinstance(end, Iri | Blank):
        return (end, hop.relation, entity)
    return (entity, hop.relation, end)


def _fits(hop: Hop, end: Term) -> bool:
    return not (hop.inverse and isinstance(end, Literal))


def _order(seen: Seen) -> tuple[float, int, str, str, str]:
    subject, relation, object_ = seen.triple
    return (-round(seen.score, 6), seen.turn, str(relation), str(subject), str(object_))
