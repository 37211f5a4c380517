"""What was done to one document, as a file: written whole or not at all, and enough to do it again without asking."""

from __future__ import annotations

import hashlib
import json
import pickle
import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kgnb.agents.kg_construction.desk import Act, Doubt
from kgnb.agents.kg_construction.values import Violation
from kgnb.errors import DataError, NotKept
from kgnb.files import from_json, write_whole

VERSION = 1


@dataclass(frozen=True)
class Journal:
    """All calls for one document, in order, and what was left for a person. ``error`` says why there is none."""

    document: str
    digest: str  # of the document
    key: str  # of all that decides what a reader does
    reader: str
    acts: Sequence[Act] = ()
    doubts: tuple[Doubt, ...] = ()
    repaired: int = 0
    repeats: int = 0
    characters: int = 0
    notes: tuple[str, ...] = ()
    error: str = ""
    resumed: bool = False

    @property
    def refused(self) -> int:
        """Calls that were refused."""
        return sum(not act.ok for act in self.acts)

    def packed(self) -> Journal:
        """The same, in a hundredth of the memory: what a batch holds of a document that it is done with."""
        return replace(self, acts=Packed(self.acts))


class Packed(Sequence[Act]):
    """Calls that are kept compressed, and made again each time they are looked through."""

    def __init__(self, acts: Sequence[Act]) -> None:
        self._count, self._content = len(acts), zlib.compress(pickle.dumps(list(acts), 5), 1)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Act]:
        return iter(pickle.loads(zlib.decompress(self._content)))

    def __getitem__(self, at: Any) -> Any:
        return list(self)[at]


def journal_key(parts: Mapping[str, Any]) -> str:
    """A digest of everything that decides what a reader does with a document."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def journal_file(folder: Path, document: str) -> Path:
    """Where the journal of a document lies: a readable name, told apart by a digest."""
    plain = "".join(c if c.isalnum() or c in "-_." else "-" for c in document)[:60].strip(".") or "document"
    return folder / f"{plain}-{hashlib.sha256(document.encode()).hexdigest()[:10]}.json"


def write_journal(folder: Path, journal: Journal) -> None:
    """Write it under its name: whoever looks sees the whole of it, or nothing. What was read stands without it."""
    folder.mkdir(parents=True, exist_ok=True)
    file = journal_file(folder, journal.document)
    try:
        _write(file, journal)
    except DataError as error:
        warnings.warn(f"the journal of {journal.document} is not kept: {error.what}", NotKept, stacklevel=2)


def _write(file: Path, journal: Journal) -> None:
    write_whole(file, json.dumps(_plain(journal), ensure_ascii=False, indent=1) + "\n", lasting=True)


def read_journal(folder: Path, document: str, key: str) -> Journal | None:
    """The journal of a document, if there is one made by the same reader, pack and options; else None."""
    file = journal_file(folder, document)
    try:
        found = from_json(file.read_text(encoding="utf-8"))
        if found["key"] != key or found["version"] != VERSION:
            return None
        acts = tuple(Act(**{**act, "violations": _violations(act)}) for act in found["acts"])
        doubts = tuple(Doubt(**{**doubt, "violations": _violations(doubt)}) for doubt in found["doubts"])
        names = ("document", "digest", "key", "reader", "repaired", "repeats", "characters")
        kept = {name: found[name] for name in names}
        return Journal(**kept, acts=acts, doubts=doubts, notes=tuple(found.get("notes", ())), resumed=True)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # missing or damaged: the document is read again


def _violations(entry: Mapping[str, Any]) -> tuple[Violation, ...]:
    return tuple(Violation(**{**one, "allowed": tuple(one.get("allowed", ()))}) for one in entry["violations"])


def _plain(journal: Journal) -> dict[str, Any]:
    def entry(one: Act | Doubt) -> dict[str, Any]:
        fields = {name: getattr(one, name) for name in one.__dataclass_fields__ if name != "violations"}
        return {**fields, "violations": [violation.as_json() for violation in one.violations]}

    return {
        "version": VERSION,
        "document": journal.document,
        "digest": journal.digest,
        "key": journal.key,
        "reader": journal.reader,
        "repaired": journal.repaired,
        "repeats": journal.repeats,
        "characters": journal.characters,
        "acts": [entry(act) for act in journal.acts],
        "doubts": [entry(doubt) for doubt in journal.doubts],
        **({"notes": list(journal.notes)} if journal.notes else {}),
    }
