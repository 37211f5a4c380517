"""A handful of tools for an ontology of any size, which take the class or property as an argument.

One tool for each class and property is clearest, up to a few dozen. CIDOC CRM would need 523, or
112,768 tokens a request; most clients stop at 40 to 128. With the generic tools a model searches
and describes, and every call ends in the tool of the class or property it names, with the same
checks. That takes 2,451 tokens for CIDOC CRM, 3,301 for schema.org, 3,410 for QUDT, 3,366 for Brick
(``python -m tests.benchmarks.agents.kg_construction --requests FILE ...``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from kgnb.agents.kg_construction.naming import key, normalised
from kgnb.agents.kg_construction.ontology_terms import Entry, OntologyTerms
from kgnb.agents.kg_construction.options import BUDGET as BUDGET
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.tool_values import CallResult, ToolDefinition, ToolParameter
from kgnb.agents.kg_construction.workspace import ShortIds
from kgnb.kg.terms import XSD, is_iri
from kgnb.llm.model import ToolSpec as ModelTool
from kgnb.llm.prices import estimate_tokens
from kgnb.shapes.datatypes import everyday
from kgnb.shapes.phrases import joined

Given = Mapping[str, Any]
"""Arguments, or facts by property, as a model gives them."""
JsonObject = dict[str, Any]
"""Arguments made of it, or what a model is told."""
Call = Callable[[str, Given, str], CallResult]
"""Calls a tool of the pack: its name, arguments and the quote."""

_FACTS = (
    "What is said of it: {property: value}. A value is a number or text, the id of an entity, a list of several, a "
    'quantity as "20 minutes" or "overnight", or a new entity {"class": ..., "label": ..., "facts": {...}}.'
)
_VALUE = 'A number or text, the id of an entity, a quantity as "20 minutes", or a new entity {"class", "label"}.'
_ANY: dict[str, Any] = {"type": ["string", "number", "boolean", "object", "array"], "items": {}}
_QUANTITY = re.compile(r"\s*(-?\d+(?:[.,]\d+)?)\s*(\S.*?)\s*$")


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


QUOTE = _text("the exact words of the text that say so")
_SCHEMAS: Mapping[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "create": (
        "Create an entity, with all that is said of it. Each fact is checked on its own; the answer says which were "
        "refused and why.",
        {
            "class": _text("the most specific class that fits"),
            "label": _text("what it is called in the text"),
            "id": _text(
                "a short id of your own, as in s1, by which other calls of the same reply may name it"
            ),
            "facts": {"type": "object", "description": _FACTS, "additionalProperties": True},
            "within": _text(
                "id of what it belongs to, where its name alone does not tell it from others"
            ),
            "entity": _text("id of an entity there is, to say that it is of this class as well"),
            "quote": QUOTE,
        },
        ("class", "quote"),
    ),
    "add": (
        "State one fact of an entity.",
        {
            "subject": _text("id of the entity"),
            "property": _text("the property"),
            "value": {"description": _VALUE, **_ANY},
            "quote": QUOTE,
        },
        ("subject", "property", "value", "quote"),
    ),
    "replace": (
        "Put another value in the place of a wrong one.",
        {
            "subject": _text("id of the entity"),
            "property": _text("the property"),
            "value": {"description": "the right value", **_ANY},
            "old": {"description": "the wrong value, where there are several", **_ANY},
            "quote": QUOTE,
        },
        ("subject", "property", "value"),
    ),
    "retract": (
        "Take back a wrong fact; without a property, all that was said of an entity.",
        {
            "subject": _text("id of the entity"),
            "property": _text("the property; leave out for everything"),
            "value": {"description": "the wrong value; leave out for all values", **_ANY},
        },
        ("subject",),
    ),
    "find": (
        "Find entities by name.",
        {"label": _text("its name or part of it"), "class": _text("only of this class")},
        (),
    ),
    "inspect": ("Show what is known of an entity.", {"id": _text("its id")}, ("id",)),
    "search": (
        "Find the classes and properties of the ontology that some words of the text call for.",
        {"words": _text("words of the text, or what they mean")},
        ("words",),
    ),
    "describe": (
        "Show what a class or property takes and what must hold of it.",
        {"name": _text("the class or property")},
        ("name",),
    ),
    "missing": ("Show what is still required.", {"id": _text("only of this entity")}, ()),
    "finish": (
        "Say that the work is done; refused as long as something required is missing.",
        {},
        (),
    ),
}
_BRIEF: Mapping[str, Mapping[str, str]] = {
    "create": {
        "": "Create an entity with its facts. The answer says which were refused, and why.",
        "id": "of your own, as s1",
        "facts": '{property: value}. A value: where "->" stands the id of an entity, a new one {"class", "label", '
        '"facts"}, or a quantity as "20 minutes" or "overnight"; else a number or text. Several: a list',
        "within": "id of what it belongs to, where its label does not tell it from others",
        "entity": "id of what is of this class as well",
    },
    "add": {"": "State one fact of an entity, with a value as in facts.", "subject": "id"},
    "search": {"": "Find more classes and properties by words of the text."},
    "describe": {"": "Tells all of a class or property whose name leaves you unsure."},
}
"""The tools of a request about a short note, with all that is said of them and their arguments."""
GENERIC = frozenset(_SCHEMAS)
"""The names of the generic tools."""


def schema_tokens(pack: ToolPack, names: tuple[str, ...] | None = None) -> int:
    """The approximate tokens that the schemas of the pack's own tools take, or of some of them."""
    tools = pack.tools if names is None else tuple(map(pack.tool, names))
    return sum(
        estimate_tokens(f"{tool.name}{tool.description}{tool.input_schema}") for tool in tools
    )


def model_tools(
    *, partial: bool, quoted: bool = True, cut: bool = False, brief: bool = False
) -> tuple[ModelTool, ...]:
    """The generic tools as a model sees them.

    ``partial``: with search and describe, for a model that was not told the whole ontology.
    ``cut``: with describe, for one that was not told all comments. ``quoted``: with quotes and
    without missing and finish, for a reader of passages, which is told what is missing. ``brief``:
    those that a short note needs, in few words.
    """
    found = []
    for name, (text, properties, required) in _SCHEMAS.items():
        untold = {"search": partial, "describe": partial or cut}
        if not untold.get(name, True) or (name in ("missing", "finish") and quoted):
            continue
        if brief:
            if name not in _BRIEF:
                continue
            text, properties = _BRIEF[name][""], _in_brief(properties, _BRIEF[name])
        known = {name: value for name, value in properties.items() if quoted or name != "quote"}
        schema = {
            "type": "object",
            "properties": known,
            "required": [name for name in required if name in known],
            "additionalProperties": False,
        }
        found.append(ModelTool(name, text, schema))
    return tuple(found)


def _in_brief(properties: Mapping[str, Any], said: Mapping[str, str]) -> dict[str, Any]:
    """The schemas of arguments, with only these descriptions."""
    found: dict[str, Any] = {}
    for name, schema in properties.items():
        bare = {key: value for key, value in schema.items() if key != "description"}
        found[name] = bare | ({"description": said[name]} if name in said else {})
    return found


@dataclass
class GenericTools:
    """The generic tools over one graph. ``known`` finds the entities that may be named by a label."""

    terms: OntologyTerms
    call: Call
    holds: Callable[[str, Given], CallResult]
    """Whether everything that a call of a tool of the pack would write is there already."""
    ids: ShortIds = field(default_factory=ShortIds)
    known: Callable[[str], list[tuple[str, str]]] = lambda label: []
    feedback: bool = True
    kind: Callable[[str], str] = lambda iri: ""
    """The class name of an entity without an id; "" where it is to get no id."""
    refused: Callable[[str, Given, list[str], str], None] = lambda name, given, reasons, quote: None
    """Called with a value that fits no tool of the pack: tool, arguments, reasons, quote."""
    _half: dict[str, str] = field(default_factory=dict, init=False)
    """Ids of entities that were made without some of their facts, with their labels."""

    @property
    def pack(self) -> ToolPack:
        """The pack whose tools do the work."""
        return self.terms.pack

    def use(self, name: str, arguments: Given) -> JsonObject:
        """Call one of the tools; errors are part of the answer."""
        given = {key: value for key, value in arguments.items() if value is not None}
        text, properties, required = _SCHEMAS[name]
        unknown = [key for key in given if key not in properties]
        lacking = [key for key in required if key not in given and key != "quote"]
        if unknown or lacking:
            said = (
                [f"{name} takes {joined(list(properties), 20, 'and')}, not {unknown[0]!r}"]
                if unknown
                else []
            )
            return _refused(
                *said, *[f"give {key}: {properties[key]['description']}" for key in lacking]
            )
        quote = str(given.pop("quote", ""))
        change = name in ("replace", "retract")
        done: JsonObject = (
            self._changed(name, given, quote) if change else getattr(self, f"_{name}")(given, quote)
        )
        return (
            done
            if self.feedback
            else {"received": True} | {key: done[key] for key in ("id",) if key in done}
        )

    def _create(self, given: Given, quote: str, owner: str = "") -> JsonObject:
        entry, wrong = self._entry(given.get("class"), is_class=True)
        if entry is None:
            return _refused(wrong)
        wish, facts = given.get("id", ""), given.get("facts") or {}
        if "entity" not in given and self._again(wish, given.get("label")):
            given = {**given, "entity": wish}
        if taken := self.ids.refusal(wish, given.get("entity", "")):
            return _refused(taken)
        if not isinstance(facts, Mapping):
            return _refused("facts must be an object: {property: value}")
        arguments: JsonObject = {}
        for name in ("label", "within", "entity"):
            if name in given:
                said = given[name] if isinstance(given[name], str) else str(given[name])
                arguments[name] = _as_date(entry, said) if name == "label" else self.ids.iri(said)
        if entry.tool.term in self.pack.quantities and "entity" not in given:
            return self._quantity(entry, given, facts, quote)
        inline, later = self._split(entry.tool, facts)
        arguments |= inline
        if owner and "within" not in arguments and self.pack.dependent(entry.tool.term):
            arguments["within"] = owner
        if "within" not in arguments and (found := self._owner(entry, facts)):
            arguments["within"] = found
        if "entity" in arguments and "label" not in arguments:
            known = self.call("inspect", {"iri": arguments["entity"]}, quote)
            arguments["label"] = (known.data or {}).get("label", "")
        made = self.call(entry.tool.name, arguments, quote)
        if not made.ok and not made.repeated:
            return self._told(made, wish)
        there = (
            None if made.created or "entity" in given else self.holds(entry.tool.name, arguments)
        )
        if there is not None and self._adds(made.iri, later):
            return _refused(*self._reasons(there))
        told = self._told(made, wish, kind=entry.name)
        if there is not None and isinstance(there.data, Mapping):
            told["exists"] = self.ids.shorten(str(there.data["exists"]), self._new_id)
        naming = self.terms.naming(entry.tool.term)
        if naming and made.created and "label" in arguments and not self._states(later, naming):
            later[naming.name] = arguments["label"]
        refused = self._facts(made.iri, later, quote)
        if not refused:
            self._half.pop(str(told["id"]), None)
            return told
        self._half[str(told["id"])] = normalised(str(given.get("label", "")))
        return told | {"ok": False, "refused": refused}

    def _again(self, wish: object, label: object) -> bool:
        """Whether a creation is made again to mend facts that were refused."""
        if not isinstance(wish, str) or wish not in self._half:
            return False
        return label is None or normalised(str(label)) == self._half[wish]

    def _adds(self, iri: str, facts: Given) -> bool:
        """Whether facts say more about an entity than the graph does; nothing is written."""
        dry = replace(
            self,
            call=lambda name, given, quote: self.holds(name, given),
            ids=deepcopy(self.ids),
            refused=GenericTools.refused,
        )
        return bool(dry._facts(iri, facts, ""))

    def _states(self, facts: Given, entry: Entry) -> bool:
        """Whether facts state a property or one of its subproperties."""
        below = self.pack.tbox.subs(entry.tool.term)
        return any(
            one.tool.term in below
            for name in facts
            for one in self.terms.find(name, is_class=False)
        )

    def _split(self, tool: ToolDefinition, facts: Given) -> tuple[JsonObject, JsonObject]:
        """The facts that identify an entity, which go with its creation, and the rest, which come
        after it.
        """
        order = {p.property: p.name for p in tool.parameters if p.property in self.pack.orders}
        inline, later = JsonObject(), JsonObject()
        for name, value in facts.items():
            entries = self.terms.find(str(name), is_class=False)
            if (
                len(entries) == 1
                and entries[0].tool.term in order
                and isinstance(value, int | float | str)
            ):
                inline[order[entries[0].tool.term]] = value
            else:
                later[str(name)] = value
        return inline, later

    def _owner(self, entry: Entry, facts: Given) -> str:
        """The IRI of what a dependent entity belongs to, where its facts name it."""
        owner = self.pack.dependent(entry.tool.term)
        for name, value in facts.items() if owner else ():
            for found in self.terms.find(str(name), is_class=False):
                leads = [c for p in found.tool.parameters for c in p.classes]
                if self.ids.knows(value) and owner in {*map(self.pack.tbox.label, leads)}:
                    return self.ids.iri(value)
        return ""

    def _facts(self, iri: str, facts: Given, quote: str) -> JsonObject:
        """States facts of an entity; returns the reasons for those that were refused, by property."""
        refused: JsonObject = {}
        for name, value in facts.items():
            for each in value if isinstance(value, list) else [value]:
                if why := self._fact(iri, name, each, quote):
                    refused.setdefault(name, []).extend(why)
        return refused

    def _fact(self, iri: str, name: str, value: Any, quote: str) -> list[str]:
        entry, wrong = self._entry(name, is_class=False)
        if entry is None:
            return [wrong]
        said, wrong_value = self._value(entry, value, quote, iri)
        if said is None:
            self.refused(entry.tool.name, {"subject": iri, "object": value}, wrong_value, quote)
            return wrong_value
        result = self.call(entry.tool.name, {"subject": iri, **said}, quote)
        stated = result.ok or result.repeated
        return wrong_value if stated else [*wrong_value, *self._reasons(result)]

    def _value(
        self, entry: Entry, value: Any, quote: str, owner: str
    ) -> tuple[JsonObject | None, list[str]]:
        """The arguments a value stands for: an entity, created first where it is new, or a literal."""
        parameters = {p.name: p for p in entry.tool.parameters}
        leads, plain = parameters.get("object"), parameters.get("value")
        if isinstance(value, Mapping) and "class" in value:
            made = self._create(dict(value), quote, owner)
            refused = made.get("refused", [])
            reasons = (
                [why for part in refused.values() for why in part]
                if isinstance(refused, dict)
                else list(refused)
            )
            return ({"object": self.ids.iri(made["id"])} if "id" in made else None), reasons
        if isinstance(value, Mapping) and {"value", "unit"} <= set(value):
            value = f"{value['value']} {value['unit']}"
        if isinstance(value, Mapping) and "id" in value:
            value = value["id"]
        if leads is None:
            if isinstance(value, Mapping):
                return None, [
                    f"{entry.name} takes {plain.description if plain else 'a value'}, not an object"
                ]
            return {
                "value": value if isinstance(value, str | int | float | bool) else str(value)
            }, []
        if isinstance(value, str) and (found := self._entity(leads, value)):
            return {"object": found}, []
        if plain is not None and not isinstance(value, Mapping):
            return {"value": value}, []
        named = [
            one
            for iri in leads.classes
            if self.terms.like_datatype(iri) and (one := self.terms.of(iri))
        ]
        if named and isinstance(value, str | int | float | bool):
            there = self.call(named[0].tool.name, {"label": _as_date(named[0], str(value))}, quote)
            return ({"object": there.iri}, []) if there.iri else (None, self._reasons(there))
        kinds = sorted(
            {
                below
                for iri in leads.classes
                for below in self.pack.tbox.below.get(iri, {iri})
                if below in self.pack.quantities
            }
        )
        if kinds and isinstance(value, str | int | float) and not isinstance(value, bool):
            return self._measured(
                sorted(kinds, key=lambda one: one not in leads.classes), str(value), quote
            )
        return None, [self._no_entity(entry, leads, value)]

    def _entity(self, leads: ToolParameter, said: str) -> str:
        """The IRI of an id, a listed value or the label of exactly one fitting entity; "" where
        there is none.
        """
        if self.ids.knows(said):
            return self.ids.iri(said)
        if any(said in (name, str(term)) for name, term in leads.choices) or said.startswith(
            ("http://", "https://")
        ):
            return said
        tbox, folded = self.pack.tbox, said.strip().casefold()
        if chosen := [str(term) for name, term in leads.choices if name.casefold() == folded]:
            return chosen[0]
        below = {kind for c in leads.classes for kind in tbox.below.get(c, {c})}
        own = {iri for iri, kinds in tbox.individuals.items() if not kinds.isdisjoint(below)}
        own |= {iri for c in leads.classes for iri in tbox.enumerated.get(c, ())}
        listed = [iri for iri in own if tbox.label(iri).casefold() == folded]
        if len(listed) == 1:
            return listed[0]
        known = self.known(said)
        fitting = {iri for iri, term in known if not leads.classes or term in below}
        if not fitting and "derive_types" in self.pack.manifest:
            fitting = {iri for iri, _ in known}
        return next(iter(fitting)) if len(fitting) == 1 else ""

    def _no_entity(self, entry: Entry, leads: ToolParameter, value: Any) -> str:
        kinds = [*map(self.terms.called, leads.classes)]
        if leads.choices:
            return f"{entry.name}: {value!r} is none of {joined([name for name, _ in leads.choices], 30)}"
        named = kinds[0] if kinds else "CLASS"
        label = value if isinstance(value, str) and not is_iri(value) else "..."
        new = f'{{"class": "{named}", "label": "{label}"}}'
        return f"{entry.name} leads to an entity: give the id of a {joined(kinds, 4) or 'thing'} there is, or {new}"

    def _measured(
        self, kinds: list[str], said: str, quote: str
    ) -> tuple[JsonObject | None, list[str]]:
        """A new quantity of the first of these classes that takes it."""
        names, measure = [*map(self.terms.called, kinds)], _measure(said)
        if measure is None:
            return None, [
                f'{said!r} is no quantity: write number and unit, as in "20 minutes", or the words of '
                f"the text where it gives no number ({joined(names, 4)})"
            ]
        reasons: list[str] = []
        for entry in filter(None, map(self.terms.of, kinds)):
            made = self.call(entry.tool.name, measure, quote)
            if made.ok or (made.iri and made.repeated):
                return {"object": made.iri}, []
            reasons = reasons or self._reasons(made)
        return None, reasons

    def _quantity(self, entry: Entry, given: Given, facts: Given, quote: str) -> JsonObject:
        said = str(facts.get("value", given.get("label", "")))
        measure = _measure(f"{said} {facts['unit']}" if "unit" in facts else said)
        if measure is None:
            return _refused(
                f'a {entry.name} is a number with its unit: give label as in "20 minutes"'
            )
        made = self.call(entry.tool.name, measure, quote)
        return self._told(made, str(given.get("id", "")), kind=entry.name)

    def _add(self, given: Given, quote: str) -> JsonObject:
        subject = self.ids.iri(str(given["subject"]))
        values = given["value"] if isinstance(given["value"], list) else [given["value"]]
        reasons = [
            why
            for value in values
            for why in self._fact(subject, str(given["property"]), value, quote)
        ]
        return _refused(*reasons) if reasons else {"ok": True}

    def _changed(self, tool: str, given: Given, quote: str) -> JsonObject:
        subject = self.ids.iri(str(given["subject"]))
        arguments: JsonObject = {"subject": subject}
        if "property" in given:
            entry, wrong = self._entry(given["property"], is_class=False)
            if entry is None:
                return _refused(wrong)
            arguments["property"] = entry.tool.term
            for name in ("value", "old"):
                if name in given:
                    said, reasons = self._value(entry, given[name], quote, subject)
                    if said is None:
                        return _refused(*reasons)
                    arguments[name] = next(iter(said.values()))
        return self._answered(self.call(tool, arguments, quote))

    def _answered(self, result: CallResult, **told: Any) -> JsonObject:
        return {"ok": True, **told} if result.ok else _refused(*self._reasons(result))

    def _find(self, given: Given, quote: str) -> JsonObject:
        wanted = given.get("class")
        kinds = (
            {entry.tool.term for entry in self.terms.find(str(wanted), is_class=True)}
            if wanted
            else set()
        )
        if wanted and not kinds:
            return _refused(self._entry(wanted, is_class=True)[1])
        found: dict[str, dict[str, str]] = {}
        for tool in self.pack.of_kind("find"):
            if not kinds or tool.term in kinds:
                data = self.call(
                    tool.name, {"label": given["label"]} if given.get("label") else {}, quote
                ).data
                for one in (data or {}).get("found", ()):
                    kind = self.terms.called(tool.term)
                    found.setdefault(
                        one["iri"], {"id": self.ids.of(one["iri"], kind), "label": one["label"]}
                    )
            if len(found) >= 20:
                break
        return {"ok": True, "found": list(found.values())[:20]}

    def _inspect(self, given: Given, quote: str) -> JsonObject:
        result = self.call("inspect", {"iri": self.ids.iri(str(given["id"]))}, quote)
        known = {k: v for k, v in (result.data or {}).items() if k != "iri"}
        return self._answered(result, **self.ids.shortened(known, self._new_id))

    def _missing(self, given: Given, quote: str) -> JsonObject:
        result = self.call(
            "missing", {"iri": self.ids.iri(str(given["id"]))} if "id" in given else {}, quote
        )
        return self._answered(
            result, missing=[self.reason(one["hint"]) for one in result.data or ()]
        )

    def _finish(self, given: Given, quote: str) -> JsonObject:
        return self._answered(self.call("finish", {}, quote))

    def _new_id(self, iri: str) -> str | None:
        kind = self.kind(iri)
        return self.ids.of(iri, kind) if kind else None

    def _search(self, given: Given, quote: str) -> JsonObject:
        entries = self.terms.search(str(given["words"]))
        lines = [
            ("class " if e.is_class else "property ")
            + (e.name if e.is_class else self.terms.property_line(e, domain=True))
            for e in entries
        ]
        return {"ok": True, "found": lines} | (
            {} if lines else {"hint": "try other words, or fewer"}
        )

    def _describe(self, given: Given, quote: str) -> JsonObject:
        name = str(given["name"])
        entries = self.terms.find(name, is_class=True) + self.terms.find(name, is_class=False)
        if not entries:
            near = [entry.name for entry in self.terms.search(name, 6)]
            return _refused(
                f"there is no class or property {name!r}"
                + (f"; near: {joined(near, 6)}" if near else "")
            )
        return {"ok": True, "text": "\n".join(map(self.terms.entry, entries[:3]))}

    def _entry(self, name: object, *, is_class: bool) -> tuple[Entry | None, str]:
        kind = "class" if is_class else "property"
        found = self.terms.find(str(name), is_class=is_class)
        if len(found) == 1:
            return found[0], ""
        if found:
            return (
                None,
                f"{name} may be {joined([entry.tool.term for entry in found], 4)}: give the IRI",
            )
        near = [
            entry.name for entry in self.terms.search(str(name), 12) if entry.is_class == is_class
        ][:5]
        wrong = f"there is no {kind} {str(name)[:80]!r}"
        if self.terms.find(str(name), is_class=not is_class):
            near = near[:3]
            wrong = (
                f"{name} is a {'property' if is_class else 'class'}, and a {kind} is wanted here"
            )
        return None, wrong + (f"; near: {joined(near, 5)}" if near else "")

    def _told(self, result: CallResult, wish: str = "", kind: str = "") -> JsonObject:
        if not result.ok and not result.repeated:
            return _refused(*self._reasons(result))
        told: JsonObject = {"ok": True, "id": self.ids.of(result.iri, kind, wish=wish)}
        if wish and self.ids.iri(wish) == result.iri:
            told["id"] = wish
        return told

    def _reasons(self, result: CallResult) -> list[str]:
        return [
            self.reason(one.hint or f"{one.path}: {one.constraint}, got {one.got}", one.allowed)
            for one in result.violations
            if one.constraint != "repeat" or len(result.violations) == 1
        ]  # what differs may be in the facts

    def reason(self, hint: str, allowed: tuple[str, ...] = ()) -> str:
        """A hint in the terms of these tools: with ids for IRIs, and create and add for the pack's
        own tools.
        """

        def renamed(match: re.Match[str]) -> str:
            if match[0] not in self.pack:
                return match[0]
            tool = self.pack.tool(match[0])
            entry = self.terms.of(tool.term)
            named = f'"{entry.name if entry else tool.label}"'
            return f"{match[1]}({'class' if match[1] == 'create' else 'property'}={named})"

        text = re.sub(r"\b(create|add)_\w+", renamed, self.ids.shorten(hint, self._new_id))
        text = text.replace(")(", ", ").replace(" id or IRI", " id").replace(" IRI", " id")
        few = [self.ids.shorten(one, self._new_id) for one in allowed[:8]]
        missing = [one for one in few if one not in text]
        return f"{text} ({joined(missing, 8)})" if missing and len(missing) == len(few) else text


def _measure(said: str) -> JsonObject | None:
    """Number and unit of a text, or words without a number, as the tool of a quantity takes them."""
    match = _QUANTITY.match(said)
    if match is None:
        label = " ".join(said.split())
        return {"label": label} if label and not re.search(r"\d", label) else None
    number = float(match[1].replace(",", "."))
    return {"value": int(number) if number.is_integer() else number, "unit": match[2]}


def _as_date(entry: Entry, label: str) -> str:
    """The label of an entity; of a class that stands for dates, the date in ISO form, so that a day
    has one label.
    """
    day = everyday(label, f"{XSD}date") if key(entry.name) == "date" else None
    return day.text if day else label


def _refused(*reasons: str) -> JsonObject:
    return {"ok": False, "refused": list(dict.fromkeys(reasons)) or ["refused"]}
