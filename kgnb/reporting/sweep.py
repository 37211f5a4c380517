"""Sweeps: every combination of a grid as a report run of its own, in its own process and folder, resumable.

A sweep's folder holds ``sweep.json`` (what to run), ``items/<digest of the values>/`` (a report's folder, with its
state in ``item.json``), and ``comparison.html`` and ``comparison.json``. What is done is not run again; what was cut
short is, and finds its paid replies in the cache.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kgnb.errors import BackendError, ConfigError, DataError, KgnbError, Waiting
from kgnb.files import from_json, write_json
from kgnb.reporting.compare import write_comparison
from kgnb.reporting.comparing import compare_items
from kgnb.reporting.grid import Grid, GridItem, as_yaml, grid_of, part_of, read_grid
from kgnb.reporting.item import ItemState, Running, as_line, attempt, read_state
from kgnb.reporting.report import REPORTS, data_digests, digest_of
from kgnb.reporting.scan import known_secrets, redact
from kgnb.reporting.session import Interrupted, from_text, on_signals
from kgnb.run.dask import LOOK, LOST, START, dask_client
from kgnb.settings import Settings

TRIES = 2
FILE = "sweep.json"
OnItem = Callable[[int, int, int], object]


@dataclass(frozen=True)
class SweepResult:
    """What a sweep left: its folder, the comparison, and how many of all its items are in which state."""

    folder: Path
    html: Path
    comparison: Path
    states: dict[str, int]
    width: int


class SweepError(KgnbError):
    """Some items failed, the others are done and compared: ``result`` says where."""

    def __init__(self, what: str, *, result: SweepResult, fix: str = "") -> None:
        super().__init__(what, fix=fix)
        self.result = result


def run_sweep(
    source: Path | str | Grid,
    out: Path | str | None = None,
    *,
    workers: int = 1,
    shard: str = "",
    scheduler: str = "",
    settings: Settings | None = None,
    on_item: OnItem | None = None,
) -> SweepResult:
    """Run what is not done yet of a sweep, ``workers`` reports at once, and compare all that are.

    Args:
        source: the sweep's file (see ``grid.read_grid``), or the grid itself.
        out: its folder; by default ``reports/sweeps/<name of the file>``.
        workers: how many reports run at once, each with a model ``width`` of its own; what a model's server allows a
            minute they share.
        shard: "i/n" runs only every n-th item from the i-th, for schedulers of other makes.
        scheduler: address of a Dask scheduler whose workers see the same folders; "" runs here.
        settings: by default those of this folder.
        on_item: told how many of the items are through, how many of those failed, and how many there are.

    Raises:
        ValueError: a combination is not allowed; nothing has run.
        SweepError: items failed, each tried twice; the rest is done and compared.
        Waiting: items wait for the replies of a batch: model; the rest is done and compared, and ``resume`` goes on.
        Interrupted: SIGINT or SIGTERM; items under way were cancelled in order.
    """
    if workers < 1:
        raise ValueError(f"-j {workers}: at least one report runs at a time")
    settings = settings or Settings.load()
    grid = source if isinstance(source, Grid) else read_grid(source)
    if out is None:
        out = REPORTS / "sweeps" / (grid.title if isinstance(source, Grid) else Path(source).stem)
    folder = Path(out)
    _refuse_secrets(grid, settings)
    items = part_of(grid.items, shard)
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / FILE, grid.content)
    todo = _to_do(folder, grid, items, settings)
    homes = [item_folder(folder, item) for item in todo]
    width = min(workers, len(todo))
    try:
        count = _counter(on_item, len(items), len(items) - len(todo)) if todo else None
        if count and scheduler:
            width = run_on_dask(scheduler, homes, settings, TRIES, count)
        elif count:
            _run_here(homes, width, settings, count)
    except Interrupted as error:
        error.add_note(f"What is done is kept. Go on with it: kgnb resume {folder}")
        raise
    finally:
        again = f"kgnb sweep sweep.yaml    # a file with this content\n\n{as_yaml(grid)}"
        html, comparison = write_comparison(folder, compare_items(folder, grid), f"{grid.title}: a sweep", again)
    result = SweepResult(folder, html, comparison, states(folder, grid), width)
    failed = [item for item in items if _state(folder, item) == "failed"]
    if failed:
        first = read_state(item_folder(folder, failed[0]))
        raise SweepError(
            f"{len(failed)} of {len(items)} reports failed, the first: {grid.label(failed[0])}: "
            f"{first.error if first else ''}",
            result=result,
            fix=f"The comparison of the rest: {html}\nTry the failed ones again: kgnb resume {folder}",
        )
    waiting = [state for item in items if (state := read_state(item_folder(folder, item))) and state.state == "waiting"]
    if waiting:
        told = f"{len(waiting)} of {len(items)} reports wait: {waiting[0].error}"
        raise Waiting(lambda: (told, f"Have the requests answered (kgnb batch status), then: kgnb resume {folder}"))
    return result


def _refuse_secrets(grid: Grid, settings: Settings) -> None:
    """A sweep keeps its values as they are, to run them; none of them may be one that must not be kept."""
    secrets = known_secrets(settings)
    for item in grid.items:
        for name, value in item.values.items():
            if redact(value, secrets) != value:
                raise ValueError(
                    f"parameter {name}: its value is a secret of this environment, and a sweep writes its values down\n"
                    'Name the variable in the settings instead: key = "env:NAME".'
                )


def resume_sweep(folder: Path | str, **given: object) -> SweepResult:
    """Run what is not done of the sweep in this folder; takes what ``run_sweep`` takes."""
    return run_sweep(saved_grid(Path(folder)), folder, **given)  # type: ignore[arg-type]  # as run_sweep checks


def saved_grid(folder: Path) -> Grid:
    """The grid of a sweep's folder."""
    try:
        content = from_json((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError("no sweep can be read", where=str(folder / FILE), fix="Name a sweep's folder.") from error
    return grid_of(content, str(folder / FILE))


def item_folder(folder: Path, item: GridItem) -> Path:
    """Where an item's report lies."""
    return folder / "items" / item.name


def states(folder: Path, grid: Grid) -> dict[str, int]:
    """How many items are in which state."""
    return dict(Counter(_state(folder, item) for item in grid.items))


def _state(folder: Path, item: GridItem) -> str:
    state = read_state(item_folder(folder, item))
    return state.state if state else "not run"


def _to_do(folder: Path, grid: Grid, items: Sequence[GridItem], settings: Settings) -> list[GridItem]:
    """The items that are not done, or were done with other data or another model; each with its state written."""
    todo = []
    for item in items:
        home = item_folder(folder, item)
        try:
            digest = digest_of(item.values, data_digests(item.values, settings), settings)
        except (KgnbError, OSError):  # its own report says what is amiss with its data
            digest = ""
        before = read_state(home)
        if before and before.state == "done" and digest and before.digest == digest:
            continue
        ItemState(grid.report, dict(item.values), digest).save(home)
        todo.append(item)
    return todo


def _run_here(folders: Sequence[Path], width: int, settings: Settings, told: Callable[[bool], None]) -> None:
    line, running = as_line(settings), Running()
    with on_signals(running.stop_for), ThreadPoolExecutor(width) as pool:
        futures: list[Future[bool]] = [pool.submit(attempt, folder, line, running, TRIES) for folder in folders]
        try:
            for future in as_completed(futures):
                told(future.result())
        except BaseException:
            running.stop()
            for future in futures:
                future.cancel()
            raise
    if running.signal:
        raise Interrupted(running.signal)


def _counter(on_item: OnItem | None, total: int, done: int) -> Callable[[bool], None]:
    through, failed = [done], [0]

    def count(well: bool) -> None:
        through[0] += 1
        failed[0] += not well
        if on_item:
            on_item(through[0], failed[0], total)

    if on_item:
        on_item(done, 0, total)
    return count


PATIENCE = 30  # seconds items under way may take to close their books


def run_on_dask(
    address: str,
    folders: Sequence[Path],
    settings: Settings,
    tries: int,
    told: Callable[[bool], None],
    patience: float = START,
) -> int:
    """Run the items in these folders on the workers of a Dask cluster; how many ran at once.

    Workers see the sweep's folder under the same path, and run every item in a process of its own. Those of one machine
    keep one pace; several machines share what is allowed a minute by their threads. ``patience``: see ``dask_client``.

    A worker that is lost has its items run again elsewhere: what was done is found done. An item that takes several
    workers down with it has failed.

    Raises:
        ValueError: the address is none.
        ConfigError: distributed is not installed, or a worker lacks kgnb, has another Python or does not see a folder.
        BackendError: no scheduler answers, it has no worker, or it is lost on the way.
    """
    with dask_client(address, patience) as client:
        folder = str(folders[0].resolve())
        for worker, seen in client.run(os.path.isdir, folder).items():
            if not seen:
                raise ConfigError(
                    f"worker {worker} does not see {folder}",
                    fix="Choose an --out folder that all workers see at this path.",
                )
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
                for future in _completed(import_module("distributed").as_completed(list(futures)), client, address):
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
    while time.monotonic() < end:
        states = [read_state(folder) for folder in folders]
        if not any(state and state.state == "running" for state in states):
            return
        time.sleep(0.2)


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
