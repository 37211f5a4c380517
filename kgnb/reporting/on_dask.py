"""The items of a sweep on the workers of a Dask cluster (``pip install "kgnb[dask]"``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from kgnb.errors import BackendError, ConfigError
from kgnb.reporting.processes import Running, as_line
from kgnb.reporting.sweep import attempt
from kgnb.settings import Settings

START = 30  # seconds a scheduler may take to answer


def run_on_dask(
    address: str, folders: Sequence[Path], settings: Settings, tries: int, told: Callable[[bool], None]
) -> int:
    """Run the items in these folders, which all workers must see under the same path; how many run at once.

    Every item runs in a process of its own on its worker, as without Dask, and the workers share one pace. A worker
    that is lost has its items run again elsewhere: what was done is found done.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise ConfigError("a scheduler needs the package distributed", fix='pip install "kgnb[dask]"') from error
    try:
        client = distributed.Client(address, timeout=START)
    except (OSError, ValueError) as error:
        raise BackendError(f"no Dask scheduler answers at {address}", service=address, fix="Is it running?") from error
    with client:
        width = max(1, int(sum(client.nthreads().values())))
        line = as_line(settings)
        futures = [
            client.submit(_on_worker, str(folder.resolve()), line, tries, key=f"kgnb-{folder.resolve()}", pure=False)
            for folder in folders
        ]
        try:
            for future in distributed.as_completed(futures):
                told(bool(future.status == "finished" and future.result()))
        finally:
            client.cancel(futures)
    return width


def _on_worker(folder: str, line: str, tries: int) -> bool:
    return attempt(Path(folder), line, Running(), tries)
