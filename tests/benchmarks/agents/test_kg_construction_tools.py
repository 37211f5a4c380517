"""The tools over ontologies we did not write, and the W3C's tests of SHACL Core."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import rdflib
from rdflib import RDF, Namespace

from kgnb import compile_ontology
from kgnb.kg.loading import read_quads
from kgnb.kg.oxigraph_graph import triple_from_oxigraph
from kgnb.shapes.checking import SUBCLASSES, Checker, ClassHierarchy
from kgnb.shapes.facts import Facts
from kgnb.shapes.shacl import read_shapes
from tests.benchmarks.agents.walks import walk

DATA = os.environ.get("KGNB_DATA", "")
pytestmark = [pytest.mark.benchmark, pytest.mark.skipif(not DATA, reason="KGNB_DATA is not set")]
SH = Namespace("http://www.w3.org/ns/shacl#")
MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
SHT = Namespace("http://www.w3.org/ns/shacl-test#")
SUFFIXES = {".owl", ".rdf", ".ttl", ".n3", ".nq", ".gz"}


def ontologies() -> list[Path]:
    root = Path(DATA)
    folders = [
        root / "twa" / "tbox",
        root / "text2kg" / "dbpedia_webnlg" / "ontologies" / "owl",
        root / "general",
    ]
    return (
        sorted(p for f in folders for p in f.rglob("*") if p.suffix in SUFFIXES and p.is_file())
        if DATA
        else []
    )


@pytest.mark.parametrize("path", ontologies(), ids=lambda path: path.name)
def test_compiles_and_holds_what_it_says(path: Path) -> None:
    pack = compile_ontology(path)
    rdflib.Graph().parse(data=pack.shacl(), format="turtle")
    if len(pack.tools) <= 1000:
        walked = walk(pack, 100)
        assert (walked.faults, walked.differences) == ((), ())


def cases(root: Path) -> Iterator[tuple[Path, rdflib.Graph, rdflib.term.Node]]:
    for path in sorted(root.rglob("*.ttl")):
        graph = rdflib.Graph().parse(path, publicID=path.as_uri())
        for test in sorted(graph.subjects(RDF.type, SHT.Validate)):
            yield path, graph, test


def facts_of(uri: str) -> Facts:
    path = Path(
        uri.removeprefix("file://")
    )  # not through a store: it would write "1"^^xsd:boolean as true
    quads, _ = read_quads(path, base=path.as_uri())
    return Facts(map(triple_from_oxigraph, quads))


def test_passes_the_w3c_tests_of_shacl_core(tmp_path: Path) -> None:
    with tarfile.open(next(Path(DATA, "shacl-tests").glob("*.tar.gz"))) as archive:
        archive.extraction_filter = getattr(
            tarfile, "data_filter", None
        )  # unknown to Python before 3.11.4
        archive.extractall(tmp_path)
    failed, passed = [], 0
    for path, graph, test in cases(tmp_path / "data-shapes-test-suite" / "tests" / "core"):
        action = graph.value(test, MF.action)
        data, shapes = (
            facts_of(str(graph.value(action, p))) for p in (SHT.dataGraph, SHT.shapesGraph)
        )
        targeted, named, _ = read_shapes(shapes)
        below: dict[str, set[str]] = {}
        for iri in {end for pair in data.pairs(SUBCLASSES.parts[0].iri) for end in pair}:
            for above in data.follow(iri, SUBCLASSES):
                below.setdefault(str(above), {str(above)}).add(str(iri))
        checker = Checker(
            targeted, ClassHierarchy({k: frozenset(v) for k, v in below.items()}, {}), named
        )
        found = sorted((one.constraint.component.lower()) for _, one in checker.everything(data))
        results = graph.objects(graph.value(test, MF.result), SH.result)
        said = [
            str(graph.value(one, SH.sourceConstraintComponent)).split("#")[1] for one in results
        ]
        expected = sorted(name.removesuffix("ConstraintComponent").lower() for name in said)
        passed += found == expected
        failed += [] if found == expected else [path.name]
    assert failed == [] and passed == 98
