from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import nbformat
import pytest

from kgnb.reporting import session
from kgnb.reporting.report import find_template
from kgnb.reporting.session import ReportSession, begin, current
from kgnb.settings import Settings

# a report that asks its judge k questions, without the seconds that a real one takes to be imported
ASKS = (
    "# Small",
    "k: int = 2  # how many [1, 9]\njudge: str = ''  # who is asked",
    """import json
from kgnb.backends import open_model
from kgnb.llm.model import Message, Request
from kgnb.reporting.session import current
settings = current().settings
settings = settings.with_(model=judge) if judge.startswith(("batch:", "recorded:")) else settings
asked = [] if judge == "rule" else [Request((Message("user", f"Is {n} a hut?"),)) for n in range(k)]
said = [open_model(settings).ask(request).text for request in asked]
(current().folder / "metrics.json").write_text(json.dumps({"headline": [{"F1": 10.0 * k}], "calls": len(said)}))""",
)


@pytest.fixture(scope="session", autouse=True)
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Reports begun by hand lie in a folder of this process: they would wait for each other's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "BY_HAND", tmp_path_factory.mktemp("by-hand"))
        yield


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(embedder="tiny", cache=tmp_path / "cache")


def notebook(place: Path, *sources: str, name: str = "small.ipynb") -> str:
    """Writes a notebook: Markdown for texts that begin with #, code for the rest; the first code is
    its parameters.
    """
    cells = [
        nbformat.v4.new_markdown_cell(source)
        if source.startswith("# ")
        else nbformat.v4.new_code_cell(source)
        for source in sources
    ]
    for cell in [cell for cell in cells if cell.cell_type == "code"][:1]:
        cell.metadata["tags"] = ["parameters"]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), place / name)
    return str(place / name)


@pytest.fixture
def write_notebook(tmp_path: Path) -> Callable[..., str]:
    return partial(notebook, tmp_path)


def drawn_cells(name: str, results: Any, session: ReportSession) -> list[str]:
    """The HTML of every cell of a report's notebook after the one that computes, drawn here and not
    in a kernel.
    """
    begin(session)
    known = {
        "report": import_module(f"kgnb.reporting.{name.replace('-', '_')}"),
        "results": results,
        "current": current,
    }
    cells = [
        cell
        for cell in nbformat.read(find_template(name).path, as_version=4).cells
        if cell.cell_type == "code"
    ]
    values = [eval(cell.source, known) for cell in cells[2:]]
    return [value._repr_mimebundle_()["text/html"] for value in values if value is not None]
