import pytest

from tests.benchmarks.run.parallel import main


@pytest.mark.slow
def test_processes_and_width_make_a_slow_server_faster() -> None:
    print()
    ratios = main(rounds=1)
    assert ratios.processes > 1.8
    assert ratios.width > 6
