"""The readings of a question: what it asks for, over the relations around the entities it speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kgnb.agents.question_answering.forms import Shape, shape_of
from kgnb.agents.question_answering.languages import in_english
from kgnb.agents.question_answering.lexicon import is_relation
from kgnb.agents.question_answering.patterns import body
from kgnb.agents.question_answering.phrases import Phrase, find, masked, says, tokens
from kgnb.agents.question_answering.reading import Hop, Reading
from kgnb.agents.question_answering.search import path_readings
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Link
from kgnb.errors import BackendError
from kgnb.kg.terms import RDF, XSD, Iri, Literal, Term, n3

TYPED = 0.4
"""What it adds to a reading, in log likelihood a word, that its values are of the class the question names."""
UNTYPED = 1.5
"""What it costs that none of them is."""
_TRIED = 8  # readings whose values' class is looked at
_LOOKED = 200  # values compared with the words of the question
TYPE = Iri(f"{RDF}type")
_NUMBERS = frozenset(
    XSD + name
    for name in [
        "integer",
        "decimal",
        "double",
        "float",
        "int",
        "long",
        "short",
        "byte",
        "nonNegativeInteger",
        "positiveInteger",
        "nonPositiveInteger",
        "negativeInteger",
        "unsignedInt",
        "unsignedLong",
        "unsignedShort",
        "unsignedByte",
    ]
)
_DATES = frozenset(XSD + name for name in ("date", "dateTime", "gYear", "gYearMonth", "dateTimeStamp"))


def read_question(state: State) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """The readings, best first, and notes on what was not tried."""
    sentence = tokens(state.question.text)
    spans = [span for link in state.linked.links if link.mention and (span := find(link.mention, sentence))]
    shape = shape_of(in_english(sentence, spans))
    things = [link for link in state.linked.links if not _is_class(state, link)]
    classes = [link for link in state.linked.links if _is_class(state, link)]
    if shape.form == "exists":
        found = _yes_or_no(state, shape, things, classes)
    else:
        found = [_answers(state, shape, reading) for reading in _paths(state, shape, things, classes)]
        if shape.measure:
            found = _measured(state, shape, found, classes)
        elif not things:
            found += _members(shape, classes)
        if shape.form == "count":
            found = [_counted(state, shape, reading) for reading in found]
    ranked = sorted(found, key=lambda reading: (-reading.score, reading.explanation))
    return tuple(ranked[:20]), ()


def _paths(state: State, shape: Shape, things: Sequence[Link], classes: Sequence[Link]) -> list[Reading]:
    """Paths from every entity held possible, with the class the question names where the values have it."""
    desk, options = state.desk, state.options
    found: list[Reading] = []
    wanted = _wanted(shape, classes)
    # with the class left out of the words, its name need not stand for a relation as well
    variants = [shape.sentence] + ([_without(shape.sentence, wanted.mention)] if wanted else [])
    for link, words in ((link, words) for link in things for words in variants):
        span = find(link.mention, words) if link.mention else None
        sentence = masked(words, span)
        if not any(map(says, sentence)) and not any(word in sentence for word in ("where", "when")):
            continue
        inverse = options.directions == "both"
        readings = path_readings(link.iri, sentence, desk.lexicon, longest=options.hops, inverse=inverse)
        if wanted and words is not shape.sentence:
            readings = tuple(r for r in (_typed(state, reading, wanted) for reading in readings[:_TRIED]) if r.type)
        found += readings
    found.sort(key=lambda reading: -reading.score)
    if wanted is None:
        return found[:20]
    return [*(_typed(state, reading, wanted) for reading in found[:_TRIED]), *found[_TRIED:20]]


def _wanted(shape: Shape, classes: Sequence[Link]) -> Link | None:
    """The class the question asks for members of: the one named right after "which", "what", "all"."""
    low = [token.lower() for token in shape.sentence]
    for link in classes:
        span = find(link.mention, shape.sentence) if link.mention else None
        before = [t for t in low[: span[0]] if t not in ("the", "a", "an", "of", "are", "is")] if span else []
        if span and (
            not before
            or before[-1] in ("which", "what", "all", "list", "show", "welche", "welcher", "quels", "quelles")
        ):
            return link
    return None


def _typed(state: State, reading: Reading, wanted: Link) -> Reading:
    """The reading with its values bound to a class, if any of them has it."""
    if reading.type is not None:
        return reading
    typed = replace(reading, type=wanted.iri)
    desk = state.desk
    key = ("typed", body(typed))
    if key not in desk.memo:
        desk.hood.asked += 1
        try:
            desk.memo[key] = desk.graph.ask(f"ASK {{ {body(typed)} }}", timeout=desk.hood.timeout)
        except BackendError:
            return reading
    if not desk.memo[key]:
        return replace(reading, score=reading.score - UNTYPED, confidence=0.5 * reading.confidence)
    sure = reading.confidence + (1 - reading.confidence) * 0.5  # that values of the right kind lie there speaks for it
    said = f"{reading.explanation}; values are {wanted.label}"
    return replace(typed, score=reading.score + TYPED, confidence=sure, explanation=said)


def _answers(state: State, shape: Shape, reading: Reading) -> Reading:
    """The reading, less likely where its values are not of the kind that is asked for: no number is a place."""
    kind = (
        "thing"
        if not reading.hops or reading.hops[-1].inverse
        else _kind(state.desk.lexicon.sample(reading.hops[-1].relation))
    )
    low = [token.lower() for token in shape.sentence[:3]]
    wrong = (kind in ("number", "date") and ("where" in low or "who" in low)) or (
        kind == "thing" and low[:1] == ["when"]
    )
    if not wrong:
        return reading
    return replace(reading, score=reading.score - UNTYPED, confidence=0.2 * reading.confidence)


def _members(shape: Shape, classes: Sequence[Link]) -> list[Reading]:
    """All members of a class, where the question says nothing more of them."""
    found = []
    for link in classes:
        span = find(link.mention, shape.sentence)
        rest = [t for t in shape.sentence if says(t)] if span is None else [
            t for at, t in enumerate(shape.sentence) if says(t) and not span[0] <= at < span[1]
        ]  # fmt: skip
        sure = 0.9 if not rest else 0.9 / (1 + 2 * len(rest))
        found.append(
            Reading(
                None, type=link.iri, score=-0.1 - len(rest), confidence=sure, explanation=f"all members of {link.label}"
            )
        )
    return found


def _counted(state: State, shape: Shape, reading: Reading) -> Reading:
    """The number of the values; or the values, where they are numbers themselves."""
    last = reading.hops[-1] if reading.hops and reading.type is None else None
    if last and not last.inverse and _kind(state.desk.lexicon.sample(last.relation)) == "number":
        return reading
    return replace(reading, form="count", explanation=f"the number of: {reading.explanation}")


def _measured(state: State, shape: Shape, found: Sequence[Reading], classes: Sequence[Link]) -> list[Reading]:
    """Values ordered or compared by a relation of theirs that fits the words, from paths and from whole classes."""
    bases = [reading for reading in found[:3]] + [
        replace(base, score=-0.2, confidence=1.0) for base in _members(shape, classes)
    ]
    made: list[Reading] = []
    for base in bases:
        for hop, near, kind in _measures(state, base, shape.measure)[:3]:
            sure = min(base.confidence, _sure(near))
            name = state.desk.lexicon.name(hop.relation)
            score = base.score + (near - 1.0) * 2
            if shape.operator:
                bound = _bound(state, base, hop, shape.bound)
                said = f"{base.explanation}; {name} {shape.operator} {shape.bound}"
                made.append(
                    replace(
                        base,
                        by=(hop,),
                        operator=shape.operator,
                        bound=bound,
                        score=score,
                        confidence=sure,
                        explanation=said,
                    )
                )
            elif shape.form in ("most", "least"):
                said = f"{base.explanation}; the {'highest' if shape.form == 'most' else 'lowest'} {name}"
                made.append(
                    replace(
                        base,
                        by=(hop,),
                        form=shape.form,
                        counted=kind == "thing",
                        score=score,
                        confidence=sure,
                        explanation=said,
                    )
                )
    return made


def _measures(state: State, base: Reading, measure: str) -> list[tuple[Hop, float, str]]:
    """The relations values can be ordered by, those that fit the words best first."""
    desk = state.desk
    if base.start is not None:
        ways = desk.hood.ways(base.start, base.hops).hops
    elif base.type is not None:
        ways = desk.hood.ways(base.type, (Hop(TYPE, inverse=True),)).hops
    else:
        return []
    if not ways and base.type is not None:  # instances of subclasses only
        ways = tuple((Hop(iri), count, sample) for iri, count, sample in desk.hood.vocabulary())
    ways = tuple(way for way in ways if is_relation(way[0].relation))
    desk.lexicon.meet((hop.relation, sample) for hop, _, sample in ways if not hop.inverse)
    fit = desk.lexicon.fit(Phrase(measure, 1))
    found = []
    for hop, _, sample in ways:
        kind = _kind(sample)
        if kind == "text" or (kind == "thing" and not measure.startswith("What is the")):
            continue
        found.append((hop, fit.near[hop.relation] - (0.3 if kind == "thing" else 0.0), kind))
    return sorted(found, key=lambda entry: (-entry[1], entry[0].relation, entry[0].inverse))


def _bound(state: State, base: Reading, hop: Hop, text: str) -> Literal:
    """A number, or a year where the relation has years or dates."""
    sample = state.desk.lexicon.sample(hop.relation)
    datatype = sample.datatype if isinstance(sample, Literal) else None
    if datatype == f"{XSD}date":
        return Literal(f"{text}-01-01", datatype=datatype)
    if datatype == f"{XSD}dateTime":
        return Literal(f"{text}-01-01T00:00:00", datatype=datatype)
    return Literal(
        text, datatype=datatype if datatype in _DATES else f"{XSD}decimal" if "." in text else f"{XSD}integer"
    )


def _yes_or_no(state: State, shape: Shape, things: Sequence[Link], classes: Sequence[Link]) -> list[Reading]:
    """Whether one entity lies at the end of a path from the other, belongs to a class, or compares as asked."""
    found: list[Reading] = []
    if shape.measure:
        return _comparison(state, shape, things)
    inverse = state.options.directions == "both"
    for a in things:
        for b in things:
            if a.iri == b.iri or a.mention == b.mention:
                continue
            rest = _without(shape.sentence, b.mention)
            sentence = masked(rest, find(a.mention, rest) if a.mention else None)
            if not any(map(says, sentence)):
                continue
            paths = path_readings(a.iri, sentence, state.desk.lexicon, longest=2, inverse=inverse)[:6]
            found += [_asked(state, reading, b.iri, b.label) for reading in paths]
        typed = [c for c in classes if len(things) == 1 and not _rest(shape.sentence, a.mention, c.mention)]
        if typed:
            types = tuple(path[0] for path in state.desk.hood.along(a.iri, (Hop(TYPE),))[0])
            found += [
                Reading(
                    a.iri, (Hop(TYPE),), "exists", -0.3, 0.9, f"{a.label} is a {c.label}", target=c.iri, nearby=types
                )
                for c in typed
            ]
        if len(things) == 1:
            found += _mentioned(state, shape, a)
    return found


def _asked(state: State, reading: Reading, target: Term, label: str) -> Reading:
    paths, _ = state.desk.hood.along(reading.start, reading.hops) if reading.start else ([], "")
    there = any(target in (path[-1][0], path[-1][2]) for path in paths)
    score = reading.score + (0.3 if there else 0.0)
    said = f"whether {label} is: {reading.explanation}"
    return replace(
        reading, form="exists", target=target, score=score, explanation=said,
        nearby=tuple(dict.fromkeys(triple for path in paths[:20] for triple in path)),
    )  # fmt: skip


def _mentioned(state: State, shape: Shape, link: Link) -> list[Reading]:
    """Yes or no about one entity: the value is named by other words, or it is asked whether there is any."""
    sentence = masked(shape.sentence, find(link.mention, shape.sentence) if link.mention else None)
    if not any(map(says, sentence)):
        return []
    found = []
    for reading in path_readings(link.iri, sentence, state.desk.lexicon, longest=1, inverse=False)[:4]:
        ends, _ = state.desk.hood.ends(link.iri, reading.hops[0], _LOOKED)
        state.desk.hood.names.fetch([end for end in ends if isinstance(end, Iri)])
        named = [end for end in ends if any(find(name, shape.sentence) for name in _names(state, end))]
        if named:
            found.append(_asked(state, reading, named[0], _names(state, named[0])[0]))
        elif isinstance(ends[0] if ends else None, Iri) or not ends:
            found.append(
                _asked(state, replace(reading, score=reading.score - 0.5), ends[0], "any") if ends else reading
            )
    return [reading for reading in found if reading.form == "exists"]


def _comparison(state: State, shape: Shape, things: Sequence[Link]) -> list[Reading]:
    """Whether an entity's number is above or below a bound, or another entity's number."""
    ordered = sorted(things, key=lambda link: find(link.mention, shape.sentence) or (0, 0))
    if not ordered or (len(ordered) < 2 and not shape.bound):
        return []
    first = ordered[0]
    made: list[Reading] = []
    for hop, near, _ in _measures(state, Reading(first.iri), shape.measure)[:3]:
        if hop.inverse:
            continue
        bound: Term | None = _bound(state, Reading(first.iri), hop, shape.bound) if shape.bound else None
        nearby = state.desk.hood.along(first.iri, (hop,))[0]
        proof = tuple(path[0] for path in nearby[:1])
        if bound is None:
            ends, _ = state.desk.hood.ends(ordered[1].iri, hop, 1)
            bound = ends[0] if ends else None
            proof += ((ordered[1].iri, hop.relation, bound),) if bound is not None else ()
        if isinstance(bound, Literal):
            name = state.desk.lexicon.name(hop.relation)
            said = f"whether {name} of {first.label} {shape.operator} {bound.text}"
            made.append(
                Reading(
                    first.iri,
                    (hop,),
                    "exists",
                    (near - 1) * 2,
                    _sure(near),
                    said,
                    operator=shape.operator,
                    bound=bound,
                    nearby=proof,
                )
            )
    return made


def _names(state: State, term: Term) -> tuple[str, ...]:
    if isinstance(term, Iri):
        return state.desk.hood.names.of(term)
    return (term.text,) if isinstance(term, Literal) else ("",)


def _without(sentence: Sequence[str], mention: str) -> tuple[str, ...]:
    span = find(mention, sentence) if mention else None
    if span is None:
        return tuple(sentence)
    begin = span[0] - 1 if span[0] and sentence[span[0] - 1].lower() in ("the", "a", "an") else span[0]
    return (*sentence[:begin], *sentence[span[1] :])


def _rest(sentence: Sequence[str], *mentions: str) -> list[str]:
    for mention in mentions:
        sentence = _without(sentence, mention)
    return [token for token in sentence if says(token)]


def _is_class(state: State, link: Link) -> bool:
    if link.is_class:
        return True
    key = ("class", link.iri)
    if link.how == "given" and key not in state.desk.memo:
        state.desk.hood.asked += 1
        query = f"ASK {{ ?x <{TYPE}> {n3(link.iri)} }}"
        state.desk.memo[key] = state.desk.graph.ask(query, timeout=state.desk.hood.timeout)
    return bool(state.desk.memo.get(key))


def _kind(sample: Term | None) -> str:
    """What a relation leads to: "number", "date", "text" or "thing"."""
    if not isinstance(sample, Literal):
        return "thing"
    if sample.datatype in _NUMBERS:
        return "number"
    return "date" if sample.datatype in _DATES else "text"


def _sure(near: float) -> float:
    return float(1.0 / (1.0 + np.exp(-(near - 0.15) / 0.05)))
