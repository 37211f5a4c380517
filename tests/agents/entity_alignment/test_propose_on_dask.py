"""Candidates found by the workers of a Dask cluster: the same proposal, byte for byte."""

import sys
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from kgnb.agents.entity_alignment import candidates, comparison, relations
from kgnb.agents.entity_alignment.propose import propose
from kgnb.agents.entity_alignment.values import Options, Proposal
from kgnb.errors import BackendError
from kgnb.vectors.character_embedder import CharacterEmbedder
from tests.benchmarks.scale.entity_alignment import generated

distributed: Any = pytest.importorskip(
    "distributed", reason="the extra kgnb[dask] is not installed"
)
ARRAYS = (
    "candidates",
    "similarities",
    "scores",
    "evidence",
    "first",
    "reasons",
    "margin",
    "confidence",
)


def bytes_of(proposal: Proposal) -> dict[str, bytes]:
    return {name: np.ascontiguousarray(getattr(proposal, name)).tobytes() for name in ARRAYS}


def looked() -> bool:
    """Whether a worker has loaded what looks for candidates."""
    return "kgnb.vectors.close_pairs" in sys.modules


@pytest.mark.slow
def test_two_workers_find_what_one_process_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = generated(300)
    options = Options(rounds=1)
    monkeypatch.setattr(relations, "_SENT", 100)
    in_blocks = partial(candidates.nearest_pairs, block_rows=64)
    monkeypatch.setattr(comparison, "nearest_pairs", in_blocks)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        there = replace(options, scheduler=cluster.scheduler_address)
        exact = propose(left, right, CharacterEmbedder(64), there)
        with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
            assert list(client.run(looked).values()) == [True, True]
        monkeypatch.setattr(candidates, "EXACT_UP_TO", 200)
        near = propose(left, right, CharacterEmbedder(64), there)
    assert bytes_of(near) == bytes_of(propose(left, right, CharacterEmbedder(64), options))
    monkeypatch.undo()
    assert bytes_of(exact) == bytes_of(propose(left, right, CharacterEmbedder(64), options))
    assert exact.counts()["matched"] > 250


def test_a_cluster_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = generated(20)
    with pytest.raises(BackendError, match="no Dask scheduler answers at tcp://127.0.0.1:9"):
        propose(left, right, CharacterEmbedder(64), Options(scheduler="tcp://127.0.0.1:9"))
