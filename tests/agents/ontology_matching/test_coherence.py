"""What contradicts is dropped, and what a reasoner finds is shown."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kgnb.agents.ontology_matching.coherence import Coherence, Hierarchy, check, hermit_jar
from kgnb.kg.loading import load
from kgnb.kg.ontology import Entity
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import Triple
from kgnb.mappings import Alignment, Mapping


def test_a_cycle_is_walked_once() -> None:
    hierarchy = Hierarchy(
        [Entity("one", "class", parents=("two",)), Entity("two", "class", parents=("one",))]
    )
    assert hierarchy.above("one") == {"two"}


A, B = "http://huts.example/a#", "http://huts.example/b#"
HEAD = """
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
SOURCE = """@prefix : <http://huts.example/a#> .
<http://huts.example/a> a owl:Ontology ; owl:imports <http://127.0.0.1:9/never> .
:Hut a owl:Class ; rdfs:label "Hütte" . :Staffed a owl:Class ; rdfs:subClassOf :Hut .
:Person a owl:Class ; owl:disjointWith :Hut . :Warden a owl:Class ; rdfs:subClassOf :Person ,
    [ a owl:Restriction ; owl:onProperty :runs ; owl:someValuesFrom :Hut ] .
:runs a owl:ObjectProperty ; rdfs:range :Hut . :Ada a :Hut , :Person .
:beds a owl:DatatypeProperty ; rdfs:range xsd:nonsense .
"""
TARGET = """@prefix : <http://huts.example/b#> .
:Refuge a owl:Class . :Keeper a owl:Class ; rdfs:subClassOf :Refuge .
:keeps a owl:ObjectProperty ; rdfs:range [ a owl:Class ; owl:unionOf ( :Refuge :Keeper ) ] .
"""
needs_hermit = pytest.mark.skipif(
    not (shutil.which("java") and hermit_jar()),
    reason="needs Java and owlready2: pip install owlready2",
)


def triples(folder: Path, name: str, text: str) -> list[Triple]:
    (folder / name).write_text(HEAD + text, encoding="utf-8")
    graph = OxigraphGraph(name=name)
    load(graph, folder / name)
    return graph.triples()


def checked(folder: Path, *mappings: Mapping, source: str = SOURCE, **given: object) -> Coherence:
    both = triples(folder, "a.ttl", source), triples(folder, "b.ttl", TARGET)
    return check(*both, Alignment(mappings), **given)  # type: ignore[arg-type]


HUT = Mapping(A + "Hut", B + "Refuge", confidence=0.9, source_label="hut")
KEEPER = Mapping(A + "Warden", B + "Keeper", confidence=0.6, source_label="warden")


@needs_hermit
def test_a_contradiction_is_found_with_the_mappings_to_blame(tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    found = checked(tmp_path, HUT, KEEPER, tell=lambda *said: told.append(said))
    assert found.coherent is False
    assert told == [(0, 2, "mappings tried without"), (1, 2, "mappings tried without")]
    assert set(found.unsatisfiable) == {A + "Warden", B + "Keeper"}
    assert [(one.mapping, one.left) for one in found.involved] == [(KEEPER, 0), (HUT, 0)]
    text = str(found.table())
    assert "incoherent: the mappings make 2 classes unsatisfiable" in text and "warden" in text


@needs_hermit
def test_subsumptions_count_and_what_is_only_related_does_not(tmp_path: Path) -> None:
    related = Mapping(A + "Warden", B + "Keeper", "related")
    found = checked(tmp_path, HUT, related, Mapping(A + "Person", B + "Keeper", "narrower"))
    assert found.unsatisfiable == (B + "Keeper",)


@needs_hermit
def test_what_was_impossible_before_is_told_apart(tmp_path: Path) -> None:
    impossible = SOURCE + ":Nobody a owl:Class ; rdfs:subClassOf :Hut , :Person .\n"
    found = checked(tmp_path, HUT, replace(KEEPER, relation="broader"), source=impossible)
    assert found.before == (A + "Nobody",) and found.unsatisfiable == (A + "Warden",)
    assert "; 1 were so before" in str(found)


@needs_hermit
def test_iris_in_any_script_are_recognised(tmp_path: Path) -> None:
    impossible = SOURCE + ":Wärter𝒳 a owl:Class ; rdfs:subClassOf :Person .\n"
    found = checked(tmp_path, HUT, Mapping(A + "Wärter𝒳", B + "Keeper"), source=impossible)
    assert A + "Wärter𝒳" in found.unsatisfiable
    found = checked(
        tmp_path, HUT, Mapping(A + "runs", B + "keeps", kind="object property"), source=impossible
    )
    assert (
        found.coherent
        and str(found) == "coherent: the mappings make no class unsatisfiable (HermiT)"
    )


@needs_hermit
def test_too_little_time_is_no_verdict(tmp_path: Path) -> None:
    found = checked(tmp_path, HUT, seconds=0.01)
    assert found.coherent is None and "--seconds" in str(found)


def test_without_java_or_the_jar_nothing_is_checked_and_the_result_says_how_to_get_it(
    tmp_path: Path,
) -> None:
    found = checked(tmp_path, HUT, java="no-such-java")
    assert str(found) == "not checked: Java is not installed (any JRE from version 8 on will do)"
    found = checked(tmp_path, HUT, java=sys.executable, jar=tmp_path / "none.jar")
    assert found.coherent is None and "pip install owlready2" in str(found)
    assert set(found._repr_mimebundle_()) == {"text/plain"}


def test_a_program_that_is_no_java_is_reported_not_raised(tmp_path: Path) -> None:
    (tmp_path / "fake.jar").write_bytes(b"")
    found = checked(tmp_path, HUT, java=sys.executable, jar=tmp_path / "fake.jar")
    assert "HermiT refused" in str(found)
