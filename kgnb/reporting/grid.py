"""A sweep's file: one report, and every combination of parameters to run it with."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from kgnb.errors import DataError
from kgnb.files import from_yaml, read_input
from kgnb.reporting.parameters import Value, assignments, check, did_you_mean
from kgnb.reporting.report import find_template

MOST = 10_000  # combinations; more is a mistake, or work for several files
FORM = (
    "report: ontology-matching\nparameters:\n  dataset: [huts]\n  k: [3, 5, 10]\n"
    "include:  # and exclude: lists of combinations\n  - {k: 3, judge: rule}"
)
T = TypeVar("T")
Place: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True)
class GridItem:
    """One combination: its number in the grid from 1, and the value of every parameter of the
    report.
    """

    number: int
    values: Mapping[str, Value]

    @property
    def name(self) -> str:
        """The name of the item's folder: the same for the same values, whatever their place in the
        file.
        """
        return hashlib.sha256(json.dumps(dict(self.values), sort_keys=True).encode()).hexdigest()[
            :12
        ]


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
        return (
            " ".join(assignments({name: item.values[name] for name in self.varied})) or "(defaults)"
        )


class Sweep(BaseModel):
    """What a sweep's file says."""

    model_config = ConfigDict(extra="forbid", strict=True)
    report: str
    parameters: dict[str, Any] | None = None
    include: list[dict[str, Any]] | None = None
    exclude: list[dict[str, Any]] | None = None

    def values(self) -> Iterator[tuple[Place, dict[str, Any]]]:
        """Every value that is given to a parameter, and its place in the file."""
        for name, given in (self.parameters or {}).items():
            for number, value in enumerate(given if isinstance(given, list) else [given]):
                yield ("parameters", name, number), {name: value}
        for part, entries in (("include", self.include), ("exclude", self.exclude)):
            for number, entry in enumerate(entries or ()):
                yield from (((part, number, name), {name: value}) for name, value in entry.items())

    def combinations(self) -> Iterator[dict[str, Any]]:
        """The product of the parameters without what is excluded, then what is included."""
        lists = {
            name: one if isinstance(one, list) else [one]
            for name, one in (self.parameters or {}).items()
        }
        if lists or not self.include:
            for values in itertools.product(*lists.values()):
                combination = dict(zip(lists, values, strict=True))
                if not any(entry.items() <= combination.items() for entry in self.exclude or ()):
                    yield combination
        yield from self.include or ()


def read_grid(path: Path | str) -> Grid:
    """The sweep in a YAML (or JSON) file.

    ``report`` names it, ``parameters`` gives each parameter one value or a list of them (all
    combinations are run), ``include`` adds combinations, ``exclude`` leaves out those that agree
    with one of its entries. A combination that occurs twice is run once. Errors name the line and
    what is allowed there.

    Raises:
        DataError: the file does not have this form.
        ValueError: there is no such report or parameter, or a value is not allowed.
    """
    path = Path(path)
    try:
        text = read_input(path, FORM)
        content = from_yaml(text)
        lines = lines_of(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"{path}, line {mark.line + 1}, column {mark.column + 1}" if mark else str(path)
        problem = " ".join(filter(None, (error.context, error.problem)))
        raise DataError(f"this is not YAML: {problem}", where=where, fix=FORM) from error
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        problem = (getattr(error, "strerror", None) or str(error)).partition("\n")[0]
        raise DataError(
            f"the sweep cannot be read: {problem}", where=str(path), fix=FORM
        ) from error
    if isinstance(content, dict) and str(content.get("report", "")).endswith(".ipynb"):
        beside = path.parent / content["report"]
        content["report"] = str((beside if beside.is_file() else Path(content["report"])).resolve())

    def at(*place: str | int) -> str:
        nearest = (lines[place[:end]] for end in range(len(place), -1, -1) if place[:end] in lines)
        return f"{path}, line {next(nearest, 1)}"

    return grid_of(content, at)


def grid_of(content: Any, at: Callable[..., str]) -> Grid:
    """The sweep that a file's content describes; ``at`` names a place in the file. Raises as
    ``read_grid`` does.
    """
    try:
        sweep = Sweep.model_validate(content)
    except ValidationError as error:
        raise _refused(error, at) from error
    template = _told(at("report"), find_template, sweep.report)
    for place, value in sweep.values():
        _told(at(*place), check, template.parameters, value)
    if empty := [name for name, given in (sweep.parameters or {}).items() if given == []]:
        fix = "Give it a value, or leave it out."
        raise DataError(
            f"parameter {empty[0]} has an empty list", where=at("parameters", empty[0]), fix=fix
        )
    combinations = list(itertools.islice(sweep.combinations(), MOST + 1))
    if len(combinations) > MOST:
        raise DataError(
            f"more than {MOST:,} combinations",
            where=at("parameters"),
            fix="Split it into several files.",
        )
    found: dict[str, GridItem] = {}
    for combination in combinations:
        item = GridItem(len(found) + 1, check(template.parameters, combination))
        found.setdefault(item.name, item)
    if not found:
        raise DataError("no combination is left to run", where=at("exclude"), fix=FORM)
    items = tuple(found.values())
    names = [parameter.name for parameter in template.parameters]
    varied = tuple(
        name for name in names if len({json.dumps(item.values[name]) for item in items}) > 1
    )
    return Grid(sweep.report, template.title, items, varied, content)


def _told(where: str, function: Callable[..., T], *given: Any) -> T:
    try:
        return function(*given)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error


def _refused(error: ValidationError, at: Callable[..., str]) -> DataError:
    first = error.errors()[0]
    place = [part for part in first["loc"] if part != "[key]"]
    what = f"{'.'.join(map(str, place))}: {first['msg'][0].lower()}{first['msg'][1:]}"
    if first["type"] == "extra_forbidden":
        what = f"a sweep has no entry {place[0]!r}"
        what += did_you_mean(str(place[0]), [*Sweep.model_fields])
    elif place in ([], ["report"]):
        what = "a sweep names its report"
    return DataError(what, where=at(*place), fix=FORM)


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


def lines_of(text: str) -> dict[Place, int]:
    """The line, from 1, of every key and list entry in a YAML text, by its place.

    >>> lines_of("report: x\\nparameters:\\n  k:\\n    - 3\\n    - 5\\n")["parameters", "k", 1]
    5

    Raises:
        ValueError: a key occurs twice in a mapping.
        yaml.YAMLError: the text is not YAML.
    """
    lines: dict[Place, int] = {}

    def note(node: Any, place: Place, line: int) -> None:
        if place in lines:
            raise ValueError(f"{place[-1]!r} occurs twice, in lines {lines[place]} and {line}")
        lines[place] = line
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                note(value, (*place, str(key.value)), key.start_mark.line + 1)
        elif isinstance(node, yaml.SequenceNode):
            for number, value in enumerate(node.value):
                note(value, (*place, number), value.start_mark.line + 1)

    if (node := yaml.compose(text, Loader=yaml.SafeLoader)) is not None:
        note(node, (), node.start_mark.line + 1)
    return lines
