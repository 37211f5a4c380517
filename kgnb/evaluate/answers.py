"""Metrics of answers: three scores, always reported together, on plain strings (IRIs, literals,
names).

* **legacy-lenient**: a hit when either string contains the other. The only scorer ever released for
  the question files
  of the ODA paper works so; an empty answer always hits. It is here only to compare with published
  figures: show :data:`WARNING` beside it.
* **strict**: the first value, normalised, equals a value of the reference (Hits@1).
* **F1** of the answer set, averaged over all questions, yes/no, counts and lists included.

Where the reference is a table, the values are its first column, and the other columns are measured
cell by cell (:func:`cell_score`).

An answer of ``unsure`` has no values. It is wrong where there is an answer. Over many questions
silence never scores: :func:`measure` takes its scores over the questions that have an answer, and
says apart how many of the others were left unsure.

A value may be given as several names of one thing, ``("http://.../Q42", "Douglas Adams")``: any of
them will do.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

Value: TypeAlias = "str | Collection[str]"
Triple: TypeAlias = tuple[str, str, str]

WARNING = (
    "legacy-lenient as it was released counts an empty answer as a hit, and so scores 100 % for "
    "silence; here an unsure answer is no hit"
)
_YES_NO = {"yes": "true", "no": "false"}
_EDGES = re.compile(r"^[\s\W_]+|[\s\W_]+$")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def normalised(text: str) -> str:
    """A text normalised for comparison: case, width, underscores, spaces and outer punctuation;
    numbers by value.

    An IRI stays as it is.

    >>> normalised(" United_Kingdom. "), normalised("3.0"), normalised("Yes"), normalised("http://huts.example/id/A")
    ('united kingdom', '3', 'true', 'http://huts.example/id/A')
    """
    if re.match(r"https?://|urn:", text.strip()):
        return text.strip()
    plain = unicodedata.normalize("NFKC", text).strip()
    if _NUMBER.fullmatch(plain):
        return _number(plain)
    words = " ".join(re.sub(r"[_\s]+", " ", plain).split()).casefold()
    words = _EDGES.sub("", words) or words  # "?" stays "?"
    return _number(words) if _NUMBER.fullmatch(words) else _YES_NO.get(words, words)


def _number(text: str) -> str:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return text
    if value == 0:
        return "0"
    return f"{value.normalize():f}" if abs(value.adjusted()) < 40 else str(value.normalize())


def lenient(found: Sequence[Value], reference: Sequence[Value]) -> bool:
    """The legacy-lenient score: whether the answer or a reference value contains the other,
    ignoring spaces and case.

    >>> lenient([], ["Paris"]), lenient(["e"], ["Berne"]), lenient(["Rome"], ["Paris"])
    (True, True, False)
    """
    said = _squeezed("; ".join(next(iter(_all(value)), "") for value in found))
    wanted = [_squeezed(name) for value in reference for name in _all(value)]
    return any(said in name or name in said for name in wanted)


def strict(found: Sequence[Value], reference: Sequence[Value]) -> bool:
    """Whether the first value is in the reference (Hits@1); for an empty reference, whether the
    answer is empty.

    >>> strict(["Paris", "Rome"], ["paris"]), strict([""], ["paris"]), strict(["e"], ["Berne"]), strict([], [])
    (True, False, False, True)
    """
    if not reference:
        return not _sets(found)
    first = _names(found[0]) if found else frozenset()
    return any(first & names for names in _sets(reference))


@dataclass(frozen=True, slots=True)
class SetScore:
    """Precision, recall and F1 of one set of answers, each from 0 to 1."""

    precision: float
    recall: float
    f1: float


def set_score(found: Sequence[Value], reference: Sequence[Value]) -> SetScore:
    """Compares the values found with the reference, ignoring order and repeats.

    >>> set_score(["a", "b"], ["b", "c", "d"])
    SetScore(precision=0.5, recall=0.3333333333333333, f1=0.4)
    """
    ours, theirs = _sets(found), _sets(reference)
    wrong = (
        len(found) if not ours else 0
    )  # [""] has no value, but it does not say "there is none" either
    if not theirs:
        right = float(not ours and not wrong)
        return SetScore(right, right, right)
    hits = sum(any(names & other for other in theirs) for names in ours)
    met = sum(any(names & other for other in ours) for names in theirs)
    if not hits:
        return SetScore(0.0, 0.0, 0.0)
    precision, recall = hits / len(ours), met / len(theirs)
    return SetScore(precision, recall, 2 * precision * recall / (precision + recall))


Row: TypeAlias = Sequence[str]
"""A row of a table: the thing it is about, then what is said of it; "" where there is nothing."""


def cell_score(found: Sequence[Row], reference: Sequence[Row]) -> SetScore:
    """Compares two tables cell by cell: the multiset of (first cell, other cell) pairs of each.

    Neither the order of rows nor that of the columns after the first counts; repeats do. Empty
    cells are no cells. A table of one column pairs each cell with itself.

    >>> cell_score([("ada", "Oslo", "7"), ("bob", "Rome", "")], [("bob", "rome"), ("ada", "7.0"), ("eve", "5")])
    SetScore(precision=0.6666666666666666, recall=0.6666666666666666, f1=0.6666666666666666)
    """
    ours, theirs = _cells(found), _cells(reference)
    hits = (ours & theirs).total()
    if not hits:
        right = float(not ours and not theirs)
        return SetScore(right, right, right)
    precision, recall = hits / ours.total(), hits / theirs.total()
    return SetScore(precision, recall, 2 * precision * recall / (precision + recall))


def _cells(rows: Sequence[Row]) -> Counter[tuple[str, str]]:
    cells: Counter[tuple[str, str]] = Counter()
    for key, *others in rows:
        thing = normalised(key)
        cells.update((thing, cell) for cell in map(normalised, others or [key]) if thing and cell)
    return cells


@dataclass(frozen=True, slots=True)
class Support:
    """How many triples an answer cites, how many of them exist, and whether these entail it."""

    cited: int
    existing: int
    entails: bool

    @property
    def precision(self) -> float:
        """Share of the cited triples that are in the graph; 0 where none was cited."""
        return self.existing / self.cited if self.cited else 0.0

    @property
    def holds(self) -> bool:
        """Whether all cited triples exist and entail the answer."""
        return self.entails and self.existing == self.cited > 0


def support(
    triples: Collection[Triple], values: Sequence[str], exists: Callable[[Triple], bool]
) -> Support:
    """Whether cited triples exist and entail the values: every value is an end of one of them.

    A count needs that many subjects, objects or triples; a yes needs at least one triple. A no has
    no triples that prove it: it holds where the cited ones exist.

    >>> hut = ("http://h/a", "http://h/warden", "http://h/ada")
    >>> support([hut], ["http://h/ada"], lambda triple: triple == hut)
    Support(cited=1, existing=1, entails=True)
    >>> support([hut], ["http://h/bob"], lambda triple: False)
    Support(cited=1, existing=0, entails=False)
    """
    known = [triple for triple in dict.fromkeys(triples) if exists(triple)]
    ends = {normalised(end) for subject, _, value in known for end in (subject, value)}
    wanted = [normalised(value) for value in values]
    entails = bool(wanted) and bool(known) and all(value in ends for value in wanted)
    if not entails and len(wanted) == 1 and known:
        entails = wanted[0] in ("true", "false") or wanted[0] in _counts(known)
    return Support(len(set(triples)), len(known), entails)


def _counts(triples: Sequence[Triple]) -> set[str]:
    """The numbers of subjects, objects and triples, by relation and in total."""
    relations = {triple[1] for triple in triples}
    parts = [triples, *([t for t in triples if t[1] == relation] for relation in sorted(relations))]
    return {
        str(n)
        for part in parts
        for n in (len(part), len({t[0] for t in part}), len({t[2] for t in part}))
    }


@dataclass(frozen=True, slots=True)
class Item:
    """One question measured. ``found`` is empty where the system was unsure."""

    found: Sequence[Value]
    reference: Sequence[Value]
    kind: str = ""
    forced: bool = False
    support: Support | None = None
    rows: Sequence[Row] = ()  # of the answer, where it is a table
    table: Sequence[Row] = ()  # the reference, where it is one


@dataclass(frozen=True, slots=True)
class Measures:
    """The scores over some questions, each a share from 0 to 1, with counts.

    The scores are over the questions that have an answer; None where there is no such question.
    """

    questions: int
    lenient: float | None
    strict: float | None
    f1: float | None
    unsure: int  # questions left without an answer
    forced: int  # answers given only because the rounds or the budget were over
    exact: float | None  # the set of values is the reference, no more and no less
    precision: float | None  # exact among all that were answered; None: nothing was
    support: (
        float | None
    )  # share of the answers that rest on triples which exist and give them; None: not looked at
    coverage: float | None  # share of the questions with an answer that were answered
    unanswerable: int = 0  # questions whose reference is empty
    left: float | None = None  # share of these that were left unsure; None: there are none
    tables: int = 0  # questions whose reference is a table; averages over these:
    cell_precision: float | None = None
    cell_recall: float | None = None
    cell_f1: float | None = None

    @property
    def answered(self) -> int:
        """How many were answered."""
        return self.questions - self.unsure

    @property
    def answerable(self) -> int:
        """How many questions have an answer."""
        return self.questions - self.unanswerable


def measure(items: Sequence[Item]) -> Measures:
    """The scores over all items that have an answer: each counts the same, unsure ones included.

    >>> measured = measure([Item(["a"], ["A"]), Item([""], ["b"]), Item([], [])])
    >>> measured.lenient, measured.strict, measured.f1, measured.unanswerable, measured.left
    (0.5, 0.5, 0.5, 1, 1.0)
    """
    answered = [item for item in items if _sets(item.found)]
    looked_at = [item.support for item in answered if item.support is not None]
    answerable = [item for item in items if _sets(item.reference)]
    others = [item for item in items if not _sets(item.reference)]
    f1s = [set_score(item.found, item.reference).f1 for item in answerable]
    exact = [f1 == 1.0 for f1 in f1s]
    cells = [cell_score(item.rows, item.table) for item in items if item.table]
    hits = [bool(_sets(item.found)) and lenient(item.found, item.reference) for item in answerable]
    return Measures(
        questions=len(items),
        lenient=_mean(hits),
        strict=_mean([strict(item.found, item.reference) for item in answerable]),
        f1=_mean(f1s),
        unsure=len(items) - len(answered),
        forced=sum(item.forced for item in items),
        exact=_mean(exact),
        precision=sum(exact) / len(answered) if answered else None,
        support=_mean([each.holds for each in looked_at]),
        coverage=_mean([bool(_sets(item.found)) for item in answerable]),
        unanswerable=len(others),
        left=_mean([not item.found for item in others]),
        tables=len(cells),
        cell_precision=_mean([score.precision for score in cells]),
        cell_recall=_mean([score.recall for score in cells]),
        cell_f1=_mean([score.f1 for score in cells]),
    )


def by_kind(items: Sequence[Item]) -> dict[str, Measures]:
    """The scores by kind of question, in the order in which the kinds first come."""
    kinds = dict.fromkeys(item.kind for item in items)
    return {kind: measure([item for item in items if item.kind == kind]) for kind in kinds}


def is_literal_zero(reference: Sequence[str]) -> bool:
    """Whether the reference is the one number 0.

    This holds for 28 of the 333 QALD-10 answers in the ODA paper's file: counts in the snapshot
    they were made with. A report lists them separately.

    >>> is_literal_zero(["0"]), is_literal_zero(["0", "1"]), is_literal_zero(["0.0"])
    (True, False, False)
    """
    return [value.strip() for value in reference] == ["0"]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _all(value: Value) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _names(value: Value) -> frozenset[str]:
    return frozenset(name for name in map(normalised, _all(value)) if name)


def _sets(values: Sequence[Value]) -> list[frozenset[str]]:
    return list(dict.fromkeys(names for names in map(_names, values) if names))


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text).lower()
