"""What SPARQL cells cost, on data made here; printed, and held only where the margin is wide."""

import pytest

from tests.benchmarks.kg.sparql_cells import completion, large_result

pytestmark = [pytest.mark.benchmark, pytest.mark.slow]


def test_a_large_result_stays_small_when_saved_and_completion_is_instant() -> None:
    shown, asked, saved = large_result()
    print(f"\nshown in {shown:.2f} s, the bare query {asked:.2f} s, {saved / 1000:,.0f} kB")
    print(f"completion {completion():.3f} s")
    assert saved < 2_000_000
