"""A judge's verdicts cached question by question, so that only what has changed is judged again.

Replies of a model are cached by prompt, and a prompt holds several questions: one changed question
shifts all batches after it, and their cached replies no longer fit. So each verdict is cached under
its own question as well.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from kgnb.errors import DataError, FromCache, NotKept
from kgnb.files import from_json
from kgnb.judging.model_judge import ModelJudge
from kgnb.judging.question import ClosedQuestion, Estimate, Verdict, Wrapped, checked
from kgnb.sqlite_file import InUse, SqliteFile

Q = TypeVar("Q", bound=ClosedQuestion)
UNDATED = "an unknown day"  # of a verdict that an early version kept


class VerdictStore(SqliteFile):
    """Verdicts by judge and question.

    The first verdict on a question stays; of the question only the id is stored. If the file is
    locked, read-only or on a full disk, a warning (NotKept) says so, and work goes on without it:
    replies are cached elsewhere.
    """

    what, version, table = "the memory of verdicts", 1, "verdicts"
    dated = "new.judge || ' ' || new.question"
    columns = """(judge TEXT NOT NULL, question TEXT NOT NULL, decision TEXT NOT NULL,
    choice TEXT, confidence REAL NOT NULL, rationale TEXT NOT NULL, signed TEXT NOT NULL, also TEXT NOT NULL,
    PRIMARY KEY (judge, question)) WITHOUT ROWID"""

    def __init__(self, path: Path | str) -> None:
        self._lost = False
        with self._if_usable():
            super().__init__(path)

    def get(self, judge: str, questions: Sequence[str]) -> dict[str, Verdict]:
        """The verdicts there are, by question id, each with its day."""
        columns = "question, decision, choice, confidence, rationale, signed, also"
        dated = "LEFT JOIN days ON entry = judge || ' ' || question"
        rows: list[tuple[Any, ...]] = []
        with self._if_usable():
            query = (
                f"SELECT {columns}, coalesce(date(day), '{UNDATED}') FROM verdicts {dated} "
                "WHERE judge = ? AND question IN"
            )
            rows = [] if self._lost else self.select(query, judge, questions)
        return {question: self._verdict(*row) for question, *row in rows}

    def put(self, judge: str, verdicts: Mapping[str, Verdict]) -> None:
        """Add verdicts in one transaction; existing ones stay."""
        rows = [
            (
                judge,
                question,
                v.decision,
                v.choice,
                v.confidence,
                v.rationale,
                v.judged_by,
                json.dumps(v.also),
            )
            for question, v in verdicts.items()
        ]
        with self._if_usable():
            if not self._lost:
                self.insert(rows)

    def _verdict(
        self,
        decision: str,
        choice: str,
        confidence: float,
        why: str,
        signed: str,
        also: str,
        day: str,
    ) -> Verdict:
        try:
            held = tuple((str(option), float(number)) for option, number in from_json(also))
            return Verdict(decision, choice, float(confidence), why, signed, held, day)
        except (TypeError, ValueError) as error:
            raise self.damaged(f"it holds something that is not a verdict: {error}") from error

    @contextmanager
    def _if_usable(self) -> Iterator[None]:
        try:
            yield
        except InUse as error:
            self._lost = True
            warnings.warn(
                f"the memory of verdicts is not used: {error.what}. {error.fix}",
                NotKept,
                stacklevel=4,
            )


class Remembered(Wrapped[Q]):
    """A model judge that is asked only what it has not judged before, under the same name and by
    the same standard.

    What failed (a server was down, a budget spent) is asked again; what the judge itself could not
    tell is not.

    Args:
        where: what else distinguishes judges of one name, such as their server.
        replaying: the judge answers from cached replies alone. It is then asked everything first,
            so that a replay has
            the same counts as the run it replays; memory steps in if its replies were batched
            differently.
    """

    def __init__(
        self,
        judge: ModelJudge[Q],
        memory: VerdictStore,
        *,
        where: str = "",
        replaying: bool = False,
    ) -> None:
        super().__init__(judge)
        self._memory = memory
        self._replaying = replaying
        standard = json.dumps([judge.name, judge.standard, where])
        self._key = hashlib.sha256(standard.encode()).hexdigest()[:32]
        self._said = False

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """Remembered verdicts if there are any, the judge's otherwise."""
        if self._replaying:
            try:
                return self._ask(questions)
            except DataError:
                if not self._known(questions):
                    raise
        known = self._known(questions)
        if known and not self._said:
            self._said = True
            warnings.warn(f"{self._judge.name}: {_used(known)}", FromCache, stacklevel=2)
        rest = [question for question in questions if question.id not in known]
        fresh = iter(self._ask(rest)) if rest else iter(())
        return [
            checked(known[question.id], question, self.name)
            if question.id in known
            else next(fresh)
            for question in questions
        ]

    def estimate(self, questions: Sequence[Q]) -> Estimate:
        """What the judge would cost for what is not remembered."""
        known = self._known(questions)
        return super().estimate([question for question in questions if question.id not in known])

    def _known(self, questions: Sequence[Q]) -> dict[str, Verdict]:
        return self._memory.get(
            self._key, list(dict.fromkeys(question.id for question in questions))
        )

    def _ask(self, questions: Sequence[Q]) -> list[Verdict]:
        verdicts = self._judge.judge(questions)
        pairs = zip(questions, verdicts, strict=True)
        self._memory.put(
            self._key, {question.id: verdict for question, verdict in pairs if not verdict.failed}
        )
        return verdicts


def _used(known: Mapping[str, Verdict]) -> str:
    days = {verdict.remembered for verdict in known.values()}
    ends = " to ".join(sorted({min(days), max(days)}))
    return f"what it said before is used again where the question is the same (of {ends})"
