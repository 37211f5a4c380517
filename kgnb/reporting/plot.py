"""Plots that are the same bytes every time, drawn for light and dark, and the kinds that reports share."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, TypeAlias

from kgnb.datasets.published import Figure
from kgnb.evaluate.alignment import Score

Axes: TypeAlias = Any  # of matplotlib, which takes half a second to import
Draw: TypeAlias = Callable[[Axes, "Theme"], None]


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one appearance; the series also differ in lightness, for colour-blind readers."""

    name: str
    paper: str
    ink: str
    soft: str
    line: str
    series: tuple[str, ...]


LIGHT = Theme("light", "#ffffff", "#1d2329", "#5b6670", "#d8dde2", ("#1f6f8b", "#d07a1f", "#6a4c93", "#2e7d4f"))
DARK = Theme("dark", "#14181c", "#e3e7ea", "#9aa5ae", "#353d45", ("#6cc0db", "#f0a860", "#b79ce0", "#7fcf9f"))


@dataclass(frozen=True)
class Plot:
    """One plot, drawn for each appearance; ``alt`` describes it for readers who cannot see it.

    The SVG has text as paths, a fixed salt for its ids and no date, so that equal data give equal bytes.
    """

    draw: Draw
    caption: str
    alt: str
    size: tuple[float, float] = (7.2, 3.6)  # inches

    def svg(self, theme: Theme = LIGHT) -> str:
        """The plot as an SVG document."""
        import matplotlib
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure as Canvas

        settings: Any = {
            "svg.hashsalt": "kgnb",
            "svg.fonttype": "path",
            "font.family": "DejaVu Sans",
            "font.size": 9,
            "text.color": theme.ink,
            "axes.labelcolor": theme.soft,
            "axes.edgecolor": theme.line,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "xtick.color": theme.soft,
            "ytick.color": theme.soft,
            "grid.color": theme.line,
            "grid.linewidth": 0.6,
            "legend.frameon": False,
        }
        with matplotlib.rc_context(settings):
            canvas = Canvas(figsize=self.size, layout="constrained", facecolor=theme.paper)
            FigureCanvasSVG(canvas)
            axes = canvas.add_subplot(facecolor=theme.paper)
            self.draw(axes, theme)
            stream = io.StringIO()
            canvas.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
        return stream.getvalue()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Mapping[str, str]:
        light, dark = (_data_uri(self.svg(theme)) for theme in (LIGHT, DARK))
        return {
            "text/html": (
                f'<figure><picture><source media="(prefers-color-scheme: dark)" srcset="{dark}">'
                f'<img src="{light}" alt="{escape(self.alt)}"></picture>'
                f"<figcaption>{escape(self.caption)}</figcaption></figure>"
            ),
            "text/plain": f"[figure: {self.alt}]",
        }


def _data_uri(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def in_series(scores: Sequence[Score | Figure]) -> list[tuple[str, list[float]]]:
    """Precision, recall and F1 of each as series of a plot."""
    return [(name, [getattr(one, name.lower()) for one in scores]) for name in ("precision", "recall", "F1")]


STYLES, WIDTHS = ("--", ":", "-"), (1.2, 1.4, 2.0)


def grouped_bars(names: Sequence[str], series: Sequence[tuple[str, Sequence[float | None]]], caption: str) -> Plot:
    """A horizontal group of bars for each name, one bar for each series; None leaves a gap."""

    def draw(axes: Axes, theme: Theme) -> None:
        height = 0.8 / len(series)
        for at, (label, values) in enumerate(series):
            places = [row + 0.4 - height * (at + 0.5) for row in range(len(names) - 1, -1, -1)]
            widths = [100 * (value or 0.0) for value in values]
            drawn = axes.barh(places, widths, height * 0.86, label=label, color=theme.series[at])
            labels = ["" if value is None else f"{100 * value:.0f}" for value in values]
            axes.bar_label(drawn, labels, padding=2, fontsize=7, color=theme.soft)
        axes.set_yticks(range(len(names) - 1, -1, -1), names)
        axes.tick_params(axis="y", length=0)
        axes.set_xlim(0, 105)
        axes.set_ylim(-0.5, max(1, len(names)) - 0.5)
        axes.set_xlabel("score, %")
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(series))

    alt = [
        f"{name}: " + ", ".join(f"{label} {_percent(values[row])}" for label, values in series)
        for row, name in enumerate(names)
    ]
    return Plot(draw, caption, f"Bars in percent. {'; '.join(alt)}.", size=(7.2, 0.9 + 0.42 * len(names)))


def risk_over_coverage(points: Sequence[tuple[float, float]], caption: str, of: str = "mappings") -> Plot:
    """The share of errors among the most confident results (risk) over their share of all results (coverage).

    ``of`` names the results. Of thousands of points only some four hundred are drawn.
    """
    every = max(1, len(points) // 400)
    points = [point for at, point in enumerate(points) if at % every == 0 or at == len(points) - 1]

    def draw(axes: Axes, theme: Theme) -> None:
        axes.step([100 * x for x, _ in points], [100 * y for _, y in points], where="post", color=theme.series[0],
                  clip_on=False, zorder=3)  # fmt: skip
        axes.set_xlim(0, 100)
        axes.set_ylim(0, max(10.0, 1.1 * max((100 * y for _, y in points), default=0.0)))
        axes.set_xlabel(f"coverage: {of} kept, surest first, %")
        axes.set_ylabel("risk: wrong among them, %")
        axes.grid()

    ends = f" {_percent(points[-1][1])} of all are wrong." if points else f" There are no {of}."
    half = next((f" {_percent(y)} of the surer half are wrong." for x, y in points if x >= 0.5), "")
    return Plot(draw, caption, f"Risk over coverage.{half}{ends}")


def over_confidence(thresholds: Sequence[float], scores: Sequence[tuple[str, Sequence[float]]], caption: str) -> Plot:
    """Scores against the confidence below which mappings are dropped."""

    def draw(axes: Axes, theme: Theme) -> None:
        for at, (label, values) in enumerate(scores):
            drawn = [100 * value for value in values]
            axes.step(thresholds, drawn, STYLES[at], where="pre", label=label, color=theme.series[at], lw=WIDTHS[at])
        axes.set_ylim(0, 102)
        axes.set_xlabel("mappings below this confidence dropped")
        axes.set_ylabel("score, %")
        axes.grid()
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(scores))

    alt = ""
    if thresholds and scores:
        label, values = scores[-1]
        best = max(range(len(values)), key=lambda at: values[at])
        alt = f" {label} is highest, {_percent(values[best])}, at {thresholds[best]:.2f}."
    return Plot(draw, caption, f"{', '.join(label for label, _ in scores)} over confidence.{alt}")


def _percent(value: float | None) -> str:
    return "not known" if value is None else f"{100 * value:.1f} %"
