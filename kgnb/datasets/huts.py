"""Our own teaching data, a network of mountain huts; part of the package (``data/huts/SOURCE.md``)."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgnb.datasets.published import MatchingCase, MatchingSet
from kgnb.datasets.questions import QuestionSet, read_questions
from kgnb.errors import DataError

FILES = {
    "alpine": "alpine.ttl",
    "refuge": "refuge.owl",
    "reference": "reference.rdf",
    "hollenmark": "hollenmark.ttl",
    "corvane": "corvane.ttl",
    "entity-reference": "entity-reference.tsv",
    "entity-seeds": "entity-seeds.tsv",
    "kitchen": "kitchen.ttl",
    "kitchen-shapes": "kitchen-shapes.ttl",
    "kitchen-notes": "kitchen",
    "kitchen-reference": "kitchen-reference.trig",
    "pantry": "pantry.ttl",
    "dairy": "dairy.ttl",
    "dairy-notes": "dairy",
    "dairy-reference": "dairy-reference.trig",
    "dairy-register": "dairy-register.tsv",
    "graph": "graph.ttl",
    "questions": "questions.jsonl",
}


def folder() -> Path:
    """The folder of the data: in the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    for place in (package / "data" / "huts", package.parent / "data" / "huts"):
        if (place / FILES["reference"]).is_file():
            return place
    raise DataError(
        "kgnb's own data set is missing",
        where=str(package / "data" / "huts"),
        fix="Install kgnb again.",
    )


def path(name: str) -> Path:
    """The file of ``alpine``, ``refuge``, ``reference``, ...; ValueError for a name that is not in
    ``FILES``.

    >>> path("alpine").name
    'alpine.ttl'
    """
    if name not in FILES:
        raise ValueError(f"huts has no {name!r}; it has {', '.join(FILES)}")
    return folder() / FILES[name]


def questions() -> QuestionSet:
    """Thirty questions of every kind over ``huts:graph``, with our reference answers."""
    return QuestionSet(
        "huts",
        "kgnb's mountain huts",
        tuple(read_questions(path("questions"))),
        graph="huts:graph",
        notes=("a small teaching set of our own; a figure on it says nothing about real graphs",),
    )


def huts() -> MatchingSet:
    """The two hut ontologies and our reference, with equivalences and subsumptions."""
    return MatchingSet(
        "huts",
        "kgnb's mountain huts",
        (MatchingCase("alpine-refuge", path("alpine"), path("refuge"), path("reference")),),
        context="mountain huts: hiking routes, wardens, bookings, kitchens and weather",
        notes=(
            "a small teaching set of our own; a figure on it says nothing about real ontologies",
        ),
    )


@dataclass(frozen=True)
class RecordQuery:
    """A fixed SELECT query that reads records from a graph: ``?record``, and a slot for each other
    variable.
    """

    name: str
    query: str
    alternatives: tuple[str, ...] = ()
    forgiving: tuple[str, ...] = ()


_KITCHEN_PREFIXES = """PREFIX k: <http://huts.example/kitchen#>
PREFIX om: <http://www.ontology-of-units-of-measure.org/resource/om-2/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
"""
_KITCHEN = {
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
KITCHEN_QUERIES = tuple(
    RecordQuery(name, _KITCHEN_PREFIXES + query) for name, query in _KITCHEN.items()
)
_DAIRY_PREFIXES = """PREFIX d: <http://huts.example/dairy#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
"""
_DAIRY = {
    "makings": """SELECT ?record ?title ?litres ?dairy WHERE {
  ?record a d:Making ; rdfs:label ?title OPTIONAL { ?record d:litres ?litres }
  OPTIONAL { ?record d:madeAt/rdfs:label ?dairy } }""",
    "steps": """SELECT ?record ?making ?number ?action ?minutes ?celsius ?dose ?adds ?follows WHERE {
  ?m d:hasStep ?record ; rdfs:label ?making OPTIONAL { ?record d:number ?number }
  OPTIONAL { ?record d:action ?action } OPTIONAL { ?record d:minutes ?minutes }
  OPTIONAL { ?record d:celsius ?celsius } OPTIONAL { ?record d:dose ?dose }
  OPTIONAL { ?record d:adds/rdfs:label ?adds } OPTIONAL { ?record d:follows/d:number ?follows } }""",
    "supplies": """SELECT ?record ?name ?number WHERE {
  ?record a d:Supply ; rdfs:label ?name OPTIONAL { ?record d:registerNumber ?number } }""",
}
DAIRY_QUERIES = tuple(RecordQuery(name, _DAIRY_PREFIXES + query) for name, query in _DAIRY.items())
_NEAR = 60.0  # of 100, rapidfuzz's token_set_ratio


def register(name: str) -> list[dict[str, Any]]:
    """Look a supply up in the register of the dairies: its number and names, the likeliest first."""
    from rapidfuzz import fuzz

    with path("dairy-register").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    near = {
        row["number"]: max(
            fuzz.token_set_ratio(name.casefold(), row[key]) for key in ("name", "also")
        )
        for row in rows
    }
    found = [row for row in rows if near[row["number"]] >= _NEAR]
    return [dict(row) for row in sorted(found, key=lambda row: -near[row["number"]])][:6]
