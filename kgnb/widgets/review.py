"""The review queue: questions for a person, answered by key or button; each answer is saved at
once.
"""

from __future__ import annotations

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import anywidget
import traitlets

from kgnb.judging import UNSURE, Decisions, Pending, Verdict, pending
from kgnb.results.table import Column, LabelledIri, Table, Value

HERE = pathlib.Path(__file__).parent
RELATIONS = ("equivalent", "broader", "narrower", "related")
ACTIONS = (*RELATIONS, "different", "skip", "undo")
WORDS = {action: action for action in (*RELATIONS, "different")}


@dataclass(frozen=True)
class Thing:
    """What a question is about, or a candidate, as shown to a person."""

    name: str
    iri: str = ""
    kind: str = ""  # class, individual, ...
    side: str = ""  # source or target
    in_short: str = ""  # its name, then lines of description
    origin: Any = field(default=None, compare=False)  # what it was made from

    @classmethod
    def of(cls, value: Any) -> Thing:
        """The thing that a value with these attributes is."""
        return cls(value.name, value.iri, value.kind, value.side, value.in_short, value)


def subject(question: Any) -> Thing:
    """What a question is about: its ``about`` if it has one, else its text."""
    about = getattr(question, "about", None)
    return (
        Thing.of(about)
        if about
        else Thing(question.text.partition("\n")[0], in_short=question.text)
    )


def things(question: Any) -> list[Thing]:
    """The candidates of a question: its ``others`` if it has them, else its options."""
    others = getattr(question, "others", None)
    if others is not None:
        return [Thing.of(one) for one in others]
    return [
        Thing(one.text.partition("\n")[0], one.id, in_short=one.text) for one in question.options
    ]


def waiting(judged: Sequence[Any], *, below: float = 0.0) -> list[Pending[Any]]:
    """What a person should review: first what no judge could decide, then verdicts less confident
    than ``below``.

    Each group is sorted by expected gain; that of a verdict is the confidence it lacks.
    """
    undecided = pending([one.question for one in judged], [one.verdict for one in judged])
    shaky = [
        Pending(one.question, one.verdict, round(1 - one.verdict.confidence, 6))
        for one in judged
        if one.verdict.sure and one.verdict.confidence < below
    ]
    return undecided + sorted(shaky, key=lambda one: -one.gain)


def nothing_waits(judged: Sequence[Any], line: str, below: float = 0.0) -> str:
    """The message of an empty queue, with a line that reviews what was decided.

    ``line`` is the verb that reviews, and ``below`` the confidence that kept verdicts out of the
    queue; the bound in the suggested line is high enough to show some.
    """
    if not judged:
        return "Nothing to review: no question was asked."
    all_of_them = (
        "the only question is" if len(judged) == 1 else f"all {len(judged):,} questions are"
    )
    said = f"Nothing to review: {all_of_them} decided."
    left = [
        one.verdict.confidence
        for one in judged
        if one.verdict.sure and below <= one.verdict.confidence < 1
    ]
    if not left:
        return f"{said} No verdict has a confidence below {'1' if below < 1 else f'{below:g}'}."
    bound = next(step / 100 for step in range(90, 101) if step / 100 > min(left))
    return f"{said} To review verdicts with a confidence below {bound:g}: {line} --below {bound:g}"


class ReviewQueue:
    """One pass through the waiting questions. Every answer is saved before the next question is
    shown.

    A front end shows ``view()`` and calls ``act``. An answer to a question other than the current
    one (a key pressed twice) changes nothing.
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
        self.nothing = nothing  # the message if there are no entries
        self.words = dict(words)  # the decision each action stands for
        self.decisions = decisions
        self.who = who
        self.answers: dict[str, tuple[str, str | None]] = {}
        self._skipped: set[str] = set()
        self._done: list[int] = []  # answered positions, for undo
        self._at = 0
        self._said = ""

    @property
    def current(self) -> Pending[Any] | None:
        """The current question; None when all are answered."""
        return self.entries[self._at] if len(self.answers) < len(self.entries) else None

    def act(self, action: str, choice: int = -1, question: str = "") -> None:
        """Takes an answer: a relation with the index of the chosen candidate, "different", "skip"
        or "undo".

        Raises:
            ValueError: there is no such action or candidate.
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
        """What a front end shows, as plain JSON: one question at a time, so that a saved notebook
        stays small.
        """
        entry = self.current
        return {
            "total": len(self.entries),
            "decided": len(self.answers),
            "skipped": len(self._skipped),
            "done": entry is None,
            "undoable": bool(self._done),
            "said": self._said,
            "question": _shown(subject(entry.question)) | {"id": entry.question.id}
            if entry
            else None,
            "candidates": _candidates(entry.question) if entry else [],
            "chosen": suggested(entry.question, entry.verdict) if entry else -1,
            "hint": self._hint(),
        }

    def _hint(self) -> str:
        if (entry := self.current) is not None:
            return _hint(entry)
        return (
            self.nothing if not self.entries else ""
        ) or f"Decisions are saved in {self.decisions.path}."

    def _decide(self, question: Any, action: str, choice: int) -> None:
        chosen = None
        if action not in self.words:
            raise ValueError(f"{action} is not possible here: a candidate fits, or none does")
        if action in RELATIONS:
            if not 0 <= choice < len(things(question)):
                raise ValueError(
                    f"there is no candidate {choice + 1}: this question has {len(things(question))}"
                )
            chosen = things(question)[choice]
        self.decisions.decide(
            question, self.words[action], chosen.iri if chosen else None, who=self.who
        )
        self.answers[question.id] = (action, chosen.iri if chosen else None)
        self._skipped.discard(question.id)
        self._done.append(self._at)
        self._say(
            action.capitalize(),
            subject(question).name,
            chosen.name if chosen else "none of the candidates",
        )

    def _undo(self) -> None:
        if not self._done:
            return
        self._at = self._done.pop()
        question = self.entries[self._at].question
        self.decisions.withdraw(question, who=self.who)
        self.answers.pop(question.id, None)
        self._say("Taken back", subject(question).name)

    def _advance(self) -> None:
        """Moves to the next question that is neither answered nor skipped, else to a skipped one."""
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
    """The review queue in a notebook."""

    _esm = HERE / "review.js"
    _css = HERE / "review.css"
    view = traitlets.Dict().tag(sync=True)

    def __init__(self, queue: ReviewQueue, **kwargs: Any) -> None:
        self.queue = queue
        super().__init__(view=queue.view(), **kwargs)
        self.on_msg(self._message)

    def _message(self, _: object, content: Any, __: object) -> None:
        """Takes an answer from the front end; any other message changes nothing."""
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
    """The waiting questions as a plain table; each row opens to the evidence of both sides.

    ``numbers`` are those of the entries; by default 1, 2, 3 ...
    """
    columns = [
        Column("number", "#", "number"),
        Column("side", "asked from"),
        Column("name", "entity", "iri"),
        Column("candidates", "candidates"),
        Column("said", "verdict"),
        Column("gain", "expected gain", "number"),
    ]
    abouts = [subject(entry.question) for entry in entries]
    rows: list[list[Value]] = [
        [
            number,
            about.side,
            LabelledIri(about.iri, about.name) if about.iri else about.name,
            "; ".join(
                f"{at}. {other.name}" for at, other in enumerate(things(entry.question), start=1)
            ),
            _hint(entry),
            entry.gain,
        ]
        for number, entry, about in zip(
            numbers or range(1, len(entries) + 1), entries, abouts, strict=True
        )
    ]
    details = [_evidence(entry.question) for entry in entries]
    return Table(columns, rows, caption="Questions for a person", details=details)


def _evidence(question: Any) -> list[tuple[str, str]]:
    """The entity in question, then each candidate with its evidence."""
    about = subject(question)
    shown = [(f"{about.name} <{about.iri}>" if about.iri else about.name, about.in_short)]
    for at, (why, other) in enumerate(
        zip(_reasons(question), things(question), strict=True), start=1
    ):
        shown.append((f"{at}. {other.name} <{other.iri}>", f"{other.in_short}\n{why}".rstrip()))
    return shown


def _reasons(question: Any) -> list[str]:
    """The evidence for each candidate; "" if there is none."""
    candidates = getattr(question, "candidates", None)
    if candidates is None:
        return [""] * len(things(question))
    return [
        "; ".join(f"{one.kind}: {one.text}" for one in candidate.evidence)
        for candidate in candidates
    ]


def _candidates(question: Any) -> list[dict[str, str]]:
    """Each candidate as shown, with its evidence."""
    return [
        _shown(other) | {"why": why}
        for why, other in zip(_reasons(question), things(question), strict=True)
    ]


def _shown(description: Thing) -> dict[str, str]:
    return {
        "name": description.name,
        "iri": description.iri,
        "kind": description.kind,
        "side": description.side,
        "text": "\n".join(description.in_short.splitlines()[1:]),
    }


def suggested(question: Any, verdict: Verdict) -> int:
    """The candidate marked at first: the judge's choice or most likely one, else the best ranked."""
    likely = verdict.choice or next(iter(verdict.also), ("", 0.0))[0]
    return next((at for at, other in enumerate(things(question)) if other.iri == likely), 0)


def _hint(entry: Pending[Any]) -> str:
    verdict = entry.verdict
    said = (
        verdict.decision
        if verdict.decision == UNSURE
        else f"{verdict.decision} ({verdict.confidence:.2f})"
    )
    return f"{verdict.judged_by or 'judge'}: {said}" + (
        f", {verdict.rationale}" if verdict.rationale else ""
    )
