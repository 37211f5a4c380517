"""Questions about a term itself: what it is, what else it is called, what lies above and below it.

The answers stand in annotations and in the hierarchy of classes or concepts, which no other
interpretation reads. A question is taken so only if these are all its words; where the graph has a
relation of its own by that name, the question is left to the other interpretations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations, product

from kgnb.agents.question_answering.interpretation import (
    IN_LANGUAGE,
    SUBCLASS,
    TYPE,
    Hop,
    Interpretation,
    body,
)
from kgnb.agents.question_answering.names import LABELS, NAMING, is_relation, local_name
from kgnb.agents.question_answering.parsed_question import ParsedQuestion
from kgnb.agents.question_answering.segmentation import X
from kgnb.agents.question_answering.values import Link
from kgnb.kg import vocabulary
from kgnb.kg.labels import choose_label
from kgnb.kg.ontology import Text
from kgnb.kg.terms import OWL, Iri, Literal, n3
from kgnb.kg.words import key

_SURE = 0.95  # chosen, not tuned: every word of the question is read
_BY_CLASS = 0.9  # the class of a thing, where nothing says more of it
_LONGEST = 8  # steps from a term up to one that lies above it
_MANY = 60  # other ends of one relation that are read

_TERM = rf"(?:(?:a|an|the) )?{X}"
_ASKED = r"(?:(?:what|which|who) (?:is|are)|name|list|give me) (?:all )?(?:the )?(?:direct )?"
_WHAT = (
    rf"(?:what|who) (?:is|are|was|were) {_TERM}",
    rf"what does {_TERM} mean",
    rf"(?:define|describe|explain|tell me about) {_TERM}",
    rf"{_ASKED}(?:definition|meaning|description) of {_TERM}",
    rf"how is {_TERM} defined",
)
_CALLED = (
    rf"{_ASKED}(?:other |alternative )?(synonyms?|names?|labels?|aliases) (?:of|for) {_TERM}",
    rf"what (?:is|are) (?:another|other) (names?|words?|terms?) for {_TERM}",
    rf"what else is {_TERM} called",
    rf"what is {_TERM} also (?:called|known as)",
)
_WIDER_TERM = "~"
_KIND = (
    rf"(?:is|are) (?:(?:a|an|the|every|each|all) )?{X} "
    rf"(?:(?:a|an) )?(?:(?:kinds?|types?|sorts?|sub-?class(?:es)?) of )?(?:(?:a|an|the) )?{_WIDER_TERM}"
)
_TAGS = {
    "english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "dutch": "nl",
    "portuguese": "pt", "polish": "pl", "russian": "ru", "chinese": "zh", "japanese": "ja",
    "arabic": "ar", "swedish": "sv", "danish": "da", "norwegian": "no", "finnish": "fi", "latin": "la",
    "czech": "cs", "greek": "el", "turkish": "tr", "hungarian": "hu", "welsh": "cy", "irish": "ga",
}  # fmt: skip
_IN = (
    rf"what is the (?P<language>\w+) (?:word|name|term|label|translation|title) (?:for|of) {_TERM}",
    rf"what (?:is|are) {_TERM} (?:called )?in (?P<language>\w+)",
    rf"what is the (?:word|name|term|label|translation) (?:for|of) {_TERM} in (?P<language>\w+)",
    rf"how do you say {_TERM} in (?P<language>\w+)",
)
_KINDS = "kinds?|types?|sorts?|varieties"
_LOWER = (
    rf"{_ASKED}(sub-?class(?:es)?|subtypes?|narrower (?:terms?|concepts?)|{_KINDS}) of {_TERM}",
    rf"(?:what|which) ({_KINDS}) of {_TERM} (?:are|is) there",
    rf"(?:what|which)(?: (?:terms|concepts|things|words))? (?:is|are) (narrower) than {_TERM}",
)
_UPPER = (
    rf"{_ASKED}(super-?class(?:es)?|supertypes?|broader (?:terms?|concepts?)) of {_TERM}",
    rf"{_ASKED}parent (class|classes|concept|concepts|term|terms) of {_TERM}",
    rf"what is {_TERM} a ({_KINDS}|subclass) of",
    rf"(?:what|which)(?: (?:terms?|concepts?|things|words))? (?:is|are) (broader) than {_TERM}",
)
_DESCRIBING = (
    *("definition", "description", "abstract", "summary", "scopeNote", "comment", "note"),
    *("IAO_0000115", "hasDefinition"),
)
"""Local names of the annotations that say what a term is, the best first but for two codes."""
_WIDER = (vocabulary.SUBCLASS, *SUBCLASS.values(), vocabulary.BROADER)


def about_terms(asked: ParsedQuestion) -> list[Interpretation]:
    """The readings of a question that asks about one of its terms as a term; usually none."""
    found = []
    for link in (*asked.things, *asked.classes):
        for wording, read in _READINGS:
            said = re.fullmatch(wording, _masked(asked, link))
            if said and not _has_relation(asked, link, "".join(said.groups())):
                found += [
                    replace(one, confidence=one.confidence * link.score)
                    for one in read(asked, link)
                ]
    found += _is_kind(asked)
    found += _translated(asked)
    # of several terms of one name that are told about, nothing says which is meant
    terms = len({one.start for one in found})
    return [replace(one, confidence=one.confidence / terms) for one in found]


def _masked(asked: ParsedQuestion, link: Link, wider: Link | None = None) -> str:
    """The question in lower case without punctuation, its term replaced, and the wider one."""
    marks = {asked.place(wider): _WIDER_TERM} if wider else {}
    marks[asked.place(link)] = X
    words = [marks.get(at, word) for at, word in enumerate(asked.low)]
    return " ".join(word for word in words if word in marks.values() or word[:1].isalnum())


def _is_kind(asked: ParsedQuestion) -> list[Interpretation]:
    """Whether a term lies below another. That it does not is nowhere stated, and stays open."""
    terms = [*asked.classes, *asked.things]
    for link, wider in permutations(terms, 2):
        if re.fullmatch(_KIND, _masked(asked, link, wider)):
            told = f"{link.label} as a kind of {wider.label}"
            for iri, length in product(_WIDER, range(1, _LONGEST + 1)):
                steps = (Hop(Iri(iri)),) * length
                one = Interpretation(link.iri, steps, "exists", 0.0, _SURE, told, target=wider.iri)
                if asked.reader.any(body(replace(one, form="values", among=(wider.iri,)))):
                    return [replace(one, confidence=one.confidence * min(link.score, wider.score))]
    return []


def _has_relation(asked: ParsedQuestion, link: Link, said: str) -> bool:
    """Whether a relation of the graph's own around the term is called like what is asked for."""
    steps = asked.reader.expand(link.iri).hops
    names = asked.words_of(hop.relation for hop, _, _ in steps if is_relation(hop.relation))
    return not names.isdisjoint(key(said))


def _meaning(asked: ParsedQuestion, link: Link) -> list[Interpretation]:
    """What a term is: the text that describes it, or else its classes, or those above it."""
    if link.is_class and (asked.low[0] == "who" or f"the {X}" in _masked(asked, link)):
        by = "|".join(map(n3, asked.reader.typing))
        if asked.reader.any(f"?x {by} {n3(link.iri)}"):
            return []  # "what are the rivers" asks which there are
    texts = {
        _DESCRIBING.index(local_name(hop.relation)): hop
        for hop, _, end in asked.reader.expand(link.iri, inverse=False).hops
        if local_name(hop.relation) in _DESCRIBING and isinstance(end, Literal)
    }
    if texts:
        return [_described(asked, link, texts[min(texts)])]
    if asked.low[0] == "who":
        return []  # that somebody is a person does not say who
    hops = [Hop(Iri(vocabulary.SUBCLASS))] if link.is_class else map(Hop, asked.reader.typing)
    told = [one for hop in hops for one in _related(asked, link, hop, "the class of")]
    return [replace(one, confidence=_BY_CLASS) for one in told]


def _described(asked: ParsedQuestion, link: Link, hop: Hop) -> Interpretation:
    """The text about a term, in one language if there are several."""
    told = _reading(link, hop, f"{asked.names.label(hop.relation)} of")
    ends, _ = asked.reader.ends(link.iri, hop, _MANY)
    texts = [Text(end.text, end.language) for end in ends if isinstance(end, Literal)]
    chosen = choose_label(texts)
    if chosen is None or len({text.language for text in texts}) == 1:
        return told
    return replace(told, operator=IN_LANGUAGE, bound=Literal(chosen.language or ""))


def _called(asked: ParsedQuestion, link: Link) -> list[Interpretation]:
    """What else a term is called; exact synonyms before those that are near, wide or narrow."""
    steps = asked.reader.expand(link.iri, inverse=False).hops
    hops = [hop for hop, _, _ in steps if hop.relation in vocabulary.SYNONYMS]
    hops.sort(key=lambda hop: hop.relation not in NAMING)
    return [_reading(link, hop, "another name of") for hop in hops[:1]]


def _translated(asked: ParsedQuestion) -> list[Interpretation]:
    """What a term is called in another language."""
    found = []
    for link in (*asked.things, *asked.classes):
        said = next(filter(None, (re.fullmatch(text, _masked(asked, link)) for text in _IN)), None)
        language = said["language"] if said else ""
        if language not in _TAGS:
            continue
        for hop, _, _ in asked.reader.expand(link.iri, inverse=False).hops:
            if hop.relation not in LABELS:
                continue
            one = _reading(link, hop, f"the name in {language.title()} of")
            one = replace(one, operator=IN_LANGUAGE, bound=Literal(_TAGS[language]))
            found += [one] if asked.reader.any(body(one)) else []
    return found[:1]


def _lower(asked: ParsedQuestion, link: Link) -> list[Interpretation]:
    """What lies directly below a term."""
    hops = [Hop(Iri(iri), inverse=True) for iri in _WIDER]
    hops.append(Hop(Iri(vocabulary.NARROWER)))
    return [one for hop in hops for one in _related(asked, link, hop, "directly below")][:1]


def _upper(asked: ParsedQuestion, link: Link) -> list[Interpretation]:
    """What lies directly above a term."""
    hops = [Hop(Iri(iri)) for iri in _WIDER]
    hops.append(Hop(Iri(vocabulary.NARROWER), inverse=True))
    return [one for hop in hops for one in _related(asked, link, hop, "directly above")][:1]


def _related(asked: ParsedQuestion, link: Link, hop: Hop, how: str) -> list[Interpretation]:
    """The named ends of a relation, of which none lies above another; none if there are none.

    Restrictions have no names, and ``owl:Class`` says nothing of a term.
    """
    ends, _ = asked.reader.ends(link.iri, hop, _MANY)
    named = [end for end in ends if isinstance(end, Iri) and end not in _LANGUAGE]
    if not hop.inverse:
        named = most_special(asked, named)
    only = () if len(named) == len(ends) else tuple(named)
    return [replace(_reading(link, hop, how), among=only)] if named else []


def most_special(asked: ParsedQuestion, classes: Sequence[Iri]) -> list[Iri]:
    """The classes and things, without classes that others lie below or belong to."""
    some = " ".join(map(n3, classes))
    query = (
        f"SELECT DISTINCT ?w WHERE {{ VALUES ?c {{ {some} }} VALUES ?w {{ {some} }} "
        f"?c (<{vocabulary.SUBCLASS}>|<{TYPE}>)/<{vocabulary.SUBCLASS}>* ?w FILTER (?c != ?w) }}"
    )
    above = {row[0] for row in asked.reader.looked_up(query).rows} if len(classes) > 1 else set()
    return [one for one in classes if one not in above] or list(classes)


def _reading(link: Link, hop: Hop, how: str) -> Interpretation:
    told = f"{how} {link.label}"
    return Interpretation(link.iri, (hop,), confidence=_SURE, explanation=told)


_LANGUAGE = vocabulary.META_TYPES | vocabulary.TOPS | {f"{OWL}NamedIndividual"}
_Reader = Callable[[ParsedQuestion, Link], list[Interpretation]]
_READINGS: tuple[tuple[str, _Reader], ...] = (
    *((wording, _meaning) for wording in _WHAT),
    *((wording, _called) for wording in _CALLED),
    *((wording, _lower) for wording in _LOWER),
    *((wording, _upper) for wording in _UPPER),
)
