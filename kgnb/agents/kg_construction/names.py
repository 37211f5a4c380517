"""What the entities of a document are called, found in its lines by their first word however many there are."""

from __future__ import annotations

from collections.abc import Iterator

from kgnb.agents.kg_construction.lexicon import Phrase, stems

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
