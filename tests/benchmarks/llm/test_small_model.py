"""The nightly command, with a stub where the small model would be."""

from pathlib import Path

import pytest

from tests.benchmarks.llm.small_model import NAME, PORTIONS, below, figures, note_alone
from tests.llm.obliging import oblige
from tests.llm.stub_server import StubServer


def test_a_cascade_below_the_rule_is_named_and_no_other() -> None:
    rule = {"P": 96.0, "F1": 90.6}
    assert below([rule, {"P": 99.0, "F1": 90.0}]) == "F1 90.0, the rule alone 90.6"
    assert below([rule, rule]) == ""


@pytest.mark.slow
def test_one_note_is_read_by_rule_and_model_and_measured_by_its_own_part(tmp_path: Path) -> None:
    about = PORTIONS["kg-construction"].format(**note_alone(tmp_path))
    with StubServer(oblige) as server:
        rows = figures("kg-construction", about, server.url, "key", tmp_path / "out")
    assert [row["model"] for row in rows] == ["rule", NAME, "recorded:huts"]
    assert float(str(rows[0]["f1"])) > 80
    assert rows[1]["calls"] and below(rows)
