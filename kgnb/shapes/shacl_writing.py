"""Shapes -> SHACL as Turtle, the same text for the same shapes; read back, they say the same.

The file stands alone: classes below a class are spelled out, so that a SHACL engine needs no ontology beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kgnb.kg.prefixes import shorten
from kgnb.kg.terms import RDF, RDFS, XSD, Blank, Iri, Literal, Term, n3
from kgnb.shapes.checking import Hierarchy
from kgnb.shapes.owl_reading import SHAPES
from kgnb.shapes.shape import SH, Constraint, Path, Shape

IS_A = f"{SHAPES}is-a:"
_PREFIXES = {"rdf": RDF, "rdfs": RDFS, "sh": SH, "xsd": XSD, "shape": SHAPES}


def shacl_turtle(
    shapes: Iterable[Shape], named: Mapping[str, Shape], hierarchy: Hierarchy, prefixes: Mapping[str, str]
) -> str:
    """The shapes as Turtle; ``named`` are shapes without targets that others refer to."""
    return _Writer(hierarchy, prefixes).document(tuple(shapes), named)


class _Writer:
    def __init__(self, hierarchy: Hierarchy, prefixes: Mapping[str, str]) -> None:
        self.hierarchy = hierarchy
        taken = set(_PREFIXES.values())
        own = {p: ns for p, ns in prefixes.items() if p not in _PREFIXES and ns not in taken and (not p or p.isalnum())}
        self.prefixes = _PREFIXES | own
        self.used: set[str] = set()
        self.checked: set[str] = set()  # classes that need a shape saying what is one

    def document(self, shapes: tuple[Shape, ...], named: Mapping[str, Shape]) -> str:
        """The whole file."""
        whole = {shape.id: shape for shape in shapes} | {iri: s for iri, s in named.items() if iri}
        blocks = [self._top(whole[iri]) for iri in sorted(whole)]
        written: set[str] = set()
        while self.checked - written:
            for iri in sorted(self.checked - written):
                written.add(iri)
                blocks.append(self._class_test(iri))
        head = [f"@prefix {p}: <{ns}> ." for p, ns in sorted(self.prefixes.items()) if p in self.used or p == "sh"]
        return "\n".join([*head, "", *blocks])

    def _top(self, shape: Shape) -> str:
        kind = "sh:PropertyShape" if shape.path is not None else "sh:NodeShape"
        lines = [f"a {kind}", *self._targets(shape), *self._body(shape, 1)]
        return f"{self._iri(shape.id)} " + " ;\n    ".join(lines) + " .\n"

    def _targets(self, shape: Shape) -> Iterator[str]:
        below = sorted({b for iri in shape.classes for b in self.hierarchy.below.get(iri, {iri})})
        for name, iris in (
            ("targetClass", below),
            ("targetSubjectsOf", shape.subjects_of),
            ("targetObjectsOf", shape.objects_of),
        ):
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
        lines = list(dict.fromkeys(lines))  # least and most count the values of one qualifiedValueShape, not of two
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
            yield f"sh:not {', '.join(self._iri(self._test(str(term))) for term in terms)}"
        elif name == "class" and self._has_more(str(terms[0])):
            yield self._is_a(str(terms[0]))
        elif name in ("in",):
            yield f"sh:in ( {' '.join(map(self._term, terms))} )"
        elif name in ("class", "datatype", "nodeKind", "hasValue") or name.endswith(("Inclusive", "Exclusive")):
            yield f"sh:{name} {self._term(terms[0])}"
        elif name in ("minCount", "maxCount", "minLength", "maxLength"):
            yield f"sh:{name} {constraint.number}"
        elif name in ("equals", "disjoint", "lessThan", "lessThanOrEquals"):
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
        """The query that finds others with the same key; SHACL Core has no words for it."""
        kinds = ", ".join(n3(Iri(one)) for one in sorted(self.hierarchy.below.get(str(constraint.terms[0]), ())))
        parts = []
        for at, one in enumerate(constraint.shapes):
            path = "|".join(n3(Iri(name)) for name in sorted(one.path.predicates() if one.path else ()))
            parts.append(f"$this {path} ?k{at} . ?value {path} ?k{at} .")
        return (f"SELECT DISTINCT $this ?value WHERE {{ {' '.join(parts)} ?value a ?kind . "
                f"FILTER(?value != $this && ?kind IN ({kinds})) }}")  # fmt: skip

    def _qualified(self, constraint: Constraint, depth: int) -> Iterator[str]:
        inner = constraint.shapes[0]
        if constraint.siblings:  # spelled out, since the shapes beside it need not be written beside it
            apart = tuple(Constraint("not", shapes=(sibling,)) for sibling in constraint.siblings)
            inner = Shape((Constraint("node", shapes=(inner,)), *apart))
        yield f"sh:qualifiedValueShape {self._nested(inner, depth)}"
        yield f"sh:{constraint.component} {constraint.number}"

    # classes ---------------------------------------------------------------------------------------------------------

    def _has_more(self, iri: str) -> bool:
        return len(self.hierarchy.below.get(iri, ())) > 1 or bool(self.hierarchy.members.get(iri))

    def _is_a(self, iri: str) -> str:
        if not self._has_more(iri):
            return f"sh:class {self._iri(iri)}"
        self.checked.add(iri)
        return f"sh:node {self._iri(self._test(iri))}"

    def _test(self, iri: str) -> str:
        """The name of the shape that says what is an instance of a class."""
        return f"{IS_A}{iri}"

    def _class_test(self, iri: str) -> str:
        below = sorted(self.hierarchy.below.get(iri, {iri}))
        tests = [f"[ sh:class {self._iri(one)} ]" for one in below]
        members = sorted(self.hierarchy.members.get(iri, ()))
        if members:
            tests.append(f"[ sh:in ( {' '.join(map(self._iri, members))} ) ]")
        return (
            f"{self._iri(self._test(iri))} a sh:NodeShape ;\n    sh:or (\n        "
            + "\n        ".join(tests)
            + " ) .\n"
        )

    # terms -----------------------------------------------------------------------------------------------------------

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
        prefix, colon, local = short.partition(":")
        if short != iri and prefix in self.prefixes and iri == self.prefixes[prefix] + local and "." not in local:
            self.used.add(prefix)
            return f"{prefix}{colon}{local}"
        return n3(Iri(iri))
