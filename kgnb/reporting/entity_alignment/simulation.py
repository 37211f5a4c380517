"""SIMULATION: what a learned planning policy saves, with an aligner that knows the answers and errs at a stated rate.

Half the known pairs teach the policy, the other half are aligned with every planner; all their entities are looked at,
as in the paper. It says nothing of any model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgnb.agents.entity_alignment.judges import make_planner, oracle
from kgnb.agents.entity_alignment.looking import LookOptions
from kgnb.agents.entity_alignment.optimise import Optimised, Ways, asking, optimise
from kgnb.agents.entity_alignment.paths import Path
from kgnb.agents.entity_alignment.plan import question_about
from kgnb.agents.entity_alignment.propose import propose
from kgnb.agents.entity_alignment.questions import PlanQuestion
from kgnb.agents.entity_alignment.statistics import statistics
from kgnb.agents.entity_alignment.values import Options, Proposal
from kgnb.judging import Judge
from kgnb.tasks.sides import Links, Sides
from kgnb.vectors.embedder import Embedder

MOST = 2000  # entities that teach, and that are tried on: enough for three figures


@dataclass(frozen=True)
class Planner:
    """One planner on the entities kept back: how long its ways are, how many have a reflector, how many are right."""

    name: str
    tools: float
    reflected: float
    hits: float
    entities: int


@dataclass(frozen=True, eq=False)
class Simulation:
    """The planners side by side, and how the policy was learned."""

    planners: tuple[Planner, ...]
    learned: Optimised
    error_rate: float


def simulate(sides: Sides, known: Links, embedder: Embedder, error_rate: float, draws: int = 5) -> Simulation:
    """Learn a policy from every other pair, and compare planners on the rest: means over ``draws`` of the errors."""
    asked = known[: 2 * MOST]
    proposal = propose(sides.left, sides.right, embedder, Options(), sources=[one for one, _ in asked])
    truth = dict(asked)
    look = LookOptions(share=1.0)
    rows = [row for row in range(len(proposal)) if (proposal.candidates[row] >= 0).any()]
    training, kept_back = rows[::2], rows[1::2]
    learned = optimise(proposal, truth, oracle(asked, error_rate=error_rate), options=look, rows=training)
    ways = [
        Ways(proposal, truth, oracle(asked, error_rate=error_rate, seed=seed), look) for seed in range(1, draws + 1)
    ]
    planners: list[tuple[str, Judge[PlanQuestion]]] = [
        ("every tool (paper's start)", make_planner("thorough")),
        ("rule", make_planner("rule")),
        ("learned policy", learned.policy),
    ]
    found = tuple(_tried(name, planner, ways, proposal, kept_back, look) for name, planner in planners)
    return Simulation(found, learned, error_rate)


def _tried(
    name: str,
    planner: Judge[PlanQuestion],
    ways: Sequence[Ways],
    proposal: Proposal,
    rows: Sequence[int],
    look: LookOptions,
) -> Planner:
    table = statistics(proposal)
    questions = [question_about(proposal, row, table, replace(look)) for row in rows]
    verdicts = planner.judge(questions)
    paths: dict[int, Path] = {
        question.row: asking(verdict, question) for question, verdict in zip(questions, verdicts, strict=True)
    }
    size = len(rows)
    right = [outcome.right for one in ways for outcome in one.take(paths).values()]
    return Planner(
        name,
        round(sum(map(len, paths.values())) / size, 2),
        sum("reflect" in path for path in paths.values()) / size,
        sum(right) / len(right),
        size,
    )
