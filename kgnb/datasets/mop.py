"""The papers on metal-organic polyhedra of The World Avatar: their ground truth as records, and the
queries that read the same records from a graph in OntoSyn, OntoMOPs and OntoSpecies.

Four categories, as the paper scores them: steps, chemicals, building units (cbu) and
characterisation. "N/A", -1 and false stand for nothing stated, on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kgnb.datasets.huts import RecordQuery
from kgnb.evaluate.extraction import Record

_PREFIXES = """PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX syn: <https://www.theworldavatar.com/kg/OntoSyn/>
PREFIX mops: <https://www.theworldavatar.com/kg/ontomops/>
PREFIX species: <http://www.theworldavatar.com/ontology/ontospecies/OntoSpecies.owl#>
"""
_OF_STEP = (
    "syn:hasAddedChemicalInput|syn:hasSolventDissolve|syn:hasWashingSolvent|syn:hasSeparationSolvent|"
    "syn:hasDryingAgent"
)
_TEMPERATURE = (
    "syn:hasTargetTemperature|syn:hasStirringTemperature|syn:hasDryingTemperature|"
    "syn:hasCrystallizationTargetTemperature|syn:hasEvaporationTemperature"
)
_QUERIES = {
    "steps": f"""SELECT ?record ?product ?type ?number ?chemical ?duration ?atmosphere ?temperature ?stir WHERE {{
  ?synthesis syn:hasSynthesisStep ?record . ?record a ?class
  BIND(REPLACE(STR(?class), "^.*[/#]", "") AS ?type)
  OPTIONAL {{ ?t syn:isDescribedBy ?synthesis ; syn:hasChemicalOutput/rdfs:label ?product }}
  OPTIONAL {{ ?record syn:hasOrder ?number }}
  OPTIONAL {{ ?record ({_OF_STEP})/rdfs:label ?chemical }}
  OPTIONAL {{ ?record syn:hasStepDuration/rdfs:label ?lasts
    BIND(REPLACE(STR(?lasts), "(day|hour|minute|second)s$", "$1") AS ?duration) }}
  OPTIONAL {{ ?record syn:hasVesselEnvironment/rdfs:label ?atmosphere }}
  OPTIONAL {{ ?record ({_TEMPERATURE})/rdfs:label ?temperature }}
  OPTIONAL {{ ?record syn:isStirred|syn:isStirredHeatChill ?stir FILTER(?stir) }} }}""",
    "chemicals": f"""SELECT ?record ?product ?name ?purity ?supplier WHERE {{
  ?synthesis syn:hasChemicalInput|(syn:hasSynthesisStep/({_OF_STEP})) ?record . ?record rdfs:label ?name
  OPTIONAL {{ ?t syn:isDescribedBy ?synthesis ; syn:hasChemicalOutput/rdfs:label ?product }}
  OPTIONAL {{ ?record syn:hasPurity ?purity }}
  OPTIONAL {{ ?record syn:isSuppliedBy/rdfs:label ?supplier }} }}""",
    "cbu": """SELECT ?record ?ccdc ?formula ?name WHERE {
  ?mop mops:hasChemicalBuildingUnit ?record OPTIONAL { ?mop mops:hasCCDCNumber ?ccdc }
  OPTIONAL { ?record mops:hasCBUFormula ?formula } OPTIONAL { ?record rdfs:label ?name } }""",
    "characterisation": """SELECT ?record ?product ?ccdc ?formula ?bands ?material WHERE {
  ?record species:hasProductName|rdfs:label ?product ; a species:Species
  OPTIONAL { ?record species:hasCCDCNumber/species:hasCCDCNumberValue ?ccdc }
  OPTIONAL { ?record species:hasChemicalFormula/species:hasChemicalFormulaValue ?formula }
  OPTIONAL { ?record species:hasInfraredSpectroscopyData ?ir
    OPTIONAL { ?ir species:hasBands ?bands }
    OPTIONAL { ?ir species:usesMaterial/species:hasMaterialName ?material } } }""",
}
_ALTERNATIVES = {
    "steps": ("product", "chemical"),
    "chemicals": ("product", "name"),
    "cbu": ("name",),
    "characterisation": ("product",),
}
QUERIES = tuple(
    RecordQuery(
        name,
        _PREFIXES + query,
        _ALTERNATIVES[name],
        ("name", "supplier", "purity") if name == "chemicals" else (),
    )
    for name, query in _QUERIES.items()
)
_UNITS = {"d": "day", "h": "hour", "hr": "hour", "hours": "hour", "min": "minute", "s": "second"}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+)")


def text(value: object) -> str:
    """A value as a slot has it: false is nothing stated."""
    if isinstance(value, bool):
        return "true" if value else ""
    return str(value)


def records(content: Mapping[str, Any]) -> dict[str, list[Record]]:
    """The records of a file of the papers' ground truth by category; none of any other file."""
    found: dict[str, list[Record]] = {}
    if "Synthesis" in content:
        found["steps"] = list(_steps(content["Synthesis"]))
    if "Devices" in content:
        found["characterisation"] = list(_characterisation(content["Devices"]))
    procedures = content.get("synthesisProcedures", ())
    if any("mopCCDCNumber" in one for one in procedures):
        found["cbu"] = list(_building_units(procedures))
    elif procedures:
        found["chemicals"] = list(_chemicals(procedures))
    return found


def _steps(syntheses: Any) -> Iterator[Record]:
    for synthesis in syntheses:
        for step in synthesis["steps"]:
            for kind, said in step.items():
                chemicals = [
                    one for key in said for one in _listed(said[key]) if "chemicalName" in one
                ]
                duration = _DURATION.fullmatch(str(said.get("duration", "")).strip())
                unit = _UNITS.get(duration[2].lower(), duration[2]) if duration else ""
                yield {
                    "product": [*map(text, synthesis["productNames"])],
                    "type": [kind],
                    "number": [text(said.get("stepNumber", ""))],
                    "chemical": [
                        name for one in chemicals for name in _listed_texts(one["chemicalName"])
                    ],
                    "amount": [text(one.get("chemicalAmount", "")) for one in chemicals],
                    "duration": [
                        f"{duration[1]} {unit}" if duration else text(said.get("duration", ""))
                    ],
                    "atmosphere": [text(said.get("atmosphere", ""))],
                    "temperature": [text(said.get("targetTemperature", ""))],
                    "stir": [text(said.get("stir", False))],
                }


def _listed(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _listed_texts(value: Any) -> list[str]:
    return [text(one) for one in value] if isinstance(value, list) else [text(value)]


def _chemicals(procedures: Any) -> Iterator[Record]:
    for procedure in procedures:
        for step in procedure["steps"]:
            products = [
                name for one in step["outputChemical"] for name in _listed_texts(one["names"])
            ]
            for given in step["inputChemicals"]:
                for chemical in given["chemical"]:
                    yield {
                        "product": products,
                        "name": _listed_texts(chemical["chemicalName"]),
                        "formula": [text(chemical.get("chemicalFormula", ""))],
                        "amount": [text(chemical.get("chemicalAmount", ""))],
                        "supplier": [text(given.get("supplierName", ""))],
                        "purity": [text(given.get("purity", ""))],
                    }


def _building_units(procedures: Any) -> Iterator[Record]:
    for procedure in procedures:
        for number in ("1", "2"):
            yield {
                "ccdc": [text(procedure.get("mopCCDCNumber", ""))],
                "formula": [text(procedure.get(f"cbuFormula{number}", ""))],
                "name": _listed_texts(procedure.get(f"cbuSpeciesNames{number}", [])),
            }


def _characterisation(devices: Any) -> Iterator[Record]:
    for device in devices:
        for one in device["Characterisation"]:
            infrared = one.get("InfraredSpectroscopy", {})
            yield {
                "product": _listed_texts(one.get("productNames", [])),
                "ccdc": [text(one.get("productCCDCNumber", ""))],
                "formula": [text(one.get("ElementalAnalysis", {}).get("chemicalFormula", ""))],
                "bands": [text(infrared.get("bands", ""))],
                "material": [text(infrared.get("material", ""))],
            }
