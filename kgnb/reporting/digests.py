"""The files a report's parameters name, and their digests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from glob import glob
from pathlib import Path

from kgnb.datasets import huts
from kgnb.datasets.fetch import data_folder, digest
from kgnb.datasets.oaei import matching_set
from kgnb.datasets.question_sets import files_of
from kgnb.reporting.parameters import Value
from kgnb.settings import Settings


def data_files(values: Mapping[str, Value], settings: Settings) -> dict[str, Path]:
    """Every file the parameters name, by a name that says nothing of this machine.

    A text that names a file or folder, or several with commas between or as a pattern, counts wherever it stands; a
    parameter ``dataset`` or ``pair`` counts with all its files, unless ``source`` and ``target`` (or ``folder``,
    ``questions``) take its place. Raises DataError for a data set that is not at hand.
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
