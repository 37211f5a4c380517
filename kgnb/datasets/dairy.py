"""The notes of the alp dairies: steps out of order, and a register that fills in what the notes leave out."""

from __future__ import annotations

import csv
from typing import Any

from rapidfuzz import fuzz

from kgnb.datasets import huts
from kgnb.datasets.kitchen import RecordQuery

_PREFIXES = """PREFIX d: <http://huts.example/dairy#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
"""
_RECORDS = {
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
QUERIES = tuple(RecordQuery(name, _PREFIXES + query) for name, query in _RECORDS.items())
_NEAR = 60.0  # of 100, rapidfuzz's token_set_ratio


def register(name: str) -> list[dict[str, Any]]:
    """Look a supply up in the register of the dairies: its number and names, the likeliest first."""
    with huts.path("dairy-register").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    near = {row["number"]: max(fuzz.token_set_ratio(name.casefold(), row[key]) for key in ("name", "also"))
            for row in rows}  # fmt: skip
    found = [row for row in rows if near[row["number"]] >= _NEAR]
    return [dict(row) for row in sorted(found, key=lambda row: -near[row["number"]])][:6]
