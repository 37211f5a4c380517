"""What is made of the values a question asks for: their number, yes or no, the highest of them, those above a bound.

Only words of the language are looked at here, in English, German and French; what they are said of is found by vectors.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from kgnb.agents.question_answering.phrases import AUXILIARIES, PREPOSITIONS, says
from kgnb.agents.question_answering.reading import Form

_MOST = {
    "highest": "high", "tallest": "tall", "largest": "large", "biggest": "big", "greatest": "great", "longest": "long",
    "deepest": "deep", "widest": "wide", "heaviest": "heavy", "fastest": "fast", "strongest": "strong",
    "latest": "when", "newest": "new", "youngest": "new", "last": "when", "richest": "rich", "warmest": "warm",
    "hottest": "hot", "steepest": "steep", "hardest": "hard", "dearest": "expensive", "höchste": "high",
    "größte": "large", "längste": "long", "grösste": "large", "tiefste": "deep", "neueste": "new", "jüngste": "new",
    "breiteste": "wide", "schwerste": "heavy", "schnellste": "fast", "stärkste": "strong", "teuerste": "expensive",
}  # fmt: skip
_LEAST = {
    "lowest": "high", "smallest": "large", "shortest": "long", "shallowest": "deep", "lightest": "heavy",
    "slowest": "fast", "earliest": "when", "oldest": "new", "first": "when", "coldest": "warm",
    "cheapest": "expensive",
    "easiest": "hard", "narrowest": "wide", "poorest": "rich", "niedrigste": "high", "kleinste": "large",
    "kürzeste": "long", "älteste": "new", "tiefstgelegene": "high", "leichteste": "heavy", "billigste": "expensive",
    "günstigste": "expensive", "früheste": "when",
}  # fmt: skip
_FRENCH = {
    "haut": "high", "grand": "large", "long": "long", "profond": "deep", "large": "wide", "lourd": "heavy",
    "rapide": "fast", "récent": "new", "jeune": "new", "cher": "expensive", "chère": "expensive", "bas": "-high",
    "basse": "-high", "petit": "-large", "court": "-long", "ancien": "-new", "ancienne": "-new", "vieux": "-new",
    "vieille": "-new", "longue": "long",
}  # fmt: skip
"""After "le plus"; a minus: the least of it."""
_COMPARATIVE = {
    "higher": (">", "high"), "taller": (">", "tall"), "larger": (">", "large"), "bigger": (">", "big"),
    "longer": (">", "long"), "deeper": (">", "deep"), "heavier": (">", "heavy"), "greater": (">", "great"),
    "faster": (">", "fast"), "wider": (">", "wide"), "younger": (">", "new"), "newer": (">", "new"),
    "later": (">", "when"), "lower": ("<", "high"), "smaller": ("<", "large"), "shorter": ("<", "long"),
    "lighter": ("<", "heavy"), "older": ("<", "new"), "earlier": ("<", "when"), "slower": ("<", "fast"),
    "more": (">", ""), "fewer": ("<", ""), "less": ("<", ""), "over": (">", ""), "above": (">", ""),
    "under": ("<", ""), "below": ("<", ""), "exceeding": (">", ""), "after": (">", "when"), "before": ("<", "when"),
    "since": (">=", "when"), "until": ("<=", "when"), "colder": ("<", "warm"), "warmer": (">", "warm"),
    "cheaper": ("<", "expensive"), "dearer": (">", "expensive"), "steeper": (">", "steep"),
    "höher": (">", "high"), "länger": (">", "long"), "größer": (">", "large"), "grösser": (">", "large"),
    "tiefer": (">", "deep"), "kleiner": ("<", "large"), "kürzer": ("<", "long"), "älter": ("<", "new"),
    "jünger": (">", "new"), "mehr": (">", ""), "weniger": ("<", ""), "nach": (">", "when"), "vor": ("<", "when"),
}  # fmt: skip
_BEFORE_EXTREMES = ("the", "der", "die", "das", "le", "la", "am", "at")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_YEAR = re.compile(r"[12]\d{3}")
_MANY = (("how", "many"), ("wie", "viele"), ("combien", "de"), ("combien", "d"), ("how", "viele"), ("how", "of"))
_YES_NO = AUXILIARIES | frozenset(["ist", "sind", "war", "hat", "haben", "spricht", "est", "sont", "a-t-il"])
_UNITS = frozenset(
    ["m", "km", "metres", "meters", "kilometres", "kilometers", "years", "feet", "miles", "minutes", "%"]
)
_THAN = ("than", "als", "que")
_HANGING = PREPOSITIONS | AUXILIARIES | frozenset(["a", "an", "the", "having", "that", "which", "who"])
NEW = "When was X born, founded or made?"
"""What "older" and "newest" compare: when something began, not when it ended."""


@dataclass(frozen=True)
class Shape:
    """How a question asks: the form of its answer, and the question without the words that said so."""

    form: Form
    sentence: tuple[str, ...]
    measure: str = ""  # "How high is X?": what values are ordered or compared by
    operator: str = ""
    bound: str = ""  # the number they are compared with, "" where it is another entity's
    counts: bool = False  # "how many": may also be the value of a relation
    noun: tuple[str, ...] = ()  # what there is most of, or more of
    either: bool = False  # one of the entities named is asked for: "which is higher, A or B?"


def shape_of(sentence: Sequence[str], names: Collection[str] = ()) -> Shape:
    """The shape of a question; ``names`` are those of its tokens that name entities.

    >>> shape_of(["How", "many", "beds", "does", "it", "have", "?"]).form
    'count'
    >>> shape = shape_of(["Which", "hut", "is", "the", "highest", "?"])
    >>> shape.form, shape.sentence, shape.measure
    ('most', ('Which', 'hut'), 'How high is X?')
    """
    words = [token for token in sentence if token != "?"]
    low = ["" if token in names else token.lower() for token in words]
    for first, second in _MANY:
        for at in range(len(low) - 1):
            if low[at] == first and low[at + 1] == second:
                return _counted([*words[:at], "which", *words[at + 2 :]], names)
    for at in range(len(low) - 2):
        if low[at : at + 2] == ["number", "of"] and low[max(0, at - 1)] in ("the", "number"):
            return _counted(["which", *words[at + 2 :]], names)
    if words and words[0].lower() in _YES_NO and len(low) > 2:
        compared = _compared(words, low, names)
        if compared is not None:
            opens = compared.sentence[:1] == (words[0],)
            return replace(compared, form="exists", sentence=compared.sentence[1:] if opens else compared.sentence)
        return Shape("exists", tuple(words[1:]))
    found = _either(words, low, names) or _bounded(words, low, names) or _extreme(words, low, names)
    return found or Shape("values", tuple(words))


def _counted(words: list[str], names: Collection[str]) -> Shape:
    low = ["" if token in names else token.lower() for token in words]
    bounded = _bounded(words, low, names)
    return replace(bounded, form="count", counts=True) if bounded else Shape("count", tuple(words), counts=True)


def _comparing(low: Sequence[str], at: int) -> tuple[str, str, int] | None:
    """The operator, the adjective, and where the words that say so end."""
    if low[at : at + 2] in (["at", "least"], ["at", "most"]):
        return (">=" if low[at + 1] == "least" else "<=", "", at + 2)
    if low[at] not in _COMPARATIVE:
        return None
    operator, adjective = _COMPARATIVE[low[at]]
    end = at + 1
    return operator, adjective, end + 1 if end < len(low) and low[end] in _THAN else end


def _bounded(words: list[str], low: list[str], names: Collection[str]) -> Shape | None:
    """Values above or below a number, or of a year."""
    for at, word in enumerate(low):
        if word == "in" and at + 1 < len(low) and _YEAR.fullmatch(low[at + 1]):
            kept = _trimmed(words[:at]) + words[at + 2 :]
            return Shape("values", tuple(kept), _when(kept, names), "in", low[at + 1])
        compared = _comparing(low, at)
        if compared is None:
            continue
        operator, adjective, end = compared
        number = _NUMBER.fullmatch(low[end]) if end < len(low) else None
        if number is None:
            continue
        rest = words[end + 1 :]
        while rest and rest[0].lower() in _UNITS:
            rest = rest[1:]
        before = _trimmed(words[:at])
        bound = number[0].replace(",", "")
        if adjective:
            kept = before + rest
            return Shape("values", tuple(kept), _how(adjective, kept, names), operator, bound)
        said, rest = _noun(rest, names)
        if not said:
            noun = _noun_before(words[:at])
            before, said = words[: at - len(noun)], [word for word in noun if word.lower() not in _HANGING]
        measure = f"What is the {' '.join(said) or 'size'} of X?"
        return Shape("values", tuple(_trimmed(before) + rest), measure, operator, bound, noun=tuple(said))
    return None


def _compared(words: list[str], low: list[str], names: Collection[str]) -> Shape | None:
    """Whether something is more than a number, or than something else."""
    bounded = _bounded(words, low, names)
    if bounded is not None:
        return bounded
    for at in range(1, len(low)):
        compared = _comparing(low, at)
        if compared is None:
            continue
        operator, adjective, end = compared
        between = [token for token in words[at + 1 : end]] + words[end:]
        if low[end - 1] in _THAN or (adjective == "when" and end < len(words) and words[end] in names):
            return Shape("values", (*words[:at], *words[end:]), _how(adjective, words[:at], names), operator)
        if not adjective and any(token.lower() in _THAN for token in between):
            noun, rest = _noun(words[at + 1 :], names, stop=_THAN)
            return Shape("values", (*words[:at], *rest[1:]), f"What is the {' '.join(noun)} of X?", operator,
                         noun=tuple(noun))  # fmt: skip
    return None


def _either(words: list[str], low: list[str], names: Collection[str]) -> Shape | None:
    """Which of some entities has more of something: "which is higher, A or B?"."""
    places = [at for at, token in enumerate(words) if token in names]
    joined = any(
        token in ("or", "oder", "ou") and any(p < at for p in places) and any(p > at for p in places)
        for at, token in enumerate(low)
    )
    if len(places) < 2 or not joined:
        return None
    for at in range(len(low)):
        compared = _comparing(low, at)
        if compared is not None:
            operator, adjective, end = compared
            noun = [] if adjective else _noun(words[end:], names)[0]
            kept = [*words[:at], *words[end + len(noun) :]]
            measure = _how(adjective, kept, names) if adjective else f"What is the {' '.join(noun)} of X?"
            return Shape("most" if operator[0] == ">" else "least", tuple(kept), measure, noun=tuple(noun), either=True)
    extreme = _extreme(words, low, names)
    return replace(extreme, either=True) if extreme else None


def _noun(words: Sequence[str], names: Collection[str], stop: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """The noun that words begin with, and the words after it."""
    end = 0
    while end < len(words) and words[end] not in names and words[end] not in (",", "."):
        if words[end].lower() in _HANGING or words[end].lower() in stop:
            break
        end += 1
    return list(words[:end]), list(words[end:])


def _noun_before(before: list[str]) -> list[str]:
    """The words after "have a(n)", "has", "with": what is compared; none where the sentence has no such verb."""
    for at in range(len(before) - 1, 0, -1):
        if before[at].lower() in ("have", "has", "with", "having"):
            return before[at:]
    return []


def _trimmed(words: list[str]) -> list[str]:
    """Words without those at their end that led to what was cut off."""
    while len(words) > 1 and words[-1].lower() in _HANGING - {"that", "which", "who"}:
        words = words[:-1]
    return words


def _extreme(words: list[str], low: list[str], names: Collection[str]) -> Shape | None:
    for at, word in enumerate(low):
        form: Form
        if word in ("most", "fewest", "least") and at + 1 < len(low) and low[max(0, at - 1)] != "at":
            form = "most" if word == "most" else "least"
            noun, rest = _noun(words[at + 1 :], names)
            before = _trimmed(words[: at - 1] if at and low[at - 1] == "the" else words[:at])
            return Shape(form, (*before, *rest), f"What is the {' '.join(noun)} of X?", noun=tuple(noun))
        stem = word if word in _MOST or word in _LEAST else re.sub(r"(?<=ste)[nmrs]$", "", word)
        adjective = _MOST.get(stem) or _LEAST.get(stem)
        if word == "plus" and at and low[at - 1] in ("the", "le", "la", "les") and at + 1 < len(low):
            french = _FRENCH.get(low[at + 1]) or _FRENCH.get(re.sub(r"e?s?$", "", low[at + 1]))
            if french:
                kept = [*words[: at - 1], *words[at + 2 :]]
                how = _how(french.removeprefix("-"), kept, names)
                return Shape("least" if french[0] == "-" else "most", tuple(kept), how)
        if adjective is None or (word in ("first", "last") and at + 1 < len(low) and low[at + 1] in ("name", "to")):
            continue
        if word in ("first", "last") and at + 1 == len(low) and words[at - 1] in names:
            continue  # "who climbed X first" asks for no first one of several
        before = words[: at - 1] if at and low[at - 1] in _BEFORE_EXTREMES else words[:at]
        if stem != word and low[at - 1 : at] in (["am"], ["at"]) and len(before) > 1:
            before = (
                before[:-1] if low[at - 2] not in AUXILIARIES else before
            )  # "liegt am höchsten": of what it is, not how
        rest = words[at + 1 :]
        by = next((place for place, token in enumerate(rest) if token.lower() in ("by", "nach")), None)
        how = _how(adjective, [*before, *rest], names)
        if by is not None and rest[by + 1 :] and not any(token in names for token in rest[by + 1 :]):
            how, rest = f"What is the {' '.join(rest[by + 1 :])} of X?", rest[:by]  # "the largest city by population"
        elif low[max(0, at - 2) : at] in (["has", "the"], ["have", "the"], ["with", "the"]):
            noun, rest = _noun(rest, names)  # "which city has the largest population"
            how = f"What is the {' '.join(noun)} of X?" if noun else how
        return Shape("most" if stem in _MOST else "least", (*_trimmed(before), *rest), how)
    return None


def _how(adjective: str, kept: Sequence[str] = (), names: Collection[str] = ()) -> str:
    if adjective == "new":
        return NEW
    return _when(kept, names) if adjective == "when" else f"How {adjective} is X?"


def _when(kept: Sequence[str], names: Collection[str]) -> str:
    """When what the other words say happened."""
    said = [token.lower() for token in kept if token not in names and says(token)]
    return f"When was X {' '.join(said)}?" if said else "What is the date of X?"
