"""The three scores of answers: what each counts, on purpose-made adversaries and on anything."""

from hypothesis import given
from hypothesis import strategies as st

from kgnb.evaluate.answers import (
    Item,
    by_kind,
    cell_score,
    lenient,
    measure,
    normalised,
    set_score,
    strict,
    support,
)

WORD = st.text(min_size=1, max_size=12).filter(lambda text: normalised(text) != "")
WORDS = st.lists(WORD, min_size=1, max_size=5)


def test_an_empty_answer_and_the_letter_e_score_only_under_the_lenient_scorer() -> None:
    for found in ([], [""], ["", " "], ["e"]):
        assert lenient(found[:1], ["Berne"]), found
        assert not strict(found, ["Berne"]) and set_score(found, ["Berne"]).f1 == 0, found


def test_an_unsure_answer_is_right_where_there_is_none() -> None:
    assert strict([], []) and set_score([], []).f1 == 1
    assert not strict(["anyone"], []) and set_score(["anyone"], []).f1 == 0
    assert set_score([""], []).f1 == 0


SAME = (
    ("true", "Yes"),
    ("3", "3.0"),
    ("007", "7"),
    ("-0", "0"),
    ("united_kingdom", "United Kingdom"),
    ("A\u030angstro\u0308m", "\u00c5ngstr\u00f6m"),
    ("1e3", "1000"),
)
OTHER = (
    ("3", "30"),
    ("true", "1"),
    ("no", "not"),
    ("http://h/A", "http://h/a"),
    ("-3", "3"),
    ("?", "!"),
)


def test_what_means_the_same_is_the_same_and_what_differs_stays_different() -> None:
    for one, other in SAME:
        assert strict([one], [other]) and set_score([one], [other]).f1 == 1, one
    for one, other in OTHER:
        assert not strict([one], [other]) and set_score([one], [other]).f1 == 0, one


@given(WORDS, WORDS)
def test_scores_lie_between_nothing_and_all_and_do_not_hang_on_order(
    found: list[str], reference: list[str]
) -> None:
    score = set_score(found, reference)
    assert 0 <= score.f1 <= 1 and 0 <= score.precision <= 1 and 0 <= score.recall <= 1
    assert score == set_score(found[::-1], reference[::-1])
    assert score == set_score(found * 2, reference * 2)
    assert not strict(found, reference) or score.f1 > 0


HUT = ("http://h/hut", "http://h/serves", "http://h/soup")
CAKE = ("http://h/hut", "http://h/serves", "http://h/cake")


def test_support_holds_where_the_triples_exist_and_give_the_answer() -> None:
    assert support([HUT, CAKE], ["http://h/soup", "http://h/cake"], {HUT, CAKE}.__contains__).holds
    invented = support([HUT, CAKE], ["http://h/soup", "http://h/cake"], {HUT}.__contains__)
    assert (invented.precision, invented.entails, invented.holds) == (0.5, False, False)
    beside_the_point = support([HUT], ["http://h/cake"], {HUT, CAKE}.__contains__)
    assert beside_the_point.precision == 1 and not beside_the_point.holds
    assert not support([], ["http://h/cake"], {HUT}.__contains__).holds


def test_a_count_is_supported_by_as_many_things() -> None:
    assert support([HUT, CAKE], ["2"], {HUT, CAKE}.__contains__).holds
    assert not support([HUT, CAKE], ["3"], {HUT, CAKE}.__contains__).holds
    assert support([HUT], ["true"], {HUT}.__contains__).holds
    assert not support([HUT], ["true"], set[object]().__contains__).holds


def test_scores_are_over_the_questions_that_have_an_answer_and_are_split_by_kind() -> None:
    items = [
        Item(["a"], ["a"], "single", support=support([HUT], ["a"], {HUT}.__contains__)),
        Item([], ["b"], "single"),
        Item(["2"], ["2.0"], "count", forced=True),
        Item([], [], "unanswerable"),
        Item(["c"], [], "unanswerable"),
    ]
    measured = measure(items)
    assert (measured.questions, measured.unsure, measured.forced) == (5, 2, 1)
    assert (measured.answerable, measured.unanswerable, measured.left) == (3, 2, 0.5)
    assert measured.strict == measured.f1 == measured.exact == measured.coverage == 2 / 3
    assert measured.precision == 2 / 3 and measured.support == 0.0
    kinds = by_kind(items)
    assert list(kinds) == ["single", "count", "unanswerable"]
    assert kinds["single"].strict == 0.5 and kinds["unanswerable"].f1 is None
    assert measure([]).questions == 0 and measure([]).f1 is None


def test_silence_scores_nothing_by_any_measure() -> None:
    silent = measure([Item([], ["a"]), Item([""], ["b"]), Item([], [])])
    assert silent.exact == silent.f1 == silent.strict == silent.lenient == silent.coverage == 0
    assert silent.precision is None and silent.support is None
    nothing_to_find = measure([Item([], [])] * 3)
    assert nothing_to_find.f1 is None and nothing_to_find.lenient is None


ROWS = st.lists(st.tuples(WORD, WORD | st.just(""), WORD), min_size=1, max_size=5)


@given(ROWS, ROWS)
def test_cells_lie_between_nothing_and_all_and_rows_and_columns_may_come_in_any_order(
    found: list[tuple[str, str, str]], reference: list[tuple[str, str, str]]
) -> None:
    score = cell_score(found, reference)
    assert 0 <= score.precision <= 1 and 0 <= score.recall <= 1 and 0 <= score.f1 <= 1
    turned = [(key, last, first) for key, first, last in reversed(found)]
    assert score == cell_score(turned, reference)
    assert cell_score(found, found).f1 == cell_score(reference, reference).f1 == 1


def test_a_cell_is_right_only_beside_its_own_key_and_as_often_as_it_stands_there() -> None:
    reference = [("ada", "Oslo", "7"), ("bob", "Rome", "9")]
    assert cell_score([("ada", "Rome", "9"), ("bob", "Oslo", "7")], reference).f1 == 0
    for silent in ([], [("", "Oslo", "7")], [("ada", "", "")], [("e", "e", "e")], [("ada",)]):
        assert cell_score(silent, reference).f1 == 0, silent
    assert cell_score([("Ada", "oslo", "7.0")], reference).recall == 0.5
    twice = cell_score([("ada", "Oslo", "7")] * 2, reference)
    assert (twice.precision, twice.recall) == (0.5, 0.5)
    payments = [("ada", "10"), ("ada", "10")]
    assert cell_score(payments[:1], payments).recall == 0.5
    assert cell_score([], []).f1 == 1 and cell_score(reference, []).f1 == 0


def test_only_questions_whose_reference_is_a_table_are_measured_by_cells() -> None:
    table = [("a", "1"), ("b", "2")]
    items = [
        Item(["a", "b"], ["a", "b"], rows=table, table=table),
        Item([], ["a", "b"], table=table),
        Item(["c"], ["c"], rows=[("c",)]),
    ]
    measured = measure(items)
    assert (measured.tables, measured.cell_f1, measured.exact) == (2, 0.5, 2 / 3)
    assert measure(items[2:]).cell_f1 is None
