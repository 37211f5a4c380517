"""Any Python function as a judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from kgnb.judging.question import Question, Verdict, checked

Q = TypeVar("Q", bound=Question)


class CallableJudge(Generic[Q]):
    """Asks a function, one question at a time. An answer that is not among the options counts as "unsure"."""

    def __init__(self, function: Callable[[Q], Verdict], name: str | None = None) -> None:
        self._function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """The function's verdicts, signed with the judge's name.

        Raises:
            TypeError: the function gave something that is not a Verdict.
        """
        return [self._verdict(question) for question in questions]

    def _verdict(self, question: Q) -> Verdict:
        verdict = self._function(question)
        if not isinstance(verdict, Verdict):
            raise TypeError(f"the judge {self.name} gave a {type(verdict).__name__}; it must give a Verdict")
        return checked(verdict, question, self.name)
