"""A sweep's file: one report, and every combination of parameters to run it with."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from kgnb.errors import DataError
from kgnb.reporting.parameters import ReportParameter, Value, assignments, check
from kgnb.reporting.report import find_template

KEYS = ("report", "parameters", "include", "exclude")
MOST = 10_000  # combinations; more is a mistake, or work for several files
LISTED = "include:\n  - {k: 3, judge: rule}"
FORM = "report: ontology-matching\nparameters:\n  dataset: [huts]\n  k: [3, 5, 10]"


@dataclass(frozen=True)
class GridItem:
    """One combination: its number in the grid from 1, and the value of every parameter of the report."""

    number: int
    values: Mapping[str, Value]

    @property
    def name(self) -> str:
        """The name of the item's folder: the same for the same values, whatever their place in the file."""
        return hashlib.sha256(json.dumps(dict(self.values), sort_keys=True).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Grid:
    """A report, its combinations in the order of the file, and the file's content."""

    report: str
    title: str
    items: tuple[GridItem, ...]
    varied: tuple[str, ...]  # the parameters in which the items differ
    content: Mapping[str, Any]

    def label(self, item: GridItem) -> str:
        """What sets an item apart from the others, as one would type it."""
        return " ".join(assignments({name: item.values[name] for name in self.varied})) or "(defaults)"


def read_grid(path: Path | str) -> Grid:
    """The sweep in a YAML (or JSON) file.

    ``report`` names it, ``parameters`` gives each parameter one value or a list of them (all combinations are run),
    ``include`` adds combinations, ``exclude`` leaves out those that agree with one of its entries. A combination that
    occurs twice is run once. Errors name the line and what is allowed there.

    Raises:
        DataError: the file does not have this form.
        ValueError: there is no such report or parameter, or a value is not allowed.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
        lines, content = Lines(text), yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"{path}, line {mark.line + 1}, column {mark.column + 1}" if mark else str(path)
        problem = " ".join(filter(None, (error.context, error.problem)))
        raise DataError(f"this is not YAML: {problem}", where=where, fix=FORM) from error
    except (OSError, UnicodeDecodeError, ValueError, RecursionError, yaml.YAMLError) as error:
        problem = (getattr(error, "strerror", None) or str(error)).partition("\n")[0]
        raise DataError(f"the sweep cannot be read: {problem}", where=str(path), fix=FORM) from error
    if isinstance(content, dict) and str(content.get("report", "")).endswith(".ipynb"):
        beside = path.parent / content["report"]
        content["report"] = str((beside if beside.is_file() else Path(content["report"])).resolve())
    return grid_of(content, str(path), lines)


def grid_of(content: Any, where: str, lines: Lines | None = None) -> Grid:
    """The sweep that a file's content describes; see ``read_grid``."""
    if not isinstance(content, dict) or not isinstance(content.get("report"), str):
        raise DataError("a sweep names its report", where=where, fix=FORM)
    at = _Places(where, lines)
    for name in content:
        if name not in KEYS:
            near = get_close_matches(str(name), KEYS, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise at.error(f"a sweep has no entry {name!r}{hint}", str(name), fix=f"There are: {', '.join(KEYS)}.")
    with at.named("report"):
        template = find_template(content["report"])
    combinations = list(itertools.islice(_combinations(content, template.parameters, at), MOST + 1))
    if len(combinations) > MOST:
        raise at.error(f"more than {MOST:,} combinations", "parameters", fix="Split it into several files.")
    found: dict[str, GridItem] = {}
    for combination in combinations:
        item = GridItem(len(found) + 1, check(template.parameters, combination))
        found.setdefault(item.name, item)
    if not found:
        raise at.error("no combination is left to run", "exclude", fix=FORM)
    items = tuple(found.values())
    names = [parameter.name for parameter in template.parameters]
    varied = tuple(name for name in names if len({json.dumps(item.values[name]) for item in items}) > 1)
    return Grid(content["report"], template.title, items, varied, content)


def as_yaml(grid: Grid) -> str:
    """The sweep's file again, without paths of this machine."""
    report = Path(grid.report).name if grid.report.endswith(".ipynb") else grid.report
    return yaml.safe_dump({**grid.content, "report": report}, sort_keys=False, allow_unicode=True)


def part_of(items: tuple[GridItem, ...], shard: str) -> tuple[GridItem, ...]:
    """Every n-th item, beginning with the i-th, for ``shard`` "i/n"; all of them for "".

    >>> [item.number for item in part_of(tuple(GridItem(number, {}) for number in range(1, 6)), "2/3")]
    [2, 5]
    """
    if not shard:
        return items
    part, slash, parts = shard.partition("/")
    if not (slash and part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise ValueError(f"--shard {shard}: a shard is given as I/N, from 1/N to N/N")
    return items[int(part) - 1 :: int(parts)]


def _combinations(
    content: Mapping[str, Any], known: Sequence[ReportParameter], at: _Places
) -> Iterator[dict[str, Any]]:
    lists = {}
    for name, given in at.mapping(content.get("parameters"), "parameters").items():
        lists[name] = given if isinstance(given, list) else [given]
        if not lists[name]:
            fix = "Give it a value, or leave it out."
            raise at.error(f"parameter {name} has an empty list", "parameters", name, fix=fix)
        for number, value in enumerate(lists[name]):
            with at.named("parameters", name, number):
                check(known, {name: value})
    left_out, included = (at.mappings(content.get(name), name, known) for name in ("exclude", "include"))
    if lists or not included:
        for values in itertools.product(*lists.values()):
            combination = dict(zip(lists, values, strict=True))
            if not any(all(combination.get(key) == value for key, value in entry.items()) for entry in left_out):
                yield combination
    yield from included


@dataclass(frozen=True)
class _Places:
    """Errors about a sweep that name its file and line."""

    where: str
    lines: Lines | None

    def of(self, *place: str | int) -> str:
        return f"{self.where}, line {self.lines.of(*place)}" if self.lines else self.where

    def error(self, what: str, *place: str | int, fix: str) -> DataError:
        return DataError(what, where=self.of(*place), fix=fix)

    @contextmanager
    def named(self, *place: str | int) -> Iterator[None]:
        """Put the place in front of a ValueError's message."""
        try:
            yield
        except ValueError as error:
            raise ValueError(f"{self.of(*place)}: {error}") from error

    def mapping(self, given: Any, *place: str | int) -> dict[str, Any]:
        if not isinstance(given or {}, dict) or not all(isinstance(name, str) for name in given or ()):
            raise self.error(f"{place[0]} maps parameters to values, which {given!r} does not", *place, fix=FORM)
        return given or {}

    def mappings(self, given: Any, name: str, known: Sequence[ReportParameter]) -> list[dict[str, Any]]:
        if not isinstance(given or [], list):
            raise self.error(f"{name} is a list of combinations, which {given!r} is not", name, fix=LISTED)
        entries = [self.mapping(entry, name, number) for number, entry in enumerate(given or [])]
        for number, entry in enumerate(entries):
            for parameter, value in entry.items():
                with self.named(name, number, parameter):
                    check(known, {parameter: value})
        return entries


Place = tuple[str | int, ...]


class Lines:
    """The line, from 1, of every key and list entry in a YAML text; a duplicate key is refused.

    >>> lines = Lines("report: x\\nparameters:\\n  k:\\n    - 3\\n    - 5\\n")
    >>> lines.of("parameters", "k", 1), lines.of("parameters", "word")
    (5, 2)

    Raises:
        ValueError: a key occurs twice in a mapping.
        yaml.YAMLError: the text is not YAML.
    """

    def __init__(self, text: str) -> None:
        self._lines: dict[Place, int] = {}
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if node is not None:
            self._note(node, (), node.start_mark.line + 1)

    def of(self, *place: str | int) -> int:
        """The line of the entry at this place, or of the nearest one around it."""
        for end in range(len(place), 0, -1):
            if place[:end] in self._lines:
                return self._lines[place[:end]]
        return self._lines.get((), 1)

    def _note(self, node: Any, place: Place, line: int) -> None:
        self._lines[place] = line
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                below = (*place, str(key.value))
                if below in self._lines:
                    lines = f"{self._lines[below]} and {key.start_mark.line + 1}"
                    raise ValueError(f"{key.value!r} occurs twice, in lines {lines}")
                self._note(value, below, key.start_mark.line + 1)
        elif isinstance(node, yaml.SequenceNode):
            for number, value in enumerate(node.value):
                self._note(value, (*place, number), value.start_mark.line + 1)
