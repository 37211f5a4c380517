"""Entities by a SPARQL service's own full-text search, for graphs too large to read all labels of.

Each dialect is a query for things and their labels. Which one a service speaks is tried out on a
label that it has: most services take an unknown dialect for an ordinary pattern without matches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kgnb.errors import BackendError, DataError
from kgnb.kg.graph import Solutions
from kgnb.kg.terms import RDFS, Iri, Literal, n3
from kgnb.kg.words import words

MOST = 20
"""Things read of one search."""
_LABEL = f"<{RDFS}label>"
_CONNECTORS = "http://www.ontotext.com/connectors/lucene#"
_QLEVER = "http://qlever.cs.uni-freiburg.de/builtin-functions/"
_MWAPI = "https://www.mediawiki.org/ontology#API/"

Select = Callable[[str, int], Solutions]


def _fuzzy(text: str) -> str:
    """Lucene's form of words that may be misspelt."""
    return n3(Literal(" ".join(f"{word}~" if len(word) > 3 else word for word in words(text))))


def _begun(text: str, quote: str = "") -> list[str]:
    """The words, of long ones the beginning: typos spare first letters."""
    starts = (f"{word[:4]}*" if len(word) > 5 else word for word in words(text))
    return [f"{quote}{start}{quote}" for start in starts]


def _wikidata(text: str) -> str:
    return f"""SELECT ?s ?l WHERE {{ SERVICE <http://wikiba.se/ontology#mwapi> {{
      <http://www.bigdata.com/rdf#serviceParam> <http://wikiba.se/ontology#endpoint> "www.wikidata.org" ;
        <http://wikiba.se/ontology#api> "EntitySearch" ;
        <{_MWAPI}search> {n3(Literal(text))} ; <{_MWAPI}language> "en" .
      ?s <http://wikiba.se/ontology#apiOutputItem> <{_MWAPI}item> }}
      ?s {_LABEL} ?l FILTER (LANG(?l) = "en") }}"""


def _virtuoso(text: str) -> str:
    wanted = n3(Literal(" AND ".join(_begun(text, "'"))))
    return f"SELECT ?s ?l WHERE {{ ?s {_LABEL} ?l . ?l <bif:contains> {wanted} }}"


def _jena(text: str) -> str:
    query = "<http://jena.apache.org/text#query>"
    return f"SELECT ?s ?l WHERE {{ (?s ?score ?l) {query} ({_LABEL} {_fuzzy(text)}) }}"


def _stardog(text: str) -> str:
    match = "<tag:stardog:api:property:textMatch>"
    return f"SELECT ?s ?l WHERE {{ ?s {_LABEL} ?l . ?l {match} {_fuzzy(text)} }}"


def _qlever(text: str) -> str:
    wanted = n3(Literal(" ".join(_begun(text))))
    return (
        f"SELECT ?s ?l WHERE {{ ?t <{_QLEVER}contains-word> {wanted} ; "
        f"<{_QLEVER}contains-entity> ?s . ?s {_LABEL} ?l }}"
    )


def _lucene(connector: str) -> Callable[[str], str]:
    def query(text: str) -> str:
        return (
            f"SELECT ?s ?l WHERE {{ ?search a <{connector}> ; <{_CONNECTORS}query> {_fuzzy(text)} ; "
            f"<{_CONNECTORS}entities> ?s . ?s {_LABEL} ?l }}"
        )

    return query


DIALECTS: dict[str, Callable[[str], str]] = {
    "Virtuoso": _virtuoso,
    "Wikidata": _wikidata,
    "Jena": _jena,
    "Stardog": _stardog,
    "QLever": _qlever,
}


@dataclass
class TextSearch:
    """The search of one service. ``select`` runs a query with a limit of rows."""

    select: Select
    _dialects: list[tuple[str, Callable[[str], str]]] | None = None

    @property
    def name(self) -> str:
        """The dialect that the service speaks; "" if it has no search that is known here."""
        return next((name for name, _ in self._spoken()), "")

    def named(self, text: str) -> list[tuple[Iri, str]]:
        """Things with labels like this text, and those labels; none without a search."""
        for _, query in self._spoken():
            return self._found(query(" ".join(words(text))))
        return []

    def _spoken(self) -> list[tuple[str, Callable[[str], str]]]:
        if self._dialects is None:
            self._dialects = self._tried()
        return self._dialects

    def _tried(self) -> list[tuple[str, Callable[[str], str]]]:
        known = self._rows(f"SELECT ?s ?l WHERE {{ ?s {_LABEL} ?l }}", 20)
        texts = [label for _, label in known if len(words(label)) > 0 and label.isascii()]
        if not texts:
            return []
        dialects = dict(DIALECTS)
        listed = f"SELECT ?s ?l WHERE {{ ?s <{_CONNECTORS}listConnectors> ?l }}"
        for connector, _ in self._rows(listed, MOST):
            dialects[f"GraphDB {connector}"] = _lucene(connector)
        for name, query in dialects.items():
            if self._found(query(texts[0])):
                return [(name, query)]
        return []

    def _found(self, query: str) -> list[tuple[Iri, str]]:
        return self._rows(query, MOST)

    def _rows(self, query: str, most: int) -> list[tuple[Iri, str]]:
        try:
            rows = self.select(query, most).rows
        except (BackendError, DataError):  # not this dialect
            return []
        return sorted(
            (row[0], row[1].text)
            for row in rows
            if isinstance(row[0], Iri) and isinstance(row[1], Literal)
        )
