import pytest

from kgnb.agents.ontology_matching.surroundings import NEAR, OTHER_DATATYPE, UNKNOWN_END, Ends, steps_from
from kgnb.agents.ontology_matching.values import Description
from kgnb.kg.ontology import Entity

XSD = "http://www.w3.org/2001/XMLSchema#"
SAME = {("hut", "refuge"): 1.0, ("person", "human"): 1.0}
CHILDREN = {"person": ("warden",)}
PARENTS = {"warden": ("person",)}


def relation(domain: str, range_: str) -> Description:
    entity = Entity("p", "object property", domain=(domain,) if domain else (), range=(range_,) if range_ else ())
    return Description("source", entity, "p", "p", (), (), (("p",),), ("p",), 1)


def agreement(ours: tuple[str, str], theirs: tuple[str, str]) -> float:
    ends = Ends(
        lambda iri: steps_from(iri, PARENTS, CHILDREN),
        lambda iri: {},
        lambda one, other: SAME.get((one, other), 0.0),
        {one for one, _ in SAME}.__contains__,
        {other for _, other in SAME}.__contains__,
    )
    return ends.agreement(relation(*ours), relation(*theirs))


def test_equal_ends_agree_wholly_and_one_of_them_by_half() -> None:
    assert agreement(("hut", "person"), ("refuge", "human")) == 1.0
    assert agreement(("hut", ""), ("refuge", "human")) == 0.5
    assert agreement(("", ""), ("refuge", "human")) == 0.0


def test_an_end_below_a_counterpart_agrees_a_little_less() -> None:
    assert agreement(("hut", "warden"), ("refuge", "human")) == pytest.approx((1.0 + 2 * NEAR - 1.0) / 2)


def test_an_end_with_another_counterpart_clashes_whatever_the_other_end_says() -> None:
    assert agreement(("hut", "person"), ("human", "human")) == -1.0


def test_ends_that_only_one_side_has_speak_against_a_pair_less_loudly() -> None:
    assert agreement(("hut", "lake"), ("refuge", "boat")) == UNKNOWN_END


def test_equal_datatypes_say_nothing_and_others_little() -> None:
    assert agreement(("hut", XSD + "string"), ("refuge", XSD + "string")) == 0.5
    assert agreement(("", XSD + "string"), ("", XSD + "integer")) == OTHER_DATATYPE / 2


def test_steps_go_up_or_down_but_not_up_and_down_again() -> None:
    parents = {"a": ("top",), "b": ("top",)}
    children = {"top": ("a", "b")}
    assert steps_from("a", parents, children) == {"top": NEAR}
    assert steps_from("top", parents, children) == {"a": NEAR, "b": NEAR}
