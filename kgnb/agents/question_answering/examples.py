"""Answered questions, for the rule judge to learn wordings from."""

from __future__ import annotations

from pathlib import Path

from kgnb.agents.question_answering.state import Example
from kgnb.datasets.questions import scan_questions


def examples_in(path: Path) -> list[Example]:
    """The answered questions in a file, for the rule judge to learn wordings from.

    Raises:
        DataError: a line of it is no question.
    """
    questions, wrong = scan_questions(path)
    if wrong:
        raise wrong[0]
    return [(each.text, each.entities, each.values or ()) for each in questions]
