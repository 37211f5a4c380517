"""What entities and relations are called: labels and aliases in every language, or their IRI's last part in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import unquote

from kgnb.agents.question_answering.own_names import opaque
from kgnb.errors import BackendError
from kgnb.kg.graph import Graph
from kgnb.kg.labels import choose_label, is_code, readable_name
from kgnb.kg.ontology import Text
from kgnb.kg.terms import RDFS, SKOS, Iri, Literal, n3

LABELS = (
    f"{RDFS}label",
    f"{SKOS}prefLabel",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
    "http://rdf.freebase.com/ns/type.object.name",
)
ALIASES = (
    f"{SKOS}altLabel",
    f"{SKOS}hiddenLabel",
    "http://schema.org/alternateName",
    "https://schema.org/alternateName",
    "http://rdf.freebase.com/ns/common.topic.alias",
)
NAMING = frozenset((*LABELS, *ALIASES))
CLAIMS = tuple(
    f"http://wikiba.se/ontology#{name}"
    for name in ("directClaim", "claim", "statementProperty", "qualifier", "directClaimNormalized")
)
"""From a Wikibase property, which has the labels, to the predicates of its triples, which have none."""
_BATCH = 100
_NAMES = 12  # of one entity that are compared


class Names:
    """Labels and aliases, asked for in batches and kept; ``own`` gives the predicates that name things here alone."""

    def __init__(
        self,
        graph: Graph,
        *,
        page: int,
        timeout: float,
        languages: Sequence[str] = ("en",),
        own: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._graph, self._page, self._timeout, self._own = graph, page, timeout, own
        self._languages = tuple(languages)
        self._texts: dict[str, tuple[tuple[Text, bool], ...]] = {}
        self._labels: dict[str, str] = {}
        self._claims: bool | None = None
        self.asked = 0

    def fetch(self, iris: Iterable[str]) -> None:
        """Ask for the names of entities that are not known yet."""
        missing = [iri for iri in dict.fromkeys(iris) if iri not in self._texts]
        for begin in range(0, len(missing), _BATCH):
            self._fetch(missing[begin : begin + _BATCH])

    def of(self, iri: str) -> tuple[str, ...]:
        """Every name of an entity or relation, the best first; its local name in words where it has no other."""
        self.fetch([iri])
        label = self.label(iri)
        others = [text.text for text, _ in self._texts[iri] if not is_code(text.text.strip())]
        name = local_name(iri)
        spoken = readable_name(name) if name and not is_code(name) else ""
        found = dict.fromkeys(" ".join(text.split()) for text in (label, *others, spoken) if text.strip())
        return tuple(found)[:_NAMES]

    def label(self, iri: str) -> str:
        """What a person would call it."""
        if iri not in self._labels:
            self.fetch([iri])
            self._labels[iri] = self._chosen(iri)
        return self._labels[iri]

    def _chosen(self, iri: str) -> str:
        texts = self._texts[iri]
        chosen = choose_label([text for text, alias in texts if not alias], self._languages) or choose_label(
            [text for text, _ in texts], self._languages
        )
        if chosen is not None and not is_code(chosen.text.strip()):
            return " ".join(chosen.text.split())
        name = local_name(iri)
        return readable_name(name) if name and not is_code(name) else (chosen.text if chosen else name or iri)

    def labels(self, iris: Iterable[str]) -> Mapping[str, str]:
        """The label of each."""
        wanted = list(dict.fromkeys(iris))
        self.fetch(wanted)
        return {iri: self.label(iri) for iri in wanted}

    def _fetch(self, iris: Sequence[str]) -> None:
        found: dict[str, dict[tuple[str, str | None], bool]] = {iri: {} for iri in iris}
        values = " ".join(n3(Iri(iri)) for iri in iris if _writable(iri))
        if values:
            naming = ", ".join(f"<{name}>" for name in sorted(NAMING))
            # a filter: joined with a second VALUES, some engines read every label there is
            own = f"VALUES ?x {{ {values} }} ?x ?q ?l FILTER (?q IN ({naming}))"
            self._read(f"SELECT ?x ?q ?l WHERE {{ {own} }} ORDER BY ?x ?q ?l", found)
            coded = " ".join(n3(Iri(iri)) for iri in iris if not found[iri] and opaque(iri) and _writable(iri))
            if coded and (kinds := ", ".join(f"<{name}>" for name in self._own())):
                own = f"VALUES ?x {{ {coded} }} ?x ?q ?l FILTER (?q IN ({kinds}))"
                self._read(f"SELECT ?x ?q ?l WHERE {{ {own} }} ORDER BY ?x ?q ?l", found)
            bare = " ".join(n3(Iri(iri)) for iri in iris if not found[iri] and _writable(iri))
            if bare and self._wikibase():
                claims = " ".join(f"<{name}>" for name in CLAIMS)
                via = f"VALUES ?x {{ {bare} }} VALUES ?c {{ {claims} }} ?e ?c ?x . ?e ?q ?l FILTER (?q IN ({naming}))"
                self._read(f"SELECT ?x ?q ?l WHERE {{ {via} }} ORDER BY ?x ?q ?l", found)
        for iri in iris:
            self._texts[iri] = tuple((Text(text, language), alias) for (text, language), alias in found[iri].items())

    def _read(self, query: str, found: dict[str, dict[tuple[str, str | None], bool]]) -> None:
        self.asked += 1
        try:
            # Virtuoso refuses to sort more than 10,000 rows, whatever there are of them
            rows = self._graph.select(query, limit=min(20 * self._page, 9_000), timeout=self._timeout).rows
        except BackendError:
            return  # without names there still are local names
        for iri, kind, text in rows:
            if isinstance(text, Literal) and isinstance(iri, Iri) and text.text.strip():
                found[iri].setdefault((text.text, text.language), str(kind) in ALIASES)

    def _wikibase(self) -> bool:
        """Whether predicates may have their labels on property entities."""
        if self._claims is None:
            self.asked += 1
            try:
                self._claims = self._graph.ask(f"ASK {{ ?e <{CLAIMS[0]}> ?p }}", timeout=self._timeout)
            except BackendError:
                self._claims = False
        return self._claims


def local_name(iri: str) -> str:
    """The last part of an IRI, percent signs decoded; of a relation named as Freebase does, the last part of that.

    >>> local_name("http://rdf.freebase.com/ns/people.person.place_of_birth")
    'place_of_birth'
    >>> local_name("http://names.example/relation/%2Fpeople%2Fperson%2Fplace_of_birth"), local_name("urn:x:St.%20Anton")
    ('place_of_birth', 'St. Anton')
    """
    name = unquote(iri.rstrip("/#").replace("#", "/").rpartition("/")[2].rpartition(":")[2])
    if _SCHEMA.fullmatch(name):  # domain.type.property, or /domain/type/property
        return re.split(r"[./]", name)[-1]
    return name


_SCHEMA = re.compile(r"[a-z]\w+(?:\.[a-z]\w+){2,}|/(?!m/|g/)\w+(?:\.?/\w+)+")


def _writable(iri: str) -> bool:
    try:
        n3(Iri(iri))
    except ValueError:
        return False
    return True
