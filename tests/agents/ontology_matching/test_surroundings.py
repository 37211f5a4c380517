"""What domain and range say about two properties, given which classes are likely the same."""

import pytest

from kgnb.agents.ontology_matching.surroundings import NEAR, OTHER_DATATYPE, UNKNOWN_END, Surroundings
from kgnb.agents.ontology_matching.values import Description, Side
from kgnb.kg.ontology import Entity
from kgnb.kg.terms import XSD

SAME = {("hut", "refuge", "class"): 1.0, ("person", "human", "class"): 1.0}


def described(side: Side, entity: Entity) -> Description:
    return Description(side, entity, entity.iri, entity.iri, (), (), ((entity.iri,),), (entity.iri,), 1)


def agreement(ours: tuple[str, str], theirs: tuple[str, str]) -> float:
    """How the ends (domain, range) of two properties agree, "" where one declares none."""
    classes = [Entity("person", "class", children=("warden",)), Entity("warden", "class", parents=("person",))]
    around = Surroundings([described("source", one) for one in classes], ())
    around.update(SAME)  # type: ignore[arg-type]  # kinds, as text
    one, other = (
        described(
            side, Entity("p", "object property", domain=tuple(filter(None, (d,))), range=tuple(filter(None, (r,))))
        )
        for side, (d, r) in (("source", ours), ("target", theirs))
    )
    return around.hints(one, other).ends


@pytest.mark.parametrize(
    ("ours", "theirs", "agree"),
    [
        (("hut", "person"), ("refuge", "human"), 1.0),
        (("hut", ""), ("refuge", "human"), 0.5),
        (("", ""), ("refuge", "human"), 0.0),
        (("hut", "warden"), ("refuge", "human"), NEAR),  # one step below the counterpart
        (("hut", "person"), ("human", "human"), -1.0),  # it has another counterpart, whatever the other end says
        (("hut", "lake"), ("refuge", "boat"), UNKNOWN_END),
        (("hut", XSD + "string"), ("refuge", XSD + "string"), 0.5),
        (("", XSD + "string"), ("", XSD + "integer"), OTHER_DATATYPE / 2),
    ],
)
def test_ends_agree_where_their_classes_do(ours: tuple[str, str], theirs: tuple[str, str], agree: float) -> None:
    assert agreement(ours, theirs) == pytest.approx(agree)
