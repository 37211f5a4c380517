"""An alignment of entities measured against known pairs."""

from __future__ import annotations

from kgnb.agents.entity_alignment.final_alignment import Settled
from kgnb.evaluate.ranking import Measured, measure
from kgnb.results.bundle import count
from kgnb.results.table import COUNTS, PRECISION_RECALL_F1, Column, Table, metrics
from kgnb.tasks.sides import Links, Sides

RANKED = (
    Column("hits1", "Hits@1", "number"),
    Column("hits10", "Hits@10", "number"),
    Column("mrr", "MRR", "number"),
)


def measured(settled: Settled, sides: Sides, tests: Links) -> Measured:
    """The final choices and rankings against ``tests``, also by what the names of a pair have in
    common.
    """
    names = tuple(
        dict(zip(graph.entities, graph.names, strict=True)) for graph in (sides.left, sides.right)
    )
    seeded = {one for one, _ in sides.seeds}
    pairs = [(one, other) for one, other, _ in settled.pairs() if one not in seeded]
    number = len(settled.proposal.targets)
    universe = f"{number:,} targets" + (" (all entities)" if number == len(sides.right) else "")
    return measure(
        settled.rankings([one for one, _ in tests]),
        pairs,
        tests,
        universe=universe,
        seeds=len(sides.seeds),
        names=(names[0], names[1]),
    )


def first_rankings(settled: Settled) -> dict[str, list[str]]:
    """The rankings of the first alignment, before any judge was asked."""
    proposal = settled.proposal
    found = {}
    for row, source in enumerate(proposal.sources.tolist()):
        first = int(proposal.first[row])
        ranked = dict.fromkeys(
            one for one in (first, *proposal.candidates[row].tolist()) if one >= 0
        )
        found[proposal.left.entities[source]] = [
            proposal.right.entities[one] for one in list(ranked)[:10]
        ]
    return found


def ranked_metrics(settled: Settled, sides: Sides, tests: Links) -> Table:
    """Hits@1, Hits@10 and MRR by slice and whole, before and after judging; precision, recall, F1
    of the choices.
    """
    found = measured(settled, sides, tests)
    before = measure(
        first_rankings(settled), first_pairs(settled, sides), tests, universe=found.universe
    )
    rows = {name: {**part.row(), "wanted": part.tests} for name, part in found.slices.items()}
    whole = {"first alignment": before, "after the look": found}
    summary = {name: one.ranking.row() | one.chosen.row() for name, one in whole.items()}
    notes = [
        f"ranked among {found.universe}; {count(found.seeds, 'seed')} ({found.seed_ratio:.0%} of the known pairs)",
        "pairs about entities that are in no known pair are not counted",
    ]
    if settled.simulation:
        notes.insert(0, "SIMULATION: whoever was asked knows the reference")
    return metrics(
        (*RANKED, *PRECISION_RECALL_F1, *COUNTS),
        rows,
        summary=summary,
        caption="Against the known pairs",
        notes=notes,
        bar="hits1",
    )


def first_pairs(settled: Settled, sides: Sides) -> list[tuple[str, str]]:
    """The pairs of the first alignment, without the seeds."""
    proposal = settled.proposal
    seeded = {one for one, _ in sides.seeds}
    pairs = zip(proposal.sources.tolist(), proposal.first.tolist(), strict=True)
    named = (
        (proposal.left.entities[one], proposal.right.entities[other])
        for one, other in pairs
        if other >= 0
    )
    return [pair for pair in named if pair[0] not in seeded]
