"""Crystal structures from the Crystallography Open Database's REST interface."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from kgnb.errors import shown
from kgnb.lookups.service import JsonService

SHOWN = (
    *("commonname", "chemname", "mineral", "formula", "sg", "a", "b", "c", "alpha", "beta"),
    *("gamma", "vol", "title", "journal", "year", "doi"),
)
MOST = 5


@dataclass(frozen=True)
class CrystallographyOpenDatabase:
    """The Crystallography Open Database, or a mirror of it.

    https://wiki.crystallography.net/RESTful_API/
    """

    url: str = "https://www.crystallography.net/cod"
    service: JsonService = field(
        default_factory=lambda: JsonService("the Crystallography Open Database")
    )

    def cod(self, text: str = "", formula: str = "", doi: str = "") -> dict[str, Any]:
        """Look crystal structures up in the Crystallography Open Database, by words of the title or
        the compound's name, by the whole formula, or by the article's DOI: number, formula, space
        group, cell and article of each.
        """
        given = {"text": text.strip(), "formula": hill(formula), "doi": doi.strip()}
        given = {name: value for name, value in given.items() if value}
        if not given:
            raise ValueError("give a text, a formula or a DOI")
        answer = self.service.answer(f"{self.url}/result?{urlencode({**given, 'format': 'json'})}")
        entries = [] if answer is None else answer
        if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
            came = shown(json.dumps(answer, ensure_ascii=False), 120)
            raise ValueError(f"the database answered in another form than it documents: {came}")
        return {"structures": [self._entry(one) for one in entries[:MOST]], "found": len(entries)}

    def _entry(self, entry: dict[str, Any]) -> dict[str, Any]:
        kept = {name: entry[name] for name in SHOWN if entry.get(name) not in (None, "")}
        if "formula" in kept:
            kept["formula"] = str(kept["formula"]).strip("- ")
        number = str(entry.get("file", ""))
        return {"cod": number, "page": f"{self.url}/{number}.html", **kept}


def hill(formula: str) -> str:
    """A formula as the database writes it: by Hill, the elements apart.

    >>> hill("O2H10N4C8"), hill("Al2 O3")
    ('C8 H10 N4 O2', 'Al2 O3')

    Raises:
        ValueError: it is none.
    """
    plain = re.sub(r"\s", "", formula)
    if not re.fullmatch(r"(?:[A-Z][a-z]?\d{0,4})*", plain):
        fix = "give the sum of its elements, as C8H10N4O2, without brackets and charges"
        raise ValueError(f"{formula[:80]!r}: {fix}")
    counts: dict[str, int] = {}
    for element, number in re.findall(r"([A-Z][a-z]?)(\d*)", plain):
        counts[element] = counts.get(element, 0) + int(number or 1)
    first = ("C", "H") if "C" in counts else ()
    ordered = sorted(counts, key=lambda one: (one not in first, one))
    return " ".join(f"{one}{counts[one] if counts[one] > 1 else ''}" for one in ordered)
