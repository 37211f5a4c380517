"""Act: a judge chooses an action, and it is run on the graph (section 3.3).

Queries and unlisted actions that a judge writes may name only IRIs seen in this run and the graph's
classes and relations. Repeated actions and ``Paths`` with fewer than two entities are refused. A
model's conversation continues in ``State.talk``, with the outcome of each call as its result.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kgnb.agents.question_answering.graph_reader import GraphReader, kind_of, number_of
from kgnb.agents.question_answering.interpretation import (
    Hop,
    Interpretation,
    body,
    counted_from,
    sparql,
)
from kgnb.agents.question_answering.judges import ActQuestion
from kgnb.agents.question_answering.names import is_relation
from kgnb.agents.question_answering.prompts import (
    ROWS,
    listed_whole,
    look_lines,
    path_texts,
    result_text,
    with_prefixes,
)
from kgnb.agents.question_answering.querying import (
    check,
    proof_of,
    resolve,
    rows_of,
    ties,
    unknown,
    values_of,
)
from kgnb.agents.question_answering.state import State, act_text, iris
from kgnb.agents.question_answering.values import (
    Acted,
    Action,
    Commit,
    Finish,
    GiveUp,
    Look,
    Neighbours,
    Paths,
    Query,
    Refusal,
    read_action,
)
from kgnb.errors import BackendError, DataError
from kgnb.judging import Verdict
from kgnb.kg.sparql import refuse_update
from kgnb.kg.terms import RDFS, Blank, Iri, Term, Triple, bare_text, n3
from kgnb.llm.model import Message

_READINGS = 5  # interpretations offered
_NEIGHBOURS = 12  # neighbours offered
SUBCLASS_OF = f"{RDFS}subClassOf"
_TRIED = 4  # interpretations run in advance for a model to choose from
PENDING = "(asked)"
"""Placeholder for the result of a call whose action is still to be performed."""


def act(state: State) -> State:
    """Perform one more action: the judge chooses it, it is checked, and the graph replies."""
    question = act_question(state)
    (verdict,) = state.context.judges.act.judge([question])
    state = after(state, getattr(verdict, "tried", ()))
    known: dict[str, str] = {**state.observation.labels, **state.memory.labels}
    known |= {one.iri: one.label for one in state.linked.links}
    acted = replace(_done(state, question, verdict), labels=known)
    new = replace(after(state, [acted]), stage="act")
    column = getattr(verdict, "column", "")
    return _ended(_told(new, acted, verdict, column), acted, column)


def after(state: State, done: Sequence[Acted]) -> State:
    """Add actions to the history, and the IRIs they returned to those seen."""
    seen = state.seen
    for acted in done:
        seen |= iris(acted.triples) | iris(acted.values)
        seen |= iris(tuple(term for row in acted.rows for term in row if term is not None))
        if isinstance(acted.action, Look):
            seen |= look_lines(state, acted.action.words)[1]
    return replace(state, history=(*state.history, *done), seen=seen)


def _ended(state: State, acted: Acted, column: str) -> State:
    """Commit to a query's result at once if the judge asked for it; results that are empty or zero
    are shown first.
    """
    if not column or not acted.number or _not_taken(acted, column) or acted.notes:
        return state
    ending = Commit(acted.number, column)
    ended = Acted(ending, acted.reason, acted.confidence, acted.judged_by, labels=acted.labels)
    return replace(state, history=(*state.history, ended))


def _not_taken(acted: Acted, column: str) -> str:
    """Why a query that was to end the run does not; "" if it does."""
    missing = [name for name in column.split(",") if name not in acted.columns]
    if missing:
        return f"it has no column {missing[0]}: call `answer` with one of its own"
    first = acted.columns.index(column.split(",")[0])
    if isinstance(acted.action, Query) and refuse_update(acted.action.sparql) == "ASK":
        return ""
    values = {getattr(row[first], "text", row[first]) for row in acted.rows} - {None}
    if not values:
        return "it found nothing: ask otherwise, or give_up"
    if values <= {"0", "false"}:
        return "it says 0: call `answer` if that is what the graph says, or ask otherwise"
    return "there are more rows than were read" if acted.truncated else ""


def tried(state: State) -> tuple[Acted, ...]:
    """Run the best interpretations as queries; keep those with results, one for each distinct
    result.
    """
    schema, found = state.schema, dict[frozenset[Term], Acted]()
    for candidate, path in zip(state.observation.interpretations, path_texts(state), strict=True):
        query = re.sub(r"<([^>\s]+)>", lambda iri: schema.short(Iri(iri[1])), sparql(candidate))
        said = path or candidate.explanation
        acted = Acted(Query(with_prefixes(schema, query)), said, candidate.confidence, "rule")
        try:
            acted = _performed(replace(state, history=tuple(found.values())), acted)
        except (DataError, BackendError):
            continue
        if acted.values:  # numbered downwards: a model's own queries are 1, 2, ...
            numbered = replace(acted, number=-1 - len(found))
            found.setdefault(frozenset(acted.values), numbered)
        if len(found) == _TRIED:
            break
    return tuple(found.values())


def _told(state: State, acted: Acted, verdict: Verdict, column: str) -> State:
    """Add the model's turn and its result to the conversation, if a model chose."""
    talk: tuple[Message, ...] = getattr(verdict, "talk", ())
    if not talk:
        return state
    last = state.round + 1 >= state.options.rounds
    text = result_text(state, acted, last=last)
    if column and acted.number and (why := _not_taken(acted, column)):
        text = f"{text}\nNot taken as the answer: {why}."
    talk = tuple(
        replace(one, text=text) if one.role == "tool" and one.text == PENDING else one
        for one in talk
    )
    options = getattr(verdict, "options", None) or state.options
    emulated = bool(getattr(verdict, "emulated", False))
    return replace(state, talk=talk, emulated=emulated, options=options)


def first_page(action: Action) -> Action:
    """The same look at its first page."""
    return replace(action, page=0) if isinstance(action, Neighbours | Paths) else action


def paged(state: State, action: Action) -> Action:
    """The same action for the lines that follow, if it was done before and was cut off."""
    if state.options.tools != "paper" or not isinstance(action, Neighbours | Paths):
        return action
    looks = [one for one in state.history if isinstance(one.action, Neighbours | Paths)]
    before = [one for one in looks if first_page(one.action) == action]
    if before and listed_whole(state, before[0]) and len(before[0].triples) > ROWS * len(before):
        return replace(action, page=len(before))
    return action


def act_question(state: State) -> ActQuestion:
    """The actions to choose from next, without those already performed."""
    label = state.context.reader.names.label
    offers: list[tuple[Action, str, Interpretation | None]] = []
    for candidate in state.observation.interpretations[:_READINGS]:
        action = action_of(candidate)
        offers.append((action, f"ask the graph: {candidate.explanation}", candidate))
    for seen in state.observation.triples[:_NEIGHBOURS]:
        subject, relation, object_ = seen.triple
        near = object_ if seen.inverse else subject
        if isinstance(near, Iri):
            arrow = "leads to it" if seen.inverse else "leads on"
            offers.append(
                (
                    Neighbours(near, relation),
                    f"neighbours of {label(near)} by {label(relation)} ({arrow})",
                    None,
                )
            )
    task = state.linked.entities
    offers += [
        (Paths(a, b, 2), f"paths between {label(a)} and {label(b)}", None)
        for at, a in enumerate(task[:3])
        for b in task[at + 1 : 3]
    ]
    done = {acted.action for acted in state.history}
    unique: dict[Action, tuple[Action, str, Interpretation | None]] = {}
    for entry in offers:
        unique.setdefault(entry[0], entry)
    left = [entry for action, entry in unique.items() if action not in done]
    left.append((Finish(), "answer now, from what is remembered", None))
    return ActQuestion(
        asked=state.question.text,
        text=act_text(state),
        actions=tuple(action for action, _, _ in left),
        shown=tuple(shown for _, shown, _ in left),
        interpretations=tuple(candidate for _, _, candidate in left),
        done=tuple(acted.action for acted in state.history),
        settled=state.settled,
        state=state,
    )


def action_of(candidate: Interpretation) -> Action:
    """The action for an interpretation: ``Neighbours`` for a single relation, otherwise a query."""
    plain = candidate.form == "values" and _bare(candidate) and not candidate.grounds
    if plain and candidate.start is not None and len(candidate.hops) == 1:
        return Neighbours(candidate.start, candidate.hops[0].relation)
    return Query(sparql(candidate))


def _bare(candidate: Interpretation) -> bool:
    """Whether an interpretation is only a path."""
    more = candidate.by or candidate.also or candidate.among or candidate.bound
    return candidate.type is None and not (more or candidate.axioms or candidate.undone)


def allowed(state: State, action: Action, *, ours: bool = False) -> Action:
    """The action, if it is permitted; queries of ``ours`` come from an interpretation and are not
    checked again.

    Raises:
        ValueError: it is a repetition, names an IRI that was never seen, or asks too much; the
            message says which.
    """
    if isinstance(action, Finish | GiveUp):
        return action
    if isinstance(action, Commit):
        resolve(state, action)
        return action
    if action in {acted.action for acted in state.history if acted.number >= 0}:
        raise ValueError("this was done before, and its result stands above: call something else")
    if isinstance(action, Query):
        if not ours:
            check(action.sparql, state.seen | state.schema.iris, state.namespaces)
        return action
    named = [action.entity, action.relation] if isinstance(action, Neighbours) else []
    if isinstance(action, Paths):
        if action.a == action.b:
            raise ValueError("paths lead between two different entities")
        if not 1 <= action.max_length <= 3:
            raise ValueError("paths are of 1 to 3 triples")
        named = [action.a, action.b]
    for iri in named:
        if iri is not None and iri not in state.seen and iri not in state.schema.iris:
            raise ValueError(unknown(iri, state.seen))
    return action


def _done(state: State, question: ActQuestion, verdict: Verdict) -> Acted:
    by = verdict.judged_by or state.context.judges.act.name
    refused: tuple[Refusal, ...] = tuple(
        Refusal(text, reason) for text, reason in getattr(verdict, "refused", ())
    )
    if verdict.choice is None:
        return Acted(
            Finish(), verdict.rationale or "no action was chosen", 0.0, by, refused=refused
        )
    try:
        action = read_action(verdict.choice)
        candidate = _interpretation(question, action)
        allowed(state, action, ours=candidate is not None)
    except (ValueError, DataError) as error:  # not an action, or not permitted
        reason = error.what if isinstance(error, DataError) else str(error)
        return Acted(
            Finish(),
            "the action was refused",
            0.0,
            by,
            refused=(*refused, Refusal(verdict.choice, reason)),
        )
    acted = Acted(
        action, verdict.rationale, verdict.confidence, by, interpretation=candidate, refused=refused
    )
    try:
        return _performed(state, acted)
    except DataError as error:  # the engine cannot parse or run the query
        return replace(acted, error=error.what)
    except BackendError as error:
        return replace(acted, confidence=0.0, error=f"the graph did not answer: {error.what}")


def _interpretation(question: ActQuestion, action: Action) -> Interpretation | None:
    pairs = zip(question.actions, question.interpretations, strict=True)
    return next((candidate for offered, candidate in pairs if offered == action), None)


def _performed(state: State, acted: Acted) -> Acted:
    reader, action = state.context.reader, acted.action
    if isinstance(action, Neighbours | Paths) and action.page:
        first = first_page(action)
        known = next(one.triples for one in state.history if one.action == first)
        return replace(acted, triples=known[action.page * ROWS :][:ROWS])
    if isinstance(action, Neighbours):
        triples, notes = _neighbours(state, action, acted.interpretation)
        return replace(acted, triples=triples, notes=notes)
    if isinstance(action, Paths):
        paths = reader.between(action.a, action.b, action.max_length)
        return replace(
            acted, triples=tuple(dict.fromkeys(triple for path in paths for triple in path))
        )
    if isinstance(action, Query) and acted.interpretation is not None:
        return _read_query(state, acted, action, acted.interpretation)
    if isinstance(action, Query):
        found = rows_of(reader, action.sparql)
        number = 1 + sum(1 for earlier in state.history if earlier.number > 0)
        values = tuple(dict.fromkeys(row[0] for row in found.rows if row and row[0] is not None))
        tied = ties(reader, action.sparql, found)
        return replace(
            acted,
            values=values,
            columns=found.variables,
            rows=found.rows,
            truncated=found.truncated,
            number=number,
            triples=proof_of(reader, action.sparql) if values else (),
            notes=(tied,) if tied else (),
        )
    return acted


def _read_query(state: State, acted: Acted, action: Query, candidate: Interpretation) -> Acted:
    """Run an interpretation's query, and collect the triples that prove its values."""
    reader = state.context.reader
    values, note = values_of(reader, action.sparql)
    if candidate.start is not None and candidate.hops and _bare(candidate):
        paths, more = reader.along(candidate.start, candidate.hops)
        if candidate.target is not None:
            paths = [path for path in paths if candidate.target in (path[-1][0], path[-1][2])]
        triples = tuple(dict.fromkeys(triple for path in paths for triple in path))
        note = note or more
    else:
        query = action.sparql
        if candidate.counted:
            query = counted_from(candidate, values)
        elif candidate.form in ("total", "average"):
            query = f"SELECT ?by WHERE {{ {body(candidate)} }}"
        triples = proof_of(reader, query) if values else ()
    triples = tuple(dict.fromkeys((*triples, *candidate.grounds)))
    return replace(acted, values=values, triples=triples, notes=(note,) if note else ())


def _neighbours(
    state: State, action: Neighbours, candidate: Interpretation | None
) -> tuple[tuple[Triple, ...], tuple[str, ...]]:
    reader, options = state.context.reader, state.options
    if candidate is None and state.lists and action.entity in state.schema.uses:
        return _of_relation(reader, action.entity)
    of_class = candidate is None and state.lists_all(action)
    if candidate is not None:
        hops = [candidate.hops[0]]
    elif action.relation is not None:
        hops = [Hop(action.relation), Hop(action.relation, inverse=True)]
    else:
        hops = [
            hop
            for hop, _, _ in reader.expand(action.entity, inverse=options.directions == "both").hops
        ]
        if of_class:  # its things, or where it has none what is below it: not its names and axioms
            typed = [hop for hop in hops if hop.inverse and hop.relation in reader.typing]
            hops = typed or [
                hop for hop in hops if hop.relation == SUBCLASS_OF or is_relation(hop.relation)
            ]
    if options.directions == "outgoing":
        hops = [hop for hop in hops if not hop.inverse]
    found: list[Triple] = []
    notes: list[str] = []
    for hop in hops:
        ends, more = reader.ends(action.entity, hop, options.page)
        if more:
            notes.append(
                f"{reader.names.label(hop.relation)}: the first {len(ends):,} were read, and there are more"
            )
        for end in ends:
            if not hop.inverse:
                found.append((action.entity, hop.relation, end))
            elif isinstance(end, Iri | Blank):
                found.append((end, hop.relation, action.entity))
    if of_class and not found and action.relation is not None:
        return _of_all_things(reader, action.entity, hops)
    return tuple(dict.fromkeys(found)), tuple(notes)


def _of_relation(reader: GraphReader, relation: Iri) -> tuple[tuple[Triple, ...], tuple[str, ...]]:
    """All triples of a relation, sorted by value."""
    query = f"SELECT DISTINCT ?s ?o WHERE {{ ?s {n3(relation)} ?o }} ORDER BY ?s ?o"
    rows, note = reader.rows(query)
    triples: list[Triple] = [(s, relation, o) for s, o in rows if isinstance(s, Iri | Blank) and o]
    return _by_value(triples), ((note,) if note else ())


def _of_all_things(
    reader: GraphReader, cls: Iri, hops: Sequence[Hop]
) -> tuple[tuple[Triple, ...], tuple[str, ...]]:
    """A relation's triples of all things of a class, sorted by value."""
    typed = Hop(reader.typed_by(cls), inverse=True)
    read = [reader.along(cls, [typed, hop]) for hop in hops]
    triples = list(dict.fromkeys(path[-1] for paths, _ in read for path in paths))
    return _by_value(triples), tuple(filter(None, (note for _, note in read)))


def _by_value(triples: list[Triple]) -> tuple[Triple, ...]:
    """Triples sorted by their values, if these are numbers or dates, so that each page holds the
    next of both ends; the others as they were.
    """
    kinds = {kind_of(triple[2]) for triple in triples}
    if kinds == {"number"}:
        triples = sorted(triples, key=lambda triple: number_of(triple[2]))
    elif kinds <= {"number", "date"}:
        triples = sorted(triples, key=lambda triple: bare_text(triple[2]))
    else:
        return tuple(triples)
    found: list[Triple] = []
    low, high = 0, len(triples)
    while low < high:
        last = min(low + ROWS // 2, high)
        found += triples[low:last]
        low, top = last, max(last, high - ROWS // 2)
        found += triples[top:high]
        high = top
    return tuple(found)
