import pytest

from kgnb.agents.agent import OutOfOrder
from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.errors import DataError
from kgnb.kg.ontology import Entity, Ontology
from kgnb.magics.picture import picture
from kgnb.mappings import Alignment, Mapping
from kgnb.results import graph_svg
from kgnb.results.graph import GraphPicture
from tests.magics.conftest import Notebook

A, B = "http://a.example/#", "http://b.example/#"


def tree(base: str, *pairs: tuple[str, str]) -> Ontology:
    """An ontology of classes, each given with its parent."""
    entities = tuple(
        Entity(base + name, "class", parents=(base + parent,) if parent else ())
        for name, parent in sorted(pairs)
    )
    return Ontology(base, base, base, entities)


def drawn(source: Ontology, target: Ontology, *mappings: Mapping, **given: object) -> GraphPicture:
    values = {"retrieve": retrieve(source, target), "merge": Alignment(mappings)}
    return picture(values, **given)  # type: ignore[arg-type]


def names(shown: GraphPicture, base: str) -> list[str]:
    """The names of one side's rows, from above."""
    return [node.label for node in shown.nodes if node.kind == base]


WIDE = tree(
    A, ("Top", ""), *((f"Kind{number:02}", "Top") for number in range(30)), ("Deep", "Kind07")
)


def test_what_is_left_out_is_counted_where_it_would_stand() -> None:
    shown = drawn(WIDE, tree(B, ("Deep", "")), Mapping(A + "Deep", B + "Deep"), most=4)
    lefts = [name.lower().replace(" ", "") for name in names(shown, A)]
    assert lefts == ["top", "kind00", "kind07", "deep", "+28more"]
    assert [(edge.source, edge.label, edge.target) for edge in shown.edges] == [
        (A + "Deep", "100.0 %", B + "Deep")
    ]
    many = [Mapping(f"{A}Kind{number:02}", f"{B}Kind{number:02}") for number in range(30)]
    other = tree(B, ("Top", ""), *((f"Kind{number:02}", "Top") for number in range(30)))
    shown = drawn(WIDE, other, *many, most=11)
    assert len(shown.edges) == 10 and "20 mappings not drawn" in shown.notes[0]


def test_the_right_tree_is_sorted_so_that_lines_cross_little() -> None:
    right = tree(B, ("Z", ""), ("Y", ""), ("X", ""))
    shown = drawn(
        tree(A, ("P", ""), ("Q", "")), right, Mapping(A + "P", B + "Z"), Mapping(A + "Q", B + "X")
    )
    assert [name.upper() for name in names(shown, B)] == ["Z", "X", "Y"]


def test_around_one_entity_only_its_relatives_are_drawn() -> None:
    shown = drawn(
        WIDE, tree(B, ("Deep", ""), ("Far", "")), Mapping(A + "Deep", B + "Deep"), around="Deep"
    )
    assert [node.id for node in shown.nodes if node.emphasis] == [A + "Deep", B + "Deep"]
    assert len(names(shown, A)) == 4 and names(shown, B)[-1] == "+1 more"
    with pytest.raises(DataError, match="no entity"):
        drawn(WIDE, WIDE, around="Nowhere")


def test_circles_and_chains_of_a_thousand_are_drawn() -> None:
    circle = tree(A, ("One", "Two"), ("Two", "Three"), ("Three", "One"), ("Self", "Self"))
    chain = tree(B, ("C0000", ""), *((f"C{n:04}", f"C{n - 1:04}") for n in range(1, 1000)))
    shown = drawn(circle, chain, Mapping(A + "Two", B + "C0003"), most=250)
    assert len(names(shown, A)) == 4 and len(names(shown, B)) == 251
    assert names(shown, B)[-1] == "+750 more" and len(shown.json()["nodes"]) == 255


def test_a_row_is_indented_below_its_parent_and_lines_say_their_relation_and_confidence() -> None:
    mapping = Mapping(A + "Deep", A + "Deep", "broader", confidence=0.5)
    shown = drawn(WIDE, WIDE, mapping, most=3)  # an ontology beside itself
    assert [(edge.label, edge.emphasis) for edge in shown.edges] == [("broader 50.0 %", False)]
    begin = [
        round(x - graph_svg.width(node.label) / 2)
        for node, (x, _) in zip(shown.nodes, shown.places, strict=True)
    ]
    assert begin[0] < begin[1] < begin[2] and begin[4] - begin[0] > max(begin[:4])
    assert "Deep -- broader 50.0 % --> Deep" in shown.text().replace("deep", "Deep")


def test_the_verb_draws_and_says_what_must_be_run_first(notebook: Notebook) -> None:
    notebook.good("%om start alpine.ttl refuge.ttl")
    assert isinstance(notebook("%om picture").error, OutOfOrder)
    notebook.good("%om run")
    value = notebook.good("%om picture").value
    assert isinstance(value, GraphPicture) and len(value.edges) >= 3
    assert notebook.good('%om picture --kind "object property"').value.edges
    assert any(node.emphasis for node in notebook.good("%om picture --around Hut").value.nodes)
