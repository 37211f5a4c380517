"""The readings of a question: which relations, classes and bounds its words stand for, and which words none explains.

Short questions are read, and no more is attempted: paths of relations from the entities named, the members of a class,
the most, the least or those beyond a bound of either, their number, yes or no. What a reading leaves unexplained makes
it less likely, and is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import exp, log

from kgnb.agents.question_answering.answer_shape import GENERAL, Shape, measure_of, opposite, polar, shape_of
from kgnb.agents.question_answering.graph_schema import (
    GraphSchema,
    RelationUse,
    graph_schema,
    is_date,
    is_year,
    kind_of,
)
from kgnb.agents.question_answering.interpretation import IN_YEAR, TYPE, Condition, Hop, Reading, body, of_type
from kgnb.agents.question_answering.lexicon import is_relation
from kgnb.agents.question_answering.link import directory
from kgnb.agents.question_answering.path_search import path_readings
from kgnb.agents.question_answering.segmentation import (
    PREPOSITIONS,
    QUESTION_WORDS,
    RELATIVE,
    Phrase,
    X,
    find,
    glued,
    says,
    tokens,
)
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Link
from kgnb.errors import BackendError, DataError
from kgnb.kg.terms import XSD, Iri, Literal, Term, n3
from kgnb.kg.words import key, plain, words

_KEPT = 8
_MEMBERS = 300  # of a class, whose relations are looked at
_TRIED = 3  # readings of one kind that the graph is asked about
UNEXPLAINED = 0.35
"""What is left of a reading's confidence for each word of the question that it does not explain."""
VERB = 0.8
"""As UNEXPLAINED, for the one word that is left where it stands as a verb does."""
_ARTICLES = frozenset(["a", "an", "the", "any", "some", "no"])
_NEAR = 0.36  # nearness from which a name explains a word
_ALONE = 0.8  # confidence in the one relation that can be meant where no word says which
_SEVERAL = 0.45  # and where there are several
_GENERAL = 0.35  # where an adjective may be measured by more than one relation
_PHRASE = 0.2  # nearness from which a phrase of two words is explained as a whole by the relation nearest to it
_TOLD = 0.15  # likeness by which a noun must fit one end of a relation better than the other
_CLOSE = 0.08  # nearness by which a measure must lead the next
_LIGHT = frozenset(
    """people person persons someone somebody everyone everybody anyone thing things something one ones place kind type
    sort get got go went come came take took make made give gave put keep keeps kept lie lies find found belong belongs
    use used part total different many much also ever still both each every own stand stands situated called i we theirs
    them he him she it its his her their personne gibt liegt heißt gehört besteht member members there""".split()  # noqa: SIM905 - a page long as a list
)
"""Words that say little by themselves: no relation need explain them."""
_JOINS = frozenset(["and", "but", "&", "und", "aber", "mais"])
"""Words between two conditions, both of which hold; "et" is left out, for names have it."""
_BOTH = frozenset(["both", "also", "besides", "sowohl", "auch", "beide", "aussi"])
_OR = frozenset(["or", "either", "oder", "ou"])
_OTHERS = frozenset(["else", "another"])
_EXCEPT = frozenset("not never without except neither nor only nicht nie ohne außer nur sans sauf jamais".split())  # noqa: SIM905
_PERSON = ("person", "human being", "man", "woman")
_PLACE = ("place", "location", "city", "region")
_RELATIVES = (*_PERSON, "parent", "child", "spouse", "friend")
_WHEREABOUTS = (*_PLACE, "country", "nationality", "residence", "employer")
_CLEARLY = 0.3  # nearer to the one than to the other


@dataclass(frozen=True)
class _Asked:
    """A question as the readers see it."""

    state: State
    sentence: tuple[str, ...]
    shape: Shape
    things: tuple[Link, ...]
    classes: tuple[Link, ...]

    def place(self, link: Link) -> int:
        """Where a name stands in the sentence; -1 where it does not."""
        span = find(link.mention, self.sentence) if link.mention else None
        return span[0] if span else -1

    @property
    def wanted(self) -> Link | None:
        """The class of what is asked for: named right after "which", "what", "how many", or first of all."""
        before = 0
        for at, token in enumerate(self.sentence):
            for link in self.classes:
                if self.place(link) == at and before == 0:
                    return link
            before += says(token) and token.lower() not in ("list", "name") and at not in self.shape.used
        return None

    def words(self, keep: Sequence[int], start: int = -1) -> list[str]:
        """The tokens at these places in lower case, with X at ``start``, or behind them as "of X"."""
        found = [
            X if at == start else token.lower().replace("_", " ")
            for at, token in enumerate(self.sentence)
            if at == start or (at in keep and (token[:1].isalnum() or token == "'s"))
        ]
        for at, token in enumerate(found):
            if token == X and at and found[at - 1] in ("the", "a", "an"):
                found = [*found[: at - 1], *found[at:]]
                break
        return found if X in found else [*found, "of", X]


def read_question(state: State) -> tuple[Reading, ...]:
    """The readings, best first."""
    links = state.linked.links
    classes = tuple(link for link in links if _is_class(state, link))
    # "city" is the class, although something may be called City as well
    common = {link.mention for link in classes if link.mention and link.mention.islower()}
    things = tuple(link for link in links if link not in classes and link.mention not in common)
    sentence = glued(tokens(state.question.text), [link.mention for link in links])
    names = {sentence[span[0]] for link in things if link.mention and (span := find(link.mention, sentence))}
    asked = _Asked(state, sentence, shape_of(sentence, names), things, classes)
    if asked.shape.form == "exists":
        found = _yes_or_no(asked)
    elif asked.shape.either:
        among = tuple(dict.fromkeys({link.mention: link.iri for link in reversed(things)}.values()))
        found = _measured(asked, [Reading(None, among=among, score=-0.1, confidence=0.95, explanation="one of them")])
    else:
        found = _values(asked)
    found = [_explained(asked, reading) for reading in found]
    unique: dict[tuple[object, ...], Reading] = {}
    for reading in sorted(found, key=lambda one: (-one.confidence, -one.score, one.explanation)):
        same = (reading.start, reading.hops, reading.form, reading.type, reading.by, reading.also, reading.target)
        unique.setdefault(same, reading)
    ranked = sorted(unique.values(), key=lambda one: (-_rank(one), one.explanation))
    return tuple(_believed(asked, one, ranked) for one in ranked[:_KEPT])


def _believed(asked: _Asked, reading: Reading, ranked: Sequence[Reading]) -> Reading:
    """The reading with its calibrated confidence: a logistic regression on how sure its parts are, and on how much it
    leads what reads the question by other relations; less for words that ask for more than its structure says.

    Fitted on the development halves of tests/benchmarks/questions, the huts, two and three relations of PathQuestion
    (weight .3), and those halves without the relations that answer (weight .7). Each graph left out in its turn, 135 of
    145 natural answers of .6 or more are right, 82 of 83 of .9 or more. What else the phrases are near to, the form and
    the number of relations made it no better there; the two factors are set, not fitted: an unread word is no answer.
    """
    doubts = _doubts(asked, reading)
    raw = min(max(reading.confidence, 1e-4), 1 - 1e-4)
    rivals = [_rank(one) for one in ranked if _parts(one) != _parts(reading)]
    lead = min(1.0, max(-0.3, _rank(reading) - max(rivals, default=-9.0))) if reading.form != "exists" else 0.5
    sure = 1 / (1 + exp(0.2 - 0.54 * log(raw / (1 - raw)) - 1.5 * lead)) * UNEXPLAINED ** len(doubts)
    if reading.unused and not (len(reading.unused) == 1 and set(reading.unused) <= _verbs(asked)):
        sure *= 0.7
    return replace(reading, confidence=round(sure, 4), unused=tuple(dict.fromkeys((*reading.unused, *doubts))))


def _parts(reading: Reading) -> tuple[object, ...]:
    return (reading.start, reading.hops, reading.by)


def _rank(reading: Reading) -> float:
    return 0.25 * reading.score + 2.0 * reading.confidence - 0.5 * len(reading.unused)


# ------------------------------------------------------------------------------------------------ what is asked for


def _values(asked: _Asked) -> list[Reading]:
    shape = asked.shape
    found = _from_things(asked) if asked.things else _of_class(asked)
    if shape.compares:
        bases = [one for one in found if one.confidence > 0.05] if asked.things else found
        found = _measured(asked, bases[:_TRIED])
        if not asked.things:
            found += _most_counted(asked)
    if shape.form == "count":
        return [_counted(asked, reading) for reading in found]
    return found


def _from_things(asked: _Asked) -> list[Reading]:
    """Paths from the entities that are named; from several, all of them must lead to the values."""
    mentions = list(dict.fromkeys(link.mention for link in asked.things))
    branches: list[list[Reading]] = []
    for mention in mentions:
        links = [link for link in asked.things if link.mention == mention]
        branches.append([reading for link in links for reading in _paths(asked, link, len(mentions))])
    if len(branches) == 1:
        return [_fitting(asked, reading) for reading in branches[0][:_KEPT]]
    found: list[Reading] = []
    for readings in product(*(sorted(branch, key=lambda one: -one.score)[:2] for branch in branches[:3])):
        joined = _joined(readings)
        if joined is not None and _any(asked.state, body(joined)):
            found.append(_fitting(asked, joined))
            break
    alone = [
        replace(_fitting(asked, reading), confidence=0.3 * reading.confidence, score=reading.score - 1.0)
        for branch in branches
        for reading in branch[:1]
    ]
    return [*found, *alone]


def _joined(readings: Sequence[Reading]) -> Reading | None:
    """The values to which all of the readings lead."""
    first, *others = readings
    also = []
    for other in others:
        if other.start is None or other.start == first.start:
            return None
        also.append(Condition(tuple(Hop(hop.relation, not hop.inverse) for hop in reversed(other.hops)), other.start))
    return replace(
        first,
        also=tuple(also),
        score=sum(one.score for one in readings) / len(readings),
        confidence=min(one.confidence for one in readings) * 0.95,
        explanation="; ".join(one.explanation for one in readings),
    )


def _paths(asked: _Asked, link: Link, mentions: int) -> list[Reading]:
    """The paths from an entity that the words about it may mean."""
    state, shape, start = asked.state, asked.shape, asked.place(link)
    keep = [at for at in _territory(asked, start) if at not in shape.used and at not in shape.noun_at]
    wanted = asked.wanted
    place = asked.place(wanted) if wanted is not None else -1
    said = [at for at in keep if at != start and says(asked.sentence[at]) and asked.sentence[at].lower() not in _LIGHT]
    inverse = state.options.directions == "both"
    found: list[Reading] = []
    if said or any(asked.sentence[at].lower() in ("where", "when") for at in keep):
        longest = state.options.hops if mentions == 1 else 1
        found += path_readings(link.iri, asked.words(keep, start), state.desk.lexicon, longest=longest, inverse=inverse)
        if wanted is not None and place in said and len(said) > 1:
            without = [at for at in keep if at != place]
            found += [
                _typed(asked, reading, wanted)
                for reading in path_readings(
                    link.iri, asked.words(without, start), state.desk.lexicon, longest=longest, inverse=inverse
                )[:_TRIED]
            ]
    if not said or set(said) == {place}:
        lone = 0.3 if wanted is None and mentions == 1 else 1.0  # with no word at all, anything may be meant
        found += [replace(one, confidence=lone * one.confidence) for one in _by_class(asked, link, wanted)]
    return sorted(found, key=lambda one: -_rank(one))


def _territory(asked: _Asked, start: int) -> list[int]:
    """The places of the words about one entity: those after the one named before it, for the last one to the end."""
    places = sorted({asked.place(link) for link in asked.things} - {-1})
    if start not in places:
        return list(range(len(asked.sentence)))
    at = places.index(start)
    begin = places[at - 1] + 1 if at else 0
    end = len(asked.sentence) if at == len(places) - 1 else start + 1
    return list(range(begin, end))


def _by_class(asked: _Asked, link: Link, wanted: Link | None) -> list[Reading]:
    """What has to do with an entity without a word that says how: by the one relation that leads to such things."""
    schema, hood = graph_schema(asked.state.desk), asked.state.desk.hood
    uses = {one.iri: one for one in schema.relations}
    ways = [way for way in hood.ways(link.iri, inverse=asked.state.options.directions == "both").hops if way[1]]
    ways = [way for way in ways if is_relation(way[0].relation)]
    if wanted is not None:
        fitting = [
            way
            for way in ways
            if (use := uses.get(way[0].relation)) is not None
            and wanted.iri in (use.domains if way[0].inverse else use.ranges)
        ]
    else:  # "Which mathematicians died in X": mathematicians are what many things are said to be
        fitting = [way for way in ways if way[0].inverse]
    fitting.sort(key=lambda way: (-way[1], way[0].relation))
    total = sum(way[1] for way in fitting)
    found = []
    for hop, number, _ in fitting[:_TRIED]:
        sure = _ALONE if len(fitting) == 1 or number > 0.9 * total else _SEVERAL
        name = hood.names.label(hop.relation)
        base = Reading(link.iri, (hop,), "values", -0.3, sure, f"{name} of {link.label}" + " (inverse)" * hop.inverse)
        found.append(_typed(asked, base, wanted) if wanted is not None else base)
    return found


def _of_class(asked: _Asked) -> list[Reading]:
    """All members of a class."""
    found = []
    wanted = asked.wanted
    nouns = {asked.place(link) for link in asked.classes} & set(asked.shape.noun_at)
    for link in asked.classes:
        if asked.place(link) not in nouns:
            sure = 0.95 if wanted is None or link.iri == wanted.iri else 0.5
            base = Reading(None, score=-0.1, confidence=sure, explanation=f"all members of {link.label}")
            found.append(_class_of(asked.state, base, link.iri))
    if not found and asked.shape.compares:
        found.append(Reading(None, score=-0.3, confidence=0.7, explanation="anything"))
    return found


def _counted(asked: _Asked, reading: Reading) -> Reading:
    """The number of the values; or the values, where they are numbers themselves."""
    last = reading.hops[-1] if reading.hops and reading.type is None else None
    if last and not last.inverse and kind_of(asked.state.desk.lexicon.sample(last.relation)) == "number":
        # "how many floors" is a floor count, and no floor area
        counts = _counts(asked.state, last.relation)
        return reading if counts else replace(reading, confidence=0.5 * reading.confidence)
    return replace(reading, form="count", explanation=f"the number of: {reading.explanation}")


_COUNTING = frozenset(["number", "count", "total", "quantity", "anzahl", "nombre", "population", "num", "capacity"])


def _counts(state: State, relation: Iri) -> bool:
    """Whether a relation gives how many there are: by its name, or by whole numbers where its name says no unit."""
    named = {word for name in state.desk.hood.names.of(relation) for word in key(name)}
    sample = state.desk.lexicon.sample(relation)
    whole = isinstance(sample, Literal) and "." not in sample.text
    return bool(named & _COUNTING) or (whole and not named & {"area", "length", "height", "width", "weight", "speed"})


# --------------------------------------------------------------------------------------------- classes of the values


def _fitting(asked: _Asked, reading: Reading) -> Reading:
    """The reading held to the class that is asked for, and less likely where its values are of no such kind."""
    wanted = asked.wanted
    explains = wanted is not None and any(
        set(key(wanted.mention)) & set(key(name))
        for hop in reading.hops
        for name in asked.state.desk.hood.names.of(hop.relation)
    )
    if wanted is not None and reading.type is None and not explains:
        return _kind_fits(asked, _typed(asked, reading, wanted))
    return _kind_fits(asked, reading)


def _typed(asked: _Asked, reading: Reading, wanted: Link) -> Reading:
    """The reading with its values bound to a class, if any of them has it."""
    if reading.type is not None or reading.confidence < 0.02:
        return reading
    typed = _class_of(asked.state, reading, wanted.iri)
    every, kept = _how_many(asked.state, reading, typed)
    said = f"{reading.explanation}; values are {wanted.label}"
    if not kept:
        by = _said_to_be(asked.state, reading, wanted.iri)
        if by is None:
            return replace(reading, score=reading.score - 1.5, confidence=0.5 * reading.confidence)
        also = (*reading.also, Condition((Hop(by),), wanted.iri))
        return replace(reading, also=also, explanation=said)
    # values of the right kind at the end speak for the path; but "clubs" may mean all that are there, whatever they are
    sure = reading.confidence + (1 - reading.confidence) * 0.35 if kept == every else 0.7 * reading.confidence
    return replace(typed, score=reading.score + 0.4, confidence=sure, explanation=said)


def _how_many(state: State, reading: Reading, typed: Reading) -> tuple[int, int]:
    """How many values a reading has, and how many of them belong to a class."""
    memo = ("how many", body(typed))
    if memo not in state.desk.memo:
        kind = of_type("?answer", typed.type or TYPE, typed.typed_by)
        query = (
            "SELECT (COUNT(DISTINCT ?answer) AS ?n) (COUNT(DISTINCT ?of) AS ?m) WHERE { "
            f"{body(reading)} OPTIONAL {{ {kind} BIND (?answer AS ?of) }} }}"
        )
        try:
            rows = state.desk.hood.select(query).rows
        except (BackendError, DataError):
            rows = ()
        state.desk.memo[memo] = tuple(int(getattr(term, "text", "0")) for term in rows[0]) if rows else (0, 0)
    every, kept = state.desk.memo[memo]
    return every, kept


def _said_to_be(state: State, reading: Reading, cls: Iri) -> Iri | None:
    """The one relation by which values are said to be something, where no type says so: an occupation."""
    typed = n3(directory(state).classes().get(cls, TYPE))
    if not _any(state, f"?x ?p {n3(cls)} FILTER (?p != {typed})"):  # asked once for a class
        return None
    query = f"SELECT ?p (COUNT(*) AS ?n) WHERE {{ {body(reading)} ?answer ?p {n3(cls)} }} GROUP BY ?p"
    try:
        rows = state.desk.hood.select(query).rows
    except (BackendError, DataError):
        return None
    found = sorted(
        ((-int(getattr(number, "text", "0")), relation) for relation, number in rows if isinstance(relation, Iri))
    )
    clear = len(found) == 1 or (len(found) > 1 and found[0][0] <= 3 * found[1][0])
    return found[0][1] if found and clear else None


def _kind_fits(asked: _Asked, reading: Reading) -> Reading:
    """The reading, less likely where no number is a place and no city is a who."""
    last = reading.hops[-1] if reading.hops else None
    if last is None:
        return reading
    low = [token.lower() for token in asked.sentence[:3]]
    kind = "thing" if last.inverse else kind_of(asked.state.desk.lexicon.sample(last.relation))
    if (kind in ("number", "date") and ("where" in low or "who" in low)) or (kind == "thing" and low[:1] == ["when"]):
        return replace(reading, score=reading.score - 4.0, confidence=0.2 * reading.confidence)
    if low[:2] == ["how", "many"] or asked.shape.form == "count":
        return reading
    if low[:1] == ["how"] and kind == "thing" and (low[1] == "much" or measure_of(low[1]) is not None):
        return replace(reading, score=reading.score - 4.0, confidence=0.2 * reading.confidence)
    word = next((word for word in ("who", "where") if low[:1] == [word]), "")
    if kind == "thing" and word and reading.type is None and not _could_be(asked.state, reading, last, word):
        return replace(reading, score=reading.score - 1.5, confidence=0.4 * reading.confidence)
    return reading


def _could_be(state: State, reading: Reading, last: Hop, word: str) -> bool:
    """Whether what a relation leads to may answer "who" or "where", by the names of its classes."""
    use = next((one for one in graph_schema(state.desk).relations if one.iri == last.relation), None)
    ends = (use.domains if last.inverse else use.ranges) if use is not None else ()
    names = [state.desk.hood.names.label(end) for end in ends]
    people: tuple[str, ...] = _PERSON
    places: tuple[str, ...] = _PLACE
    if not names:  # nothing is said of classes here: the relation's own name must do
        if last.inverse:
            return True
        names, people, places = list(state.desk.hood.names.of(last.relation)), _RELATIVES, _WHEREABOUTS
    person, place = (float(state.desk.wording.likeness(names, said).max()) for said in (people, places))
    return place - person < _CLEARLY if word == "who" else person - place < _CLEARLY


# ----------------------------------------------------------------------------------------------------------- measures


def _measured(asked: _Asked, bases: Sequence[Reading]) -> list[Reading]:
    """Values ordered or compared by a relation of theirs that fits the words."""
    shape, made = asked.shape, list[Reading]()
    for base in bases:
        ways = _measures(asked, base)
        for at, (use, near, sure) in enumerate(ways[:_TRIED]):
            sure *= _leading(asked, ways, at)
            name = use.names[0]
            found = replace(
                base, by=(Hop(use.iri),), score=base.score + near - 1.0, confidence=min(base.confidence, sure)
            )
            if shape.operator:
                bound = bound_of(use.example, shape.bound, shape.operator)
                said = f"{base.explanation}; {name} {shape.operator} {shape.bound}"
                made.append(replace(found, operator=shape.operator, bound=bound, explanation=said))
            else:
                said = f"{base.explanation}; the {'highest' if shape.form == 'most' else 'lowest'} {name}"
                made.append(replace(found, form=shape.form, explanation=said))
    return made


def _measures(asked: _Asked, base: Reading) -> list[tuple[RelationUse, float, float]]:
    """The numbers and dates that values have, with their nearness to the words and how sure they are meant."""
    state, shape = asked.state, asked.shape
    dated = shape.year or (shape.measured == "old" and not shape.noun)
    uses: list[RelationUse] = []
    for use in _relations_of(asked, base):
        kind = kind_of(use.example)
        kind = "date" if kind == "number" and dated and is_year(use.example) else kind
        if use.literal and kind == ("date" if dated else "number"):
            uses.append(use)
    if not uses:
        return []
    phrase = _measure_phrase(asked)
    fit = state.desk.lexicon.fit(Phrase(phrase, 1))
    nouns = set(map(plain, shape.noun))
    found = []
    for use in uses:
        near = fit.near.get(use.iri, 0.0)
        named = {word for name in use.names for word in key(name)}
        if nouns and nouns <= named:
            near = max(near, 0.7) + 0.1 * (shape.form in ("most", "least") and not shape.measured) * _counts(
                state, use.iri
            )
        found.append((use, near, _sure_of(near)))
    found.sort(key=lambda entry: (-entry[1], entry[0].iri))
    best, near, sure = found[0]
    if len(found) == 1 and dated and (kind_of(best.example) == "date" or near >= 0.15):
        sure = max(sure, 0.7)
    if shape.measured in GENERAL and not shape.noun and len(found) > 1 and not _said_words(asked):
        sure = min(sure, _GENERAL)
    if shape.noun and not shape.measured and not _counts(state, best.iri):
        sure *= 0.6  # "the most floors" is no area
    return [(best, near, sure), *found[1:]]


def _leading(asked: _Asked, ways: Sequence[tuple[RelationUse, float, float]], at: int) -> float:
    """How much of its confidence a measure keeps: all if it leads clearly, half behind another one."""
    if at:
        return 0.5
    if len(ways) < 2 or ways[0][1] - ways[1][1] >= _CLOSE:
        return 1.0
    counting = bool(asked.shape.noun) and not asked.shape.measured
    told = counting and _counts(asked.state, ways[0][0].iri) and not _counts(asked.state, ways[1][0].iri)
    return 1.0 if told else 0.6


def _said_words(asked: _Asked) -> list[str]:
    places = {asked.place(link) for link in (*asked.things, *asked.classes)}
    return [
        token.lower()
        for at, token in enumerate(asked.sentence)
        if says(token) and at not in places and at not in asked.shape.used and token.lower() not in _LIGHT
    ]


def _measure_phrase(asked: _Asked) -> str:
    shape = asked.shape
    if shape.noun:
        return f"What is the {' '.join(shape.noun)} of X?"
    said = [word for word in _said_words(asked) if not word[:1].isdigit()]
    if shape.year or shape.measured == "old":
        return f"When was X {' '.join(said)}?" if said else "When was X born, founded or made?"
    return f"How {shape.measured} is X?" if shape.measured else f"What is the {' '.join(said) or 'size'} of X?"


def _relations_of(asked: _Asked, base: Reading) -> list[RelationUse]:
    """The relations that lead on from the values of a reading."""
    state = asked.state
    schema, lexicon = graph_schema(state.desk), state.desk.lexicon
    lexicon.meet((one.iri, one.example) for one in schema.relations)
    uses = {one.iri: one for one in schema.relations}
    if base.start is None and not base.among and base.type is None:
        return list(schema.relations)
    return _asked_of(state, base, uses)


def _asked_of(state: State, base: Reading, uses: dict[Iri, RelationUse]) -> list[RelationUse]:
    where = body(base)
    memo = ("relations", where)
    if memo in state.desk.memo:
        return list(state.desk.memo[memo])
    some = f"SELECT DISTINCT ?answer WHERE {{ {where} }} LIMIT {_MEMBERS}"
    query = f"SELECT DISTINCT ?p WHERE {{ {{ {some} }} ?answer ?p ?y }}"
    try:
        rows = state.desk.hood.select(query).rows
    except (BackendError, DataError):
        return []
    found = [uses[row[0]] for row in sorted(rows, key=str) if isinstance(row[0], Iri) and row[0] in uses]
    state.desk.memo[memo] = found
    return found


def _most_counted(asked: _Asked) -> list[Reading]:
    """Who or what has to do with the most of something: "Which party has the most members?"."""
    shape = asked.shape
    if shape.form not in ("most", "least") or not shape.noun or shape.measured:
        return []
    state, subject = asked.state, _subject(asked)
    schema = graph_schema(state.desk)
    said = " ".join([*_said_words(asked), *shape.noun])
    phrases = [Phrase(f"What is the {text} of X?", 1) for text in (said, " ".join(shape.noun), subject) if text]
    state.desk.lexicon.meet((one.iri, one.example) for one in schema.relations)
    fits = state.desk.lexicon.fits(phrases)
    found: list[Reading] = []
    for use in schema.relations:
        if use.literal:
            continue
        near = max(fit.near.get(use.iri, 0.0) for fit in fits)
        # what is asked for stands at the end whose things are called so; vectors must tell the two ends apart
        ends = [_alike(state, subject, use.domains), _alike(state, subject, use.ranges)]
        told = abs(ends[0] - ends[1]) >= _TOLD
        sure = (0.8 if told else 0.3) * _sure_of(near)
        hop = Hop(use.iri, inverse=ends[1] > ends[0])
        extreme = "most" if shape.form == "most" else "fewest"
        said_so = f"the {extreme} by {use.names[0]}"
        found.append(Reading(None, (), shape.form, near - 1.0, sure, said_so, by=(hop,), counted=True))
    found.sort(key=lambda one: (-one.score, one.explanation))
    return found[:_TRIED]


def _subject(asked: _Asked) -> str:
    """The noun of what is asked for: the class that is named, else the first word that says something."""
    if asked.wanted is not None and asked.wanted.label:
        return asked.wanted.label
    places = [at for at in range(len(asked.sentence)) if at not in asked.shape.used and at not in asked.shape.noun_at]
    if [token.lower() for token in asked.sentence[:1]] == ["who"]:
        return "person"
    return next((asked.sentence[at].lower() for at in places if says(asked.sentence[at])), "")


def _alike(state: State, noun: str, classes: Sequence[str]) -> float:
    names = [state.desk.hood.names.label(one) for one in classes]
    return float(state.desk.wording.likeness([noun], names).max()) if names and noun else 0.0


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


def _sure_of(near: float) -> float:
    """How sure it is that names so near mean the same measure (0 to 1)."""
    return 1.0 / (1.0 + exp(-(near - 0.27) / 0.06))


# ---------------------------------------------------------------------------------------------------------- yes or no


def _yes_or_no(asked: _Asked) -> list[Reading]:
    if asked.shape.compares:
        return _comparison(asked)
    things = sorted(asked.things, key=asked.place)
    mentions = list(dict.fromkeys(link.mention for link in things))
    found: list[Reading] = []
    if len(mentions) == 2:
        for a in things:
            for b in things:
                if a.mention != b.mention:
                    found += _whether(asked, a, b)
    elif len(mentions) == 1 and asked.classes:
        found += _whether_class(asked, things[0], asked.classes[-1])
    return found


def _whether(asked: _Asked, a: Link, b: Link) -> list[Reading]:
    """Whether a path that the words mean leads from one thing to the other."""
    state, start, other = asked.state, asked.place(a), asked.place(b)
    keep = [at for at in range(1, len(asked.sentence)) if at != other]
    inverse = state.options.directions == "both"
    said = [at for at in keep if at != start and says(asked.sentence[at])]
    if not said:
        return _together(asked, a, b) if start < other else []
    sentence = asked.words(keep, start)
    sentence = ["what", asked.sentence[0].lower(), *sentence] if sentence[:1] == [X] else ["who", *sentence]
    found = []
    for reading in path_readings(a.iri, sentence, state.desk.lexicon, longest=2, inverse=inverse)[:_TRIED]:
        asks = replace(reading, form="exists", target=b.iri, explanation=f"whether {b.label} is: {reading.explanation}")
        paths, _ = state.desk.hood.along(a.iri, reading.hops) if reading.start else ([], "")
        there = any(b.iri in (path[-1][0], path[-1][2]) for path in paths)
        nearby = tuple(dict.fromkeys(triple for path in paths[:20] for triple in path))
        sure = reading.confidence
        # the graph saying just what is asked settles half of the doubt; a no needs things of its own to be a no: that a
        # season begins on a date, and on no hut, says nothing of the hut
        ends = [path[-1][0] if reading.hops[-1].inverse else path[-1][2] for path in paths]
        things = any(not isinstance(end, Literal) for end in ends)
        sure = sure + (1 - sure) * 0.5 * min(1.0, 2 * sure + 0.2) if there else 0.9 * sure if things else 0.3 * sure
        score = reading.score + (1.0 if there else 0.0)
        found.append(replace(asks, confidence=sure, score=score, nearby=nearby))
    return found


def _together(asked: _Asked, a: Link, b: Link) -> list[Reading]:
    """Whether two things have to do with each other, where no word says how: a yes says by what, a no is a guess."""
    hood, label = asked.state.desk.hood, asked.state.desk.hood.names.label
    query = (
        f"SELECT DISTINCT ?p ?d WHERE {{ {{ {n3(a.iri)} ?p {n3(b.iri)} BIND (0 AS ?d) }} UNION "
        f"{{ {n3(b.iri)} ?p {n3(a.iri)} BIND (1 AS ?d) }} }} ORDER BY ?p ?d"
    )
    found = []
    for relation, inverse in hood.select(query).rows:
        if isinstance(relation, Iri) and is_relation(relation):
            hop = Hop(relation, getattr(inverse, "text", "") == "1")
            triple = (b.iri, relation, a.iri) if hop.inverse else (a.iri, relation, b.iri)
            said = f"whether {b.label} is: {label(relation)} of {a.label}"
            found.append(Reading(a.iri, (hop,), "exists", -0.2, 0.85, said, target=b.iri, nearby=(triple,)))
    return found or [
        replace(one, form="exists", target=b.iri, confidence=0.3, nearby=()) for one in _by_class(asked, a, None)[:1]
    ]


def _whether_class(asked: _Asked, thing: Link, cls: Link) -> list[Reading]:
    state = asked.state
    places = (asked.place(thing), asked.place(cls))
    left = [
        at for at, token in enumerate(asked.sentence) if at and at not in places and says(token)
    ]  # "Is A a tall hut" asks for more than its class
    if left:
        return []
    by = Hop(directory(state).classes().get(cls.iri, TYPE))
    types = tuple(path[0] for path in state.desk.hood.along(thing.iri, (by,))[0])
    return [
        Reading(
            thing.iri, (by,), "exists", -0.3, 0.9 if types else 0.4, f"whether {thing.label} is a {cls.label}",
            typed_by=by.relation, target=cls.iri, nearby=types,
        )
    ]  # fmt: skip


def _comparison(asked: _Asked) -> list[Reading]:
    """Whether a thing's number or date lies beyond a bound, or another thing's."""
    state, shape = asked.state, asked.shape
    ordered = sorted(asked.things, key=asked.place)
    second = next((link for link in ordered if link.mention != ordered[0].mention), None) if ordered else None
    if not ordered or (second is None and not shape.bound):
        return []
    first, hood = ordered[0], state.desk.hood
    base = Reading(None, among=(first.iri,), confidence=0.95)
    ways = _measures(asked, base)
    made = []
    for at, (use, near, sure) in enumerate(ways[:_TRIED]):
        sure *= _leading(asked, ways, at)
        hop = Hop(use.iri)
        bound: Term | None = bound_of(use.example, shape.bound, shape.operator) if shape.bound else None
        proof = tuple(path[0] for path in hood.along(first.iri, (hop,))[0][:1])
        if bound is None and second is not None:
            ends, _ = hood.ends(second.iri, hop, 1)
            bound = ends[0] if ends else None
            proof += ((second.iri, use.iri, bound),) if bound is not None else ()
        if isinstance(bound, Literal):
            said = f"whether {use.names[0]} of {first.label} {shape.operator} {bound.text}"
            made.append(
                Reading(
                    first.iri, (hop,), "exists", near - 1.0, sure, said, operator=shape.operator, bound=bound,
                    nearby=proof,
                )
            )  # fmt: skip
    return made


# -------------------------------------------------------------------------------------------- what words are left over


def _explained(asked: _Asked, reading: Reading) -> Reading:
    """The reading, less sure for each word of the question that nothing in it explains; the words are said."""
    unused = unexplained(asked, reading)
    end = [token.lower() for token in asked.sentence if token[:1].isalnum()][-1:]
    if end == ["do"] and not any(number == 1 and "job" in key(text) for text, number in reading.phrases):
        reading = replace(reading, confidence=0.3 * reading.confidence)
    if not unused:
        return reading
    named = [word for word in unused if word[:1].isupper()]
    verbs = _verbs(asked) if len(unused) == 1 and (reading.start or reading.type) else set()
    left = 1.0
    for word in unused:
        left *= VERB if word in verbs else UNEXPLAINED
    return replace(
        reading,
        confidence=reading.confidence * left,
        unused=tuple(word.lower() if word not in named else word for word in unused),
    )


def _doubts(asked: _Asked, reading: Reading) -> list[str]:
    """The words that ask for more than a reading's structure says.

    Counting links and measuring what a path leads to are guesses of their own: there a relation that is merely near
    to a word is no evidence, and each word must be part of a name.
    """
    found = [*_beyond_structure(asked, reading), *_polarity(asked, reading)]
    if reading.counted or (reading.by and (reading.hops or reading.also)):
        found += _unnamed(asked, reading)
    shape, measures = asked.shape, reading.by or (reading.hops if reading.operator else ())
    counts = reading.counted or all(_counts(asked.state, one.relation) for one in measures)
    if shape.noun and not shape.measured and not counts:
        found += shape.noun  # "more floors" is no floor area
    return [word for word in dict.fromkeys(found) if word not in reading.unused or polar(word)]


def _polarity(asked: _Asked, reading: Reading) -> list[str]:
    """The words that say which way something is compared, where the reading compares nothing: no vector tells them."""
    names = {word for one in reading.iris for name in asked.state.desk.hood.names.of(one) for word in words(name)}
    low = [token.lower() for token in asked.sentence]
    found = [word for at, word in enumerate(low) if polar(word) and at not in asked.shape.used and word not in names]
    return found + [word for word in low if opposite(word, names)]


def _beyond_structure(asked: _Asked, reading: Reading) -> list[str]:
    """The words that join, exclude or add a condition, where the reading has no part that does so."""
    low = [token.lower() for token in asked.sentence]
    names = {word for one in reading.iris for name in asked.state.desk.hood.names.of(one) for word in words(name)}
    entities = {link.iri for link in asked.things}
    joined = sum(condition.entity in entities for condition in reading.also)
    joins = [word for word in low if word in _JOINS and word not in names]
    found = [] if joins and len(joins) <= joined else joins
    if not joined:
        found += [word for word in low if word in _BOTH and word not in names]
    if not asked.shape.either:
        found += [word for word in low if word in _OR and word not in names]
    found += [word for word in low if word in _OTHERS or (word in _EXCEPT and word not in names)]
    parts = len(reading.hops) + len(reading.also) + len(reading.by) + (reading.type is not None)
    clauses = _clauses(asked)
    return [*found, *(low[at] for at in clauses)] if len(clauses) >= max(1, parts) else found


def _clauses(asked: _Asked) -> list[int]:
    """The places of the relative pronouns that open a clause about something named before them."""
    found, asking = [], False  # whether a question word came before
    low = [token.lower() for token in asked.sentence]
    for at, token in enumerate(low):
        before = low[max(0, at - 2)] if low[at - 1] in PREPOSITIONS else low[max(0, at - 1)]
        opens = before in (":", ";") or (before == "," and not asking)  # "In Paris, who ..." asks
        named = any(says(one) and one not in _LIGHT for one in low[:at])
        if token in RELATIVE and named and not opens:
            found.append(at)
        asking = asking or token in QUESTION_WORDS
    return found


def _unnamed(asked: _Asked, reading: Reading) -> list[str]:
    """The words of a question that are part of no name that a reading speaks of; what is near to one does not count."""
    label = asked.state.desk.hood.names.label
    said = {word for one in reading.iris for name in asked.state.desk.hood.names.of(one) for word in key(name)}
    said |= {word for one in _classes_along(graph_schema(asked.state.desk), reading) for word in key(label(one))}
    named = {asked.place(link) for link in asked.things}
    named |= {asked.place(link) for link in asked.classes if link.iri == reading.type}
    return [
        token.replace("_", " ").lower()
        for at, token in enumerate(asked.sentence)
        if at not in named
        and (at not in asked.shape.used or at in asked.shape.noun_at)
        and says(token)
        and token.lower() not in _LIGHT
        and not set(key(token)) & said
    ]


def _verbs(asked: _Asked) -> set[str]:
    """Words that stand where a verb does: before a preposition, an entity or the end, and behind no article.

    "How many architects worked on X": beside a noun that says which relation is meant they add little.
    """
    places = {asked.place(link) for link in asked.things}
    found = set()
    for at, token in enumerate(asked.sentence):
        following = asked.sentence[at + 1].lower() if at + 1 < len(asked.sentence) else "?"
        before = asked.sentence[at - 1].lower() if at else ""
        if (following in PREPOSITIONS or following == "?" or at + 1 in places) and before not in _ARTICLES:
            found.add(token.replace("_", " ").lower())
    return found


def unexplained(asked: _Asked, reading: Reading) -> list[str]:
    """The words of a question that no relation, class, name or measure of a reading accounts for."""
    state, shape = asked.state, asked.shape
    relations = [hop.relation for hop in (*reading.hops, *reading.by)]
    relations += [hop.relation for condition in reading.also for hop in condition.hops]
    names = [name for relation in relations for name in state.desk.hood.names.of(relation)]
    ends = {reading.start, reading.target, *reading.among, *(one.entity for one in reading.also)}
    used = {asked.place(link) for link in asked.things if link.iri in ends}
    # which of several things is compared with the other stands in the bound
    used |= {asked.place(link) for link in asked.things if shape.than}
    schema = graph_schema(state.desk)
    held = [state.desk.hood.names.label(one) for one in _classes_along(schema, reading)]
    said = {word for name in names for word in key(name)}
    parts = list(dict.fromkeys([*names, *(word for name in names for word in words(name) if len(word) > 2)]))
    left: list[tuple[int, str]] = []
    for at, token in enumerate(asked.sentence):
        if at in used or at in shape.used or not says(token) or token.lower() in _LIGHT:
            continue
        if at in shape.noun_at and reading.by:
            continue
        if at == 0 and token.lower() in ("list", "name", "give", "tell", "show"):
            continue
        cls = next((link for link in asked.classes if asked.place(link) == at), None)
        if cls is not None and (cls.iri in (reading.type, reading.target) or _like_any(state, cls.label, held, 0.6)):
            continue
        if set(key(token)) & said:
            continue
        left.append((at, token))
    phrased = _phrased(state, reading)
    found = []
    own = _own_phrases(reading, {word for _, token in left for word in key(token)})
    for at, token in left:
        text = token.replace("_", " ").lower()
        if set(key(token)) & own:
            continue
        near = float(state.desk.wording.likeness([text], parts).max()) if parts else 0.0
        # a phrase of one word was compared as a whole, and the search has counted how well
        if near >= _NEAR or set(key(token)) & phrased or _like_any(state, text, held, 0.5):
            continue
        named = at > 0 and token[:1].isupper() and state.question.text.count(" ") > 1
        found.append(token.replace("_", " ") if named else text)
    return found


def _own_phrases(reading: Reading, left: set[str]) -> set[str]:
    """The words of phrases none of which is explained, each a step of its own among several.

    How little such a phrase fits its relation is in the path's confidence already; a word within a phrase that others
    explain is not.
    """
    found: set[str] = set()
    for text, _ in reading.phrases if len(reading.hops) > 1 else ():
        said = {plain(word) for word in words(text) if word != "x" and says(word) and word not in _LIGHT}
        if said and said <= left:
            found |= said
    return found


def _phrased(state: State, reading: Reading) -> set[str]:
    """The words of phrases that were compared with a relation as a whole: of one word, or of two that only together
    mean it, as "other half" means a spouse. Where one of the two means it alone, the other says something else.
    """
    found: set[str] = set()
    for (text, number), hop in zip(reading.phrases, reading.hops, strict=False):
        said = [word for word in words(text) if word != "x" and says(word)]
        if number == 2 and len(said) == 2:
            fits = state.desk.lexicon.fits([Phrase(text, 2), *(Phrase(f"What is the {w} of X?", 1) for w in said)])
            near, *alone = (fit.near[hop.relation] for fit in fits)
            if near < max(_PHRASE, *fits[0].near.values()) or max(alone) > _NEAR:
                continue
        elif number > 1:
            continue
        found |= set(key(text))
    return found


def _classes_along(schema: GraphSchema, reading: Reading) -> list[str]:
    """The classes of what lies along a reading's path."""
    uses = {one.iri: one for one in schema.relations}
    found: list[str] = []
    for hop in reading.hops:
        use = uses.get(hop.relation)
        if use is not None and not use.literal:
            found += [*use.domains, *use.ranges]
    for hop in reading.by:
        use = uses.get(hop.relation)
        found += [*(use.domains if use is not None else ()), *(use.ranges if use and not use.literal else ())]
    return list(dict.fromkeys(found))


def _like_any(state: State, text: str, names: Sequence[str], least: float) -> bool:
    return bool(names) and float(state.desk.wording.likeness([text], list(names)).max()) >= least


# ------------------------------------------------------------------------------------------------------- small matters


def _class_of(state: State, reading: Reading, kind: Iri) -> Reading:
    """The reading with its values held to a class, as this graph says it."""
    return replace(reading, type=kind, typed_by=directory(state).classes().get(kind, TYPE))


def _any(state: State, where: str) -> bool:
    """Whether a graph pattern matches anything; asked once."""
    desk, memo = state.desk, ("any", where)
    if memo not in desk.memo:
        desk.hood.asked += 1
        try:
            desk.memo[memo] = desk.graph.ask(f"ASK {{ {where} }}", timeout=desk.hood.timeout)
        except BackendError:
            return False
    return bool(desk.memo[memo])


def _is_class(state: State, link: Link) -> bool:
    if link.is_class:
        return True
    memo = ("class", link.iri)
    if link.how == "given" and memo not in state.desk.memo:
        state.desk.hood.asked += 1
        by = " ".join(map(n3, directory(state).typing()))
        query = f"ASK {{ VALUES ?t {{ {by} }} ?x ?t {n3(link.iri)} }}"
        state.desk.memo[memo] = state.desk.graph.ask(query, timeout=state.desk.hood.timeout)
    return bool(state.desk.memo.get(memo))


__all__ = ["bound_of", "read_question", "unexplained"]
