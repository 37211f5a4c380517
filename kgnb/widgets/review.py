"""The review queue: questions that wait for a person, answered by key or button, each answer kept in a file at once."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import anywidget
import traitlets

from kgnb.judging import UNSURE, Decisions, Pending, Verdict, pending
from kgnb.results.table import Column, Link, Table, Value

HERE = pathlib.Path(__file__).parent
RELATIONS = ("equivalent", "broader", "narrower", "related")
ACTIONS = (*RELATIONS, "different", "skip", "undo")
WORDS = {action: action for action in (*RELATIONS, "different")}


class Thing(Protocol):
    """What a question is about, or a candidate, as a person sees it."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def iri(self) -> str:
        """Its IRI, or the id of the option."""

    @property
    def kind(self) -> str:
        """Class, individual, ...; "" where that says nothing."""

    @property
    def side(self) -> str:
        """Where it is from: source or target; "" where that says nothing."""

    @property
    def in_short(self) -> str:
        """Its name, then lines that describe it."""


@dataclass(frozen=True)
class Text:
    """A thing of which there is a text alone: the question itself, or one of its options."""

    in_short: str
    iri: str = ""
    kind: str = ""
    side: str = ""

    @property
    def name(self) -> str:
        """Its first line."""
        return self.in_short.partition("\n")[0]


def subject(question: Any) -> Thing:
    """What a question is about: its ``about``, where it says so, else its text."""
    found: Thing | None = getattr(question, "about", None)
    return found or Text(question.text)


def things(question: Any) -> Sequence[Thing]:
    """Its candidates: ``others``, where it has them, else its options."""
    found: Sequence[Thing] | None = getattr(question, "others", None)
    return found if found is not None else [Text(one.text, one.id) for one in question.options]


def waiting(judged: Sequence[Any], *, below: float = 0.0) -> list[Pending[Any]]:
    """What a person should look at, the answers first that are expected to bring most.

    First what no judge could decide; then, with ``below``, verdicts less confident than that, of which an answer is
    expected to put right what confidence they lack.
    """
    undecided = pending([one.question for one in judged], [one.verdict for one in judged])
    shaky = [
        Pending(one.question, one.verdict, round(1 - one.verdict.confidence, 6))
        for one in judged
        if one.verdict.sure and one.verdict.confidence < below
    ]
    return undecided + sorted(shaky, key=lambda one: -one.gain)


def nothing_waits(judged: Sequence[Any], line: str, below: float = 0.0) -> str:
    """What an empty queue says: that all is decided, and with which line to look at what was decided.

    ``line`` is the verb that reviews; ``below`` how confident a verdict had to be to stay out of the queue. The line
    named shows something: the bound is raised where every verdict is as confident as it.
    """
    if not judged:
        return "Nothing waits: no question was asked."
    said = (
        f"Nothing waits: {'the one question is' if len(judged) == 1 else f'all {len(judged):,} questions are'} decided."
    )
    left = [one.verdict.confidence for one in judged if one.verdict.sure and below <= one.verdict.confidence < 1]
    if not left:
        return f"{said} No verdict is less confident than {'1' if below < 1 else f'{below:g}'}."
    bound = next(step / 100 for step in range(90, 101) if step / 100 > min(left))
    return f"{said} To review what was decided with less confidence than {bound:g}: {line} --below {bound:g}"


class ReviewQueue:
    """One pass through the questions that wait. Every answer is on the disk before the next question shows.

    ``view()`` is all a front end needs; ``act`` is all it may do. An answer to a question that is not the one on show
    (a key pressed twice) changes nothing.
    """

    def __init__(
        self,
        entries: Sequence[Pending[Any]],
        decisions: Decisions,
        who: str = "",
        nothing: str = "",
        words: Mapping[str, str] = WORDS,
    ) -> None:
        self.entries = list(entries)
        self.nothing = nothing  # what is said where there are no entries
        self.words = dict(words)  # what each action decides
        self.decisions = decisions
        self.who = who
        self.answers: dict[str, tuple[str, str | None]] = {}
        self._skipped: set[str] = set()
        self._done: list[int] = []  # positions answered, for undo
        self._at = 0
        self._said = ""

    @property
    def current(self) -> Pending[Any] | None:
        """The question on show, or None when all are answered."""
        return self.entries[self._at] if len(self.answers) < len(self.entries) else None

    def act(self, action: str, choice: int = -1, question: str = "") -> None:
        """Takes one answer: a relation with the number of the chosen candidate, "different", "skip" or "undo".

        Raises:
            ValueError: there is no such action, or no such candidate.
        """
        if action not in ACTIONS:
            raise ValueError(f"there is no action {action!r}: choose {', '.join(ACTIONS)}")
        if action == "undo":
            self._undo()
            return
        entry = self.current
        if entry is None or (question and entry.question.id != question):
            return
        if action == "skip":
            self._skipped.add(entry.question.id)
            self._say("Skipped", subject(entry.question).name)
        else:
            self._decide(entry.question, action, choice)
        self._advance()

    def view(self) -> dict[str, Any]:
        """What a front end shows, as plain JSON; one question at a time, so that a saved notebook stays small."""
        entry = self.current
        return {
            "total": len(self.entries),
            "decided": len(self.answers),
            "skipped": len(self._skipped),
            "done": entry is None,
            "undoable": bool(self._done),
            "said": self._said,
            "question": _shown(subject(entry.question)) | {"id": entry.question.id} if entry else None,
            "candidates": _candidates(entry.question) if entry else [],
            "chosen": suggested(entry.question, entry.verdict) if entry else -1,
            "hint": self._hint(),
        }

    def _hint(self) -> str:
        entry = self.current
        if entry is not None:
            return _hint(entry)
        return (self.nothing if not self.entries else "") or f"Decisions are kept in {self.decisions.path}."

    def _decide(self, question: Any, action: str, choice: int) -> None:
        chosen = None
        if action not in self.words:
            raise ValueError(f"{action} cannot be said here: a candidate fits, or none does")
        if action in RELATIONS:
            if not 0 <= choice < len(things(question)):
                raise ValueError(f"there is no candidate {choice + 1}: this question has {len(things(question))}")
            chosen = things(question)[choice]
        self.decisions.decide(question, self.words[action], chosen.iri if chosen else None, who=self.who)
        self.answers[question.id] = (action, chosen.iri if chosen else None)
        self._skipped.discard(question.id)
        self._done.append(self._at)
        self._say(action.capitalize(), subject(question).name, chosen.name if chosen else "none of the candidates")

    def _undo(self) -> None:
        if not self._done:
            return
        self._at = self._done.pop()
        question = self.entries[self._at].question
        self.decisions.withdraw(question, who=self.who)
        self.answers.pop(question.id, None)
        self._say("Taken back", subject(question).name)

    def _advance(self) -> None:
        """To the next question that is neither answered nor skipped; when only skipped ones are left, to those."""
        size = len(self.entries)
        order = [(self._at + step) % size for step in range(1, size + 1)]
        left = [at for at in order if self.entries[at].question.id not in self.answers]
        fresh = [at for at in left if self.entries[at].question.id not in self._skipped]
        if left and not fresh:
            self._skipped.clear()
        self._at = (fresh or left or [self._at])[0]

    def _say(self, what: str, *names: str) -> None:
        self._said = f"{what}: {', '.join(names)}."


class ReviewWidget(anywidget.AnyWidget):
    """The review queue in a notebook; with no front end it shows as the plain table of what waits."""

    _esm = HERE / "review.js"
    _css = HERE / "review.css"
    view = traitlets.Dict().tag(sync=True)

    def __init__(self, queue: ReviewQueue, **kwargs: Any) -> None:
        self.queue = queue
        super().__init__(view=queue.view(), **kwargs)
        self.on_msg(self._message)

    def _message(self, _: object, content: Any, __: object) -> None:
        """Takes one answer from the front end; whatever else may come in changes nothing."""
        choice = content.get("choice", -1) if isinstance(content, dict) else None
        if not isinstance(choice, int):
            return
        try:
            self.queue.act(str(content.get("action")), choice, str(content.get("question", "")))
        except ValueError as error:
            self.view = self.queue.view() | {"said": str(error)}
            return
        self.view = self.queue.view()

    def __repr__(self) -> str:
        shown = self.view
        return f"ReviewWidget({shown['decided']} of {shown['total']} answered)"


def review_table(entries: Sequence[Pending[Any]], numbers: Sequence[int] = ()) -> Table:
    """What waits for a person, as a plain table: for reports, terminals and notebooks that nobody sits at.

    A row opens to the evidence of both sides. ``numbers`` name the entries where they are not simply 1, 2, 3.
    """
    columns = [
        Column("number", "#", "number"),
        Column("side", "asked from"),
        Column("name", "entity", "iri"),
        Column("candidates", "candidates"),
        Column("said", "what the judge says"),
        Column("gain", "expected gain", "number"),
    ]
    abouts = [subject(entry.question) for entry in entries]
    rows: list[list[Value]] = [
        [
            number,
            about.side,
            Link(about.iri, about.name) if about.iri else about.name,
            "; ".join(f"{at}. {other.name}" for at, other in enumerate(things(entry.question), start=1)),
            _hint(entry),
            entry.gain,
        ]
        for number, entry, about in zip(numbers or range(1, len(entries) + 1), entries, abouts, strict=True)
    ]
    details = [_evidence(entry.question) for entry in entries]
    return Table(columns, rows, caption="Questions that wait for a person", details=details)


def _evidence(question: Any) -> list[tuple[str, str]]:
    """What is asked about, then each candidate with what speaks for it."""
    about = subject(question)
    shown = [(f"{about.name} <{about.iri}>" if about.iri else about.name, about.in_short)]
    for at, (why, other) in enumerate(zip(_reasons(question), things(question), strict=True), start=1):
        shown.append((f"{at}. {other.name} <{other.iri}>", f"{other.in_short}\n{why}".rstrip()))
    return shown


def _reasons(question: Any) -> list[str]:
    """What speaks for each candidate, where the question's ``candidates`` have evidence."""
    candidates = getattr(question, "candidates", None)
    if candidates is None:
        return [""] * len(things(question))
    return ["; ".join(f"{one.kind}: {one.text}" for one in candidate.evidence) for candidate in candidates]


def _candidates(question: Any) -> list[dict[str, str]]:
    """Each candidate as it is shown, with what speaks for it."""
    return [_shown(other) | {"why": why} for why, other in zip(_reasons(question), things(question), strict=True)]


def _shown(description: Thing) -> dict[str, str]:
    return {
        "name": description.name,
        "iri": description.iri,
        "kind": description.kind,
        "side": description.side,
        "text": "\n".join(description.in_short.splitlines()[1:]),
    }


def suggested(question: Any, verdict: Verdict) -> int:
    """The candidate marked at first: what the judge chose or held most likely, else the best ranked."""
    likely = verdict.choice or next(iter(verdict.also), ("", 0.0))[0]
    return next((at for at, other in enumerate(things(question)) if other.iri == likely), 0)


def _hint(entry: Pending[Any]) -> str:
    verdict = entry.verdict
    said = verdict.decision if verdict.decision == UNSURE else f"{verdict.decision} ({verdict.confidence:.2f})"
    return f"{verdict.judged_by or 'judge'}: {said}" + (f", {verdict.rationale}" if verdict.rationale else "")
