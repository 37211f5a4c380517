"""Names of entities and relations: labels and aliases in every language, or else the IRI's local name in words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from kgnb.errors import BackendError
from kgnb.kg.graph import Graph, Solutions
from kgnb.kg.labels import choose_label, is_code, readable_name
from kgnb.kg.ontology import Text
from kgnb.kg.terms import RDF, RDFS, SKOS, XSD, Iri, Literal, Term, is_iri, n3
from kgnb.kg.words import words

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
"""Link a Wikibase property, which has the labels, to the predicates of its triples, which have none."""
_BATCH = 100
_NAMES = 12  # names compared per entity


class GraphNames:
    """Labels and aliases, fetched in batches and cached; ``own`` returns this graph's own naming predicates."""

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
        """Fetch the names that are not cached yet."""
        missing = [iri for iri in dict.fromkeys(iris) if iri not in self._texts]
        for begin in range(0, len(missing), _BATCH):
            self._fetch(missing[begin : begin + _BATCH])

    def of(self, iri: str) -> tuple[str, ...]:
        """All names of an entity or relation, best first, including its local name in words unless it is a code."""
        self.fetch([iri])
        label = self.label(iri)
        others = [text.text for text, _ in self._texts[iri] if not is_code(text.text.strip())]
        name = local_name(iri)
        spoken = readable_name(name) if name and not is_code(name) else ""
        found = dict.fromkeys(" ".join(text.split()) for text in (label, *others, spoken) if text.strip())
        return tuple(found)[:_NAMES]

    def label(self, iri: str) -> str:
        """The best name for display."""
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
        """The label of each IRI."""
        wanted = list(dict.fromkeys(iris))
        self.fetch(wanted)
        return {iri: self.label(iri) for iri in wanted}

    def _fetch(self, iris: Sequence[str]) -> None:
        found: dict[str, dict[tuple[str, str | None], bool]] = {iri: {} for iri in iris}
        values = " ".join(n3(Iri(iri)) for iri in iris if _writable(iri))
        if values:
            naming = ", ".join(f"<{name}>" for name in sorted(NAMING))
            # FILTER, because some engines read every label when joining a second VALUES
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
            # Virtuoso refuses to sort with a limit above 10,000, however few rows there are
            rows = self._graph.select(query, limit=min(20 * self._page, 9_000), timeout=self._timeout).rows
        except BackendError:
            return  # local names remain as a fallback
        for iri, kind, text in rows:
            if isinstance(text, Literal) and isinstance(iri, Iri) and text.text.strip():
                found[iri].setdefault((text.text, text.language), str(kind) in ALIASES)

    def _wikibase(self) -> bool:
        """Whether labels of predicates may be attached to property entities."""
        if self._claims is None:
            self.asked += 1
            try:
                self._claims = self._graph.ask(f"ASK {{ ?e <{CLAIMS[0]}> ?p }}", timeout=self._timeout)
            except BackendError:
                self._claims = False
        return self._claims


def local_name(iri: str) -> str:
    """The last part of an IRI, percent-decoded; for Freebase-style relation names, only their last component.

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


# A graph's own naming predicates are detected with two bounded queries: their subjects have opaque IRIs and no other
# name, and their values are short, mostly distinct texts that look like names.
_TEXTS = (None, f"{XSD}string", f"{RDF}langString")
_TRIED = 8  # predicates examined, the most frequent ones
_SAMPLE = 200  # triples per predicate
_PROFILED = 40  # subjects per predicate whose names are all read
_FEW = 3  # minimum number of subjects
_LONG = 80  # maximum characters of a name; longer texts are sentences
_SAID = frozenset(["name", "label", "title"])
"""Last words of a naming predicate's own name; mainly used to rank predicates whose values look like names."""


@dataclass(frozen=True)
class _Candidate:
    predicate: str
    subjects: tuple[Iri, ...]
    distinct: float  # distinct values as a share of all sampled values
    length: float  # mean words per value
    triples: int

    @property
    def rank(self) -> tuple[bool, float, float, float, str]:
        return (
            not _said(self.predicate),
            -round(self.distinct, 1),
            -min(self.length, 3.0),
            -self.triples,
            self.predicate,
        )


def own_naming(
    select: Callable[[str, int], Solutions],
    vocabulary: Iterable[tuple[Iri, int, Term | None]],
    known: Collection[str],
    passed: Callable[[str], bool],
) -> tuple[str, ...]:
    """Find predicates that name things the ``known`` ones leave unnamed, best first.

    Args:
        select: runs a query with a row limit.
        vocabulary: predicates, each with its number of triples and a sample value.
        known: naming predicates already in use.
        passed: whether a predicate is eligible.
    """
    counts = {
        str(iri): count
        for iri, count, sample in vocabulary
        if iri not in known
        and passed(iri)
        and is_iri(iri)
        and isinstance(sample, Literal)
        and sample.datatype in _TEXTS
    }
    tried = sorted(counts, key=lambda iri: (-counts[iri], iri))[:_TRIED]
    if not tried:
        return ()
    parts = (
        f"{{ SELECT (<{iri}> AS ?q) ?s ?l WHERE {{ ?s <{iri}> ?l FILTER (isIRI(?s)) }} LIMIT {_SAMPLE} }}"
        for iri in tried
    )
    try:
        rows = select(f"SELECT ?q ?s ?l WHERE {{ {' UNION '.join(parts)} }}", _TRIED * _SAMPLE).rows
        candidates = _candidates(rows, counts)
        if not candidates:
            return ()
        things = " ".join(sorted({n3(iri) for one in candidates for iri in one.subjects[:_PROFILED]}))
        naming = " ".join(f"<{iri}>" for iri in sorted({*known, *(one.predicate for one in candidates)}))
        own = f"VALUES ?s {{ {things} }} VALUES ?q {{ {naming} }} ?s ?q ?l"
        rows = select(f"SELECT ?q ?s ?l WHERE {{ {own} }} ORDER BY ?s ?q ?l", 9_000).rows
    except BackendError:
        return ()  # local names remain as a fallback
    return tuple(_chosen(candidates, rows, frozenset(known)))


def opaque(iri: str) -> bool:
    """Whether an IRI's local name is meaningless to a reader, so that a name is needed.

    >>> opaque("http://x.example/h17"), opaque("http://x.example/Hochkar_House")
    (True, False)
    """
    local = _local(iri)
    return is_code(local) or any(letter.isdigit() for letter in local)


def _local(iri: str) -> str:
    return re.split(r"[#/:]", iri.rstrip("/#"))[-1]


def _candidates(rows: Sequence[Sequence[Term | None]], counts: dict[str, int]) -> list[_Candidate]:
    pairs: dict[str, set[tuple[Iri, str]]] = defaultdict(set)
    for predicate, thing, value in rows:
        if isinstance(predicate, Iri) and isinstance(thing, Iri) and isinstance(value, Literal):
            pairs[predicate].add((thing, value.text.strip()))
    found = []
    for naming, here in sorted(pairs.items()):
        subjects = sorted({thing for thing, _ in here})
        values = [value for _, value in here]
        codes = sum(opaque(thing) and not _says(thing, value) for thing, value in here)
        named = sum(_like_a_name(value, lower=_said(naming)) for value in values)
        distinct = len(set(values)) / len(values)
        if len(subjects) >= _FEW and codes >= 0.6 * len(here) and named >= 0.8 * len(here) and distinct >= 0.7:
            length = sum(len(value.split()) for value in values) / len(values)
            found.append(_Candidate(naming, tuple(subjects), distinct, length, counts.get(naming, 0)))
    return sorted(found, key=lambda one: one.rank)


def _says(thing: str, value: str) -> bool:
    """Whether the IRI contains a word of the value."""
    spoken = {word.lower() for word in words(readable_name(_local(thing))) if len(word) > 2}
    return bool(spoken & {word.lower() for word in words(value)})


def _said(predicate: str) -> bool:
    """Whether the predicate's own name marks it as a naming predicate."""
    return bool(_SAID & set(words(_local(predicate))[-1:]))


def _like_a_name(text: str, *, lower: bool) -> bool:
    letters = sum(letter.isalpha() for letter in text)
    return (
        0 < len(text) <= _LONG
        and 2 * letters > len(text)
        and (lower or not text[0].islower())
        and not text.endswith(".")
        and "@" not in text
        and "://" not in text
        and not is_code(text)
    )


def _chosen(
    candidates: Sequence[_Candidate], rows: Sequence[Sequence[Term | None]], known: frozenset[str]
) -> list[str]:
    """Keep candidates with about one value per thing, for things that no known or better-ranked predicate names."""
    values: dict[tuple[str, str | None, str], int] = defaultdict(int)
    has: dict[str, set[str]] = defaultdict(set)
    for predicate, thing, value in rows:
        if isinstance(value, Literal) and predicate is not None and thing is not None:
            values[str(predicate), value.language, str(thing)] += 1
            has[str(thing)].add(str(predicate))
    taken: list[str] = []
    for one in candidates:
        things = one.subjects[:_PROFILED]
        bare = sum(not has[thing] & (known | set(taken)) for thing in things)
        several = [count for (predicate, _, _), count in values.items() if predicate == one.predicate]
        if 2 * bare > len(things) and several and sum(several) <= 1.2 * len(several):
            taken.append(one.predicate)
    return taken
