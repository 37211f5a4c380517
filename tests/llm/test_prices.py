"""Prices from a dated file; unknown is not free."""

from pathlib import Path

import pytest

from kgnb.errors import DataError
from kgnb.llm.model import Usage
from kgnb.llm.prices import Price, Prices, cost


def test_reads_a_dated_table_and_prices_a_usage(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('date = 2026-11-01\n[models."vendor/model-4"]\nprompt = 2\ncompletion = 8.0\n')
    prices = Prices.load(path)
    assert prices == Prices("2026-11-01", {"vendor/model-4": Price(2.0, 8.0)})
    assert cost(Usage(500_000, 250_000), "vendor/model-4", prices) == 3.0


def test_an_unknown_price_is_none_and_not_zero() -> None:
    prices = Prices("2026-11-01", {"m": Price(0, 0)})
    assert cost(Usage(1, 1), "n", prices) is None
    assert cost(Usage(1, 1), "m", None) is None
    assert cost(Usage(1, 1), "m", prices) == 0


def test_a_bad_table_is_named_with_the_form_of_a_good_one(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    entries = [
        f'[models."m"]\nprompt = {price}\ncompletion = 1\n'
        for price in ("-1", "nan", "inf", "true", '"x"')
    ]
    models = ["", "models = 3\n", '[models."m"]\nprompt = 1\n', '[models]\nm = "cheap"\n', *entries]
    for content in (
        "date = ",
        '[models."m"]\nprompt = 1\ncompletion = 1\n',
        *(f"date = 2026-11-01\n{one}" for one in models),
    ):
        path.write_text(content)
        with pytest.raises(DataError, match="prices.toml") as caught:
            Prices.load(path)
        assert "completion" in caught.value.fix


def test_tokens_that_the_server_had_read_before_have_a_price_of_their_own() -> None:
    usage = Usage(1_000_000, 0, cached_tokens=400_000)
    for stated, usd in (("1/2", 1.0), ("1/2/0.25", 0.7)):
        assert cost(usage, "m", Prices("", {"m": Price.stated(stated)})) == pytest.approx(usd)
