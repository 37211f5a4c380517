import pytest

from tests.benchmarks.vectors.approximate import compare


@pytest.mark.slow
def test_cells_find_nearly_everything_among_generated_names() -> None:
    recall, exact, cells = compare(4000)
    print(f"\n2 x 4000 names: all with all {exact:.2f} s, cells {cells:.2f} s, recall {recall:.3f}")
    assert recall >= 0.9  # small sides have small cells; the share grows with the number (python -m ...approximate)
