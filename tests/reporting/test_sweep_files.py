"""The sweep files that come with kgnb: each is read, and its rows differ."""

from pathlib import Path

import pytest

from kgnb.reporting.grid import read_grid
from kgnb.reporting.report import SHELVES

FILES = sorted(file for shelf in SHELVES for file in shelf.glob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_sweep_file_is_read_and_its_rows_differ(file: Path) -> None:
    grid = read_grid(file)
    labels = [grid.label(item) for item in grid.items]
    assert len(grid.items) >= 2 and len(set(labels)) == len(labels)


def test_the_papers_settings_can_be_swept() -> None:
    swept = {name for file in FILES for name in read_grid(file).varied}
    wanted = {"planner", "shown", "entropy", "reflect_below", "similarity", "one_sided"}
    wanted |= {"fusion_constant", "define", "plan", "tools", "observation", "reflection"}
    wanted |= {"directions", "own_knowledge", "share", "depth", "keep"}
    assert wanted <= swept
