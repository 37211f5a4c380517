"""What a mapping of the rule judge is shown with: how often such mappings are right."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.rule import LEAST, MOST, RuleJudge, calibrated
from kgnb.agents.ontology_matching.validate import validate
from kgnb.kg.ontology import Entity, Ontology, Text
from tests.agents.ontology_matching.small import questions_of

HERE, THERE = "http://here.example/", "http://there.example/"


def shop(space: str, keeper: str, *, told: str = "") -> Ontology:
    """A shop with a coach, of whom one property speaks, and somebody who minds it."""
    coach = Entity(space + "Coach", "class", definitions=(Text(told, "en"),) if told else ())
    return Ontology(
        space,
        space,
        space,
        (
            coach,
            Entity(space + "Shop", "class"),
            Entity(space + keeper, "class", parents=(space + "Shop",)),
            Entity(space + "opens", "datatype property", domain=(space + "Shop",)),
        ),
    )


KINDS = ("words", "name", "name alone", "property", "foreign")


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.sampled_from(KINDS), st.integers(1, 100_000))
def test_the_order_of_a_kind_is_kept(one: float, other: float, kind: str, entities: int) -> None:
    low, high = sorted((one, other))
    assert calibrated(low, kind, entities) <= calibrated(high, kind, entities) or high < LEAST
    assert all(p < LEAST or LEAST <= calibrated(p, kind, entities) <= MOST for p in (one, other))


def test_a_homonym_is_shown_as_less_than_nine_in_ten() -> None:
    summarised = questions_of(shop(HERE, "Grocer"), shop(THERE, "Grocer"))
    shown = {
        m.source_label.casefold(): m.confidence for m in merge(validate(summarised, RuleJudge()))
    }
    assert shown["shop"] >= 0.9 > shown["coach"] >= LEAST
