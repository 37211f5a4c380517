import datetime
import decimal

import numpy as np
import pandas
import pytest
import rdflib

from kgnb.errors import DataError
from kgnb.kg.placeholders import fill, placeholders, term_of, terms_of
from kgnb.kg.terms import Iri, Literal

HUT, LABEL = Iri("http://huts.example/id/hut"), Iri("http://www.w3.org/2000/01/rdf-schema#label")


def test_an_injection_attempt_stays_a_literal() -> None:
    evil = '" } ; DROP ALL ; INSERT DATA { <urn:a> <urn:b> "c'
    assert fill("ASK { ?a ?b {{evil}} }", {"evil": evil}).count('\\"') == 2
    with pytest.raises(DataError, match="not an absolute IRI"):
        fill("DESCRIBE <{{evil}}>", {"evil": "http://a> <http://b"})


def test_a_list_stands_for_several_terms_and_a_set_for_its_sorted_ones() -> None:
    assert fill("VALUES ?n { {{n}} }", {"n": [1, "b"]}).endswith(
        '{ "1"^^<http://www.w3.org/2001/XMLSchema#integer> "b" }'
    )
    assert terms_of({"b", "a"}) == [Literal("a"), Literal("b")]
    assert terms_of(np.array([1, 2])) == terms_of([1, 2])


def test_other_braces_stay() -> None:
    query = "SELECT * { { ?s ?p ?o } UNION {{ ?o ?p ?s }} }"
    assert fill(query, {}) == query and placeholders(query) == []


def test_what_is_missing_or_quoted_is_named_with_its_place() -> None:
    with pytest.raises(DataError, match=r"line 2, column 4: there is no value for \{\{hut\}\}"):
        fill("ASK {\n ?a{{hut}} ?b }", {})
    with pytest.raises(DataError, match="is inside quotes"):
        fill('ASK { ?a ?b "{{hut}}" }', {"hut": "x"})
    with pytest.raises(DataError, match="no RDF term for a NoneType"):
        fill("ASK { ?a ?b {{hut}} }", {"hut": None})
    with pytest.raises(DataError, match="no RDF term for a NaTType"):
        fill("ASK { ?a ?b {{hut}} }", {"hut": pandas.NaT})


def test_python_values_get_their_xsd_datatype() -> None:
    for value, text, datatype in (
        (True, "true", "boolean"),
        (np.bool_(True), "true", "boolean"),
        (np.int64(3), "3", "integer"),
        (2.5, "2.5", "double"),
        (float("inf"), "INF", "double"),
        (decimal.Decimal("1E+2"), "100", "decimal"),
        (datetime.date(2026, 6, 20), "2026-06-20", "date"),
        (datetime.datetime(2026, 6, 20, 8), "2026-06-20T08:00:00", "dateTime"),
    ):
        assert term_of(value) == Literal(
            text, datatype=f"http://www.w3.org/2001/XMLSchema#{datatype}"
        )


def test_rdflib_terms_and_ours_pass_as_they_are() -> None:
    assert term_of(rdflib.URIRef(HUT)) == HUT == term_of(HUT)
    assert term_of(rdflib.Literal("Hütte", lang="de")) == Literal("Hütte", "de")
