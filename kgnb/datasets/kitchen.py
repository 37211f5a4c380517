"""The notes of the hut kitchens: queries that read records back from a graph."""

from __future__ import annotations

from dataclasses import dataclass

_PREFIXES = """PREFIX k: <http://huts.example/kitchen#>
PREFIX om: <http://www.ontology-of-units-of-measure.org/resource/om-2/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
"""


@dataclass(frozen=True)
class RecordQuery:
    """A fixed SELECT query that reads records from a graph: ``?record``, and a slot for each other variable."""

    name: str
    query: str
    alternatives: tuple[str, ...] = ()
    forgiving: tuple[str, ...] = ()


_RECORDS = {
    "recipes": """SELECT ?record ?title ?people ?dish ?course ?hut ?cook WHERE {
  ?record a k:Recipe .
  OPTIONAL { ?record k:title ?title } OPTIONAL { ?record k:servesPeople ?people }
  OPTIONAL { ?record k:makesDish ?d . ?d k:name ?dish OPTIONAL { ?d k:course ?course } }
  OPTIONAL { ?record k:cookedAt/k:name ?hut } OPTIONAL { ?record k:writtenBy/k:name ?cook } }""",
    "portions": """SELECT ?record ?recipe ?amount ?unit ?ingredient WHERE {
  ?r k:hasPortion ?record . OPTIONAL { ?r k:title ?recipe }
  OPTIONAL { ?record k:amount ?amount } OPTIONAL { ?record k:unit ?unit }
  OPTIONAL { ?record k:ofIngredient/k:name ?ingredient } }""",
    "steps": """SELECT ?record ?recipe ?number ?kind ?uses ?duration ?temperature WHERE {
  ?r k:hasStep ?record . OPTIONAL { ?r k:title ?recipe }
  OPTIONAL { ?record k:stepNumber ?number }
  OPTIONAL { ?record a ?kind FILTER(?kind IN (k:Cut, k:Boil, k:Simmer, k:Fry, k:Bake, k:Mix, k:Rest)) }
  OPTIONAL { ?record k:uses/k:name ?uses }
  OPTIONAL { ?record k:lasts/om:hasValue ?m . ?m om:hasNumericalValue ?n ; om:hasUnit ?u
             BIND(CONCAT(STR(?n), " ", STR(?u)) AS ?duration) }
  OPTIONAL { ?record k:atTemperature/om:hasValue ?tm . ?tm om:hasNumericalValue ?t ; om:hasUnit ?tu
             BIND(CONCAT(STR(?t), " ", STR(?tu)) AS ?temperature) } }""",
    "allergens": """SELECT ?record ?allergen WHERE {
  ?i k:containsAllergen ?allergen ; k:name ?name BIND(?name AS ?record) }""",
}
QUERIES = tuple(RecordQuery(name, _PREFIXES + query) for name, query in _RECORDS.items())
