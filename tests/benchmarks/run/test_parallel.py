import pytest

from tests.benchmarks.run.parallel import main


@pytest.mark.slow
def test_processes_and_width_make_a_slow_server_faster() -> None:
    print()
    ratios = main(rounds=1)
    assert ratios.processes > 1.4  # 1.8 on two cores of one's own; here others may be at work
    assert ratios.width > 3  # nearly ten, likewise
