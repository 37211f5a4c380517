from pathlib import Path

import pytest

from kgnb.agents.entity_alignment.judging_values import LookOptions, Planned, Selected
from kgnb.agents.entity_alignment.names import from_graph
from kgnb.agents.entity_alignment.plan import RulePlanner, plan
from kgnb.agents.entity_alignment.propose import propose
from kgnb.agents.entity_alignment.select import select
from kgnb.agents.entity_alignment.values import Options, Proposal
from kgnb.judging.named import reference_oracle
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.vectors.character_embedder import CharacterEmbedder

HUTS = Path(__file__).parents[3] / "data" / "huts"


def read(name: str):
    graph = OxigraphGraph(name=name)
    load(graph, HUTS / f"{name}.ttl")
    return from_graph(graph)


@pytest.fixture(scope="session")
def truth() -> dict[str, str]:
    lines = (HUTS / "entity-reference.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines)


@pytest.fixture(scope="session")
def proposal() -> Proposal:
    """The two hut catalogues, first aligned without a seed."""
    return propose(
        read("hollenmark"), read("corvane"), CharacterEmbedder(), Options(rounds=1, precision=0.0)
    )


@pytest.fixture(scope="session")
def planned(proposal) -> Planned:
    return plan(proposal, RulePlanner())


@pytest.fixture(scope="session")
def selected(planned) -> Selected:
    return select(planned, options=LookOptions())


@pytest.fixture
def knowing(truth):
    """A simulated judge that is always right."""
    return reference_oracle(truth.items())
