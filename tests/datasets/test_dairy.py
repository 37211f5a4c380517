"""The notes of the dairies hold together: what their reference says keeps the T-Box and names what the register has."""

import pyshacl
import rdflib

from kgnb.datasets import dairy, huts
from kgnb.evaluate.extraction import read_records
from kgnb.reporting.kg_construction import reference_graph
from kgnb.tasks.building import compile_ontology

GRAPH = reference_graph(huts.path("dairy-reference"))


def test_the_reference_conforms_to_the_compiled_tbox() -> None:
    shapes = rdflib.Graph().parse(data=compile_ontology("huts:dairy").shacl(), format="turtle")
    conforms, _, text = pyshacl.validate(GRAPH + rdflib.Graph().parse(huts.path("dairy")), shacl_graph=shapes)
    assert conforms, text[:2000]


def test_the_register_knows_every_supply_and_puts_it_first() -> None:
    (query,) = [one for one in dairy.QUERIES if one.name == "supplies"]
    supplies = read_records(GRAPH, query.query)
    assert {one["number"][0] for one in supplies} <= {row["number"] for one in supplies
                                                      for row in dairy.register(one["name"][0])[:1]}  # fmt: skip
