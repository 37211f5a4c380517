"""What two ontologies themselves say about their words: which stand for each other, and which do not.

Mined without a reference. The names of one entity say which words may stand for each other (pulmonary, lung); the names
of different entities of one ontology say which make the difference (left lung, right lung). One case is not enough, for
synonyms are often loose.
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
        self._vocabularies: list[set[Word]] = []
        for entities in sides:
            plain = [list(dict.fromkeys(plain_words(name) for name in names)) for names in entities]
            self._vocabularies.append({word for names in plain for name in names for word in name})
            for names in plain:
                self._same_entity(names)
            self._other_entities(plain)

    def __repr__(self) -> str:
        equal = sum(self.equal(*pair) for pair in self._same)
        return f"<Wordbook: {equal} rewrites>"

    def equal(self, one: Name, other: Name) -> bool:
        """Whether names of one entity use the two for one another, often, and more often than not."""
        pair = _pair(one, other)
        return self._same[pair] >= SUPPORT and self._same[pair] > self._apart[pair]

    def apart(self, one: Name, other: Name) -> bool:
        """Whether a word of each, put in place of the other, makes names of different entities, often and not seldom.

        Left lung and right lung, temperature maximum and minimum: what an ontology tells apart again and again.
        """
        pairs = (_pair((left,), (right,)) for left in one for right in other)
        return any(self._apart[pair] >= SUPPORT and self._apart[pair] > self._same[pair] for pair in pairs)

    def distinct(self, one: Word, other: Word) -> bool:
        """Whether one ontology uses both words: then one is not a spelling of the other."""
        return any(one in vocabulary and other in vocabulary for vocabulary in self._vocabularies)

    def knows(self, side: int, word: Word) -> bool:
        """Whether the names of one side use the word."""
        return word in self._vocabularies[side]

    def rewrites(self) -> list[tuple[Name, Name]]:
        """The phrases found equal."""
        return sorted(pair for pair in self._same if self.equal(*pair))

    def _same_entity(self, names: Sequence[Name]) -> None:
        pairs: set[tuple[Name, Name]] = set()
        for one, other in combinations(names, 2):
            left, right = _leftovers(one, other)
            if 1 <= len(left) <= PHRASE and 1 <= len(right) <= PHRASE and len(left) < len(one):
                pairs.add(_pair(left, right))
        self._same.update(pairs)

    def _other_entities(self, entities: Sequence[Sequence[Name]]) -> None:
        """Names of different entities that differ in one word put in place of another."""
        gaps: dict[Name, dict[Word, set[int]]] = defaultdict(lambda: defaultdict(set))
        for number, names in enumerate(entities):
            for name in names:
                for word, rest in _without_one(name):
                    gaps[rest][word].add(number)
        for rest, words in gaps.items():
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
