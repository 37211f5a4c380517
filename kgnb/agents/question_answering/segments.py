"""The phrases of a question around its entity X, in the order in which relations are followed from it.

Three cuts and no grammar: a possessive binds first ("X's wife"), then what follows X ("the mission X flew"), then what
stands before it, prepositions and relative pronouns between ("the owner of the firm in X").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgnb.agents.question_answering.phrases import (
    AUXILIARIES,
    EMPTY,
    PREPOSITIONS,
    QUESTION_WORDS,
    RELATIVE,
    Phrase,
    X,
    says,
)

_BETWEEN = PREPOSITIONS | RELATIVE | frozenset(["and", ","])
_MOST = 5  # pieces that are told apart


@dataclass(frozen=True)
class _Piece:
    before: tuple[str, ...] = ()  # its words before X
    after: tuple[str, ...] = ()  # and behind it


def segmentations(sentence: Sequence[str], longest: int) -> list[tuple[Phrase, ...]]:
    """The ways to cut a masked question into at most ``longest`` phrases, the one nearest to X first in each.

    >>> [phrase.text for phrase in segmentations(["who", "owns", "the", "firm", "of", "@", "'s", "wife"], 3)[-1]]
    ['What is the wife of X?', 'Who owns the firm of X?']
    """
    if list(sentence[-1:]) == ["do"]:  # "What does X do?" asks for X's job
        sentence = [*sentence[:-1], "job"]
    ways = [pieces for pieces in (_pieces(sentence), _pieces(sentence, verb=True), _around(sentence)) if pieces]
    if not ways:
        return [(Phrase(_asked(_Piece(tuple(t for t in sentence if t != X)), True), 1),)]
    found: list[tuple[Phrase, ...]] = []
    for pieces in ways:
        for number in range(1, min(longest, len(pieces)) + 1):
            for groups in _groups(pieces, number):
                found.append(tuple(_phrase(group, at == number - 1) for at, group in enumerate(groups)))
    return list(dict.fromkeys(found))


def _pieces(sentence: Sequence[str], *, verb: bool = False) -> list[_Piece]:
    """The pieces of the question, from X outwards; each says something.

    With ``verb``, the last word that X's possessive leads to is no part of it: "Where was X's wife educated?".
    """
    at = sentence.index(X)
    left, right = list(sentence[:at]), list(sentence[at + 1 :])
    owned: list[list[str]] = []
    while right[:1] == ["'s"]:
        end = next(
            (p for p in range(1, len(right)) if right[p] == "'s" or right[p] in _BETWEEN | AUXILIARIES), len(right)
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
    """The pieces of "Where does the warden of X live?": what stands around its subject is asked of that."""
    at = sentence.index(X)
    left, right = list(sentence[:at]), list(sentence[at + 1 :])
    verb = next((place for place, token in enumerate(left) if token in AUXILIARIES), None)
    if verb is None or not any(map(says, left[verb + 1 :])) or right[:1] == ["'s"]:
        return []
    subject = left[verb + 1] in ("the", "a", "an", "those", "der", "das", "le", "la")
    # "which huts are located in X" has no subject but the huts
    if not any(map(says, right)) and not (subject and any(map(says, left[: verb + 1]))):
        return []
    outer = _Piece(tuple(left[: verb + 1]), tuple(right))
    return _kept([*_before(left[verb + 1 :]), outer])


def _before(left: Sequence[str]) -> list[_Piece]:
    """The pieces of what stands before X, the nearest first."""
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
    """The pieces that say something; "where" and "when" alone go to the piece they open."""
    kept = [piece for piece in found if any(map(says, (*piece.before, *piece.after)))]
    last = found[-1]
    if kept and last not in kept and set(last.before) & {"where", "when"}:
        kept[-1] = _Piece((*last.before, *kept[-1].before), kept[-1].after)
    return kept if len(kept) <= _MOST else [*kept[: _MOST - 1], _joined(kept[_MOST - 1 :])]


def _relative(left: Sequence[str]) -> bool:
    """Whether a clause about X is left open before it: "who commanded the mission X flew"."""
    auxiliary = next((at for at, token in enumerate(left) if token in AUXILIARIES), None)
    words = [token for token in left if says(token)]
    return auxiliary is None and len(words) > 1


def _groups(pieces: Sequence[_Piece], number: int) -> Iterator[list[list[_Piece]]]:
    """Every way to put neighbouring pieces together into so many groups."""
    if number == 1:
        yield [list(pieces)]
        return
    for end in range(1, len(pieces) - number + 2):
        for rest in _groups(pieces[end:], number - 1):
            yield [list(pieces[:end]), *rest]


def _joined(group: Sequence[_Piece]) -> _Piece:
    return _Piece(
        tuple(token for piece in reversed(group) for token in piece.before),
        tuple(token for piece in group for token in piece.after),
    )


def _phrase(group: Sequence[_Piece], last: bool) -> Phrase:
    piece = _joined(group)
    words = sum(map(says, (*piece.before, *piece.after)))
    possessive = piece.after[:1] == ("'s",) and not any(map(says, piece.before))
    forward = possessive or (piece.before[-1:] == ("of",) and "the" in piece.before)  # "died of X" is none
    parts = tuple(_asked(one, False) for one in group) if len(group) > 1 else ()
    return Phrase(_asked(piece, last), max(1, words), len(group) - 1, forward, parts=parts)


def _asked(piece: _Piece, last: bool) -> str:
    """The words of a piece as a small question about X."""
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
