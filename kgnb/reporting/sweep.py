"""Sweeps: a report for every combination of a grid, each in its own process and folder, resumable.

A sweep's folder holds ``sweep.json`` (what to run), ``items/<digest of the values>/`` (a report's
folder, with its state in ``item.json``), ``comparison.html`` and ``comparison.json``. What is done
is not run again; what was interrupted is, and finds its paid replies in the cache.
"""

from __future__ import annotations

import os
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kgnb.errors import BackendError, ConfigError, Damaged, DataError, KgnbError, Waiting
from kgnb.files import Claim, from_json, refuse_links, write_json
from kgnb.reporting.compare import compare_items, write_comparison
from kgnb.reporting.grid import Grid, GridItem, as_yaml, grid_of, part_of, read_grid
from kgnb.reporting.item import ItemState, Running, as_line, attempt, damage, read_state
from kgnb.reporting.report import REPORTS, data_digests, digest_of
from kgnb.reporting.scan import known_secrets, redact
from kgnb.reporting.session import Interrupted, from_text, on_signals
from kgnb.results.bundle import count as counted
from kgnb.run.dask import LOOK, LOST, START, dask_client
from kgnb.settings import Settings
from kgnb.trust import SettingsFile

TRIES = 2
FILE = "sweep.json"
OnItem = Callable[[int, int, int], object]


@dataclass(frozen=True)
class SweepResult:
    """A sweep's folder and comparison, and the number of its items in each state."""

    folder: Path
    html: Path
    comparison: Path
    states: dict[str, int]
    width: int


class SweepError(KgnbError):
    """Some items failed; the others are done and compared in ``result``."""

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
    """Run the items of a sweep that are not done, ``workers`` at once, and compare all that are.

    Args:
        out: by default ``reports/sweeps/<name of the file>``.
        workers: how many reports run at once; together they stay within the limits a minute of a
            model's server.
        shard: "i/n" runs only every n-th item from the i-th, for job schedulers.
        scheduler: address of a Dask scheduler whose workers see the same folders; "" runs here.
        on_item: called with the number of items that have ended, of those that failed, and of all
            items.

    Raises:
        ValueError: a combination is not allowed; nothing has run.
        DataError: another process runs this sweep, or this part of it.
        SweepError: items failed, each tried twice; the rest is done and compared. Waiting: items
            wait for the replies of a batch: model; the rest is done and compared, and ``resume``
            goes on. Interrupted: SIGINT or SIGTERM; running items were cancelled in order.
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
    refuse_links(folder)
    with ExitStack() as claims:
        # parts of a sweep may run at once, each of them once
        claims.enter_context(Claim(folder / FILE, shared=bool(shard)))
        if shard:
            claims.enter_context(Claim(folder / f"part-{shard.replace('/', '-of-')}"))
        return _run_items(folder, grid, items, workers, scheduler, settings, on_item)


def _run_items(
    folder: Path,
    grid: Grid,
    items: Sequence[GridItem],
    workers: int,
    scheduler: str,
    settings: Settings,
    on_item: OnItem | None,
) -> SweepResult:
    write_json(folder / FILE, grid.content)
    if grid.report.endswith(".ipynb"):
        with suppress(ConfigError, DataError):  # then it is begun anew, not resumed
            SettingsFile.read(folder / FILE).trust()
    homes = [item_folder(folder, item) for item in _to_do(folder, grid, items, settings)]
    width, ended, failed = min(workers, len(homes)), len(items) - len(homes), 0

    def count(well: bool) -> None:
        nonlocal ended, failed
        ended, failed = ended + 1, failed + (not well)
        if on_item:
            on_item(ended, failed, len(items))

    try:
        if homes and on_item:
            on_item(ended, 0, len(items))
        if homes and scheduler:
            width = run_on_dask(scheduler, homes, settings, TRIES, count)
        elif homes:
            _run_here(homes, width, settings, count)
    except Interrupted as error:
        error.add_note(f"Finished reports are kept. Go on with: kgnb resume {folder}")
        raise
    finally:
        again = f"kgnb sweep sweep.yaml    # a file with this content\n\n{as_yaml(grid)}"
        html, comparison = write_comparison(
            folder, compare_items(folder, grid), f"{grid.title}: a sweep", again
        )
    counts: Counter[str] = Counter(
        read_state(item_folder(folder, item)).state for item in grid.items
    )
    result = SweepResult(folder, html, comparison, dict(counts), width)
    after = [(item, read_state(item_folder(folder, item))) for item in items]
    if wrong := [(item, state) for item, state in after if state.state == "failed"]:
        first, state = wrong[0]
        raise SweepError(
            f"{len(wrong)} of {counted(len(items), 'report')} failed, the first: {grid.label(first)}: {state.error}",
            result=result,
            fix=f"The comparison of the rest: {html}\nTry the failed ones again: kgnb resume {folder}",
        )
    if waiting := [state.error for _, state in after if state.state == "waiting"]:
        what = f"{len(waiting)} of {counted(len(items), 'report')} wait: {waiting[0]}"
        raise Waiting(
            lambda: (
                what,
                f"Have the requests answered (kgnb batch status), then: kgnb resume {folder}",
            )
        )
    return result


def _refuse_secrets(grid: Grid, settings: Settings) -> None:
    """A sweep stores its values, so none of them may be a secret."""
    secrets = known_secrets(settings)
    for item in grid.items:
        for name, value in item.values.items():
            if redact(value, secrets) != value:
                raise ValueError(
                    f"parameter {name}: its value is a secret of this environment, and a sweep writes its values down\n"
                    'Name the variable in the settings instead: key = "env:NAME".'
                )


def resume_sweep(folder: Path | str, **given: object) -> SweepResult:
    """Run what is not done of the sweep in this folder; takes what ``run_sweep`` takes.

    Raises:
        DataError: it runs a notebook, and this user did not begin it with this file: a folder that
            was received must not run code.
    """
    grid = saved_grid(Path(folder))
    if grid.report.endswith(".ipynb") and not SettingsFile.read(Path(folder) / FILE).trusted:
        raise DataError(
            f"runs the notebook {grid.report}, and you have not begun this sweep here",
            where=str(Path(folder) / FILE),
            fix=f"Read the notebook, then begin it yourself: kgnb sweep FILE.yaml --out {folder}",
        )
    return run_sweep(grid, folder, **given)  # type: ignore[arg-type]  # as run_sweep checks


def saved_grid(folder: Path) -> Grid:
    """The grid of the sweep in a folder."""
    try:
        content = from_json((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(
            "no sweep can be read", where=str(folder / FILE), fix="Name a sweep's folder."
        ) from error
    return grid_of(content, lambda *place: str(folder / FILE))


def item_folder(folder: Path, item: GridItem) -> Path:
    """The folder of an item's report."""
    return folder / "items" / item.name


def _to_do(
    folder: Path, grid: Grid, items: Sequence[GridItem], settings: Settings
) -> list[GridItem]:
    """The items that are not done, were done with other data or another model, or whose files are
    damaged, which a warning says; their state is reset.
    """
    todo = []
    for item in items:
        home = item_folder(folder, item)
        try:
            digest = digest_of(item.values, data_digests(item.values, settings), settings)
        except (KgnbError, OSError):  # its own report says what is wrong with its data
            digest = ""
        before, damaged = read_state(home), damage(home)
        if damaged:
            what = f"{home / damaged} is cut or changed; this report runs again"
            warnings.warn(what, Damaged, stacklevel=2)
        elif before.state == "done" and digest and before.digest == digest:
            continue
        ItemState(grid.report, dict(item.values), digest).save(home)
        todo.append(item)
    return todo


def _run_here(
    folders: Sequence[Path], width: int, settings: Settings, count: Callable[[bool], None]
) -> None:
    line, running = as_line(settings), Running()
    with on_signals(running.stop_for), ThreadPoolExecutor(width) as pool:
        futures: list[Future[bool]] = [
            pool.submit(attempt, folder, line, running, TRIES) for folder in folders
        ]
        try:
            for future in as_completed(futures):
                count(future.result())
        except BaseException:
            running.stop()
            for future in futures:
                future.cancel()
            raise
    if running.signal:
        raise Interrupted(running.signal)


PATIENCE = 30  # seconds that running items may take to stop


def run_on_dask(
    address: str,
    folders: Sequence[Path],
    settings: Settings,
    tries: int,
    count: Callable[[bool], None],
    patience: float = START,
) -> int:
    """Run the items in these folders on the workers of a Dask cluster; returns how many ran at
    once.

    Workers see the sweep's folder under the same path, and run every item in a process of its own.
    The limits a minute are divided among machines by their threads. If a worker is lost, its items
    run again elsewhere; what was done stays done, and an item that takes several workers down with
    it has failed. ``patience``: see ``dask_client``.

    Raises:
        ValueError: the address is malformed.
        ConfigError: distributed is not installed, or a worker lacks kgnb, has another Python or
            does not see a folder.
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
                _on_worker,
                str(folder.resolve()),
                line,
                tries,
                shares,
                key=f"kgnb-{folder.resolve()}",
                pure=False,
            ): folder
            for folder in folders
        }
        try:
            with on_signals():
                for future in _completed(
                    import_module("distributed").as_completed(list(futures)), client, address
                ):
                    count(_ended(future, futures[future], address))
        except BaseException:
            client.cancel(list(futures))
            client.run(_stop)
            _wait_for(folders)
            raise
    return max(1, sum(threads.values()))


def shares_of(threads: Mapping[str, int]) -> dict[str, float]:
    """Each machine's share of all threads, by host.

    >>> shares_of({"tcp://10.0.0.1:40001": 1, "tcp://10.0.0.1:40002": 2, "tcp://10.0.0.2:40001": 1})
    {'10.0.0.1': 0.75, '10.0.0.2': 0.25}
    """
    counts: Counter[str] = Counter()
    for worker, number in threads.items():
        counts[urlsplit(worker).hostname or worker] += number
    return {host: number / max(1, counts.total()) for host, number in counts.items()}


def _completed(futures: Any, client: Any, address: str) -> Iterator[Any]:
    """The futures as they end; BackendError once there has been no worker for a while."""
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
            raise BackendError(
                f"the Dask scheduler at {address} has no worker left", service=address, fix=fix
            )


def _ended(future: Any, folder: Path, address: str) -> bool:
    """Whether the item is done; the state of one that took its workers down is written here."""
    if future.status == "finished":
        return bool(future.result())
    if future.status != "error":
        raise BackendError(
            f"the Dask scheduler at {address} was lost",
            service=address,
            fix="Start it, and kgnb resume the sweep.",
        )
    state = read_state(folder)
    if state.state not in ("done", "failed"):
        error = future.exception()
        line = str(error).partition("\n")[0]
        replace(
            state, state="failed", error=f"its worker was lost: {type(error).__name__}: {line}"
        ).save(folder)
    return state.state == "done"


def _wait_for(folders: Sequence[Path]) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and any(
        read_state(folder).state == "running" for folder in folders
    ):
        time.sleep(0.2)


# On the workers: the items that run in this process, which may have several threads.
_here: list[Running] = []


def _on_worker(folder: str, line: str, tries: int, shares: Mapping[str, float]) -> bool:
    host = urlsplit(import_module("distributed").get_worker().address).hostname
    settings, share = from_text(line).settings, shares.get(host or "", 1.0)
    settings = settings.with_(
        requests_per_minute=settings.requests_per_minute * share,
        tokens_per_minute=settings.tokens_per_minute * share,
    )
    running = Running()
    _here.append(running)
    try:
        return attempt(Path(folder), as_line(settings), running, tries)
    finally:
        _here.remove(running)


def _stop() -> None:
    for running in list(_here):
        running.stop()
