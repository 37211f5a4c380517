"""Every tutorial: its checks fail until the learner has filled something in, and pass on the worked solution."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

TUTORIALS = Path(__file__).parent.parent / "notebooks" / "tutorials"
STEMS = sorted(path.stem for path in (TUTORIALS / "sources").glob("*.md"))


def builder() -> Any:
    spec = importlib.util.spec_from_file_location("build_tutorials", TUTORIALS / "build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclass looks itself up there
    spec.loader.exec_module(module)
    return module


def run(path: Path, folder: Path) -> list[tuple[list[str], str]]:
    """Each code cell's tags, and the name of the error it ended with."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, allow_errors=True, resources={"metadata": {"path": str(folder)}}).execute()
    return [
        (cell.metadata.get("tags", []), next((o.ename for o in cell.outputs if o.output_type == "error"), ""))
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_there_are_eight_and_the_notebooks_are_made_from_their_sources() -> None:
    assert len(STEMS) == 8
    for path, text in builder().made().items():
        assert path.read_text(encoding="utf-8") == text, f"run python notebooks/tutorials/build.py: {path.name}"


@pytest.mark.parametrize("stem", STEMS)
def test_a_tutorial_says_what_it_is_for_and_has_something_to_do(stem: str) -> None:
    source = (TUTORIALS / "sources" / f"{stem}.md").read_text(encoding="utf-8")
    kinds = [block.kind for block in builder().blocks(source)]
    assert "**Goals.**" in source and " minutes" in source and "## What you saw" in source
    assert kinds.count("exercise") == kinds.count("solution") == kinds.count("check") >= 3
    assert kinds.count("hint") >= 1


@pytest.mark.slow
@pytest.mark.parametrize("stem", STEMS)
def test_the_worked_solution_passes_every_check(stem: str, tmp_path: Path) -> None:
    done = run(TUTORIALS / "solutions" / f"{stem}.ipynb", tmp_path)
    assert [(tags, error) for tags, error in done if error] == []


@pytest.mark.slow
@pytest.mark.parametrize("stem", STEMS)
def test_the_unsolved_notebook_fails_every_check_and_nothing_else(stem: str, tmp_path: Path) -> None:
    done = run(TUTORIALS / f"{stem}.ipynb", tmp_path)
    assert [error for tags, error in done if "check" in tags if error != "AssertionError"] == []
    assert [error for tags, error in done if not tags and error] == []
