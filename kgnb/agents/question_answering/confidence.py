"""How well an interpretation accounts for its question: the words it leaves unexplained, its
calibrated confidence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from math import exp, log

from kgnb.agents.question_answering.graph_reader import (
    OF_PEOPLE,
    GraphSchema,
    is_year,
    kind_of,
)
from kgnb.agents.question_answering.interpretation import Hop, Interpretation, body
from kgnb.agents.question_answering.lexicon import ASKED_FOR
from kgnb.agents.question_answering.names import opaque
from kgnb.agents.question_answering.parsed_question import (
    COUNTING,
    LIGHT,
    ParsedQuestion,
    measure_of,
    measures,
    opposite,
    polar,
)
from kgnb.agents.question_answering.path_search import active, leads_to, same_verb, verb_of, voice
from kgnb.agents.question_answering.segmentation import (
    PREPOSITIONS,
    QUESTION_WORDS,
    RELATIVE,
    Phrase,
    says,
)
from kgnb.kg.terms import XSD, Blank, Iri, Literal
from kgnb.kg.words import key, plain, words

UNEXPLAINED = 0.35
"""Factor on an interpretation's confidence for each word of the question that it does not explain.
"""
VERB = 0.8
"""Used instead of UNEXPLAINED if the only unexplained word is in the position of a verb."""
_ARTICLES = frozenset("a an the any some no".split())  # noqa: SIM905
_TIED = 0.01  # of ranks
_IN_PART = 0.85  # most confidence in who is called by a part of the name
_NEAR = 0.36  # nearness from which a name explains a word
_COUNTED = 0.5  # likeness from which a name is that of what is counted
_INHABITANTS = frozenset(map(plain, ("people", "inhabitants", "residents", "citizens")))
_PHRASE = 0.2  # nearness from which the nearest relation explains a phrase of two words as a whole
_JOINS = frozenset("and but & und aber mais".split())  # noqa: SIM905
"""Words that join two conditions; "et" is left out because it occurs in names."""
_BOTH = frozenset("both also besides sowohl auch beide aussi".split())  # noqa: SIM905
_OR = frozenset("or either oder ou".split())  # noqa: SIM905
_OTHERS = frozenset("same else another second third fourth fifth".split())  # noqa: SIM905
_TOGETHER = frozenset(
    """total sum average mean median combined overall altogether density dense densest densely percentage percent
    ratio proportion capita""".split()  # noqa: SIM905
)
"""Words that ask for one number made of many, which no interpretation computes."""
_WHEN = frozenset("year date day month time on at".split())  # noqa: SIM905
_EXCEPT = frozenset(
    "not never without except neither nor only nicht nie ohne außer nur sans sauf jamais".split()
)  # noqa: SIM905
_ALTERING = re.compile(
    r"^(?:great-?)*(?:grand|step|god|foster|half|great|ex|vice|co|sub|non)-?(?=\w)|-in-law$"
)
"""What turns the name of a relation into that of another."""
_PARENTS, _CHILDREN = (
    frozenset("mother father parent".split()),
    frozenset("child children son daughter".split()),
)  # noqa: SIM905
_SIBLINGS = frozenset("brother sister sibling".split())  # noqa: SIM905
_SPOUSES = frozenset("husband wife spouse married marriage partner".split())  # noqa: SIM905
_KIN = {
    **{word: (frozenset([word, "parent"]), _CHILDREN) for word in ("mother", "father")},
    "parent": (_PARENTS, _CHILDREN),
    **{word: (frozenset([word, "child", "children"]), _PARENTS) for word in ("son", "daughter")},
    **dict.fromkeys(("child", "children"), (_CHILDREN, _PARENTS)),
    **{word: (frozenset([word, "sibling"]), _SIBLINGS) for word in ("brother", "sister")},
    "sibling": (_SIBLINGS, _SIBLINGS),
    "husband": (_SPOUSES - {"wife"}, _SPOUSES - {"husband"}),
    "wife": (_SPOUSES - {"husband"}, _SPOUSES - {"wife"}),
    "spouse": (_SPOUSES, _SPOUSES),
    **{
        word: (frozenset([word]), frozenset[str]())
        for word in "uncle aunt nephew niece cousin godparent godfather godmother".split()  # noqa: SIM905
    },
}
"""Words for relatives, with those in the names of relations that lead to them, and back from them."""
RELATIVES = frozenset(_KIN) | _SPOUSES
ENDS = frozenset(map(plain, "death died die end ended closed close closing dissolved".split()))  # noqa: SIM905
_LOOKED_AT = 10  # values whose names are looked at
_KIND_ALONE = re.compile(r"(?:What|Which) \w+ (?:is|are|was|were) X\?")
_EVENT = 0.2  # likeness from which two words are of one event: "founded" and "foundation"
_AMOUNTS = frozenset("long far high deep tall wide heavy large big fast".split())  # noqa: SIM905
_UNITS = {
    name: (measured, names.split()[0])
    for measured, every in {
        "length": "mm millimetres,cm centimetres,m metres meters,km kilometres kilometers,ft feet,"
        "mi miles",
        "weight": "mg milligrams,g grams,kg kilograms kilos,t tonnes tons,lb pounds,oz ounces",
        "time": "seconds second sec s,minutes minute min,hours hour h,days day,years year",
        "volume": "ml millilitres,cl centilitres,l litres liters",
    }.items()
    for names in every.split(",")
    for name in names.split()
}
"""The units that questions and names of relations have, each with what it measures."""
_LIKELY = 0.5  # chance from which an interpretation may be the answer
_EACH = frozenset("each every per pro je jede jeder jedes chaque".split())  # noqa: SIM905
"""Words that ask for a row of each, which no interpretation groups by."""


def calibrated(
    asked: ParsedQuestion, candidate: Interpretation, ranked: Sequence[Interpretation]
) -> Interpretation:
    """The interpretation with its calibrated confidence: a logistic regression on the raw
    confidence and the lead over interpretations with other relations, reduced for words that ask
    for more than the interpretation says.

    Fitted on the development halves of tests/benchmarks/questions, the huts, PathQuestion with two
    and three relations (weight .3), and those halves without the relations that answer (weight .7).
    In leave-one-graph-out validation, 135 of 145 natural answers at .6 or above are right, and 82
    of 83 at .9 or above. Adding the phrases' other neighbours, the form or the number of relations
    did not help. The two penalty factors are set by hand, not fitted.
    """
    doubts = _doubts(asked, candidate)
    raw = min(max(candidate.confidence, 1e-4), 1 - 1e-4)
    rivals = [rank(one) for one in ranked if _parts(one) != _parts(candidate)]
    lead = (
        min(1.0, max(-0.3, rank(candidate) - max(rivals, default=-9.0)))
        if candidate.form != "exists"
        else 0.5
    )
    sure = (
        1 / (1 + exp(0.2 - 0.54 * log(raw / (1 - raw)) - 1.5 * lead)) * UNEXPLAINED ** len(doubts)
    )
    if candidate.unused and not _by_relation(candidate):
        sure *= UNEXPLAINED
    elif candidate.unused and not (
        len(candidate.unused) == 1 and set(candidate.unused) <= _verbs(asked)
    ):
        sure *= 0.7
    if candidate.also and candidate.guessed:
        sure *= 0.5
    if any(_twins(candidate, one) for one in ranked):
        sure *= 0.5
    if any(link.how == "part" and link.iri in candidate.entities for link in asked.things):
        sure = min(sure, _IN_PART)
    # it costs queries, so only what would be an answer is looked at
    if sure >= _LIKELY and (bare := _nameless(asked, candidate) or _unspoken(asked, candidate)):
        doubts += bare
        sure *= UNEXPLAINED
    return replace(
        candidate,
        confidence=round(sure, 4),
        unused=tuple(dict.fromkeys((*candidate.unused, *doubts))),
    )


def _twins(one: Interpretation, other: Interpretation) -> bool:
    """Whether two interpretations say the same of two things of one name."""
    same = one.hops == other.hops and one.also == other.also and one.form == other.form
    return same and one.start != other.start and abs(rank(one) - rank(other)) < _TIED


def _parts(candidate: Interpretation) -> tuple[object, ...]:
    return (candidate.start, candidate.hops, candidate.by)


def rank(candidate: Interpretation) -> float:
    """The score by which candidates are ordered, higher first."""
    return 0.25 * candidate.score + 2.0 * candidate.confidence - 0.5 * len(candidate.unused)


def explained(asked: ParsedQuestion, candidate: Interpretation) -> Interpretation:
    """The interpretation with the words it does not explain, and its confidence reduced for each of
    them.
    """
    unused = unexplained(asked, candidate)
    end = [token for token in asked.low if token[:1].isalnum()][-1:]
    if end == ["do"] and not any(
        number == 1 and "job" in key(text) for text, number in candidate.phrases
    ):
        candidate = replace(candidate, confidence=0.3 * candidate.confidence)
    if not unused:
        return candidate
    named = [word for word in unused if word[:1].isupper()]
    # "suppliers that export to Sweden" are not those whose country it is
    verbs = _verbs(asked) if len(unused) == 1 and _by_relation(candidate) else frozenset()
    left = 1.0
    for word in unused:
        left *= VERB if word in verbs else UNEXPLAINED
    return replace(
        candidate,
        confidence=candidate.confidence * left,
        unused=tuple(word.lower() if word not in named else word for word in unused),
    )


def _conditioned(candidate: Interpretation) -> bool:
    """Whether more than a class was read: else a word that is left is the whole condition, as in
    "which fields are fallow".
    """
    return bool(candidate.start or candidate.by or candidate.also or candidate.among)


def _by_relation(candidate: Interpretation) -> bool:
    """Whether words led to a relation, and not only a text that the graph states with any."""
    return _conditioned(candidate) and candidate.operator != "="


def _doubts(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The words that ask for more than an interpretation's structure expresses.

    Counting links, or measuring the end of a path, is a guess in itself, so being near to a
    relation is not enough there: each word must be part of a name.
    """
    low = asked.low
    names = {word for one in candidate.iris for name in asked.names_of(one) for word in words(name)}
    found = _beyond_structure(asked, candidate, names)
    found += _altered(asked, candidate, names)
    for doubt in _ASKS_FOR_MORE:
        found += doubt(asked, candidate)
    # the words for a direction that it does not follow: vectors cannot tell directions apart
    found += [
        word
        for at, word in enumerate(low)
        if polar(word) and at not in asked.shape.used and word not in names
    ]
    found += [word for word in low if opposite(word, names)]
    if candidate.counted or (candidate.by and (candidate.hops or candidate.also)):
        found += _unnamed(asked, candidate)
    shape, measures = asked.shape, candidate.by or (candidate.hops if candidate.operator else ())
    counts = candidate.counted or all(asked.gives_number(one.relation) for one in measures[-1:])
    by = asked.words_of(hop.relation for hop in candidate.by)
    if shape.noun and not shape.measured and not counts:
        found += shape.noun  # "more floors" does not mean floor area
    elif candidate.by and not candidate.counted and by & set(key(" ".join(shape.noun))):
        # a population density is no population; "300 pages long" says nothing more
        nouns = (word for word in shape.noun if word not in LIGHT and measure_of(word) is None)
        found += [word for word in nouns if not set(key(word)) & by]
    return [
        word
        for word in dict.fromkeys(found)
        if word not in candidate.unused or polar(word) or word in _EXCEPT or word[:1].isdigit()
    ]


def _altered(asked: ParsedQuestion, candidate: Interpretation, names: Collection[str]) -> list[str]:
    """The words that say more than the name within them: a mother-in-law is no mother, and a
    grandmother is the mother of a parent.
    """
    told = [set(key(name)) for hop in candidate.hops for name in asked.names_of(hop.relation)]
    things = {asked.place(link) for link in asked.things}
    found = []
    for at, word in enumerate(asked.low):
        bare = _ALTERING.sub("", word)
        if bare == word or at in things or len(bare) < 3:
            continue
        own = word.replace(bare, "").strip("-")
        same = {part for name in names for part in key(name) if own and part.startswith(own)}
        within = set(key(bare))
        twice = word.startswith("grand") and sum(within <= name for name in told) > 1
        of_its_kind = "-" in word or within <= _KIN.keys() or any(within <= name for name in told)
        if of_its_kind and not (twice or same or set(key(word)) <= set().union(*told)):
            found.append(word)
    return found


def _against(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The words of phrases that are read against their direction: whom somebody influenced is not
    who they are "influenced by", X's pupils are not whose "pupil of" X is, and "what song is X"
    asks for no album that has this track.
    """
    found = []
    for (text, _), hop in zip(candidate.phrases, candidate.hops, strict=False):
        name = asked.names.label(hop.relation)
        passive = name.endswith(" by")
        # the pupils of X are those who are a "pupil of" X
        held = name.endswith(" of") and not hop.inverse and text.endswith(" of X?")
        if held and key(name.removesuffix(" of")) == key(text.removesuffix(" of X?"))[-1:]:
            found += [word for word in words(text) if word != "x" and says(word)]
        kind = hop.inverse and len(candidate.hops) > 1 and _KIND_ALONE.fullmatch(text)
        said = leads_to(text, name)
        turned = said is not None and said != hop.inverse
        if kind or turned or (passive and active(text) != hop.inverse):
            found += [word for word in words(text) if word != "x" and says(word)]
    return [word for word in found if word in asked.low]


def _of_another_class(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The class asked for, where the values are of other classes, or texts: a record label is no
    band, nor is a depot code a depot.
    """
    wanted, last = asked.wanted, candidate.hops[-1:]
    if wanted is None or not last or candidate.type is not None or candidate.form == "exists":
        return []
    if asked.low[max(0, asked.place(wanted) - 1)] not in ("which", "what"):
        return []
    ends = set(asked.classes_at(last[0]))
    # the wine of a "wine region" is not what the relation leads to
    heads = (name.partition(" of ")[0] for name in asked.names_of(last[0].relation))
    named = {key(head)[-1] for head in heads if key(head)} & set(key(wanted.mention))
    joined = wanted.iri in [condition.entity for condition in candidate.also]
    literal = not last[0].inverse and kind_of(asked.sample(last[0].relation)) != "thing"
    if (
        not (ends or literal)
        or wanted.iri in ends
        or named
        or joined
        or not asked.reader.is_class(wanted.iri)
    ):
        return []
    return wanted.mention.lower().split()


def _unnamed_class(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The class whose members are given although something else is asked for: "people born on an
    island".
    """
    parts = candidate.start or candidate.by or candidate.also or candidate.among
    if candidate.type is None or parts or asked.wanted is not None:
        return []
    return asked.names.label(candidate.type).lower().split()


def _ended(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The words that compare ages, where it is ends that are compared: who died last is not the
    youngest.
    """
    by = asked.words_of(hop.relation for hop in candidate.by)
    if asked.shape.measured != "old" or asked.shape.noun or by.isdisjoint(ENDS):
        return []
    return [] if not ENDS.isdisjoint(key(" ".join(asked.low))) else ["old"]


def _nameless(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """ "Who", where the values are things without a name: a tasting is not who tasted."""
    if asked.low[:1] != ["who"] or len(candidate.hops) != 1 or candidate.start is None:
        return []
    if candidate.form != "values" or candidate.type is not None:
        return []
    ends, _ = asked.reader.ends(candidate.start, candidate.hops[0], _LOOKED_AT)
    opaque_ends = [end for end in ends if isinstance(end, Iri) and opaque(end)]
    asked.names.fetch(opaque_ends)
    bare = [
        end in opaque_ends and not asked.names.named(end) for end in ends if isinstance(end, Iri)
    ]
    return ["who"] if bare and all(bare) and asked.reader.kinds(Iri(str(ends[0]))) else []


_SITUATED = frozenset("based located situated".split())  # noqa: SIM905
SITES = frozenset(
    "country city town place location address region state seat province district county".split()
)  # noqa: SIM905
DOER = re.compile(
    r"(?:er|or|ist|ian|ant|udent|ident|agent|lient|tient|rent|ee|man|men)s?$|person|people|human|team|party|compan|organi|band|club|group|"
    r"countr|nation|state|universit|museum|agent|nurse|chef|monarch|captain|pilot|chief",
    re.I,
)
"""What the names of those who do something end in, or contain."""


def _nobody(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """ "Who" or "whom", where the values are nobody: what somebody donated is not whom.

    A class is known to do things by its name, by relations that lead to it ("donor", "painted by"),
    or by what only people have; nothing is said of a graph that has no such class.
    """
    last = candidate.hops[-1] if candidate.hops else None
    does = verb_of(candidate.phrases[-1][0]) if candidate.phrases else None
    if asked.low[0] not in ("who", "whom") or last is None:
        return []
    if not last.inverse and not (does and does[1]):  # whom X did something to
        return []
    ends = set(asked.classes_at(last))
    doers: set[str] = set()
    for use in asked.schema.relations:
        name = asked.names.label(use.iri)
        if name.endswith(" by") or DOER.search(name.removesuffix(" of").split()[-1]):
            doers |= set(asked.classes_at(Hop(use.iri, name.endswith(" of"))))
        if not OF_PEOPLE.isdisjoint(words(name)):
            doers |= set(asked.classes_at(Hop(use.iri, inverse=True)))
    named = any(DOER.search(asked.names.label(end)) for end in ends)
    return [] if not ends or not doers or named or ends & doers else [asked.low[0]]


def _only_number(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """ "Which" or "who", where the values are the number of those: 9,100 is not which visitors came."""
    last = candidate.hops[-1:]
    if asked.low[0] not in ("which", "who", "whom") or not last or last[0].inverse:
        return []
    counts = not asked.words_of([last[0].relation]).isdisjoint(COUNTING)
    number = counts and kind_of(asked.sample(last[0].relation)) == "number"
    return [asked.low[0]] if number and COUNTING.isdisjoint(key(" ".join(asked.low))) else []


def _acts(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The verb of "what did X order", where the values are the orders and not what was ordered."""
    if len(candidate.hops) != 1 or not candidate.phrases or asked.wanted is not None:
        return []
    said = verb_of(candidate.phrases[0][0])
    if said is None or not said[1] or asked.low[0] not in ("what", "which"):
        return []
    ends = asked.classes_at(candidate.hops[0])
    return [said[0]] if any(same_verb(asked.names.label(end), said[0]) for end in ends) else []


def _other_verb(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The verbs of phrases that name another relation: what X owns is not what it operates."""
    found = []
    for (text, _), hop in zip(candidate.phrases, candidate.hops, strict=False):
        verb = (verb_of(text) or ("", False))[0]
        own, others = asked.names_of(hop.relation), _verbal(asked)
        named = [name for name in (*own, *others) if voice(name, verb) is not None]
        if named and set(own).isdisjoint(named):
            found.append(verb)
    return found


def _in_other_units(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The units of a question that are not those in the names of what is measured."""
    relations = [hop.relation for hop in (*candidate.hops, *candidate.by)]
    named = {
        unit for iri in relations for name in asked.names_of(iri) for unit in words(name)
    } & _UNITS.keys()
    said = [word for word in asked.low if word in _UNITS]
    return [
        word
        for word in said
        if any(_UNITS[one][0] == _UNITS[word][0] for one in named)
        and not any(_UNITS[one] == _UNITS[word] for one in named)
    ]


def _said_twice(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The words that are said more often than they are followed: "what is what X is based on based
    on" takes two steps.
    """
    steps = (*candidate.hops, *candidate.by, *(hop for one in candidate.also for hop in one.hops))
    kinds = {word for link in asked.classes for word in key(link.mention)}
    counts = Counter(part for word in asked.said for part in key(word) if part not in kinds)
    named = Counter(word for hop in steps for word in asked.words_of([hop.relation]))
    return [
        word
        for word in asked.said
        if any(counts[part] > max(1, named[part] or len(steps)) for part in key(word))
    ]


def _stated(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The nouns of what is counted although its number is stated, and is another one."""
    nouns = set(key(" ".join(asked.counted)))
    if candidate.form != "count" or candidate.start is None or not nouns:
        return []
    for hop, _, sample in asked.reader.expand(candidate.start, inverse=False).hops:
        named = asked.words_of([hop.relation])
        if kind_of(sample) == "number" and nouns & named and named & COUNTING:
            return list(asked.counted)
    return []


def _no_amount(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The adjective after "how", where the values are dates or times of day and no amounts."""
    how, adjective, *_ = [*asked.low[:2], "", ""]
    if how != "how" or adjective not in _AMOUNTS or not candidate.hops:
        return []
    sample = asked.sample(candidate.hops[-1].relation)
    timed = kind_of(sample) == "date" or getattr(sample, "datatype", "") == f"{XSD}time"
    return [adjective] if timed else []


def _other_event(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The verb of "when was X delivered", where the date is that of something else: an order's."""
    last = candidate.hops[-1:]
    if asked.low[0] != "when" or not last or not candidate.phrases:
        return []
    names = [
        " ".join(word for word in words(name) if word not in _WHEN)
        for name in asked.names.of(last[0].relation)
    ]
    said = [word for word in words(candidate.phrases[-1][0])[1:] if word != "x" and says(word)]
    if (
        len(said) != 1
        or not any(names)
        or not asked.words_of([last[0].relation]).isdisjoint(key(said[0]))
    ):
        return []
    same = any(same_verb(part, said[0]) for name in names for part in name.split())
    return [] if same or asked.alike(said[0], list(filter(None, names))) >= _EVENT else said


def _other_kin(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The words for relatives of another kind than those that a relation leads to."""
    found = []
    for (text, _), hop in zip(candidate.phrases, candidate.hops, strict=False):
        if leads_to(text, asked.names.label(hop.relation)) == hop.inverse:
            continue  # whose mother X is: those of whom X is said to be the mother
        named = asked.words_of([hop.relation]) & RELATIVES
        for word in set(key(text)) & _KIN.keys():
            if named and named.isdisjoint(_KIN[word][hop.inverse]):
                found.append(word)
    return [word for word in asked.low if not set(key(word)).isdisjoint(found)]


def _uncounted(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The nouns after "how many" that no relation or class of an interpretation is called.

    Patients are not nurses, however near the two words are.
    """
    places = {asked.place(link) for link in asked.things}
    things = {token.lower() for at, token in enumerate(asked.sentence) if at in places}
    nouns = [word for word in asked.counted if word not in LIGHT and word not in things]
    last = (candidate.hops or candidate.by)[-1:]
    if not nouns or not last:
        return []
    kinds = [candidate.type] if candidate.type else []
    kinds += map(Iri, asked.classes_at(last[0]))
    names = [name for one in (*kinds, last[0].relation) for name in asked.names_of(one)]
    named = {word for name in names for word in key(name)}
    said = set(key(" ".join(nouns)))
    kin = [_KIN[word][1] for word in (*said, *nouns) if word in _KIN]
    if last[0].inverse and any(back & named for back in kin):
        return []  # whose mother X is are children of X
    if said & named or ("population" in named and said & _INHABITANTS):
        return []
    return [] if asked.alike(" ".join(nouns), names) >= _COUNTED else nouns


def _misplaced(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The words before an extreme that is said of another thing than the values: the spouse of the
    oldest member is not the oldest spouse.
    """
    low = asked.low
    at = next((at for at in sorted(asked.shape.used) if polar(low[at])), 0)
    if not candidate.by or low[max(0, at - 1)] != "the" or low[max(0, at - 2)] not in PREPOSITIONS:
        return []
    wanted = asked.place(asked.wanted) if asked.wanted else -1
    return [
        word
        for place, word in enumerate(low[:at])
        if place not in (0, wanted) and says(word) and word not in LIGHT
    ]


def _other_noun(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The noun of "what medicine does X take", where the values are of a class that is no such."""
    last, noun = candidate.hops[-1:], asked.low[1:2]
    if asked.low[0] not in ("what", "which") or not last or not last[0].inverse or candidate.type:
        return []
    ends = [asked.names.label(end) for end in asked.classes_at(last[0])]
    if not ends or not noun or not says(noun[0]) or noun[0] in LIGHT or candidate.target:
        return []
    named = asked.words_of([last[0].relation]) | {word for end in ends for word in key(end)}
    linked = 1 in {asked.place(link) for link in (*asked.things, *asked.classes)}
    same = linked or named & set(key(noun[0])) or asked.alike(noun[0], ends) >= _NEAR
    return [] if same else noun


def _unspoken(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """What is asked for, where the values are nodes that only hold together what is said by them."""
    if candidate.form != "values" or candidate.start is None or len(candidate.hops) != 1:
        return []
    ends, _ = asked.reader.ends(candidate.start, candidate.hops[0], _LOOKED_AT)
    bare = [isinstance(end, Blank) and asked.reader.holds_together(end) for end in ends]
    return asked.low[:1] if bare and all(bare) else []


_ASKS_FOR_MORE = (
    _against, _of_another_class, _in_other_units, _stated, _no_amount, _unnamed_class, _ended,
    _other_event, _other_kin, _nobody, _acts, _other_verb, _only_number, _uncounted, _said_twice,
    _misplaced, _other_noun,
)  # fmt: skip


def _beyond_structure(
    asked: ParsedQuestion, candidate: Interpretation, names: Collection[str]
) -> list[str]:
    """The words that join, exclude or add a condition without a matching part in the
    interpretation.
    """
    low = [word for word in asked.low if word not in names]
    entities = {link.iri for link in asked.things}
    joined = sum(condition.entity in entities for condition in candidate.also)
    joins = [word for word in low if word in _JOINS]
    found = [] if len(joins) <= joined else joins
    found += [
        word
        for word in low
        if (word in _BOTH and not joined) or (word in _OR and not asked.shape.either)
    ]
    found += [
        word
        for word in asked.low
        if word in _EXCEPT and word not in names and not _denied(candidate)
    ]
    found += [word for word in low if word in _EACH | _OTHERS]
    together = [word for word in low if word in _TOGETHER]
    if together and (not candidate.hops or _several(asked, candidate)):
        found += together
    parts = (
        len(candidate.hops) + len(candidate.also) + len(candidate.by) + (candidate.type is not None)
    )
    clauses = _clauses(asked)
    return [*found, *(asked.low[at] for at in clauses)] if len(clauses) >= max(1, parts) else found


def _several(asked: ParsedQuestion, candidate: Interpretation) -> bool:
    """Whether a path leads to more than one value: one may be the total that is stated."""
    if any(hop.inverse for hop in candidate.hops):
        return True
    return len(asked.reader.looked_up(f"SELECT * WHERE {{ {body(candidate)} }} LIMIT 2").rows) > 1


def _denied(candidate: Interpretation) -> bool:
    """Whether what is read is that something is said to be false."""
    return candidate.bound is not None and candidate.bound.text == "false"


def _clauses(asked: ParsedQuestion) -> list[int]:
    """The positions of relative pronouns that begin a clause about something named earlier."""
    found, asking, low = [], False, asked.low  # asking: whether a question word came earlier
    for at, token in enumerate(low):
        before = low[max(0, at - 2)] if low[at - 1] in PREPOSITIONS else low[max(0, at - 1)]
        opens = before in (":", ";") or (
            before == "," and not asking
        )  # "In Paris, who ..." is a question
        named = any(says(one) and one not in LIGHT | PREPOSITIONS for one in low[:at])
        if token in RELATIVE and named and not opens:
            found.append(at)
        asking = asking or token in QUESTION_WORDS
    return found


def _unnamed(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The words of a question that are not part of any name in a candidate, however near they are
    to one.
    """
    label = asked.names.label
    said = asked.words_of(candidate.iris)
    said |= {word for one in _classes_along(asked.schema, candidate) for word in key(label(one))}
    named = {asked.place(link) for link in asked.things}
    named |= {asked.place(link) for link in asked.classes if link.iri == candidate.type}
    return [
        token.replace("_", " ").lower()
        for at, token in enumerate(asked.sentence)
        if at not in named
        and (at not in asked.shape.used or at in asked.shape.noun_at)
        and says(token)
        and token.lower() not in LIGHT
        and not set(key(token)) & said
    ]


def _verbs(asked: ParsedQuestion) -> frozenset[str]:
    """Words in the position of a verb, before a preposition, an entity or the end and not after an
    article, that add little to a noun which names the relation: "How many architects worked on X".

    A verb does say something where it names another relation, or one that the graph may lack:
    whom X sponsors is not whom it employs.
    """
    named = [*filter(_one_verb, ASKED_FOR), *_verbal(asked)]
    places = {asked.place(link) for link in asked.things}
    found = set()
    for at, (before, token, following) in enumerate(
        zip(["", *asked.low], asked.low, [*asked.low[1:], "?"], strict=False)
    ):
        if (following in PREPOSITIONS or following == "?" or at + 1 in places) and not (
            before in _ARTICLES
            or at - 1 in asked.shape.used
            or token[:1].isdigit()
            or any(voice(name, token) is not None for name in named)
        ):
            found.add(token.replace("_", " "))
    return frozenset(found)


def _verbal(asked: ParsedQuestion) -> list[str]:
    """The names of the graph's relations that are a verb or who does it."""
    return [name for use in asked.schema.relations for name in use.names if _one_verb(name)]


def _one_verb(name: str) -> bool:
    """Whether a name is a word with or without a preposition: a keynote speaker says no more."""
    return len([word for word in name.lower().split() if word not in PREPOSITIONS]) == 1


def unexplained(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The words of a question that no part of an interpretation (relation, class, name, measure)
    accounts for.
    """
    shape = asked.shape
    relations = [hop.relation for hop in (*candidate.hops, *candidate.by)]
    relations += [hop.relation for condition in candidate.also for hop in condition.hops]
    names = [name for relation in relations for name in asked.names.of(relation)]
    ends = {
        candidate.start,
        candidate.target,
        *candidate.among,
        *(one.entity for one in candidate.also),
    }
    used = {asked.place(link) for link in asked.things if link.iri in ends}
    # in a comparison with an entity every linked thing is used: the bound holds the other one
    used |= {asked.place(link) for link in asked.things if shape.than}
    schema = asked.schema
    held = [asked.names.label(one) for one in _classes_along(schema, candidate)]
    said = asked.words_of(relations)
    adjective = measure_of(asked.low[1]) if asked.low[:1] == ["how"] else None
    heads = {key(label)[-1] for label in held if key(label)}
    parts = list(
        dict.fromkeys([*names, *(word for name in names for word in words(name) if len(word) > 2)])
    )
    stated = candidate.bound if candidate.operator == "=" else candidate.target
    equal = set(key(stated.text)) if isinstance(stated, Literal) else set()
    sample = asked.sample(candidate.hops[-1].relation) if candidate.hops else None
    dated = kind_of(sample) == "date" or is_year(sample)
    left: list[tuple[int, str]] = []
    for at, token in enumerate(asked.sentence):
        if at in used or at in shape.used or not says(token) or token.lower() in LIGHT:
            continue
        if at in shape.noun_at and candidate.by:
            continue
        text = token.lower()
        if (text in ("not", "no", "without") and _denied(candidate)) or set(key(token)) & equal:
            continue
        if text in _SITUATED and equal and not SITES.isdisjoint(said):
            continue
        if at == 0 and text in ("list", "name", "give", "tell", "show"):
            continue
        if token.lower() in _WHEN and dated:
            continue
        if text == "out" and asked.low[at - 1] in ("come", "comes", "came"):
            continue
        cls = next((link for link in asked.classes if asked.place(link) == at), None)
        if cls is not None and (
            cls.iri in (candidate.type, candidate.target) or asked.alike(cls.label, held) >= 0.6
        ):
            continue
        if at == 1 and adjective and measures(adjective[0], said):
            continue
        if set(key(token)) & (said | heads) or any(voice(name, text) is not None for name in names):
            continue
        left.append((at, token))
    phrased = _phrased(asked, candidate)
    found = []
    own = _own_phrases(candidate, {word for _, token in left for word in key(token)})
    for at, token in left:
        text = token.replace("_", " ").lower()
        if set(key(token)) & own:
            continue
        near = asked.alike(text, parts)
        # a one-word phrase was compared as a whole, and the search has already scored it
        if near >= _NEAR or set(key(token)) & phrased or asked.alike(text, held) >= 0.5:
            continue
        named = at > 0 and token[:1].isupper() and asked.state.question.text.count(" ") > 1
        found.append(token.replace("_", " ") if named else text)
    return found


def _own_phrases(candidate: Interpretation, left: set[str]) -> set[str]:
    """The words of phrases that are a step of a longer path and wholly unexplained.

    The path's confidence already reflects how badly such a phrase fits; for single words in a
    phrase that is otherwise explained it does not.
    """
    found: set[str] = set()
    for text, _ in candidate.phrases if len(candidate.hops) > 1 else ():
        said = {
            plain(word) for word in words(text) if word != "x" and says(word) and word not in LIGHT
        }
        if said and said <= left:
            found |= said
    return found


def _phrased(asked: ParsedQuestion, candidate: Interpretation) -> set[str]:
    """The words of phrases compared with a relation as a whole: one word, or two such as "other
    half" for a spouse.

    If one of the two matches the relation by itself, the other means something else.
    """
    found: set[str] = set()
    for (text, number), hop in zip(candidate.phrases, candidate.hops, strict=False):
        said = [word for word in words(text) if word != "x" and says(word)]
        if number == 2 and len(said) == 2:
            fits = asked.context.lexicon.fits(
                [Phrase(text, 2), *(Phrase(f"What is the {w} of X?", 1) for w in said)]
            )
            near, *alone = (fit.near[hop.relation] for fit in fits)
            if near < max(_PHRASE, *fits[0].near.values()) or max(alone) > _NEAR:
                continue
        elif number > 1:
            continue
        found |= set(key(text))
    return found


def _classes_along(schema: GraphSchema, candidate: Interpretation) -> list[str]:
    found: list[str] = []
    for hop in (*candidate.hops, *candidate.by):
        use = schema.uses.get(hop.relation)
        if use is not None and not (use.literal and hop in candidate.hops):
            found += [*use.domains, *(() if use.literal else use.ranges)]
    return list(dict.fromkeys(found))
