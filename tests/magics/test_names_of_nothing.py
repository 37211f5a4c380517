"""A value that is nothing is refused before any work, in a cell as on the command line, with what
there is instead.
"""

from pathlib import Path

import pytest

from kgnb.cli import main

from .conftest import Notebook

MATCH, ALIGN, ASK = (
    ("%om start huts:alpine huts:refuge", "match huts:alpine huts:refuge"),
    ("%ea start huts:hollenmark huts:corvane", "align huts:hollenmark huts:corvane"),
    ("%qa start huts:graph", "ask Who --graph huts:graph"),
)
NOTHING = [
    (MATCH, "--embedder nope", "fastembed:MODEL"),
    (ALIGN, "--embedder nope", "fastembed:MODEL"),
    (ASK, "--embedder nope", "fastembed:MODEL"),
    (MATCH, "--embedder openai:", "openai:MODEL"),
    (MATCH, "--index nope", "memory, a folder"),
    (MATCH, "--index qdrant:nope", "memory, a folder"),
    (MATCH, "--index ftp://here/vectors", "memory, a folder"),
    (MATCH, "--judge nope", "rule"),
    (ALIGN, "--judge nope", "rule"),
    (ASK, "--judge nope", "rule"),
    (MATCH, "--judge cascade", "KGNB_MODEL"),
    (ALIGN, "--judge model", "KGNB_MODEL"),
    (ASK, "--judge model", "KGNB_MODEL"),
    (MATCH, "--judge oracle", "--reference FILE"),
    (ALIGN, "--judge oracle", "--reference FILE"),
    (ALIGN, "--planner nope", "thorough"),
    (ALIGN, "--planner model", "KGNB_MODEL"),
    (ALIGN, "--candidates nope.tsv", "source IRI, TAB, target IRI"),
    (ALIGN, "--reference nope.tsv", "source IRI, TAB, target IRI"),
    (ALIGN, "--names nope", "native, hidden"),
    (MATCH, "--reference huts:nope", "reference"),
    (MATCH, "--merge nope", "weighed"),
    (MATCH, "--decisions nowhere/mine.jsonl", "in a folder that exists"),
    (ALIGN, "--decisions nowhere/mine.jsonl", "in a folder that exists"),
    (MATCH, "--k -3", "1"),
    (ALIGN, "--hops -1", "0"),
]


@pytest.mark.parametrize(("agent", "given", "instead"), NOTHING)
def test_a_cell_and_a_command_refuse_what_is_nothing(
    agent: tuple[str, str],
    given: str,
    instead: str,
    notebook: Notebook,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = sorted(Path().iterdir())
    line, command = agent
    cell = notebook(f"{line} {given}")
    assert instead in cell.why and cell.value is None
    assert main([*command.split(), *given.split()]) != 0
    said = capsys.readouterr()
    assert instead in said.err and not said.out
    assert sorted(Path().iterdir()) == before  # nothing was made under a wrong name


def test_a_file_of_decisions_that_is_not_there_yet_is_said_to_be_so(
    notebook: Notebook, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "mine.jsonl is not there yet"
    for line, command in (MATCH, ALIGN):
        started = notebook.good(f"{line} --embedder characters --decisions mine.jsonl")
        assert said in str(started.value)
        given = "--embedder characters --judge rule --decisions mine.jsonl"
        assert main([*command.split(), *given.split()]) == 0
        assert said in capsys.readouterr().err
