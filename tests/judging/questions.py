"""Questions for the tests of judges."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from kgnb.judging import Option, Verdict


@dataclass(frozen=True)
class Ask:
    """A question whose id is made of its texts."""

    text: str
    options: tuple[Option, ...]

    @property
    def id(self) -> str:
        content = "\n".join([self.text, *(option.text for option in self.options)])
        return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:12]


def ask(text: str, *options: str) -> Ask:
    """A question whose options' ids are their texts behind "b#"."""
    return Ask(text, tuple(Option(f"b#{option}", option) for option in options))


BUNK = ask("class Bunk", "Bed", "Route", "Warden")
KEEPER = ask("class Keeper", "Warden", "Guest")
STORM = ask("class Storm", "Meal", "Path")
ALL = (BUNK, KEEPER, STORM)


class Table:
    """A judge that answers by the question's text; what is not in its table is surely none of the
    options.
    """

    def __init__(self, name: str, verdicts: dict[str, Verdict]) -> None:
        self.name = name
        self.verdicts = verdicts
        self.asked: list[str] = []

    def judge(self, questions: Sequence[Ask]) -> list[Verdict]:
        self.asked += [question.text for question in questions]
        return [
            self.verdicts.get(question.text, Verdict("different", None, 1.0))
            for question in questions
        ]
