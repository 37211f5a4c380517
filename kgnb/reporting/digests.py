"""Digests of the data a report's parameters name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from kgnb.datasets import huts
from kgnb.datasets.fetch import digest
from kgnb.datasets.matching import matching_set
from kgnb.datasets.question_sets import files_of
from kgnb.reporting.parameters import Value
from kgnb.settings import Settings


def data_digests(values: Mapping[str, Value], settings: Settings) -> dict[str, str]:
    """SHA-256 of every file the parameters name, by a name that says nothing of this machine.

    A text that names a file or folder counts wherever it stands; a parameter ``dataset`` counts with all its files,
    unless ``source`` and ``target`` take its place. Raises DataError for a data set that is not at hand.
    """
    texts = {name: value for name, value in values.items() if isinstance(value, str) and value}
    named = {
        f"{name}: {file.name}": digest(file)
        for name, text in texts.items()
        if name != "dataset"
        for file in _files(text)
    }
    if "dataset" in texts and "questions" in values:  # the question-answering report's
        files = set(files_of(texts["dataset"], settings.data)) if "questions" not in texts else set()
        named |= {f"{file.parent.name}/{file.name}": digest(file) for file in files}
    elif "dataset" in texts and not ("source" in texts and "target" in texts):
        cases = matching_set(texts["dataset"], settings.data).cases
        files = {file for case in cases for file in (case.source, case.target, case.reference) if file is not None}
        named |= {f"{file.parent.name}/{file.name}": digest(file) for file in files}
    return dict(sorted(named.items()))


def _files(text: str) -> Iterator[Path]:
    try:
        path = huts.path(text[5:]) if text.startswith("huts:") else Path(text)
        if path.is_file():
            yield path
        elif path.is_dir():
            yield from (file for file in sorted(path.rglob("*")) if file.is_file())
    except (OSError, ValueError):  # too long for a path, or no path at all
        return
