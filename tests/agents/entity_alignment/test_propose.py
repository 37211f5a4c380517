"""Candidates and the first alignment, on small worlds whose answer is known."""

from typing import get_args

import numpy as np
import pytest

from kgnb.agents.entity_alignment import candidates, comparison, names
from kgnb.agents.entity_alignment.graphs import EntityGraph
from kgnb.agents.entity_alignment.propose import propose
from kgnb.agents.entity_alignment.values import (
    NO_CANDIDATE,
    Assignment,
    Options,
    Proposal,
)
from kgnb.vectors.character_embedder import CharacterEmbedder
from tests.agents.entity_alignment.graphs_at_hand import World, without_values, world
from tests.benchmarks.scale.entity_alignment import Kept, generated

EMBEDDER = CharacterEmbedder(256)


def hits(found: Proposal, answers: np.ndarray) -> float:
    """Share of the sources with a counterpart whose best candidate it is."""
    wanted = answers[found.sources]
    return float(np.mean(found.candidates[wanted >= 0, 0] == wanted[wanted >= 0]))


def graph(
    name: str, names: list[str], triples: list[tuple[int, int, int]] | None = None
) -> EntityGraph:
    rows = np.array(triples or [], dtype=np.int32).reshape(-1, 3)
    entities = tuple(f"http://{name}.example/{number}" for number in range(len(names)))
    return EntityGraph(name, entities, tuple(names), ("http://r.example/near",), rows)


def seeds_of(given: World, number: int) -> np.ndarray:
    known = np.flatnonzero(given.answers >= 0)[:number]
    return np.column_stack([known, given.answers[known]])


@pytest.mark.parametrize("assignment", get_args(Assignment))
def test_finds_misspelt_entities_by_names_and_structure(assignment: str) -> None:
    given = world()
    found = propose(
        without_values(given.left),
        without_values(given.right),
        EMBEDDER,
        Options(assignment=assignment),
    )
    assert hits(found, given.answers) >= 0.97


def test_finds_most_without_any_name_from_a_third_of_seeds() -> None:
    given = world(300, degree=8.0)
    sources = np.arange(100, 300)
    found = propose(
        without_values(given.left),
        without_values(given.right),
        EMBEDDER,
        Options(names="hidden"),
        seeds_of(given, 100),
        sources=sources,
        targets=given.answers[sources],
    )
    assert hits(found, given.answers) >= 0.9
    assert "names hidden" in found.notes


def test_seeds_are_kept_whatever_the_names_say() -> None:
    left, right = graph("a", ["Hut", "Inn"]), graph("b", ["Inn", "Hut"])
    found = propose(left, right, EMBEDDER, Options(confidence=0.0), seeds=[(0, 0)])
    assert found.first.tolist() == [0, 1]
    assert propose(left, right, EMBEDDER, seeds=[(0, 0)]).first.tolist() == [
        0,
        -1,
    ]  # one alone tells nothing
    assert found.confidence[0] == 1.0


def test_the_same_input_gives_the_same_proposal() -> None:
    given = world(120)
    one, again = (
        propose(given.left, given.right, EMBEDDER, Options(), seeds_of(given, 20)) for _ in range(2)
    )
    np.testing.assert_array_equal(one.candidates, again.candidates)
    np.testing.assert_array_equal(one.scores, again.scores)
    np.testing.assert_array_equal(one.first, again.first)


def test_candidates_are_best_first_without_repeats_and_within_the_targets() -> None:
    given = world(120)
    targets = np.arange(0, 120, 2)
    found = propose(given.left, given.right, EMBEDDER, Options(k=7), targets=targets)
    assert found.candidates.shape == (120, 7)
    for row in found.candidates:
        kept = row[row >= 0]
        assert len(set(kept)) == len(kept)
        assert set(kept) <= set(targets)
    assert (np.diff(found.scores, axis=1) <= 1e-6).all()
    assert ((found.scores >= 0) & (found.scores <= 1)).all()
    assert ((found.confidence >= 0) & (found.confidence <= 1)).all()


def test_one_target_is_given_once_unless_many_may_have_it() -> None:
    left = graph("a", ["Hut", "hut", "HUT", "Inn"])
    right = graph("b", ["Hut", "Inn", "Tree", "Lake"])
    once = propose(left, right, EMBEDDER, Options(confidence=0.0))
    often = propose(left, right, EMBEDDER, Options(confidence=0.0, cardinality="n:1"))
    given = once.first[once.first >= 0].tolist()
    assert len(set(given)) == len(given)
    assert often.first.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("assignment", get_args(Assignment))
def test_nothing_to_compare_is_no_failure(assignment: str) -> None:
    for left, right in (([], []), ([], ["Hut"]), (["Hut"], []), ([""], [""]), (["Hut"], [""])):
        found = propose(
            graph("a", left), graph("b", right), EMBEDDER, Options(assignment=assignment)
        )
        assert found.first.tolist() == [-1] * len(left)
        assert {found.why(row) for row in range(len(found))} <= {NO_CANDIDATE}
        assert found._repr_mimebundle_()["text/plain"]


def test_entities_may_be_named_by_iri_or_index() -> None:
    given = world(60)
    by_index = propose(
        given.left,
        given.right,
        EMBEDDER,
        Options(),
        [(0, int(given.answers[0]))],
        [1, 2],
        [3, 4, 5],
    )
    by_iri = propose(
        given.left,
        given.right,
        EMBEDDER,
        Options(),
        [(given.left.entities[0], given.right.entities[int(given.answers[0])])],
        [given.left.entities[1], given.left.entities[2]],
        [given.right.entities[at] for at in (3, 4, 5)],
    )
    np.testing.assert_array_equal(by_index.candidates, by_iri.candidates)
    assert by_index.row(given.left.entities[2]) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"seeds": [(0, 999)]},
        {"seeds": [("x", "y")]},
        {"sources": [-1]},
        {"targets": ["x"]},
        {"sources": [1, 1]},
    ],
)
def test_refuses_what_is_in_neither_graph(wrong: dict[str, list[object]]) -> None:
    given = world(20)
    with pytest.raises(ValueError, match=r"is not in|beyond|twice"):
        propose(given.left, given.right, EMBEDDER, **wrong)  # type: ignore[arg-type]


def test_two_large_graphs_keep_what_they_reach_in_fewer_dimensions_and_half_precision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left, right = generated(600)
    embedder = Kept([*dict.fromkeys((*left.names, *right.names))])
    plain = propose(left, right, embedder, Options(rounds=1))
    for module in (names, comparison):
        monkeypatch.setattr(module, "LARGE", 100)
    monkeypatch.setattr("kgnb.agents.entity_alignment.propose._BLOCK", 1000)
    monkeypatch.setattr(candidates, "MOST", 200)
    everyone = comparison.asked(left, right, (), None, None, Options())
    ready = comparison.compare(left, right, embedder, everyone, Options())
    assert ready.names and ready.names[0].vectors.shape[1] == 256
    assert {ready.names[0].meaning.dtype, ready.hops[0][0].dtype} == {np.dtype(np.float16)}
    large = propose(left, right, embedder, Options(rounds=1))
    reached = [float(np.mean(found.first == np.arange(600))) for found in (plain, large)]
    assert min(reached) >= 0.97 and abs(reached[0] - reached[1]) <= 0.01
    assert np.array_equal(large.first, propose(left, right, embedder, Options(rounds=1)).first)


def test_odd_and_equal_names_are_no_failure() -> None:
    for called in (
        ["Hut"] * 12,
        ["!!!"] * 12,
        ["東京", "京都", "Москва", "\u0600\u0301x", "  ", "١٢٣"] * 2,
    ):
        found = propose(graph("a", called), graph("b", called[::-1]), EMBEDDER)
        assert len(found.first) == 12 and np.isfinite(found.confidence).all()
