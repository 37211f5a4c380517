"""Path search: which sequence of relations the words of the question stand for.

A path is a sequence of relations, so its cost does not depend on the number of entities along it.
Every way to segment the question into phrases is tried. Each phrase stands for one relation, with
the likelihood of that relation's name among all names in the graph, and is weighted by the number
of words it explains.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgnb.agents.question_answering.interpretation import Hop, Interpretation
from kgnb.agents.question_answering.lexicon import (
    BACKWARD,
    SPREAD,
    Fit,
    Lexicon,
    above_noise,
    not_elsewhere,
)
from kgnb.agents.question_answering.names import is_relation
from kgnb.agents.question_answering.segmentation import (
    AUXILIARIES,
    PREPOSITIONS,
    Phrase,
    says,
    segmentations,
    ungrand,
)
from kgnb.kg.terms import Iri
from kgnb.kg.words import key

BEAM = 10
"""Paths kept per segmentation of the question."""
EXPANDED = 2
"""Paths extended at each step; each costs a query."""
MERGED = 3.0
"""Penalty, in log likelihood, for each place inside a phrase where another relation might have
begun.
"""

DOUBT = 0.4
"""Minimum weight of one phrase among several, because the others support the path as well."""
HOPELESS = 0.03
"""Below this confidence a phrase probably means something else, and ``DOUBT`` no longer applies in
full.
"""
MISSED = 0.1
"""Factor on a phrase's confidence for each of its parts that the relation does not express."""
UNSAID = 0.1
"""A part of a phrase counts as not expressed if its confidence in the phrase's relation is below
this.
"""
_DONE = 0.6
"""Nearness of a relation to a phrase with its own verb in another form: what X placed is "placed by" X.
"""
_WORDY = 3  # content words of a phrase from which it says more than its verb
HOP = 0.1
"""Penalty, in log likelihood, for each further relation: a single relation is preferred."""
RETURN = 3.0
"""Penalty, in log likelihood, for going straight back along the previous relation: few questions
ask for that.
"""
RETURNED = 0.1
"""Factor on the confidence of such a path."""


@dataclass(frozen=True)
class _Partial:
    score: float
    hops: tuple[Hop, ...] = ()
    sure: float = 0.0  # log confidence that nothing else is meant, weighted by words
    near: float = 0.0  # nearness, weighted by words
    words: int = 0
    surest: float = 0.0  # confidence of the last hop alone

    @property
    def confidence(self) -> float:
        """Confidence that the question asks for this path at all."""
        words = max(1, self.words)
        sure = math.exp(self.sure / words) if len(self.hops) > 1 else self.surest
        return sure * above_noise(self.near / words, several=len(self.hops) > 1)


def candidate_paths(
    start: Iri,
    sentence: Sequence[str],
    lexicon: Lexicon,
    *,
    longest: int,
    inverse: bool,
    most: int = 20,
    after: tuple[Hop, ...] = (),
) -> tuple[Interpretation, ...]:
    """Interpret a masked question as paths from an entity, best first.

    ``sentence`` contains X in place of the entity; ``longest`` limits the number of relations in a
    path. No word says the relations ``after`` which the path begins.
    """
    cuts: Sequence[tuple[Phrase, ...]] = segmentations(ungrand(sentence), longest)
    lexicon.meet(
        (hop.relation, None)
        for hop, _, _ in lexicon.reader.expand(start, after, inverse=inverse).hops
    )
    cuts = _whole_names(cuts, lexicon)
    found: dict[tuple[Hop, ...], Interpretation] = {}
    for cut in cuts:
        for path in _beam(start, cut, lexicon, inverse, after):
            made, known = _candidate(start, cut, path, lexicon, after), found.get(path.hops)
            if known is None or made.score > known.score:
                found[path.hops] = made
    ranked = sorted(
        found.values(),
        key=lambda candidate: (-candidate.score, [(h.relation, h.inverse) for h in candidate.hops]),
    )
    return tuple(ranked[:most])


def _whole_names(
    cuts: Sequence[tuple[Phrase, ...]], lexicon: Lexicon
) -> Sequence[tuple[Phrase, ...]]:
    """Keep the segmentations that do not split the longest exact relation name, such as "country of
    citizenship".
    """
    phrases = list(dict.fromkeys(phrase for cut in cuts for phrase in cut))
    fits = dict(zip(phrases, lexicon.fits(phrases), strict=True))
    named = [phrase for phrase in phrases if phrase.words > 1 and fits[phrase].named]
    longest = max(named, key=lambda phrase: phrase.words, default=None)
    return cuts if longest is None else [cut for cut in cuts if longest in cut]


def _beam(
    start: Iri, cut: Sequence[Phrase], lexicon: Lexicon, inverse: bool, after: tuple[Hop, ...]
) -> list[_Partial]:
    beam = [_Partial(0.0, after)]
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
                _step(path, hop, phrase, fit, parts, forward, back, lexicon.name(hop.relation))
                for hop, _, _ in steps
            ]
        grown.sort(
            key=lambda path: (-path.score, [(hop.relation, hop.inverse) for hop in path.hops])
        )
        beam = grown[:BEAM]
    return beam


def _other_way(
    text: str, hop: Hop, name: str, forward: frozenset[Iri], back: frozenset[Iri]
) -> bool:
    """Whether a "... by" relation is followed the wrong way: in "did X influence", X is the one who
    influenced.
    """
    if not name.endswith(" by") or not (hop.relation in forward and hop.relation in back):
        return False
    return active(text) != hop.inverse


def active(text: str) -> bool:
    """Whether a phrase makes X the one who does it.

    >>> active("Whom did X influence?"), active("Who influenced X?"), active("Who was X led by?")
    (True, False, False)
    """
    doing = r"\b(?:did|does|do|has|have|by) X\b|\bX (?!was|is|were|are)\w+\?$"
    return re.search(doing, text) is not None


_OF_NOUN = r"(?:an? |the |his |her |its |their )?(?P<noun>.+?)"
_BY_WORD_ORDER = {
    re.compile(order, re.I): backwards
    for order, backwards in {
        rf"\bX (?:has|have|had)\b.*? ?\bas {_OF_NOUN}\?$": False,
        rf"\b(?:has|have|had) X as {_OF_NOUN}\?$": True,
        rf"\b(?:is|are|was|were) X {_OF_NOUN} (?:of|to)\?$": True,
        r"^whose (?P<noun>.+?) (?:is|are|was|were) X\?$": True,
    }.items()
}
"""Word orders that say of a noun whether X has it, or is it of something else (True)."""
_OWNED = re.compile(r"\bthe (?P<noun>[^?]+?) of X\?$")


_AT = sorted((PREPOSITIONS | {"over"}) - {"by", "of", "with"})
_DONE_TO = f"(?: (?:{'|'.join(_AT)}))? X"
_DOES = {
    re.compile(order, re.I): does
    for order, does in {
        r"\b(?:did|does|do) X (?P<verb>\w+)": True,
        r"\b(?:has|have|had) X (?P<verb>\w+)\?$": True,
        r"\b(?P<verb>\w+) by X\b": True,
        r"\b(?:is|are|was|were) X (?P<verb>\w+) by\b": False,
        rf"^(?:who|what)(?: has| had)? (?P<verb>\w+){_DONE_TO}\b": False,
        # no noun: "the parents X"
        rf"^(?:which|what) .*?\b(?<!the )(?<!\ba )(?<!\ban )(?P<verb>\w+){_DONE_TO}\?$": False,
    }.items()
}
"""Word orders with a verb that X does (True), or that is done to X."""
_BARE = {
    form: verb
    for verb, *forms in map(
        str.split,
        """teach taught;lend lent;lead led;write wrote written;sell sold;buy bought;build built;make made;send sent;
        give gave given;take took taken;draw drew drawn;win won;keep kept;hold held;breed bred;drive drove driven;
        choose chose chosen;sing sang sung""".split(";"),  # noqa: SIM905
    )
    for form in forms
}
_MUTUAL = ("border", "neighbo", "adjoin", "marr", "meet", "join")
"""Beginnings of verbs that both ends do to each other."""


def leads_to(text: str, name: str) -> bool | None:
    """Whether a relation named by a phrase's noun or verb leads to X, not from it; None if that is
    not said.

    >>> leads_to("Who is X the mother of?", "mother"), leads_to("Whom does X have as a mentor?", "mentor")
    (True, False)
    >>> leads_to("Who is X the mother of?", "mother of"), leads_to("Who is the mother of X?", "mother")
    (False, None)
    >>> leads_to("Who taught X?", "teacher"), leads_to("Whom did X teach?", "teacher")
    (False, True)
    >>> leads_to("Who mentors X?", "mentor of"), leads_to("What does X amend?", "amends")
    (True, False)
    """
    head = key(name.removesuffix(" of"))[-1:]
    held = _OWNED.search(text) if name.endswith(" of") else None
    if held and key(held["noun"])[-1:] == head:
        return True  # the parents of X are "parent of" X
    for order, backwards in _BY_WORD_ORDER.items():
        found = order.search(text)
        if found and head and key(found["noun"])[-1:] == head:
            return backwards != name.endswith(" of")
    asked = verb_of(text)
    done_by_end = voice(name, asked[0]) if asked is not None else None
    return None if asked is None or done_by_end is None else asked[1] == done_by_end


def verb_of(text: str) -> tuple[str, bool] | None:
    """The verb of a phrase, and whether X does it.

    >>> verb_of("Who taught X?"), verb_of("Which works did X donate?"), verb_of("Who is the leader of X?")
    (('taught', False), ('donate', True), None)
    >>> verb_of("Which author wrote X?"), verb_of("What is the parents X?")
    (('wrote', False), None)
    """
    for order, does in _DOES.items():
        found = order.search(text)
        if found is not None:
            verb = found["verb"].lower()
            return None if verb in AUXILIARIES or not says(verb) else (verb, does)
    return None


def voice(name: str, verb: str) -> bool | None:
    """Whether the end of a relation does what a verb says, True for "teacher", "restored by", or
    its beginning, False for "mentor of", "employs"; None if its name does not have the verb.

    >>> voice("teacher", "taught"), voice("mentor of", "mentors"), voice("taken over by", "took")
    (True, False, True)
    >>> voice("reports to", "report"), voice("based on", "based"), voice("borders", "borders")
    (False, False, None)
    """
    parts = name.lower().split()
    by, of = len(parts) > 1 and parts[-1] == "by", len(parts) > 1 and parts[-1] == "of"
    noun = parts[-2] if of else parts[-1] if parts else ""
    if by:
        found, end = parts[0], True
    elif len(noun) > 4 and noun.endswith(("er", "or")):
        found, end = noun, not of
    elif parts and len(parts) < 3 and (parts[0].endswith("s") or parts[-1] in _AT):
        found, end = parts[0], False
    else:
        return None
    return end if same_verb(found, verb) and not verb.startswith(_MUTUAL) else None


def same_verb(one: str, other: str) -> bool:
    """Whether two words are forms of one verb, or one the noun for who or what does it.

    >>> same_verb("donor", "donated"), same_verb("order", "ordered"), same_verb("owner", "ordered")
    (True, True, False)
    """
    short, long = sorted((_stem(one), _stem(other)), key=len)
    return len(short) > 2 and long.startswith(short) and len(long) - len(short) < 3


def _stem(word: str) -> str:
    """A verb, or the noun for who does it, without its ending."""
    bare = _BARE.get(word, word)
    return re.sub(r"(?<=\w{3})(?:ed|es|s|er|or|ing|e)$", "", bare)


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
    back_to_it = leads_to(phrase.text, name)
    if back_to_it is not None:
        against = back_to_it != hop.inverse
    if not against and _does(phrase, name):
        fit = replace(fit, near={**fit.near, hop.relation: max(_DONE, fit.near[hop.relation])})
    likely = fit.likely[hop.relation] - (
        BACKWARD / SPREAD if against else 0.02 if hop.inverse else 0.0
    )
    at_hand = forward if phrase.forward else forward | back
    sure = not_elsewhere(fit, hop.relation, at_hand, against)
    # "the sex of X's wife" does not mean spouse alone: that relation does not express the sex
    unsaid = sum(not_elsewhere(part, hop.relation, at_hand, False) < UNSAID for part in parts)
    sure *= MISSED**unsaid
    returns = bool(path.hops) and path.hops[-1] == Hop(hop.relation, not hop.inverse)
    score = (
        path.score
        + phrase.words * likely
        - (0.0 if fit.named else MERGED * (phrase.merged + unsaid))
    )
    if returns:
        score -= RETURN
    near = fit.near[hop.relation] - (BACKWARD if against else 0.0)
    return _Partial(
        score,
        (*path.hops, hop),
        path.sure
        + phrase.words
        * math.log(
            max(sure, DOUBT * min(1.0, (sure / HOPELESS) ** 2), 1e-6)
            * (RETURNED if returns else 1.0)
        ),
        path.near + phrase.words * near,
        path.words + phrase.words,
        sure,
    )


def _does(phrase: Phrase, name: str) -> bool:
    """Whether a phrase says little more than the verb which a relation is called by."""
    verb = verb_of(phrase.text)
    return verb is not None and phrase.words < _WORDY and voice(name, verb[0]) is not None


def _candidate(
    start: Iri, cut: Sequence[Phrase], path: _Partial, lexicon: Lexicon, after: tuple[Hop, ...]
) -> Interpretation:
    steps = [
        f"{lexicon.name(hop.relation)}{' (inverse)' if hop.inverse else ''}" for hop in path.hops
    ]
    begin = len(after)
    told = [
        f'"{phrase.text.rstrip("?")}" as {step}'
        for phrase, step in zip(cut, steps[begin:], strict=True)
    ]
    said = "; ".join((*steps[:begin], *told))
    words = sum(phrase.words for phrase in cut)
    return Interpretation(
        start,
        path.hops,
        score=path.score / max(1, words) - HOP * (len(cut) - 1),
        confidence=path.confidence,
        explanation=said,
        phrases=(*[("", 0)] * begin, *((phrase.text, phrase.words) for phrase in cut)),
    )
