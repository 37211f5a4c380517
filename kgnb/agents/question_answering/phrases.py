"""A question taken apart: which words stand between its entity and what is asked, in the order they are followed.

"What is the nationality of X's mother?" is read from X outwards: "the mother of X" first, then "what is the nationality
of X" of whoever that was. A possessive binds tightest, then the preposition before X, then the rest of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgnb.kg.words import key, plain, words

X = "@"
"""Stands for the entity among the tokens."""
PREPOSITIONS = frozenset(
    [
        "of",
        "in",
        "at",
        "on",
        "for",
        "by",
        "from",
        "with",
        "to",
        "near",
        "inside",
        "within",
        "under",
        "above",
        "into",
        "through",
    ]
)
QUESTION_WORDS = frozenset(["what", "which", "who", "whom", "whose", "where", "when", "why", "how"])
RELATIVE = frozenset(["that", "who", "which", "whose", "where", "whom"])
AUXILIARIES = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "can",
        "could",
        "will",
        "would",
    ]
)
EMPTY = (
    QUESTION_WORDS
    | AUXILIARIES
    | frozenset(
        [
            "a",
            "an",
            "the",
            "of",
            "in",
            "at",
            "on",
            "for",
            "by",
            "from",
            "with",
            "to",
            "into",
            "and",
            "or",
            "it",
            "its",
            "their",
            "his",
            "her",
            "'s",
            "s",
            "name",
            "names",
            "named",
            "called",
            "please",
            "tell",
            "me",
            "give",
            "list",
            "show",
            "us",
            "all",
            "any",
            "that",
            "there",
            "this",
            "these",
            "those",
            "you",
            "know",
            "about",
            "as",
        ]
    )
)
"""Words that say how something is asked, not what."""
_LONGEST = 6  # words of one phrase
_TOKEN = re.compile(r"'s\b|\w+(?:[-_.'/]\w+)*|[^\w\s]", re.UNICODE)


@dataclass(frozen=True)
class Phrase:
    """A piece of the question that stands for one relation, as a small question about X."""

    text: str
    words: int  # how many of its words say something
    merged: int = 0  # places inside it where another relation might have begun
    forward: bool = True  # it reads "the ... of X": X is where the relation starts


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
    wanted = list(key(name))
    flat = [(plain(word), place) for place, token in enumerate(sentence) for word in words(token)]
    for begin in range(len(flat) - len(wanted) + 1):
        if wanted and [word for word, _ in flat[begin : begin + len(wanted)]] == wanted:
            first, last = flat[begin][1], flat[begin + len(wanted) - 1][1]
            if (begin == 0 or flat[begin - 1][1] != first) and (
                begin + len(wanted) == len(flat) or flat[begin + len(wanted)][1] != last
            ):
                return first, last + 1
    return None


def masked(sentence: Sequence[str], span: tuple[int, int] | None) -> list[str]:
    """The tokens with X in the place of the mention; at the end, as "of X", where there is none."""
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


def segmentations(sentence: Sequence[str], longest: int) -> list[tuple[Phrase, ...]]:
    """Every way to cut a masked question into phrases, at most ``longest``, the one nearest to X first in each."""
    at = sentence.index(X)
    found = list(dict.fromkeys(_from(list(sentence), at, at + 1, (), longest)))
    return found or [(Phrase(_asked(list(sentence), at, at + 1), 1),)]


def _from(sentence: list[str], i: int, j: int, done: tuple[Phrase, ...], longest: int) -> Iterator[tuple[Phrase, ...]]:
    """Cuttings of what lies outside ``sentence[i:j]``, which by now stands for X."""
    last = _last(sentence, i, j)
    if last is not None and (last.words or not done):
        yield (*done, Phrase(last.text, max(1, last.words), last.merged, last.forward))
    if len(done) >= longest - 1:
        return
    yield from _clause(sentence, i, j, done, longest)
    if j < len(sentence) and sentence[j] == "'s":
        end = next((k for k in range(j + 1, len(sentence)) if sentence[k] == "'s"), len(sentence))
        inside = [] if end < len(sentence) else [k for k in range(j + 2, end) if says(sentence[k - 1])]
        for k in (*inside, end):
            piece = sentence[j + 1 : k]
            if (count := _count(piece)) and len(piece) <= _LONGEST:
                yield from _from(sentence, i, k, (*done, _noun(piece, count)), longest)
    elif i > 1 and sentence[i - 1] in PREPOSITIONS:
        merged = 0
        for k in range(i - 2, max(-1, i - 2 - _LONGEST), -1):
            if sentence[k] in QUESTION_WORDS or sentence[k] in AUXILIARIES or sentence[k] in (X, "'s"):
                break
            if sentence[k] in PREPOSITIONS:
                merged += 1
                if merged > 1:
                    break
                continue
            piece = [token for token in sentence[k : i - 1] if token not in ("the", "a", "an")]
            if not says(sentence[k]) or not (count := _count(piece)):
                continue
            begin = k - 1 if k and sentence[k - 1] in ("the", "a", "an") else k
            noun = _noun(piece, count, merged, sentence[i - 1])
            yield from _from(sentence, begin, j, (*done, noun), longest)


def _clause(
    sentence: list[str], i: int, j: int, done: tuple[Phrase, ...], longest: int
) -> Iterator[tuple[Phrase, ...]]:
    """Cuttings in which X stands in a relative clause: "the summit whose nearest hut is X", "the book that X wrote"."""
    if sentence[j : j + 1] == ["'s"]:
        return
    for at in range(i - 1, 0, -1):
        noun = at - 2 if at > 1 and sentence[at - 1] in PREPOSITIONS else at - 1  # "the valley in which X lies"
        if sentence[at] in RELATIVE and says(sentence[noun]):
            piece = [*sentence[noun + 1 : at], *sentence[at + 1 : i], "X", *sentence[j:]]
            if count := _count([token for token in piece if token != "X"]):
                lead = "Whose" if sentence[at] == "whose" else "What"
                phrase = Phrase(f"{lead} {' '.join(piece)}?", count, 0, False)
                yield from _from(sentence[: noun + 1] + [X], noun + 1, noun + 2, (*done, phrase), longest)
            return


def _last(sentence: list[str], i: int, j: int) -> Phrase | None:
    """All that is left, as one phrase; None where it plainly holds several relations."""
    left, right = sentence[:i], sentence[j:]
    merged = sum(token == "'s" for token in right[1:]) + sum(
        token == "of" and _count(left[:place]) > 0 for place, token in enumerate(left[:-1])
    )
    possessive = right[:1] == ["'s"]
    if (
        possessive
        and _count(right)
        and (_count(left) or _does(left) or any(t in ("where", "when", "why") for t in left))
    ):
        merged += 1
    if merged > 1:
        return None
    count = _count(left) + _count(right)
    if not count and _does(left) and right[-1:] == ["do"]:
        count = 1  # what does X do
    keywords = not any(token in QUESTION_WORDS | AUXILIARIES for token in (*left, *right))
    forward = possessive or left[-1:] == ["of"] or (keywords and not _count(left))
    return Phrase(_asked(sentence, i, j), count, merged, forward)


def _does(left: Sequence[str]) -> bool:
    return any(token in ("do", "does", "did") for token in left)


def _count(piece: Sequence[str]) -> int:
    return sum(map(says, piece))


def _noun(piece: Sequence[str], count: int, merged: int = 0, preposition: str = "of") -> Phrase:
    return Phrase(f"What is the {' '.join(piece)} {preposition} X?", count, merged, preposition == "of")


def _asked(sentence: list[str], i: int, j: int) -> str:
    """What is left of the question around X, in the words relations are asked for where it allows that."""
    left, right = sentence[:i], sentence[j:]
    lead = [token for token in left if token in EMPTY - PREPOSITIONS]
    if (
        right[:1] == ["'s"]
        and len(lead) == len(left)
        and not _does(left)
        and not {"where", "when", "how", "why"} & set(left)
    ):
        return f"What is the {' '.join(right[1:])} of X?"
    if not right and left[-1:] == ["of"]:
        inner = left[:-1]
        while inner and (inner[0] in EMPTY - PREPOSITIONS or (inner[0] == "of" and len(inner) > 1)):
            inner = inner[1:]
        if inner:
            return f"What is the {' '.join(inner)} of X?"
    plain = " ".join([*left, "X", *right]).replace(" 's", "'s")
    return plain[:1].upper() + plain[1:] + "?"
