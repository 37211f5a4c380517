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


@pytest.mark.parametrize(("one", "other"), [("paper", "person"), ("2", "3"), ("c1", "c2"), ("hut", "hat")])
def test_words_that_do_not_are_not(one: str, other: str) -> None:
    assert word_likeness(one, other) == 0.0


def test_one_slip_of_the_pen_in_a_long_word_is_forgiven_and_not_in_a_short_one() -> None:
    assert word_likeness("sponsor", "sponzor") == word_likeness("catagory", "category") == MISSPELT
    for one, other in (
        ("sponsor", "consort"),
        ("ilium", "ileum"),
        ("sponsor", "spoznorr"),
        ("isosbestic", "isobestos"),
    ):
        assert word_likeness(one, other) < MISSPELT


def test_who_does_a_thing_is_not_the_thing_done() -> None:
    assert 0.0 < word_likeness("presenter", "presentation") < 0.6
    assert word_likeness("reviewer", "reviewing") < 0.6


def test_initials_are_no_name_by_themselves() -> None:
    lexicon = Lexicon([[words("NeutralAtom")], [words("Na")]])
    assert lexicon.likeness(words("Na"), words("NeutralAtom")) == 0.0


def test_initials_stand_for_their_words() -> None:
    lexicon = Lexicon([[words("ProgramCommittee")], [words("PCMember")]])
    assert lexicon.likeness(words("PCMember"), words("ProgramCommitteeMember")) > 0.9


def test_words_that_differ_by_a_prefix_are_not_spellings_of_each_other() -> None:
    for one, other in (("nonmember", "member"), ("unpaid", "paid"), ("inferior", "superior")):
        assert word_likeness(one, other) == 0.0


def test_words_written_in_one_are_the_same_words() -> None:
    lexicon = Lexicon([[words("E-mail")], [words("hasEmail")]])
    assert lexicon.likeness(words("hasEmail"), words("has e-mail")) == 1.0
    assert lexicon.likeness(words("hasEmail"), words("e-mail")) > 0.8


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


def test_a_rare_word_counts_for_more_than_a_common_one() -> None:
    lexicon = Lexicon([[("hut", name)] for name in ("warden", "booking", "kitchen", "roof")])
    assert lexicon.likeness(("hut", "roof"), ("mountain", "roof")) > lexicon.likeness(("hut", "roof"), ("hut", "path"))


@given(names, names)
def test_likeness_is_symmetric_and_between_zero_and_one(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    lexicon = Lexicon([[one], [other]])
    there, back = lexicon.likeness(one, other), lexicon.likeness(other, one)
    assert 0.0 <= there <= 1.0
    assert there == pytest.approx(back)
