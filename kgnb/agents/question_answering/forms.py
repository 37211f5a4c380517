"""What is made of the values a question asks for: their number, yes or no, the highest of them, those above a bound.

Only words of the language are looked at here, in English, German and French; what they are said of is found by vectors.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kgnb.agents.question_answering.phrases import AUXILIARIES
from kgnb.agents.question_answering.reading import Form

_MOST = {
    "highest": "high", "tallest": "tall", "largest": "large", "biggest": "big", "greatest": "great", "longest": "long",
    "deepest": "deep", "widest": "wide", "heaviest": "heavy", "fastest": "fast", "strongest": "strong",
    "latest": "when", "newest": "when", "youngest": "when", "last": "when", "richest": "rich", "warmest": "warm",
    "hottest": "hot", "steepest": "steep", "hardest": "hard", "dearest": "expensive", "höchste": "high",
    "größte": "large", "längste": "long", "grösste": "large", "tiefste": "deep", "neueste": "when", "jüngste": "when",
    "breiteste": "wide", "schwerste": "heavy", "schnellste": "fast", "stärkste": "strong", "teuerste": "expensive",
}  # fmt: skip
_LEAST = {
    "lowest": "high", "smallest": "large", "shortest": "long", "shallowest": "deep", "lightest": "heavy",
    "slowest": "fast", "earliest": "when", "oldest": "when", "first": "when", "coldest": "warm",
    "cheapest": "expensive",
    "easiest": "hard", "narrowest": "wide", "poorest": "rich", "niedrigste": "high", "kleinste": "large",
    "kürzeste": "long", "älteste": "when", "tiefstgelegene": "high", "leichteste": "heavy", "billigste": "expensive",
    "günstigste": "expensive", "früheste": "when",
}  # fmt: skip
_FRENCH = {
    "haut": "high", "grand": "large", "long": "long", "profond": "deep", "large": "wide", "lourd": "heavy",
    "rapide": "fast", "récent": "when", "jeune": "when", "cher": "expensive", "chère": "expensive", "bas": "-high",
    "basse": "-high", "petit": "-large", "court": "-long", "ancien": "-when", "ancienne": "-when", "vieux": "-when",
    "vieille": "-when", "longue": "long",
}  # fmt: skip
"""After "le plus"; a minus: the least of it."""
_COMPARATIVE = {
    "higher": (">", "high"), "taller": (">", "tall"), "larger": (">", "large"), "bigger": (">", "big"),
    "longer": (">", "long"), "deeper": (">", "deep"), "heavier": (">", "heavy"), "greater": (">", "great"),
    "faster": (">", "fast"), "wider": (">", "wide"), "younger": (">", "when"), "newer": (">", "when"),
    "later": (">", "when"), "lower": ("<", "high"), "smaller": ("<", "large"), "shorter": ("<", "long"),
    "lighter": ("<", "heavy"), "older": ("<", "when"), "earlier": ("<", "when"), "slower": ("<", "fast"),
    "more": (">", ""), "fewer": ("<", ""), "less": ("<", ""), "over": (">", ""), "above": (">", ""),
    "under": ("<", ""), "below": ("<", ""), "exceeding": (">", ""), "after": (">", "when"), "before": ("<", "when"),
}  # fmt: skip
_BEFORE_EXTREMES = ("the", "der", "die", "das", "le", "la", "am", "at")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MANY = (("how", "many"), ("wie", "viele"), ("combien", "de"), ("combien", "d"), ("how", "viele"), ("how", "of"))
_YES_NO = AUXILIARIES | frozenset(["ist", "sind", "war", "hat", "haben", "spricht", "est", "sont", "a-t-il"])


@dataclass(frozen=True)
class Shape:
    """How a question asks: the form of its answer, and the question without the words that said so."""

    form: Form
    sentence: tuple[str, ...]
    measure: str = ""  # "how high is X": what values are ordered or compared by
    operator: str = ""
    bound: str = ""  # the number they are compared with, "" where it is another entity's
    counts: bool = False  # "how many": may also be the value of a relation


def shape_of(sentence: Sequence[str]) -> Shape:
    """The shape of a question.

    >>> shape_of(["How", "many", "beds", "does", "it", "have", "?"]).form
    'count'
    >>> shape_of(["Which", "hut", "is", "the", "highest", "?"])
    Shape(form='most', sentence=('Which', 'hut', 'is'), measure='How high is X?', operator='', bound='', counts=False)
    """
    words = [token for token in sentence if token != "?"]
    low = [token.lower() for token in words]
    for first, second in _MANY:
        for at in range(len(low) - 1):
            if low[at] == first and low[at + 1] == second:
                return Shape("count", (*words[:at], "which", *words[at + 2 :]), counts=True)
    for at in range(len(low) - 2):
        if low[at : at + 2] == ["number", "of"] and low[max(0, at - 1)] in ("the", "number"):
            return Shape("count", ("which", *words[at + 2 :]), counts=True)
    if low and low[0] in _YES_NO and len(low) > 2:
        compared = _compared(words, low)
        if compared is not None:
            return Shape("exists", compared.sentence[1:], compared.measure, compared.operator, compared.bound)
        return Shape("exists", tuple(words[1:]))
    return _compared(words, low, numbers_only=True) or _extreme(words, low) or Shape("values", tuple(words))


def _compared(words: list[str], low: list[str], *, numbers_only: bool = False) -> Shape | None:
    for at, word in enumerate(low):
        if word not in _COMPARATIVE and low[at : at + 2] not in (["at", "least"], ["at", "most"]):
            continue
        two = low[at : at + 2]
        operator, adjective = (
            ((">=", "") if two[1] == "least" else ("<=", "")) if two[0] == "at" else _COMPARATIVE[word]
        )
        end = at + (2 if two[0] == "at" else 1)
        if end < len(low) and low[end] == "than":
            end += 1
        number = _NUMBER.fullmatch(low[end]) if end < len(low) else None
        if number is None:
            if numbers_only or not adjective or low[end - 1] != "than":
                continue
            return Shape("values", (*words[:at], *words[end:]), _how(adjective), operator, "")
        after = words[end + 1 :]
        before = words[:at]
        while before and before[-1].lower() in ("of", "is", "are", "with", "have", "has", "an", "a", "the"):
            before = before[:-1]
        said = [token for token in after if token.lower() not in ("m", "km", "metres", "meters", "kilometres", "years")]
        noun = _noun_before(before)
        measure = _how(adjective) if adjective else f"What is the {' '.join(noun or said) or 'size'} of X?"
        kept = before[: len(before) - len(noun)] if noun and not adjective else before
        return Shape("values", tuple(kept), measure, operator, number[0].replace(",", ""))
    return None


def _noun_before(before: list[str]) -> list[str]:
    """The words after "have a(n)", "has", "with": what is compared; none where the sentence has no such verb."""
    for at in range(len(before) - 1, 0, -1):
        if before[at].lower() in ("have", "has", "with", "of", "having"):
            return [token for token in before[at + 1 :] if token.lower() not in ("a", "an", "the")] and before[at:]
    return []


def _extreme(words: list[str], low: list[str]) -> Shape | None:
    for at, word in enumerate(low):
        form: Form
        if word in ("most", "fewest", "least") and at + 1 < len(low) and low[max(0, at - 1)] != "at":
            form = "most" if word == "most" else "least"
            noun = [token for token in words[at + 1 :] if token.lower() not in AUXILIARIES]
            before = words[: at - 1] if at and low[at - 1] == "the" else words[:at]
            while before and before[-1].lower() in ("has", "have", "with", "is", "are", "does"):
                before = before[:-1]
            return Shape(form, tuple(before), f"What is the {' '.join(noun)} of X?")
        stem = word if word in _MOST or word in _LEAST else re.sub(r"(?<=ste)[nmrs]$", "", word)
        adjective = _MOST.get(stem) or _LEAST.get(stem)
        if word == "plus" and at and low[at - 1] in ("the", "le", "la", "les") and at + 1 < len(low):
            french = _FRENCH.get(low[at + 1]) or _FRENCH.get(re.sub(r"e?s?$", "", low[at + 1]))
            if french:
                before = words[: at - 1]
                how = _how(french.removeprefix("-"))
                return Shape("least" if french[0] == "-" else "most", (*before, *words[at + 2 :]), how)
        if adjective is None or (word in ("first", "last") and at + 1 < len(low) and low[at + 1] in ("name", "to")):
            continue
        before = words[: at - 1] if at and low[at - 1] in _BEFORE_EXTREMES else words[:at]
        if stem != word and low[at - 1 : at] in (["am"], ["at"]) and len(before) > 1:
            before = (
                before[:-1] if low[at - 2] not in AUXILIARIES else before
            )  # "liegt am höchsten": of what it is, not how
        return Shape("most" if stem in _MOST else "least", (*before, *words[at + 1 :]), _how(adjective))
    return None


def _how(adjective: str) -> str:
    return "What is the year or date of X?" if adjective == "when" else f"How {adjective} is X?"
