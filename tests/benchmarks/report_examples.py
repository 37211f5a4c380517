"""The example pages in ``reports/examples``: one a report, on our own data, without a model.

``python -m tests.benchmarks.report_examples [NAME ...]`` (``make examples``) runs the reports and
writes their pages, without times. A page is cut to ``MOST`` bytes: its last sections are left out,
and named at its end; ``kgnb report NAME`` makes the whole one.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat

from kgnb.datasets.fetch import digest
from kgnb.files import write_whole
from kgnb.reporting.html import TIMES, byline_of, page
from kgnb.reporting.parameters import check
from kgnb.reporting.report import data_files, find_template, run_report
from kgnb.reporting.session import read_ledger
from kgnb.settings import Settings

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "reports" / "examples"
MOST = 150_000
GIVEN: dict[str, dict[str, object]] = {
    "ontology-matching": {"judge": "rule"},
    "question-answering": {"judge": "rule"},
    "entity-alignment": {"judge": "rule"},
    "kg-construction": {"judge": "rule"},
}
KEPT = ("headline", "extraction", "cost", "how to run this again")


def sections(notebook: Any) -> list[list[Any]]:
    """The cells of a notebook, section by section; the first is what stands before any heading."""
    found: list[list[Any]] = [[]]
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            found.append([])
        found[-1].append(cell)
    return found


def title_of(section: list[Any]) -> str:
    """A section's heading."""
    return str(section[0].source.partition("\n")[0].removeprefix("## "))


def write_example(name: str, settings: Settings) -> Path:
    """Run one report and write its page; returns the page."""
    template = find_template(name)
    values = check(template.parameters, GIVEN[name])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / name
        run_report(name, GIVEN[name], folder, settings)
        notebook = nbformat.read(folder / "report.ipynb", as_version=4)
        ledger = read_ledger(folder)
        assert ledger is not None
        names = [label for label, file in data_files(values, settings).items() if digest(file)]
        byline = byline_of(names, _day(), "")
        parts, dropped = sections(notebook), list[str]()
        command = f"kgnb report {name} " + " ".join(
            f"-p {key}={str(value).lower()}" for key, value in GIVEN[name].items()
        )
        while True:
            words = f"An example, made by `{command}`."
            if dropped:
                words += f" The whole page also has: {', '.join(dropped)}."
            note = nbformat.v4.new_markdown_cell(words, id="example")
            notebook.cells = [cell for part in parts for cell in part] + [note]
            cut = Path(place) / "cut.ipynb"
            nbformat.write(notebook, cut)
            html = TIMES.sub("", page(cut, template.title, ledger, "", byline))
            if len(html.encode()) <= MOST or len(parts) < 3:
                return write_whole(FOLDER / f"{name}.html", html)
            largest = max(
                parts[2:], key=lambda part: (title_of(part).lower() not in KEPT, len(str(part)))
            )
            parts.remove(largest)
            dropped.append(title_of(largest))


def _day() -> Any:
    from datetime import date

    return date(2000, 1, 1)  # stands in a block of times, which is taken out


def main(names: list[str]) -> None:
    """Write the pages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names or GIVEN:
        path = write_example(name, Settings(embedder="characters"))
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
