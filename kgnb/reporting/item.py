"""One report run in a process of its own: ``python -m kgnb.reporting.item FOLDER``, as sweeps start it.

The first line of standard input holds the settings (they name secrets and hold none). The stream then stays open: when
it ends, whoever started this process is gone, and the report is cancelled in order.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from typing import Literal as OneOf

from kgnb.errors import KgnbError, Waiting
from kgnb.files import from_json, write_json
from kgnb.reporting.ledger import alive, read_ledger

State = OneOf["not run", "running", "waiting", "done", "failed", "cancelled"]
FILE = "item.json"
PATIENCE = 30.0  # seconds to wait for a process that is just closing its books


@dataclass(frozen=True)
class ItemState:
    """How far one item of a sweep has come; ``digest`` is of its parameters, data and model."""

    report: str
    values: Mapping[str, Any]
    digest: str
    state: State = "not run"
    attempts: int = 0
    error: str = ""
    process: int = 0
    host: str = ""

    def save(self, folder: Path) -> None:
        """Write it to the item's folder."""
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / FILE, asdict(self))


def read_state(folder: Path) -> ItemState | None:
    """The state in a folder, or None; "running" in a process of this machine that is gone reads as "cancelled"."""
    try:
        state = ItemState(**from_json((folder / FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    gone = state.host == socket.gethostname() and not alive(state.process)
    return replace(state, state="cancelled") if state.state == "running" and gone else state


def main(folder: Path) -> int:
    """Run the report of this item; 0: it is done, or waits for replies, 1: it failed, 130 or 143: it was stopped."""
    from kgnb.reporting.report import run_report
    from kgnb.reporting.session import from_text
    from kgnb.reporting.stopping import Interrupted

    settings = from_text(sys.stdin.readline()).settings
    threading.Thread(target=_watch, daemon=True).start()
    state = read_state(folder)
    if state is None:
        print(f"there is no item in {folder}", file=sys.stderr)
        return 1
    _wait_for(folder)
    state = replace(
        state, state="running", attempts=state.attempts + 1, process=os.getpid(), host=socket.gethostname(), error=""
    )
    state.save(folder)
    try:
        run_report(state.report, state.values, folder, settings)
    except Waiting as error:  # no failure: the replies of its batch: model are still to come
        replace(state, state="waiting", error=error.what).save(folder)
        return 0
    except (KgnbError, ValueError, OSError) as error:
        said = error.what if isinstance(error, KgnbError) else str(error)
        replace(state, state="failed", error=said.partition("\n")[0]).save(folder)
        return 1
    except KeyboardInterrupt as error:
        replace(state, state="cancelled", error=str(error)).save(folder)
        return 128 + (error.signal if isinstance(error, Interrupted) else signal.SIGINT)
    replace(state, state="done").save(folder)
    return 0


def _watch() -> None:
    while sys.stdin.readline():
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _wait_for(folder: Path) -> None:
    """A process of a sweep that was killed may still be cancelling its report."""
    end = time.monotonic() + PATIENCE
    while (ledger := read_ledger(folder)) and ledger.state == "running" and time.monotonic() < end:
        time.sleep(0.2)


def _stop(number: int, frame: object) -> None:
    raise KeyboardInterrupt(f"stopped by {signal.Signals(number).name}")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    sys.exit(main(Path(sys.argv[1])))
