"""Select: the triples of an entity and its candidates that tell the candidates apart (EA-Agent's two selectors).

Attributes are ranked by the entropy of their values over the candidates. The paper prefers low entropy; but an
attribute with one value for all candidates has entropy 0 and tells nothing apart, so here high entropy comes first and
``entropy="low"`` does as the paper does. Relations are ranked by log(N / (frequency + 1)), both ways round.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kgnb.agents.entity_alignment.graphs import EntityGraph, Value
from kgnb.agents.entity_alignment.judging_values import (
    ATTRIBUTES,
    RELATIONS,
    AlignQuestion,
    Card,
    Line,
    LookOptions,
    Planned,
    Rival,
    Selected,
)
from kgnb.agents.entity_alignment.names import ANY_URI
from kgnb.agents.entity_alignment.values import Proposal
from kgnb.kg.labels import is_code
from kgnb.kg.terms import XSD
from kgnb.mappings import Evidence

INCOMING = " ← "  # between a property and the entity whose value this one is
UNRANKED = -1  # the place of a first alignment that is not among the candidates
LONGEST = 60  # characters of a value or a neighbour's name that are shown
LIKELY = 0.5  # confidence from which a neighbour's own first alignment is shown as its counterpart


def select(planned: Planned, *, options: LookOptions = LookOptions()) -> Selected:
    """A question for every row with a way to go: its candidates in shuffled order, each with its selected triples."""
    selector = Selector(planned.proposal, options)
    questions = tuple(selector.question(row, planned.path(row)) for row in planned.asked)
    return Selected(planned, questions, options)


def entropies(values: Iterable[Iterable[tuple[int, str]]]) -> dict[int, float]:
    """For each attribute, the entropy (in bits) of its values over the candidates, one item a candidate.

    A candidate without the attribute counts as one more value: having it or not tells apart as well.

    >>> huts = [[(0, "2264"), (1, "hut")], [(0, "1987"), (1, "hut")], [(1, "hut")]]
    >>> {attribute: round(bits, 2) for attribute, bits in entropies(huts).items()}
    {0: 1.58, 1: 0.0}
    """
    held = [dict(_joined(candidate)) for candidate in values]
    found = {}
    for attribute in sorted({attribute for one in held for attribute in one}):
        counts = Counter(one.get(attribute, "") for one in held)
        shares = [number / len(held) for number in counts.values()]
        found[attribute] = abs(-sum(share * math.log2(share) for share in shares))
    return found


def _joined(values: Iterable[tuple[int, str]]) -> Iterable[tuple[int, str]]:
    several: dict[int, set[str]] = {}
    for attribute, text in values:
        several.setdefault(attribute, set()).add(text)
    return ((attribute, "\0".join(sorted(texts))) for attribute, texts in several.items())


@dataclass(frozen=True)
class _Side:
    """One graph with what is counted of it once."""

    graph: EntityGraph
    name: str
    rarity: dict[int, float]  # of relations: log(N / (frequency + 1))
    used: tuple[int, ...]  # how often each attribute is used
    different: tuple[int, ...]  # how many different values each attribute has

    @classmethod
    def of(cls, graph: EntityGraph, name: str) -> _Side:
        relations = np.bincount(graph.triples[:, 1], minlength=len(graph.relations))
        attributes = np.bincount(graph.attribute_triples[:, 1], minlength=len(graph.attributes))
        total = max(1, len(graph.triples))
        rarity = {at: math.log(total / (int(number) + 1)) for at, number in enumerate(relations)}
        pairs = np.unique(graph.attribute_triples[:, 1:], axis=0)
        different = np.bincount(pairs[:, 0], minlength=len(graph.attributes)) if len(pairs) else np.zeros(0, dtype=int)
        return cls(graph, name, rarity, tuple(map(int, attributes)), tuple(map(int, different)))

    def keeps(self, attribute: int, value: Value) -> bool:
        """Whether it is a name or an identifier, which always stay."""
        if value.language:
            return True
        single = bool(self.used[attribute]) and self.different[attribute] == self.used[attribute]
        return single and self.used[attribute] > 1 and _identifies(value)

    def uniqueness(self, attribute: int) -> float:
        """Different values a use: 1 where every value is another."""
        return self.different[attribute] / self.used[attribute] if self.used[attribute] else 0.0


@dataclass(frozen=True)
class _Neighbours:
    """The neighbours of an entity that are matched with neighbours of its candidates."""

    counterparts: dict[int, tuple[str, bool]]  # of the entity's neighbours: what they are called, whether the same
    held: dict[int, int]  # of a candidate's neighbours that are such counterparts: how many candidates have them
    candidates: int

    @classmethod
    def of(cls, selector: Selector, source: int, targets: Sequence[int]) -> _Neighbours:
        left, right = selector.left.graph, selector.right.graph
        mine = dict.fromkeys(fact.other for fact in left.facts(source))
        matched = {other: selector.matched[other] for other in mine if other in selector.matched}
        named = {
            one: (_short(called(right, other)), _plain(called(left, one)) == _plain(called(right, other)))
            for one, other in matched.items()
        }
        having = Counter(other for target in targets for other in {fact.other for fact in right.facts(target)})
        return cls(named, {other: having[other] for other in matched.values() if other in having}, len(targets))

    def mark(self, side: _Side, other: int) -> str:
        """What stands beside a neighbour's name: its counterpart, or that it is the counterpart of one."""
        if side.name == "source":
            name, same = self.counterparts.get(other, ("", False))
            return " (=)" if same else f" (= {name})" if name else ""
        return " (=)" if other in self.held else ""

    def weight(self, side: _Side, other: int) -> float:
        """Twice as much for a candidate's matched neighbour that another candidate lacks."""
        return 2.0 if side.name == "target" and 0 < self.held.get(other, 0) < self.candidates else 1.0


class Selector:
    """Selects for one proposal; what is counted over a whole graph is counted once."""

    def __init__(self, proposal: Proposal, options: LookOptions) -> None:
        self.proposal, self.options = proposal, options
        self.left, self.right = _Side.of(proposal.left, "source"), _Side.of(proposal.right, "target")
        self.counterpart = dict(proposal.seeds.tolist())
        self.counterpart |= {
            int(source): int(first)
            for source, first in zip(proposal.sources, proposal.first, strict=True)
            if first >= 0
        }
        doubted = set(proposal.sources[proposal.confidence < LIKELY].tolist())
        self.matched = {one: other for one, other in self.counterpart.items() if one not in doubted}
        self.holders = {other: one for one, other in self.matched.items()}

    def question(self, row: int, tools: Sequence[str] = (ATTRIBUTES, RELATIONS)) -> AlignQuestion:
        """The question about one row, with what its selectors select."""
        proposal = self.proposal
        source = int(proposal.sources[row])
        places = [at for at, target in enumerate(proposal.candidates[row]) if target >= 0][: self.options.shown]
        targets = [int(proposal.candidates[row, at]) for at in places]
        first = int(proposal.first[row])
        if first >= 0 and first not in targets:  # the first alignment is always among the candidates
            at = next((at for at, target in enumerate(proposal.candidates[row]) if target == first), UNRANKED)
            room = max(0, self.options.shown - 1)
            places, targets = [*places[:room], at], [*targets[:room], first]
        told = entropies([self._texts(self.right, target) for target in targets])
        near = _Neighbours.of(self, source, targets)
        own_lines = self._own_lines(source, targets, tools) + self._relations(self.left, source, tools, near)
        own = self._card(self.left, source, own_lines)
        cards = [
            self._card(
                self.right,
                target,
                self._lines(self.right, target, told, tools) + self._relations(self.right, target, tools, near),
                self._holder(target, source),
            )
            for target in targets
        ]
        rivals = [self._rival(row, at, source, target) for at, target in zip(places, targets, strict=True)]
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

    def _card(self, side: _Side, entity: int, lines: list[Line], taken: str = "") -> Card:
        return Card(
            side.name, side.graph.entities[entity], _short(called(side.graph, entity)), tuple(lines), taken=taken
        )

    def _holder(self, target: int, source: int) -> str:
        """The name of the other entity that a candidate is matched with, "" for none."""
        holder = self.holders.get(target, source)
        return _short(called(self.left.graph, holder)) if holder != source else ""

    def _texts(self, side: _Side, entity: int) -> list[tuple[int, str]]:
        return [(attribute, _plain(value.text)) for attribute, value in self._said(side, entity)]

    def _said(self, side: _Side, entity: int) -> list[tuple[int, Value]]:
        """An entity's attributes without those that repeat its name, which stands on the card anyway."""
        name = _plain(side.graph.names[entity])
        return [one for one in side.graph.attributes_of(entity) if not name or _plain(one[1].text) != name]

    def _own_lines(self, source: int, targets: Sequence[int], tools: Sequence[str]) -> list[Line]:
        """The entity's own triples: attributes whose value some candidate has, then those that vary most."""
        there = [{text for _, text in self._texts(self.right, target)} for target in targets]
        side = self.left
        lines: list[tuple[float, Line]] = []
        for attribute, value in self._said(side, source) if ATTRIBUTES in tools else ():
            having = sum(_plain(value.text) in texts for texts in there)
            tells = 1.0 if 0 < having < len(there) else 0.5 * side.uniqueness(attribute)
            weight = 2.0 if side.keeps(attribute, value) else tells
            lines.append((weight, _attribute_line(side, attribute, value, weight)))
        return self._best(lines, self.options.attributes)

    def _lines(self, side: _Side, entity: int, told: dict[int, float], tools: Sequence[str]) -> list[Line]:
        sign = 1.0 if self.options.entropy == "high" else -1.0
        most = max(told.values(), default=0.0) + 1.0
        lines: list[tuple[float, Line]] = []
        for attribute, value in self._said(side, entity) if ATTRIBUTES in tools else ():
            bits = told.get(attribute, 0.0)
            weight = most if side.keeps(attribute, value) else sign * bits
            lines.append((weight, _attribute_line(side, attribute, value, bits)))
        return self._best(lines, self.options.attributes)

    def _relations(self, side: _Side, entity: int, tools: Sequence[str], near: _Neighbours) -> list[Line]:
        """Rare relations first, and of these the neighbours that are matched and that some candidates lack."""
        lines: list[tuple[float, Line]] = []
        seen: Counter[tuple[int, bool]] = Counter()
        facts = side.graph.facts(entity) if RELATIONS in tools and self.options.relations else []
        for relation, other, outgoing in facts:
            again = seen[relation, outgoing]  # the fifth stage of a route tells less than its first guide
            seen[relation, outgoing] += 1
            name, neighbour = side.graph.word(side.graph.relations[relation]), _short(called(side.graph, other))
            text = f"{name}{': ' if outgoing else INCOMING}{neighbour}{near.mark(side, other)}"
            weight = side.rarity[relation] / (1 + again) * near.weight(side, other)
            lines.append((weight, Line(text, "relation", round(weight, 3))))
        return self._best(lines, self.options.relations)

    def _best(self, lines: list[tuple[float, Line]], most: int) -> list[Line]:
        if self.options.entropy == "none":
            return [line for _, line in lines[:most]]
        ordered = sorted(lines, key=lambda line: (-line[0], line[1].text))
        return [line for _, line in ordered[:most]]

    def _rival(self, row: int, at: int, source: int, target: int) -> Rival:
        proposal = self.proposal
        shared = self.shared(source, target)
        if at == UNRANKED:
            return Rival(at, 0.0, 0.0, float(len(shared)))
        views = zip(proposal.views, proposal.evidence[row, at].tolist(), strict=True)
        evidence = [Evidence(view, f"{score:.2f}", round(score, 4)) for view, score in views]
        evidence += [Evidence("shared", ", ".join(shared))] if shared else []
        return Rival(
            position=at,
            score=round(float(proposal.scores[row, at]), 4),
            similarity=round(float(proposal.similarities[row, at]), 4),
            agreement=float(len(shared)),
            evidence=tuple(evidence),
        )

    def shared(self, source: int, target: int) -> list[str]:
        """Values both have, and neighbours whose first alignment is a neighbour of the other."""
        values = {text for _, text in self._texts(self.left, source)} & {
            text for _, text in self._texts(self.right, target)
        }
        near = {fact.other for fact in self.right.graph.facts(target)}
        mine = dict.fromkeys(fact.other for fact in self.left.graph.facts(source))
        common = [other for other in mine if self.counterpart.get(other, -1) in near]
        return [f'"{_short(value)}"' for value in sorted(values) if value] + [
            called(self.left.graph, other) for other in common
        ]


def shuffled(items: Sequence[str], salt: str) -> list[int]:
    """Positions in an order that depends on the texts alone: judges favour whatever stands first."""

    def draw(at: int) -> str:
        return hashlib.sha256(f"{salt}\0{items[at]}".encode("utf-8", "surrogatepass")).hexdigest()

    return sorted(range(len(items)), key=draw)


def called(graph: EntityGraph, entity: int) -> str:
    """What a judge is told an entity is called: its name, or a mark that gives nothing away where names are hidden."""
    mark = hashlib.sha256(graph.entities[entity].encode("utf-8", "surrogatepass")).hexdigest()[:4]
    return graph.names[entity] or f"entity {mark}"


def _attribute_line(side: _Side, attribute: int, value: Value, weight: float) -> Line:
    text = side.graph.word(value.text) if value.datatype == ANY_URI else value.text
    return Line(f"{side.graph.word(side.graph.attributes[attribute])}: {_short(text)}", "attribute", round(weight, 3))


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
