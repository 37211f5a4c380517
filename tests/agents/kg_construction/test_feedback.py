"""A model that errs mends what it is told, and nothing is called mended that is not."""

import pytest

from tests.benchmarks.agents.feedback import measured


def test_reasons_are_worth_facts_and_checks_keep_the_graph_whole() -> None:
    rows = {row["read with"]: row for row in measured(0.3, 1.0, 1, notes=2)}
    told, withheld, unchecked, neither = rows.values()
    assert told["repaired"] > 0 == withheld["repaired"] == neither["repaired"]
    assert told["F1"] > unchecked["F1"] > withheld["F1"]
    assert told["broken"] < withheld["broken"] < unchecked["broken"]


@pytest.mark.parametrize("mends", [0.0, 1.0])
def test_only_what_was_mended_is_called_mended(mends: float) -> None:
    [row] = measured(0.3, mends, 1, notes=1)[:1]
    assert row["refused"] > 0 and (row["called mended"] > 0) == (row["repaired"] > 0) == bool(mends)
