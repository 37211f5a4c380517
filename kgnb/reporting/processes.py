"""Item processes: started, told their settings, and stopped together."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from kgnb.reporting.forks import ForkedItem, Forks
from kgnb.reporting.session import Session, as_text
from kgnb.settings import Settings

Process: TypeAlias = "subprocess.Popen[str] | ForkedItem"


def as_line(settings: Settings) -> str:
    """Settings as the first line an item's process reads; they name secrets and hold none."""
    return as_text(Session(Path(), settings)) + "\n"


@dataclass
class Running:
    """The processes under way, forked by ``forks`` if there is such. Once stopped, none is started any more."""

    forks: Forks | None = None
    stopped: bool = False
    signal: int = 0
    _processes: set[Process] = field(default_factory=set)

    def run(self, folder: Path, line: str) -> tuple[int, str]:
        """Run the item in ``folder`` to its end: its exit status and the last line it said, 0 where it was not begun.

        It is in a process group of its own, so that a Ctrl-C reaches it once, through ``stop``.
        """
        if self.stopped:
            return 130, "stopped"
        process = self._start(folder)
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
        if self.forks:
            self.forks.stop()
        for process in list(self._processes):
            process.terminate()

    def _start(self, folder: Path) -> Process:
        if self.forks and self.forks.alive:
            forked = self.forks.item(folder)
            if forked.pid:
                return forked
        return subprocess.Popen(
            [sys.executable, "-m", "kgnb.reporting.item", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
