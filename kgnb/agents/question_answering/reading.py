"""A reading: one way to understand a question as a pattern over the relations of the graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf

from kgnb.kg.terms import RDF, Iri, Literal, Term, Triple

TYPE = Iri(f"{RDF}type")

Form = OneOf["values", "count", "exists", "most", "least"]


@dataclass(frozen=True)
class Hop:
    """One relation followed, against its direction if ``inverse``."""

    relation: Iri
    inverse: bool = False


@dataclass(frozen=True)
class Condition:
    """What is said of the values besides: ``entity`` lies at the end of ``hops`` from each of them."""

    hops: tuple[Hop, ...]
    entity: Iri


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
    typed_by: Iri = TYPE  # the relation that says so
    by: tuple[Hop, ...] = ()  # from a value to what it is ordered or compared by
    counted: bool = False  # ordered by how many there are at ``by``, not by what is there
    operator: str = ""  # of a comparison: > < >= <= =
    bound: Literal | None = None  # what it is compared with
    target: Term | None = None  # of "exists"
    nearby: tuple[Triple, ...] = ()  # of "exists" and "count": what the graph does say there, for a no or a nought
    also: tuple[Condition, ...] = ()  # all of which the values meet
    among: tuple[Iri, ...] = ()  # the values are some of these
    unused: tuple[str, ...] = ()  # words of the question that nothing of it explains well enough
    phrases: tuple[tuple[str, int], ...] = field(
        default=(), compare=False
    )  # what each hop was read from, and its words

    @property
    def iris(self) -> tuple[Iri, ...]:
        """Every entity, class and relation it speaks of."""
        hops = (
            *self.hops,
            *self.by,
            *(hop for condition in self.also for hop in condition.hops),
        )
        ends = (self.start, self.type, *self.among, *(condition.entity for condition in self.also))
        return tuple(iri for iri in (*ends, *(hop.relation for hop in hops)) if iri is not None)
