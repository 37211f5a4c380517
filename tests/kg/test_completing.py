from hypothesis import given, settings
from hypothesis import strategies as st

from kgnb.kg.schema import Schema, SchemaTerm
from kgnb.magics.completing import complete

BASE = "http://huts.example/"
HUTS = Schema(
    (
        SchemaTerm(f"{BASE}Hut", ("hut", "Hütte"), 9),
        SchemaTerm(f"{BASE}RescueHut", ("rescue hut",), 1),
        SchemaTerm("urn:odd name:Hut", (), 0),
    ),
    (
        SchemaTerm(f"{BASE}hasWarden", ("has warden", "hat Hüttenwart"), 8),
        SchemaTerm(f"{BASE}beds", ("beds",), 9),
    ),
    graphs=("http://huts.example/graph/summer",),
    prefixes={"h": BASE},
)


def offered(query: str, schema: Schema | None = HUTS) -> list[str]:
    return [one.text for one in complete(query, len(query), schema)[1]]


def test_a_fragment_of_a_label_in_any_language_finds_a_class() -> None:
    assert offered("SELECT * { ?x a hüt")[0] == "h:Hut"
    assert offered("SELECT * { ?x a rescue")[0] == "h:RescueHut"
    assert "h:hasWarden" not in offered("SELECT * { ?x a hüt")


def test_properties_come_first_where_one_is_expected_and_the_much_used_before_the_rare() -> None:
    assert offered("SELECT * { ?x hüttenw") == ["h:hasWarden"]
    assert offered("SELECT * { ?x h:")[:2] == ["h:beds", "h:hasWarden"]
    assert offered("SELECT * { ?x a h:") == ["h:Hut", "h:RescueHut"]


def test_variables_of_the_query_keywords_prefixes_and_graphs_are_offered() -> None:
    assert offered("SELECT ?hut ?high { ?h") == ["?high", "?hut"]
    assert offered("sel") == ["SELECT"]
    assert offered("PREFIX sk")[0] == "skos: <http://www.w3.org/2004/02/skos/core#>"
    assert offered("SELECT * { GRAPH summ")[0] == "<http://huts.example/graph/summer>"
    assert offered("SELECT * { ?x rd")[-2:] == ["rdf:", "rdfs:"]


def test_prefixes_declared_in_the_query_are_used() -> None:
    assert offered(f"PREFIX my: <{BASE}> SELECT * {{ ?x a rescue", HUTS)[0] in (
        "h:RescueHut",
        "my:RescueHut",
    )
    bare = Schema(HUTS.classes, HUTS.properties)
    assert offered("SELECT * { ?x a rescue", bare) == ["<http://huts.example/RescueHut>"]
    assert offered(f"PREFIX my: <{BASE}> SELECT * {{ ?x a my:R", bare) == ["my:RescueHut"]


def test_without_a_graph_there_are_still_variables_and_keywords() -> None:
    assert offered("FIL", None) == ["FILTER"] and offered("SELECT ?hut { ?", None) == ["?hut"]


@settings(max_examples=30)
@given(st.text(max_size=60), st.integers(0, 60))
def test_completes_any_text_at_any_place(query: str, cursor: int) -> None:
    cursor = min(cursor, len(query))
    start, found = complete(query, cursor, HUTS)
    assert 0 <= start <= cursor and len(found) <= 60
