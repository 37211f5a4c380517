"""Tools from a T-Box: find and create for every class, add for every property, and a few that every
pack has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from kgnb.agents.kg_construction.naming import tool_name
from kgnb.agents.kg_construction.tool_values import ToolDefinition, ToolKind, ToolParameter
from kgnb.kg.terms import RDFS, XSD, Iri, Literal, Term, local_name
from kgnb.shapes.datatypes import ANY_LITERAL, LANG_STRING, PLAIN, json_type
from kgnb.shapes.phrases import Phrases, joined
from kgnb.shapes.phrases import a_noun as _a
from kgnb.shapes.shape import SH, Shape
from kgnb.shapes.tbox import TBox
from kgnb.shapes.units import MOST_UNITS, Quantity, unit_names

MOST_CHOICES = 100  # longer lists are not closed in the schema; the check is the same
MOST_INLINE = 12  # literal properties that create_<class> takes at once
_GUIDANCE = 600  # characters
_WITHIN = (
    "IRI of what it belongs to, where its name does not tell it from others. It writes no fact."
)


@dataclass(frozen=True)
class Values:
    """The range of a property."""

    datatypes: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    choices: tuple[Term, ...] = ()
    listed: tuple[str, ...] = ()  # classes that are closed lists, where a range is one of them


class ToolMaker:
    """Makes the tools of one T-Box, given the names of its classes and properties."""

    def __init__(
        self,
        tbox: TBox,
        shapes: tuple[Shape, ...],
        of_classes: Mapping[str, str],
        of_properties: Mapping[str, str],
        measured: Mapping[str, Quantity],
        empty: Mapping[str, str],
        *,
        loose_ranges: bool = False,
    ) -> None:
        self.loose_ranges = loose_ranges
        self.tbox, self.measured, self.empty = tbox, measured, empty
        self.of_classes, self.of_properties = of_classes, of_properties
        self.phrases = Phrases(tbox, unit_names(measured))
        self.values = cache(self._values_of)
        self._about: dict[str, list[Shape]] = {}
        self._on_path: dict[
            str, list[tuple[Shape, bool]]
        ] = {}  # and whether it holds for some subjects only
        for shape in shapes:
            for iri in {shape.about, *shape.classes}:
                self._about.setdefault(iri, []).append(shape)
            for inner in shape.parts():
                if inner.path is not None and inner.path.kind in ("iri", "alternative"):
                    for iri in inner.path.predicates():
                        self._on_path.setdefault(iri, []).append(
                            (inner, bool(shape.classes or shape.nodes))
                        )

    def tools(self) -> Iterator[ToolDefinition]:
        """All tools: by class, by property, then those of every pack."""
        for iri in self.tbox.classes:
            yield self._find(iri)
            if iri not in self.tbox.closed_lists:
                yield self._create(iri)
        for iri in self.tbox.properties:
            yield self._add(iri)
        yield from _always()

    def _find(self, iri: str) -> ToolDefinition:
        label = self.tbox.label(iri)
        hint = f"What the {label} is called, or part of it; leave out to list."
        text = f"Find entities that are a {label} (or of a class below it) by name."
        known = sorted(map(self.tbox.label, self.tbox.enumerated.get(iri, ())))
        if known:
            text += f" It is a closed list: {joined(known, 30)}."
        return self._tool("find", iri, text, (ToolParameter("label", "text", description=hint),))

    def _create(self, iri: str) -> ToolDefinition:
        label, quantity = self.tbox.label(iri), self.measured.get(iri)
        parameters: list[ToolParameter] = []
        if quantity is not None:
            units = quantity.units[:MOST_UNITS] if len(quantity.units) <= MOST_UNITS else ()
            parameters += [
                ToolParameter(
                    "value",
                    "number",
                    False,
                    "The number, without its unit.",
                    datatypes=(quantity.number,),
                ),
                ToolParameter(
                    "unit",
                    "unit",
                    False,
                    "The unit, by its full name.",
                    aliases=quantity.symbols,
                    choices=tuple((name, Iri(unit)) for name, unit in units),
                ),
            ]
        hint = (
            "Instead of value and unit, where the text gives no number: its words, as in overnight."
            if quantity
            else f"What this {label} is called in the text."
        )
        parameters.append(ToolParameter("label", "label", quantity is None, hint))
        parameters += self._inline(iri, {p.name for p in parameters} | {"within", "entity"})
        parameters += [
            ToolParameter("within", "entity", description=_WITHIN),
            ToolParameter(
                "entity",
                "entity",
                description=f"IRI of an existing entity that is a {label} as well.",
            ),
        ]
        text = f"Create {_a(label)} {label}."
        if iri in self.empty:
            text = f"Do not call it: nothing can be a {label} ({self.empty[iri]})."
        return self._tool("create", iri, text, tuple(parameters))

    def _inline(self, iri: str, taken: set[str]) -> list[ToolParameter]:
        """The literal properties of a class as arguments, those in its restrictions first."""
        shapes = (
            shape
            for each in self.tbox.above(iri)
            for shape in self._about.get(each, ())
            if shape.classes
        )
        paths = (inner.path for shape in shapes for inner in shape.parts())
        restricted = [path.iri for path in paths if path is not None and path.kind == "iri"]
        found: dict[str, ToolParameter] = {}
        for name in dict.fromkeys([*restricted, *self._by_domain.get(iri, ())]):
            values, argument = self.values(name), self.of_properties.get(name)
            if (
                argument
                and values.datatypes
                and not values.classes
                and not values.choices
                and argument not in taken
            ):
                found.setdefault(argument, self._value(argument, name, values, required=False))
        return list(found.values())[:MOST_INLINE]

    @cached_property
    def _by_domain(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self.tbox.properties:
            for cls in self.tbox.domains(name):
                for below in self.tbox.below.get(cls, ()):
                    found.setdefault(below, []).append(name)
        return found

    def _values_of(self, iri: str) -> Values:
        """The range of a property, from its own shapes and those of its superproperties.

        Shapes for all subjects restrict the values; those for one class only say what is likely.
        """
        datatypes: dict[str, None] = {}
        likely: dict[str, None] = {}
        classes: dict[str, None] = {}
        choices: list[Term] = []
        listed: tuple[str, ...] = ()
        for shape, of_some in self._on_path.get(iri, ()):
            found = likely if of_some else datatypes
            asked = [
                str(leaf.terms[0]) for leaf in _leaves(shape) if leaf.component in ("isA", "class")
            ]
            if shape.kind == "range" and asked and self.tbox.closed_lists.issuperset(asked):
                listed = tuple(asked)
            for leaf in _leaves(shape):
                if leaf.component == "datatype":
                    found[str(leaf.terms[0])] = None
                elif leaf.component == "nodeKind" and str(leaf.terms[0]) == f"{SH}Literal":
                    found[f"{RDFS}Literal"] = None
                elif leaf.component in ("isA", "class"):
                    classes[str(leaf.terms[0])] = None
                elif leaf.component == "in" and shape.kind in ("oneOf", "range"):
                    if _closes(shape) and not of_some:
                        choices += [term for term in leaf.terms if term not in choices]
                    else:
                        literals = [term for term in leaf.terms if isinstance(term, Literal)]
                        found |= dict.fromkeys(term.datatype or f"{XSD}string" for term in literals)
        kinds = {
            kind
            for kind in ("object property", "datatype property")
            if (iri, kind) in self.tbox.declared
        }
        if not datatypes and (likely or "datatype property" in kinds):
            kept = [t.datatype or f"{XSD}string" for t in choices if isinstance(t, Literal)]
            datatypes = likely | dict.fromkeys(kept or [f"{RDFS}Literal"])
        if kinds == {"object property"} and not (
            choices and all(isinstance(t, Literal) for t in choices)
        ):
            datatypes = {}
        return Values(tuple(_specific_first(datatypes)), tuple(classes), tuple(choices), listed)

    def _add(self, iri: str) -> ToolDefinition:
        tbox, values = self.tbox, self.values(iri)
        label = tbox.label(iri)
        subject = ToolParameter(
            "subject", "entity", True, f"IRI of the entity whose '{label}' it is.", iri
        )
        literal_only = (
            bool(values.datatypes)
            and not values.classes
            and (iri, "object property") not in tbox.declared
        )
        choices = self._choices(values)
        parameters = [subject]
        if literal_only or (choices and all(isinstance(term, Literal) for _, term in choices)):
            parameters.append(self._value("value", iri, values, required=True, choices=choices))
        elif values.datatypes or not self._is_object(iri, values):
            parameters += [
                ToolParameter(
                    "object",
                    "entity",
                    False,
                    "IRI of an entity; or give a value.",
                    iri,
                    classes=values.classes,
                ),
                self._value("value", iri, values, required=False),
            ]
        else:
            told = joined([*map(tbox.label, values.classes)], 6)
            hint = f"IRI of the {told}." if told else "IRI of an entity."
            parameters.append(
                ToolParameter(
                    "object",
                    "entity",
                    True,
                    hint,
                    iri,
                    classes=values.classes,
                    choices=tuple(choices),
                )
            )
        if parameters[-1].kind == "value" and _takes_language(parameters[-1].datatypes):
            parameters.append(
                ToolParameter(
                    "language", "language", description="Language tag of the text, as in en."
                )
            )
        return self._tool("add", iri, f"State '{label}' of an entity.", tuple(parameters))

    def _is_object(self, iri: str, values: Values) -> bool:
        known = (iri, "object property") in self.tbox.declared and not self.loose_ranges
        return known or bool(values.classes or values.choices)

    def _choices(self, values: Values) -> list[tuple[str, Term]]:
        """The closed list of a property's values by name, if it has one that is not too long."""
        terms: list[Term] = list(values.choices)
        if not terms and values.listed:
            listed = {i for c in values.listed for i in self.tbox.enumerated.get(c, ())}
            terms = [*map(Iri, sorted(listed))]
        if not terms or len(terms) > MOST_CHOICES:
            return []
        names = [
            term.text if isinstance(term, Literal) else self.tbox.label(str(term)) for term in terms
        ]
        return [
            (name if names.count(name) == 1 else str(getattr(term, "text", term)), term)
            for name, term in zip(names, terms, strict=True)
        ]

    def _value(
        self,
        name: str,
        iri: str,
        values: Values,
        *,
        required: bool,
        choices: list[tuple[str, Term]] | None = None,
    ) -> ToolParameter:
        datatypes = values.datatypes or (f"{RDFS}Literal",)
        told = joined([*map(local_name, datatypes)], 4)
        text = f"{self.tbox.label(iri)} ({told})"
        listed = tuple((n, t) for n, t in choices or () if isinstance(t, Literal))
        return ToolParameter(
            name, "value", required, text, iri, datatypes=datatypes, choices=listed
        )

    def _tool(
        self, kind: ToolKind, iri: str, text: str, parameters: tuple[ToolParameter, ...]
    ) -> ToolDefinition:
        terms = self.tbox.above(iri) if kind == "create" else (iri,) if kind == "add" else ()
        shapes = {s.id: s for term in terms for s in self._about.get(term, ())}
        constraints = tuple(dict.fromkeys(map(self.phrases.of_shape, shapes.values())))
        if kind == "add":
            constraints += self.phrases.mirrored(iri)
        comment = self.tbox.comment(iri)
        guidance = comment if len(comment) <= _GUIDANCE else comment[: _GUIDANCE - 1].rstrip() + "…"
        name = tool_name(kind, (self.of_properties if kind == "add" else self.of_classes)[iri])
        description = " ".join(
            [text, *([f"Must hold: {'; '.join(constraints[:12])}."] if constraints else [])]
        )
        return ToolDefinition(
            name,
            f"{description} {guidance}".strip(),
            input_schema(parameters),
            kind,
            iri,
            self.tbox.label(iri),
            constraints,
            guidance,
            parameters,
        )


def _always() -> Iterator[ToolDefinition]:
    of = ToolParameter("iri", "entity", True, "IRI of the entity.")
    some = ToolParameter("iri", "entity", False, "IRI of one entity; leave out for all.")
    whose = ToolParameter("subject", "entity", True, "IRI of the entity.")
    named = ToolParameter("property", "text", True, "The property, by name or IRI.")
    optional = ToolParameter(
        "property", "text", False, "The property, by name or IRI; leave out for all."
    )
    right = ToolParameter("value", "any", True, "The right value.")
    old = ToolParameter("old", "any", False, "The wrong value, of several.")
    wrong = ToolParameter("value", "any", False, "The wrong value; leave out for all.")
    texts: tuple[tuple[ToolKind, str, tuple[ToolParameter, ...]], ...] = (
        ("replace", "Put another value in the place of a wrong one.", (whose, named, right, old)),
        ("retract", "Take back wrong facts of an entity.", (whose, optional, wrong)),
        ("inspect", "Show everything that is known of an entity.", (of,)),
        ("missing", "List what is still required before the work can be finished.", (some,)),
        ("finish", "End the work. It is refused while something required is missing.", ()),
    )
    for kind, text, parameters in texts:
        yield ToolDefinition(
            kind, text, input_schema(parameters), kind, "", kind, parameters=parameters
        )


def _leaves(shape: Shape, depth: int = 0) -> Iterator:  # type: ignore[type-arg]
    for constraint in shape.constraints:
        if constraint.component in ("and", "or", "xone", "node", "qualifiedMinCount") and depth < 8:
            for inner in constraint.shapes:
                if inner.path is None:
                    yield from _leaves(inner, depth + 1)
        else:
            yield constraint


def _closes(shape: Shape) -> bool:
    """Whether the lists of a shape are complete: not where a union has a datatype or class beside a
    list.
    """
    unions = [c.shapes for c in shape.constraints if c.component in ("or", "xone")]
    return all(
        any(leaf.component == "in" for leaf in _leaves(one)) for union in unions for one in union
    )


def _specific_first(datatypes: Mapping[str, None]) -> list[str]:
    """Narrow datatypes before wide ones, so that 4 becomes an integer where integers are allowed."""
    order = (
        "boolean",
        "integer",
        "decimal",
        "double",
        "float",
        "date",
        "dateTime",
        "time",
        "gYear",
        "anyURI",
    )

    def rank(datatype: str) -> tuple[int, str]:
        name = datatype.removeprefix(XSD)
        if datatype in ANY_LITERAL:
            return (99, name)
        if datatype in (f"{XSD}string", LANG_STRING, PLAIN):
            return (50, name)
        return (order.index(name) if name in order else 20, name)

    return sorted(datatypes, key=rank)


def _takes_language(datatypes: tuple[str, ...]) -> bool:
    return any(
        datatype in (LANG_STRING, PLAIN) or datatype in ANY_LITERAL for datatype in datatypes
    )


def input_schema(parameters: Iterable[ToolParameter]) -> dict[str, Any]:
    """The schema of a tool's arguments (JSON Schema 2020-12)."""
    listed = tuple(parameters)
    return {
        "type": "object",
        "properties": {p.name: _one(p) for p in listed},
        "required": [p.name for p in listed if p.required],
        "additionalProperties": False,
    }


def _one(parameter: ToolParameter) -> dict[str, Any]:
    told = {"description": parameter.description} if parameter.description else {}
    if parameter.choices:
        names = [name for name, _ in parameter.choices]
        values = [_json_value(name, term) for name, term in parameter.choices]
        iris = [
            str(term)
            for _, term in parameter.choices
            if isinstance(term, Iri) and str(term) not in names
        ]
        text = {"type": "string"} if all(isinstance(value, str) for value in values) else {}
        return {"enum": [*dict.fromkeys(values), *iris], **text, **told}
    if parameter.kind == "number":
        return {"type": "number", **told}
    if parameter.kind == "value":
        return _any_of([*map(json_type, parameter.datatypes)]) | told
    if parameter.kind == "any":
        return {"type": ["string", "number", "boolean"], **told}
    if parameter.kind == "language":
        return {"type": "string", "pattern": "^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$", **told}
    return {"type": "string", "minLength": 1, **told}


def _json_value(name: str, term: object) -> Any:
    """A literal choice in JSON: numbers and booleans as such."""
    if isinstance(term, Literal) and term.datatype:
        kind = json_type(term.datatype).get("type")
        if kind == "integer":
            return int(term.text)
        if kind == "number":
            return float(term.text)
        if kind == "boolean":
            return term.text in ("true", "1")
    return name


def _any_of(kinds: list[dict[str, Any]]) -> dict[str, Any]:
    different = [kind for at, kind in enumerate(kinds) if kind not in kinds[:at]]
    if len(different) > 1:
        return {"anyOf": different}
    return dict(different[0]) if different else {"type": ["string", "number", "boolean"]}
