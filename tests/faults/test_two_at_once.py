"""Finished work that was damaged, and work of two programs in one place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kgnb.cli import main
from tests.reporting.conftest import notebook

PARAMETERS = "k: int = 2  # how many [1, 9]"
SAVES = (
    "import json, os\nfrom kgnb.reporting.session import current\n"
    "with open(os.environ['SEEN'], 'a') as seen: seen.write(f'{k}\\n')\n"
    "(current().folder / 'metrics.json').write_text(json.dumps({'headline': [{'F1': 10.0 * k}]}))"
)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:20])


def other_figures(path: Path) -> None:
    path.write_text(json.dumps({"headline": [{"F1": 99.0}]}))


@pytest.mark.slow
@pytest.mark.fault("finished work is damaged")
def test_resume_runs_a_damaged_item_again_and_says_so(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    record_property: Callable[[str, object], None],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    notebook(tmp_path, "# Small", PARAMETERS, SAVES)
    (tmp_path / "grid.yaml").write_text("report: small.ipynb\nparameters: {k: [3]}\n")
    assert main(["sweep", "grid.yaml", "--out", "sw"]) == 0
    [item] = (tmp_path / "sw" / "items").iterdir()
    harms = [("metrics.json", cut), ("metrics.json", other_figures), ("item.json", cut)]
    for name, harm in harms:
        harm(item / name)
        capsys.readouterr()
        assert main(["resume", "sw"]) == 0
        captured = capsys.readouterr()
        assert f"{name} is cut or changed; this report runs again" in captured.err
        assert "1 done" in captured.out
        [row] = json.loads((tmp_path / "sw" / "comparison.json").read_text())["rows"]
        assert row["figures"] == {"F1": 30.0}
    assert main(["resume", "sw"]) == 0
    assert "runs again" not in capsys.readouterr().err
    assert (tmp_path / "seen").read_text().split() == ["3"] * 4
    record_property("tries", len(harms))
