"""What every vector index must do alike: memory, Qdrant in memory, in a folder, over the wire, and on a server."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from kgnb.errors import BackendError
from kgnb.vectors.embedder import Vectors
from kgnb.vectors.index import Payload, Point, VectorIndex

VIEWS = {"syntactic": 4, "semantic": 3}


def point(id: str, vector: list[float], view: str = "syntactic", **payload: str | int | float | bool | None) -> Point:
    return Point(id, view, vector, payload)


def test_is_a_vector_index(index: VectorIndex) -> None:
    assert isinstance(index, VectorIndex)
    assert index.name


def test_finds_the_nearest_first(index: VectorIndex, collection: str) -> None:
    index.create(collection, VIEWS)
    index.add(collection, [point("far", [0, 1, 0, 0]), point("near", [1, 0.1, 0, 0]), point("mid", [1, 1, 0, 0])])
    hits = index.search(collection, "syntactic", [1, 0, 0, 0], k=2)
    assert [hit.id for hit in hits] == ["near", "mid"]
    assert [hit.score for hit in hits] == pytest.approx([1 / np.sqrt(1.01), np.sqrt(0.5)], abs=2e-6)


def test_orders_equal_scores_by_id_also_where_k_cuts_through_them(index: VectorIndex, collection: str) -> None:
    index.create(collection, VIEWS)
    ids = [f"{number:02d}" for number in range(60)]
    shuffled = np.random.default_rng(3).permutation(ids).tolist()
    index.add(collection, [point(id, [1, 2, 3, 4]) for id in shuffled])
    index.add(collection, [point("best", [4, 3, 2, 1])])
    hits = index.search(collection, "syntactic", [4, 3, 2, 1], k=7)
    assert [hit.id for hit in hits] == ["best", *ids[:6]]
    assert len({hit.score for hit in hits[1:]}) == 1


def test_gives_back_the_payload_and_nothing_else(index: VectorIndex, collection: str) -> None:
    payload = {"iri": "http://example.org/ä#<b>", "kind": "class", "n": 3, "weight": 0.5, "own": True, "none": None}
    index.create(collection, VIEWS)
    index.add(collection, [Point("a", "syntactic", [1, 0, 0, 0], payload)])
    assert index.search(collection, "syntactic", [1, 0, 0, 0], k=1)[0].payload == payload
    assert index.read(collection, "syntactic")[1] == [payload]


def test_filters_by_what_the_payload_equals(index: VectorIndex, collection: str) -> None:
    payloads: dict[str, Payload] = {
        "a": {"kind": "class", "side": "source", "n": 1, "own": True, "a b[0]": "odd"},
        "b": {"kind": "class", "weight": 0.5, "own": False, "note": None},
        "c": {"kind": "property", "weight": 2, "own": 1, "a.b": "dotted"},
    }
    index.create(collection, VIEWS)
    index.add(collection, [Point(id, "syntactic", [1, at, 0, 0], has) for at, (id, has) in enumerate(payloads.items())])
    cases: list[tuple[Payload, str]] = [
        ({"kind": "class"}, "ab"),
        ({"kind": "class", "side": "source"}, "a"),
        ({"kind": "nothing"}, ""),
        ({"missing": "x"}, ""),
        ({"n": 1}, "a"),
        ({"n": 1.0}, "a"),
        ({"weight": 0.5}, "b"),
        ({"weight": 2}, "c"),
        ({"own": True}, "a"),
        ({"own": 1}, "c"),
        ({"own": False}, "b"),
        ({"note": None}, "b"),
        ({"a.b": "dotted"}, "c"),
        ({"a b[0]": "odd"}, "a"),
        ({}, "abc"),
    ]
    for where, expected in cases:
        found = index.search(collection, "syntactic", [1, 0, 0, 0], k=9, where=where)
        assert sorted(hit.id for hit in found) == list(expected), where


def test_keeps_the_views_apart_also_for_one_id(index: VectorIndex, collection: str) -> None:
    index.create(collection, VIEWS)
    index.add(
        collection, [point("a", [1, 0, 0, 0]), point("a", [0, 1, 0], "semantic"), point("b", [0, 0, 1], "semantic")]
    )
    assert index.count(collection) == 3
    assert [hit.id for hit in index.search(collection, "syntactic", [0, 1, 0, 0], k=9)] == ["a"]
    assert [hit.id for hit in index.search(collection, "semantic", [0, 0, 1], k=9)] == ["b", "a"]
    assert index.read(collection, "semantic")[0] == ["a", "b"]


def test_writes_the_same_point_once(index: VectorIndex, collection: str) -> None:
    index.create(collection, VIEWS)
    index.add(collection, [point("a", [1, 0, 0, 0], n=1), point("a", [0, 1, 0, 0], n=2)])
    index.add(collection, [point("a", [0, 0, 1, 0], n=3)])
    ids, payloads, vectors = index.read(collection, "syntactic")
    assert (index.count(collection), ids, payloads) == (1, ["a"], [{"n": 3}])
    assert vectors.tolist() == [[0, 0, 1, 0]]


def test_reads_everything_by_id(index: VectorIndex, collection: str, unit: Callable[..., Vectors]) -> None:
    vectors = unit(1100, 4)
    index.create(collection, VIEWS)
    index.add(collection, [point(f"http://x/{row:04d}", vectors[row].tolist(), row=row) for row in range(1100)][::-1])
    ids, payloads, read = index.read(collection, "syntactic")
    assert ids == sorted(ids) and len(ids) == 1100
    assert [payload["row"] for payload in payloads] == list(range(1100))
    assert (read.dtype, read.shape) == (np.float32, (1100, 4))
    assert np.abs(read - vectors).max() < 1e-6


def test_reads_an_empty_view_as_an_empty_matrix(index: VectorIndex, collection: str) -> None:
    index.create(collection, VIEWS)
    index.add(collection, [])
    ids, payloads, vectors = index.read(collection, "semantic")
    assert (ids, payloads, vectors.shape) == ([], [], (0, 3))
    assert index.search(collection, "semantic", [1, 0, 0], k=3) == []


def test_takes_zero_vectors_and_finds_nothing_near_to_one(index: VectorIndex, collection: str) -> None:
    index.create(collection, VIEWS)
    index.add(collection, [point("empty", [0, 0, 0, 0]), point("full", [-1, 0, 0, 0])])
    assert index.search(collection, "syntactic", [0, 0, 0, 0], k=5) == []
    assert [(hit.id, hit.score) for hit in index.search(collection, "syntactic", [1, 0, 0, 0], k=5)] == [
        ("empty", 0.0),
        ("full", -1.0),
    ]


def test_creates_counts_lists_and_deletes(index: VectorIndex, collection: str) -> None:
    assert index.count(collection) == 0
    index.create(collection, VIEWS)
    index.add(collection, [point("a", [1, 0, 0, 0])])
    index.create(collection, {"other": 7})  # kept as it is
    assert index.count(collection) == 1
    index.create(collection + "-2", VIEWS)
    assert [name for name in index.collections() if name.startswith(collection)] == [collection, collection + "-2"]
    index.delete(collection)
    index.delete(collection)
    assert index.count(collection) == 0
    assert collection not in index.collections()


def test_a_collection_made_anew_may_have_other_views(index: VectorIndex, collection: str) -> None:
    index.create(collection, VIEWS)
    index.add(collection, [point("a", [1, 0, 0, 0])])
    index.delete(collection)
    index.create(collection, {"syntactic": 2})
    index.add(collection, [point("a", [1, 0])])
    assert index.read(collection, "syntactic")[2].shape == (1, 2)


def test_names_a_missing_collection_and_what_to_do(index: VectorIndex, collection: str) -> None:
    for ask in (
        lambda: index.search(collection, "syntactic", [1, 0, 0, 0], k=1),
        lambda: index.read(collection, "syntactic"),
        lambda: index.add(collection, [point("a", [1, 0, 0, 0])]),
    ):
        with pytest.raises(BackendError) as caught:
            ask()
        assert collection in caught.value.what and caught.value.fix


def test_refuses_a_point_that_does_not_fit_and_writes_none(index: VectorIndex, collection: str) -> None:
    index.create(collection, VIEWS)
    for bad in (
        Point("a", "syntactic", [1, 0, 0]),
        Point("a", "syntactic", [1, 0, 0, float("nan")]),
        Point("a", "unknown", [1, 0, 0, 0]),
        Point("", "syntactic", [1, 0, 0, 0]),
        Point("\ud800", "syntactic", [1, 0, 0, 0]),
        Point("a", "syntactic", [1, 0, 0, 0], {"x": float("inf")}),
        Point("a", "syntactic", [1, 0, 0, 0], {"x": "\udfff"}),
        Point("a", "syntactic", [1, 0, 0, 0], {"_kgnb": 1}),
        Point("a", "syntactic", [1, 0, 0, 0], {'a"b': 1}),
    ):
        with pytest.raises(ValueError):
            index.add(collection, [point("good", [1, 0, 0, 0]), bad])
        assert index.count(collection) == 0, bad


def test_refuses_a_name_that_some_store_would_take_for_a_path(index: VectorIndex) -> None:
    for name in ("", "..", "a/b", "http://x", "a\0b", "x" * 300):
        with pytest.raises(ValueError):
            index.create(name, VIEWS)
        with pytest.raises(ValueError):
            index.create("fine", {name: 3})
    assert "fine" not in index.collections()


def test_refuses_bad_arguments_to_a_search(index: VectorIndex, collection: str) -> None:
    index.create(collection, VIEWS)
    with pytest.raises(ValueError):
        index.search(collection, "syntactic", [1, 0, 0, 0], k=0)
    with pytest.raises(ValueError):
        index.search(collection, "unknown", [1, 0, 0, 0], k=1)
    with pytest.raises(ValueError):
        index.search(collection, "syntactic", [1, 0], k=1)
    with pytest.raises(ValueError):
        index.create(collection + "-x", {})


def test_gives_hostile_text_back_unchanged(index: VectorIndex, collection: str) -> None:
    nasty = "'; DROP TABLE x; -- \" \\ \n\t <script>alert(1)</script> {{7*7}} 漢字 \u202e \x00"
    index.create(collection, VIEWS)
    index.add(collection, [Point(nasty, "syntactic", [1, 0, 0, 0], {"text": nasty})])
    (hit,) = index.search(collection, "syntactic", [1, 0, 0, 0], k=3, where={"text": nasty})
    assert (hit.id, hit.payload) == (nasty, {"text": nasty})


def test_searches_from_several_threads_alike(index: VectorIndex, collection: str, unit: Callable[..., Vectors]) -> None:
    vectors = unit(200, 4)
    index.create(collection, VIEWS)
    index.add(collection, [point(f"{row}", vectors[row].tolist()) for row in range(200)])
    queries = unit(12, 4, seed=1).tolist()
    alone = [index.search(collection, "syntactic", query, k=5) for query in queries]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda query: index.search(collection, "syntactic", query, k=5), queries)) == alone


def test_closing_twice_is_allowed(index: VectorIndex) -> None:
    index.close()
    index.close()
