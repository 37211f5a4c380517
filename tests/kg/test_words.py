import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgnb.kg.words import key, plain, stem, words


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("hasProgramCommittee_Member2", ("has", "program", "committee", "member", "2")),
        ("PCMember", ("pc", "member")),
        ("hasMOFs", ("has", "mofs")),
        ("PCsOfTrack", ("pcs", "of", "track")),
        ("MOFs-and-PCs", ("mofs", "and", "pcs")),
        ("Parkinson's disease", ("parkinsons", "disease")),
        ("eMail", ("e", "mail")),
        ("C1", ("c", "1")),
        ("__", ()),
        ("", ()),
    ],
)
def test_takes_names_apart_whatever_their_style(name: str, expected: tuple[str, ...]) -> None:
    assert words(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("عضو اللجنة", ("عضو", "اللجنة")),
        ("член_комитета", ("член", "комитета")),
        ("ЧленКомитета", ("член", "комитета")),
        ("委员会成员", ("委员会成员",)),
        ("हिन्दी", ("हिन्दी",)),
        ("Straße", ("strasse",)),
    ],
)
def test_keeps_every_script(name: str, expected: tuple[str, ...]) -> None:
    assert words(name) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Cranial Nerves VII", "cranial_nerve7"),
        ("FourBedRoom", "4-bed rooms"),
        ("vertebrae", "Vertebra"),
        ("first_name", "FirstNames"),
    ],
)
def test_equal_keys_for_plurals_and_numbers(one: str, other: str) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(("one", "other"), [("FourBedRoom", "SixBedRoom"), ("axis", "axes II"), ("bus", "bu")])
def test_other_keys_for_other_names(one: str, other: str) -> None:
    assert key(one) != key(other)


def test_a_lone_letter_that_might_be_a_numeral_stays() -> None:
    assert [plain(word) for word in ("i", "v", "x", "iv")] == ["i", "v", "x", "4"]


@pytest.mark.parametrize("word", ["mass", "virus", "axis", "his", "plus", "классы"])
def test_leaves_words_that_are_no_plurals(word: str) -> None:
    assert stem(word) == word


@given(st.text(max_size=40))
def test_words_are_folded_and_have_no_separators(name: str) -> None:
    for word in words(name):
        assert word and word == word.casefold()
        assert not any(character.isspace() or character in "_-/#" for character in word)
