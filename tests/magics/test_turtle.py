"""A graph written in a cell."""

import pytest

from kgnb.magics.kg import Opened
from tests.magics.conftest import Notebook

HUTS = """%%turtle huts
@prefix : <http://huts.example/> .
:Hut a owl:Class ; rdfs:label "hut"@en ; rdfs:seeAlso <http://x.example/foaf:y> .
"""


def test_a_cell_is_a_graph_and_well_known_prefixes_need_no_line(notebook: Notebook) -> None:
    opened = notebook.good(HUTS).value
    assert isinstance(opened, Opened) and str(opened) == "huts: 3 triples"
    found = notebook.good("%%sparql\nSELECT ?label { :Hut rdfs:label ?label }").value
    assert found.df()["label"].tolist() == ["hut"]
    assert "a cell" in str(notebook.good("%kg list").value)


def test_written_again_it_is_replaced_and_with_add_it_grows(notebook: Notebook) -> None:
    notebook.good(HUTS)
    assert (
        str(notebook.good("%%turtle huts --add\n<http://huts.example/Bed> a owl:Class .").value)
        == "huts: 4 triples"
    )
    assert str(notebook.good(HUTS).value) == "huts: 3 triples"
    assert "no graph called nosuch" in notebook("%%turtle nosuch --add\n:a a :b .").why


def test_what_is_written_is_an_ontology_for_the_agents(notebook: Notebook) -> None:
    notebook.good(HUTS)
    notebook.good('%%turtle refuges\n<http://r.example/R> a owl:Class ; rdfs:label "hut" .')
    started = notebook.good("%om start huts refuges").value
    assert [row[2] for row in started.rows] == [1, 1]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ('@prefix : <http://h/> .\n:x :y "open .', "line 2, column 7: not readable as Turtle"),
        (
            "\nex:x ex:y ex:z .",
            "line 2, column 1: not readable as Turtle: The prefix ex: has not been declared",
        ),
        ("<p> <q> a skos:Concept .", "line 1, column"),
    ],
)
def test_a_mistake_is_shown_at_its_place_and_nothing_is_opened(
    notebook: Notebook, cell: str, said: str
) -> None:
    shown = notebook(f"%%turtle huts\n{cell}").why
    assert said in shown and "^" in shown and "cell.ttl" not in shown
    assert "%kg open" in notebook("%%sparql huts\nASK {}").why


def test_a_cell_without_a_graph_and_help_say_how_to_write_one(notebook: Notebook) -> None:
    assert "Write it below %%turtle" in notebook("%%turtle huts\n  \n").why
    assert "%%turtle huts --add" in notebook.good("%turtle --help").printed
