"""Every tutorial: its checks fail until the learner has filled something in, and pass on the worked
solution.
"""

import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import numpy
import pandas
import pytest
from nbclient import NotebookClient

import kgnb

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
    """What became of a code cell: its tags, the name of the error it ended with, and the text of
    its result.
    """

    tags: list[str]
    error: str
    shown: str


def run(stems: Sequence[str], place: Path) -> dict[str, list[Cell]]:
    """The cells of these tutorials as the learner gets them and as solved, by name: in one kernel,
    emptied between. The solved ones are run once more, as by a learner who goes back, "again".
    """
    book, counts = nbformat.v4.new_notebook(), {}
    for name in [name for stem in stems for name in (stem, f"solutions/{stem}")]:
        folder = place / name
        folder.mkdir(parents=True)
        emptied = nbformat.v4.new_code_cell(
            f"%unload_ext kgnb\n%reset -f\n%cd -q {folder}", metadata={"tags": ["new"]}
        )
        cells = nbformat.read(TUTORIALS / f"{name}.ipynb", as_version=4).cells
        counts[name] = sum(cell.cell_type == "code" for cell in cells)
        book.cells += [emptied, *cells, *(cells if name != Path(name).name else ())]
    NotebookClient(
        book, timeout=600, allow_errors=True, resources={"metadata": {"path": str(place)}}
    ).execute()
    seen = iter(
        Cell(
            cell.metadata.get("tags", []),
            next((o.ename for o in cell.outputs if o.output_type == "error"), ""),
            "\n".join(o.data.get("text/plain", "") for o in cell.outputs if "data" in o),
        )
        for cell in book.cells
        if cell.cell_type == "code"
    )
    found = {}
    for name, count in counts.items():
        assert not next(seen).error  # the cell that empties
        found[name] = list(islice(seen, count))
        if name != Path(name).name:
            found[f"again {name}"] = list(islice(seen, count))
    return found


def test_there_are_eight_and_the_notebooks_are_made_from_their_sources() -> None:
    assert len(STEMS) == 8
    for path, text in builder().made().items():
        assert path.read_text(encoding="utf-8") == text, (
            f"run python notebooks/tutorials/build.py: {path.name}"
        )


def test_a_tutorial_says_what_it_is_for_and_has_something_to_do() -> None:
    for stem in STEMS:
        source = (TUTORIALS / "sources" / f"{stem}.md").read_text(encoding="utf-8")
        kinds = [block.kind for block in builder().blocks(source)]
        assert "**Goals.**" in source and " minutes" in source and "## What you saw" in source
        assert kinds.count("exercise") == kinds.count("solution") == kinds.count("check") >= 3
        assert kinds.count("hint") >= 1


WRONG = [  # what a learner may well type, and a word of what the check says to it
    ("02-what-matching-is", "season", "opening period", "write the code"),
    (
        "02-what-matching-is",
        "season",
        "http://huts.example/refuge#RF_0000130",
        "quarter of the year",
    ),
    ("02-what-matching-is", "scores", (50, 50, 50), "not 50"),
    ("02-what-matching-is", "scores", 0.5, "three figures"),
    ("01-triples-and-sparql", "routes", pandas.DataFrame({"route": []}), "capital and small"),
    ("01-triples-and-sparql", "routes", 3, "the graph was not asked"),
    ("01-triples-and-sparql", "routes", "3", "the graph was not asked"),
    ("01-triples-and-sparql", "staffed", ["Hochkar House"], "no table"),
    ("04-ask-a-graph", "many", (1, 0), "write the figure"),
    ("02-what-matching-is", "tokens", (None, 600_000), "without quotes"),
    ("02-what-matching-is", "scores", (0.5, 0.5, 0.4), "harmonic"),
    ("02-what-matching-is", "tokens", ("48000", "600000"), "without quotes"),
    ("02-what-matching-is", "tokens", (48_000, 3000 * 0.92 * 200), "3,000 classes"),
    ("05-two-languages", "ranked", (50, 69), "between 0 and 1"),
    ("05-two-languages", "ranked", (2, 0.6875), "not 2"),
    ("05-two-languages", "ranked", (0.5, 0.5), "MRR"),
    ("05-two-languages", "ranked", (0.6875, 0.5), "other way round"),
    ("05-two-languages", "ranked", (0.5, 2.75 / 4 - 0.1), "mean of 1/rank"),
    ("05-two-languages", "bivouac", "bivouac", "as it is written"),
    ("05-two-languages", "bivouac", "ancien bivouac du Steinkar", "1958"),
    ("06-ontology-to-tools", "uncaught", "salt", "say a, b or c"),
    ("06-ontology-to-tools", "unlinked", "margin", "last column"),
    ("07-runs-and-reports", "letters", ("x", "A"), "letters of the list"),
    ("07-runs-and-reports", "letters", ("none", "A"), "weeks"),
    ("07-runs-and-reports", "sent", "10", "without quotes"),
    ("07-runs-and-reports", "sent", 400, "not asked again"),
    ("07-runs-and-reports", "sent", 390, "still missing"),
    ("07-runs-and-reports", "p", 2, "between 0 and 1"),
    ("07-runs-and-reports", "needed", 6.5, "whole number"),
    ("02-what-matching-is", "scores", (2 / 2, 2 / 2, "all"), "three figures"),
    ("02-what-matching-is", "tokens", (600_000, 48_000), "other way round"),
    ("02-what-matching-is", "tokens", (240, 3000), "how many questions"),
    ("02-what-matching-is", "worse", "both", "wrong"),
    ("02-what-matching-is", "worse", "a missing one", "nobody sees it"),
    ("07-runs-and-reports", "p", 0.25, "both ways"),
    ("07-runs-and-reports", "p", 0.04, "2 differences, 0 on the smaller side"),
    ("07-runs-and-reports", "needed", 5, "still 0.06"),
    ("07-runs-and-reports", "needed", 7, "fewer"),
    ("07-runs-and-reports", "only", (2, 0), "other way round"),
    ("07-runs-and-reports", "only", ("0", "2"), "without quotes"),
    ("07-runs-and-reports", "needed", "6", "without quotes"),
    ("07-runs-and-reports", "letters", "B", "two letters"),
    ("08-bring-your-own", "cautious", "A", "a function"),
    ("08-bring-your-own", "cautious", lambda question: None, "return"),
    ("08-bring-your-own", "safe", "a", "writes the key"),
    ("08-bring-your-own", "cautious", lambda question: question[1][0][0], "may be no option"),
    (
        "08-bring-your-own",
        "cautious",
        lambda question: dict(map(reversed, question[1])).get(question[0]),
        "second",
    ),
    (
        "08-bring-your-own",
        "cautious",
        lambda question: question[0] if question[1] else None,
        "the option's id",
    ),
]


RIGHT = [  # other forms of right answers
    ("02-what-matching-is", "season", "http://huts.example/refuge#RF_0000131"),
    ("02-what-matching-is", "season", " rf_0000131 "),
    ("02-what-matching-is", "scores", (0.5, 0.5, 0.5)),
    ("02-what-matching-is", "worse", "A wrong one"),
    ("02-what-matching-is", "season", "<http://huts.example/refuge#RF_0000131>"),
    ("02-what-matching-is", "scores", [Fraction(1, 2)] * 3),
    ("02-what-matching-is", "worse", "The wrong one."),
    ("02-what-matching-is", "tokens", [48_000, 600_000]),
    ("02-what-matching-is", "tokens", (numpy.int64(48_000), numpy.int64(600_000))),
    ("04-ask-a-graph", "many", 2.0),
    ("04-ask-a-graph", "many", {"valley", "hut"}),
    ("04-ask-a-graph", "number", 1.0),
    ("01-triples-and-sparql", "routes", pandas.DataFrame({"n": [3]})),
    ("01-triples-and-sparql", "routes", numpy.int64(3)),
    ("05-two-languages", "ranked", [0.5, 0.69]),
    ("05-two-languages", "bivouac", "  bivouac du Steinkar"),
    ("06-ontology-to-tools", "uncaught", "B"),
    ("06-ontology-to-tools", "unlinked", "Absent "),
    ("07-runs-and-reports", "letters", ["b", "a"]),
    ("07-runs-and-reports", "sent", 10.0),
    ("07-runs-and-reports", "only", [0, 2]),
    ("07-runs-and-reports", "p", 0.5),
    ("07-runs-and-reports", "needed", 6.0),
    ("05-two-languages", "ranked", numpy.array([0.5, 0.6875])),
    ("05-two-languages", "ranked", (Fraction(1, 2), Fraction(11, 16))),
    ("05-two-languages", "bivouac", '"Bivouac du Steinkar"@fr'),
    ("06-ontology-to-tools", "uncaught", "b: salt instead of sugar"),
    ("06-ontology-to-tools", "unlinked", '"absent"'),
    ("07-runs-and-reports", "letters", "B, A"),
    ("07-runs-and-reports", "letters", {1: "B)", 2: "A"}),
    ("07-runs-and-reports", "sent", numpy.int64(10)),
    ("07-runs-and-reports", "only", (set(), {1, 3})),
    ("07-runs-and-reports", "only", numpy.array([0, 2])),
    ("07-runs-and-reports", "p", Fraction(1, 2)),
    ("07-runs-and-reports", "needed", numpy.int64(6)),
    ("08-bring-your-own", "safe", "(b)"),
    ("08-bring-your-own", "safe", "B"),
]
GIVEN = {
    "kgnb": kgnb,
    "grounded": SimpleNamespace(links=()),
    "equal": {1, 2},
    "wanted": {1, 3},
    "ambiguous": SimpleNamespace(ambiguous=[SimpleNamespace(iri="a"), SimpleNamespace(iri="b")]),
    "offered": SimpleNamespace(rows=[(1, "warden of X, who lives in")]),
    "by_rule": set(),
    "by_you": {1, 3},
}


def check_of(stem: str, name: str) -> str:
    source = (TUTORIALS / "sources" / f"{stem}.md").read_text(encoding="utf-8")
    (check,) = (
        one.text for one in builder().blocks(source) if (one.kind, one.name) == ("check", name)
    )
    return check


def test_a_check_says_what_is_off_with_a_wrong_answer() -> None:
    for stem, name, filled, said in WRONG:
        with pytest.raises(AssertionError, match=said):
            exec(check_of(stem, name), GIVEN | {name: filled})


@pytest.mark.parametrize(("stem", "name", "filled"), RIGHT)
def test_a_check_takes_every_form_of_a_right_answer(stem: str, name: str, filled: object) -> None:
    exec(check_of(stem, name), GIVEN | {name: filled})


@pytest.mark.slow
@pytest.mark.parametrize("half", [STEMS[:4], STEMS[4:]], ids=["first", "second"])
def test_checks_fail_until_something_is_filled_in_and_pass_on_the_worked_solution(
    half: Sequence[str], tmp_path: Path
) -> None:
    found = run(half, tmp_path)
    for stem in half:
        unsolved, solved = found[stem], found[f"solutions/{stem}"]
        assert [
            cell.error for cell in unsolved if "check" in cell.tags if cell.error != "NotYet"
        ] == []
        assert [cell.error for cell in unsolved if not cell.tags and cell.error] == []
        assert [(cell.tags, cell.error) for cell in solved if cell.error] == []
        again = found[f"again solutions/{stem}"]
        assert [(cell.tags, cell.error) for cell in again if cell.error] == []
        assert sum("(no rows)" in cell.shown for cell in solved) == EMPTY.get(stem, 0)
        assert any(SAYS.get(stem, "") in cell.shown for cell in solved)
