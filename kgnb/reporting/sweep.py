"""Sweeps: every combination of a grid as a report run of its own, in its own process and folder, resumable.

A sweep's folder holds ``sweep.json`` (what to run), ``items/<digest of the values>/`` (a report's folder, with its
state in ``item.json``), and ``comparison.html`` and ``comparison.json``. What is done is not run again; what was cut
short is, and finds its paid replies in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from kgnb.errors import DataError, KgnbError, Waiting
from kgnb.files import from_json, write_json
from kgnb.reporting.compare import write_comparison
from kgnb.reporting.comparing import compare_items
from kgnb.reporting.grid import Grid, GridItem, as_yaml, grid_of, part_of, read_grid
from kgnb.reporting.item import ItemState, Running, as_line, attempt, read_state
from kgnb.reporting.report import REPORTS, data_digests, digest_of
from kgnb.reporting.scan import known_secrets, redact
from kgnb.reporting.session import Interrupted, on_signals
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
    width = len(todo)
    try:
        if todo and scheduler:
            from kgnb.reporting.on_dask import run_on_dask

            width = run_on_dask(
                scheduler,
                [item_folder(folder, item) for item in todo],
                settings,
                TRIES,
                _counter(on_item, len(items), len(items) - len(todo)),
            )
        elif todo:
            width = min(workers, len(todo))
            _run_here(folder, todo, width, settings, _counter(on_item, len(items), len(items) - len(todo)))
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
    counts: dict[str, int] = {}
    for item in grid.items:
        state = _state(folder, item)
        counts[state] = counts.get(state, 0) + 1
    return counts


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


def _run_here(
    folder: Path, items: Sequence[GridItem], width: int, settings: Settings, told: Callable[[bool], None]
) -> None:
    line, running = as_line(settings), Running()
    with (
        on_signals(running.stop_for),
        ThreadPoolExecutor(width) as pool,
    ):
        futures: list[Future[bool]] = [
            pool.submit(attempt, item_folder(folder, item), line, running, TRIES) for item in items
        ]
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
