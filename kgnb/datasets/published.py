"""Published results of other systems, each with the table it stands in (``published.tsv``), and
Agent-OM's result table where available.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from kgnb.errors import DataError

PAPERS = {
    "agent-om": "Qiang et al., Agent-OM, PVLDB 18(3), 2024",
    "oda": "Sun et al., ODA, Findings of ACL 2024",
    "ea-agent": "Nan et al., EA-Agent, arXiv 2604.11686",
    "twa": "Zhou et al., Ontology-to-tools compilation (The World Avatar), arXiv 2602.03439",
    "oaei-2023": "OAEI 2023 results",
    "logmap-run": "LogMap 4.0",
    "pathquestion": "Zhou et al., PathQuestion, COLING 2018",
}
IN_PERCENT = ("precision", "recall", "f1", "hits1", "hits10", "lenient", "strict")


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """The figures one system is published with on some data; scores are shares between 0 and 1.

    ``tokens_each``, ``seconds_each`` and ``usd_each`` are for one item (an entity, a question, a
    document).
    """

    system: str
    data: str
    covers: str
    source: str  # the paper, and the table, section or file
    figures: Mapping[str, float] = field(default_factory=dict)
    note: str = ""

    def get(self, name: str) -> float | None:
        """One figure, or None where it is not published."""
        return self.figures.get(name)


@cache
def _published() -> tuple[PublishedRow, ...]:
    """Every row of the file, figures of one system, coverage and place together."""
    file = Path(__file__).with_suffix(".tsv")
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    found: dict[tuple[str, ...], dict[str, float]] = {}
    notes: dict[tuple[str, ...], str] = {}
    for line in csv.DictReader(lines, delimiter="\t"):
        key = (line["system"], line["data"], line["covers"], line["paper"], line["place"])
        value = float(line["value"])
        name = line["figure"]
        found.setdefault(key, {})[name] = round(value / 100, 6) if name in IN_PERCENT else value
        notes.setdefault(key, line["note"])
    return tuple(
        PublishedRow(system, data, covers, f"{PAPERS[paper]}, {place}", figures, notes[key])
        for key, figures in found.items()
        for system, data, covers, paper, place in (key,)
    )


def published(data: str) -> tuple[PublishedRow, ...]:
    """What is published on this data, in the order of the file; nothing where nobody has.

    >>> [row.figures["hits1"] for row in published("dbp15k/fr_en")][:2]
    [0.99, 0.99]
    """
    return tuple(row for row in _published() if row.data == data)


@dataclass(frozen=True, slots=True)
class MatchingFigure:
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
    published: tuple[MatchingFigure, ...] = ()

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
    published: tuple[MatchingFigure, ...] = ()
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


def matching_figures(data: str) -> tuple[MatchingFigure, ...]:
    """The published precision, recall and F1 on a matching task."""
    return tuple(
        MatchingFigure(
            row.system,
            row.figures["precision"],
            row.figures["recall"],
            row.figures["f1"],
            row.covers,
            f"{row.source}; {row.note}" if row.note else row.source,
        )
        for row in published(data)
    )


CONFERENCE = matching_figures("oaei-conference")
ANATOMY = matching_figures("oaei-anatomy")
MSE = {
    1: matching_figures("oaei-mse/mse-1-edited"),
    2: matching_figures("oaei-mse/mse-2"),
    3: matching_figures("oaei-mse/mse-3"),
}
AGENT_OM_TABLE = "oaei-agent-om-results/result-reference.csv"
# the row kind of the merged and validated result; others are ablations
_FINAL = "/component/llm_with_agent"


def agent_om_pairs(folder: Path) -> dict[str, MatchingFigure]:
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
            source = f"{PAPERS['agent-om']}, repository, {AGENT_OM_TABLE.partition('/')[2]}"
            pair = task.split("/")[1]
            figures[pair] = MatchingFigure("Agent-OM", precision, recall, f1, "this pair", source)
    return figures


def over_pairs(
    figures: Iterable[tuple[MatchingFigure, int]],
) -> tuple[MatchingFigure, MatchingFigure]:
    """One system's mean and micro figure over some pairs, given each pair's figure and the size of
    its reference.

    The micro figure is reconstructed from the published shares: true positives are recall times the
    reference's size, found pairs true positives over precision, both to the nearest whole number.
    """
    given = list(figures)
    if not given:
        raise ValueError("there is no pair to average over")
    count, first = len(given), given[0][0]
    these = "this pair" if count == 1 else f"these {count} pairs"
    mean = MatchingFigure(
        first.system,
        sum(figure.precision for figure, _ in given) / count,
        sum(figure.recall for figure, _ in given) / count,
        sum(figure.f1 for figure, _ in given) / count,
        f"mean of {these}",
        f"{first.source}, pair by pair",
    )
    right = [round(figure.recall * size) for figure, size in given]
    found = [
        round(tp / figure.precision) if figure.precision else 0
        for tp, (figure, _) in zip(right, given, strict=True)
    ]
    wanted = sum(size for _, size in given)
    micro = MatchingFigure(
        first.system,
        sum(right) / sum(found) if sum(found) else 0.0,
        sum(right) / wanted if wanted else 0.0,
        2 * sum(right) / (sum(found) + wanted) if sum(found) + wanted else 0.0,
        f"micro over {these}",
        f"{first.source}, counts restored from the pairs' figures",
    )
    return mean, micro
