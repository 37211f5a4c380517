"""Run a report: find its notebook, check its parameters, run it and draw the page, however the run
ends.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from glob import glob
from pathlib import Path
from typing import Any

import nbformat
from nbclient.exceptions import CellExecutionError, DeadKernelError

from kgnb.datasets import huts
from kgnb.datasets.fetch import data_folder, digest
from kgnb.datasets.oaei import matching_set
from kgnb.datasets.question_sets import files_of
from kgnb.errors import DataError, KgnbError, Waiting
from kgnb.files import Claim, refuse_links, write_json, write_whole
from kgnb.reporting.engine import ReportClient
from kgnb.reporting.html import byline_of, page, write_provenance
from kgnb.reporting.parameters import (
    ReportParameter,
    Value,
    agent_parameters,
    assignments,
    check,
    read_parameters,
    typed,
)
from kgnb.reporting.scan import known_secrets, redact, redact_folder
from kgnb.reporting.session import (
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

INJECTED = "injected-parameters"  # the tag of the cell that sets what was given


def data_files(values: Mapping[str, Value], settings: Settings) -> dict[str, Path]:
    """Every file the parameters name, under names that do not depend on this machine.

    Any text that names a file, a folder, a pattern or several of them separated by commas counts;
    ``dataset`` or ``pair`` with all its files, unless ``source`` and ``target`` (or ``folder``,
    ``questions``) replace it. Raises DataError for a data set that is not available.
    """
    texts = {name: value for name, value in values.items() if isinstance(value, str) and value}
    found = {
        f"{name}: {file.name}": file
        for name, text in texts.items()
        if name not in ("dataset", "pair")
        for file in _named(text)
    }
    return dict(sorted((found | _by_place(_of_sets(texts, values, settings))).items()))


def data_digests(values: Mapping[str, Value], settings: Settings) -> dict[str, str]:
    """SHA-256 of every file that ``data_files`` finds."""
    return {name: digest(file) for name, file in data_files(values, settings).items()}


def of_benchmarks(files: Iterable[Path], settings: Settings) -> bool:
    """Whether any of the files is in the folder of benchmark data."""
    home = settings.data and settings.data.resolve()
    return home is not None and any(file.resolve().is_relative_to(home) for file in files)


def _of_sets(
    texts: Mapping[str, str], values: Mapping[str, Value], settings: Settings
) -> set[Path]:
    own_pair = "source" in texts and "target" in texts
    if "dataset" in texts and "questions" in values:  # the question-answering report's
        return set() if "questions" in texts else set(files_of(texts["dataset"], settings.data))
    if "dataset" in texts and not own_pair:
        cases = matching_set(texts["dataset"], settings.data).cases
        return {
            file
            for case in cases
            for file in (case.source, case.target, case.reference)
            if file is not None
        }
    if "pair" in texts and "folder" not in texts and not own_pair:
        name, slash, rest = texts["pair"].partition("/")
        if not slash:
            return {huts.path(name) for name in ("hollenmark", "corvane", "entity-reference")}
        return {
            file for file in (data_folder(name, settings.data) / rest).glob("*") if file.is_file()
        }
    return set()


def _by_place(files: Iterable[Path]) -> dict[str, Path]:
    """Files under their own and their folder's name, or as much of their path as it takes to tell
    them apart.
    """
    named: dict[str, Path] = {}
    for file in sorted(files):
        parts = 2
        while (name := "/".join(file.parts[-parts:])) in named and parts < len(file.parts):
            parts += 1
        named[name] = file
    return named


def _named(text: str) -> Iterator[Path]:
    """The files of a path, a pattern, or several of them separated by commas."""
    whole = list(_files(text))
    yield from whole
    for part in (
        map(str.strip, text.split(",")) if not whole and ("," in text or "*" in text) else ()
    ):
        for place in sorted(glob(part, recursive=True)) if "*" in part else [part]:
            yield from _files(place)


def _files(text: str) -> Iterator[Path]:
    try:
        path = huts.path(text[5:]) if text.startswith("huts:") else Path(text)
        if path.is_file():
            yield path
        elif path.is_dir():
            yield from (file for file in sorted(path.rglob("*")) if file.is_file())
    except (OSError, ValueError):  # too long for a path, or not a path
        return


PACKAGE = Path(__file__).parents[1]
SHELVES = (
    PACKAGE / "notebooks" / "reports",
    PACKAGE.parent / "notebooks" / "reports",
)  # in a wheel; in a checkout
REPORTS = Path("reports")
PAGE = "report.html"
DATA_SETS = ("dataset", "pair")  # not shown where data of one's own takes their place
OWN_DATA = ("source", "folder", "questions")


@dataclass(frozen=True)
class Template:
    """A report that can be run: its notebook, with the title, summary and parameters found in it."""

    name: str
    path: Path
    title: str
    summary: str
    parameters: tuple[ReportParameter, ...]


@dataclass(frozen=True)
class ReportResult:
    """The files of a finished report, and its ``metrics.json`` (empty if it wrote none)."""

    folder: Path
    html: Path
    notebook: Path
    metrics: Mapping[str, Any]


class ReportError(KgnbError):
    """A cell failed: ``folder`` holds what was written until then, ``ledger`` says which cells ran."""

    def __init__(self, what: str, *, folder: Path, ledger: Ledger, fix: str = "") -> None:
        super().__init__(what, fix=fix)
        self.folder = folder
        self.ledger = ledger


def _ours() -> list[Path]:
    return sorted(path for shelf in SHELVES for path in shelf.glob("*.ipynb"))


def templates() -> tuple[Template, ...]:
    """The reports that come with kgnb, by name, then those generated for agents of other packages."""
    from kgnb.reporting.agent_report import agent_notebooks  # imports every agent

    return tuple(
        read_template(path)
        for path in (*_ours(), *agent_notebooks(Settings.load().cache / "reports"))
    )


def find_template(name: str) -> Template:
    """The report of this name, or the one in this ``.ipynb`` file; ValueError lists the reports if
    there is none.
    """
    if (
        path := Path(name)
        if name.endswith(".ipynb")
        else next((one for one in _ours() if one.stem == name), None)
    ):
        return read_template(path)
    known = {template.name: template for template in templates()}
    if name not in known:
        raise ValueError(
            f"there is no report {name!r}\nThere are: {', '.join(known) or 'none'}; or name a .ipynb file."
        )
    return known[name]


_NOT_A_NOTEBOOK = (  # nbformat raises AssertionError for a version that is not a number
    *(nbformat.ValidationError, OSError, ValueError, LookupError),
    *(AttributeError, TypeError, AssertionError, RecursionError),
)


def read_template(path: Path) -> Template:
    """A report's notebook; its title and summary are its first heading and the paragraph below."""
    try:
        notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        words = next((cell.source for cell in notebook.cells if cell.cell_type == "markdown"), "")
        title, _, rest = words.strip().partition("\n")
        named = read_parameters(notebook, str(path))
        parameters = (*named, *agent_parameters(notebook, named))
    except FileNotFoundError as error:
        raise DataError("there is no such notebook", where=str(path)) from error
    except _NOT_A_NOTEBOOK as error:
        raise DataError(
            "this is not a Jupyter notebook", where=str(path), details=str(error)
        ) from error
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
    on_announcement: Callable[[str], object] | None = None,
) -> ReportResult:
    """Run a report with these parameters (typed values, or text as on a command line) and return
    its files.

    Args:
        out: its folder; by default ``reports/<name>/<digest of parameters and data>``. An earlier
            report there is replaced.
        on_cell: called before each code cell with its place, the number of cells and its first
            line.
        on_announcement: called with each line that a cell announces while it runs, such as a
            model's expected cost.

    Raises:
        ValueError: a parameter is wrong.
        ReportError: a cell failed; page and notebook are saved all the same. Interrupted: SIGINT or
            SIGTERM; likewise.
    """
    settings = settings or Settings.load()
    template = find_template(name)
    values = check(template.parameters, parameters or {})
    files = data_files(values, settings)
    data = {label: digest(file) for label, file in files.items()}
    folder = Path(out) if out else REPORTS / template.name / digest_of(values, data, settings)
    _make(folder)
    refuse_links(folder)
    with Claim(folder / PAGE) as claim:
        _begin_anew(folder, alone=claim.held)
        return _run_in(
            folder, name, template, values, files, data, settings, on_cell, on_announcement
        )


def _run_in(
    folder: Path,
    name: str,
    template: Template,
    values: dict[str, Value],
    files: Mapping[str, Path],
    data: Mapping[str, str],
    settings: Settings,
    on_cell: Callable[[int, int, str], object] | None,
    on_announcement: Callable[[str], object] | None,
) -> ReportResult:
    """Run a report in a folder that this process alone writes."""
    changed = assignments(
        {
            entry.name: values[entry.name]
            for entry in template.parameters
            if values[entry.name] != entry.default
        }
    )
    words = ["kgnb", "report", name, *(word for one in changed for word in ("-p", one))]
    command = " ".join(
        [*_settings_typed(settings, of_benchmarks(files.values(), settings)), shlex.join(words)]
    )
    title = f"{template.title}: {', '.join(changed[:3])}" if changed else template.title
    own_data = any(values.get(one) for one in OWN_DATA)
    session = ReportSession(
        folder.resolve(), settings.with_(remember=False), command, tuple(data.items())
    )
    about = {
        "report": template.name,
        "command": command,
        "parameters": [
            {"name": entry.name, "value": typed(values[entry.name]), "help": entry.help}
            | {"changed": values[entry.name] != entry.default, "of_agent": entry.of_agent}
            for entry in template.parameters
            if not (own_data and entry.name in DATA_SETS)
        ],
    }
    secrets = known_secrets(settings)
    ReportRequest(name, values).save(folder, secrets)
    ledger = Ledger(folder, on_cell=on_cell)
    begun = datetime.now(UTC)
    try:
        _execute(template, values, about, session, ledger, secrets, on_announcement)
    finally:
        why = mark_partial(folder)
        redact_folder(folder, secrets)
        if (folder / "report.ipynb").is_file():
            byline = redact(
                byline_of(data, begun.astimezone().date(), settings.author or git_author()), secrets
            )
            html = page(folder / "report.ipynb", redact(title, secrets), ledger, why, byline)
            write_whole(folder / PAGE, html)
        shown = redact({"title": title, "command": command, "values": values}, secrets)
        write_provenance(
            folder,
            **shown,
            summary=template.summary,
            report=template.name,
            data=data,
            versions=package_versions(),
            ledger=ledger,
            begun=begun,
            ended=datetime.now(UTC),
        )
    return ReportResult(folder, folder / PAGE, folder / "report.ipynb", read_metrics(folder))


def _execute(
    template: Template,
    values: dict[str, Value],
    about: dict[str, Any],
    session: ReportSession,
    ledger: Ledger,
    secrets: tuple[str, ...],
    on_announcement: Callable[[str], object] | None,
) -> None:
    notebook = nbformat.v4.upgrade(nbformat.read(template.path, as_version=4))  # type: ignore[no-untyped-call]
    named = {one.name for one in read_parameters(notebook, str(template.path))}
    defaults = {one.name: one.default for one in template.parameters}
    injected = {
        name: value for name, value in values.items() if name in named or value != defaults[name]
    }
    notebook.metadata["kgnb"] = notebook.metadata.get("kgnb", {}) | about
    if injected:
        _inject(notebook, injected)
    html = ledger.folder / PAGE
    try:
        with on_signals():
            ReportClient(
                notebook,
                html.with_suffix(".ipynb"),
                ledger,
                secrets,
                on_announcement,
                ours=template.path in _ours(),
            ).run(as_code(session))
    except (CellExecutionError, DeadKernelError) as error:
        failed = next(cell for cell in ledger.cells.values() if cell.state == "failed")
        what, _, fix = redact(str(getattr(error, "evalue", "")), secrets).strip().partition("\n")
        if getattr(error, "ename", "") == Waiting.__name__:
            raise Waiting(lambda: (what, fix.strip())) from error
        raise ReportError(
            f"report {template.name} failed in cell {failed.number} ({failed.title}): {failed.error}",
            folder=session.folder,
            ledger=ledger,
            fix="\n".join([*filter(None, [fix.strip()]), f"The cell and its output: {html}"]),
        ) from error


def _inject(notebook: Any, values: Mapping[str, Value]) -> None:
    """Set these values in a cell after the one tagged ``parameters``, or before all where there is
    none, as papermill does.
    """
    lines = ["# Parameters", *(f"{name} = {value!r}" for name, value in values.items())]
    made = nbformat.v4.new_code_cell("\n".join(lines), metadata={"tags": [INJECTED]})  # type: ignore[no-untyped-call]
    cells = [cell for cell in notebook.cells if INJECTED not in cell.metadata.get("tags", ())]
    tagged = (
        at for at, cell in enumerate(cells, 1) if "parameters" in cell.metadata.get("tags", ())
    )
    cells.insert(next(tagged, 0), made)
    notebook.cells = cells


def digest_of(values: Mapping[str, Value], data: Mapping[str, str], settings: Settings) -> str:
    """The name of a report's folder: the same for the same parameters, data and models."""
    content = [
        dict(values),
        dict(data),
        settings.model,
        settings.base_url,
        settings.embedder,
        settings.embedder_url,
    ]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]


def _settings_typed(settings: Settings, benchmarks: bool) -> list[str]:
    """The settings that affect a result and are not at their default, as typed before a command;
    never a key.
    """
    found = {"KGNB_DATA": "DIR"} if benchmarks else {}
    for name in ("model", "base_url", "embedder", "embedder_url"):
        if (value := getattr(settings, name)) != Settings.model_fields[name].default:
            found[setting_names()[name][1]] = shlex.quote(value)
    return [f"{name}={value}" for name, value in found.items()]


def git_author() -> str:
    """The author's name that git is configured with; "" without git or a name."""
    try:
        words = ["git", "config", "--get", "user.name"]
        name = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return " ".join(name.decode(errors="replace").split())


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        fix = "Choose another folder with --out, or make this one writable."
        raise KgnbError(
            f"{folder} cannot be written: {error.strerror or error}", fix=fix
        ) from error


def _begin_anew(folder: Path, *, alone: bool) -> None:
    """Remove an earlier report's files; where the file system has no locks, and so nobody is known
    to be ``alone``, refuse a folder that another process still seems to write.
    """
    earlier = read_ledger(folder)
    if earlier is not None and earlier.state == "running" and not alone:
        raise KgnbError(
            f"{folder} is being written by process {earlier.process}",
            fix="Wait for it, or choose another folder with --out.",
        )
    for name in ("run", "alignments") if earlier is not None else ():
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in ("metrics.json", "timing.json", PAGE, "report.ipynb", "report.pdf"):
        (folder / name).unlink(missing_ok=True)


def mark_partial(folder: Path) -> str:
    """Why the report in a folder is partial, "" if it is not; its ``metrics.json`` gets the reason.

    Whichever report wrote the metrics, ``"partial": true`` and ``"partial_reason"`` are added.
    """
    why = why_partial(folder / "run")
    if why and (metrics := read_metrics(folder)):
        write_json(folder / "metrics.json", metrics | {"partial": True, "partial_reason": why})
    return why
