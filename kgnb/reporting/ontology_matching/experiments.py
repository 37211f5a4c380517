"""The report's tables and plots of what was tried besides the matching: simulated errors, prompts, ingredients."""

from __future__ import annotations

from kgnb.reporting.ontology_matching import ablation, prompt_counts, simulation
from kgnb.reporting.ontology_matching.results import Results
from kgnb.reporting.plot import Plot
from kgnb.results.table import Table


def oracle_curves(results: Results) -> Plot | Table:
    """Scores and questions over the error rate, drawn; SIMULATION."""
    points = simulation.curve(results.draws)
    return simulation.plot(points) if points else simulation.table((), several=False)


def oracle_table(results: Results) -> Table:
    """The same as numbers, with the spread of the draws."""
    return simulation.table(simulation.curve(results.draws), several=len(results.scored) > 1)


def oracle_bars(results: Results) -> Table:
    """What asking more or less would bring; SIMULATION."""
    return simulation.bars_table(results.bars)


def prompts(results: Results) -> Table:
    """What a model would be sent."""
    return prompt_counts.table(results.prompts)


def left_out(results: Results) -> Table:
    """What every ingredient is worth."""
    return ablation.table(results.ablated)
