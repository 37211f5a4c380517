"""Folders with two graphs to align, in the layouts of published benchmarks: DBP15K, SRPRS, OpenEA.

Two layouts, recognised by their files:

- *ids*: ``ent_ids_1/2``, ``triples_1/2`` in numbers, optionally ``rel_ids_1/2``;
  links in ``sup_pairs`` and ``ref_pairs``, or ``sup_ent_ids`` and ``ref_ent_ids`` (DBP15K, SRPRS);
  attribute values in ``attr_triples_1/2``, ``new_att_triples_1/2`` (BERT-INT) or ``zh_att_triples``
  and ``en_att_triples`` (JAPE).
- *iris*: ``rel_triples_1/2`` and optionally ``attr_triples_1/2``; links in ``ent_links`` or in the
  ``train_links``, ``valid_links``, ``test_links`` of a fold (OpenEA).

Lines are split at tabs only, since raw IRIs hold commas, quotes and parentheses. A file may be
gzipped (``.gz``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgnb.errors import DataError
from kgnb.files import open_text, packed_or_plain

Links: TypeAlias = tuple[tuple[str, str], ...]
Integers = NDArray[np.int32]

_LITERAL = re.compile(r'"(.*)"(?:@([A-Za-z0-9-]+)|\^\^<?([^<>]*)>?)?', re.DOTALL)
_STATEMENT = re.compile(r"<([^>]*)>\s+<([^>]*)>\s+(.*?)\s*\.?")
_LINK_FILES = {
    "train": ("sup_pairs", "sup_ent_ids", "train_links"),
    "valid": ("valid_links",),
    "test": ("ref_pairs", "ref_ent_ids", "test_links"),
    "all": ("ent_links", "ill_ent_ids"),
}


@dataclass(frozen=True, eq=False)
class RawGraph:
    """One side as read from its files; triples refer to entities, relations, attributes and values
    by index.
    """

    name: str
    entities: tuple[str, ...]  # IRIs
    relations: tuple[str, ...]
    triples: Integers  # (n, 3): subject, relation, object
    attributes: tuple[str, ...] = ()
    values: tuple[tuple[str, str, str], ...] = ()  # text, language, datatype
    attribute_triples: Integers = field(default_factory=lambda: np.empty((0, 3), dtype=np.int32))
    ids: tuple[str, ...] = ()  # the number of each entity, in the layout with numbers


@dataclass(frozen=True, eq=False)
class EntityFolder:
    """Two graphs, their training links and their test links, as pairs of IRIs."""

    left: RawGraph
    right: RawGraph
    seeds: Links
    tests: Links
    valid: Links = ()
    notes: tuple[str, ...] = ()

    def iri(self, number: str) -> str | None:
        """The IRI with this number; None if there is none, or if both sides use it."""
        found = [side[number] for side in self._iris if number in side]
        return found[0] if len(found) == 1 else None

    @cached_property
    def _iris(self) -> tuple[dict[str, str], dict[str, str]]:
        return _iris(self.left), _iris(self.right)


def _iris(graph: RawGraph) -> dict[str, str]:
    return dict(zip(graph.ids, graph.entities, strict=False))


def is_entity_folder(path: Path | str) -> bool:
    """Whether a path is a folder in one of the layouts."""
    folder = Path(path)
    return folder.is_dir() and any(
        _there(folder, f"{name}_1") for name in ("ent_ids", "rel_triples")
    )


def read_folder(path: Path | str, *, fold: int = 1) -> EntityFolder:
    """Both graphs of a folder with their links.

    ``fold`` chooses among the folds of an OpenEA folder (1 to 5). Links in ``seeds`` are never
    tests, even where a file lists all links (SRPRS). Raises DataError with file and line.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise DataError(
            "there is no such folder",
            where=folder,
            fix="Name the folder that holds ent_ids_1 etc.",
        )
    if _there(folder, "ent_ids_1"):
        one, other = _by_ids(folder, "1"), _by_ids(folder, "2")
        links = _links(folder, fold, (_iris(one), _iris(other)))
    elif _there(folder, "rel_triples_1"):
        links = _links(folder, fold, None)
        ends = {pair for found in links.values() for pair in found}
        one = _by_iris(folder, "1", sorted({source for source, _ in ends}))
        other = _by_iris(folder, "2", sorted({target for _, target in ends}))
    else:
        raise DataError(
            "it has neither ent_ids_1 nor rel_triples_1",
            where=folder,
            fix="A DBP15K or SRPRS folder has ent_ids_1 and triples_1, an OpenEA folder rel_triples_1; "
            "two RDF files are named one after the other.",
        )
    seeds, valid, tests = links["train"], links["valid"], links["test"] or links["all"]
    known = {*seeds, *valid}
    kept = tuple(pair for pair in tests if pair not in known)
    dropped = len(tests) - len(kept)
    notes = (f"{dropped} of the test links are also seeds and were left out",) if dropped else ()
    return EntityFolder(one, other, seeds, kept, valid, notes)


def _by_ids(folder: Path, side: str) -> RawGraph:
    """One side in the layout with numbers."""
    numbers: dict[str, int] = {}
    entities: list[str] = []
    for where, (number, iri) in _rows(folder, f"ent_ids_{side}", 2):
        if number in numbers:
            raise DataError(f"the number {number} is given twice", where=where)
        numbers[number] = len(entities)
        entities.append(iri)
    known = (
        dict(row for _, row in _rows(folder, f"rel_ids_{side}", 2))
        if _there(folder, f"rel_ids_{side}")
        else {}
    )
    relations: dict[str, int] = {}
    triples: list[tuple[int, int, int]] = []
    for where, (subject, relation, object_) in _rows(folder, f"triples_{side}", 3):
        if subject not in numbers or object_ not in numbers:
            missing = subject if subject not in numbers else object_
            raise DataError(f"the entity {missing} is not in ent_ids_{side}", where=where)
        place = relations.setdefault(relation, len(relations))
        triples.append((numbers[subject], place, numbers[object_]))
    named = tuple(known.get(relation, f"relation:{relation}") for relation in relations)
    attributes, values, rows = _attributes(
        folder, side, {iri: at for at, iri in enumerate(entities)}, entities
    )
    return RawGraph(
        f"{folder.name} {side}",
        tuple(entities),
        named,
        _array(triples),
        attributes,
        values,
        rows,
        tuple(numbers),
    )


def _by_iris(folder: Path, side: str, linked: Sequence[str]) -> RawGraph:
    """One side in the layout with IRIs: entities in order of appearance, then those only found in
    links.
    """
    places: dict[str, int] = {}
    relations: dict[str, int] = {}
    triples = [
        (
            places.setdefault(subject, len(places)),
            relations.setdefault(relation, len(relations)),
            places.setdefault(object_, len(places)),
        )
        for _, (subject, relation, object_) in _rows(folder, f"rel_triples_{side}", 3)
    ]
    for iri in linked:
        places.setdefault(iri, len(places))
    entities = list(places)
    attributes, values, rows = _attributes(folder, side, places, entities)
    return RawGraph(
        f"{folder.name} {side}",
        tuple(entities),
        tuple(relations),
        _array(triples),
        attributes,
        values,
        rows,
    )


def _attributes(
    folder: Path, side: str, places: dict[str, int], entities: list[str]
) -> tuple[tuple[str, ...], tuple[tuple[str, str, str], ...], Integers]:
    """Attribute names, values and triples.

    An entity of OpenEA's ``attr_triples`` that has attributes only is added to ``entities``; what
    other files say of entities that are not in the folder is left out. Files that list attributes
    without values (``training_attrs_1``) are ignored.
    """
    attributes: dict[str, int] = {}
    values: dict[tuple[str, str, str], int] = {}
    rows = []
    grows = _there(folder, f"attr_triples_{side}")
    for iri, attribute, value in _stated_values(folder, side):
        if iri not in places:
            if not grows:
                continue
            places[iri] = len(entities)
            entities.append(iri)
        at = attributes.setdefault(attribute, len(attributes))
        rows.append((places[iri], at, values.setdefault(value, len(values))))
    return tuple(attributes), tuple(values), _array(rows)


def _stated_values(folder: Path, side: str) -> Iterator[tuple[str, str, tuple[str, str, str]]]:
    """Entity, attribute and value of every line of a folder's files of attributes.

    OpenEA has ``attr_triples_1``, BERT-INT ``new_att_triples_1`` (with the datatype in a fourth
    column), JAPE ``zh_att_triples`` and ``en_att_triples``, statements as in N-Triples: those
    hold one side each, which is told by its entities.
    """
    if _there(folder, f"attr_triples_{side}"):
        for _, (iri, attribute, text) in _rows(folder, f"attr_triples_{side}", 3):
            yield iri, attribute, _value(text)
    elif _there(folder, f"new_att_triples_{side}"):
        for _, columns in _rows(folder, f"new_att_triples_{side}", 3, more=True):
            iri, attribute, text, *datatype = columns
            plain, language, stated = _value(text)
            yield iri, attribute, (plain, language, stated or "".join(datatype[:1]))
    else:
        for file in sorted(folder.glob("[a-z][a-z]_att_triples*")):
            for where, (line,) in _rows(folder, file.name.removesuffix(".gz"), 1):
                statement = _STATEMENT.fullmatch(line.strip())
                if statement is None:
                    raise DataError(
                        "a line is no statement",
                        where=where,
                        fix='A line reads <entity> <attribute> "value"@en .',
                    )
                yield statement[1], statement[2], _value(statement[3])


def _value(text: str) -> tuple[str, str, str]:
    """Text, language and datatype of a value: quoted as in N-Triples, or bare."""
    found = _LITERAL.fullmatch(text.strip())
    if found is None:
        return text, "", ""
    return found[1], (found[2] or "").lower(), found[3] or ""


Numbered: TypeAlias = tuple[dict[str, str], dict[str, str]]


def _links(folder: Path, fold: int, names: Numbered | None) -> dict[str, Links]:
    """Links by use, read from the folder itself or from the chosen fold."""
    folds = sorted(path for path in folder.glob("*_5fold") if path.is_dir())
    homes = [folder, *([folds[0] / str(fold)] if folds else [])]
    if folds and not homes[1].is_dir():
        raise DataError(
            f"there is no fold {fold}", where=str(folds[0]), fix="Folds are numbered from 1."
        )
    found: dict[str, Links] = {}
    for use, files in _LINK_FILES.items():
        place = next(((home, name) for home in homes for name in files if _there(home, name)), None)
        found[use] = tuple(_pairs(*place, names)) if place else ()
    return found


def _pairs(folder: Path, name: str, names: Numbered | None) -> Iterator[tuple[str, str]]:
    for where, (source, target) in _rows(folder, name, 2):
        if names is None:
            yield source, target
        elif source in names[0] and target in names[1]:
            yield names[0][source], names[1][target]
        else:
            missing, side = (source, 1) if source not in names[0] else (target, 2)
            raise DataError(
                f"the number {missing} is not in ent_ids_{side}",
                where=where,
                fix="The first column of a link is an entity of side 1, the second of side 2, of the same copy.",
            )


def read_links(path: Path | str) -> Links:
    """Pairs of IRIs (or numbers) from a file with one link a line: source TAB target; further
    columns are ignored.

    A header line (``source``, ``target``) is skipped.
    """
    file = Path(path)
    rows = [row for _, row in _rows(file.parent, file.name, 2, more=True)]
    if rows and [cell.strip().lower() for cell in rows[0][:2]] in (
        ["source", "target"],
        ["left", "right"],
    ):
        rows = rows[1:]
    return tuple((source, target) for source, target, *_ in rows)


def read_candidates(path: Path | str) -> Links:
    """Candidate pairs from a file: source TAB target, or source TAB rank TAB target as ``--ranking``
    writes them.
    """
    file = Path(path)
    found = []
    for _, (source, second, *rest) in _rows(file.parent, file.name, 2, more=True):
        ranked = bool(rest) and second.isdigit() and not rest[0].replace(".", "", 1).isdigit()
        found.append((source, rest[0] if ranked else second))
    heads = {("source", "target"), ("left", "right"), ("source", "rank")}
    if found and tuple(cell.strip().lower() for cell in found[0]) in heads:
        found = found[1:]
    return tuple(found)


def _there(folder: Path, name: str) -> bool:
    return packed_or_plain(folder / name) is not None


def _rows(
    folder: Path, name: str, width: int, *, more: bool = False
) -> Iterator[tuple[str, list[str]]]:
    """The position of each line and its columns; unless ``more``, the last column takes the rest of
    the line.
    """
    path = packed_or_plain(folder / name)
    if path is None:
        raise DataError(
            f"there is no file {name}, nor {name}.gz",
            where=folder,
            fix="All files of a folder are needed; check that the download is complete.",
        )
    try:
        with open_text(path) as lines:
            for number, line in enumerate(_plain(lines), start=1):
                if not line:
                    continue
                columns = line.split("\t") if more else line.split("\t", width - 1)
                if len(columns) < width:
                    raise DataError(
                        f"a line has {len(columns)} columns, not {width}",
                        where=f"{path}:{number}",
                        fix="Columns are parted by a single tab.",
                    )
                yield f"{path}:{number}", columns
    except UnicodeDecodeError as error:
        raise DataError("it is not UTF-8 text", where=path, details=str(error)) from error
    except (OSError, EOFError) as error:
        raise DataError(f"it cannot be read: {error}", where=path) from error


def _plain(lines: Iterable[str]) -> Iterator[str]:
    """Lines without line ends and byte order mark; nothing else is stripped, since IRIs are raw."""
    for number, line in enumerate(lines):
        line = line.rstrip("\r\n")
        yield line.removeprefix("\ufeff") if number == 0 else line


def _array(rows: Sequence[tuple[int, int, int]]) -> Integers:
    return np.array(rows, dtype=np.int32).reshape(-1, 3)
