"""Entity alignment from two graphs to one alignment: the story, top to bottom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kgnb.agents.entity_alignment.align import align
from kgnb.agents.entity_alignment.final_alignment import Settled, settle
from kgnb.agents.entity_alignment.graphs import EntityGraph
from kgnb.agents.entity_alignment.judges import Ruling
from kgnb.agents.entity_alignment.judging_values import LookOptions
from kgnb.agents.entity_alignment.plan import plan
from kgnb.agents.entity_alignment.propose import propose
from kgnb.agents.entity_alignment.questions import AlignQuestion, PlanQuestion
from kgnb.agents.entity_alignment.reflect import reflect
from kgnb.agents.entity_alignment.select import select
from kgnb.agents.entity_alignment.values import Options
from kgnb.judging import Judge
from kgnb.run import Run
from kgnb.vectors.embedder import Embedder


def align_entities(
    left: EntityGraph,
    right: EntityGraph,
    *,
    embedder: Embedder,
    judge: Judge[AlignQuestion],
    planner: Judge[PlanQuestion],
    options: Options = Options(),
    look: LookOptions = LookOptions(),
    seeds: Sequence[tuple[str, str]] = (),
    sources: Sequence[str] | None = None,
    targets: Sequence[str] | None = None,
    rulings: Mapping[str, Ruling] | None = None,
    run: Run | None = None,
) -> Settled:
    """Every source's counterpart among the targets, or none, with who said so.

    ``seeds`` are pairs known beforehand; ``sources`` and ``targets`` (IRIs) are who is asked about and who may be an
    answer: by default every entity of its graph. A seed's source has its seed as its answer.
    """
    run = run or Run("entity_alignment")
    proposal = run.do(propose, left, right, embedder, options, seeds=seeds, sources=sources, targets=targets)
    planned = run.do(plan, proposal, planner, options=look)
    selected = run.do(select, planned, options=look)
    aligned = run.do(align, selected, judge)
    reflected = run.do(reflect, aligned, judge)
    return run.do(settle, reflected, rulings=rulings)
