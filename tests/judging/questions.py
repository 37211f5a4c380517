"""Questions for the tests of judges."""

import hashlib
from dataclasses import dataclass

from kgnb.judging import Option


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
