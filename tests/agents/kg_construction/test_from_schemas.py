"""Tools driven by their input schemas alone, and the resulting graph checked by pyshacl."""

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
import rdflib
from pyshacl import validate

import kgnb
from tests.agents.kg_construction.kitchen import PREFIXES

MUSEUM = """
:Museum a owl:Class ; rdfs:label "museum" ; rdfs:subClassOf
  [ a owl:Restriction ; owl:onProperty :shows ; owl:someValuesFrom :Work ] ,
  [ a owl:Restriction ; owl:onProperty :rooms ; owl:cardinality 1 ] .
:Work a owl:Class ; owl:disjointWith :Museum ; rdfs:subClassOf
  [ a owl:Restriction ; owl:onProperty :madeBy ; owl:maxCardinality 1 ] .
:Person a owl:Class ; owl:disjointWith :Work .
:shows a owl:ObjectProperty ; rdfs:domain :Museum ; rdfs:range :Work .
:madeBy a owl:ObjectProperty ; rdfs:domain :Work ; rdfs:range :Person .
:rooms a owl:DatatypeProperty ; rdfs:domain :Museum ; rdfs:range xsd:positiveInteger .
:opened a owl:DatatypeProperty , owl:FunctionalProperty ; rdfs:domain :Museum ; rdfs:range xsd:date .
:free a owl:DatatypeProperty ; rdfs:domain :Museum ; rdfs:range xsd:boolean .
:style a owl:ObjectProperty ; rdfs:domain :Work ;
  rdfs:range [ a owl:Class ; owl:oneOf ( :baroque :modern ) ] .
"""


@pytest.fixture(scope="module", params=["kitchen", "museum"])
def pack(request: pytest.FixtureRequest) -> Any:
    if request.param == "kitchen":
        return kgnb.compile_ontology("huts:kitchen", shapes="huts:kitchen-shapes")
    return kgnb.compile_ontology(rdflib.Graph().parse(data=f"{PREFIXES}{MUSEUM}", format="turtle"))


def test_what_the_schemas_allow_leads_to_a_graph_that_conforms_but_for_what_is_missing(pack: Any) -> None:
    driven(pack)


def driven(pack: Any) -> None:
    """Make one of everything, try every property between the first dozen, and let pyshacl judge."""
    session = pack.session(namespace="https://driver.example/kg/")
    entities: dict[str, str] = {}
    for tool in pack.tools:
        if tool.kind == "create":
            result = session.call(tool.name, dict(_filled(tool.input_schema, tool.name, {})))
            if result.ok:
                assert result.created and rdflib.URIRef(result.iri) in set(session.graph.subjects())
                entities[tool.term] = result.iri
    assert entities
    few = list(entities.values())[:12]
    written = refused = 0
    for tool in pack.tools:
        for subject in few if tool.kind == "add" else ():
            for target in few if "object" in tool.input_schema["properties"] else few[:1]:
                arguments = {**dict(_filled(tool.input_schema, tool.name, {"object": target})), "subject": subject}
                before = len(session.graph)
                result = session.call(tool.name, arguments)
                written, refused = written + result.ok, refused + (not result.ok)
                if not result.ok:
                    assert result.violations and len(session.graph) == before
    assert written and refused
    shapes = rdflib.Graph().parse(data=pack.shacl(), format="turtle")
    _, report, _ = validate(session.graph, shacl_graph=shapes)
    SH = rdflib.Namespace("http://www.w3.org/ns/shacl#")
    said = {str(o).rsplit("#", 1)[-1] for o in report.objects(None, SH.sourceConstraintComponent)}
    assert bool(said) == (not session.call("finish", {}).ok)
    final = {"MaxCount", "Class", "Datatype", "In", "Not", "Pattern", "MinInclusive", "MaxInclusive", "Disjoint"}
    assert not said & {f"{name}ConstraintComponent" for name in final}


def test_what_a_schema_forbids_is_refused_and_so_is_an_unknown_iri(pack: Any) -> None:
    session = pack.session(namespace="https://driver.example/kg/")
    tried = 0
    for tool in pack.tools:
        for arguments in _illegal(tool.input_schema, tool.name):
            assert not jsonschema.Draft202012Validator(tool.input_schema).is_valid(arguments)
            result = session.call(tool.name, arguments)
            assert not result.ok and result.violations and result.retryable and len(session.graph) == 0
            tried += 1
        if tool.kind == "add":
            given = {**dict(_filled(tool.input_schema, tool.name, {})), "subject": "https://nowhere.example/x"}
            result = session.call(tool.name, given)
            assert not result.ok and "unknown IRI" in {one.constraint for one in result.violations}
    assert tried > 50


def _filled(schema: Any, name: str, known: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """A value for everything required, and for object or value where either will do."""
    for key, inner in schema["properties"].items():
        either = key == "value" and "object" not in schema["required"]
        if key in schema["required"] or (either and key not in known):
            yield key, known[key] if key in known and "enum" not in inner else _example(inner, name)


def _example(schema: Any, name: str) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _example(schema["anyOf"][0], name)
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind in ("integer", "number"):
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
        return max(1, low)
    if kind == "boolean":
        return True
    given = {"date": "2024-05-01", "date-time": "2024-05-01T10:00:00Z", "time": "10:00:00Z"}
    return given.get(schema.get("format", ""), f"{name} one".replace("_", " "))


def _illegal(schema: Any, name: str) -> Iterator[dict[str, Any]]:
    fine = dict(_filled(schema, name, {"object": "https://driver.example/kg/none"}))
    for key in schema["required"]:
        yield {other: value for other, value in fine.items() if other != key}
    yield {**fine, "no such argument": 1}
    for key, inner in schema["properties"].items():
        if "enum" in inner:
            yield {**fine, key: "no such choice"}
        yield {**fine, key: {"nested": True}}
