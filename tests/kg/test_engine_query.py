"""Where the embedded engine differs from SPARQL in silence: made right, or said with the result."""

from pathlib import Path

import pytest

import kgnb
from kgnb.errors import DataError
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import Iri, Literal

P = "PREFIX : <http://stars.example/> "
STARS = """@prefix : <http://stars.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:vega rdfs:label "Vega"@en-US, "Wega"@de-AT, "織女一"@zh-Hant ; :mass 4231000000000000000000000000000 ;
  :ratio 0.00000000000000000000123 ; :planets 1 ; :code "a1a" .
:sol rdfs:label "Sun"@en-GB ; :mass 7 ; :ratio 0.5 ; :planets 8 ; :code "b2c" .
"""


@pytest.fixture
def stars(tmp_path: Path) -> OxigraphGraph:
    (tmp_path / "stars.ttl").write_text(STARS, encoding="utf-8")
    load(graph := OxigraphGraph(name="stars"), tmp_path / "stars.ttl")
    return graph


def texts(graph: OxigraphGraph, query: str) -> list[str]:
    return sorted(getattr(row[0], "text", "") for row in graph.select(P + query).rows)


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ('LANG(?l) = "en-GB"', ["Sun"]),
        ('"en-US" = LANG(?l)', ["Vega"]),
        ('LANG(?l) != "zh-Hant" && lang(?l) != "de-AT"', ["Sun", "Vega"]),
        ("LANG(?l) IN (\"de-AT\", 'zh-Hant')", ["Wega", "織女一"]),
        ('LANG(?l) NOT IN ("en-GB", "en-US", "zh-Hant")', ["Wega"]),
        ('LANGMATCHES(LANG(?l), "EN")', ["Sun", "Vega"]),
    ],
)
def test_language_tags_are_compared_whatever_their_case(
    stars: OxigraphGraph, condition: str, found: list[str]
) -> None:
    assert (
        texts(
            stars,
            f"SELECT ?l {{ ?s rdfs:label ?l FILTER({condition}) }}".replace(
                "rdfs:label", "<http://www.w3.org/2000/01/rdf-schema#label>"
            ),
        )
        == found
    )


def test_a_tag_that_cannot_be_reached_is_hinted_at(stars: OxigraphGraph) -> None:
    asked = 'SELECT ?l { VALUES ?t { "en-GB" } ?s rdfs:label ?l FILTER(LANG(?l) = ?t) }'
    assert any('"en-gb"' in note for note in kgnb.query(stars, asked).notes)  # type: ignore[union-attr]
    plain = 'SELECT ?l { ?s rdfs:label ?l FILTER(LANG(?l) = "en-GB") }'
    assert not kgnb.query(stars, plain).notes  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ('REGEX(?c, "a(?=1)")', "look-ahead"),
        ('REGEX(?c, "(?<!b)2")', "look-behind"),
        ("REGEX(?c, '(.)1\\\\1')", "back-references"),
        ('REGEX(?c, "[a-")', "malformed"),
        ('REGEX(?c, "a", "u")', "flags"),
        ('REPLACE(?c, "(?!a)", "x") = "x"', "look-ahead"),
    ],
)
def test_a_pattern_that_the_engine_cannot_match_is_refused(
    stars: OxigraphGraph, call: str, why: str
) -> None:
    with pytest.raises(DataError, match=r"line 2, column \d+") as caught:
        stars.select(f"{P}\nSELECT ?c {{ ?s :code ?c FILTER({call}) }}")
    assert why in caught.value.fix


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ('"ab", "(a)", "$1x"', "axb"),
        ('"2024-05", "(\\\\d+)-(\\\\d+)", "$2_$1"', "05_2024"),
        ('"5", "5", "\\\\$5"', "$5"),
        ('"a", "(a)", "$12"', "a2"),
        ('"a.b", ".", "-", "q"', "a-b"),
    ],
)
def test_a_replacement_means_what_the_standard_says(
    stars: OxigraphGraph, arguments: str, result: str
) -> None:
    assert texts(stars, f"SELECT (REPLACE({arguments}) AS ?x) {{}}") == [result]


def test_group_concat_takes_iris_and_numbers(stars: OxigraphGraph) -> None:
    assert texts(
        stars, 'SELECT (GROUP_CONCAT(DISTINCT ?n; separator="+") AS ?x) { ?s :planets ?n }'
    )[0] in ("1+8", "8+1")
    both = texts(stars, "SELECT (GROUP_CONCAT(?s) AS ?x) { ?s :planets ?n }")[0]
    assert sorted(both.split()) == ["http://stars.example/sol", "http://stars.example/vega"]
    assert texts(stars, 'SELECT (GROUP_CONCAT(CONCAT(STR(?n), "!")) AS ?x) { ?s :planets ?n }')


def test_numbers_beyond_the_engine_are_counted_and_said_where_they_matter(
    stars: OxigraphGraph,
) -> None:
    assert {(one.predicate[-5:], one.count) for one in stars.beyond} == {("/mass", 1), ("ratio", 1)}
    for asked in (
        "SELECT (MAX(?m) AS ?x) { ?s :mass ?m }",
        "SELECT ?s { ?s :mass ?m } ORDER BY DESC(?m)",
        "SELECT ?s { ?s <http://stars.example/mass> ?m FILTER(?m > 3) }",
        "SELECT (SUM(?o) AS ?x) { ?s ?p ?o }",
    ):
        notes = kgnb.query(stars, P + asked).notes  # type: ignore[union-attr]
        assert any("/mass" in note and "4231" in note for note in notes), asked
    for asked in (
        "SELECT ?m { ?s :mass ?m }",
        "SELECT (MAX(?n) AS ?x) { ?s :planets ?n }",
    ):
        assert not kgnb.query(stars, P + asked).notes  # type: ignore[union-attr]


def test_numbers_that_come_later_are_counted_too(stars: OxigraphGraph) -> None:
    graph = OxigraphGraph()
    long = Literal("9" * 30, datatype="http://www.w3.org/2001/XMLSchema#integer")
    graph.add([(Iri("urn:a"), Iri("urn:n"), long)])
    assert [one.predicate for one in graph.beyond] == ["urn:n"]
    graph.update("DELETE WHERE { ?s ?p ?o }")
    assert graph.beyond == ()
    graph.update(f"INSERT DATA {{ <urn:a> <urn:m> {'8' * 25} }}")
    assert [one.predicate for one in graph.beyond] == ["urn:m"]


@pytest.mark.parametrize(
    "test",
    [
        'STRENDS(LANG(?l), "AT")',
        'REGEX(STR(LANG(?l)), "^de-(AT|CH)$")',
        'CONTAINS(LANG(?l), "Hant")',
    ],
)
def test_what_is_looked_for_in_a_language_tag_with_capitals_is_said(test: str) -> None:
    graph = OxigraphGraph()
    graph.add([(Iri("urn:a"), Iri("urn:p"), Literal("Jause", language="de-AT"))])
    found = kgnb.query(graph, f"SELECT ?l {{ ?s ?p ?l FILTER({test}) }}")
    assert not len(found) and "lower case" in str(found)
    assert "lower case" not in str(
        kgnb.query(graph, f"SELECT ?l {{ ?s ?p ?l FILTER({test.lower()}) }}")
    )
