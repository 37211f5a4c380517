"""The World Avatar's sample of one paper about metal-organic polyhedra: T-Box, text, synthesis steps as a graph."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rdflib import RDF, RDFS, XSD, Graph, Literal, URIRef

from kgnb.datasets.fetch import data_folder
from kgnb.datasets.kitchen import RecordQuery
from kgnb.errors import DataError
from kgnb.files import from_json

SYN = "https://www.theworldavatar.com/kg/OntoSyn/"
OM = "http://www.ontology-of-units-of-measure.org/resource/om-2/"
_ID = "https://mop.example/id/"
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(d|h|min|s)\b")
_UNITS = {"d": "day", "h": "hour", "min": "minute-Time", "s": "second-Time"}

SHAPES = f"""@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix syn: <{SYN}> .
<urn:kgnb:mop:step> a sh:NodeShape ; sh:targetClass syn:Add , syn:HeatChill ;
  sh:property [ sh:path syn:hasOrder ; sh:minCount 1 ; sh:maxCount 1 ; sh:minInclusive 1 ] .
"""
"""What the T-Box does not say and its authors' prompts do: every step has its number. Our own words."""

QUERIES = (
    RecordQuery(
        "synthesis steps",
        f"""PREFIX syn: <{SYN}> PREFIX om: <{OM}> PREFIX rdfs: <{RDFS}>
SELECT ?record ?product ?number ?kind ?chemical ?atmosphere ?stirred ?layered ?vacuum ?duration WHERE {{
  ?s syn:hasSynthesisStep ?record . ?s rdfs:label ?product .
  OPTIONAL {{ ?record syn:hasOrder ?number }}
  OPTIONAL {{ ?record a ?kind FILTER(STRSTARTS(STR(?kind), STR(syn:))) }}
  OPTIONAL {{ ?record syn:hasAddedChemicalInput/rdfs:label ?chemical }}
  OPTIONAL {{ ?record syn:hasVesselEnvironment/rdfs:label ?atmosphere }}
  OPTIONAL {{ ?record syn:isStirred ?stirred }} OPTIONAL {{ ?record syn:isLayered ?layered }}
  OPTIONAL {{ ?record syn:hasVacuum ?vacuum }}
  OPTIONAL {{ ?record syn:hasStepDuration/om:hasValue ?m . ?m om:hasNumericalValue ?n ; om:hasUnit ?u
             BIND(CONCAT(STR(?n), " ", STR(?u)) AS ?duration) }} }}""",
    ),
)


@dataclass(frozen=True)
class MopSample:
    """One paper: the T-Box, the condensed text, and its ground truth of steps in the T-Box's terms."""

    name: str
    tbox: Path
    text: str
    steps: Graph


def mop_sample(folder: Path | None) -> MopSample:
    """The sample; ``folder`` holds ``twa``.

    Raises:
        DataError: it is not there, or not what it should be.
    """
    home = data_folder("twa", folder)
    files = sorted((home / "mop-sample" / "ground-truth" / "steps").glob("*.json"))
    if not files:
        raise DataError("there is no ground truth", where=str(home / "mop-sample"), fix="Get the sample again.")
    text = next(iter(sorted((home / "mop-sample" / "text").glob("*.txt")))).read_text(encoding="utf-8")
    try:
        content = from_json(files[0].read_text(encoding="utf-8"))
        graph = steps_graph(content)
    except (ValueError, KeyError, TypeError) as error:
        raise DataError("not a ground truth of steps", where=str(files[0]), fix="Get the sample again.") from error
    return MopSample(files[0].stem, home / "tbox" / "ontosyn" / "ontosyn-ogm.ttl", text, graph)


def steps_graph(content: dict[str, Any]) -> Graph:
    """The ground truth of synthesis steps as a graph; what is absent ("N/A", -1, empty) is left out."""
    graph = Graph()
    for synthesis in content["Synthesis"]:
        number = synthesis["productCCDCNumber"].replace(" ", "")
        whole = _typed(
            graph, f"synthesis-{number}", "ChemicalSynthesis", f"synthesis of {synthesis['productNames'][0]}"
        )
        for step in synthesis["steps"]:
            ((kind, said),) = step.items()
            _step(graph, whole, number, kind, said)
    return graph


def _step(graph: Graph, whole: URIRef, number: str, kind: str, said: dict[str, Any]) -> None:
    order = int(said["stepNumber"])
    node = _typed(graph, f"step-{number}-{order}", kind, f"step {order}: {said['comment']}")
    graph.add((whole, _syn("hasSynthesisStep"), node))
    graph.add((node, _syn("hasOrder"), Literal(order)))
    for chemical in said.get("addedChemical", ()):
        label = f"{chemical['chemicalName'][0]} {chemical['chemicalAmount']}"
        name = re.sub(r"\W+", "-", label)
        graph.add((node, _syn("hasAddedChemicalInput"), _typed(graph, f"chemical-{name}", "ChemicalInput", label)))
    atmosphere = said.get("atmosphere", "")
    if atmosphere and atmosphere.lower() != "n/a":
        place = _typed(graph, f"environment-{atmosphere}", "VesselEnvironment", atmosphere)
        graph.add((node, _syn("hasVesselEnvironment"), place))
    flags = {"Add": {"stir": "isStirred", "isLayered": "isLayered"}, "HeatChill": {"underVacuum": "hasVacuum"}}
    for name, term in flags.get(kind, {}).items():
        if isinstance(said.get(name), bool):
            graph.add((node, _syn(term), Literal(said[name])))
    if match := _DURATION.search(said.get("duration", "")):
        _duration(graph, node, match[1], match[2])


def _duration(graph: Graph, node: URIRef, value: str, unit: str) -> None:
    name, measure = URIRef(f"{_ID}duration-{value}{unit}"), URIRef(f"{_ID}measure-{value}{unit}")
    graph.add((node, _syn("hasStepDuration"), name))
    graph.add((name, RDF.type, URIRef(f"{OM}Duration")))
    graph.add((name, URIRef(f"{OM}hasValue"), measure))
    graph.add((measure, URIRef(f"{OM}hasNumericalValue"), Literal(value, datatype=XSD.decimal)))
    graph.add((measure, URIRef(f"{OM}hasUnit"), URIRef(f"{OM}{_UNITS[unit]}")))


def _typed(graph: Graph, name: str, kind: str, label: str) -> URIRef:
    node = URIRef(f"{_ID}{name}")
    graph.add((node, RDF.type, _syn(kind)))
    graph.add((node, RDFS.label, Literal(label)))
    return node


def _syn(name: str) -> URIRef:
    return URIRef(f"{SYN}{name}")
