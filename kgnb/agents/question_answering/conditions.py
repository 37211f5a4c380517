"""Conditions: what a question says of its values besides the path that leads to them.

"Which films directed by A star B?" is a path from A, and of its values those that have something to do with B. Which
relation that is, the words next to B say, and the graph: only relations that join some of the values to B come into
question. A name without words of its own ("the steel companies in B") may be joined by any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgnb.agents.question_answering.lexicon import is_relation
from kgnb.agents.question_answering.patterns import body
from kgnb.agents.question_answering.phrases import AUXILIARIES, PREPOSITIONS, RELATIVE, Phrase, find, says
from kgnb.agents.question_answering.reading import Condition, Hop, Reading
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Link
from kgnb.errors import BackendError
from kgnb.kg.terms import Iri, Literal, n3

MET = 0.8
"""What it adds to a reading, in log likelihood a word, that some of its values meet a condition."""
_OPENS = frozenset(["and", "but", ",", "while", *RELATIVE])
_WIDE = 0.3  # nearness that unrelated words reach
_CLEAR = 0.6  # nearness from which words leave no doubt which relation joins


@dataclass(frozen=True)
class Piece:
    """An entity that is spoken of besides the one a path starts from, and the words that say how."""

    links: tuple[Link, ...]  # what its name may mean
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cut:
    """A question as one of its entities sees it: the words that lead from it, and the pieces about the others."""

    sentence: tuple[str, ...]
    pieces: tuple[Piece, ...] = ()


def cuts(sentence: Sequence[str], links: Sequence[Link], start: str, nouns: Sequence[str] = ()) -> list[Cut]:
    """The ways to see a question from the entity that ``start`` mentions; ``nouns`` are names of classes.

    Nothing where another entity that is named before it has words of its own: then the question starts from that one.
    """
    groups: dict[str, list[Link]] = {}
    for link in links:
        if link.mention:
            groups.setdefault(link.mention, []).append(link)
    places = sorted((span, mention) for mention in groups if (span := find(mention, sentence)))
    mine = next((at for at, (_, mention) in enumerate(places) if mention == start), None)
    if len(places) < 2 or mine is None:
        return []
    pieces: list[Piece] = []
    left: list[str] = []
    begin = 0
    for span, mention in places[:mine]:
        before = list(sentence[begin : span[0]])
        if any(says(token) and token not in nouns for token in before):
            return []
        left += _unled(before)
        pieces.append(Piece(tuple(groups[mention])))
        begin = span[1]
    own = places[mine][0]
    head = [*left, *_unjoined(sentence[begin : own[0]], joined=mine > 0), *sentence[own[0] : own[1]]]
    rest = list(sentence[own[1] :])
    return [
        Cut(tuple(words), (*pieces, *more)) for words, more in _after(head, rest, places[mine + 1 :], groups, own[1])
    ]


def _after(
    head: list[str],
    rest: list[str],
    places: Sequence[tuple[tuple[int, int], str]],
    groups: dict[str, list[Link]],
    offset: int,
) -> list[tuple[list[str], list[Piece]]]:
    """The words that lead from an entity, and the pieces after it; each way to divide what stands between."""
    if not places:
        return [(head + rest, [])]
    divided: list[tuple[list[str], list[Piece]]] = []
    (begin, end), mention = places[0]
    between = rest[: begin - offset]
    after = rest[end - offset :]
    last = len(places) == 1
    for mine, theirs in _divided(between):
        own = [token for token in theirs if says(token)]
        tail = after if last else rest[end - offset : places[1][0][0] - offset]
        clause = any(token.lower() in AUXILIARIES for token in theirs) and any(map(says, tail))
        if (own or clause) and last:  # what comes last is said of the last name, unless that has nothing of its own
            piece, kept = (*theirs, "X", *tail), [*head, *mine]
        elif last:
            piece, kept = (), [*head, *mine, *tail]
        else:
            piece, kept = tuple(theirs), [*head, *mine]
        here = Piece(tuple(groups[mention]), tuple(piece) if own or clause else ())
        if last:
            divided.append((kept, [here]))
        else:
            for words, more in _after(kept, rest[end - offset :], places[1:], groups, end):
                divided.append((words, [here, *more]))
    return divided[:4]


def _divided(between: Sequence[str]) -> list[tuple[list[str], list[str]]]:
    """Where the words between two names may be divided between them."""
    low = [token.lower() for token in between]
    for at, token in enumerate(low):
        if token in _OPENS:
            return [(list(between[:at]), [t for t in between[at:] if t.lower() not in ("and", "but", ",", "or")])]
    for at, token in enumerate(low):
        if token in AUXILIARIES and at:
            return [(list(between[:at]), list(between[at:]))]
    ways: list[tuple[list[str], list[str]]] = [([], list(between))]
    if any(map(says, between)):
        keep = len(between)
        while keep and low[keep - 1] in PREPOSITIONS | {"the", "a", "an"}:
            keep -= 1
        ways.append((list(between[:keep]), list(between[keep:])))
    return ways


def _unled(words: Sequence[str]) -> list[str]:
    """Words without what leads up to a name that is taken out of them."""
    kept = list(words)
    while kept and kept[-1].lower() in PREPOSITIONS | {"the", "a", "an", "both"}:
        kept = kept[:-1]
    return kept


def _unjoined(words: Sequence[str], *, joined: bool) -> list[str]:
    return [token for token in words if not (joined and token.lower() in ("and", ",", "both", "or"))]


def met(state: State, reading: Reading, pieces: Sequence[Piece]) -> Reading | None:
    """The reading with its values held to every piece; None where no value meets one of them."""
    for piece in pieces:
        ways = sorted(
            (way for link in piece.links for way in _joining(state, reading, link, piece)),
            key=lambda way: (-way[0], -way[1], way[2].hops[0].relation, way[2].entity),
        )
        if not ways:
            return None
        near, _, condition = ways[0]
        name = state.desk.lexicon.name(condition.hops[0].relation)
        label = state.desk.hood.names.label(condition.entity)
        fits = min(1.0, max(0.0, near) / _CLEAR)
        sure = 0.6 + 0.4 * fits if piece.words else 0.9 if near > _WIDE else 0.75
        reading = replace(
            reading,
            also=(*reading.also, condition),
            score=reading.score + MET + (2 * min(0.0, near - _CLEAR) if piece.words else near - 0.5),
            confidence=(reading.confidence + (1 - reading.confidence) * 0.3) * sure,
            explanation=f"{reading.explanation}; {name} {label}",
        )
    return reading


def _joining(state: State, reading: Reading, link: Link, piece: Piece) -> list[tuple[float, int, Condition]]:
    """The relations that join values of a reading to an entity: nearness to the words, values joined, condition."""
    desk, hood = state.desk, state.desk.hood
    if reading.start == link.iri:
        return []
    found: list[tuple[Hop, int]] = []
    for inverse in (False, True) if state.options.directions == "both" else (False,):
        step = f"{n3(link.iri)} ?p ?answer" if inverse else f"?answer ?p {n3(link.iri)}"
        query = f"SELECT ?p (COUNT(DISTINCT ?answer) AS ?n) WHERE {{ {body(reading)} {step} }} GROUP BY ?p"
        if query not in desk.memo:
            try:
                desk.memo[query] = hood.select(query).rows
            except BackendError:
                desk.memo[query] = ()
        found += [
            (Hop(p, inverse), int(n.text) if isinstance(n, Literal) and n.text.isdecimal() else 0)
            for p, n in desk.memo[query]
            if isinstance(p, Iri) and is_relation(p)
        ]
    if not found:
        return []
    desk.lexicon.meet((hop.relation, None) for hop, _ in found)
    if piece.words:
        said = [token.lower() if token != "X" else "X" for token in piece.words if token[:1].isalnum()]
        fit = desk.lexicon.fit(Phrase(f"What {' '.join(said)}?", 1))
        return [(fit.near[hop.relation], count, Condition((hop,), link.iri)) for hop, count in found]
    # without words of its own it is said in the same breath: "films with A and B"
    same = {hop.relation for hop in (*reading.hops[:1], *(c.hops[0] for c in reading.also[-1:]))}
    return [(0.5 if hop.relation in same else 0.3, count, Condition((hop,), link.iri)) for hop, count in found]
