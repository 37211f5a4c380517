import json
import random
import re
from typing import get_args

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import OWL, RDF, RDFS, BNode, Graph, Literal, URIRef

from kgnb import compile_ontology
from kgnb.agents.kg_construction.compile import compile
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.tool_values import ToolKind
from kgnb.kg.rdflib_graph import RdflibGraph
from tests.agents.kg_construction.kitchen import (
    OM,
    PREFIXES,
    TBOX,
    K,
    graph_of,
    kitchen,
    opened,
    pack_of,
)


@pytest.fixture(scope="module")
def pack() -> ToolPack:
    return kitchen()


def test_each_class_and_property_has_its_tools(pack: ToolPack) -> None:
    names = {tool.name: (tool.kind, tool.term) for tool in pack.tools}
    assert names["find_soup"] == ("find", f"{K}Soup")
    assert names["create_soup"] == ("create", f"{K}Soup")
    assert names["add_has_order"] == ("add", f"{K}hasOrder")
    assert {kind for kind, _ in names.values()} == set(get_args(ToolKind))
    assert names["finish"] == ("finish", "")
    assert "create_course" not in names and "find_course" in names  # a closed list cannot grow
    kinds = {
        "allValuesFrom",
        "asymmetric",
        "cardinality",
        "complementOf",
        "datatype",
        "disjointWith",
        "domain",
        "facet",
        "functional",
        "hasValue",
        "inverseFunctional",
        "irreflexive",
        "maxCardinality",
        "minCardinality",
        "oneOf",
        "propertyDisjointWith",
        "range",
        "someValuesFrom",
        "unionOf",
        "unit",
        "sh:maxLength",
        "sh:pattern",
    }
    counts = pack.counts()
    assert kinds <= set(counts["constraints by kind"])
    assert counts["classes"] == 15 and counts["individuals"] == 3 and counts["milliseconds"] > 0
    assert {"property chain", "complement", "transitive property"} <= {
        warning.kind for warning in pack.warnings
    }
    tool = pack.tool("create_dish")
    assert tool.guidance == "Something cooked and served."
    assert any("at most 2 values" in constraint for constraint in tool.constraints)
    assert tool.guidance not in " ".join(tool.constraints)
    with pytest.raises(KeyError, match="create_soup"):
        pack.tool("create_sup")
    loose = compile(graph_of(TBOX), closed_world=False).counts()["constraints by kind"]
    assert "someValuesFrom" not in loose and "hasValue" not in loose and "maxCardinality" in loose


def test_plain_properties_and_classes_named_by_axioms_have_tools_too() -> None:
    pack = pack_of(
        "<urn:o> a owl:Ontology ; owl:imports <https://nowhere.example/x.owl> . "
        ":p a rdf:Property ; rdfs:range :A . :q a rdf:Property ; rdfs:range xsd:date . :r a rdf:Property . "
        ":Hut rdfs:subClassOf [ owl:onProperty :keeper ; owl:someValuesFrom :Person ] . "
        ":Refuge owl:equivalentClass [ owl:unionOf ( :Hut :Bivouac ) ] . :A a rdfs:Class . "
        ":Short owl:equivalentClass [ a rdfs:Datatype ; owl:oneOf ( 1 2 ) ] . :Short a rdfs:Datatype ."
    )
    assert [warning.about for warning in pack.warnings if warning.kind == "import"] == [
        "https://nowhere.example/x.owl"
    ]
    arguments = {tool.name: set(tool.input_schema["properties"]) for tool in pack.tools}
    assert {"create_hut", "create_refuge", "create_person", "add_keeper"} <= set(arguments)
    assert "create_short" not in arguments
    assert arguments["add_p"] == {"subject", "object"}
    assert arguments["add_q"] == {"subject", "value"}
    assert arguments["add_r"] == {"subject", "object", "value", "language"}


def test_the_order_of_triples_and_the_names_of_blank_nodes_do_not_matter(pack: ToolPack) -> None:
    expected = pack.files()
    for seed in range(2):
        triples = list(Graph().parse(data=TBOX, format="turtle"))
        random.Random(seed).shuffle(triples)
        renamed: dict[BNode, BNode] = {}
        shuffled = Graph()
        for triple in triples:
            shuffled.add(
                tuple(renamed.setdefault(t, BNode()) if isinstance(t, BNode) else t for t in triple)
            )
        shuffled.bind("", K)
        assert compile(RdflibGraph(shuffled)).files() == {**expected}


def test_takes_shapes_beside_the_ontology_and_shapes_alone() -> None:
    beside = ":S a sh:NodeShape ; sh:targetClass :A ; sh:property [ sh:path :p ; sh:minCount 1 ] ."
    shapes = Graph().parse(data=PREFIXES + beside, format="turtle")
    tbox = Graph().parse(
        data=PREFIXES + ":A a owl:Class . :p a owl:DatatypeProperty .", format="turtle"
    )
    session = opened(compile_ontology(tbox, shapes=shapes))
    session.call("create_a", {"label": "one"})
    assert [v.constraint for v in session.call("finish").violations] == ["sh:minCount"]
    assert {"create_a", "add_p"} <= {tool.name for tool in pack_of(beside).tools}


ODD = [
    ":A a owl:Class ; rdfs:subClassOf :B . :B rdfs:subClassOf :C . :C rdfs:subClassOf :A .",
    ":A a owl:Class , owl:ObjectProperty , owl:NamedIndividual ; rdfs:domain :A ; rdfs:range :A .",
    ":A a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:unionOf ( :B [ owl:intersectionOf ( :C :D ) ] ) ] .",
    "_:x a owl:Class ; rdfs:subClassOf :A . :A rdfs:subClassOf _:x .",
    ":p a rdf:Property . :q a rdf:Property ; rdfs:range rdfs:Class .",
    "_:l rdf:first :A ; rdf:rest _:l . :B a owl:Class ; owl:equivalentClass [ owl:unionOf _:l ] .",
    "_:a owl:complementOf _:a . :B a owl:Class ; rdfs:subClassOf _:a .",
    ':A a owl:Class ; rdfs:subClassOf "nonsense" ; rdfs:label "" .',
    ":A a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:minCardinality 'many' ] .",
    ":A rdfs:subClassOf owl:Nothing . :p a owl:DatatypeProperty ; rdfs:range :undeclared .",
    ":s a sh:NodeShape ; sh:targetClass :A ; sh:property [ sh:path [ sh:inversePath [ ] ] ; sh:minCount 'x' ] .",
    ":s a sh:NodeShape ; sh:targetClass :A ; sh:node :s ; sh:property [ sh:path :p ; sh:pattern '(' ] .",
    "",
]


def test_compiles_odd_ontologies() -> None:
    for turtle in ODD:
        pack = pack_of(turtle)
        assert len({tool.name for tool in pack.tools}) == len(pack.tools)
        Graph().parse(data=pack.shacl(), format="turtle")
        session = opened(pack)
        for tool in pack.of_kind("create"):
            session.call(tool.name, {"label": "one"})
        assert isinstance(session.validate(), tuple)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.text(max_size=90), min_size=1, max_size=6),
    st.sampled_from([OWL.Class, OWL.ObjectProperty]),
)
def test_names_are_valid_for_function_calling(labels: list[str], kind: URIRef) -> None:
    graph = Graph()
    for at, label in enumerate(labels):
        iri = URIRef(f"https://x.example/C_{at:07d}")
        graph.add((iri, RDF.type, kind))
        if "\x00" not in label:
            graph.add((iri, RDFS.label, Literal(label)))
    names = [tool.name for tool in compile(RdflibGraph(graph)).tools]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names)


def test_same_names_in_two_namespaces_stay_apart_and_readable() -> None:
    pack = pack_of(
        "@prefix o: <https://other.example/> . :Hut a owl:Class . :Bed a owl:Class . o:Hut a owl:Class ; "
        'rdfs:label "Hütte"@de . :hut a owl:ObjectProperty .'
    )
    names = {tool.term: tool.name for tool in pack.of_kind("create")}
    assert names[f"{K}Hut"] == "create_hut"
    assert re.fullmatch(r"create_(o_hut|hut_[0-9a-f]{6})", names["https://other.example/Hut"])
    assert "add_hut" in {tool.name for tool in pack.tools}


def test_schemas_are_valid(pack: ToolPack) -> None:
    for tool in pack.tools:
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)


def test_the_plan_begins_with_top_level_classes_and_uses_every_tool(pack: ToolPack) -> None:
    place = {iri: step.number for step in pack.plan for iri in step.classes}
    assert place[f"{K}Dish"] < place[f"{K}Step"] < place[f"{OM}Temperature"]
    assert {tool.term for tool in pack.of_kind("create")} == set(place)
    planned = {name for step in pack.plan for name in step.tools}
    assert {tool.name for tool in pack.of_kind("add", "create")} <= planned
    first = json.loads(pack.plan_json())["steps"][0]["tool_groups"]
    assert first["always"] == ["inspect", "replace", "retract", "missing", "finish"]


def test_a_list_beside_a_datatype_does_not_close_a_property() -> None:
    either = (
        "[ a rdfs:Datatype ; owl:unionOf ( xsd:boolean [ a rdfs:Datatype ; owl:oneOf ( 0 1 ) ] ) ]"
    )
    hut = ":Hut a owl:Class . :open a owl:DatatypeProperty ; rdfs:domain :Hut ; rdfs:range"
    session = opened(pack_of(f"{hut} {either} ."))
    hut = session.call("create_hut", {"label": "Ambre"}).iri
    answers = {
        str(v): session.call("add_open", {"subject": hut, "value": v}).ok
        for v in (True, 0, 1, 7, "maybe")
    }
    assert answers == {"True": True, "0": True, "1": True, "7": False, "maybe": False}


def test_properties_between_large_hierarchies_do_not_slow_down_the_plan() -> None:
    classes = "".join(f":C{n} a owl:Class ; rdfs:subClassOf :C{n // 2} . " for n in range(1, 600))
    pack = pack_of(
        f"{classes} :C0 a owl:Class . :leads a owl:ObjectProperty ; rdfs:domain :C0 ; rdfs:range :C0 . "
        ":D a owl:Class . :has a owl:ObjectProperty ; rdfs:domain :D ; rdfs:range :C0 ."
    )
    assert [len(step.classes) for step in pack.plan] == [1, 600]
    assert pack.milliseconds < 30_000
