from email.utils import formatdate
from time import time

import pytest

from kgnb.vectors.patience import Patience, retry_after


def test_pauses_double_up_to_the_longest() -> None:
    waited: list[float] = []
    patience = Patience(tries=6, first=1, longest=5, sleep=waited.append)
    assert [patience.pause(tried) for tried in range(1, 7)] == [True] * 5 + [False]
    assert waited == [1, 2, 4, 5, 5]


def test_a_pause_that_was_asked_for_is_kept_unless_it_is_too_long() -> None:
    waited: list[float] = []
    patience = Patience(first=1, longest=5, sleep=waited.append)
    assert patience.pause(1, asked=0.25)
    assert not patience.pause(1, asked=6)
    assert waited == [0.25]


def test_reads_seconds_milliseconds_and_dates() -> None:
    assert retry_after({"retry-after": "1.5"}) == 1.5
    assert retry_after({"retry-after": "9", "retry-after-ms": "20"}) == 0.02
    assert retry_after({"retry-after": formatdate(time() + 60, usegmt=True)}) == pytest.approx(60, abs=3)
    assert retry_after({"retry-after": formatdate(time() - 60, usegmt=True)}) == 0


@pytest.mark.parametrize("value", ["", "soon", "-5", "1e9999", "١٢x", "Wed, 99 Foo"])
def test_nonsense_is_no_pause(value: str) -> None:
    assert retry_after({"retry-after": value}) is None
    assert retry_after({}) is None
