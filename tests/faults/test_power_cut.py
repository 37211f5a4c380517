"""A power cut forgets what was not forced onto the disk: what was acknowledged is there, no file is
half.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest
import rdflib

from kgnb.agents.kg_construction.graph_file import GraphFile
from kgnb.files import append_lines, write_whole
from kgnb.tasks.asking import AnswerFile, AnswerOutcome
from kgnb.tasks.building import compile_ontology
from tests.faults.test_fuzzed_files import TBOX

pytestmark = [
    pytest.mark.fault("power cut"),
    pytest.mark.skipif(os.name != "posix", reason="folders are forced onto the disk on POSIX"),
]


class Disk:
    """A folder of which only what was forced onto the disk is sure to be there after a power cut."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._open: list[IO[bytes]] = []
        self._files: dict[int, bytes] = {}  # what each file holds for sure, by its number
        self._names: dict[str, int] = {}  # which names are there for sure
        home.mkdir()

    def forced(self, number: int) -> None:
        """A file or the folder was forced onto the disk."""
        if number == self.home.stat().st_ino:
            self._names = {path.name: path.stat().st_ino for path in self.home.iterdir()}
        for path in self.home.iterdir():
            if path.stat().st_ino == number:
                self._files[number] = path.read_bytes()
                self._open.append(path.open("rb"))  # so that no other file gets its number

    def close(self) -> None:
        """Let go of the files."""
        for file in self._open:
            file.close()

    def after_a_cut(self, path: Path) -> set[bytes | None]:
        """What may be in a file afterwards, None for no such file: its new name may be on the disk
        or not.
        """
        numbers = {self._names.get(path.name), path.stat().st_ino if path.exists() else None}
        return {None if number is None else self._files.get(number, b"") for number in numbers}


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    disk, force = Disk(tmp_path / "disk"), os.fsync

    def forced(handle: int) -> None:
        force(handle)
        disk.forced(os.fstat(handle).st_ino)

    monkeypatch.setattr(os, "fsync", forced)
    yield disk
    disk.close()


@pytest.mark.parametrize("lasting", [False, True])
def test_a_file_is_the_old_one_or_the_new_one(disk: Disk, lasting: bool) -> None:
    path = disk.home / "a.ttl"
    write_whole(path, "old", lasting=True)
    assert disk.after_a_cut(path) == {b"old"}
    write_whole(path, "new", lasting=lasting)
    assert disk.after_a_cut(path) == ({b"new"} if lasting else {b"old", b"new"})


def test_each_answer_and_each_line_is_there_once_it_is_written(
    disk: Disk, record_property: Any
) -> None:
    path, lines = disk.home / "answers.jsonl", disk.home / "decisions.jsonl"
    answers = AnswerFile(path)
    for number in range(3):
        answers.add(AnswerOutcome(f"q{number}", ("x",), (), 0.9, "answered"))
        assert disk.after_a_cut(path) == {path.read_bytes()}
        append_lines(lines, [{"number": number}])
        assert disk.after_a_cut(lines) == {lines.read_bytes()}
    assert path.read_bytes().count(b"\n") == lines.read_bytes().count(b"\n") == 3
    record_property("tries", 2)


def test_each_fact_is_in_the_journal_or_in_the_file(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = compile_ontology(rdflib.Graph().parse(data=TBOX, format="turtle")).session()
    file = GraphFile(disk.home / "huts.trig", session, None)
    cut: Callable[[int, int], None] = os.ftruncate

    def emptied(handle: int, length: int) -> None:
        [whole] = disk.after_a_cut(file.path)  # there for sure before the journal lets go of it
        assert whole == session.trig().encode()
        cut(handle, length)

    for number in range(4):
        assert session.call("create_hut", {"label": f"Hut {number}"}).ok
        [journal] = disk.after_a_cut(file.journal)
        assert journal is not None and f"Hut {number}".encode() in journal
        if number == 2:
            monkeypatch.setattr(os, "ftruncate", emptied)
            file.save()
            monkeypatch.setattr(os, "ftruncate", cut)
    file.close()
