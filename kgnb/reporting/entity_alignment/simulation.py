"""SIMULATION: what a learned planning policy saves, with an aligner that knows the answers and errs at a stated rate.

Half the known pairs teach the policy, the other half are aligned with every planner; all their entities are looked at,
as in the paper. Which half, and where the aligner errs, is drawn several times: means and deviations are over the
draws. It says nothing of any model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np

from kgnb.agents.entity_alignment.judges import make_planner, oracle
from kgnb.agents.entity_alignment.looking import LookOptions
from kgnb.agents.entity_alignment.optimise import Asking, Optimised, Ways, asking, optimise
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
DRAWS = 5  # of halves and of errors
TRIES = 3  # of errors a draw


@dataclass(frozen=True)
class Planner:
    """One planner on the entities kept back: how long its ways are, how many have a reflector, how many are right.

    Means over the draws, with standard deviations.
    """

    name: str
    tools: float
    reflected: float
    hits: float
    entities: int  # kept back in each draw
    tools_deviation: float = 0.0
    reflected_deviation: float = 0.0
    hits_deviation: float = 0.0


@dataclass(frozen=True, eq=False)
class Simulation:
    """The planners side by side, and how the policy was learned in the first draw."""

    planners: tuple[Planner, ...]
    learned: Optimised
    error_rate: float
    draws: int = DRAWS


def simulate(
    sides: Sides,
    known: Links,
    embedder: Embedder,
    error_rate: float,
    *,
    draws: int = DRAWS,
    proposal: Proposal | None = None,
) -> Simulation:
    """Learn a policy from half of the pairs and compare planners on the rest, ``draws`` times.

    ``proposal`` is a first alignment of all known sources without seeds, if there is one already.
    """
    asked = known[: 2 * MOST]
    if proposal is None:
        proposal = propose(sides.left, sides.right, embedder, Options(), sources=[one for one, _ in asked])
    truth, look = dict(asked), LookOptions(share=1.0)
    places = {proposal.left.entities[int(source)]: row for row, source in enumerate(proposal.sources)}
    rows = [places[one] for one in truth if one in places and (proposal.candidates[places[one]] >= 0).any()]
    questions = Asking(proposal, look)
    learned, tried = [], []
    for draw in range(draws):
        order = np.random.default_rng(draw).permutation(len(rows)).tolist()
        training, kept_back = (sorted(rows[at] for at in half) for half in (order[::2], order[1::2]))
        judge = oracle(asked, error_rate=error_rate, seed=draw)
        learned.append(optimise(proposal, truth, judge, options=look, rows=training, questions=questions))
        errors = [draws + TRIES * draw + attempt for attempt in range(TRIES)]  # others than it was taught with
        oracles = [oracle(asked, error_rate=error_rate, seed=seed) for seed in errors]
        ways = [Ways(proposal, truth, one, look, asking=questions) for one in oracles]
        planners = {"every tool (paper's start)": make_planner("thorough"), "rule": make_planner("rule")}
        tried.append(_tried(planners | {"learned policy": learned[-1].policy}, ways, proposal, kept_back, look))
    found = tuple(_over([draw[name] for draw in tried]) for name in tried[0])
    return Simulation(found, learned[0], error_rate, draws)


def _tried(
    planners: Mapping[str, Judge[PlanQuestion]],
    ways: Sequence[Ways],
    proposal: Proposal,
    rows: Sequence[int],
    look: LookOptions,
) -> dict[str, Planner]:
    """What each planner comes to on these rows."""
    table = statistics(proposal)
    questions = [question_about(proposal, row, table, look) for row in rows]
    found = {}
    for name, planner in planners.items():
        verdicts = planner.judge(questions)
        paths: dict[int, Path] = {
            question.row: asking(verdict, question) for question, verdict in zip(questions, verdicts, strict=True)
        }
        tools = fmean(map(len, paths.values()))
        reflected = fmean("reflect" in path for path in paths.values())
        right = fmean(outcome.right for one in ways for outcome in one.take(paths).values())
        found[name] = Planner(name, tools, reflected, right, len(rows))
    return found


def _over(draws: Sequence[Planner]) -> Planner:
    """One planner's means and deviations."""
    figures = [[one.tools, one.reflected, one.hits] for one in draws]
    tools, reflected, hits = (round(fmean(column), 4) for column in zip(*figures, strict=True))
    deviations = [round(stdev(column), 4) if len(draws) > 1 else 0.0 for column in zip(*figures, strict=True)]
    return Planner(draws[0].name, tools, reflected, hits, draws[0].entities, *deviations)
