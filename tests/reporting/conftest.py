from collections.abc import Callable
from functools import partial
from pathlib import Path

import nbformat
import pytest

from kgnb.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(embedder="tiny", cache=tmp_path / "cache")


def notebook(place: Path, *sources: str, name: str = "small.ipynb") -> str:
    """Writes a notebook: Markdown for texts that begin with #, code for the rest; the first code is its parameters."""
    cells = [
        nbformat.v4.new_markdown_cell(source) if source.startswith("# ") else nbformat.v4.new_code_cell(source)
        for source in sources
    ]
    for cell in [cell for cell in cells if cell.cell_type == "code"][:1]:
        cell.metadata["tags"] = ["parameters"]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), place / name)
    return str(place / name)


@pytest.fixture
def write_notebook(tmp_path: Path) -> Callable[..., str]:
    return partial(notebook, tmp_path)
