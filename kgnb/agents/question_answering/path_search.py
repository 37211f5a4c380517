"""The search for paths: which relations, followed one after the other, the words of the question stand for.

Relations first: a path is a sequence of relations, and how many entities lie along it costs nothing. Every way to cut
the question into phrases is tried; a phrase stands for one relation, and its likelihood is that of the relation's name
among all names the graph has. A wording is only as good as all its phrases: each counts by the words it explains.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kgnb.agents.question_answering.interpretation import Hop, Interpretation
from kgnb.agents.question_answering.lexicon import (
    BACKWARD,
    SPREAD,
    Fit,
    Lexicon,
    above_noise,
    is_relation,
    not_elsewhere,
)
from kgnb.agents.question_answering.segmentation import Phrase, segmentations, ungrand
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
"""What each further relation costs an interpretation, in log likelihood: what one relation says is not said by two."""
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


def candidate_paths(
    start: Iri, sentence: Sequence[str], lexicon: Lexicon, *, longest: int, inverse: bool, most: int = 20
) -> tuple[Interpretation, ...]:
    """The interpretations of a masked question as a path from an entity, best first.

    ``sentence`` has X in the place of the entity; ``longest`` bounds the relations in a row.
    """
    cuts: Sequence[tuple[Phrase, ...]] = segmentations(ungrand(sentence), longest)
    lexicon.meet((hop.relation, None) for hop, _, _ in lexicon.reader.expand(start, inverse=inverse).hops)
    cuts = _whole_names(cuts, lexicon)
    found: dict[tuple[Hop, ...], Interpretation] = {}
    for cut in cuts:
        for path in _beam(start, cut, lexicon, inverse):
            known = found.get(path.hops)
            if known is None or path.score > known.score:
                found[path.hops] = _candidate(start, cut, path, lexicon)
    ranked = sorted(
        found.values(), key=lambda candidate: (-candidate.score, [(h.relation, h.inverse) for h in candidate.hops])
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
            steps = lexicon.reader.expand(start, path.hops, inverse=inverse).hops
            steps = tuple(step for step in steps if is_relation(step[0].relation))
            lexicon.meet((hop.relation, sample) for hop, _, sample in steps)
            fit = lexicon.fit(phrase)
            forward = frozenset(hop.relation for hop, _, _ in steps if not hop.inverse)
            back = frozenset(hop.relation for hop, _, _ in steps if hop.inverse)
            parts = [] if fit.named else lexicon.fits([Phrase(text, 1) for text in phrase.parts])
            grown += [
                _step(path, hop, phrase, fit, parts, forward, back, lexicon.name(hop.relation)) for hop, _, _ in steps
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


def _candidate(start: Iri, cut: Sequence[Phrase], path: _Partial, lexicon: Lexicon) -> Interpretation:
    said = "; ".join(
        f'"{phrase.text.rstrip("?")}" as {lexicon.name(hop.relation)}{" (inverse)" if hop.inverse else ""}'
        for phrase, hop in zip(cut, path.hops, strict=True)
    )
    words = sum(phrase.words for phrase in cut)
    return Interpretation(
        start,
        path.hops,
        score=path.score / max(1, words) - HOP * (len(cut) - 1),
        confidence=path.confidence,
        explanation=said,
        phrases=tuple((phrase.text, phrase.words) for phrase in cut),
    )
