"""Recorded ways as a set to fine-tune a planning model on: JSON Lines, one way a line.

The schema below is the one in ``docs/entity-alignment-policy.md``, with the recipe for those who have a GPU.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from kgnb.agents.entity_alignment.model_planner import PlanSheet, completion, told
from kgnb.agents.entity_alignment.paths import TOOLS, Path, Record
from kgnb.agents.entity_alignment.questions import DIFFERENT, TAKE, PlanQuestion
from kgnb.files import write_whole
from kgnb.llm.model import Message

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "One recorded way of entity alignment",
    "type": "object",
    "properties": {
        "input": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"role": {"enum": ["system", "user"]}, "content": {"type": "string", "minLength": 1}},
                "required": ["role", "content"],
                "additionalProperties": False,
            },
            "minItems": 2,
            "maxItems": 2,
        },
        "output": {"type": "string", "minLength": 1},
        "path": {"$ref": "#/$defs/path"},
        "reward": {"type": "number"},
        "rewritten_path": {"$ref": "#/$defs/path"},
        "reward_after": {"type": "number"},
        "entity": {"type": "string"},
        "round": {"type": "integer", "minimum": 1},
        "simulation": {"type": "boolean"},
    },
    "required": ["input", "output", "path", "reward", "rewritten_path", "reward_after"],
    "additionalProperties": False,
    "$defs": {
        "path": {"type": "array", "items": {"enum": list(TOOLS)}, "uniqueItems": True, "maxItems": len(TOOLS)},
    },
}


@dataclass(frozen=True)
class Episode:
    """One way as it was recorded: what the planner was asked, its way and reward, the better way and its reward."""

    round: int
    question: PlanQuestion
    path: Path
    reward: float
    rewritten: Path  # the same as ``path`` where no other was better
    reward_after: float

    def to_json(self, record: Record, simulation: bool = False) -> dict[str, Any]:
        """One line of the set; see ``SCHEMA``."""
        return {
            "input": [{"role": one.role, "content": one.text} for one in prompt(self.question, record)],
            "output": completion(self.rewritten),
            "path": list(self.path),
            "reward": round(self.reward, 6),
            "rewritten_path": list(self.rewritten),
            "reward_after": round(self.reward_after, 6),
            "entity": self.question.iri,
            "round": self.round,
            "simulation": simulation,
        }


def prompt(question: PlanQuestion, record: Record) -> tuple[Message, ...]:
    """What ``ModelPlanner`` sends of one entity."""
    sheet = PlanSheet(told(question.costs, record), (question.text,), (question.options,), (TAKE,), DIFFERENT)
    return sheet.messages()


def export(episodes: Iterable[Episode], path: FilePath | str, record: Record, *, simulation: bool = False) -> int:
    """Write the ways as JSON Lines; how many there were. ``record`` is that of the policy planned with later."""
    lines = [json.dumps(one.to_json(record, simulation), ensure_ascii=False) + "\n" for one in episodes]
    write_whole(FilePath(path), "".join(lines))
    return len(lines)
