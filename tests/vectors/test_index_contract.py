"""What every vector index must do: memory, Qdrant in memory, in a folder, over the wire, and on a
server.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from kgnb.errors import BackendError
from kgnb.vectors.embedder import Vectors
from kgnb.vectors.index import Point, VectorIndex

VIEWS = {"syntactic": 4, "semantic": 3}


def point(
    id: str,
    vector: list[float],
    view: str = "syntactic",
    **payload: str | int | float | bool | None,
) -> Point:
    return Point(id, view, vector, payload)


def test_gives_back_payloads_and_hostile_text_unchanged(
    index: VectorIndex, collection: str
) -> None:
    nasty = "'; DROP TABLE x; -- \" \\ \n\t <script>alert(1)</script> {{7*7}} 漢字 \u202e \x00"
    payload = {
        "iri": "http://example.org/ä#<b>",
        "text": nasty,
        "n": 3,
        "weight": 0.5,
        "own": True,
        'a "b"[0]': None,
    }
    index.create(collection, VIEWS)
    index.add(collection, [Point(nasty, "syntactic", [3, 0, 0, 4], payload)])
    ids, payloads, vectors = index.read(collection, "syntactic")
    assert (ids, payloads) == ([nasty], [payload])
    assert vectors[0] == pytest.approx([0.6, 0, 0, 0.8])
    assert isinstance(index, VectorIndex) and index.name


def test_keeps_views_apart_and_writes_the_same_point_once(
    index: VectorIndex, collection: str
) -> None:
    index.create(collection, VIEWS)
    index.add(collection, [point("a", [1, 0, 0, 0], n=1), point("a", [0, 1, 0, 0], n=2)])
    index.add(collection, [point("a", [0, 0, 1, 0], n=3), point("b", [0, 0, 1], "semantic")])
    ids, payloads, vectors = index.read(collection, "syntactic")
    assert (index.count(collection), ids, payloads, vectors.tolist()) == (
        2,
        ["a"],
        [{"n": 3}],
        [[0, 0, 1, 0]],
    )
    assert index.read(collection, "semantic")[0] == ["b"]


def test_reads_everything_by_id_from_several_threads(
    index: VectorIndex, collection: str, unit: Callable[..., Vectors]
) -> None:
    vectors = unit(1100, 4)
    index.create(collection, VIEWS)
    index.add(
        collection,
        [point(f"http://x/{row:04d}", vectors[row].tolist(), row=row) for row in range(1100)][::-1],
    )
    with ThreadPoolExecutor(4) as pool:
        for ids, payloads, read in pool.map(
            lambda _: index.read(collection, "syntactic"), range(4)
        ):
            assert ids == sorted(ids) and [payload["row"] for payload in payloads] == list(
                range(1100)
            )
            assert (read.dtype, read.shape) == (np.float32, (1100, 4))
            assert np.abs(read - vectors).max() < 1e-6


def test_an_empty_view_is_an_empty_matrix_and_a_zero_vector_stays_zero(
    index: VectorIndex, collection: str
) -> None:
    index.create(collection, VIEWS)
    index.add(collection, [point("empty", [0, 0, 0, 0])])
    assert index.read(collection, "semantic")[2].shape == (0, 3)
    assert index.read(collection, "syntactic")[2].tolist() == [[0, 0, 0, 0]]


def test_creates_counts_and_lists_collections(index: VectorIndex, collection: str) -> None:
    assert index.count(collection) == 0
    index.create(collection, VIEWS)
    index.add(collection, [point("a", [1, 0, 0, 0])])
    index.create(collection, {"other": 7})  # the existing one stays as it is
    index.create(collection + "-2", VIEWS)
    assert (index.count(collection), index.count(collection + "-2")) == (1, 0)
    assert [name for name in index.collections() if name.startswith(collection)] == [
        collection,
        collection + "-2",
    ]
    index.close()
    index.close()


def test_names_a_missing_collection_and_what_to_do(index: VectorIndex, collection: str) -> None:
    for ask in (
        lambda: index.read(collection, "syntactic"),
        lambda: index.add(collection, [point("a", [1, 0, 0, 0])]),
    ):
        with pytest.raises(BackendError) as caught:
            ask()
        assert collection in caught.value.what and caught.value.fix


def test_refuses_a_point_that_does_not_fit_and_writes_none(
    index: VectorIndex, collection: str
) -> None:
    index.create(collection, VIEWS)
    for bad in (
        point("a", [1, 0, 0]),
        point("a", [1, 0, 0, float("nan")]),
        point("a", [1, 0, 0, 0], "unknown"),
        point("", [1, 0, 0, 0]),
        point("\ud800", [1, 0, 0, 0]),
        point("a", [1, 0, 0, 0], x=float("inf")),
        point("a", [1, 0, 0, 0], x="\udfff"),
        point("a", [1, 0, 0, 0], _kgnb=1),
    ):
        with pytest.raises(ValueError):
            index.add(collection, [point("good", [1, 0, 0, 0]), bad])
        assert index.count(collection) == 0, bad


def test_refuses_names_that_some_store_would_take_for_a_path(index: VectorIndex) -> None:
    for name in ("", "..", "a/b", "http://x", "a\0b", "x" * 300):
        for names in ((name, VIEWS), ("fine", {name: 3})):
            with pytest.raises(ValueError):
                index.create(*names)
    for views in ({}, {"v": 0}):
        with pytest.raises(ValueError):
            index.create("fine", views)
    assert "fine" not in index.collections()


def test_searches_by_cosine_then_id_and_by_kind(index: VectorIndex, collection: str) -> None:
    index.create(collection, VIEWS)
    ids = [f"{number:02d}" for number in range(60)]
    scrambled = sorted(
        ids, key=lambda id: id[::-1]
    )  # so that no store happens to hold them in order
    index.add(collection, [point(id, [1, 2, 3, 4], kind="class") for id in scrambled])
    index.add(
        collection, [point("best", [4, 3, 2, 1], kind="property"), point("empty", [0, 0, 0, 0])]
    )
    hits = index.search(collection, "syntactic", [4, 3, 2, 1], k=7)
    assert [hit.id for hit in hits] == ["best", *ids[:6]]
    assert (hits[0].score, hits[0].payload) == (1.0, {"kind": "property"}) and len(
        {hit.score for hit in hits[1:]}
    ) == 1
    assert index.search(collection, "syntactic", [4, 3, 2, 1], k=1, kind="class")[0].id == "00"
    assert index.search(collection, "syntactic", [0, 0, 0, 0], k=1) == []
    for view, vector in (("unknown", [1, 0, 0, 0]), ("syntactic", [1, 0])):
        with pytest.raises(ValueError):
            index.search(collection, view, vector, k=1)
