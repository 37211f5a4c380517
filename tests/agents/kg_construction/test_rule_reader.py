"""What is taken from notes with a form: a wrong triple is worse than a missing one, and what is refused is reviewed."""

from pathlib import Path

import pytest
import rdflib
from rdflib.namespace import RDF, RDFS

from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.instantiate import Options
from kgnb.llm.model import Reply, ToolCall
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks.building import build_graph, compile_ontology

M = rdflib.Namespace("https://museum.example/")
TBOX = """
@prefix : <https://museum.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Object a owl:Class ; rdfs:label "object" .
:Drawing a owl:Class ; rdfs:subClassOf :Object ; rdfs:label "drawing" .
:Sculpture a owl:Class ; rdfs:subClassOf :Object ; rdfs:label "sculpture"@en , "Skulptur"@de ; skos:altLabel "bust" .
:Material a owl:Class . :marble a :Material ; rdfs:label "marble" .
:Condition a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:oneOf ( :good :fair ) ] .
:good rdfs:label "good" . :fair rdfs:label "fair" .
:Room a owl:Class ; rdfs:label "room" .
:holds a owl:ObjectProperty ; rdfs:domain :Room ; rdfs:range :Object .
:madeOf a owl:ObjectProperty ; rdfs:label "made of" ; rdfs:domain :Object ; rdfs:range :Material .
:condition a owl:ObjectProperty ; rdfs:label "condition" ; rdfs:domain :Object ; rdfs:range :Condition .
:isIn a owl:ObjectProperty ; rdfs:label "is in" ; rdfs:domain :Object ; rdfs:range :Room .
:number a owl:DatatypeProperty ; rdfs:label "inventory number" ; rdfs:domain :Object ; rdfs:range xsd:string .
:heightCm a owl:DatatypeProperty ; rdfs:label "height" ; rdfs:comment "Height in centimetres (cm)." ;
  rdfs:domain :Object ; rdfs:range xsd:decimal .
:depth a owl:DatatypeProperty ; rdfs:label "depth" ; rdfs:domain :Object ; rdfs:range xsd:decimal .
"""
ONTOLOGY = rdflib.Graph().parse(data=TBOX, format="turtle")
PACK = compile_ontology(ONTOLOGY)


def built(text: str, name: str = "note.md") -> Built:
    return build_graph({name: text}, PACK, judge="rule")


def classes(text: str) -> dict[str, str]:
    """The local name of the class of everything that was made, by its label."""
    graph = built(text).graph
    return {str(label): str(graph.value(one, RDF.type)).rsplit("/", 1)[-1]
            for one, label in graph.subject_objects(RDFS.label)}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# Girl\n- type: sculpture\n- inventory number: 2", "Sculpture"),
        ("# Girl\n- Art: Skulptur\n- inventory number: 2", "Sculpture"),
        ("# Girl\n- Kind: Bust\n- inventory number: 2", "Sculpture"),
        ("# Sculpture: Girl\n- inventory number: 2", "Sculpture"),
        ("## Sculptures\n\n### Girl\n- inventory number: 2\n\n### Horse\n- inventory number: 3", "Sculpture"),
        ("| name | class | inventory number |\n|---|---|---|\n| Girl | Sculpture | 2 |", "Sculpture"),
        ("# Girl\n- inventory number: 2", "Object"),  # no subclass is guessed
        ("# Girl\n- type: thing of stone\n- inventory number: 2", "Object"),
        ("# Girl\n\nA bust that nobody has measured.", "Object"),
    ],
)
def test_a_thing_is_of_the_class_that_the_note_names_else_of_the_most_general_one(text: str, kind: str) -> None:
    found = classes(text)
    assert found["Girl"] == kind and set(found) <= {"Girl", "Horse"} and set(found.values()) == {kind}


def stated(text: str, name: str) -> set[str]:
    """What a property says in what is read of a text: labels, or texts of literals."""
    graph = built(text).graph
    labels = {iri: str(label) for g in (graph, ONTOLOGY) for iri, label in g.subject_objects(RDFS.label)}
    return {labels.get(value, str(value)) for value in graph.objects(None, M[name])}


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("height: 0.54 m", "heightCm", "54"), ("height: 215 mm", "heightCm", "21.5"), ("height: 10", "heightCm", "10"),
        ("height: 10 in", "heightCm", "25.4"), ("height (mm): 215", "heightCm", "21.5"),
        ("height 2 m", "heightCm", "200"), ("height: 12 people", "heightCm", None), ("depth: 10", "depth", "10"),
        ("height: 3 kg", "heightCm", None), ("height: 20-30 cm", "heightCm", None), ("height: 3 °C", "heightCm", None),
        ("height: $ 30", "heightCm", None), ("depth: 10 cm", "depth", None),  # of which no unit is known
    ],
)  # fmt: skip
def test_a_number_is_brought_to_the_unit_that_its_property_names_or_left_to_a_person(
    line: str, name: str, value: str | None
) -> None:
    text = f"# Girl\n- inventory number: 2\n- {line}"
    assert stated(text, name) == ({value} if value else set())
    assert len(built(text).review()) == (value is None)


def test_a_tool_takes_a_number_with_its_unit_and_says_which_unit_it_wants() -> None:
    session = PACK.session()
    girl = session.call("create_object", {"label": "Girl"}).iri
    assert "centimetre" in session.call("add_height_cm", {"subject": girl, "value": "3 kg"}).violations[0].hint
    assert session.call("add_height_cm", {"subject": girl, "value": "0.54 m"}).ok
    assert [str(value) for value in session.graph.objects(None, M.heightCm)] == ["54"]


def test_what_a_key_says_is_found_in_the_ontology_or_left_to_a_person_never_lost() -> None:
    notes = "# {}\n- inventory number: {}\n- condition: {}\n- made of: Marble\n- sold by: Ida"
    one, two = built(notes.format("Girl", 2, "Fair")), built(notes.format("Horse", 3, "splendid"))
    assert (M.fair in one.graph.objects(None, M.condition)) and not list(two.graph.objects(None, M.condition))
    assert set(one.graph.objects(None, M.madeOf)) == {M.marble} and len(one.review()) == 1
    assert [doubt.arguments for doubt in one.doubts] == [{"sold by": "Ida"}]
    assert [doubt.arguments.get("object", "") for doubt in two.doubts] == ["", "splendid"]


def test_a_refused_value_is_not_mended_by_one_of_another_thing() -> None:
    table = "| name | height |\n|---|---|\n| A | 3 kg |\n| B | 4 kg |\n| C | 20 |\n| C | 30 °C |"
    assert [doubt.arguments["value"] for doubt in built(table).doubts] == [
        "3 kilogram",
        "4 kilogram",
        "30 degree Celsius",
    ]


def test_a_table_is_called_by_its_column_of_names_and_its_first_column_may_state_a_property(tmp_path: Path) -> None:
    for header, row in [
        ("inventory number,name,type", "GM-1,Girl,bust"),
        ("type,inventory number,title", "bust,GM-1,Girl"),
    ]:
        (tmp_path / "a.csv").write_text(f"{header}\n{row}\n")
        graph = build_graph(tmp_path / "a.csv", PACK, judge="rule").graph
        [girl] = graph.subjects(RDFS.label, rdflib.Literal("Girl"))
        assert graph.value(girl, RDF.type) == M.Sculpture and graph.value(girl, M.number) == rdflib.Literal("GM-1")
    nameless = built("| inventory number | condition |\n|---|---|\n| GM-1 | good |").graph
    assert nameless.value(nameless.value(None, M.condition, M.good), M.number) == rdflib.Literal("GM-1")


def test_the_review_names_things_and_says_what_is_missing_once() -> None:
    shapes = """@prefix : <https://museum.example/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
        :S a sh:NodeShape ; sh:targetClass :Object ; sh:property [ sh:path :number ; sh:minCount 1 ] .
        :T a sh:NodeShape ; sh:targetClass :Object ; sh:property [ sh:path :number ; sh:minCount 1 ; sh:minLength 1 ] .
    """
    pack = compile_ontology(ONTOLOGY, rdflib.Graph().parse(data=shapes, format="turtle"))
    rows = build_graph({"note": "# Girl\n- condition: bad"}, pack, judge="rule").review().rows
    assert [row[2] for row in rows] == ["add_condition", "missing"]
    assert [row[3] for row in rows] == ["subject: Girl; object: bad", "iri: Girl"] and "<http" not in str(rows)


def test_what_a_model_never_got_in_stands_in_the_review_and_the_ontologys_own_things_are_found_by_name() -> None:
    facts = {"condition": "splendid", "made of": "Marble", "height": "23 cm", "is in": "Hall"}
    made = ToolCall("1", "create", {"class": "object", "label": "Girl", "id": "g", "facts": facts})
    later = [("2", {"subject": "g", "property": "is in", "value": {"class": "room", "label": "Hall"}}),
             ("3", {"subject": "g", "property": "made of", "value": "gold"})]  # fmt: skip
    replies = iter([[made], [ToolCall(name, "add", given) for name, given in later]])
    model = ScriptedModel(lambda _: Reply("", tuple(next(replies, [ToolCall("4", "finish", {})]))))
    found = build_graph({"note": "Girl"}, PACK, judge="model", model=model, options=Options(tool_budget=0))
    assert set(found.graph.objects(None, M.madeOf)) == {M.marble} and [
        *map(str, found.graph.objects(None, M.heightCm))
    ] == ["23"]
    assert {doubt.arguments["object"] for doubt in found.doubts} == {"splendid", "gold"}  # "Hall" was mended
