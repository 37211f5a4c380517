"""The small ontologies, carried as far as a stage's test needs them."""

import pytest

from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.values import Described, Found, Stored, Summarised
from kgnb.vectors.character_embedder import CharacterEmbedder
from kgnb.vectors.index import MemoryIndex
from tests.agents.ontology_matching.small import alpine, refuge


@pytest.fixture
def described() -> Described:
    return retrieve(alpine(), refuge())


@pytest.fixture
def stored(described: Described) -> Stored:
    return store(described, MemoryIndex(), CharacterEmbedder())


@pytest.fixture
def found(stored: Stored) -> Found:
    return search(stored)


@pytest.fixture
def summarised(found: Found) -> Summarised:
    return summarise(found)
