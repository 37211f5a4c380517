from rdflib import URIRef

from tests.agents.kg_construction.kitchen import opened, pack_of

OM = "http://www.ontology-of-units-of-measure.org/resource/om-2/"
QUDT = "http://qudt.org/schema/qudt/"


def test_units_of_the_ontology_are_used() -> None:
    pack = pack_of(
        "om:Quantity a owl:Class . om:Unit a owl:Class . om:Measure a owl:Class . "
        "om:Warmth a owl:Class ; rdfs:subClassOf om:Quantity , [ a owl:Restriction ; owl:onProperty om:hasValue ; "
        "owl:allValuesFrom [ a owl:Restriction ; owl:onProperty om:hasUnit ; owl:allValuesFrom om:WarmthUnit ] ] . "
        "om:WarmthUnit a owl:Class ; rdfs:subClassOf om:Unit ; owl:equivalentClass [ owl:oneOf ( om:mild om:hot ) ] . "
        'om:mild rdfs:label "mild" ; om:symbol "ml" . om:hot rdfs:label "hot" .'
    )
    schema = pack.tool("create_warmth").input_schema["properties"]["unit"]
    assert schema["enum"][:2] == ["hot", "mild"]
    session = opened(pack)
    wrong = session.call("create_warmth", {"value": 3, "unit": "mildest"})
    assert wrong.violations[0].constraint == "unit" and wrong.violations[0].allowed[0] == "mild"
    assert session.call("create_warmth", {"value": 4, "unit": "ml"}).ok
    assert (
        session.call("create_warmth", {"value": 3, "unit": "mild"}).ok and session.validate() == ()
    )


def test_a_subclass_of_a_known_quantity_has_its_units() -> None:
    pack = pack_of(":BakingHeat a owl:Class ; rdfs:subClassOf om:Temperature .")
    assert pack.counts()["constraints by kind"]["unit"] == 2
    assert opened(pack).call("create_baking_heat", {"value": 180, "unit": "degree Celsius"}).ok


def test_qudt_quantities_are_written_in_qudt() -> None:
    pack = pack_of(
        ":Weight a owl:Class ; rdfs:subClassOf qudt:QuantityValue , [ a owl:Restriction ; "
        "owl:onProperty qudt:hasQuantityKind ; owl:hasValue <http://qudt.org/vocab/quantitykind/Mass> ] ."
    )
    session = opened(pack)
    assert (
        session.call("create_weight", {"value": 2.5, "unit": "hour"}).violations[0].constraint
        == "unit"
    )
    iri = session.call("create_weight", {"value": 2.5, "unit": "kilogram"}).iri
    said = {str(p): str(o) for p, o in session.graph.predicate_objects(URIRef(iri))}
    assert (
        said[f"{QUDT}unit"] == "http://qudt.org/vocab/unit/KiloGM"
        and said[f"{QUDT}numericValue"] == "2.5"
    )
