"""Reflect: keep at most K of the triples an action returned, as growing paths (section 3.4).

Triples are chosen by index. Each is appended to the first path that ends at its subject (or,
followed backwards, at its object), or else starts a new path. The next observation starts from the
ends of the paths.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from kgnb.agents.question_answering.judges import NONE, ReflectQuestion
from kgnb.agents.question_answering.state import State, act_text, iris, triple_text
from kgnb.agents.question_answering.values import Memory, Neighbours, Path, Paths
from kgnb.judging import UNSURE
from kgnb.kg.terms import Iri, Term, Triple
from kgnb.llm.model import Message, Request

FACTS = """Write down, one a line and at most {keep}, the facts of the form "subject | relation | object" that would
answer the question between the lines below. They are compared with triples of a graph; nothing else is done with them.
-----
{question}
-----"""
_MOST = 300  # triples shown to a judge


def reflect(state: State) -> State:
    """Add the best triples of the last action to memory."""
    acted, triples = state.acted, state.acted.triples if state.acted else ()
    if not triples:
        memory = Memory(
            state.memory.paths, (), "the action brought no triple", labels=state.memory.labels
        )
        progress = bool(acted and acted.values)
    else:
        question = reflect_question(state, triples)
        chosen, reason, by = _chosen(state, question)
        memory = remember(
            state.memory, [question.triples[at] for at in chosen], state.linked.entities
        )
        labels = state.context.reader.names.labels(sorted(iris(memory.triples)))
        memory = replace(memory, reason=reason, judged_by=by, labels=labels or state.memory.labels)
        progress = bool(memory.added)
    ends = [
        end for path in memory.paths if isinstance(end := end_of(path, state.linked.entities), Iri)
    ]
    entities = tuple(dict.fromkeys(ends))[: state.options.keep] or state.linked.entities
    stalled = 0 if progress or state.talk else state.stalled + 1
    return replace(state, stage="reflect", memory=memory, entities=entities, stalled=stalled)


def reflect_question(state: State, triples: Sequence[Triple]) -> ReflectQuestion:
    """The question which of the triples to keep."""
    offered = tuple(triples[:_MOST])
    state.context.reader.names.fetch(sorted(iris(offered)))  # in one batch
    return ReflectQuestion(
        asked=state.question.text,
        text=act_text(state),
        triples=offered,
        shown=tuple(triple_text(state, triple) for triple in offered),
        keep=state.options.keep,
        ranked=_ranked(state, offered),
    )


def remember(memory: Memory, triples: Sequence[Triple], entities: Sequence[Iri] = ()) -> Memory:
    """Append triples to the memory's paths, each to the first path that it continues."""
    paths: list[Path] = list(memory.paths)
    known = set(memory.triples)
    added: list[Triple] = []
    for triple in triples:
        if triple in known:
            continue
        known.add(triple)
        added.append(triple)
        place = next(
            (
                at
                for at, path in enumerate(paths)
                if end_of(path, entities) in (triple[0], triple[2])
            ),
            None,
        )
        if place is None:
            paths.append((triple,))
        else:
            paths[place] = (*paths[place], triple)
    return Memory(tuple(paths), tuple(added))


def end_of(path: Path, entities: Sequence[Iri] = ()) -> Term:
    """Where a path ends: the end of its last triple that is not shared with the previous one."""
    subject, _, object_ = path[-1]
    if len(path) > 1:
        before = {path[-2][0], path[-2][2]}
        if object_ in before and subject not in before:
            return subject
        return object_
    return subject if object_ in entities and subject not in entities else object_


def _chosen(state: State, question: ReflectQuestion) -> tuple[list[int], str, str]:
    """The indexes of the triples to keep, the reason, and who decided."""
    mode, keep = state.options.reflection, state.options.keep
    number = len(question.triples)
    if mode == "random":
        rng = random.Random(f"{state.options.seed}:{state.question.id}:{state.round}")
        return sorted(rng.sample(range(number), min(keep, number))), "chosen at random", "random"
    if mode == "judge" and state.talk and not state.options.reflects:
        # the model has every result in its conversation: asking it what to keep would add nothing
        return list(question.ranked or range(number))[:keep], "what the model has read", "rule"
    if mode == "judge" and state.talk and _stands(state):
        return [], "the list stands in the conversation", "rule"
    action = state.acted.action if state.acted else None
    named = isinstance(action, Neighbours) and action.relation is not None
    if mode == "judge" and state.talk and named and number <= keep:
        return list(range(number)), "all of the relation that was asked for", "rule"
    if mode in ("similarity", "facts"):
        facts = _facts(state) if mode == "facts" else []
        said = "nearest to facts the model wrote" if facts else "nearest to the question"
        near = state.context.wording.likeness(facts or [state.question.text], question.shown).max(
            axis=0
        )
        best = sorted(range(number), key=lambda at: (-round(float(near[at]), 6), at))[:keep]
        return best, said, mode
    (verdict,) = state.context.judges.reflect.judge([question])
    by = verdict.judged_by or state.context.judges.reflect.name
    if verdict.decision in (NONE, UNSURE) or verdict.choice is None:
        return [], verdict.rationale, by
    asked = [verdict.choice, *(choice for choice, _ in verdict.also)]
    chosen = [int(choice) for choice in asked if choice.isdecimal() and int(choice) < number]
    return list(dict.fromkeys(chosen))[:keep], verdict.rationale, by


def _stands(state: State) -> bool:
    """Whether the last action went on in a list, or listed a class."""
    action = state.acted.action if state.acted else None
    if action is None or not isinstance(action, Neighbours | Paths):
        return False
    return action.page > 0 or state.lists_all(action)


def _ranked(state: State, triples: Sequence[Triple]) -> tuple[int, ...]:
    """Indexes of the triples in depth-first order from the entities, so that whole paths come
    first; then the rest.
    """
    index = {triple: at for at, triple in enumerate(triples)}
    ends: dict[Term, list[Triple]] = {}
    for triple in triples:
        ends.setdefault(triple[0], []).append(triple)
        ends.setdefault(triple[2], []).append(triple)
    order: list[int] = []
    taken: set[Triple] = set()

    def follow(term: Term, depth: int) -> None:
        for triple in ends.get(term, ()):
            if triple not in taken and depth < 4:
                taken.add(triple)
                order.append(index[triple])
                follow(triple[2] if triple[0] == term else triple[0], depth + 1)

    for entity in state.linked.entities:
        follow(entity, 0)
    return (*order, *(at for triple, at in index.items() if triple not in taken))


def _facts(state: State) -> list[str]:
    """Facts that the model expects; empty without a model."""
    if state.context.model is None:
        return []
    prompt = FACTS.format(keep=state.options.keep, question=" ".join(state.question.text.split()))
    reply = state.context.model.ask(Request((Message("user", prompt),)))
    return [line.strip() for line in reply.text.splitlines() if line.strip()][: state.options.keep]
