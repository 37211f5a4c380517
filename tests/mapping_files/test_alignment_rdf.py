"""OAEI Alignment RDF: lossless for us, plain for evaluators, lenient with real files, safe with
hostile ones.
"""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from kgnb.errors import DataError
from kgnb.mapping_files import alignment_rdf, load, load_reference
from kgnb.mappings import Alignment, Mapping
from tests.mapping_files.strategies import alignments

pytestmark = pytest.mark.fault("bad alignment files")

NS = alignment_rdf.ALIGNMENT
CELL = """<map><Cell>
  <entity1 rdf:resource='http://a#Hut'/><entity2 rdf:resource='http://b#Refuge'/>
  <measure rdf:datatype='xsd:float'>1.0</measure><relation>=</relation>
</Cell></map>"""


def document(
    body: str = CELL, prolog: str = "<?xml version='1.0' encoding='utf-8'?>", doctype: str = ""
) -> str:
    return (
        f"{prolog}\n{doctype}<rdf:RDF xmlns='{NS}' xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\n"
        f"<Alignment><xml>yes</xml><level>0</level><type>??</type>\n{body}\n</Alignment></rdf:RDF>\n"
    )


def read(text: str) -> Alignment:
    return alignment_rdf.read(text.encode(), "huts.rdf")


@given(alignments)
@settings(deadline=None, max_examples=60)
def test_reads_back_exactly_what_it_wrote(alignment: Alignment) -> None:
    assert read(alignment_rdf.write(alignment)) == alignment


def test_an_evaluator_that_knows_only_the_standard_elements_sees_plain_cells(
    full: Alignment,
) -> None:
    root = ElementTree.fromstring(alignment_rdf.write(full))
    cells = root.findall(f"{{{NS}}}Alignment/{{{NS}}}map/{{{NS}}}Cell")
    assert len(cells) == len(full)
    resource = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}resource"
    for cell, mapping in zip(cells, full, strict=True):
        assert cell.find(f"{{{NS}}}entity1").get(resource) == mapping.source
        assert cell.find(f"{{{NS}}}entity2").get(resource) == mapping.target
        assert float(cell.find(f"{{{NS}}}measure").text) == mapping.confidence
    signs = [cell.find(f"{{{NS}}}relation").text for cell in cells[:6]]
    assert signs == ["=", "<", ">", "%", "?", "?"]


@pytest.mark.parametrize(
    ("sign", "relation"),
    [
        ("&lt;", "broader"),
        (">", "narrower"),
        ("%", "different"),
        (" = ", "equivalent"),
        ("fr.inrialpes.exmo.align.impl.rel.SubsumedRelation", "broader"),  # the Alignment API's own
    ],
)
def test_a_source_below_its_target_has_a_broader_target(sign: str, relation: str) -> None:
    assert (
        read(document(CELL.replace("<relation>=", f"<relation>{sign}"))).mappings[0].relation
        == relation
    )


EXPECTED = (Mapping("http://a#Hut", "http://b#Refuge"),)


@pytest.mark.parametrize(
    "text",
    [
        document(),
        "\t\t\n " + document(),
        "\ufeff" + document(),
        document(prolog=""),
        document().replace("\n", "\r\n"),
        document(CELL.replace("<measure rdf:datatype='xsd:float'>1.0</measure>", "")),
        document(CELL.replace("<relation>=</relation>", "")),
        document(
            CELL.replace("'http://a#Hut'", "'&a;Hut'"),
            doctype='<!DOCTYPE r [<!ENTITY a "http://a#">]>',
        ),
        document(
            CELL.replace(
                "<entity1 rdf:resource='http://a#Hut'/>", "<entity1>http://a#Hut</entity1>"
            )
        ),
        document(
            CELL.replace(
                "<entity1 rdf:resource='http://a#Hut'/>",
                "<entity1><Class rdf:about='http://a#Hut'/></entity1>",
            )
        ),
        document().replace(f"xmlns='{NS}'", f"xmlns='{NS[:-1]}'"),
        document("<kgnb2:x xmlns:kgnb2='http://else'>y</kgnb2:x>" + CELL),
    ],
)
def test_sloppy_files_are_read(text: str) -> None:
    assert read(text).mappings == EXPECTED


@pytest.mark.parametrize(
    "onto",
    [
        "<onto1>http://a</onto1><onto2>http://b</onto2>",
        "<onto1><Ontology rdf:about='http://a'><location>file:x</location></Ontology></onto1><uri2>http://b</uri2>",
        "<onto1 rdf:resource='http://a'/><onto2> http://b </onto2>",
    ],
)
def test_ontologies_are_named_in_three_ways(onto: str) -> None:
    alignment = read(document(onto + CELL))
    assert (alignment.source, alignment.target) == ("http://a", "http://b")


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("<html><body>404</body></html>", 1, "<html>, not an alignment"),
        (
            "<rdf:RDF xmlns:rdf='r' xmlns:owl='o'>\n<owl:Class/></rdf:RDF>",
            1,
            "an ontology, not an alignment",
        ),
        ("subject_id\tobject_id", 1, "not well-formed"),
        ("\n\n" + document().replace("</Cell>", ""), 9, "not well-formed"),
        (document(CELL.replace("'http://a#Hut'", "''")), 4, "<entity1> names no entity"),
        (
            document(CELL.replace("<entity2 rdf:resource='http://b#Refuge'/>", "")),
            4,
            "lacks its <entity2>",
        ),
        (document(CELL.replace("1.0", "-7")), 4, "not between 0 and 1"),
        (document(CELL.replace("1.0", "NaN")), 4, "not between 0 and 1"),
        (document(CELL.replace("1.0", "0,5")), 4, "not between 0 and 1"),
        (document(CELL.replace("<relation>=", "<relation>@")), 4, "relation '@' is unknown"),
        (
            document(
                CELL.replace("'http://a#Hut'/>", "''><Class><and><b/></and></Class></entity1>")
            ),
            4,
            "an expression",
        ),
        (document(CELL.replace("#Hut", "&nope;")), 5, "not well-formed"),
    ],
)
def test_a_malformed_file_is_named_with_its_line(text: str, line: int, what: str) -> None:
    with pytest.raises(DataError) as refused:
        read(text)
    assert what in refused.value.what
    assert refused.value.where == f"huts.rdf:{line}"
    assert refused.value.fix


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE r [<!ENTITY % a SYSTEM "http://127.0.0.1:1/x.dtd"> %a;]>',
        '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>',
        f'<!DOCTYPE r [<!ENTITY a "{"x" * 500}">]>',
    ],
)
def test_entities_that_fetch_or_unfold_are_refused(doctype: str) -> None:
    with pytest.raises(DataError, match="entity"):
        read(document(doctype=doctype))


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(DataError, match="nest deeper"):
        read(document("<a>" * 200 + "</a>" * 200))


def test_a_control_character_in_an_iri_is_not_written() -> None:
    with pytest.raises(ValueError, match="control character"):
        alignment_rdf.write(Alignment((Mapping("http://a#\x00", "http://b#x"),)))


def test_a_reference_without_a_mapping_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "reference.rdf"
    file.write_text(document(""))
    assert load(file) == Alignment(())
    with pytest.raises(DataError, match="holds no mapping"):
        load_reference(file)


@pytest.mark.benchmark
def test_every_reference_and_baseline_at_hand_is_read(benchmark_data: Path) -> None:
    folder = benchmark_data
    conference = [
        load_reference(path)
        for path in sorted(Path(folder, "oaei-conference/reference").glob("*.rdf"))
    ]
    assert sorted(map(len, conference)) == [9, 11, 11, 15, 15, 15, 16, 17, 19, 23]
    assert len(load_reference(Path(folder, "oaei-anatomy/reference.rdf"))) == 1516
    original = load_reference(Path(folder, "oaei-mse/reference-1-original.rdf"))
    counts = [
        sum(mapping.relation == relation for mapping in original)
        for relation in ("equivalent", "broader", "narrower")
    ]
    assert counts == [3, 19, 1]
    baselines = sorted(Path(folder, "oaei-anatomy/baselines/2023").glob("*.rdf.gz"))
    assert len(baselines) == 10
    assert all(len(load_reference(path)) > 900 for path in baselines)
