"""How long loading and reading a real ontology takes, beside plain rdflib in the same run. Prints; machines are noisy.

python -m pytest -m benchmark -s tests/benchmarks/kg/test_speed.py
"""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
import rdflib
from rdflib.namespace import OWL, RDF, RDFS

from kgnb.kg.loading import load
from kgnb.kg.ontology_reader import read_ontology
from kgnb.kg.oxigraph_graph import OxigraphGraph

pytestmark = pytest.mark.benchmark


def seconds(work: Callable[[], object]) -> float:
    """How long one run takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def test_human_anatomy_loads_and_reads_beside_rdflib_that_only_parses_it(benchmark_data: Path) -> None:
    path = benchmark_data / "oaei-anatomy" / "human.owl"

    def ours() -> None:
        graph = OxigraphGraph()
        load(graph, path)
        assert len(read_ontology(graph).of_kind("class")) == 3298

    def theirs() -> None:
        graph = rdflib.Graph().parse(str(path), format="xml")
        labels = {c: graph.value(c, RDFS.label) for c in graph.subjects(RDF.type, OWL.Class)}
        assert len(labels) >= 3298

    loading, both, plain = seconds(lambda: load(OxigraphGraph(), path)), seconds(ours), seconds(theirs)
    print(
        f"\nhuman.owl: load {loading:.2f} s, load and read {both:.2f} s;"
        f" rdflib parse and labels {plain:.2f} s: {plain / both:.1f} times as long"
    )
