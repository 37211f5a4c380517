"""What the ontology-to-tools paper reports on 30 papers about metal-organic polyhedra, with its source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BuildingFigure:
    """Precision, recall and F1 of one category, and F1 where the agent gets no feedback."""

    category: str
    precision: float
    recall: float
    f1: float
    without_feedback: float | None


PAPER = (
    '"Ontology-to-tools compilation for executable semantic constraint enforcement in LLM agents" (The World Avatar)'
)
SOURCE = (
    f"{PAPER}; "
    "the texts of 29 of its 30 papers are not public, and empty slots that should be empty count as hits there"
)
COST = "$3.35 a paper, and $5.70 an ontology to have a model write the tools (the same paper)"
FIGURES = (
    BuildingFigure("building units", 0.762, 0.780, 0.771, 0.768),
    BuildingFigure("characterisation", 0.868, 0.722, 0.788, 0.788),
    BuildingFigure("synthesis steps", 0.831, 0.855, 0.843, 0.572),
    BuildingFigure("chemicals", 1.000, 0.582, 0.736, 0.724),
    BuildingFigure("micro", 0.844, 0.808, 0.826, None),
)
