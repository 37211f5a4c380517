import multiprocessing
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from kgnb.errors import DataError
from kgnb.vectors.cached_embedder import CachedEmbedder, VectorCache
from kgnb.vectors.character_embedder import CharacterEmbedder, TinyEmbedder
from kgnb.vectors.embedder import Embedder, Vectors

TEXTS = ["hut", "warden", "", "hut", "route", "booking"]


class Breaking(TinyEmbedder):
    """Fails at its third call, as a run does that is killed."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.calls == 2:
            raise RuntimeError("killed")
        return super().embed(texts)


def test_gives_what_the_embedder_gives_and_asks_once(tmp_path: Path) -> None:
    tiny = TinyEmbedder()
    cached = CachedEmbedder(tiny, VectorCache(tmp_path / "deep" / "vectors.sqlite"))
    assert isinstance(cached, Embedder)
    assert (cached.name, cached.dimensions) == ("tiny-32", 32)
    expected = TinyEmbedder().embed(TEXTS)
    assert np.array_equal(cached.embed(TEXTS), expected)
    assert (tiny.texts, cached.computed, cached.reused) == (4, 4, 0)
    assert np.array_equal(cached.embed(TEXTS[::-1]), expected[::-1])
    assert (tiny.calls, cached.computed, cached.reused) == (1, 4, 4)


def test_vectors_are_kept_by_embedder_and_without_texts(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    cache = VectorCache(path)
    first = CachedEmbedder(TinyEmbedder(), cache).embed(TEXTS)
    cache.close()
    tiny = TinyEmbedder()
    again = CachedEmbedder(tiny, VectorCache(path))
    assert np.array_equal(again.embed(TEXTS), first)
    assert (tiny.calls, again.computed, again.reused) == (0, 0, 4)
    assert CachedEmbedder(TinyEmbedder(16), VectorCache(path)).embed(TEXTS).shape == (
        6,
        16,
    )  # another name
    assert b"warden" not in path.read_bytes()


def test_a_killed_run_loses_at_most_one_batch_and_the_rest_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    texts = [f"t{number}" for number in range(10)]
    with pytest.raises(RuntimeError, match="killed"):
        CachedEmbedder(Breaking(), VectorCache(path), batch_size=3).embed(texts)
    seen: list[tuple[int, int]] = []
    again = CachedEmbedder(
        TinyEmbedder(), VectorCache(path), batch_size=3, on_progress=lambda *two: seen.append(two)
    )
    again.embed(texts)
    assert (again.reused, again.computed) == (6, 4)
    assert seen == [(6, 10), (9, 10), (10, 10)]


def test_more_texts_than_one_query_takes() -> None:
    cached = CachedEmbedder(TinyEmbedder(4), VectorCache(":memory:"), batch_size=2000)
    texts = [f"t{number}" for number in range(1700)]
    first = cached.embed(texts)
    assert np.array_equal(cached.embed(texts), first)
    assert (cached.computed, cached.reused) == (1700, 1700)


def test_a_forked_child_opens_the_file_again(tmp_path: Path) -> None:
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system cannot fork")
    cached = CachedEmbedder(TinyEmbedder(), VectorCache(tmp_path / "v.sqlite"))
    cached.embed(["before"])
    child = multiprocessing.get_context("fork").Process(
        target=cached.embed, args=(["in the child"],)
    )
    child.start()
    child.join(30)
    assert child.exitcode == 0
    cached.embed(["after"])
    assert len(cached.cache) == 3


BEYOND = (
    b"\0" + np.array([32, 32], "<u2").tobytes() + np.ones(1, "<f4").tobytes()
)  # a part in place 32 of 32
BROKEN = [
    b"",
    b"abc",
    b"\1\2\0",
    BEYOND,
    np.full(32, np.nan, "<f4").tobytes(),
    np.full(32, 9, "<f4").tobytes(),
    "text",
]


@pytest.mark.parametrize("blob", BROKEN)
def test_a_damaged_vector_is_found_out(tmp_path: Path, blob: bytes | str) -> None:
    path = tmp_path / "vectors.sqlite"
    cached = CachedEmbedder(TinyEmbedder(), VectorCache(path))
    cached.embed(["hut"])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE vectors SET vector = ?", (blob,))
    connection.close()
    with pytest.raises(DataError, match="damaged"):
        cached.embed(["hut"])


def test_vectors_of_characters_take_a_tenth_of_the_room_and_come_back_equal(tmp_path: Path) -> None:
    """Baseline: four bytes a part."""
    names = [f"Refuge de la Dent {number} Parrachée" for number in range(500)]
    embedder = CharacterEmbedder()
    cached = CachedEmbedder(embedder, VectorCache(tmp_path / "vectors.sqlite"))
    first = cached.embed(names)
    cached.cache.close()
    ratio = (tmp_path / "vectors.sqlite").stat().st_size / (4 * first.size)
    print(f"{ratio:.3f} of the vectors as they are")
    assert ratio < 0.15
    assert np.array_equal(cached.embed(names), embedder.embed(names)) and cached.reused == len(
        names
    )


def test_vectors_of_the_first_format_are_read(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    cached = CachedEmbedder(TinyEmbedder(), VectorCache(path))
    before = cached.embed(["hut"])
    cached.cache.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 1")
        connection.execute("UPDATE vectors SET vector = ?", (before[0].astype("<f4").tobytes(),))
    connection.close()
    again = CachedEmbedder(TinyEmbedder(), VectorCache(path))
    assert np.array_equal(again.embed(["hut"]), before) and again.computed == 0


def test_vectors_of_another_length_are_found_out(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "vectors.sqlite")
    CachedEmbedder(TinyEmbedder(), cache).embed(["hut"])
    vector = np.eye(1, 16, dtype=np.float32)[0]
    cache.put("tiny-32", {b"x" * 32: vector})
    cached = CachedEmbedder(TinyEmbedder(), cache)
    with sqlite3.connect(cache.path) as connection:
        connection.execute(
            "UPDATE vectors SET vector = ? WHERE key != ?", (vector.tobytes(), b"x" * 32)
        )
    connection.close()
    with pytest.raises(DataError, match="different lengths"):
        cached.embed(["hut", "warden"])


def test_a_folder_that_cannot_be_created_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="cannot be used"):
        len(VectorCache(tmp_path / "file" / "vectors.sqlite"))
