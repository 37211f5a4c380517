from hypothesis import given
from hypothesis import strategies as some

from kgnb.results.columns import WIDTH, aligned, width

WORDS = some.text(some.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=80)


@given(some.lists(some.tuples(WORDS, WORDS, WORDS), max_size=6), some.tuples(WORDS, WORDS, WORDS))
def test_no_line_is_wider_than_the_room(
    rows: list[tuple[str, str, str]], titles: tuple[str, str, str]
) -> None:
    assert all(width(line) <= WIDTH for line in aligned(titles, rows, [False, True, False]))


def test_columns_line_up_over_wide_characters() -> None:
    lines = aligned(["hut", "beds"], [["山小屋", "8"], ["Vent", "120"]], [False, True])
    assert [width(line) for line in lines[2:]] == [12, 12]


def test_shrinks_the_widest_columns_and_leaves_narrow_ones() -> None:
    lines = aligned(["a", "b"], [["x" * 300, "short"]], [False, False], room=40)
    assert lines[2] == "x" * 32 + "…  short"
