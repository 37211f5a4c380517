"""Answer: values, the triples that prove them, and a query that reproduces them (section 3.1).

A query is shown only if running it returned exactly the values. If the memory does not support an answer, or the
wording does not fit the relations followed, the answer has status "unsure", no values, and the result of the best
interpretation as a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgnb.agents.question_answering.interpretation import Hop, Interpretation, sparql
from kgnb.agents.question_answering.judges import GIVE, AnswerQuestion
from kgnb.agents.question_answering.querying import Resolved, projected, resolve, same_values, values_of
from kgnb.agents.question_answering.reflect import end_of
from kgnb.agents.question_answering.state import State, act_text, iris, term_text
from kgnb.agents.question_answering.values import Acted, Answer, Commit, GiveUp, Guess, Path, Query, Status
from kgnb.errors import BackendError, DataError
from kgnb.kg.sparql import refuse_update
from kgnb.kg.terms import XSD, Iri, Literal, Term, Triple

_MOST = 200  # values a judge looks at
_SUPPORT = 200  # triples shown as proof
_LABELLED = 1000  # values whose labels are looked up; the rest show their IRI


def answer(state: State) -> State:
    """Answer the question, or say why that is not possible."""
    if state.acted is not None and isinstance(state.acted.action, Commit | GiveUp):
        return replace(state, stage="answer", answered=_committed(state, state.acted, state.acted.action))
    if state.acted is not None and state.acted.refused and not any(one.values or one.triples for one in state.history):
        blank = _blank(state, state.acted.judged_by, state.acted.reason, 0.0)
        return replace(state, stage="answer", answered=_unsure(state, blank, (), ()))
    question, acted = answer_question_of(state)
    (verdict,) = state.context.judges.answer.judge([question])
    by = verdict.judged_by or state.context.judges.answer.name
    chosen = _chosen(question, verdict.decision, [verdict.choice, *(choice for choice, _ in verdict.also)])
    base = _blank(state, by, verdict.rationale, verdict.confidence)
    support = _support(state, question, acted, chosen)
    if not chosen or not support or verdict.confidence < state.options.confidence:
        if chosen and acted is not None and acted.interpretation is not None:
            values, query, _ = _reproduced(state, question, acted, chosen)
            base = replace(base, guess=Guess(values, query), labels=_labels(state, values, ()))
        return replace(state, stage="answer", answered=_unsure(state, base, chosen, support))
    values, query, note = _reproduced(state, question, acted, chosen)
    status: Status = "answered" if state.finished else "forced"
    found = replace(
        base, values=values, support=support[:_SUPPORT], sparql=query, status=status,
        notes=(*base.notes, *([note] if note else [])), labels=_labels(state, values, support[:_SUPPORT]),
    )  # fmt: skip
    return replace(state, stage="answer", answered=found)


def _blank(state: State, by: str, rationale: str, confidence: float) -> Answer:
    """An answer without values, with everything known about how it was reached."""
    return Answer(
        state.question,
        rounds=state.round,
        judged_by=by,
        paths=state.memory.paths,
        linked=state.linked,
        rationale=rationale,
        confidence=round(confidence, 4),
        notes=tuple(
            note for one in state.history for note in (*one.notes, *(_said(r.action, r.reason) for r in one.refused))
        ),
    )


def _committed(state: State, acted: Acted, ending: Commit | GiveUp) -> Answer:
    """The answer a model gave in its conversation, with the triples and the query that prove it."""
    base = _blank(state, acted.judged_by, acted.reason, acted.confidence)
    if isinstance(ending, GiveUp):
        return _unsure(state, base, (), ())
    found = resolve(state, ending)
    query, note = "", ""
    support: tuple[Triple, ...] = ()
    if found.query is not None and isinstance(found.query.action, Query):
        support = found.query.triples
        query, note = _gives(state, found, found.query.action.sparql)
    if not support:
        paths = [path for path in state.memory.paths if end_of(path, state.linked.entities) in found.values]
        support = tuple(dict.fromkeys(triple for path in paths for triple in path)) or _touching(state, found.values)
    if not query and (interpretation := _common(state, found.values)):
        query, note = _gives(state, found, sparql(interpretation))
    if not query and not support:
        return _unsure(state, base, found.values, ())
    return replace(
        base, values=found.values, support=support[:_SUPPORT], sparql=query, status="answered",
        notes=(*base.notes, *([note] if note else [])), labels=_labels(state, found.values, support[:_SUPPORT]),
    )  # fmt: skip


def _gives(state: State, found: Resolved, query: str) -> tuple[str, str]:
    """A tested query that returns exactly the values ("" if there is none), and a note."""
    column = found.column
    if found.query is not None and len(found.query.columns) > 1 and refuse_update(query) == "SELECT":
        query = projected(query, column)
    if found.query is not None and not found.whole:
        query = projected(query, column, found.values)
    try:
        values, note = values_of(state.context.reader, query)
    except (BackendError, DataError, ValueError) as error:
        return "", f"no query is shown, for it could not be run: {str(error).splitlines()[0]}"
    if same_values(values, found.values):
        return query, note
    return "", "no query is shown: none gives exactly these values"


def _touching(state: State, values: Sequence[Term]) -> tuple[Triple, ...]:
    """The triples seen so far that mention the values."""
    seen = [*(triple for one in state.history for triple in one.triples), *state.memory.triples]
    seen += [one.triple for one in state.observation.triples]
    return tuple(dict.fromkeys(triple for triple in seen if triple[0] in values or triple[2] in values))


def answer_question_of(state: State) -> tuple[AnswerQuestion, Acted | None]:
    """The question which of the values found are the answer, and the action that returned them."""
    acted = state.followed or next((a for a in reversed(state.history) if a.values or a.triples), None)
    values: tuple[Term, ...] = ()
    if acted is not None and acted.values:
        values = acted.values
    elif acted is not None and acted.interpretation is not None:
        values = tuple(dict.fromkeys(_end(acted.interpretation.hops[-1], triple) for triple in acted.triples))
    else:
        values = tuple(dict.fromkeys(end_of(path, state.linked.entities) for path in state.memory.paths))
    offered = values[:_MOST]
    state.context.reader.names.fetch(sorted(iris(offered)))
    return (
        AnswerQuestion(
            asked=state.question.text,
            text=act_text(state),
            values=offered,
            shown=tuple(term_text(state, value) for value in offered),
            interpretation=acted.interpretation if acted else None,
            complete=acted is not None and len(values) <= _MOST and not (acted.interpretation and acted.notes),
        ),
        acted,
    )


def _chosen(question: AnswerQuestion, decision: str, choices: Sequence[str | None]) -> tuple[Term, ...]:
    if decision != GIVE:
        return ()
    indexes = [int(choice) for choice in choices if choice is not None and choice.isdecimal()]
    return tuple(question.values[at] for at in dict.fromkeys(indexes) if at < len(question.values))


def _support(state: State, question: AnswerQuestion, acted: Acted | None, chosen: Sequence[Term]) -> tuple[Triple, ...]:
    """The triples that prove the chosen values: whole paths ending in them, or all that a query matched."""
    if not chosen:
        return ()
    if acted is not None and (acted.values or acted.interpretation is not None):
        if set(chosen) == set(question.values) or not acted.interpretation:
            return acted.triples or _denied(acted)
        paths = _paths(acted, chosen)
        return tuple(dict.fromkeys(triple for path in paths for triple in path)) or acted.triples
    paths = [path for path in state.memory.paths if end_of(path, state.linked.entities) in chosen]
    return tuple(dict.fromkeys(triple for path in paths for triple in path))


def _denied(acted: Acted) -> tuple[Triple, ...]:
    """Proof for "no" or a count of zero: the triples near the start of the pattern that found no match."""
    interpretation = acted.interpretation
    if interpretation is None or interpretation.start is None or not interpretation.hops:
        return ()
    empty = acted.values in (
        (Literal("false", datatype=f"{XSD}boolean"),),
        (Literal("0", datatype=f"{XSD}integer"),),
    )
    return interpretation.nearby if empty else ()


def _paths(acted: Acted, chosen: Sequence[Term]) -> list[Path]:
    return [(triple,) for triple in acted.triples if triple[0] in chosen or triple[2] in chosen]


def _reproduced(
    state: State, question: AnswerQuestion, acted: Acted | None, chosen: tuple[Term, ...]
) -> tuple[tuple[Term, ...], str, str]:
    """The values, a query that returns exactly these ("" if there is none), and a note."""
    query = ""
    if acted is not None and acted.interpretation is not None:
        query = sparql(acted.interpretation)
        ran = isinstance(acted.action, Query) and acted.action.sparql == query and not acted.notes
        if ran and same_values(acted.values, chosen):  # this query has just returned them
            return acted.values, query, ""
    elif acted is not None and isinstance(acted.action, Query):
        query = acted.action.sparql
    elif interpretation := _common(state, chosen):
        query = sparql(interpretation)
    if not query:
        return chosen, "", ""
    try:
        values, note = values_of(state.context.reader, query)
    except (BackendError, DataError, ValueError) as error:
        return chosen, "", f"no query is shown, for it could not be run: {str(error).splitlines()[0]}"
    if same_values(values, chosen) or (question.complete is False and set(chosen) <= set(values)):
        return values, query, note
    return chosen, "", "no query is shown: none gives exactly these values"


def _common(state: State, chosen: Sequence[Term]) -> Interpretation | None:
    """The one sequence of relations, if any, on all remembered paths from a task entity to the chosen values."""
    found: set[tuple[Iri, tuple[Hop, ...]]] = set()
    for path in state.memory.paths:
        if end_of(path, state.linked.entities) not in chosen:
            continue
        for start in state.linked.entities:
            hops, here = [], start
            for subject, relation, object_ in path:
                if here not in (subject, object_):
                    break
                hops.append(Hop(relation, here != subject))
                here = object_ if here == subject else subject  # type: ignore[assignment]  # the end may be a literal
            if len(hops) == len(path):
                found.add((start, tuple(hops)))
                break
    if len(found) != 1:
        return None
    ((start, common),) = found
    return Interpretation(start, common)


def _unsure(state: State, base: Answer, chosen: Sequence[Term], support: Sequence[Triple]) -> Answer:
    """No answer from the graph; the model's own, marked as such, if allowed and available."""
    if not state.linked.entities and not chosen:
        reason = "no entity of the graph was found in the question"
    elif chosen and not support:
        reason = "nothing in the graph proves it"
    elif chosen:
        reason = f"too unlikely ({base.confidence:.2f}, needed {state.options.confidence:.2f}): {base.rationale}"
    else:
        reason = base.rationale or "nothing was found"
    blank = replace(base, status="unsure", rationale=reason, confidence=base.confidence if chosen else 0.0)
    if state.options.own_knowledge and state.context.model is not None:
        from kgnb.agents.question_answering.model_judges import own_answer

        return own_answer(state.context.model, blank)
    return blank


def _end(hop: Hop, triple: Triple) -> Term:
    return triple[0] if hop.inverse else triple[2]


def _labels(state: State, values: Sequence[Term], support: Sequence[Triple]) -> dict[str, str]:
    wanted = (
        iris(tuple(values[:_LABELLED]))
        | iris(tuple(support))
        | iris(state.memory.triples)
        | frozenset(map(str, state.linked.entities))
    )
    return dict(state.context.reader.names.labels(sorted(wanted)))


def _said(action: str, reason: str) -> str:
    return f"refused: {action[:200]}: {reason}"
