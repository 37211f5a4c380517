"""Metrics of graph construction: records read from the graph by fixed queries, compared slot by
slot.

The published evaluation counts an empty slot that should be empty as a hit, and ignores the false
positives of chemicals after one hit; ``mode="legacy"`` does the same. ``strict`` does neither:
slots empty on both sides do not count, and every error does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal as OneOf
from typing import TypeAlias

import numpy as np
from pyparsing import ParseBaseException
from rdflib import Graph, Literal
from rdflib.namespace import XSD
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.sparql import Query

from kgnb.errors import DataError
from kgnb.evaluate.alignment import Score

Record: TypeAlias = Mapping[str, Sequence[str]]
Mode = OneOf["strict", "legacy"]
EMPTY = frozenset({"", "n/a", "na", "none", "null", "-1", "unknown", "not specified"})
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?![\w.]*\d)")


@dataclass(frozen=True)
class Extraction:
    """The scores of values over all records, and slot by slot."""

    total: Score
    slots: Mapping[str, Score]
    found: int  # records
    wanted: int


def normalised(value: object) -> str:
    """A value normalised for comparison: compatibility forms, no case, single spaces, plain
    numbers, no final dot.

    >>> normalised(" 5.0  mL. "), normalised("N/A"), normalised("97418 3") == normalised("974183")
    ('5 ml', '', False)
    """
    text = unicodedata.normalize("NFKC", str(value)).casefold().replace("−", "-").replace("–", "-")
    text = " ".join(text.split()).strip(" \"'.,;")
    text = _NUMBER.sub(lambda match: _plain_number(match[0]), text)
    return "" if text in EMPTY else text


def _plain_number(text: str) -> str:
    whole = text.rstrip("0").rstrip(".") if "." in text else text
    return whole.lstrip("+") or "0"


def read_records(graph: Graph, query: str) -> tuple[dict[str, tuple[str, ...]], ...]:
    """The records a SELECT query finds: one for each ``?record``, each other variable a slot with
    all its values.

    Raises:
        ValueError: the query has no variable ``?record``.
    """
    return tuple(records_by_iri(graph, query).values())


def records_by_iri(graph: Graph, query: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """The same, by what ``?record`` is."""
    bound = tuple(sorted((prefix, str(namespace)) for prefix, namespace in graph.namespaces()))
    rows = graph.query(_prepared(query, bound))
    names = [str(name) for name in rows.vars or ()]
    if "record" not in names:
        raise ValueError("the query has to select ?record")
    found: dict[str, dict[str, set[str]]] = {}
    for row in rows:
        values = dict(zip(names, row, strict=True))  # type: ignore[arg-type]  # a row of a SELECT is a tuple
        slots = found.setdefault(
            str(values.pop("record")), {name: set() for name in names if name != "record"}
        )
        for name, value in values.items():
            if value is not None:
                slots[name].add(_text(value))
    return {
        key: {name: tuple(sorted(values)) for name, values in found[key].items()}
        for key in sorted(found)
    }


@lru_cache(maxsize=64)
def _prepared(query: str, prefixes: tuple[tuple[str, str], ...]) -> Query:
    """The parsed query; parsing takes longer than running it on a small graph.

    Raises:
        DataError: it is no SPARQL, or uses a prefix that nothing declares.
    """
    bare = _QUOTED.sub(" ", query)
    declared = {*dict(prefixes), *re.findall(r"(?i)\bprefix\s+([\w.-]*):", bare)}
    if unknown := sorted({*_PREFIXED.findall(bare)} - declared):
        fix = f"Write PREFIX {unknown[0]}: <IRI> above it."
        raise DataError(f"it has no prefix {unknown[0]}:", where=_shown(query), fix=fix)
    try:
        return prepareQuery(query, initNs=dict(prefixes))
    except ParseBaseException as error:
        raise DataError(f"this is no SPARQL query: {error}", where=_shown(query)) from error


_QUOTED = re.compile(r"<[^<>\s]*>|\"[^\"\n]*\"|'[^'\n]*'|#[^\n]*")
_PREFIXED = re.compile(r"(?<![\w:?$-])([A-Za-z][\w-]*):(?=\w)")


def _shown(query: str) -> str:
    return f"the query {' '.join(query.split())[:80]}"


def _text(value: object) -> str:
    if isinstance(value, Literal) and value.datatype == XSD.boolean:
        return "true" if value.toPython() else "false"
    return str(value)


def score_records(
    found: Sequence[Record],
    wanted: Sequence[Record],
    *,
    alternatives: Iterable[str] = (),
    forgiving: Iterable[str] = (),
    mode: Mode = "strict",
) -> Extraction:
    """Records compared one-to-one, by the assignment with the most agreeing values.

    Args:
        alternatives: slots whose wanted values are names of one thing: one of them is enough, and
            more than one counts once.
        forgiving: slots whose false values legacy mode ignores once one value was right (the
            paper's chemicals).
        mode: strict, or legacy for figures that compare with the published ones.

    >>> wanted = [{"name": ["barley"], "amount": ["400 g"]}, {"name": ["leek"], "amount": [""]}]
    >>> score_records([{"name": ["Barley"], "amount": ["4 g"]}], wanted).total
    Score(tp=1, fp=1, fn=2)
    """
    either, forgetting, legacy = frozenset(alternatives), frozenset(forgiving), mode == "legacy"
    slots, laid = _laid(found, wanted, either)
    counts = dict.fromkeys(slots, Score())
    for one, other, mine, theirs in laid:
        both = one is not None and other is not None
        for name in slots:
            counts[name] += _slot(
                mine[name], theirs[name], name in either, legacy, name in forgetting, both
            )
    return Extraction(sum(counts.values(), Score()), counts, len(found), len(wanted))


@dataclass(frozen=True)
class Difference:
    """Two assigned records that disagree, or one record without a counterpart."""

    found: Record | None
    wanted: Record | None
    slots: tuple[str, ...]  # those that differ


def differences(
    found: Sequence[Record], wanted: Sequence[Record], *, alternatives: Iterable[str] = ()
) -> list[Difference]:
    """The reasons for strict scores below 1: records that differ, then missing ones, then
    superfluous ones.

    >>> [one.slots for one in differences([{"name": ["leek"], "amount": ["2"]}], [{"name": ["Leek"], "amount": ["3"]}])]
    [('amount',)]
    """
    either = frozenset(alternatives)
    slots, laid = _laid(found, wanted, either)
    told = []
    for one, other, mine, theirs in laid:
        both = one is not None and other is not None
        scores = {
            name: _slot(mine[name], theirs[name], name in either, False, False, both)
            for name in slots
        }
        if wrong := tuple(name for name, score in scores.items() if score.fp or score.fn):
            told.append(Difference(one, other, wrong))
    return told


_Normal: TypeAlias = dict[str, frozenset[str]]


def _laid(
    found: Sequence[Record], wanted: Sequence[Record], either: frozenset[str]
) -> tuple[list[str], list[tuple[Record | None, Record | None, _Normal, _Normal]]]:
    """The slots of both sides, and the records side by side: assigned pairs, missing ones, then
    superfluous ones.
    """
    slots = list(dict.fromkeys(name for record in (*wanted, *found) for name in record))
    left, right = (
        [_normal(record, slots) for record in found],
        [_normal(record, slots) for record in wanted],
    )
    pairs, nothing = _assigned(left, right, either), dict.fromkeys(slots, frozenset[str]())
    ours, theirs = {one for one, _ in pairs}, {other for _, other in pairs}
    return slots, [
        *((found[one], wanted[other], left[one], right[other]) for one, other in pairs),
        *((None, wanted[at], nothing, right[at]) for at in range(len(right)) if at not in theirs),
        *((found[at], None, left[at], nothing) for at in range(len(left)) if at not in ours),
    ]


def _normal(record: Record, slots: Sequence[str]) -> _Normal:
    def values(name: str) -> Iterable[str]:
        value = record.get(name, ())
        return [value] if isinstance(value, str) else value

    return {name: frozenset(filter(None, map(normalised, values(name)))) for name in slots}


def _assigned(
    left: Sequence[_Normal], right: Sequence[_Normal], either: frozenset[str]
) -> list[tuple[int, int]]:
    """The pairs of records with the most values in common, earlier ones on ties; never a pair
    without any.
    """
    if not left or not right:
        return []
    agreeing = np.zeros((len(left), len(right)))
    for row, mine in enumerate(left):
        for column, theirs in enumerate(right):
            agreeing[row, column] = sum(
                min(1, len(mine[name] & theirs[name]))
                if name in either
                else len(mine[name] & theirs[name])
                for name in mine
            )
    tie = np.abs(np.arange(len(left))[:, None] - np.arange(len(right))[None, :]) * 1e-6
    from scipy.optimize import linear_sum_assignment  # slow to import

    rows, columns = linear_sum_assignment(agreeing - tie, maximize=True)
    return [
        (int(row), int(column))
        for row, column in zip(rows, columns, strict=True)
        if agreeing[row, column] > 0
    ]


def _slot(
    mine: frozenset[str],
    theirs: frozenset[str],
    either: bool,
    legacy: bool,
    forgetting: bool,
    both: bool,
) -> Score:
    if not mine and not theirs:
        return Score(1) if legacy and both else Score()
    hits = len(mine & theirs)
    if either and theirs:
        hit = min(1, hits)
        return Score(hit, 0 if hit and (legacy and forgetting) else len(mine - theirs), 1 - hit)
    false = 0 if legacy and forgetting and hits else len(mine - theirs)
    return Score(hits, false, len(theirs - mine))
