"""How alike words and names are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgnb.agents.ontology_matching.lexicon import MISSPELT, Lexicon, Wordbook, word_likeness
from kgnb.kg.words import words

names = st.lists(
    st.text(min_size=1, max_size=8, alphabet=st.characters(categories=("Ll", "Nd"))), max_size=4
).map(tuple)

SPELT = """author authors authorship authored organisation organization organiser conference confer vii 7 seven seventh
paper papers pepper abstract subarea area unpaid paid inferior interior presentation presenter presentetion cochlea
cochlear oesophagus esophagus colour color email mail pc ab abc abd abcd abce centre center review reviewer""".split()


def test_initials_stand_for_their_words() -> None:
    lexicon = Lexicon([[words("ProgramCommittee")], [words("PCMember")]])
    assert lexicon.compare(words("PCMember"), words("ProgramCommitteeMember")).likeness > 0.9


def test_numbers_and_negations_must_agree() -> None:
    lexicon = Lexicon(
        [
            [words("FourBedRoom")],
            [words("6-bed room")],
            [words("4-bed room")],
            [words("non-member")],
        ]
    )
    assert lexicon.compare(words("FourBedRoom"), words("4-bed room")).likeness > 0.95
    assert lexicon.compare(words("FourBedRoom"), words("6-bed room"))[1] < 0.5
    assert lexicon.compare(words("non-member"), words("member"))[1] < 0.5


def test_a_word_the_ontologies_swap_is_as_good_as_equal() -> None:
    swapped = [
        [words("alpine hut"), words("mountain hut")],
        [words("alpine guide"), words("mountain guide")],
    ]
    paths = words("alpine path"), words("mountain path")
    mined = Lexicon(swapped, Wordbook([swapped]), [paths])
    assert mined.compare(*paths).likeness > 0.95
    assert Lexicon(swapped, also=[paths]).compare(*paths).likeness < 0.9


@given(names, names)
def test_likeness_is_symmetric_and_between_zero_and_one(
    one: tuple[str, ...], other: tuple[str, ...]
) -> None:
    lexicon = Lexicon([[one], [other]])
    there, back = lexicon.compare(one, other).likeness, lexicon.compare(other, one).likeness
    assert 0.0 <= there <= 1.0
    assert there == pytest.approx(back)


@given(st.lists(st.sampled_from(SPELT), max_size=30), names)
def test_no_words_that_are_alike_are_missed(picked: list[str], more: tuple[str, ...]) -> None:
    every = sorted({*picked, *more})
    near = Lexicon([[tuple(every)]]).near
    alike = {(a, b): word_likeness(a, b) for a in every for b in every}
    assert alike == {(a, b): near[a].get(b, 0.0) for a in every for b in every}


def test_words_that_mean_the_same_are_alike_and_others_are_not() -> None:
    for one, other, least in (
        ("authors", "author", 1.0),
        ("vii", "7", 1.0),
        ("organisation", "organization", 0.8),
        ("sponsor", "sponzor", 0.7),
        ("reviewed", "reviewing", 0.8),
        ("conf", "conference", 0.7),
    ):
        assert word_likeness(one, other) >= least
    for one, other in (
        ("paper", "person"),
        ("2", "3"),
        ("c1", "c2"),
        ("hut", "hat"),
        ("nonmember", "member"),
    ):
        assert word_likeness(one, other) == 0.0
    for one, other in (("unpaid", "paid"), ("inferior", "superior")):  # opposites
        assert word_likeness(one, other) == 0.0
    for one, other in (
        ("ilium", "ileum"),
        ("sponsor", "spoznorr"),
    ):  # short, or more than one typing error
        assert word_likeness(one, other) < MISSPELT
    assert word_likeness("reviewer", "reviewing") <= 0.6  # an agent is not an action
