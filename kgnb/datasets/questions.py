"""Questions with their reference answers, and our JSON Lines format for them.

A line of a question file is ``{"id", "question", "entities"?, "kind"?, "values"?, "table"?,
"sparql"?}``; only the first two are required. Values are IRIs, names, numbers or truth values; they
may be called ``answers`` or ``answer`` too, as in other files of questions. A table is ``{"rows":
[[thing, what is said of it, ...], ...]}``; without ``values``, its first column is what they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from kgnb.errors import DataError
from kgnb.files import from_json, read_input
from kgnb.kg.terms import Triple

T = TypeVar("T")


@dataclass(frozen=True)
class Asked:
    """A question, with its entities and reference answer where known."""

    id: str
    text: str
    kind: str = (
        ""  # single, list, count, yes/no, superlative, ...: what a report splits its figures by
    )
    entities: tuple[str, ...] = ()
    values: tuple[str, ...] | None = (
        None  # IRIs and literals' texts; () where nothing is the answer, None: not known
    )
    sparql: str = ""
    group: str = (
        ""  # questions of one group are wordings of the same question: split by it, never within
    )
    # for each value all its names, where a set accepts labels and aliases instead of IRIs
    names: tuple[tuple[str, ...], ...] = ()
    # rows of the reference where it is a table: the thing asked for, then what is asked of it
    table: tuple[tuple[str, ...], ...] = ()

    @property
    def reference(self) -> tuple[str | tuple[str, ...], ...]:
        """What an answer is compared with: the values, or each value's names."""
        return self.names or self.values or ()


@dataclass(frozen=True)
class QuestionSet:
    """Questions over one graph, and notes for reports."""

    name: str
    title: str
    questions: tuple[Asked, ...]
    graph: str | Path = (
        ""  # a path or ``huts:graph``; "" where ``triples`` are the graph, or one must be given
    )
    triples: tuple[Triple, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()


def read_questions(path: str | Path) -> list[Asked]:
    """The questions of a JSON Lines file, in order; empty lines are skipped.

    Raises:
        DataError: the file is missing or empty, a line is not an object with an id and a question,
            or an id comes
            twice; it names file and line.
    """
    found, wrong = scan_questions(path)
    if wrong:
        raise wrong[0]
    return found


def scan_questions(path: str | Path) -> tuple[list[Asked], list[DataError]]:
    """The valid questions of a JSON Lines file, and the errors of its other lines.

    Raises:
        DataError: the file is missing, empty or not text.
    """
    found: dict[str, Asked] = {}
    wrong: list[DataError] = []
    for number, line in _lines(path):
        where = f"{path}:{number}"
        try:
            asked = _asked(line, where)
            if asked.id in found:
                raise DataError(
                    f"the id {asked.id!r} comes twice",
                    where=where,
                    fix="Give every question its own id.",
                )
        except DataError as error:
            wrong.append(error)
        else:
            found[asked.id] = asked
    if not found and not wrong:
        raise DataError("there is no question in it", where=path, fix=_FORM)
    return list(found.values()), wrong


VALUES = ("values", "answers", "answer")
"""What the reference of a question is called in a line."""
LONGEST = 10_000
"""Characters of a question; reading one takes the square of them."""
_FORM = (
    'A line looks like {"id": "q1", "question": "Who runs the hut?", "entities": ["http://..."]}.'
)
_VALUES = (
    'Write "values": ["http://.../a"], or with names, numbers or truth values; [] for no answer.'
)


def _lines(path: str | Path) -> Iterator[tuple[int, str]]:
    text = read_input(path, "Name a file of JSON Lines in UTF-8.")
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line.strip("\r")


def _asked(line: str, where: str) -> Asked:
    try:
        content = from_json(line)
    except ValueError as error:
        raise DataError(f"not JSON: {error}", where=where, fix=_FORM) from error
    if not isinstance(content, dict):
        raise DataError(f"a JSON object is wanted, not {line[:60]}", where=where, fix=_FORM)
    given = {
        name: _text(content, name, where) for name in ("id", "question", "kind", "sparql", "group")
    }
    for name in ("id", "question"):
        if not given[name]:
            raise DataError(f"{name!r} is missing or empty", where=where, fix=_FORM)
    if len(given["question"]) > LONGEST:
        what = f"the question has more than {LONGEST:,} characters"
        raise DataError(what, where=where, fix="Ask what it asks in fewer words.")
    entities = _texts(content, "entities", where)
    given_values = (_texts(content, name, where) for name in VALUES)
    values = next((each for each in given_values if each is not None), None)
    table = _table(content, where)
    if values is None and table:
        values = tuple(dict.fromkeys(row[0] for row in table if row[0]))
    return Asked(
        given["id"],
        given["question"],
        given["kind"],
        entities or (),
        values,
        given["sparql"],
        given["group"],
        table=table,
    )


def _table(content: dict[str, Any], where: str) -> tuple[tuple[str, ...], ...]:
    """The rows of a reference table; numbers and truth values as texts, null as an empty cell."""
    given = content.get("table")
    if given is None:
        return ()
    rows: Any = given.get("rows") if isinstance(given, dict) else None
    whole = isinstance(rows, list) and bool(rows) and all(isinstance(row, list) for row in rows)
    if not whole or len({len(row) for row in rows}) > 1 or not rows[0]:
        raise DataError(
            "'table' has no rows of one length",
            where=where,
            fix='Write "table": {"rows": [["http://.../a", "Oslo", 7], ["http://.../b", "Rome", null]]}.',
        )
    return tuple(tuple(_cell(cell, where) for cell in row) for row in rows)


def _cell(cell: object, where: str) -> str:
    if isinstance(cell, dict | list):
        raise DataError(
            f"a cell of 'table' is {json.dumps(cell)[:60]}",
            where=where,
            fix="A cell is a text, a number, true, false or null.",
        )
    if cell is None or isinstance(cell, str):
        return (cell or "").strip()
    return json.dumps(cell)


def _text(content: dict[str, Any], name: str, where: str) -> str:
    value = content.get(name)
    if isinstance(value, int) and not isinstance(value, bool) and name == "id":
        return str(value)
    if value is not None and not isinstance(value, str):
        raise DataError(f"{name!r} is {json.dumps(value)[:60]}, not a text", where=where, fix=_FORM)
    return (value or "").strip()


def _texts(content: dict[str, Any], name: str, where: str) -> tuple[str, ...] | None:
    value = content.get(name)
    if value is None:
        return None
    if isinstance(value, bool | int | float | str):
        value = [value]
    if isinstance(value, list) and name in VALUES:
        value = [
            _cell(item, where) if isinstance(item, bool | int | float) else item for item in value
        ]
    if not isinstance(value, list) or not all(
        isinstance(item, str) and item.strip() for item in value
    ):
        fix = _VALUES if name in VALUES else _FORM
        what = f"{name!r} is {json.dumps(value)[:60]}, not a list of texts"
        raise DataError(what, where=where, fix=fix)
    return tuple(dict.fromkeys(item.strip() for item in value))


def sampled(questions: Sequence[T], most: int) -> tuple[T, ...]:
    """At most this many (0: all), spread evenly over the file; always the same ones.

    >>> [asked.id for asked in sampled([Asked(str(n), "?") for n in range(10)], 3)]
    ['0', '3', '6']
    """
    if most <= 0 or most >= len(questions):
        return tuple(questions)
    return tuple(questions[place * len(questions) // most] for place in range(most))
