"""Figures that are the same bytes every time and read in light and in dark."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, TypeAlias

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Canvas

Draw: TypeAlias = Callable[[Axes, "Theme"], None]


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one appearance. The series differ in lightness too, and keep apart for colour-blind readers."""

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
    """One plot, drawn once for each appearance; ``alt`` tells what it shows to whoever cannot see it.

    As SVG with text as paths and a fixed salt for its ids, without a date: equal data give equal bytes.
    """

    draw: Draw
    caption: str
    alt: str
    size: tuple[float, float] = (7.2, 3.6)  # inches

    def svg(self, theme: Theme = LIGHT) -> str:
        """The plot as an SVG document."""
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
