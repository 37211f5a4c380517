"""Why an entity was aligned as it was: its candidates, what they share, what was selected, what was said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from kgnb.agents.entity_alignment.final_alignment import Settled
from kgnb.agents.entity_alignment.graphs import EntityGraph
from kgnb.agents.entity_alignment.judging_values import Answer
from kgnb.agents.entity_alignment.select import Selector, called
from kgnb.errors import DataError
from kgnb.kg.labels import readable_name
from kgnb.results.escaping import escaped, one_line
from kgnb.results.graph import Edge, GraphPicture, Node
from kgnb.results.table import Column, Link, Table, Value

MOST_NEIGHBOURS = 8


@dataclass(frozen=True)
class EntityExplanation:
    """One entity: its names, its candidates with scores, the picture of what they share, and what came of it."""

    name: str
    iri: str
    aliases: tuple[str, ...]
    candidates: Table
    picture: GraphPicture
    selected: Table
    said: tuple[str, ...]

    @property
    def heading(self) -> str:
        """What the entity is called."""
        also = f", also {', '.join(self.aliases[:5])}" if self.aliases else ""
        return f"{self.name}{also}"

    def __str__(self) -> str:
        parts = [one_line(self.heading), one_line(f"  {self.iri}"), "", self.candidates.text(), ""]
        return "\n".join([*parts, self.picture.text(), "", self.selected.text(), "", *map(one_line, self.said)])

    __repr__ = __str__

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        said = "".join(f"<p>{escaped(line)}</p>" for line in self.said)
        html = (
            f"<p><strong>{escaped(self.heading)}</strong> <code>{escaped(self.iri)}</code></p>"
            f"{self.candidates.html()}{self.picture.html()}{self.selected.html()}{said}"
        )
        return {"text/plain": str(self), "text/html": html}


def explain(item: str, settled: Settled) -> EntityExplanation:
    """What is known of one entity of the source side, named by IRI, the last part of it, or name.

    Raises:
        DataError: none or several are called so, or it was not asked about.
    """
    proposal = settled.proposal
    graph = proposal.left
    entity = named(item, graph)
    try:
        row = proposal.row(graph.entities[entity])
    except KeyError as error:
        raise DataError(
            f"{called(graph, entity)} was not asked about", where="", fix="It is no test source of this folder."
        ) from error
    answer = next((one for one in settled.aligned.answers if one.question.row == row), None)
    selector = Selector(proposal, settled.aligned.selected.options)
    question = answer.question if answer is not None else selector.question(row)
    rows = [[head, text] for head, text in question.cards()]
    return EntityExplanation(
        called(graph, entity),
        graph.entities[entity],
        graph.aliases.get(entity, ()),
        candidates(settled, row),
        picture(settled, row, selector),
        Table(
            [Column("card", "shown as"), Column("text", "name and selected triples")], rows, caption="Selected triples"
        ),
        tuple(outcome(settled, row, answer)),
    )


def named(item: str, graph: EntityGraph) -> int:
    """The entity an item names; DataError, with the nearest names, where that is none or several."""
    wanted = item.strip().strip("<>")
    if wanted in graph:
        return graph.index(wanted)
    plain = " ".join(wanted.split()).casefold()
    last = [iri.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1].casefold() for iri in graph.entities]
    names = [name.casefold() for name in graph.names]
    for texts in (last, names):
        found = [at for at, text in enumerate(texts) if text == plain]
        if len(found) == 1:
            return found[0]
        if found:
            which = ", ".join(graph.entities[at] for at in found[:4])
            raise DataError(f"{item!r} may be {which}", where="", fix="Give its IRI.")
    near = get_close_matches(wanted, [name for name in graph.names if name], n=3, cutoff=0.5)
    raise DataError(
        f"no entity of {graph.name} is called {item!r}",
        where="",
        fix=f"Did you mean {' or '.join(near)}?" if near else "%ea propose shows what there is.",
    )


def candidates(settled: Settled, row: int) -> Table:
    """The candidates with their similarity before and their score after assignment, and every view's."""
    proposal = settled.proposal
    columns = [Column("rank", "rank", "number"), Column("name", "candidate", "iri")]
    columns += [Column("before", "similarity before", "number"), Column("after", "score after", "number")]
    columns += [Column("mark", "")]
    rows: list[list[Value]] = []
    details: list[list[tuple[str, str]]] = []
    for at, target in enumerate(proposal.candidates[row].tolist()):
        if target < 0:
            break
        marks = ["first alignment"] * bool(target == proposal.first[row]) + ["chosen"] * bool(
            target == settled.targets[row]
        )
        before = float(proposal.similarities[row, at])
        name = Link(proposal.right.entities[target], called(proposal.right, target))
        before = round(before, 4) if np.isfinite(before) else 0.0
        rows.append([at + 1, name, before, round(float(proposal.scores[row, at]), 4), ", ".join(marks)])
        views = zip(proposal.views, proposal.evidence[row, at].tolist(), strict=True)
        details.append([(view, f"{score:.3f}") for view, score in views if np.isfinite(score)])
    caption = "Candidates, with their scores before and after assignment; a row opens to every view"
    return Table(columns, rows, caption=caption, details=details)


def picture(settled: Settled, row: int, selector: Selector) -> GraphPicture:
    """The entity and its counterpart (or best candidate) with their neighbours; dashed lines join what is aligned."""
    proposal = settled.proposal
    source = int(proposal.sources[row])
    target = int(settled.targets[row])
    target = target if target >= 0 else int(proposal.candidates[row, 0])
    shared = _shared(selector, source, target)
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    left, right = proposal.left, proposal.right
    for side, graph, entity, kept in (
        ("source", left, source, [one for one, _ in shared]),
        ("target", right, target, [other for _, other in shared]),
    ):
        if entity >= 0:
            _draw(side, graph, entity, kept, nodes, edges)
    edges += [Edge(f"source {one}", f"target {other}", "same as", "aligned", True) for one, other in shared]
    if target >= 0:
        sure = "same as" if settled.targets[row] >= 0 else "not aligned"
        edges.append(Edge(f"source {source}", f"target {target}", sure, "aligned", settled.targets[row] >= 0))
    notes = [f"{len(shared)} neighbours are aligned with each other"]
    return GraphPicture(tuple(nodes.values()), tuple(edges), "The entity and its counterpart", notes)


def _shared(selector: Selector, source: int, target: int) -> list[tuple[int, int]]:
    if target < 0:
        return []
    near = {fact.other for fact in selector.right.graph.facts(target)}
    mine = dict.fromkeys(fact.other for fact in selector.left.graph.facts(source))
    pairs = [(one, selector.counterpart.get(one, -1)) for one in mine]
    return [(one, other) for one, other in pairs if other in near][:MOST_NEIGHBOURS]


def _draw(
    side: str, graph: EntityGraph, entity: int, kept: list[int], nodes: dict[str, Node], edges: list[Edge]
) -> None:
    """One side: the entity, its aligned neighbours, and as many others as there is room for."""
    nodes[f"{side} {entity}"] = Node(f"{side} {entity}", called(graph, entity), side, weight=3.0, emphasis=True)
    facts = graph.facts(entity)
    others = [one for one in dict.fromkeys(fact.other for fact in facts) if one not in kept and one != entity]
    drawn = {*kept, *others[: max(0, MOST_NEIGHBOURS - len(kept))]}
    for fact in facts:
        if fact.other not in drawn:
            continue
        key = f"{side} {fact.other}"
        nodes.setdefault(key, Node(key, called(graph, fact.other), side))
        last = graph.relations[fact.relation].rstrip("/#").replace("#", "/").rsplit("/", 1)[-1]
        ends = (f"{side} {entity}", key) if fact.outgoing else (key, f"{side} {entity}")
        edges.append(Edge(*ends, readable_name(last), "relation"))


def outcome(settled: Settled, row: int, answer: Answer | None) -> Iterator[str]:
    """What was said and what came of it, a line each."""
    proposal = settled.proposal
    first = int(proposal.first[row])
    what = called(proposal.right, first) if first >= 0 else f"none ({proposal.why(row)})"
    yield f"first alignment: {what}, confidence {float(proposal.confidence[row]):.2f}"
    if answer is None:
        yield "nobody looked closer"
    else:
        path = settled.aligned.selected.planned.path(row)
        yield f"way: {' > '.join(path)}"
        names = {card.iri: card.name for card in answer.question.others}
        for said in answer.said:
            chosen = names.get(said.choice or "", said.decision)
            yield f"{said.judged_by}: {chosen} ({said.confidence:.2f}) {said.rationale}".rstrip()
    target = int(settled.targets[row])
    if target >= 0:
        yield f"aligned with {called(proposal.right, target)} ({settled.confidence(row):.2f})"
    else:
        yield f"left unmatched: {settled.why(row)}"
