from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.values import Described
from kgnb.vectors.character_embedder import CharacterEmbedder, TinyEmbedder
from kgnb.vectors.index import MemoryIndex
from tests.agents.ontology_matching.small import alpine, refuge


def test_a_stored_ontology_is_neither_embedded_nor_written_again(described: Described) -> None:
    index, embedder = MemoryIndex(), TinyEmbedder()
    first = store(described, index, embedder)
    asked = embedder.texts
    second = store(described, index, embedder)
    assert first.written == first.points > 0
    assert (second.written, embedder.texts) == (0, asked)
    assert not set(first.collections) & set(
        store(described, index, CharacterEmbedder()).collections
    )


def test_an_ontology_keeps_its_collection_on_either_side() -> None:
    index, embedder = MemoryIndex(), TinyEmbedder()
    there = store(retrieve(alpine(), refuge()), index, embedder)
    back = store(retrieve(refuge(), alpine()), index, embedder)
    assert back.written == 0
    assert there.collections == back.collections[::-1]
