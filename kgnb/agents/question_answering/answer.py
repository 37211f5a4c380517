"""Answer: values, the triples that prove them, and a query that reproduces them (section 3.1).

A query is shown only if running it returned exactly the values. If the memory does not support an
answer, or the wording does not fit the relations followed, the answer has status "unsure", no
values, and the result of the best interpretation as a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgnb.agents.question_answering.graph_reader import of_values
from kgnb.agents.question_answering.interpretation import Hop, Interpretation, sparql
from kgnb.agents.question_answering.judges import GIVE, AnswerQuestion
from kgnb.agents.question_answering.querying import (
    Resolved,
    projected,
    resolve,
    seen_triples,
    values_of,
)
from kgnb.agents.question_answering.reflect import end_of
from kgnb.agents.question_answering.segmentation import tokens
from kgnb.agents.question_answering.state import State, act_text, iris, term_text
from kgnb.agents.question_answering.values import Acted, Answer, Commit, GiveUp, Guess, Path, Query
from kgnb.errors import BackendError, DataError
from kgnb.kg.engine_query import touched
from kgnb.kg.graph import reading_notes
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.sparql import refuse_update
from kgnb.kg.terms import XSD, Blank, Iri, Literal, Term, Triple, n3
from kgnb.results.wording import percent

_MOST = 200  # values a judge looks at
_STEPS = 3  # triples in a row that may lead to a value
_SUPPORT = 200  # triples shown as proof
_LABELLED = 1000  # values whose labels are looked up; the rest show their IRI
_EMPTY = ((Literal("false", datatype=f"{XSD}boolean"),), (Literal("0", datatype=f"{XSD}integer"),))

_Tested = tuple[tuple[Term, ...], str, str]
"""Values, a query that returns exactly these ("" if there is none), and a note."""


def answer(state: State) -> State:
    """Answer the question, or say why that is not possible."""
    acted = state.acted
    if acted is not None and isinstance(acted.action, Commit | GiveUp):
        found = _committed(state, acted, acted.action)
    elif (
        acted is not None
        and acted.refused
        and not any(one.values or one.triples for one in state.history)
    ):
        found = _unsure(state, _blank(state, acted.judged_by, acted.reason, 0.0), (), ())
    else:
        found = _judged(state)
    return replace(state, stage="answer", answered=found)


def _judged(state: State) -> Answer:
    """The values that a judge chooses among those found."""
    question, acted = answer_question_of(state)
    (verdict,) = state.context.judges.answer.judge([question])
    by = verdict.judged_by or state.context.judges.answer.name
    choices = (
        [verdict.choice, *(choice for choice, _ in verdict.also)]
        if verdict.decision == GIVE
        else []
    )
    indexes = dict.fromkeys(
        int(choice) for choice in choices if choice is not None and choice.isdecimal()
    )
    chosen = tuple(question.values[at] for at in indexes if at < len(question.values))
    base = _blank(state, by, verdict.rationale, verdict.confidence)
    support = _support(state, question, acted, chosen)
    if chosen and support and verdict.confidence >= state.options.confidence:
        return _answered(state, base, support, _reproduced(state, question, acted, chosen))
    if chosen and acted is not None and acted.interpretation is not None:
        values, query, _ = _reproduced(state, question, acted, chosen)
        base = replace(base, guess=Guess(values, query), labels=_labels(state, values, ()))
    found = _unsure(state, base, chosen, support)
    if not verdict.failed or verdict.rationale in found.rationale:
        return found
    return replace(found, rationale=f"{found.rationale}; {verdict.rationale}")


def _committed(state: State, acted: Acted, ending: Commit | GiveUp) -> Answer:
    """The answer a model gave in its conversation, with the triples and the query that prove it."""
    base = _blank(state, acted.judged_by, acted.reason, acted.confidence)
    if isinstance(ending, GiveUp):
        return _unsure(state, base, (), ())
    found = resolve(state, ending)
    tested: _Tested = (found.values, found.absence, "")
    support = found.triples
    if found.table is not None and found.query is not None:
        assert isinstance(found.query.action, Query)
        cut = "there are more rows than were read" if found.query.truncated else ""
        answered = _answered(
            state, base, found.query.triples, (found.values, found.query.action.sparql, cut)
        )
        cells = tuple(term for row in found.table.rows for term in row if term is not None)
        labels = {**answered.labels, **_labels(state, cells, ())}
        return replace(answered, table=found.table, labels=labels)
    if found.query is not None and isinstance(found.query.action, Query):
        support = found.query.triples
        tested = _tested(state, _column_query(found, found.query.action.sparql), found.values)
    support = support or _along(state, found.values) or _leading_to(state, found.values)
    support = support or _listed(state, found.values) or _compared(state, found.values)
    if not tested[1] and (interpretation := _common(state, found.values)):
        tested = _tested(state, sparql(interpretation), found.values)
    if not tested[1] and not support:
        return _unsure(state, base, found.values, ())
    return _answered(state, base, support, (found.values, *tested[1:]))


def _answered(state: State, base: Answer, support: tuple[Triple, ...], tested: _Tested) -> Answer:
    values, query, note = tested
    beyond = getattr(state.context.graph, "beyond", ())
    return replace(
        base,
        values=values,
        support=support[:_SUPPORT],
        sparql=query,
        status="answered" if state.finished else "forced",
        notes=(*base.notes, *touched(query, beyond, PREFIXES), *([note] if note else [])),
        labels=_labels(state, values, support[:_SUPPORT]),
    )


def _blank(state: State, by: str, rationale: str, confidence: float) -> Answer:
    """An answer without values, with everything known about how it was reached."""
    notes = [*state.context.reader.missing, *reading_notes(state.context.graph)]
    for one in state.history:
        notes += [
            *one.notes,
            *(f"refused: {refusal.action[:200]}: {refusal.reason}" for refusal in one.refused),
        ]
    return Answer(
        state.question,
        rounds=state.round,
        judged_by=by,
        paths=state.memory.paths,
        linked=state.linked,
        rationale=rationale,
        confidence=round(confidence, 4),
        notes=tuple(notes),
    )


def _column_query(found: Resolved, query: str) -> str:
    """The query of a model, for the one column and the values that answer."""
    assert found.query is not None
    if len(found.query.columns) > 1 and refuse_update(query) == "SELECT":
        query = projected(query, found.column)
    return query if found.whole else projected(query, found.column, found.values)


def _tested(state: State, query: str, values: tuple[Term, ...], *, more: bool = False) -> _Tested:
    """The values, with the query if it returns exactly these, or with ``more``, at least these."""
    try:
        found, note = values_of(state.context.reader, query)
    except (BackendError, DataError, ValueError) as error:
        return (
            values,
            "",
            f"no query is shown, for it could not be run: {str(error).splitlines()[0]}",
        )
    if set(found) == set(values) or (more and set(found) >= set(values)):
        return found, query, note
    return values, "", "no query is shown: none gives exactly these values"


def _along(state: State, values: Sequence[Term]) -> tuple[Triple, ...]:
    """The triples of all remembered paths that end in the values."""
    paths = (path for path in state.memory.paths if end_of(path, state.linked.entities) in values)
    return tuple(dict.fromkeys(triple for path in paths for triple in path))


def _leading_to(state: State, values: Sequence[Term]) -> tuple[Triple, ...]:
    """The triples seen so far that lead from an entity of the question to each of the values; none
    if a value is not reached.

    A triple that merely mentions a value, such as another thing's "1", proves nothing.
    """
    edges: dict[Term, list[Triple]] = {}
    for triple in seen_triples(state):
        edges.setdefault(triple[0], []).append(triple)
        if not isinstance(triple[2], Literal):
            edges.setdefault(triple[2], []).append(triple)
    reached: dict[Term, tuple[Triple, ...]] = {entity: () for entity in state.linked.entities}
    frontier = list(reached)
    for _ in range(_STEPS):
        fresh: list[Term] = []
        for here in frontier:
            for triple in edges.get(here, ()):
                there = triple[2] if triple[0] == here else triple[0]
                if there not in reached:
                    reached[there] = (*reached[here], triple)
                    fresh.append(there)
        frontier = fresh
    if not all(reached.get(value) for value in values):
        return ()
    return tuple(dict.fromkeys(triple for value in values for triple in reached[value]))


def _listed(state: State, values: Sequence[Term]) -> tuple[Triple, ...]:
    """The triples at these values in lists over a class or a relation; none if a value is in no
    list.
    """
    lists = [acted.triples for acted in state.history if state.lists_all(acted.action)]
    ends = {end for triples in lists for triple in triples for end in (triple[0], triple[2])}
    if not ends.issuperset(values):
        return ()
    there = set(values)
    every = dict.fromkeys(triple for triples in lists for triple in triples)
    return tuple(triple for triple in every if triple[0] in there or triple[2] in there)


def _compared(state: State, values: Sequence[Term]) -> tuple[Triple, ...]:
    """The numbers and dates that all entities of the question have of one relation, which a
    comparison between them rests on; none if a value is not one of these entities.
    """
    entities = set(state.linked.entities)
    if len(entities) < 2 or not entities.issuperset(values):
        return ()
    having: dict[Term, set[Term]] = {}
    numbers = [t for t in seen_triples(state) if t[0] in entities and of_values([t])]
    for subject, relation, _ in numbers:
        having.setdefault(relation, set()).add(subject)
    return tuple(triple for triple in numbers if having[triple[1]] == entities)


def answer_question_of(state: State) -> tuple[AnswerQuestion, Acted | None]:
    """The question which of the values found are the answer, and the action that returned them."""
    acted = state.followed or next(
        (a for a in reversed(state.history) if a.values or a.triples), None
    )
    if acted is not None and acted.values:
        values = acted.values
    elif acted is not None and acted.interpretation is not None:
        back = acted.interpretation.hops[-1].inverse
        values = tuple(dict.fromkeys(triple[0] if back else triple[2] for triple in acted.triples))
    else:
        values = tuple(
            dict.fromkeys(end_of(path, state.linked.entities) for path in state.memory.paths)
        )
    offered = values[:_MOST]
    state.context.reader.names.fetch(sorted(iris(offered)))
    return (
        AnswerQuestion(
            asked=state.question.text,
            text=act_text(state),
            values=offered,
            shown=tuple(term_text(state, value) for value in offered),
            interpretation=acted.interpretation if acted else None,
            complete=acted is not None
            and len(values) <= _MOST
            and not (acted.interpretation and acted.notes),
        ),
        acted,
    )


def _support(
    state: State, question: AnswerQuestion, acted: Acted | None, chosen: Sequence[Term]
) -> tuple[Triple, ...]:
    """The triples that prove the chosen values: whole paths ending in them, or all that a query
    matched.
    """
    if not chosen or acted is None or not (acted.values or acted.interpretation):
        return _along(state, chosen)
    if acted.interpretation and set(chosen) != set(question.values):
        return (
            tuple(one for one in acted.triples if one[0] in chosen or one[2] in chosen)
            or acted.triples
        )
    if (
        not acted.triples
        and acted.interpretation
        and acted.interpretation.hops
        and acted.values in _EMPTY
    ):
        return (
            acted.interpretation.nearby
        )  # for "no" or a count of zero: what the start of the pattern has instead
    return acted.triples


def _reproduced(
    state: State, question: AnswerQuestion, acted: Acted | None, chosen: tuple[Term, ...]
) -> _Tested:
    query = ""
    if acted is not None and acted.interpretation is not None:
        query = sparql(acted.interpretation)
        ran = isinstance(acted.action, Query) and acted.action.sparql == query and not acted.notes
        if ran and set(acted.values) == set(chosen):  # this query has just returned them
            return acted.values, query, ""
    elif acted is not None and isinstance(acted.action, Query):
        query = acted.action.sparql
    elif interpretation := _common(state, chosen):
        query = sparql(interpretation)
    return _tested(state, query, chosen, more=not question.complete) if query else (chosen, "", "")


def _common(state: State, chosen: Sequence[Term]) -> Interpretation | None:
    """The one sequence of relations, if any, on all remembered paths from a task entity to the
    chosen values.
    """
    ending = (path for path in state.memory.paths if end_of(path, state.linked.entities) in chosen)
    found = {steps for path in ending if (steps := _steps(path, state.linked.entities))}
    return Interpretation(*found.pop()) if len(found) == 1 else None


def _steps(path: Path, entities: Sequence[Iri]) -> tuple[Iri, tuple[Hop, ...]] | None:
    """The entity a path starts from, and its relations."""
    for start in entities:
        hops, here = list[Hop](), start
        for subject, relation, object_ in path:
            if here not in (subject, object_):
                break
            hops.append(Hop(relation, here != subject))
            here = object_ if here == subject else subject  # type: ignore[assignment]  # the end may be a literal
        else:
            return start, tuple(hops)
    return None


def _unsure(
    state: State, base: Answer, chosen: Sequence[Term], support: Sequence[Triple]
) -> Answer:
    """No answer from the graph; the model's own, marked as such, if allowed and available."""
    if not state.linked.entities and not chosen:
        reason = "no entity of the graph was found in the question"
        if near := state.context.directory.holding(tokens(state.question.text)):
            reason += f"; did you mean {' or '.join(near)}?"
    elif chosen and not support:
        reason = "nothing in the graph proves it"
    elif chosen:
        likely, needed = percent(base.confidence), percent(state.options.confidence)
        reason = f"too unlikely ({likely}, needed {needed}): {base.rationale}"
    else:
        reason = base.rationale or "nothing was found"
    blank = replace(
        base, status="unsure", rationale=reason, confidence=base.confidence if chosen else 0.0
    )
    remembers = state.options.own_knowledge or state.context.judges.own_knowledge
    if remembers and state.context.model is not None:
        from kgnb.agents.question_answering.model_judges import own_answer

        return own_answer(state.context.model, blank)
    return blank


def _labels(state: State, values: Sequence[Term], support: Sequence[Triple]) -> dict[str, str]:
    wanted = (
        iris(tuple(values[:_LABELLED]))
        | iris(tuple(support))
        | iris(state.memory.triples)
        | frozenset(map(str, state.linked.entities))
    )
    names = state.context.reader.names
    ends = [*values[:_LABELLED], *(end for triple in support for end in triple)]
    blanks = {n3(end): names.shown(end) for end in ends if isinstance(end, Blank)}
    return {**names.labels(sorted(wanted)), **blanks}
