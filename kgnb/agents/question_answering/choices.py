"""One of several that the question itself names: "Is X's mother a man or a woman?", "Is X in Austria or Germany?"."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from kgnb.agents.question_answering.forms import Shape
from kgnb.agents.question_answering.phrases import AUXILIARIES, PREPOSITIONS, find, says
from kgnb.agents.question_answering.reading import Reading
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Link
from kgnb.agents.question_answering.yes_no import names_of, yes_or_no
from kgnb.kg.terms import Iri
from kgnb.kg.words import key

NAMED = 0.4
"""What it adds to a reading, in log likelihood a word, that its values are called as an alternative is."""
OTHERWISE = 1.5
"""What it costs that none of them is."""
ALIKE = 0.45
"""Nearness from which two names may mean the same: "man" and "male" do."""
_OR = ("or", "oder", "ou")
_BE = ("is", "are", "was", "were", "ist", "sind", "war", "est", "sont")
_ARTICLES = ("a", "an", "the")
_TRIED = 6
_LOOKED = 50  # values of one reading
Alternative = tuple[str, ...]


def alternatives(sentence: Sequence[str], names: Collection[str]) -> tuple[Alternative, Alternative, int] | None:
    """The two alternatives a question of yes or no ends with, and where the first begins; None where it has none.

    >>> alternatives(["is", "Anna", "a", "man", "or", "a", "woman"], {"Anna"})
    (('a', 'man'), ('a', 'woman'), 2)
    """
    words = [token for token in sentence if token != "?"]
    at = next((place for place in range(len(words) - 2, 1, -1) if words[place].lower() in _OR), None)
    if at is None:
        return None
    second = words[at + 1 :]
    if words[at - 1] == ",":
        return None
    head = second[0].lower()
    begin = at - len(second)
    if head in _ARTICLES or head in PREPOSITIONS:
        alike = _ARTICLES if head in _ARTICLES else (head,)
        begin = next((place for place in range(at - 2, 0, -1) if words[place].lower() in alike), -1)
    first = words[max(0, begin) : at]
    if begin < 1 or not first or any(token.lower() in AUXILIARIES or token == "'s" for token in (*first, *second)):
        return None
    if any(token in names for token in (*first, *second)):
        if not all(len(bare := _bare(side)) == 1 and bare[0] in names for side in (first, second)):
            return None
    elif words[0].lower() not in _BE or not any(map(says, first)) or not any(map(says, second)):
        return None
    return tuple(first), tuple(second), begin


def chosen(
    state: State,
    sentence: Sequence[str],
    things: Sequence[Link],
    classes: Sequence[Link],
    paths: Callable[[Sequence[str], Sequence[Link]], list[Reading]],
) -> list[Reading]:
    """The readings of a question that names its alternatives; none where it names none.

    ``sentence`` has each name as one token; ``paths`` gives the readings of a sentence over paths from some entities.
    """
    named: dict[str, list[Link]] = {}
    for link in (*things, *classes):
        if link.mention and (span := find(link.mention, sentence)):
            named.setdefault(sentence[span[0]], []).append(link)
    split = alternatives(sentence, named)
    if split is None:
        return []
    first, second, begin = split
    one, other = (next((token for token in side if token in named), "") for side in (first, second))
    others = [link for link in things if not any(link in named.get(token, ()) for token in (one, other))]
    found: list[Reading] = []
    for token, side in ((one, first), (other, second)) if one and other else ():
        words = (*sentence[1:begin], *side)
        for link in named[token]:
            ends = ([link], []) if link in things else ([], [link])
            found += _ended(yes_or_no(state, Shape("exists", words), [*others, *ends[0]], ends[1]), link)
    return found + [_called(state, reading, (first, second)) for reading in paths(sentence, others)[:_TRIED]]


def _ended(found: Sequence[Reading], link: Link) -> list[Reading]:
    """The paths of questions of yes or no that lead to an entity, as questions for it."""
    return [
        replace(reading, form="values", target=None, nearby=(), among=(link.iri,))
        for reading in found
        if reading.target == link.iri and reading.hops and any(link.iri in (a, b) for a, _, b in reading.nearby)
    ]


def _called(state: State, reading: Reading, sides: Sequence[Alternative]) -> Reading:
    """The reading, likelier where what lies at its end is called as an alternative is, less likely where it is not."""
    if reading.start is None or not reading.hops:
        return reading
    rows, _ = state.desk.hood.along(reading.start, reading.hops)
    ends = list(dict.fromkeys(path[-1][0] if reading.hops[-1].inverse else path[-1][2] for path in rows))[:_LOOKED]
    said = [" ".join(token for token in side if token.lower() not in _ARTICLES) for side in sides]
    state.desk.hood.names.fetch([end for end in ends if isinstance(end, Iri)])
    names = [(end, name) for end in ends for name in names_of(state, end)[:4]]
    if not names:
        return reading
    exactly = tuple(
        end for end in ends if isinstance(end, Iri) and any(key(n) in map(key, said) for e, n in names if e == end)
    )
    near = 1.0 if exactly else float(state.desk.wording.likeness([name for _, name in names], said).max())
    if near < ALIKE:
        return replace(reading, score=reading.score - OTHERWISE, confidence=0.5 * reading.confidence)
    sure = reading.confidence + (1 - reading.confidence) * 0.5 * near
    among = exactly if len(ends) > 1 else ()
    return replace(reading, score=reading.score + NAMED * near, confidence=sure, among=among)


def _bare(side: Sequence[str]) -> list[str]:
    return [token for token in side if token.lower() not in _ARTICLES and token.lower() not in PREPOSITIONS]
