"""Look-ups in a T-Box: its triples, its classes with what lies below them, its properties, its
individuals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, cached_property

from kgnb.errors import DataError
from kgnb.kg import vocabulary as v
from kgnb.kg.labels import readable
from kgnb.kg.ontology import Entity, Ontology
from kgnb.kg.terms import OWL, RDF, RDFS, SKOS, XSD, Blank, Iri, Literal, Term
from kgnb.shapes.facts import Facts
from kgnb.shapes.shape import SH, TYPE, Path, either, inverse, one

ONE_OF = f"{OWL}oneOf"
MOST_ABOVE = 500  # terms above a class or a property; their number is squared in a chain
_CONCEPT = f"{SKOS}Concept"  # a class like any other, where a property leads to it
_META = (
    v.META_TYPES
    | {
        f"{OWL}{name}"
        for name in (
            "NamedIndividual",
            "AllDisjointClasses",
            "AllDisjointProperties",
            "AllDifferent",
            "Axiom",
            "Annotation",
            "NegativePropertyAssertion",
            "OntologyProperty",
        )
    }
    | {f"{RDFS}Resource", f"{OWL}Thing"}
)
_NO_CLASSES = v.TOPS | v.DATATYPES


class TBox:
    """What compiling needs of an ontology, from its entities (names, texts, kinds) and its raw
    triples.
    """

    def __init__(self, facts: Facts, ontology: Ontology) -> None:
        self.facts = facts
        self.ontology = ontology
        self.label = cache(self._label)
        """What a person would call the term of an IRI."""
        self.above = cache(self._above)
        """The class of an IRI and the classes above it, nearest first."""
        self.entities: dict[str, Entity] = {}
        for entity in ontology.entities:
            if entity.kind != "class" or not self.is_datatype(entity.iri):
                self.entities.setdefault(entity.iri, entity)
        self.declared = {(entity.iri, entity.kind) for entity in ontology.entities}

    def __reduce__(self) -> tuple[type[TBox], tuple[Facts, Ontology]]:
        return TBox, (self.facts, self.ontology)  # its caches stay where they are

    def first(self, node: Term, *predicates: str) -> Term | None:
        """One value, the first in order, or None."""
        return next(iter(self.all(node, *predicates)), None)

    def all(self, node: Term, *predicates: str) -> list[Term]:
        """The values of some properties, sorted; blank nodes last, in the graph's order, which
        means nothing.
        """
        return sorted(self.facts.objects(node, *predicates), key=_order)

    @cached_property
    def languages(self) -> frozenset[str]:
        """The languages that the terms are named in."""
        names = (
            text for entity in self.entities.values() for text in (*entity.labels, *entity.synonyms)
        )
        return frozenset(text.language.lower().split("-")[0] for text in names if text.language)

    def is_datatype(self, iri: str) -> bool:
        """Whether an IRI names a datatype, a built-in or one of the ontology's own."""
        if iri.startswith(XSD) or iri in v.DATATYPES or iri in (f"{OWL}real", f"{OWL}rational"):
            return True
        kinds = {str(kind) for kind in self.facts.types(Iri(iri))}
        if kinds & {f"{RDFS}Datatype", f"{OWL}DataRange"}:
            return f"{RDFS}Class" not in kinds or f"{OWL}Class" not in kinds
        return any(str(parent) in v.DATATYPES for parent in self._schema_ancestors(iri))

    def _schema_ancestors(self, iri: str) -> Iterable[Term]:
        """schema.org's own datatypes have subclasses: CssSelectorType is a Text."""
        if not iri.startswith(("http://schema.org/", "https://schema.org/")):
            return ()
        return self.facts.follow(Iri(iri), Path("zeroOrMore", parts=(one(v.SUBCLASS),)))

    # classes
    # ---------------------------------------------------------------------------------------------------------

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """Every named class: declared, or used as one in a domain, a range or a restriction."""
        found = {entity.iri for entity in self.ontology.entities if entity.kind == "class"}
        fillers = (f"{OWL}someValuesFrom", f"{OWL}allValuesFrom", f"{SH}targetClass", f"{SH}class")
        for predicate in (*v.DOMAINS, *v.RANGES, *v.ON_FILLER, *fillers):
            for _, value in self.facts.pairs(predicate):
                found |= {str(term) for term in self._named(value)}
        return tuple(
            sorted(
                iri
                for iri in found
                if iri not in _NO_CLASSES
                and not self.is_datatype(iri)
                and not iri.startswith((RDFS, OWL, SH))
            )
        )

    def _named(self, value: Term, depth: int = 0) -> Iterable[Iri]:
        if isinstance(value, Iri):
            yield value
        elif isinstance(value, Blank) and depth < 20:
            for member in self.facts.listed(value, v.UNION, v.INTERSECTION):
                yield from self._named(member, depth + 1)

    @cached_property
    def parents(self) -> dict[str, frozenset[str]]:
        """Direct named superclasses; equal classes are each other's."""
        known = set(self.classes)
        found: defaultdict[str, set[str]] = defaultdict(set)
        for entity in self.ontology.entities:
            if entity.kind != "class":
                continue
            found[entity.iri] |= known.intersection(entity.parents, known)
            for other in known.intersection(entity.equivalents):
                found[entity.iri].add(other)
                found[other].add(entity.iri)
            for child in known.intersection(entity.children):
                found[child].add(entity.iri)
        return {iri: frozenset(above - {iri}) for iri, above in found.items()}

    @cached_property
    def below(self) -> dict[str, frozenset[str]]:
        """Of every class, it and the classes below it, however far."""
        return _inverted(self.classes, self.above)

    def _above(self, iri: str) -> tuple[str, ...]:
        return self._reached(iri, self.parents)

    @cached_property
    def enumerated(self) -> dict[str, frozenset[str]]:
        """Of every class defined by listing individuals, those individuals."""
        own: defaultdict[str, set[str]] = defaultdict(set)
        for iri in self.classes:
            node = Iri(iri)
            for expression in [node, *self.all(node, v.EQUIVALENT_CLASS)]:
                named = isinstance(expression, Iri) and expression != node
                if not named and (listed := self._listed(expression)):
                    own[iri] |= listed
        return {
            iri: frozenset(all_)
            for iri in self.classes
            if (all_ := set().union(*(own[b] for b in self.below[iri] & own.keys())))
        }

    def _listed(self, expression: Term, depth: int = 0) -> set[str]:
        listed = self.facts.listed(expression, ONE_OF)
        found = {str(member) for member in listed if isinstance(member, Iri)}
        for member in self.facts.listed(expression, v.UNION) if depth < 20 else ():
            if isinstance(member, Blank):
                found |= self._listed(member, depth + 1)
        return found

    @cached_property
    def closed_lists(self) -> frozenset[str]:
        """The classes that are only a list of individuals: no tool can make a new one."""
        return frozenset(
            iri
            for iri in self.classes
            if any(
                self.facts.objects(e, ONE_OF)
                for e in [Iri(iri), *self.facts.objects(Iri(iri), v.EQUIVALENT_CLASS)]
            )
        )

    @cached_property
    def individuals(self) -> dict[str, frozenset[str]]:
        """The T-Box's own individuals with their classes, including those of enumerations."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        classes = set(self.classes)
        terms = {entity.iri for entity in self.ontology.entities if entity.kind != "individual"}
        for subject, kind in self.facts.pairs(TYPE):
            if (
                isinstance(subject, Iri)
                and str(kind) in classes
                and (str(kind) not in _META or str(kind) == _CONCEPT)
                and subject not in terms
            ):
                found[str(subject)].add(str(kind))
        for iri in self.classes:
            for member in self.enumerated.get(iri, ()):
                if iri in self.closed_lists or member not in found:
                    found[member].add(iri)
        for value, kinds in self._filled_in():
            if value not in found and value not in terms and value not in classes:
                found[value] |= classes.intersection(kinds)
        return {iri: frozenset(kinds) for iri, kinds in sorted(found.items())}

    def _filled_in(self) -> Iterable[tuple[str, list[str]]]:
        """Individuals that only a list or a restriction to a value names, and the classes its
        property leads to.
        """
        named: list[Term] = []
        for predicate in (f"{SH}hasValue", f"{SH}targetNode"):
            named += [value for _, value in self.facts.pairs(predicate)]
        for predicate in (f"{SH}in", ONE_OF):
            for _, head in self.facts.pairs(predicate):
                named += self.facts.members(head)
        yield from ((str(one), []) for one in named if isinstance(one, Iri))
        for restriction, value in self.facts.pairs(f"{OWL}hasValue"):
            if isinstance(value, Iri):
                on = self.facts.objects(restriction, v.ON_PROPERTY)
                yield (
                    str(value),
                    [str(r) for p in on for r in self.facts.objects(p, f"{RDFS}range")],
                )

    def _reached(self, start: str, parents: Mapping[str, Collection[str]]) -> tuple[str, ...]:
        """An IRI and those above it, the nearest first; circles are allowed."""
        reached: dict[str, None] = {start: None}
        edge: Iterable[str] = (start,)
        while edge:
            new = set().union(*[parents.get(at, ()) for at in edge]).difference(reached)
            edge = sorted(new) if len(new) > 1 else tuple(new)
            reached.update(dict.fromkeys(edge))
            if len(reached) > MOST_ABOVE:
                raise DataError(
                    f"more than {MOST_ABOVE} terms lie above {start}",
                    where=self.ontology.name,
                    fix="look for chains of hundreds of rdfs:subClassOf or rdfs:subPropertyOf, or "
                    "for circles, and take them out",
                )
        return tuple(reached)

    # properties
    # ------------------------------------------------------------------------------------------------------

    @cached_property
    def properties(self) -> tuple[str, ...]:
        """Every object and datatype property, and every plain one."""
        kinds = ("object property", "datatype property")
        found = {entity.iri for entity in self.ontology.entities if entity.kind in kinds}
        for entity in self.ontology.entities:
            plain = (
                Iri(entity.iri),
                TYPE,
                Iri(f"{RDF}Property"),
            ) in self.facts and not self._annotates(entity.iri)
            if entity.kind == "annotation property" and (entity.domain or entity.range or plain):
                found.add(entity.iri)
        compared = (
            f"{SH}{name}" for name in ("equals", "disjoint", "lessThan", "lessThanOrEquals")
        )
        for predicate in (v.ON_PROPERTY, *compared):
            found |= {
                str(value) for _, value in self.facts.pairs(predicate) if isinstance(value, Iri)
            }
        for _, path in self.facts.pairs(f"{SH}path"):
            found |= set(self._in_path(path))
        found -= {iri for iri in found if iri.startswith(SH) and iri not in self.entities} | {v.NIL}
        return tuple(sorted(found - v.TOPS - {v.TYPE, v.LABEL, v.COMMENT}))

    def _in_path(self, path: Term, depth: int = 0) -> Iterable[str]:
        """The properties a SHACL path names."""
        if isinstance(path, Iri):
            yield str(path)
        elif depth < 20:
            marks = ("inversePath", "zeroOrMorePath", "oneOrMorePath", "zeroOrOnePath")
            parts = self.facts.objects(path, *(f"{SH}{mark}" for mark in marks))
            parts += self.facts.members(path) + self.facts.listed(path, f"{SH}alternativePath")
            for part in parts:
                yield from self._in_path(part, depth + 1)

    def _annotates(self, iri: str) -> bool:
        return (Iri(iri), TYPE, Iri(f"{OWL}AnnotationProperty")) in self.facts

    @cached_property
    def sub_properties(self) -> dict[str, frozenset[str]]:
        """Of every property, it and the properties below it."""
        parents: defaultdict[str, set[str]] = defaultdict(set)
        for child, parent in self.facts.named_pairs(v.SUBPROPERTY):
            parents[child].add(parent)
        for one_, other in self.facts.named_pairs(f"{OWL}equivalentProperty"):
            parents[one_].add(other)
            parents[other].add(one_)
        every = {*self.properties, *parents}
        found = _inverted(every, lambda iri: self._reached(iri, parents))
        return {iri: found[iri] for iri in self.properties}

    def subs(self, iri: str) -> tuple[str, ...]:
        """A property and those below it, in order."""
        return tuple(sorted(self.sub_properties.get(iri, {iri})))

    def path(self, iri: str) -> Path:
        """The path of a property and the properties below it."""
        return either(*map(one, self.subs(iri)))

    def path_of(self, node: Term) -> Path | None:
        """The path of a property expression: a name, or the inverse of one."""
        if isinstance(node, Iri):
            return self.path(str(node))
        inner = self.first(node, v.INVERSE)
        return inverse(self.path(str(inner))) if isinstance(inner, Iri) else None

    def has_trait(self, iri: str, name: str) -> bool:
        """Whether a property is declared functional, symmetric, ..."""
        return (Iri(iri), TYPE, Iri(f"{OWL}{name}Property")) in self.facts

    @cached_property
    def mirrors(self) -> dict[str, tuple[str, ...]]:
        """The properties that hold in the other direction: inverse properties, and symmetric ones
        themselves.
        """
        inverses: defaultdict[str, set[str]] = defaultdict(set)
        for one_, other in self.facts.named_pairs(v.INVERSE):
            inverses[one_].add(other)
            inverses[other].add(one_)
        for iri in self.properties:
            if self.has_trait(iri, "Symmetric"):
                inverses[iri].add(iri)
        found: defaultdict[str, set[str]] = defaultdict(set)
        for iri, others in inverses.items():
            for sub in self.subs(iri):
                found[sub] |= others
        return {iri: tuple(sorted(others)) for iri, others in sorted(found.items())}

    def domains(self, iri: str) -> tuple[str, ...]:
        """The named classes of a property's domains."""
        found = [
            str(one)
            for d in self.facts.objects(Iri(iri), f"{RDFS}domain")
            for one in self._named(d)
        ]
        return tuple(dict.fromkeys(found))

    @cached_property
    def restricted(self) -> dict[str, tuple[str, ...]]:
        """Of every property, the classes that are restricted on it."""
        found: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for entity in self.ontology.entities:
            for restriction in entity.restrictions:
                if entity.kind == "class" and not restriction.on.startswith("^"):
                    found[restriction.on][entity.iri] = None
        for subject, path in self.facts.pairs(f"{SH}path"):
            for shape in self.facts.subjects(subject, f"{SH}property"):
                for target in self.facts.objects(shape, f"{SH}targetClass"):
                    found[str(path)][str(target)] = None
        return {iri: tuple(sorted(classes)) for iri, classes in found.items()}

    # names
    # -----------------------------------------------------------------------------------------------------------

    def _label(self, iri: str) -> str:
        entity = self.entities.get(iri) or Entity(iri, "class")
        if not entity.labels:
            texts = [t for t in self.facts.objects(Iri(iri), v.LABEL) if isinstance(t, Literal)]
            best = sorted(texts, key=lambda t: (not (t.language or "en").startswith("en"), t.text))
            if best and best[0].text.strip():
                return " ".join(best[0].text.split())
        return readable(entity)

    def comment(self, iri: str) -> str:
        """The definitions and comments of a term, in one line."""
        entity = self.entities.get(iri)
        texts = [*entity.definitions, *entity.comments] if entity else []
        english = [
            t for t in texts if not t.language or t.language.lower().startswith("en")
        ] or texts
        return " ".join(" ".join(dict.fromkeys(t.text.strip() for t in english)).split())


def _order(term: Term) -> tuple[int, str]:
    return (1, "") if isinstance(term, Blank) else (0, repr(term))


def _inverted(
    iris: Iterable[str], above: Callable[[str], Iterable[str]]
) -> dict[str, frozenset[str]]:
    """Of every IRI, it and those below it, given those above each."""
    found: dict[str, set[str]] = {iri: set() for iri in iris}
    for iri in found:
        for up in above(iri):
            if up in found:
                found[up].add(iri)
    return {iri: frozenset(below) for iri, below in found.items()}
