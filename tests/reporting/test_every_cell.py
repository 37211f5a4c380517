"""Every figure of every table of every report: a value, or the reason why there is none."""

from importlib import import_module
from pathlib import Path
from typing import Any

import nbformat
import pytest

from kgnb.reporting.figures import Figure, FigureRow
from kgnb.reporting.report import find_template
from kgnb.reporting.session import ReportSession, begin, current, read_metrics
from kgnb.results.cells import NoFigure
from kgnb.results.table import Table
from kgnb.settings import Settings
from tests.reporting.calling import arguments
from tests.reporting.test_useless_judges import every_figure

NOTE = "Lentil stew\n\nHut: Refuge de l'Ambre\nServes 4\n\n- 300 g lentils\n\n1. Simmer for 20 minutes.\n"
RUNS: dict[str, tuple[str, str, dict[str, object]]] = {
    "matching, measured": ("ontology-matching", "run_cases", {"judge": "rule"}),
    "matching, without a reference": (
        "ontology-matching",
        "run_cases",
        {"source": "huts:alpine", "target": "huts:refuge", "judge": "rule"},
    ),
    "questions": ("question-answering", "run_questions", {"judge": "rule"}),
    "alignment": ("entity-alignment", "run_pair", {"judge": "rule"}),
    "alignment, without a reference": (
        "entity-alignment",
        "run_pair",
        {"source": "huts:hollenmark", "target": "huts:corvane", "judge": "rule"},
    ),
    "construction, without a reference": (
        "kg-construction",
        "run_report",
        {"judge": "rule", "tbox": "huts:dairy"},
    ),
    "construction": ("kg-construction", "run_report", {"judge": "rule", "papers": True}),
}


def blank(table: Table) -> list[str]:
    """The columns of numbers with a cell that holds neither a figure nor a reason."""
    numeric = [at for at, column in enumerate(table.columns) if column.right]
    return [
        f"{table.caption}: {table.columns[at].title}, row {row[0]!r}"
        for row in table.rows
        for at in numeric
        if row[at] is None or (isinstance(row[at], str) and not str(row[at]).strip())
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_no_cell_of_a_report_is_blank_without_a_reason(name: str, tmp_path: Path) -> None:
    report, function, given = RUNS[name]
    if report == "kg-construction":
        (tmp_path / "note.txt").write_text(NOTE)
        given = given | {"documents": str(tmp_path / "note.txt")}
    session = ReportSession(tmp_path, Settings(embedder="characters", cache=tmp_path / "cache"))
    begin(session)
    template = find_template(report)
    notebook = nbformat.read(template.path, as_version=4)
    values = arguments(template.parameters, given)
    module: Any = import_module(f"kgnb.reporting.{report.replace('-', '_')}")
    results = getattr(module, function)(**values)
    known = {"report": module, "results": results, "current": current}
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"][2:]
    tables = [shown for source in cells if isinstance(shown := eval(source, known), Table)]
    assert len(tables) > 3
    assert [said for table in tables for said in blank(table)] == []
    assert all(
        str(value)
        for table in tables
        for row in table.rows
        for value in row
        if isinstance(value, NoFigure)
    )
    module.save(results, session)
    every_figure(read_metrics(tmp_path))


def test_a_bare_number_is_no_figure_of_a_headline() -> None:
    bare: Any = {"f1": 0.9}
    with pytest.raises(TypeError, match="f1: a number alone"):
        FigureRow("kgnb", "this pair", bare)
    with pytest.raises(ValueError, match="where it comes from"):
        Figure(0.9)
    with pytest.raises(ValueError, match="why there is none"):
        Figure(None)
