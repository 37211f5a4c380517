"""Duplicates in one table or graph: which of its entities are the same thing; and the tables that
come of an alignment: one with each thing once, two side by side.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kgnb.agents.entity_alignment.candidates import Singles
from kgnb.agents.entity_alignment.comparison import AskedEntities
from kgnb.agents.entity_alignment.final_alignment import Settled
from kgnb.agents.entity_alignment.graphs import EntityGraph
from kgnb.agents.entity_alignment.record_proposal import WORTH_A_LOOK, bar_of, ranked
from kgnb.agents.entity_alignment.records import RecordMatch
from kgnb.agents.entity_alignment.second_reading import chances
from kgnb.agents.entity_alignment.values import REASONS, Options, Proposal
from kgnb.errors import DataError
from kgnb.kg.vocabulary import TYPE
from kgnb.results.bundle import count

_SIDES = ("source", "target")


def of_one_table(
    graph: EntityGraph, asked: AskedEntities, match: RecordMatch | None, options: Options
) -> Proposal:
    """The proposal for a graph and itself: duplicates are matched with the first of their cluster.

    Raises:
        DataError: the entities have no values to compare them by.
    """
    if match is None:
        raise DataError(
            "its entities have no values that tell duplicates",
            where=graph.name,
            fix="Name a table or graph with at least one property besides the key, or two graphs to align.",
        )
    pairs, size = match.pairs, len(graph)
    chance = chances(match).astype(np.float32)
    sure = chance >= bar_of(chance[chance > 0], options, least=_LEAST)
    order = np.argsort(-chance[sure], kind="stable")
    rows, columns = pairs.rows[sure][order], pairs.columns[sure][order]
    known = dict(
        zip(
            zip(pairs.rows.tolist(), pairs.columns.tolist(), strict=True),
            chance.tolist(),
            strict=True,
        )
    )
    heads = _heads(size, rows.tolist(), columns.tolist(), known)
    k, to_head = options.k, heads[pairs.rows] == pairs.columns
    listed = ranked(match, np.arange(size), chance, to_head, k)
    candidates, similarities, scores, evidence = listed
    first = np.where(heads != np.arange(size), heads, -1).astype(np.int32)
    best = np.zeros(size, dtype=np.float32)
    np.maximum.at(best, pairs.rows, chance)
    confidence = _within_clusters(match, heads, chance, best)
    matched, no_candidate, _, doubtful, alone, *_ = range(len(REASONS))
    member = np.isin(np.arange(size), first[first >= 0])
    reasons = np.select(
        [first >= 0, member | (best < WORTH_A_LOOK), candidates[:, 0] < 0],
        [matched, alone, no_candidate],
        doubtful,
    ).astype(np.int8)
    margin = np.clip(np.nan_to_num(similarities[:, 0] - (similarities[:, 1] if k > 1 else 0)), 0, 1)
    number = len(np.unique(first[first >= 0]))
    notes = (
        f"one table: {count(int((first >= 0).sum()), 'duplicate')} of {count(number, 'entity', 'entities')}; "
        "--merged FILE.csv writes each thing once",
        f"compared field by field: {', '.join(pair.name for pair in match.fields)}",
    )
    return Proposal(
        left=graph,
        right=graph,
        sources=asked.sources,
        targets=asked.targets,
        seeds=asked.seeds,
        candidates=candidates,
        similarities=similarities,
        scores=scores,
        views=tuple(pair.name for pair in match.fields),
        evidence=evidence,
        first=first,
        reasons=reasons,
        margin=margin.astype(np.float32),
        confidence=confidence,
        options=replace(options, cardinality="n:1"),
        notes=notes,
        records=True,
    )


def _within_clusters(
    match: RecordMatch, heads: NDArray[np.int64], chance: Singles, best: Singles
) -> Singles:
    """The best chance of each entity; of a duplicate, the mean chance with those of its cluster."""
    rows = match.pairs.rows
    same = heads[rows] == heads[match.pairs.columns]
    summed = np.bincount(rows[same], weights=chance[same], minlength=len(heads))
    known = np.bincount(rows[same], minlength=len(heads))
    mean = summed / np.maximum(known, 1)
    return np.where(known > 0, mean, best).astype(np.float32)


# kinds left out of the fit: from .5 on P .980 and R .886, from .7 on .983 and .883
_LEAST = 0.7


def _heads(
    size: int,
    rows: list[int],
    columns: list[int],
    chances: Mapping[tuple[int, int], float] | None = None,
) -> NDArray[np.int64]:
    """The first entity of each one's cluster.

    With ``chances``, pairs are joined in their order, and two clusters only if their members are
    more likely the same than not, on average: a chain of likenesses is no cluster.
    """
    members = {entity: [entity] for entity in range(size)}
    head = np.arange(size)
    for pair in zip(rows, columns, strict=True):
        low, high = sorted((int(head[pair[0]]), int(head[pair[1]])))
        if low == high:
            continue
        if chances is not None:
            between = [
                chances.get((one, other), 0.0) for one in members[low] for other in members[high]
            ]
            if sum(between) < 0.5 * len(between):
                continue
        members[low] += members.pop(high)
        head[members[low]] = low
    return head


def clusters(settled: Settled) -> dict[int, list[int]]:
    """The entities of each cluster by its first one; those that stand alone included."""
    proposal = settled.proposal
    targets = settled.targets.tolist()
    rows = [
        int(source) for source, target in zip(proposal.sources, targets, strict=True) if target >= 0
    ]
    columns = [target for target in targets if target >= 0]
    heads = _heads(len(proposal.left), rows, columns)
    found: dict[int, list[int]] = {}
    for entity, head in enumerate(heads.tolist()):
        found.setdefault(head, []).append(entity)
    return found


def merged(settled: Settled) -> str:
    """The table with each thing once, as CSV: the first known value of every property in its
    cluster, and which entities were merged.
    """
    graph = settled.proposal.left
    columns = _columns(graph)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*columns.values(), "merged from"])
    for entities in clusters(settled).values():
        named = [graph.entities[entity] for entity in entities]
        from_ = "; ".join(named) if len(named) > 1 else ""
        writer.writerow([*_row(graph, entities, columns), from_])
    return text.getvalue()


def side_by_side(settled: Settled) -> str:
    """The pairs as CSV: source IRI, target IRI, confidence, and the values of both, each column
    named by its side. A row is one line, so that it is read again as any list of pairs.
    """
    graphs = settled.proposal.left, settled.proposal.right
    columns = [_columns(graph) for graph in graphs]
    places = [dict(zip(graph.entities, range(len(graph)), strict=True)) for graph in graphs]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    sides = list(zip(_SIDES, graphs, columns, places, strict=True))
    named = [f"{side} {name}" for side, _, known, _ in sides for name in known.values()]
    writer.writerow([*_SIDES, "confidence", *named])
    for *pair, sure in settled.pairs():
        values = [
            " ".join(value.splitlines())
            for (_, graph, known, place), iri in zip(sides, pair, strict=True)
            for value in _row(graph, [place[str(iri)]], known)
        ]
        writer.writerow([*pair, f"{sure:g}", *values])
    return text.getvalue()


def _columns(graph: EntityGraph) -> dict[int, str]:
    """The properties that are columns of a table of the graph, by index, and their names."""
    return {at: graph.word(iri) for at, iri in enumerate(graph.attributes) if iri != TYPE}


def _row(graph: EntityGraph, entities: Iterable[int], columns: Iterable[int]) -> list[str]:
    """The first known value of each column among some entities; "" where there is none."""
    held: dict[int, str] = {}
    for entity in entities:
        for attribute, value in graph.attributes_of(entity):
            held.setdefault(attribute, value.text)
    return [held.get(at, "") for at in columns]
