"""Item processes forked from one that has imported everything, so that a report begins at once.

What a report and its kernel import takes either of them seconds of processor time: more than many a report itself. A
sweep pays that once: ``python -m kgnb.reporting.forks`` imports, starts no thread, and forks itself into an item, and
the item into its kernel, as often as it is asked to. Linux only; elsewhere every item starts from nothing.
"""

from __future__ import annotations

import ast
import gc
import importlib
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import nbformat

from kgnb.reporting import item
from kgnb.reporting.kernel import WaitingKernel, waiting

POSSIBLE = sys.platform == "linux"
ALWAYS = ("kgnb.reporting.report", "ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell")
OURS = ("matplotlib.figure", "matplotlib.backends.backend_svg", "kgnb.backends", "kgnb.vectors.qdrant_index")
MODEL = ("kgnb.llm.openai_model", "openai", "openai.resources.chat")
LONGEST = 65_536  # bytes of a path


class ForkedItem:
    """An item's process, as ``subprocess.Popen`` would show it; it is a grandchild of the process that forks."""

    def __init__(self, folder: Path, to: socket.socket) -> None:
        ends = [os.pipe() for _ in range(3)]
        (theirs_in, ours_in), (ours_said, theirs_said), (ours_told, theirs_told) = ends
        self.stdin: IO[str] = os.fdopen(ours_in, "w", encoding="utf-8")
        self.stderr: IO[str] = os.fdopen(ours_said, encoding="utf-8", errors="replace")
        self._told: IO[str] = os.fdopen(ours_told, encoding="utf-8")
        try:
            with suppress(OSError):  # whoever forks is gone; reading its word below tells
                socket.send_fds(to, [os.fsencode(folder.resolve())], [theirs_in, theirs_said, theirs_told])
        finally:
            for end in (theirs_in, theirs_said, theirs_told):
                os.close(end)
        self.pid = int(self._told.readline() or 0)
        self._status: int | None = None if self.pid else -signal.SIGKILL

    def terminate(self) -> None:
        """Ask it to end in order."""
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def wait(self) -> int:
        """Its exit status, once it has ended; the signal that ended it is negative."""
        if self._status is None:
            said = self._told.readline()
            self._status = int(said) if said else -signal.SIGKILL
        self._told.close()
        return self._status


class Forks:
    """The process that forks items; ``modules`` are what it imports beforehand."""

    def __init__(self, modules: Sequence[str] = ()) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "kgnb.reporting.forks", str(theirs.fileno()), *modules],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )

    def item(self, folder: Path) -> ForkedItem:
        """A process for the item in this folder."""
        return ForkedItem(folder, self._socket)

    @property
    def alive(self) -> bool:
        """Whether it still forks."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Fork no more; what it has forked goes on. Safe in a signal handler."""
        self._process.terminate()

    def close(self) -> None:
        """Let go of it."""
        self._socket.close()
        self._process.terminate()
        self._process.wait()


def modules_of(notebook: Path, model: bool) -> tuple[str, ...]:
    """What a report's notebook will import of ours, and what that brings along only when it is used."""
    found: dict[str, None] = {}
    with suppress(OSError, ValueError):
        for cell in nbformat.read(notebook, as_version=4).cells:  # type: ignore[no-untyped-call]
            if cell.cell_type == "code":
                found |= dict.fromkeys(_imported(cell.source))
    agents = any(name.startswith("kgnb.reporting.") and name != "kgnb.reporting.session" for name in found)
    return (*found, *(OURS if agents else ()), *(MODEL if agents and model else ()))


def _imported(source: str) -> Iterator[str]:
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a magic; nothing is lost but a little time
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "kgnb":
            yield from (node.module, *(f"{node.module}.{name.name}" for name in node.names))


def main(descriptor: int, modules: Sequence[str]) -> None:
    """Import, then fork whenever the other end of the socket asks, until it is closed."""
    for name in (*ALWAYS, *modules):
        with suppress(ImportError):  # a name that is no module, or one that the report itself will stumble over
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # what all share stays shared
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who keep the items
    with socket.socket(fileno=descriptor) as asked:
        while True:
            folder, ends, _, _ = socket.recv_fds(asked, LONGEST, 3)
            if not folder:
                return
            if os.fork() == 0:
                asked.detach()
                os.close(descriptor)
                _keep(Path(os.fsdecode(folder)), *ends)
            for end in ends:
                os.close(end)


def _keep(folder: Path, given: int, said: int, told: int) -> None:
    """Fork the item, tell its number and then how it ended; whoever asked cannot wait for a grandchild itself."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    number = os.fork()
    if number == 0:
        os.close(told)
        _become(folder, given, said)
    for end in (given, said):
        os.close(end)
    with suppress(BrokenPipeError):
        os.write(told, f"{number}\n".encode())
        _, status = os.waitpid(number, 0)
        os.write(told, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _become(folder: Path, given: int, said: int) -> None:
    """Be the item's process, with a kernel forked while there is still one thread."""
    status = 1
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for end, place in ((given, 0), (nowhere, 1), (said, 2)):
            os.dup2(end, place)
            os.close(end)
        waiting.append(WaitingKernel())
        item.listen()
        status = item.main(folder)
    finally:  # whatever it was, it ends here: above is the loop of the process that forks
        if sys.exc_info()[0] is not None:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
