"""Files that an extraction is scored by: queries that read records from a graph, and gold records
in JSON.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgnb.datasets import mop
from kgnb.datasets.huts import RecordQuery
from kgnb.errors import DataError
from kgnb.evaluate.extraction import Record
from kgnb.files import from_json, read_input

_HEAD = re.compile(
    r"^#\s*(category|alternatives|forgiving)\s*:\s*(.*)$", re.IGNORECASE | re.MULTILINE
)
_PREFIX = re.compile(r"^[ \t]*(?:prefix|base)\b.*\n", re.IGNORECASE | re.MULTILINE)
_QUERIES_FIX = (
    'Write "# category: NAME" above each SELECT query; ?record is the record, every other variable a slot. '
    '"# alternatives: SLOT" names slots whose gold values are names of one thing.'
)
_GOLD_FIX = (
    'Records are {"CATEGORY": [{"SLOT": value or list}]}, or that for each document by its name; a folder holds a '
    "file for each document."
)


def read_queries(spec: str) -> tuple[RecordQuery, ...]:
    """The queries of a file by category; ``mop`` stands for those of the paper's four categories,
    ``mop:steps,chemicals`` for some of them.

    Raises:
        DataError: the file is missing, or has no query.
    """
    name, _, wanted = spec.partition(":")
    if name == "mop" and not Path(spec).is_file():
        chosen = [one.strip() for one in wanted.split(",") if one.strip()]
        known = {one.name: one for one in mop.QUERIES}
        if unknown := [one for one in chosen if one not in known]:
            fix = f"There are {', '.join(known)}."
            raise DataError(f"there is no category {unknown[0]}", where=spec, fix=fix)
        return tuple(known[one] for one in chosen or known)
    text = read_input(spec, _QUERIES_FIX)
    found: list[RecordQuery] = []
    parts = re.split(r"(?im)^(?=#\s*category\s*:)", text)
    shared = "".join(_PREFIX.findall(parts[0]))  # above the first category: for all of them
    for part in parts:
        heads = {key.lower(): value.strip() for key, value in _HEAD.findall(part)}
        if "category" in heads:
            lists = [
                tuple(heads.get(key, "").replace(",", " ").split())
                for key in ("alternatives", "forgiving")
            ]
            found.append(RecordQuery(heads["category"], shared + part, *lists))
    if not found:
        raise DataError("there is no query in it", where=spec, fix=_QUERIES_FIX)
    return tuple(found)


@dataclass(frozen=True)
class GoldRecords:
    """Gold records by document and category; the document "" stands for all together."""

    by_document: Mapping[str, Mapping[str, Sequence[Record]]]

    def all(self, category: str) -> list[Record]:
        """The records of a category, of all documents."""
        return [one for parts in self.by_document.values() for one in parts.get(category, ())]

    def of(self, document: str, category: str) -> list[Record]:
        """The records of a category that belong to a document: those under its name, with or
        without its endings.
        """
        names = [
            name for name in self.by_document if name and f"{document}.".startswith(f"{name}.")
        ]
        return [one for name in names for one in self.by_document[name].get(category, ())]


def read_gold(path: Path, categories: Collection[str]) -> GoldRecords:
    """The gold records of a JSON file, or of a folder with a file for each document (and folder of
    each category): flat records, or the ground truth of the MOP papers as it is published.

    Raises:
        DataError: it is missing, holds something else, or no record of these categories.
    """
    files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    found: dict[str, dict[str, list[Record]]] = {}
    for file in files:
        try:
            content = from_json(read_input(file, _GOLD_FIX))
        except ValueError as error:
            raise DataError(f"this is no JSON: {error}", where=file, fix=_GOLD_FIX) from error
        stem = file.stem if path.is_dir() else ""
        for document, parts in _documents(content, stem, file).items():
            for category, records in parts.items():
                found.setdefault(document, {}).setdefault(category, []).extend(records)
    known = {category for parts in found.values() for category in parts}
    if not known & set(categories):
        has = f"it has {', '.join(sorted(known))}" if known else "it has none"
        raise DataError(
            f"there are no records of {', '.join(sorted(categories))} in it: {has}",
            where=path,
            fix=_GOLD_FIX,
        )
    return GoldRecords(found)


def _documents(content: Any, stem: str, file: Path) -> dict[str, dict[str, list[Record]]]:
    if not isinstance(content, dict):
        raise DataError("this is no object of records", where=file, fix=_GOLD_FIX)
    if flat := mop.records(content):
        return {stem: flat}
    if all(isinstance(value, dict) for value in content.values()):
        return {name: _categories(parts, file) for name, parts in content.items()}
    return {stem: _categories(content, file)}


def _categories(content: Mapping[str, Any], file: Path) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for category, listed in content.items():
        if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
            raise DataError(f"{category} is no list of records", where=file, fix=_GOLD_FIX)
        found[category] = [
            {
                slot: _values(value, f"{file}: {category}, record {at}, {slot}")
                for slot, value in one.items()
            }
            for at, one in enumerate(listed, 1)
        ]
    return found


def _values(value: Any, where: str) -> list[str]:
    values = value if isinstance(value, list) else [value]
    if not all(one is None or isinstance(one, str | int | float | bool) for one in values):
        raise DataError("a slot holds a value or a list of values", where=where, fix=_GOLD_FIX)
    return [mop.text(one) for one in values if one is not None]
