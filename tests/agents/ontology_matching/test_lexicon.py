"""How alike words and names are, what ontologies teach about their words, and what words left over say."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgnb.agents.ontology_matching.lexicon import MISSPELT, Lexicon, Name, Surplus, Wordbook, word_likeness
from kgnb.agents.ontology_matching.values import Description, Side
from kgnb.kg.ontology import Entity, Restriction
from kgnb.kg.words import words

names = st.lists(st.text(min_size=1, max_size=8, alphabet=st.characters(categories=("Ll", "Nd"))), max_size=4).map(
    tuple
)


@pytest.mark.parametrize(
    ("one", "other", "least"),
    [
        ("authors", "author", 1.0),
        ("vii", "7", 1.0),
        ("organisation", "organization", 0.8),
        ("sponsor", "sponzor", 0.7),
        ("reviewed", "reviewing", 0.8),
        ("conf", "conference", 0.7),
    ],
)
def test_words_that_mean_the_same_are_alike(one: str, other: str, least: float) -> None:
    assert word_likeness(one, other) >= least


@pytest.mark.parametrize(
    ("one", "other", "most"),
    [
        *((one, other, 0.0) for one, other in (("paper", "person"), ("2", "3"), ("c1", "c2"), ("hut", "hat"))),
        *((one, other, 0.0) for one, other in (("nonmember", "member"), ("unpaid", "paid"), ("inferior", "superior"))),
        *((one, other, 0.89) for one, other in (("ilium", "ileum"), ("sponsor", "spoznorr"))),  # more than one slip
        ("reviewer", "reviewing", 0.6),  # who does a thing is not the thing done
    ],
)
def test_words_that_do_not_are_not(one: str, other: str, most: float) -> None:
    assert word_likeness(one, other) <= most < MISSPELT


def test_initials_stand_for_their_words() -> None:
    lexicon = Lexicon([[words("ProgramCommittee")], [words("PCMember")]])
    assert lexicon.likeness(words("PCMember"), words("ProgramCommitteeMember")) > 0.9


def test_numbers_and_negations_must_agree() -> None:
    lexicon = Lexicon([[words("FourBedRoom")], [words("6-bed room")], [words("4-bed room")], [words("non-member")]])
    assert lexicon.likeness(words("FourBedRoom"), words("4-bed room")) > 0.95
    assert lexicon.compare(words("FourBedRoom"), words("6-bed room"))[1] < 0.5
    assert lexicon.compare(words("non-member"), words("member"))[1] < 0.5


def test_a_word_the_ontologies_swap_is_as_good_as_equal() -> None:
    swapped = [[words("alpine hut"), words("mountain hut")], [words("alpine guide"), words("mountain guide")]]
    mined = Lexicon(swapped, Wordbook([swapped]))
    assert mined.likeness(words("alpine path"), words("mountain path")) > 0.95
    assert Lexicon(swapped).likeness(words("alpine path"), words("mountain path")) < 0.9


@given(names, names)
def test_likeness_is_symmetric_and_between_zero_and_one(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    lexicon = Lexicon([[one], [other]])
    there, back = lexicon.likeness(one, other), lexicon.likeness(other, one)
    assert 0.0 <= there <= 1.0
    assert there == pytest.approx(back)


def entities(*names: str) -> list[list[Name]]:
    """Entities written as "name | synonym | ..."."""
    return [[words(part) for part in those.split("|")] for those in names]


def test_two_words_that_synonyms_swap_twice_are_equal() -> None:
    book = Wordbook([entities("alpine hut | mountain hut", "alpine guide | mountain guide", "lake | loch")])
    assert book.equal(("alpine",), ("mountain",)) and book.equal(("mountain",), ("alpine",))


def test_once_is_not_enough_and_whole_names_teach_no_words() -> None:
    book = Wordbook([entities("alpine hut | mountain hut", "lake | loch", "lakes | lochs")])
    assert not book.equal(("alpine",), ("mountain",))
    assert not book.equal(("lake",), ("loch",))


def test_a_phrase_may_stand_for_a_word() -> None:
    book = Wordbook(
        [entities("hut of stone | stone hut", "lower jaw tooth | mandibular tooth", "jaw lower x|mandibular x")]
    )
    assert book.equal(("jaw", "lower"), ("mandibular",))


def test_words_that_tell_entities_apart_are_not_equal_whatever_a_few_synonyms_say() -> None:
    swapped = entities("upper path | lower path", "upper lake | lower lake")
    assert Wordbook([swapped]).equal(("lower",), ("upper",))
    apart = entities("upper hut", "lower hut", "upper door", "lower door")
    assert not Wordbook([swapped + apart]).equal(("lower",), ("upper",))


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
