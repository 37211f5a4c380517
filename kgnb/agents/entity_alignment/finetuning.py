"""Recorded ways as a set to fine-tune a planning model on: JSON Lines, one way a line.

The schema below is the one in ``docs/entity-alignment-policy.md``, with the recipe for those who have a GPU.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from kgnb.agents.entity_alignment.paths import TOOLS, Path, named
from kgnb.agents.entity_alignment.questions import PlanQuestion

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "One recorded way of entity alignment",
    "type": "object",
    "properties": {
        "input": {"type": "string", "minLength": 1},
        "path": {"$ref": "#/$defs/path"},
        "reward": {"type": "number"},
        "rewritten_path": {"$ref": "#/$defs/path"},
        "reward_after": {"type": "number"},
        "entity": {"type": "string"},
        "round": {"type": "integer", "minimum": 1},
        "simulation": {"type": "boolean"},
    },
    "required": ["input", "path", "reward", "rewritten_path", "reward_after"],
    "additionalProperties": False,
    "$defs": {
        "path": {"type": "array", "items": {"enum": list(TOOLS)}, "uniqueItems": True, "maxItems": len(TOOLS)},
    },
}


@dataclass(frozen=True)
class Episode:
    """One way as it was recorded: what the planner was told, its way and reward, the better way and its reward."""

    round: int
    iri: str
    input: str
    path: Path
    reward: float
    rewritten: Path  # the same as ``path`` where no other was better
    reward_after: float

    def to_json(self, simulation: bool = False) -> dict[str, Any]:
        """One line of the set; see ``SCHEMA``."""
        return {
            "input": self.input,
            "path": list(self.path),
            "reward": round(self.reward, 6),
            "rewritten_path": list(self.rewritten),
            "reward_after": round(self.reward_after, 6),
            "entity": self.iri,
            "round": self.round,
            "simulation": simulation,
        }


def prompt(question: PlanQuestion) -> str:
    """What a planning model is told of an entity: its statistics and the ways it may take."""
    ways = " | ".join(named(path) for path in question.paths)
    return f"{question.text}\nWays: {ways}"


def export(episodes: Iterable[Episode], path: FilePath | str, *, simulation: bool = False) -> int:
    """Write the ways as JSON Lines; how many there were."""
    lines = [json.dumps(one.to_json(simulation), ensure_ascii=False) + "\n" for one in episodes]
    FilePath(path).write_text("".join(lines), encoding="utf-8")
    return len(lines)
