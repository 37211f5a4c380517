"""A run's folder: ``events.jsonl`` grows line by line while the run goes on, ``run.json`` is
written when it ends.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from kgnb.errors import DataError, NotKept
from kgnb.files import Claim, from_json, make_private, refuse_links, unused, write_whole
from kgnb.run.record import VERSION, Event, Record
from kgnb.secret import blot, blotted

EVENTS = "events.jsonl"
SUMMARY = "run.json"


class RunFolder:
    """Writes one run, with secrets blotted out; two processes do not write into one folder at once.

    The events of an earlier run in the folder are kept as ``events-1.jsonl`` and so on.

    Raises:
        DataError: the folder cannot be made, or not be written to.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._begun = self._lost = self._refused = False
        self._claim: Claim | None = None
        self._file: TextIO | None = (
            None  # opening it for every event would cost more than writing does
        )
        _refuse_unwritable(self.path)

    def append(self, events: Sequence[Event]) -> None:
        """Add events, one per line; on return the operating system has them.

        Raises:
            DataError: another process writes its run here, or it holds a link; nothing is touched.
        """
        if self._lost:
            return
        try:
            if not self._begun:
                make_private(self.path)
                refuse_links(self.path)
            if self._claim is None:
                self._claim = Claim(self.path / SUMMARY, again=True)
            if not self._begun:
                _set_aside(self.path / EVENTS)
                self._begun = True
            if self._file is None:
                self._file = (self.path / EVENTS).open("a", encoding="utf-8")
            self._file.write(_clean(_lines, events))
            self._file.flush()
        except OSError as error:
            self._lose(f"{self.path / EVENTS}: {error.strerror or error}")
        except DataError:
            self._lost = self._refused = True
            raise

    def close(self) -> None:
        """Close the file; the next event opens it again."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # a full disk, reported already
                file.close()

    def __del__(self) -> None:
        self.close()

    def summarise(self, record: Record) -> None:
        """Write ``run.json``, whole or not at all."""
        self.close()
        if self._refused:
            return
        try:
            make_private(self.path)
            write_whole(self.path / SUMMARY, _clean(_written, record.to_json()))
        except (OSError, DataError) as error:
            self._lose(str(error).partition("\n")[0])
        if self._claim is not None:
            self._claim.release()
            self._claim = None

    def _lose(self, why: str) -> None:
        """A trace is not worth the work that it records: from here on there is none, with one
        warning.
        """
        if not self._lost:
            self._lost = True
            warnings.warn(
                f"the trace of this run is not kept any further: {why}", NotKept, stacklevel=2
            )


def _refuse_unwritable(folder: Path) -> None:
    """Raise DataError before the work, not after it, where a run cannot be saved."""
    try:
        make_private(folder)
        why = "" if os.access(folder, os.W_OK | os.X_OK) else "it may not be written to"
    except OSError as error:
        why = f"{error.strerror or error}: {error.filename}"
    if why:
        raise DataError(
            f"the run cannot be saved here: {why}",
            where=folder,
            fix="Name a folder that you can write to.",
        )


def _clean(write: Callable[[Any], str], content: Any) -> str:
    """Plain data as text, with secrets blotted out of its texts one by one: all that is between
    them must stay.
    """
    text = write(content)
    return text if blot(text) == text else write(blotted(content))


def _lines(events: Sequence[Event]) -> str:
    return "".join(json.dumps(event, allow_nan=False) + "\n" for event in events)


def _written(record: Mapping[str, Any]) -> str:
    """A record as JSON, one line per entry and per step: Python's own indentation takes ten times
    as long.
    """
    steps = ",\n".join(f"  {json.dumps(step, allow_nan=False)}" for step in record["steps"])
    entries = (
        f' "{name}": '
        + (f"[\n{steps}\n ]" if name == "steps" else json.dumps(value, allow_nan=False))
        for name, value in record.items()
    )
    return "{\n" + ",\n".join(entries) + "\n}\n"


def read_run(path: Path | str) -> Record:
    """The run in a folder, also one that was killed: a last line that was cut short is ignored.

    Raises:
        DataError: there is no run, or a line before the last is not an event.
    """
    file = Path(path) / EVENTS
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise DataError(
            f"no run can be read: {error.strerror}",
            where=file,
            fix="Name the folder that holds events.jsonl.",
        ) from error
    record = Record()
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            event = from_json(line)
            if event.get("event") == "run" and event["version"] != VERSION:
                raise DataError(
                    f"the run is of version {event['version']}, this kgnb reads version {VERSION}",
                    where=file,
                    fix="Read it with the version of kgnb that wrote it.",
                )
            record.apply(event)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            if number == len(lines):  # no newline after it: the process ended while it wrote
                break
            raise DataError(
                f"not an event of a run ({type(error).__name__})",
                where=f"{file}:{number}",
                fix="Delete the line if the rest of the run matters more.",
            ) from error
    if not record.agent:
        raise DataError(
            "the file holds no run", where=file, fix="Name the folder of a run that has begun."
        )
    try:
        record.to_json()
        sound = all(
            isinstance(one, dict) for one in (record.parameters, record.data, record.versions)
        )
    except (TypeError, ValueError, AttributeError):
        sound = False
    if not sound:
        raise DataError("the run holds values of the wrong type", where=file, fix="Run it again.")
    return record


def why_partial(path: Path | str) -> str:
    """Which budget was spent before the run in a folder had finished; "" if none was, or there is
    no run.
    """
    try:
        return read_run(path).partial
    except DataError:
        return ""


def _set_aside(file: Path) -> None:
    if file.exists():
        file.rename(unused(file))
