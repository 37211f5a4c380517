"""Files that many processes open for the first time at the same moment."""

import multiprocessing
import sqlite3
from collections.abc import Callable
from contextlib import closing
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from kgnb.errors import DataError
from kgnb.judging.memory import VerdictStore
from kgnb.llm.replay import ReplayCache
from kgnb.vectors.cached_embedder import VectorCache

pytestmark = pytest.mark.fault("cache locked or read-only")

PROCESSES = 4
FILES = 12  # about one in ten was locked before, for some process


KINDS = (VectorCache, VerdictStore, ReplayCache)


def _open_all(folder: Path, barrier: Barrier) -> None:
    for number in range(FILES):
        for kind in KINDS:
            barrier.wait(60)
            kind(folder / f"{kind.__name__}-{number}.sqlite")


def test_a_new_cache_is_opened_by_many_processes_at_once(tmp_path: Path) -> None:
    several = multiprocessing.get_context("spawn")
    barrier = several.Barrier(PROCESSES)
    workers = [
        several.Process(target=_open_all, args=(tmp_path, barrier)) for _ in range(PROCESSES)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0] * PROCESSES
    assert len(list(tmp_path.glob("*.sqlite"))) == FILES * len(KINDS)


def statement(path: Path, text: str) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute(text)


HARMS: dict[str, Callable[[Path], object]] = {
    "no database": lambda path: path.write_bytes(
        b"not a database, but long enough to be taken for one" * 20
    ),
    "zeros": lambda path: path.write_bytes(b"\0" * 5000),
    "a later format": lambda path: statement(path, "PRAGMA user_version = 99"),
    "somebody else's": lambda path: statement(path, "CREATE TABLE photos (id)"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_not_a_cache_is_named_and_left_unchanged(
    tmp_path: Path, kind: type[VectorCache]
) -> None:
    for name, harm in HARMS.items():
        path = tmp_path / f"{name}.sqlite"
        harm(path)
        before = path.read_bytes()
        with pytest.raises(DataError) as caught:
            kind(path)
        assert caught.value.where == str(path) and caught.value.fix, name
        assert path.read_bytes() == before
