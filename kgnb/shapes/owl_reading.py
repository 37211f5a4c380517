"""The axioms of an ontology as shapes with targets, read closed-world; what no shape can express
becomes a warning.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from kgnb.kg import vocabulary as v
from kgnb.kg.regular_expressions import matches
from kgnb.kg.terms import OWL, RDF, RDFS, XSD, Blank, Iri, Literal, Term, local_name
from kgnb.shapes.datatypes import ANY_LITERAL, PLAIN, REAL, compare, is_legal
from kgnb.shapes.shape import SH, Constraint, Path, Shape, Warned, inverse
from kgnb.shapes.tbox import ONE_OF, TBox
from kgnb.shapes.units import Quantity, unit_shapes

SHAPES = "urn:kgnb:shapes:"
_SOFT_DOMAINS = v.DOMAINS - {f"{RDFS}domain"}  # domainIncludes: one of them
_COMPLEMENT = f"{OWL}complementOf"
_OPERATORS = (v.INTERSECTION, v.UNION, ONE_OF, _COMPLEMENT)
_READABLE = (
    *_OPERATORS,
    f"{OWL}datatypeComplementOf",
    v.ON_DATATYPE,
    v.ON_PROPERTY,
    f"{OWL}onProperties",
)
_SOFT_RANGES = v.RANGES - {f"{RDFS}range"}


def owl_shapes(
    tbox: TBox, measured: Mapping[str, Quantity], *, closed_world: bool = True
) -> tuple[list[Shape], list[Warned]]:
    """Every constraint the ontology states, each as a named shape of its own, in a fixed order; and
    warnings.
    """
    reader = _Reader(tbox, Expressions(tbox, closed_world=closed_world))
    found = [
        *reader.of_properties(),
        *reader.of_classes(),
        *reader.disjoint_classes(),
        *unit_shapes(measured),
        *reader.keys(),
        *reader.denied(),
    ]
    reader.unenforced()
    named = {shape.id: shape for shape in map(_named, found)}
    return [named[iri] for iri in sorted(named)], sorted(reader.expressions.warnings, key=repr)


def _named(shape: Shape) -> Shape:
    """The shape with an IRI derived from its content."""
    digest = hashlib.sha256(repr(shape).encode()).hexdigest()[:8]
    local = re.sub(r"[^A-Za-z0-9]+", "-", local_name(shape.about)).strip("-")[:40]
    kind = re.sub(r"[^a-z]+", "-", shape.kind.lower())
    return replace(
        shape, id=f"{SHAPES}{kind}-{local}-{digest}" if local else f"{SHAPES}{kind}-{digest}"
    )


def _differs(properties: Iterable[str]) -> tuple[Constraint, ...]:
    """Constraints that no value is one of any of these properties."""
    return tuple(Constraint("disjoint", texts=(one,)) for one in properties)


class _Reader:
    def __init__(self, tbox: TBox, expressions: Expressions) -> None:
        self.tbox = tbox
        self.expressions = expressions

    # properties
    # ------------------------------------------------------------------------------------------------------

    def of_properties(self) -> Iterator[Shape]:
        """Domains, ranges and characteristics."""
        for iri in self.tbox.properties:
            yield from self._ends(iri)
            yield from self._characteristics(iri)
        yield from self._apart()

    def _ends(self, iri: str) -> Iterator[Shape]:
        """Domain and range, conjunct by conjunct, so that each refusal names its reason."""
        tbox, subs = self.tbox, self.tbox.subs(iri)
        for side, plain, soft in (
            ("domain", f"{RDFS}domain", _SOFT_DOMAINS),
            ("range", f"{RDFS}range", _SOFT_RANGES),
        ):
            parts = [
                p
                for e in tbox.facts.objects(Iri(iri), plain)
                for p in self.expressions.stated(e, iri)
            ]
            soft_values = tbox.facts.objects(Iri(iri), *soft)
            included = [self.expressions.shape(value, iri) for value in soft_values]
            if included and all(shape.constraints or shape.properties for shape in included):
                parts.append(Stated("class", any_of(included)))
            for part in sorted(set(parts), key=repr):
                kind = side if part.kind in ("class", "unionOf") or side == "domain" else part.kind
                shape = part.shape if part.shape.path is None else Shape(properties=(part.shape,))
                path = tbox.path(iri) if side == "range" else None
                yield replace(shape, kind=kind, about=iri, subjects_of=subs, path=path)

    def _characteristics(self, iri: str) -> Iterator[Shape]:
        tbox, subs, path = self.tbox, self.tbox.subs(iri), self.tbox.path(iri)
        once = (Constraint("maxCount", number=1),)
        if tbox.has_trait(iri, "Functional"):
            yield Shape(once, path=path, kind="functional", about=iri, subjects_of=subs)
        if tbox.has_trait(iri, "InverseFunctional"):
            yield Shape(
                once, path=inverse(path), kind="inverseFunctional", about=iri, objects_of=subs
            )
        asymmetric, irreflexive = (
            tbox.has_trait(iri, "Asymmetric"),
            tbox.has_trait(iri, "Irreflexive"),
        )
        if asymmetric:
            yield Shape(
                _differs(subs), path=inverse(path), kind="asymmetric", about=iri, subjects_of=subs
            )
        if irreflexive:
            yield Shape(_differs(subs), kind="irreflexive", about=iri, subjects_of=subs)
        if tbox.has_trait(iri, "Transitive") and (asymmetric or irreflexive):
            back = inverse(
                Path("oneOrMore", parts=(path,))
            )  # nothing leads here, however far, that this leads to
            yield Shape(_differs(subs), path=back, kind="irreflexive", about=iri, subjects_of=subs)
        if asymmetric or irreflexive:
            yield from self._chains(iri)

    def _chains(self, iri: str) -> Iterator[Shape]:
        """No chain of properties that implies an irreflexive one leads back to where it began."""
        for head in self.tbox.facts.objects(Iri(iri), f"{OWL}propertyChainAxiom"):
            chain = [str(one) for one in self.tbox.facts.members(head) if isinstance(one, Iri)]
            if len(chain) < 2 or len(chain) != len(list(self.tbox.facts.members(head))):
                continue
            first = self.tbox.subs(chain[0])
            rest = tuple(inverse(self.tbox.path(one)) for one in reversed(chain[1:]))
            back = rest[0] if len(rest) == 1 else Path("sequence", parts=rest)
            yield Shape(
                _differs(first), path=back, kind="irreflexive", about=iri, subjects_of=first
            )

    def keys(self) -> Iterator[Shape]:
        """No two instances of a class share a value of every property of its key."""
        tbox = self.tbox
        for subject, head in tbox.facts.pairs(f"{OWL}hasKey"):
            members = [str(one) for one in tbox.facts.members(head) if isinstance(one, Iri)]
            if not isinstance(subject, Iri) or not members:
                self.expressions.warn(
                    "key", _iri(subject), "the class or the properties have no IRI: not checked"
                )
            elif len(members) == 1:
                one_of_class = Shape((Constraint("isA", (subject,)),))
                yield Shape(
                    (Constraint("qualifiedMaxCount", number=1, shapes=(one_of_class,)),),
                    kind="key",
                    path=inverse(tbox.path(members[0])),
                    about=members[0],
                    objects_of=tbox.subs(members[0]),
                )
            else:
                by = tuple(Shape(path=tbox.path(one)) for one in members)
                yield Shape(
                    (Constraint("sameKey", (subject,), texts=tuple(members), shapes=by),),
                    kind="key",
                    about=str(subject),
                    classes=(str(subject),),
                )

    def denied(self) -> Iterator[Shape]:
        """Facts that the ontology states to be false."""
        facts = self.tbox.facts
        for node in facts.subjects(Iri(f"{OWL}NegativePropertyAssertion"), v.TYPE):
            parts = [
                self.tbox.first(node, f"{OWL}{name}")
                for name in ("sourceIndividual", "assertionProperty")
            ]
            value = self.tbox.first(node, f"{OWL}targetIndividual", f"{OWL}targetValue")
            if (
                isinstance(parts[0], Iri)
                and isinstance(parts[1], Iri)
                and isinstance(value, Iri | Literal)
            ):
                never = Constraint("not", shapes=(Shape((Constraint("in", (value,)),)),))
                yield Shape(
                    (never,),
                    path=self.tbox.path(str(parts[1])),
                    kind="negative assertion",
                    about=str(parts[1]),
                    nodes=(parts[0],),
                )
            else:
                self.expressions.warn(
                    "negative assertion", "", "it lacks an individual, a property or a value"
                )

    def _apart(self) -> Iterator[Shape]:
        """Properties that never share a value."""
        tbox, pairs = self.tbox, set()
        for first, second in tbox.facts.pairs(f"{OWL}propertyDisjointWith"):
            if isinstance(first, Iri) and isinstance(second, Iri):
                pairs.add(tuple(sorted((str(first), str(second)))))
            else:
                self.expressions.warn(
                    "malformed axiom", _iri(first), "owl:propertyDisjointWith without a property"
                )
        for head in tbox.facts.subjects(Iri(f"{OWL}AllDisjointProperties"), v.TYPE):
            members = tbox.facts.listed(head, v.MEMBERS)
            pairs.update(combinations(sorted({_iri(one) for one in members} - {""}), 2))
        for left, right in sorted(pairs):
            yield Shape(
                _differs(tbox.subs(right)),
                path=tbox.path(left),
                kind="propertyDisjointWith",
                about=left,
                subjects_of=tbox.subs(left),
            )

    # classes
    # ---------------------------------------------------------------------------------------------------------

    def of_classes(self) -> Iterator[Shape]:
        """Restrictions, unions, enumerations and complements that a class is below or equal to."""
        tbox = self.tbox
        for iri in tbox.classes:
            node = Iri(iri)
            for expression in tbox.facts.objects(node, v.SUBCLASS, v.EQUIVALENT_CLASS):
                if isinstance(expression, Blank):
                    yield from self._below(iri, expression)
                elif not isinstance(expression, Iri):
                    self.expressions.warn("malformed axiom", iri, "a superclass is a literal")
            if tbox.facts.objects(node, *_OPERATORS):
                yield from self._below(iri, node)  # stated on the class itself, as often in RDF/XML
            for head in tbox.facts.objects(node, v.DISJOINT_UNION):
                parts = [self.expressions.shape(member, iri) for member in tbox.facts.members(head)]
                if parts and all(part.constraints or part.properties for part in parts):
                    yield self._targeting(replace(any_of(parts), kind="unionOf", late=True), iri)

    def _below(self, iri: str, expression: Term) -> Iterator[Shape]:
        parts = self.expressions._anonymous(expression, iri, frozenset({expression}))
        for part in parts:
            if part.kind == "class":
                continue  # a named superclass: the hierarchy knows it
            late = part.kind == "unionOf" and part.shape.path is None
            yield self._targeting(replace(part.shape, kind=part.kind, late=late), iri)

    def _targeting(self, shape: Shape, iri: str) -> Shape:
        return replace(shape, about=iri, classes=(iri,))

    def disjoint_classes(self) -> Iterator[Shape]:
        """For every class the classes it shares no instance with; each pair once, at the first by
        name.
        """
        tbox = self.tbox
        known = set(tbox.classes)
        pairs: set[tuple[str, str]] = set()

        def apart(members: Iterable[Term]) -> None:
            names = sorted({str(m) for m in members if str(m) in known})
            pairs.update(combinations(names, 2))

        for first, second in tbox.facts.pairs(f"{OWL}disjointWith"):
            if first == second and str(first) in known:
                pairs.add((str(first), str(first)))
            apart([first, second])
        for pair in tbox.facts.named_pairs(f"{OWL}complementOf"):
            apart(map(Iri, pair))
        for head in tbox.facts.subjects(Iri(f"{OWL}AllDisjointClasses"), v.TYPE):
            apart(tbox.facts.listed(head, v.MEMBERS))
        for _, members in tbox.facts.pairs(v.DISJOINT_UNION):
            apart(tbox.facts.members(members))
        grouped: dict[str, list[str]] = {}
        for left, right in sorted(pairs):
            grouped.setdefault(left, []).append(right)
        for left, others in grouped.items():
            terms = tuple(map(Iri, others))
            yield Shape(
                (Constraint("noneOf", terms),), kind="disjointWith", about=left, classes=(left,)
            )

    # what no shape expresses
    # ------------------------------------------------------------------------------------------

    def unenforced(self) -> None:
        """Warn of every axiom that the tools do not, or only partly, enforce."""
        facts, warn = self.tbox.facts, self.expressions.warn
        for subject, _ in facts.pairs(f"{OWL}propertyChainAxiom"):
            once = self.tbox.has_trait(_iri(subject), "Irreflexive") or self.tbox.has_trait(
                _iri(subject), "Asymmetric"
            )
            checked = " beyond that none leads back to its beginning" if once else ""
            warn(
                "property chain",
                _iri(subject),
                f"the consequences of property chains are not written or checked{checked}",
            )
        for kind, text in (
            ("Transitive", "the consequences of transitivity are not written"),
            ("Reflexive", "that everything has it to itself is not written"),
        ):
            for subject in facts.subjects(Iri(f"{OWL}{kind}Property"), v.TYPE):
                warn(f"{kind.lower()} property", _iri(subject), text)
        declared = {entity.iri for entity in self.tbox.ontology.entities if entity.kind == "class"}
        for iri in self.tbox.properties:
            ranges = facts.objects(Iri(iri), *v.RANGES)
            ranged = ranges or iri in self.tbox.restricted
            if (iri, "object property") in self.tbox.declared and not ranged:
                warn(
                    "no range",
                    iri,
                    "an object property without a range takes entities only; compile with "
                    "loose_ranges to let it take values as well",
                )
            for value in ranges:
                for cls in self.tbox._named(value):
                    known = (
                        str(cls) in declared
                        or str(cls) in v.TOPS
                        or self.tbox.is_datatype(str(cls))
                    )
                    if not known and not facts.objects(cls, v.TYPE):
                        text = f"it is the range of {self.tbox.label(iri)} and declared nowhere"
                        warn("undeclared class", str(cls), text)
        for name, text in (
            ("http://www.w3.org/2003/11/swrl#Imp", "SWRL rules are neither run nor checked"),
            (f"{OWL}AllDifferent", "entities with different IRIs are taken to be different anyway"),
        ):
            if facts.subjects(Iri(name), v.TYPE):
                warn("rule" if "swrl" in name else "all different", "", text)
        for iri in self.tbox.classes:
            blanks = [
                e for e in facts.objects(Iri(iri), v.EQUIVALENT_CLASS) if isinstance(e, Blank)
            ]
            if not all(facts.objects(e, ONE_OF, v.UNION) for e in blanks):
                warn(
                    "definition",
                    iri,
                    "entities that fit the definition are not classified; its demands are checked",
                )
        general = [s for s, _ in facts.pairs(v.SUBCLASS) if isinstance(s, Blank)]
        if general:
            warn(
                "general class axiom",
                "",
                f"{len(general)} axioms about anonymous classes are not enforced",
            )
        for imported in sorted({str(o) for _, o in facts.pairs(v.IMPORTS)}):
            warn(
                "import",
                imported,
                "owl:imports are not followed; pass the imported file as well to read it too",
            )
        left_out = sum(
            e.kind == "annotation property"
            for e in self.tbox.ontology.entities
            if e.iri not in self.tbox.properties
        )
        if left_out:
            warn("annotation properties", "", f"{left_out} annotation properties get no tool")


def _iri(term: Term) -> str:
    return str(term) if isinstance(term, Iri) else ""


_FACETS = ("minInclusive", "maxInclusive", "minExclusive", "maxExclusive")
_DIGITS = {
    "totalDigits": r"^[+\-]?0*(?:\.?[0-9]){1,#}\.?0*$",
    "fractionDigits": r"^[+\-]?[0-9]*(?:\.[0-9]{0,#}0*)?$",
    "length": r"^[\s\S]{#}$",
}
_LITERAL = Constraint("nodeKind", (Iri(f"{SH}Literal"),))
_SCHEMA = {
    "Text": ("string", "langString"),
    "URL": ("anyURI", "string"),
    "Number": ("integer", "decimal", "double", "float"),
    "Integer": ("integer",),
    "Float": ("double", "float", "decimal"),
    "Boolean": ("boolean",),
    "Date": ("date",),
    "DateTime": ("dateTime",),
    "Time": ("time",),
    "DataType": ("string",),
}
_TEXTUAL = ("string", "anyType", "anySimpleType", "anyAtomicType")
_DEEPEST = 20  # levels of nesting; readers of Turtle give up not far beyond
_CARDINALITY = {"min": "minCardinality", "max": "maxCardinality", "exactly": "cardinality"}
NOTHING = Constraint("not", shapes=(Shape(),))


@dataclass(frozen=True)
class Stated:
    """One demand of an expression: on the value itself (no path), or on what a path leads to from
    it.
    """

    kind: str
    shape: Shape


class Expressions:
    """Reads expressions of one T-Box; whatever cannot be read becomes a warning."""

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
        return Shape(
            constraints=_packed(plain), properties=tuple(sorted((*nested, *paths), key=repr))
        )

    def stated(
        self, expression: Term, about: str, seen: frozenset[Term] = frozenset()
    ) -> list[Stated]:
        """What an expression demands, conjunct by conjunct."""
        if expression in seen or len(seen) > _DEEPEST:
            circular = expression in seen
            text = (
                "an expression contains itself"
                if circular
                else f"expressions more than {_DEEPEST} levels deep"
            )
            self.warn("circular expression" if circular else "deep nesting", about, text)
            return []
        seen = seen | {expression}
        if isinstance(expression, Literal):
            self.warn(
                "malformed axiom",
                about,
                f"a literal where a class is expected: {expression.text[:60]!r}",
            )
            return []
        if isinstance(expression, Iri):
            return list(self._named(expression, about, seen))
        return list(self._anonymous(expression, about, seen))

    def warn(self, kind: str, about: str, text: str) -> None:
        """Note something that is not enforced."""
        self.warnings.add(Warned(kind, about, text))

    def _named(self, iri: Iri, about: str, seen: frozenset[Term]) -> Iterator[Stated]:
        name = str(iri)
        if name in (f"{OWL}Thing", f"{RDFS}Resource", f"{OWL}topDataProperty"):
            return
        if name == f"{OWL}Nothing":
            yield Stated("nothing", Shape((NOTHING,)))
        elif (
            name.startswith((RDF, RDFS, OWL))
            and not self.tbox.is_datatype(name)
            and name not in self._classes
        ):
            self.warn(
                "meta class",
                about,
                f"{name.rsplit('#', 1)[-1]} is not a class of entities and demands nothing",
            )
        elif self.tbox.is_datatype(name):
            yield from self._datatype(iri, about, seen)
        else:
            yield Stated("class", Shape((Constraint("isA", (iri,)),)))

    def _datatype(self, iri: Iri, about: str, seen: frozenset[Term]) -> Iterator[Stated]:
        tbox, name = self.tbox, str(iri)
        names = (
            ["Number"] if name in REAL else ["Text"] if name == PLAIN else self._schema_names(name)
        )
        parts = next((_SCHEMA[one] for one in names if one in _SCHEMA), ())
        if parts:
            spaces = [datatype(f"{RDF if part == 'langString' else XSD}{part}") for part in parts]
            yield Stated("datatype", any_of(spaces))
            return
        if name in ANY_LITERAL:
            yield Stated("datatype", Shape((_LITERAL,)))
            return
        definitions = tbox.all(iri, v.EQUIVALENT_CLASS)
        if tbox.facts.objects(iri, ONE_OF, v.ON_DATATYPE, v.UNION):
            yield from self._anonymous(iri, about, seen)
        elif definitions:
            for definition in definitions:
                yield from self.stated(definition, about, seen)
        else:
            yield Stated("datatype", datatype(name))

    def _schema_names(self, name: str) -> list[str]:
        return [str(above).rsplit("/", 1)[-1] for above in self.tbox._schema_ancestors(name)]

    def _anonymous(self, node: Term, about: str, seen: frozenset[Term]) -> Iterator[Stated]:
        tbox = self.tbox
        for member in tbox.facts.listed(node, v.INTERSECTION):
            yield from self.stated(member, about, seen)
        for head in tbox.facts.objects(node, v.UNION):
            members = [self.shape(member, about, seen) for member in tbox.facts.members(head)]
            if members and all(
                m.constraints or m.properties for m in members
            ):  # else one member is everything
                yield Stated("unionOf", any_of(members))
        for head in tbox.facts.objects(node, ONE_OF):
            terms = tuple(
                sorted(
                    {term for term in tbox.facts.members(head) if not isinstance(term, Blank)},
                    key=repr,
                )
            )
            if terms:
                yield Stated("oneOf", Shape((Constraint("in", terms),)))
        for inner in tbox.facts.objects(node, _COMPLEMENT, f"{OWL}datatypeComplementOf"):
            shape = self.shape(inner, about, seen)
            text = "a complement is read closed-world: whatever is not known to be in the class counts as outside"
            self.warn("complement", about, text)
            if shape.constraints or shape.properties:
                yield Stated("complementOf", Shape((Constraint("not", shapes=(shape,)),)))
        for base in tbox.facts.objects(node, v.ON_DATATYPE):
            yield from self._facets(node, base, about, seen)
        if tbox.facts.objects(node, v.ON_PROPERTY):
            yield from self._restriction(node, about, seen)
        if tbox.facts.objects(node, f"{OWL}onProperties"):
            self.warn("n-ary data range", about, "owl:onProperties is not enforced")
        if not tbox.facts.objects(node, *_READABLE):
            self.warn("unreadable expression", about, "an anonymous class without a readable axiom")

    def _facets(
        self, node: Term, base: Term, about: str, seen: frozenset[Term]
    ) -> Iterator[Stated]:
        yield from (spaces := self.stated(base, about, seen))
        bases = [
            str(c.terms[0])
            for one in spaces
            for c in one.shape.constraints
            if c.component == "datatype"
        ]
        for head in self.tbox.facts.objects(node, f"{OWL}withRestrictions"):
            for facet in self.tbox.facts.members(head):
                for predicate, values in sorted(self.tbox.facts.about(facet).items()):
                    for value in sorted(values, key=repr):
                        found = self._facet(predicate, value, about, bases)
                        if found is not None:
                            yield Stated("facet", Shape((found,)))

    def _facet(
        self, predicate: str, value: Term, about: str, bases: list[str]
    ) -> Constraint | None:
        name = predicate.rsplit("#", 1)[-1]
        text = value.text if isinstance(value, Literal) else ""
        if name in _FACETS and isinstance(value, Literal):
            if (
                value.datatype is None and value.language is None
            ):  # a bound without a datatype has that of the base
                value = next(
                    (Literal(text, None, base) for base in bases if is_legal(text, base)), value
                )
            if compare(value, value) == 0:
                return Constraint(name, (value,))
            self.warn(
                "facet",
                about,
                f"{name} of {text[:40]!r} is not enforced: SHACL does not order its datatype",
            )
            return None
        if name in ("minLength", "maxLength") and text.isdecimal():
            return Constraint(name, number=int(text))
        if name == "pattern" and matches(f"^(?:{text})$", "") is not None:
            return Constraint("pattern", texts=(f"^(?:{text})$", ""))
        if name == "langRange":
            return Constraint("languageIn", texts=(text,))
        if name in _DIGITS and text.isdecimal():
            return Constraint("pattern", texts=(_DIGITS[name].replace("#", text), ""))
        self.warn("facet", about, f"the facet {name} is not enforced")
        return None

    def _restriction(self, node: Term, about: str, seen: frozenset[Term]) -> Iterator[Stated]:
        tbox = self.tbox
        for on in tbox.facts.objects(node, v.ON_PROPERTY):
            path = tbox.path_of(on)
            if path is None:
                self.warn(
                    "property expression", about, "a restriction on a property that cannot be read"
                )
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
                    self.warn("value", about, "a restriction to a blank node is not enforced")
                elif self.closed_world:
                    fitting = self._in_range(on, value, about)
                    yield Stated(
                        "hasValue", Shape((Constraint("hasValue", (fitting,)),), path=path)
                    )
            for value in tbox.facts.objects(node, f"{OWL}hasSelf"):
                if (
                    isinstance(value, Literal)
                    and value.text in ("true", "1")
                    and isinstance(on, Iri)
                ):
                    apart = Shape((Constraint("disjoint", texts=(str(on),)),))
                    yield Stated("hasSelf", Shape((Constraint("not", shapes=(apart,)),)))
            yield from self._cardinalities(node, about, seen, path_shape=Shape(path=path))

    def _in_range(self, on: Term, value: Term, about: str) -> Term:
        """A value typed by the range of its property: "--01" is a month where months are expected."""
        if not isinstance(value, Literal) or value.datatype or value.language:
            return value
        ranges = [str(one) for one in self.tbox.facts.objects(on, f"{RDFS}range")]
        if (
            len(ranges) != 1
            or not ranges[0].startswith(XSD)
            or ranges[0].removeprefix(XSD) in _TEXTUAL
        ):
            return value
        if not is_legal(value.text, ranges[0]):
            return value
        kind = ranges[0].removeprefix(XSD)
        self.warn(
            "value",
            about,
            f"{value.text[:40]!r} is written as text and read as the {kind} its property expects",
        )
        return Literal(value.text, None, ranges[0])

    def _cardinalities(
        self, node: Term, about: str, seen: frozenset[Term], path_shape: Shape
    ) -> Iterator[Stated]:
        fillers = self.tbox.all(node, *v.ON_FILLER)
        inner = self.shape(fillers[0], about, seen) if fillers else Shape()
        for predicate, kind in v.CARDINALITIES.items():
            for value in self.tbox.facts.objects(node, predicate):
                if not isinstance(value, Literal) or not value.text.strip().isdecimal():
                    self.warn(
                        "malformed axiom",
                        about,
                        f"a cardinality that is not a number: {str(value)[:60]!r}",
                    )
                    continue
                number = int(value.text)
                for side in ("min", "max") if kind == "exactly" else (kind,):
                    if side == "max" or (number > 0 and self.closed_world):
                        yield Stated(
                            _CARDINALITY[kind],
                            replace(counted(side, number, inner), path=path_shape.path),
                        )


def datatype(iri: str) -> Shape:
    """The shape of the literals of one datatype."""
    return Shape((Constraint("datatype", (Iri(iri),)),))


def any_of(shapes: list[Shape]) -> Shape:
    """The shape of what fits one of these shapes, in any order and however often each is named."""
    different = sorted(set(shapes), key=repr)
    return (
        different[0] if len(different) == 1 else Shape((Constraint("or", shapes=tuple(different)),))
    )


def counted(side: str, number: int, inner: Shape) -> Shape:
    """At least or at most so many values, counting those that fit a shape unless it is empty."""
    if not inner.constraints and not inner.properties:
        return Shape((Constraint(f"{side}Count", number=number),))
    return Shape(
        (Constraint(f"qualified{side.capitalize()}Count", number=number, shapes=(inner,)),)
    )


def _packed(constraints: list[Constraint]) -> tuple[Constraint, ...]:
    """Constraints of one shape, sorted; SHACL allows most parameters once, so repeats go into
    shapes of their own.
    """
    single: dict[str, Constraint] = {}
    others: list[Constraint] = []
    for constraint in sorted(set(constraints), key=repr):
        if constraint.component in (
            "isA",
            "not",
            "and",
            "or",
            "xone",
            "node",
            "disjoint",
            "equals",
            "noneOf",
        ):
            others.append(constraint)
        elif constraint.component in single:
            others.append(Constraint("node", shapes=(Shape((constraint,)),)))
        else:
            single[constraint.component] = constraint
    return tuple(sorted([*single.values(), *others], key=repr))
