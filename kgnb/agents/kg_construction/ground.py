"""Stage 4: the entities of a new graph are linked to the same entities of a reference graph.

The published code takes the first label with any hit above 0.6, of any type. Here all labels are
compared, exact before fuzzy; a candidate's class must fit; and the best one must be clearly better
than the next, or a person decides.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, get_args
from typing import Literal as OneOf

from rapidfuzz import fuzz, process

from kgnb.agents.kg_construction.options import GroundOptions as Options
from kgnb.files import append_lines, read_lines
from kgnb.kg.graph import Graph
from kgnb.kg.terms import OWL, RDF, RDFS, SKOS, XSD, Iri, Literal, is_iri, local_name, n3
from kgnb.kg.words import key, words
from kgnb.results.table import Table, Tabled, Value, numbers, texts
from kgnb.shapes.phrases import joined

_SUBCLASSES = f"SELECT ?c ?d WHERE {{ ?c <{RDFS}subClassOf> ?d . FILTER(isIRI(?c) && isIRI(?d)) }} LIMIT 100000"
_NO_ENTITIES = (
    "http://www.w3.org/ns/prov#",
    "http://www.w3.org/ns/oa#",
    OWL,
    RDFS,
    f"{RDF}Property",
)  # where facts come from, and the terms of an ontology
_METHOD = OneOf["exact", "fuzzy"]


def ground(
    graph: Graph,
    reference: Graph,
    options: Options = Options(),
    *,
    schema: Iterable[Graph] = (),
    predicates: tuple[str, ...] = (),
    decisions: Mapping[str, str | None] | None = None,
    cache: Path | None = None,
    on_page: Callable[[int], object] | None = None,
) -> Grounding:
    """The links from the graph's entities to the reference's.

    Args:
        schema: graphs whose ``rdfs:subClassOf`` says which classes fit, besides those two.
        predicates: the reference's label properties; found by sampling when none are given.
        decisions: a person's decisions: the reference's IRI by the entity's, None where there is
            none.
        cache: a folder for the pages of the reference's labels, so that they are asked for once.
    """
    mine = label_index(graph)
    theirs = label_index(
        reference, predicates=predicates, page=options.page, cache=cache, on_page=on_page
    )
    mapped = _mapped(options.map, mine, theirs)
    fits, note = _fitting(mine, theirs, [graph, reference, *schema], options.check_types, mapped)
    names = ReferenceNames(theirs, options)
    links = []
    for iri, entity in mine.entities.items():
        if decisions and iri in decisions:
            known = theirs.entities.get(decisions[iri] or "")
            links.append(
                _decided(iri, entity.labels[0], decisions[iri], known.labels[0] if known else "")
            )
        elif iri in theirs.entities:
            links.append(
                GroundedEntity(
                    iri, entity.labels[0], "same", iri, theirs.entities[iri].labels[0], 1.0
                )
            )
        else:
            links.append(names.link(entity, fits))
    return Grounding(tuple(links), theirs.predicates, reference.name, note)


def _decided(entity: str, name: str, target: str | None, label: str) -> GroundedEntity:
    """The link that a person decided; None: nothing in the reference is the same."""
    if target is None:
        return GroundedEntity(entity, name, "none", reason="a person decided")
    return GroundedEntity(entity, name, "decided", target, label, 1.0, reason="a person decided")


class ReferenceNames:
    """The names of a reference's entities, indexed for lookup."""

    def __init__(
        self, index: LabelIndex, options: Options = Options(), schema: Iterable[Graph] = ()
    ) -> None:
        self.index, self.options, self.name = index, options, index.source
        self._by_key: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
        self._folded: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for iri, entity in index.entities.items():
            for label in entity.labels:
                if folded := _folded(label):
                    self._by_key[key(label)].append((iri, label))
                    self._folded[folded].append((iri, label))
        self._texts = sorted(self._folded)
        self._above = _above(schema)

    def link(
        self, entity: NamedEntity, fits: Callable[[NamedEntity, NamedEntity], bool]
    ) -> GroundedEntity:
        """The link of an entity to the reference, by its labels and classes."""
        best: dict[str, ReferenceCandidate] = {}

        def consider(target: str, label: str, score: float, method: _METHOD) -> None:
            known = self.index.entities[target]
            if fits(entity, known) and (target not in best or score > best[target].score):
                best[target] = ReferenceCandidate(target, label, round(score, 4), method)

        for label in entity.labels:
            for target, written in self._by_key.get(key(label), ()):
                consider(target, written, 1.0, "exact")
        for label in entity.labels if not best else ():
            for name, score, _ in process.extract(
                _folded(label),
                self._texts,
                scorer=fuzz.ratio,
                score_cutoff=100 * self.options.similarity,
                limit=25,
            ):
                for target, written in self._folded[name]:
                    consider(target, written, min(score, 99) / 100, "fuzzy")
        candidates = tuple(sorted(best.values(), key=lambda one: (-one.score, one.target)))[:5]
        name = entity.labels[0]
        if not candidates:
            reason = "nothing in the reference has a name like it and a class that fits"
            return GroundedEntity(entity.iri, name, "none", reason=reason)
        first = candidates[0]
        if len(candidates) > 1 and first.score - candidates[1].score < self.options.margin:
            reason = f"{candidates[1].label} is as good, or nearly"
            return GroundedEntity(entity.iri, name, "unsure", candidates=candidates, reason=reason)
        return GroundedEntity(
            entity.iri, name, first.method, first.target, first.label, first.score, candidates
        )

    def look_up(self, label: str, kind: str = "") -> dict[str, Any]:
        """The entities that a name may stand for, of a class by its name or IRI: plain JSON, the
        best first.

        ``certain`` says that the first one is clearly meant; otherwise a person or the text has to
        decide.
        """
        wanted = key(local_name(kind))

        def fits(one: NamedEntity, other: NamedEntity) -> bool:
            kinds = _closure(other.types, self._above)
            return not wanted or not kinds or any(key(local_name(each)) == wanted for each in kinds)

        link = self.link(NamedEntity("", (label,), frozenset()), fits)
        found = [
            {
                "iri": one.target,
                "label": one.label,
                "score": one.score,
                "classes": sorted(map(local_name, self.index.entities[one.target].types)),
            }
            for one in link.candidates
        ]
        return {"ok": True, "found": found, "certain": link.holds}


def _folded(label: str) -> str:
    """The words of a name without accents: Munchen means München."""
    plain = unicodedata.normalize("NFKD", " ".join(words(label)))
    return "".join(one for one in plain if not unicodedata.combining(one))


def _above(graphs: Iterable[Graph]) -> dict[str, set[str]]:
    above: dict[str, set[str]] = defaultdict(set)
    for graph in graphs:
        for child, parent in graph.select(_SUBCLASSES):
            above[str(child)].add(str(parent))
    return above


def _fitting(
    mine: LabelIndex,
    theirs: LabelIndex,
    graphs: Iterable[Graph],
    check: bool,
    mapped: Sequence[tuple[str, str]] = (),
) -> tuple[Callable[[NamedEntity, NamedEntity], bool], str]:
    """A test whether the classes of two entities fit, and a note on how it compares them."""
    if not check:
        return (lambda one, other: True), "classes were not compared"
    above = _above(graphs)
    for left, right in mapped:
        above[left].add(right)
    shared = {kind for entity in mine.entities.values() for kind in _closure(entity.types, above)}
    shared &= {
        kind for entity in theirs.entities.values() for kind in _closure(entity.types, above)
    }
    shared -= _TOP
    if not shared:
        return _by_class_name, "the graphs share no class: classes were compared by their names"

    def fits(one: NamedEntity, other: NamedEntity) -> bool:
        left, right = one.types - _TOP, other.types - _TOP
        if not left or not right:
            return True
        return bool(left & _closure(right, above) or right & _closure(left, above))

    return fits, ""


def _mapped(said: str, mine: LabelIndex, theirs: LabelIndex) -> list[tuple[str, str]]:
    """The classes that a person says fit, as IRIs of both graphs.

    Raises:
        ValueError: a part is no CLASS=CLASS, or a graph has no entity of that class.
    """
    found = []
    for part in filter(None, map(str.strip, said.split(","))):
        left, equals, right = part.partition("=")
        if not equals:
            raise ValueError(f"{part!r} is no CLASS=CLASS, as in ChemicalInput=Species")
        found.append((_class_of(left.strip(), mine), _class_of(right.strip(), theirs)))
    return found


def _class_of(said: str, index: LabelIndex) -> str:
    known = sorted({kind for entity in index.entities.values() for kind in entity.types})
    fitting = [
        iri for iri in known if said in (iri, f"<{iri}>") or key(local_name(iri)) == key(said)
    ]
    if len(fitting) != 1:
        names = joined([*map(local_name, known)], 12, "and") or "no class"
        why = "several classes are called" if fitting else "no entity is of a class called"
        raise ValueError(f"{why} {said!r}; there are {names}")
    return fitting[0]


_TOP = frozenset({f"{OWL}Thing", f"{OWL}NamedIndividual", f"{RDFS}Resource"})


def _closure(types: Iterable[str], above: Mapping[str, set[str]]) -> set[str]:
    found, todo = set[str](), list(types)
    while todo:
        kind = todo.pop()
        if kind not in found:
            found.add(kind)
            todo += above.get(kind, ())
    return found


def _by_class_name(one: NamedEntity, other: NamedEntity) -> bool:
    left, right = (
        {key(local_name(kind)) for kind in entity.types - _TOP} for entity in (one, other)
    )
    return not left or not right or bool(left & right)


Outcome = OneOf["exact", "fuzzy", "decided", "same", "unsure", "none"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True, slots=True)
class ReferenceCandidate:
    """An entity of the reference that an entity may be linked to; ``score`` between 0 and 1."""

    target: str
    label: str
    score: float
    method: OneOf["exact", "fuzzy"]


@dataclass(frozen=True, slots=True)
class GroundedEntity:
    """The outcome for one entity. ``same``: the reference uses the same IRI, so that nothing need
    be written.
    """

    entity: str
    label: str
    outcome: Outcome
    target: str = ""
    target_label: str = ""
    score: float = 0.0
    candidates: tuple[ReferenceCandidate, ...] = ()
    reason: str = ""

    @property
    def holds(self) -> bool:
        """Whether it links two IRIs."""
        return self.outcome in ("exact", "fuzzy", "decided")


@dataclass(frozen=True)
class Grounding(Tabled):
    """All links, with the reference's label properties and a note on how classes were compared."""

    links: tuple[GroundedEntity, ...]
    predicates: tuple[str, ...]
    reference: str
    note: str = ""

    def __len__(self) -> int:
        return sum(link.holds for link in self.links)

    @cached_property
    def unsure(self) -> tuple[GroundedEntity, ...]:
        """The links that a person has to decide."""
        return tuple(link for link in self.links if link.outcome == "unsure")

    @property
    def mapping(self) -> Mapping[str, str]:
        """The reference's IRI by the entity's."""
        return {link.entity: link.target for link in self.links if link.holds}

    def decided(self, number: int, choice: int | None) -> Grounding:
        """The links with a decision on the ``number``-th unsure one (from 1): its ``choice``-th
        candidate, or None.

        Raises:
            ValueError: there is no such link or candidate.
        """
        if not 1 <= number <= len(self.unsure):
            raise ValueError(f"there is no unsure link {number}: there are {len(self.unsure)}")
        link = self.unsure[number - 1]
        if choice is not None and not 1 <= choice <= len(link.candidates):
            raise ValueError(
                f"{link.label} has {len(link.candidates)} candidates, no number {choice}"
            )
        taken = link.candidates[choice - 1] if choice is not None else None
        new = _decided(
            link.entity, link.label, taken.target if taken else None, taken.label if taken else ""
        )
        return replace(self, links=tuple(new if one is link else one for one in self.links))

    def counts(self) -> dict[str, int]:
        """The number of entities by outcome."""
        found = Counter(link.outcome for link in self.links)
        return {
            "entities": len(self.links),
            **{outcome: found[outcome] for outcome in OUTCOMES if found[outcome]},
        }

    def turtle(self) -> str:
        """The links as ``owl:sameAs``, one per line."""
        lines = [
            f"{n3(Iri(link.entity))} <{OWL}sameAs> {n3(Iri(link.target))} ."
            for link in self.links
            if link.holds and is_iri(link.entity) and is_iri(link.target)
        ]
        return "".join(f"{line}\n" for line in sorted(lines))

    def table(self) -> Table:
        """Every entity with its outcome; unsure ones come first."""
        order = ("unsure", "fuzzy", "exact", "decided", "same", "none")
        columns = (
            texts(label="entity", outcome="outcome", target="linked to")
            + numbers(score="score")
            + texts(why="why, or what else", iri="IRI there")
        )
        rows: list[list[Value]] = [
            [
                link.label,
                link.outcome,
                link.target_label,
                link.score or None,
                link.reason
                or ", ".join(f"{one.label} {one.score:.2f}" for one in link.candidates[1:]),
                link.target or " ".join(one.target for one in link.candidates),
            ]
            for link in sorted(
                self.links, key=lambda link: (order.index(link.outcome), link.label, link.entity)
            )
        ]
        notes = [f"labels of {self.reference}: {', '.join(self.predicates) or 'none found'}"]
        return Table(
            columns, rows, caption="Grounding", notes=[*notes, *([self.note] if self.note else [])]
        )


_TEXTS = (None, f"{XSD}string", f"{XSD}normalizedString", f"{XSD}token", f"{RDF}langString")
_WELL_KNOWN = (
    f"{RDFS}label",
    f"{SKOS}prefLabel",
    f"{SKOS}altLabel",
    "http://xmlns.com/foaf/0.1/name",
)
_NAMING = {"label", "name", "title", "synonym", "alias", "alternative", "alt", "pref"}
_SAMPLE = """SELECT ?s ?p ?o WHERE { ?s ?p ?o . FILTER(isLiteral(?o)) } LIMIT 1000"""
_OF_TYPE = """SELECT ?s ?p ?o WHERE { ?s a ?type ; ?p ?o . FILTER(isLiteral(?o)) } LIMIT 100"""
_TYPES = """SELECT DISTINCT ?type WHERE { ?s a ?type } LIMIT 40"""
_PAGE = (
    """SELECT ?s ?o WHERE { ?s ?p ?o . FILTER(isLiteral(?o)) } ORDER BY ?s ?o LIMIT %d OFFSET %d"""
)
_ALL_TYPES = """SELECT ?s ?type WHERE { ?s a ?type } ORDER BY ?s ?type LIMIT %d OFFSET %d"""


@dataclass(frozen=True)
class NamedEntity:
    """One entity of a graph: its labels (the first one is shown) and its classes."""

    iri: str
    labels: tuple[str, ...]
    types: frozenset[str]


@dataclass(frozen=True)
class LabelIndex:
    """All named entities of a graph, by IRI, and the label properties that were found."""

    source: str
    predicates: tuple[str, ...]
    entities: Mapping[str, NamedEntity]


def label_predicates(graph: Graph) -> tuple[str, ...]:
    """The properties that hold names, likeliest first: short and distinct texts, few per entity.

    A thousand literals are sampled, and some of each of the first forty classes, so that the naming
    property of a small class is not missed.
    """
    rows = list(graph.select(_SAMPLE))
    for (kind,) in graph.select(_TYPES):
        if isinstance(kind, Iri):
            rows += graph.select(_OF_TYPE, bindings={"type": kind})
    seen: dict[str, set[tuple[str, str]]] = defaultdict(set)
    other: dict[str, int] = defaultdict(int)
    for subject, predicate, value in rows:
        if not isinstance(value, Literal) or not isinstance(subject, Iri):
            continue
        if value.datatype in _TEXTS and not re.fullmatch(r"[\d\s.,:/+-]*", value.text):
            seen[str(predicate)].add((str(subject), value.text))
        else:
            other[str(predicate)] += 1
    found: dict[
        str, tuple[int, float]
    ] = {}  # how surely its name says so, and how much its values look so
    for iri, pairs in seen.items():
        lengths = sorted(len(text) for _, text in pairs)
        if lengths[len(lengths) // 2] <= 80 and other[iri] <= len(pairs):
            named = (
                2 if iri in _WELL_KNOWN else int(bool(_NAMING.intersection(words(local_name(iri)))))
            )
            found[iri] = named, _likeness(pairs)
    wanted = any(named for named, _ in found.values())  # else judge by the values alone
    chosen = [iri for iri, (named, looks) in found.items() if (named if wanted else looks >= 0.9)]
    return tuple(sorted(chosen, key=lambda iri: (-found[iri][0], -found[iri][1], iri)))


def _likeness(pairs: set[tuple[str, str]]) -> float:
    """How much the values of a property look like names, from 0 to 1: distinct, short, few of an
    entity.
    """
    distinct = len({text for _, text in pairs}) / len(pairs)
    several = len(pairs) / len({subject for subject, _ in pairs})
    short = sum(len(text.split()) <= 6 for _, text in pairs) / len(pairs)
    return (distinct + short) / (2 if several <= 4 else 4) if len(pairs) >= 5 else 0.0


def label_index(
    graph: Graph,
    *,
    predicates: tuple[str, ...] = (),
    page: int = 5000,
    most: int = 2_000_000,
    cache: Path | None = None,
    on_page: Callable[[int], object] | None = None,
) -> LabelIndex:
    """The labels of all entities of a graph; the terms of an ontology are none.

    Args:
        predicates: the label properties; found by sampling when none are given.
        page: rows asked for at once.
        most: rows read of one property at most.
        cache: a folder for the pages of each graph, so that an interrupted index resumes where it
            was.
        on_page: called with the number of rows so far.
    """
    asked = predicates or _predicates(graph, cache)
    labels: dict[str, dict[str, None]] = defaultdict(dict)
    rows = 0
    for predicate in asked:
        for pairs in _pages(graph, _PAGE, predicate, page, most, cache):
            for iri, text in pairs:
                labels[iri][text] = None
            rows += len(pairs)
            if on_page:
                on_page(rows)
    types: dict[str, set[str]] = defaultdict(set)
    for pairs in _pages(graph, _ALL_TYPES, "", page, most, cache) if labels else ():
        for iri, kind in pairs:
            if iri in labels:
                types[iri].add(kind)
    entities = {
        iri: NamedEntity(iri, tuple(labels[iri]), frozenset(types.get(iri, ())))
        for iri in sorted(labels)
        if _is_entity(types.get(iri, ()))
    }
    return LabelIndex(graph.name, tuple(asked), entities)


def _is_entity(types: Collection[str]) -> bool:
    return not types or any(k in _TOP or not k.startswith(_NO_ENTITIES) for k in types)


def _file(folder: Path | None, *key: object) -> Path | None:
    return (
        folder / f"{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.rows.jsonl"
        if folder
        else None
    )


def _predicates(graph: Graph, folder: Path | None) -> tuple[str, ...]:
    """The label properties, from the folder if they are there."""
    file = _file(folder, graph.name)
    for _, entry in read_lines(file) if file else ():
        return tuple(entry["predicates"])
    found = label_predicates(graph)
    if file:
        append_lines(file, [{"predicates": found}])
    return found


def _pages(
    graph: Graph, query: str, predicate: str, size: int, most: int, folder: Path | None
) -> list[list[tuple[str, str]]]:
    """All pages of a query; those in the folder are not asked for again."""
    file = _file(folder, graph.name, query, predicate, size)
    pages = (
        [[(str(one), str(other)) for one, other in entry["rows"]] for _, entry in read_lines(file)]
        if file
        else []
    )
    bound = {"p": Iri(predicate)} if predicate else None
    while (not pages or len(pages[-1]) == size) and len(pages) * size < most:
        found = graph.select(query % (size, len(pages) * size), bindings=bound)
        # pages are counted by what the server sent, before anything is left out
        pages.append(
            [(str(one) if isinstance(one, Iri) else "", _said(other)) for one, other in found]
        )
        if file:
            append_lines(file, [{"rows": pages[-1]}])
    return [[(iri, text) for iri, text in rows if iri and text.strip()] for rows in pages]


def _said(term: object) -> str:
    return term.text if isinstance(term, Literal) else str(term) if isinstance(term, Iri) else ""
