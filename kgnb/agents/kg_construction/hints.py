"""What is wrong with a call or a graph, in words that a model, a person and an MCP client are told.

Calls are refused by rule, and the checker finds constraints; here alone both become violations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from rapidfuzz import fuzz, process

from kgnb.agents.kg_construction.pack_content import PackContent
from kgnb.agents.kg_construction.tool_values import (
    RefusedArgument,
    ToolDefinition,
    ToolParameter,
    Violation,
)
from kgnb.errors import shown
from kgnb.kg import vocabulary as v
from kgnb.kg.terms import Iri, Literal, Term, local_name
from kgnb.shapes.datatypes import NUMBERS, datatype_of, example, why_not
from kgnb.shapes.facts import Facts
from kgnb.shapes.phrases import a_noun as _a
from kgnb.shapes.phrases import joined
from kgnb.shapes.shape import SH, TYPE, Constraint, Path, Shape
from kgnb.shapes.units import OM, property_unit

if TYPE_CHECKING:
    from kgnb.shapes.checking import BrokenConstraint

_MOST_ALLOWED = 25
_LONGEST_GOT = 120
LONGEST_LABEL = 2000

# the rules of a call: the constraint that each is counted under, and what to do about it
RULES: Mapping[str, tuple[str, str]] = {
    "unknown tool": ("unknown tool", "call one of the tools there are"),
    "not JSON": ("object", "give plain JSON values"),
    "made before": (
        "repeat",
        "this very call was made before and its facts are there: go on with something else",
    ),
    "refused before": (
        "repeated call",
        "This very call was refused before. Change what its violations name, or go on with another fact.",
    ),
    "given up": (
        "given up",
        "Refused {times} times. It is left to a person; go on with the next fact.",
    ),
    "empty class": (
        "unsatisfiable class",
        "nothing can be a {label}: {why}; choose another class",
    ),
    "new fact": ("not there", "nobody has said so yet"),
    "quote": ("quote", "these words are not in {where}: copy the quote word for word"),
    "unknown document": ("unknown document", "there is no document {document!r}; near: {near}"),
    # arguments
    "no object": ("object", "give the arguments as one JSON object"),
    "unknown argument": ("unknown argument", "{tool} takes {known}{other}"),
    "missing": ("required argument", "give {name}: {description}"),
    "missing measure": (
        "required argument",
        "give {name}: {description} Where the text gives no number, give label instead",
    ),
    "missing owner": (
        "required argument",
        "give within: the IRI of the {owner} it belongs to{place}; its name does not tell it from others",
    ),
    "no object or value": ("required argument", "give an object or a value"),
    "object and value": ("one of two", "give an object or a value, not both"),
    "empty": ("text", "the text is empty"),
    "broken text": ("text", "the text holds control characters or half a character"),
    "no text": ("text", "give a text in quotes"),
    "long label": (
        "maxLength",
        f"a name has at most {LONGEST_LABEL:,} characters; state a longer text by a property",
    ),
    "no value": ("value", "give a text, a number or an IRI"),
    "no choice": ("oneOf", "choose one of {listed}"),
    "no number": ("datatype", "give a plain number, as in 12.5"),
    "kind of number": ("datatype", "the number must be of {kinds}"),
    "datatype": ("datatype", "the range is {kinds}{as_in}{why}"),
    "missing language": ("datatype", "give its language as well, as in language: en"),
    "needless language": ("datatype", "leave out the language: the values have none"),
    "no language tag": ("language", "give a language tag"),
    "impossible": ("possible value", "{detail}"),
    "unit": ("unit", "{unit}"),
    "unknown entity": ("unknown IRI", "there is no entity {entity}: {other}"),
    # what is retracted or replaced
    "unknown property": ("unknown property", "near: {near}"),
    "nothing there": ("not there", "there is nothing to {what}: {there}"),
    "several values": (
        "required argument",
        "there are {detail} values: say with old which one is wrong",
    ),
    "not replaced": (
        "property",
        "only the values of properties are replaced: retract it, and create the entity anew",
    ),
}


def worded(
    rule: str, path: str, got: str, allowed: Iterable[str] = (), **details: object
) -> Violation:
    """The violation of a rule, with the words of ``RULES``."""
    constraint, words = RULES[rule]
    return Violation(path, constraint, got, tuple(allowed), words.format(**details))


def nearest(
    said: str, known: Iterable[str], most: int = _MOST_ALLOWED, least: float = 0.0
) -> tuple[str, ...]:
    """The known names, the most similar first; those with a similarity below ``least``, of 100, are
    left out.
    """
    listed = list(dict.fromkeys(known))
    if not least and len(listed) <= 1 or not said:
        return tuple(listed[:most])
    scored = process.extract(
        said.casefold(),
        listed,
        scorer=fuzz.WRatio,
        processor=str.casefold,
        limit=most,
        score_cutoff=least,
    )
    return tuple(name for name, _, _ in scored)


class Hints:
    """Turns findings of the checker into violations, with the names of one pack."""

    def __init__(self, pack: PackContent) -> None:
        self.pack = pack
        self.phrases = pack.phrases
        self._adding = {tool.term: tool.name for tool in pack.of_kind("add")}
        self._creating = {tool.term: tool.name for tool in pack.of_kind("create")}
        self._symbols = {
            iri: name for quantity in pack.quantities.values() for name, iri in quantity.units
        }  # names of units the ontology does not hold

    def name(self, term: Term, facts: Facts) -> str:
        """A term in a hint: an entity's label with its IRI, a literal with its datatype."""
        if isinstance(term, Literal):
            kind = datatype_of(term).rsplit("#", 1)[-1]
            return f'"{term.text}"' + (
                f"@{term.language}" if term.language else "" if kind == "string" else f" ({kind})"
            )
        label = self._label(term, facts)
        return f"{label} <{term}>" if label else f"<{term}>"

    def _label(self, term: Term, facts: Facts) -> str:
        """An entity's label in the graph, else in the ontology."""
        own = self.pack.tbox.label(str(term)) if str(term) in self.pack.tbox.individuals else ""
        return facts.label(term) or own

    def entity(self, iri: Term, facts: Facts) -> str:
        """An entity in a few words: its classes, its label, and its first facts."""
        said: list[str] = []
        for predicate, values in facts.about(iri).items():
            if predicate not in (TYPE, v.LABEL) and len(said) < 5:
                shown = [
                    t.text if isinstance(t, Literal) else self.name(t, facts)
                    for t in list(values)[:3]
                ]
                said.append(f"{self.pack.tbox.label(predicate)} {joined(shown, 3, 'and')}")
        return f"{self._types(iri, facts)}, {self.name(iri, facts)}" + (
            f" ({'; '.join(said)})" if said else ""
        )

    def exists(self, iri: Iri, tool: ToolDefinition, facts: Facts) -> Violation:
        """The violation of a creation whose name another entity has."""
        label, fits = (
            self.pack.tbox.label(tool.term),
            self.pack.hierarchy.is_a(list(facts.types(iri)), iri, tool.term),
        )
        same = (
            "state more of it by its IRI" if fits else f"say that it is {_a(label)} {label} as well"
        )
        hint = (
            f"there is {self.entity(iri, facts)} already. If this is another one, tell the two apart: "
            "give within, or a label that says which, as the text does (its number, place or date). "
            f"Only if it is the very same, {same}: {self._as_well(tool.name, iri, facts)}"
        )
        return Violation("label", "exists already", self.name(iri, facts), (), hint, focus=str(iri))

    def plain(self, term: Term) -> str:
        """A term of the ontology as an allowed value."""
        if isinstance(term, Literal):
            return term.text
        iri = str(term)
        return self._symbols.get(iri) or self.pack.tbox.label(iri)

    def argument(
        self,
        tool: ToolDefinition,
        refusal: RefusedArgument,
        near: Callable[[str, Iterable[str]], tuple[str, ...]],
    ) -> Violation:
        """A refused argument as a violation; ``near`` finds the entities that may be meant."""
        got = refusal.got if isinstance(refusal.got, str) else repr(refusal.got)
        parameter = next(
            (p for p in tool.parameters if p.name == refusal.name), ToolParameter("", "")
        )
        choices = [choice for choice, _ in parameter.choices]
        allowed = refusal.allowed[:_MOST_ALLOWED]
        details: dict[str, str] = {}
        match refusal.rule:
            case "unknown argument":
                names = [p.name for p in tool.parameters]
                allowed = nearest(refusal.name, names)
                adding = f"add_{refusal.name}"
                stated = tool.kind == "create" and adding in self.pack
                details["known"] = joined(names, 20, "and") if names else "no arguments"
                details["other"] = f"; state it with {adding}" if stated else ""
            case "missing" | "missing measure":
                allowed = tuple(choices[:_MOST_ALLOWED])
            case "missing owner":
                orders = [p.name for p in tool.parameters if p.property in self.pack.orders]
                details["owner"] = self.pack.dependent(tool.term)
                details["place"] = f", or its place: {orders[0]}" if orders else ""
            case "no choice":
                allowed = nearest(str(refusal.got), choices)
                details["listed"] = joined(list(allowed), 8)
            case "no number":
                allowed = ("a number",)
            case "kind of number":
                allowed = _kinds(parameter)
                details["kinds"] = joined(allowed, 3)
            case "datatype" | "missing language" | "needless language":
                allowed = _kinds(parameter)
                details = self._datatype(parameter, refusal)
            case "no language tag":
                allowed = ("en", "de", "en-GB")
            case "unit":
                allowed = nearest(refusal.detail or str(refusal.got), choices)
                details["unit"] = (
                    f"give the unit by one of these names: {joined(list(allowed), 12)}"
                )
                if len(choices) == 1:
                    details["unit"] = f"the ontology takes {allowed[0]} here and no other unit"
                elif not choices:
                    details["unit"] = f"give the IRI of a unit, as in {OM}kelvin"
            case "unknown entity":
                allowed = near(str(refusal.got), parameter.classes)
                makers = [self._creating[c] for c in self._creating if c in parameter.classes]
                first = "create it first" + (f" with {joined(makers, 3)}" if makers else "")
                details["entity"] = shown(refusal.got, 60)
                details["other"] = (
                    f"near: {joined(list(allowed), 3)}; else {first}"
                    if allowed
                    else f"{first}, and use the id or IRI that comes back"
                )
            case "unknown property":
                allowed = nearest(got, [t.label for t in self.pack.of_kind("add")], 5)
                details["near"] = joined(list(allowed), 5)
            case "nothing there":
                replacing = tool.kind == "replace"
                details["what"] = "replace" if replacing else "take back"
                details["there"] = f"its values are {joined(list(allowed), 8)}"
                if not allowed:
                    adding = self._adding.get(refusal.detail, "") if replacing else ""
                    call = f": call {adding}" if adding else ""
                    details["there"] = f"nothing is said of it by '{refusal.name}'{call}"
        return worded(
            refusal.rule,
            refusal.name[:80],
            got if len(got) <= _LONGEST_GOT else got[:_LONGEST_GOT] + "…",
            allowed,
            tool=tool.name,
            name=refusal.name,
            description=parameter.description,
            detail=refusal.detail,
            **details,
        )

    def _datatype(self, parameter: ToolParameter, refusal: RefusedArgument) -> dict[str, str]:
        """What a literal of a wrong datatype should look like, and why this one does not fit."""
        value, unit, datatypes = refusal.got, refusal.detail, parameter.datatypes
        given = next((text for d in datatypes if (text := example(d))), "")
        why = ""
        if unit:
            wanted = property_unit(self.pack.tbox, parameter.property)
            why = (
                f": it is given in {wanted}, not in {unit}"
                if wanted
                else f": no unit is known for it, so not in {unit}"
            )
        elif reason := next((w for d in datatypes if (w := why_not(str(value), d))), ""):
            why = f": {reason}"
        elif isinstance(value, int | float) and not any(d in NUMBERS for d in datatypes):
            why = f'; give it as text: "{given or value}"'
        as_in = f", as in {given}" if given else ""
        return {"kinds": joined(_kinds(parameter), 4), "as_in": as_in, "why": why}

    def violation(self, top: Shape, found: BrokenConstraint, facts: Facts) -> Violation:
        """One finding as a violation."""
        constraint = found.constraint
        component = "class" if constraint.component == "isA" else constraint.component
        path = found.path
        told = self.told(top, path)
        value = found.value or found.focus
        got = self.name(value, facts)
        if component.endswith("Count"):
            got = self._count(found, facts)
        name = top.kind or f"sh:{component}"
        return Violation(
            path=told,
            constraint=name,
            got=got,
            allowed=self._allowed(found, got),
            focus=str(found.focus),
            hint=found.shape.message or top.message or self._hint(top, found, facts, told),
            component=f"{SH}{component[0].upper()}{component[1:]}ConstraintComponent",
            shape=top.id,
        )

    def told(self, top: Shape, path: Path | None) -> str:
        """The name of a path in violations of a shape."""
        if path is not None and path.kind != "sequence" and top.about in path.predicates():
            return self.pack.tbox.label(top.about)
        if path is not None and path.kind in (
            "iri",
            "alternative",
        ):  # a property, and those below it
            widest = max(sorted(path.predicates()), key=lambda iri: len(self.pack.tbox.subs(iri)))
            if path.predicates() <= {widest, *self.pack.tbox.subs(widest)}:
                return self.pack.tbox.label(widest)
        if path is not None:
            return self.phrases.path(path).replace("'", "")
        return self.pack.tbox.label(top.about) if top.about else "the entity itself"

    def _values(self, found: BrokenConstraint, facts: Facts) -> list[Term]:
        return facts.follow(found.focus, found.path) if found.path is not None else []

    def _named(self, terms: Iterable[Term], facts: Facts) -> str:
        return joined([self.name(one, facts) for one in terms], 4, "and")

    def _count(self, found: BrokenConstraint, facts: Facts) -> str:
        count = len(facts.follow(found.focus, found.path)) if found.path is not None else 1
        return f"{count} value{'' if count == 1 else 's'}"

    def _allowed(self, found: BrokenConstraint, got: str) -> tuple[str, ...]:
        constraint = found.constraint
        if constraint.component == "in":
            return nearest(got, [*map(self.plain, constraint.terms)])
        if constraint.component in ("isA", "class", "datatype", "hasValue"):
            return tuple(map(self.phrases.term, constraint.terms))
        if constraint.component.endswith(("Count", "Length")):
            return (str(constraint.number),)
        if constraint.component in ("or", "xone"):
            return tuple(map(self.phrases.demand, constraint.shapes[:_MOST_ALLOWED]))
        if constraint.component == "languageIn":
            return constraint.texts
        return tuple(map(self.plain, constraint.terms)) if "clusive" in constraint.component else ()

    def _hint(self, top: Shape, found: BrokenConstraint, facts: Facts, told: str) -> str:
        """How to repair a violation."""
        constraint, component = found.constraint, found.constraint.component
        who = self.name(found.focus, facts)
        value = found.value or found.focus
        tool = self._tool(found.path)
        demand = self.phrases.constraint(constraint)
        if top.kind == "domain":
            also = self._also(constraint, found.focus, facts, "choose another subject")
            return f"the domain of '{told}': its subject {demand}, and {who} is {self._types(found.focus, facts)}{also}"
        if top.kind == "key":
            return self._twice(found, facts, told)
        if component in ("minCount", "qualifiedMinCount", "hasValue"):
            wanted = self.phrases.wanted(constraint, told)
            values = self._named(self._values(found, facts), facts)
            if not found.final:
                return f"{who} needs {wanted}" + (f": call {tool}" if tool else "")
            if not values:
                return (
                    f"{who}, {self._types(found.focus, facts)}, needs {wanted}, and its classes ask more of that than "
                    "can hold at once: nothing can be of all these classes, so leave one"
                )
            other = (
                "Give that value"
                if component == "hasValue"
                else "Say first of what class a value is, give another"
            )
            return f"{who} needs {wanted}, and with {values} there is no room left for it. {other}, or replace one"
        if component in ("maxCount", "qualifiedMaxCount"):
            values = self._named(self._values(found, facts), facts)
            most = self.phrases.wanted(constraint, told)
            return (
                f"{who} has {most}, and would have {values}: leave this one, or replace the other"
            )
        if component in ("isA", "class") and isinstance(found.value, Iri):
            also = self._also(constraint, found.value, facts, "choose another value")
            kinds = self._types(value, facts)
            return f"'{told}' must lead to what {demand}, and {self.name(value, facts)} is {kinds}{also}"
        if component == "datatype":
            given = example(str(constraint.terms[0]))
            return f"a value of '{told}' {demand}" + (f", as in {given}" if given else "")
        if top.kind == "disjointWith":
            return f"{who} is {self._types(found.focus, facts)}, and nothing is both: it {demand}"
        if component in ("or", "xone") and top.kind == "unionOf":
            return f"{who} must be one of these: {demand}"
        if top.kind in ("asymmetric", "irreflexive"):
            words = {
                "asymmetric": "does not hold both ways",
                "irreflexive": "leads from nothing to itself",
            }
            far = ""
            if found.path is not None and top.kind == "irreflexive":
                far = f", by any number of steps, and {who} would lead to itself"
            return f"'{self.pack.tbox.label(top.about)}' {words[top.kind]}{far}"
        if top.kind == "propertyDisjointWith":
            other, same = self.pack.tbox.label(constraint.texts[0]), self.name(value, facts)
            return f"{who} has {same} by '{other}' already, and '{told}' and '{other}' never lead to the same"
        if top.kind == "negative assertion":
            return f"the ontology says that {self.name(value, facts)} is no '{told}' of {who}"
        if component == "closed":
            allowed = sorted(
                {*map(self.pack.tbox.label, (*constraint.texts, *map(str, constraint.terms)))}
            )
            return f"{who} may have no '{told}'; it may have {joined(allowed, 12, 'and')}"
        if component == "in" and (near := self._allowed(found, self.name(value, facts))):
            return f"choose one of {joined(list(near), 8)}"
        return (
            f"a value of '{told}' {demand}"
            if found.path is not None
            else f"{who} must fit: it {demand}"
        )

    def _twice(self, found: BrokenConstraint, facts: Facts, told: str) -> str:
        """The hint for two entities with the same key: they are the same, or a value is wrong."""
        several = found.constraint.component == "sameKey"
        two = [found.value or found.focus, found.focus] if several else self._values(found, facts)
        named = self._named(two, facts)
        keys = joined(
            [f"'{self.pack.tbox.label(one)}'" for one in found.constraint.texts], 5, "and"
        )
        shared = f"the same {keys}" if several else f"{self.name(found.focus, facts)} as '{told}'"
        return (
            f"{named} would both have {shared}, which tells one from another. If they are the same thing, go on with "
            "the one that was there, by its IRI; if not, one value is wrong"
        )

    def _also(self, constraint: Constraint, node: Term, facts: Facts, other: str) -> str:
        """How to repair a wrong class: the entity may also be of the wanted class, or another one
        is meant.
        """
        kinds = [str(t) for t in constraint.terms if str(t) in self._creating]
        if not kinds or not isinstance(node, Iri):
            return ""
        label = self.pack.tbox.label(kinds[0])
        maker = self._creating[kinds[0]]
        makers = joined([self._creating[kind] for kind in kinds], 3)
        made = f"{other}, create the {label} that is meant with {makers}, or leave the fact"
        if self.pack.checker.apart(facts.types(node), kinds[0]):
            return f"; nothing is both: {made}"
        return f"; if the text calls it {_a(label)} {label} too: {self._as_well(maker, node, facts)}; else {made}"

    def _as_well(self, maker: str, node: Term, facts: Facts) -> str:
        """The call that states that an entity is also of another class."""
        label = self._label(node, facts)
        return f'{maker}(label="{label}", entity={node})'

    def _tool(self, path: Path | None) -> str:
        if path is None or path.kind not in ("iri", "alternative", "inverse"):
            return ""
        widest = sorted(path.predicates(), key=lambda iri: (-len(self.pack.tbox.subs(iri)), iri))
        return next((self._adding[iri] for iri in widest if iri in self._adding), "")

    def _types(self, node: Term, facts: Facts) -> str:
        kinds = sorted(self.pack.tbox.label(str(kind)) for kind in facts.types(node))
        return f"{_a(kinds[0])} {joined(kinds, 4, 'and')}" if kinds else "of no known class"


def _kinds(parameter: ToolParameter) -> tuple[str, ...]:
    """The names of the datatypes that a parameter takes."""
    return tuple(map(local_name, parameter.datatypes))
