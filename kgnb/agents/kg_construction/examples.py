"""Annotated texts: those most like a passage are shown to the model that reads it.

They show what an ontology does not: which facts of a text are wanted, by which property and in
which form. The systems of Text2KGBench (Mihindukulasooriya et al. 2023, section 4.1) show the most
similar training sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import fsum, log, sqrt
from pathlib import Path

from kgnb.errors import DataError
from kgnb.files import from_json, read_input
from kgnb.kg.words import words

SHOWN = 5
"""Examples of a request. Not tuned."""
_SHOWN = """Examples, the most alike first: texts of this kind, and the facts that were wanted of each (subject |
property | value). Go by them before the rules above:
- what of a text becomes a fact, which property says it, and of which of two things;
- in what form names and values are written: with or without a unit, a qualifier, punctuation. Where their names are
  fuller than those of their texts, as "Alder (river)" or "Selm, Germany", write names so here: in the form of a
  name, not in facts, you may use what you know.
Where two of them differ, go by the first; where one says what its text does not, take its form alone.
{examples}"""


@dataclass(frozen=True)
class Example:
    """A text and the facts wanted from it, as (subject, property, value)."""

    text: str
    facts: tuple[tuple[str, str, str], ...]

    def __str__(self) -> str:
        return "\n".join(
            [
                f"Text: {' '.join(self.text.split())}",
                *(f"  {' | '.join(fact)}" for fact in self.facts),
            ]
        )


@dataclass(frozen=True)
class Examples:
    """Texts to choose from."""

    every: Sequence[Example]

    @property
    def name(self) -> str:
        """Their number, and a digest."""
        return (
            f"{len(self.every)} examples {sha256(repr(tuple(self.every)).encode()).hexdigest()[:8]}"
        )

    @cached_property
    def _words(self) -> list[frozenset[str]]:
        return [frozenset(words(one.text)) for one in self.every]

    @cached_property
    def _rarity(self) -> dict[str, float]:
        counts = Counter(word for said in self._words for word in said)
        return {word: log(1 + len(self.every) / number) for word, number in counts.items()}

    def _alike(self, one: frozenset[str], other: frozenset[str]) -> float:
        """The similarity of two texts, 0 to 1: the rarity of the words they share, relative to that
        of all.
        """
        shared, left, right = (
            fsum(self._rarity.get(word, 0.0) for word in said) for said in (one & other, one, other)
        )
        return shared / sqrt(left * right) if shared > 0 else 0.0

    def like(self, text: str, most: int = SHOWN) -> list[Example]:
        """The examples most like a text and least like each other (maximal marginal relevance), the
        best first.
        """
        said = frozenset(words(text))
        worth = {at: self._alike(said, known) for at, known in enumerate(self._words)}
        chosen: list[int] = []
        while worth and len(chosen) < most:
            best = max(worth, key=lambda at: (worth[at], -at))
            chosen.append(best)
            del worth[best]
            near = {at: self._alike(self._words[best], self._words[at]) for at in worth}
            worth = {at: value - near[at] / 2 for at, value in worth.items()}
        return [self.every[at] for at in chosen]

    def prompt(self, text: str) -> str:
        """The prompt with the examples for a text."""
        return _SHOWN.format(examples="\n".join(map(str, self.like(text))))


def read_examples(source: str | Path | Iterable[Example] | None) -> Examples | None:
    """The examples of a JSON Lines file with ``{"text": ..., "facts": [[subject, property, value],
    ...]}`` per line.

    Raises:
        DataError: the file is missing, or a line of it is something else.
    """
    if not isinstance(source, str | Path):
        found = tuple(source or ())
        return Examples(found) if found else None
    every = []
    for number, line in enumerate(read_input(source, "Name a JSON Lines file.").splitlines(), 1):
        try:
            row = from_json(line) if line.strip() else None
            if row is not None:
                facts = tuple((str(s), str(p), str(o)) for s, p, o in row["facts"])
                every.append(Example(str(row["text"]), facts))
        except (ValueError, KeyError, TypeError) as error:
            form = '{"text": "...", "facts": [["subject", "property", "value"]]}'
            raise DataError(
                "not an example", where=f"{source}:{number}", fix=f"Write {form} on each line."
            ) from error
    return Examples(tuple(every)) if every else None
