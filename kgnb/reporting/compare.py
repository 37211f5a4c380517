"""Pages that list and compare reports: the index, the comparison page, and what the report ``compare`` shows."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence
from pathlib import Path

from kgnb.errors import DataError
from kgnb.files import write_json, write_whole
from kgnb.reporting.comparing import Compared, Row, compare_reports, text_of
from kgnb.reporting.parameters import Value as Given
from kgnb.reporting.parameters import assignments, typed
from kgnb.reporting.plot import Axes, Plot, Theme
from kgnb.reporting.report import REPORTS, find_template
from kgnb.reporting.sections import Fragment, Words, absent
from kgnb.reporting.session import (
    Figure,
    ReportRequest,
    ReportSession,
    current,
    headline_figures,
    marks,
    read_ledger,
    read_metrics,
    read_request,
)
from kgnb.results.table import Table, Value, texts
from kgnb.run import Run

STYLES = Path(__file__).parent / "template" / "report.css"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def document(title: str, body: str) -> str:
    """A whole page; ``body`` is HTML, the title is escaped here."""
    styles = STYLES.read_text(encoding="utf-8")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)}</title>
<style>{styles}</style>
</head>
<body>
<main>
<h1>{html.escape(title)}</h1>
{body}
</main>
</body>
</html>
"""


def table(names: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[int] = ()) -> str:
    """A table; the cells are HTML, the names are escaped here. The columns at ``numbers`` are aligned right."""
    styles = [' style="text-align: right"' if at in numbers else "" for at in range(len(names))]
    head = "".join(f"<th{style}>{html.escape(name)}</th>" for name, style in zip(names, styles, strict=True))
    cells = (zip(row, styles, strict=True) for row in rows)
    body = "".join(f"<tr>{''.join(f'<td{style}>{cell}</td>' for cell, style in row)}</tr>\n" for row in cells)
    return f'<div class="output"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>'


def write_index(folder: Path) -> Path:
    """Write the index of all reports below a folder; one that cannot be read is listed as such."""
    folder.mkdir(parents=True, exist_ok=True)
    homes = [cells.parent for cells in sorted(folder.rglob("cells.json"))]
    rows = [_listed(home, folder) for home in homes if "items" not in home.relative_to(folder).parts]  # not of sweeps
    sweeps = [
        [html.escape(page.parent.name), _link(page.relative_to(folder).as_posix(), "comparison")]
        for page in sorted(folder.rglob("comparison.html"))
    ]
    note = "<p>Scores in percent, an MRR between 0 and 1; each page says what its figures cover and stand beside.</p>"
    body = note + table(["report", "what is not at its default", "state", "headline", ""], rows)
    if not rows:
        body = "<p>There is no report yet: <code>kgnb report</code> lists those one can run.</p>"
    if sweeps:
        body += "<h2>Sweeps and comparisons</h2>" + table(["sweep", ""], sweeps)
    write_whole(folder / "index.html", document("Reports", body))
    return folder / "index.html"


def _listed(home: Path, folder: Path) -> list[str]:
    request, ledger, metrics = read_request(home), read_ledger(home), read_metrics(home)
    state = "cannot be read" if ledger is None else "done" if ledger.state == "ran" else ledger.state
    figures = ", ".join(f"{name} {value:g}" for name, value in list(headline_figures(metrics).items())[:5])
    page = home / "report.html"
    link = _link(page.relative_to(folder).as_posix(), "open") if page.is_file() else ""
    name = Path(request.report).stem if request else home.parent.name
    headline = html.escape(f"{figures} {'; '.join(marks(metrics))}".strip())
    return [html.escape(name), _changed(request), html.escape(state), headline, link]


def _changed(request: ReportRequest | None) -> str:
    if request is None:
        return ""
    try:
        defaults = {entry.name: entry.default for entry in find_template(request.report).parameters}
    except (ValueError, DataError):  # a notebook that is gone or broken
        defaults = {}
    changed = {name: value for name, value in request.values.items() if value != defaults.get(name, "")}
    return f"<code>{html.escape(' '.join(assignments(changed)))}</code>" if changed else ""


def _link(page: str, label: str) -> str:
    return f'<a href="{html.escape(page, quote=True)}">{label}</a>' if page else ""


MOST = 40  # bars


def comparison_page(compared: Compared, title: str, again: str = "") -> str:
    """The comparison as one HTML file without network or script; ``again`` says how to repeat it."""
    parts = [f"<p>{_summary(compared)}</p>"]
    if set(compared.states) - {"done"}:
        counts = ", ".join(f"{count} {state}" for state, count in compared.states.items() if state != "done")
        parts.append(f'<p class="alarm"><strong>This comparison is partial</strong>: {counts}.</p>')
    if compared.rows:
        parts.append(comparison_table(compared))
    if plot := cost_against_quality(compared):
        parts.append(str(plot._repr_mimebundle_()["text/html"]))
    for heading, rows in (("Failed", _failed(compared)), ("The same in all", _fixed(compared))):
        parts.append(f"<h2>{heading}</h2>{rows}" if rows else "")
    if again:
        parts.append(f"<h2>How to run it again</h2><pre>{html.escape(again)}</pre>")
    return document(title, "".join(parts))


def write_comparison(folder: Path, compared: Compared, title: str, again: str = "") -> tuple[Path, Path]:
    """Write ``comparison.html`` and ``comparison.json`` into the folder; returns their paths."""
    page, data = folder / "comparison.html", folder / "comparison.json"
    write_json(data, compared.to_json())
    write_whole(page, comparison_page(compared, title, again))
    return page, data


def comparison_table(compared: Compared) -> str:
    """The rows as an HTML table, best first; the best of each figure is bold."""
    best = {
        name: max(row.figures[name] for row in compared.rows if name in row.figures)
        for name in compared.columns
        if len(compared.rows) > 1
    }
    noted = any(row.notes for row in compared.rows)
    names = [*compared.varied, "state", *compared.columns, *compared.cost_columns, *["note"] * noted, "page"]
    rows = []
    for row in compared.ranked:
        figures = {name: plain_figure(value) for name, value in row.figures.items()}
        figures |= {
            name: f"<strong>{shown}</strong>" for name, shown in figures.items() if row.figures[name] == best.get(name)
        }
        shown = [figures.get(name, "-") for name in compared.columns]
        shown += [f"{row.cost[name]:,}" if name in row.cost else "-" for name in compared.cost_columns]
        note = [html.escape("; ".join(row.notes))] * noted
        rows.append([*_apart(compared, row), html.escape(row.state), *shown, *note, _link(row.page, "open")])
    return table(names, rows, range(len(compared.varied) + 1, len(names) - 1 - noted))


def cost_against_quality(compared: Compared) -> Plot | None:
    """The main figure over its cost, or bars where nothing was paid; None where there is nothing to compare."""
    main = compared.main
    rows = [row for row in compared.ranked if main in row.figures]
    if not main or len(rows) < 2:
        return None
    names = [_label(row) for row in rows]
    values = [float(row.figures[main]) for row in rows]
    cost = next((name for name in ("tokens", "calls") if len({row.cost.get(name) for row in rows}) > 1), "")
    if cost and all(cost in row.cost for row in rows):
        return _over_cost(names, [float(row.cost[cost]) for row in rows], values, cost, main)
    return _bars(names[:MOST], values[:MOST], main, len(names))


def _label(row: Row) -> str:
    """What sets a row apart, as one would type it, shortened for a plot."""
    words = " ".join(assignments({name: value for name, value in row.parameters.items() if value}))
    return words if len(words) <= 48 else words[:47] + "…"


def _over_cost(names: Sequence[str], costs: Sequence[float], values: Sequence[float], cost: str, main: str) -> Plot:
    front = _front(costs, values)

    def draw(axes: Axes, theme: Theme) -> None:
        axes.plot([costs[at] for at in front], [values[at] for at in front], "--", color=theme.line, zorder=1)
        axes.scatter(costs, values, color=theme.series[0], s=28, zorder=3, clip_on=False)
        for at in front:
            axes.annotate(names[at], (costs[at], values[at]), (4, 4), textcoords="offset points",
                          fontsize=7, color=theme.soft)  # fmt: skip
        axes.margins(x=0.15, y=0.15)
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlabel(cost)
        axes.set_ylabel(main)
        axes.grid()
        axes.set_axisbelow(True)

    cheapest = ", ".join(f"{names[at]}: {main} {values[at]:g} for {costs[at]:,.0f} {cost}" for at in front)
    caption = f"{main} against {cost}. Nothing that costs less is as good as those on the dashed line, which are named."
    return Plot(
        draw, caption, f"{main} against {cost} of {len(names)} reports. Nothing cheaper is as good as {cheapest}."
    )


def _front(costs: Sequence[float], values: Sequence[float]) -> list[int]:
    """The points that no cheaper point equals (the Pareto front), cheapest first."""
    found: list[int] = []
    for at in sorted(range(len(costs)), key=lambda at: (costs[at], -values[at], at)):
        if not found or values[at] > values[found[-1]]:
            found.append(at)
    return found


def _bars(names: Sequence[str], values: Sequence[float], main: str, number: int) -> Plot:
    def draw(axes: Axes, theme: Theme) -> None:
        places = range(len(names) - 1, -1, -1)
        drawn = axes.barh(places, values, 0.7, color=theme.series[0])
        axes.bar_label(drawn, [f"{value:g}" for value in values], padding=3, fontsize=7, color=theme.soft)
        axes.set_yticks(places, names)
        axes.tick_params(axis="y", length=0)
        axes.margins(x=0.1)
        axes.set_xlabel(main)
        axes.grid(axis="x")
        axes.set_axisbelow(True)

    first = f" The best {len(names)} of {number}." if len(names) < number else ""
    alt = ", ".join(f"{name} {value:g}" for name, value in zip(names, values, strict=True))
    return Plot(draw, f"{main}, best first.{first}", f"Bars of {main}: {alt}.", size=(7.2, 0.8 + 0.26 * len(names)))


def _summary(compared: Compared) -> str:
    done = compared.states.get("done", 0)
    words = f"{done} of {len(compared.rows)} reports are done."
    best = next((row for row in compared.ranked if compared.main in row.figures), None)
    if best is None or done < 2:
        return words
    shown, what = plain_figure(best.figures[compared.main]), html.escape(_label(best))
    main = html.escape(compared.main)
    return f"{words} Best {main}: <strong>{shown}</strong> with <code>{what}</code>. Best are bold."


def _failed(compared: Compared) -> str:
    rows = [
        [*_apart(compared, row), html.escape(row.state), html.escape(row.error), _link(row.page, "open")]
        for row in compared.rows
        if row.error
    ]
    return table([*compared.varied, "state", "why", "page"], rows) if rows else ""


def _fixed(compared: Compared) -> str:
    rows = [[html.escape(name), _code(value)] for name, value in compared.fixed.items() if value not in ("", None)]
    return table(["parameter", "value"], rows) if rows else ""


def _apart(compared: Compared, row: Row) -> list[str]:
    return [_code(row.parameters.get(name, "")) for name in compared.varied]


def _code(value: Given) -> str:
    return f"<code>{html.escape(typed(value))}</code>" if typed(value) else ""


def plain_figure(value: Figure) -> str:
    """A figure as one reads it: whole, in percent, or (an MRR) below one.

    >>> plain_figure(1200), plain_figure(92.34), plain_figure(0.875)
    ('1,200', '92.3', '0.875')
    """
    return f"{value:,}" if isinstance(value, int) else f"{value:.1f}" if abs(value) > 1 else f"{value:.3f}"


def compare_named(folders: str) -> Compared:
    """The reports in these folders, separated by commas; all below ``reports/`` if none is named."""
    named = _named(folders) or [
        path.parent
        for path in sorted(REPORTS.rglob("cells.json"))
        if "compare" not in path.parts and "items" not in path.parts
    ]
    if not named:
        raise DataError("there is no report to compare", where=str(REPORTS), fix="kgnb report compare -p folders=A,B")
    return compare_reports(named, current().folder)


def save(compared: Compared, session: ReportSession) -> None:
    """Write ``metrics.json``: the comparison as data."""
    write_json(session.folder / "metrics.json", {"report": "compare", "compared": compared.to_json()})


def shown(compared: Compared) -> Fragment:
    """A row a report, best first."""
    return Fragment(comparison_table(compared), text_of(compared))


def failed(compared: Compared) -> Fragment | Words:
    """The reports that did not run to their end, and why."""
    errors = "\n".join(f"{row.page}: {row.state} {row.error}" for row in compared.rows if row.error)
    return Fragment(_failed(compared), errors) if errors else absent("All of them ran to their end.")


def fixed(compared: Compared) -> Fragment:
    """The parameters that are the same in all."""
    return Fragment(_fixed(compared), "\n".join(assignments(compared.fixed)))


def changes(folders: str) -> Table | Words:
    """What two runs counted and judged differently, where exactly two reports with runs are named."""
    named = _named(folders)
    rows: list[list[Value]] = []
    if len(named) == 2 and all((folder / "run").is_dir() for folder in named):
        first, second = map(Run.load, named)
        for what, which, before, after in first.compare(second).rows():
            if "seconds" not in which:  # times never repeat
                rows.append([f"{what} {which}".strip(), f"{before} -> {after}"])
    if not rows:
        return absent("Name two reports, and no more, to see what changed between their runs.")
    return Table(texts(what="what", how="before -> after"), rows)


def _named(folders: str) -> list[Path]:
    return [Path(name.strip()) for name in folders.split(",") if name.strip()]
