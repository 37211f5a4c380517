"""An interpretation: one way to read a question as a pattern over the graph's relations, and its
SPARQL.

All terms are written by ``n3``, which rejects anything that could terminate an IRI or a string
early.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal as OneOf

from kgnb.kg.terms import OWL, RDF, RDFS, Iri, Literal, Term, Triple, n3
from kgnb.kg.words import key

TYPE = Iri(f"{RDF}type")

Form = OneOf["values", "count", "exists", "most", "least", "total", "average"]
Comparing = OneOf["", "numbers", "dates"]
COUPLE = frozenset(["husband", "wife"])
"""The two words of one relation that leads there and back, where "a friend of a friend" does not."""


@dataclass(frozen=True)
class Hop:
    """One step along a relation, against its direction if ``inverse``."""

    relation: Iri
    inverse: bool = False


@dataclass(frozen=True)
class Condition:
    """A further condition on the values: ``hops`` lead from each of them to ``entity``."""

    hops: tuple[Hop, ...]
    entity: Iri


@dataclass(frozen=True)
class Interpretation:
    """What the question is taken to ask: who or what is at the end of ``hops`` from ``start``.

    ``form`` says what to return: the values, their number, whether ``target`` (or anything) is
    among them, those with the highest or lowest value at ``by``, or what these values come to.
    """

    start: Iri | None
    hops: tuple[Hop, ...] = ()
    form: Form = "values"
    score: float = 0.0  # log likelihood of the wording: higher is better, 0 is perfect
    confidence: float = 0.0
    explanation: str = ""  # which words of the question mean what
    type: Iri | None = None  # the class the values belong to
    typed_by: Iri = TYPE  # the relation from a value to its class
    by: tuple[Hop, ...] = ()  # from a value to what orders or bounds it
    counted: bool = False  # ordered by the number of ends of ``by``, not by their values
    operator: str = ""  # of the comparison: > < >= <= = in, "in language"
    bound: Literal | None = None  # what the values are compared with
    target: Term | None = None  # for "exists"
    nearby: tuple[
        Triple, ...
    ] = ()  # for "exists" and "count": existing triples, as proof of "no" or zero
    also: tuple[Condition, ...] = ()  # conditions that every value meets
    among: tuple[Iri, ...] = ()  # the candidates for the values
    # for a measure with values of several kinds: only numbers compete, or dates as they are written
    comparing: Comparing = ""
    axioms: bool = False  # the one hop is said of every member of a class by its restrictions
    left_out: str = ""  # what does not compete, in words
    shared: bool = False  # its path leads to what the start has, and back to what else has it
    denied: bool = False  # the members of ``type`` that its path does not lead to
    lacking: Hop | None = None  # what no value has
    grounds: tuple[Triple, ...] = ()  # what makes its start the one that is asked about
    unused: tuple[str, ...] = ()  # words of the question that it does not explain
    # whether a relation of it is one of several that no word of the question tells apart
    guessed: bool = field(default=False, compare=False)
    # the phrase each hop was read from, and its number of words
    phrases: tuple[tuple[str, int], ...] = field(default=(), compare=False)

    @property
    def iris(self) -> tuple[Iri, ...]:
        """Every entity, class and relation in it, except the target."""
        hops = [*self.hops, *self.by, *(hop for condition in self.also for hop in condition.hops)]
        hops += [self.lacking] if self.lacking else []
        every = (*self.entities, self.type, *(hop.relation for hop in hops))
        return tuple(iri for iri in every if iri is not None)

    @property
    def undone(self) -> tuple[str, ...]:
        """Which nodes of the path would be one, in SPARQL, if the second of two equal steps led back:
        nobody is a friend of a friend of himself. Whose husband's wife is asked for, one relation in
        two words, is asked for herself.
        """
        start = n3(self.start) if self.start is not None else "?start"
        if self.shared:
            return (f"?answer = {start}",)
        nodes = [start, *(f"?v{place}" for place in range(1, len(self.hops))), "?answer"]
        return tuple(
            f"{nodes[at]} = {nodes[at + 2]}"
            for at, (one, other) in enumerate(pairwise(self.hops))
            if one == other and not self._of_a_couple(at)
        )

    def _of_a_couple(self, at: int) -> bool:
        """Whether a step and the next one are said in the two words of a couple."""
        said = [COUPLE.intersection(key(text)) for text, _ in self.phrases[at : at + 2]]
        return len(said) == 2 and all(said) and said[0].isdisjoint(said[1])

    @property
    def entities(self) -> tuple[Iri, ...]:
        """Every entity in it, except the target."""
        ends = (self.start, *self.among, *(condition.entity for condition in self.also))
        return tuple(iri for iri in ends if iri is not None)


OPERATORS = (">", "<", ">=", "<=", "=")
IN_YEAR = "in"
"""The operator for a bound that is a year; works with every type of date."""
IN_LANGUAGE = "in language"
"""The operator for a bound that is the tag of the language that a text is in, or ""."""


def pattern(start: Iri | str, hops: Sequence[Hop], last: str = "", between: str = "?v") -> str:
    """The triple patterns of a path from an entity or a variable; ``last`` is the term at its end.

    >>> pattern(Iri("http://huts.example/id/ottertal"), [Hop(Iri("http://huts.example/valley"), inverse=True)])
    '?v1 <http://huts.example/valley> <http://huts.example/id/ottertal> .'
    """
    here = n3(start) if isinstance(start, Iri) else start
    parts: list[str] = []
    for place, hop in enumerate(hops, start=1):
        there = last if last and place == len(hops) else f"{between}{place}"
        subject, object_ = (there, here) if hop.inverse else (here, there)
        parts.append(f"{subject} {n3(hop.relation)} {object_} .")
        here = there
    return " ".join(parts)


def path_query(start: Iri, hops: Sequence[Hop], extra: str = "") -> str:
    """A query for every node along a path, in order."""
    nodes = " ".join(f"?v{place}" for place in range(1, len(hops) + 1))
    return f"SELECT DISTINCT {nodes} WHERE {{ {pattern(start, hops)} {extra}}} ORDER BY {nodes}"


SUBCLASS = {"http://www.wikidata.org/prop/direct/P31": "http://www.wikidata.org/prop/direct/P279"}
"""The subclass relation that goes with each type relation other than RDF's."""


def of_type(variable: str, kind: Iri, typed_by: Iri = TYPE) -> str:
    """The pattern for a value that belongs to a class or one of its subclasses."""
    # two patterns, not one path, so that the type itself can be shown as proof
    wider = SUBCLASS.get(typed_by, f"{RDFS}subClassOf")
    return f"{variable} {n3(typed_by)} ?kind . ?kind <{wider}>* {n3(kind)} ."


ABOVE = (
    f"(<{RDFS}subClassOf>|<{OWL}equivalentClass>|<{OWL}intersectionOf>/<{RDF}rest>*/<{RDF}first>)*"
)
"""The path from a class to all that its members belong to by the axioms, nameless classes too."""


def _said_of_class(start: Iri, hop: Hop) -> str:
    """The pattern for what restrictions say that every member of a class is related to.

    What is related to some mouse is related to some animal, and what holds of a class holds of
    those below it: both follow from the axioms (OWL 2 Direct Semantics, section 2.2).
    """
    cls, value = ("?answer", "?value") if hop.inverse else (n3(start), "?answer")
    some = ", ".join(f"<{OWL}{name}>" for name in ("someValuesFrom", "hasValue", "onClass"))
    least = f"<{OWL}minQualifiedCardinality>|<{OWL}qualifiedCardinality>"
    parts = [
        f"?restriction <{OWL}onProperty> {n3(hop.relation)} . ?restriction ?how {value} .",
        f"FILTER (?how IN ({some}))",
        f"FILTER (?how != <{OWL}onClass> || EXISTS {{ ?restriction {least} ?n FILTER (?n > 0) }})",
        f"?value <{RDFS}subClassOf>* {n3(start)} ." if hop.inverse else "",
        f"{cls} {ABOVE} ?restriction . FILTER (!isBlank(?answer))",
        f"OPTIONAL {{ ?class <{RDFS}subClassOf> ?restriction }}",
    ]
    return " ".join(filter(None, parts))


def body(candidate: Interpretation) -> str:
    """The graph pattern of an interpretation: ``?answer`` for its values, ``?by`` for what orders
    or bounds them.
    """
    parts: list[str] = []
    if candidate.among:
        parts.append(f"VALUES ?answer {{ {' '.join(map(n3, candidate.among))} }}")
    if candidate.start is not None and candidate.axioms:
        parts.append(_said_of_class(candidate.start, candidate.hops[0]))
    elif candidate.denied and candidate.start is not None:
        first = candidate.hops[-1]  # seen from the answer
        parts.append(pattern("?answer", (Hop(first.relation, not first.inverse),), "?other"))
        path = pattern(candidate.start, candidate.hops, "?answer")
        parts.append(f"FILTER (?answer != {n3(candidate.start)})")
        parts.append(f"FILTER NOT EXISTS {{ {path} }}")
    elif candidate.start is not None and candidate.hops:
        parts.append(pattern(candidate.start, candidate.hops, "?answer"))
        parts += [f"FILTER (!({same}))" for same in candidate.undone]
    for number, condition in enumerate(candidate.also):
        parts.append(pattern("?answer", condition.hops, n3(condition.entity), f"?c{number}_"))
    if candidate.type is not None:
        parts.append(of_type("?answer", candidate.type, candidate.typed_by))
    if candidate.lacking is not None:
        parts.append(f"FILTER NOT EXISTS {{ {pattern('?answer', (candidate.lacking,))} }}")
    if candidate.by:
        measured = "?at" if candidate.comparing == "dates" else "?by"
        parts.append(pattern("?answer", candidate.by, measured, "?b"))
    if candidate.comparing == "numbers":
        parts.append("FILTER (isNumeric(?by))")
    elif candidate.comparing == "dates":
        # dates, months and years compare as texts, and as nothing else
        parts.append('BIND (STR(?at) AS ?by) FILTER (REGEX(?by, "^[0-9]{4}(-|$)"))')
    if candidate.bound is not None:
        compared = "?by" if candidate.by else "?answer"
        if candidate.operator == IN_YEAR:
            parts.append(
                f"FILTER (STRSTARTS(STR({compared}), {n3(Literal(candidate.bound.text))}))"
            )
        elif candidate.operator == IN_LANGUAGE:
            parts.append(f"FILTER (LANG({compared}) = {n3(candidate.bound)})")
        elif candidate.operator in OPERATORS:
            parts.append(f"FILTER ({compared} {candidate.operator} {n3(candidate.bound)})")
    return " ".join(parts)


def sparql(candidate: Interpretation) -> str:
    """The query for an interpretation: SELECT ?answer, a COUNT, or ASK."""
    where = body(candidate)
    if candidate.form == "exists":
        asked = where
        if candidate.target is not None:
            asked = f"{where} FILTER (?answer = {n3(candidate.target)})"
            plain = candidate.type is None and not candidate.by and not candidate.also
            if candidate.start is not None and candidate.hops and plain and not candidate.axioms:
                asked = _ended(candidate)
        return f"ASK {{ {asked} }}"
    if candidate.form == "count":
        return f"SELECT (COUNT(DISTINCT ?answer) AS ?n) WHERE {{ {where} }}"
    if candidate.form in ("total", "average"):
        every = f"SELECT DISTINCT ?answer ?by WHERE {{ {where} }}"
        sum_of = "SUM" if candidate.form == "total" else "AVG"
        return f"SELECT ({sum_of}(?by) AS ?n) WHERE {{ {{ {every} }} }}"
    if candidate.form in ("most", "least"):
        best = "MAX" if candidate.form == "most" else "MIN"
        if candidate.counted:
            all_n, all_m = (
                f"{{ SELECT ?answer (COUNT(DISTINCT ?by) AS {name}) WHERE {{ {where} }} GROUP BY ?answer }}"
                for name in ("?n", "?m")
            )
            extreme = f"{{ SELECT ({best}(?m) AS ?n) WHERE {{ {all_m} }} }}"
            return f"SELECT DISTINCT ?answer WHERE {{ {extreme} {all_n} }} ORDER BY ?answer"
        inner = f"{{ SELECT ({best}(?by) AS ?best) WHERE {{ {where} }} }}"
        return f"SELECT DISTINCT ?answer WHERE {{ {inner} {where} FILTER (?by = ?best) }} ORDER BY ?answer"
    return f"SELECT DISTINCT ?answer WHERE {{ {where} }} ORDER BY ?answer"


def counted_from(candidate: Interpretation, values: Sequence[Term]) -> str:
    """The query whose matches were counted for the winning values: the proof of their count."""
    chosen = " ".join(n3(value) for value in values if isinstance(value, Iri))
    return f"SELECT DISTINCT ?answer WHERE {{ VALUES ?answer {{ {chosen} }} {body(candidate)} }}"


def _ended(candidate: Interpretation) -> str:
    """The path with the target in place of the last variable, a direct lookup for any store."""
    assert candidate.start is not None and candidate.target is not None
    if (
        candidate.hops[-1].relation == candidate.typed_by
        and len(candidate.hops) == 1
        and isinstance(candidate.target, Iri)
    ):
        return of_type(n3(candidate.start), candidate.target, candidate.typed_by)
    return pattern(candidate.start, candidate.hops, n3(candidate.target))
