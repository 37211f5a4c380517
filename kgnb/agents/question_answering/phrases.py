"""A question taken apart: which words stand between its entity and what is asked, in the order they are followed.

"What is the nationality of X's mother?" is read from X outwards: "the mother of X" first, then "what is the nationality
of X" of whoever that was. A possessive binds tightest, then the preposition before X, then the rest of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kgnb.kg.words import key, plain, words

X = "@"
"""Stands for the entity among the tokens."""
PREPOSITIONS = frozenset("""of in at on for by from with to near inside within under above into through""".split())  # noqa: SIM905
QUESTION_WORDS = frozenset(["what", "which", "who", "whom", "whose", "where", "when", "why", "how"])
RELATIVE = frozenset(["that", "who", "which", "whose", "where", "whom"])
AUXILIARIES = frozenset("""is are was were be been do does did has have had can could will would""".split())  # noqa: SIM905
EMPTY = (
    QUESTION_WORDS
    | AUXILIARIES
    | frozenset(
        """a an the of in at on for by from with to into and or it its their his her 's s name names named called
    please tell me give list show us all any that there this these those you know about as""".split()  # noqa: SIM905
    )
)
"""Words that say how something is asked, not what."""
EMPTY |= frozenset(  # the same in German and French; what is a word of English as well ("die", "war") is left out
    ["wer", "wen", "wem", "was", "wo", "wann", "wie", "viele", "vielen", "welche", "welcher", "welches", "welchem"]
    + ["welchen", "ist", "sind", "hat", "haben", "der", "das", "des", "dem", "ein", "eine", "von", "vom", "im", "zum"]
    + ["zur", "aus", "und", "qui", "que", "quoi", "quel", "quelle", "quels", "quelles", "où", "quand", "combien", "est"]
    + ["sont", "le", "la", "les", "l", "d", "du", "de", "un", "une", "et", "dans", "sur", "au", "aux", "par", "pour"]
)
_TOKEN = re.compile(r"'s\b|\d+(?:[.,]\d+)+\b|\w+(?:[-_.'/]\w+)*|[^\w\s]", re.UNICODE)


@dataclass(frozen=True)
class Phrase:
    """A piece of the question that stands for one relation, as a small question about X."""

    text: str
    words: int  # how many of its words say something
    merged: int = 0  # places inside it where another relation might have begun
    forward: bool = True  # it reads "the ... of X": X is where the relation starts
    parts: tuple[str, ...] = ()  # what stands on each side of those places, as small questions about X


def tokens(text: str) -> list[str]:
    """The words and marks of a question; a possessive is a token of its own.

    >>> tokens("Who cooks at the wardens' hut?"), tokens("X’s son")
    (['Who', 'cooks', 'at', 'the', 'wardens', "'s", 'hut', '?'], ['X', "'s", 'son'])
    """
    straight = text.replace("’", "'").replace("‘", "'").replace("`", "'")
    return _TOKEN.findall(re.sub(r"(?<=s)'(?=\s)", " 's", re.sub(r"\s+'s\b|(?<=\w)'s\b", " 's", straight)))


def says(token: str) -> bool:
    """Whether a token says what is asked rather than how."""
    return token != X and token.lower() not in EMPTY and any(character.isalnum() for character in token)


def find(name: str, sentence: Sequence[str]) -> tuple[int, int] | None:
    """Where a name stands among tokens, whatever its case, marks and plural endings; None where it does not."""
    wanted = list(key(re.sub(r"\s+'s\b", "'s", name)))
    flat = [(plain(word), place) for place, token in enumerate(sentence) for word in words(token)]
    found = _found(wanted, flat)
    if found is None and "'s" in sentence:
        bare = list(key(re.sub(r"\s*'s\b", "", name)))
        found = _found(bare, [entry for entry in flat if sentence[entry[1]] != "'s"]) if "'s" in name else None
    return found


def glued(sentence: Sequence[str], mentions: Iterable[str]) -> tuple[str, ...]:
    """The tokens with each name as one token, so that no word of it says how something is asked.

    >>> glued(["Who", "shot", "The", "Last", "Hut", "?"], ["the last hut"])
    ('Who', 'shot', 'The_Last_Hut', '?')
    """
    left = list(sentence)
    for mention in sorted(dict.fromkeys(mentions), key=lambda mention: -len(mention)):
        if mention and (span := find(mention, left)):
            left[span[0] : span[1]] = ["_".join(left[span[0] : span[1]]).replace("_'s", "'s")]
    return tuple(left)


def _found(wanted: Sequence[str], flat: Sequence[tuple[str, int]]) -> tuple[int, int] | None:
    for begin in range(len(flat) - len(wanted) + 1):
        if wanted and [word for word, _ in flat[begin : begin + len(wanted)]] == list(wanted):
            first, last = flat[begin][1], flat[begin + len(wanted) - 1][1]
            if (begin == 0 or flat[begin - 1][1] != first) and (
                begin + len(wanted) == len(flat) or flat[begin + len(wanted)][1] != last
            ):
                return first, last + 1
    return None


def masked(sentence: Sequence[str], span: tuple[int, int] | None) -> list[str]:
    """The tokens with X in the place of the mention; at the end, as "of X", where there is none."""
    sentence = [token.replace("_", " ") for token in sentence]
    kept = [
        token if token == X else token.lower()
        for token in sentence
        if token == X or token[:1].isalnum() or token == "'s"
    ]
    if span is None:
        return [*kept, "of", X]
    before, after = (
        [t.lower() for t in part if t[:1].isalnum() or t == "'s"] for part in (sentence[: span[0]], sentence[span[1] :])
    )
    if before and before[-1] in ("the", "a", "an"):
        before = before[:-1]
    return [*before, X, *after]


def ungrand(sentence: Sequence[str]) -> list[str]:
    """The tokens with "grandson" as "son of son", or "'s son 's son" after a possessive: a relation followed twice."""
    found: list[str] = []
    for token in sentence:
        rest = token.removeprefix("grand").lstrip("-")
        if rest == token or len(rest) < 3 or rest in ("eur", "est", "iose", "stand"):
            found.append(token)
        else:
            found += [rest, "'s", rest] if found[-1:] == ["'s"] else [rest, "of", rest]
    return found
