"""Link: find the entities that the question mentions (section 3.1; the paper's benchmarks provide
them).

Labels and aliases in every language are compared: word for word, then without case, diacritics and
plural endings, then allowing for typos, and only then by vectors. All entities that a mention may
refer to are kept, with scores.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from kgnb.agents.question_answering.everyday_words import everyday
from kgnb.agents.question_answering.lexicon import Hit, Span
from kgnb.agents.question_answering.parsed_question import polar
from kgnb.agents.question_answering.segmentation import (
    AUXILIARIES,
    QUESTION_WORDS,
    find,
    says,
    tokens,
)
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Link, Linked
from kgnb.kg.terms import Iri, Literal, is_iri, n3
from kgnb.kg.words import key

_IN_PART = 0.85
"""Score of somebody who is called by a part of the name."""
_CODE = re.compile(r"(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])\w+(?:[-_./]\w+)*")
_COLOURLESS = frozenset("account item record entity entry object master header detail".split())
_FEW = 5  # things with one code that are looked at


def link(state: State) -> State:
    """Link the entities supplied with the question, or else those that its words name."""
    linked = _given(state) if state.question.entities else _found(state)
    entities = linked.entities
    seen = frozenset(str(link.iri) for link in linked.links)
    return replace(state, stage="link", linked=linked, entities=entities, seen=seen)


def _given(state: State) -> Linked:
    """The entities supplied with the question, with the words that name them, and whatever else the
    question names.
    """
    sentence = tokens(state.question.text)
    names = state.context.reader.names
    wanted = [Iri(iri) for iri in dict.fromkeys(state.question.entities)]
    for iri in wanted:
        if not is_iri(iri):
            raise ValueError(
                f"not an absolute IRI: {str(iri)!r}; an entity is given by its full IRI"
            )
    same = state.context.reader.same(wanted)
    found = []
    for iri in wanted:
        meant = same.get(iri, iri)
        names.fetch([iri, meant])
        spans = [
            span for name in (*names.of(iri), *names.of(meant)) if (span := find(name, sentence))
        ]
        best = max(spans, key=lambda span: span[1] - span[0], default=None)
        mention = " ".join(sentence[best[0] : best[1]]) if best else ""
        found.append(Link(meant, names.label(meant), mention, 1.0, "given"))
    notes = tuple(f"{old} redirects to {new}" for old, new in same.items())
    left = list(sentence)  # the "hut" in "Upper Hut" is not a class
    for link in found:
        if link.mention and (span := find(link.mention, left)):
            left[span[0] : span[1]] = ["_"] * (span[1] - span[0])
    classes = [
        iri
        for iri in sorted(state.context.reader.classes)
        if iri not in {link.iri for link in found}
    ]
    also = [*_classes(state, classes, left), *_named_too(state, classes, left)]
    return Linked((*found, *also), given=True, notes=notes)


def _classes(state: State, classes: Sequence[Iri], left: Sequence[str]) -> list[Link]:
    """The classes named besides the supplied entities: they say what kind of thing is asked for."""
    names = state.context.reader.names
    names.fetch(classes)
    found: dict[Span, Link] = {}
    for iri in classes:
        span = next((span for name in names.of(iri) if (span := find(name, left))), None)
        if span is not None:
            found.setdefault(
                span,
                Link(iri, names.label(iri), _words(left, span), 0.95, "normalised", is_class=True),
            )
    return list(found.values())


def _named_too(state: State, classes: Sequence[Iri], left: Sequence[str]) -> list[Link]:
    """Other entities that the question names exactly: "Is A the capital of B?" may be supplied with
    B alone.

    They are sought only in yes/no questions, or where capitalised words are left over.
    """
    asks = bool(left) and left[0].lower() in AUXILIARIES
    if not asks and not any(
        token[:1].isupper() and token[1:].islower() and says(token) for token in left[1:]
    ):
        return []
    reader, taken, found = state.context.reader, set[int](), list[Link]()
    others = {*classes, *(relation for relation, _, _ in reader.vocabulary)}
    hits = [hit for hit in state.context.directory.exactly(left) if hit[1] not in others]
    for span, iri, _, score, how in sorted(
        hits, key=lambda hit: (hit[0][0] - hit[0][1], -hit[3], hit[1])
    ):
        if taken.isdisjoint(range(*span)) and "_" not in left[span[0] : span[1]]:
            taken |= set(range(*span))
            found.append(Link(iri, reader.names.label(iri), _words(left, span), score, how))
    return found


def _found(state: State) -> Linked:
    sentence = tokens(state.question.text)
    directory, reader = state.context.directory, state.context.reader
    hits = directory.mentions(sentence)
    relations = {relation for relation, _, _ in reader.vocabulary}
    relations |= reader.properties(dict.fromkeys(hit[1] for hit in hits))
    hits = [hit for hit in hits if hit[1] not in relations]
    chosen: list[Hit] = []
    taken: set[int] = set()
    for span in sorted({hit[0] for hit in hits}, key=lambda span: _rank(hits, span)):
        if taken.isdisjoint(range(*span)):
            taken |= set(range(*span))
            here = sorted(
                (hit for hit in hits if hit[0] == span), key=lambda hit: (-hit[3], hit[1])
            )
            here = _of_the_class_beside(state, sentence, here, hits)
            chosen += [hit for hit in here if hit[3] >= 0.9 * here[0][3]][: state.options.links]
    chosen += _of_class_in_part(state, sentence, taken)
    taken |= {place for (begin, end), *_ in chosen for place in range(begin, end)}
    chosen += _by_code(state, sentence, taken)
    chosen += _by_part(state, sentence, taken)
    same = reader.same([hit[1] for hit in chosen])
    reader.names.fetch([same.get(hit[1], hit[1]) for hit in chosen])
    # a redirect and its target may share a name: the first, with the better score, stands for both
    links: dict[tuple[str, str], Link] = {}
    for span, iri, _, score, how in sorted(chosen, key=lambda hit: (hit[0], -hit[3], hit[1])):
        one, mention = same.get(iri, iri), _words(sentence, span)
        new = Link(one, reader.names.label(one), mention, score, how, is_class=reader.is_class(iri))
        links.setdefault((one, mention), new)
    return Linked(
        tuple(links.values()), notes=("not all labels of the graph were read",) * directory.partial
    )


def _of_class_in_part(state: State, sentence: Sequence[str], taken: Collection[int]) -> list[Hit]:
    """The class that is asked for by the last word of its name that says something: a "security
    advisory" as "which advisory", a "customer account" as "the customers", if no other is called so.
    """
    places = [1 + (sentence[1:2] == ["many"])] if sentence[0].lower() in QUESTION_WORDS else []
    places += [
        at
        for at, token in enumerate(sentence)
        if at and token.islower()
        if sentence[at - 1].lower() in ("the", "all", "every", "each") or polar(sentence[at - 1])
    ]
    for at in places:
        if at not in taken and at < len(sentence) and (found := _by_last_word(state, sentence, at)):
            return found
    return []


def _by_last_word(state: State, sentence: Sequence[str], at: int) -> list[Hit]:
    classes = [iri for iri, (_, number) in state.context.reader.classes.items() if number]
    names = state.context.reader.names
    names.fetch(classes)
    meant = [iri for iri in classes if _head(names.label(iri)) == key(sentence[at])]
    return [((at, at + 1), iri, names.label(iri), 0.95, "normalised") for iri in meant][
        : len(meant) == 1
    ]


def _head(name: str) -> tuple[str, ...]:
    """The last word of a class's name, or the one before if that only says that it is something."""
    said = key(name)
    return said[-2:-1] if len(said) > 1 and said[-1] in _COLOURLESS else said[-1:]


def _by_code(state: State, sentence: Sequence[str], taken: Collection[int]) -> list[Hit]:
    """The things that alone have a code of the question as their identifier, or in their IRI: what
    is in "order SO-9001".

    Not those with a code that is asked by: "which part has the number A-17?"
    """
    reader, found = state.context.reader, list[Hit]()
    said = set(key(" ".join(sentence)))
    for at, token in enumerate(sentence):
        if at in taken or not _CODE.fullmatch(token):
            continue
        values = " ".join(n3(Literal(token, tag)) for tag in (None, "en"))
        query = (
            f"SELECT DISTINCT ?s ?p WHERE {{ VALUES ?l {{ {values} }} ?s ?p ?l }} ORDER BY ?s ?p"
        )
        rows = reader.looked_up(query, _FEW).rows
        things = {row[0] for row in rows} or set(reader.coded(token)) or {None}
        thing = things.pop()
        by = [
            name for row in rows for name in (*reader.names.of(str(row[1])), *everyday(str(row[1])))
        ]
        ends = {word for name in by for word in key(name)[-1:]}
        asked_by = not said.isdisjoint(ends | ({"number"} if "no" in ends else set()))
        if things or asked_by or not isinstance(thing, Iri):
            continue
        kinds = [_head(reader.names.label(kind)) for kind in reader.kinds(thing)]
        begin = at - (key(sentence[at - 1]) in kinds and at - 1 not in taken)  # "order SO-9001"
        found.append(((begin, at + 1), thing, reader.names.label(thing), 0.95, "normalised"))
    return found


def _by_part(state: State, sentence: Sequence[str], taken: Collection[int]) -> list[Hit]:
    """The people that are called by one word of their name, where nothing else of the graph has it:
    "Ada", for Ada Byron.
    """
    reader, found = state.context.reader, list[Hit]()
    for at, token in enumerate(sentence):
        if at in taken or at == 0 or not token[:1].isupper() or not says(token):
            continue
        holders = state.context.directory.called_in_part(token)
        if len(holders) > _FEW:
            continue
        people = [thing for thing in sorted(holders) if reader.is_person(thing)]
        others = [thing for thing in holders if thing not in people and reader.names.named(thing)]
        if len(people) == 1 and not others:
            thing = people[0]
            found.append(((at, at + 1), thing, holders[thing], _IN_PART, "part"))
    return found


def _of_the_class_beside(
    state: State, sentence: Sequence[str], here: list[Hit], hits: Sequence[Hit]
) -> list[Hit]:
    """The meanings of a mention, those of an adjacent class first: "the Colorado river" is not a
    state.
    """
    begin, end = here[0][0]
    if len(here) < 2:
        return here
    before = begin - 1 - (sentence[max(0, begin - 1)].lower() in ("of", "the"))
    classes = state.context.reader.classes
    beside = {
        hit[1]
        for hit in hits
        if hit[1] in classes and (hit[0][0] == end or hit[0][1] == before + 1)
    }
    if not beside:
        return here
    things, kinds = (
        " ".join(n3(iri) for iri in sorted(some)) for some in ({hit[1] for hit in here}, beside)
    )
    by = "|".join(n3(iri) for iri in sorted({classes[iri][0] for iri in beside}))
    query = f"SELECT DISTINCT ?x WHERE {{ VALUES ?x {{ {things} }} VALUES ?c {{ {kinds} }} ?x {by} ?c }}"
    meant = {row[0] for row in state.context.reader.select(query).rows}
    if not meant:
        return here
    # the others remain, with a lower score
    return [hit for hit in here if hit[1] in meant] + [
        (*hit[:3], 0.9 * hit[3], hit[4]) for hit in here if hit[1] not in meant
    ]


def _rank(hits: Sequence[Hit], span: Span) -> tuple[int, float, int]:
    """Sort key: longer mentions first if they scored at least 0.9, then better ones."""
    best = max(hit[3] for hit in hits if hit[0] == span)
    return (-(span[1] - span[0]) if best >= 0.9 else 0, -best, span[0])


def _words(sentence: Sequence[str], span: Span) -> str:
    return " ".join(sentence[span[0] : span[1]])
