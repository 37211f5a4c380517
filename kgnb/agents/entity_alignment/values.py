"""What `propose` is asked and what it gives: its options and the proposal, frozen."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from kgnb.agents.entity_alignment import tables
from kgnb.agents.entity_alignment.graphs import EntityGraph, Integers

Floats = NDArray[np.float32]
Assignment = OneOf["sinkhorn", "hungarian", "stable", "argmax"]
ASSIGNMENTS: tuple[Assignment, ...] = ("sinkhorn", "hungarian", "stable", "argmax")

MATCHED = "matched"
NO_CANDIDATE = "nothing to compare it by"
TAKEN = "its candidates fit other entities better"
DOUBTFUL = "its best candidate is too doubtful"
REASONS: tuple[str, ...] = (MATCHED, NO_CANDIDATE, TAKEN, DOUBTFUL)
"""Why an entity has its first alignment, or none: ``Proposal.reasons`` holds positions in this list."""


@dataclass(frozen=True)
class Options:
    """What a person may turn. ``metadata["help"]`` and the bounds feed ``--form``, ``--help`` and the report."""

    k: int = field(default=10, metadata={"help": "candidates kept per entity (paper: 10)", "min": 1, "max": 100})
    assignment: str = field(
        default="sinkhorn",
        metadata={
            "help": "how entities share candidates; argmax decides each entity by itself, without one-to-one",
            "choices": ASSIGNMENTS,
        },
    )
    names: str = field(
        default="native",
        metadata={"help": "hidden: compare structure and values only", "choices": ("native", "hidden")},
    )
    cardinality: str = field(
        default="1:1",
        metadata={"help": "how often a target may be given away (argmax alone allows n:1)", "choices": ("1:1", "n:1")},
    )
    hops: int = field(default=2, metadata={"help": "how far evidence travels over relations", "min": 0, "max": 5})
    rounds: int = field(
        default=3, metadata={"help": "times that sure pairs become seeds for the next round", "min": 0, "max": 10}
    )
    sinkhorn_rounds: int = field(
        default=10, metadata={"help": "rounds of row and column normalisation", "min": 1, "max": 200}
    )
    temperature: float = field(
        default=0.02, metadata={"help": "Sinkhorn's temperature: lower is harder", "min": 0.001, "max": 1.0}
    )
    confidence: float | None = field(
        default=None,
        metadata={
            "help": "below this confidence an entity stays unmatched; none: where most F1 is to be expected",
            "min": 0.0,
            "max": 1.0,
        },
    )
    block_rows: int = field(
        default=1024, metadata={"help": "entities compared at a time: bounds the memory", "min": 1, "max": 100_000}
    )
    seed: int = field(default=0, metadata={"help": "of the random vectors that label seeds", "min": 0, "max": 2**31})

    def __post_init__(self) -> None:
        for name in ("k", "sinkhorn_rounds", "block_rows"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: at least 1 is needed")
        for name in ("hops", "rounds", "seed"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}: 0 or more")
        for name, choices in (
            ("assignment", ASSIGNMENTS),
            ("names", ("native", "hidden")),
            ("cardinality", ("1:1", "n:1")),
        ):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} is {getattr(self, name)!r}: choose {', '.join(choices)}")
        if not self.temperature > 0:
            raise ValueError(f"temperature is {self.temperature}: it must be above 0")
        if self.confidence is not None and not 0.0 <= self.confidence <= 1.0:
            raise ValueError(f"confidence is {self.confidence}: it lies between 0 and 1")


@dataclass(frozen=True, eq=False)
class Proposal:
    """What ``propose`` gives: every source's candidates, best first, and the first alignment.

    Row ``i`` is about entity ``sources[i]`` of ``left``; candidates are entities of ``right`` (-1: no more there),
    ordered by ``scores`` (after assignment). ``evidence[i, j]`` has one similarity a view (``views``).
    """

    left: EntityGraph
    right: EntityGraph
    sources: Integers  # (n,) entities of left that were asked
    targets: Integers  # (m,) entities of right that were allowed: the candidate universe
    seeds: Integers  # (s, 2) pairs that were given
    candidates: Integers  # (n, k)
    similarities: Floats  # (n, k) before assignment; -inf where there is no candidate
    scores: Floats  # (n, k) after assignment, between 0 and 1
    views: tuple[str, ...]  # "names", "structure", "attributes", ...
    evidence: Floats  # (n, k, views)
    first: Integers  # (n,) the target given to each source, or -1
    reasons: NDArray[np.int8]  # (n,) positions in REASONS
    margin: Floats  # (n,) similarity of the best candidate less that of the next
    confidence: Floats  # (n,) estimated chance that the first alignment is right; no reference was looked at
    options: Options = field(default_factory=Options)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.sources)

    @cached_property
    def _rows(self) -> dict[int, int]:
        return {int(source): row for row, source in enumerate(self.sources)}

    def row(self, source: str) -> int:
        """The row that is about an entity, by IRI; KeyError if it was not asked."""
        return self._rows[self.left.index(source)]

    def why(self, row: int) -> str:
        """Why a row is matched or not."""
        return REASONS[int(self.reasons[row])]

    def counts(self) -> dict[str, int]:
        """Sources, candidates, and how many were left unmatched and why."""
        found = np.bincount(self.reasons, minlength=len(REASONS))
        return {
            "sources": len(self.sources),
            "targets": len(self.targets),
            "seeds": len(self.seeds),
            "candidates": int((self.candidates >= 0).sum()),
            MATCHED: int(found[0]),
            **{
                f"unmatched: {reason}": int(number)
                for reason, number in zip(REASONS[1:], found[1:], strict=True)
                if number
            },
        }

    def __repr__(self) -> str:
        return f"<Proposal: {self.counts()[MATCHED]} of {len(self)} entities matched>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return tables.proposal(self)._repr_mimebundle_(include, exclude)
