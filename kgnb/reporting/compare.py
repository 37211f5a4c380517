"""What the report ``compare`` computes and draws."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence
from pathlib import Path

from kgnb.errors import DataError
from kgnb.files import write_json, write_whole
from kgnb.reporting.comparing import Compared, Row, compare_reports
from kgnb.reporting.parameters import Value as Given
from kgnb.reporting.parameters import assignments, typed
from kgnb.reporting.plot import Axes, Plot, Theme
from kgnb.reporting.report import REPORTS, find_template
from kgnb.reporting.sections import Words, absent
from kgnb.reporting.session import (
    Figure,
    ReportRequest,
    ReportSession,
    headline_figures,
    marks,
    read_ledger,
    read_metrics,
    read_request,
)
from kgnb.results.table import Column, Table, Value
from kgnb.run import Run

STYLES = Path(__file__).parent / "template" / "report.css"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def document(title: str, body: str) -> str:
    """A whole page; ``body`` is HTML already, the title is escaped here."""
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
    """A table; the cells are HTML already, the names are escaped here. Columns of ``numbers`` are flush right."""
    styles = [' style="text-align: right"' if at in numbers else "" for at in range(len(names))]
    head = "".join(f"<th{style}>{html.escape(name)}</th>" for name, style in zip(names, styles, strict=True))
    cells = (zip(row, styles, strict=True) for row in rows)
    body = "".join(f"<tr>{''.join(f'<td{style}>{cell}</td>' for cell, style in row)}</tr>\n" for row in cells)
    return f'<div class="output"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>'


def write_index(folder: Path) -> Path:
    """Write the index of all reports below a folder; one that cannot be read is listed as such."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for cells in sorted(folder.rglob("cells.json")):
        home = cells.parent
        if "items" not in home.relative_to(folder).parts:  # a sweep's items are in its comparison
            rows.append(_row(home, folder))
    sweeps = [
        [html.escape(page.parent.name), f'<a href="{_link(page, folder)}">comparison</a>']
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


def _row(home: Path, folder: Path) -> list[str]:
    request = read_request(home)
    try:
        ledger = read_ledger(home)
        state: str = ledger.state if ledger else "not run"
    except (ValueError, KeyError, TypeError):
        state = "cannot be read"
    metrics = read_metrics(home)
    figures = ", ".join(f"{name} {value:g}" for name, value in list(headline_figures(metrics).items())[:5])
    notes = "; ".join(marks(metrics))
    page = home / "report.html"
    link = f'<a href="{_link(page, folder)}">open</a>' if page.is_file() else ""
    name = Path(request.report).stem if request else home.parent.name
    said = "done" if state == "ran" else state
    return [html.escape(name), _changed(request), html.escape(said), html.escape(f"{figures} {notes}".strip()), link]


def _changed(request: ReportRequest | None) -> str:
    if request is None:
        return ""
    try:
        defaults = {entry.name: entry.default for entry in find_template(request.report).parameters}
    except (ValueError, KeyError, OSError):
        defaults = {}
    changed = {name: value for name, value in request.values.items() if value != defaults.get(name, "")}
    return f"<code>{html.escape(' '.join(assignments(changed)))}</code>" if changed else ""


def _link(page: Path, folder: Path) -> str:
    return html.escape(page.relative_to(folder).as_posix(), quote=True)


MOST = 40  # bars


def comparison_page(compared: Compared, title: str, again: str = "") -> str:
    """The comparison as one HTML file without network or script; ``again`` is what it was made from."""
    done = [row for row in compared.rows if row.state == "done"]
    parts = [f"<p>{_summary(compared, done)}</p>"]
    if len(done) < len(compared.rows):
        counts = ", ".join(f"{count} {state}" for state, count in compared.states.items() if state != "done")
        parts.append(f'<p class="alarm"><strong>This comparison is partial</strong>: {counts}.</p>')
    if compared.rows:
        parts.append(comparison_table(compared))
    if plot := cost_against_quality(compared):
        parts.append(str(plot._repr_mimebundle_()["text/html"]))
    parts += [_failed(compared), _same(compared)]
    if again:
        parts.append(f"<h2>How to run it again</h2><pre>{html.escape(again)}</pre>")
    return document(title, "".join(parts))


def write_comparison(folder: Path, compared: Compared, title: str, again: str = "") -> tuple[Path, Path]:
    """Write ``comparison.html`` and ``comparison.json`` into the folder and say where; ``again`` is put on the page."""
    page, data = folder / "comparison.html", folder / "comparison.json"
    write_json(data, compared.to_json())
    write_whole(page, comparison_page(compared, title, again))
    return page, data


def comparison_table(compared: Compared) -> str:
    """The rows as an HTML table, best first; the best of each figure is bold (none of them is better small)."""
    best = {
        name: max((row.figures[name] for row in compared.rows if name in row.figures), default=None)
        for name in compared.columns
    }
    noted = any(row.notes for row in compared.rows)
    names = [*compared.varied, "state", *compared.columns, *compared.cost_columns, *["note"] * noted, "page"]
    rows = []
    for row in compared.ranked:
        figures = [_figure(row.figures.get(name), best[name], len(compared.rows)) for name in compared.columns]
        paid = [f"{row.cost[name]:,}" if name in row.cost else "-" for name in compared.cost_columns]
        note = [html.escape("; ".join(row.notes))] * noted
        link = f'<a href="{html.escape(row.page, quote=True)}">open</a>' if row.page else ""
        rows.append([*_told(compared, row), html.escape(row.state), *figures, *paid, *note, link])
    numbers = range(len(compared.varied) + 1, len(names) - 1 - noted)
    return table(names, rows, numbers)


def cost_against_quality(compared: Compared) -> Plot | None:
    """The main figure over what it took; a bar each where nothing was paid; None where there is nothing to compare."""
    main = compared.main
    rows = [row for row in compared.ranked if main in row.figures]
    if not main or len(rows) < 2:
        return None
    names = [label(compared, row) for row in rows]
    values = [float(row.figures[main]) for row in rows]
    cost = next((name for name in ("tokens", "calls") if len({row.cost.get(name) for row in rows}) > 1), "")
    if cost and all(cost in row.cost for row in rows):
        return _over_cost(names, [float(row.cost[cost]) for row in rows], values, cost, main)
    return _bars(names[:MOST], values[:MOST], main, len(names))


def label(compared: Compared, row: Row) -> str:
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
    """The points that none beats at lower cost, cheapest first."""
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
    told = ", ".join(f"{name} {value:g}" for name, value in zip(names, values, strict=True))
    return Plot(draw, f"{main}, best first.{first}", f"Bars of {main}: {told}.", size=(7.2, 0.8 + 0.26 * len(names)))


def _summary(compared: Compared, done: Sequence[Row]) -> str:
    said = f"{len(done)} of {len(compared.rows)} reports are done."
    best = next((row for row in compared.ranked if compared.main in row.figures), None)
    if best is None or len(done) < 2:
        return said
    shown = _figure(best.figures[compared.main], None, 0)
    what = html.escape(label(compared, best))
    return (
        f"{said} Best {html.escape(compared.main)}: <strong>{shown}</strong> with <code>{what}</code>. Best are bold."
    )


def _failed(compared: Compared) -> str:
    rows = [
        [*_told(compared, row), html.escape(row.state), html.escape(row.error)] for row in compared.rows if row.error
    ]
    return "<h2>Failed</h2>" + table([*compared.varied, "state", "why"], rows) if rows else ""


def _same(compared: Compared) -> str:
    rows = [[html.escape(name), _code(value)] for name, value in compared.fixed.items() if value not in ("", None)]
    return "<h2>The same in all</h2>" + table(["parameter", "value"], rows) if rows else ""


def _told(compared: Compared, row: Row) -> list[str]:
    return [_code(row.parameters.get(name, "")) for name in compared.varied]


def _code(value: Given) -> str:
    return f"<code>{html.escape(typed(value))}</code>" if typed(value) else ""


def _figure(value: Figure | None, best: Figure | None, rows: int) -> str:
    if value is None:
        return "-"
    shown = plain_figure(value)
    return f"<strong>{shown}</strong>" if value == best and rows > 1 else shown


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
    return compare_reports(named)


def save(compared: Compared, session: ReportSession) -> None:
    """Write ``metrics.json``: the comparison as data."""
    write_json(session.folder / "metrics.json", {"report": "compare", "compared": compared.to_json()})


def shown(compared: Compared) -> Table:
    """A row a report, best first, with the folder it is in."""
    names = [*compared.varied, "folder", "state"]
    numbers = [*compared.columns, *compared.cost_columns]
    columns = [Column(f"p{at}", name) for at, name in enumerate(names)]
    columns += [Column(f"n{at}", name, "number") for at, name in enumerate(numbers)]
    rows: list[list[Value]] = []
    for row in compared.ranked:
        told = [typed(row.parameters.get(name, "")) for name in compared.varied]
        figures: dict[str, Value] = {**row.cost, **{name: plain_figure(value) for name, value in row.figures.items()}}
        rows.append([*told, Path(row.page).parent.name, row.state, *(figures.get(name) for name in numbers)])
    notes = [
        *_best(compared),
        *(f"{Path(row.page).parent.name}: {note}" for row in compared.rows for note in row.notes),
    ]
    return Table(columns, rows, caption="Parameters against headline figures and costs, best first", notes=notes)


def cost(compared: Compared) -> Plot | None:
    """The main figure against what it cost; nothing where there is nothing to compare."""
    return cost_against_quality(compared)


def failed(compared: Compared) -> Table | Words:
    """The reports that did not run to their end, and why."""
    rows: list[list[Value]] = [
        [Path(row.page).parent.name, row.state, row.error] for row in compared.rows if row.state != "done"
    ]
    if not rows:
        return absent("All of them ran to their end.")
    return Table([Column("folder", "folder"), Column("state", "state"), Column("why", "why")], rows)


def _best(compared: Compared) -> list[str]:
    """Which report is best in each figure, where not all are alike."""
    found = []
    for name in compared.columns:
        values = {row.figures[name] for row in compared.rows if name in row.figures}
        if len(values) > 1:
            folders = [Path(row.page).parent.name for row in compared.rows if row.figures.get(name) == max(values)]
            found.append(f"best {name}: {max(values):,} ({', '.join(folders)})")
    return found


def fixed(compared: Compared) -> Table:
    """The parameters that are the same in all."""
    rows: list[list[Value]] = [
        list(word.partition("=")[::2]) for word in assignments(compared.fixed) if word[-1] != "="
    ]
    return Table([Column("name", "parameter"), Column("value", "value")], rows)


def changes(folders: str) -> Table | Words:
    """What two runs counted and judged differently; a word on it unless two reports with runs are named."""
    named = _named(folders)
    rows: list[list[Value]] = []
    if len(named) == 2 and all((folder / "run").is_dir() for folder in named):
        first, second = map(Run.load, named)
        for what, which, before, after in first.compare(second).rows():
            if "seconds" not in which:  # times never repeat
                rows.append([f"{what} {which}".strip(), f"{before} -> {after}"])
    if not rows:
        return absent("Name two reports, and no more, to see what changed between their runs.")
    return Table([Column("what", "what"), Column("how", "before -> after")], rows)


def _named(folders: str) -> list[Path]:
    return [Path(name.strip()) for name in folders.split(",") if name.strip()]
