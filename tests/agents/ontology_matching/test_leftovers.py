from dataclasses import replace

from kgnb.agents.ontology_matching.lexicon import Lexicon, Surplus, Wordbook
from kgnb.agents.ontology_matching.values import Description, Side
from kgnb.kg.ontology import Entity, Restriction
from kgnb.kg.words import words


def described(side: Side, name: str, **axioms: object) -> Description:
    entity = replace(Entity(f"http://{side}.example/{name.replace(' ', '_')}", "class"), **axioms)  # type: ignore[arg-type]
    return Description(side, entity, name, name, (name,), (), (words(name),), (name,), 1)


def surplus(*descriptions: Description) -> tuple[Surplus, Lexicon]:
    sides = [[d for d in descriptions if d.side == side] for side in ("source", "target")]
    names = [[d.names for d in side] for side in sides]
    book = Wordbook(names)
    lexicon = Lexicon((one for side in names for one in side), book)
    return Surplus(lexicon, book, [{d.iri: d for d in side} for side in sides]), lexicon


def test_a_word_that_the_other_entitys_parent_or_whole_supplies_is_no_surplus() -> None:
    part, whole = described("target", "hut part"), described("target", "hut")
    one = described("source", "hut kitchen")
    for other in (
        described("target", "kitchen", parents=(part.iri,)),
        described("target", "kitchen", restrictions=(Restriction("http://x.example/partOf", "some", whole.iri),)),
    ):
        weighs, lexicon = surplus(one, part, whole, other)
        found = weighs.weigh(one, other, lexicon.compare(one.names[0], other.names[0]))
        assert found[0] > 0.1
        assert found[1] == 0.0


def test_a_word_that_the_other_side_has_and_left_out_tells() -> None:
    one, other = described("source", "winter room"), described("target", "room")
    knowing, lexicon = surplus(one, other, described("target", "winter tour"))
    unknowing, plain = surplus(one, other, described("target", "summer tour"))
    compared = lexicon.compare(one.names[0], other.names[0])
    assert knowing.weigh(one, other, compared)[1] > 0.1
    assert unknowing.weigh(one, other, plain.compare(one.names[0], other.names[0]))[1] == 0.0


def test_equal_names_leave_nothing_over() -> None:
    one, other = described("source", "room"), described("target", "room")
    weighs, lexicon = surplus(one, other)
    assert weighs.weigh(one, other, lexicon.compare(one.names[0], other.names[0])) == (0.0, 0.0)
