"""Segmentation of a question into phrases that lead step by step from its entity to what is asked.

"What is the nationality of X's mother?" is read from X outwards: first "the mother of X", then
"what is the nationality of X" about the result. There are three rules and no grammar: possessives
bind first, then what follows X ("the mission X flew"), then what precedes it, split at prepositions
and relative pronouns ("the owner of the firm in X").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from kgnb.kg.words import key, plain, words

X = "@"
"""The token that replaces the entity."""
PREPOSITIONS = frozenset(
    """of in at on for by from with to near inside within under above into through""".split()
)  # noqa: SIM905
QUESTION_WORDS = frozenset("what which who whom whose where when why how".split())  # noqa: SIM905
RELATIVE = frozenset("that who which whose where whom".split())  # noqa: SIM905
AUXILIARIES = frozenset(
    """is are was were be been do does did has have had can could will would""".split()
)  # noqa: SIM905
EMPTY = (
    QUESTION_WORDS
    | AUXILIARIES
    | frozenset(
        """a an the of in at on for by from with to into and or it its their his her 's s name names named called
    please tell me give list show us all any that there this these those you about as""".split()  # noqa: SIM905
    )
)
"""Words without content of their own."""
EMPTY |= frozenset(  # the same in German and French, except for English words ("die", "war")
    """wer wen wem was wo wann wie viele vielen welche welcher welches welchem welchen ist sind
    hat haben der das des dem ein eine von vom im zum zur aus und qui que quoi quel quelle
    quels quelles où quand combien est sont le la les l d du de un une et dans sur au aux par
    pour""".split()  # noqa: SIM905
)
_TOKEN = re.compile(r"'s\b|\d+(?:[.,]\d+)+\b|\w+(?:[-_.'/]\w+)*|[^\w\s]", re.UNICODE)


@dataclass(frozen=True)
class Phrase:
    """A part of the question that stands for one relation, as a short question about X."""

    text: str
    words: int  # number of content words
    merged: int = 0  # places inside it where another relation might have begun
    forward: bool = True  # it reads "the ... of X", so the relation starts at X
    parts: tuple[str, ...] = ()  # the text between those places, as short questions about X


def tokens(text: str) -> list[str]:
    """Split a question into words and punctuation marks, with possessives as separate tokens.

    >>> tokens("Who cooks at the wardens' hut?"), tokens("X’s son")
    (['Who', 'cooks', 'at', 'the', 'wardens', "'s", 'hut', '?'], ['X', "'s", 'son'])
    """
    straight = text.replace("’", "'").replace("‘", "'").replace("`", "'")
    straight = re.sub(r"\b([Dd]o |that )?you know\b( of)?", "", straight)  # it asks for nothing
    return _TOKEN.findall(
        re.sub(r"(?<=s)'(?=\s)", " 's", re.sub(r"\s+'s\b|(?<=\w)'s\b", " 's", straight))
    )


def says(token: str) -> bool:
    """Whether a token is a content word."""
    return (
        token != X
        and token.lower() not in EMPTY
        and any(character.isalnum() for character in token)
    )


def find(name: str, sentence: Sequence[str]) -> tuple[int, int] | None:
    """Find a name among tokens, ignoring case, punctuation and plural endings; returns its start
    and end, or None.
    """
    wanted = list(key(re.sub(r"\s+'s\b", "'s", name)))
    flat = [(plain(word), place) for place, token in enumerate(sentence) for word in words(token)]
    found = _found(wanted, flat)
    if found is None and "'s" in sentence:
        bare = list(key(re.sub(r"\s*'s\b", "", name)))
        found = (
            _found(bare, [entry for entry in flat if sentence[entry[1]] != "'s"])
            if "'s" in name
            else None
        )
    return found


def glued(sentence: Sequence[str], mentions: Iterable[str]) -> tuple[str, ...]:
    """Join the tokens of each name into one, so that none of its words is treated as a function
    word.

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
    """Replace the mention with X, or append "of X" if there is no mention; also lower case, without
    punctuation.
    """
    sentence = [token.replace("_", " ") for token in sentence]
    kept = [
        token if token == X else token.lower()
        for token in sentence
        if token == X or token[:1].isalnum() or token == "'s"
    ]
    if span is None:
        return [*kept, "of", X]
    before, after = (
        [t.lower() for t in part if t[:1].isalnum() or t == "'s"]
        for part in (sentence[: span[0]], sentence[span[1] :])
    )
    if before and before[-1] in ("the", "a", "an"):
        before = before[:-1]
    return [*before, X, *after]


def ungrand(sentence: Sequence[str]) -> list[str]:
    """Expand "grandson" to "son of the son", or "'s son 's son" after a possessive: the same relation
    twice.
    """
    found: list[str] = []
    for token in sentence:
        rest = token.removeprefix("grand").lstrip("-")
        if rest == token or len(rest) < 3 or rest in ("eur", "est", "iose", "stand"):
            found.append(token)
        else:
            found += [rest, "'s", rest] if found[-1:] == ["'s"] else [rest, "of", "the", rest]
    return found


_BETWEEN = PREPOSITIONS | RELATIVE | frozenset(["and", ","])
_MOST = 5  # pieces kept separate


@dataclass(frozen=True)
class _Piece:
    before: tuple[str, ...] = ()  # words before X
    after: tuple[str, ...] = ()  # words after X


def segmentations(sentence: Sequence[str], longest: int) -> list[tuple[Phrase, ...]]:
    """All ways to split a masked question into at most ``longest`` phrases, each from X outwards.

    >>> [phrase.text for phrase in segmentations(["who", "owns", "the", "firm", "of", "@", "'s", "wife"], 3)[-1]]
    ['What is the wife of X?', 'Who owns the firm of X?']
    """
    if len(sentence) > 2 and sentence[0] in PREPOSITIONS and sentence[1] in QUESTION_WORDS:
        sentence = sentence[1:]  # "in which year"
    if list(sentence[-1:]) == ["do"]:  # "What does X do?" asks for X's job
        sentence = [*sentence[:-1], "job"]
    cuts = [
        pieces
        for pieces in (_pieces(sentence), _pieces(sentence, verb=True), _around(sentence))
        if pieces
    ]
    if not cuts:
        return [(Phrase(_asked(_Piece(tuple(t for t in sentence if t != X)), True), 1),)]
    found: list[tuple[Phrase, ...]] = []
    for pieces in cuts:
        for number in range(1, min(longest, len(pieces)) + 1):
            for ends in combinations(range(1, len(pieces)), number - 1):
                groups = [pieces[begin:end] for begin, end in pairwise((0, *ends, len(pieces)))]
                found.append(tuple(_phrase(group, group is groups[-1]) for group in groups))
    return list(dict.fromkeys(found))


def _pieces(sentence: Sequence[str], *, verb: bool = False) -> list[_Piece]:
    """The pieces of the question, from X outwards, each with a content word.

    With ``verb``, the last word after the possessive is not part of it: "Where was X's wife
    educated?".
    """
    at = sentence.index(X)
    left, right = list(sentence[:at]), list(sentence[at + 1 :])
    owned: list[list[str]] = []
    while right[:1] == ["'s"]:
        end = next(
            (
                p
                for p in range(1, len(right))
                if right[p] == "'s" or right[p] in _BETWEEN | AUXILIARIES
            ),
            len(right),
        )
        owned.append(right[1:end])
        right = right[end:]
    if verb:
        if not owned or sum(map(says, owned[-1])) < 2 or any(map(says, right)) or not left:
            return []
        owned[-1], right = owned[-1][:-1], [owned[-1][-1], *right]
    found = [_Piece(after=("'s", *words)) for words in owned]
    outer = _before(left)
    if any(map(says, right)):
        spoken = sum(any(map(says, piece.before)) for piece in outer)
        if owned or not spoken or (spoken == 1 and not _relative(left)):
            outer[-1] = _Piece(outer[-1].before, tuple(right))
        else:
            found.append(_Piece(after=tuple(right)))
    return _kept([*found, *outer])


def _around(sentence: Sequence[str]) -> list[_Piece]:
    """The pieces of "Where does the warden of X live?": the words around the subject ask something
    about it.
    """
    at = sentence.index(X)
    left, right = list(sentence[:at]), list(sentence[at + 1 :])
    verb = next((place for place, token in enumerate(left) if token in AUXILIARIES), None)
    if verb is None or not any(map(says, left[verb + 1 :])) or right[:1] == ["'s"]:
        return []
    subject = left[verb + 1] in ("the", "a", "an", "those", "der", "das", "le", "la")
    # "which huts are located in X" has no subject other than the huts
    if not any(map(says, right)) and not (subject and any(map(says, left[: verb + 1]))):
        return []
    outer = _Piece(tuple(left[: verb + 1]), tuple(right))
    return _kept([*_before(left[verb + 1 :]), outer])


def _before(left: Sequence[str]) -> list[_Piece]:
    """The pieces of the words before X, nearest first."""
    before: list[list[str]] = [[]]
    for token in left:
        if token in _BETWEEN and any(map(says, before[-1])):
            before.append([])
        before[-1].append(token)
    if not any(map(says, before[-1])) and len(before) > 1:
        trailing = before.pop()
        before[-1] += trailing
    return [_Piece(before=tuple(words)) for words in reversed(before)]


def _kept(found: Sequence[_Piece]) -> list[_Piece]:
    """The pieces with content words; those beyond ``_MOST`` are joined into the last one."""
    kept = [piece for piece in found if any(map(says, (*piece.before, *piece.after)))]
    return kept if len(kept) <= _MOST else [*kept[: _MOST - 1], _joined(kept[_MOST - 1 :])]


def _relative(left: Sequence[str]) -> bool:
    """Whether X begins a relative clause without a pronoun: "who commanded the mission X flew"."""
    auxiliary = next((at for at, token in enumerate(left) if token in AUXILIARIES), None)
    words = [token for token in left if says(token)]
    return auxiliary is None and len(words) > 1


def _joined(group: Sequence[_Piece]) -> _Piece:
    return _Piece(
        tuple(token for piece in reversed(group) for token in piece.before),
        tuple(token for piece in group for token in piece.after),
    )


def _phrase(group: Sequence[_Piece], last: bool) -> Phrase:
    piece = _joined(group)
    words = sum(map(says, (*piece.before, *piece.after)))
    possessive = piece.after[:1] == ("'s",) and not any(map(says, piece.before))
    forward = possessive or (
        piece.before[-1:] == ("of",) and "the" in piece.before
    )  # "died of X" is not forward
    parts = tuple(_asked(one, False) for one in group) if len(group) > 1 else ()
    return Phrase(_asked(piece, last), max(1, words), len(group) - 1, forward, parts=parts)


def _asked(piece: _Piece, last: bool) -> str:
    """A piece as a short question about X."""
    before, after = list(piece.before), list(piece.after)
    if after[:1] == ["'s"]:
        owned = [token for token in after[1:] if token != "'s"]
        if not any(map(says, before)):
            return f"What is the {' '.join(owned)} of X?"
        before, after = [*before, *owned, "of"], []
    while before and not last and before[0] in (EMPTY - QUESTION_WORDS) | {"that"}:
        before = before[1:]
    if not before or before[0] not in QUESTION_WORDS:
        before = ["what", *before]
    text = " ".join([*before, "X", *after])
    return f"{text[:1].upper()}{text[1:]}?"
