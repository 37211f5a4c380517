"""The names of a large graph are kept by the digest of its files, and read again where they cannot
be used.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kgnb.agents.question_answering import name_file
from kgnb.reporting.sharing import clear_cache, contents, forget
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.asking import AnswerOutcome, answer_questions
from tests.agents.question_answering.worlds import TURTLE, V

QUESTIONS = [
    "Who is the warden of Upper Hut?",
    "Who is the warden of Uper Hut?",
    "Who serves cake?",
]
READ = "?s ?q ?l"  # of the query for all labels


@pytest.fixture(autouse=True)
def all_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_file, "KEPT_FROM", 1)


@pytest.fixture
def valley(tmp_path: Path) -> Path:
    path = tmp_path / "valley.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    return path


def asked(path: Path) -> tuple[list[AnswerOutcome], bool]:
    """The answers, and whether all labels were read for them; a new context every time."""
    run = Run("question_answering")
    settings = Settings(cache=path.parent / "cache", embedder="characters")
    with run:
        found = answer_questions(QUESTIONS, path, judge="rule", settings=settings, run=run)
    queries = [query.query for step in run.steps for query in step.queries]
    return found, any("DISTINCT ?s ?q ?l" in query and "VALUES ?q" in query for query in queries)


def kept(path: Path) -> list[Path]:
    return sorted((path.parent / "cache" / "names").glob("*.sqlite"))


def test_a_name_is_forgotten_with_all_that_is_kept_of_its_graph(valley: Path) -> None:
    asked(valley)
    cache = valley.parent / "cache"
    assert contents(cache)["graphs"][0] == 1
    assert forget(cache, "Nobody Anywhere")["graphs"] == 0 and kept(valley)
    assert forget(cache, "upper  hut")["graphs"] == 1 and not kept(valley)
    asked(valley)
    assert clear_cache(cache, ["graphs"]) == {"graphs": 1} and not kept(valley)


def test_names_are_read_once_for_all_processes_and_again_for_another_file(valley: Path) -> None:
    first, read = asked(valley)
    assert read and first[0].values == (V + "ann",)
    again, read_again = asked(valley)
    assert again == first and not read_again and len(kept(valley)) == 1
    valley.write_text(TURTLE.replace("Upper Hut", "Topmost Hut"), encoding="utf-8")
    changed, read_changed = asked(valley)
    assert read_changed and changed[0].values != first[0].values and len(kept(valley)) == 2


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:5000])


def garbled(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))


def of_another_kind(file: Path) -> None:
    file.write_text("no index at all, " * 1000)


def emptied(file: Path) -> None:
    file.write_bytes(b"")


@pytest.mark.parametrize("damage", [cut, garbled, of_another_kind, emptied])
def test_a_damaged_file_costs_only_the_cache(damage: Callable[[Path], None], valley: Path) -> None:
    first, _ = asked(valley)
    damage(kept(valley)[0])
    again, read = asked(valley)
    assert again == first and read
    assert asked(valley) == (first, False), "it was made anew"


def test_a_folder_that_cannot_be_written_is_said_and_nothing_else(valley: Path) -> None:
    (valley.parent / "cache").mkdir()
    (valley.parent / "cache" / "names").write_text("a file where a folder should be")
    with pytest.warns(UserWarning, match="names of this graph are not kept"):
        found, _ = asked(valley)
    assert found[0].values == (V + "ann",)


def test_the_names_of_the_graphs_asked_last_are_kept(valley: Path) -> None:
    asked(valley)
    oldest = kept(valley)[0]
    for number in range(name_file.MOST):
        other = oldest.with_name(f"{number}.sqlite")
        other.write_bytes(oldest.read_bytes())
        os.utime(other, (number, number))
    valley.write_text(f"{TURTLE}\n:more a :Hut .", encoding="utf-8")
    asked(valley)
    left = [file.name for file in kept(valley)]
    assert len(left) == name_file.MOST and oldest.name in left and "0.sqlite" not in left
