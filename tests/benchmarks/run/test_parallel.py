import pytest

from tests.benchmarks.run.parallel import processes


@pytest.mark.slow
def test_reports_in_processes_of_their_own_compare_as_one_after_the_other() -> None:
    print(f"\ntwo reports at once: {processes(rounds=1, ks=(2, 3)):.1f} times as fast as one after the other")
