from pathlib import Path

import nbformat
import pytest

from tests.magics.conftest import Notebook


def test_reports_are_listed_and_their_parameters_told(notebook: Notebook) -> None:
    names = notebook.good("%report").value.df()["name"].tolist()
    assert {
        "ontology-matching",
        "question-answering",
        "entity-alignment",
        "kg-construction",
    } <= set(names)
    assert "-p dataset=huts" in notebook.good("%report ontology-matching --help").printed
    assert "%report ontology-matching dataset=huts" in notebook.good("%report --help").printed
    assert "there is no report 'huts'" in str(notebook("%report huts").error)


@pytest.mark.slow
def test_a_report_is_run_with_the_parameters_of_the_line(notebook: Notebook, folder: Path) -> None:
    cells = [
        nbformat.v4.new_code_cell(
            "k: int = 2  # how many [1, 9]", metadata={"tags": ["parameters"]}
        ),
        nbformat.v4.new_code_cell(
            "import json\nfrom kgnb.reporting.session import current\n"
            "(current().folder / 'metrics.json').write_text(json.dumps({'k': k}))"
        ),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "small.ipynb")
    table = notebook.good("%report small.ipynb k=7 --out out").value.df().set_index("what")["value"]
    assert float(table["k"]) == 7 and Path(table["page"]).is_file()
    assert "k: 'x' is not allowed" in str(notebook("%report small.ipynb k=x").error).replace(
        "parameter ", ""
    )
