"""What the entities of a graph are called: label properties found by sampling, labels fetched by pages and kept."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kgnb.files import write_whole
from kgnb.kg.graph import Graph
from kgnb.kg.terms import RDF, RDFS, SKOS, XSD, Iri, Literal
from kgnb.kg.words import key, words

_TEXTS = (None, f"{XSD}string", f"{XSD}normalizedString", f"{XSD}token", f"{RDF}langString")
_WELL_KNOWN = (f"{RDFS}label", f"{SKOS}prefLabel", f"{SKOS}altLabel", "http://xmlns.com/foaf/0.1/name")
_NAMING = {"label", "name", "title", "synonym", "alias", "alternative", "alt", "pref"}
_SAMPLE = """SELECT ?s ?p ?o WHERE { ?s ?p ?o . FILTER(isLiteral(?o)) } LIMIT %d"""
_OF_TYPE = """SELECT ?s ?p ?o WHERE { ?s a ?type ; ?p ?o . FILTER(isLiteral(?o)) } LIMIT %d"""
_TYPES = """SELECT DISTINCT ?type WHERE { ?s a ?type } LIMIT %d"""
_PAGE = """SELECT ?s ?o WHERE { ?s ?p ?o . FILTER(isLiteral(?o)) } ORDER BY ?s ?o LIMIT %d OFFSET %d"""
_ALL_TYPES = """SELECT ?s ?type WHERE { ?s a ?type } ORDER BY ?s ?type LIMIT %d OFFSET %d"""


@dataclass(frozen=True)
class Named:
    """One entity of a graph: its labels as written (the first one is shown) and its classes."""

    iri: str
    labels: tuple[str, ...]
    types: frozenset[str]


@dataclass(frozen=True)
class LabelIndex:
    """All named entities of a graph, by IRI, and the label properties that were found."""

    source: str
    predicates: tuple[str, ...]
    entities: Mapping[str, Named]

    def by_key(self) -> dict[tuple[str, ...], list[tuple[str, str]]]:
        """Who is called so: (IRI, label as written), by the label's words."""
        found: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
        for iri, entity in self.entities.items():
            for label in entity.labels:
                if words_of := key(label):
                    found[words_of].append((iri, label))
        return found


def label_predicates(graph: Graph, sample: int = 1000, types: int = 40) -> tuple[str, ...]:
    """The properties that name things, likeliest first: texts that are short, differ, and are few on an entity.

    A thousand literals are looked at, and some of each of the first forty classes, so that names which only a small
    class has are not missed.
    """
    rows = list(graph.select(_SAMPLE % sample))
    for (kind,) in graph.select(_TYPES % types):
        if isinstance(kind, Iri):
            rows += graph.select(_OF_TYPE % (sample // 10), bindings={"type": kind})
    seen: dict[str, set[tuple[str, str]]] = defaultdict(set)
    other: dict[str, int] = defaultdict(int)
    for subject, predicate, value in rows:
        if not isinstance(value, Literal) or not isinstance(subject, Iri):
            continue
        if value.datatype in _TEXTS and not re.fullmatch(r"[\d\s.,:/+-]*", value.text):
            seen[str(predicate)].add((str(subject), value.text))
        else:
            other[str(predicate)] += 1
    scored = {iri: _likeness(iri, pairs, other[iri]) for iri, pairs in seen.items()}
    enough = 1.0 if any(score >= 1 for score in scored.values()) else 0.85  # no property is named as one: what it holds
    return tuple(sorted((iri for iri, score in scored.items() if score >= enough), key=lambda iri: (-scored[iri], iri)))


def _likeness(iri: str, pairs: set[tuple[str, str]], others: int) -> float:
    """How much a property looks like one that names: 1 and more is a label."""
    lengths = sorted(len(text) for _, text in pairs)
    if lengths[len(lengths) // 2] > 80 or others > len(pairs):
        return 0.0
    local = set(words(re.split(r"[#/:]", iri)[-1]))
    named = 2.0 if iri in _WELL_KNOWN else 1.0 if local & _NAMING else 0.0
    distinct = len({text for _, text in pairs}) / len(pairs)
    several = len(pairs) / len({subject for subject, _ in pairs})
    descriptive = sum(1 for _, text in pairs if len(text.split()) <= 6) / len(pairs)
    looks = 0.5 * distinct + 0.5 * descriptive if len(pairs) >= 5 else 0.0
    return named + (looks if several <= 4 else looks / 2) - (0.0 if named else 0.05)


def label_index(
    graph: Graph,
    *,
    predicates: tuple[str, ...] = (),
    page: int = 5000,
    most: int = 2_000_000,
    cache: Path | None = None,
    on_page: Callable[[int], object] | None = None,
) -> LabelIndex:
    """The labels of all entities of a graph.

    Args:
        predicates: the label properties; found by sampling when none are given.
        page: rows asked for at once.
        most: rows read of one property at most.
        cache: a folder where pages are kept as they come, so that a broken index goes on where it was; by the graph's
            name, so that another endpoint has another one.
        on_page: told how many rows there are so far.
    """
    keep = _Pages(cache, graph.name)
    asked = predicates or keep.predicates(lambda: label_predicates(graph))
    labels: dict[str, dict[str, None]] = defaultdict(dict)
    rows = 0
    for predicate in asked:
        for pairs in keep.pages(graph, _PAGE, predicate, page, most):
            for iri, text in pairs:
                labels[iri][text] = None
            rows += len(pairs)
            if on_page:
                on_page(rows)
    types: dict[str, set[str]] = defaultdict(set)
    for pairs in keep.pages(graph, _ALL_TYPES, "", page, most) if labels else ():
        for iri, kind in pairs:
            if iri in labels:
                types[iri].add(kind)
    entities = {iri: Named(iri, tuple(labels[iri]), frozenset(types.get(iri, ()))) for iri in sorted(labels)}
    return LabelIndex(graph.name, tuple(asked), entities)


class _Pages:
    """Pages of query results in a folder: one file a query, one line a page, written whole."""

    def __init__(self, folder: Path | None, name: str) -> None:
        self._folder = folder / hashlib.sha256(name.encode()).hexdigest()[:16] if folder else None

    def predicates(self, find: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
        file = self._folder / "predicates.json" if self._folder else None
        if file is not None and file.is_file():
            return tuple(json.loads(file.read_text(encoding="utf-8")))
        found = find()
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(file, json.dumps(found))
        return found

    def pages(self, graph: Graph, query: str, predicate: str, size: int, most: int) -> list[list[tuple[str, str]]]:
        """All pages, those at hand from the folder; a line that was cut short is asked for again."""
        name = hashlib.sha256(f"{query}{predicate}{size}".encode()).hexdigest()[:16]
        file = self._folder / f"{name}.jsonl" if self._folder else None
        pages = _whole_pages(file)
        while (not pages or len(pages[-1]) == size) and len(pages) * size < most:
            bound = {"p": Iri(predicate)} if predicate else None
            found = graph.select(query % (size, len(pages) * size), bindings=bound)
            # pages are counted by what the server sent, before anything is left out
            pages.append([(str(one) if isinstance(one, Iri) else "", _said(other)) for one, other in found])
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(pages[-1], ensure_ascii=True) + "\n")
        return [[(iri, text) for iri, text in rows if iri and text.strip()] for rows in pages]


def _said(term: object) -> str:
    return term.text if isinstance(term, Literal) else str(term) if isinstance(term, Iri) else ""


def _whole_pages(file: Path | None) -> list[list[tuple[str, str]]]:
    if file is None or not file.is_file():
        return []
    text = file.read_text(encoding="utf-8", errors="replace")
    lines = text.split("\n")
    if lines[-1]:  # the process ended while it wrote
        write_whole(file, "".join(f"{line}\n" for line in lines[:-1]))
    return [[(str(one), str(other)) for one, other in json.loads(line)] for line in lines[:-1]]
