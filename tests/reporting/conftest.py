from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from kgnb.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(embedder="tiny", cache=tmp_path / "cache")


@pytest.fixture
def write_notebook(tmp_path: Path) -> Callable[..., str]:
    """Writes a notebook: Markdown for texts that begin with #, code for the rest; the first code is its parameters."""

    def write(*sources: str, name: str = "small.ipynb") -> str:
        cells = []
        for source in sources:
            if source.startswith("# "):
                cells.append(nbformat.v4.new_markdown_cell(source))
            else:
                cells.append(nbformat.v4.new_code_cell(source))
        code = [cell for cell in cells if cell.cell_type == "code"]
        if code:
            code[0].metadata["tags"] = ["parameters"]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / name)
        return str(tmp_path / name)

    return write
