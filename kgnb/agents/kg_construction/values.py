"""The frozen values that pass between the stages of graph construction."""

from __future__ import annotations

from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.tool_values import (
    WRITING,
    CallResult,
    Parameter,
    PlanStep,
    Source,
    ToolKind,
    ToolSpec,
    Violation,
)
from kgnb.shapes.shape import Warned

__all__ = [
    "WRITING",
    "CallResult",
    "Parameter",
    "PlanStep",
    "Source",
    "ToolKind",
    "ToolPack",
    "ToolSpec",
    "Violation",
    "Warned",
]
