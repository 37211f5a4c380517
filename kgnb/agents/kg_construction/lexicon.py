"""How the terms of a T-Box are spoken of: words of classes, properties and listed values, in every language it has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.tool_values import Parameter, ToolSpec
from kgnb.kg.terms import RDFS, SKOS, XSD, Iri, Literal
from kgnb.kg.words import words

Phrase = tuple[str, ...]
_NUMERIC = {f"{XSD}{name}" for name in (
    "integer", "decimal", "double", "float", "int", "long", "short", "nonNegativeInteger", "positiveInteger",
)}  # fmt: skip
_NAMES = ("prefLabel", "altLabel", "hiddenLabel", "notation")


@lru_cache(maxsize=1 << 16)
def stems(text: str) -> Phrase:
    """The words of a text, cut so that forms of one word meet: English, German and French endings.

    >>> stems("baking the carrots") == stems("bakes the carrot")
    True
    """
    return tuple(_stem(word) for word in words(text))


def _stem(word: str) -> str:
    if len(word) <= 3 or not word.isalpha():
        return word
    for ending in ("ations", "ation", "ings", "ing", "ers", "er", "ed", "es", "en", "ez", "és", "é", "s", "e", "n"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: len(word) - len(ending)]
    return word


@dataclass(frozen=True)
class Slot:
    """A property as a reader fills it: the tool that states it, and what it takes."""

    iri: str
    tool: ToolSpec
    phrases: tuple[Phrase, ...]
    domain: tuple[str, ...]
    value: Parameter

    @property
    def is_object(self) -> bool:
        """Whether it leads to an entity."""
        return self.value.kind == "entity"

    @property
    def is_number(self) -> bool:
        """Whether it takes a number."""
        return bool(self.value.datatypes) and self.value.datatypes[0] in _NUMERIC and not self.value.choices

    @property
    def is_whole(self) -> bool:
        """Whether the number is a whole one."""
        return self.is_number and self.value.datatypes[0] not in {f"{XSD}{n}" for n in ("decimal", "double", "float")}


class Lexicon:
    """The words of one pack. Made once; what it is asked again, as every line of a document asks, it knows by heart."""

    def __init__(self, pack: ToolPack) -> None:
        self.pack = pack
        self.creators = {tool.term: tool for tool in pack.of_kind("create")}
        self._phrases: dict[str, tuple[Phrase, ...]] = {}
        self._spellings: dict[str, tuple[str, ...]] = {}
        self._of: dict[str, tuple[Slot, ...]] = {}
        self._units_of: dict[str, tuple[tuple[int, str, str], ...]] = {}

    def phrases(self, iri: str) -> tuple[Phrase, ...]:
        """What a term is called, longest first; the words of its IRI where it has no label."""
        known = self._phrases.get(iri)
        if known is None:
            found = {stems(text) for text in self._texts(iri) or [re.split(r"[#/:]", iri)[-1]]}
            known = tuple(sorted((one for one in found if one), key=lambda one: (-len(one), one)))
            self._phrases[iri] = known
        return known

    def spellings(self, iri: str) -> tuple[str, ...]:
        """Labels, other names and symbols of a listed value, as they are written."""
        known = self._spellings.get(iri)
        if known is None:
            known = tuple(dict.fromkeys(self._texts(iri))) or (self.pack.tbox.label(iri),)
            self._spellings[iri] = known
        return known

    def units_of(self, slot: Slot) -> tuple[tuple[int, str, str], ...]:
        """Every spelling of the values a property lists: how long it is, its key, and the IRI it stands for."""
        known = self._units_of.get(slot.iri)
        if known is None:
            known = tuple(
                (len(spelling), unit_key(spelling), str(term))
                for name, term in slot.value.choices
                for spelling in (name, *self.spellings(str(term)))
            )
            self._units_of[slot.iri] = known
        return known

    def _texts(self, iri: str) -> list[str]:
        entity = self.pack.tbox.entities.get(iri)
        texts = [text.text for text in (*entity.labels, *entity.synonyms)] if entity else []
        told = self.pack.tbox.all(Iri(iri), f"{RDFS}label", *(f"{SKOS}{name}" for name in _NAMES))
        return texts + [term.text for term in told if isinstance(term, Literal)]

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """Every property that can be stated, in the order of the tools."""
        found = []
        for tool in self.pack.of_kind("add"):
            entity = self.pack.tbox.entities.get(tool.term)
            values = [one for one in tool.parameters if one.name in ("object", "value")]
            if values:
                domain = entity.domain if entity else ()
                found.append(Slot(tool.term, tool, self.phrases(tool.term), domain, values[0]))
        return tuple(found)

    def is_a(self, iri: str, other: str) -> bool:
        """Whether a class is another one or lies below it."""
        return iri == other or iri in self.pack.tbox.below.get(other, ())

    def of(self, cls: str) -> tuple[Slot, ...]:
        """The properties whose domain the class fits; those without a domain are not among them."""
        known = self._of.get(cls)
        if known is None:
            known = tuple(slot for slot in self.slots if any(self.is_a(cls, domain) for domain in slot.domain))
            self._of[cls] = known
        return known

    def leads_to(self, start: str, end: str) -> tuple[Slot, ...]:
        """The properties from one class to another."""
        return tuple(
            slot for slot in self.of(start)
            if slot.is_object and any(self.is_a(end, target) for target in slot.value.classes)
        )  # fmt: skip

    @cached_property
    def root(self) -> str:
        """The class everything else hangs on: most properties lead from it to classes that can be made."""

        def weight(cls: str) -> tuple[int, int]:
            out = [
                slot for slot in self.of(cls) if slot.is_object and any(c in self.creators for c in slot.value.classes)
            ]
            into = [slot for slot in self.slots if slot.is_object and cls in slot.value.classes]
            return (len({slot.value.classes for slot in out}), -len(into))

        return max(self.creators, key=weight, default="")

    @cached_property
    def listed(self) -> tuple[tuple[Phrase, str], ...]:
        """Names of all individuals that a closed list holds, longest first, with their IRI."""
        members = {one for cls in self.pack.tbox.closed_lists for one in self.pack.tbox.enumerated.get(cls, ())}
        pairs = {(phrase, iri) for iri in members for phrase in self.phrases(iri)}
        return tuple(sorted(pairs, key=lambda pair: (-len(pair[0]), pair)))

    @cached_property
    def units(self) -> dict[str, tuple[str, str]]:
        """Class and unit's name by every spelling of a unit of a quantity class that can be made."""
        found: dict[str, tuple[str, str]] = {}
        for cls, quantity in self.pack.quantities.items():
            if cls not in self.creators or not self.pack.tbox.above(cls):
                continue
            for name, iri in quantity.units:
                for text in (name, *self.spellings(iri), *(s for s, whose in quantity.symbols if whose == name)):
                    found.setdefault(unit_key(text), (cls, name))
        return found


@lru_cache(maxsize=1 << 16)
def unit_key(text: str) -> str:
    """A unit's spelling as it is compared: without blanks, dots and the plural.

    >>> unit_key("Minutes") == unit_key("minute"), unit_key("°C")
    (True, '°c')
    """
    plain = text.strip().casefold().replace(" ", "").replace(".", "")
    for ending in ("es", "s", "n", "en"):
        if len(plain) > 4 and plain.endswith(ending) and plain.isalpha():
            return plain[: -len(ending)].rstrip("e")
    return plain.rstrip("e") if len(plain) > 4 and plain.isalpha() else plain


Entity = tuple[str, str]
"""The IRI and the class of an entity."""


class Names:
    """Entities by name; of several with one name the first.

    >>> names = Names()
    >>> names.add("red lentils", "urn:lentils", "urn:Food")
    >>> list(names.within("Rinse the red lentils."))
    [('urn:lentils', 'urn:Food')]
    """

    def __init__(self) -> None:
        self._entities: dict[str, Entity] = {}
        self._by_phrase: dict[Phrase, list[str]] = {}
        self._by_first: dict[str, dict[Phrase, None]] = {}

    def add(self, name: str, iri: str, cls: str) -> None:
        """Enter an entity."""
        if name in self._entities:
            return
        self._entities[name] = (iri, cls)
        phrase = stems(name)
        self._by_phrase.setdefault(phrase, []).append(name)
        if phrase:
            self._by_first.setdefault(phrase[0], {})[phrase] = None

    def called(self, phrase: Phrase) -> list[Entity]:
        """The entities whose name has these stems, in the order in which they were entered."""
        return [self._entities[name] for name in self._by_phrase.get(phrase, ())]

    def within(self, text: str) -> Iterator[Entity]:
        """The entities that a text names, the longest names first; no word names two."""
        said, taken = stems(text), set[int]()
        found = {phrase: find(phrase, said) for word in set(said) for phrase in self._by_first.get(word, ())}
        named = [(-len(phrase), name, at) for phrase, at in found.items() if at is not None
                 for name in self._by_phrase[phrase]]  # fmt: skip
        for size, name, at in sorted(named):
            words = set(range(at, at - size))
            if not taken & words:
                taken |= words
                yield self._entities[name]


def find(phrase: Phrase, said: Phrase) -> int | None:
    """Where a phrase begins in a text, both as stems."""
    if not phrase:
        return 0
    for at in range(len(said) - len(phrase) + 1):
        if said[at] == phrase[0] and said[at : at + len(phrase)] == phrase:
            return at
    return None
