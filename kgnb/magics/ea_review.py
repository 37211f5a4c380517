"""``%ea review`` without a widget: list what waits, and decide by line. The queue itself is that of ``%om review``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from kgnb.agents.entity_alignment.judging_values import Aligned, Answer
from kgnb.agents.entity_alignment.questions import DIFFERENT, EQUIVALENT, AlignQuestion, Card
from kgnb.agents.entity_alignment.reviewed import EntityDecisions, Reviewed
from kgnb.errors import DataError
from kgnb.results.bundle import count
from kgnb.results.escaping import one_line
from kgnb.results.table import Table
from kgnb.widgets.review import nothing_waits, review_table, suggested, waiting


def decisions_at(path: str) -> EntityDecisions:
    """The file answers are added to; ValueError for one of another kind."""
    if not path.lower().endswith(".jsonl"):
        raise ValueError(f"answers are added to a .jsonl file, and {path} is none")
    return EntityDecisions(path)


@dataclass(frozen=True)
class EntityQueue:
    """What waits for a person. Numbers stay as they are until align runs again."""

    aligned: Aligned
    decisions: EntityDecisions
    below: float = 0.0

    @property
    def entries(self) -> list[tuple[int, Any]]:
        """The questions nobody has answered, with their numbers, those first that are expected to bring most."""
        every: list[Any] = waiting(self.aligned.answers, below=self.below)  # type: ignore[arg-type]  # alike in shape
        verdicts = Reviewed(self.decisions).judge([entry.question for entry in every])
        numbered = enumerate(zip(every, verdicts, strict=True), start=1)
        return [(number, entry) for number, (entry, verdict) in numbered if not verdict.sure]

    def table(self) -> Table:
        """The queue, and how to answer."""
        entries = self.entries
        shown = review_table([entry for _, entry in entries], [number for number, _ in entries])
        decided = len(self.decisions)
        notes = [f"{count(decided, 'decision')} in {self.decisions.path}"] if decided else []
        notes += ["Answer: %ea review --accept # [CHOICE], or --reject #"] if entries else [self.nothing()]
        return replace(shown, notes=notes)

    def nothing(self) -> str:
        """What is said where nothing waits."""
        return nothing_waits(self.aligned.answers, "%ea review", self.below)  # type: ignore[arg-type]  # alike in shape

    def decide(self, action: str, words: Sequence[str], who: str = "") -> str:
        """Takes one decision; what was decided, in a line.

        Raises:
            ValueError: more than an item and a choice is given, or a choice that is not there.
            DataError: the item is not there, or may be several.
        """
        if len(words) > 2:
            raise ValueError(f"--{action} takes an item and a choice; a name with blanks goes into quotes")
        answer = self._item(str(words[0]))
        question: Any = answer.question
        chosen = _choice(str(words[1]), question) if len(words) == 2 else None
        name = question.about.name
        if action == "withdraw":
            self.decisions.withdraw(question, who=who)
            return self._kept(f"{name}: taken back", who)
        if action == "reject":
            if chosen is not None:
                self.decisions.reject(question, chosen.iri, who=who)
                return self._kept(f"{name} is not {chosen.name}", who)
            self.decisions.decide(question, DIFFERENT, who=who)
            return self._kept(f"{name}: none of the {len(question.others)} candidates", who)
        chosen = chosen or question.others[suggested(question, answer.verdict)]
        self.decisions.decide(question, EQUIVALENT, chosen.iri, who=who)
        return self._kept(f"{name}: the same as {chosen.name}", who)

    def _kept(self, what: str, who: str) -> str:
        by = f" ({who})" if who else ""
        return one_line(f"{what}{by}, kept in {self.decisions.path}; {len(self.entries)} left.")

    def _item(self, word: str) -> Answer:
        """The answer an item is about: its number in the queue, or an entity that was asked about."""
        if word.isdigit():
            every = waiting(self.aligned.answers, below=self.below)  # type: ignore[arg-type]
            if not 0 < int(word) <= len(every):
                raise DataError(f"there is no question {word}", where="", fix="%ea review --list shows what waits.")
            wanted: Any = every[int(word) - 1].question
            return next(one for one in self.aligned.answers if one.question is wanted)
        plain = word.strip("<>").casefold()
        found = [
            one
            for one in self.aligned.answers
            if plain in (one.question.about.iri.casefold(), one.question.about.name.casefold())
        ]
        if len(found) == 1:
            return found[0]
        which = ", ".join(one.question.about.iri for one in found[:4])
        what = f"{word!r} may be {which}" if found else f"nothing was asked about {word!r}"
        raise DataError(what, where="", fix="Give its number in %ea review --list, or its IRI.")


def _choice(word: str, question: AlignQuestion) -> Card:
    """The candidate a word names: its number, IRI or name."""
    others = question.others
    if word.isdigit() and 0 < int(word) <= len(others):
        return others[int(word) - 1]
    found = [card for card in others if word.strip("<>").casefold() in (card.iri.casefold(), card.name.casefold())]
    if len(found) != 1:
        names = "; ".join(f"{at}. {card.name}" for at, card in enumerate(others, start=1))
        raise ValueError(f"{word!r} is no candidate of {question.about.name}: choose of {names}")
    return found[0]
