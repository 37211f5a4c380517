"""Questions of yes or no: whether one thing lies at the end of a path from another, is of a class, or compares so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgnb.agents.question_answering.forms import Shape
from kgnb.agents.question_answering.lexicon import is_relation
from kgnb.agents.question_answering.link import directory
from kgnb.agents.question_answering.measures import bound_of, measures
from kgnb.agents.question_answering.phrases import AUXILIARIES, X, find, masked, says, tokens
from kgnb.agents.question_answering.reading import TYPE, Hop, Reading
from kgnb.agents.question_answering.search import path_readings
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Link
from kgnb.kg.terms import Iri, Literal, Term

PROVED = 0.6
"""How much of the doubt about a wording goes where the graph says just what is asked of two things."""
THERE = 1.0
"""What it adds to a reading, in log likelihood a word, that the graph says just what is asked."""
_LOOKED = 200  # values compared with the words of the question
_HAVE = frozenset(["do", "does", "did", "has", "have", "had", "hat", "haben"])  # "does X have children?"
_SHOWN = 20  # paths shown as proof of a no


def yes_or_no(state: State, shape: Shape, things: Sequence[Link], classes: Sequence[Link]) -> list[Reading]:
    """The readings of a question of yes or no."""
    if shape.measure:
        return _comparison(state, shape, things)
    found: list[Reading] = []
    mentions = {link.mention for link in things}
    inverse = state.options.directions == "both"
    for a in things:
        for b in things:
            if a.iri == b.iri or a.mention == b.mention:
                continue
            words = without(shape.sentence, b.mention)
            sentence = masked(words, find(a.mention, words) if a.mention else None)
            if any(map(says, sentence)):
                kept = [token for token in sentence if token not in ("a", "an")]
                opens = tokens(state.question.text)[0].lower()
                asked = ["what", opens, *kept] if kept[:1] == [X] and opens in AUXILIARIES else ["who", *kept]
                paths = path_readings(a.iri, asked, state.desk.lexicon, longest=2, inverse=inverse)[:6]
                found += [_asked(state, reading, b.iri, b.label) for reading in paths]
            else:
                found += _joined(state, a, b)
        typed = [c for c in classes if len(mentions) == 1 and not rest(shape.sentence, a.mention, c.mention)]
        if typed:
            by = Hop(directory(state).classes().get(typed[0].iri, TYPE))
            types = tuple(path[0] for path in state.desk.hood.along(a.iri, (by,))[0])
            found += [
                Reading(
                    a.iri,
                    (by,),
                    "exists",
                    -0.3,
                    0.9,
                    f"{a.label} is a {c.label}",
                    typed_by=by.relation,
                    target=c.iri,
                    nearby=types,
                )
                for c in typed
            ]
        if len(mentions) == 1:
            found += _mentioned(state, shape, a)
    return found


def _asked(state: State, reading: Reading, target: Term, label: str) -> Reading:
    paths, _ = state.desk.hood.along(reading.start, reading.hops) if reading.start else ([], "")
    there = any(target in (path[-1][0], path[-1][2]) for path in paths)
    said = f"whether {label} is: {reading.explanation}"
    proved = PROVED * there * min(1.0, 2 * reading.confidence + 0.3)
    return replace(
        reading,
        form="exists",
        target=target,
        score=reading.score + (THERE if there else 0.0),
        confidence=reading.confidence + (1 - reading.confidence) * proved,
        explanation=said,
        nearby=tuple(dict.fromkeys(triple for path in paths[:_SHOWN] for triple in path)),
    )


def _joined(state: State, a: Link, b: Link) -> list[Reading]:
    """Whether one is the other, "Is A a B?", where B is no class: any relation that could say so decides."""
    hood = state.desk.hood
    forward = {
        hop.relation: hop for hop, _, _ in hood.ways(a.iri).hops if not hop.inverse and is_relation(hop.relation)
    }
    back = {hop.relation: count for hop, count, _ in hood.ways(b.iri).hops if hop.inverse}
    found = []
    for relation in sorted(forward.keys() & back.keys(), key=lambda iri: (-back[iri], iri)):
        name = state.desk.lexicon.name(relation)
        base = Reading(a.iri, (forward[relation],), "values", -0.2, 0.75, f"{name} of {a.label}")
        found.append(_asked(state, base, b.iri, b.label))
    return found[:3]


def _mentioned(state: State, shape: Shape, link: Link) -> list[Reading]:
    """Yes or no about one entity: the value is named by other words, or it is asked whether there is any."""
    sentence = masked(shape.sentence, find(link.mention, shape.sentence) if link.mention else None)
    if not any(map(says, sentence)):
        return []
    hood = state.desk.hood
    found: list[Reading] = []
    for hop, count, _ in hood.ways(link.iri).hops:  # a value of its own that the question names word for word
        if hop.inverse or not is_relation(hop.relation) or count > _LOOKED:
            continue
        ends, _ = hood.ends(link.iri, hop, _LOOKED)
        hood.names.fetch([end for end in ends if isinstance(end, Iri)])
        for end in ends:
            name = next((name for name in names_of(state, end) if name and find(name, shape.sentence)), None)
            if name is None:
                continue
            left = without(shape.sentence, name)
            words = masked(left, find(link.mention, left) if link.mention else None)
            label = state.desk.lexicon.name(hop.relation)
            if not any(map(says, words)):
                base = Reading(link.iri, (hop,), "values", -0.2, 0.8, f"{label} of {link.label}")
            else:
                state.desk.lexicon.meet([(hop.relation, None)])
                ranked = path_readings(link.iri, ["who", *words], state.desk.lexicon, longest=1, inverse=False)
                base = next((r for r in ranked if r.hops == (hop,)), Reading(link.iri, (hop,), "values", -9.0, 0.0))
            found.append(_asked(state, base, end, name))
    if sentence_names(shape.sentence, link.mention) or tokens(state.question.text)[0].lower() not in _HAVE:
        return found
    for reading in path_readings(link.iri, sentence, state.desk.lexicon, longest=1, inverse=False)[:4]:
        ends, _ = hood.ends(link.iri, reading.hops[0], 1)
        if ends:
            found.append(_asked(state, replace(reading, score=reading.score - 0.5), ends[0], "any"))
    return [reading for reading in found if reading.form == "exists"]


def sentence_names(sentence: Sequence[str], *mentions: str) -> list[str]:
    """Words that begin with a capital outside the mentions: names of something that was not found."""
    for mention in mentions:
        sentence = without(sentence, mention)
    return [token for token in sentence if token[:1].isupper() and says(token)]


def _comparison(state: State, shape: Shape, things: Sequence[Link]) -> list[Reading]:
    """Whether an entity's number is above or below a bound, or another entity's number."""
    ordered = sorted(things, key=lambda link: find(link.mention, shape.sentence) or (0, 0))
    second = next((link for link in ordered if link.mention != ordered[0].mention), None)
    if not ordered or (second is None and not shape.bound):
        return []
    first = ordered[0]
    hood = state.desk.hood
    made: list[Reading] = []
    for way in measures(state, Reading(None, among=(first.iri,)), shape)[:3]:
        if way.hop.inverse or way.kind == "thing":
            continue
        bound: Term | None = bound_of(way.sample, shape.bound, shape.operator) if shape.bound else None
        proof = tuple(path[0] for path in hood.along(first.iri, (way.hop,))[0][:1])
        if bound is None and second is not None:
            ends, _ = hood.ends(second.iri, way.hop, 1)
            bound = ends[0] if ends else None
            proof += ((second.iri, way.hop.relation, bound),) if bound is not None else ()
        if isinstance(bound, Literal):
            name = state.desk.lexicon.name(way.hop.relation)
            said = f"whether {name} of {first.label} {shape.operator} {bound.text}"
            score = (way.near - 1) * 2
            made.append(
                Reading(
                    first.iri, (way.hop,), "exists", score, way.sure, said, operator=shape.operator, bound=bound,
                    nearby=proof,
                )
            )  # fmt: skip
    return made


def names_of(state: State, term: Term) -> tuple[str, ...]:
    """What a term is called: the names of an entity, the text of a literal."""
    if isinstance(term, Iri):
        return state.desk.hood.names.of(term)
    return (term.text,) if isinstance(term, Literal) else ("",)


def without(sentence: Sequence[str], mention: str) -> tuple[str, ...]:
    """The tokens without a name and the article before it."""
    span = find(mention, sentence) if mention else None
    if span is None:
        return tuple(sentence)
    begin = span[0] - 1 if span[0] and sentence[span[0] - 1].lower() in ("the", "a", "an") else span[0]
    return (*sentence[:begin], *sentence[span[1] :])


def rest(sentence: Sequence[str], *mentions: str) -> list[str]:
    """The words that say something besides some names."""
    for mention in mentions:
        sentence = without(sentence, mention)
    return [token for token in sentence if says(token)]
