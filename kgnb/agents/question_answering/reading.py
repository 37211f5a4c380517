"""A reading: one way to understand a question as a pattern over the relations of the graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf

from kgnb.kg.terms import Iri, Literal, Term, Triple

Form = OneOf["values", "count", "exists", "most", "least"]


@dataclass(frozen=True)
class Hop:
    """One relation followed, against its direction if ``inverse``."""

    relation: Iri
    inverse: bool = False


@dataclass(frozen=True)
class Reading:
    """What the question is taken to ask: who or what lies at the end of ``hops`` from ``start``.

    ``form`` says what is made of it: the values themselves, their number, whether ``target`` is among them (or there is
    any), those with the highest or lowest value at ``by``.
    """

    start: Iri | None
    hops: tuple[Hop, ...] = ()
    form: Form = "values"
    score: float = 0.0  # log likelihood of the wording: higher is better, 0 is perfect
    confidence: float = 0.0
    explanation: str = ""  # which words of the question stand for what
    type: Iri | None = None  # the class the values belong to
    by: tuple[Hop, ...] = ()  # from a value to what it is ordered or compared by
    counted: bool = False  # ordered by how many there are at ``by``, not by what is there
    operator: str = ""  # of a comparison: > < >= <= =
    bound: Literal | None = None  # what it is compared with
    target: Term | None = None  # of "exists"
    nearby: tuple[Triple, ...] = ()  # of "exists" and "count": what the graph does say there, for a no or a nought
    phrases: tuple[tuple[str, int], ...] = field(
        default=(), compare=False
    )  # what each hop was read from, and its words
