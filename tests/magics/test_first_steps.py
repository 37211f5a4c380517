"""The pages of docs/start: their files are written and their cells run, in order, as a reader would."""

import re
from pathlib import Path

import pytest

from .conftest import Notebook

PAGES = sorted((Path(__file__).parents[2] / "docs" / "start").glob("*.md"))
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_first_page_works_as_it_is_written(notebook: Notebook, page: Path) -> None:
    cells = 0
    for kind, name, content in BLOCK.findall(page.read_text(encoding="utf-8")):
        if name:
            file = Path(name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
        elif kind in ("python", "sparql"):
            notebook.good(content)
            cells += 1
    assert cells >= 2 or page.stem == "an-endpoint"
