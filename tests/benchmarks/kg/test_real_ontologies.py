"""Real ontologies load, and hold what was counted in them by script."""

from collections import Counter
from pathlib import Path

import pytest

from kgnb.kg.loading import load
from kgnb.kg.ontology import Ontology
from kgnb.kg.ontology_reader import read_ontology
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import Iri, Literal

pytestmark = pytest.mark.benchmark
OBO_IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"


def opened(path: Path) -> OxigraphGraph:
    graph = OxigraphGraph(name=path.name)
    load(graph, path)
    return graph


def counts(ontology: Ontology) -> tuple[int, int, int]:
    kinds = Counter(entity.kind for entity in ontology)
    return kinds["class"], kinds["object property"], kinds["datatype property"]


COUNTED = {
    "cmt": (29, 49, 10),
    "conference": (59, 46, 18),
    "confof": (38, 13, 23),
    "edas": (103, 30, 20),
    "ekaw": (73, 33, 0),
    "iasted": (140, 38, 3),
    "sigkdd": (49, 17, 11),
}


def test_conference_ontologies_have_the_counted_entities(benchmark_data: Path) -> None:
    for name, expected in COUNTED.items():
        ontology = read_ontology(
            opened(benchmark_data / "oaei-conference" / "ontologies" / f"{name}.owl")
        )
        assert counts(ontology) == expected, name
        assert not any(entity.labels for entity in ontology)


@pytest.mark.parametrize(("name", "declared"), [("mouse", 2744), ("human", 3304)])
def test_anatomy_ontologies_have_the_counted_classes_with_labels(
    benchmark_data: Path, name: str, declared: int
) -> None:
    graph = opened(benchmark_data / "oaei-anatomy" / f"{name}.owl")
    rows = graph.select(
        "SELECT DISTINCT ?c { ?c a <http://www.w3.org/2002/07/owl#Class> FILTER(isIRI(?c)) }"
    ).rows
    assert len(rows) == declared
    meta = {
        str(row[0])
        for row in rows
        if str(row[0]).startswith((OBO_IN_OWL, "http://www.w3.org/2002/07/owl#"))
    }
    assert len(meta) < 8
    classes = read_ontology(graph).of_kind("class")
    assert {entity.iri for entity in classes} == {str(row[0]) for row in rows} - meta
    assert all(entity.labels for entity in classes)


def test_anatomy_synonyms_are_read_from_the_nodes_they_are(benchmark_data: Path) -> None:
    graph = opened(benchmark_data / "oaei-anatomy" / "human.owl")
    linked = graph.select(
        f"""SELECT DISTINCT ?c ?text {{ ?c <{OBO_IN_OWL}hasRelatedSynonym> ?node .
        ?node <http://www.w3.org/2000/01/rdf-schema#label> ?text }}"""
    )
    expected = {
        (str(c), text.text.strip())
        for c, text in linked
        if isinstance(c, Iri) and isinstance(text, Literal)
    }
    found = {
        (e.iri, t.text)
        for e in read_ontology(graph).of_kind("class")
        for t in (*e.synonyms, *e.labels)
    }
    assert len(expected) > 4000
    assert expected <= found


def test_large_ontologies_have_the_counted_entities(benchmark_data: Path) -> None:
    twice = Counter(
        entity.iri
        for entity in read_ontology(opened(benchmark_data / "oaei-mse/MaterialInformation.owl"))
    )
    assert sum(count == 2 for count in twice.values()) == 16  # each is a class and a property
    emmo = read_ontology(opened(benchmark_data / "oaei-mse/EMMO.owl")).of_kind("class")
    assert len(emmo) == sum(bool(entity.labels) for entity in emmo) == 450
    assert sum(bool(entity.definitions) for entity in emmo) > 200
    tbox = benchmark_data / "twa" / "tbox"
    assert counts(read_ontology(opened(tbox / "om2" / "om-2.0.rdf")))[0] == 813
    assert counts(read_ontology(opened(tbox / "ontospecies" / "ontospecies_v3.owl")))[0] == 189


def test_every_general_vocabulary_loads_and_reads(benchmark_data: Path) -> None:
    folder = benchmark_data / "general"
    paths = [
        path for path in sorted(folder.rglob("*")) if path.is_file() and ".sssom" not in path.name
    ]
    assert len(paths) > 15
    for path in paths:
        graph = opened(path)
        ontology = read_ontology(graph, individuals=True)
        assert len(ontology) > 0, path.name
        assert all(entity.iri for entity in ontology)
    schema = read_ontology(opened(folder / "vocab" / "schema.nq.gz"))
    thing = schema.find("http://schema.org/Thing") or schema.find("https://schema.org/Thing")
    assert thing is not None and len(thing.children) > 5


def test_every_text2kg_ontology_reads(benchmark_data: Path) -> None:
    paths = sorted(
        (benchmark_data / "text2kg" / "dbpedia_webnlg" / "ontologies" / "owl").glob("*.ttl")
    )
    assert len(paths) == 19
    assert all(counts(read_ontology(opened(path)))[0] > 3 for path in paths)


def test_what_is_loaded_from_real_files_can_be_read_back_strictly(
    benchmark_data: Path, tmp_path: Path
) -> None:
    path = benchmark_data / "twa" / "tbox" / "ontocompchem" / "ontocompchem.owl"
    graph = OxigraphGraph()
    report = load(graph, path)
    assert report.mended
    written = tmp_path / "again.nq"
    written.write_bytes(graph.dump())
    again = OxigraphGraph()
    assert load(again, written).mended == ()
    assert again.count() == graph.count()
