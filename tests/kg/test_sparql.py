"""Queries taken apart."""

import pytest

from kgnb.errors import DataError
from kgnb.kg.sparql import bind, limited, query_form
from kgnb.kg.terms import Iri, Literal

X = {"x": Iri("urn:x")}
VALUES = "VALUES (?x) {(<urn:x>)}"


@pytest.mark.parametrize(
    ("query", "form"),
    [
        ("select * {}", "SELECT"),
        ("# select\nASK {}", "ASK"),
        ("BASE <http://x/#select> PREFIX ask: <urn:drop#> CONSTRUCT WHERE {}", "CONSTRUCT"),
        ("PREFIX : <urn:a>\nDESCRIBE <urn:b>", "DESCRIBE"),
        ("insert data {}", "UPDATE"),
        ("PREFIX a: <urn:a> WITH <urn:g> DELETE {} WHERE {}", "UPDATE"),
        ("CLEAR ALL", "UPDATE"),
        ("LOAD <http://x>", "UPDATE"),
    ],
)
def test_tells_the_form(query: str, form: str) -> None:
    assert query_form(query) == form


@pytest.mark.parametrize(
    "query", ["", "  # only a comment", "'SELECT'", "<SELECT>", "?select", "SELEKT * {}", "{}", "PREFIX"]
)
def test_refuses_what_is_no_query(query: str) -> None:
    with pytest.raises(DataError):
        query_form(query)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ASK { ?x ?p ?o }", f"ASK {{ {VALUES} ?x ?p ?o }}"),
        ("SELECT * WHERE { ?x ?p '{' }", f"SELECT * WHERE {{ {VALUES} ?x ?p '{{' }}"),
        ("SELECT (EXISTS {} AS ?e) { ?x ?p 1 }", f"SELECT (EXISTS {{}} AS ?e) {{ {VALUES} ?x ?p 1 }}"),
        ("CONSTRUCT { ?x ?p 1 } WHERE { ?x ?p 1 }", f"CONSTRUCT {{ ?x ?p 1 }} WHERE {{ {VALUES} ?x ?p 1 }}"),
        ("CONSTRUCT WHERE { ?x ?p 1 } LIMIT 2", f"CONSTRUCT {{ ?x ?p 1 }} WHERE {{ {VALUES}  ?x ?p 1 }} LIMIT 2"),
        ("DESCRIBE ?x", f"DESCRIBE ?x\nWHERE {{ {VALUES} }}"),
        ("SELECT * #{\n{ ?x ?p <urn:{> }", f"SELECT * #{{\n{{ {VALUES} ?x ?p <urn:{{> }}"),
    ],
)  # fmt: skip
def test_binds_at_the_head_of_the_main_group(query: str, expected: str) -> None:
    assert bind(query, X) == expected


def test_binds_several_variables_in_one_row() -> None:
    assert 'VALUES (?x ?y) {(<urn:x> "y"@en)}' in bind("ASK { ?x ?p ?y }", {**X, "y": Literal("y", "en")})
    assert bind("ASK {}", None) == bind("ASK {}", {}) == "ASK {}"


@pytest.mark.parametrize("name", ["?x", "x y", "", "x) {(1)} #", "x-y"])
def test_refuses_a_name_that_is_no_variable(name: str) -> None:
    with pytest.raises(ValueError, match="variable"):
        bind("ASK {}", {name: Literal("x")})


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT * {}", "SELECT * {}\nLIMIT 3"),
        ("SELECT * {} # end", "SELECT * {} # end\nLIMIT 3"),
        ("SELECT * {} LIMIT 10 OFFSET 2", "SELECT * {} LIMIT 3 OFFSET 2"),
        ("SELECT * {} OFFSET 2 limit 1", "SELECT * {} OFFSET 2 limit 1"),
        ("SELECT * { { SELECT * {} LIMIT 1 } }", "SELECT * { { SELECT * {} LIMIT 1 } }\nLIMIT 3"),
        ("SELECT * { ?s ?p 'LIMIT 1' }", "SELECT * { ?s ?p 'LIMIT 1' }\nLIMIT 3"),
        ("SELECT ?x {} VALUES ?x { 1 }", "SELECT ?x {} LIMIT 3\nVALUES ?x { 1 }"),
        ("SELECT * {} ORDER BY ?limit", "SELECT * {} ORDER BY ?limit\nLIMIT 3"),
    ],
)
def test_puts_the_limit_where_it_belongs(query: str, expected: str) -> None:
    assert limited(query, 3) == expected
    assert limited(query, None) == query
