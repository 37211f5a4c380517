"""A judge's verdicts kept question by question, so that only what has changed is judged again.

Replies of a model are kept by prompt, and a prompt holds several questions: one changed question shifts all batches
after it, and their replies would be missed. Verdicts are therefore kept as well, each under its own question.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from kgnb.errors import DataError, NotKept
from kgnb.files import PATIENCE, opened, unusable, write_ahead
from kgnb.judging.question import Estimate, Judge, Question, Verdict, checked, estimate

Q = TypeVar("Q", bound=Question)
P = TypeVar("P", bound=Question, contravariant=True)

_FORMAT = 1
_IDS_A_QUERY = 500  # below SQLite's oldest limit of 999 parameters
_TABLE = """CREATE TABLE IF NOT EXISTS verdicts (judge TEXT NOT NULL, question TEXT NOT NULL, decision TEXT NOT NULL,
    choice TEXT, confidence REAL NOT NULL, rationale TEXT NOT NULL, signed TEXT NOT NULL, also TEXT NOT NULL,
    PRIMARY KEY (judge, question)) WITHOUT ROWID"""


class Standard(Judge[P], Protocol[P]):
    """A judge that can say by what it judges."""

    @property
    def standard(self) -> str:
        """Everything besides the question that may sway its verdict, as text."""


class Memory:
    """Verdicts by judge and question in one SQLite file, which threads and processes may share.

    The first verdict on a question stays. Nothing is kept of the question but its id. Where the file is locked,
    read-only or on a full disk, that is said (NotKept) and the work goes on without it: the replies behind the verdicts
    are kept elsewhere.

    Raises:
        DataError: the file is damaged or was written by another version; it is left as it is.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._lost = False
        with self._guard():
            self._db = opened(self.path, PATIENCE, self._set_up)

    def _set_up(self, db: sqlite3.Connection) -> None:
        [version] = db.execute("PRAGMA user_version").fetchone()
        if version not in (0, _FORMAT):
            raise sqlite3.DatabaseError(f"its format is {version}, this kgnb writes {_FORMAT}")
        write_ahead(db)
        db.execute(_TABLE)
        db.execute(f"PRAGMA user_version = {_FORMAT}")

    def __len__(self) -> int:
        with self._guard():
            return 0 if self._lost else int(self._db.execute("SELECT count(*) FROM verdicts").fetchone()[0])

    def close(self) -> None:
        """Closes the file; what is in it stays."""
        if not self._lost:
            self._db.close()

    def get(self, judge: str, questions: Sequence[str]) -> dict[str, Verdict]:
        """The verdicts there are, by question id, marked as remembered."""
        found: dict[str, Verdict] = {}
        if self._lost:
            return found
        for start in range(0, len(questions), _IDS_A_QUERY):
            part = questions[start : start + _IDS_A_QUERY]
            columns = "question, decision, choice, confidence, rationale, signed, also"
            where = f"judge = ? AND question IN ({','.join('?' * len(part))})"
            rows = []
            with self._guard():
                rows = self._db.execute(f"SELECT {columns} FROM verdicts WHERE {where}", (judge, *part)).fetchall()
            found.update((row[0], self._verdict(row[1:])) for row in rows)
        return found

    def put(self, judge: str, verdicts: Mapping[str, Verdict]) -> None:
        """Keeps verdicts, all in one transaction; what is there stays."""
        rows = [
            (judge, question, v.decision, v.choice, v.confidence, v.rationale, v.judged_by, json.dumps(v.also))
            for question, v in verdicts.items()
        ]
        if self._lost:
            return
        with self._guard(), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR IGNORE INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def _verdict(self, row: tuple[str, str | None, float, str, str, str]) -> Verdict:
        decision, choice, confidence, rationale, signed, also = row
        try:
            held = tuple((str(option), float(number)) for option, number in json.loads(also))
            return Verdict(decision, choice, float(confidence), rationale, signed, held, remembered=True)
        except (TypeError, ValueError) as error:
            raise self._unusable(f"it holds no verdict: {error}") from error

    @contextmanager
    def _guard(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except (sqlite3.Error, UnicodeDecodeError) as error:
                if (told := unusable(self.path, error)) is not None:
                    self._lost = True
                    warnings.warn(f"the memory of verdicts is not used: {told[0]}. {told[1]}", NotKept, stacklevel=4)
                    return
                raise self._unusable(str(error)) from error

    def _unusable(self, why: str) -> DataError:
        return DataError(
            f"the memory of verdicts cannot be used: {why}",
            where=str(self.path),
            fix="Delete this file (and -wal, -shm beside it): it fills again as questions are judged.",
        )


class Remembered(Generic[Q]):
    """A judge that is asked only what it has not judged before, under the same name and by the same standard.

    What failed (a server was down, a budget spent) is asked again; what the judge itself could not tell is not.

    Args:
        judge: who is asked.
        memory: where its verdicts are kept.
        where: what else tells judges of one name apart, as the server they are on.
        replaying: the judge answers from kept replies alone; it is asked everything first, so that a replay has the
            figures of the run it replays, and memory steps in where its replies were batched otherwise.
    """

    def __init__(self, judge: Standard[Q], memory: Memory, *, where: str = "", replaying: bool = False) -> None:
        self._judge: Judge[Q] = judge
        self._memory = memory
        self._replaying = replaying
        standard = json.dumps([judge.name, judge.standard, where])
        self._key = hashlib.sha256(standard.encode()).hexdigest()[:32]
        self.asked = 0
        self.remembered = 0

    @property
    def name(self) -> str:
        """The judge's own name: the verdicts are the same."""
        return self._judge.name

    @property
    def simulation(self) -> bool:
        """Whether the judge knows the answers it is asked for."""
        return bool(getattr(self._judge, "simulation", False))

    def counts(self) -> dict[str, int]:
        """Questions asked, and questions answered from memory, over all batches."""
        return {"asked": self.asked, "remembered": self.remembered}

    def around(self, wrap: Callable[[Judge[Q]], Judge[Q]]) -> Remembered[Q]:
        """The same memory around the judge in another wrapping."""
        changed: Remembered[Q] = object.__new__(Remembered)
        changed.__dict__ |= self.__dict__ | {"_judge": wrap(self._judge), "asked": 0, "remembered": 0}
        return changed

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """Remembered verdicts where there are any, the judge's where not."""
        if self._replaying:
            try:
                return self._ask(questions)
            except DataError:
                if not self._known(questions):
                    raise
        known = self._known(questions)
        self.remembered += sum(question.id in known for question in questions)
        rest = [question for question in questions if question.id not in known]
        fresh = iter(self._ask(rest)) if rest else iter(())
        return [
            checked(known[question.id], question, self.name) if question.id in known else next(fresh)
            for question in questions
        ]

    def estimate(self, questions: Sequence[Q]) -> Estimate:
        """What the judge would cost for what is not remembered."""
        known = self._known(questions)
        return estimate(self._judge, [question for question in questions if question.id not in known])

    def _known(self, questions: Sequence[Q]) -> dict[str, Verdict]:
        return self._memory.get(self._key, list(dict.fromkeys(question.id for question in questions)))

    def _ask(self, questions: Sequence[Q]) -> list[Verdict]:
        verdicts = self._judge.judge(questions)
        self.asked += len(questions)
        pairs = zip(questions, verdicts, strict=True)
        self._memory.put(self._key, {question.id: verdict for question, verdict in pairs if not verdict.failed})
        return verdicts
