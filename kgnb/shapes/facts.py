"""The facts of a session in memory, looked up by subject, by object and by property, with a way back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from kgnb.kg.terms import RDF, Blank, Iri, Term, Triple
from kgnb.shapes.shape import TYPE, Path

_Values = tuple[Term, ...] | dict[Term, None]
"""Values of one property of one node, each once, in order: most have one, and a tuple takes a quarter of the memory."""
_Index = dict[Term, dict[str, _Values]]
_FEW = 4


class Facts:
    """Triples, each once, in the order in which they came.

    >>> from kgnb.kg.terms import Iri
    >>> facts = Facts([(Iri("urn:hut"), Iri("urn:in"), Iri("urn:valley"))])
    >>> facts.objects(Iri("urn:hut"), "urn:in")
    [Iri('urn:valley')]
    """

    def __init__(self, triples: Iterable[Triple] = ()) -> None:
        self._by_subject: _Index = {}
        self._by_object: _Index = {}
        self._by_property: dict[str, dict[tuple[Term, Term], None]] = {}
        self._names: dict[str, Iri] = {}  # one object a property
        for triple in triples:
            self.add(triple)

    def __len__(self) -> int:
        return sum(map(len, self._by_property.values()))

    def __contains__(self, triple: Triple) -> bool:
        return triple[2] in self._by_subject.get(triple[0], {}).get(triple[1], ())

    def __iter__(self) -> Iterator[Triple]:
        for subject, known in self._by_subject.items():
            for predicate, values in known.items():
                for value in values:
                    yield subject, Iri(predicate), value  # type: ignore[misc]  # subjects are no literals

    def add(self, triple: Triple) -> bool:
        """Add a triple; False if it was there."""
        subject, predicate, value = triple
        predicate = self._names.setdefault(predicate, predicate)
        known = self._by_subject.setdefault(subject, {})
        if value in known.get(predicate, ()):
            return False
        for ends, end in ((known, value), (self._by_object.setdefault(value, {}), subject)):
            values = ends.get(predicate, ())
            if isinstance(values, dict):
                values[end] = None
            else:
                ends[predicate] = (*values, end) if len(values) < _FEW else dict.fromkeys((*values, end))
        self._by_property.setdefault(predicate, {})[subject, value] = None
        return True

    def remove(self, triple: Triple) -> None:
        """Take a triple back that was added before."""
        subject, predicate, value = triple
        for index, key, other in ((self._by_subject, subject, value), (self._by_object, value, subject)):
            known = index[key]
            values = known[predicate]
            if isinstance(values, dict):
                del values[other]
            else:
                known[predicate] = tuple(one for one in values if one != other)
            if not known[predicate]:
                del known[predicate]
            if not known:
                del index[key]
        del self._by_property[predicate][subject, value]

    def knows(self, node: Term) -> bool:
        """Whether anything is said of this node."""
        return node in self._by_subject

    def about(self, node: Term) -> Mapping[str, Collection[Term]]:
        """Properties and values of a node."""
        return self._by_subject.get(node, {})

    def pointing_at(self, node: Term) -> Mapping[str, Collection[Term]]:
        """Properties that lead to a node, and from where."""
        return self._by_object.get(node, {})

    def objects(self, node: Term, predicate: str) -> list[Term]:
        """The values of a property."""
        return list(self._by_subject.get(node, {}).get(predicate, ()))

    def members(self, head: Term) -> list[Term]:
        """The members of an RDF list; one that runs in a circle ends where it began."""
        found: list[Term] = []
        seen: set[Term] = set()
        while head not in seen and str(head) != f"{RDF}nil":
            seen.add(head)
            found += self.objects(head, f"{RDF}first")[:1]
            head = next(iter(self.objects(head, f"{RDF}rest")), Iri(f"{RDF}nil"))
        return found

    def subjects(self, value: Term, predicate: str) -> list[Term]:
        """The nodes that have this value."""
        return list(self._by_object.get(value, {}).get(predicate, ()))

    def pairs(self, predicate: str) -> Iterable[tuple[Term, Term]]:
        """Subject and value of every triple with this property."""
        return self._by_property.get(predicate, {})

    def types(self, node: Term) -> Iterable[Term]:
        """The classes a node is said to be of."""
        return self._by_subject.get(node, {}).get(TYPE, ())

    def neighbours(self, node: Term) -> Iterator[Term]:
        """Nodes one step away, whichever the direction; not over ``rdf:type``."""
        for index in (self._by_subject, self._by_object):
            for predicate, values in index.get(node, {}).items():
                if predicate != TYPE:
                    yield from values

    def ends(self, node: Term, path: Path) -> Collection[Term]:
        """The nodes a path leads to, each once; not to be kept, for it may change with the facts."""
        if path.kind == "iri":
            return self._by_subject.get(node, {}).get(path.iri, ())
        if path.kind == "inverse" and path.parts[0].kind == "iri":
            return self._by_object.get(node, {}).get(path.parts[0].iri, ())
        return self.follow(node, path)

    def follow(self, node: Term, path: Path) -> list[Term]:
        """The nodes a path leads to, each once."""
        if path.kind == "iri":
            return self.objects(node, path.iri)
        if path.kind == "inverse":
            inner = path.parts[0]
            if inner.kind == "iri":
                return self.subjects(node, inner.iri)
            return self.follow(node, _turned(inner))
        if path.kind == "sequence":
            found: dict[Term, None] = {node: None}
            for part in path.parts:
                found = {end: None for start in found for end in self.follow(start, part)}
            return list(found)
        if path.kind == "alternative":
            return list(dict.fromkeys(end for part in path.parts for end in self.follow(node, part)))
        reached = dict.fromkeys([node] if path.kind != "oneOrMore" else [])
        step = self.follow(node, path.parts[0])
        if path.kind == "zeroOrOne":
            return list(reached | dict.fromkeys(step))
        while step:
            fresh = [end for end in dict.fromkeys(step) if end not in reached]
            reached |= dict.fromkeys(fresh)
            step = [end for start in fresh for end in self.follow(start, path.parts[0])]
        return list(reached)


def _turned(path: Path) -> Path:
    """A composed path the other way round, pushed down to its properties."""
    if path.kind == "iri":
        return Path("inverse", parts=(path,))
    if path.kind == "inverse":
        return path.parts[0]
    parts = tuple(_turned(part) for part in path.parts)
    return Path(path.kind, parts=parts[::-1] if path.kind == "sequence" else parts)


def is_node(term: object) -> bool:
    """Whether this is an IRI or a blank node."""
    return isinstance(term, Iri | Blank)
