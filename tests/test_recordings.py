"""The recordings that are shipped: each says where it comes from, and our own still fits the prompts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import kgnb
from kgnb.settings import Settings

FOLDER = Path(__file__).parent.parent / "data" / "recordings"
QUESTIONS = Path(__file__).parent.parent / "data" / "huts" / "questions.jsonl"


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))
def test_a_recording_holds_replies_and_says_where_they_come_from(name: str) -> None:
    lines = [json.loads(line) for line in (FOLDER / name / "replies.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines and len({line["custom_id"] for line in lines}) == len(lines)
    assert all(set(line) <= {"custom_id", "text", "tool_calls", "usage"} for line in lines), (
        "a request's text is not kept"
    )
    card = (FOLDER / name / "card.md").read_text(encoding="utf-8")
    for said in ("Who answered", "When", "Prompts of commit", "Data and training", "Replay"):
        assert said in card
    assert f"recorded:{name}" in card


def test_our_own_questions_are_answered_from_the_recording_alone() -> None:
    """Where this fails with "holds no reply", a prompt has changed: record anew (data/recordings/README.md)."""
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    asked = [{"id": row["id"], "question": row["question"]} for row in rows]
    settings = replace(Settings.load(), model="recorded:huts")
    outcomes = kgnb.answer_questions(asked, "huts:graph", judge="model", settings=settings, width=8)
    right = [set(o.values) == {str(v) for v in row["values"]} for o, row in zip(outcomes, rows, strict=True)]
    assert sum(right) >= 26, [row["question"] for row, good in zip(rows, right, strict=True) if not good]
