"""A Dask cluster (``pip install "kgnb[dask]"``): a client of one that has kgnb, and blocks of work
on its workers.
"""

from __future__ import annotations

import importlib.util
import platform
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module, metadata
from typing import Any

from kgnb.errors import BackendError, ConfigError

START = 20  # seconds that a scheduler, and then its first worker, may take to answer
LOOK, LOST = (
    5,
    180,
)  # seconds between checks for workers; without any, after which they count as lost


@contextmanager
def dask_client(address: str, patience: float = START) -> Iterator[Any]:
    """A client of the scheduler at this address, whose workers have been checked.

    ``patience`` is how many seconds the scheduler, and then its first worker, may take to answer.

    Raises:
        ValueError: it is not an address.
        ConfigError: distributed is not installed, or a worker lacks kgnb or has another Python or
            kgnb.
        BackendError: no scheduler answers, or it has no worker.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise ConfigError(
            "a scheduler needs the package distributed", fix='pip install "kgnb[dask]"'
        ) from error
    try:
        _reach(
            address, patience
        )  # a client that failed to start may take the next one's event loop down with it
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
        _check(client, address, patience)
        yield client


@contextmanager
def blocks_on(address: str) -> Iterator[Callable[..., Iterator[Any]]]:
    """``each(work, blocks, *shared)``: ``work(block, *shared)`` of every block, in order, done by a
    cluster's workers.

    What is shared is sent to each worker once. Raises the same as ``dask_client``, also if workers
    are lost meanwhile.
    """
    with dask_client(address) as client:

        def each(work: Callable[..., Any], blocks: Iterable[Any], *shared: Any) -> Iterator[Any]:
            held = client.scatter(list(shared), broadcast=True, hash=False)
            ahead = 2 * sum(client.nthreads().values())
            under_way: deque[Any] = deque()
            for block in blocks:
                under_way.append(client.submit(work, block, *held, pure=False))
                if len(under_way) > ahead:
                    yield _answer(client, under_way.popleft(), address)
            while under_way:
                yield _answer(client, under_way.popleft(), address)

        yield each


def _answer(client: Any, future: Any, address: str) -> Any:
    distributed: Any = import_module("distributed")
    seen = time.monotonic()
    try:
        while not future.done():
            with suppress(TimeoutError):
                distributed.wait(future, timeout=LOOK)
            seen = time.monotonic() if client.nthreads() else seen
            if time.monotonic() - seen > LOST:
                raise OSError(f"no worker for {LOST} seconds")
        return future.result()
    except (OSError, distributed.KilledWorker, distributed.client.FutureCancelledError) as error:
        fix = f"Start one with: dask worker {address}"
        details = str(error).partition("\n")[0]
        raise BackendError(
            f"the workers at {address} were lost", service=address, fix=fix, details=details
        ) from error


def _reach(address: str, patience: float) -> None:
    """Check an address: ValueError if it is not one, OSError if nothing listens there."""
    addressing = import_module("distributed.comm.addressing")
    scheme, place = addressing.parse_address(address)
    import_module("distributed.comm.registry").get_backend(scheme)
    if scheme in ("tcp", "tls"):
        socket.create_connection(addressing.parse_host_port(place), timeout=patience).close()


def _check(client: Any, address: str, patience: float) -> None:
    """Refuse a cluster on which nothing can run; asks only for what every Python has."""
    try:
        client.wait_for_workers(1, timeout=patience)
    except (TimeoutError, OSError) as error:
        fix = f"Start one with: dask worker {address}"
        raise BackendError(
            f"the Dask scheduler at {address} has no worker", service=address, fix=fix
        ) from error
    here = platform.python_version_tuple()[:2]
    for worker, version in client.run(platform.python_version_tuple).items():
        if tuple(version)[:2] != here:
            raise ConfigError(
                f"worker {worker} runs Python {'.'.join(version)}, this is {platform.python_version()}",
                fix="Start workers and kgnb from environments with the same Python and packages.",
            )
    for worker, found in client.run(importlib.util.find_spec, "kgnb", on_error="return").items():
        if found is None or isinstance(found, BaseException):
            raise ConfigError(
                f"worker {worker} has no kgnb", fix='Install it there: pip install "kgnb[dask]"'
            )
    ours = _version()
    for worker, theirs in client.run(_version).items():
        if theirs != ours:
            raise ConfigError(
                f"worker {worker} has kgnb {theirs}, this is {ours}",
                fix="Install the same version there.",
            )


def _version() -> str:
    return metadata.version("kgnb")
