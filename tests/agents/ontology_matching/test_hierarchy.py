from kgnb.agents.ontology_matching.coherence import Hierarchy
from kgnb.kg.ontology import Entity


def test_everything_above_and_below_is_found_at_any_depth() -> None:
    place, hut, bivouac = (
        Entity("place", "class", children=("hut",)),
        Entity("hut", "class", parents=("place",), children=("bivouac",)),
        Entity("bivouac", "class", parents=("hut",)),
    )
    hierarchy = Hierarchy([place, hut, bivouac])
    assert hierarchy.above("bivouac") == {"hut", "place"}
    assert hierarchy.below("place") == {"hut", "bivouac"}
    assert hierarchy.above("unknown") == frozenset()


def test_a_cycle_is_walked_once() -> None:
    hierarchy = Hierarchy([Entity("one", "class", parents=("two",)), Entity("two", "class", parents=("one",))])
    assert hierarchy.above("one") == {"two"}
