"""What two ontologies themselves say about their words: which mean the same, which tell entities apart, which may go.

Mined without a reference. The names of one entity say which words may stand for each other (pulmonary, lung) and which
may be left out (trapezius muscle, trapezius); the names of different entities of one ontology say which words make the
difference (left lung, right lung). Both readings need more than one case, for synonyms are often loose.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from kgnb.kg.words import plain

Name: TypeAlias = tuple[str, ...]
Word: TypeAlias = str

SUPPORT = 2  # entities that must use two phrases for one another
PHRASE = 3  # words such a phrase has at most


class Wordbook:
    """Words as the names of each side use them; ``sides`` are the entities of each, an entity being its names."""

    def __init__(self, sides: Iterable[Sequence[Sequence[Name]]]) -> None:
        self._same: Counter[tuple[Name, Name]] = Counter()
        self._apart: Counter[tuple[Name, Name]] = Counter()
        self._spared: Counter[Word] = Counter()
        self._needed: Counter[Word] = Counter()
        self._vocabularies: list[set[Word]] = []
        for entities in sides:
            plain = [list(dict.fromkeys(plain_words(name) for name in names)) for names in entities]
            self._vocabularies.append({word for names in plain for name in names for word in name})
            for names in plain:
                self._same_entity(names)
            self._other_entities(plain)

    def __repr__(self) -> str:
        equal = sum(self.equal(*pair) for pair in self._same)
        return f"<Wordbook: {equal} rewrites, {len(self._apart)} contrasts, {len(self._spared)} words may go>"

    def equal(self, one: Name, other: Name) -> bool:
        """Whether names of one entity use the two for one another, often, and more often than not."""
        pair = _pair(one, other)
        return self._same[pair] >= SUPPORT and self._same[pair] > self._apart[pair]

    def contrast(self, one: Word, other: Word) -> bool:
        """Whether the two words tell entities of one ontology apart, and no synonym says otherwise."""
        pair = _pair((one,), (other,))
        return bool(self._apart[pair]) and not self._same[pair]

    def distinct(self, one: Word, other: Word) -> bool:
        """Whether one ontology uses both words: then one is not a spelling of the other."""
        return any(one in vocabulary and other in vocabulary for vocabulary in self._vocabularies)

    def sparable(self, word: Word) -> float:
        """0 for a word that nothing says may be left out, towards 1 the more synonyms differ by just that word."""
        spared = self._spared[word]
        return spared / (spared + self._needed[word] + 1.0) if spared >= SUPPORT else 0.0

    def rewrites(self) -> list[tuple[Name, Name]]:
        """The phrases found equal."""
        return sorted(pair for pair in self._same if self.equal(*pair))

    def _same_entity(self, names: Sequence[Name]) -> None:
        pairs: set[tuple[Name, Name]] = set()
        spared: set[Word] = set()
        for one, other in combinations(names, 2):
            left, right = _leftovers(one, other)
            if 1 <= len(left) <= PHRASE and 1 <= len(right) <= PHRASE and len(left) < len(one):
                pairs.add(_pair(left, right))
            elif len(left) + len(right) == 1:
                spared.update((*left, *right))
        self._same.update(pairs)
        self._spared.update(spared)

    def _other_entities(self, entities: Sequence[Sequence[Name]]) -> None:
        """Names of different entities that differ in one word, put in place of another or added."""
        owners: dict[Name, set[int]] = defaultdict(set)
        gaps: dict[Name, dict[Word, set[int]]] = defaultdict(lambda: defaultdict(set))
        for number, names in enumerate(entities):
            for name in names:
                owners[tuple(sorted(name))].add(number)
                for word, rest in _without_one(name):
                    gaps[rest][word].add(number)
        for rest, words in gaps.items():
            for word, here in words.items():
                if len(rest) and any(number not in here for number in owners.get(tuple(sorted(rest)), ())):
                    self._needed[word] += 1
            if rest and 1 < len(words) <= 60:  # a frame that half the ontology fits says nothing
                for one, other in combinations(sorted(words), 2):
                    if not words[one] & words[other]:
                        self._apart[(one,), (other,)] += 1


def plain_words(name: Name) -> Name:
    """The words of a name with plural endings off and numbers as digits."""
    return tuple(map(plain, name))


def _without_one(name: Name) -> Iterator[tuple[Word, Name]]:
    for position, word in enumerate(name):
        yield word, (*name[:position], *name[position + 1 :])


def _leftovers(one: Name, other: Name) -> tuple[Name, Name]:
    """The words of each that the other does not have."""
    ours, theirs = Counter(one), Counter(other)
    return tuple(sorted((ours - theirs).elements())), tuple(sorted((theirs - ours).elements()))


def _pair(one: Name, other: Name) -> tuple[Name, Name]:
    return (one, other) if one <= other else (other, one)
