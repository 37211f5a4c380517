"""The search for readings: which relations, followed one after the other, the words of the question stand for.

Three cuts and no grammar: a possessive binds first ("X's wife"), then what follows X ("the mission X flew"), then what
stands before it, prepositions and relative pronouns between ("the owner of the firm in X").

Relations first: a path is a sequence of relations, and how many entities lie along it costs nothing. Every way to cut
the question into phrases is tried; a phrase stands for one relation, and its likelihood is that of the relation's name
among all names the graph has. A wording is only as good as all its phrases: each counts by the words it explains.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgnb.agents.question_answering.lexicon import (
    BACKWARD,
    SPREAD,
    Fit,
    Lexicon,
    above_noise,
    is_relation,
    not_elsewhere,
)
from kgnb.agents.question_answering.phrases import (
    AUXILIARIES,
    EMPTY,
    PREPOSITIONS,
    QUESTION_WORDS,
    RELATIVE,
    Phrase,
    X,
    says,
    ungrand,
)
from kgnb.agents.question_answering.reading import Hop, Reading
from kgnb.kg.terms import Iri

BEAM = 10
"""Paths kept for each way to cut the question."""
EXPANDED = 2
"""Paths that are followed further: each costs a query."""
MERGED = 3.0
"""What a phrase costs, in log likelihood, for each place inside it where another relation might have begun."""

DOUBT = 0.4
"""The least a single phrase counts for among several: the others speak for the path as well."""
HOPELESS = 0.03
"""A phrase surer than this may be meant although its words are far from it; below, something else is meant."""
MISSED = 0.1
"""How much less sure a phrase is for each of its parts that the relation leaves unsaid."""
UNSAID = 0.1
"""A part of a phrase that is less sure than this to stand for the phrase's relation says something of its own."""
HOP = 0.1
"""What each further relation costs a reading, in log likelihood: what one relation says is not said by two."""
RETURN = 3.0
"""What it costs to go back along the relation one came by: few ask for that."""
RETURNED = 0.1
"""And how much less sure such a path is."""


@dataclass(frozen=True)
class _Partial:
    score: float
    hops: tuple[Hop, ...] = ()
    sure: float = 0.0  # log likelihood that nothing else is meant, by word
    near: float = 0.0  # by word
    words: int = 0
    surest: float = 0.0  # of the last hop alone

    @property
    def confidence(self) -> float:
        """How sure it is that the question asks for this path at all."""
        words = max(1, self.words)
        sure = math.exp(self.sure / words) if len(self.hops) > 1 else self.surest
        return sure * above_noise(self.near / words, several=len(self.hops) > 1)


def path_readings(
    start: Iri, sentence: Sequence[str], lexicon: Lexicon, *, longest: int, inverse: bool, most: int = 20
) -> tuple[Reading, ...]:
    """The readings of a masked question as a path from an entity, best first.

    ``sentence`` has X in the place of the entity; ``longest`` bounds the relations in a row.
    """
    cuts: Sequence[tuple[Phrase, ...]] = segmentations(ungrand(sentence), longest)
    lexicon.meet((hop.relation, None) for hop, _, _ in lexicon.hood.ways(start, inverse=inverse).hops)
    cuts = _whole_names(cuts, lexicon)
    found: dict[tuple[Hop, ...], Reading] = {}
    for cut in cuts:
        for path in _beam(start, cut, lexicon, inverse):
            known = found.get(path.hops)
            if known is None or path.score > known.score:
                found[path.hops] = _reading(start, cut, path, lexicon)
    ranked = sorted(
        found.values(), key=lambda reading: (-reading.score, [(h.relation, h.inverse) for h in reading.hops])
    )
    return tuple(ranked[:most])


def _whole_names(cuts: Sequence[tuple[Phrase, ...]], lexicon: Lexicon) -> Sequence[tuple[Phrase, ...]]:
    """The cuts that leave whole what is, word for word, the name of a relation: "country of citizenship" is one."""
    phrases = list(dict.fromkeys(phrase for cut in cuts for phrase in cut))
    fits = dict(zip(phrases, lexicon.fits(phrases), strict=True))
    named = [phrase for phrase in phrases if phrase.words > 1 and fits[phrase].named]
    longest = max(named, key=lambda phrase: phrase.words, default=None)
    return cuts if longest is None else [cut for cut in cuts if longest in cut]


def _beam(start: Iri, cut: Sequence[Phrase], lexicon: Lexicon, inverse: bool) -> list[_Partial]:
    beam = [_Partial(0.0)]
    for place, phrase in enumerate(cut):
        if place:
            beam = beam[:EXPANDED]
        grown: list[_Partial] = []
        for path in beam:
            ways = lexicon.hood.ways(start, path.hops, inverse=inverse).hops
            ways = tuple(way for way in ways if is_relation(way[0].relation))
            lexicon.meet((hop.relation, sample) for hop, _, sample in ways)
            fit = lexicon.fit(phrase)
            forward = frozenset(hop.relation for hop, _, _ in ways if not hop.inverse)
            back = frozenset(hop.relation for hop, _, _ in ways if hop.inverse)
            parts = [] if fit.named else lexicon.fits([Phrase(text, 1) for text in phrase.parts])
            grown += [
                _step(path, hop, phrase, fit, parts, forward, back, lexicon.name(hop.relation)) for hop, _, _ in ways
            ]
        grown.sort(key=lambda path: (-path.score, [(hop.relation, hop.inverse) for hop in path.hops]))
        beam = grown[:BEAM]
    return beam


def _other_way(text: str, hop: Hop, name: str, forward: frozenset[Iri], back: frozenset[Iri]) -> bool:
    """Whether a relation called "influenced by" is followed the wrong way: in "did X influence" it was X who did it."""
    if not name.endswith(" by") or not (hop.relation in forward and hop.relation in back):
        return False
    did = re.search(r"\b(?:did|does|do|has|have|by) X\b|\bX (?!was|is|were|are)\w+\?$", text) is not None
    return did != hop.inverse


def _step(
    path: _Partial,
    hop: Hop,
    phrase: Phrase,
    fit: Fit,
    parts: Sequence[Fit],
    forward: frozenset[Iri],
    back: frozenset[Iri],
    name: str,
) -> _Partial:
    against = (hop.inverse and phrase.forward) or _other_way(phrase.text, hop, name, forward, back)
    likely = fit.likely[hop.relation] - (BACKWARD / SPREAD if against else 0.02 if hop.inverse else 0.0)
    at_hand = forward if phrase.forward else forward | back
    sure = not_elsewhere(fit, hop.relation, at_hand, against)
    # "the sex of X's wife" is no spouse: that relation leaves the sex unsaid
    unsaid = sum(not_elsewhere(part, hop.relation, at_hand, False) < UNSAID for part in parts)
    sure *= MISSED**unsaid
    returns = bool(path.hops) and path.hops[-1] == Hop(hop.relation, not hop.inverse)
    score = path.score + phrase.words * likely - (0.0 if fit.named else MERGED * (phrase.merged + unsaid))
    if returns:
        score -= RETURN
    near = fit.near[hop.relation] - (BACKWARD if against else 0.0)
    return _Partial(
        score,
        (*path.hops, hop),
        path.sure
        + phrase.words
        * math.log(max(sure, DOUBT * min(1.0, (sure / HOPELESS) ** 2), 1e-6) * (RETURNED if returns else 1.0)),
        path.near + phrase.words * near,
        path.words + phrase.words,
        sure,
    )


def _reading(start: Iri, cut: Sequence[Phrase], path: _Partial, lexicon: Lexicon) -> Reading:
    said = "; ".join(
        f'"{phrase.text.rstrip("?")}" as {lexicon.name(hop.relation)}{" (inverse)" if hop.inverse else ""}'
        for phrase, hop in zip(cut, path.hops, strict=True)
    )
    words = sum(phrase.words for phrase in cut)
    return Reading(
        start,
        path.hops,
        score=path.score / max(1, words) - HOP * (len(cut) - 1),
        confidence=path.confidence,
        explanation=said,
        phrases=tuple((phrase.text, phrase.words) for phrase in cut),
    )


# ------------------------------------------------------------------------------------- the cuts of a question

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
    """The pieces that say something."""
    kept = [piece for piece in found if any(map(says, (*piece.before, *piece.after)))]
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
