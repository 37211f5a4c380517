"""What JupyterLab's extension asks of an entity and of the classes of a graph."""

import json
from pathlib import Path
from typing import Any

import pytest

from kgnb.errors import DataError
from kgnb.magics import panel

from .conftest import Notebook

ZOO = """
@prefix : <http://zoo.example/#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:Animal a owl:Class ; rdfs:label "animal" .
:Bird a owl:Class ; rdfs:label "bird" ; rdfs:subClassOf :Animal .
:Parrot a owl:Class ; rdfs:label "parrot" ; rdfs:subClassOf :Bird .
:Loop a owl:Class ; rdfs:subClassOf :Round . :Round a owl:Class ; rdfs:subClassOf :Loop .
:Cage a owl:Class ; rdfs:label "cage" .
:polly a :Parrot ; rdfs:label "Polly" ; :livesIn :cage1 ; :age 7 .
:cage1 a :Cage ; rdfs:label "the big cage" .
:livesIn a owl:ObjectProperty ; rdfs:label "lives in" .
"""
HERE = "http://zoo.example/#"


def asked(notebook: Notebook, **question: Any) -> dict[str, Any]:
    """What the extension is answered, after a trip through JSON."""
    told: dict[str, Any] = json.loads(json.dumps(panel.answer(notebook.session, question)))
    return told


@pytest.fixture
def zoo(notebook: Notebook) -> Notebook:
    Path("zoo.ttl").write_text(ZOO, encoding="utf-8")
    notebook.good("%kg open zoo.ttl")
    return notebook


def test_a_page_says_what_is_said_of_an_entity_and_what_refers_to_it(zoo: Notebook) -> None:
    page = asked(zoo, ask="entity", iri=f"{HERE}cage1")["entity"]
    assert (page["label"], page["kind"], page["graph"]) == ("the big cage", "cage", "zoo")
    assert [row["cells"][0]["label"] for row in page["uses"]["rows"]] == ["Polly"]
    assert any("the big cage" in str(row["cells"]) for row in page["facts"]["rows"])
    drawn = str(page["picture"]["nodes"])
    assert "Polly" in drawn and "the big cage" in drawn


def test_the_page_comes_from_the_open_graph_that_knows_the_entity(zoo: Notebook) -> None:
    zoo.good("%kg open alpine.ttl")
    assert asked(zoo, ask="entity", iri=f"{HERE}polly")["entity"]["graph"] == "zoo"
    with pytest.raises(DataError, match="no open graph says anything"):
        asked(zoo, ask="entity", iri="http://nowhere.example/x")


@pytest.mark.parametrize("iri", ["", "not an iri", "http://x.example/> } DROP ALL #", "a:b\n}"])
def test_what_is_no_iri_never_reaches_a_query(zoo: Notebook, iri: str) -> None:
    with pytest.raises(DataError, match="is not an IRI"):
        asked(zoo, ask="entity", iri=iri)


def test_classes_are_a_tree_and_a_search_keeps_those_above(zoo: Notebook) -> None:
    def tree(search: str) -> list[tuple[str, int]]:
        found = asked(zoo, ask="terms", name="zoo", kind="classes", search=search)["terms"]
        return [(term["name"], term["depth"]) for term in found]

    assert tree("parrot") == [("animal", 0), ("bird", 1), ("parrot", 2)]
    assert [name for name, _ in tree("")].count("parrot") == 1
    assert {"Loop", "Round"} <= {name for name, _ in tree("")}  # a circle is listed all the same
    assert tree("unicorn") == []


def test_properties_are_found_by_a_part_of_their_label(zoo: Notebook) -> None:
    found = asked(zoo, ask="terms", name="zoo", kind="properties", search="LIVES")["terms"]
    assert [term["name"] for term in found] == ["lives in"]
    zoo.good(found[0]["query"])
