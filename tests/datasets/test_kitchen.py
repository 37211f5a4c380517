"""Our kitchen data holds together: the reference keeps T-Box and shapes, and all of it can be read back."""

import re
from pathlib import Path

import pyshacl
import pytest
import rdflib

from kgnb.agents.kg_construction.documents import find_documents, read_document
from kgnb.datasets import huts, kitchen
from kgnb.evaluate.extraction import read_records
from kgnb.reporting.kg_construction import reference_graph
from kgnb.tasks.building import compile_ontology

GRAPH = reference_graph(huts.path("kitchen-reference"))


def test_the_reference_conforms_to_the_compiled_tbox_and_shapes() -> None:
    pack = compile_ontology(huts.path("kitchen"), huts.path("kitchen-shapes"))
    shapes = rdflib.Graph().parse(data=pack.shacl(), format="turtle")
    whole = GRAPH + rdflib.Graph().parse(huts.path("kitchen"))
    conforms, _, text = pyshacl.validate(whole, shacl_graph=shapes)
    assert conforms, text[:2000]


@pytest.mark.parametrize(("name", "records"), [("recipes", 15), ("portions", 73), ("steps", 57)])
def test_every_record_is_read_back(name: str, records: int) -> None:
    (query,) = [one for one in kitchen.QUERIES if one.name == name]
    found = read_records(GRAPH, query.query)
    assert len(found) == records
    assert all(record.get("recipe") or record.get("title") for record in found)


def by_document(path: Path) -> dict[str, rdflib.Graph]:
    """The named graphs of a reference by the last part of their IRI."""
    data = rdflib.Dataset()
    data.parse(path)
    found: dict[str, rdflib.Graph] = {}
    for subject, predicate, value, name in data.quads():
        if name is not None:
            found.setdefault(str(name).rsplit("/", 1)[-1], rdflib.Graph()).add((subject, predicate, value))
    return found


def test_what_the_reference_says_stands_in_the_note() -> None:
    texts = {
        entry.name.rsplit(".", 1)[0]: read_document(entry).text for entry in find_documents(huts.path("kitchen-notes"))
    }
    references = by_document(huts.path("kitchen-reference"))
    assert set(texts) == set(references)
    for name, graph in references.items():
        said = re.sub(r"\s+", " ", texts[name]).casefold()
        for value in graph.objects(None, rdflib.URIRef("http://huts.example/kitchen#name")):
            assert str(value).casefold() in said, (name, value)
