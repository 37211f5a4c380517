"""What every ingredient of the rule judge is worth: each left out by itself, everything else as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import Field, dataclass, fields, replace
from typing import Any

from kgnb.agents.ontology_matching.rule import RuleJudge, Weights
from kgnb.evaluate.alignment import Score, micro
from kgnb.reporting.ontology_matching.prepared import Prepared
from kgnb.reporting.sections import SCORES
from kgnb.results.table import Column, Table, Value

NO_INGREDIENTS = ("bias", "rounds")  # where the bar lies, and how often to look: not what is looked at
OFF = "Not computed: run the report with -p ablation=true."
WHOLE = "nothing left out"


@dataclass(frozen=True)
class Ablated:
    """One pair without one ingredient (``WHOLE``: with all of them)."""

    without: str
    whole: Score
    part: Score


def ingredients(weights: Weights = Weights()) -> Iterator[tuple[str, Weights]]:
    """Every ingredient's name, and the weights without it: numbers become 0, switches go off.

    A field is passed over if it is off anyway, is no number or switch, or says ``metadata["ingredient"] = False``.
    """
    for field in fields(weights):
        value = getattr(weights, field.name)
        if _is_ingredient(field) and isinstance(value, bool | int | float) and value:
            without: dict[str, Any] = {field.name: type(value)(0)}
            yield field.name, replace(weights, **without)


def ablate(prepared: Prepared) -> list[Ablated]:
    """The pair with all ingredients, then without each."""
    whole = prepared.try_out(prepared.rule)
    tried = [Ablated(WHOLE, whole.whole, whole.part)]
    for name, weights in ingredients():
        done = prepared.try_out(prepared.remember(RuleJudge(weights)))
        tried.append(Ablated(name, done.whole, done.part))
    return tried


def table(ablated: Iterable[Ablated]) -> Table:
    """One row an ingredient, what is missed most first."""
    columns = [
        Column("without", "Left out"),
        *SCORES,
        Column("difference", "F1, points"),
        Column("part", "F1, non-trivial", "percent"),
        Column("part_difference", "points"),
    ]
    rows_of = summed(list(ablated))
    if not rows_of:
        return Table(columns, [], notes=[OFF])
    (_, whole, part), *others = rows_of
    others.sort(key=lambda one: (one[1].f1, one[0]))
    rows: list[list[Value]] = [[WHOLE, whole.precision, whole.recall, whole.f1, None, part.f1, None]]
    for name, one, its_part in others:
        differences = [f"{100 * (one.f1 - whole.f1):+.1f}", f"{100 * (its_part.f1 - part.f1):+.1f}"]
        rows.append([name, one.precision, one.recall, one.f1, differences[0], its_part.f1, differences[1]])
    notes = [
        "The rule judge alone, micro over pairs; candidates and merging are the same in every row.",
        "Nothing else is adjusted: without an ingredient, what is left lies nearer to the bar or farther from it.",
    ]
    return Table(columns, rows, caption="Each ingredient left out by itself", notes=notes)


def summed(ablated: Sequence[Ablated]) -> list[tuple[str, Score, Score]]:
    """What was left out, the scores of all pairs added up, and those of their non-trivial parts."""
    names = dict.fromkeys(one.without for one in ablated)
    return [
        (
            name,
            micro(one.whole for one in ablated if one.without == name),
            micro(one.part for one in ablated if one.without == name),
        )
        for name in names
    ]


def _is_ingredient(field: Field[Any]) -> bool:
    return field.name not in NO_INGREDIENTS and bool(field.metadata.get("ingredient", True))
