"""Outside help for a reader: functions and MCP servers, notes of another model, names looked up."""

import sys
from pathlib import Path
from typing import Any

import pytest
import rdflib

from kgnb.agents.kg_construction.options import Options
from kgnb.agents.kg_construction.outside import function_tool, outside_tools
from kgnb.errors import BackendError, ConfigError, Waiting
from kgnb.llm.model import Reply, Request
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks.building import build_graph, compile_ontology, look_up
from tests.agents.kg_construction.kitchen import PREFIXES, pack_of
from tests.agents.kg_construction.test_generic_tools import tools_of
from tests.agents.kg_construction.test_instantiate import BEDS, PACK, calls

SERVER = '''
from mcp.server.mcpserver import MCPServer
server = MCPServer("registry")
@server.tool()
def beds_of(hut: str) -> int:
    """How many beds a hut has."""
    if hut != "Ambre":
        raise ValueError("no such hut")
    return 28
server.run("stdio")
'''


def beds_of(hut: str) -> int:
    """How many beds a hut has.

    Out of the register.
    """
    return {"Ambre": 28}[hut]


def asking(request: Request) -> Reply:
    """Asks for the beds of two huts, and writes those it is told."""
    told = [message.text for message in request.messages if message.role == "tool"]
    if "create_hut" not in {tool.name for tool in request.tools} or len(told) > 2:
        return calls(("finish", {}))
    if not told:
        return calls(("beds_of", {"hut": "Nowhere"}), ("beds_of", {"hut": "Ambre"}))
    return calls(("create_hut", {"label": "Ambre", "beds": 28 if "28" in told[1] else 0}))


@pytest.mark.parametrize("server", [False, True])
def test_answers_of_functions_and_servers_are_used_and_noted(server: bool, tmp_path: Path) -> None:
    file = tmp_path / "registry.py"
    file.write_text(SERVER)
    model = ScriptedModel(asking)
    outside: list[Any] = [f"{sys.executable} {file}"] if server else [beds_of]
    built = build_graph(
        {"note": "The Ambre is open."}, PACK, judge="model", model=model, outside=outside
    )
    assert (None, BEDS, rdflib.Literal(28)) in built.graph
    (journal,) = built.journals
    [answer] = journal.answers
    assert answer.tool == "beds_of" and answer.arguments == {"hut": "Ambre"} and "28" in answer.text
    assert "beds_of" in {tool.name for tool in model.asked[0].tools} and "beds_of" in journal.reader
    failed = next(m.text for request in model.asked for m in request.messages if m.role == "tool")
    assert "beds_of" in failed and "28" not in failed  # told, and the work goes on


def test_an_error_of_the_reading_is_not_blamed_on_the_server(tmp_path: Path) -> None:
    file = tmp_path / "registry.py"
    file.write_text(SERVER)

    def broken(request: Request) -> Reply:
        raise Waiting(lambda: ("1 request waits", "Answer it."))

    with pytest.raises(Waiting, match="1 request waits"):
        build_graph(
            {"note": "The Ambre is open."},
            PACK,
            judge="model",
            model=ScriptedModel(broken),
            outside=[f"{sys.executable} {file}"],
        )


def test_a_model_builds_from_the_notes_of_another_one() -> None:
    def building(request: Request) -> Reply:
        asked = request.messages[1].text
        if "create_hut" in {t.name for t in request.tools} and request.messages[-1].role != "tool":
            return calls(
                (
                    "create_hut",
                    {"label": "Ambre", "beds": 28 if 'beds, 28: "28 beds"' in asked else 1},
                )
            )
        return calls(("finish", {}))

    extractor = ScriptedModel(lambda request: 'Ambre, beds, 28: "28 beds"')
    built = build_graph(
        {"note": "The Ambre has 28 beds."},
        PACK,
        judge="model",
        model=ScriptedModel(building),
        extractor=extractor,
    )
    assert (None, BEDS, rdflib.Literal(28)) in built.graph
    assert all("The Ambre has 28 beds." in request.messages[1].text for request in extractor.asked)
    assert (
        "What can be said: beds" in extractor.asked[0].messages[1].text
    )  # it has no tools that would say so
    assert all(not request.tools for request in extractor.asked)
    assert set(built.journals[0].notes) == {'Ambre, beds, 28: "28 beds"'}


def test_unusable_tools_are_refused_before_a_document_is_read(tmp_path: Path) -> None:
    def undescribed(hut: str) -> int:
        return 0

    for wrong, said in (
        (undescribed, "docstring"),
        ("os:no_such", "no_such"),
        ([beds_of, beds_of], "two"),
    ):
        with (
            pytest.raises(ConfigError, match=said),
            outside_tools(wrong if isinstance(wrong, list) else [wrong]),
        ):
            raise AssertionError("it opened")
    file = tmp_path / "registry.py"
    file.write_text("raise SystemExit(3)")
    for server in ("/no/such/server --now", f"{sys.executable} {file}"):
        with pytest.raises(BackendError, match="does not answer") as told, outside_tools([server]):
            raise AssertionError("it opened")
        assert "TaskGroup" not in str(told.value) and "MODULE:FUNCTION" in str(told.value)
    with pytest.raises(ConfigError, match="need a model"):
        build_graph({"note": "x"}, PACK, judge="rule", outside=[beds_of])
    spec = function_tool(beds_of).spec
    assert spec.description == "How many beds a hut has."
    assert spec.parameters["properties"]["hut"]["type"] == "string" and spec.parameters[
        "required"
    ] == ["hut"]


def test_names_are_looked_up_in_a_reference_graph_with_or_without_their_accents() -> None:
    pack = pack_of(
        ":Place a owl:Class . :City a owl:Class ; rdfs:subClassOf :Place . :Film a owl:Class ."
    )
    reference = rdflib.Graph().parse(
        data="""@prefix : <https://hut.example/kitchen#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        <urn:m> a :City ; rdfs:label "München" . <urn:f> a :Film ; rdfs:label "Munchen" .
        <urn:s1> a :City ; rdfs:label "Springfield" . <urn:s2> a :City ; rdfs:label "Springfield" .""",
        format="turtle",
    )
    tool = look_up(reference, pack)
    city = tool.function("Munchen", kind="place")
    assert [one["iri"] for one in city["found"]] == ["urn:m"] and city["certain"]
    assert tool.function("Munchen", kind="film")["found"][0]["iri"] == "urn:f"
    assert tool.function("munchen")["found"][0]["iri"] == "urn:f"  # spelled so
    assert (
        not tool.function("Springfield")["certain"]
        and len(tool.function("Springfield")["found"]) == 2
    )
    assert tool.function("Elsewhere") == {"ok": True, "found": [], "certain": False}


def test_an_iri_of_the_reference_is_no_name_of_what_is_created() -> None:
    """A model that gives one is told to create what is meant, and not to call it by the IRI."""
    pack = pack_of(
        ":Place a owl:Class . :City a owl:Class . :in a owl:ObjectProperty ; rdfs:label 'lies in' ; "
        "rdfs:domain :Place ; rdfs:range :City ."
    )
    reference = rdflib.Graph().parse(
        data="""@prefix : <https://hut.example/kitchen#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        <urn:m> a :City ; rdfs:label "Munich" .""",
        format="turtle",
    )
    tower = {"class": "Place", "label": "Alter Peter", "id": "t", "quote": "Alter Peter"}
    fact = {"subject": "t", "property": "lies in", "quote": "in Munich"}
    replies = [
        [("look_up", {"label": "Munich"})],
        [("create", {**tower, "facts": {"lies in": "urn:m"}})],
        [("add", {**fact, "value": {"class": "City", "label": "Munich"}}), ("finish", {})],
    ]
    model = ScriptedModel([calls(*reply) for reply in replies])
    note = {"n.txt": "Alter Peter stands in Munich."}
    built = build_graph(
        note,
        pack,
        judge="model",
        model=model,
        outside=[look_up(reference, pack)],
        options=Options(tool_budget=0),
    )
    assert "create what is meant by its name" in str(model.asked[0].tools)
    assert '"urn:m"' in model.asked[1].messages[-1].text
    refused = model.asked[2].messages[-1].text
    assert "City" in refused and "urn:m" not in refused
    assert set(built.session.labels().values()) == {"Alter Peter", "Munich"}


LARGE = """
:Hut a owl:Class ; rdfs:label "mountain hut" ; rdfs:subClassOf
  [ a owl:Restriction ; owl:onProperty :keptBy ; owl:someValuesFrom :Warden ] .
:Refuge a owl:Class ; rdfs:subClassOf :Hut . :Warden a owl:Class ; rdfs:subClassOf :Person ,
  [ a owl:Restriction ; owl:onProperty :bornIn ; owl:cardinality 1 ] .
:Person a owl:Class . :Village a owl:Class . :Cow a owl:Class . :Dish a owl:Class .
:keptBy a owl:ObjectProperty ; rdfs:domain :Hut ; rdfs:range :Warden .
:bornIn a owl:ObjectProperty ; rdfs:domain :Person ; rdfs:range :Village .
:milks a owl:ObjectProperty ; rdfs:domain :Person ; rdfs:range :Cow .
:beds a owl:DatatypeProperty ; rdfs:domain :Hut ; rdfs:range xsd:integer .
"""


def test_a_part_of_an_ontology_has_the_tools_that_its_classes_need() -> None:
    whole, graph = pack_of(LARGE), rdflib.Graph().parse(data=PREFIXES + LARGE, format="turtle")
    pack = compile_ontology(graph, only=["mountain hut"])
    names = {tool.name for tool in pack.tools if tool.kind in ("create", "add")}
    assert names == {
        "create_hut",
        "create_refuge",
        "create_warden",
        "create_village",
        "add_kept_by",
        "add_born_in",
        "add_beds",
    }
    assert {step for prompt in pack.plan for step in prompt.tools} <= {
        tool.name for tool in pack.tools
    }
    session = pack.session()
    hut = session.call("create_hut", {"label": "Ambre"}).iri
    assert any(one.focus == hut for one in session.missing())  # what must hold of it still does
    assert pack.content_sha256 != whole.content_sha256
    with pytest.raises(ValueError, match="there is no class 'Hutt'"):
        compile_ontology(graph, only=["Hutt"])


def test_a_label_states_a_required_name_and_a_date_has_one_label() -> None:
    pack = pack_of("""
    :Hut a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :name ; owl:cardinality 1 ] ,
      [ a owl:Restriction ; owl:onProperty :familyName ; owl:cardinality 1 ] .
    :Date a owl:Class . :name a owl:DatatypeProperty ; rdfs:range xsd:string .
    :familyName a owl:DatatypeProperty ; rdfs:range xsd:string .
    :opened a owl:ObjectProperty ; rdfs:domain :Hut ; rdfs:range :Date .""")
    tools, session = tools_of(pack)
    tools.use(
        "create", {"class": "Hut", "label": "Ambre", "facts": {"opened": "1st of August 1974"}}
    )
    tools.use(
        "create",
        {"class": "Hut", "label": "Sorne", "facts": {"name": "La Sorne", "opened": "1974-08-01"}},
    )
    said = sorted(
        str(o)
        for o in session.graph.objects(None, rdflib.URIRef("https://hut.example/kitchen#name"))
    )
    assert said == ["Ambre", "La Sorne"]
    assert {one.path for one in session.missing()} == {"family name"}
    days = set(session.graph.objects(None, rdflib.URIRef("https://hut.example/kitchen#opened")))
    assert [str(session.graph.value(day, rdflib.RDFS.label)) for day in days] == ["1974-08-01"]
