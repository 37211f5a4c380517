"""The report's tables and plots of what was tried besides the matching: simulated errors, prompts, ingredients.

What was not asked for is a sentence in its section's first place, and nothing in the others.
"""

from __future__ import annotations

from kgnb.reporting.ontology_matching import ablation, prompt_counts, simulation
from kgnb.reporting.ontology_matching.results import Results
from kgnb.reporting.plot import Plot
from kgnb.reporting.words import Words
from kgnb.results.table import Table


def oracle_curves(results: Results) -> Plot | Words:
    """Scores and questions over the error rate, drawn; SIMULATION."""
    points = simulation.curve(results.draws)
    return simulation.plot(points) if points else Words((simulation.OFF,), off=True)


def oracle_table(results: Results) -> Table | None:
    """The same as numbers, with the spread of the draws."""
    points = simulation.curve(results.draws)
    return simulation.table(points, several=len(results.scored) > 1) if points else None


def oracle_shares(results: Results) -> Table | None:
    """What asking more or less would bring; SIMULATION."""
    return simulation.shares_table(results.shares) if results.shares else None


def prompts(results: Results) -> Table | Words:
    """What a model would be sent."""
    off = "What a model would be sent: not counted; run the report with -p curves=true."
    return prompt_counts.table(results.prompts) if results.prompts else Words((off,), off=True)


def left_out(results: Results) -> Table | Words:
    """What every ingredient is worth."""
    return ablation.table(results.ablated) if results.ablated else Words((ablation.OFF,), off=True)
