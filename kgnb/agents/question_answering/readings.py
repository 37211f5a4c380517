"""The readings of a question: what it asks for, over the relations around the entities it speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgnb.agents.question_answering.choices import chosen
from kgnb.agents.question_answering.conditions import MET, cuts, met
from kgnb.agents.question_answering.cutting import SHARES
from kgnb.agents.question_answering.forms import Shape, shape_of
from kgnb.agents.question_answering.kinds import kind_of
from kgnb.agents.question_answering.languages import in_english
from kgnb.agents.question_answering.link import directory
from kgnb.agents.question_answering.measures import asked, measured, most_of, of_class
from kgnb.agents.question_answering.patterns import body
from kgnb.agents.question_answering.phrases import find, glued, masked, says, tokens
from kgnb.agents.question_answering.reading import Reading
from kgnb.agents.question_answering.search import path_readings
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.unions import halves, together
from kgnb.agents.question_answering.values import Link
from kgnb.agents.question_answering.yes_no import without, yes_or_no
from kgnb.kg.terms import Iri, n3

TYPED = 0.4
"""What it adds to a reading, in log likelihood a word, that its values are of the class the question names."""
UNTYPED = 1.5
"""What it costs that none of them is."""
WRONG = 4.0
"""What it costs that its values are of no kind that could answer: a thing for "when", a number for "who"."""
_TRIED = 8  # readings whose values' class, or conditions, are looked at
_KEPT = 20
_CLASSES = 10  # of one value
_PERSON = ("person", "human being", "man", "woman")
_PLACE = ("place", "location", "city", "region")
_CLEARLY = 0.3  # nearer to the one than to the other
_ASKS = ("which", "what", "all", "list", "show", "name", "welche", "welcher", "quels", "quelles")


def read_question(state: State) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """The readings, best first, and notes on what was not tried."""
    links = state.linked.links
    things = [link for link in links if not _is_class(state, link)]
    classes = [link for link in links if link not in things]
    sentence = glued(tokens(state.question.text), [link.mention for link in links])
    spans = [span for link in links if link.mention and (span := find(link.mention, sentence))]
    named = [span for link in things if link.mention and (span := find(link.mention, sentence))]
    plain = in_english(sentence, spans)
    shape = shape_of(plain, {sentence[begin] for begin, _ in named})
    if shape.form == "exists":
        found = [] if shape.measure else _chosen(state, plain, things, classes)
        found = found or yes_or_no(state, shape, things, classes)
    elif shape.either:
        among = tuple(dict.fromkeys({link.mention: link.iri for link in reversed(things)}.values()))
        found = measured(state, shape, [Reading(None, among=among, score=-0.1, confidence=1.0)])
    else:
        found = _values(state, shape, things, classes)
    ranked = sorted(found, key=lambda reading: (-reading.score, reading.explanation))
    return tuple(ranked[:_KEPT]), ()


def _chosen(state: State, sentence: Sequence[str], things: Sequence[Link], classes: Sequence[Link]) -> list[Reading]:
    """One of the alternatives the question names: "Is X's mother a man or a woman?"."""

    def paths(words: Sequence[str], starts: Sequence[Link]) -> list[Reading]:
        return _paths(state, Shape("values", tuple(words)), starts, [])

    return chosen(state, [token for token in sentence if token != "?"], things, classes, paths)


def _values(state: State, shape: Shape, things: Sequence[Link], classes: Sequence[Link]) -> list[Reading]:
    """What lies at the end of a path, and what is made of it: its number, the highest of it."""
    found = [_answers(state, shape, reading) for reading in _paths(state, shape, things, classes)]
    found += _both(state, shape, things) if shape.form == "values" and not shape.measure else []
    whole = _held(state, shape, things, classes) if things else _members(state, shape, classes)
    if shape.measure:
        nouns = [link for link in classes if link.mention in " ".join(shape.noun)]
        if not things:
            whole = [reading for reading in whole if reading.type not in {noun.iri for noun in nouns}]
            whole = [replace(reading, score=-0.2, confidence=1.0) for reading in whole]
            if not whole and shape.operator and not nouns:
                whole = [Reading(None, score=-0.2, confidence=0.9, explanation="anything")]
        counted = [] if things or not shape.noun else [r for noun in nouns for r in most_of(state, shape, noun)]
        found = measured(state, shape, [*found[:3], *whole], nouns) + counted
    else:
        found += whole
    return [_counted(state, shape, reading) for reading in found] if shape.form == "count" else found


def _both(state: State, shape: Shape, things: Sequence[Link]) -> list[Reading]:
    """What two halves of the question ask for, together; nothing where it asks for one thing."""
    spans = [span for link in things if link.mention and (span := find(link.mention, shape.sentence))]
    split = halves(shape.sentence, {shape.sentence[begin] for begin, _ in spans})
    if split is None:
        return []
    shapes = [replace(shape, sentence=half) for half in split]
    return together(*([_answers(state, s, reading) for reading in _paths(state, s, things, [])] for s in shapes))


def _paths(state: State, shape: Shape, things: Sequence[Link], classes: Sequence[Link]) -> list[Reading]:
    """Paths from every entity held possible, with the class the question names where the values have it."""
    found: list[Reading] = []
    wanted = _wanted(shape, classes)
    nouns = [link.mention for link in classes]
    # with the class left out of the words, its name need not stand for a relation as well
    variants = [shape.sentence] + ([without(shape.sentence, wanted.mention)] if wanted else [])
    for link, words in ((link, words) for link in things for words in variants):
        readings = _from(state, link, words)
        if wanted and words is not shape.sentence:
            readings = tuple(r for r in (_typed(state, reading, wanted) for reading in readings[:_TRIED]) if r.type)
        found += readings
        for cut in [] if _shares(words) else cuts(words, things, link.mention, nouns):
            held = [met(state, reading, cut.pieces) for reading in _from(state, link, cut.sentence)[:_TRIED]]
            found += [_typed(state, reading, wanted) if wanted else reading for reading in held if reading]
    found.sort(key=lambda reading: -reading.score)
    if wanted is None:
        return found[:_KEPT]
    return [*(_typed(state, reading, wanted) for reading in found[:_TRIED]), *found[_TRIED:_KEPT]]


def _shares(words: Sequence[str]) -> bool:
    """Whether something is said to have something in common with an entity: then that entity is no condition."""
    return any(word.lower() in SHARES or word.lower() == "same" or word.lower().startswith("co-") for word in words)


def _from(state: State, link: Link, words: Sequence[str]) -> tuple[Reading, ...]:
    """The paths from an entity that words may mean; none where they say nothing."""
    sentence = masked(words, find(link.mention, words) if link.mention else None)
    if not any(map(says, sentence)) and not any(word in sentence for word in ("where", "when")):
        return ()
    inverse = state.options.directions == "both"
    return path_readings(link.iri, sentence, state.desk.lexicon, longest=state.options.hops, inverse=inverse)


def _wanted(shape: Shape, classes: Sequence[Link]) -> Link | None:
    """The class the question asks for members of: the one named right after "which", "what", "all"."""
    low = [token.lower() for token in shape.sentence]
    for link in classes:
        span = find(link.mention, shape.sentence) if link.mention else None
        before = [t for t in low[: span[0]] if t not in ("the", "a", "an", "of", "are", "is")] if span else []
        if span and (not before or before[-1] in _ASKS):
            return link
    return None


def _typed(state: State, reading: Reading, wanted: Link) -> Reading:
    """The reading with its values bound to a class, if any of them has it."""
    if reading.type is not None:
        return reading
    typed = of_class(state, reading, wanted.iri)
    if not asked(state, body(typed)):
        return replace(reading, score=reading.score - UNTYPED, confidence=0.5 * reading.confidence)
    sure = reading.confidence + (1 - reading.confidence) * 0.5  # that values of the right kind lie there speaks for it
    said = f"{reading.explanation}; values are {wanted.label}"
    return replace(typed, score=reading.score + TYPED, confidence=sure, explanation=said)


def _answers(state: State, shape: Shape, reading: Reading) -> Reading:
    """The reading, less likely where its values are not of the kind that is asked for: no number is a place."""
    last = reading.hops[-1] if reading.hops else None
    kind = kind_of(state.desk.lexicon.sample(last.relation)) if last and not last.inverse else "thing"
    low = [token.lower() for token in shape.sentence[:3]]
    wrong = (kind in ("number", "date") and ("where" in low or "who" in low)) or (
        kind == "thing" and low[:1] == ["when"]
    )
    if wrong:
        return replace(reading, score=reading.score - WRONG, confidence=0.2 * reading.confidence)
    word = next((word for word in ("who", "where") if low[:1] == [word]), "")
    if kind == "thing" and word and reading.type is None and not _could_be(state, reading, word):
        return replace(reading, score=reading.score - UNTYPED, confidence=0.5 * reading.confidence)
    return reading


def _could_be(state: State, reading: Reading, word: str) -> bool:
    """Whether one of the values may answer "who" or "where", by the name of its class: no city is a who."""
    if reading.start is None or not reading.hops:
        return True
    desk = state.desk
    inverse = state.options.directions == "both"
    ways = desk.hood.ways(reading.start, reading.hops[:-1], inverse=inverse).hops
    sample = next((sample for hop, _, sample in ways if hop == reading.hops[-1]), None)
    if not isinstance(sample, Iri):
        return True
    key = ("is a", sample)
    if key not in desk.memo:
        by = " ".join(map(n3, directory(state).typing()))
        rows = desk.hood.select(
            f"SELECT DISTINCT ?c WHERE {{ VALUES ?t {{ {by} }} {n3(sample)} ?t ?c }}", limit=10
        ).rows
        desk.memo[key] = sorted(str(row[0]) for row in rows if isinstance(row[0], Iri))
    names = [desk.hood.names.label(kind) for kind in desk.memo[key]]
    if not names:
        return True
    person, place = (desk.wording.likeness(names, words).max() for words in (_PERSON, _PLACE))
    return bool(place - person < _CLEARLY if word == "who" else person - place < _CLEARLY)


def _held(state: State, shape: Shape, things: Sequence[Link], classes: Sequence[Link]) -> list[Reading]:
    """The members of a class that have to do with every entity the question names: "the mountains in X"."""
    wanted = _wanted(shape, classes)
    chosen = classes if shape.measure else [wanted] if wanted and not _shares(shape.sentence) else []
    found: list[Reading] = []
    for link in chosen:
        for cut in cuts(shape.sentence, [*things, link], link.mention):
            left = [token for token in without(cut.sentence, link.mention) if says(token)]
            if left and not shape.measure:
                continue
            sure = 0.95 / (1 + 0.5 * len(left))
            # the first of them leads to the values, as a path does
            base = Reading(None, score=-0.2 - MET - 0.5 * len(left), confidence=sure, explanation=link.label)
            held = met(state, of_class(state, base, link.iri), cut.pieces)
            found += [held] if held else []
    return found


def _members(state: State, shape: Shape, classes: Sequence[Link]) -> list[Reading]:
    """All members of a class, where the question says nothing more of them."""
    found = []
    for link in classes:
        span = find(link.mention, shape.sentence)
        left = [
            t for at, t in enumerate(shape.sentence) if says(t) and not (span and span[0] <= at < span[1])
        ]  # fmt: skip
        sure = 0.9 if not left else 0.9 / (1 + 2 * len(left))
        said = f"all members of {link.label}"
        base = Reading(None, score=-0.1 - len(left), confidence=sure, explanation=said)
        found.append(of_class(state, base, link.iri))
    return found


def _counted(state: State, shape: Shape, reading: Reading) -> Reading:
    """The number of the values; or the values, where they are numbers themselves."""
    last = reading.hops[-1] if reading.hops and reading.type is None else None
    if last and not last.inverse and kind_of(state.desk.lexicon.sample(last.relation)) == "number":
        return reading
    return replace(reading, form="count", explanation=f"the number of: {reading.explanation}")


def _is_class(state: State, link: Link) -> bool:
    if link.is_class:
        return True
    key = ("class", link.iri)
    if link.how == "given" and key not in state.desk.memo:
        state.desk.hood.asked += 1
        by = " ".join(map(n3, directory(state).typing()))
        query = f"ASK {{ VALUES ?t {{ {by} }} ?x ?t {n3(link.iri)} }}"
        state.desk.memo[key] = state.desk.graph.ask(query, timeout=state.desk.hood.timeout)
    return bool(state.desk.memo.get(key))
