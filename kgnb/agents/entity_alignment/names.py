"""Entity graphs read from RDF, their display names, and names ready for comparison in any script."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
import scipy
from anyascii import anyascii
from numpy.typing import NDArray

from kgnb.agents.entity_alignment.graphs import EntityGraph, Value
from kgnb.agents.entity_alignment.relations import LARGE, SPREAD, in_blocks, narrowed, sampled
from kgnb.kg.columns import FAMILY_NAMES, GIVEN_NAMES
from kgnb.kg.graph import Graph
from kgnb.kg.labels import choose_label, is_code, readable_name
from kgnb.kg.ontology import Text
from kgnb.kg.terms import OWL, RDF, SKOS, Blank, Iri, Literal, Triple
from kgnb.kg.vocabulary import BUILT_IN, LABELS, META_TYPES, NAMES, SYNONYMS, TYPE
from kgnb.vectors.character_embedder import hashed_grams
from kgnb.vectors.embedder import Embedder, Vectors
from kgnb.vectors.nearest import centred
from kgnb.vectors.reproducible import log, principal, unit

_DIMENSIONS = 1 << 18  # of the sparse n-gram space: names of 100,000 entities hardly collide
_PROJECTED = 256
_ALIASES = 4  # further names of an entity that are compared
_ACCENTS = re.compile("[\u0300-\u036f]")  # of European scripts only: in others marks are vowels
_QUALIFIER = re.compile(r"\s*[(（\[].*[)）\]]\s*$|\s*,\s.*$")
_FOREIGN = 0.05  # share of names in other scripts from which names are romanised
_NUMBERS = re.compile(r"\d+")


def local_names(iris: Sequence[str]) -> tuple[str, ...]:
    """A readable name for each IRI from the part after its namespace; "" for codes, if most of them
    are.

    The most frequent namespace is removed as a whole, so that a slash in a wiki title stays in the
    name.

    >>> local_names(["http://d.org/resource/Sun", "http://d.org/resource/Tea_bag", "http://d.org/resource/AC/DC"])
    ('Sun', 'Tea bag', 'AC/DC')
    """
    spaces = [_space(iri) for iri in iris]
    usual = Counter(spaces).most_common(1)[0][0] if spaces else ""
    found = [
        (iri[len(usual) :] if usual and iri.startswith(usual) else "") or _last(iri, space)
        for iri, space in zip(iris, spaces, strict=True)
    ]
    titles = sum("_" in name or "%20" in name or "+" in name for name in found) >= len(found) / 100
    texts = [unquote(name) for name in found]
    codes = sum(map(is_code, texts)) > len(texts) / 2  # a few may be names of years
    return tuple(
        "" if codes and is_code(text) else _title(text) if titles else readable_name(text)
        for text in texts
    )


def _last(iri: str, space: str) -> str:
    whole = iri.rstrip("/#")
    return (
        whole[len(space) :]
        if len(whole) > len(space)
        else whole[max(whole.rfind("/"), whole.rfind("#")) + 1 :]
    )


def _title(text: str) -> str:
    """A wiki title: underscores are spaces, capitals stay."""
    return " ".join(unicodedata.normalize("NFC", text).replace("_", " ").split())


@lru_cache(maxsize=1 << 16)
def folded(name: str) -> str:
    """A name for comparison: compatibility forms, case and European accents folded, punctuation as
    spaces.
    """
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    text = unicodedata.normalize("NFC", _ACCENTS.sub("", text))
    words = "".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in text).split()
    return " ".join(words or text.split())  # a name may be all punctuation


def bare(name: str) -> str:
    """A folded name without its qualifier in brackets, or after a comma, at its end.

    >>> bare("Self Portrait (album)"), bare("Saint-Joseph, Quebec"), bare("(album)")
    ('self portrait', 'saint joseph', 'album')
    """
    return folded(_QUALIFIER.sub("", name)) or folded(name)


def spelt(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """Both sides' names folded for comparison of spelling, left then right; romanised if only one
    side needs it.

    >>> spelt(["冯国璋", "Кинг"], ["Feng Guozhang", "King"])
    ['fengguozhang', 'king', 'feng guozhang', 'king']
    """
    names = [*left, *right]
    return (
        [folded(romanised(name)) for name in names]
        if in_two_scripts(left, right)
        else [folded(name) for name in names]
    )


def in_two_scripts(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether one side's texts are in another script than Latin, and clearly fewer of the other's."""
    shares = [sum(map(_foreign, side)) / max(len(side), 1) for side in (left, right)]
    return min(shares) < max(shares) / 2 and max(shares) >= _FOREIGN


def romanised(text: str) -> str:
    """A text in Latin letters."""
    return anyascii(text).replace("'", "")


def _foreign(name: str) -> bool:
    return not name.isascii() and any(
        c.isalpha() and not unicodedata.name(c, "LATIN").startswith("LATIN") for c in name
    )


class SideNames(NamedTuple):
    """One side's names, ready for comparison with the other's."""

    grams: scipy.sparse.csr_matrix  # (entities, n-grams), unit rows
    # (entities, dimensions) unit rows: meaning and spelling, to be propagated over relations
    vectors: Vectors
    meaning: Vectors  # (entities, dimensions) unit rows: the embedder's alone
    whole: NDArray[
        np.int64
    ]  # key of the folded name, the same for equal names on both sides; -1 for none
    bare: NDArray[np.int64]  # the same without the qualifier
    numbers: NDArray[np.int64]  # key of the numbers in the name, -1 for none
    further: Further | None = (
        None  # all names of each entity, if any entity of either side has several
    )


class Further(NamedTuple):
    """Every name of one side's entities, the display name first; those of entity ``e`` begin at
    ``starts[e]``.
    """

    starts: NDArray[np.int64]  # (entities + 1,)
    names: SideNames  # one row per name


def compare_ready(
    left: Sequence[str], right: Sequence[str], embedder: Embedder, *, seed: int = 0
) -> tuple[SideNames, SideNames]:
    """Both sides' names as n-grams, vectors and keys; rarity and centring are over both sides."""
    size, number = len(left), len(left) + len(right)
    large = number > LARGE
    kept: type = np.float16 if large else np.float32
    centre = narrowed(*centred(embedder.embed(list(left)), embedder.embed(list(right))))
    meaning: list[Vectors] = [side.astype(kept, copy=False) for side in centre]
    del centre
    plain = [folded(name) for name in (*left, *right)]
    grams = _weighed(hashed_grams(spelt(left, right), _DIMENSIONS))
    whole, short = _keys(plain), _keys([bare(name) for name in (*left, *right)])
    numbers = _keys([" ".join(sorted(_NUMBERS.findall(name))) for name in plain])
    parts = [slice(0, size), slice(size, None)]
    project, sides = _projection(grams, seed), [grams[part] for part in parts]
    del grams

    def wide(side: int, rows: slice) -> Vectors:
        return unit(
            np.hstack([meaning[side][rows], project(sides[side][rows])]).astype(
                np.float32, copy=False
            )
        )

    shrink = (
        principal(np.vstack([wide(side, sampled(number)) for side in (0, 1)]), SPREAD)
        if large
        else None
    )

    def narrow(side: int, rows: slice) -> Vectors:
        whole = wide(side, rows)
        return (whole if shrink is None else unit(whole @ shrink)).astype(kept, copy=False)

    one, other = (
        SideNames(
            grams_,
            in_blocks(partial(narrow, side), len(own)),
            own,
            whole[part],
            short[part],
            numbers[part],
        )
        for side, (part, grams_, own) in enumerate(zip(parts, sides, meaning, strict=True))
    )
    return one, other


def all_names(
    left: Sequence[str],
    right: Sequence[str],
    aliases: tuple[Mapping[int, tuple[str, ...]], Mapping[int, tuple[str, ...]]],
    embedder: Embedder,
    *,
    seed: int = 0,
) -> tuple[Further, Further]:
    """Every name of both sides' entities, up to five each, ready for comparison."""
    every, starts = list[list[str]](), []
    for names, more in zip((left, right), aliases, strict=True):
        found = [(name, *more.get(entity, ())[:_ALIASES]) for entity, name in enumerate(names)]
        starts.append(
            np.concatenate([[0], np.cumsum([len(one) for one in found])]).astype(np.int64)
        )
        every.append([text for one in found for text in one])
    one, other = compare_ready(every[0], every[1], embedder, seed=seed)
    return Further(starts[0], one), Further(starts[1], other)


def _keys(texts: Sequence[str]) -> NDArray[np.int64]:
    """The same number for the same text, -1 for none."""
    numbers = {"": -1}
    for text in texts:
        numbers.setdefault(text, len(numbers) - 1)
    return np.fromiter(map(numbers.__getitem__, texts), dtype=np.int64, count=len(texts))


def _weighed(counts: scipy.sparse.csr_matrix) -> scipy.sparse.csr_matrix:
    """Damped counts times rarity, unit rows."""
    rarity = (
        log((1 + counts.shape[0]) / (1 + np.bincount(counts.indices, minlength=counts.shape[1])))
        + 1
    )
    weighed = counts.copy()
    weighed.data = ((1 + log(counts.data)) * rarity[counts.indices]).astype(np.float32)
    lengths = np.sqrt(np.asarray(weighed.multiply(weighed).sum(axis=1)).ravel())
    weighed.data /= np.repeat(lengths, np.diff(weighed.indptr)).astype(np.float32)
    return weighed


def _projection(
    grams: scipy.sparse.csr_matrix, seed: int
) -> Callable[[scipy.sparse.csr_matrix], Vectors]:
    """Projects rows of n-grams into few dimensions, keeping cosines approximately (random
    projection).
    """
    used = np.bincount(grams.indices, minlength=grams.shape[1]) > 0
    place = np.cumsum(used) - 1
    draw = np.random.default_rng(seed).standard_normal(
        (int(used.sum()), _PROJECTED), dtype=np.float32
    )

    def project(rows: scipy.sparse.csr_matrix) -> Vectors:
        narrow = scipy.sparse.csr_matrix(
            (rows.data, place[rows.indices], rows.indptr), shape=(rows.shape[0], len(draw))
        )
        return unit(np.asarray(narrow @ draw, dtype=np.float32))

    return project


SAME = frozenset(
    {
        f"{OWL}sameAs",
        f"{SKOS}exactMatch",
        f"{SKOS}closeMatch",
        "http://schema.org/sameAs",
        "https://schema.org/sameAs",
    }
)
IDENTICAL = SAME - {f"{SKOS}closeMatch"}
"""Links that state the answer; read as seeds on request, never as facts."""
DIFFERENT = f"{OWL}differentFrom"

ANY_URI = "http://www.w3.org/2001/XMLSchema#anyURI"
_LABELLED = ("label", "name", "preflabel", "title")  # last parts of a graph's own naming attributes


def from_graph(graph: Graph) -> EntityGraph:
    """The individuals of an RDF graph, without classes, properties, ontologies, blank nodes and
    OWL's own terms.

    An IRI that is only an object is an entity if its namespace is that of a described entity; other
    IRIs, and types, are values. What is stated to be the same or different is kept apart from the
    facts.
    """
    everything, mended = list(graph.triples()), getattr(graph, "mended", ())
    same, different = stated(everything)
    links = {*SAME, DIFFERENT}
    triples = [
        triple for triple in everything if isinstance(triple[0], Iri) and triple[1] not in links
    ]
    schema = {s for s, p, o in triples if p == TYPE and isinstance(o, Iri) and o in META_TYPES}
    schema |= {p for _, p, _ in triples} | {
        o for _, p, o in triples if p == TYPE and isinstance(o, Iri)
    }
    facts = [t for t in triples if t[0] not in schema and not str(t[0]).startswith(BUILT_IN)]
    described = {str(s) for s, _, _ in facts}
    spaces = {_space(iri) for iri in described}
    entities = dict.fromkeys(
        sorted(described | {iri for iri in _pointed_at(facts, schema) if _space(iri) in spaces})
    )
    words = labels_in(triples, entities)
    read = _read(graph.name, facts, tuple(entities))
    return named_by_labels(
        replace(read, labels=words, same=same, different=different, mended=mended)
    )


Pairs = tuple[tuple[str, str], ...]


def stated(triples: Iterable[Triple]) -> tuple[Pairs, Pairs]:
    """The pairs of IRIs that a graph states to be the same, and to be different (one by one, or as
    members of an owl:AllDifferent).
    """
    same: dict[tuple[str, str], None] = {}
    different: dict[tuple[str, str], None] = {}
    lists: dict[str, tuple[str, str]] = {}
    firsts: dict[str, str] = {}
    rests: dict[str, str] = {}
    for subject, predicate, value in triples:
        if isinstance(value, Literal):
            continue
        pair = (str(subject), str(value))
        if predicate == f"{RDF}first":
            firsts[pair[0]] = pair[1]
        elif predicate == f"{RDF}rest":
            rests[pair[0]] = pair[1]
        elif predicate in (f"{OWL}distinctMembers", f"{OWL}members"):
            lists[pair[0]] = pair
        elif predicate in IDENTICAL:
            same[pair] = None
        elif predicate == DIFFERENT:
            different[pair] = None
    kinds = {str(s): str(o) for s, p, o in triples if p == TYPE and str(s) in lists}
    for node, (_, head) in lists.items():
        if kinds.get(node) != f"{OWL}AllDifferent":
            continue
        members: list[str] = []
        while head in firsts and len(members) < len(firsts):
            members.append(firsts[head])
            head = rests.get(head, "")
        different |= dict.fromkeys(
            (one, other) for one in members for other in members if one != other
        )
    return tuple(sorted(same)), tuple(sorted(different))


def labels_in(triples: Iterable[Triple], entities: Container[str] = ()) -> dict[str, str]:
    """The labels of everything that is not an entity: properties, classes, terms."""
    texts: dict[str, list[Text]] = {}
    for subject, predicate, value in triples:
        if predicate in LABELS and isinstance(value, Literal) and str(subject) not in entities:
            texts.setdefault(str(subject), []).append(Text(value.text, value.language or None))
    found = {iri: choose_label(said) for iri, said in sorted(texts.items())}
    return {iri: " ".join(label.text.split()) for iri, label in found.items() if label is not None}


def _space(iri: str) -> str:
    return iri[: max(iri.rfind("/"), iri.rfind("#"), iri.rfind(":") if "/" not in iri else 0) + 1]


def _pointed_at(facts: Iterable[Triple], schema: set[Iri | Blank]) -> set[str]:
    return {
        str(o)
        for _, p, o in facts
        if isinstance(o, Iri) and p != TYPE and o not in schema and not str(o).startswith(BUILT_IN)
    }


def _read(name: str, facts: Iterable[Triple], entities: tuple[str, ...]) -> EntityGraph:
    places = {iri: place for place, iri in enumerate(entities)}
    relations: dict[str, int] = {}
    attributes: dict[str, int] = {}
    values: dict[Value, int] = {}
    triples: list[tuple[int, int, int]] = []
    described: list[tuple[int, int, int]] = []
    for subject, predicate, object_ in facts:
        start = places[str(subject)]
        if isinstance(object_, Iri) and str(object_) in places and predicate != TYPE:
            triples.append(
                (start, relations.setdefault(str(predicate), len(relations)), places[str(object_)])
            )
            continue
        if isinstance(object_, Iri):
            value = Value(str(object_), "", ANY_URI)
        elif isinstance(object_, Literal):
            value = Value(object_.text, object_.language or "", object_.datatype or "")
        else:
            continue
        attribute = attributes.setdefault(str(predicate), len(attributes))
        described.append((start, attribute, values.setdefault(value, len(values))))
    rows, others = (
        np.array(found, dtype=np.int32).reshape(-1, 3) for found in (triples, described)
    )
    names = local_names(entities)
    return EntityGraph(
        name, entities, names, tuple(relations), rows, tuple(attributes), tuple(values), others
    )


def named_by_labels(graph: EntityGraph) -> EntityGraph:
    """The graph with its labels as names: standard properties first, then those that end in "label"
    or "name".
    """
    ranks = np.array([_rank(attribute) for attribute in graph.attributes], dtype=np.int64)
    rows = graph.attribute_triples
    if not len(rows):
        return graph
    found: dict[int, list[tuple[int, str]]] = {}
    for entity, attribute, value in rows[ranks[rows[:, 1]] > 0].tolist():
        text = " ".join(graph.values[value].text.split())
        if text and graph.values[value].datatype != ANY_URI:
            found.setdefault(entity, []).append((-int(ranks[attribute]), text))
    names = list(graph.names)
    aliases: dict[int, tuple[str, ...]] = {}
    for entity, name in _names_of_people(graph).items():
        found.setdefault(entity, [(-2, name)])
    for entity, labels in found.items():
        texts = list(dict.fromkeys(text for _, text in sorted(labels, key=lambda label: label[0])))
        names[entity], *more = [text for text in texts if not is_code(text)] or texts
        if more:
            aliases[entity] = tuple(more)
    return replace(graph, names=tuple(names), aliases=aliases)


def _names_of_people(graph: EntityGraph) -> dict[int, str]:
    """A given and a family name, each said once and once only, make a name."""
    kinds = [_part_of_name(attribute) for attribute in graph.attributes]
    said: dict[int, list[tuple[str, str]]] = {}
    for entity, attribute, value in graph.attribute_triples.tolist():
        if kinds[attribute]:
            said.setdefault(entity, []).append((kinds[attribute], graph.values[value].text))
    # "1 given" sorts before "2 family"
    return {
        entity: " ".join(text for _, text in sorted(parts))
        for entity, parts in said.items()
        if len(parts) == len(dict(parts)) == 2
    }


def _part_of_name(attribute: str) -> str:
    """Whether a property holds given or family names."""
    local = attribute[max(attribute.rfind("/"), attribute.rfind("#")) + 1 :]
    plain = " ".join(readable_name(local).casefold().split())
    return "1 given" if plain in GIVEN_NAMES else "2 family" if plain in FAMILY_NAMES else ""


def _rank(attribute: str) -> int:
    """How well a property names an entity: 0 not at all."""
    if attribute in LABELS:
        return 4
    if attribute in NAMES:
        return 3
    if attribute in SYNONYMS:
        return 1
    local = attribute[max(attribute.rfind("/"), attribute.rfind("#")) + 1 :].lower()
    return 2 if local in _LABELLED and not attribute.startswith(RDF) else 0
