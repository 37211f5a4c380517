"""What the matcher would reach if whoever it asks were wrong at a known rate, and how much it would ask.

SIMULATION: the answers come from the reference, as in the interactive track of the OAEI. The curve tells how much of
the loss is within a model's or a person's reach, and how fast errors eat it up; it says nothing of any model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean, pstdev

from matplotlib.axes import Axes

from kgnb.agents.ontology_matching.judges import after_the_rule
from kgnb.agents.ontology_matching.oracle import match_oracle
from kgnb.evaluate.alignment import Score, micro
from kgnb.reporting.ontology_matching.prepared import Prepared
from kgnb.reporting.plot import Plot, Theme
from kgnb.results.table import Column, Table, Value, percents

RATES = (0.0, 0.1, 0.2, 0.3)  # of the OAEI's interactive track
SHARES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5)  # questions, at most, for each source entity
SHARES_RATE = 0.1  # the error rate at which these are compared
WARNING = "SIMULATION: a judge that knows the reference answers what the rule judge leaves open"
OFF = "Not computed: run the report with -p curves=true."


@dataclass(frozen=True)
class Draw:
    """One pair, one error rate (None: nobody is asked), one draw of which answers are wrong."""

    rate: float | None
    seed: int
    whole: Score
    part: Score
    questions: int = 0
    sources: int = 0
    ask: float | None = None  # how much could be asked; None: as the options say


@dataclass(frozen=True)
class AtRate:
    """One error rate over all pairs: mean scores of the draws, how far those lie apart, and what was asked."""

    rate: float | None
    precision: float
    recall: float
    f1: float
    spread: float  # standard deviation of F1 over the draws
    non_trivial: float
    questions: float
    share: float  # questions, both sides', for every source entity
    draws: int


def simulate(prepared: Prepared, seeds: int) -> list[Draw]:
    """The rule judge alone, then every error rate, ``seeds`` times with other errors each."""
    alone = prepared.try_out(prepared.rule)
    nobody = Draw(None, 0, alone.whole, alone.part, sources=prepared.sources)
    return [nobody, *(_draw(prepared, rate, seed) for rate in RATES for seed in range(seeds if rate else 1))]


def simulate_shares(prepared: Prepared, seeds: int) -> list[Draw]:
    """The cascade with more or fewer questions, all at one error rate."""
    return [_draw(prepared, SHARES_RATE, seed, ask) for ask, seed in product(SHARES, range(seeds))]


def _draw(prepared: Prepared, rate: float, seed: int, ask: float | None = None) -> Draw:
    oracle = match_oracle(prepared.pairs, error_rate=rate, seed=seed)
    share = prepared.options.ask if ask is None else ask
    done = prepared.try_out(after_the_rule(oracle, share, prepared.rule))
    return Draw(rate, seed, done.whole, done.part, oracle.asked, prepared.sources, ask)


def shares_table(draws: Sequence[Draw]) -> Table:
    """What asking more or less would bring; SIMULATION."""
    columns = [
        Column("ask", "Asked at most", "percent"),
        Column("questions", "Questions", "number"),
        *percents(share="per source entity", precision="Precision", recall="Recall", f1="F1", spread="± (sd)"),
    ]
    rows: list[list[Value]] = []
    for ask in dict.fromkeys(draw.ask for draw in draws):
        one = at(SHARES_RATE, [draw for draw in draws if draw.ask == ask])
        rows.append([ask, round(one.questions), one.share, one.precision, one.recall, one.f1, one.spread])
    notes = ["Nothing is chosen by this table: it looks at the reference. What no answer could change is not asked."]
    caption = f"SIMULATION: how much to ask, where {SHARES_RATE:.0%} of the answers are wrong."
    return Table(columns, rows, caption=caption, notes=notes)


def curve(draws: Sequence[Draw]) -> tuple[AtRate, ...]:
    """The draws of all pairs, by rate; pairs are added up (micro) within a draw, draws are averaged."""
    rates = dict.fromkeys(draw.rate for draw in draws)
    return tuple(at(rate, [draw for draw in draws if draw.rate == rate]) for rate in rates)


def at(rate: float | None, draws: Sequence[Draw]) -> AtRate:
    """One error rate: pairs added up within a draw, draws averaged."""
    seeds = sorted({draw.seed for draw in draws})
    rounds = [[draw for draw in draws if draw.seed == seed] for seed in seeds]
    wholes = [micro(draw.whole for draw in one) for one in rounds]
    parts = [micro(draw.part for draw in one) for one in rounds]
    asked = [sum(draw.questions for draw in one) for one in rounds]
    sources = sum(draw.sources for draw in rounds[0])
    return AtRate(
        rate=rate,
        precision=fmean(score.precision for score in wholes),
        recall=fmean(score.recall for score in wholes),
        f1=fmean(score.f1 for score in wholes),
        spread=pstdev(score.f1 for score in wholes),
        non_trivial=fmean(score.f1 for score in parts),
        questions=fmean(asked),
        share=fmean(asked) / sources if sources else 0.0,
        draws=len(seeds),
    )


def table(points: Iterable[AtRate], several: bool) -> Table:
    """One row an error rate."""
    columns = [
        Column("rate", "Answers wrong"),
        *percents(precision="Precision", recall="Recall", f1="F1", spread="± (sd)", part="F1, non-trivial"),
        Column("questions", "Questions", "number"),
        Column("share", "per source entity", "percent"),
    ]
    kept = list(points)
    rows: list[list[Value]] = [
        [
            "nobody asked" if one.rate is None else f"{one.rate:.0%}",
            *(one.precision, one.recall, one.f1, one.spread, one.non_trivial),
            round(one.questions),
            one.share,
        ]
        for one in kept
    ]
    draws = max((one.draws for one in kept), default=0)
    notes = [
        "Micro over pairs. " * several + f"{draws} draws decide which answers are wrong; scores are means over them, "
        "with the standard deviation of F1 beside it.",
        "Questions of both sides are counted; whoever answers sees all candidates of an entity at once. An answer is "
        "weighed against what the rule judge held, so that not every wrong one does harm.",
    ]
    return Table(columns, rows, caption=f"{WARNING}.", notes=notes)


def plot(points: Sequence[AtRate]) -> Plot:
    """Scores, and the share of questions, against the error rate; bars show the spread of F1."""
    asked = [point for point in points if point.rate is not None]
    alone = next((point for point in points if point.rate is None), None)

    def draw(axes: Axes, theme: Theme) -> None:
        axes.set_axis_off()
        scores, questions = axes.inset_axes((0, 0.44, 1, 0.56)), axes.inset_axes((0, 0, 1, 0.3))
        rates = [100 * (point.rate or 0.0) for point in asked]
        scores.plot(rates, [100 * p.precision for p in asked], "--", color=theme.series[0], lw=1.3, label="precision")
        scores.plot(rates, [100 * p.recall for p in asked], ":", color=theme.series[1], lw=1.5, label="recall")
        middle = [100 * p.f1 for p in asked]
        spread = [100 * p.spread for p in asked]
        scores.errorbar(rates, middle, spread, fmt="-o", color=theme.series[2], lw=2, ms=4, capsize=4, label="F1")
        if alone:
            scores.axhline(100 * alone.f1, color=theme.soft, lw=1, ls="-.", label="F1, nobody asked")
        scores.set_ylabel("%")
        scores.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4)
        questions.plot(rates, [100 * p.share for p in asked], "-s", color=theme.series[3], lw=1.4, ms=4)
        questions.set_ylim(bottom=0)
        questions.set_ylabel("questions for 100\nsource entities")
        questions.set_xlabel("SIMULATION: answers that are wrong, %")
        for one in (scores, questions):
            one.set_facecolor(theme.paper)
            one.set_xticks(rates)
            one.grid()

    told = "; ".join(
        f"at {point.rate:.0%} errors F1 {100 * point.f1:.1f} % with {100 * point.share:.1f} questions for 100 source "
        "entities"
        for point in asked
    )
    caption = f"{WARNING}. F1 over the share of wrong answers; bars are standard deviations over the draws."
    return Plot(draw, caption, f"SIMULATION. {told}.", size=(7.2, 4.6))
