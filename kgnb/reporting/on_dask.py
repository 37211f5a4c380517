"""The items of a sweep on the workers of a Dask cluster (``pip install "kgnb[dask]"``).

Workers import kgnb, see the sweep's folder under the same path, and run every item in a process of its own, as without
Dask. Workers of one machine keep one pace; several machines share what is allowed a minute by their threads.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module, metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kgnb.errors import BackendError, ConfigError
from kgnb.reporting.item import ItemState, Running, as_line, attempt, read_state
from kgnb.reporting.session import from_text, on_signals
from kgnb.settings import Settings

START = 20  # seconds a scheduler, and then its first worker, may take to answer
LOOK, LOST = 5, 180  # seconds between two looks at the workers; without any, after which they are given up
PATIENCE = 30  # seconds items under way may take to close their books


def run_on_dask(
    address: str,
    folders: Sequence[Path],
    settings: Settings,
    tries: int,
    told: Callable[[bool], None],
    patience: float = START,
) -> int:
    """Run the items in these folders; how many ran at once.

    ``patience`` is how many seconds a scheduler, and then its first worker, may take to answer.

    A worker that is lost has its items run again elsewhere: what was done is found done. An item that takes several
    workers down with it has failed.

    Raises:
        ValueError: the address is none.
        ConfigError: distributed is not installed, or a worker lacks kgnb, has another Python or does not see a folder.
        BackendError: no scheduler answers, it has no worker, or it is lost on the way.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise ConfigError("a scheduler needs the package distributed", fix='pip install "kgnb[dask]"') from error
    with _client(distributed, address, patience) as client:
        _check(client, address, folders[0].resolve(), patience)
        threads = {worker: int(number) for worker, number in client.nthreads().items()}
        line, shares = as_line(settings), shares_of(threads)
        futures = {
            client.submit(
                _on_worker, str(folder.resolve()), line, tries, shares, key=f"kgnb-{folder.resolve()}", pure=False
            ): folder
            for folder in folders
        }
        try:
            with on_signals():
                for future in _completed(distributed.as_completed(list(futures)), client, address):
                    told(_ended(future, futures[future], address))
        except BaseException:
            client.cancel(list(futures))
            client.run(_stop)
            _wait_for(folders)
            raise
    return max(1, sum(threads.values()))


def shares_of(threads: Mapping[str, int]) -> dict[str, float]:
    """What part of all threads, by worker's address, each machine has.

    >>> shares_of({"tcp://10.0.0.1:40001": 1, "tcp://10.0.0.1:40002": 2, "tcp://10.0.0.2:40001": 1})
    {'10.0.0.1': 0.75, '10.0.0.2': 0.25}
    """
    counts: Counter[str] = Counter()
    for worker, number in threads.items():
        counts[urlsplit(worker).hostname or worker] += number
    return {host: number / max(1, counts.total()) for host, number in counts.items()}


@contextmanager
def _client(distributed: Any, address: str, patience: float) -> Iterator[Any]:
    try:
        _reach(address, patience)  # a client that failed to start may take the next one's event loop down with it
        client = distributed.Client(address, timeout=patience)
    except ValueError as error:
        raise ValueError(
            f"--scheduler {address}: {error}\nGive it as tcp://HOST:PORT, e.g. tcp://127.0.0.1:8786"
        ) from error
    except (OSError, TimeoutError) as error:
        raise BackendError(
            f"no Dask scheduler answers at {address}",
            service=address,
            fix="Is it running? Start one with: dask scheduler",
            details=str(error),
        ) from error
    with client:
        yield client


def _reach(address: str, patience: float) -> None:
    """ValueError where the address is none, OSError where nothing listens there."""
    addressing = import_module("distributed.comm.addressing")
    scheme, place = addressing.parse_address(address)
    import_module("distributed.comm.registry").get_backend(scheme)
    if scheme in ("tcp", "tls"):
        socket.create_connection(addressing.parse_host_port(place), timeout=patience).close()


def _check(client: Any, address: str, folder: Path, patience: float) -> None:
    """Refuse a cluster on which the items cannot run; asked with what every Python has."""
    try:
        client.wait_for_workers(1, timeout=patience)
    except (TimeoutError, OSError) as error:
        fix = f"Start one with: dask worker {address}"
        raise BackendError(f"the Dask scheduler at {address} has no worker", service=address, fix=fix) from error
    here = platform.python_version_tuple()[:2]
    for worker, version in client.run(platform.python_version_tuple).items():
        if tuple(version)[:2] != here:
            raise ConfigError(
                f"worker {worker} runs Python {'.'.join(version)}, this is {platform.python_version()}",
                fix="Start workers and kgnb from environments with the same Python and packages.",
            )
    for worker, found in client.run(importlib.util.find_spec, "kgnb", on_error="return").items():
        if found is None or isinstance(found, BaseException):
            raise ConfigError(f"worker {worker} has no kgnb", fix='Install it there: pip install "kgnb[dask]"')
    ours = _version()
    for worker, theirs in client.run(_version).items():
        if theirs != ours:
            raise ConfigError(
                f"worker {worker} has kgnb {theirs}, this is {ours}", fix="Install the same version there."
            )
    for worker, seen in client.run(os.path.isdir, str(folder)).items():
        if not seen:
            raise ConfigError(
                f"worker {worker} does not see {folder}",
                fix="Choose an --out folder that all workers see at this path.",
            )


def _completed(futures: Any, client: Any, address: str) -> Iterator[Any]:
    """The futures as they end; BackendError once there has been no worker for a while, which would never end."""
    seen = time.monotonic()
    while not futures.is_empty():
        if futures.has_ready():
            yield from futures.next_batch(block=False)
        else:
            time.sleep(0.2)
        now = time.monotonic()
        if now - seen > LOOK and client.nthreads():
            seen = now
        if now - seen > LOST:
            fix = f"Start one with: dask worker {address}, and kgnb resume the sweep."
            raise BackendError(f"the Dask scheduler at {address} has no worker left", service=address, fix=fix)


def _ended(future: Any, folder: Path, address: str) -> bool:
    """Whether the item is done; where it took its workers down, its state is written here."""
    if future.status == "finished":
        return bool(future.result())
    if future.status != "error":
        raise BackendError(
            f"the Dask scheduler at {address} was lost", service=address, fix="Start it, and kgnb resume the sweep."
        )
    state = read_state(folder)
    if state and state.state not in ("done", "failed"):
        error = future.exception()
        said = str(error).partition("\n")[0]
        replace(state, state="failed", error=f"its worker was lost: {type(error).__name__}: {said}").save(folder)
    return bool(state and state.state == "done")


def _wait_for(folders: Sequence[Path]) -> None:
    end = time.monotonic() + PATIENCE
    while any(_running(read_state(folder)) for folder in folders) and time.monotonic() < end:
        time.sleep(0.2)


def _running(state: ItemState | None) -> bool:
    return state is not None and state.state == "running"


# ------------------------------------------------------------------------------------------- on the workers

_here: dict[int, Running] = {}
_lock = threading.Lock()


def _on_worker(folder: str, line: str, tries: int, shares: Mapping[str, float]) -> bool:
    host = urlsplit(import_module("distributed").get_worker().address).hostname
    settings, share = from_text(line).settings, shares.get(host or "", 1.0)
    settings = settings.with_(
        requests_per_minute=settings.requests_per_minute * share, tokens_per_minute=settings.tokens_per_minute * share
    )
    running = Running()
    with _lock:
        _here[id(running)] = running
    try:
        return attempt(Path(folder), as_line(settings), running, tries)
    finally:
        with _lock:
            del _here[id(running)]


def _stop() -> None:
    with _lock:
        for running in _here.values():
            running.stop()


def _version() -> str:
    return metadata.version("kgnb")
