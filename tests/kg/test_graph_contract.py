"""What every graph does, whatever stands behind it."""

from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import pytest

from kgnb.errors import DataError, KgnbError
from kgnb.kg.graph import Graph
from kgnb.kg.loading import load
from kgnb.kg.ontology_reader import read_ontology
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import XSD, Blank, Iri, Literal, Triple, n3

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")

EX = "http://hut.example/"
HUT, NAME, BEDS, NEAR = Iri(f"{EX}hut"), Iri(f"{EX}name"), Iri(f"{EX}beds"), Iri(f"{EX}near")
TRIPLES: list[Triple] = [
    (HUT, NAME, Literal("Hut", "en")),
    (HUT, NAME, Literal("Hütte", "de")),
    (HUT, NAME, Literal('"} DROP ALL #\\u0022\n\t\x07 𝄞')),
    (HUT, BEDS, Literal("12", None, f"{XSD}integer")),
    (HUT, NEAR, Blank("b1")),
    (Blank("b1"), NAME, Literal("spring")),
]


@pytest.fixture
def filled(graph: Graph, request: pytest.FixtureRequest, tmp_path: Path) -> Graph:
    if "files" in request.node.callspec.params.values():
        (tmp_path / "huts.nt").write_text(
            "".join(f"{n3(s)} {n3(p)} {n3(o)} .\n" for s, p, o in TRIPLES)
        )
        load(graph, tmp_path / "huts.nt")
    else:
        graph.add(TRIPLES)
    return graph


def named(triples: list[Triple]) -> list[Triple]:
    return [t for t in triples if not isinstance(t[0], Blank) and not isinstance(t[2], Blank)]


def test_an_empty_graph_has_nothing(graph: Graph) -> None:
    assert isinstance(graph, Graph) and graph.name
    assert graph.count() == 0
    assert graph.triples() == []
    assert graph.select("SELECT * { ?s ?p ?o }").rows == ()
    assert graph.ask("ASK { ?s ?p ?o }") is False
    assert graph.construct("CONSTRUCT WHERE { ?s ?p ?o }") == []


def test_gives_back_every_triple_as_it_was_added(filled: Graph) -> None:
    assert filled.count() == 6
    assert sorted(named(filled.triples()), key=repr) == sorted(named(TRIPLES), key=repr)
    (near,) = filled.triples(HUT, NEAR)
    assert isinstance(near[2], Blank)
    assert [t[2] for t in filled.triples(HUT, NAME)] == [
        t for _, _, t in (TRIPLES[2], TRIPLES[0], TRIPLES[1])
    ]  # sorted
    filled.add(TRIPLES[:4])
    assert filled.count() == 6


def test_finds_the_triples_that_match(filled: Graph) -> None:
    patterns: list[tuple[dict[str, object], int]] = [
        ({}, 6),
        ({"subject": HUT}, 5),
        ({"predicate": NAME}, 4),
        ({"object": Literal("Hut", "en")}, 1),
        ({"object": Literal("Hut")}, 0),
        ({"subject": HUT, "predicate": NAME, "object": Literal("Hütte", "de")}, 1),
        ({"subject": Iri(f"{EX}nowhere")}, 0),
        ({"limit": 2}, 2),
        ({"limit": 0}, 0),
    ]
    for pattern, count in patterns:
        assert len(filled.triples(**pattern)) == count, pattern  # type: ignore[arg-type]


def test_selects_rows_with_unbound_variables_as_none(filled: Graph) -> None:
    found = filled.select(
        f"SELECT ?s ?beds {{ ?s <{NAME}> 'spring' OPTIONAL {{ ?s <{BEDS}> ?beds }} }}"
    )
    assert found.variables == ("s", "beds")
    assert len(found) == 1
    assert isinstance(found.rows[0][0], Blank)
    assert found.rows[0][1] is None
    assert not found.truncated


def test_a_limit_says_whether_there_was_more(filled: Graph) -> None:
    some = f"CONSTRUCT {{ ?s <{NAME}> ?n }} WHERE {{ ?s <{NAME}> ?n }}"
    whole = filled.construct(some)
    for limit, triples in ((2, 2), (4, 4), (0, 0), (99, 4), (None, 4)):
        kept = filled.construct(some, limit=limit)
        assert len(kept) == triples and set(kept) <= set(whole), limit
    for limit, rows, truncated in ((2, 2, True), (4, 4, False), (0, 0, True), (99, 4, False)):
        found = filled.select(f"SELECT ?n {{ ?s <{NAME}> ?n }}", limit=limit)
        assert (len(found), found.truncated) == (rows, truncated), limit
    found = filled.select(
        f"SELECT ?n {{ ?s <{NAME}> ?n }} LIMIT 1", limit=3
    )  # the smaller limit holds
    assert (len(found), found.truncated) == (1, False)
    for wrong in (-1, 1.5, True):
        with pytest.raises(ValueError, match="limit"):
            filled.select("SELECT * { ?s ?p ?o }", limit=wrong)  # type: ignore[arg-type]


def test_bindings_reach_the_query_as_terms(filled: Graph) -> None:
    for triple in TRIPLES[:4]:
        subject, predicate, value = triple
        found = filled.select("SELECT ?p { ?s ?p ?o }", bindings={"s": subject, "o": value})
        assert found.rows == ((predicate,),)
        assert filled.ask("ASK { ?s ?p ?o }", bindings={"o": value})
        assert filled.construct(
            "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", bindings={"o": value}
        ) == [triple]
        assert filled.construct("CONSTRUCT WHERE { ?s ?p ?o }", bindings={"o": value}) == [triple]


def test_a_literal_that_tries_to_break_out_stays_a_literal(filled: Graph) -> None:
    attempts = (
        '" } ; DROP ALL ; SELECT * { ?s ?p "',
        '"""',
        "'''",
        "\\",
        '\\"',
        "\\u0022 } #",
        "\n} #",
        "?s",
        "<http://x>",
        ")} UNION {(?a",
    )
    for number, attempt in enumerate(attempts, 7):
        assert not filled.ask("ASK { ?s ?p ?o }", bindings={"o": Literal(attempt)}), attempt
        filled.add([(HUT, NAME, Literal(attempt))])
        assert filled.ask("ASK { ?s ?p ?o }", bindings={"o": Literal(attempt)}), attempt
        assert filled.count() == number, attempt


def test_an_iri_that_tries_to_break_out_is_refused(filled: Graph) -> None:
    with pytest.raises(ValueError, match="IRI"):
        filled.ask("ASK { ?s ?p ?o }", bindings={"s": Iri("http://x> ?p ?o } DROP ALL #")})
    with pytest.raises(ValueError, match="variable"):
        filled.ask("ASK { ?s ?p ?o }", bindings={"s ?p ?o } #": HUT})
    with pytest.raises(ValueError):
        filled.add([(Iri("not absolute"), NAME, Literal("x"))])
    assert filled.count() == 6


def test_describes(filled: Graph) -> None:
    assert set(named(filled.construct(f"DESCRIBE <{HUT}>"))) == set(named(TRIPLES))
    assert set(named(filled.construct("DESCRIBE ?hut", bindings={"hut": HUT}))) == set(
        named(TRIPLES)
    )


def test_a_malformed_query_is_refused_with_its_place_and_a_fix(
    graph: Graph, request: pytest.FixtureRequest
) -> None:
    malformed = (
        "",
        "# nothing",
        "SELECT ?s {\n ?s ?p",
        "SELECT * { ?s ex:p ?o }",
        "SELEKT * { ?s ?p ?o }",
    )
    for query in (*malformed, "SELECT (f(?x) AS ?y) {}", "SELECT * {\n ?s ?p ?o .\n ?s ??? ?o }"):
        with pytest.raises(DataError) as raised:
            graph.select(query)
        assert raised.value.fix, query
        assert "SPARQL query" in raised.value.where, query
    virtuoso = "virtuoso" in request.node.callspec.params.values()  # names no column
    assert ("line 3" if virtuoso else "line 3, column") in raised.value.where


def test_updates_and_the_wrong_form_of_query_are_refused(filled: Graph) -> None:
    updates = (
        "DROP ALL",
        "INSERT DATA { <a:a> <a:b> <a:c> }",
        "PREFIX a: <a:a> DELETE WHERE { ?s ?p ?o }",
        "CLEAR ALL",
    )
    for query, ask in product(updates, (filled.select, filled.ask, filled.construct)):
        with pytest.raises(DataError, match="update"):
            ask(query)
    assert filled.count() == 6
    for ask, query in (
        (filled.select, "ASK {}"),
        (filled.ask, "SELECT * {}"),
        (filled.construct, "ASK {}"),
    ):
        with pytest.raises(DataError, match="was expected"):
            ask(query)


def test_asking_for_named_graphs_of_a_graph_without_any_is_answered_or_refused(
    graph: Graph,
) -> None:
    try:
        assert graph.ask("ASK { GRAPH ?g { ?s ?p ?o } }") is False
    except DataError as error:
        assert "named graphs" in error.what


def test_many_threads_may_ask_at_once(filled: Graph) -> None:
    def work(number: int) -> tuple[int, bool, int]:
        rows = filled.select("SELECT * { ?s ?p ?o }").rows
        return len(rows), filled.ask(f"ASK {{ <{HUT}> ?p ?o }}"), len(filled.triples(HUT))

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(work, range(40)))
    assert set(answers) == {(6, True, 5)}


def test_closing_twice_is_allowed_and_asking_afterwards_is_not(graph: Graph) -> None:
    graph.close()
    graph.close()
    for ask in (graph.triples, graph.count, lambda: graph.select("SELECT * { ?s ?p ?o }")):
        with pytest.raises((ValueError, KgnbError)):
            ask()


def test_an_ontology_reads_the_same_from_every_graph(graph: Graph, tmp_path: Path) -> None:
    file = tmp_path / "huts.ttl"
    file.write_text(
        """@prefix : <http://hut.example/onto#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        <http://hut.example/onto> a owl:Ontology .
        :Hut a owl:Class ; rdfs:label "hut"@en ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :has ;
            owl:someValuesFrom [ owl:unionOf ( :Bed :Bunk ) ] ] .
        :Bed a owl:Class . :Bunk rdfs:subClassOf :Bed . :has a owl:ObjectProperty .
        [] a owl:AllDisjointClasses ; owl:members ( :Hut :Bed ) .""",
        encoding="utf-8",
    )
    load(graph, file)
    embedded = OxigraphGraph()
    load(embedded, file)
    assert read_ontology(graph).digest == read_ontology(embedded).digest
    assert read_ontology(graph).entities == read_ontology(embedded).entities
    assert len(read_ontology(graph)) == 4
