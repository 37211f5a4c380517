"""SHACL Core in a graph -> shapes. What lies beyond the core (SPARQL, functions, rules) is named in a warning."""

from __future__ import annotations

from collections.abc import Iterator

from kgnb.kg.terms import OWL, RDF, RDFS, Blank, Iri, Literal, Term
from kgnb.shapes.facts import Facts
from kgnb.shapes.leaves import legal_pattern
from kgnb.shapes.shape import FAR, SH, TYPE, Constraint, Path, Shape, Warned

_TERMS = ("class", "datatype", "nodeKind", "hasValue", "minInclusive", "maxInclusive", "minExclusive", "maxExclusive")
_NAMED = ("class", "datatype", "nodeKind")
_NUMBERS = ("minCount", "maxCount", "minLength", "maxLength")
_PAIRS = ("equals", "disjoint", "lessThan", "lessThanOrEquals")
_TARGETS = ("targetClass", "targetNode", "targetSubjectsOf", "targetObjectsOf")
_BEYOND = ("sparql", "target", "js", "rule", "expression", "values", "select")
_PARAMETERS = (*_TERMS, *_NUMBERS, *_PAIRS, "in", "pattern", "languageIn", "uniqueLang", "not", "and", "or", "xone",
               "node", "property", "qualifiedValueShape", "closed")  # fmt: skip
_MARKS = {f"{SH}zeroOrMorePath": "zeroOrMore", f"{SH}oneOrMorePath": "oneOrMore", f"{SH}zeroOrOnePath": "zeroOrOne"}


def has_shapes(graph: Facts) -> bool:
    """Whether a graph states any shape."""
    return any(True for name in (*_TARGETS, "property", "path") for _ in graph.pairs(f"{SH}{name}")) or any(
        graph.subjects(Iri(f"{SH}{kind}"), TYPE) for kind in ("NodeShape", "PropertyShape")
    )


def read_shapes(graph: Facts) -> tuple[list[Shape], dict[str, Shape], list[Warned]]:
    """The shapes that have targets, all shapes with a name, and what could not be read; in a fixed order."""
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
        """Every node that is a shape by its type, its target or its parameters; the nested ones without a name not."""
        found: set[Term] = set()
        for kind in ("NodeShape", "PropertyShape"):
            found.update(self.graph.subjects(Iri(f"{SH}{kind}"), TYPE))
        for name in (*_TARGETS, *_PARAMETERS, "path"):
            found.update(subject for subject, _ in self.graph.pairs(f"{SH}{name}"))
        wanted = {node for node in found if isinstance(node, Iri) or any(self._all(node, t) for t in _TARGETS)}
        return sorted(wanted, key=repr)

    def _all(self, node: Term, name: str) -> list[Term]:
        return sorted(self.graph.objects(node, f"{SH}{name}"), key=repr)

    def _first(self, node: Term, name: str) -> Term | None:
        return next(iter(self._all(node, name)), None)

    def _iris(self, node: Term, name: str) -> Iterator[str]:
        """The values that have a name; others are reported."""
        for value in self._all(node, name):
            if isinstance(value, Iri):
                yield str(value)
            else:
                self._warn("malformed shape", node, f"a value of sh:{name} is no IRI")

    def _true(self, node: Term, name: str) -> bool:
        value = self._first(node, name)
        return isinstance(value, Literal) and value.text in ("true", "1")

    def shape(self, node: Term, *, top: bool = False, seen: tuple[Term, ...] = ()) -> Shape:
        """One shape; a nested one with a name is referred to by it, so that shapes may run in circles."""
        if isinstance(node, Iri) and not top:
            return Shape(reference=str(node), id=str(node))
        name = str(node) if isinstance(node, Iri) else ""
        if node in seen or len(seen) > 60:
            self._warn("circular shape", node, "a shape without a name contains itself")
            return Shape(id=name, deactivated=True)
        seen = (*seen, node)
        for beyond in _BEYOND:
            if self.graph.objects(node, f"{SH}{beyond}"):
                when = "is checked at finish, by pyshacl" if beyond == "sparql" else "is not enforced"
                self._warn("SHACL beyond the core", node, f"sh:{beyond} {when}")
        paths = self._all(node, "path")
        path = self._path(paths[0]) if paths else None
        if paths and path is None:
            self._warn("path", node, "its sh:path cannot be read, so the shape is not enforced")
            return Shape(id=name, deactivated=True)
        message = next((value.text for value in self._all(node, "message") if isinstance(value, Literal)), "")
        return Shape(
            constraints=tuple(sorted(self._constraints(node, path, seen), key=repr)),
            path=path,
            properties=tuple(sorted((self.shape(inner, seen=seen) for inner in self._properties(node)), key=repr)),
            id=name,
            classes=tuple(sorted(self._target_classes(node))) if top else (),
            nodes=tuple(value for value in self._all(node, "targetNode") if isinstance(value, Iri | Blank | Literal))
            if top
            else (),
            subjects_of=tuple(self._iris(node, "targetSubjectsOf")) if top else (),
            objects_of=tuple(self._iris(node, "targetObjectsOf")) if top else (),
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
                self._warn("malformed shape", node, "a sh:property without a path that can be read is not enforced")

    def _target_classes(self, node: Term) -> Iterator[str]:
        yield from (str(value) for value in self._all(node, "targetClass") if isinstance(value, Iri))
        classes = {f"{RDFS}Class", f"{OWL}Class"}
        if isinstance(node, Iri) and any(str(kind) in classes for kind in self.graph.types(node)):
            yield str(node)  # implicit class target (section 2.1.3.3)

    def _constraints(self, node: Term, path: Path | None, seen: tuple[Term, ...]) -> Iterator[Constraint]:
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
                    self._warn("number", node, f"sh:{name} is no whole number")
        for name in _PAIRS:
            yield from (Constraint(name, texts=(value,)) for value in self._iris(node, name))
        for head in self._all(node, "in"):
            yield Constraint("in", tuple(self.graph.members(head)))
        for head in self._all(node, "languageIn"):
            yield Constraint(
                "languageIn", texts=tuple(v.text for v in self.graph.members(head) if isinstance(v, Literal))
            )
        flags = self._first(node, "flags")
        for value in self._all(node, "pattern"):
            texts = (value.text if isinstance(value, Literal) else "", flags.text if isinstance(flags, Literal) else "")
            if legal_pattern(*texts):
                yield Constraint("pattern", texts=texts)
            else:
                self._warn("pattern", node, f"the regular expression {texts[0]!r} cannot be read")
        if any(isinstance(value, Literal) and value.text == "true" for value in self._all(node, "uniqueLang")):
            yield Constraint("uniqueLang")
        for name in ("not", "node"):
            yield from (Constraint(name, shapes=(self.shape(inner, seen=seen),)) for inner in self._all(node, name))
        for name in ("and", "or", "xone"):
            for head in self._all(node, name):
                inner = tuple(self.shape(one, seen=seen) for one in self.graph.members(head))
                if inner:
                    yield Constraint(name, shapes=inner)
                else:
                    self._warn("malformed shape", node, f"sh:{name} has an empty list")
        yield from self._qualified(node, seen)
        if self._true(node, "closed"):
            own = {
                str(p) for inner in self._all(node, "property") for p in self._all(inner, "path") if isinstance(p, Iri)
            }
            ignored = [term for head in self._all(node, "ignoredProperties") for term in self.graph.members(head)]
            yield Constraint("closed", tuple(sorted(set(ignored), key=repr)), texts=tuple(sorted(own)))

    def _qualified(self, node: Term, seen: tuple[Term, ...]) -> Iterator[Constraint]:
        for inner in self._all(node, "qualifiedValueShape"):
            siblings: tuple[Shape, ...] = ()
            if self._true(node, "qualifiedValueShapesDisjoint"):
                parents = self.graph.subjects(node, f"{SH}property")
                others = {s for parent in parents for p in self._all(parent, "property")
                          for s in self._all(p, "qualifiedValueShape") if s != inner}  # fmt: skip
                siblings = tuple(sorted((self.shape(other, seen=seen) for other in others), key=repr))
            for name in ("qualifiedMinCount", "qualifiedMaxCount"):
                for value in self._all(node, name):
                    if isinstance(value, Literal) and value.text.isdecimal():
                        shape = self.shape(inner, seen=seen)
                        yield Constraint(name, number=int(value.text), shapes=(shape,), siblings=siblings)

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
        parts = [self._path(part, depth + 1) for part in self.graph.members(heads[0] if heads else node)]
        whole = tuple(part for part in parts if part is not None)
        return Path(kind, parts=whole) if whole and len(whole) == len(parts) else None

    def _warn(self, kind: str, node: Term, text: str) -> None:
        self.warnings.add(Warned(kind, str(node) if isinstance(node, Iri) else "", text))
