"""A table as a chart or a map: a matplotlib figure that stays in the saved notebook."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from numbers import Real
from typing import Any

from kgnb.errors import ConfigError
from kgnb.results.bundle import Bundled
from kgnb.results.escaping import escaped

Values = Mapping[str, Sequence[Any]]
Draw = Callable[[Any], None]  # on matplotlib's axes

NO_CHARTS, CHARTS = "charts need one more package here", 'Run: pip install "kgnb[charts]"'

MOST_BARS, MOST_NAMES = 40, 60  # more cannot be read
_POINT = re.compile(r".*?POINT\s*\(\s*([-\d.]+)\s+([-\d.]+)", re.IGNORECASE)
_EAST, _NORTH = ("lon", "long", "lng", "longitude"), ("lat", "latitude")


@dataclass(frozen=True, repr=False)
class Chart(Bundled):
    """A chart in a notebook; ``figure`` is matplotlib's, to be changed or saved."""

    figure: Any
    says: str

    def html(self) -> str:
        """The chart as an image."""
        file = io.BytesIO()
        self.figure.savefig(file, format="png", dpi=120)
        data = base64.b64encode(file.getvalue()).decode("ascii")
        return (
            f'<img alt="{escaped(self.says)}" width="720" style="max-width: 100%; height: auto" '
            f'src="data:image/png;base64,{data}">'
        )

    def text(self) -> str:
        """What it shows."""
        return self.says

    def __repr__(self) -> str:
        return f"<Chart: {self.says}>"


def chart(values: Values, kind: str = "", title: str = "") -> Chart:
    """The chart of some columns: of this kind, or of the first of ``KINDS`` that fits.

    Args:
        values: the values by column, numbers and dates as Python's; None where there is none.

    Raises:
        ValueError: there is no such kind, or the columns do not fit.
        ConfigError: matplotlib is not installed.
    """
    if kind and kind not in KINDS:
        raise ValueError(f"there is no chart {kind!r}: choose {', '.join(KINDS)}")
    for name in [kind] if kind else KINDS:
        if (fitting := KINDS[name](values)) is not None:
            break
    else:
        raise ValueError(
            f"these columns make no {kind or 'chart'}: a map needs coordinates (POINT, or lat and "
            "lon), lines dates and numbers, bars names and a number, a scatter two numbers"
        )
    try:
        from matplotlib.figure import Figure  # slow to import
    except ImportError as error:
        raise ConfigError(NO_CHARTS, fix=CHARTS) from error

    says, draw = fitting
    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    draw(axes)
    axes.set_title(_plain(title))
    return Chart(figure, f"{title or 'Chart'}: {says}")


def _rows(values: Values, *columns: str) -> list[tuple[Any, ...]]:
    """The rows that have a value in each of these columns."""
    rows = zip(*(values[column] for column in columns), strict=True)
    return [row for row in rows if None not in row]


def _of(values: Values, kind: type) -> list[str]:
    """The columns that hold only values of this kind."""
    filled = {name: [one for one in column if one is not None] for name, column in values.items()}
    return [
        name
        for name, some in filled.items()
        if some and all(isinstance(one, kind) and not isinstance(one, bool) for one in some)
    ]


def _plain(text: str) -> str:
    """Text as it is: a dollar sign begins a formula in matplotlib."""
    return text.replace("$", r"\$")


def _map(values: Values) -> tuple[str, Draw] | None:
    numbers = _of(values, Real)
    east, north = (
        next((name for name in numbers if name.lower() in names), "") for names in (_EAST, _NORTH)
    )
    texts = _of(values, str)
    points = next((name for name in texts if any(map(_POINT.match, values[name]))), "")
    if east and north:
        places = list(zip(values[east], values[north], strict=True))
    elif points:
        found = [_POINT.match(one or "") for one in values[points]]
        places = [(float(one[1]), float(one[2])) if one else (None, None) for one in found]
    else:
        return None
    label = next((name for name in texts if name != points), "")
    named = values[label] if label else [""] * len(places)
    marks = [(*place, name) for place, name in zip(places, named, strict=True) if None not in place]

    def draw(axes: Any) -> None:
        axes.scatter([x for x, _, _ in marks], [y for _, y, _ in marks], s=22)
        for x, y, name in marks[:MOST_NAMES]:
            axes.annotate(
                _plain(str(name or "")), (x, y), (4, 3), textcoords="offset points", size=7
            )
        axes.set(xlabel="longitude", ylabel="latitude")
        axes.set_aspect("equal", adjustable="datalim")
        axes.grid(alpha=0.3)

    return f"{len(marks):,} places on a map", draw


def _line(values: Values) -> tuple[str, Draw] | None:
    dates, numbers = _of(values, date), _of(values, Real)
    if not (dates and numbers):
        return None

    def draw(axes: Any) -> None:
        for name in numbers:
            rows = sorted(_rows(values, dates[0], name), key=lambda row: row[0].isoformat())
            axes.plot(*zip(*rows, strict=True), marker="o", markersize=3, label=_plain(name))
        axes.set_xlabel(_plain(dates[0]))
        axes.legend(frameon=False)

    return f"{', '.join(numbers)} by {dates[0]}", draw


def _bar(values: Values) -> tuple[str, Draw] | None:
    texts, numbers = _of(values, str), _of(values, Real)
    rows = _rows(values, texts[0], numbers[0]) if texts and numbers else []
    if not rows:
        return None
    shown = sorted(rows, key=lambda row: -row[1])[:MOST_BARS]
    left = f", the {MOST_BARS} largest of {len(rows):,}" if len(rows) > MOST_BARS else ""

    def draw(axes: Any) -> None:
        axes.figure.set_figheight(max(2.0, 0.24 * len(shown) + 1))
        axes.barh(range(len(shown)), [float(number) for _, number in shown])
        axes.set_yticks(range(len(shown)), [_plain(name[:40]) for name, _ in shown], size=8)
        axes.invert_yaxis()
        axes.set_xlabel(_plain(numbers[0]) + left)

    return f"{numbers[0]} by {texts[0]}{left}", draw


def _scatter(values: Values) -> tuple[str, Draw] | None:
    numbers = _of(values, Real)
    if len(numbers) < 2:
        return None

    def draw(axes: Any) -> None:
        axes.scatter(*zip(*_rows(values, *numbers[:2]), strict=True), s=18)
        axes.set(xlabel=_plain(numbers[0]), ylabel=_plain(numbers[1]))

    return f"{numbers[1]} by {numbers[0]}", draw


def _histogram(values: Values) -> tuple[str, Draw] | None:
    numbers = _of(values, Real)
    if not numbers:
        return None

    def draw(axes: Any) -> None:
        axes.hist([float(number) for (number,) in _rows(values, numbers[0])], bins="auto")
        axes.set(xlabel=_plain(numbers[0]), ylabel="rows")

    return f"how often {numbers[0]} takes which value", draw


KINDS: Mapping[str, Callable[[Values], tuple[str, Draw] | None]] = {
    "map": _map,
    "line": _line,
    "bar": _bar,
    "scatter": _scatter,
    "histogram": _histogram,
}
