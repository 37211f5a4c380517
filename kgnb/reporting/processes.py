"""Item processes: started, told their settings, and stopped together."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from kgnb.reporting.session import Session, as_text
from kgnb.settings import Settings

PATIENCE = 60  # seconds a stopped report may take to save what it has


def as_line(settings: Settings) -> str:
    """Settings as the first line an item's process reads; they name secrets and hold none."""
    return as_text(Session(Path(), settings)) + "\n"


@dataclass
class Running:
    """The processes under way. Once stopped, none is started any more."""

    stopped: bool = False
    signal: int = 0
    _processes: set[subprocess.Popen[str]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

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

    def stop(self) -> None:
        """Ask every process to end in order; safe in a signal handler."""
        self.stopped = True
        for process in list(self._processes):
            if process.poll() is None:
                process.terminate()
