"""Arguments of a call, read by the parameters of its tool into terms or violations.

Whatever is accepted here also fits the tool's lossless JSON Schema.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kgnb.agents.kg_construction.graph_state import GraphState
from kgnb.agents.kg_construction.hints import nearest
from kgnb.agents.kg_construction.tool_values import ToolDefinition, ToolParameter, Violation
from kgnb.errors import shown
from kgnb.kg.terms import XSD, Iri, Literal, Term, is_iri
from kgnb.shapes.datatypes import (
    ANY_LITERAL,
    LANG_STRING,
    NUMBERS,
    PLAIN,
    everyday,
    example,
    literal_of,
    why_not,
)
from kgnb.shapes.phrases import joined
from kgnb.shapes.units import OM, QUDT_UNIT, converted, impossible, property_unit, unit_named

_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
_BROKEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_LONGEST_GOT = 120
_LONGEST_LABEL = 2000


@dataclass
class Arguments:
    """Arguments by parameter name: texts, terms (a literal may have several readings), plain
    values; and violations.
    """

    texts: dict[str, str] = field(default_factory=dict)
    terms: dict[str, list[Term]] = field(default_factory=dict)
    plain: dict[str, str | int | float | bool] = field(default_factory=dict)
    violations: list[Violation] = field(default_factory=list)

    def term(self, name: str) -> Term | None:
        """The likeliest term of a parameter."""
        return self.terms[name][0] if self.terms.get(name) else None

    def refuse(
        self, path: str, constraint: str, got: Any, allowed: Sequence[str], hint: str
    ) -> None:
        """Add a violation."""
        text = got if isinstance(got, str) else repr(got)
        text = text if len(text) <= _LONGEST_GOT else text[:_LONGEST_GOT] + "…"
        self.violations.append(Violation(path, constraint, text, tuple(allowed), hint))


def read_arguments(tool: ToolDefinition, given: Any, session: GraphState) -> Arguments:
    """The arguments of a call, read by its tool's parameters."""
    read = Arguments()
    if not isinstance(given, Mapping):
        read.refuse("arguments", "object", given, (), "give the arguments as one JSON object")
        return read
    known = {parameter.name: parameter for parameter in tool.parameters}
    for name in given:
        if name not in known:
            near = nearest(str(name), known)
            hint = (
                f"{tool.name} takes {joined(list(known), 20, 'and')}"
                if known
                else f"{tool.name} takes no arguments"
            )
            hint += (
                f"; state it with add_{name}"
                if tool.kind == "create" and f"add_{name}" in session.pack
                else ""
            )
            read.refuse(str(name)[:80], "unknown argument", given[name], near, hint)
    language = given.get("language") if "language" in known else None
    for name, parameter in known.items():
        value = given.get(name)
        if value is None:
            if parameter.required:  # null stands for an optional argument that is left out
                listed = [choice for choice, _ in parameter.choices[:25]]
                read.refuse(
                    name,
                    "required argument",
                    "nothing",
                    listed,
                    f"give {name}: {parameter.description}",
                )
            continue
        _read(parameter, value, language if isinstance(language, str) else None, session, read)
    if not read.violations and tool.kind == "create" and tool.term in session.pack.quantities:
        _require_measure(tool, read, session)
        _possible(tool, read, given)
    if not read.violations and tool.kind == "create":
        _require_owner(tool, read, session)
    if (
        not read.violations
        and tool.kind == "add"
        and not ("object" in read.terms or "value" in read.terms)
    ):
        read.refuse("object", "required argument", "nothing", (), "give an object or a value")
    if "object" in read.terms and "value" in read.terms:
        read.refuse(
            "object", "one of two", given["object"], (), "give an object or a value, not both"
        )
    return read


def _require_measure(tool: ToolDefinition, read: Arguments, session: GraphState) -> None:
    """Requires number and unit of a quantity, or words that hold no number: "room temperature"."""
    given = {"value", "unit"} & set(read.terms)
    label = read.texts.get("label", "")
    if len(given) == 2 or "entity" in read.terms:
        return
    if not given and label and not any(char.isdigit() for char in label):
        return
    for name in sorted({"value", "unit"} - given):
        parameter = next(p for p in tool.parameters if p.name == name)
        listed = [choice for choice, _ in parameter.choices[:25]]
        hint = f"give {name}: {parameter.description} Where the text gives no number, give label instead"
        read.refuse(name, "required argument", "nothing", listed, hint)


def _possible(tool: ToolDefinition, read: Arguments, given: Mapping[str, Any]) -> None:
    """Refuses physically impossible quantities."""
    names = {term: name for p in tool.parameters if p.kind == "unit" for name, term in p.choices}
    value, unit = read.term("value"), read.term("unit")
    if (
        isinstance(value, Literal)
        and unit in names
        and (why := impossible(float(value.text), names[unit]))
    ):
        read.refuse("value", "possible value", given.get("value"), (), why)


def _require_owner(tool: ToolDefinition, read: Arguments, session: GraphState) -> None:
    """Requires the owner or place of a part, which its name does not identify: "Add" is a step of
    many recipes.
    """
    owner = session.pack.dependent(tool.term)
    told = {"within", "entity"} & set(read.terms) or any(
        p.property in session.pack.orders and p.name in read.terms for p in tool.parameters
    )
    if owner and not told and tool.term not in session.pack.quantities and session.checked:
        orders = [p.name for p in tool.parameters if p.property in session.pack.orders]
        other = f", or its place: {orders[0]}" if orders else ""
        hint = f"give within: the IRI of the {owner} it belongs to{other}; its name does not tell it from others"
        read.refuse("within", "required argument", "nothing", (), hint)


def _read(
    parameter: ToolParameter, value: Any, language: str | None, session: GraphState, read: Arguments
) -> None:
    """Reads one argument; numbers and texts are told apart by their JSON type."""
    name = parameter.name
    if isinstance(value, str) and (not value.strip() or _BROKEN.search(value)):
        hint = (
            "the text is empty"
            if not value.strip()
            else "the text holds control characters or half a character"
        )
        read.refuse(name, "text", value, (), hint)
    elif parameter.kind == "label" and isinstance(value, str) and len(value) > _LONGEST_LABEL:
        hint = (
            f"a name has at most {_LONGEST_LABEL:,} characters; state a longer text by a property"
        )
        read.refuse(name, "maxLength", value, (), hint)
    elif parameter.kind == "any":
        if isinstance(value, str | int | float | bool):
            read.plain[name] = value
        else:
            read.refuse(name, "value", value, (), "give a text, a number or an IRI")
    elif parameter.kind == "value":
        _read_value(parameter, value, language, session, read)
    elif parameter.kind == "number":
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            read.refuse(name, "datatype", value, ("a number",), "give a plain number, as in 12.5")
        elif found := literal_of(value, parameter.datatypes):
            read.terms[name] = [found]
        else:
            kinds = tuple(d.rsplit("#", 1)[-1] for d in parameter.datatypes)
            read.refuse(name, "datatype", value, kinds, f"the number must be of {joined(kinds, 3)}")
    elif not isinstance(value, str):
        read.refuse(name, "text", value, (), "give a text in quotes")
    elif parameter.kind == "unit":
        _read_unit(parameter, value, read)
    elif parameter.kind == "entity":
        _read_entity(parameter, value, session, read)
    elif parameter.kind == "language":
        if _LANGUAGE.fullmatch(value):
            read.texts[name] = value
        else:
            read.refuse(name, "language", value, ("en", "de", "en-GB"), "give a language tag")
    else:
        read.texts[name] = value


def _listed(parameter: ToolParameter, value: Any) -> Term | None:
    """The listed term a value stands for, by name or IRI; case and spaces are ignored where the
    match is unique.
    """
    for name, term in parameter.choices:
        if value == name or (isinstance(term, Iri) and value == term):
            return term
        if (
            isinstance(term, Literal)
            and term.datatype
            and literal_of(value, [term.datatype]) == term
        ):
            return term
    said = " ".join(value.split()).casefold() if isinstance(value, str) else None
    alike = {term for name, term in parameter.choices if " ".join(name.split()).casefold() == said}
    return alike.pop() if len(alike) == 1 else None


def _refuse_choice(parameter: ToolParameter, value: Any, read: Arguments) -> None:
    allowed = nearest(str(value), [name for name, _ in parameter.choices])
    read.refuse(
        parameter.name, "oneOf", value, allowed, f"choose one of {joined(list(allowed), 8)}"
    )


_MEASURED = re.compile(r"\s*([-+]?\d+(?:\.\d+)?)\s*(\D.*)")


def _read_value(
    parameter: ToolParameter, value: Any, language: str | None, session: GraphState, read: Arguments
) -> None:
    if term := _listed(parameter, value):
        read.terms[parameter.name] = [term]
        return
    if parameter.choices:
        return _refuse_choice(parameter, value, read)
    found_all: list[Literal] = []
    if (
        isinstance(value, int)
        and not isinstance(value, bool)
        and parameter.datatypes == (f"{XSD}gYear",)
    ):
        value = str(value)  # a year can be nothing else
    if isinstance(value, str | int | float):
        found_all = [
            found for d in parameter.datatypes if (found := literal_of(value, [d], language))
        ]
    if (
        not found_all and isinstance(value, str) and not language
    ):  # as "5 March 2024" for a date, where one reading is
        spoken = [
            found
            for d in parameter.datatypes
            if (found := everyday(value, d, session.pack.tbox.languages))
        ]
        found_all = spoken[:1] if len({one.text for one in spoken}) == 1 else []
    unit = wanted = ""
    measured = (
        _MEASURED.fullmatch(value)
        if isinstance(value, str) and NUMBERS.intersection(parameter.datatypes)
        else None
    )
    if not found_all and measured and (unit := unit_named(measured[2])):
        wanted = property_unit(session.pack.tbox, parameter.property)
        number = converted(float(measured[1]), unit, wanted)
        found_all = [one for one in [literal_of(number, parameter.datatypes)] if one]
    if found_all:
        read.terms[parameter.name] = list(dict.fromkeys(found_all))
        return
    kinds = tuple(d.rsplit("#", 1)[-1].rsplit("/", 1)[-1] for d in parameter.datatypes)
    given = next((text for d in parameter.datatypes if (text := example(d))), "")
    hint = f"the range is {joined(kinds, 4)}" + (f", as in {given}" if given else "")
    if unit:
        hint += (
            f": it is given in {wanted}, not in {unit}"
            if wanted
            else f": no unit is known for it, so not in {unit}"
        )
    elif why := next((w for d in parameter.datatypes if (w := why_not(str(value), d))), ""):
        hint += f": {why}"
    elif isinstance(value, int | float) and not any(d in NUMBERS for d in parameter.datatypes):
        hint += f'; give it as text: "{given or value}"'
    texts = (LANG_STRING, PLAIN)
    if not language and all(d in texts for d in parameter.datatypes) and isinstance(value, str):
        hint = "give its language as well, as in language: en"
    elif language and not any(d in texts or d in ANY_LITERAL for d in parameter.datatypes):
        hint = "leave out the language: the values have none"
    read.refuse(parameter.name, "datatype", value, kinds, hint)


def _read_unit(parameter: ToolParameter, value: str, read: Arguments) -> None:
    said = value.strip()
    meant = dict(parameter.aliases).get(said)
    folded = {name for name, _ in parameter.choices if name.casefold() == said.casefold()}
    folded = folded or {
        name for alias, name in parameter.aliases if alias.casefold() == said.casefold()
    }
    meant = meant or (next(iter(folded)) if len(folded) == 1 else None)
    for wanted in (value, meant):
        for name, term in parameter.choices:
            if wanted in (name, str(term)):
                read.terms[parameter.name] = [term]
                return
    if not parameter.choices and value.startswith((OM, QUDT_UNIT)) and is_iri(value):
        read.terms[parameter.name] = [Iri(value)]
        return
    allowed = nearest(meant or value, [name for name, _ in parameter.choices])
    hint = f"give the unit by one of these names: {joined(list(allowed), 12)}"
    if len(parameter.choices) == 1:
        hint = f"the ontology takes {allowed[0]} here and no other unit"
    if not parameter.choices:
        hint = f"give the IRI of a unit, as in {OM}kelvin"
    read.refuse(parameter.name, "unit", value, allowed, hint)


def _read_entity(
    parameter: ToolParameter, value: str, session: GraphState, read: Arguments
) -> None:
    if term := _listed(parameter, value):
        read.terms[parameter.name] = [term]
        return
    found = session.resolve(value.strip(), parameter.classes)
    listed = not parameter.choices or any(found == term for _, term in parameter.choices)
    if found is not None and (listed or not session.checked):
        read.terms[parameter.name] = [found]
        return
    if parameter.choices:
        return _refuse_choice(parameter, value, read)
    known = session.near(value, parameter.classes)
    makers = [t.name for t in session.pack.of_kind("create") if t.term in parameter.classes]
    first = "create it first" + (f" with {joined(makers, 3)}" if makers else "")
    hint = f"there is no entity {shown(value, 60)}: " + (
        f"near: {joined(list(known), 3)}; else {first}"
        if known
        else f"{first}, and use the id or IRI that comes back"
    )
    read.refuse(parameter.name, "unknown IRI", value, known, hint)
