"""Arguments of a call, read by the parameters of its tool into terms or refusals.

Whatever is accepted here also fits the tool's lossless JSON Schema. What is refused is a rule, an
argument and a value; ``hints`` says it in words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kgnb.agents.kg_construction.graph_state import GraphState
from kgnb.agents.kg_construction.hints import LONGEST_LABEL
from kgnb.agents.kg_construction.tool_values import RefusedArgument, ToolDefinition, ToolParameter
from kgnb.kg.terms import XSD, Iri, Literal, Term, is_iri
from kgnb.shapes.datatypes import ANY_LITERAL, LANG_STRING, NUMBERS, PLAIN, everyday, literal_of
from kgnb.shapes.units import OM, QUDT_UNIT, converted, impossible, property_unit, unit_named

_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
_BROKEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")


@dataclass
class Arguments:
    """Arguments by parameter name: texts, terms (a literal may have several readings), plain
    values; and refusals.
    """

    texts: dict[str, str] = field(default_factory=dict)
    terms: dict[str, list[Term]] = field(default_factory=dict)
    plain: dict[str, str | int | float | bool] = field(default_factory=dict)
    refusals: list[RefusedArgument] = field(default_factory=list)

    def term(self, name: str) -> Term | None:
        """The likeliest term of a parameter."""
        return self.terms[name][0] if self.terms.get(name) else None

    def refuse(self, rule: str, name: str, got: Any = "nothing", detail: str = "") -> None:
        """Note that an argument breaks a rule."""
        self.refusals.append(RefusedArgument(rule, name, got, detail))


def read_arguments(tool: ToolDefinition, given: Any, session: GraphState) -> Arguments:
    """The arguments of a call, read by its tool's parameters."""
    read = Arguments()
    if not isinstance(given, Mapping):
        read.refuse("no object", "arguments", given)
        return read
    known = {parameter.name: parameter for parameter in tool.parameters}
    for name in given:
        if name not in known:
            read.refuse("unknown argument", str(name), given[name])
    language = given.get("language") if "language" in known else None
    for name, parameter in known.items():
        value = given.get(name)
        if value is not None:
            _read(parameter, value, language if isinstance(language, str) else None, session, read)
        elif parameter.required:  # null stands for an optional argument that is left out
            read.refuse("missing", name)
    if tool.kind == "add" and "object" in read.terms and "value" in read.terms:
        read.refuse("object and value", "object", given["object"])
    if read.refusals:
        return read
    if tool.kind == "create":
        if tool.term in session.pack.quantities:
            _require_measure(read)
            _possible(tool, read, given)
        if not read.refusals:
            _require_owner(tool, read, session)
    elif tool.kind == "add" and not ("object" in read.terms or "value" in read.terms):
        read.refuse("no object or value", "object")
    return read


def _require_measure(read: Arguments) -> None:
    """Requires number and unit of a quantity, or words that hold no number: "room temperature"."""
    given = {"value", "unit"} & set(read.terms)
    label = read.texts.get("label", "")
    if len(given) == 2 or "entity" in read.terms:
        return
    if not given and label and not any(char.isdigit() for char in label):
        return
    for name in sorted({"value", "unit"} - given):
        read.refuse("missing measure", name)


def _possible(tool: ToolDefinition, read: Arguments, given: Mapping[str, Any]) -> None:
    """Refuses physically impossible quantities."""
    names = {term: name for p in tool.parameters if p.kind == "unit" for name, term in p.choices}
    value, unit = read.term("value"), read.term("unit")
    if (
        isinstance(value, Literal)
        and unit in names
        and (why := impossible(float(value.text), names[unit]))
    ):
        read.refuse("impossible", "value", given.get("value"), why)


def _require_owner(tool: ToolDefinition, read: Arguments, session: GraphState) -> None:
    """Requires the owner or place of a part, which its name does not identify: "Add" is a step of
    many recipes.
    """
    told = {"within", "entity"} & set(read.terms) or any(
        p.property in session.pack.orders and p.name in read.terms for p in tool.parameters
    )
    if (
        session.checked
        and not told
        and tool.term not in session.pack.quantities
        and session.pack.dependent(tool.term)
    ):
        read.refuse("missing owner", "within")


def _read(
    parameter: ToolParameter, value: Any, language: str | None, session: GraphState, read: Arguments
) -> None:
    """Reads one argument; numbers and texts are told apart by their JSON type."""
    name = parameter.name
    if isinstance(value, str) and not value.strip():
        read.refuse("empty", name, value)
    elif isinstance(value, str) and _BROKEN.search(value):
        read.refuse("broken text", name, value)
    elif parameter.kind == "label" and isinstance(value, str) and len(value) > LONGEST_LABEL:
        read.refuse("long label", name, value)
    elif parameter.kind == "any":
        if isinstance(value, str | int | float | bool):
            read.plain[name] = value
        else:
            read.refuse("no value", name, value)
    elif parameter.kind == "value":
        _read_value(parameter, value, language, session, read)
    elif parameter.kind == "number":
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            read.refuse("no number", name, value)
        elif found := literal_of(value, parameter.datatypes):
            read.terms[name] = [found]
        else:
            read.refuse("kind of number", name, value)
    elif not isinstance(value, str):
        read.refuse("no text", name, value)
    elif parameter.kind == "unit":
        _read_unit(parameter, value, read)
    elif parameter.kind == "entity":
        _read_entity(parameter, value, session, read)
    elif parameter.kind == "language" and not _LANGUAGE.fullmatch(value):
        read.refuse("no language tag", name, value)
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


_MEASURED = re.compile(r"\s*([-+]?\d+(?:\.\d+)?)\s*(\D.*)")


def _read_value(
    parameter: ToolParameter, value: Any, language: str | None, session: GraphState, read: Arguments
) -> None:
    """Reads a literal: as it stands, as people write it, or as a number with its unit."""
    name, datatypes = parameter.name, parameter.datatypes
    if term := _listed(parameter, value):
        read.terms[name] = [term]
        return
    if parameter.choices:
        return read.refuse("no choice", name, value)
    if isinstance(value, int) and not isinstance(value, bool) and datatypes == (f"{XSD}gYear",):
        value = str(value)  # a year can be nothing else
    found: list[Literal] = []
    unit = ""
    if isinstance(value, str | int | float):
        found = [one for d in datatypes if (one := literal_of(value, [d], language))]
    if not found and isinstance(value, str) and not language:
        # as "5 March 2024" for a date, where one reading is
        languages = session.pack.tbox.languages
        spoken = [one for d in datatypes if (one := everyday(value, d, languages))]
        found = spoken[:1] if len({one.text for one in spoken}) == 1 else []
    if not found and isinstance(value, str) and NUMBERS.intersection(datatypes):
        measured = _MEASURED.fullmatch(value)
        if measured and (unit := unit_named(measured[2])):
            wanted = property_unit(session.pack.tbox, parameter.property)
            number = converted(float(measured[1]), unit, wanted)
            found = [one for one in [literal_of(number, datatypes)] if one]
    if found:
        read.terms[name] = list(dict.fromkeys(found))
        return
    texts = (LANG_STRING, PLAIN)
    if not language and isinstance(value, str) and all(d in texts for d in datatypes):
        read.refuse("missing language", name, value)
    elif language and not any(d in texts or d in ANY_LITERAL for d in datatypes):
        read.refuse("needless language", name, value)
    else:
        read.refuse("datatype", name, value, unit)


def _read_unit(parameter: ToolParameter, value: str, read: Arguments) -> None:
    meant = meant_unit(parameter, value)
    for wanted in (value, meant):
        for name, term in parameter.choices:
            if wanted in (name, str(term)):
                read.terms[parameter.name] = [term]
                return
    if not parameter.choices and value.startswith((OM, QUDT_UNIT)) and is_iri(value):
        read.terms[parameter.name] = [Iri(value)]
        return
    read.refuse("unit", parameter.name, value, meant or "")


def meant_unit(parameter: ToolParameter, value: str) -> str | None:
    """The name of the unit that a text stands for: by another spelling, or whatever its case where
    only one fits.
    """
    said = value.strip()
    if exact := dict(parameter.aliases).get(said):
        return exact
    folded = {name for name, _ in parameter.choices if name.casefold() == said.casefold()}
    folded = folded or {
        name for alias, name in parameter.aliases if alias.casefold() == said.casefold()
    }
    return next(iter(folded)) if len(folded) == 1 else None


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
    else:
        rule = "no choice" if parameter.choices else "unknown entity"
        read.refuse(rule, parameter.name, value)
