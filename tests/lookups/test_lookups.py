"""PubChem and the Crystallography Open Database, against stubs that answer as they document."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
import rdflib

from kgnb.agents.kg_construction.outside import outside_tools
from kgnb.llm.model import Reply, Request
from kgnb.llm.scripted import ScriptedModel
from kgnb.lookups import CrystallographyOpenDatabase, PubChem
from kgnb.tasks.building import build_graph, compile_ontology
from kgnb.testing.loopback import RawServer
from tests.agents.kg_construction.test_instantiate import calls
from tests.lookups.stub_databases import CAFFEINE, StubDatabases

CHEMICALS = """@prefix : <https://chem.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Species a owl:Class ; rdfs:label "species" .
:key a owl:DatatypeProperty ; rdfs:label "InChIKey" ; rdfs:domain :Species ; rdfs:range xsd:string .
"""


@pytest.fixture
def stub() -> Iterator[StubDatabases]:
    with StubDatabases() as server:
        yield server


def test_a_compound_is_looked_up_by_any_of_its_names(stub: StubDatabases) -> None:
    asked = PubChem(stub.url).pubchem
    for name in ("caffeine", " 58-08-2 ", "1,3/7"):  # a slash divides no address
        assert asked(name) == {"compounds": [CAFFEINE], "found": 1}
    assert asked("unobtainium") == {"compounds": [], "found": 0}
    with pytest.raises(ValueError, match="name of a compound"):
        asked(" ")
    assert len(stub.asked) == 4 and stub.asked[0].startswith("POST /compound/name/property/Title,")


def test_structures_are_found_by_formula_and_text(stub: StubDatabases) -> None:
    asked = CrystallographyOpenDatabase(stub.url).cod
    found = asked(formula="O2C8H10N4")
    assert found == asked(text="caffeine") and found["found"] == 7 and len(found["structures"]) == 5
    first = found["structures"][0]
    assert first["formula"] == "C8 H10 N4 O2" and first["page"] == f"{stub.url}/2100202.html"
    assert "commonname" not in first and first["sg"] == "C 1 2/c 1"
    assert asked(doi="10.1000/none")["structures"] == []
    for wrong, said in (({}, "give a text"), ({"formula": "Zn(OH)2"}, "without brackets")):
        with pytest.raises(ValueError, match=said):
            asked(**wrong)


def test_a_busy_database_is_asked_again_and_a_broken_one_is_said() -> None:
    with StubDatabases(busy=1) as stub:
        assert PubChem(stub.url).pubchem("caffeine")["found"] == 1 and len(stub.asked) == 2
        with pytest.raises(ValueError, match="HTTP 400: .*no such search"):
            PubChem(f"{stub.url}/elsewhere").pubchem("caffeine")
        stub.busy = 9
        with pytest.raises(ValueError, match="PubChem is busy"):
            PubChem(stub.url).pubchem("caffeine")
    with pytest.raises(ValueError, match="cannot be reached"):
        PubChem(stub.url).pubchem("caffeine")
    odd = {b"<html>": "not answer in JSON", b'{"PropertyTable":{"Properties":3}}': "another form"}
    odd |= {b'["caffeine"]': 'documents: \\["caffeine"', b"null": "null", b'{"Fault":{}}': "Fault"}
    for body, said in odd.items():
        with RawServer(partial(_answering, body)) as server, pytest.raises(ValueError, match=said):
            PubChem(server.url).pubchem("caffeine")


def _answering(body: bytes, out: Callable[[bytes], object]) -> None:
    out(b"HTTP/1.0 200 OK\r\n\r\n" + body)


def test_a_fact_from_a_database_is_attributed_to_it(stub: StubDatabases) -> None:
    def reading(request: Request) -> Reply:
        told = [message.text for message in request.messages if message.role == "tool"]
        if not told:
            return calls(("pubchem", {"name": "caffeine"}))
        if len(told) == 1:
            key = CAFFEINE["InChIKey"] if str(CAFFEINE["InChIKey"]) in told[0] else ""
            return calls(("create_species", {"label": "caffeine", "key": key}))
        return calls(("finish", {}))

    pack = compile_ontology(rdflib.Graph().parse(data=CHEMICALS, format="turtle"))
    built = build_graph(
        {"note": "We took caffeine."},
        pack,
        judge="model",
        model=ScriptedModel(reading),
        outside=[PubChem(stub.url).pubchem],
    )
    assert CAFFEINE["InChIKey"] in set(map(str, built.graph.objects()))
    [answer] = built.journals[0].answers
    assert answer.tool == "pubchem" and answer.arguments == {"name": "caffeine"}
    said = built.session.store.select(
        "PREFIX prov: <http://www.w3.org/ns/prov#> SELECT DISTINCT ?tool WHERE { GRAPH ?facts { ?s "
        f'<https://chem.example/key> "{CAFFEINE["InChIKey"]}" }} GRAPH ?g {{ ?facts '
        "prov:wasDerivedFrom/prov:wasGeneratedBy/prov:wasAssociatedWith ?tool } }"
    )
    assert [str(row[0]) for row in said.rows] == ["urn:kgnb:tool:pubchem"]


def test_the_shipped_lookups_are_named_on_the_command_line() -> None:
    with outside_tools(["kgnb.lookups:pubchem", "kgnb.lookups:cod"]) as tools:
        assert [tool.spec.name for tool in tools] == ["pubchem", "cod"]
        assert tools[0].spec.parameters["required"] == ["name"]
