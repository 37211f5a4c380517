from kgnb.agents.ontology_matching.lexicon import Name, Wordbook
from kgnb.kg.words import words


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


def test_words_of_one_ontology_are_distinct() -> None:
    book = Wordbook([entities("interior wall", "inferior wall"), entities("organisation")])
    assert book.distinct("interior", "inferior")
    assert not book.distinct("interior", "organisation")


def test_an_empty_wordbook_says_nothing() -> None:
    book = Wordbook([[], []])
    assert not book.equal(("a",), ("b",)) and not book.distinct("a", "b")
