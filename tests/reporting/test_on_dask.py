"""Sweeps on a Dask cluster: what goes wrong before the first item, and a worker that is killed
during one.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from kgnb.errors import BackendError
from kgnb.reporting.sweep import run_on_dask, run_sweep
from kgnb.settings import Settings

distributed: Any = pytest.importorskip(
    "distributed", reason="the extra kgnb[dask] is not installed"
)

WAITS = (
    "import json, os, time\nfrom kgnb.reporting.session import current\n"
    "with open(os.environ['SEEN'], 'a') as seen: seen.write(f'{k}\\n')\n"
    "while k == 2 and os.path.exists(os.environ['SEEN'] + '-wait'): time.sleep(0.1)\n"
    "(current().folder / 'metrics.json').write_text(json.dumps({'headline': [{'F1': 10.0 * k}]}))"
)


def test_without_the_package_the_error_says_how_to_install_it() -> None:
    code = (
        "import sys; sys.modules['distributed'] = None\n"
        "from pathlib import Path\nfrom kgnb.reporting.sweep import run_on_dask\nfrom kgnb.settings import Settings\n"
        "run_on_dask('tcp://127.0.0.1:1', [Path('.')], Settings(), 1, print)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert "ConfigError" in done.stderr and 'pip install "kgnb[dask]"' in done.stderr


@pytest.mark.slow
def test_a_wrong_address_a_missing_scheduler_and_missing_workers_are_told_apart(
    tmp_path: Path,
) -> None:
    with distributed.LocalCluster(n_workers=0, dashboard_address=None, host="127.0.0.1") as cluster:
        for address, error, words in (
            ("127.0.0.1", ValueError, "Give it as tcp://HOST:PORT"),
            ("nonsense://x:1", ValueError, "Give it as tcp://HOST:PORT"),
            ("tcp://127.0.0.1:9", BackendError, "no Dask scheduler answers at tcp://127.0.0.1:9"),
            (cluster.scheduler_address, BackendError, "has no worker"),
        ):
            with pytest.raises(error, match=words):
                run_on_dask(address, [tmp_path], Settings(), 1, print, patience=1)


@pytest.mark.slow
def test_the_items_of_a_worker_that_is_killed_run_elsewhere(
    write_notebook: Any, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    (tmp_path / "seen-wait").touch()
    write_notebook("# Small", "k: int = 2  # how many [1, 9]", WAITS)
    (tmp_path / "grid.yaml").write_text("report: small.ipynb\nparameters:\n  k: [1, 2]\n")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:

        def kill() -> None:
            with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
                for _ in range(
                    1200
                ):  # two minutes: a test that waits for ever tells nobody anything
                    if (tmp_path / "seen").exists() and "2" in (
                        tmp_path / "seen"
                    ).read_text().split():
                        break
                    time.sleep(0.1)
                [worker] = client.run(os.getpid).values()
                (tmp_path / "seen-wait").unlink()
                os.kill(worker, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        spread = run_sweep(
            tmp_path / "grid.yaml",
            tmp_path / "dask",
            settings=settings,
            scheduler=cluster.scheduler_address,
        )
        killer.join()
    assert spread.states == {"done": 2}
    rows = json.loads(spread.comparison.read_text())["rows"]
    assert [(row["parameters"]["k"], row["figures"]["F1"]) for row in rows] == [
        (1, 10.0),
        (2, 20.0),
    ]
