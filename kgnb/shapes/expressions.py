"""Class and data range expressions of OWL 2 -> what must hold of one value, in the vocabulary of shapes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kgnb.kg import vocabulary as v
from kgnb.kg.terms import OWL, RDF, RDFS, XSD, Blank, Iri, Literal, Term
from kgnb.shapes.datatypes import REAL, compare, is_legal
from kgnb.shapes.leaves import legal_pattern
from kgnb.shapes.shape import SH, Constraint, Shape, Warned
from kgnb.shapes.tbox import ONE_OF, TBox

_FACETS = ("minInclusive", "maxInclusive", "minExclusive", "maxExclusive")
_LITERAL = Constraint("nodeKind", (Iri(f"{SH}Literal"),))
_SCHEMA = {
    "Text": ("string", "langString"), "URL": ("anyURI", "string"), "Number": ("integer", "decimal", "double", "float"),
    "Integer": ("integer",), "Float": ("double", "float", "decimal"), "Boolean": ("boolean",), "Date": ("date",),
    "DateTime": ("dateTime",), "Time": ("time",), "DataType": ("string",),
}  # fmt: skip
_TEXTUAL = ("string", "anyType", "anySimpleType", "anyAtomicType")
_DEEPEST = 20  # levels of nesting; readers of Turtle give up not far beyond
_CARDINALITY = {"min": "minCardinality", "max": "maxCardinality", "exactly": "cardinality"}
NOTHING = Constraint("not", shapes=(Shape(),))


@dataclass(frozen=True)
class Stated:
    """One thing an expression demands: of the value itself (no path), or of what a path leads to from it."""

    kind: str
    shape: Shape


class Expressions:
    """Reads expressions of one T-Box; what cannot be read is a warning."""

    def __init__(self, tbox: TBox, *, closed_world: bool = True) -> None:
        self.tbox = tbox
        self.closed_world = closed_world
        self.warnings: set[Warned] = set()
        self._classes = frozenset(tbox.classes)

    def shape(self, expression: Term, about: str, seen: frozenset[Term] = frozenset()) -> Shape:
        """The shape of one expression; the empty shape where it demands nothing."""
        parts = [part.shape for part in self.stated(expression, about, seen)]
        plain = [c for part in parts if part.path is None for c in part.constraints]
        nested = tuple(p for part in parts if part.path is None for p in part.properties)
        paths = tuple(part for part in parts if part.path is not None)
        return Shape(constraints=_packed(plain), properties=tuple(sorted((*nested, *paths), key=repr)))

    def stated(self, expression: Term, about: str, seen: frozenset[Term] = frozenset()) -> list[Stated]:
        """What an expression demands, conjunct by conjunct."""
        if expression in seen or len(seen) > _DEEPEST:
            circular = expression in seen
            text = "an expression contains itself" if circular else f"what lies more than {_DEEPEST} levels deep"
            self.warn("circular expression" if circular else "deep nesting", about, text)
            return []
        seen = seen | {expression}
        if isinstance(expression, Literal):
            self.warn("malformed axiom", about, f"a literal stands where a class is expected: {expression.text[:60]!r}")
            return []
        if isinstance(expression, Iri):
            return list(self._named(expression, about, seen))
        return list(self._anonymous(expression, about, seen))

    def warn(self, kind: str, about: str, text: str) -> None:
        """Note what is not enforced."""
        self.warnings.add(Warned(kind, about, text))

    def _named(self, iri: Iri, about: str, seen: frozenset[Term]) -> Iterator[Stated]:
        name = str(iri)
        if name in (f"{OWL}Thing", f"{RDFS}Resource", f"{OWL}topDataProperty"):
            return
        if name == f"{OWL}Nothing":
            yield Stated("nothing", Shape((NOTHING,)))
        elif name.startswith((RDF, RDFS, OWL)) and not self.tbox.is_datatype(name) and name not in self._classes:
            self.warn("meta class", about, f"{name.rsplit('#', 1)[-1]} is no class of entities, so it demands nothing")
        elif self.tbox.is_datatype(name):
            yield from self._datatype(iri, about, seen)
        else:
            yield Stated("class", Shape((Constraint("isA", (iri,)),)))

    def _datatype(self, iri: Iri, about: str, seen: frozenset[Term]) -> Iterator[Stated]:
        tbox, name = self.tbox, str(iri)
        local = next((n for n in self._schema_names(name) if n in _SCHEMA), None)
        if local is not None:
            spaces = [f"{RDF if part == 'langString' else XSD}{part}" for part in _SCHEMA[local]]
            yield Stated("datatype", any_of([datatype(space) for space in spaces]))
            return
        if name in REAL:
            yield Stated("datatype", any_of([datatype(f"{XSD}{n}") for n in ("integer", "decimal", "double", "float")]))
            return
        if name in (f"{RDFS}Literal", f"{XSD}anyType", f"{XSD}anySimpleType", f"{XSD}anyAtomicType"):
            yield Stated("datatype", Shape((_LITERAL,)))
            return
        if name == f"{RDF}PlainLiteral":
            yield Stated("datatype", any_of([datatype(f"{XSD}string"), datatype(f"{RDF}langString")]))
            return
        definitions = tbox.all(iri, v.EQUIVALENT_CLASS)
        if (
            tbox.facts.objects(iri, ONE_OF)
            or tbox.facts.objects(iri, v.ON_DATATYPE)
            or tbox.facts.objects(iri, v.UNION)
        ):
            yield from self._anonymous(iri, about, seen)
        elif definitions:
            for definition in definitions:
                yield from self.stated(definition, about, seen)
        else:
            yield Stated("datatype", datatype(name))

    def _schema_names(self, name: str) -> Iterator[str]:
        if name.startswith(("http://schema.org/", "https://schema.org/")):
            for above in self.tbox._schema_ancestors(name):
                yield str(above).rsplit("/", 1)[-1]

    def _anonymous(self, node: Term, about: str, seen: frozenset[Term]) -> Iterator[Stated]:
        tbox, known = self.tbox, False
        for head in tbox.facts.objects(node, v.INTERSECTION):
            known = True
            for member in tbox.members(head):
                yield from self.stated(member, about, seen)
        for head in tbox.facts.objects(node, v.UNION):
            known = True
            members = [self.shape(member, about, seen) for member in tbox.members(head)]
            if members and all(m.constraints or m.properties for m in members):  # else one member is everything
                yield Stated("unionOf", any_of(members))
        for head in tbox.facts.objects(node, ONE_OF):
            known = True
            terms = tuple(sorted({term for term in tbox.members(head) if not isinstance(term, Blank)}, key=repr))
            if terms:
                yield Stated("oneOf", Shape((Constraint("in", terms),)))
        for inner in tbox.facts.objects(node, f"{OWL}complementOf") + tbox.facts.objects(
            node, f"{OWL}datatypeComplementOf"
        ):
            known = True
            shape = self.shape(inner, about, seen)
            text = "read closed-world: what is not known to be in it counts as outside"
            self.warn("complement", about, f"a complement is {text}")
            if shape.constraints or shape.properties:
                yield Stated("complementOf", Shape((Constraint("not", shapes=(shape,)),)))
        for base in tbox.facts.objects(node, v.ON_DATATYPE):
            known = True
            yield from self._facets(node, base, about, seen)
        if tbox.facts.objects(node, v.ON_PROPERTY):
            known = True
            yield from self._restriction(node, about, seen)
        if tbox.facts.objects(node, f"{OWL}onProperties"):
            known = True
            self.warn("n-ary data range", about, "owl:onProperties is not enforced")
        if not known:
            self.warn("unreadable expression", about, "an anonymous class that states nothing readable")

    def _facets(self, node: Term, base: Term, about: str, seen: frozenset[Term]) -> Iterator[Stated]:
        yield from (spaces := self.stated(base, about, seen))
        bases = [str(c.terms[0]) for one in spaces for c in one.shape.constraints if c.component == "datatype"]
        for head in self.tbox.facts.objects(node, f"{OWL}withRestrictions"):
            for facet in self.tbox.members(head):
                for predicate, values in sorted(self.tbox.facts.about(facet).items()):
                    for value in sorted(values, key=repr):
                        found = self._facet(predicate, value, about, bases)
                        if found is not None:
                            yield Stated("facet", Shape((found,)))

    def _facet(self, predicate: str, value: Term, about: str, bases: list[str]) -> Constraint | None:
        name = predicate.rsplit("#", 1)[-1]
        text = value.text if isinstance(value, Literal) else ""
        if name in _FACETS and isinstance(value, Literal):
            if value.datatype is None and value.language is None:  # a bound written as a text: the base says of what
                value = next((Literal(text, None, base) for base in bases if is_legal(text, base)), value)
            if compare(value, value) == 0:
                return Constraint(name, (value,))
            self.warn("facet", about, f"{name} of {text[:40]!r} is not enforced: its datatype has no order in SHACL")
            return None
        if name in ("minLength", "maxLength") and text.isdecimal():
            return Constraint(name, number=int(text))
        if name == "pattern" and legal_pattern(f"^(?:{text})$"):
            return Constraint("pattern", texts=(f"^(?:{text})$", ""))
        if name == "langRange":
            return Constraint("languageIn", texts=(text,))
        if name == "totalDigits" and text.isdecimal():
            return Constraint("pattern", texts=(rf"^[+\-]?0*(?:\.?[0-9]){{1,{text}}}\.?0*$", ""))
        if name == "fractionDigits" and text.isdecimal():
            return Constraint("pattern", texts=(rf"^[+\-]?[0-9]*(?:\.[0-9]{{0,{text}}}0*)?$", ""))
        if name == "length" and text.isdecimal():
            return Constraint("pattern", texts=(rf"^[\s\S]{{{text}}}$", ""))
        self.warn("facet", about, f"the facet {name} is not enforced")
        return None

    def _restriction(self, node: Term, about: str, seen: frozenset[Term]) -> Iterator[Stated]:
        tbox = self.tbox
        for on in tbox.facts.objects(node, v.ON_PROPERTY):
            path = tbox.path_of(on)
            if path is None:
                self.warn("property expression", about, "a restriction on a property that cannot be read")
                continue
            for value in tbox.facts.objects(node, f"{OWL}someValuesFrom"):
                if self.closed_world:
                    inner = self.shape(value, about, seen)
                    yield Stated("someValuesFrom", replace(counted("min", 1, inner), path=path))
            for value in tbox.facts.objects(node, f"{OWL}allValuesFrom"):
                inner = self.shape(value, about, seen)
                if inner.constraints or inner.properties:
                    yield Stated("allValuesFrom", replace(inner, path=path))
            for value in tbox.facts.objects(node, f"{OWL}hasValue"):
                if isinstance(value, Blank):
                    self.warn("value", about, "a restriction to a value without a name is not enforced")
                elif self.closed_world:
                    fitting = self._in_range(on, value, about)
                    yield Stated("hasValue", Shape((Constraint("hasValue", (fitting,)),), path=path))
            for value in tbox.facts.objects(node, f"{OWL}hasSelf"):
                if isinstance(value, Literal) and value.text in ("true", "1") and isinstance(on, Iri):
                    apart = Shape((Constraint("disjoint", texts=(str(on),)),))
                    yield Stated("hasSelf", Shape((Constraint("not", shapes=(apart,)),)))
            yield from self._cardinalities(node, about, seen, path_shape=Shape(path=path))

    def _in_range(self, on: Term, value: Term, about: str) -> Term:
        """A value as the range of its property reads it: "--01" is a month where months are asked for."""
        if not isinstance(value, Literal) or value.datatype or value.language:
            return value
        ranges = [str(one) for one in self.tbox.facts.objects(on, f"{RDFS}range")]
        if len(ranges) != 1 or not ranges[0].startswith(XSD) or ranges[0].removeprefix(XSD) in _TEXTUAL:
            return value
        if not is_legal(value.text, ranges[0]):
            return value
        kind = ranges[0].removeprefix(XSD)
        self.warn("value", about, f"{value.text[:40]!r} is written as a text and read as the {kind} its property wants")
        return Literal(value.text, None, ranges[0])

    def _cardinalities(self, node: Term, about: str, seen: frozenset[Term], path_shape: Shape) -> Iterator[Stated]:
        fillers = self.tbox.all(node, *v.ON_FILLER)
        inner = self.shape(fillers[0], about, seen) if fillers else Shape()
        for predicate, kind in v.CARDINALITIES.items():
            for value in self.tbox.facts.objects(node, predicate):
                if not isinstance(value, Literal) or not value.text.strip().isdecimal():
                    self.warn("malformed axiom", about, f"a cardinality that is no number: {str(value)[:60]!r}")
                    continue
                number = int(value.text)
                for side in ("min", "max") if kind == "exactly" else (kind,):
                    if side == "max" or (number > 0 and self.closed_world):
                        yield Stated(_CARDINALITY[kind], replace(counted(side, number, inner), path=path_shape.path))


def datatype(iri: str) -> Shape:
    """The shape of the literals of one datatype."""
    return Shape((Constraint("datatype", (Iri(iri),)),))


def any_of(shapes: list[Shape]) -> Shape:
    """The shape of what fits one of these shapes; order and repeats do not matter."""
    different = sorted(set(shapes), key=repr)
    return different[0] if len(different) == 1 else Shape((Constraint("or", shapes=tuple(different)),))


def counted(side: str, number: int, inner: Shape) -> Shape:
    """At least or at most so many values, of those that fit a shape if it says anything."""
    if not inner.constraints and not inner.properties:
        return Shape((Constraint(f"{side}Count", number=number),))
    return Shape((Constraint(f"qualified{side.capitalize()}Count", number=number, shapes=(inner,)),))


def _packed(constraints: list[Constraint]) -> tuple[Constraint, ...]:
    """Constraints of one shape, in order; SHACL allows most parameters once, so repeats go into shapes of their own."""
    single: dict[str, Constraint] = {}
    others: list[Constraint] = []
    for constraint in sorted(set(constraints), key=repr):
        if constraint.component in ("isA", "not", "and", "or", "xone", "node", "disjoint", "equals", "noneOf"):
            others.append(constraint)
        elif constraint.component in single:
            others.append(Constraint("node", shapes=(Shape((constraint,)),)))
        else:
            single[constraint.component] = constraint
    return tuple(sorted([*single.values(), *others], key=repr))
