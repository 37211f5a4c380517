"""Questions about what an ontology says of every member of a class: "What do owls eat?", where an
owl is a subclass of what eats some mouse.

Read are restrictions to some value, to one value and to at least one, whether stated of the class
or of one above it, also within an intersection. A question is taken so only if every word of it is
read; "only" says nothing of what there is, and is not read.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from itertools import permutations

from kgnb.agents.question_answering.about_terms import most_special
from kgnb.agents.question_answering.interpretation import ABOVE, Hop, Interpretation, body
from kgnb.agents.question_answering.parsed_question import ParsedQuestion
from kgnb.agents.question_answering.path_search import same_verb
from kgnb.agents.question_answering.segmentation import PREPOSITIONS, X
from kgnb.agents.question_answering.values import Link
from kgnb.kg import vocabulary
from kgnb.kg.terms import OWL, Iri, n3
from kgnb.kg.words import key

_SURE = 0.95  # chosen, not tuned: every word of the question is read
_EXACT = 0.9  # a name that is merely like a term's may be that of another
_MANY = 200  # relations in axioms, and values of one, that are read
_TERM = rf"(?:(?:a|an|the|any|every|each|all) )?{X}"
_OTHER = "~"
_THING = "(?:what|which|who|whom)"
_IN = f"(?:{'|'.join(sorted(PREPOSITIONS))})"
_WORDS, _PERHAPS = r"((?: \w+)+?)", r"((?: \w+)*?)"
_OF_IT = (
    rf"(?:{_IN} )?{_THING}{_PERHAPS} (?:does|do|can|must|is|are) {_TERM}{_WORDS}",
    rf"{_THING}{_WORDS} (?:has|have) {_TERM}",
    rf"{_THING} (?:is|are) the{_WORDS} of {_TERM}",
)
"""What is said of the term, in words for the values and for the relation."""
_TO_IT = (
    rf"{_THING}{_PERHAPS} (?:has|have) {_TERM} as(?: a| an| the| its)?{_WORDS}",
    rf"{_THING}{_WORDS} {_TERM}((?: \w+)?)",
)
"""Of what the term is said."""
_AS = (
    rf"{_THING}(?: \w+)* (?:has|have)(?: a| an| the)? (\w+(?: \w+)*) as(?: a| an| the| its)? (\w+)"
)
_WHETHER = (
    rf"(?:do|does|is|are|has|have|can) {_TERM}{_WORDS}(?: (?:a|an|the|some))? {_OTHER}((?: \w+)?)"
)
_EMPTY = frozenset("has have is are be a an the some of in by from on at to with".split())  # noqa: SIM905


def of_every_member(asked: ParsedQuestion) -> list[Interpretation]:
    """The readings of a question by the restrictions of classes; usually none."""
    relations = _relations(asked)
    if not relations:
        return []
    classes = [link for link in asked.classes if link.score >= _EXACT]
    things = [link for link in asked.things if link.score >= _EXACT]
    found = [one for link in classes for one in _read(asked, link, _OF_IT, False, relations)]
    for link in (*classes, *things, *_called_by_kind(asked, relations)):
        found += _read(asked, link, _TO_IT, True, relations)
    for link, other in permutations(classes, 2):
        found += _whether(asked, link, other, relations)
    # of several terms of one name that are told about, nothing says which is meant
    terms = len({(one.start, one.hops) for one in found})
    return [replace(one, confidence=one.confidence / terms) for one in found]


def _relations(asked: ParsedQuestion) -> list[Iri]:
    query = f"SELECT DISTINCT ?p WHERE {{ ?r <{vocabulary.ON_PROPERTY}> ?p }} ORDER BY ?p"
    rows = asked.reader.looked_up(query, _MANY).rows
    return [row[0] for row in rows if isinstance(row[0], Iri)]


def _masked(asked: ParsedQuestion, link: Link, other: Link | None = None) -> str:
    marks = {asked.place(other): _OTHER} if other else {}
    marks[asked.place(link)] = X
    words = [marks.get(at, word.replace("_", " ")) for at, word in enumerate(asked.low)]
    return " ".join(word for word in words if word in marks.values() or word[:1].isalnum())


def _read(
    asked: ParsedQuestion,
    link: Link,
    wordings: Collection[str],
    inverse: bool,
    relations: Collection[Iri],
) -> list[Interpretation]:
    masked = _masked(asked, link)
    match = next(filter(None, (re.fullmatch(wording, masked) for wording in wordings)), None)
    if match is None:
        return []
    words = " ".join(filter(None, match.groups())).split()
    readings: list[tuple[Link | None, list[str]]] = [(None, words)]
    for cls in asked.classes:  # "which animals" eat it
        kind = len(cls.mention.split())
        if cls != link and key(cls.mention) == key(" ".join(words[:kind])):
            readings.append((cls, words[kind:]))
    return [
        one
        for relation in relations
        for cls, said in readings
        if _says(asked, relation, said, link if inverse else None)
        for one in _reading(asked, link, Hop(relation, inverse), cls)
    ][:1]


def _says(asked: ParsedQuestion, relation: Iri, words: Collection[str], value: Link | None) -> bool:
    """Whether words are the name of a relation; of what has a nut topping, the value's name is."""
    told = [word for word in words if word not in _EMPTY]
    if not told and value is not None and "of" not in words:
        told = value.mention.lower().split()[-1:]
    for name in asked.names.of(relation):
        named = [word for word in name.lower().split() if word not in _EMPTY]
        same = set(key(" ".join(told))) == set(key(" ".join(named)))
        # what is part of it is not what it is a part of
        turned = ("of" in words) != name.endswith(" of")
        if (
            named
            and not turned
            and (same or len(told) == len(named) == 1 and same_verb(told[0], named[0]))
        ):
            return True
    return False


def _reading(asked: ParsedQuestion, link: Link, hop: Hop, cls: Link | None) -> list[Interpretation]:
    """The reading that follows a relation of the class's axioms, if that leads to anything."""
    name = asked.names.label(hop.relation)
    told = (
        f"classes of whose every member is said: {name} some {link.label}"
        if hop.inverse
        else f"what is said of every {link.label}: {name} some ..."
    )
    one = Interpretation(
        link.iri, (hop,), confidence=_SURE * link.score, explanation=told, axioms=True
    )
    kind = f"?answer {ABOVE} {n3(cls.iri)} ." if cls is not None else ""
    query = f"SELECT DISTINCT ?answer WHERE {{ {body(one)} {kind} }} ORDER BY ?answer"
    ends = [row[0] for row in asked.reader.looked_up(query, _MANY).rows]
    named = [end for end in ends if isinstance(end, Iri)]
    if len(named) != len(ends) or len(ends) == _MANY:
        return [one] if ends and cls is None else []
    if not hop.inverse:
        named = most_special(asked, named)
        if any(_narrowed(asked, link, hop, end) for end in named):
            return []
    return [replace(one, among=tuple(named))] if named else []


def _narrowed(asked: ParsedQuestion, link: Link, hop: Hop, value: Iri) -> bool:
    """Whether a class is said to be related to nothing but a kind of the value: that kind is meant."""
    above = f"{n3(link.iri)} {ABOVE} ?only . ?only <{vocabulary.ON_PROPERTY}> {n3(hop.relation)} ."
    narrow = f"?kind <{vocabulary.SUBCLASS}>+ {n3(value)} ."
    return asked.reader.any(f"{above} ?only <{OWL}allValuesFrom> ?kind . {narrow}")


def _called_by_kind(asked: ParsedQuestion, relations: Collection[Iri]) -> list[Link]:
    """The values called as in "mozzarella as topping", which is a "mozzarella topping"."""
    match = re.fullmatch(_AS, " ".join(word for word in asked.low if word[:1].isalnum()))
    if match is None:
        return []
    name = key(f"{match[1]} {match[2]}")
    query = f"?r <{vocabulary.ON_PROPERTY}> ?p ; <{OWL}someValuesFrom> ?v FILTER (isIRI(?v))"
    rows = asked.reader.looked_up(f"SELECT DISTINCT ?v WHERE {{ {query} }} ORDER BY ?v").rows
    values = [row[0] for row in rows if isinstance(row[0], Iri)]
    asked.names.fetch(values)
    return [
        Link(value, asked.names.label(value), match[1], _SURE, "normalised", is_class=True)
        for value in values
        if name in map(key, asked.names.of(value))
    ]


def _whether(
    asked: ParsedQuestion, link: Link, other: Link, relations: Collection[Iri]
) -> list[Interpretation]:
    """Whether every member is said to be related to some of the other; if not, that stays open."""
    match = re.fullmatch(_WHETHER, _masked(asked, link, other))
    if match is None:
        return []
    said = " ".join(match.groups()).split()
    for relation in relations:
        if not _says(asked, relation, said, other):
            continue
        told = f"whether is said of every {link.label}: {asked.names.label(relation)} some {other.label}"
        one = Interpretation(
            other.iri, (Hop(relation, True),), "exists", axioms=True, explanation=told
        )
        one = replace(one, among=(link.iri,), confidence=_SURE * min(link.score, other.score))
        if asked.reader.any(body(one)):
            return [one]
    return []
