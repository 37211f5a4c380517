"""Generated queries: checked to be read-only and to name only known IRIs, and run within limits.

The values of an answer are resolved among everything seen so far: query rows, triples and entities.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from kgnb.agents.question_answering.graph_reader import GraphReader
from kgnb.agents.question_answering.prompts import triple_line
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Acted, AnswerTable, Commit, Neighbours
from kgnb.errors import DataError, KgnbError
from kgnb.kg.graph import Solutions
from kgnb.kg.sparql import refuse_update, tokens
from kgnb.kg.terms import OWL, RDF, RDFS, SKOS, XSD, Blank, Iri, Literal, Term, Triple, n3

ALWAYS_KNOWN = (RDF, RDFS, OWL, SKOS, XSD, "http://www.w3.org/2005/xpath-functions")
"""Vocabularies that every query may use."""
PROOF = 1000
"""Maximum number of triples read as the proof of one query."""
_AT_ONCE = 100  # triples looked up per query
_NEGATIVE = ("Minus", "Builtin_EXISTS", "Builtin_NOTEXISTS")


def check(query: str, seen: Collection[str], namespaces: tuple[str, ...] = ()) -> str:
    """Return the query if it is read-only, well formed, limited to this graph, and names only IRIs
    already seen or in these namespaces.

    Raises:
        ValueError: it is not; the message says why, and suggests the nearest seen IRIs for an
            unknown one.
    """
    try:
        form = refuse_update(query)
    except DataError as error:
        raise ValueError(error.what) from error
    if form not in ("SELECT", "ASK"):
        raise ValueError("ask with SELECT or ASK")
    words = [token.word for token in tokens(query)]
    for word in ("SERVICE", "FROM"):
        if word in words:
            raise ValueError(f"{word} asks another graph: leave it out")
    mentioned = named(query)  # before parsing, for a clear message about undeclared prefixes
    _parsed(query)
    for iri in mentioned:
        if iri not in seen and not iri.startswith((*ALWAYS_KNOWN, *namespaces)):
            raise ValueError(unknown(iri, seen))
    return query


def unknown(iri: str, seen: Collection[str]) -> str:
    """An error message for an IRI not seen before, with the nearest seen ones."""
    near = difflib.get_close_matches(iri, sorted(seen), n=3, cutoff=0.3)
    return f"{iri} was not seen in this run" + (f"; seen were {', '.join(near)}" if near else "")


def named(query: str) -> tuple[str, ...]:
    """All IRIs in a query, with prefixed names expanded, except those in its prologue.

    Raises:
        ValueError: the query has a BASE or an undeclared prefix.
    """
    found: list[str] = []
    prefixes: dict[str, str] = {}
    stream = tokens(query)
    place = 0
    while place < len(stream):
        token = stream[place]
        if token.word == "PREFIX" and place + 2 < len(stream):
            prefixes[stream[place + 1].text] = stream[place + 2].text[1:-1]
            place += 3
            continue
        if token.word == "BASE":
            raise ValueError("write IRIs in full, without BASE")
        if token.kind == "iri":
            found.append(token.text[1:-1])
        elif token.kind == "name" and ":" in token.text and not token.text.startswith("_:"):
            prefix, _, local = token.text.partition(":")
            if f"{prefix}:" not in prefixes:
                raise ValueError(f"the prefix {prefix}: is not declared")
            found.append(prefixes[f"{prefix}:"] + re.sub(r"\\(.)", r"\1", local))
        place += 1
    return tuple(dict.fromkeys(found))


def values_of(reader: GraphReader, query: str) -> tuple[tuple[Term, ...], str]:
    """The distinct values of a query's first column, or an ASK result as ``xsd:boolean``; and a
    note if truncated.
    """
    if refuse_update(query) == "ASK" or not {"LIMIT", "OFFSET"}.isdisjoint(
        token.word for token in tokens(query)
    ):
        found = rows_of(reader, query)
        rows, note = found.rows, "there are more rows than were read" if found.truncated else ""
    else:
        rows, note = reader.rows(query)
    return tuple(dict.fromkeys(row[0] for row in rows if row and row[0] is not None)), note


def rows_of(reader: GraphReader, query: str) -> Solutions:
    """A query's result, up to ``reader.most`` rows; an ASK result is one row with the column "yes"."""
    if refuse_update(query) == "ASK":
        said = Literal("true" if reader.ask(query) else "false", datatype=f"{XSD}boolean")
        return Solutions(("yes",), ((said,),))
    found = reader.select(query, limit=min(reader.most, 9_000))  # Virtuoso sorts at most 10,000
    if "ORDER" in {token.word for token in tokens(query)}:
        return found
    rows = sorted(found.rows, key=lambda row: [n3(term) if term else "" for term in row])
    return replace(found, rows=tuple(rows))


def ties(reader: GraphReader, query: str, found: Solutions) -> str:
    """A note on rows that LIMIT cut off although they tie with the last row; "" if there are none.

    Ties are found only if every column the query orders by is also selected.
    """
    stream = tokens(query)
    words = [token.word for token in stream]
    if "ORDER" not in words or "LIMIT" not in words or "OFFSET" in words or not found.rows:
        return ""
    place = len(words) - 1 - words[::-1].index("LIMIT")
    number = stream[place + 1].text if place + 1 < len(stream) else ""
    order = len(words) - 1 - words[::-1].index("ORDER")
    if not number.isdecimal() or int(number) != len(found.rows) or order > place:
        return ""
    by = [token.text.lstrip("?$") for token in stream[order:place] if token.text[:1] in "?$"]
    columns = [column for column in by if column in found.variables]
    if not columns or len(columns) != len(by):
        return ""
    end = stream[place + 1].start + len(number)
    wider = f"{query[: stream[place].start]}LIMIT {int(number) + 20}{query[end:]}"
    more = reader.select(wider, limit=int(number) + 20)
    at = [more.variables.index(column) for column in columns]
    last = [found.rows[-1][place] for place in at]
    tied = [row for row in more.rows[len(found.rows) :] if [row[place] for place in at] == last]
    return (
        f"LIMIT cut off {len(tied)} more rows that tie with the last in {', '.join(columns)}"
        if tied
        else ""
    )


def projected(query: str, column: str, among: Sequence[Term] = ()) -> str:
    """A SELECT query for the distinct values of one column of ``query``, restricted to ``among``
    unless it is empty.
    """
    form = next(token for token in tokens(query) if token.word == "SELECT")
    only = f" VALUES ?{column} {{ {' '.join(map(n3, among))} }}" if among else ""
    return f"{query[: form.start]}SELECT DISTINCT ?{column} WHERE {{ {{ {query[form.start :].strip()} }}{only} }}"


def proof_of(reader: GraphReader, query: str) -> tuple[Triple, ...]:
    """The graph's triples that match a query's patterns, as evidence for its answer.

    Empty if the query has no plain triple patterns, or the graph fails.
    """
    template = " ".join(
        f"{' '.join(term.n3() for term in triple)} ." for triple in patterns_of(query)
    )
    if not template:
        return ()
    where = _where(query)
    try:
        reader.queries += 1
        text = f"{_prologue(query)}CONSTRUCT {{ {template} }} WHERE {where} LIMIT {PROOF}"
        found = tuple(reader.graph.construct(text, timeout=reader.timeout))
        return (
            _there(reader, found) if "UNION" in [token.word for token in tokens(query)] else found
        )
    except KgnbError:
        return ()


def _there(reader: GraphReader, triples: Sequence[Triple]) -> tuple[Triple, ...]:
    """Keep the triples that exist: if one side of a UNION matches, CONSTRUCT may fill in the
    other's patterns too.
    """
    known: set[Triple] = set()
    plain = [triple for triple in triples if not any(isinstance(term, Blank) for term in triple)]
    for begin in range(0, len(plain), _AT_ONCE):
        rows = " ".join(
            f"({' '.join(map(n3, triple))})" for triple in plain[begin : begin + _AT_ONCE]
        )
        query = f"SELECT ?s ?p ?o WHERE {{ VALUES (?s ?p ?o) {{ {rows} }} ?s ?p ?o }}"
        known.update(reader.select(query, limit=_AT_ONCE).rows)  # type: ignore[arg-type]  # all three are bound
    return tuple(triple for triple in plain if triple in known)


def patterns_of(query: str) -> list[tuple[Any, Any, Any]]:
    """The plain triple patterns of a query in rdflib's terms, without those of MINUS, EXISTS and
    NOT EXISTS.

    Raises:
        ValueError: the query is not well formed.
    """
    from rdflib import Literal as RdflibLiteral  # takes a while, and most questions need none
    from rdflib import URIRef, Variable

    found: dict[tuple[Any, Any, Any], None] = {}

    def collect(node: Any) -> None:
        name = getattr(node, "name", "")
        if name == "Minus":
            collect(node.p1)
        elif name == "BGP":
            plain = (URIRef, Variable, RdflibLiteral)
            found.update(
                (triple, None)
                for triple in node.triples
                if all(isinstance(term, plain) for term in triple)
            )
        if isinstance(node, list):
            for each in node:
                collect(each)
        elif hasattr(node, "values") and isinstance(node, dict) and name not in _NEGATIVE:
            for part in node.values():
                collect(part)

    collect(_parsed(query).algebra)
    return list(found)


def _parsed(query: str) -> Any:
    from pyparsing import ParseBaseException
    from rdflib.plugins.sparql import prepareQuery

    try:
        return prepareQuery(query)
    except (
        ParseBaseException,
        ValueError,
        TypeError,
        AttributeError,
        RecursionError,
        SyntaxError,
    ) as error:
        raise ValueError(
            f"this is no well-formed SPARQL query: {str(error).splitlines()[0][:200]}"
        ) from error


def _where(query: str) -> str:
    depth, begin = 0, -1
    for token in tokens(query):
        if token.text == "{" and token.kind == "mark":
            begin = token.start if not depth else begin
            depth += 1
        elif token.text == "}" and token.kind == "mark":
            depth -= 1
            if not depth:
                return query[begin : token.start + 1]
    return "{}"


def _prologue(query: str) -> str:
    first = next((token for token in tokens(query) if token.word in ("SELECT", "ASK")), None)
    return query[: first.start] if first else ""


@dataclass(frozen=True)
class Resolved:
    """The terms of an answer, and the query and column they came from; ``query`` is None if there
    is none.
    """

    values: tuple[Term, ...]
    query: Acted | None = None
    column: str = ""
    whole: bool = False  # these are all values of the column
    table: AnswerTable | None = None  # the rows, where several columns answer
    triples: tuple[Triple, ...] = ()  # what a model names as the proof of its values
    absence: str = ""  # the query whose no or 0 proves the value


def resolve(state: State, commit: Commit) -> Resolved:
    """Resolve an answer to terms.

    Raises:
        ValueError: there is no such query or column, the column is empty, or a value is unknown or
            ambiguous.
    """
    if commit.triples:
        return _proved(state, commit)
    if absent := _absent(state, commit):
        return absent
    if commit.values:
        return _among(state, tuple(_term(state, value) for value in commit.values))
    queries = {acted.number: acted for acted in state.history if acted.number}
    if commit.query not in queries:
        there = ", ".join(str(number) for number in queries if number > 0) or "none"
        raise ValueError(
            f"there is no query {commit.query} with a result (there are: {there}); name one, or values"
        )
    acted = queries[commit.query]
    columns = [part.strip().lstrip("?$") for part in commit.column.split(",") if part.strip()]
    columns = columns or list(acted.columns if len(acted.columns) == 1 else ())
    if not columns or not set(columns) <= set(acted.columns):
        raise ValueError(
            f"query {commit.query} has the columns {', '.join(acted.columns)}: name those that answer"
        )
    found = _column(acted, columns[0])
    if not found:
        raise ValueError(
            f"query {commit.query} brought nothing in ?{columns[0]}: ask otherwise, or give_up"
        )
    places = [acted.columns.index(column) for column in columns]
    rows = dict.fromkeys(tuple(row[place] for place in places) for row in acted.rows)
    table = AnswerTable(tuple(columns), tuple(rows)) if len(columns) > 1 else None
    return Resolved(found, acted, columns[0], True, table)


def _proved(state: State, commit: Commit) -> Resolved:
    """Yes, no or a number that triples seen in this run prove; or values that are among them.

    Raises:
        ValueError: a triple was not shown, or there are not as many as the number says.
    """
    seen = {_words(triple_line(state, triple)): triple for triple in seen_triples(state)}
    triples = list[Triple]()
    counts = set[int]()
    for text in commit.triples:
        if call := _CALL.fullmatch(text.strip()):
            listed, sizes = _listed(state, int(call[1]))
            triples += listed
            counts |= sizes
            continue
        triple = seen.get(_words(text))
        if triple is None:
            raise ValueError(f"{text[:100]} was not shown: give lines exactly as they were shown")
        triples.append(triple)
    triples = list(dict.fromkeys(triples))
    said = commit.values[0].strip().lower() if len(commit.values) == 1 else ""
    if said in _YES_NO:
        value = Literal(_YES_NO[said], datatype=f"{XSD}boolean")
        return Resolved((value,), triples=tuple(triples))
    ends = {term for triple in triples for term in (triple[0], triple[2])}
    if said.isdecimal() and not any(getattr(end, "text", "") == said for end in ends):
        if int(said) not in (
            {len(triples)} if len(commit.triples) > 1 else counts or {len(triples)}
        ):
            raise ValueError(f"{said} is not the number of the triples given, {len(triples)}")
        return Resolved((Literal(said, datatype=f"{XSD}integer"),), triples=tuple(triples))
    values = tuple(dict.fromkeys(_term(state, value) for value in commit.values))
    missing = next((value for value in values if value not in ends), None)
    if missing is not None:
        raise ValueError(f"no triple given says {n3(missing)}")
    return Resolved(values, triples=tuple(triples))


_CALL = re.compile(r"call (\d+)")


def _listed(state: State, number: int) -> tuple[tuple[Triple, ...], set[int]]:
    """The triples of an earlier call for one relation, and what may be counted in them: triples,
    subjects or objects.

    Raises:
        ValueError: there is no such call, it was not read whole, or it has both directions.
    """
    acted = state.history[number - 1] if 0 < number <= len(state.history) else None
    action = acted.action if acted else None
    of_one = isinstance(action, Neighbours) and (action.relation or state.lists_all(action))
    if acted is None or not isinstance(action, Neighbours) or not of_one:
        raise ValueError(f"call {number} is no list of one relation: give its lines")
    if acted.notes:
        raise ValueError(f"call {number} was not read whole, so it proves no number")
    entity = action.entity
    subjects, objects = ({triple[end] for triple in acted.triples} for end in (0, 2))
    if entity in subjects and entity in objects:
        raise ValueError(f"call {number} has lines of both directions: give those that count")
    return acted.triples, {len(acted.triples), len(subjects), len(objects)}


def _absent(state: State, commit: Commit) -> Resolved | None:
    """No or 0, if the latest look at a relation of an entity brought nothing."""
    said = commit.values[0].strip().lower() if len(commit.values) == 1 else ""
    if state.options.tools != "paper" or said not in ("no", "false", "0"):
        return None
    looks = [acted for acted in state.history if isinstance(acted.action, Neighbours)]
    if not looks or looks[-1].triples or looks[-1].error or looks[-1].action.relation is None:  # type: ignore[union-attr]
        return None
    look = cast(Neighbours, looks[-1].action)
    entity, relation = n3(look.entity), n3(cast(Iri, look.relation))
    where = f"{entity} {relation} ?other"
    if state.options.directions == "both":
        where = f"{{ {where} }} UNION {{ ?other {relation} {entity} }}"
    if said == "0":
        asked = f"SELECT (COUNT(?other) AS ?n) WHERE {{ {where} }}"
        return Resolved((Literal("0", datatype=f"{XSD}integer"),), absence=asked)
    return Resolved((Literal("false", datatype=f"{XSD}boolean"),), absence=f"ASK {{ {where} }}")


_YES_NO = {"yes": "true", "true": "true", "no": "false", "false": "false"}


def _words(text: str) -> str:
    """A line of a triple without its labels and spaces, to be compared."""
    return " ".join(text.partition("  #")[0].strip("- ").rstrip(" .").split())


def seen_triples(state: State) -> list[Triple]:
    """The triples shown so far: by actions, in memory, and observed."""
    found = [triple for acted in state.history for triple in acted.triples]
    found += state.memory.triples
    found += state.observed
    return list(dict.fromkeys(found))


def _column(acted: Acted, column: str) -> tuple[Term, ...]:
    at = acted.columns.index(column)
    return tuple(dict.fromkeys(term for row in acted.rows if (term := row[at]) is not None))


def _among(state: State, values: tuple[Term, ...]) -> Resolved:
    """The values with the latest query that has them all in one column, if any."""
    values = tuple(dict.fromkeys(values))
    for acted in reversed(state.history):
        for column in acted.columns:
            there = _column(acted, column)
            if set(values) <= set(there):
                return Resolved(values, acted, column, set(values) == set(there))
    return Resolved(values)


def _term(state: State, value: str) -> Term:
    forms = _forms(state)
    said = " ".join(value.split())
    known = forms.get(said) or forms.get(said.casefold())
    if known is None and said.startswith(('"', "'")):
        known = forms.get(said.strip("\"'")) or forms.get(said[1:].partition(said[0])[0])
    if known is None:
        known = _numbers(said, forms)
    if not known:
        near = difflib.get_close_matches(said, sorted(forms), n=3, cutoff=0.5)
        raise ValueError(
            f"{said[:100]} was not seen in any result"
            + (f"; seen were {', '.join(near)}" if near else "")
        )
    if len(known) > 1:
        raise ValueError(
            f"{said[:100]} may be any of {', '.join(n3(term) for term in known[:5])}: give the IRI"
        )
    return known[0]


def _numbers(said: str, forms: dict[str, list[Term]]) -> list[Term] | None:
    try:
        number = float(said)
    except ValueError:
        return None
    for text, terms in forms.items():
        try:
            if float(text) == number:
                return terms
        except ValueError:
            continue
    return None


def _forms(state: State) -> dict[str, list[Term]]:
    """Map every way of writing a term seen so far to the terms it may stand for."""
    schema, label = state.schema, state.context.reader.names.label
    found: dict[str, list[Term]] = {}

    def add(form: str, term: Term) -> None:
        terms = found.setdefault(" ".join(form.split()), [])
        if term not in terms:
            terms.append(term)

    for term in _seen(state):
        if isinstance(term, Iri):
            short, name = schema.short(term), label(term)
            for form in (
                term,
                f"<{term}>",
                short,
                f"{name} {short}",
                f"{name} ({short})",
                f"{short} ({name})",
                f"{short}  # {name}",
                name,
                name.casefold(),
            ):
                add(form, term)
        elif isinstance(term, Literal):
            for form in (term.text, term.text.casefold(), f'"{term.text}"', n3(term)):
                add(form, term)
    same: dict[str, list[Term]] = {}
    for form, terms in found.items():  # readers cannot tell the same text with two datatypes apart
        literal = [term for term in terms if isinstance(term, Literal)]
        same[form] = [*(term for term in terms if not isinstance(term, Literal)), *literal[:1]]
    for word, text in (("yes", "true"), ("no", "false")):
        if text in same:
            same.setdefault(word, same[text])
    return same


def _seen(state: State) -> Sequence[Term]:
    terms: list[Term | None] = []
    for acted in reversed(state.history):
        terms += [term for row in acted.rows for term in row]
        terms += _ends(acted.triples)
    terms += _ends(state.observed)
    terms += _ends(state.memory.triples)
    terms += [link.iri for link in state.linked.links]
    return list(dict.fromkeys(term for term in terms if term is not None))


def _ends(triples: Iterable[Sequence[Term]]) -> list[Term]:
    return [term for triple in triples for term in (triple[0], triple[2])]
