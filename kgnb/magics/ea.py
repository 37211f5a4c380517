"""``%ea``: align the entities of two graphs, one stage per cell."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kgnb.agents.agent import OutOfOrder
from kgnb.agents.entity_alignment import AGENT
from kgnb.agents.entity_alignment.final_alignment import Settled
from kgnb.agents.entity_alignment.graphs import EntityGraph
from kgnb.agents.entity_alignment.judging_values import EntityVerdicts
from kgnb.agents.entity_alignment.select import Selector, called
from kgnb.errors import DataError
from kgnb.kg.labels import readable_name
from kgnb.kg.terms import local_name
from kgnb.kg.vocabulary import TYPE
from kgnb.magics.agent import AgentMagics, options_of
from kgnb.magics.arguments import argument
from kgnb.magics.names import entity_called
from kgnb.magics.verbs import verb
from kgnb.reporting.references import ranked_metrics
from kgnb.results.bundle import count
from kgnb.results.card import Page
from kgnb.results.graph import Edge, GraphPicture, Node
from kgnb.results.table import Column, LabelledIri, Table, TableRows, numbers, texts
from kgnb.results.wording import percent
from kgnb.tasks.aligning import AligningTask


class EaMagics(AgentMagics[AligningTask], agent=AGENT):
    """The ``%ea`` magic."""

    nothing_yet = "no graphs have been named yet"

    def started(self, task: AligningTask) -> Table:
        """Both graphs with their counts, and what is known beforehand."""
        sides = task.sides
        columns = (
            *texts(side="side", name="graph"),
            *numbers(**{key: key for key in sides.left.counts()}),
        )
        rows: TableRows = [
            [side, graph.name, *graph.counts().values()]
            for side, graph in (("source", sides.left), ("target", sides.right))
        ]
        known = (
            [f"{count(len(sides.seeds), 'seed')}; {count(len(sides.tests), 'test pair')}"]
            if sides.seeds or sides.tests
            else []
        )
        notes = [*known, *sides.notes, *task.warnings(), self.next_line()]
        return Table(columns, rows, caption="The two graphs", notes=notes)

    @verb("ea evaluate", "%ea evaluate", "%ea evaluate --reference pairs.tsv")
    @options_of(AGENT.knobs(("reference",)))
    def measure(self, arguments: argparse.Namespace) -> Table:
        """Compare with known pairs: Hits@1, Hits@10, MRR, precision, recall, F1; before and after
        judging.
        """
        task = self.current_task(arguments)
        task.need("propose")
        sides = task.sides
        seeded = {one for one, _ in sides.seeds}
        tests = tuple(pair for pair in task.known if pair[0] not in seeded)
        if not tests:
            raise OutOfOrder(
                "there are no pairs to compare with", fix="Name some: %ea evaluate --reference FILE"
            )
        return ranked_metrics(task.settled(), sides, tests)

    @verb(
        "ea explain",
        "%ea explain Adlerhütte",
        "%ea explain http://huts.example/hollenmark/adlerhuette",
    )
    @argument(
        "item",
        metavar="X",
        nargs="+",
        help="an entity of the first graph: its IRI, local name or label",
    )
    def why(self, arguments: argparse.Namespace) -> Page:
        """Show an entity's candidates with scores before and after assignment, what they share, and
        the verdicts.
        """
        task = self.current_task(arguments)
        task.need("propose")
        return explain(" ".join(map(str, arguments.item)), task.settled())

    def review(self, arguments: argparse.Namespace) -> Any:
        """Records or shows answers, which the alignment takes into account."""
        shown = super().review(arguments)
        self.current_task(arguments).forget()
        return shown

    def suggestions(self, name: str) -> Sequence[str]:
        """Entities for an item; else what every agent suggests."""
        if name == "item" and self.task is not None:
            return [one for one in self.task["left"].names if one][:2000]
        return super().suggestions(name)


MOST_NEIGHBOURS = 8


def explain(item: str, settled: Settled) -> Page:
    """What is known about an entity of the source graph, given by IRI, local name or label.

    Raises:
        DataError: none or several entities are called that, or it was not aligned.
    """
    proposal = settled.proposal
    graph = proposal.left
    local_names = map(local_name, graph.entities)
    iri = entity_called(
        item, graph.entities, local_names, graph.names, where=graph.name, listing="%ea propose"
    )
    entity = graph.index(iri)
    try:
        row = proposal.row(iri)
    except KeyError as error:
        what = f"{called(graph, entity)} was not aligned"
        raise DataError(what, fix="It is not a test source of this folder.") from error
    answer = next((one for one in settled.aligned.answers if one.question.row == row), None)
    selector = Selector(proposal, settled.aligned.selected.options)
    question = answer.question if answer is not None else selector.question(row)
    aliases = graph.aliases.get(entity, ())[:5]
    heading = called(graph, entity) + (f", also {', '.join(aliases)}" if aliases else "")
    described = Table(
        texts(card="shown as", text="name and selected triples"),
        question.cards(),
        caption="Selected triples",
    )
    drawn = [candidates(settled, row), picture(settled, row, selector), described]
    return Page(heading, [*drawn, *outcome(settled, row, answer)], iri)


def candidates(settled: Settled, row: int) -> Table:
    """The candidates with their similarity before assignment, their score after it, and the score
    of each view.
    """
    proposal = settled.proposal
    columns = [*numbers(rank="rank"), Column("name", "candidate", "iri")]
    columns += [*numbers(before="similarity before", after="score after"), Column("mark", "")]
    rows: TableRows = []
    details: list[list[tuple[str, str]]] = []
    for at, target in enumerate(proposal.candidates[row].tolist()):
        if target < 0:
            break
        marks = {
            "first alignment": target == proposal.first[row],
            "chosen": target == settled.targets[row],
        }
        before = float(proposal.similarities[row, at])
        name = LabelledIri(proposal.right.entities[target], called(proposal.right, target))
        before = round(before, 3) if np.isfinite(before) else 0.0
        after = round(float(proposal.scores[row, at]), 3)
        rows.append(
            [at + 1, name, before, after, ", ".join(mark for mark, holds in marks.items() if holds)]
        )
        details.append(side_by_side(settled, row, at))
    caption = (
        "Candidates, with their scores before and after assignment; open a row to see the values"
    )
    return Table(columns, rows, caption=caption, details=details)


def side_by_side(settled: Settled, row: int, place: int) -> list[tuple[str, str]]:
    """What an entity and a candidate are said to be, property by property, with how they agree."""
    proposal = settled.proposal
    left, right = proposal.left, proposal.right
    mine = values_by_word(left, int(proposal.sources[row]))
    yours = values_by_word(right, int(proposal.candidates[row, place]))
    compared = dict(proposal.agreements(row, place))
    told = {part for name in compared for part in name.split(" ~ ")}
    rest = [name for name in (*mine, *yours) if name not in told]
    pairs = dict.fromkeys((*compared, *rest))
    lines = []
    for name in pairs:
        own, _, others = name.partition(" ~ ")
        one, other = mine.get(own, ""), yours.get(others or own, "")
        equal = " ".join(one.split()).casefold() == " ".join(other.split()).casefold()
        agrees = compared.get(name, "equal" if one and equal else "")
        lines.append(
            (name, f"{one or '(none)'} | {other or '(none)'}{f'   {agrees}' if agrees else ''}")
        )
    return lines


def values_by_word(graph: EntityGraph, entity: int) -> dict[str, str]:
    """An entity's attribute values by the name of the property, without its types."""
    found: dict[str, list[str]] = {}
    for attribute, value in graph.attributes_of(entity):
        iri = graph.attributes[attribute]
        if iri != TYPE:
            found.setdefault(graph.word(iri), []).append(value.text)
    return {word: "; ".join(texts) for word, texts in found.items()}


def picture(settled: Settled, row: int, selector: Selector) -> GraphPicture:
    """The entity and its counterpart or best candidate, with neighbours; an edge joins each aligned
    pair.
    """
    proposal = settled.proposal
    left, right = proposal.left, proposal.right
    source, target = int(proposal.sources[row]), int(settled.targets[row])
    aligned = target >= 0
    target = target if aligned else int(proposal.candidates[row, 0])
    shared = _shared(selector, source, target)
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    _draw("source", left, source, [one for one, _ in shared], nodes, edges)
    if target >= 0:
        _draw("target", right, target, [other for _, other in shared], nodes, edges)
    edges += [Edge(f"source {one}", f"target {other}", "same as", True) for one, other in shared]
    if target >= 0:
        label = "same as" if aligned else "not aligned"
        edges.append(Edge(f"source {source}", f"target {target}", label, aligned))
    notes = [f"{count(len(shared), 'neighbour')} aligned with each other"]
    return GraphPicture(
        tuple(nodes.values()), tuple(edges), "The entity and its counterpart", notes
    )


def _shared(selector: Selector, source: int, target: int) -> list[tuple[int, int]]:
    """The neighbours of both that are aligned with each other."""
    if target < 0:
        return []
    near = {fact.other for fact in selector.right.graph.facts(target)}
    mine = dict.fromkeys(fact.other for fact in selector.left.graph.facts(source))
    pairs = [(one, selector.counterpart.get(one, -1)) for one in mine]
    return [(one, other) for one, other in pairs if other in near][:MOST_NEIGHBOURS]


def _draw(
    side: str,
    graph: EntityGraph,
    entity: int,
    kept: list[int],
    nodes: dict[str, Node],
    edges: list[Edge],
) -> None:
    """One side: the entity, its aligned neighbours, and as many others as there is room for."""
    own = f"{side} {entity}"
    nodes[own] = Node(own, called(graph, entity), side, weight=3.0, emphasis=True)
    facts = graph.facts(entity)
    others = [
        one
        for one in dict.fromkeys(fact.other for fact in facts)
        if one not in kept and one != entity
    ]
    drawn = {*kept, *others[: max(0, MOST_NEIGHBOURS - len(kept))]}
    for fact in facts:
        if fact.other in drawn:
            key = f"{side} {fact.other}"
            nodes.setdefault(key, Node(key, called(graph, fact.other), side))
            ends = (own, key) if fact.outgoing else (key, own)
            edges.append(Edge(*ends, readable_name(local_name(graph.relations[fact.relation]))))


def outcome(settled: Settled, row: int, answer: EntityVerdicts | None) -> Iterator[str]:
    """The verdicts and the result, one per line."""
    proposal = settled.proposal
    first = int(proposal.first[row])
    what = called(proposal.right, first) if first >= 0 else f"none ({proposal.why(row)})"
    yield f"first alignment: {what}, confidence {percent(float(proposal.confidence[row]))}"
    if answer is None:
        yield "not judged"
    else:
        yield f"path: {' > '.join(settled.aligned.selected.planned.path(row))}"
        names = {card.iri: card.name for card in answer.question.others}
        for said in answer.said:
            chosen = names.get(said.choice or "", said.decision)
            sure = f"{percent(said.confidence)} sure"
            yield f"{said.judged_by}: {chosen} ({sure}) {said.rationale}".rstrip()
    target = int(settled.targets[row])
    if target >= 0:
        sure = percent(settled.confidence(row))
        yield f"aligned with {called(proposal.right, target)} (confidence {sure})"
    else:
        yield f"left unmatched: {settled.why_unmatched(row)}"
