"""Answers as JSON Lines, written as they come, so that a batch that was cut off goes on where it was."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kgnb.agents.question_answering.values import Answer
from kgnb.errors import DataError
from kgnb.files import from_json, write_whole
from kgnb.kg.terms import Iri, Literal, Term, Triple, n3


def plain(term: Term) -> str:
    """A term as one string: an IRI as it is, a literal's text, anything else as N-Triples.

    >>> plain(Iri("http://huts.example/id/a")), plain(Literal("1908"))
    ('http://huts.example/id/a', '1908')
    """
    if isinstance(term, Iri):
        return str(term)
    return term.text if isinstance(term, Literal) else n3(term)


@dataclass(frozen=True)
class Outcome:
    """What became of one question of a batch: plain strings, as they stand in a file, and the answer itself if at hand.

    ``status`` is that of the answer ("answered", "forced", "unsure"); or "failed", with ``error`` saying why; or
    "waiting" for a reply of a model that answers later.
    """

    id: str
    values: tuple[str, ...] = ()
    support: tuple[tuple[str, str, str], ...] = ()
    confidence: float = 0.0
    status: str = "unsure"
    sparql: str = ""
    source: str = "graph"
    error: str = ""
    partial: str = ""  # why, if it is: a budget was spent, and what was found by then decided
    guess: Mapping[str, Any] = field(default_factory=dict)  # of what is unsure: the best reading's values and sparql
    answer: Answer | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, answer: Answer) -> Outcome:
        """The outcome that is this answer."""
        best = answer.guess
        return cls(
            answer.question.id,
            tuple(map(plain, answer.values)),
            tuple(map(plain_triple, answer.support)),
            round(answer.confidence, 4),
            answer.status,
            answer.sparql,
            answer.source,
            partial=answer.partial,
            guess={"values": [*map(plain, best.values)], "sparql": best.sparql} if best and not answer.values else {},
            answer=answer,
        )

    @classmethod
    def failed(cls, question: str, error: str) -> Outcome:
        """The outcome of a question that could not be asked to its end."""
        return cls(question, status="failed", error=error)

    @classmethod
    def waiting(cls, question: str, what: str) -> Outcome:
        """The outcome of a question whose next reply is not there yet."""
        return cls(question, status="waiting", error=what)

    def to_json(self) -> dict[str, Any]:
        """One line of an answer file."""
        content: dict[str, Any] = {
            "id": self.id,
            "values": list(self.values),
            "support": [list(triple) for triple in self.support],
            "confidence": self.confidence,
            "status": self.status,
            "source": self.source,
            "sparql": self.sparql,
        }
        content |= {"guess": dict(self.guess)} if self.guess else {}
        content |= {"error": self.error} if self.error else {}
        return content | ({"partial": self.partial} if self.partial else {})

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Outcome:
        """The outcome a line holds.

        Raises:
            ValueError, TypeError, KeyError: it holds none.
        """
        if not isinstance(content["id"], str) or not isinstance(content["status"], str):
            raise TypeError("no id or no status")
        return cls(
            content["id"],
            tuple(map(str, content["values"])),
            tuple((str(s), str(p), str(o)) for s, p, o in content["support"]),
            float(content["confidence"]),
            content["status"],
            str(content.get("sparql", "")),
            str(content.get("source", "graph")),
            str(content.get("error", "")),
            str(content.get("partial", "")),
            dict(content.get("guess") or {}),
        )


def plain_triple(triple: Triple) -> tuple[str, str, str]:
    """A triple as three strings."""
    return (plain(triple[0]), plain(triple[1]), plain(triple[2]))


def written(outcome: Outcome) -> str:
    """One line of JSON, its line end included."""
    return json.dumps(outcome.to_json(), ensure_ascii=False) + "\n"


class AnswerFile:
    """A file of answers, one a line, that is complete up to the last whole line at any time.

    A file that is there is replaced; with ``resume`` its answers are kept, except those of questions that failed or
    for which a budget was spent too early, and a last line that was cut off.

    Raises:
        DataError: with ``resume``, the file there holds something else than answers; or it cannot be written.
    """

    def __init__(self, path: str | Path, *, resume: bool = False) -> None:
        self.path = Path(path).expanduser()
        self.kept: dict[str, Outcome] = self._read() if resume and self.path.exists() else {}
        self._lines = {name: written(outcome) for name, outcome in self.kept.items()}
        self._write()

    def add(self, outcome: Outcome) -> None:
        """Adds one line, and has it on disk before it returns."""
        line = written(outcome)
        self._lines[outcome.id] = line
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    def order(self, ids: Sequence[str]) -> None:
        """Puts the lines into this order, where they are not; answers to other questions come last."""
        places = {name: place for place, name in enumerate(ids)}
        ordered = sorted(self._lines, key=lambda name: places.get(name, len(places)))
        if ordered != list(self._lines):
            self._lines = {name: self._lines[name] for name in ordered}
            self._write()

    def _write(self) -> None:
        write_whole(self.path, "".join(self._lines.values()), lasting=True)

    def _read(self) -> dict[str, Outcome]:
        lines = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
        found: dict[str, Outcome] = {}
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                outcome = Outcome.from_json(from_json(line))
            except (ValueError, TypeError, KeyError) as error:
                if number == len(lines):  # cut off as it was written: that question is asked again
                    continue
                raise DataError(
                    "this line is no answer", where=f"{self.path}:{number}", fix="Leave out --resume to start again."
                ) from error
            if outcome.status not in ("failed", "waiting") and not outcome.partial:
                found[outcome.id] = outcome
        return found
