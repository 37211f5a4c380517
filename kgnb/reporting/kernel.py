"""A Jupyter kernel that runs this very Python, whatever kernels are or are not installed."""

from __future__ import annotations

import atexit
import json
import os
import signal
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

NAME = "python3"


class ThisPython(AsyncKernelManager):
    """Starts ``sys.executable`` instead of looking up an installed kernel specification by name.

    A kernel that is ``waiting`` already is taken instead of a new process.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        if waiting:
            self.provisioner = Waited(parent=self, kernel_id="", kernel_spec=self.kernel_spec)

    @property
    def kernel_spec(self) -> KernelSpec:
        """The specification of a kernel in this Python's environment."""
        return KernelSpec(
            argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=40"],
            display_name="Python 3",
            language="python",
        )


class WaitingKernel:
    """A kernel's process, forked from one that has imported what it needs, and told later what to be.

    It shows what ``subprocess.Popen`` would. Fork it while this process has one thread. If it is never told, it ends
    with this process.
    """

    stdin = stdout = stderr = None

    def __init__(self) -> None:
        heard, self._tell = os.pipe()
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._tell)
            _wait(heard)
        os.close(heard)

    def tell(self, words: Sequence[str], environment: Mapping[str, str]) -> None:
        """What it shall be: an ipykernel with these arguments."""
        with os.fdopen(self._tell, "w", encoding="utf-8") as told:
            told.write(json.dumps([list(words), dict(environment)]))

    def poll(self) -> int | None:
        """Its exit status, or None."""
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if ended else None
        return self.returncode

    def wait(self) -> int:
        """Its exit status, once it has ended."""
        if self.returncode is None:
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it is there."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)


waiting: list[WaitingKernel] = []
"""A kernel forked for the report of this process, if any."""


class Waited(LocalProvisioner):
    """Launches the kernel that is waiting, and any other one after it as usual."""

    async def launch_kernel(self, cmd: list[str], **given: Any) -> Any:
        """Tell the waiting kernel its connection file."""
        if not waiting:
            return await super().launch_kernel(cmd, **given)
        kernel = waiting.pop()
        words = cmd[cmd.index("-m") + 2 :]
        # so that it ends by itself when this process is gone; the environment variable was read when it was imported
        kernel.tell([*words, f"--IPKernelApp.parent_handle={os.getpid()}"], given["env"])
        self.process: Any = kernel
        self.pid = self.pgid = kernel.pid
        return self.connection_info


def _wait(heard: int) -> None:
    try:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        with os.fdopen(heard, encoding="utf-8") as told, suppress(KeyboardInterrupt):
            if said := told.read():
                words, environment = json.loads(said)
                os.environ.clear()
                os.environ.update(environment)
                sys.argv = ["ipykernel_launcher", *words]
                from ipykernel.kernelapp import IPKernelApp

                IPKernelApp.launch_instance(words)
    finally:  # whatever it was, it ends here: above is the process that this one was forked from
        if sys.exc_info()[0] not in (None, SystemExit):
            traceback.print_exc()
        atexit._run_exitfuncs()
        sys.stderr.flush()
        os._exit(0)
