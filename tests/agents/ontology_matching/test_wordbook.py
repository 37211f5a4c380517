from __future__ import annotations

from kgnb.agents.ontology_matching.wordbook import Name, Wordbook
from kgnb.kg.words import words


def entities(*names: str) -> list[list[Name]]:
    """Entities written as "name | synonym | ..."."""
    return [[words(part) for part in those.split("|")] for those in names]


def test_two_words_that_synonyms_swap_twice_are_equal() -> None:
    book = Wordbook([entities("alpine hut | mountain hut", "alpine guide | mountain guide", "lake | loch")])
    assert book.equal(("alpine",), ("mountain",)) and book.equal(("mountain",), ("alpine",))
    assert book.rewrites() == [(("alpine",), ("mountain",))]


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


def test_words_that_tell_entities_apart_again_and_again_are_apart_and_those_that_did_once_are_not() -> None:
    book = Wordbook([entities("upper hut", "lower hut", "upper door", "lower door", "north wall", "south wall")])
    assert book.apart(("upper",), ("lower",)) and book.apart(("lower",), ("old", "upper"))
    assert not book.apart(("north",), ("south",))
    assert not book.apart(("upper",), ("upper",)) and not book.apart((), ("upper",))


def test_words_that_synonyms_swap_as_often_are_not_apart() -> None:
    told = ("alpine hut | mountain hut", "alpine guide | mountain guide", "alpine club | mountain club")
    book = Wordbook([entities(*told, "alpine rose", "mountain rose", "alpine path", "mountain path")])
    assert not book.apart(("alpine",), ("mountain",))


def test_words_of_one_ontology_are_distinct() -> None:
    book = Wordbook([entities("interior wall", "inferior wall"), entities("organisation")])
    assert book.distinct("interior", "inferior")
    assert not book.distinct("interior", "organisation")


def test_an_empty_wordbook_says_nothing() -> None:
    book = Wordbook([[], []])
    assert book.rewrites() == [] and not book.equal(("a",), ("b",)) and not book.distinct("a", "b")
