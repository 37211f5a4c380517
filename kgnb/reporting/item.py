"""One report run in a process of its own: ``python -m kgnb.reporting.item FOLDER``, as sweeps start
it.

The first line of standard input holds the settings (which name secrets, but hold none). The stream
then stays open: when it ends, the parent process is gone, and the report is cancelled in order.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from typing import Literal as OneOf

from kgnb.errors import DataError, KgnbError, Waiting
from kgnb.files import Claim, write_json
from kgnb.reporting.session import (
    Interrupted,
    ReportSession,
    alive,
    as_text,
    from_text,
    read_json,
    read_ledger,
)
from kgnb.settings import Settings

State = OneOf["not run", "running", "waiting", "done", "failed", "cancelled"]
FILE = "item.json"
PATIENCE = 30.0  # seconds to wait for an earlier process that is stopping


@dataclass(frozen=True)
class ItemState:
    """The state of one item of a sweep; ``digest`` is of its parameters, data and model,
    ``metrics`` of the ``metrics.json`` of one that is done.
    """

    report: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    digest: str = ""
    state: State = "not run"
    attempts: int = 0
    error: str = ""
    process: int = 0
    host: str = ""
    metrics: str = ""

    def save(self, folder: Path) -> None:
        """Write it to the item's folder."""
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / FILE, asdict(self))


def read_state(folder: Path) -> ItemState:
    """The state in a folder, "not run" where there is none.

    An item whose process on this machine is gone is "cancelled", not "running".
    """
    state = read_json(folder / FILE, ItemState) or ItemState()
    gone = state.host == socket.gethostname() and not alive(state.process)
    return replace(state, state="cancelled") if state.state == "running" and gone else state


def metrics_digest(folder: Path) -> str:
    """The SHA-256 of a report's ``metrics.json``; "" where there is none."""
    path = folder / "metrics.json"
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def damage(folder: Path) -> str:
    """Which file of an item in this folder is not as it was left, "" if none is."""
    if (folder / FILE).exists() and read_json(folder / FILE, ItemState) is None:
        return FILE
    state = read_state(folder)
    changed = state.state == "done" and state.metrics and metrics_digest(folder) != state.metrics
    return "metrics.json" if changed else ""


def main(folder: Path) -> int:
    """Run the report of this item; returns 0 if it is done or waiting, 1 if it failed, 130 or 143
    if it was stopped.
    """
    from kgnb.reporting.report import run_report

    settings = from_text(sys.stdin.readline()).settings
    threading.Thread(target=_watch, daemon=True).start()
    state = read_state(folder)
    if not state.report:
        print(f"there is no item in {folder}", file=sys.stderr)
        return 1
    _wait_for(folder)
    state = replace(
        state,
        state="running",
        attempts=state.attempts + 1,
        process=os.getpid(),
        host=socket.gethostname(),
        error="",
    )
    state.save(folder)
    try:
        run_report(state.report, state.values, folder, settings)
    except Waiting as error:  # not a failure: the replies of its batch: model are still to come
        replace(state, state="waiting", error=error.what).save(folder)
        return 0
    except (KgnbError, ValueError, OSError) as error:
        what = error.what if isinstance(error, KgnbError) else str(error)
        replace(state, state="failed", error=what.partition("\n")[0]).save(folder)
        return 1
    except KeyboardInterrupt as error:
        replace(state, state="cancelled", error=str(error)).save(folder)
        return 128 + (error.signal if isinstance(error, Interrupted) else signal.SIGINT)
    replace(state, state="done", metrics=metrics_digest(folder)).save(folder)
    return 0


def _watch() -> None:
    while sys.stdin.readline():
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _wait_for(folder: Path) -> None:
    """Wait for a process of a killed sweep that may still be cancelling its report."""
    end = time.monotonic() + PATIENCE
    while _busy(folder) and time.monotonic() < end:
        time.sleep(0.2)


def _busy(folder: Path) -> bool:
    """Whether another process still writes its report there."""
    from kgnb.reporting.report import PAGE

    try:
        with Claim(folder / PAGE) as claim:
            ledger = read_ledger(folder)
            return not claim.held and ledger is not None and ledger.state == "running"
    except DataError:
        return True


def _stop(number: int, frame: object) -> None:
    raise KeyboardInterrupt(f"stopped by {signal.Signals(number).name}")


if __name__ == "__main__":
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # as in kgnb.cli: seconds a start
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    sys.exit(main(Path(sys.argv[1])))


def as_line(settings: Settings) -> str:
    """Settings as the first line that an item's process reads."""
    return as_text(ReportSession(Path(), settings)) + "\n"


@dataclass
class Running:
    """The running processes. Once stopped, no more are started."""

    stopped: bool = False
    signal: int = 0
    _processes: set[subprocess.Popen[str]] = field(default_factory=set)

    def run(self, folder: Path, line: str) -> tuple[int, str]:
        """Run the item in ``folder`` to its end: its exit status and the last line of its standard
        error.

        It has a process group of its own, so that Ctrl-C reaches it once, through ``stop``.
        """
        if self.stopped:
            return 130, "stopped"
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "kgnb.reporting.item", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert process.stdin and process.stderr
        self._processes.add(process)
        try:
            with suppress(BrokenPipeError):  # it ended at once; its exit status says why
                process.stdin.write(line)
                process.stdin.flush()
            if self.stopped:
                process.terminate()
            lines = process.stderr.read().strip().splitlines()
            return process.wait(), lines[-1] if lines else ""
        finally:
            self._processes.discard(process)
            process.stderr.close()
            with suppress(BrokenPipeError):
                process.stdin.close()

    def stop_for(self, number: int) -> None:
        """Stop because of this signal."""
        self.signal = number
        self.stop()

    def stop(self) -> None:
        """Ask every process to end in order; safe in a signal handler."""
        self.stopped = True
        for process in list(self._processes):
            process.terminate()


def attempt(home: Path, line: str, running: Running, tries: int) -> bool:
    """Run one item until it is done or waiting, at most so many times; returns whether it is."""
    if read_state(home).state == "done":  # by a worker that was lost before it could say so
        return True
    for _ in range(tries):
        status, last = running.run(home, line)
        state = read_state(home)
        if status == 0 and state.state in ("done", "waiting"):
            return True
        if running.stopped:
            return False
        if state.state != "failed":  # it was killed before it could write its state
            why = (
                f"its process was ended by signal {-status}"
                if status < 0
                else last or f"its process ended: {status}"
            )
            replace(state, state="failed", error=why).save(home)
    return False
