"""What the report ``compare`` computes and draws."""

from __future__ import annotations

from pathlib import Path

from kgnb.errors import DataError
from kgnb.files import write_json
from kgnb.reporting.comparing import Compared, compare_reports, load_run
from kgnb.reporting.comparison_page import cost_against_quality, plain_figure
from kgnb.reporting.parameters import assignments
from kgnb.reporting.plot import Plot
from kgnb.reporting.report import REPORTS
from kgnb.reporting.sections import Words
from kgnb.reporting.session import ReportSession
from kgnb.results.table import Column, Table, Value


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
        told = [assignments({"": row.parameters.get(name, "")})[0][1:] for name in compared.varied]
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
        return Words(("All of them ran to their end.",), off=True)
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
        first, second = (load_run(folder) for folder in named)
        for line in str(first.compare(second)).splitlines():
            if "seconds" not in line:  # times never repeat
                what, _, how = line.partition(": ")
                rows.append([what, how])
    if not rows:
        return Words(("Name two reports, and no more, to see what changed between their runs.",), off=True)
    return Table([Column("what", "what"), Column("how", "before -> after")], rows)


def _named(folders: str) -> list[Path]:
    return [Path(name.strip()) for name in folders.split(",") if name.strip()]
