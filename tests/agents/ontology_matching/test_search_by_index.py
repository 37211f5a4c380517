"""Candidates that an index finds by itself, as it does for large ontologies."""

from collections.abc import Iterator

import pytest

from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.values import Described, Found
from kgnb.kg.ontology import Entity, Ontology, Text
from kgnb.vectors.character_embedder import CharacterEmbedder
from kgnb.vectors.index import MemoryIndex, VectorIndex
from kgnb.vectors.qdrant_index import QdrantIndex
from tests.vectors.qdrant_shim import QdrantShim

PARTS = ("upper", "lower", "left", "inner", "deep")
ORGANS = ("artery", "bone", "muscle", "nerve", "vein", "gland")
RECALL = 0.995


@pytest.fixture
def shim() -> Iterator[QdrantShim]:
    """Speaks a Qdrant server's wire; it compares all, where a server follows its graph."""
    shim = QdrantShim()
    yield shim
    shim.stop()


@pytest.fixture
def index(shim: QdrantShim) -> Iterator[VectorIndex]:
    index = QdrantIndex(shim.url)
    yield index
    index.close()


def bodies(*, languages: tuple[str, str] = ("en", "en")) -> Described:
    """Two ontologies of body parts, classes and properties, with names in different orders."""
    sides = []
    for side, language, form in zip("ab", languages, ("{} {}", "{1} ({0})"), strict=True):
        entities = [
            Entity(
                f"http://{side}.example/{kind[0]}{number}",
                kind,
                labels=(Text(form.format(part, organ), language),),
                parents=(f"http://{side}.example/c{number // 6 * 6}",) if number % 6 else (),
            )
            for kind in ("class", "object property")
            for number, (part, organ) in enumerate((p, o) for p in PARTS for o in ORGANS)
        ]
        sides.append(Ontology(side, "", side, tuple(entities)))
    return retrieve(*sides)


def candidates(found: Found) -> set[tuple[str, str, str, str]]:
    views = [ranked for ranked in found.rankings if ranked.view not in ("exact", "related")]
    return {(ranked.view, ranked.direction, ranked.source, ranked.target) for ranked in views}


@pytest.mark.parametrize("languages", [("en", "en"), ("en", "de")])
def test_an_index_finds_nearly_all_candidates_that_comparing_everything_finds(
    index: VectorIndex, languages: tuple[str, str]
) -> None:
    described, embedder = bodies(languages=languages), CharacterEmbedder()
    exact = candidates(search(store(described, MemoryIndex(), embedder)))
    found = candidates(search(store(described, index, embedder), in_memory=0))
    assert len(exact & found) >= RECALL * len(exact) > 200


def test_it_is_asked_in_batches_for_entities_of_one_kind(
    shim: QdrantShim, index: VectorIndex
) -> None:
    stored = store(bodies(), index, CharacterEmbedder())
    search(stored)
    assert not any(path.endswith("/query/batch") for _, path, _, _ in shim.requests)  # few
    found = search(stored, in_memory=0)
    batches = [body for _, path, _, body in shim.requests if path.endswith("/query/batch")]
    assert 6 <= len(batches) <= 24 and all("kind" in str(one["searches"]) for one in batches)
    assert {r.source.rpartition("/")[2][0] for r in found.rankings} == {"c", "o"}
    for ranked in found.rankings:
        assert ranked.source.rpartition("/")[2][0] == ranked.target.rpartition("/")[2][0]
