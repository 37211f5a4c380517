"""Tables as documents: numbers and dates are read as the whole table writes them."""

from pathlib import Path

import pytest
from rdflib import Literal
from rdflib.namespace import XSD

from kgnb.agents.kg_construction.built import Built
from kgnb.tasks.building import build_graph, compile_ontology
from tests.agents.kg_construction.test_rule_reader import ONTOLOGY, M

DATED = """@prefix : <https://museum.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:shown a owl:DatatypeProperty ; rdfs:label "shown" ; rdfs:domain :Object ; rdfs:range xsd:date ."""
PACK = compile_ontology(ONTOLOGY + type(ONTOLOGY)().parse(data=DATED, format="turtle"))


def read(tmp_path: Path, text: str, name: str = "objects.csv") -> Built:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return build_graph(tmp_path / name, PACK, judge="rule")


def stated(built: Built, name: str) -> list[str]:
    return sorted(str(value) for value in built.graph.objects(None, M[name]))


@pytest.mark.parametrize(
    ("text", "heights"),
    [
        ("name;height;depth\nGirl;1.204;12,5\nHorse;3.110;9,25\n", ["1204", "3110"]),
        ("name,height,depth\nGirl,1.204,12.5\nHorse,3.110,9.25\n", ["1.204", "3.11"]),
        ("name\theight\tdepth\nGirl\t1.204 cm\t12,5\nHorse\t3.110 cm\t9,25\n", ["1204", "3110"]),
        ("sep=;\nname;height;depth\nGirl;1\u202f204;12,5\nHorse;310;\u22129,25\n", ["1204", "310"]),
    ],
)
def test_numbers_are_read_as_the_whole_table_writes_them(
    text: str, heights: list[str], tmp_path: Path
) -> None:
    built = read(tmp_path, text)
    assert stated(built, "heightCm") == heights
    assert not built.doubts


def test_a_long_table_has_one_format_in_all_its_passages(tmp_path: Path) -> None:
    rows = [f"Object {at};1.{at:03};{'12,5' if at == 1 else ''}" for at in range(1, 400)]
    built = read(tmp_path, "\n".join(["name;height;depth", *rows]))
    heights = [float(text) for text in stated(built, "heightCm")]
    assert (len(heights), min(heights), max(heights)) == (399, 1001, 1399)


def test_a_number_with_two_readings_is_left_to_a_person(tmp_path: Path) -> None:
    built = read(tmp_path, "name;height;inventory number\nGirl;1.204;3.110\nHorse;310;12\n")
    assert stated(built, "heightCm") == ["310"]
    assert stated(built, "number") == ["12", "3.110"]  # a text stays as it stands
    (doubt,) = built.doubts
    assert "1.204 or 1204" in doubt.reason and doubt.arguments == {"height": "1.204"}


def test_a_column_tells_in_which_order_its_dates_are(tmp_path: Path) -> None:
    built = read(tmp_path, "name,shown\nGirl,03/04/1931\nHorse,25/04/1931\n")
    assert {*built.graph.objects(None, M.shown)} == {
        Literal("1931-04-03", datatype=XSD.date),
        Literal("1931-04-25", datatype=XSD.date),
    }
    doubtful = read(tmp_path, "name,shown\nGirl,03/04/1931\n", "one.csv")
    assert not stated(doubtful, "shown") and len(doubtful.doubts) == 1
