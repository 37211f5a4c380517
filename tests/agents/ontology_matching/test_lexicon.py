"""How alike words and names are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgnb.agents.ontology_matching.lexicon import MISSPELT, Lexicon, Wordbook, word_likeness
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
