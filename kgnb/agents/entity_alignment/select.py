"""Select: the triples of an entity and its candidates that tell the candidates apart (EA-Agent's
two selectors).

Attributes are ranked by the entropy of their values over the candidates. The paper prefers low
entropy; but an attribute with the same value for all candidates has entropy 0 and does not tell
them apart, so high entropy comes first here, and ``entropy="low"`` follows the paper. Relations, in
both directions, are ranked by log(N / (frequency + 1)).
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from kgnb.agents.entity_alignment.graphs import EntityGraph, Value
from kgnb.agents.entity_alignment.judging_values import (
    AlignQuestion,
    EntityCard,
    LookOptions,
    Planned,
    Rival,
    Selected,
    SelectedTriple,
)
from kgnb.agents.entity_alignment.names import ANY_URI
from kgnb.agents.entity_alignment.values import Proposal
from kgnb.kg.labels import is_code
from kgnb.kg.terms import XSD
from kgnb.mappings import Evidence

INCOMING = " ← "  # between a property and the entity that has it with this one as its value
UNRANKED = -1  # the place of a first alignment that is not among the candidates
LONGEST = 60  # characters shown of a value or a neighbour's name
LIKELY = 0.5  # confidence from which a neighbour's first alignment is shown as its counterpart


def select(planned: Planned, *, options: LookOptions = LookOptions()) -> Selected:
    """A question for every row with a path: its candidates in shuffled order, each with its
    selected triples.
    """
    selector = Selector(planned.proposal, options)
    questions = tuple(selector.question(row, planned.path(row)) for row in planned.asked)
    return Selected(planned, questions, options)


def entropies(values: Iterable[Iterable[tuple[int, str]]]) -> dict[int, float]:
    """For each attribute, the entropy (in bits) of its values over the candidates (one item per
    candidate).

    Not having the attribute counts as a value of its own: that tells candidates apart as well.

    >>> huts = [[(0, "2264"), (1, "hut")], [(0, "1987"), (1, "hut")], [(1, "hut")]]
    >>> {attribute: round(bits, 2) for attribute, bits in entropies(huts).items()}
    {0: 1.58, 1: 0.0}
    """
    held: list[defaultdict[int, set[str]]] = []
    for candidate in values:
        held.append(defaultdict(set))
        for attribute, text in candidate:
            held[-1][attribute].add(text)
    found = {}
    for attribute in sorted({attribute for one in held for attribute in one}):
        counts = Counter("\0".join(sorted(one.get(attribute, ()))) for one in held)
        shares = [number / len(held) for number in counts.values()]
        found[attribute] = abs(-sum(share * math.log2(share) for share in shares))
    return found


class _Side:
    """One graph with its statistics."""

    def __init__(self, graph: EntityGraph, name: str) -> None:
        self.graph, self.name = graph, name
        relations = np.bincount(graph.triples[:, 1], minlength=len(graph.relations))
        total = max(1, len(graph.triples))
        self.rarity = [
            math.log(total / (number + 1)) for number in relations.tolist()
        ]  # of relations
        pairs = np.unique(graph.attribute_triples[:, 1:], axis=0)
        counted = [
            np.bincount(part[:, 0], minlength=1) for part in (graph.attribute_triples[:, 1:], pairs)
        ]
        self.used, self.different = (
            one.tolist() for one in counted
        )  # uses and different values of each attribute

    def keeps(self, attribute: int, value: Value) -> bool:
        """Whether the value is a name or an identifier, which always stay."""
        if value.language:
            return True
        return self.different[attribute] == self.used[attribute] > 1 and _identifies(value)


class _Neighbours:
    """The neighbours of an entity that are matched with neighbours of its candidates."""

    def __init__(self, selector: Selector, source: int, targets: Sequence[int]) -> None:
        left, right = selector.left.graph, selector.right.graph
        around = dict.fromkeys(fact.other for fact in left.facts(source))
        matched = {one: selector.matched[one] for one in around if one in selector.matched}
        self._counterparts = {
            one: ""
            if _plain(called(left, one)) == _plain(called(right, other))
            else _short(called(right, other))
            for one, other in matched.items()
        }
        having = Counter(
            other for target in targets for other in {fact.other for fact in right.facts(target)}
        )
        self._having = {other: having[other] for other in matched.values() if other in having}
        self._candidates = len(targets)

    def mark(self, side: _Side, other: int) -> str:
        """The mark beside a neighbour's name: its counterpart, or that it is the counterpart of
        one.
        """
        if side.name == "target":
            return " (=)" if other in self._having else ""
        name = self._counterparts.get(other)
        return "" if name is None else f" (= {name})" if name else " (=)"

    def weight(self, side: _Side, other: int) -> float:
        """2 for a candidate's matched neighbour that another candidate lacks, else 1."""
        return (
            2.0
            if side.name == "target" and 0 < self._having.get(other, 0) < self._candidates
            else 1.0
        )


Weigh = Callable[
    [int, Value], tuple[float, float]
]  # rank and shown weight of an attribute and its value


class Selector:
    """Selects for one proposal; statistics of the whole graphs are computed once."""

    def __init__(self, proposal: Proposal, options: LookOptions) -> None:
        self.proposal, self.options = proposal, options
        self.left, self.right = _Side(proposal.left, "source"), _Side(proposal.right, "target")
        pairs = zip(proposal.sources.tolist(), proposal.first.tolist(), strict=True)
        self.counterpart: dict[int, int] = dict(proposal.seeds.tolist())
        self.counterpart |= {source: first for source, first in pairs if first >= 0}
        doubted = set(proposal.sources[proposal.confidence < LIKELY].tolist())
        self.matched = {one: other for one, other in self.counterpart.items() if one not in doubted}
        self.holders = {other: one for one, other in self.matched.items()}

    def question(
        self, row: int, tools: Sequence[str] = ("attributes", "relations")
    ) -> AlignQuestion:
        """The question about one row, with the triples that the selectors among ``tools`` select."""
        proposal, places = self.proposal, self.shown(row)
        source, first = int(proposal.sources[row]), int(proposal.first[row])
        targets = [target for _, target in places]
        near = _Neighbours(self, source, targets)

        def card(side: _Side, entity: int, weigh: Weigh, taken: str = "") -> EntityCard:
            lines = self._attributes(side, entity, weigh) if "attributes" in tools else []
            lines += (
                self._relations(side, entity, near)
                if "relations" in tools and self.options.relations
                else []
            )
            name = _short(called(side.graph, entity))
            return EntityCard(
                side.name, side.graph.entities[entity], name, tuple(lines), taken=taken
            )

        own = card(self.left, source, self._own_weights(targets))
        weights = self._weights(targets)
        cards = [
            card(self.right, target, weights, self._holder(target, source)) for target in targets
        ]
        rivals = [self._rival(row, at, source, target) for at, target in places]
        order = shuffled([card.iri for card in cards], own.iri)
        return AlignQuestion(
            row=row,
            about=own,
            others=tuple(cards[at] for at in order),
            candidates=tuple(rivals[at] for at in order),
            first=proposal.right.entities[first] if first >= 0 else "",
            confidence=round(float(proposal.confidence[row]), 4),
            tells_apart=len({tuple(line.text for line in card.lines) for card in cards}) > 1,
        )

    def shown(self, row: int) -> list[tuple[int, int]]:
        """The candidates of a row that a judge sees, the best first: the place of each, and its entity.

        The first alignment is always among them.
        """
        first, shown = int(self.proposal.first[row]), self.options.shown
        ranked = [
            (at, target)
            for at, target in enumerate(self.proposal.candidates[row].tolist())
            if target >= 0
        ]
        places = ranked[:shown]
        if first >= 0 and all(target != first for _, target in places):
            at = next((at for at, target in ranked if target == first), UNRANKED)
            places = [*places[: shown - 1], (at, first)]
        return places

    def _holder(self, target: int, source: int) -> str:
        """The name of the other entity that a candidate is matched with, "" for none."""
        holder = self.holders.get(target, source)
        return _short(called(self.left.graph, holder)) if holder != source else ""

    def _said(self, side: _Side, entity: int) -> list[tuple[int, Value]]:
        """An entity's attributes without those that repeat its name, which is on the card anyway."""
        name = _plain(side.graph.names[entity])
        return [
            one
            for one in side.graph.attributes_of(entity)
            if not name or _plain(one[1].text) != name
        ]

    def _texts(self, side: _Side, entity: int) -> list[tuple[int, str]]:
        return [(attribute, _plain(value.text)) for attribute, value in self._said(side, entity)]

    def _own_weights(self, targets: Sequence[int]) -> Weigh:
        """For the entity's own triples: values that only some candidates have first, then those
        that vary most.
        """
        there = [{text for _, text in self._texts(self.right, target)} for target in targets]
        side = self.left

        def weigh(attribute: int, value: Value) -> tuple[float, float]:
            having = sum(_plain(value.text) in texts for texts in there)
            uniqueness = side.different[attribute] / side.used[attribute]
            weight = 1.0 if 0 < having < len(there) else 0.5 * uniqueness
            weight = 2.0 if side.keeps(attribute, value) else weight
            return weight, weight

        return weigh

    def _weights(self, targets: Sequence[int]) -> Weigh:
        """For the candidates' triples: by the entropy of the attribute."""
        told = entropies([self._texts(self.right, target) for target in targets])
        sign = 1.0 if self.options.entropy == "high" else -1.0
        most = max(told.values(), default=0.0) + 1.0

        def weigh(attribute: int, value: Value) -> tuple[float, float]:
            bits = told.get(attribute, 0.0)
            return most if self.right.keeps(attribute, value) else sign * bits, bits

        return weigh

    def _attributes(self, side: _Side, entity: int, weigh: Weigh) -> list[SelectedTriple]:
        lines: list[tuple[float, SelectedTriple]] = []
        for attribute, value in self._said(side, entity):
            rank, weight = weigh(attribute, value)
            text = side.graph.word(value.text) if value.datatype == ANY_URI else value.text
            text = f"{side.graph.word(side.graph.attributes[attribute])}: {_short(text)}"
            lines.append((rank, SelectedTriple(text, "attribute", round(weight, 3))))
        return self._best(lines, self.options.attributes)

    def _relations(self, side: _Side, entity: int, near: _Neighbours) -> list[SelectedTriple]:
        """Rare relations first; among these, matched neighbours that some candidates lack."""
        lines: list[tuple[float, SelectedTriple]] = []
        seen: Counter[tuple[int, bool]] = Counter()
        for relation, other, outgoing in side.graph.facts(entity):
            again = seen[
                relation, outgoing
            ]  # the fifth stage of a route tells less than its first guide
            seen[relation, outgoing] += 1
            name, neighbour = (
                side.graph.word(side.graph.relations[relation]),
                _short(called(side.graph, other)),
            )
            text = f"{name}{': ' if outgoing else INCOMING}{neighbour}{near.mark(side, other)}"
            weight = side.rarity[relation] / (1 + again) * near.weight(side, other)
            lines.append((weight, SelectedTriple(text, "relation", round(weight, 3))))
        return self._best(lines, self.options.relations)

    def _best(self, lines: list[tuple[float, SelectedTriple]], most: int) -> list[SelectedTriple]:
        if self.options.entropy == "none":
            return [line for _, line in lines]
        lines = sorted(lines, key=lambda line: (-line[0], line[1].text))
        return [line for _, line in lines[:most]]

    def _rival(self, row: int, at: int, source: int, target: int) -> Rival:
        proposal, shared = self.proposal, self.shared(source, target)
        if at == UNRANKED:
            return Rival(at, 0.0, 0.0, float(len(shared)))
        evidence = [Evidence(field, word) for field, word in proposal.agreements(row, at)]
        evidence += [Evidence("shared", ", ".join(shared))] if shared else []
        scores = [
            round(float(values[row, at]), 4) for values in (proposal.scores, proposal.similarities)
        ]
        return Rival(at, scores[0], scores[1], float(len(shared)), tuple(evidence))

    def shared(self, source: int, target: int) -> list[str]:
        """The values that both have, and the neighbours whose first alignment is a neighbour of the
        other.
        """
        mine, yours = (
            {text for _, text in self._texts(*end)}
            for end in ((self.left, source), (self.right, target))
        )
        near = {fact.other for fact in self.right.graph.facts(target)}
        around = dict.fromkeys(fact.other for fact in self.left.graph.facts(source))
        common = [other for other in around if self.counterpart.get(other, -1) in near]
        values = [f'"{_short(value)}"' for value in sorted(mine & yours) if value]
        return values + [called(self.left.graph, other) for other in common]


def shuffled(items: Sequence[str], salt: str) -> list[int]:
    """Positions in an order that depends on the texts alone: judges favour the first candidate."""

    def draw(at: int) -> str:
        return hashlib.sha256(f"{salt}\0{items[at]}".encode("utf-8", "surrogatepass")).hexdigest()

    return sorted(range(len(items)), key=draw)


def called(graph: EntityGraph, entity: int) -> str:
    """An entity's name for a judge; where names are hidden, a mark that reveals nothing."""
    mark = hashlib.sha256(graph.entities[entity].encode("utf-8", "surrogatepass")).hexdigest()[:4]
    return graph.names[entity] or f"entity {mark}"


def _identifies(value: Value) -> bool:
    """Whether a value looks like a number on a card: letters and digits in one piece."""
    text = value.text.strip()
    mixed = any(map(str.isdigit, text)) and any(map(str.isalpha, text)) and len(text.split()) == 1
    return value.datatype in ("", f"{XSD}string") and (is_code(text) or (mixed and len(text) <= 40))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1].rstrip() + "…"
