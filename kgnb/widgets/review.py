"""The review: an agent's questions and verdicts as rows, decided by key or button, one or many at
once; each decision is saved at once, and what follows is run when a person applies them.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import anywidget
import traitlets
from pydantic import BaseModel

from kgnb.errors import KgnbError
from kgnb.judging import (
    Decision,
    Decisions,
    Judge,
    Pending,
    PersonJudge,
    Verdict,
    pending,
)
from kgnb.results.bundle import count
from kgnb.results.table import Column, LabelledIri, Table, TableRows
from kgnb.results.wording import percent

HERE = pathlib.Path(__file__).parent
RELATIONS = ("equivalent", "broader", "narrower", "related")
WORDS = {action: action for action in (*RELATIONS, "different")}
SAID = {"different": "None fits", "reject": "Not this one", "withdraw": "Open again"}
MOST_ROWS = 1000  # of a review: answer these, then apply
_MEASURE = re.compile(r"-?[\d.]+(e-?\d+)?")


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
        return f"{said} No verdict is less sure than {max(below, 1):g}."
    bound = next(step / 100 for step in range(90, 101) if step / 100 > min(left))
    return f"{said} To review verdicts less sure than {bound:g}: {line} --below {bound:g}"


class ReviewQueue:
    """The questions and verdicts of an agent as rows that people decide, one or many at once.

    A front end shows ``rows``, ``decided`` and ``view`` and calls ``act``. A decision is saved before
    ``act`` returns; ``apply`` runs what follows from the decisions, and returns the new answers.

    Args:
        settled: answers questions as people have decided them.
        below: the confidence below which a verdict waits for a person, as an unsure one does.
        nothing: the message where nothing waits.
        words: the decision that each action stands for.
    """

    def __init__(
        self,
        answers: Sequence[Any],
        decisions: Decisions,
        settled: Callable[[Decisions], Judge[Any]] = PersonJudge,
        *,
        who: str = "",
        below: float = 0.0,
        nothing: str = "",
        words: Mapping[str, str] = WORDS,
        apply: Callable[[], Sequence[Any]] | None = None,
    ) -> None:
        self.decisions, self.who, self.nothing, self.words = decisions, who, nothing, dict(words)
        self._settled, self._below, self._apply = settled, below, apply
        self._done: list[list[tuple[Any, Decision | None]]] = []  # what stood before each action
        self._said = ""
        # actions that were applied, and decisions that were not yet
        self._applied = self.changed = 0
        self.take(answers)

    def take(self, answers: Sequence[Any]) -> None:
        """Shows these answers: first what waits, by expected gain, then the least confident."""
        first = waiting(answers, below=self._below)
        self.waits = {entry.question.id for entry in first}
        rest = [
            Pending(one.question, one.verdict, 0.0)
            for one in answers
            if one.question.id not in self.waits
        ]
        self.entries = [*first, *sorted(rest, key=lambda entry: entry.verdict.confidence)]
        self.by_id = {entry.question.id: entry for entry in self.entries[:MOST_ROWS]}

    def rows(self) -> list[dict[str, Any]]:
        """Every question with the judge's verdict, as plain JSON."""
        return [
            {
                **_shown(subject(entry.question)),
                "id": entry.question.id,
                "candidates": [other.name for other in things(entry.question)],
                "choice": suggested(entry.question, entry.verdict),
                "decision": entry.verdict.decision,
                "confidence": entry.verdict.confidence,
                "by": entry.verdict.judged_by,
                "why": entry.verdict.rationale,
                "waits": entry.question.id in self.waits,
            }
            for entry in self.by_id.values()
        ]

    def decided(self) -> dict[str, dict[str, Any]]:
        """What people have decided, by question, with who and when."""
        questions = [entry.question for entry in self.by_id.values()]
        standing = self.decisions.standing()
        found = {}
        for question, verdict in zip(
            questions, self._settled(self.decisions).judge(questions), strict=True
        ):
            kept = standing.get(question.id)
            if verdict.sure or kept is not None:
                iris = [other.iri for other in things(question)]
                some = kept is not None and kept.choice is None and len(kept.offered) < len(iris)
                found[question.id] = {
                    "decision": SAID["reject"].lower() if some else verdict.decision,
                    "choice": iris.index(verdict.choice) if verdict.choice in iris else -1,
                    "who": kept.who if kept else verdict.judged_by.partition(":")[2],
                    "when": kept.when if kept else "",
                }
        return found

    def view(self) -> dict[str, Any]:
        """What stands around the rows, as plain JSON."""
        return {
            "said": self._said,
            "nothing": self.nothing,
            "undoable": bool(self._done),
            "changed": self.changed,
            "words": self.words,
            "rejects": type(self.decisions).reject is not Decisions.reject,
            "applies": self._apply is not None,
            "file": str(self.decisions.path),
            "left_out": len(self.entries) - len(self.by_id),
        }

    def act(self, action: str, questions: Sequence[str] = (), choices: Sequence[int] = ()) -> None:
        """Takes a decision on these questions: a relation with the place of the candidate of each
        (left out: the one the judge suggests), "different", "reject" (only this candidate is wrong), or
        "withdraw"; or "undo", which takes back the last action.

        Raises:
            ValueError: there is no such action or candidate; then nothing is decided.
        """
        if action == "undo":
            self._undo()
            return
        if action not in (*self.words, "reject", "withdraw"):
            raise ValueError(
                f"{action!r} is not possible here: choose {', '.join((*self.words, 'undo'))}"
            )
        places = dict(zip(questions, choices, strict=False))
        entries = [self.by_id[one] for one in questions if one in self.by_id]
        chosen = [self._choice(action, one, places.get(one.question.id)) for one in entries]
        before = self.decisions.standing()
        for entry, iri in zip(entries, chosen, strict=True):
            self._decide(action, entry.question, iri)
        if entries:
            done = [(entry.question, before.get(entry.question.id)) for entry in entries]
            self._done.append(done)
            self.changed += len(entries)
            names = ", ".join(subject(entry.question).name for entry in entries[:3])
            more = f" and {len(entries) - 3:,} more" if len(entries) > 3 else ""
            self._said = f"{SAID.get(action, self.words.get(action, action))}: {names}{more}."

    def apply(self) -> None:
        """Runs what follows from the decisions."""
        if self._apply is not None:
            self.take(self._apply())
            self._said = f"Applied {count(self.changed, 'decision')}."
            self.changed, self._applied = 0, len(self._done)

    def _choice(self, action: str, entry: Pending[Any], place: int | None) -> str | None:
        """The IRI of the candidate that an action is about; None if it is about none."""
        if action in ("different", "withdraw"):
            return None
        others = things(entry.question)
        place = suggested(entry.question, entry.verdict) if place is None else place
        if not 0 <= place < len(others):
            raise ValueError(
                f"{subject(entry.question).name} has no candidate {place + 1}: "
                "none fits, or leave it open"
            )
        return others[place].iri

    def _decide(self, action: str, question: Any, chosen: str | None) -> None:
        if action == "withdraw":
            self.decisions.withdraw(question, who=self.who)
        elif action == "reject":
            self.decisions.reject(question, str(chosen), who=self.who)
        else:
            self.decisions.decide(question, self.words[action], chosen, who=self.who)

    def _undo(self) -> None:
        """Takes back the last action: what stood before it stands again."""
        if not self._done:
            return
        last = self._done.pop()
        for question, before in last:
            if before is None or before.decision is None:
                self.decisions.withdraw(question, who=self.who)
            else:
                self.decisions.decide(
                    question,
                    before.decision,
                    before.choice,
                    who=before.who,
                    note=before.note,
                    offered=before.offered,
                )
        # what was applied is to be applied once more
        self.changed += len(last) if len(self._done) < self._applied else -len(last)
        self._applied = min(self._applied, len(self._done))
        self._said = f"Taken back: {', '.join(subject(one).name for one, _ in last[:3])}."


class _Message(BaseModel):
    """What the front end sends: an action, the questions it is about, the candidate of each."""

    action: str
    questions: list[str] = []
    choices: list[int] = []


class ReviewWidget(anywidget.AnyWidget):
    """The review in a notebook; what applying it printed and returned stands in ``output``."""

    _esm = HERE / "review.js"
    _css = HERE / "review.css"
    rows: Any = traitlets.List().tag(sync=True)
    decided = traitlets.Dict().tag(sync=True)
    view = traitlets.Dict().tag(sync=True)
    detail = traitlets.Dict().tag(sync=True)
    who = traitlets.Unicode().tag(sync=True)

    def __init__(self, queue: ReviewQueue, tell: Callable[[], None] = lambda: None) -> None:
        """``tell`` is called after every decision."""
        self.queue, self.tell = queue, tell
        super().__init__(
            rows=queue.rows(), decided=queue.decided(), view=queue.view(), who=queue.who
        )
        self.on_msg(self._message)

    def _message(self, _: object, content: Any, __: object) -> None:
        """Takes an action from the front end; any other message changes nothing."""
        try:
            message = _Message(**content)
        except (TypeError, ValueError):
            return
        self.queue.who, said = self.who.strip(), ""
        try:
            if message.action == "open":
                for question, place in zip(message.questions, message.choices, strict=False):
                    self._open(question, place)
                return
            if message.action == "apply":
                self.queue.apply()
                self.rows, self.detail = self.queue.rows(), {}
            else:
                self.queue.act(message.action, message.questions, message.choices)
        except (ValueError, KgnbError) as error:
            said = str(error)
        self.decided = self.queue.decided()
        self.view = self.queue.view() | ({"said": said} if said else {})
        self.tell()

    def _open(self, question: str, place: int) -> None:
        """Shows a question and one of its candidates side by side."""
        entry = self.queue.by_id.get(question)
        if entry is not None:
            both = [subject(entry.question), *things(entry.question)[place:][:1]]
            self.detail = {
                "id": question,
                "names": [thing.name for thing in both],
                "iris": [thing.iri for thing in both],
                "lines": [
                    *side_by_side(entry.question, place),
                    ["why", "", "", entry.verdict.rationale],
                ],
            }

    def __repr__(self) -> str:
        return f"ReviewWidget({len(self.decided)} of {len(self.rows)} decided)"


class WithTable:
    """A widget, and the same as a table where no widget is shown."""

    def __init__(self, widget: Any, table: Table) -> None:
        self.widget, self.table = widget, table

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        shown: dict[str, Any] = self.widget._repr_mimebundle_()
        return shown | self.table._repr_mimebundle_()


def side_by_side(question: Any, place: int) -> list[list[str]]:
    """What is known of the thing in question and of a candidate, if there is one: name, both
    values, how they agree.
    """
    mine = _facts(subject(question))
    yours = next(map(_facts, things(question)[place:]), {})
    candidates = getattr(question, "candidates", None)
    agreed = dict(_evidence(candidates[place])) if candidates else {}
    pairs = dict(kind.split(" ~ ", 1) for kind in agreed if " ~ " in kind)
    told = set[str]()
    lines = []
    for name, value in mine.items():
        other = pairs.get(name, name)
        both = f"{name} ~ {other}" if name in pairs else name
        theirs = yours.get(other, "")
        same = theirs and " ".join(theirs.split()).casefold() == " ".join(value.split()).casefold()
        lines.append([both, value, theirs, agreed.pop(both, "equal" if same else "")])
        told.add(other)
    lines += [[name, "", value, ""] for name, value in yours.items() if name not in told]
    return lines + [[kind, "", "", text] for kind, text in agreed.items()]


def _facts(thing: Thing) -> dict[str, str]:
    """The lines about a thing by what each is about; those of one kind are joined."""
    found: dict[str, str] = {}
    for line in thing.in_short.splitlines()[1:]:
        name, colon, value = line.partition(": ")
        name, value = (name, value) if colon else ("", line)
        found[name] = f"{found[name]}; {value}" if name in found else value
    return found


def _evidence(candidate: Any) -> list[tuple[str, str]]:
    """What speaks for or against a candidate, without measures that say nothing to a person."""
    return [(one.kind, one.text) for one in candidate.evidence if not _MEASURE.fullmatch(one.text)]


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
    rows: TableRows = [
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
    details = [_details(entry.question) for entry in entries]
    return Table(columns, rows, caption="Questions for a person", details=details)


def _details(question: Any) -> list[tuple[str, str]]:
    """The thing in question, then each candidate with its evidence."""
    about = subject(question)
    shown = [(f"{about.name} <{about.iri}>" if about.iri else about.name, about.in_short)]
    candidates = getattr(question, "candidates", None)
    for place, other in enumerate(things(question)):
        why = "; ".join(map(": ".join, _evidence(candidates[place]))) if candidates else ""
        shown.append(
            (f"{place + 1}. {other.name} <{other.iri}>", f"{other.in_short}\n{why}".rstrip())
        )
    return shown


def _shown(thing: Thing) -> dict[str, str]:
    return {"name": thing.name, "iri": thing.iri, "kind": thing.kind, "side": thing.side}


def suggested(question: Any, verdict: Verdict) -> int:
    """The candidate marked at first: the judge's choice or most likely one, else the best ranked."""
    likely = verdict.choice or next(iter(verdict.also), ("", 0.0))[0]
    return next((at for at, other in enumerate(things(question)) if other.iri == likely), 0)


def _hint(entry: Pending[Any]) -> str:
    verdict = entry.verdict
    sure = f" ({percent(verdict.confidence)} sure)" if verdict.sure else ""
    why = f", {verdict.rationale}" if verdict.rationale else ""
    return f"{verdict.judged_by or 'judge'}: {verdict.decision}{sure}{why}"
