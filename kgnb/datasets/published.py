"""Published results of other systems with their sources, and Agent-OM's result table where
available.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from kgnb.errors import DataError


@dataclass(frozen=True, slots=True)
class Figure:
    """A published or measured result of another system: shares between 0 and 1, their coverage and
    source.
    """

    system: str
    precision: float
    recall: float
    f1: float
    covers: str  # "this pair", "mean of 21 pairs", "micro over 21 pairs", "non-trivial part", ...
    source: str


@dataclass(frozen=True, slots=True)
class MatchingCase:
    """Two ontologies to match; ``evaluate.alignment.oriented`` turns a ``reference`` written the
    other way round.
    """

    name: str
    source: Path
    target: Path
    reference: Path | None = None
    published: tuple[Figure, ...] = ()

    @property
    def reversed(self) -> MatchingCase:
        """The same case with source and target swapped, under the name the other way round."""
        name = (
            "-".join(reversed(self.name.split("-")))
            if self.name.count("-") == 1
            else f"{self.name}-reversed"
        )
        return replace(self, name=name, source=self.target, target=self.source)


@dataclass(frozen=True)
class MatchingSet:
    """The cases of one track, its published figures over several cases, and notes for reports."""

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
        """A case by its name, with the two sides in either order; ValueError for any other name."""
        wanted = name.strip().lower()
        for case in self.cases:
            for named in (case, case.reversed):
                if named.name == wanted:
                    return named
        raise ValueError(
            f"{self.name} has no case {name!r}; it has {', '.join(case.name for case in self.cases)}"
        )


_PAPER = "Agent-OM, PVLDB 18(3), gpt-4o"
_COUNTED = "added up from the pairs' figures of the Agent-OM paper's result table"
_OURS = "LogMap 4.0 run by us on the same files"
_OAEI = "OAEI 2023 results, rounded there"

CONFERENCE = (
    Figure("Agent-OM", 0.696, 0.617, 0.642, "mean of 21 pairs", _PAPER),
    Figure("Agent-OM", 0.666, 0.600, 0.631, "micro over 21 pairs", _COUNTED),
    Figure("LogMap", 0.788, 0.584, 0.670, "micro over 21 pairs", _OURS),
    Figure("LogMap", 0.81, 0.58, 0.68, "micro over 21 pairs", _OAEI),
    Figure("GraphMatcher (trained)", 0.76, 0.80, 0.78, "micro over 21 pairs", _OAEI),
)
ANATOMY = (
    Figure("Agent-OM", 0.9554, 0.8892, 0.9211, "this pair", _PAPER),
    Figure("Agent-OM", 0.8721, 0.7138, 0.7850, "non-trivial part", _PAPER),
    Figure("LogMap", 0.916, 0.848, 0.880, "this pair", _OURS),
    Figure("LogMap", 0.7500, 0.6021, 0.6680, "non-trivial part", "OAEI 2023 results"),
    Figure(
        "Matcha",
        0.951,
        0.931,
        0.941,
        "this pair",
        "OAEI 2023 results; uses background knowledge (UBERON)",
    ),
)
MSE = {
    1: (
        Figure(
            "Agent-OM",
            0.4286,
            0.1304,
            0.2000,
            "this pair",
            f"{_PAPER}; against the reference its authors edited",
        ),
    ),
    2: (Figure("Agent-OM", 0.9200, 0.4570, 0.6106, "this pair", _PAPER),),
    3: (Figure("Agent-OM", 0.8636, 0.9048, 0.8837, "this pair", _PAPER),),
}
AGENT_OM_TABLE = "oaei-agent-om-results/result-reference.csv"
# the row kind of the merged and validated result; others are ablations
_FINAL = "/component/llm_with_agent"


def agent_om_pairs(folder: Path) -> dict[str, Figure]:
    """Agent-OM's final figures by conference pair, from the paper's result table; empty without the
    table.
    """
    file = folder / AGENT_OM_TABLE
    if not file.is_file():
        return {}
    figures = {}
    with file.open(encoding="utf-8-sig", newline="") as lines:
        for number, row in enumerate(csv.DictReader(lines), start=2):
            task = row.get("Alignment") or ""
            if not (task.startswith("conference/") and task.endswith(_FINAL)):
                continue
            try:
                precision, recall, f1 = (
                    round(float(row[name]) / 100, 6) for name in ("Precision", "Recall", "F1")
                )
            except (KeyError, TypeError, ValueError) as error:
                raise DataError(
                    "the row lacks Precision, Recall or F1",
                    where=f"{file}:{number}",
                    fix="Fetch the file again; it has the columns LLM, Alignment, Precision, Recall and F1.",
                ) from error
            figures[task.split("/")[1]] = Figure(
                "Agent-OM", precision, recall, f1, "this pair", _PAPER
            )
    return figures


def over_pairs(figures: Iterable[tuple[Figure, int]]) -> tuple[Figure, Figure]:
    """One system's mean and micro figure over some pairs, given each pair's figure and the size of
    its reference.

    The micro figure is reconstructed from the published shares: true positives are recall times the
    reference's size, found pairs true positives over precision, both to the nearest whole number.
    """
    given = list(figures)
    if not given:
        raise ValueError("there is no pair to average over")
    count, first = len(given), given[0][0]
    mean = Figure(
        first.system,
        sum(figure.precision for figure, _ in given) / count,
        sum(figure.recall for figure, _ in given) / count,
        sum(figure.f1 for figure, _ in given) / count,
        f"mean of these {count} pairs",
        f"{first.source}, pair by pair",
    )
    right = [round(figure.recall * size) for figure, size in given]
    found = [
        round(tp / figure.precision) if figure.precision else 0
        for tp, (figure, _) in zip(right, given, strict=True)
    ]
    wanted = sum(size for _, size in given)
    micro = Figure(
        first.system,
        sum(right) / sum(found) if sum(found) else 0.0,
        sum(right) / wanted if wanted else 0.0,
        2 * sum(right) / (sum(found) + wanted) if sum(found) + wanted else 0.0,
        f"micro over these {count} pairs",
        f"{first.source}, counts restored from the pairs' figures",
    )
    return mean, micro


_EA_PAPER = "EA-Agent paper, Qwen3-32B"


@dataclass(frozen=True, slots=True)
class Published:
    """The result of one system on one pair, as shares between 0 and 1; None where nothing is
    published.
    """

    system: str
    hits1: float
    mrr: float | None = None
    tokens: float | None = None  # per entity
    seconds: float | None = None  # per entity
    source: str = ""


BY_PAIR: dict[str, tuple[Published, ...]] = {
    "dbp15k/fr_en": (
        Published("EA-Agent", 0.9900, 0.996, 672, 3.88, _EA_PAPER),
        Published("UDCEA", 0.996, None, None, None, "as the EA-Agent paper prints it"),
        Published(
            "M, no model",
            0.9877,
            None,
            0,
            None,
            "as the EA-Agent paper prints it; names machine-translated",
        ),
    ),
    "srprs/en_fr": (
        Published("EA-Agent", 0.990, None, 672, 3.88, _EA_PAPER),
        Published("TEA", 0.985, None, None, None, "as the EA-Agent paper prints it"),
    ),
}
COST = (
    Published("EA-Agent", 0.0, None, 672, 3.88, _EA_PAPER),
    Published("Seg-Align", 0.0, None, 159, 0.89, "as the EA-Agent paper prints it"),
)


@dataclass(frozen=True, slots=True)
class BuildingFigure:
    """Precision, recall and F1 of one category, and F1 without feedback to the agent."""

    category: str
    precision: float
    recall: float
    f1: float
    without_feedback: float | None


PAPER = (
    '"Ontology-to-tools compilation for executable semantic '
    'constraint enforcement in LLM agents" (The World Avatar)'
)
SOURCE = (
    f"{PAPER}; "
    "the texts of 29 of its 30 papers are not public, and empty slots that should be empty count as hits there"
)
BUILDING_COST = (
    "$3.35 a paper, and $5.70 an ontology to have a model write the tools (the same paper)"
)
BUILDING = (
    BuildingFigure("building units", 0.762, 0.780, 0.771, 0.768),
    BuildingFigure("characterisation", 0.868, 0.722, 0.788, 0.788),
    BuildingFigure("synthesis steps", 0.831, 0.855, 0.843, 0.572),
    BuildingFigure("chemicals", 1.000, 0.582, 0.736, 0.724),
    BuildingFigure("micro", 0.844, 0.808, 0.826, None),
)
