"""``{{name}}`` in a query: a Python value written as an RDF term, quoted, so that no text of it can act as SPARQL.

``{{name}}`` stands for a term (a list for several, one after another: ``VALUES ?x { {{names}} }``), ``<{{name}}>`` for
an IRI.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kgnb.errors import DataError
from kgnb.kg.python_terms import iri_of, terms_of
from kgnb.kg.sparql import tokens
from kgnb.kg.terms import n3

_PLACE = re.compile(r"(?P<open><)?\{\{\s*(?P<name>[^\W\d]\w*)\s*\}\}(?P<close>>)?")


def placeholders(query: str) -> list[str]:
    """The names a query asks for, each once, in order."""
    return list(dict.fromkeys(match["name"] for match in _PLACE.finditer(query)))


def fill(query: str, values: Mapping[str, object]) -> str:
    r"""The query with every ``{{name}}`` written as the RDF term of its value.

    >>> fill("ASK { ?hut rdfs:label {{name}} }", {"name": 'x" } DROP ALL #'})
    'ASK { ?hut rdfs:label "x\\" } DROP ALL #" }'
    >>> fill("DESCRIBE <{{hut}}>", {"hut": "http://huts.example/id/hochkar"})
    'DESCRIBE <http://huts.example/id/hochkar>'

    Raises:
        DataError: a name has no value, a value is no RDF term, or the place is inside quotes or a comment.
    """
    quoted = [(token.start, token.start + len(token.text)) for token in tokens(query) if token.kind == "string"]
    parts, end = [], 0
    for match in _PLACE.finditer(query):
        start = match.start()
        line = query.count("\n", 0, start) + 1
        where = f"SPARQL query, line {line}, column {start - query.rfind(chr(10), 0, start)}"
        name = match["name"]
        if any(begin < start < stop for begin, stop in quoted):
            fix = "Leave the quotes out: the value brings its own."
            raise DataError(f"{{{{{name}}}}} stands inside quotes", where=where, fix=fix)
        if name not in values:
            fix = f"Set {name} = ... in a cell above."
            raise DataError(f"there is no value for {{{{{name}}}}}", where=where, fix=fix)
        iri = match["open"] is not None and match["close"] is not None
        try:
            written = n3(iri_of(values[name])) if iri else " ".join(map(n3, terms_of(values[name])))
        except (TypeError, ValueError) as error:
            fix = "Bind text, a number, a date or an Iri."
            raise DataError(f"{{{{{name}}}}}: {error}", where=where, fix=fix) from error
        before, after = ("", "") if iri else (match["open"] or "", match["close"] or "")
        parts += [query[end:start], before, written, after]
        end = match.end()
    return "".join([*parts, query[end:]])
