"""SPARQL for scripts: fills in prefixes, quotes values, saves results on request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TypeAlias

from kgnb.backends import GraphSource, open_graph
from kgnb.errors import BackendError, DataError
from kgnb.kg.engine_query import Beyond, hints, touched
from kgnb.kg.graph import Graph, Solutions, Updatable
from kgnb.kg.placeholders import fill
from kgnb.kg.prefixes import PREFIXES, shorten
from kgnb.kg.result_files import save_rows
from kgnb.kg.schema import Names, names_of
from kgnb.kg.sparql import asked_for_all, query_form, undeclared_prefixes, with_prologue
from kgnb.kg.terms import Iri, Term, is_iri
from kgnb.results.bundle import JSON_ROWS
from kgnb.results.found import PICTURED, GraphUpdate, Rows, Triples, YesNo, rows_of, triples_of
from kgnb.results.wording import short_iri

Found: TypeAlias = Rows | Triples | YesNo | GraphUpdate


def query(
    source: GraphSource,
    text: str,
    *,
    values: Mapping[str, object] | None = None,
    prefixes: Mapping[str, str] | None = None,
    limit: int | None = None,
    timeout: float | None = None,
    update: bool = False,
    export: str | Path | None = None,
    labels: str = "",
) -> Found:
    """The result of a query or update: rows (SELECT), triples (CONSTRUCT, DESCRIBE), yes or no
    (ASK), or a change.

    Args:
        source: files, an endpoint's URL, a SPARQLWrapper, an rdflib graph or a Graph.
        text: the query; a prefix it does not declare is taken from ``prefixes``, the graph's files,
            or the well-known.
        values: the values of each ``{{name}}`` in the query; quoted as RDF terms.
        limit: most rows; the result says when there were more.
        timeout: seconds.
        update: must be True if, and only if, the text changes the graph.
        export: a file the result is also written to.
        labels: a language: IRIs are shown by their labels in it (in another where it has none),
            with their types.

    Raises:
        DataError: the query is malformed, or an update was not allowed; says where.
        BackendError: an endpoint failed.

    >>> query("huts:alpine", "ASK { ?hut a owl:Class }")
    yes
    """
    graph = open_graph(source)
    known = {**dict(getattr(graph, "prefixes", ())), **(prefixes or {})}
    written = fill(text, values) if values is not None else text
    form, head = query_form(written), declarations(written, known)
    shown = cache(partial(short, prefixes=known))
    asked = with_prologue(written, head)
    _refuse_unknown_prefixes(asked, graph)
    if form != "UPDATE" and update:
        raise DataError(
            f"this is a {form} query, and changes nothing",
            where="SPARQL query",
            fix="leave out --update",
        )
    if form == "ASK" and export is not None:
        raise DataError(
            "yes or no is not written to a file", where=export, fix="leave out --export"
        )
    found: Found
    with _placing(len(head)):
        if form == "UPDATE":
            return _change(graph, asked, update, timeout)
        if form == "ASK":
            return YesNo(graph.ask(asked, timeout=timeout))
        if form == "SELECT":
            solutions = _ordered(
                graph.select(asked, limit=limit, timeout=timeout), asked_for_all(asked)
            )
            cut = (
                f"There are more rows than these {len(solutions):,}; a higher limit fetches more."
                if solutions.truncated
                else ""
            )
            notes = (*((cut,) if cut else ()), *solutions.notes, *_notes(graph, asked, known))
            named = _names(
                graph, (term for row in solutions.rows[:JSON_ROWS] for term in row), labels
            )
            found = rows_of(
                solutions,
                shown,
                notes,
                named.labels,
            )
            if export is not None:
                save_rows(solutions, export)
            return found
        more = None if limit is None else limit + 1
        triples = tuple(graph.construct(asked, limit=more, timeout=timeout))
        kept = triples[:limit]
        named = _names(
            graph, (term for triple in kept[:PICTURED] for term in triple), labels, types=True
        )
        found = triples_of(kept, shown, named, prefixes=known)
        if said := _notes(graph, asked, known):
            found = replace(found, notes=(*found.notes, *said))
        if limit is not None and len(triples) > limit:
            found = replace(
                found,
                notes=(
                    *found.notes,
                    f"There are more triples than these {limit:,}; a higher limit fetches more.",
                ),
            )
        if export is not None:
            found.save(export)
        return found


def _notes(graph: Graph, query: str, prefixes: Mapping[str, str]) -> list[str]:
    """What the engine cannot do right in this query."""
    if _remote(graph):
        return []
    beyond: Sequence[Beyond] = getattr(graph, "beyond", ())
    return [*touched(query, beyond, {**PREFIXES, **prefixes}), *hints(query)]


def _names(graph: Graph, terms: Iterable[Term | None], language: str, types: bool = False) -> Names:
    """The names of the first IRIs of a result; fewer on an endpoint, where each lookup is a
    request.
    """
    if not language:
        return Names()
    iris = dict.fromkeys(term for term in terms if isinstance(term, Iri))
    return names_of(
        graph, list(iris)[: 200 if _remote(graph) else 4000], language=language, types=types
    )


def _ordered(solutions: Solutions, written: list[str]) -> Solutions:
    """The solutions with their variables in the order the query has them; engines differ about
    ``SELECT *``.
    """
    there = [name for name in written if name in solutions.variables]
    names = (*there, *(name for name in solutions.variables if name not in there))
    if not there or names == solutions.variables:
        return solutions
    at = [*map(solutions.variables.index, names)]
    rows = tuple(tuple(row[place] for place in at) for row in solutions.rows)
    return replace(solutions, variables=names, rows=rows)


def declarations(text: str, known: Mapping[str, str]) -> str:
    """PREFIX declarations, on one line, for known prefixes that a query uses and does not declare."""
    lines = []
    for prefix in undeclared_prefixes(text):
        namespace = known.get(prefix[:-1]) or PREFIXES.get(prefix[:-1])
        if namespace and is_iri(namespace):
            lines.append(f"PREFIX {prefix} <{namespace}> ")
    return "".join(lines)


def _refuse_unknown_prefixes(text: str, graph: Graph) -> None:
    missing = undeclared_prefixes(text)
    if missing and not _remote(graph):  # many services know prefixes of their own
        raise DataError(
            f"the prefix {missing[0]} is declared nowhere",
            where="SPARQL query",
            fix=f"Put PREFIX {missing[0]} <...> above the query, or for the whole notebook: "
            f"%kg prefix {missing[0]} IRI",
        )


@contextmanager
def _placing(before: int) -> Iterator[None]:
    """Errors say their position in the query as written, without the declarations added before it."""
    try:
        yield
    except DataError as error:
        place = re.search(r"line 1, column (\d+)", error.where)
        if place is None or not before:
            raise
        where = error.where.replace(place[0], f"line 1, column {max(1, int(place[1]) - before)}")
        near = re.sub(r"(PREFIX \S* <\S*> )+", "", error.what.removeprefix(f"{error.where}: "))
        raise DataError(near, where=where, fix=error.fix, details=error.details) from error


def _remote(graph: Graph) -> bool:
    return re.match(r"https?://", graph.name) is not None


def short(iri: str, prefixes: Mapping[str, str]) -> str:
    """An IRI with a prefix, or its last part where no prefix fits."""
    written = shorten(iri, prefixes)
    return written if written != iri else short_iri(iri)


def _change(graph: Graph, text: str, allowed: bool, timeout: float | None) -> GraphUpdate:
    if not allowed:
        raise DataError(
            "this is an update, and would change the graph",
            where="SPARQL query",
            fix="Say so if you mean it: %%sparql --update, or update=True.",
        )
    if not isinstance(graph, Updatable):
        raise BackendError(
            "this graph cannot be changed by an update", service=graph.name, fix="Open its files."
        )
    before = (
        None if _remote(graph) else graph.count()
    )  # counting there costs a query, and others may write too
    graph.update(text, timeout=timeout)
    return GraphUpdate(graph.name, before, None if before is None else graph.count())
