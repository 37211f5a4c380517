"""An ontology in Turtle as a T-Box and its shapes."""

from kgnb.kg.ontology_reader import read_ontology
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.shapes.facts import Facts
from kgnb.shapes.owl_reading import owl_shapes
from kgnb.shapes.shape import Shape, Warned
from kgnb.shapes.tbox import TBox

BASE = "http://hut.example/"
PREFIXES = f"""PREFIX : <{BASE}> PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> PREFIX schema: <https://schema.org/>
PREFIX sh: <http://www.w3.org/ns/shacl#> """


def read(turtle: str) -> tuple[TBox, list[Shape], list[Warned]]:
    graph = OxigraphGraph()
    graph.update(f"{PREFIXES} INSERT DATA {{ {turtle} }}")
    tbox = TBox(Facts(graph.triples()), read_ontology(graph))
    return tbox, *owl_shapes(tbox, {})
