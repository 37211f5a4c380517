"""Every tutorial: its checks fail until the learner has filled something in, and pass on the worked solution."""

import importlib.util
import sys
from dataclasses import dataclass
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


SAYS = {"06-ontology-to-tools": "refused"}  # what a lesson is about must still happen
EMPTY = {"01-triples-and-sparql": 1, "04-ask-a-graph": 1}  # results without a row that are meant so


@dataclass(frozen=True)
class Cell:
    """What became of a code cell: its tags, the name of the error it ended with, and the text of its result."""

    tags: list[str]
    error: str
    shown: str


def run(stem: str, folder: Path) -> tuple[list[Cell], list[Cell]]:
    """The cells of a tutorial as the learner gets it, and then as solved: in one kernel, emptied between."""
    (folder / "solved").mkdir()
    book = nbformat.read(TUTORIALS / f"{stem}.ipynb", as_version=4)
    emptied = nbformat.v4.new_code_cell("%unload_ext kgnb\n%reset -f\n%cd -q solved")
    book.cells += [emptied, *nbformat.read(TUTORIALS / "solutions" / f"{stem}.ipynb", as_version=4).cells]
    NotebookClient(book, timeout=600, allow_errors=True, resources={"metadata": {"path": str(folder)}}).execute()
    seen = [
        Cell(
            cell.metadata.get("tags", []),
            next((o.ename for o in cell.outputs if o.output_type == "error"), ""),
            "\n".join(o.data.get("text/plain", "") for o in cell.outputs if "data" in o),
        )
        for cell in book.cells
        if cell.cell_type == "code"
    ]
    at = [cell for cell in book.cells if cell.cell_type == "code"].index(emptied)
    assert not seen[at].error
    return seen[:at], seen[at + 1 :]


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


WRONG = [  # what a learner may well type, and a word of what the check says to it
    ("02-what-matching-is", "season", "opening period", "write the code"),
    ("02-what-matching-is", "season", "http://huts.example/refuge#RF_0000130", "quarter of the year"),
    ("02-what-matching-is", "scores", (50, 50, 50), "not 50"),
    ("02-what-matching-is", "scores", (0.5, 0.5, 0.4), "harmonic"),
    ("02-what-matching-is", "tokens", ("48000", "600000"), "without quotes"),
    ("02-what-matching-is", "tokens", (48_000, 3000 * 0.92 * 200), "3,000 classes"),
    ("05-two-languages", "ranked", (50, 69), "between 0 and 1"),
    ("05-two-languages", "ranked", (2, 0.6875), "not 2"),
    ("05-two-languages", "ranked", (0.5, 0.5), "MRR"),
    ("05-two-languages", "bivouac", "bivouac du steinkar", "as it is written"),
    ("06-ontology-to-tools", "uncaught", "B", "say a, b or c"),
    ("06-ontology-to-tools", "unlinked", "bug", "how far apart"),
    ("07-runs-and-reports", "letters", ("b", "a"), "letters of the list"),
    ("07-runs-and-reports", "letters", ("none", "A"), "weeks"),
    ("07-runs-and-reports", "sent", "10", "without quotes"),
    ("07-runs-and-reports", "sent", 400, "not asked again"),
    ("07-runs-and-reports", "p", 0.25, "both ways"),
    ("07-runs-and-reports", "p", 0.04, "2 differences, 0 on the smaller side"),
    ("07-runs-and-reports", "needed", 5, "still 0.06"),
    ("07-runs-and-reports", "needed", 7, "fewer"),
    ("08-bring-your-own", "safe", "a", "writes the key"),
    ("08-bring-your-own", "cautious", lambda question: question[1][0][0], "may be no option"),
    ("08-bring-your-own", "cautious", lambda question: dict(map(reversed, question[1])).get(question[0]), "second"),
    ("08-bring-your-own", "cautious", lambda question: question[0] if question[1] else None, "the option's id"),
]


@pytest.mark.parametrize(("stem", "name", "filled", "said"), WRONG)
def test_a_check_says_what_is_off_with_a_wrong_answer(stem: str, name: str, filled: Any, said: str) -> None:
    source = (TUTORIALS / "sources" / f"{stem}.md").read_text(encoding="utf-8")
    (check,) = (one.text for one in builder().blocks(source) if (one.kind, one.name) == ("check", name))
    found, wanted = {1, 2}, {1, 3}
    given = {"equal": found, "wanted": wanted, "by_rule": set(), "by_you": wanted}
    with pytest.raises(AssertionError, match=said):
        exec(check, given | {name: filled})


@pytest.mark.slow
@pytest.mark.parametrize("stem", STEMS)
def test_checks_fail_until_something_is_filled_in_and_pass_on_the_worked_solution(stem: str, tmp_path: Path) -> None:
    unsolved, solved = run(stem, tmp_path)
    assert [cell.error for cell in unsolved if "check" in cell.tags if cell.error != "AssertionError"] == []
    assert [cell.error for cell in unsolved if not cell.tags and cell.error] == []
    assert [(cell.tags, cell.error) for cell in solved if cell.error] == []
    assert sum("(no rows)" in cell.shown for cell in solved) == EMPTY.get(stem, 0)
    assert any(SAYS.get(stem, "") in cell.shown for cell in solved)
