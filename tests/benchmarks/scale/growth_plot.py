"""How time and memory grow with size: what ``growth.py`` beside it has measured, drawn."""

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from kgnb.reporting.plot import Plot, Theme

Run = Mapping[str, Any]  # classes a side, candidates, and stages: {name: {"cpu", "seconds", "megabytes"}}


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float | None:
    """The slope of log(value) over log(size) by least squares; None with fewer than two sizes."""
    if len(set(sizes)) < 2 or min(values) <= 0:
        return None
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def growth(runs: Sequence[Run]) -> Plot:
    """CPU seconds of every stage, and the highest memory, over the size; n log n beside them."""
    sizes = [run["classes"] for run in runs]
    stages = list(runs[0]["stages"])
    sums = [sum(run["stages"][stage]["cpu"] for stage in stages) for run in runs]
    tops = [max(run["stages"][stage]["megabytes"] for stage in stages) for run in runs]
    candidates = [run["candidates"] for run in runs]

    def draw(axes: Axes, theme: Theme) -> None:
        axes.set_axis_off()
        time, memory = axes.inset_axes((0, 0.42, 1, 0.58)), axes.inset_axes((0, 0, 1, 0.3))
        for at, stage in enumerate(stages):
            values = [run["stages"][stage]["cpu"] for run in runs]
            style = "-" if at < len(theme.series) else "--"
            time.plot(sizes, values, style, marker="o", ms=3, lw=1.1, color=theme.series[at % 4], label=stage)
        time.plot(sizes, sums, color=theme.ink, lw=2.2, marker="o", ms=4, label="all")
        time.plot(sizes, _n_log_n(candidates, sums[0]), ":", color=theme.soft, label="n log n in candidates")
        memory.plot(sizes, tops, color=theme.series[0], marker="o", ms=4)
        memory.plot(sizes, _n_log_n(candidates, tops[0]), ":", color=theme.soft)
        for one, name in ((time, "seconds of CPU"), (memory, "megabytes")):
            one.set_facecolor(theme.paper)
            one.set_xscale("log")
            one.set_yscale("log")
            one.set_xticks(sizes, [f"{size:,}" for size in sizes])
            one.minorticks_off()
            one.yaxis.set_major_formatter("{x:g}")
            one.set_ylabel(name)
            one.grid()
        memory.set_xlabel("classes a side")
        time.legend(loc="center left", bbox_to_anchor=(1, 0.5))

    told = "; ".join(
        f"2 x {size:,} classes: {total:,.0f} s of CPU, {top:,.0f} MB, {pairs:,} candidate pairs"
        for size, total, top, pairs in zip(sizes, sums, tops, candidates, strict=True)
    )
    slope = exponent(candidates, sums)
    fit = "" if slope is None else f" CPU grows with candidates to the power {slope:.2f} (n log n: about 1.1 here)."
    return Plot(draw, f"A stored benchmark run over generated ontologies, no model.{fit}", f"{told}.", size=(7.2, 5.4))


def _n_log_n(numbers: Sequence[int], first: float) -> list[float]:
    return [first * n * log(n) / (numbers[0] * log(numbers[0])) for n in numbers]
