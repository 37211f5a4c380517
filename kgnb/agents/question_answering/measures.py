"""Values put in order or held to a bound: the highest hut, the films after 1970, the one of two that is older."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kgnb.agents.question_answering.forms import Shape
from kgnb.agents.question_answering.kinds import is_date, is_year, kind_of
from kgnb.agents.question_answering.lexicon import is_relation
from kgnb.agents.question_answering.link import directory
from kgnb.agents.question_answering.patterns import IN_YEAR, body
from kgnb.agents.question_answering.phrases import Phrase, says
from kgnb.agents.question_answering.reading import TYPE, Hop, Reading
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Link
from kgnb.errors import BackendError
from kgnb.kg.terms import XSD, Iri, Literal, Term

_TRIED = 3  # measures of one reading that are offered
_ALONE = 0.7  # how sure at least it is that the only date there is is meant


@dataclass(frozen=True)
class Way:
    """A relation that values can be ordered by: how near it is to the words, and what it leads to."""

    hop: Hop
    near: float
    kind: str
    sure: float
    sample: Term | None = None


def measured(state: State, shape: Shape, bases: Sequence[Reading], nouns: Sequence[Link] = ()) -> list[Reading]:
    """Values ordered or compared by a relation of theirs that fits the words; ``nouns``: classes there is most of."""
    made: list[Reading] = []
    for base in bases:
        for way in measures(state, base, shape, nouns)[:_TRIED]:
            name = state.desk.lexicon.name(way.hop.relation)
            found = replace(
                base,
                by=(way.hop,),
                score=base.score + (way.near - 1.0) * 2,
                confidence=min(base.confidence, way.sure),
            )
            if shape.operator:
                bound = bound_of(way.sample, shape.bound, shape.operator)
                said = f"{base.explanation}; {name} {shape.operator} {shape.bound}"
                made.append(replace(found, operator=shape.operator, bound=bound, explanation=said))
            elif shape.form in ("most", "least"):
                said = f"{base.explanation}; the {'highest' if shape.form == 'most' else 'lowest'} {name}"
                made.append(replace(found, form=shape.form, counted=way.kind == "thing", explanation=said))
    return made


def measures(state: State, base: Reading, shape: Shape, nouns: Sequence[Link] = ()) -> list[Way]:
    """The relations values can be ordered by, those that fit the words best first."""
    desk = state.desk
    ways = _ways(state, base)
    desk.lexicon.meet((hop.relation, sample) for hop, _, sample in ways if not hop.inverse)
    fit = desk.lexicon.fit(Phrase(shape.measure, 1))
    dated = shape.measure.startswith(("When", "What is the date")) or shape.operator == IN_YEAR
    found: list[Way] = []
    for hop, _, sample in ways:
        kind = kind_of(sample)
        near = fit.near[hop.relation]
        if dated and kind == "number" and is_year(sample):
            kind, near = "date", near - 0.05  # "1908" as a plain number
        if kind == "text" or (dated and kind != "date") or (not dated and kind == "date"):
            continue
        if kind == "thing":
            if not shape.noun or shape.operator:
                continue
            near = 0.9 if _is_a(state, sample, nouns) else near - 0.3
            near -= 0.1 * (hop.inverse and not nouns)
        found.append(Way(hop, near, kind, sure_of(near), sample))
    found.sort(key=lambda way: (-way.near, way.hop.relation, way.hop.inverse))
    if dated and len(found) == 1:
        found = [replace(found[0], near=max(found[0].near, 0.5), sure=max(found[0].sure, _ALONE))]
    return found


def _ways(state: State, base: Reading) -> tuple[tuple[Hop, int, Term | None], ...]:
    hood = state.desk.hood
    ways: tuple[tuple[Hop, int, Term | None], ...] = ()
    if base.start is not None:
        ways = hood.ways(base.start, base.hops).hops
    elif base.among:
        ways = hood.ways(base.among[0]).hops
    elif base.type is not None:
        ways = hood.ways(base.type, (Hop(base.typed_by, inverse=True),)).hops
    if not ways and base.start is None and not base.among:  # instances of subclasses only, or of no class
        ways = tuple((Hop(iri), count, sample) for iri, count, sample in hood.vocabulary())
    return tuple(way for way in ways if is_relation(way[0].relation))


def _is_a(state: State, sample: Term | None, nouns: Sequence[Link]) -> bool:
    if not nouns or not isinstance(sample, Iri):
        return False
    return any(asked(state, body(of_class(state, Reading(None, among=(sample,)), noun.iri))) for noun in nouns)


def asked(state: State, where: str) -> bool:
    """Whether a graph pattern matches anything; asked once."""
    desk = state.desk
    key = ("asked", where)
    if key not in desk.memo:
        desk.hood.asked += 1
        try:
            desk.memo[key] = desk.graph.ask(f"ASK {{ {where} }}", timeout=desk.hood.timeout)
        except BackendError:
            return False
    return bool(desk.memo[key])


def of_class(state: State, reading: Reading, kind: Iri) -> Reading:
    """The reading with its values held to a class, as this graph says it."""
    return replace(reading, type=kind, typed_by=directory(state).classes().get(kind, TYPE))


def most_of(state: State, shape: Shape, noun: Link) -> list[Reading]:
    """Who or what has the most members of a class: "Who directed the most films?", read from the films."""
    desk = state.desk
    said = [token.lower() for token in shape.sentence if token[:1].isalnum()]
    if not any(map(says, said)):
        return []
    ways = _ways(state, of_class(state, Reading(None), noun.iri))
    desk.lexicon.meet((hop.relation, sample) for hop, _, sample in ways if not hop.inverse)
    fit = desk.lexicon.fit(Phrase(f"{' '.join(said)} X?".capitalize().replace(" x?", " X?"), 1))
    found = []
    for hop, _, sample in ways:
        if kind_of(sample) != "thing" or hop.relation not in fit.near:
            continue
        near = fit.near[hop.relation]
        back = Hop(hop.relation, not hop.inverse)
        name = desk.lexicon.name(hop.relation)
        found.append(
            Reading(
                None, (), shape.form, (near - 1) * 2, sure_of(near), f"most {noun.label} by {name}", by=(back,),
                counted=True,
            )
        )  # fmt: skip
    return sorted(found, key=lambda reading: (-reading.score, reading.explanation))[:_TRIED]


def bound_of(sample: Term | None, text: str, operator: str = "=") -> Literal:
    """A number, or a day where the relation has days: "after 1970" begins when that year is over."""
    datatype = sample.datatype if isinstance(sample, Literal) else None
    if operator == IN_YEAR:
        return Literal(text)
    late = operator in (">", "<=")
    if datatype == f"{XSD}date":
        return Literal(f"{text}-12-31" if late else f"{text}-01-01", datatype=datatype)
    if datatype in (f"{XSD}dateTime", f"{XSD}dateTimeStamp"):
        zone = "Z" if isinstance(sample, Literal) and sample.text.endswith("Z") else ""
        return Literal(f"{text}-12-31T23:59:59{zone}" if late else f"{text}-01-01T00:00:00{zone}", datatype=datatype)
    if is_date(datatype):
        return Literal(text, datatype=datatype)
    return Literal(text, datatype=f"{XSD}decimal" if "." in text else f"{XSD}integer")


def sure_of(near: float) -> float:
    """How sure it is that names so near mean the same measure (0 to 1)."""
    return float(1.0 / (1.0 + np.exp(-(near - 0.15) / 0.05)))
