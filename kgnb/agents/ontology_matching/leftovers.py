"""What the words without a counterpart say about two names (part of the rule judge).

A word that only one name has is harmless where the other entity's surroundings supply it ("collecting duct", a kidney
part, is the "kidney collecting duct"), and tells where the other ontology has the word too and left it out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kgnb.agents.ontology_matching.lexicon import Comparison, Lexicon
from kgnb.agents.ontology_matching.values import Description
from kgnb.agents.ontology_matching.wordbook import Wordbook
from kgnb.kg.words import plain

GENERATIONS = 2  # how far up the hierarchy words are taken from
ALIKE = 0.8  # from here on a word of the surroundings supplies one of the name


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Shares of both names' weight."""

    supplied: float = 0.0  # by the other entity's surroundings
    known: float = 0.0  # to the other ontology, which left it out


NOTHING = Leftovers()


class Surplus:
    """Weighs leftover words; ``sides`` are the descriptions of source and target by IRI."""

    def __init__(self, lexicon: Lexicon, wordbook: Wordbook | None, sides: Sequence[Mapping[str, Description]]) -> None:
        self._lexicon = lexicon
        self._wordbook = wordbook
        self._sides = sides
        self._words: dict[tuple[int, str], tuple[str, ...]] = {}

    def weigh(self, source: Description, target: Description, compared: Comparison) -> Leftovers:
        """What the leftovers of two names come to."""
        if not compared.whole or not (compared.left or compared.right):
            return NOTHING
        left = self._side(compared.left, 1, target)
        right = self._side(compared.right, 0, source)
        return Leftovers((left[0] + right[0]) / compared.whole, (left[1] + right[1]) / compared.whole)

    def _side(self, words: Iterable[str], other: int, entity: Description) -> tuple[float, float]:
        """The weight of the words that the other entity's surroundings supply, and of the rest that its side knows."""
        supplied = known = 0.0
        for word in words:
            weight = self._lexicon.weight(word)
            if any(self._lexicon.alike(word, near) >= ALIKE for near in self._around(other, entity)):
                supplied += weight
            elif self._wordbook is not None and self._wordbook.knows(other, plain(word)):
                known += weight
        return supplied, known

    def _around(self, side: int, entity: Description) -> tuple[str, ...]:
        """The words of the entity's ancestors and of what it is part of, or of its domain and range."""
        if (side, entity.iri) not in self._words:
            near = dict.fromkeys(self._relatives(side, entity))
            self._words[side, entity.iri] = tuple(
                dict.fromkeys(word for one in near for name in self._names(side, one) for word in name)
            )
        return self._words[side, entity.iri]

    def _relatives(self, side: int, entity: Description) -> Iterable[str]:
        here: list[str] = [entity.iri]
        for _ in range(GENERATIONS):
            above = [p for iri in here if (d := self._sides[side].get(iri)) for p in d.entity.parents]
            fillers = [r.filler for iri in here if (d := self._sides[side].get(iri)) for r in d.entity.restrictions]
            yield from above
            yield from fillers
            here = above
        yield from entity.entity.domain
        yield from entity.entity.range

    def _names(self, side: int, iri: str) -> Sequence[tuple[str, ...]]:
        described = self._sides[side].get(iri)
        return described.names if described else ()
