"""What people decided, kept in a file that only grows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from kgnb.errors import DataError
from kgnb.judging.json_lines import append_lines, read_lines
from kgnb.judging.question import UNSURE, Question


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of one person on one question; ``decision`` None takes an earlier one back."""

    question: str  # the question's id
    decision: str | None
    choice: str | None = None
    who: str = ""
    note: str = ""


class Decisions:
    """A file of decisions, one a line; the later line on a question wins, and none is ever removed.

    Several people may add to one file: each line is written whole, and the file is read again at every look.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def decide(
        self, question: Question, decision: str, choice: str | None = None, *, who: str = "", note: str = ""
    ) -> Decision:
        """Keep a decision; it is on the disk when this returns.

        Raises:
            ValueError: the choice is not one of the question's options, or the decision is empty or "unsure".
        """
        if not decision or decision == UNSURE:
            raise ValueError(f"{decision!r} decides nothing; use withdraw to take a decision back")
        if choice is not None and choice not in {option.id for option in question.options}:
            raise ValueError(f"{choice!r} is not an option of this question")
        return self._add(Decision(question.id, decision, choice, who, note))

    def withdraw(self, question: Question, *, who: str = "", note: str = "") -> Decision:
        """Take back what was decided on a question, so that it waits again."""
        return self._add(Decision(question.id, None, None, who, note))

    def history(self) -> list[Decision]:
        """Every line, oldest first.

        Raises:
            DataError: a line is not a decision.
        """
        return [_decision(entry, f"{self.path}:{line}") for line, entry in read_lines(self.path)]

    def standing(self) -> dict[str, Decision]:
        """The decisions that stand, by question id."""
        last = {decision.question: decision for decision in self.history()}
        return {question: decision for question, decision in last.items() if decision.decision is not None}

    def __len__(self) -> int:
        return len(self.standing())

    def _add(self, decision: Decision) -> Decision:
        append_lines(self.path, [asdict(decision)])
        return decision


def _decision(entry: dict[str, object], where: str) -> Decision:
    texts = {name: entry.get(name) for name in ("question", "decision", "choice", "who", "note")}
    question, decision, choice = texts["question"], texts["decision"], texts["choice"]
    if (
        not isinstance(question, str)
        or not isinstance(decision, (str, type(None)))
        or not isinstance(choice, (str, type(None)))
    ):
        raise DataError("the line is not a decision", where=where, fix="Mend the line, or delete it.")
    return Decision(question, decision, choice, str(texts["who"] or ""), str(texts["note"] or ""))
