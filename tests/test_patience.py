import pytest

from kgnb.patience import Patience, retry_after


def test_pauses_double_up_to_the_longest_and_one_that_was_asked_for_is_kept_unless_it_is_too_long() -> (
    None
):
    waited: list[float] = []
    patience = Patience(tries=6, first=1, longest=5, sleep=waited.append)
    assert [patience.pause(tried) for tried in range(1, 7)] == [True] * 5 + [False]
    assert patience.pause(1, asked=0.25) and not patience.pause(1, asked=6)
    assert waited == [1, 2, 4, 5, 5, 0.25]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        *(
            ({"retry-after": value}, None)
            for value in ("", "soon", "-1", "1e99", "nan", "١٢x", "Wed, 99 Foo")
        ),
        ({"retry-after": "9", "retry-after-ms": "20"}, 0.02),
        ({"retry-after-ms": "x", "retry-after": "2"}, 2.0),
        (
            {
                "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT",
                "date": "Sun, 06 Nov 1994 08:49:30 GMT",
            },
            7.0,
        ),
        ({"retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"}, 0.0),
    ],
)
def test_reads_retry_after_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds
