import pytest

from kgnb.agents.agent import OutOfOrder
from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.errors import DataError
from kgnb.kg.ontology import Entity, Ontology
from kgnb.magics.picture import picture
from kgnb.mappings import Alignment, Mapping
from kgnb.results.two_trees import TwoTrees
from tests.magics.conftest import Notebook

A, B = "http://a.example/#", "http://b.example/#"


def tree(base: str, *pairs: tuple[str, str]) -> Ontology:
    """An ontology of classes, each given with its parent."""
    entities = tuple(
        Entity(base + name, "class", parents=(base + parent,) if parent else ()) for name, parent in sorted(pairs)
    )
    return Ontology(base, base, base, entities)


def drawn(source: Ontology, target: Ontology, *mappings: Mapping, **given: object) -> TwoTrees:
    values = {"retrieve": retrieve(source, target), "merge": Alignment(mappings)}
    return picture(values, **given)  # type: ignore[arg-type]


WIDE = tree(A, ("Top", ""), *((f"Kind{number:02}", "Top") for number in range(30)), ("Deep", "Kind07"))


def test_what_is_left_out_is_counted_where_it_would_stand() -> None:
    shown = drawn(WIDE, tree(B, ("Deep", "")), Mapping(A + "Deep", B + "Deep"), most=4)
    names = [branch.name.lower().replace(" ", "") for branch in shown.left]
    assert names == ["top", "kind00", "kind07", "deep", "+28more"]
    assert len(shown.links) == 1 and shown.left[shown.links[0].left].name == shown.right[0].name
    many = [Mapping(f"{A}Kind{number:02}", f"{B}Kind{number:02}") for number in range(30)]
    other = tree(B, ("Top", ""), *((f"Kind{number:02}", "Top") for number in range(30)))
    shown = drawn(WIDE, other, *many, most=11)
    assert len(shown.links) == 10 and "20 mappings not drawn" in shown.notes[0]


def test_the_right_tree_is_sorted_so_that_lines_cross_little() -> None:
    right = tree(B, ("Z", ""), ("Y", ""), ("X", ""))
    shown = drawn(tree(A, ("P", ""), ("Q", "")), right, Mapping(A + "P", B + "Z"), Mapping(A + "Q", B + "X"))
    assert [branch.name.upper() for branch in shown.right] == ["Z", "X", "Y"]


def test_around_one_entity_only_its_relatives_are_drawn() -> None:
    shown = drawn(WIDE, tree(B, ("Deep", ""), ("Far", "")), Mapping(A + "Deep", B + "Deep"), around="Deep")
    assert [branch.name for branch in shown.left if branch.marked] and len(shown.left) == 4
    assert shown.right[-1].name == "+1 more"
    with pytest.raises(DataError, match="no entity"):
        drawn(WIDE, WIDE, around="Nowhere")


def test_circles_and_chains_of_a_thousand_are_drawn() -> None:
    circle = tree(A, ("One", "Two"), ("Two", "Three"), ("Three", "One"), ("Self", "Self"))
    chain = tree(B, ("C0000", ""), *((f"C{n:04}", f"C{n - 1:04}") for n in range(1, 1000)))
    shown = drawn(circle, chain, Mapping(A + "Two", B + "C0003"), most=250)
    assert len(shown.left) == 4 and len(shown.right) == 251
    assert "+750 more" in shown.right[-1].name


def test_the_verb_draws_and_says_what_must_be_run_first(notebook: Notebook) -> None:
    notebook.good("%om start alpine.ttl refuge.ttl")
    assert isinstance(notebook("%om picture").error, OutOfOrder)
    notebook.good("%om run")
    value = notebook.good("%om picture").value
    assert isinstance(value, TwoTrees) and len(value.links) >= 3
    assert set(value._repr_mimebundle_()) == {"text/html", "text/plain"}
    assert notebook.good('%om picture --kind "object property"').value.left[0].name
    assert any(branch.marked for branch in notebook.good("%om picture --around Hut").value.left)
