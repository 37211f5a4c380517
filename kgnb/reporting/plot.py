"""Plots that are the same bytes every time, drawn for light and dark, and the kinds that reports
share.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import Any, TypeAlias

from kgnb.results.cells import OfFew
from kgnb.results.chart import CHARTS, NO_CHARTS
from kgnb.results.wording import FEW, of_few

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


LIGHT = Theme(
    "light",
    "#ffffff",
    "#1d2329",
    "#5b6670",
    "#d8dde2",
    ("#1f6f8b", "#d07a1f", "#6a4c93", "#2e7d4f"),
)
DARK = Theme(
    "dark", "#14181c", "#e3e7ea", "#9aa5ae", "#353d45", ("#6cc0db", "#f0a860", "#b79ce0", "#7fcf9f")
)


@dataclass(frozen=True)
class Plot:
    """One plot, drawn for each appearance; ``alt`` describes it for readers who cannot see it.

    The SVG has text as paths, a fixed salt for its ids and no date, so that equal data give equal
    bytes.
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

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> Mapping[str, str]:
        if find_spec("matplotlib") is None:
            lacks = escape(f"{self.alt} ({NO_CHARTS}. {CHARTS})")
            return {
                "text/html": f"<figure><p>{lacks}</p><figcaption>{escape(self.caption)}</figcaption></figure>",
                "text/plain": f"[figure: {self.alt}] {NO_CHARTS}. {CHARTS}",
            }
        light, dark = (
            base64.b64encode(self.svg(theme).encode()).decode() for theme in (LIGHT, DARK)
        )
        return {
            "text/html": (
                '<figure><picture><source media="(prefers-color-scheme: dark)" '
                f'srcset="data:image/svg+xml;base64,{dark}">'
                f'<img src="data:image/svg+xml;base64,{light}" alt="{escape(self.alt)}"></picture>'
                f"<figcaption>{escape(self.caption)}</figcaption></figure>"
            ),
            "text/plain": f"[figure: {self.alt}]",
        }


def in_series(scores: Sequence[Any]) -> list[tuple[str, list[float]]]:
    """Precision, recall and F1 of each (whatever has them) as series of a plot."""
    return [
        (name, [getattr(one, name.lower()) for one in scores])
        for name in ("precision", "recall", "F1")
    ]


def grouped_bars(
    names: Sequence[str], series: Sequence[tuple[str, Sequence[float | None]]], caption: str
) -> Plot:
    """A horizontal group of bars of shares for each name, one bar for each series; None leaves a
    gap.
    """

    def draw(axes: Axes, theme: Theme) -> None:
        height = 0.8 / len(series)
        for at, (label, values) in enumerate(series):
            places = [row + 0.4 - height * (at + 0.5) for row in range(len(names) - 1, -1, -1)]
            widths = [100 * (value or 0.0) for value in values]
            drawn = axes.barh(places, widths, height * 0.86, label=label, color=theme.series[at])
            labels = [_bar_label(value) for value in values]
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
    return Plot(
        draw, caption, f"Bars in percent. {'; '.join(alt)}.", size=(7.2, 0.9 + 0.42 * len(names))
    )


def _bar_label(value: float | None) -> str:
    if value is None:
        return ""
    few = f" ({of_few(value.of, value.bounds)})" if isinstance(value, OfFew) else ""
    return f"{100 * value:.0f}{few}"


def lines(
    series: Sequence[tuple[str, Sequence[tuple[float, float]]]],
    across: str,
    up: str,
    caption: str,
    alt: str,
    *,
    drawn: str,
    styles: Sequence[str],
    wide: tuple[float | None, float | None] = (None, None),
    high: tuple[float | None, float | None] = (0, 102),
) -> Plot:
    """One line for each series of points; ``drawn`` is matplotlib's drawstyle, ``styles`` are its
    formats.

    ``wide`` and ``high`` are the limits of the axes; None: as the points need it.
    """

    def draw(axes: Axes, theme: Theme) -> None:
        for at, (label, points) in enumerate(series):
            places, heights = [x for x, _ in points], [y for _, y in points]
            look = {
                "color": theme.series[at],
                "drawstyle": drawn,
                "markersize": 4,
                "clip_on": False,
                "zorder": 3,
            }
            axes.plot(places, heights, styles[at], label=label, **look)
        axes.set_xlim(*wide)
        axes.set_ylim(*high)
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        axes.grid()
        if len(series) > 1:
            axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(series))

    return Plot(draw, caption, alt)


def risk_over_coverage(
    points: Sequence[tuple[float, float]],
    caption: str,
    of: str = "mappings",
    *,
    n: int,
    wrong: str = "wrong",
) -> Plot:
    """The share of errors among the most confident results (risk) over their share of all results
    (coverage).

    ``of`` names the ``n`` results. Of thousands of points only some four hundred are drawn.
    ``wrong`` says whether the errors are counted or expected.
    """
    every = max(1, len(points) // 400)
    kept = [
        (100 * x, 100 * y)
        for at, (x, y) in enumerate(points)
        if at % every == 0 or at == len(points) - 1
    ]
    top = max(10.0, 1.1 * max((risk for _, risk in kept), default=0.0))
    across, up = f"coverage: {of} kept, surest first, %", f"risk: {wrong} among them, %"
    ends = f" {_percent(points[-1][1])} of all are {wrong}." if points else f" There are no {of}."
    half = next(
        (f" {_percent(y)} of the surer half are {wrong}." for x, y in points if x >= 0.5), ""
    )
    few = f" They are few: n = {n}." if 0 < n < FEW else ""
    alt = f"Risk over coverage.{half}{ends}{few}"
    caption = f"{caption}{few}"
    return lines(
        [("risk", kept)],
        across,
        up,
        caption,
        alt,
        drawn="steps-post",
        styles="-",
        wide=(0, 100),
        high=(0, top),
    )


def _percent(value: float | None) -> str:
    if isinstance(value, OfFew):
        return value.text
    return "not known" if value is None else f"{100 * value:.1f} %"
