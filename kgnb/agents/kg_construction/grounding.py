"""What grounding gives: one link or none for each entity, what a person has to decide, and how to write it down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from typing import Literal as OneOf

from kgnb.kg.terms import OWL, Iri, is_iri, n3
from kgnb.results.table import Column, Table, Value

Outcome = OneOf["exact", "fuzzy", "decided", "same", "unsure", "none"]
OUTCOMES: tuple[Outcome, ...] = ("exact", "fuzzy", "decided", "same", "unsure", "none")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A thing of the reference that an entity may be; ``score`` between 0 and 1."""

    target: str
    label: str
    score: float
    method: OneOf["exact", "fuzzy"]


@dataclass(frozen=True, slots=True)
class Link:
    """What became of one entity. ``same``: the reference has its IRI already, so that nothing need be written."""

    entity: str
    label: str
    outcome: Outcome
    target: str = ""
    target_label: str = ""
    score: float = 0.0
    candidates: tuple[Candidate, ...] = ()
    reason: str = ""

    @property
    def holds(self) -> bool:
        """Whether it says that two IRIs are one thing."""
        return self.outcome in ("exact", "fuzzy", "decided")


@dataclass(frozen=True)
class Grounding:
    """All links, with the reference's label properties and what must be said about how they were found."""

    links: tuple[Link, ...]
    predicates: tuple[str, ...]
    reference: str
    note: str = ""

    def __len__(self) -> int:
        return sum(link.holds for link in self.links)

    @cached_property
    def unsure(self) -> tuple[Link, ...]:
        """What a person has to decide."""
        return tuple(link for link in self.links if link.outcome == "unsure")

    @property
    def mapping(self) -> Mapping[str, str]:
        """The reference's IRI by the entity's."""
        return {link.entity: link.target for link in self.links if link.holds}

    def decided(self, number: int, choice: int | None) -> Grounding:
        """A person's word on the ``number``-th unsure link (from 1): its ``choice``-th candidate, or None of them.

        Raises:
            ValueError: there is no such link or candidate.
        """
        if not 1 <= number <= len(self.unsure):
            raise ValueError(f"there is no unsure link {number}: there are {len(self.unsure)}")
        link = self.unsure[number - 1]
        if choice is not None and not 1 <= choice <= len(link.candidates):
            raise ValueError(f"{link.label} has {len(link.candidates)} candidates, no number {choice}")
        said = "a person decided"
        if choice is None:
            new = Link(link.entity, link.label, "none", reason=said)
        else:
            taken = link.candidates[choice - 1]
            new = Link(link.entity, link.label, "decided", taken.target, taken.label, 1.0, reason=said)
        return replace(self, links=tuple(new if one is link else one for one in self.links))

    def counts(self) -> dict[str, int]:
        """How many entities there are of each outcome."""
        found = Counter(link.outcome for link in self.links)
        return {"entities": len(self.links), **{outcome: found[outcome] for outcome in OUTCOMES if found[outcome]}}

    def turtle(self) -> str:
        """The links as ``owl:sameAs``, one a line."""
        lines = [
            f"{n3(Iri(link.entity))} <{OWL}sameAs> {n3(Iri(link.target))} ."
            for link in self.links
            if link.holds and is_iri(link.entity) and is_iri(link.target)
        ]
        return "".join(f"{line}\n" for line in sorted(lines))

    def table(self) -> Table:
        """Every entity with what became of it; what is unsure stands first."""
        order = ("unsure", "fuzzy", "exact", "decided", "same", "none")
        columns = [
            Column("label", "entity"),
            Column("outcome", "outcome"),
            Column("target", "linked to"),
            Column("score", "score", "number"),
            Column("why", "why, or what else"),
            Column("iri", "IRI there"),
        ]
        rows: list[list[Value]] = [
            [
                link.label,
                link.outcome,
                link.target_label,
                link.score or None,
                link.reason or ", ".join(f"{one.label} {one.score:.2f}" for one in link.candidates[1:]),
                link.target or " ".join(one.target for one in link.candidates),
            ]
            for link in sorted(self.links, key=lambda link: (order.index(link.outcome), link.label, link.entity))
        ]
        notes = [f"labels of {self.reference}: {', '.join(self.predicates) or 'none found'}"]
        return Table(columns, rows, caption="Grounding", notes=[*notes, *([self.note] if self.note else [])])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return self.table()._repr_mimebundle_(include, exclude)
