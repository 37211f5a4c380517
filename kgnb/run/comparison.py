"""What differs between two runs: parameters, totals, what each step counted, and judgements that changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kgnb.run.record import Judgement, Record

Pair = tuple[Any, Any]
COSTS = frozenset({"embedded", "from cache", "from memory", "written"})
"""What stages count that hangs on what was kept of earlier runs."""


@dataclass(frozen=True, slots=True)
class Changed:
    """One question that two runs judged differently; None where a run was not asked it."""

    step: str
    question: str
    text: str
    before: Judgement | None
    after: Judgement | None


@dataclass(frozen=True)
class Comparison:
    """The differences between two runs, each as (this run, the other run); what is equal is left out."""

    parameters: Mapping[str, Pair]
    data: Mapping[str, Pair]
    versions: Mapping[str, Pair]
    totals: Mapping[str, Pair]
    counts: Mapping[str, Mapping[str, Pair]]  # by step, then by what was counted
    judgements: tuple[Changed, ...]

    @property
    def same_result(self) -> bool:
        """Whether both runs counted and judged alike, whatever that did cost them."""
        return not self.judgements and all(set(pairs) <= COSTS for pairs in self.counts.values())

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Each difference: what, which, as this run has it, as the other."""
        named = {"parameter": self.parameters, "data": self.data, "version of": self.versions, "total": self.totals}
        named |= {f"step {step},": pairs for step, pairs in self.counts.items()}
        rows = [
            (what, name, repr(before), repr(after))
            for what, pairs in named.items()
            for name, (before, after) in pairs.items()
        ]
        return rows + [
            (f"{one.step}: judgement of", repr(one.text), _said(one.before), _said(one.after))
            for one in self.judgements
        ]

    def __str__(self) -> str:
        lines = (f"{what} {which}: {before} -> {after}" for what, which, before, after in self.rows())
        return "\n".join(lines) or "no difference"


def compare(this: Record, other: Record) -> Comparison:
    """The differences between two runs. A stage that ran several times is counted as one."""
    return Comparison(
        parameters=_differences({**this.parameters, "seed": this.seed}, {**other.parameters, "seed": other.seed}),
        data=_differences(this.data, other.data),
        versions=_differences(this.versions, other.versions),
        totals=_differences(this.totals(), other.totals()),
        counts=_counts(this, other),
        judgements=_changed(this, other),
    )


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Pair]:
    names = [*before, *(name for name in after if name not in before)]
    return {name: (before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)}


def _counts(this: Record, other: Record) -> dict[str, Mapping[str, Pair]]:
    before, after = _by_step(this), _by_step(other)
    steps = [*before, *(name for name in after if name not in before)]
    found = {name: _differences(before.get(name, {}), after.get(name, {})) for name in steps}
    return {name: pairs for name, pairs in found.items() if pairs}


def _by_step(record: Record) -> dict[str, dict[str, float]]:
    counts: dict[str, dict[str, float]] = {}
    for step in record.steps:
        own = counts.setdefault(step.name, {})
        for name, value in step.counts.items():
            own[name] = own.get(name, 0) + value
    return counts


def _changed(this: Record, other: Record) -> tuple[Changed, ...]:
    before, after = _judgements(this), _judgements(other)
    changes = []
    for step, question in [*before, *(key for key in after if key not in before)]:
        old, new = before.get((step, question)), after.get((step, question))
        if old is None or new is None or (old.decision, old.choice) != (new.decision, new.choice):
            known = new or old
            changes.append(Changed(step, question, known.text if known else "", old, new))
    return tuple(changes)


def _judgements(record: Record) -> dict[tuple[str, str], Judgement]:
    return {(step.name, judgement.question): judgement for step in record.steps for judgement in step.judgements}


def _said(judgement: Judgement | None) -> str:
    if judgement is None:
        return "not asked"
    return f"{judgement.decision} {judgement.choice}" if judgement.choice else judgement.decision
