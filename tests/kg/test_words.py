from hypothesis import given
from hypothesis import strategies as st

from kgnb.kg.words import key, plain, stem, words

SPLIT = {
    "hasProgramCommittee_Member2": ("has", "program", "committee", "member", "2"),
    "PCMember": ("pc", "member"),
    "hasMOFs": ("has", "mofs"),
    "PCsOfTrack": ("pcs", "of", "track"),
    "MOFs-and-PCs": ("mofs", "and", "pcs"),
    "Parkinson's disease": ("parkinsons", "disease"),
    "C1": ("c", "1"),
    "__": (),
    "": (),
    "عضو اللجنة": ("عضو", "اللجنة"),
    "ЧленКомитета": ("член", "комитета"),
    "委员会成员": ("委员会成员",),
    "हिन्दी": ("हिन्दी",),
    "Straße": ("strasse",),
}


def test_splits_names_of_every_style_and_script() -> None:
    assert {name: words(name) for name in SPLIT} == SPLIT


def test_keys_ignore_plurals_and_the_spelling_of_numbers_only() -> None:
    for one, other, equal in (
        ("Cranial Nerves VII", "cranial_nerve7", True),
        ("FourBedRoom", "4-bed rooms", True),
        ("vertebrae", "Vertebra", True),
        ("first_name", "FirstNames", True),
        ("FourBedRoom", "SixBedRoom", False),
        ("bus", "bu", False),
    ):
        assert (key(one) == key(other)) is equal, (one, other)
    assert [plain(word) for word in ("i", "v", "x", "iv")] == ["i", "v", "x", "4"]
    for word in ("mass", "virus", "axis", "his", "plus", "классы"):
        assert stem(word) == word


@given(st.text(max_size=40))
def test_words_are_folded_and_have_no_separators(name: str) -> None:
    for word in words(name):
        assert word and word == word.casefold()
        assert not any(character.isspace() or character in "_-/#" for character in word)
