"""Our kitchen data holds together: the reference keeps T-Box and shapes, and all of it can be read back."""

import pyshacl
import pytest
import rdflib

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
