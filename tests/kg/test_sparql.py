"""SPARQL text."""

import pytest

from kgnb.errors import DataError
from kgnb.kg.sparql import bind, limited, query_form
from kgnb.kg.terms import Iri, Literal

X = {"x": Iri("urn:x")}
VALUES = "VALUES (?x) {(<urn:x>)}"
FORMS = {
    "select * {}": "SELECT",
    "# select\nASK {}": "ASK",
    "BASE <http://x/#select> PREFIX ask: <urn:drop#> CONSTRUCT WHERE {}": "CONSTRUCT",
    "PREFIX : <urn:a>\nDESCRIBE <urn:b>": "DESCRIBE",
    "insert data {}": "UPDATE",
    "PREFIX a: <urn:a> WITH <urn:g> DELETE {} WHERE {}": "UPDATE",
    "CLEAR ALL": "UPDATE",
    "LOAD <http://x>": "UPDATE",
}
BOUND = {
    "ASK { ?x ?p ?o }": f"ASK {{ {VALUES} ?x ?p ?o }}",
    "SELECT * WHERE { ?x ?p '{' }": f"SELECT * WHERE {{ {VALUES} ?x ?p '{{' }}",
    "SELECT (EXISTS {} AS ?e) { ?x ?p 1 }": f"SELECT (EXISTS {{}} AS ?e) {{ {VALUES} ?x ?p 1 }}",
    "CONSTRUCT { ?x ?p 1 } WHERE { ?x ?p 1 }": f"CONSTRUCT {{ ?x ?p 1 }} WHERE {{ {VALUES} ?x ?p 1 }}",
    "CONSTRUCT WHERE { ?x ?p 1 } LIMIT 2": f"CONSTRUCT {{ ?x ?p 1 }} WHERE {{ {VALUES}  ?x ?p 1 }} LIMIT 2",
    "DESCRIBE ?x": f"DESCRIBE ?x\nWHERE {{ {VALUES} }}",
    "SELECT * #{\n{ ?x ?p <urn:{> }": f"SELECT * #{{\n{{ {VALUES} ?x ?p <urn:{{> }}",
}
LIMITED = {
    "SELECT * {}": "SELECT * {}\nLIMIT 3",
    "SELECT * {} # end": "SELECT * {} # end\nLIMIT 3",
    "SELECT * {} LIMIT 10 OFFSET 2": "SELECT * {} LIMIT 3 OFFSET 2",
    "SELECT * {} OFFSET 2 limit 1": "SELECT * {} OFFSET 2 limit 1",
    "SELECT * { { SELECT * {} LIMIT 1 } }": "SELECT * { { SELECT * {} LIMIT 1 } }\nLIMIT 3",
    "SELECT * { ?s ?p 'LIMIT 1' }": "SELECT * { ?s ?p 'LIMIT 1' }\nLIMIT 3",
    "SELECT ?x {} VALUES ?x { 1 }": "SELECT ?x {} LIMIT 3\nVALUES ?x { 1 }",
    "SELECT * {} ORDER BY ?limit": "SELECT * {} ORDER BY ?limit\nLIMIT 3",
}


def test_tells_the_form_of_a_query_and_refuses_other_text() -> None:
    assert {query: query_form(query) for query in FORMS} == FORMS
    for query in (
        "",
        "  # only a comment",
        "'SELECT'",
        "<SELECT>",
        "?select",
        "SELEKT * {}",
        "{}",
        "PREFIX",
    ):
        with pytest.raises(DataError):
            query_form(query)


def test_binds_at_the_start_of_the_main_group() -> None:
    assert {query: bind(query, X) for query in BOUND} == BOUND
    assert 'VALUES (?x ?y) {(<urn:x> "y"@en)}' in bind(
        "ASK { ?x ?p ?y }", {**X, "y": Literal("y", "en")}
    )
    assert bind("ASK {}", None) == bind("ASK {}", {}) == "ASK {}"
    for name in ("?x", "x y", "", "x) {(1)} #", "x-y"):
        with pytest.raises(ValueError, match="variable"):
            bind("ASK {}", {name: Literal("x")})


def test_puts_the_limit_where_it_belongs() -> None:
    assert {query: limited(query, 3) for query in LIMITED} == LIMITED
    assert [limited(query, None) for query in LIMITED] == list(LIMITED)
