"""Item processes: started, told their settings, and stopped together."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from kgnb.reporting.item import read_state
from kgnb.reporting.session import ReportSession, as_text
from kgnb.settings import Settings


def as_line(settings: Settings) -> str:
    """Settings as the first line an item's process reads; they name secrets and hold none."""
    return as_text(ReportSession(Path(), settings)) + "\n"


@dataclass
class Running:
    """The processes under way. Once stopped, none is started any more."""

    stopped: bool = False
    signal: int = 0
    _processes: set[subprocess.Popen[str]] = field(default_factory=set)

    def run(self, folder: Path, line: str) -> tuple[int, str]:
        """Run the item in ``folder`` to its end: its exit status and the last line it said, 0 where it was not begun.

        It is in a process group of its own, so that a Ctrl-C reaches it once, through ``stop``.
        """
        if self.stopped:
            return 130, "stopped"
        process = subprocess.Popen(
            [sys.executable, "-m", "kgnb.reporting.item", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert process.stdin and process.stderr
        self._processes.add(process)
        try:
            with suppress(BrokenPipeError):  # it ended at once; its status says why
                process.stdin.write(line)
                process.stdin.flush()
            if self.stopped:
                process.terminate()
            said = process.stderr.read().strip().splitlines()
            return process.wait(), said[-1] if said else ""
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
    """Run one item until it is done, at most so many times; whether it is."""
    before = read_state(home)
    if before and before.state == "done":  # by a worker that was lost before it could say so
        return True
    for _ in range(tries):
        status, said = running.run(home, line)
        state = read_state(home)
        if status == 0 and state and state.state in ("done", "waiting"):
            return True
        if running.stopped:
            return False
        if state and state.state != "failed":  # it was killed before it could say so
            why = f"its process was ended by signal {-status}" if status < 0 else said or f"its process ended: {status}"
            replace(state, state="failed", error=why).save(home)
    return False
