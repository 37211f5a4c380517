"""Verdicts kept in a file, and answered from it: the same judgements again, whoever made them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Generic, TypeVar

from kgnb.errors import DataError
from kgnb.json_lines import append_lines, read_lines
from kgnb.judging.estimating import Estimate, estimate
from kgnb.judging.question import Judge, Question, Verdict, checked, unsure

Q = TypeVar("Q", bound=Question)


class RecordingJudge(Generic[Q]):
    """Passes questions on to another judge, and adds its verdicts to a file of JSON Lines."""

    def __init__(self, judge: Judge[Q], path: Path | str) -> None:
        self._judge = judge
        self._path = Path(path)

    @property
    def name(self) -> str:
        """The other judge's name: the recording changes nothing."""
        return self._judge.name

    @property
    def simulation(self) -> bool:
        """Whether the other judge knows the answers it is asked for."""
        return bool(getattr(self._judge, "simulation", False))

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """The other judge's verdicts."""
        verdicts = self._judge.judge(questions)
        signed = [asdict(verdict) | {"judged_by": verdict.judged_by or self.name} for verdict in verdicts]
        append_lines(
            self._path,
            [{"question": question.id, **entry} for question, entry in zip(questions, signed, strict=True)],
        )
        return verdicts

    def estimate(self, questions: Sequence[Q]) -> Estimate:
        """What the other judge would cost."""
        return estimate(self._judge, questions)


class RecordedJudge(Generic[Q]):
    """Answers from a file that a RecordingJudge wrote; a question asked twice has the later answer.

    Raises:
        DataError: there is no such file, or a line of it is not a verdict.
    """

    def __init__(self, path: Path | str, name: str = "recorded") -> None:
        self.name = name
        file = Path(path)
        if not file.exists():
            raise DataError("there is no such recording", where=str(file), fix="Record one with RecordingJudge.")
        self._verdicts = {
            _text(entry.get("question"), f"{file}:{line}"): _verdict(entry, f"{file}:{line}")
            for line, entry in read_lines(file)
        }

    def __len__(self) -> int:
        return len(self._verdicts)

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """The verdicts on record, signed by who gave them; what is not on record is "unsure"."""
        return [
            checked(self._verdicts[question.id], question, self.name)
            if question.id in self._verdicts
            else unsure("not on record", self.name)
            for question in questions
        ]


def _verdict(entry: dict[str, Any], where: str) -> Verdict:
    try:
        return Verdict(
            decision=_text(entry["decision"], where),
            choice=None if entry.get("choice") is None else _text(entry["choice"], where),
            confidence=float(entry.get("confidence", 0.0)),
            rationale=str(entry.get("rationale", "")),
            judged_by=str(entry.get("judged_by", "")),
            also=tuple((str(option), float(confidence)) for option, confidence in entry.get("also", ())),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DataError("the line is not a verdict", where=where, fix="Delete the line and record it anew.") from error


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise DataError(f"{value!r} is not a text", where=where, fix="Delete the line and record it anew.")
    return value
