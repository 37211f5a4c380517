"""Indexes of every sort behind one fixture, and unit vectors to put into them."""

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from kgnb.vectors.embedder import Vectors
from kgnb.vectors.index import MemoryIndex, VectorIndex
from kgnb.vectors.qdrant_index import QdrantIndex
from tests.vectors.qdrant_shim import QdrantShim


@pytest.fixture
def shim() -> Iterator[QdrantShim]:
    """A loopback server that speaks Qdrant's wire; not a Qdrant server."""
    shim = QdrantShim()
    yield shim
    shim.stop()


@pytest.fixture(params=["memory", "qdrant-memory", "qdrant-folder", "qdrant-shim", "qdrant-server"])
def index(request: pytest.FixtureRequest, tmp_path: Path, collection: str) -> Iterator[VectorIndex]:
    """An empty index of each sort; the server's row needs KGNB_QDRANT_URL and uses its own
    collection names.
    """
    opened: VectorIndex
    if request.param == "memory":
        opened = MemoryIndex()
    elif request.param == "qdrant-memory":
        opened = QdrantIndex(":memory:")
    elif request.param == "qdrant-folder":
        opened = QdrantIndex(str(tmp_path / "qdrant"))
    elif request.param == "qdrant-shim":
        opened = QdrantIndex(request.getfixturevalue("shim").url)
    else:
        url = os.environ.get("KGNB_QDRANT_URL", "")
        if not url:
            pytest.skip(
                "KGNB_QDRANT_URL names no Qdrant server: the contract did not run against a real one"
            )
        opened = QdrantIndex(url)
    yield opened
    opened.close()
    if request.param == "qdrant-server":  # leave nothing behind on a server of somebody's
        server = QdrantIndex(os.environ["KGNB_QDRANT_URL"])
        for left in server.collections():
            if left.startswith(collection):
                server._client.delete_collection(left)  # type: ignore[union-attr]
        server.close()


@pytest.fixture
def collection() -> str:
    """A collection name nobody else has, for the sake of a shared server."""
    return f"test-{uuid.uuid4().hex}"


@pytest.fixture
def unit() -> Callable[..., Vectors]:
    """Makes seeded random unit vectors: ``unit(rows, dimensions, seed=0)``."""

    def make(rows: int, dimensions: int, seed: int = 0) -> Vectors:
        vectors = np.random.default_rng(seed).standard_normal((rows, dimensions))
        made: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(
            np.float32
        )
        return made

    return make
