"""The recorded cascade over the small pairs that set nothing, at the figures that the documentation prints."""

from __future__ import annotations

from click.testing import CliRunner

from tests.benchmarks.agents.small_pairs import main


def test_the_recorded_cascade_finds_what_the_rule_alone_does_not() -> None:
    told = CliRunner().invoke(main, ["--half", "final", "--judge", "cascade", "--model", "recorded:small-pairs"])
    assert told.exit_code == 0, told.output
    last = told.output.splitlines()[-1]
    assert "101 of 105 right, 125 wanted" in last and "73 of 75" in last and "18 calls" in last
