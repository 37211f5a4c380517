"""Files good, sloppy and hopeless."""

import gzip
import time
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest

from kgnb.errors import DataError
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.rdflib_graph import RdflibGraph
from kgnb.kg.terms import Iri, Literal

pytestmark = pytest.mark.fault("sloppy and hopeless RDF")

RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
HEAD = f'<rdf:RDF {RDF} xmlns:h="http://hut.example/">'

SAME = {
    "hut.ttl": '<http://hut.example/a> <http://hut.example/name> "Hut"@en .',
    "hut.nt": '<http://hut.example/a> <http://hut.example/name> "Hut"@en .\n',
    "hut.nq": '<http://hut.example/a> <http://hut.example/name> "Hut"@en <http://hut.example/g> .\n',
    "hut.trig": 'PREFIX h: <http://hut.example/> h:g { h:a h:name "Hut"@en }',
    "hut.n3": '@prefix h: <http://hut.example/> . h:a h:name "Hut"@en .',
    "hut.jsonld": '{"@id": "http://hut.example/a", "http://hut.example/name": {"@value": "Hut", "@language": "en"}}',
    "hut.rdf": f'{HEAD}<rdf:Description rdf:about="http://hut.example/a"><h:name xml:lang="en">Hut</h:name>'
    "</rdf:Description></rdf:RDF>",
}


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def test_reads_each_format_plain_and_gzipped(tmp_path: Path) -> None:
    for name, content in SAME.items():
        for path in (
            write(tmp_path, name, content),
            write(tmp_path, f"{name}.gz", gzip.compress(content.encode())),
        ):
            graph = OxigraphGraph()
            report = load(graph, path)
            assert (report.files, report.triples, report.mended) == ((str(path),), 1, ())
            assert graph.triples() == [
                (Iri("http://hut.example/a"), Iri("http://hut.example/name"), Literal("Hut", "en")),
            ]


def test_tells_the_format_by_its_content_where_the_suffix_does_not(tmp_path: Path) -> None:
    for name in SAME.keys() - {"hut.trig"}:  # only its suffix tells TriG
        for suffix in (".owl", ".xml", ".data", ""):
            graph = OxigraphGraph()
            load(graph, write(tmp_path, f"hut{suffix}", SAME[name]))
            assert graph.count() == 1


def test_named_graphs_are_kept_where_the_store_has_them(tmp_path: Path) -> None:
    path = write(tmp_path, "hut.nq", SAME["hut.nq"])
    graph, theirs = OxigraphGraph(), RdflibGraph()
    load(graph, path)
    load(theirs, path)
    assert graph.ask("ASK { GRAPH <http://hut.example/g> { ?s ?p ?o } }")
    assert graph.ask("ASK { ?s ?p ?o }")
    assert theirs.count() == 1


def rdf_xml(body: str) -> str:
    return f'{HEAD}\n<rdf:Description rdf:about="http://hut.example/a">{body}</rdf:Description></rdf:RDF>'


SLOPPY: list[tuple[str, str | bytes, str, int, str]] = [
    (
        "a.nt",
        '<http://h.example/a b> <urn:p> "x" .',
        "characters percent-encoded in IRIs",
        1,
        "<http://h.example/a%20b>",
    ),
    (
        "a.nt",
        '<http://h.example/{x}> <urn:p> "x" .',
        "characters percent-encoded in IRIs",
        1,
        "%7Bx%7D",
    ),
    (
        "a.nt",
        '<http://h.example/5%> <urn:p> "x" .',
        "characters percent-encoded in IRIs",
        1,
        "5%25",
    ),
    ("a.nt", '<a> <urn:p> "x" .', "relative IRIs resolved against the base", 1, "<file:///a>"),
    (
        "a.ttl",
        "<#a> <urn:p> <> .",
        "relative IRIs resolved against the base",
        2,
        "<file:///a.ttl#a>",
    ),
    (
        "a.ttl",
        "<urn:h:a b> <urn:p> <urn:h:a b> .",
        "characters percent-encoded in IRIs",
        2,
        "a%20b",
    ),
    ("a.rdf", rdf_xml('<h:n xml:lang="">x</h:n>'), "language tags dropped", 1, '"x" .'),
    ("a.rdf", rdf_xml('<h:n xml:lang="en_US">x</h:n>'), "language tags mended", 1, '"x"@en-us'),
    (
        "a.rdf",
        rdf_xml('<h:n xml:lang="english (uk)">x</h:n>'),
        "language tags mended",
        1,
        '"x"@english-uk',
    ),
    (
        "a.rdf",
        rdf_xml('<h:n xml:lang="verylonglanguage">x</h:n>'),
        "language tags dropped",
        1,
        '"x" .',
    ),
    (
        "a.rdf",
        rdf_xml('<h:p rdf:resource="b c"/>'),
        "relative IRIs resolved against the base",
        1,
        "<file:///b%20c>",
    ),
    (
        "a.rdf",
        rdf_xml("<h:n>H\xfctte</h:n>").encode("latin-1"),
        "bytes that are not UTF-8",
        1,
        "Hütte",
    ),
    (
        "a.nt",
        '<urn:a> <urn:p> "H\xfctte, Alm\x80" .'.encode("latin-1"),
        "bytes that are not UTF-8",
        2,
        "Hütte, Alm€",
    ),
    (
        "a.ttl",
        '<urn:a> <urn:p> "Hütte", '.encode() + b'"\xe9" .',
        "bytes that are not UTF-8",
        1,
        "Hütte",
    ),
]


def test_repairs_and_counts_what_is_sloppy(tmp_path: Path, record_property: Any) -> None:
    for name, content, kind, count, result in SLOPPY:
        graph = OxigraphGraph()
        report = load(graph, write(tmp_path, name, content))
        assert {mend.kind: mend.count for mend in report.mended}[kind] == count, content
        assert all(mend.example for mend in report.mended)
        dumped = graph.dump()
        assert result in dumped.decode(), content
        assert (
            len(list(ox.parse(dumped, format=ox.RdfFormat.N_QUADS, lenient=False)))
            == report.triples
        )
        assert graph.mended == report.mended
    record_property("tries", len(SLOPPY))


def test_a_declared_encoding_is_used_where_it_fits(tmp_path: Path) -> None:
    for encoding in ("utf-8-sig", "utf-16", "iso-8859-1"):
        text = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>\n' + rdf_xml(
            "<h:n>Hütte</h:n>"
        )
        graph = OxigraphGraph()
        assert load(graph, write(tmp_path, "a.rdf", text.encode(encoding))).mended == ()
        assert graph.ask("ASK { ?s ?p 'Hütte' }")
    for encoding, content in (("undefined", b""), ("utf-7", b"+2AA-"), ("punycode", b"")):
        text = f'<?xml version="1.0" encoding="{encoding}"?>\n' + rdf_xml("<h:n>Hut|</h:n>")
        load(
            graph := OxigraphGraph(), write(tmp_path, "a.rdf", text.encode().replace(b"|", content))
        )
        assert graph.count() == 1


def test_a_declared_entity_and_a_given_base_are_used(tmp_path: Path) -> None:
    text = "<!DOCTYPE rdf:RDF [<!ENTITY h 'http://hut.example/'>]>\n" + rdf_xml(
        '<h:p rdf:resource="&h;b"/>'
    )
    graph = OxigraphGraph()
    load(graph, write(tmp_path, "a.owl", text))
    assert graph.ask("ASK { ?s ?p <http://hut.example/b> }")
    load(graph, write(tmp_path, "a.ttl", "<#a> <urn:p> <#b> ."), base="http://hut.example/onto")
    assert graph.ask("ASK { <http://hut.example/onto#a> ?p <http://hut.example/onto#b> }")


HOPELESS: list[tuple[str, str | bytes, str, str]] = [
    ("empty.ttl", "", "empty", "completely"),
    ("blank.ttl", " \n\t\n", "empty", "completely"),
    ("cut.ttl", "<urn:a> <urn:b> <urn:c> .\n<urn:a> <urn:b>", ":2:", "place"),
    ("noprefix.ttl", "<urn:a> a <urn:B> .\n\nhut:a a <urn:B> .", ":3:", "declare the prefix"),
    ("cut.rdf", f"{HEAD}\n<rdf:Description>", ":2:", "place"),
    ("crossed.rdf", f"{HEAD}\n<rdf:Description></rdf:RDF>", ":2:", "place"),
    ("entity.rdf", rdf_xml("<h:n>&unknown;</h:n>"), ":2:", "declare the entity"),
    ("escape.ttl", '<urn:a> <urn:p> "C:\\data" .', ":1:20", "two"),
    ("escape.nt", '<http://h.example/a\\b> <urn:p> "x" .', ":1:20", "backslash"),
    ("object.nt", "<urn:a> <urn:p> x .", "N-Triples", "place"),
    ("open.nt", '<urn:a> <urn:p> "x .\n<urn:a> <urn:p> "y" .', "N-Triples", "quotation mark"),
    ("tag.nt", '<urn:a> <urn:p> "x"@en_US .', ":1:23", "en-GB"),
    ("tag.ttl", "<urn:a> <urn:p>\n 'x'@pt_BR .", ":2:8", "hyphens"),
    ("id.rdf", f'{HEAD}\n<h:A rdf:ID="1x"/></rdf:RDF>', ":2:", "rdf:about"),
    ("html.rdf", rdf_xml("<h:n>a&nbsp;b</h:n>"), ":2:", "DOCTYPE"),
    ("comment.rdf", rdf_xml("<!-- a -- b\n--><h:n>x</h:n>"), ":2:", "comment"),
    (
        "late.rdf",
        "\n" + rdf_xml("").replace("<rdf", "<?xml version='1.0'?><rdf", 1),
        ":2:1",
        "before",
    ),
    ("bare.rdf", rdf_xml("<h:n>huts & routes</h:n>"), ":2:", "&amp;"),
    ("forbidden.rdf", rdf_xml("<h:n>a\x0bb</h:n>"), ":2:", "control"),
    ("cut.jsonld", '{"@id": "urn:a",\n "urn:b": ', ":2:", "place"),
    (
        "remote.jsonld",
        '{"@context": "http://hut.example/context", "@id": "urn:a"}',
        "JSON-LD",
        "network",
    ),
    ("rules.n3", "{ ?x <urn:p> ?y } => { ?y <urn:q> ?x } .", "rules", "Turtle"),
    (
        "page.owl",
        "<!DOCTYPE html><html><body>Not found</body></html>",
        "web page",
        "fetch the file itself",
    ),
    ("page.ttl", "<html><body>Not found</body></html>", "web page", "fetch"),
    (
        "functional.owl",
        "Prefix(:=<urn:h/>)\nOntology(<urn:h> Foo(:a))",
        "functional",
        "robot convert",
    ),
    ("manchester.owl", "Prefix: : <urn:h/>\nOntology: <urn:h>\nKlass: :A", "Manchester", "robot"),
    ("hut.obo", "format-version: 1.2\n[Term]\nname without id\n", "OBO", "robot convert"),
    ("notes.txt", "The hut is closed.", "cannot tell", ".ttl"),
    ("notes", "The hut is closed.", "suffix none", ".ttl"),
    ("zip.owl", b"PK\x03\x04abcdef", "zip", "unpack"),
    ("broken.ttl.gz", gzip.compress(b"<urn:a> <urn:b> <urn:c> .")[:-6], "gzip", "again"),
    ("binary.ttl", bytes(range(256)), "Turtle", "place"),
]


def test_refuses_what_cannot_be_repaired_with_its_place_and_a_fix(
    tmp_path: Path, record_property: Any
) -> None:
    for name, content, what, fix in HOPELESS:
        graph = OxigraphGraph()
        path = write(tmp_path, name, content)
        with pytest.raises(DataError) as raised:
            load(graph, path)
        assert what in raised.value.what and fix in raised.value.fix, name
        assert str(path) in raised.value.where
        assert graph.count() == 0
    record_property("tries", len(HOPELESS))


def test_a_missing_file_is_named_and_a_near_one_offered(tmp_path: Path) -> None:
    write(tmp_path, "huts.ttl", SAME["hut.ttl"])
    with pytest.raises(DataError, match="no such file") as raised:
        load(OxigraphGraph(), tmp_path / "huts.owl")
    assert "huts.ttl" in raised.value.fix


def test_a_folder_is_loaded_whole_and_an_empty_one_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    write(tmp_path / "in", "b.ttl", SAME["hut.ttl"])
    write(tmp_path, "a.rdf.gz", gzip.compress(SAME["hut.rdf"].encode()))
    write(tmp_path, "C.TTL", SAME["hut.ttl"])
    write(tmp_path, "readme.md", "# Huts")
    (tmp_path / ".ipynb_checkpoints").mkdir()  # where JupyterLab keeps what a file was before
    write(tmp_path / ".ipynb_checkpoints", "b-checkpoint.ttl", "<urn:old> <urn:p> <urn:b> .")
    report = load(OxigraphGraph(), tmp_path)
    assert [Path(file).name for file in report.files] == ["C.TTL", "a.rdf.gz", "b.ttl"]
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError, match="no RDF file in this folder"):
        load(OxigraphGraph(), tmp_path / "none")


def test_globs_are_followed_and_empty_ones_refused(tmp_path: Path) -> None:
    write(tmp_path, "a.ttl", SAME["hut.ttl"])
    write(tmp_path, "b.ttl", SAME["hut.ttl"])
    report = load(OxigraphGraph(), f"{tmp_path}/*.ttl", tmp_path / "a.ttl")
    assert [Path(file).name for file in report.files] == ["a.ttl", "b.ttl"]
    with pytest.raises(DataError, match="pattern"):
        load(OxigraphGraph(), f"{tmp_path}/*.owl")
    with pytest.raises(TypeError):
        load(OxigraphGraph())


def test_loading_a_file_again_adds_nothing_even_with_blank_nodes(tmp_path: Path) -> None:
    path = write(tmp_path, "a.ttl", '[] <urn:p> [ <urn:q> "x" ], ( 1 2 ) .')
    graph, other = OxigraphGraph(), OxigraphGraph()
    load(graph, path)
    before = graph.dump()
    load(graph, path)
    load(other, path)
    assert graph.dump() == before == other.dump()


def test_blank_nodes_are_one_within_a_file_and_differ_between_files(tmp_path: Path) -> None:
    graph = OxigraphGraph()
    load(
        graph,
        write(tmp_path, "a.nt", "_:x <urn:p> <urn:a> .\n"),
        write(tmp_path, "b.nt", "_:x <urn:p> <urn:b> .\n"),
    )
    assert len({subject for subject, _, _ in graph.triples()}) == 2
    load(
        graph,
        write(
            tmp_path, "a.ttl", "<urn:r> <urn:says> <<( _:x <urn:p> <urn:o> )>> . _:x <urn:q> 1 ."
        ),
    )
    assert graph.ask("ASK { ?r <urn:says> <<( ?x <urn:p> ?o )>> . ?x <urn:q> 1 }")


def test_entities_that_multiply_are_refused_at_once(tmp_path: Path) -> None:
    layers = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    laughs = f'<!DOCTYPE r [<!ENTITY l0 "ha">{layers}]>\n' + rdf_xml("<h:n>&l11;</h:n>")
    began = time.thread_time()
    with pytest.raises(DataError, match="without bounds"):
        load(OxigraphGraph(), write(tmp_path, "laughs.owl", laughs))
    quadratic = f'<!DOCTYPE r [<!ENTITY a "{"a" * 50_000}">]>\n' + rdf_xml(
        f"<h:n>{'&a;' * 50_000}</h:n>"
    )
    with pytest.raises(DataError, match="without bounds"):
        load(OxigraphGraph(), write(tmp_path, "quadratic.owl", quadratic))
    circle = '<!DOCTYPE r [<!ENTITY a "&b;"><!ENTITY b "&a;">]>\n' + rdf_xml("<h:n>&a;</h:n>")
    with pytest.raises(DataError, match="without bounds"):
        load(OxigraphGraph(), write(tmp_path, "circle.owl", circle))
    assert time.thread_time() - began < 5


def test_an_entity_that_stands_for_a_file_is_refused(tmp_path: Path) -> None:
    secret = write(tmp_path, "secret.txt", "top secret")
    text = f'<!DOCTYPE r [<!ENTITY f SYSTEM "file://{secret}">]>\n' + rdf_xml("<h:n>&f;</h:n>")
    graph = OxigraphGraph()
    with pytest.raises(DataError, match="another file"):
        load(graph, write(tmp_path, "a.owl", text))
    assert graph.count() == 0
