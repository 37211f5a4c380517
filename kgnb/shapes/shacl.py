"""SHACL Core in a graph read as shapes, and shapes written as SHACL in Turtle, the same text for
the same shapes.

Anything beyond the core (SPARQL, functions, rules) becomes a warning. The written text is
self-contained: it lists the classes below a class, so that a SHACL engine does not need the
ontology; reading it back gives the same constraints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from kgnb.kg.prefixes import shorten
from kgnb.kg.regular_expressions import matches
from kgnb.kg.terms import OWL, RDF, RDFS, XSD, Blank, Iri, Literal, Term, n3
from kgnb.shapes.checking import ClassHierarchy
from kgnb.shapes.facts import Facts
from kgnb.shapes.owl_reading import SHAPES
from kgnb.shapes.shape import FAR, SH, TYPE, Constraint, Path, Shape, Warned

_TERMS = (
    "class",
    "datatype",
    "nodeKind",
    "hasValue",
    "minInclusive",
    "maxInclusive",
    "minExclusive",
    "maxExclusive",
)
_NAMED = ("class", "datatype", "nodeKind")
_NUMBERS = ("minCount", "maxCount", "minLength", "maxLength")
_PAIRS = ("equals", "disjoint", "lessThan", "lessThanOrEquals")
_TARGETS = ("targetClass", "targetNode", "targetSubjectsOf", "targetObjectsOf")
_BEYOND = ("sparql", "target", "js", "rule", "expression", "values", "select")
_PARAMETERS = (
    *_TERMS,
    *_NUMBERS,
    *_PAIRS,
    "in",
    "pattern",
    "languageIn",
    "uniqueLang",
    "not",
    "and",
    "or",
    "xone",
    "node",
    "property",
    "qualifiedValueShape",
    "closed",
)
_KNOWN = {
    *_PARAMETERS,
    *_TARGETS,
    *_BEYOND,
    "path",
    "message",
    "severity",
    "deactivated",
    "name",
    "description",
    "order",
    "group",
    "defaultValue",
    "flags",
    "ignoredProperties",
    "qualifiedMinCount",
    "qualifiedMaxCount",
    "qualifiedValueShapesDisjoint",
    "prefixes",
    "entailment",
}
_MARKS = {
    f"{SH}zeroOrMorePath": "zeroOrMore",
    f"{SH}oneOrMorePath": "oneOrMore",
    f"{SH}zeroOrOnePath": "zeroOrOne",
}


def has_shapes(graph: Facts) -> bool:
    """Whether a graph holds any shape."""
    return any(
        True for name in (*_TARGETS, "property", "path") for _ in graph.pairs(f"{SH}{name}")
    ) or any(graph.subjects(Iri(f"{SH}{kind}"), TYPE) for kind in ("NodeShape", "PropertyShape"))


def read_shapes(graph: Facts) -> tuple[list[Shape], dict[str, Shape], list[Warned]]:
    """The shapes with targets, all named shapes, and what could not be read; in a fixed order."""
    reader = _Reader(graph)
    targeted, named = [], {}
    for node in reader.nodes():
        shape = reader.shape(node, top=True)
        if isinstance(node, Iri):
            named[str(node)] = shape
        if shape.classes or shape.nodes or shape.subjects_of or shape.objects_of:
            targeted.append(shape)
    return sorted(targeted, key=repr), named, sorted(reader.warnings, key=repr)


class _Reader:
    def __init__(self, graph: Facts) -> None:
        self.graph = graph
        self.warnings: set[Warned] = set()

    def nodes(self) -> list[Term]:
        """Every node that is a shape by its type, its target or its parameters, except anonymous
        nested ones.
        """
        found: set[Term] = set()
        for kind in ("NodeShape", "PropertyShape"):
            found.update(self.graph.subjects(Iri(f"{SH}{kind}"), TYPE))
        for name in (*_TARGETS, *_PARAMETERS, "path"):
            found.update(subject for subject, _ in self.graph.pairs(f"{SH}{name}"))
        wanted = {
            node
            for node in found
            if isinstance(node, Iri) or any(self._all(node, t) for t in _TARGETS)
        }
        return sorted(wanted, key=repr)

    def _all(self, node: Term, name: str) -> list[Term]:
        return sorted(self.graph.objects(node, f"{SH}{name}"), key=repr)

    def _first(self, node: Term, name: str) -> Term | None:
        return next(iter(self._all(node, name)), None)

    def _iris(self, node: Term, name: str) -> Iterator[str]:
        """The values that are IRIs; others become warnings."""
        for value in self._all(node, name):
            if isinstance(value, Iri):
                yield str(value)
            else:
                self._warn("malformed shape", node, f"a value of sh:{name} is not an IRI")

    def _true(self, node: Term, name: str) -> bool:
        value = self._first(node, name)
        return isinstance(value, Literal) and value.text in ("true", "1")

    def shape(self, node: Term, *, top: bool = False, seen: tuple[Term, ...] = ()) -> Shape:
        """One shape; a nested one with a name becomes a reference, so that shapes may be circular."""
        if isinstance(node, Iri) and not top:
            return Shape(reference=str(node), id=str(node))
        name = str(node) if isinstance(node, Iri) else ""
        if node in seen or len(seen) > 60:
            self._warn("circular shape", node, "an anonymous shape contains itself")
            return Shape(id=name, deactivated=True)
        seen = (*seen, node)
        for beyond in _BEYOND:
            if self.graph.objects(node, f"{SH}{beyond}"):
                when = "is checked at finish, by pyshacl; at the call where no later fact mends it"
                when = when if beyond == "sparql" else "is not enforced"
                self._warn("SHACL beyond the core", node, f"sh:{beyond} {when}")
        for predicate in self.graph.about(node):
            term = predicate.removeprefix(SH)
            if predicate.startswith(SH) and term not in _KNOWN:
                near = get_close_matches(term, _KNOWN, 1)
                self._warn(
                    "unknown term",
                    node,
                    f"there is no sh:{term}" + (f"; sh:{near[0]}?" if near else ""),
                )
        paths = self._all(node, "path")
        path = self._path(paths[0]) if paths else None
        if paths and path is None:
            self._warn("path", node, "its sh:path cannot be read, so the shape is not enforced")
            return Shape(id=name, deactivated=True)
        message = next(
            (value.text for value in self._all(node, "message") if isinstance(value, Literal)), ""
        )
        return Shape(
            constraints=tuple(sorted(self._constraints(node, path, seen), key=repr)),
            path=path,
            properties=tuple(
                sorted((self.shape(inner, seen=seen) for inner in self._properties(node)), key=repr)
            ),
            id=name,
            **(self._targets(node) if top else {}),
            severity=next(iter(self._iris(node, "severity")), f"{SH}Violation"),
            message=message,
            deactivated=self._true(node, "deactivated"),
        )

    def _properties(self, node: Term) -> Iterator[Term]:
        """The property shapes of a shape: those with a path that can be read."""
        for inner in self._all(node, "property"):
            paths = self._all(inner, "path")
            if paths and self._path(paths[0]) is not None:
                yield inner
            else:
                self._warn(
                    "malformed shape",
                    node,
                    "a sh:property without a path that can be read is not enforced",
                )

    def _targets(self, node: Term) -> dict[str, Any]:
        classes = [str(value) for value in self._all(node, "targetClass") if isinstance(value, Iri)]
        if isinstance(node, Iri) and not {f"{RDFS}Class", f"{OWL}Class"}.isdisjoint(
            self.graph.types(node)
        ):
            classes.append(str(node))  # implicit class target (section 2.1.3.3)
        return {
            "classes": tuple(sorted(classes)),
            "nodes": tuple(self._all(node, "targetNode")),
            "subjects_of": tuple(self._iris(node, "targetSubjectsOf")),
            "objects_of": tuple(self._iris(node, "targetObjectsOf")),
        }

    def _constraints(
        self, node: Term, path: Path | None, seen: tuple[Term, ...]
    ) -> Iterator[Constraint]:
        for name in _TERMS:
            if name in _NAMED:
                yield from (Constraint(name, (Iri(value),)) for value in self._iris(node, name))
            else:
                yield from (Constraint(name, (value,)) for value in self._all(node, name))
        for name in _NUMBERS:
            for value in self._all(node, name):
                if isinstance(value, Literal) and value.text.strip().lstrip("+-").isdecimal():
                    yield Constraint(name, number=int(value.text))
                else:
                    self._warn("number", node, f"sh:{name} is not a whole number")
        for name in _PAIRS:
            yield from (Constraint(name, texts=(value,)) for value in self._iris(node, name))
        for head in self._all(node, "in"):
            yield Constraint("in", tuple(self.graph.members(head)))
        for head in self._all(node, "languageIn"):
            tags = tuple(
                value.text for value in self.graph.members(head) if isinstance(value, Literal)
            )
            yield Constraint("languageIn", texts=tags)
        flags = self._first(node, "flags")
        for value in self._all(node, "pattern"):
            texts = (
                value.text if isinstance(value, Literal) else "",
                flags.text if isinstance(flags, Literal) else "",
            )
            if matches(texts[0], "", *texts[1:2]) is not None:
                yield Constraint("pattern", texts=texts)
            else:
                self._warn("pattern", node, f"the regular expression {texts[0]!r} cannot be read")
        if any(
            isinstance(value, Literal) and value.text == "true"
            for value in self._all(node, "uniqueLang")
        ):
            yield Constraint("uniqueLang")
        for name in ("not", "node"):
            yield from (
                Constraint(name, shapes=(self.shape(inner, seen=seen),))
                for inner in self._all(node, name)
            )
        for name in ("and", "or", "xone"):
            for head in self._all(node, name):
                inner = tuple(self.shape(one, seen=seen) for one in self.graph.members(head))
                if inner:
                    yield Constraint(name, shapes=inner)
                else:
                    self._warn("malformed shape", node, f"sh:{name} has an empty list")
        yield from self._qualified(node, seen)
        if self._true(node, "closed"):
            paths = (
                path for inner in self._all(node, "property") for path in self._all(inner, "path")
            )
            own = {str(path) for path in paths if isinstance(path, Iri)}
            ignored = set(self.graph.listed(node, f"{SH}ignoredProperties"))
            yield Constraint("closed", tuple(sorted(ignored, key=repr)), texts=tuple(sorted(own)))

    def _qualified(self, node: Term, seen: tuple[Term, ...]) -> Iterator[Constraint]:
        for inner in self._all(node, "qualifiedValueShape"):
            siblings: tuple[Shape, ...] = ()
            if self._true(node, "qualifiedValueShapesDisjoint"):
                parents = self.graph.subjects(node, f"{SH}property")
                others = {
                    s
                    for parent in parents
                    for p in self._all(parent, "property")
                    for s in self._all(p, "qualifiedValueShape")
                    if s != inner
                }
                siblings = tuple(
                    sorted((self.shape(other, seen=seen) for other in others), key=repr)
                )
            for name in ("qualifiedMinCount", "qualifiedMaxCount"):
                for value in self._all(node, name):
                    if isinstance(value, Literal) and value.text.isdecimal():
                        shape = self.shape(inner, seen=seen)
                        yield Constraint(
                            name, number=int(value.text), shapes=(shape,), siblings=siblings
                        )

    def _path(self, node: Term, depth: int = 0) -> Path | None:
        if isinstance(node, Iri):
            return Path("iri", str(node))
        if depth > FAR:
            return None
        listed = self.graph.objects(node, f"{RDF}first")
        for value in () if listed else self.graph.objects(node, f"{SH}inversePath"):
            inner = self._path(value, depth + 1)
            return Path("inverse", parts=(inner,)) if inner else None
        for mark, kind in _MARKS.items():
            for value in self.graph.objects(node, mark):
                inner = self._path(value, depth + 1)
                return Path(kind, parts=(inner,)) if inner else None
        heads = self.graph.objects(node, f"{SH}alternativePath")
        kind = "alternative" if heads else "sequence"
        parts = [
            self._path(part, depth + 1) for part in self.graph.members(heads[0] if heads else node)
        ]
        whole = tuple(part for part in parts if part is not None)
        return Path(kind, parts=whole) if whole and len(whole) == len(parts) else None

    def _warn(self, kind: str, node: Term, text: str) -> None:
        about, path = node, self._first(node, "path")
        for _ in range(20):  # to the shape that has a name
            owners = self.graph.subjects(about, f"{SH}property") if isinstance(about, Blank) else []
            about = min(owners, key=repr, default=about)
        text += f" (for {path})" if isinstance(path, Iri) and about != node else ""
        self.warnings.add(Warned(kind, str(about) if isinstance(about, Iri) else "", text))


IS_A = f"{SHAPES}is-a:"
_PREFIXES = {"rdf": RDF, "rdfs": RDFS, "sh": SH, "xsd": XSD, "shape": SHAPES}


def shacl_turtle(
    shapes: Iterable[Shape],
    named: Mapping[str, Shape],
    hierarchy: ClassHierarchy,
    prefixes: Mapping[str, str],
) -> str:
    """The shapes as Turtle; ``named`` are shapes without targets that others refer to."""
    return _Writer(hierarchy, prefixes).document(tuple(shapes), named)


class _Writer:
    def __init__(self, hierarchy: ClassHierarchy, prefixes: Mapping[str, str]) -> None:
        self.hierarchy = hierarchy
        taken = set(_PREFIXES.values())
        own = {
            p: ns
            for p, ns in prefixes.items()
            if p not in _PREFIXES and ns not in taken and (not p or p.isalnum())
        }
        self.prefixes = _PREFIXES | own
        self.used: set[str] = set()
        self.checked: set[str] = set()  # classes that need a shape listing the classes below

    def document(self, shapes: tuple[Shape, ...], named: Mapping[str, Shape]) -> str:
        """The whole file."""
        whole = {shape.id: shape for shape in shapes} | {iri: s for iri, s in named.items() if iri}
        blocks = [self._top(whole[iri]) for iri in sorted(whole)]
        written: set[str] = set()
        while self.checked - written:
            for iri in sorted(self.checked - written):
                written.add(iri)
                blocks.append(self._class_test(iri))
        head = [
            f"@prefix {p}: <{ns}> ."
            for p, ns in sorted(self.prefixes.items())
            if p in self.used or p == "sh"
        ]
        return "\n".join([*head, "", *blocks])

    def _top(self, shape: Shape) -> str:
        kind = "sh:PropertyShape" if shape.path is not None else "sh:NodeShape"
        lines = [f"a {kind}", *self._targets(shape), *self._body(shape, 1)]
        return f"{self._iri(shape.id)} " + " ;\n    ".join(lines) + " .\n"

    def _targets(self, shape: Shape) -> Iterator[str]:
        below = sorted({b for iri in shape.classes for b in self.hierarchy.below.get(iri, {iri})})
        targets = {
            "targetClass": below,
            "targetSubjectsOf": shape.subjects_of,
            "targetObjectsOf": shape.objects_of,
        }
        for name, iris in targets.items():
            if iris:
                yield f"sh:{name} {', '.join(map(self._iri, iris))}"
        if shape.nodes:
            yield f"sh:targetNode {', '.join(map(self._term, shape.nodes))}"

    def _body(self, shape: Shape, depth: int) -> list[str]:
        lines = []
        if shape.path is not None:
            lines.append(f"sh:path {self._path(shape.path)}")
        for constraint in shape.constraints:
            lines += self._constraint(constraint, depth)
        lines = list(dict.fromkeys(lines))  # minimum and maximum share one qualifiedValueShape
        lines += [f"sh:property {self._nested(inner, depth)}" for inner in shape.properties]
        if shape.severity != f"{SH}Violation":
            lines.append(f"sh:severity {self._iri(shape.severity)}")
        if shape.message:
            lines.append(f"sh:message {n3(Literal(shape.message))}")
        if shape.deactivated:
            lines.append("sh:deactivated true")
        return lines

    def _nested(self, shape: Shape, depth: int) -> str:
        if shape.reference:
            return self._iri(shape.reference)
        pad = "    " * depth
        lines = self._body(shape, depth + 1)
        return "[ ]" if not lines else f"[\n{pad}    " + f" ;\n{pad}    ".join(lines) + f"\n{pad}]"

    def _constraint(self, constraint: Constraint, depth: int) -> Iterator[str]:
        name, terms = constraint.component, constraint.terms
        if name == "isA":
            yield self._is_a(str(terms[0]))
        elif name == "noneOf":
            self.checked |= {str(term) for term in terms}
            yield f"sh:not {', '.join(self._iri(f'{IS_A}{term}') for term in terms)}"
        elif name == "class" and self._has_more(str(terms[0])):
            yield self._is_a(str(terms[0]))
        elif name == "in":
            yield f"sh:in ( {' '.join(map(self._term, terms))} )"
        elif name in _TERMS:
            yield f"sh:{name} {self._term(terms[0])}"
        elif name in _NUMBERS:
            yield f"sh:{name} {constraint.number}"
        elif name in _PAIRS:
            yield f"sh:{name} {self._iri(constraint.texts[0])}"
        elif name in ("not", "node"):
            yield f"sh:{name} {self._nested(constraint.shapes[0], depth)}"
        elif name in ("and", "or", "xone"):
            yield f"sh:{name} ( {' '.join(self._nested(inner, depth) for inner in constraint.shapes)} )"
        elif name == "pattern":
            yield f"sh:pattern {n3(Literal(constraint.texts[0]))}"
            if constraint.texts[1]:
                yield f"sh:flags {n3(Literal(constraint.texts[1]))}"
        elif name == "languageIn":
            yield f"sh:languageIn ( {' '.join(n3(Literal(tag)) for tag in constraint.texts)} )"
        elif name == "uniqueLang":
            yield "sh:uniqueLang true"
        elif name == "closed":
            allowed = [*constraint.texts, *map(str, terms)]
            yield "sh:closed true"
            yield f"sh:ignoredProperties ( {' '.join(map(self._iri, sorted(set(allowed))))} )"
        elif name == "sameKey":
            yield f"sh:sparql [ sh:select {n3(Literal(self._same_key(constraint)))} ]"
        else:
            yield from self._qualified(constraint, depth)

    def _same_key(self, constraint: Constraint) -> str:
        """The query that finds others with the same key, which SHACL Core cannot express."""
        kinds = ", ".join(
            n3(Iri(one)) for one in sorted(self.hierarchy.below.get(str(constraint.terms[0]), ()))
        )
        parts = []
        for at, one in enumerate(constraint.shapes):
            path = "|".join(
                n3(Iri(name)) for name in sorted(one.path.predicates() if one.path else ())
            )
            parts.append(f"$this {path} ?k{at} . ?value {path} ?k{at} .")
        return (
            f"SELECT DISTINCT $this ?value WHERE {{ {' '.join(parts)} ?value a ?kind . "
            f"FILTER(?value != $this && ?kind IN ({kinds})) }}"
        )

    def _qualified(self, constraint: Constraint, depth: int) -> Iterator[str]:
        inner = constraint.shapes[0]
        if (
            constraint.siblings
        ):  # spelled out, since the sibling shapes need not be written next to it
            apart = tuple(Constraint("not", shapes=(sibling,)) for sibling in constraint.siblings)
            inner = Shape((Constraint("node", shapes=(inner,)), *apart))
        yield f"sh:qualifiedValueShape {self._nested(inner, depth)}"
        yield f"sh:{constraint.component} {constraint.number}"

    # classes
    # ---------------------------------------------------------------------------------------------------------

    def _has_more(self, iri: str) -> bool:
        return len(self.hierarchy.below.get(iri, ())) > 1 or bool(self.hierarchy.members.get(iri))

    def _is_a(self, iri: str) -> str:
        if not self._has_more(iri):
            return f"sh:class {self._iri(iri)}"
        self.checked.add(iri)
        return f"sh:node {self._iri(f'{IS_A}{iri}')}"

    def _class_test(self, iri: str) -> str:
        below = sorted(self.hierarchy.below.get(iri, {iri}))
        tests = [f"[ sh:class {self._iri(one)} ]" for one in below]
        if members := sorted(self.hierarchy.members.get(iri, ())):
            tests.append(f"[ sh:in ( {' '.join(map(self._iri, members))} ) ]")
        listed = "\n        ".join(tests)
        return f"{self._iri(f'{IS_A}{iri}')} a sh:NodeShape ;\n    sh:or (\n        {listed} ) .\n"

    # terms
    # -----------------------------------------------------------------------------------------------------------

    def _path(self, path: Path) -> str:
        if path.kind == "iri":
            return self._iri(path.iri)
        inner = [self._path(part) for part in path.parts]
        if path.kind == "sequence":
            return f"( {' '.join(inner)} )"
        if path.kind == "alternative":
            return f"[ sh:alternativePath ( {' '.join(inner)} ) ]"
        return f"[ sh:{path.kind}Path {inner[0]} ]"

    def _term(self, term: Term) -> str:
        if isinstance(term, Blank):
            return "[ ]"
        return self._iri(str(term)) if isinstance(term, Iri) else n3(term)

    def _iri(self, iri: str) -> str:
        short = shorten(iri, self.prefixes)
        prefix, _, local = short.partition(":")
        if short != iri and iri == self.prefixes.get(prefix, " ") + local and "." not in local:
            self.used.add(prefix)
            return short
        return n3(Iri(iri))
