from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgnb.agents.ontology_matching.lexicon import Lexicon, word_likeness
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
        ("reviewer", "reviewing", 0.8),
        ("conf", "conference", 0.7),
    ],
)
def test_words_that_mean_the_same_are_alike(one: str, other: str, least: float) -> None:
    assert word_likeness(one, other) >= least


@pytest.mark.parametrize(("one", "other"), [("paper", "person"), ("2", "3"), ("c1", "c2"), ("hut", "hat")])
def test_words_that_do_not_are_not(one: str, other: str) -> None:
    assert word_likeness(one, other) == 0.0


def test_initials_stand_for_their_words() -> None:
    lexicon = Lexicon([[words("ProgramCommittee")], [words("PCMember")]])
    assert lexicon.likeness(words("PCMember"), words("ProgramCommitteeMember")) > 0.9


def test_a_rare_word_counts_for_more_than_a_common_one() -> None:
    lexicon = Lexicon([[("hut", name)] for name in ("warden", "booking", "kitchen", "roof")])
    assert lexicon.likeness(("hut", "roof"), ("mountain", "roof")) > lexicon.likeness(("hut", "roof"), ("hut", "path"))


@given(names, names)
def test_likeness_is_symmetric_and_between_zero_and_one(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    lexicon = Lexicon([[one], [other]])
    there, back = lexicon.likeness(one, other), lexicon.likeness(other, one)
    assert 0.0 <= there <= 1.0
    assert there == pytest.approx(back)
