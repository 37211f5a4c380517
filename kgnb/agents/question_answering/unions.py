"""Two things asked at once: "When and where was X born?", "Who are the father and the mother of X?"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from kgnb.agents.question_answering.phrases import AUXILIARIES, PREPOSITIONS, QUESTION_WORDS, says
from kgnb.agents.question_answering.reading import Reading

SURE = 0.5
"""How sure each of the two must be read for them to be answered together."""
TOGETHER = 0.2
"""What it adds to a reading, in log likelihood a word, that it answers both."""
_AND = ("and", "und", "et")
_ARTICLES = ("a", "an", "the")
_LONGEST = 4  # words of what is asked


def halves(sentence: Sequence[str], names: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The two questions a question asks at once; None where it asks one. ``names`` are tokens that name entities.

    >>> halves("When and where was Ann born".split(), {"Ann"})
    (('When', 'was', 'Ann', 'born'), ('where', 'was', 'Ann', 'born'))
    >>> halves("Who are the father and the mother of Ann".split(), {"Ann"})
    (('Who', 'are', 'the', 'father', 'of', 'Ann'), ('Who', 'are', 'the', 'mother', 'of', 'Ann'))
    """
    words = [token for token in sentence if token != "?"]
    low = ["" if token in names else token.lower() for token in words]
    for at in range(1, len(words) - 1):
        if low[at] in _AND:
            return _asked(words, low, at) or _named(words, low, at)
    return None


def _asked(words: list[str], low: list[str], at: int) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Question words joined: "when and where", "in which year and in which city", "who wrote and who directed"."""

    def opens(place: int) -> bool:
        return low[place] in QUESTION_WORDS or (low[place] in PREPOSITIONS and low[place + 1] in QUESTION_WORDS)

    if not opens(0) or at + 2 > len(words) - 1 or not opens(at + 1):
        return None
    ends = (place for place in range(at + 1, len(words)) if low[place] in AUXILIARIES or not low[place])
    end = next(ends, len(words))
    first, second = words[:at], words[at + 1 : end]
    if "" in low[:at] or len(first) > _LONGEST or len(second) > _LONGEST or "" not in low[end:]:
        return None
    return (*first, *words[end:]), (*second, *words[end:])


def _named(words: list[str], low: list[str], at: int) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Nouns or verbs joined: "the father and the mother of X", "X's height and weight", "who wrote and directed X"."""
    bounds = {"", "'s", *_ARTICLES, *AUXILIARIES, *QUESTION_WORDS, *PREPOSITIONS}
    begin = next((place + 1 for place in range(at - 1, -1, -1) if low[place] in bounds), 0)
    after = at + 2 if low[at + 1] in _ARTICLES else at + 1
    end = next((p for p in range(after, len(words)) if low[p] in ("", "'s", ",") or low[p] in PREPOSITIONS), len(words))
    first, second = words[begin:at], words[after:end]
    if not any(map(says, first)) or not any(map(says, second)) or max(len(first), len(second)) > _LONGEST:
        return None
    owned = low[begin - 1 : begin] == ["'s"] and end == len(words)
    follows = "" in low[end:] and "" not in low[:begin] and (end >= len(words) or low[end] in ("", "of", "in", "for"))
    if not (owned or follows) or any(word in AUXILIARIES or word in _AND for word in low[after:end]):
        return None
    return (*words[:begin], *first, *words[end:]), (*words[:begin], *second, *words[end:])


def together(first: Sequence[Reading], second: Sequence[Reading]) -> list[Reading]:
    """The best readings of the two halves as one, where both are plain paths from one entity and surely read."""
    if not first or not second:
        return []
    one, other = (max(found, key=lambda reading: (reading.score, reading.explanation)) for found in (first, second))
    sure = min(one.confidence, other.confidence)
    plain = not (one.type or other.type or one.also or other.also or one.apart or other.apart)
    if not plain or one.start is None or one.start != other.start or one.hops == other.hops or sure < SURE:
        return []
    return [
        replace(
            one,
            further=(other.hops,),
            score=(one.score + other.score) / 2 + TOGETHER,
            confidence=sure,
            explanation=f"{one.explanation}; and {other.explanation}",
        )
    ]
