"""Link: find the entities the question speaks of (section 3.1; the paper's benchmarks give them).

Labels and aliases in every language are compared: word for word, then without case, marks and plural endings, then with
slips of the pen, and only then by vectors. Where words may mean several entities, all are kept with their scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from kgnb.agents.question_answering.desk import Desk
from kgnb.agents.question_answering.directory import Directory, Hit
from kgnb.agents.question_answering.phrases import AUXILIARIES, find, says, tokens
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Link, Linked
from kgnb.kg.terms import Iri, is_iri, n3


def link(state: State) -> State:
    """The state with its entities linked: those the question brings, or those its words name."""
    linked = _given(state) if state.question.entities else _found(state)
    entities = linked.entities
    seen = frozenset(str(link.iri) for link in linked.links)
    return replace(state, stage="link", linked=linked, entities=entities, seen=seen)


def directory(state: State) -> Directory:
    """The names of the graph, read once for all questions."""
    return directory_of(state.desk)


def directory_of(desk: Desk) -> Directory:
    """The names of a desk's graph."""
    if "directory" not in desk.memo:
        desk.memo["directory"] = Directory(desk.hood, desk.wording)
    return cast(Directory, desk.memo["directory"])


def _given(state: State) -> Linked:
    """The entities the question brings, each with the words that name it, where some do, and the classes it names."""
    sentence = tokens(state.question.text)
    names = state.desk.hood.names
    wanted = [Iri(iri) for iri in dict.fromkeys(state.question.entities)]
    for iri in wanted:
        if not is_iri(iri):
            raise ValueError(f"not an absolute IRI: {str(iri)!r}; an entity is given by its full IRI")
    same = state.desk.hood.same(wanted)
    found = []
    for iri in wanted:
        meant = same.get(iri, iri)
        names.fetch([iri, meant])
        spans = [span for name in (*names.of(iri), *names.of(meant)) if (span := find(name, sentence))]
        best = max(spans, key=lambda span: span[1] - span[0], default=None)
        mention = " ".join(sentence[best[0] : best[1]]) if best else ""
        found.append(Link(meant, names.label(meant), mention, 1.0, "given"))
    notes = tuple(f"{old} redirects to {new}" for old, new in same.items())
    also = [*_classes(state, sentence, found), *_named_too(state, sentence, found)]
    return Linked((*found, *also), given=True, notes=notes)


def _classes(state: State, sentence: Sequence[str], given: Sequence[Link]) -> list[Link]:
    """The classes the question names besides the entities it brings: they say what kind of thing is asked for."""
    names = state.desk.hood.names
    classes = [iri for iri in directory(state).classes() if iri not in {link.iri for link in given}]
    names.fetch(classes)
    found: dict[tuple[int, int], Link] = {}
    left = list(sentence)
    for link in given:  # the "hut" in "Upper Hut" is no class
        if link.mention and (span := find(link.mention, left)):
            left[span[0] : span[1]] = ["_"] * (span[1] - span[0])
    for iri in classes:
        spans = [span for name in names.of(iri) if (span := find(name, left))]
        for span in spans[:1]:
            mention = _words(sentence, span)
            found.setdefault(span, Link(iri, names.label(iri), mention, 0.95, "normalised", is_class=True))
    return list(found.values())


def _named_too(state: State, sentence: Sequence[str], given: Sequence[Link]) -> list[Link]:
    """Other entities that the question names in just so many words: "Is A the capital of B?" may come with B alone.

    Looked for only where a question of yes or no, or words in capitals, leave something to be named.
    """
    left = list(sentence)
    for link in given:
        if link.mention and (span := find(link.mention, left)):
            left[span[0] : span[1]] = ["_"] * (span[1] - span[0])
    asks = bool(left) and left[0].lower() in AUXILIARIES
    if not asks and not any(token[:1].isupper() and token[1:].islower() and says(token) for token in left[1:]):
        return []
    taken: set[int] = set()
    found: list[Link] = []
    classes = directory(state).classes()
    relations = {relation for relation, _, _ in state.desk.hood.vocabulary()}
    hits = [hit for hit in directory(state).exactly(left) if hit[1] not in relations and hit[1] not in classes]
    for span, iri, _, score, how in sorted(hits, key=lambda hit: (hit[0][0] - hit[0][1], -hit[3], hit[1])):
        if not taken & set(range(*span)) and "_" not in left[span[0] : span[1]]:
            taken |= set(range(*span))
            found.append(Link(iri, state.desk.hood.names.label(iri), _words(sentence, span), score, how))
    return found


def _found(state: State) -> Linked:
    """The entities whose names occur in the question."""
    sentence = tokens(state.question.text)
    names = directory(state)
    hits = names.mentions(sentence)
    relations = {relation for relation, _, _ in state.desk.hood.vocabulary()}
    relations |= state.desk.hood.properties(dict.fromkeys(hit[1] for hit in hits))
    hits = [hit for hit in hits if hit[1] not in relations]
    chosen: list[Hit] = []
    taken: set[int] = set()
    for span in sorted({hit[0] for hit in hits}, key=lambda span: _rank(hits, span)):
        if taken & set(range(*span)):
            continue
        taken |= set(range(*span))
        here = sorted((hit for hit in hits if hit[0] == span), key=lambda hit: (-hit[3], hit[1]))
        here = _of_the_class_beside(state, sentence, here, hits)
        best = here[0][3]
        chosen += [hit for hit in here if hit[3] >= 0.9 * best][: state.options.links]
    same = state.desk.hood.same([hit[1] for hit in chosen])
    classes = names.classes()
    links = [
        Link(same.get(iri, iri), state.desk.hood.names.label(same.get(iri, iri)), _words(sentence, span), score, how,
             is_class=iri in classes)
        for span, iri, _, score, how in sorted(chosen, key=lambda hit: (hit[0], -hit[3], hit[1]))
    ]  # fmt: skip
    notes = ["not all labels of the graph were read"] if names.partial else []
    # a redirect and what it leads to may both be called so: they are one, by the better of their scores
    unique = {(link.iri, link.mention): link for link in reversed(links)}
    kept = (link for link in dict.fromkeys(links) if unique[link.iri, link.mention] == link)
    return Linked(tuple(kept), notes=tuple(notes))


def _of_the_class_beside(state: State, sentence: Sequence[str], here: list[Hit], hits: Sequence[Hit]) -> list[Hit]:
    """What one mention may mean, that of the class named beside it first: "the Colorado river" is no state."""
    begin, end = here[0][0]
    if len(here) < 2:
        return here
    before = begin - 1 - (sentence[max(0, begin - 1)].lower() in ("of", "the"))
    classes = directory(state).classes()
    beside = {hit[1] for hit in hits if hit[1] in classes and (hit[0][0] == end or hit[0][1] == before + 1)}
    if not beside:
        return here
    things, kinds = (" ".join(n3(iri) for iri in sorted(some)) for some in ({hit[1] for hit in here}, beside))
    by = "|".join(n3(iri) for iri in sorted({classes[iri] for iri in beside}))
    query = f"SELECT DISTINCT ?x WHERE {{ VALUES ?x {{ {things} }} VALUES ?c {{ {kinds} }} ?x {by} ?c }}"
    meant = {row[0] for row in state.desk.hood.select(query).rows}
    if not meant:
        return here
    # the others stay possible, and are said
    return [hit for hit in here if hit[1] in meant] + [
        (*hit[:3], 0.9 * hit[3], hit[4]) for hit in here if hit[1] not in meant
    ]


def _rank(hits: Sequence[Hit], span: tuple[int, int]) -> tuple[int, float, int]:
    """Longer mentions first, among those found with some certainty; then better ones."""
    best = max(hit[3] for hit in hits if hit[0] == span)
    return (-(span[1] - span[0]) if best >= 0.9 else 0, -best, span[0])


def _words(sentence: Sequence[str], span: tuple[int, int]) -> str:
    return " ".join(sentence[span[0] : span[1]])
