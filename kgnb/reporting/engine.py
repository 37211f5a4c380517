"""Runs the cells of a report's notebook; the notebook and its ledger on disk are true at every
moment.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

from kgnb.errors import KgnbError
from kgnb.files import write_whole
from kgnb.reporting.scan import redact
from kgnb.reporting.session import ANNOUNCED, Cell, Ledger, State

START_TIMEOUT = 120  # seconds a kernel may take to start on a busy machine
STATUS = {
    "ran": "completed",
    "not run": "pending",
}  # our states that papermill, whose viewers read them, calls by another name


class ThisPython(AsyncKernelManager):
    """Starts ``sys.executable`` instead of looking up an installed kernel specification by name."""

    @property
    def kernel_spec(self) -> KernelSpec:
        """The specification of a kernel in this Python's environment."""
        return KernelSpec(
            argv=[
                sys.executable,
                "-P",  # no module of the working folder takes the place of the kernel's
                "-m",
                "ipykernel_launcher",
                "-f",
                "{connection_file}",
                "--log-level=50",
            ],
            display_name="Python 3",
            language="python",
        )


class ReportClient(NotebookClient):
    """Runs the cells in order, stops at the first that fails, and saves notebook and ledger before
    and after each.

    ``on_announcement`` is called with each line that a cell announces while it runs (see
    ``session.tell``).
    """

    def __init__(
        self,
        notebook: Any,
        path: Path,
        ledger: Ledger,
        secrets: tuple[str, ...],
        on_announcement: Callable[[str], object] | None = None,
        *,
        ours: bool = False,
    ) -> None:
        super().__init__(notebook, km=ThisPython(), timeout=None, startup_timeout=START_TIMEOUT)
        if ours:  # a notebook of the user's may import what lies beside it
            self.extra_arguments = ["--InteractiveShellApp.ignore_cwd=True"]
        self.path, self.ledger, self.secrets, self.on_announcement = (
            path,
            ledger,
            secrets,
            on_announcement,
        )
        self._clean: set[int] = set()  # places of cells that hold no secret any more
        ledger.cells = {
            number: Cell(number, redact(cell.source.strip().partition("\n")[0], secrets))
            for number, cell in enumerate(notebook.cells, 1)
            if cell.cell_type == "code"
        }

    def run(self, setup: str) -> None:
        """Run all cells, after the code ``setup``, which leaves no trace in the notebook.

        Raises:
            CellExecutionError, DeadKernelError: a cell failed; the ledger says which.
            KgnbError: ``setup`` failed.
        """
        self.save()
        self.reset_execution_trackers()
        try:
            with self.setup_kernel(cleanup_kc=True):
                self._prepare(setup)
                try:
                    for number in self.ledger.cells:
                        self._run(number)
                finally:
                    self.set_widgets_metadata()
        finally:
            self._clean.clear()  # a later cell may have changed what an earlier one displays
            self.save()

    def save(self) -> None:
        """Write notebook and ledger without secrets."""
        for number, cell in self.ledger.cells.items():
            metadata = self.nb.cells[number - 1].metadata
            metadata["kgnb"] = {"state": cell.state}
            metadata["papermill"] = {
                "status": STATUS.get(cell.state, cell.state),
                "exception": cell.state == "failed",
            }
        about = redact(
            {name: value for name, value in self.nb.items() if name != "cells"}, self.secrets
        )
        cells = [
            cell if at in self._clean else redact(cell, self.secrets)
            for at, cell in enumerate(self.nb.cells)
        ]
        text = nbformat.writes(nbformat.from_dict(about | {"cells": cells}))  # type: ignore[no-untyped-call]
        write_whole(self.path, text + "\n")
        self.ledger.save()

    def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
        """Take in a message of the kernel; announcements go to ``on_announcement``, not into the
        notebook.
        """
        content = msg["content"]
        if (
            msg["msg_type"] == "stream"
            and content["name"] == "stderr"
            and ANNOUNCED in content["text"]
        ):
            lines = content["text"].splitlines(keepends=True)
            for line in lines:
                if self.on_announcement and line.startswith(ANNOUNCED):
                    self.on_announcement(
                        redact(line.removeprefix(ANNOUNCED).rstrip(), self.secrets)
                    )
            content["text"] = "".join(line for line in lines if not line.startswith(ANNOUNCED))
            if not content["text"]:
                return None
        return super().process_message(msg, cell, cell_index)

    def _prepare(self, setup: str) -> None:
        kernel: Any = self.kc
        reply: Any = self.wait_for_reply(kernel.kernel_info())
        self.nb.metadata["language_info"] = reply["content"]["language_info"]
        reply = self.wait_for_reply(kernel.execute(setup, store_history=False))
        content = reply["content"]
        if content["status"] != "ok":
            raise KgnbError(
                f"the report's kernel could not be set up: {content.get('ename')}: {content.get('evalue')}",
                fix="Is kgnb installed in the Python that runs this command?",
            )

    def _run(self, number: int) -> None:
        """Run one cell and keep the ledger, however it ends."""
        cell, begun = self.nb.cells[number - 1], monotonic()
        self.ledger.mark(number, "running")
        self.save()
        state: State = "cancelled"
        error = ""
        try:
            self.execute_cell(cell, number - 1)
            state = "ran"
        except (CellExecutionError, DeadKernelError) as failure:
            state, error = "failed", redact(_one_line(failure), self.secrets)
            raise
        except KeyboardInterrupt:
            self._interrupt()
            raise
        finally:
            cell.update(redact(cell, self.secrets))
            self._clean.add(number - 1)
            self.ledger.mark(number, state, monotonic() - begun, error)
            self.save()

    def _interrupt(self) -> None:
        """Let the running cell clean up after itself before the kernel is shut down."""
        process = getattr(getattr(self.km, "provisioner", None), "pid", None)
        if process and os.name != "nt":
            os.kill(process, signal.SIGINT)


def _one_line(error: CellExecutionError | DeadKernelError) -> str:
    if isinstance(error, CellExecutionError):
        return f"{error.ename}: {error.evalue}".strip().partition("\n")[0]
    return "the kernel died (out of memory, or ended by the cell)"
