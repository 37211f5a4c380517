"""The search for readings: which relations, followed one after the other, the words of the question stand for.

Relations first: a path is a sequence of relations, and how many entities lie along it costs nothing. Every way to cut
the question into phrases is tried; a phrase stands for one relation, and its likelihood is that of the relation's name
among all names the graph has. A wording is only as good as all its phrases: each counts by the words it explains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgnb.agents.question_answering.lexicon import BACKWARD, SPREAD, Fit, Lexicon, is_relation, nothing_nearer
from kgnb.agents.question_answering.phrases import Phrase, segmentations
from kgnb.agents.question_answering.reading import Hop, Reading
from kgnb.kg.terms import Iri

BEAM = 10
"""Paths kept for each way to cut the question."""
MERGED = 2.0
"""What a phrase costs, in log likelihood, for each place inside it where another relation might have begun."""


@dataclass(frozen=True)
class _Partial:
    score: float
    hops: tuple[Hop, ...] = ()
    sure: float = 1.0


def path_readings(
    start: Iri, sentence: Sequence[str], lexicon: Lexicon, *, longest: int, inverse: bool, most: int = 20
) -> tuple[Reading, ...]:
    """The readings of a masked question as a path from an entity, best first.

    ``sentence`` has X in the place of the entity; ``longest`` bounds the relations in a row.
    """
    cuts = segmentations(sentence, longest)
    lexicon.meet((hop.relation, None) for hop, _, _ in lexicon.hood.ways(start, inverse=inverse).hops)
    lexicon.fits([phrase for cut in cuts for phrase in cut])
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


def _beam(start: Iri, cut: Sequence[Phrase], lexicon: Lexicon, inverse: bool) -> list[_Partial]:
    beam = [_Partial(0.0)]
    for phrase in cut:
        grown: list[_Partial] = []
        for path in beam:
            ways = lexicon.hood.ways(start, path.hops, inverse=inverse).hops
            ways = tuple(way for way in ways if is_relation(way[0].relation))
            lexicon.meet((hop.relation, sample) for hop, _, sample in ways)
            fit = lexicon.fit(phrase)
            forward = frozenset(hop.relation for hop, _, _ in ways if not hop.inverse)
            back = frozenset(hop.relation for hop, _, _ in ways if hop.inverse)
            grown += [_step(path, hop, phrase, fit, forward, back) for hop, _, _ in ways]
        grown.sort(key=lambda path: (-path.score, [(hop.relation, hop.inverse) for hop in path.hops]))
        beam = grown[:BEAM]
    return beam


def _step(
    path: _Partial, hop: Hop, phrase: Phrase, fit: Fit, forward: frozenset[Iri], back: frozenset[Iri]
) -> _Partial:
    against = hop.inverse and phrase.forward
    likely = fit.likely[hop.relation] - (BACKWARD / SPREAD if against else 0.02 if hop.inverse else 0.0)
    at_hand = forward if phrase.forward else forward | back
    sure = nothing_nearer(fit, hop.relation, at_hand, against)
    score = path.score + phrase.words * likely - MERGED * phrase.merged
    return _Partial(score, (*path.hops, hop), min(path.sure, sure))


def _reading(start: Iri, cut: Sequence[Phrase], path: _Partial, lexicon: Lexicon) -> Reading:
    said = "; ".join(
        f'"{phrase.text.rstrip("?")}" as {lexicon.name(hop.relation)}{" (inverse)" if hop.inverse else ""}'
        for phrase, hop in zip(cut, path.hops, strict=True)
    )
    words = sum(phrase.words for phrase in cut)
    return Reading(start, path.hops, score=path.score / max(1, words), confidence=path.sure, explanation=said)
