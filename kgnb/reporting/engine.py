"""The papermill engine that runs a report: this Python as kernel, an honest ledger, no secret in what is saved."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import CellExecutionError, DeadKernelError
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import Engine, NotebookExecutionManager, papermill_engines
from traitlets import Instance, Unicode

from kgnb.errors import KgnbError
from kgnb.files import write_whole
from kgnb.reporting.scan import redact
from kgnb.reporting.session import TOLD, Cell, Ledger

NAME = "python3"


class ThisPython(AsyncKernelManager):
    """Starts ``sys.executable`` instead of looking up an installed kernel specification by name."""

    @property
    def kernel_spec(self) -> KernelSpec:
        """The specification of a kernel in this Python's environment."""
        return KernelSpec(
            argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=50"],
            display_name="Python 3",
            language="python",
        )


ENGINE = "kgnb"


class CellKeeper(NotebookExecutionManager):  # type: ignore[misc]  # papermill is untyped
    """papermill's bookkeeping of one run, with the ledger beside it and nothing stamped that did not happen."""

    def __init__(
        self, notebook: Any, path: Path, ledger: Ledger, secrets: tuple[str, ...], about: dict[str, Any]
    ) -> None:
        super().__init__(notebook, output_path=str(path), progress_bar=False)
        self.path = path
        self.ledger = ledger
        self.secrets = secrets
        self._clean: set[int] = set()  # places of cells that hold no secret any more
        notebook.metadata["kgnb"] = about
        for name in ("input_path", "output_path"):  # paths of this machine say nothing to whoever gets the report
            notebook.metadata.papermill[name] = about["report"] + ".ipynb" if name == "input_path" else path.name
        ledger.cells = {
            number: Cell(number, redact(cell.source.strip().partition("\n")[0], secrets))
            for number, cell in enumerate(notebook.cells, 1)
            if cell.cell_type == "code"
        }

    def save(self, **_: object) -> None:
        """Write notebook and ledger, secrets blotted out."""
        for number, cell in self.ledger.cells.items():
            self.nb.cells[number - 1].metadata["kgnb"] = {"state": cell.state}
        about = redact({name: value for name, value in self.nb.items() if name != "cells"}, self.secrets)
        cells = [cell if at in self._clean else redact(cell, self.secrets) for at, cell in enumerate(self.nb.cells)]
        text = nbformat.writes(nbformat.from_dict(about | {"cells": cells}))  # type: ignore[no-untyped-call]
        write_whole(self.path, text + "\n")
        self.ledger.save()
        self.last_save_time = self.now()

    def notebook_complete(self, **_: object) -> None:
        """Close the run; a cell that never ran stays "pending", where papermill would write "completed"."""
        self.end_time = self.now()
        self.nb.metadata.papermill["end_time"] = self.end_time.isoformat()
        self.nb.metadata.papermill["duration"] = (self.end_time - self.start_time).total_seconds()
        self._clean.clear()  # a later cell may have changed what an earlier one displays
        self.save()

    @contextmanager
    def running(self, cell: Any, index: int) -> Iterator[None]:
        """Keep the books on one cell, however it ends."""
        number, begun = index + 1, monotonic()
        if number not in self.ledger.cells:
            yield
            self._blot(cell, index)
            cell.metadata.papermill["status"] = self.COMPLETED
            return
        self.ledger.mark(number, "running")
        self.cell_start(cell, index)
        finished = False
        try:
            yield
            finished = True
            self._blot(cell, index)
            self.ledger.mark(number, "ran", monotonic() - begun)
            self.cell_complete(cell, cell_index=index)
        except (CellExecutionError, DeadKernelError) as error:
            finished = True
            self.ledger.mark(number, "failed", monotonic() - begun, redact(_one_line(error), self.secrets))
            self.cell_exception(cell, cell_index=index)
            self.cell_complete(cell, cell_index=index)
            raise
        finally:
            if not finished:
                self.ledger.mark(number, "cancelled", monotonic() - begun)
                cell.metadata.papermill["status"] = "cancelled"
                self.save()

    def _blot(self, cell: Any, index: int) -> None:
        cell.update(redact(cell, self.secrets))
        self._clean.add(index)


class ReportClient(PapermillNotebookClient):  # type: ignore[misc]  # papermill is untyped
    """Runs the cells in order and stops at the first that fails; an interrupt reaches the kernel first."""

    before = Unicode("", help="code run before the first cell, leaving no trace in the notebook")
    on_told = Instance(object, allow_none=True, help="called with each line told while the report runs")

    def process_message(self, message: Any, cell: Any, cell_index: int) -> Any:
        """Takes in what a kernel says; what is only told meanwhile goes to whoever listens, not into the notebook."""
        content = message["content"]
        if message["msg_type"] == "stream" and content["name"] == "stderr" and TOLD in content["text"]:
            lines = content["text"].splitlines(keepends=True)
            told = [line for line in lines if line.startswith(TOLD)]
            for line in told if self.on_told else ():
                self.on_told(  # type: ignore[operator]  # traitlets has no callable that may be None
                    redact(line.removeprefix(TOLD).rstrip(), self.nb_man.secrets)
                )
            content["text"] = "".join(line for line in lines if line not in told)
            if not content["text"]:
                return None
        return super().process_message(message, cell, cell_index)

    def papermill_execute_cells(self) -> None:
        """Run the cells, each under the keeper's eye."""
        self._prepare()
        for index, cell in enumerate(self.nb.cells):
            try:
                with self.nb_man.running(cell, index):
                    self.execute_cell(cell, index)
            except CellExecutionError:
                return
            except KeyboardInterrupt:
                self._interrupt()
                raise

    def _prepare(self) -> None:
        reply = self.wait_for_reply(self.kc.execute(self.before, store_history=False))
        if reply["content"]["status"] != "ok":
            content = reply["content"]
            raise KgnbError(
                f"the report's kernel could not be set up: {content.get('ename')}: {content.get('evalue')}",
                fix="Is kgnb installed in the Python that runs this command?",
            )

    def _interrupt(self) -> None:
        """Let the running cell clean up after itself before the kernel is shut down."""
        process = getattr(self.km.provisioner, "pid", None)
        if process and os.name != "nt":
            os.kill(process, signal.SIGINT)


class ReportEngine(Engine):  # type: ignore[misc]  # papermill is untyped
    """What ``papermill.execute_notebook(engine_name="kgnb")`` runs."""

    @classmethod
    def execute_notebook(cls, nb: Any, kernel_name: str, output_path: str | None = None, **given: Any) -> Any:
        """Run a notebook that papermill has filled with parameters; ``given`` are ``run_report``'s own arguments."""
        keeper = CellKeeper(nb, given["path"], given["ledger"], given["secrets"], given["about"])
        keeper.notebook_start()
        try:
            ReportClient(
                keeper, km=ThisPython(), before=given["before"], on_told=given["on_told"], timeout=None,
                startup_timeout=given["start_timeout"],
            ).execute(cleanup_kc=True)  # fmt: skip
        finally:
            keeper.notebook_complete()
        return keeper.nb

    @classmethod
    def nb_kernel_name(cls, nb: Any, name: str | None = None) -> str:
        """Always this Python."""
        return NAME

    @classmethod
    def nb_language(cls, nb: Any, language: str | None = None) -> str:
        """Always Python."""
        return "python"


papermill_engines.register(ENGINE, ReportEngine)


def _one_line(error: CellExecutionError | DeadKernelError) -> str:
    if isinstance(error, CellExecutionError):
        return f"{error.ename}: {error.evalue}".strip().partition("\n")[0]
    return "the kernel died (out of memory, or ended by the cell)"
