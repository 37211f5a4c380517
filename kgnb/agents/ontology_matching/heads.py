"""Broader and narrower classes read off their names: a polar solvent is a solvent (part of ``merge``, on request).

Only the name's last words count, its head; "concentration of solvent" has its head before the preposition. A class that
is already mapped offers no further mapping, for what follows from an equivalence need not be said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from kgnb.agents.ontology_matching.lexicon import PREPOSITIONS
from kgnb.agents.ontology_matching.values import Candidate, Described, Description, Judged, Key, Pair
from kgnb.kg.words import plain
from kgnb.mappings import Evidence, Mapping, Relation, which_concepts

CONFIDENCE = 0.7
"""One number for all: names tell no more than that. All 13 found in MSE test 1 and cmt-confof are right by our own
reading; six of the eleven in MSE test 1 are among the 23 mappings that its reference lists."""


def by_head(described: Described, judged: Iterable[Judged], mapped: tuple[Set[Key], Set[Key]]) -> list[Mapping]:
    """For each class not ``mapped`` (source keys, target keys): the candidate that is most of its head, if any is."""
    offered = {candidate.pair: candidate for one in judged for candidate in one.question.candidates}
    best: dict[tuple[str, Key], tuple[int, Pair, Relation]] = {}
    for pair in sorted(offered):
        source = described.find("source", pair[0], pair[2])
        target = described.find("target", pair[1], pair[2])
        for special, general, relation in _either_way(source, target):
            if special.key in mapped[special.side == "target"]:
                continue
            length = _head_in_common(special, general)
            at = (special.side, special.key)
            if length and (at not in best or length > best[at][0]):
                best[at] = (length, pair, relation)
    return [_mapping(described, offered[pair], relation) for _, pair, relation in best.values()]


def _either_way(source: Description, target: Description) -> Iterator[tuple[Description, Description, Relation]]:
    if source.kind == "class":
        yield source, target, "broader"
        yield target, source, "narrower"


def _head_in_common(special: Description, general: Description) -> int:
    """How many words the general one's whole name takes at the end of the special one's longer name; 0: it does not."""
    whole, name = _words(special), _words(general)
    if not name or len(name) >= len(whole) or any(word in PREPOSITIONS for word in name):
        return 0
    before = next((n for n, word in enumerate(whole) if n and word in PREPOSITIONS), len(whole))
    return len(name) if whole[:before][-len(name) :] == name else 0


def _words(description: Description) -> tuple[str, ...]:
    return tuple(map(plain, description.names[0])) if description.names else ()


def _mapping(described: Described, candidate: Candidate, relation: Relation) -> Mapping:
    source = described.find("source", candidate.source, candidate.kind)
    target = described.find("target", candidate.target, candidate.kind)
    special, general = (source, target) if relation == "broader" else (target, source)
    why = f"“{special.name}” ends in “{general.name}”, or has it as its head"
    return Mapping(
        source=source.iri,
        target=target.iri,
        relation=relation,
        confidence=CONFIDENCE,
        kind=source.kind,
        source_label=source.name,
        target_label=target.name,
        justification="semapv:LexicalMatching",
        judged_by="rule",
        rationale=why,
        evidence=(*candidate.evidence, Evidence("head of the name", why, CONFIDENCE)),
        concepts=which_concepts(source.entity.concept, target.entity.concept),
    )
