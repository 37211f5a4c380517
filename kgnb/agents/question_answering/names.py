"""Names of entities and relations: labels and aliases in every language, or else the IRI's local
name in words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from urllib.parse import unquote

from kgnb.errors import BackendError
from kgnb.kg.graph import Solutions
from kgnb.kg.labels import is_code, readable_name
from kgnb.kg.terms import OWL, RDF, RDFS, SKOS, XSD, Iri, Literal, Term, is_iri, n3
from kgnb.kg.vocabulary import COMMENT, OBO, OBO_IN_OWL, SYNONYMS
from kgnb.kg.words import words

LABELS = (
    f"{RDFS}label",
    f"{SKOS}prefLabel",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://www.w3.org/2006/vcard/ns#fn",
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
    f"{OBO_IN_OWL}hasExactSynonym",
    f"{OBO}IAO_0000118",
)
NAMING = frozenset((*LABELS, *ALIASES))
CLAIMS = tuple(
    f"http://wikiba.se/ontology#{name}"
    for name in ("directClaim", "claim", "statementProperty", "qualifier", "directClaimNormalized")
)
"""Link a Wikibase property, which has the labels, to the predicates of its triples, which have
none.
"""
_TEXTS_ABOUT = (COMMENT, f"{SKOS}definition", f"{OBO}IAO_0000115", "http://schema.org/description")
NO_RELATION = NAMING.union(SYNONYMS, _TEXTS_ABOUT) | {
    f"{RDF}type",
    f"{RDFS}subClassOf",
    f"{RDFS}subPropertyOf",
    f"{RDFS}domain",
    f"{RDFS}range",
    f"{RDFS}isDefinedBy",
    f"{RDFS}seeAlso",
    f"{OWL}sameAs",
    "http://schema.org/about",
    "http://schema.org/isPartOf",
    "http://schema.org/inLanguage",
    "http://schema.org/version",
    "http://schema.org/dateModified",
}
"""Predicates that name, describe or type things instead of relating them."""
_HIDDEN = (
    "http://wikiba.se/ontology#",
    "http://www.wikidata.org/prop/",
    "http://www.w3.org/2002/07/owl#",
    f"{RDF}_",
    "http://dbpedia.org/ontology/wikiPage",  # links, redirects, ids and lengths of Wikipedia pages
)
_SHOWN = ("http://www.wikidata.org/prop/direct/",)
INSTANCE = Iri("http://www.wikidata.org/prop/direct/P31")
TYPING = frozenset(["type", "instance of", "is a", "object type", "type object type"])
"""Names of the relations to a thing's class in graphs that do not use RDF's."""


def is_relation(predicate: str) -> bool:
    """Whether a predicate relates things, and is not for names, types or bookkeeping."""
    return predicate not in NO_RELATION and (
        predicate.startswith(_SHOWN) or not predicate.startswith(_HIDDEN)
    )


def local_name(iri: str) -> str:
    """The last part of an IRI, percent-decoded; for Freebase-style relation names, only their last
    component.

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


# A graph's own naming predicates are detected with two bounded queries: their subjects have opaque
# IRIs and no other name, and their values are short, mostly distinct texts that look like names.
_TEXTS = (None, f"{XSD}string", f"{RDF}langString")
_TRIED = 8  # predicates examined, the most frequent ones
_SAMPLE = 200  # triples per predicate
_PROFILED = 40  # subjects per predicate whose names are all read
_FEW = 3  # minimum number of subjects, where the predicate is not called a name
_LONG = 80  # maximum characters of a name; longer texts are sentences
_SAID = frozenset(["name", "label", "title"])
"""Last words of a naming predicate's own name; mainly used to rank predicates whose values look
like names.
"""
_STANDARD = (RDF, RDFS, OWL, SKOS, "http://wikiba.se/ontology#")

_Pairs = set[tuple[Iri, str]]  # things and their texts


def own_naming(
    select: Callable[[str, int], Solutions], vocabulary: Iterable[tuple[Iri, int, Term | None]]
) -> tuple[str, ...]:
    """Find predicates that name things which those of common vocabularies leave unnamed, best
    first.

    Args:
        select: runs a query with a row limit.
        vocabulary: predicates, each with its number of triples and a sample value.
    """
    counts = {
        iri: count
        for iri, count, sample in vocabulary
        if not iri.startswith(_STANDARD) and iri not in NAMING and is_iri(iri)
        if isinstance(sample, Literal) and sample.datatype in _TEXTS
    }
    tried = sorted(counts, key=lambda iri: (-counts[iri], iri))[:_TRIED]
    if not tried:
        return ()
    parts = (
        f"{{ SELECT (<{iri}> AS ?q) ?s ?l WHERE {{ ?s <{iri}> ?l FILTER (isIRI(?s)) }} LIMIT {_SAMPLE} }}"
        for iri in tried
    )
    try:
        pairs: dict[Term | None, _Pairs] = defaultdict(set)
        for predicate, thing, text in select(
            f"SELECT ?q ?s ?l WHERE {{ {' UNION '.join(parts)} }}", 9_000
        ).rows:
            if isinstance(thing, Iri) and isinstance(text, Literal):
                pairs[predicate].add((thing, text.text.strip()))
        naming = [iri for iri in tried if _names_things(iri, pairs[iri])]
        if not naming:
            return ()
        naming.sort(key=lambda iri: _order(iri, pairs[iri], counts[iri]))
        things = {iri: sorted({thing for thing, _ in pairs[iri]})[:_PROFILED] for iri in naming}
        every = " ".join(sorted({n3(thing) for some in things.values() for thing in some}))
        by = " ".join(f"<{iri}>" for iri in sorted({*NAMING, *naming}))
        query = f"SELECT ?s ?q ?l WHERE {{ VALUES ?s {{ {every} }} VALUES ?q {{ {by} }} ?s ?q ?l }} ORDER BY ?s ?q ?l"
        rows = select(query, 9_000).rows
    except BackendError:
        return ()  # local names remain as a fallback
    taken: list[str] = []
    for iri in naming:
        named = {thing for thing, predicate, _ in rows if predicate in NAMING or predicate in taken}
        bare = sum(thing not in named for thing in things[iri])
        texts = [
            (thing, text.language)
            for thing, by, text in rows
            if by == iri and isinstance(text, Literal)
        ]
        # most things have no other name, and about one of these in each language
        if 2 * bare > len(things[iri]) and 0 < len(texts) <= 1.2 * len(set(texts)):
            taken.append(iri)
    return tuple(taken)


def opaque(iri: str) -> bool:
    """Whether an IRI's local name is meaningless to a reader, so that a name is needed.

    >>> opaque("http://x.example/h17"), opaque("http://x.example/Hochkar_House")
    (True, False)
    """
    local = _local(iri)
    return is_code(local) or any(letter.isdigit() for letter in local)


def _local(iri: str) -> str:
    return re.split(r"[#/:]", iri.rstrip("/#"))[-1]


def _names_things(predicate: Iri, pairs: _Pairs) -> bool:
    """Whether the things are mostly opaque, and the texts mostly distinct and like names."""

    def says(thing: Iri, text: str) -> bool:
        spoken = {word for word in words(readable_name(_local(thing))) if len(word) > 2}
        return not spoken.isdisjoint(words(text))

    codes = sum(opaque(thing) and not says(thing, text) for thing, text in pairs)
    names = sum(_like_a_name(text, lower=says_name(predicate)) for _, text in pairs)
    distinct, things = len({text for _, text in pairs}), len({thing for thing, _ in pairs})
    number = len(pairs)
    return (
        things >= (1 if says_name(predicate) else _FEW)
        and codes >= 0.6 * number
        and names >= 0.8 * number
        and distinct >= 0.7 * number
    )


def _order(predicate: Iri, pairs: _Pairs, triples: int) -> tuple[bool, float, float, int, str]:
    """Sort key: called a name, then distinct texts, then texts of several words, then frequent."""
    distinct = round(len({text for _, text in pairs}) / len(pairs), 1)
    length = sum(len(text.split()) for _, text in pairs) / len(pairs)
    return (not says_name(predicate), -distinct, -min(length, 3.0), -triples, predicate)


def says_name(predicate: str) -> bool:
    """Whether the predicate's own name marks it as a naming predicate."""
    return not _SAID.isdisjoint(words(_local(predicate))[-1:])


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
