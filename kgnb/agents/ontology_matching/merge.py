"""Merge: both directions' verdicts into one alignment (Agent-OM, section 4.2).

What both directions say is believed first: their answers are combined as independent evidence, the
best set of mappings is chosen globally, and mappings that make the two ontologies contradict each
other are removed. The paper keeps only what both directions found (``merge="both"``), which costs
recall (MSE test 2: one direction alone 81.6 F1, both 61.1); here an answer from one side stays if it
is sure, measured by how often the other side confirms such answers. Everything that is dropped is
reported with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from math import exp, log, prod
from typing import cast

from kgnb.agents.ontology_matching.coherence import incoherent
from kgnb.agents.ontology_matching.leftover import LEFTOVER
from kgnb.agents.ontology_matching.lexicon import PREPOSITIONS
from kgnb.agents.ontology_matching.rule import LEAST, EvidenceKinds, RuleJudge, calibrated
from kgnb.agents.ontology_matching.values import (
    SIDES,
    Candidate,
    Description,
    Judged,
    Key,
    Options,
    Pair,
    Side,
    Validated,
)
from kgnb.judging import UNSURE, Verdict
from kgnb.kg.words import plain, words
from kgnb.mappings import Alignment, Dropped, Evidence, Relation, one_to_one, turned, which_concepts
from kgnb.mappings import Mapping as AlignedPair
from kgnb.results.bundle import count
from kgnb.results.wording import percent

MISSED = 0.15
"""Share of right mappings that a judge is expected to miss from one side. At most so many one-sided
answers are right, beside those that both sides give; a judge that misses more loses some of them.
"""
FALSE = 4.0  # answers of one side that are wrong besides, in the smallest ontologies as well
TOLD = 1.0  # log-odds that what a judge says of its confidence moves such an answer by, at most
MUTUAL = 2.0
"""Added to the worth of a mapping that both sides chose, so that no two answers of one side outweigh
it: the alignment is never worse than what both directions agree on.
"""
CONFIRMED = 0.25
"""Added to the worth of a mapping that a model confirmed, against one of the rule alone that it
contradicts: the rule reads names, and classes of one name may be disjoint. Ten conference pairs with
a recorded model: F1 .745 to .770; anything from .1 to 1 gives the same.
"""
ALONE = {RuleJudge.name, LEFTOVER}
BOUND = 0.01  # a single answer is believed no further than to this from 0 and 1


@dataclass
class _Votes:
    """The verdicts on one pair, from either side."""

    candidate: Candidate
    chosen: dict[Side, Verdict] = field(default_factory=dict)
    # by sides that chose another, but hold this one possible
    possible: dict[Side, float] = field(default_factory=dict)
    # by sides that chose another or none, with their confidence
    against: dict[Side, float] = field(default_factory=dict)
    evidence: list[Evidence] = field(default_factory=list)

    def equivalent(self) -> bool:
        """Whether every side that chose it says so."""
        return all(verdict.decision == "equivalent" for verdict in self.chosen.values())

    def mutual(self) -> bool:
        """Whether both sides hold it to be right."""
        likely = [side for side, chance in self.possible.items() if chance >= 0.5]
        return len({*self.chosen, *likely}) == len(SIDES)

    def contradicted(self) -> bool:
        """Whether one side chose it by itself, and the other did not."""
        return bool(self.chosen and self.against) and not self.mutual()

    def by_pair(self) -> bool:
        """Whether the judge weighed the pair as a whole, so that both sides give one opinion.

        So does the rule, alone or in a cascade: what it says from either side is said once.
        """
        return all(verdict.judged_by.startswith("rule") for verdict in self.chosen.values())

    def agreed(self) -> float:
        """The chance that it is right if those who chose it, or hold it possible, are independent."""
        chances = [verdict.confidence for verdict in self.chosen.values()]
        chances += [chance for chance in self.possible.values() if not chances or chance >= 0.5]
        if self.by_pair():
            return sum(chances) / len(chances)
        return 1.0 - prod(1.0 - min(chance, 1.0 - BOUND) for chance in chances)

    def odds(self) -> float:
        """The log-odds of an answer of one side against that of the other."""
        return _log_odds(self.agreed()) - sum(map(_log_odds, self.against.values()))


def _log_odds(chance: float) -> float:
    kept = min(max(chance, BOUND), 1.0 - BOUND)
    return log(kept / (1.0 - kept))


def _confidences(votes: Mapping[Pair, _Votes]) -> dict[Pair, float]:
    """The chance of each pair, from the answers of both sides.

    An answer that the other side contradicts is right as often as the judge's agreement with itself
    lets expect (as in a capture-recapture count): a judge that is often confirmed is believed
    against its own no, one that is seldom confirmed is not, however sure it says it is. What it
    says of its confidence counts relative to its other contradicted answers.
    """
    chances = {pair: vote.agreed() for pair, vote in votes.items()}
    for side in SIDES:
        disputed = {p: v for p, v in votes.items() if v.contradicted() and side in v.chosen}
        if not disputed:
            continue
        agreed = sum(vote.mutual() for vote in votes.values())
        expected = MISSED / (1.0 - MISSED) * agreed
        base = _log_odds(expected / (max(expected, len(disputed)) + FALSE))
        usual = sum(vote.odds() for vote in disputed.values()) / len(disputed)
        for pair, vote in disputed.items():
            told = max(-TOLD, min(vote.odds() - usual, TOLD))
            odds = min(base + told, _log_odds(chances[pair]))
            chances[pair] = 1.0 / (1.0 + exp(-odds))
    return chances


def merge(validated: Validated, *, options: Options = Options()) -> Alignment:
    """The alignment: equivalences assigned globally, other relations as judged, the rest dropped
    with a reason.

    Mappings of the rule judge are chosen by its own probability and shown with a calibrated
    confidence.
    """
    described = validated.described
    votes = _votes(validated.judged, exclusive=options.cardinality == "1:1")
    equal = {pair: vote for pair, vote in votes.items() if vote.equivalent()}
    # one direction alone: the other says nothing for or against
    alone = {pair: vote.agreed() for pair, vote in equal.items()}
    chances = alone if options.merge in SIDES else _confidences(equal)
    mappings = {
        pair: _mapping(validated, vote, "equivalent", chances[pair]) for pair, vote in equal.items()
    }
    shown = _shown(validated, mappings, equal)
    dropped: list[Dropped] = []
    kept: dict[Pair, AlignedPair] = {}
    for pair, mapping in mappings.items():
        why = _too_little(mapping, equal[pair], shown[pair], options)
        if not why:
            kept[pair] = mapping
        elif equal[pair].chosen:
            dropped.append(Dropped(mapping, why))
    dropped += [Dropped(_apart(validated, pair), APART) for pair in validated.apart]
    if options.cardinality == "1:1":
        best = _one_to_one(kept, equal)
        lost = [m for pair, m in kept.items() if pair not in best and equal[pair].chosen]
        dropped += [Dropped(mapping, _lost(mapping, best)) for mapping in lost]
        kept = best
    conflicts = incoherent(
        described,
        [(mapping, _worth(mapping, equal[pair])) for pair, mapping in kept.items()],
        [m for pair, m in kept.items() if equal[pair].mutual() and not equal[pair].by_pair()],
    )
    dropped += conflicts
    gone = [one.mapping for one in conflicts]
    equivalences = [replace(m, confidence=shown[pair]) for pair, m in kept.items() if m not in gone]
    others = _other_relations(validated, votes, options)
    if options.relations and options.confidence <= HEADS:
        said = [*equivalences, *others]
        others += by_head(
            validated, {(m.source, m.kind) for m in said}, {(m.target, m.kind) for m in said}
        )
    return Alignment(
        mappings=tuple(sorted([*equivalences, *others], key=_order)),
        source=described.source.iri,
        target=described.target.iri,
        dropped=tuple(sorted(dropped, key=lambda one: _order(one.mapping))),
        unsure=tuple(_unsure(validated)),
        notes=(*described.notes, *_unlisted(validated)),
    )


def _unlisted(validated: Validated) -> list[str]:
    """How many entities without a likely counterpart are not in the queue."""
    if not validated.unlikely:
        return []
    more = count(validated.unlikely, "more entity", "more entities")
    return [f"{more} without a likely counterpart: a model may know one"]


APART = "the ontologies say that they are disjoint"


def _apart(validated: Validated, pair: Pair) -> AlignedPair:
    """A pair of one name that is said to be disjoint."""
    source, target = validated.described.ends(pair)
    return AlignedPair(*pair[:2], kind=pair[2], source_label=source.name, target_label=target.name)


def _too_little(mapping: AlignedPair, vote: _Votes, shown: float, options: Options) -> str:
    """Why a mapping is dropped, or ""."""
    sides = " and ".join(sorted(vote.chosen))
    mutual = vote.mutual()
    if options.merge == "both" and not mutual:
        return f"only the {sides} side found it"
    if options.merge in SIDES and options.merge not in vote.chosen:
        return f"the {options.merge} side did not find it"
    bar = min(options.confidence, LEAST) if mapping.judged_by == "rule" else options.confidence
    if options.merge == "weighed" and not mutual:
        if options.one_sided >= 1.0:
            return f"only the {sides} side found it"
        bar = max(bar, options.one_sided)
    if mapping.confidence < bar:
        other = "; the other side chose another, or none" if vote.contradicted() else ""
        held = f"confidence {percent(mapping.confidence)} from the {sides} side is below {percent(bar)}"
        return held + other
    if shown < options.confidence:
        return f"confidence {percent(shown)} from the {sides} side is below {percent(options.confidence)}"
    return ""


def _worth(mapping: AlignedPair, vote: _Votes) -> float:
    """What a mapping is worth among those it contradicts.

    A judge that sees one entity at a time does not weigh the likeness of names as the rule does, so
    that counts besides.
    """
    if vote.by_pair():
        alone = all(verdict.judged_by in ALONE for verdict in vote.chosen.values())
        return mapping.confidence + (0.0 if alone else CONFIRMED)
    near = vote.candidate.cosines
    return mapping.confidence + max(near.syntactic, near.lexical, 0.0)


def _one_to_one(
    kept: Mapping[Pair, AlignedPair], votes: Mapping[Pair, _Votes]
) -> dict[Pair, AlignedPair]:
    """The most probable mappings in which no entity occurs twice, those of both sides first."""
    worth = {
        ((m.source, m.kind), (m.target, m.kind)): m.confidence + MUTUAL * votes[pair].mutual()
        for pair, m in kept.items()
    }
    chosen = one_to_one(worth)
    return {
        pair: m
        for pair, m in sorted(kept.items())
        if ((m.source, m.kind), (m.target, m.kind)) in chosen
    }


def _shown(
    validated: Validated, mappings: Mapping[Pair, AlignedPair], votes: Mapping[Pair, _Votes]
) -> dict[Pair, float]:
    """The confidence of each mapping; the rule's is calibrated, and divided among pairs that are
    exactly as likely.

    Two terms that only one of the ontologies has for a thing (an old property and its successor)
    are not divided: either is right.
    """
    described = validated.described
    entities = min(len(described.of("source")), len(described.of("target")))
    known = EvidenceKinds(
        [one.question for one in validated.judged],
        {pair: m.confidence for pair, m in mappings.items()},
    )
    claims = {
        pair: [(end, pair[end], pair[2], m.confidence) for end in (0, 1)]
        for pair, m in mappings.items()
    }
    numbers = Counter(claim for both in claims.values() for claim in both)
    shown: dict[Pair, float] = {}
    for pair, mapping in mappings.items():
        shown[pair] = mapping.confidence
        if mapping.judged_by == "rule":
            evidence = known.evidence(*described.ends(pair), votes[pair].candidate.cosines)
            found, tied = (
                calibrated(mapping.confidence, evidence, entities),
                min(numbers[one] for one in claims[pair]),
            )
            shown[pair] = max(found / tied, min(found, LEAST))
    return shown


def _votes(judged: Sequence[Judged], *, exclusive: bool) -> dict[Pair, _Votes]:
    """``exclusive``: a side that chose another entity speaks against this one."""
    votes: dict[Pair, _Votes] = {}
    for one in judged:
        # hints of an undecided judge are for a person, except those of the rule, which are its
        # probabilities
        also = dict(one.verdict.also) if one.verdict.sure or one.verdict.judged_by == "rule" else {}
        for candidate, other in zip(one.question.candidates, one.question.others, strict=True):
            chosen = one.verdict.sure and one.verdict.choice == other.iri
            if not chosen and other.iri not in also and candidate.pair not in votes:
                continue
            vote = votes.setdefault(candidate.pair, _Votes(candidate))
            vote.evidence += [e for e in candidate.evidence if e not in vote.evidence]
            if chosen:
                vote.chosen[one.question.side] = one.verdict
            elif other.iri in also:
                vote.possible[one.question.side] = also[other.iri]
    verdicts = {(one.question.side, one.question.about.key): one.verdict for one in judged}
    for (source, target, kind), vote in votes.items():
        ends: tuple[tuple[Side, str], ...] = (("source", source), ("target", target))
        for side, iri in ends:
            verdict = verdicts.get((side, (iri, kind)))
            if verdict is None or not verdict.sure or side in vote.chosen:
                continue
            if exclusive or verdict.choice is None:
                vote.against[side] = verdict.confidence
    return dict(
        sorted((pair, vote) for pair, vote in votes.items() if vote.chosen or vote.possible)
    )


def _mapping(
    validated: Validated, vote: _Votes, relation: Relation, confidence: float | None = None
) -> AlignedPair:
    candidate = vote.candidate
    said = list(vote.chosen.values())
    source, target = validated.described.ends(candidate.pair)
    told = [
        Evidence(f"asked from the {side}", v.rationale, v.confidence)
        for side, v in sorted(vote.chosen.items())
    ]
    by = dict.fromkeys(verdict.judged_by for verdict in said) or {validated.judge: None}
    told += [
        Evidence(f"not chosen from the {side}", "it chose another, or none", confidence)
        for side, confidence in sorted(vote.against.items())
        if vote.contradicted()
    ]
    exact = any(e.kind == "exact view" for e in vote.evidence)
    return AlignedPair(
        source=candidate.source,
        target=candidate.target,
        relation=relation,
        confidence=round(vote.agreed() if confidence is None else confidence, 4),
        kind=candidate.kind,
        source_label=source.name,
        target_label=target.name,
        justification="semapv:LexicalMatching"
        if exact and ALONE.issuperset(by)
        else "semapv:CompositeMatching",
        judged_by=", ".join(by),
        rationale=said[0].rationale if said else "",
        evidence=(*vote.evidence, *told),
        concepts=which_concepts(source.entity.concept, target.entity.concept),
    )


def _lost(mapping: AlignedPair, best: Mapping[Pair, AlignedPair]) -> str:
    rivals = [
        other
        for _, other in sorted(best.items())
        if other.kind == mapping.kind
        and (other.source == mapping.source or other.target == mapping.target)
    ]
    names = " and ".join(
        f"{r.source_label} = {r.target_label} ({percent(r.confidence)})" for r in rivals
    )
    return f"one to one: {names} together are worth more"


def _other_relations(
    validated: Validated, votes: Mapping[Pair, _Votes], options: Options
) -> list[AlignedPair]:
    """Broader, narrower and related, where the sides that judged the pair agree."""
    found = []
    for vote in votes.values():
        if vote.equivalent():
            continue
        relations = {
            v.decision if side == "source" else turned(v.decision)
            for side, v in vote.chosen.items()
        }
        relation = cast(Relation, relations.pop() if len(relations) == 1 else "related")
        mapping = _mapping(validated, vote, relation)
        if mapping.confidence >= options.confidence:
            found.append(mapping)
    return found


def _unsure(validated: Validated) -> list[AlignedPair]:
    """The likeliest candidate of every question the judge could not decide, once a pair, the pairs
    that most speaks for first: a queue for a person.
    """
    waiting: dict[Pair, tuple[tuple[bool, float], AlignedPair]] = {}
    for one in validated.judged:
        if one.verdict.decision != UNSURE:
            continue
        candidates = {c.pair[one.question.side == "source"]: c for c in one.question.candidates}
        iri = next((iri for iri, _ in one.verdict.also), "")
        candidate = candidates.get(iri, one.question.candidates[0])
        vote = _Votes(
            candidate, {one.question.side: one.verdict}, evidence=list(candidate.evidence)
        )
        named = any(evidence.kind == "exact view" for evidence in candidate.evidence)
        likeness = max(candidate.cosines.syntactic, candidate.cosines.lexical)
        mapping = _mapping(validated, vote, "unsure")
        waiting.setdefault(candidate.pair, ((named, likeness), mapping))
    best = sorted(
        waiting.values(), key=lambda entry: (-entry[0][0], -entry[0][1], _order(entry[1]))
    )
    return [mapping for _, mapping in best]


def _order(mapping: AlignedPair) -> tuple[str, str, str, str]:
    return (mapping.kind, mapping.source, mapping.target, mapping.relation)


HEADS = 0.7
"""One number for all: names tell no more than that. All 13 found in MSE test 1 and cmt-confof are
right by our own reading; six of the eleven in MSE test 1 are among the 23 mappings that its
reference lists.
"""


def by_head(
    validated: Validated, sources: Set[tuple[str, str]], targets: Set[tuple[str, str]]
) -> list[AlignedPair]:
    """Broader and narrower classes by their names: a polar solvent is a solvent, but not a
    "concentration of solvent".

    ``sources`` and ``targets`` are the keys of entities that are mapped already and get nothing
    further: what follows from an equivalence need not be stated. But where one side has both "Lead"
    and "Lead atom", which is an atom, the latter is related to the counterpart of the former.
    """
    described = validated.described
    offered = {
        c.pair: c for one in validated.judged for c in one.question.candidates if c.kind == "class"
    }
    best: dict[tuple[Side, Key], tuple[int, Pair, Relation]] = {}
    mapped = {"source": sources, "target": targets}
    for pair in sorted(offered):
        source, target = described.ends(pair)
        for special, general in ((source, target), (target, source)):
            relation: Relation = "broader" if special is source else "narrower"
            if special.key in mapped[special.side]:
                continue
            length = _head_in_common(special, general)
            if general.key in mapped[general.side] and _of_a_sort(special, general):
                length, relation = len(_words_of(general)), "related"
            at = (special.side, special.key)
            if length and (at not in best or length > best[at][0]):
                best[at] = (length, pair, relation)
    return [_headed(validated, offered[pair], relation) for _, pair, relation in best.values()]


def _head_in_common(special: Description, general: Description) -> int:
    """The number of words in the general one's name, if the special one's longer name has it as its
    head; else 0.
    """
    whole, name = _words_of(special), _words_of(general)
    if not name or len(name) >= len(whole) or any(word in PREPOSITIONS for word in name):
        return 0
    before = next((n for n, word in enumerate(whole) if n and word in PREPOSITIONS), len(whole))
    return len(name) if whole[:before][-len(name) :] == name else 0


def _of_a_sort(special: Description, general: Description) -> bool:
    """Whether a name is the other's name followed by the name of its own class."""
    *name, sort = _words_of(special) or [""]
    return tuple(name) == _words_of(general) and any(
        plain(one.split()[-1]) == sort for one in special.related if one
    )


def _words_of(description: Description) -> tuple[str, ...]:
    return tuple(map(plain, description.names[0])) if description.names else ()


def _headed(validated: Validated, candidate: Candidate, relation: Relation) -> AlignedPair:
    mapping = _mapping(validated, _Votes(candidate, possible={"source": HEADS}), relation)
    general, special = sorted(
        (mapping.target_label, mapping.source_label), key=lambda label: len(words(label))
    )
    why = f"“{special}” ends in “{general}”, or has it as its head"
    if relation == "related":
        why = f"“{special}” says what sort of “{general}” it is"
    evidence = (*candidate.evidence, Evidence("head of the name", why, HEADS))
    return replace(
        mapping,
        evidence=evidence,
        justification="semapv:LexicalMatching",
        judged_by="rule",
        rationale=why,
    )
