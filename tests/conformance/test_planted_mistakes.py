"""Show 1 on our own T-Box: every planted mistake is refused by name, every twin accepted, and pyshacl agrees."""

import pytest

from kgnb.reporting.kg_construction import PLANTED
from kgnb.tasks.building import compile_ontology
from tests.agents.kg_construction.kitchen import kitchen, pack_of
from tests.conformance.agreement import agreement
from tests.conformance.planting import plant


@pytest.fixture(scope="module")
def planted():
    pack = kitchen()
    return pack, plant(pack)


def test_every_mistake_is_refused_by_name_and_every_twin_accepted(planted) -> None:
    pack, found = planted
    tried = [one for one in found if one.case is not None]
    assert [(one.kind, one.note) for one in tried if not one.fine] == []
    assert {one.kind for one in tried} >= set(pack.counts()["constraints by kind"]) - {"sh:minLength"}


def test_what_no_call_can_break_is_listed(planted) -> None:
    _, found = planted
    assert {one.about.rsplit("#", 1)[-1] for one in found if one.case is None} <= {"Course"}


def test_pyshacl_agrees_on_everything(planted) -> None:
    pack, found = planted
    compared = agreement(pack, found)
    assert compared.whole, compared.differences[:5]
    assert compared.illegal >= sum(one.fine for one in found)


def counted() -> list[tuple[str, int, int, int]]:
    """By kind of constraint: mistakes planted, refused and rightly named, and legal twins accepted."""
    rows: dict[str, list[int]] = {}
    for pack in (kitchen(), compile_ontology("huts:kitchen", "huts:kitchen-shapes"), pack_of(SHAPED), pack_of(NESTED)):
        for one in plant(pack):
            if one.case is not None:
                row = rows.setdefault(one.kind, [0, 0, 0])
                for at, fine in enumerate((True, one.refused and one.named, one.accepted)):
                    row[at] += fine
    return [(kind, *rows[kind]) for kind in sorted(rows)]  # type: ignore[misc]


def test_the_results_that_the_report_shows_are_these() -> None:
    assert [(kind, number, number, number) for kind, number in PLANTED.items()] == counted()


def test_a_class_without_possible_instances_is_reported() -> None:
    pack = pack_of(":A a owl:Class ; owl:disjointWith :B . :B a owl:Class . :C a owl:Class ; rdfs:subClassOf :A , :B .")
    assert "unsatisfiable class" in {warning.kind for warning in pack.warnings}
    assert not pack.session().call("create_c", {"label": "x"}).ok


def test_a_class_with_impossible_demands_is_reported_and_not_planted() -> None:
    pack = pack_of(
        ":Pizza a owl:Class ; owl:disjointWith :Ice . :Fruit a owl:Class . :Cone a owl:Class ; rdfs:subClassOf :Ice ."
        ":Ice a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :top ; owl:someValuesFrom :Fruit ] ."
        ":Shop a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :sells ; "
        "owl:minQualifiedCardinality 1 ; owl:onClass :Cone ] . :sells a owl:ObjectProperty ."
        ":top a owl:ObjectProperty ; rdfs:subPropertyOf :on . :on a owl:ObjectProperty ; rdfs:domain :Pizza ."
    )
    told = {one.about.rsplit("#", 1)[-1]: one.text for one in pack.warnings if one.kind == "unsatisfiable class"}
    assert set(told) == {"Ice", "Cone", "Shop"}
    assert "Pizza" in told["Ice"]
    assert pack.tool("create_ice").description.startswith("Do not call it: nothing can be a")
    assert not pack.tool("create_pizza").description.startswith("Do not call it")
    assert [one.note for one in plant(pack) if one.case is not None and not one.fine] == []


SHAPED = """
:S a sh:NodeShape ; sh:targetClass :Hut ; sh:property
  [ sh:path :name ; sh:minCount 1 ; sh:maxCount 1 ; sh:datatype xsd:string ; sh:pattern "^[A-Z]{2}-[0-9]+$" ] ,
  [ sh:path :level ; sh:hasValue :high ] , [ sh:path :state ; sh:in ( "open" "closed" :other ) ] ,
  [ sh:path :lab ; sh:languageIn ( "en" "de" ) ; sh:uniqueLang true ] ,
  [ sh:path [ sh:inversePath :lives ] ; sh:maxCount 2 ] , [ sh:path [ sh:alternativePath ( :a :b ) ] ; sh:maxCount 1 ] ,
  [ sh:path :start ; sh:lessThan :end ] , [ sh:path :one ; sh:equals :same ] , [ sh:path :left ; sh:disjoint :right ] ,
  [ sh:path :guard ; sh:node :PS ] ,
  [ sh:path :q ; sh:qualifiedValueShape [ sh:class :Person ] ; sh:qualifiedMinCount 1 ; sh:qualifiedMaxCount 2 ] .
:PS a sh:NodeShape ; sh:targetClass :Person ; sh:property [ sh:path :phone ; sh:maxCount 1 ] .
:T a sh:NodeShape ; sh:targetObjectsOf :owns ; sh:property [ sh:path :price ; sh:minCount 1 ] .
:X a sh:NodeShape ; sh:targetNode :me ; sh:property [ sh:path :k ; sh:minCount 1 ] .
"""
NESTED = """
:A a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom
    [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] ] ,
  [ a owl:Restriction ; owl:onProperty :q ; owl:allValuesFrom
    [ a owl:Restriction ; owl:onProperty :q ; owl:allValuesFrom :B ] ] ,
  [ a owl:Restriction ; owl:onProperty :says ; owl:hasValue "hello"@en ] ,
  [ a owl:Class ; owl:unionOf ( :C [ a owl:Class ; owl:complementOf :D ] ) ] .
:B a owl:Class . :C a owl:Class . :D a owl:Class . :p a owl:ObjectProperty . :q a owl:ObjectProperty .
:says a owl:DatatypeProperty . :t a owl:ObjectProperty , owl:AsymmetricProperty ; rdfs:domain :B ; rdfs:range :C .
:word a owl:DatatypeProperty ; rdfs:domain :B ; rdfs:range rdf:langString .
:code a owl:DatatypeProperty ; rdfs:domain :B ; rdfs:range xsd:base64Binary .
:many a owl:DatatypeProperty ; rdfs:domain :B ; rdfs:range
  [ a rdfs:Datatype ; owl:onDatatype xsd:integer ; owl:withRestrictions ( [ xsd:minInclusive "3" ] ) ] .
:year a owl:DatatypeProperty ; rdfs:domain :B ; rdfs:range
  [ a rdfs:Datatype ; owl:onDatatype xsd:gYear ; owl:withRestrictions ( [ xsd:minInclusive "1900"^^xsd:gYear ] ) ] .
:w a owl:ObjectProperty ; owl:propertyDisjointWith "nonsense" .
"""


@pytest.mark.parametrize(("turtle", "least"), [(SHAPED, 17), (NESTED, 16)], ids=["shapes", "nested"])
def test_mistakes_against_shapes_and_nested_expressions_have_twins_too(turtle: str, least: int) -> None:
    pack = pack_of(turtle)
    found = plant(pack)
    tried = [one for one in found if one.case is not None]
    assert [(one.kind, one.note) for one in tried if not one.fine] == []
    assert len(tried) >= least
    compared = agreement(pack, found)
    assert compared.whole, compared.differences[:5]


def test_an_incomparable_facet_is_reported_and_not_enforced() -> None:
    pack = pack_of(NESTED)
    assert {w.about.rsplit("#", 1)[-1] for w in pack.warnings if w.kind in ("facet", "malformed axiom")} == {
        "year",
        "w",
    }
