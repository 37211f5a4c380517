"""The predicates that name things in a graph of its own making: no ``rdfs:label``, but a text that every code has.

Decided from what the graph says, by two bounded queries: a predicate names things where the IRIs are codes that nothing
else names, and its values are short texts that begin like a name, one to each thing and mostly another one each.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from kgnb.errors import BackendError
from kgnb.kg.graph import Solutions
from kgnb.kg.labels import is_code, readable_name
from kgnb.kg.terms import RDF, XSD, Iri, Literal, Term, is_iri, n3
from kgnb.kg.words import words

_TEXTS = (None, f"{XSD}string", f"{RDF}langString")
_TRIED = 8  # predicates that are looked at, those with most triples
_SAMPLE = 200  # triples of each
_PROFILED = 40  # things of each predicate whose names are all read
_FEW = 3  # things that nothing can be said from fewer of
_LONG = 80  # characters that are a sentence rather than a name
_SAID = frozenset(["name", "label", "title"])
"""What a predicate's own name may end in; it only decides between those whose values all look like names."""


@dataclass(frozen=True)
class _Candidate:
    predicate: str
    subjects: tuple[Iri, ...]
    distinct: float  # share of the values that no other thing of the sample has
    length: float  # words of a value
    triples: int

    @property
    def rank(self) -> tuple[bool, float, float, float, str]:
        return (
            not _said(self.predicate),
            -round(self.distinct, 1),
            -min(self.length, 3.0),
            -self.triples,
            self.predicate,
        )


def own_naming(
    select: Callable[[str, int], Solutions],
    vocabulary: Iterable[tuple[Iri, int, Term | None]],
    known: Collection[str],
    passed: Callable[[str], bool],
) -> tuple[str, ...]:
    """The predicates besides the ``known`` ones that name what nothing else names, in the order they were found good.

    Args:
        select: asks a query for at most so many rows.
        vocabulary: predicates with how often each occurs and one value.
        passed: whether a predicate may be one at all.
    """
    counts = {
        str(iri): count
        for iri, count, sample in vocabulary
        if iri not in known
        and passed(iri)
        and is_iri(iri)
        and isinstance(sample, Literal)
        and sample.datatype in _TEXTS
    }
    tried = sorted(counts, key=lambda iri: (-counts[iri], iri))[:_TRIED]
    if not tried:
        return ()
    parts = (
        f"{{ SELECT (<{iri}> AS ?q) ?s ?l WHERE {{ ?s <{iri}> ?l FILTER (isIRI(?s)) }} LIMIT {_SAMPLE} }}"
        for iri in tried
    )
    try:
        rows = select(f"SELECT ?q ?s ?l WHERE {{ {' UNION '.join(parts)} }}", _TRIED * _SAMPLE).rows
        candidates = _candidates(rows, counts)
        if not candidates:
            return ()
        things = " ".join(sorted({n3(iri) for one in candidates for iri in one.subjects[:_PROFILED]}))
        naming = " ".join(f"<{iri}>" for iri in sorted({*known, *(one.predicate for one in candidates)}))
        own = f"VALUES ?s {{ {things} }} VALUES ?q {{ {naming} }} ?s ?q ?l"
        rows = select(f"SELECT ?q ?s ?l WHERE {{ {own} }} ORDER BY ?s ?q ?l", 9_000).rows
    except BackendError:
        return ()  # without names there still are local names
    return tuple(_chosen(candidates, rows, frozenset(known)))


def opaque(iri: str) -> bool:
    """Whether an IRI's last part says nothing of what the thing is called, so that a name is wanted.

    >>> opaque("http://x.example/h17"), opaque("http://x.example/Hochkar_House")
    (True, False)
    """
    local = _local(iri)
    return is_code(local) or any(letter.isdigit() for letter in local)


def _local(iri: str) -> str:
    return re.split(r"[#/:]", iri.rstrip("/#"))[-1]


def _candidates(rows: Sequence[Sequence[Term | None]], counts: dict[str, int]) -> list[_Candidate]:
    pairs: dict[str, set[tuple[Iri, str]]] = defaultdict(set)
    for predicate, thing, value in rows:
        if isinstance(predicate, Iri) and isinstance(thing, Iri) and isinstance(value, Literal):
            pairs[predicate].add((thing, value.text.strip()))
    found = []
    for naming, here in sorted(pairs.items()):
        subjects = sorted({thing for thing, _ in here})
        values = [value for _, value in here]
        codes = sum(opaque(thing) and not _says(thing, value) for thing, value in here)
        named = sum(_like_a_name(value, lower=_said(naming)) for value in values)
        distinct = len(set(values)) / len(values)
        if len(subjects) >= _FEW and codes >= 0.6 * len(here) and named >= 0.8 * len(here) and distinct >= 0.7:
            length = sum(len(value.split()) for value in values) / len(values)
            found.append(_Candidate(naming, tuple(subjects), distinct, length, counts.get(naming, 0)))
    return sorted(found, key=lambda one: one.rank)


def _says(thing: str, value: str) -> bool:
    """Whether the IRI has a word of the value in it."""
    spoken = {word.lower() for word in words(readable_name(_local(thing))) if len(word) > 2}
    return bool(spoken & {word.lower() for word in words(value)})


def _said(predicate: str) -> bool:
    """Whether the predicate says itself that it names."""
    return bool(_SAID & set(words(_local(predicate))[-1:]))


def _like_a_name(text: str, *, lower: bool) -> bool:
    letters = sum(letter.isalpha() for letter in text)
    return (
        0 < len(text) <= _LONG
        and 2 * letters > len(text)
        and (lower or not text[0].islower())
        and not text.endswith(".")
        and "@" not in text
        and "://" not in text
        and not is_code(text)
    )


def _chosen(
    candidates: Sequence[_Candidate], rows: Sequence[Sequence[Term | None]], known: frozenset[str]
) -> list[str]:
    """Those that name, one to each thing, what neither the known ones nor a better one names."""
    values: dict[tuple[str, str | None, str], int] = defaultdict(int)
    has: dict[str, set[str]] = defaultdict(set)
    for predicate, thing, value in rows:
        if isinstance(value, Literal) and predicate is not None and thing is not None:
            values[str(predicate), value.language, str(thing)] += 1
            has[str(thing)].add(str(predicate))
    taken: list[str] = []
    for one in candidates:
        things = one.subjects[:_PROFILED]
        bare = sum(not has[thing] & (known | set(taken)) for thing in things)
        several = [count for (predicate, _, _), count in values.items() if predicate == one.predicate]
        if 2 * bare > len(things) and several and sum(several) <= 1.2 * len(several):
            taken.append(one.predicate)
    return taken
