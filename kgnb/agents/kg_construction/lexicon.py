"""The words of a T-Box: what its classes, properties, individuals and units are called, in every
language it has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property, partial

from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.tool_values import ToolDefinition, ToolParameter
from kgnb.kg.columns import NAMING
from kgnb.kg.terms import RDFS, SKOS, Iri, Literal, Term, local_name
from kgnb.kg.words import stem, words
from kgnb.shapes.datatypes import NUMBERS, locales
from kgnb.shapes.units import property_unit, unit_key, unit_named

BRACKET = re.compile(r"\s*\(([^()]*)\)")
Phrase = tuple[str, ...]
"""A name as its words, case-folded."""
_NAMES = (
    f"{RDFS}label",
    *(f"{SKOS}{name}" for name in ("prefLabel", "altLabel", "hiddenLabel", "notation")),
)


@dataclass(frozen=True, eq=False)
class Slot:
    """A property as a reader fills it: the tool that states it, and what it takes."""

    iri: str
    tool: ToolDefinition
    phrases: tuple[Phrase, ...]
    value: ToolParameter
    makes: tuple[str, ...]  # the classes it leads to whose members can be created

    @property
    def is_object(self) -> bool:
        """Whether it leads to an entity."""
        return self.value.kind == "entity"

    @property
    def is_number(self) -> bool:
        """Whether it takes a number."""
        return (
            bool(self.value.datatypes)
            and self.value.datatypes[0] in NUMBERS
            and not self.value.choices
        )


def _singular(phrase: Phrase) -> str:
    return unit_key(" ".join(map(stem, phrase)))


class Lexicon:
    """The words of one pack. Answers that every line of a document asks for are cached."""

    def __init__(self, pack: ToolPack) -> None:
        self.pack, self.languages = pack, pack.tbox.languages
        self.creators = {tool.term: tool for tool in pack.of_kind("create")}
        self.phrases = cache(self._phrases)
        self.individuals = cache(self._individuals)
        self.units_of = cache(self._units_of)
        self.of = cache(self._of)
        self.keys_of = cache(self._keys_of)
        self.class_called = cache(self._class_called)
        self.amounts, self.steps = cache(self._amounts), cache(self._steps)
        self.unit_of = cache(partial(property_unit, pack.tbox))

    def __reduce__(self) -> tuple[type[Lexicon], tuple[ToolPack]]:
        return Lexicon, (self.pack,)  # its caches stay where they are

    # names
    # -----------------------------------------------------------------------------------------------------------

    def _spellings(self, iri: str) -> list[str]:
        entity = self.pack.tbox.entities.get(iri)
        texts = [text.text for text in (*entity.labels, *entity.synonyms)] if entity else []
        return texts + [
            term.text for term in self.pack.tbox.all(Iri(iri), *_NAMES) if isinstance(term, Literal)
        ]

    def _phrases(self, iri: str) -> tuple[Phrase, ...]:
        """What a term is called, longest first; the words of its IRI where it has no label."""
        spelt = self._spellings(iri) or [local_name(iri)]
        found = {words(name) for text in spelt for name in (text, BRACKET.sub("", text))}
        return tuple(sorted(found - {()}, key=lambda one: (-len(one), one)))

    def is_called(self, iri: str, name: str) -> bool:
        """Whether a term has this name, in the singular or the plural."""
        said = _singular(words(name))
        return bool(said) and any(_singular(phrase) == said for phrase in self.phrases(iri))

    @cached_property
    def conjunction(self) -> str:
        """A regular expression of what stands between the last two of a list."""
        patterns = [locale.list_patterns["standard"]["2"] for locale in locales(self.languages)]
        return "|".join(
            [
                "&",
                *(re.escape(one.replace("{0}", "").replace("{1}", "").strip()) for one in patterns),
            ]
        )

    @cached_property
    def decimal_comma(self) -> bool:
        """Whether all languages of the ontology write decimals after a comma."""
        own = [locale for locale in locales(self.languages) if locale.language in self.languages]
        return bool(own) and all(locale.number_symbols["latn"]["decimal"] == "," for locale in own)

    # classes and individuals
    # -----------------------------------------------------------------------------------------

    def is_a(self, iri: str, *others: str) -> bool:
        """Whether a class is one of others or a subclass of one."""
        return any(iri == other or iri in self.pack.tbox.below.get(other, ()) for other in others)

    def most_general(self, classes: Iterable[str]) -> list[str]:
        """Those of some classes that are no subclass of another of them."""
        given = list(classes)
        return [
            cls for cls in given if not self.is_a(cls, *(other for other in given if other != cls))
        ]

    def _class_called(self, name: str) -> str:
        """The most general class of this name or its plural; "" for none or several."""
        found = self.most_general(cls for cls in self.creators if self.is_called(cls, name))
        return found[0] if len(found) == 1 else ""

    def _individuals(self, classes: tuple[str, ...]) -> dict[Phrase, str]:
        """The ontology's own individuals of some classes by name; "" for a name that several have."""
        found: dict[Phrase, str] = {}
        for iri, kinds in self.pack.tbox.individuals.items():
            if any(self.is_a(kind, *classes) for kind in kinds):
                found |= {phrase: "" if phrase in found else iri for phrase in self.phrases(iri)}
        return found

    @cached_property
    def root(self) -> str:
        """The most general of the classes from which properties lead to the most classes that can
        be created.
        """

        def reach(cls: str) -> int:
            return len({slot.value.classes for slot in self.of(cls) if slot.makes})

        def weight(cls: str) -> tuple[int, int]:
            return reach(cls), -sum(
                slot.is_object and cls in slot.value.classes for slot in self.slots
            )

        best = max(self.creators, key=weight, default="")
        above = [cls for cls in self.pack.tbox.above(best) if cls in self.creators] if best else []
        return next((cls for cls in reversed(above) if reach(cls) == reach(best)), best)

    # properties
    # ------------------------------------------------------------------------------------------------------

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """Every property that can be stated, in the order of the tools."""
        found = []
        for tool in self.pack.of_kind("add"):
            if value := next(
                (one for one in tool.parameters if one.name in ("object", "value")), None
            ):
                makes = tuple(cls for cls in value.classes if cls in self.creators)
                found.append(Slot(tool.term, tool, self.phrases(tool.term), value, makes))
        return tuple(found)

    def _of(self, cls: str) -> tuple[Slot, ...]:
        """The properties with a domain that the class fits."""
        domains = {iri: entity.domain for iri, entity in self.pack.tbox.entities.items()}
        return tuple(slot for slot in self.slots if self.is_a(cls, *domains.get(slot.iri, ())))

    def _keys_of(self, cls: str) -> frozenset[Phrase]:
        """The names of a class's properties, and of the classes that they lead to."""
        return frozenset(
            phrase
            for slot in self.of(cls)
            for iri in (slot.iri, *slot.makes)
            for phrase in self.phrases(iri)
        )

    def slot(self, cls: str, name: str, *, plural: bool = False) -> Slot | None:
        """The property of a class with this name, else the only one that leads to the class of this
        name.
        """

        def named(iri: str) -> bool:
            return words(name) in self.phrases(iri) or (plural and self.is_called(iri, name))

        if found := next((slot for slot in self.of(cls) if named(slot.iri)), None):
            return found
        leading = [slot for slot in self.of(cls) if any(map(named, slot.makes))]
        below = {
            iri for slot in leading for iri in self.pack.tbox.subs(slot.iri) if iri != slot.iri
        }
        general = [slot for slot in leading if slot.iri not in below]
        return general[0] if len(general) == 1 else None

    def lists(self, cls: str, name: str) -> Slot | None:
        """The property of a class that leads to the things which a key in the plural lists."""
        slot = self.slot(cls, name, plural=True)
        return slot if slot and slot.is_object else None

    def leading(self, start: str, end: str) -> Slot | None:
        """The first property from one class to another."""
        return next(
            (
                slot
                for slot in self.of(start)
                if slot.is_object and self.is_a(end, *slot.value.classes)
            ),
            None,
        )

    def naming_argument(self, cls: str) -> ToolParameter | None:
        """The argument of a class's creating tool that takes a name."""
        texts = (
            p
            for p in self.creators[cls].parameters
            if p.kind == "value" and not NUMBERS & {*p.datatypes}
        )
        return next(
            (p for p in texts if any(map(NAMING.intersection, self.phrases(p.property)))), None
        )

    def _amounts(self, cls: str) -> list[tuple[Slot, str, Slot, Slot, Slot]]:
        """The properties of a class that lead to amounts of something: the property, the class of
        the amounts, and the properties of their number, unit and thing.
        """
        found = []
        for leads, kind in self._led(cls):
            slots = self.of(kind) if kind in self.creators else ()
            numbers = [slot for slot in slots if slot.is_number]
            units = [slot for slot in slots if slot.is_object and slot.value.choices]
            things = [slot for slot in slots if slot.makes and not slot.value.choices]
            if numbers and units and things:
                found.append((leads, kind, numbers[0], units[0], things[0]))
        return found

    def _steps(self, cls: str) -> list[tuple[Slot, str, Slot]]:
        """The properties of a class that lead to members of an order: the property, their class,
        their number.
        """
        return [
            (leads, kind, slot)
            for leads, kind in self._led(cls)
            for slot in self.of(kind)
            if slot.iri in self.pack.orders
        ]

    def _led(self, cls: str) -> list[tuple[Slot, str]]:
        return [
            (slot, kind) for slot in self.of(cls) if slot.is_object for kind in slot.value.classes
        ]

    # units
    # -----------------------------------------------------------------------------------------------------------

    def unit(self, text: str) -> str:
        """The English name of the unit that a text is, in a language of the ontology or in English;
        "" for none.
        """
        return unit_named(text, self.languages)

    def _units_of(self, choices: tuple[tuple[str, Term], ...]) -> dict[str, str]:
        """The IRIs of the units that a property lists, by the key of every spelling."""
        return {
            unit_key(text): str(term)
            for name, term in choices
            for text in (name, *self._spellings(str(term)))
        }

    @cached_property
    def quantities(self) -> dict[str, tuple[str, str]]:
        """The class of quantities that can be created, and what it calls the unit, by the unit's
        English name.
        """
        return {
            self.unit(name) or name: (cls, name)
            for cls, quantity in self.pack.quantities.items()
            if cls in self.creators
            for name, _ in reversed(quantity.units)
        }
