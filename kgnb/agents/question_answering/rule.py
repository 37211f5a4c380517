"""The rule judge: it follows the likeliest reading of the question, and says so when none is likely."""

from __future__ import annotations

from collections.abc import Sequence

from kgnb.agents.question_answering.actions import Finish, written
from kgnb.agents.question_answering.questions import (
    GIVE,
    KEEP,
    NONE,
    PERFORM,
    ActQuestion,
    AnswerQuestion,
    QaQuestion,
    ReflectQuestion,
)
from kgnb.judging import Verdict


class RuleJudge:
    """Decides by how well relation paths fit the wording of the question; reads no text of the graph as advice."""

    name = "rule"

    def judge(self, questions: Sequence[QaQuestion]) -> list[Verdict]:
        """One verdict a question."""
        return [self._verdict(question) for question in questions]

    def _verdict(self, question: QaQuestion) -> Verdict:
        if isinstance(question, ActQuestion):
            return self._act(question)
        if isinstance(question, ReflectQuestion):
            return self._reflect(question)
        return self._answer(question)

    def _act(self, question: ActQuestion) -> Verdict:
        followed = [
            (action, reading)
            for action, reading in zip(question.actions, question.readings, strict=True)
            if reading is not None
        ]
        finish = next((action for action in question.actions if isinstance(action, Finish)), None)
        if followed and not (question.settled and finish):
            action, reading = followed[0]
            also = tuple((written(other), r.confidence) for other, r in followed[1:4])
            reason = f"the wording fits best: {reading.explanation}"
            return Verdict(PERFORM, written(action), reading.confidence, reason, self.name, also)
        if finish is not None:
            reason = "what is remembered is what was asked for" if question.settled else "no relation fits the wording"
            return Verdict(PERFORM, written(finish), 1.0 if question.settled else 0.5, reason, self.name)
        return Verdict(NONE, None, 0.0, "no relation around the entities fits the wording", self.name)

    def _reflect(self, question: ReflectQuestion) -> Verdict:
        chosen = list(question.ranked or range(len(question.triples)))[: question.keep]
        if not chosen:
            return Verdict(NONE, None, 1.0, "there is nothing to keep", self.name)
        also = tuple((str(at), 1.0) for at in chosen[1:])
        return Verdict(KEEP, str(chosen[0]), 1.0, "on the path that fits the wording", self.name, also)

    def _answer(self, question: AnswerQuestion) -> Verdict:
        if not question.values or question.reading is None:
            return Verdict(NONE, None, 0.0, "nothing that is remembered answers the question", self.name)
        also = tuple((str(at), question.reading.confidence) for at in range(1, len(question.values)))
        left = ", ".join(question.reading.unused)
        why = f"read as {question.reading.explanation}" + (f"; not used: {left}" if left else "")
        return Verdict(GIVE, "0", question.reading.confidence, why, self.name, also)
