from pathlib import Path

from kgnb.run import Run
from tests.magics.conftest import Notebook


def test_runs_of_the_notebook_are_listed_shown_and_compared(notebook: Notebook) -> None:
    assert "nothing has run yet" in str(notebook("%run_view").error)
    notebook.good("%om start alpine.ttl refuge.ttl")
    notebook.good("%om run --judge rule")
    notebook.good("%om run --judge rule --k 2")
    listed = notebook.good("%run_view --list").value.df()
    assert listed["agent"].tolist() == ["ontology_matching"] * 2 and listed["calls"].tolist() == [
        0,
        0,
    ]
    assert isinstance(notebook.good("%run_view 1").value, Run)
    rows = notebook.good("%run_view 1 --compare 2").value.df()
    assert ["parameter", "k"] in rows[["what", "name"]].values.tolist()
    assert "there is no run 9" in str(notebook("%run_view 9").error)


def test_a_saved_run_is_shown_from_its_folder(notebook: Notebook, folder: Path) -> None:
    with Run("ontology_matching", folder=folder / "saved" / "run") as run:
        run.do(len, "abc")
    assert notebook.good("%run_view saved").value.id == run.id
    assert "no run can be read" in str(notebook("%run_view nowhere").error)
    assert "examples:" in notebook.good("%run_view --help").printed
