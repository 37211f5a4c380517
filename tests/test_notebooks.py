"""Every notebook we ship runs from top to bottom, in a kernel of its own, as nbval sees it."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
SHIPPED = sorted(NOTEBOOKS.glob("*.ipynb"))  # the tutorials are run by test_tutorials.py


@pytest.mark.slow
@pytest.mark.parametrize("notebook", SHIPPED, ids=lambda path: path.name)
def test_runs_from_top_to_bottom(notebook: Path, tmp_path: Path) -> None:
    # lax: an error fails a cell; outputs are compared where a cell says NBVAL_CHECK_OUTPUT
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--nbval-lax",
        "-q",
        "-p",
        "no:randomly",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [*command, "--rootdir", str(tmp_path), str(notebook)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-4000:]


@pytest.mark.parametrize("notebook", sorted(NOTEBOOKS.rglob("*.ipynb")), ids=lambda path: path.name)
def test_is_committed_small_and_without_a_trace_of_who_ran_it(notebook: Path) -> None:
    content = nbformat.read(notebook, as_version=4)
    nbformat.validate(content)
    assert notebook.stat().st_size < 200_000
    assert "widgets" not in content.metadata and "papermill" not in content.metadata
    assert "/home/" not in notebook.read_text() and "/root/" not in notebook.read_text()
