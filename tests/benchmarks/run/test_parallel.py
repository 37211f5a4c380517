import pytest

from tests.benchmarks.run.parallel import main


@pytest.mark.slow
def test_processes_and_width_make_a_slow_server_faster() -> None:
    print()
    ratios = main(rounds=1)
    assert ratios.processes > 1  # how much is for the printed line: here others may be at work
    assert ratios.width > 1
