"""Run a report: find its notebook, check its parameters, run it, and draw the page, whatever happens on the way."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from glob import glob
from pathlib import Path
from time import monotonic
from typing import Any

import nbformat
import papermill
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import CellExecutionError, DeadKernelError
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import Engine, NotebookExecutionManager, papermill_engines
from papermill.exceptions import PapermillExecutionError
from traitlets import Instance, Unicode

from kgnb.datasets import huts
from kgnb.datasets.fetch import data_folder, digest
from kgnb.datasets.oaei import matching_set
from kgnb.datasets.question_sets import files_of
from kgnb.errors import DataError, KgnbError, Waiting
from kgnb.files import from_json, write_json, write_whole
from kgnb.reporting.html import byline_of, page, write_provenance
from kgnb.reporting.parameters import Parameter, Value, assignments, check, read_parameters, typed
from kgnb.reporting.scan import known_secrets, redact, redact_folder
from kgnb.reporting.session import (
    TOLD,
    Cell,
    Ledger,
    ReportRequest,
    ReportSession,
    as_code,
    on_signals,
    read_ledger,
    read_metrics,
)
from kgnb.run.folder import why_partial
from kgnb.run.plain import package_versions
from kgnb.settings import Settings, setting_names

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


def data_files(values: Mapping[str, Value], settings: Settings) -> dict[str, Path]:
    """Every file the parameters name, by a name that says nothing of this machine.

    A text that names a file or folder, or several with commas between or as a pattern, counts wherever it stands; a
    parameter ``dataset`` or ``pair`` counts with all its files, unless ``source`` and ``target`` (or ``folder``,
    ``questions``) take its place. Raises DataError for a data set that is not at hand.
    """
    texts = {name: value for name, value in values.items() if isinstance(value, str) and value}
    named = ((name, text) for name, text in texts.items() if name not in ("dataset", "pair"))
    found = {f"{name}: {file.name}": file for name, text in named for file in _named(text)}
    return dict(sorted((found | _by_place(_of_sets(texts, values, settings))).items()))


def data_digests(values: Mapping[str, Value], settings: Settings) -> dict[str, str]:
    """SHA-256 of every file that ``data_files`` finds."""
    return {name: digest(file) for name, file in data_files(values, settings).items()}


def of_benchmarks(files: Iterable[Path], settings: Settings) -> bool:
    """Whether any of them lies in the folder of benchmark data."""
    if settings.data is None:
        return False
    home = settings.data.resolve()
    return any(file.resolve().is_relative_to(home) for file in files)


def _of_sets(texts: Mapping[str, str], values: Mapping[str, Value], settings: Settings) -> set[Path]:
    own_pair = "source" in texts and "target" in texts
    if "dataset" in texts and "questions" in values:  # the question-answering report's
        return set() if "questions" in texts else set(files_of(texts["dataset"], settings.data))
    if "dataset" in texts and not own_pair:
        cases = matching_set(texts["dataset"], settings.data).cases
        return {file for case in cases for file in (case.source, case.target, case.reference) if file is not None}
    if "pair" in texts and "folder" not in texts and not own_pair:
        if "/" not in texts["pair"]:
            return {huts.path(name) for name in ("hollenmark", "corvane", "entity-reference")}
        name, _, rest = texts["pair"].partition("/")
        return {file for file in (data_folder(name, settings.data) / rest).glob("*") if file.is_file()}
    return set()


def _by_place(files: Iterable[Path]) -> dict[str, Path]:
    """Files by their name and their folder's; by as much of their path as tells them apart."""
    named: dict[str, Path] = {}
    for file in sorted(files):
        parts = 2
        while (name := "/".join(file.parts[-parts:])) in named and parts < len(file.parts):
            parts += 1
        named[name] = file
    return named


def _named(text: str) -> Iterator[Path]:
    """The files of a path, or of several with commas between, patterns among them."""
    whole = list(_files(text))
    for part in [] if whole or not ("," in text or "*" in text) else map(str.strip, text.split(",")):
        for place in sorted(glob(part, recursive=True)) if "*" in part else [part]:
            whole += _files(place)
    yield from whole


def _files(text: str) -> Iterator[Path]:
    try:
        path = huts.path(text[5:]) if text.startswith("huts:") else Path(text)
        if path.is_file():
            yield path
        elif path.is_dir():
            yield from (file for file in sorted(path.rglob("*")) if file.is_file())
    except (OSError, ValueError):  # too long for a path, or no path at all
        return


HERE = Path(__file__).parent
SHELVES = (
    HERE.parent / "notebooks" / "reports",
    HERE.parents[1] / "notebooks" / "reports",
)  # in a wheel; in a checkout
REPORTS = Path("reports")
START_TIMEOUT = 120  # seconds a kernel may take to start on a busy machine


@dataclass(frozen=True)
class Template:
    """A report one can run: its name, the notebook, what it says of itself and its parameters."""

    name: str
    path: Path
    title: str
    summary: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True)
class ReportResult:
    """What a finished report left: its folder, the page, the notebook, its numbers (empty if it wrote none)."""

    folder: Path
    html: Path
    notebook: Path
    metrics: Mapping[str, Any]


class ReportError(KgnbError):
    """A report's notebook did not run to its end: ``folder`` holds what there is, ``ledger`` which cells ran."""

    def __init__(self, what: str, *, folder: Path, ledger: Ledger, fix: str = "") -> None:
        super().__init__(what, fix=fix)
        self.folder = folder
        self.ledger = ledger


def _ours() -> list[Path]:
    shelf = next((shelf for shelf in SHELVES if shelf.is_dir()), None)
    return sorted(shelf.glob("*.ipynb")) if shelf else []


def templates() -> tuple[Template, ...]:
    """The reports that come with kgnb, by name, then those made for agents of other packages."""
    from kgnb.reporting.agent_report import agent_notebooks  # it imports every agent

    return tuple(read_template(path) for path in (*_ours(), *agent_notebooks(Settings.load().cache / "reports")))


def find_template(name: str) -> Template:
    """The report of this name, or the one in this ``.ipynb`` file; ValueError, naming what there is, if none."""
    if path := Path(name) if name.endswith(".ipynb") else next((one for one in _ours() if one.stem == name), None):
        return read_template(path)
    known = {template.name: template for template in templates()}
    if name not in known:
        raise ValueError(
            f"there is no report {name!r}\nThere are: {', '.join(known) or 'none'}; or give a .ipynb file."
        )
    return known[name]


_NO_NOTEBOOK = (  # AssertionError: nbformat's own, of a version that is no number
    *(nbformat.ValidationError, OSError, ValueError, LookupError),
    *(AttributeError, TypeError, AssertionError, RecursionError),
)


def read_template(path: Path) -> Template:
    """A report's notebook; its title and summary are its first heading and the paragraph below."""
    try:
        notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        words = next((cell.source for cell in notebook.cells if cell.cell_type == "markdown"), "")
        title, _, rest = words.strip().partition("\n")
        parameters = read_parameters(notebook, str(path))
    except FileNotFoundError as error:
        raise DataError("there is no such notebook", where=str(path)) from error
    except _NO_NOTEBOOK as error:
        raise DataError("this is no Jupyter notebook", where=str(path), details=str(error)) from error
    return Template(
        name=path.stem,
        path=path,
        title=title.lstrip("# ") or path.stem,
        summary=" ".join(rest.strip().partition("\n\n")[0].split()),
        parameters=parameters,
    )


def run_report(
    name: str,
    parameters: Mapping[str, object] | None = None,
    out: Path | str | None = None,
    settings: Settings | None = None,
    on_cell: Callable[[int, int, str], object] | None = None,
    on_told: Callable[[str], object] | None = None,
) -> ReportResult:
    """Run a report with these parameters (typed values, or texts as on a command line) and say where it landed.

    The folder is ``out``, or ``reports/<name>/<digest of parameters and data>``; running again writes it anew. Raises
    ValueError for a bad parameter, ReportError for a cell that failed (page and notebook are saved all the same) and
    Interrupted on SIGINT or SIGTERM (likewise). ``on_cell`` is told before each code cell: its place, how many there
    are and its first line; ``on_told`` each line that a cell tells meanwhile: what a model is about to cost.
    """
    settings = settings or Settings.load()
    template = find_template(name)
    values = check(template.parameters, parameters or {})
    files = data_files(values, settings)
    data = {told: digest(file) for told, file in files.items()}
    folder = Path(out) if out else REPORTS / template.name / digest_of(values, data, settings)
    _make(folder)
    _claim(folder)
    changed = {entry.name: values[entry.name] for entry in template.parameters if values[entry.name] != entry.default}
    words_of = assignments(changed)
    words = ["kgnb", "report", name, *(word for one in words_of for word in ("-p", one))]
    command = " ".join([*_settings_typed(settings, of_benchmarks(files.values(), settings)), shlex.join(words)])
    title = f"{template.title}: {', '.join(words_of[:3])}" if words_of else template.title
    session = ReportSession(folder.resolve(), settings.with_(remember=False), command, tuple(data.items()))
    about = {
        "report": template.name,
        "command": command,
        "parameters": [_shown(entry, values[entry.name]) for entry in template.parameters],
    }
    secrets = known_secrets(settings)
    ReportRequest(name, values).save(folder, secrets)
    ledger = Ledger(folder, on_cell=on_cell)
    begun = datetime.now(UTC)
    try:
        _execute(template.path, values, folder / "report.ipynb", ledger, session, about, secrets, on_told)
    finally:
        why = mark_partial(folder)
        redact_folder(folder, secrets)
        if (folder / "report.ipynb").is_file():
            byline = redact(byline_of(data, begun.astimezone().date(), settings.author or git_author()), secrets)
            html = page(folder / "report.ipynb", redact(title, secrets), ledger, why, byline)
            write_whole(folder / "report.html", html)
        told = redact({"title": title, "command": command, "values": values}, secrets)
        write_provenance(
            folder, **told, summary=template.summary, report=template.name, data=data, versions=package_versions(),
            ledger=ledger, begun=begun, ended=datetime.now(UTC),
        )  # fmt: skip
    return ReportResult(folder, folder / "report.html", folder / "report.ipynb", read_metrics(folder))


def _execute(
    path: Path,
    values: dict[str, Value],
    saved: Path,
    ledger: Ledger,
    session: ReportSession,
    about: dict[str, Any],
    secrets: tuple[str, ...],
    on_told: Callable[[str], object] | None,
) -> None:
    logging.getLogger("papermill").setLevel(logging.ERROR)  # it warns of every parameter typed Literal[...]
    given = dict(ledger=ledger, path=saved, secrets=secrets, about=about, before=as_code(session), on_told=on_told)
    try:
        with on_signals():
            papermill.execute_notebook(
                str(path).replace("{", "{{").replace("}", "}}"),  # papermill fills in braces of a path
                None,  # the engine saves: papermill would do so before secrets are blotted out
                parameters=values,
                engine_name=ENGINE,
                kernel_name=NAME,
                language="python",
                progress_bar=False,
                start_timeout=START_TIMEOUT,
                **given,
            )
    except (PapermillExecutionError, DeadKernelError) as error:
        failed = next(cell for cell in ledger.cells.values() if cell.state == "failed")
        advice = redact(getattr(error, "evalue", "").strip().partition("\n")[2].strip(), secrets)
        where = f"The cell and its output: {saved.with_name('report.html')}"
        if getattr(error, "ename", "") == Waiting.__name__:
            told = redact(str(getattr(error, "evalue", "")).strip().partition("\n")[0], secrets), advice
            raise Waiting(lambda: told) from error
        raise ReportError(
            f"report {about['report']} failed in cell {failed.number} ({failed.title}): {failed.error}",
            folder=session.folder,
            ledger=ledger,
            fix="\n".join([*filter(None, [advice]), where]),
        ) from error


def digest_of(values: Mapping[str, Value], data: Mapping[str, str], settings: Settings) -> str:
    """Names a report's folder: equal for equal parameters, data, and models behind them."""
    content = [dict(values), dict(data), settings.model, settings.base_url, settings.embedder, settings.embedder_url]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]


def _settings_typed(settings: Settings, benchmarks: bool) -> list[str]:
    """The settings that decide a result and are not at their default, as one would set them; no key is among them."""
    told = {"KGNB_DATA": "DIR"} if benchmarks else {}
    for name in ("model", "base_url", "embedder", "embedder_url"):
        value = getattr(settings, name)
        if value != Settings.model_fields[name].default:
            told[setting_names()[name][1]] = shlex.quote(value)
    return [f"{name}={value}" for name, value in told.items()]


def _shown(parameter: Parameter, value: Value) -> dict[str, Any]:
    told = {"name": parameter.name, "value": typed(value), "help": parameter.help}
    return told | {"changed": value != parameter.default}


def git_author() -> str:
    """The name git gives to what is written here; "" where there is no git, or it knows none."""
    try:
        words = ["git", "config", "--get", "user.name"]
        told = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return " ".join(told.decode(errors="replace").split())


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        fix = "Choose another folder with --out, or make this one writable."
        raise KgnbError(f"{folder} cannot be written: {error.strerror or error}", fix=fix) from error


def _claim(folder: Path) -> None:
    """Refuse a folder that another process is still writing; clear what an earlier run left that would mislead."""
    earlier = read_ledger(folder)
    if earlier is not None and earlier.state == "running":
        raise KgnbError(
            f"{folder} is being written by process {earlier.process}",
            fix="Wait for it, or choose another folder with --out.",
        )
    for name in ("run", "alignments") if earlier is not None else ():
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in ("metrics.json", "timing.json", "report.html", "report.ipynb", "report.pdf"):
        (folder / name).unlink(missing_ok=True)


def mark_partial(folder: Path) -> str:
    """Why the report in a folder is partial ("": it is not); its ``metrics.json`` then says so.

    ``"partial": true`` and ``"partial_reason"`` are written to the metrics, whichever report wrote them.
    """
    why = why_partial(folder / "run")
    path = folder / "metrics.json"
    if why and path.is_file():
        try:
            content = from_json(path.read_text(encoding="utf-8"))
        except ValueError:  # a notebook of one's own may write what it likes
            return why
        if isinstance(content, dict):
            content |= {"partial": True, "partial_reason": why}
            write_json(path, content)
    return why
