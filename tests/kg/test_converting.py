"""Ontologies that are no RDF, JSON that is no JSON-LD, and spreadsheets."""

import json
import sys
import zipfile
from pathlib import Path

import pytest

import kgnb
from kgnb.backends import open_ontology
from kgnb.errors import DataError
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import XSD

OBO = """format-version: 1.4
[Term]
id: BOAT:0000001
name: boat
def: "A small vessel." []

[Term]
id: BOAT:0000002
name: rowing boat
synonym: "skiff" EXACT []
is_a: BOAT:0000001 ! boat

[Term]
id: BOAT:0000003
name: obsolete raft
is_obsolete: true
"""
GRAPHS = {
    "graphs": [
        {
            "id": "http://purl.obolibrary.org/obo/boat.owl",
            "nodes": [
                {
                    "id": f"http://purl.obolibrary.org/obo/BOAT_000000{n}",
                    "lbl": name,
                    "type": "CLASS",
                }
                for n, name in ((1, "boat"), (2, "rowing boat"))
            ],
            "edges": [
                {
                    "sub": "http://purl.obolibrary.org/obo/BOAT_0000002",
                    "pred": "is_a",
                    "obj": "http://purl.obolibrary.org/obo/BOAT_0000001",
                }
            ],
        }
    ]
}
FUNCTIONAL = """Prefix(:=<http://boats.example/>)
Prefix(rdfs:=<http://www.w3.org/2000/01/rdf-schema#>)
Ontology(<http://boats.example/o>
Declaration(Class(:Boat)) Declaration(Class(:Skiff)) Declaration(ObjectProperty(:crew))
SubClassOf(:Skiff :Boat) SubClassOf(:Skiff ObjectSomeValuesFrom(:crew :Boat))
AnnotationAssertion(rdfs:label :Boat "boat"@en) AnnotationAssertion(rdfs:label :Skiff "skiff"@en))
"""
MANCHESTER = """Prefix: : <http://boats.example/>
Prefix: rdfs: <http://www.w3.org/2000/01/rdf-schema#>
Ontology: <http://boats.example/o>
Class: :Boat
    Annotations: rdfs:label "boat"@en
Class: :Skiff
    Annotations: rdfs:label "skiff"@en
    SubClassOf: :Boat
"""
OWL_XML = """<?xml version="1.0"?>
<Ontology xmlns="http://www.w3.org/2002/07/owl#" xml:base="http://boats.example/o"
 ontologyIRI="http://boats.example/o">
<Prefix name="rdfs" IRI="http://www.w3.org/2000/01/rdf-schema#"/>
<Declaration><Class IRI="http://boats.example/Boat"/></Declaration>
<SubClassOf><Class IRI="http://boats.example/Skiff"/><Class IRI="http://boats.example/Boat"/></SubClassOf>
<AnnotationAssertion><AnnotationProperty abbreviatedIRI="rdfs:label"/>
<IRI>http://boats.example/Skiff</IRI><Literal xml:lang="en">skiff</Literal></AnnotationAssertion>
</Ontology>
"""


@pytest.mark.parametrize(
    ("name", "text", "small", "library"),
    [
        ("boats.obo", OBO, "rowing boat", "fastobo"),
        ("boats.json", json.dumps(GRAPHS), "rowing boat", "fastobo"),
        ("boats.ofn", FUNCTIONAL, "skiff", "py-horned-owl"),
        ("boats.owl", FUNCTIONAL, "skiff", "py-horned-owl"),
        ("boats.omn", MANCHESTER, "skiff", "py-horned-owl"),
        ("boats.owx", OWL_XML, "skiff", "py-horned-owl"),
    ],
)
def test_an_ontology_in_another_form_is_read_and_that_is_said(
    name: str, text: str, small: str, library: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    report = load(graph := OxigraphGraph(), path)
    assert library in report.mended[0].kind
    asked = """PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
        SELECT ?above { ?s rdfs:label ?l ; rdfs:subClassOf ?above FILTER(STR(?l) = {{small}}) }"""
    rows = kgnb.query(graph, asked, values={"small": small})
    assert any(str(row[0]).endswith(("Boat", "BOAT_0000001")) for row in rows.terms)  # type: ignore[union-attr]
    again = graph.count()
    load(graph, path)
    assert graph.count() == again
    assert len(open_ontology(path)) >= 2


@pytest.mark.parametrize(
    ("name", "text", "library", "extra"),
    [
        ("boats.obo", OBO, "fastobo", "kgnb[obo]"),
        ("boats.json", json.dumps(GRAPHS), "fastobo", "kgnb[obo]"),
        ("boats.ofn", FUNCTIONAL, "pyhornedowl", "kgnb[owl]"),
        ("boats.xlsx", "", "python_calamine", "kgnb[excel]"),
    ],
)
def test_without_its_library_a_form_is_named_with_the_way_to_get_it(
    name: str, text: str, library: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=name) as caught:
        load(OxigraphGraph(), tmp_path / name)
    assert extra in caught.value.fix


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"entities": {"Q7": {"labels": {"en": {"language": "en", "value": "x"}}}}}', "Wikidata"),
        ('{"head": {"vars": []}, "results": {"bindings": []}}', "results of a SPARQL query"),
        ('{"http://a/b": {"http://a/p": [{"type": "literal", "value": "x"}]}}', "RDF/JSON"),
        ('{"type": "FeatureCollection", "features": []}', "GeoJSON"),
        ('[{"name": "Alder Hut", "beds": 12}]', "not JSON-LD"),
        ('{"name": "Alder Hut"}', "not JSON-LD"),
        ('{"@context": {}, "name": "Alder Hut"}', "no triple"),
    ],
)
def test_json_that_holds_no_triples_is_named(text: str, said: str, tmp_path: Path) -> None:
    for name in ("some.json", "some.jsonld"):
        (tmp_path / name).write_text(text)
        with pytest.raises(DataError, match=said):
            load(OxigraphGraph(), tmp_path / name)


SHEET = """<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>
<row><c t="inlineStr"><is><t>boat</t></is></c><c t="inlineStr"><is><t>seats</t></is></c></row>
<row><c t="inlineStr"><is><t>Gannet</t></is></c><c><v>4</v></c></row>
<row><c t="inlineStr"><is><t>Petrel</t></is></c><c><v>2.5</v></c></row>
</sheetData></worksheet>"""


def spreadsheet(path: Path) -> Path:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="fleet" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/s1.xml"/>'
        "</Relationships>",
        "xl/worksheets/s1.xml": SHEET,
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_a_spreadsheet_is_a_table(tmp_path: Path) -> None:
    load(graph := OxigraphGraph(), spreadsheet(tmp_path / "fleet.xlsx"))
    rows = graph.select("SELECT ?n { ?s <http://names.example/column/seats> ?n } ORDER BY ?n").rows
    assert [row[0].datatype for row in rows] == [f"{XSD}decimal", f"{XSD}integer"]  # type: ignore[union-attr]
    (tmp_path / "no.xlsx").write_bytes(b"PK\x03\x04 not a spreadsheet")
    with pytest.raises(DataError, match="no.xlsx"):
        load(OxigraphGraph(), tmp_path / "no.xlsx")
