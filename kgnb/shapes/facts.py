"""The facts of a session in memory, found by subject, by object and by property."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain

from kgnb.kg.terms import RDF, Iri, Term, Triple
from kgnb.shapes.shape import TYPE, Path, inverse

_Values = tuple[Term, ...] | dict[Term, None]
"""Values of one property of one node, each once, in order: a tuple where they are few, which takes less memory."""
_FEW = 4
_SHORT = 1 + 2 * 8


class _Many(dict[str, _Values]):
    """The values of a node that has many, by property."""

    __slots__ = ("node",)
    node: Term

    def put(self, predicate: str, end: Term) -> None:
        """Add a value, which is not there yet."""
        values = self.get(predicate, ())
        if isinstance(values, dict):
            values[end] = None
        else:
            self[predicate] = (*values, end) if len(values) < _FEW else dict.fromkeys((*values, end))

    def drop(self, predicate: str, end: Term) -> None:
        """Remove one of the values."""
        values = self[predicate]
        if isinstance(values, dict):
            del values[end]
        else:
            self[predicate] = tuple(one for one in values if one != end)
        if not self[predicate]:
            del self[predicate]


_Flat = tuple[Term, ...]
"""The node, then property, value, property, value ...: most nodes have few, and this takes a quarter of the memory."""
_Index = dict[Term, _Flat | _Many]


def _values(held: _Flat | _Many, predicate: str) -> _Values:
    if isinstance(held, dict):
        return held.get(predicate, ())
    return tuple([held[at + 1] for at in range(1, len(held), 2) if held[at] == predicate])


def _table(held: _Flat | _Many) -> Mapping[str, _Values]:
    if isinstance(held, dict):
        return held
    found: dict[str, _Values] = {}
    for predicate, end in _pairs(held):
        found[predicate] = (*found.get(predicate, ()), end)
    return found


def _pairs(held: _Flat) -> Iterator[tuple[str, Term]]:
    return zip(held[1::2], held[2::2], strict=True)  # type: ignore[arg-type]  # every other one is a property


def _put(index: _Index, node: Term, predicate: Iri, end: Term) -> None:
    held = index.get(node, ())
    if isinstance(held, dict):
        held.put(predicate, end)
    elif len(held) < _SHORT:
        index[node] = (*(held or (node,)), predicate, end)
    else:
        index[node] = many = _Many()
        many.node = held[0]
        for one in (*_pairs(held), (predicate, end)):
            many.put(*one)


def _drop(index: _Index, node: Term, predicate: str, end: Term) -> None:
    held = index[node]
    if isinstance(held, dict):
        held.drop(predicate, end)
    else:
        rest = [pair for pair in _pairs(held) if pair != (predicate, end)]
        index[node] = held = (held[0], *chain.from_iterable(rest))  # type: ignore[arg-type]
    if len(held) == isinstance(held, tuple):
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
        self._by_property: dict[str, dict[Term, None]] = {}  # those that have it
        self._names: dict[str, Iri] = {}  # one object a property
        self._count = 0
        for triple in triples:
            self.add(triple)

    def __len__(self) -> int:
        return self._count

    def __contains__(self, triple: Triple) -> bool:
        return triple[2] in _values(self._by_subject.get(triple[0], ()), triple[1])

    def __iter__(self) -> Iterator[Triple]:
        for subject, held in self._by_subject.items():
            for predicate, values in _table(held).items():
                for value in values:
                    yield subject, Iri(predicate), value  # type: ignore[misc]  # subjects are no literals

    def _known(self, term: Term) -> Term:
        """The one object that represents this term everywhere."""
        held = self._by_subject.get(term) or self._by_object.get(term)
        return term if held is None else held.node if isinstance(held, _Many) else held[0]

    def add(self, triple: Triple) -> bool:
        """Add a triple; False if it was there."""
        if triple in self:
            return False
        subject, value = self._known(triple[0]), self._known(triple[2])
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
        if not self.objects(subject, predicate):
            del self._by_property[predicate][subject]
        self._count -= 1

    def knows(self, node: Term) -> bool:
        """Whether this node is the subject of any triple."""
        return node in self._by_subject

    def about(self, node: Term) -> Mapping[str, Collection[Term]]:
        """Properties and values of a node."""
        return _table(self._by_subject.get(node, ()))

    def pointing_at(self, node: Term) -> Mapping[str, Collection[Term]]:
        """Properties that lead to a node, and their subjects."""
        return _table(self._by_object.get(node, ()))

    def objects(self, node: Term, predicate: str) -> list[Term]:
        """The values of a property."""
        return list(_values(self._by_subject.get(node, ()), predicate))

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
        return list(_values(self._by_object.get(value, ()), predicate))

    def pairs(self, predicate: str) -> Iterator[tuple[Term, Term]]:
        """Subject and value of every triple with this property, by subject."""
        for subject in self._by_property.get(predicate, ()):
            for value in _values(self._by_subject[subject], predicate):
                yield subject, value

    def types(self, node: Term) -> Iterable[Term]:
        """The classes a node is stated to be of."""
        return _values(self._by_subject.get(node, ()), TYPE)

    def neighbours(self, node: Term) -> Iterator[Term]:
        """Nodes one step away in either direction; not over ``rdf:type``."""
        for index in (self._by_subject, self._by_object):
            for predicate, values in _table(index.get(node, ())).items():
                if predicate != TYPE:
                    yield from values

    def ends(self, node: Term, path: Path) -> Collection[Term]:
        """The nodes a path leads to, each once; do not keep it, since it may change with the facts."""
        if path.kind == "iri":
            return _values(self._by_subject.get(node, ()), path.iri)
        first = path.parts[0]
        if path.kind == "inverse":
            if first.kind == "iri":
                return _values(self._by_object.get(node, ()), first.iri)
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
