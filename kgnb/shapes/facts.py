"""The facts of a session in memory, found by subject, by object and by property."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from kgnb.kg.terms import RDF, Iri, Literal, Term, Triple
from kgnb.kg.vocabulary import LABEL
from kgnb.shapes.shape import TYPE, Path, inverse

_Values = tuple[Term, ...] | dict[Term, None]
"""Values of one property of one node, each once, in order: a tuple where they are few, which takes
a quarter of the memory.
"""
_FEW = 8
_Index = dict[Term, dict[str, _Values]]
_NONE: Mapping[str, _Values] = {}


def _put(index: _Index, node: Term, predicate: Iri, end: Term) -> None:
    """Add a value that is not there yet."""
    held = index.setdefault(node, {})
    values = held.get(predicate, ())
    if isinstance(values, dict):
        values[end] = None
    else:
        held[predicate] = (*values, end) if len(values) < _FEW else dict.fromkeys((*values, end))


def _drop(index: _Index, node: Term, predicate: str, end: Term) -> None:
    held = index[node]
    values = held[predicate]
    if isinstance(values, dict):
        del values[end]
    else:
        held[predicate] = tuple(one for one in values if one != end)
    if not held[predicate]:
        del held[predicate]
    if not held:
        del index[node]


class Facts:
    """Triples, each once, in the order they were added.

    >>> from kgnb.kg.terms import Iri
    >>> facts = Facts([(Iri("urn:hut"), Iri("urn:in"), Iri("urn:valley"))])
    >>> facts.objects(Iri("urn:hut"), "urn:in")
    [Iri('urn:valley')]
    """

    def __init__(self, triples: Iterable[Triple] = ()) -> None:
        self._by_subject: _Index = {}
        self._by_object: _Index = {}
        self._by_property: dict[str, dict[Term, None]] = {}  # those that have it, or had it
        self._terms: dict[Term, Term] = {}  # one object a term, wherever it occurs
        self._names: dict[str, Iri] = {}
        self._count = 0
        for triple in triples:
            self.add(triple)

    def __len__(self) -> int:
        return self._count

    def __contains__(self, triple: Triple) -> bool:
        return triple[2] in self._values(triple[0], triple[1])

    def __iter__(self) -> Iterator[Triple]:
        for subject, held in self._by_subject.items():
            for predicate, values in held.items():
                for value in values:
                    yield subject, Iri(predicate), value  # type: ignore[misc]  # subjects are no literals

    def _values(self, node: Term, predicate: str) -> _Values:
        return self._by_subject.get(node, _NONE).get(predicate, ())

    def add(self, triple: Triple) -> bool:
        """Add a triple; False if it was there."""
        if triple in self:
            return False
        subject, value = (self._terms.setdefault(term, term) for term in (triple[0], triple[2]))
        predicate = self._names.setdefault(triple[1], triple[1])
        _put(self._by_subject, subject, predicate, value)
        _put(self._by_object, value, predicate, subject)
        self._by_property.setdefault(predicate, {})[subject] = None
        self._count += 1
        return True

    def remove(self, triple: Triple) -> None:
        """Remove a triple that was added before."""
        subject, predicate, value = triple
        _drop(self._by_subject, subject, predicate, value)
        _drop(self._by_object, value, predicate, subject)
        self._count -= 1

    def knows(self, node: Term) -> bool:
        """Whether this node is the subject of any triple."""
        return node in self._by_subject

    def about(self, node: Term) -> Mapping[str, Collection[Term]]:
        """Properties and values of a node."""
        return self._by_subject.get(node, _NONE)

    def pointing_at(self, node: Term) -> Mapping[str, Collection[Term]]:
        """Properties that lead to a node, and their subjects."""
        return self._by_object.get(node, _NONE)

    def triples_of(self, node: Iri) -> list[Triple]:
        """The triples that lead from a node, then those that lead to it from what has an IRI."""
        found: list[Triple] = [
            (node, Iri(predicate), end)
            for predicate, ends in self.about(node).items()
            for end in ends
        ]
        found += [
            (start, Iri(predicate), node)
            for predicate, starts in self.pointing_at(node).items()
            for start in starts
            if isinstance(start, Iri)
        ]
        return list(dict.fromkeys(found))

    def objects(self, node: Term, *predicates: str) -> list[Term]:
        """The values of a property, or of several."""
        return [value for predicate in predicates for value in self._values(node, predicate)]

    def listed(self, node: Term, *predicates: str) -> list[Term]:
        """The members of the RDF lists that are values."""
        return [one for head in self.objects(node, *predicates) for one in self.members(head)]

    def members(self, head: Term) -> list[Term]:
        """The members of an RDF list; a circular one ends where it began."""
        found: list[Term] = []
        seen: set[Term] = set()
        while head not in seen and str(head) != f"{RDF}nil":
            seen.add(head)
            found += self.objects(head, f"{RDF}first")[:1]
            head = next(iter(self.objects(head, f"{RDF}rest")), Iri(f"{RDF}nil"))
        return found

    def subjects(self, value: Term, predicate: str) -> list[Term]:
        """The nodes that have this value."""
        return list(self._by_object.get(value, _NONE).get(predicate, ()))

    def pairs(self, predicate: str) -> Iterator[tuple[Term, Term]]:
        """Subject and value of every triple with this property, by subject."""
        for subject in self._by_property.get(predicate, ()):
            for value in self._values(subject, predicate):
                yield subject, value

    def named_pairs(self, predicate: str) -> Iterator[tuple[str, str]]:
        """The pairs of which both ends have an IRI."""
        for subject, value in self.pairs(predicate):
            if isinstance(subject, Iri) and isinstance(value, Iri):
                yield str(subject), str(value)

    def label(self, node: Term) -> str:
        """The first label of a node; "" where it has none."""
        labels = self.objects(node, LABEL)
        return next((label.text for label in labels if isinstance(label, Literal)), "")

    def types(self, node: Term) -> Iterable[Term]:
        """The classes a node is stated to be of."""
        return self._values(node, TYPE)

    def neighbours(self, node: Term) -> Iterator[Term]:
        """Nodes one step away in either direction; not over ``rdf:type``."""
        for index in (self._by_subject, self._by_object):
            for predicate, values in index.get(node, _NONE).items():
                if predicate != TYPE:
                    yield from values

    def ends(self, node: Term, path: Path) -> Collection[Term]:
        """The nodes a path leads to, each once; do not keep it, since it may change with the facts."""
        if path.kind == "iri":
            return self._values(node, path.iri)
        first = path.parts[0]
        if path.kind == "inverse":
            if first.kind == "iri":
                return self._by_object.get(node, _NONE).get(first.iri, ())
            return self.ends(node, _turned(first))
        if path.kind == "sequence":
            found: dict[Term, None] = {node: None}
            for part in path.parts:
                found = {end: None for start in found for end in self.ends(start, part)}
            return found
        if path.kind == "alternative":
            return {end: None for part in path.parts for end in self.ends(node, part)}
        reached: dict[Term, None] = {} if path.kind == "oneOrMore" else {node: None}
        step = dict.fromkeys(self.ends(node, first))
        if path.kind == "zeroOrOne":
            return reached | step
        while fresh := [end for end in step if end not in reached]:
            reached |= dict.fromkeys(fresh)
            step = {end: None for start in fresh for end in self.ends(start, first)}
        return reached

    def follow(self, node: Term, path: Path) -> list[Term]:
        """The nodes a path leads to, each once."""
        return list(self.ends(node, path))


def _turned(path: Path) -> Path:
    """A composed path in the other direction, inverted property by property."""
    if path.kind in ("iri", "inverse"):
        return inverse(path)
    parts = tuple(_turned(part) for part in path.parts)
    return Path(path.kind, parts=parts[::-1] if path.kind == "sequence" else parts)
