"""Graphs as they come: names on one side, in another script, or twice; no edges, one relation;
nobody to be found.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from kgnb.agents.entity_alignment.final_alignment import Settled
from kgnb.agents.entity_alignment.graphs import EntityGraph
from kgnb.agents.entity_alignment.propose import propose
from kgnb.agents.entity_alignment.values import NO_CANDIDATE, Options
from kgnb.tasks.aligning import align
from kgnb.vectors.character_embedder import CharacterEmbedder
from tests.agents.entity_alignment.graphs_at_hand import World, names, without_values, world

CYRILLIC = str.maketrans("abcdefghiklmnoprstuy", "абцдефгхиклмнопрстую")


def aligned(
    left: EntityGraph, right: EntityGraph, seeds: Sequence[tuple[str, str]] = (), **options: object
) -> Settled:
    told = Options(rounds=2, **options)  # type: ignore[arg-type]
    outcome = align(
        left,
        right,
        embedder=CharacterEmbedder(128),
        judge="rule",
        options=told,
        seeds=seeds or "none",
    )
    found = outcome.settled
    counts = found.counts()
    assert counts["matched"] + counts["unmatched"] == counts["entities"] == len(left)
    assert sum(found.unmatched().values()) == counts["unmatched"]
    assert all(found.unmatched())
    return found


def seeds_of(given: World, share: float) -> list[tuple[str, str]]:
    known = np.flatnonzero(given.answers >= 0)
    kept = np.random.default_rng(1).permutation(known)[: int(share * len(known))].tolist()
    return [(given.left.entities[at], given.right.entities[given.answers[at]]) for at in kept]


def right(
    found: Settled, given: World, seeds: Sequence[tuple[str, str]] = ()
) -> tuple[float, float]:
    """Precision and recall of what is no seed."""
    seeded = {given.left.index(one) for one, _ in seeds}
    rows = [at for at in range(len(given.left)) if at not in seeded]
    chosen = [at for at in rows if found.targets[at] >= 0]
    hits = sum(found.targets[at] == given.answers[at] for at in chosen)
    return hits / max(len(chosen), 1), hits / max(sum(given.answers[at] >= 0 for at in rows), 1)


def bare(given: World) -> World:
    return World(without_values(given.left), without_values(given.right), given.answers)


def named(graph: EntityGraph, names: Sequence[str]) -> EntityGraph:
    return replace(graph, names=tuple(names))


def test_names_on_one_side_alone_leave_structure_to_decide() -> None:
    given = bare(world(240, degree=8.0))
    given = World(given.left, given.right.unnamed(), given.answers)
    seeds = seeds_of(given, 0.4)
    found = aligned(given.left, given.right, seeds)
    precision, recall = right(found, given, seeds)
    assert precision >= 0.85 and recall >= 0.75
    assert any("no names to compare" in note for note in found.notes())


def test_names_on_one_side_and_no_seed_match_nothing_and_say_why() -> None:
    given = bare(world(60))
    found = aligned(given.left, given.right.unnamed())
    assert found.counts()["matched"] == 0 and found.unmatched() == {NO_CANDIDATE: 60}


def test_any_of_several_names_will_do() -> None:
    """Half of the entities go by another name on the right, and by the one known on the left as a
    further name.
    """
    given = bare(world(200))
    none = np.empty((0, 3), dtype=np.int32)
    strangers = names(300, 77)[200:]
    called, known = list(given.right.names), {}
    for at, stranger in zip(given.answers[:100].tolist(), strangers, strict=True):
        known[at] = (called[at],)
        called[at] = stranger
    alone = named(replace(given.right, triples=none), called)
    left = replace(given.left, triples=none)
    without = right(aligned(left, alone), World(left, alone, given.answers))
    _, recall = right(
        aligned(left, replace(alone, aliases=known)), World(left, alone, given.answers)
    )
    assert without[1] <= 0.6 and recall >= 0.9


@pytest.mark.parametrize("sides", [(0, 0), (0, 1), (1, 0)])
def test_an_empty_graph_is_no_failure(sides: tuple[int, int]) -> None:
    given = world(20)
    empty = EntityGraph("empty", (), (), (), np.empty((0, 3), dtype=np.int32))
    left, other = (
        graph if kept else empty
        for graph, kept in zip((given.left, given.right), sides, strict=True)
    )
    found = aligned(left, other)
    assert found.pairs() == [] and found.alignment().mappings == ()


def test_namesakes_are_told_apart_by_what_is_around_them() -> None:
    given = bare(world(240, degree=8.0))
    mine = list(given.left.names)
    others = list(given.right.names)
    for at in range(0, 60, 2):  # thirty pairs of namesakes
        mine[at + 1] = mine[at]
        others[given.answers[at]] = others[given.answers[at + 1]] = mine[at]
    given = World(named(given.left, mine), named(given.right, others), given.answers)
    found = aligned(given.left, given.right)
    assert np.mean(found.targets[:60] == given.answers[:60]) >= 0.85
    kept = found.targets[found.targets >= 0].tolist()
    assert len(set(kept)) == len(kept)


@pytest.mark.parametrize(("dangling", "share"), [(108, 0.0), (108, 0.3)])
def test_precision_is_estimated_without_a_reference_and_hardly_ever_too_high(
    dangling: int, share: float
) -> None:
    given = bare(world(360, dangling=dangling, degree=6.0))
    seeds = seeds_of(given, share)
    sides = (given.left.unnamed(), given.right.unnamed()) if seeds else (given.left, given.right)
    found = aligned(*sides, seeds)
    precision, _ = right(found, given, seeds)
    assert found.estimated_precision == pytest.approx(precision, abs=0.06)
    assert found.estimated_precision <= precision + 0.02
    assert any(
        f"estimated precision {100 * found.estimated_precision:.1f} %" in note
        for note in found.notes()
    )


@pytest.mark.parametrize(("seed", "values"), [(0, True), (1, False)])
def test_of_what_is_matched_nineteen_in_twenty_are_right_though_three_in_ten_have_no_counterpart(
    seed, values
):
    given = world(360, dangling=108, seed=seed)
    sides = (
        (given.left, given.right)
        if values
        else (without_values(given.left), without_values(given.right))
    )
    found = propose(*sides, CharacterEmbedder())
    matched = found.first >= 0
    right = found.first[matched] == given.answers[found.sources[matched]]
    assert right.mean() >= 0.95 and right.sum() >= 0.95 * 252
    assert float(found.confidence[matched].mean()) < right.mean() + 0.02
