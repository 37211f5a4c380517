"""What a matching case is: two ontologies, a reference where there is one, and what others reached on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Figure:
    """A published or measured result of another system: shares between 0 and 1, what they cover, and who says so."""

    system: str
    precision: float
    recall: float
    f1: float
    covers: str  # "this pair", "mean of 21 pairs", "micro over 21 pairs", "non-trivial part", ...
    source: str


@dataclass(frozen=True, slots=True)
class MatchingCase:
    """Two ontologies to match; ``evaluate.alignment.oriented`` turns a ``reference`` written the other way round."""

    name: str
    source: Path
    target: Path
    reference: Path | None = None
    published: tuple[Figure, ...] = ()

    @property
    def reversed(self) -> MatchingCase:
        """The same case with source and target swapped, under the name the other way round."""
        name = "-".join(reversed(self.name.split("-"))) if self.name.count("-") == 1 else f"{self.name}-reversed"
        return replace(self, name=name, source=self.target, target=self.source)


@dataclass(frozen=True)
class MatchingSet:
    """The cases of one track, its published figures over several cases, and what a report must say about it."""

    name: str
    title: str
    cases: tuple[MatchingCase, ...]
    published: tuple[Figure, ...] = ()
    context: str = ""  # what the ontologies are about, in a few words
    notes: tuple[str, ...] = ()

    @property
    def with_reference(self) -> tuple[MatchingCase, ...]:
        """The cases that can be measured."""
        return tuple(case for case in self.cases if case.reference is not None)

    def case(self, name: str) -> MatchingCase:
        """A case by its name, which may name the two sides in either order; ValueError for any other name."""
        wanted = name.strip().lower()
        for case in self.cases:
            for named in (case, case.reversed):
                if named.name == wanted:
                    return named
        raise ValueError(f"{self.name} has no case {name!r}; it has {', '.join(case.name for case in self.cases)}")
