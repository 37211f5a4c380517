"""Scores of extraction: strict counts every mistake, legacy what the paper counted."""

import rdflib
from hypothesis import given
from hypothesis import strategies as st

from kgnb.evaluate.alignment import Score
from kgnb.evaluate.extraction import normalised, read_records, score_records

BARLEY = {"name": ["barley", "pearl barley"], "amount": ["400 g"], "note": [""]}
LEEK = {"name": ["leek"], "amount": ["2"], "note": ["N/A"]}


def test_empty_and_empty_counts_only_as_it_was_published() -> None:
    strict = score_records([BARLEY, LEEK], [BARLEY, LEEK], alternatives=["name"])
    legacy = score_records([BARLEY, LEEK], [BARLEY, LEEK], alternatives=["name"], mode="legacy")
    assert strict.total == Score(4, 0, 0)
    assert legacy.total == Score(6, 0, 0)


def test_one_of_several_names_is_enough_and_a_wrong_one_counts() -> None:
    found = [{"name": ["Pearl  Barley", "oats"], "amount": ["400 g"]}]
    assert score_records(found, [BARLEY], alternatives=["name"]).slots["name"] == Score(1, 1, 0)
    legacy = score_records(
        found, [BARLEY], alternatives=["name"], forgiving=["name"], mode="legacy"
    )
    assert legacy.slots["name"] == Score(1, 0, 0)


def test_records_are_assigned_so_that_most_agrees() -> None:
    found = [{"a": ["1"], "b": ["2"]}, {"a": ["1"], "b": ["3"]}]
    wanted = [{"a": ["1"], "b": ["3"]}, {"a": ["1"], "b": ["2"]}]
    assert score_records(found, wanted).total == Score(4, 0, 0)


def test_numbers_are_compared_as_numbers() -> None:
    assert normalised("1.50 L") == normalised("1.5 l") != normalised("15 l")
    assert normalised("-1") == "" != normalised("-10")


def test_records_are_read_back_from_a_graph() -> None:
    graph = rdflib.Graph().parse(
        data='<urn:a> <urn:name> "x", "y" ; <urn:hot> true . <urn:b> <urn:name> "z" .',
        format="turtle",
    )
    query = "SELECT ?record ?name ?hot WHERE { ?record <urn:name> ?name OPTIONAL { ?record <urn:hot> ?hot } }"
    assert read_records(graph, query) == (
        {"name": ("x", "y"), "hot": ("true",)},
        {"name": ("z",), "hot": ()},
    )


records = st.lists(
    st.dictionaries(st.sampled_from("ab"), st.lists(st.sampled_from(["1", "2", ""]), max_size=2))
)


@given(records, records)
def test_scores_are_shares_and_turning_them_round_swaps_precision_and_recall(
    left: list, right: list
) -> None:
    one, other = score_records(left, right).total, score_records(right, left).total
    assert 0 <= one.f1 <= 1
    assert (one.tp, one.fp, one.fn) == (other.tp, other.fn, other.fp)
