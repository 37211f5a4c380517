"""Interpretations of a question: the relations, classes and bounds of the graph its words may stand
for.

Only short questions are covered: paths of relations from the named entities; members of a class;
superlatives, comparisons and counts of either; and yes/no questions. Words that an interpretation
leaves unexplained lower its confidence and are reported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product
from math import exp

from kgnb.agents.question_answering.about_terms import about_terms
from kgnb.agents.question_answering.class_axioms import of_every_member
from kgnb.agents.question_answering.confidence import (
    DOER,
    ENDS,
    RELATIVES,
    SITES,
    calibrated,
    explained,
    rank,
)
from kgnb.agents.question_answering.graph_reader import RelationUse, is_date, is_year, kind_of
from kgnb.agents.question_answering.interpretation import (
    IN_YEAR,
    TYPE,
    Condition,
    Form,
    Hop,
    Interpretation,
    body,
    of_type,
    pattern,
)
from kgnb.agents.question_answering.names import is_relation, opaque
from kgnb.agents.question_answering.parsed_question import (
    COUNTING,
    GENERAL,
    LIGHT,
    AnswerShape,
    ParsedQuestion,
    measure_of,
    measures,
    polar,
    shape_of,
)
from kgnb.agents.question_answering.path_search import (
    candidate_paths,
    same_verb,
    verb_of,
    voice,
)
from kgnb.agents.question_answering.rewording import reworded
from kgnb.agents.question_answering.segmentation import Phrase, X, find, glued, says, tokens
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Link
from kgnb.kg.terms import XSD, Iri, Literal, Term, bare_text, n3
from kgnb.kg.words import key, plain, words

_KEPT = 8
_NODES = 4  # relations to nodes without a name that are followed
_SHORT = 3  # characters from which a text in capitals is found as any other is
_MEMBERS = 300  # values whose relations are examined
_TEXT_WORDS = 4  # of a text that the graph states
_TRIED = 3  # interpretations of one kind that are tried on the graph
_ALONE = 0.8  # confidence in the only possible relation when no word names it
_SAID_SO = 0.9  # the same where the act of a verb is called like it
_SEVERAL = 0.45  # the same with several possible relations
_CLEAR = 2.0  # times as many things as any other: no word has to name that relation
_GENERAL = 0.35  # confidence when an adjective fits more than one relation
_ELSEWISE = 0.05  # confidence in things of a class where the question asks something about them
_IMPOSSIBLE = 0.3  # factor for a "no" on a relation that never leads to such things
_MEANT = 0.6  # nearness of a relation whose name says what an adjective measures
_MIXED = 0.85  # most confidence in a comparison of values of several kinds
_OPEN = 0.5  # the same where one that is left out might be among them, or first
_LEFT_OUT = 5  # values named that were not compared
_TOLD = 0.15  # likeness by which a noun must fit one end of a relation better than the other
_DEEP = 4  # steps from what something is part of that are followed
_PARTS = frozenset("part within inside located contains contained belongs".split())  # noqa: SIM905
"""Words in the names of relations that hold over several steps."""
_WHERE = frozenset(map(plain, "located situated based residence venue".split()))
_ARTICLES = frozenset(["a", "an", "the"])
_APPOSING = frozenset("of for called named".split())  # noqa: SIM905
_CLOSE = 0.08  # nearness by which a measure must lead the next
_PERSON: tuple[str, ...] = ("person", "human being", "man", "woman")
_PLACE: tuple[str, ...] = ("place", "location", "city", "region")
_RELATIVES = (*_PERSON, "parent", "child", "spouse", "friend")
_WHEREABOUTS = (*_PLACE, "country", "nationality", "residence", "employer")
_CLEARLY = 0.3  # likeness by which a person must lead a place, or the reverse


def interpret(state: State) -> tuple[Interpretation, ...]:
    """Interpret the question, best interpretation first."""
    links = state.linked.links
    classes = tuple(link for link in links if _is_class(state, link))
    # "city" means the class, even if some entity is called City
    common = {link.mention for link in classes if link.mention and link.mention.islower()}
    things = tuple(link for link in links if link not in classes and link.mention not in common)
    sentence = glued(tokens(state.question.text), [link.mention for link in links])
    names = {
        sentence[span[0]]
        for link in things
        if link.mention and (span := find(link.mention, sentence))
    }
    # the "latest version" and what was "first released" are no extremes where relations say so
    called = " ; ".join(name.lower() for use in state.schema.relations for name in use.names)
    names |= {
        word
        for word, following in pairwise(sentence)
        if polar(word.lower()) and f"{word} {following}".lower() in called
    }
    sentence = _unapposed(state, sentence, things, classes)
    asked = ParsedQuestion(state, sentence, shape_of(sentence, names), things, classes)
    if told := about_terms(asked) or of_every_member(asked):
        return tuple(told)
    return (*reworded(asked, _ranked), *_ranked(asked))[:_KEPT]


def _unapposed(
    state: State, sentence: tuple[str, ...], things: Sequence[Link], classes: Sequence[Link]
) -> tuple[str, ...]:
    """The question without a class that only says what a thing is: "the film Kestrel", "the recipe
    for plum cake", "the Market stop".
    """
    for thing, cls in product(things, classes):
        own, kind = find(thing.mention, sentence), find(cls.mention, sentence)
        if not own or not kind:
            continue
        between = {word.lower() for word in sentence[kind[1] : own[0]]}
        before = kind[1] <= own[0] and between <= _APPOSING
        first, following = min(own[0], kind[0]), sentence[own[1] : own[1] + 1]
        if before and following and says(following[0]):
            continue  # "the country X lies in"
        if (
            not (before or kind[0] == own[1])
            or sentence[max(0, first - 1)].lower() not in _ARTICLES
        ):
            continue
        if cls.iri in state.context.reader.kinds(thing.iri):
            left = (*sentence[: kind[0]], *sentence[own[0] :])
            sentence = left if before else (*sentence[: own[1]], *sentence[kind[1] :])
    return sentence


def _ranked(asked: ParsedQuestion) -> tuple[Interpretation, ...]:
    """The interpretations of a question as it is worded, best first."""
    if asked.shape.form == "exists":
        found = _yes_or_no(asked)
    elif asked.shape.either:
        named = {link.mention: link.iri for link in reversed(asked.things)}
        among = tuple(dict.fromkeys(named.values()))
        found = _measured(
            asked,
            [
                Interpretation(
                    None, among=among, score=-0.1, confidence=0.95, explanation="one of them"
                )
            ],
        )
    else:
        found = _values(asked)
    found = [explained(asked, candidate) for candidate in found]
    unique: dict[tuple[object, ...], Interpretation] = {}
    for candidate in sorted(found, key=lambda one: (-one.confidence, -one.score, one.explanation)):
        same = (
            candidate.start,
            candidate.hops,
            candidate.form,
            candidate.type,
            candidate.by,
            candidate.also,
            candidate.target,
        )
        unique.setdefault(same, candidate)
    ranked = sorted(unique.values(), key=lambda one: (-rank(one), one.explanation))
    kept = [calibrated(asked, one, ranked) for one in ranked[:_KEPT]]
    return tuple(
        _undone(asked, _comparable(asked, one)) if place < _TRIED else one
        for place, one in enumerate(kept)
    )


# ---------------------------------------------------------------------------------------------------
# what is asked for


def _values(asked: ParsedQuestion) -> list[Interpretation]:
    shape = asked.shape
    against = shape.than and len({link.mention for link in asked.things}) == 1
    if against:
        found = _of_class(replace(asked, things=())) if asked.classes else _of_its_kind(asked)
    else:
        found = _from_things(asked) if asked.things else _of_class(asked)
    if shape.compares:
        bases = found
        if asked.things and not against:
            bases = [one for one in found if one.confidence > 0.05]
        found = _measured(asked, bases[:_TRIED])
        if not asked.things:
            found += _most_counted(asked)
    if shape.form == "count":
        return [_counted(asked, candidate) for candidate in found]
    return found


def _of_its_kind(asked: ParsedQuestion) -> list[Interpretation]:
    """The members of the classes of a thing that others are compared with: "who is older than X?" """
    found = []
    for link in asked.things:
        for kind in sorted(asked.reader.kinds(link.iri) & set(asked.reader.classes)):
            told = f"all members of {asked.names.label(kind)}, as {link.label} is"
            base = Interpretation(None, score=-0.1, confidence=_ALONE, explanation=told)
            found.append(_class_of(asked, base, Iri(kind)))
    return found


def _from_things(asked: ParsedQuestion) -> list[Interpretation]:
    """Paths from the named entities; with several, every path must lead to the values."""
    mentions = list(dict.fromkeys(link.mention for link in asked.things))
    branches: list[list[Interpretation]] = []
    for mention in mentions:
        links = [link for link in asked.things if link.mention == mention]
        branches.append(
            [candidate for link in links for candidate in _paths(asked, link, len(mentions))]
        )
    if len(branches) == 1:
        best = sorted(branches[0], key=lambda one: -rank(one))  # of every thing of that name
        return [_fitting(asked, candidate) for candidate in best[:_KEPT]]
    found: list[Interpretation] = []
    for interpretations in product(
        *(sorted(branch, key=lambda one: -one.score)[:2] for branch in branches[:3])
    ):
        joined = _joined(interpretations)
        if joined is not None and asked.reader.any(body(joined)):
            found.append(_fitting(asked, joined))
            break
    alone = [
        replace(
            _fitting(asked, candidate),
            confidence=0.3 * candidate.confidence,
            score=candidate.score - 1.0,
        )
        for branch in branches
        for candidate in branch[:1]
    ]
    return [*found, *alone]


def _joined(interpretations: Sequence[Interpretation]) -> Interpretation | None:
    """Join interpretations: only values reached by all of them count."""
    first, *others = interpretations
    also = []
    for other in others:
        if other.start is None or other.start == first.start:
            return None
        also.append(
            Condition(
                tuple(Hop(hop.relation, not hop.inverse) for hop in reversed(other.hops)),
                other.start,
            )
        )
    return replace(
        first,
        also=tuple(also),
        # "flow through A and B": the words about one are said of the other too
        guessed=any(one.guessed and one.hops != first.hops for one in interpretations),
        score=sum(one.score for one in interpretations) / len(interpretations),
        confidence=min(one.confidence for one in interpretations) * 0.95,
        explanation="; ".join(one.explanation for one in interpretations),
    )


def _paths(asked: ParsedQuestion, link: Link, mentions: int) -> list[Interpretation]:
    """The paths from an entity that the words about it may stand for."""
    shape, start = asked.shape, asked.place(link)
    keep = [
        at for at in _territory(asked, start) if at not in shape.used and at not in shape.noun_at
    ]
    wanted = asked.wanted
    place = asked.place(wanted) if wanted is not None else -1
    light = LIGHT - _named_around(asked, link.iri)
    said = [
        at for at in keep if at != start and says(asked.sentence[at]) and asked.low[at] not in light
    ]
    longest = asked.state.options.hops if mentions == 1 else 1

    def paths(words: Sequence[int]) -> tuple[Interpretation, ...]:
        lexicon, phrase = asked.context.lexicon, asked.words(words, start)
        return candidate_paths(link.iri, phrase, lexicon, longest=longest, inverse=asked.inverse)

    found: list[Interpretation] = []
    if said or any(asked.low[at] in ("where", "when") for at in keep):
        found += paths(keep)
        if wanted is not None and place in said and len(said) > 1:
            without = paths([at for at in keep if at != place])
            found += [_typed(asked, candidate, wanted) for candidate in without[:_TRIED]]
    if not said or set(said) == {place}:
        lone = (
            0.3 if wanted is None and mentions == 1 else 1.0
        )  # without any word, anything may be meant
        found += [
            replace(one, confidence=lone * one.confidence) for one in _by_class(asked, link, wanted)
        ]
    if mentions == 1:
        events = _through_events(asked, link, wanted)
        if asked.low[0] in ("who", "whom"):  # the act is not who acted
            acts = [one.hops[:1] for one in events]
            found = [
                replace(one, confidence=0.3 * one.confidence) if one.hops in acts else one
                for one in found
            ]
        found += events
    if mentions == 1 and max((one.confidence for one in found), default=0.0) < _SEVERAL:
        found += _through_nodes(asked, link, asked.words(keep, start)) if said else []
        found += [*_when_of_node(asked, link), *_kin(asked, link, said)]
    if not said and asked.low[0] in ("where", "wo"):
        found += _placed(asked, link)
    return sorted(found, key=lambda one: -rank(one))


def _placed(asked: ParsedQuestion, link: Link) -> list[Interpretation]:
    """Where a thing is, by its only relation that says so."""
    hops = [
        hop
        for hop, _, _ in asked.reader.expand(link.iri, inverse=False).hops
        if is_relation(hop.relation)
        and not (SITES | _WHERE).isdisjoint(asked.words_of([hop.relation]))
        and " on " not in asked.names.label(hop.relation)  # no river that it is "situated on"
    ]
    told = f"where {link.label} is"
    return [
        Interpretation(
            link.iri,
            (hop,),
            confidence=0.9,
            explanation=f"{told}: {asked.names.label(hop.relation)}",
        )
        for hop in hops
        if len(hops) == 1
    ]


def _named_around(asked: ParsedQuestion, entity: Iri) -> set[str]:
    """The words of a question that name a relation of an entity, such as "members", or "own" where
    it is "owned by" somebody, whatever little they mean elsewhere.
    """
    steps = asked.reader.expand(entity, inverse=asked.inverse).hops
    relations = {step[0].relation for step in steps if is_relation(step[0].relation)}
    names, labels = asked.words_of(relations), list(map(asked.names.label, relations))
    single = [name for name in labels if " " not in name]
    return {
        word
        for word in asked.low
        if not names.isdisjoint(key(word))
        or any(voice(name, word) is not None for name in labels)
        or any(same_verb(name, word) for name in single)
    }


def _territory(asked: ParsedQuestion, start: int) -> list[int]:
    """Token indexes of the words about one entity: from the previous entity up to it, or to the end
    for the last.
    """
    places = sorted({asked.place(link) for link in asked.things} - {-1})
    if start not in places:
        return list(range(len(asked.sentence)))
    at = places.index(start)
    begin = places[at - 1] + 1 if at else 0
    end = len(asked.sentence) if at == len(places) - 1 else start + 1
    return list(range(begin, end))


def _by_class(asked: ParsedQuestion, link: Link, wanted: Link | None) -> list[Interpretation]:
    """Things related to an entity when no word says how: via the relations that lead to the class
    asked for.
    """
    reader = asked.reader
    steps = [step for step in reader.expand(link.iri, inverse=asked.inverse).hops if step[1]]
    steps = [step for step in steps if is_relation(step[0].relation)]
    if wanted is not None:
        fitting = [
            step
            for step in steps
            if (use := asked.uses.get(step[0].relation)) is not None
            and wanted.iri in (use.domains if step[0].inverse else use.ranges)
        ]
        fitting = _one_of_each(asked, link, fitting)
        onward = [
            _onward(asked, Interpretation(link.iri, (hop,), score=-0.3, confidence=_ALONE), wanted)
            for hop, _, sample in steps
            if not fitting and kind_of(sample) == "thing" and not hop.inverse
        ]
        if len(found := [one for one in onward if one is not None]) == 1:
            return found
    else:  # "Which mathematicians died in X": many things point to a class such as mathematicians
        fitting = [step for step in steps if step[0].inverse]
    fitting.sort(key=lambda step: (-step[1], step[0].relation))
    total = sum(step[1] for step in fitting)
    runner_up = fitting[1][1] if len(fitting) > 1 else 0
    found = []
    for hop, number, _ in fitting[:_TRIED]:
        sure = _ALONE if len(fitting) == 1 or number > 0.9 * total else _SEVERAL
        if hop.inverse and wanted is None and asked.asks_about:
            sure = _GENERAL  # what is at X does not say where X is
        name = reader.names.label(hop.relation)
        base = Interpretation(
            link.iri,
            (hop,),
            "values",
            -0.3,
            sure,
            f"{name} of {link.label}" + " (inverse)" * hop.inverse,
            guessed=sure == _SEVERAL and number < _CLEAR * runner_up,
        )
        found.append(_typed(asked, base, wanted) if wanted is not None else base)
    return found


_Step = tuple[Hop, int, Term | None]


def _one_of_each(asked: ParsedQuestion, link: Link, steps: list[_Step]) -> list[_Step]:
    """Steps without those that lead to the same as others: what hosts X is what X is hosted by; and
    those of places alone, where something is "in" X.
    """
    unique: dict[frozenset[Term], _Step] = {}
    for step in steps:
        ends = asked.reader.ends(link.iri, step[0], _MEMBERS)[0]
        unique.setdefault(frozenset(ends), step)
    kept = list(unique.values())
    at = asked.place(link)
    before = at - 1 - (at > 0 and asked.low[at - 1] == "the")
    placed = [
        step
        for step in kept
        if step[0].inverse and not (SITES | _PARTS).isdisjoint(asked.words_of([step[0].relation]))
    ]
    return placed if before > 0 and asked.low[before] == "in" and placed else kept


def _through_nodes(asked: ParsedQuestion, link: Link, phrase: list[str]) -> list[Interpretation]:
    """What nodes without a name say of a thing: what a book costs is the price in its offer."""
    found = list[Interpretation]()
    for hop in asked.reader.nameless(link.iri, inverse=asked.inverse)[:_NODES]:
        lexicon = asked.context.lexicon
        found += [
            replace(one, score=one.score - 0.1)
            for one in candidate_paths(
                link.iri, phrase, lexicon, longest=1, inverse=False, after=(hop,)
            )[:_TRIED]
            if _said_by_node(asked, one)
        ]
    return found


def _when_of_node(asked: ParsedQuestion, link: Link) -> list[Interpretation]:
    """When something of a thing is, where that has a class, no name and one date: X's appointment."""
    if asked.low[0] != "when":
        return []
    said, found = set(key(" ".join(asked.low))), []
    for hop in asked.reader.nameless(link.iri, inverse=asked.inverse)[:_NODES]:
        kinds = [asked.names.label(kind) for kind in asked.classes_at(hop)]
        steps = asked.reader.expand(link.iri, (hop,), inverse=False).hops
        dates = [step for step, _, sample in steps if kind_of(sample) == "date"]
        named = [kind for kind in kinds if set(key(kind)[-1:]) & said]
        if len(dates) == 1 and named:
            told = f"{named[0]} of {link.label}; {asked.names.label(dates[0].relation)}"
            phrases = ((f"What is the {named[0]} of X?", 1), ("", 0))
            one = Interpretation(link.iri, (hop, dates[0]), confidence=_ALONE, explanation=told)
            found.append(replace(one, phrases=phrases))
    return found


_BACK = {
    **dict.fromkeys(key("child children"), key("mother father parent")),
    **dict.fromkeys(key("parent"), key("child children")),
}
"""Relatives of either sex, each with those in the names of relations that lead back from them."""


def _kin(asked: ParsedQuestion, link: Link, said: Sequence[int]) -> list[Interpretation]:
    """The children of somebody who is the mother or father of others, where only that is said."""
    nouns = {word for at in said for word in key(asked.low[at])}
    if len(nouns) != 1 or not nouns <= _BACK.keys():
        return []
    steps = [step[0] for step in asked.reader.expand(link.iri, inverse=asked.inverse).hops]
    if any(not step.inverse and nouns & asked.words_of([step.relation]) for step in steps):
        return []
    back = set(_BACK[next(iter(nouns))])
    found = [step for step in steps if step.inverse and back & asked.words_of([step.relation])]
    return [
        Interpretation(
            link.iri,
            (step,),
            confidence=0.95,
            explanation=f"{asked.names.label(step.relation)} (inverse) of {link.label}",
            phrases=((f"What is the {next(iter(nouns))} of X?", 1),),
        )
        for step in found
        if len(found) == 1
    ]


def _said_by_node(asked: ParsedQuestion, one: Interpretation) -> bool:
    """Whether a node says what is asked for: no other node, and, of a node that leads to the thing
    and says more of other things than of it, only what is named.
    """
    node, last = one.hops
    if node.relation == last.relation or asked.wanted is not None and node.inverse:
        return False
    named = asked.context.lexicon.fit(Phrase(one.phrases[-1][0], 1)).named
    sample = asked.reader.looked_up(f"SELECT ?answer WHERE {{ {body(one)} }} LIMIT 1").rows
    end = sample[0][0] if sample else None
    bare = end is not None and asked.reader.holds_together(end)
    return not bare and (not node.inverse or last.relation in named)


def _through_events(asked: ParsedQuestion, link: Link, wanted: Link | None) -> list[Interpretation]:
    """Who did something to a thing, or what they did it to, where the graph has the act as a thing
    of its own: a loan with a lender, a borrower and what is lent.

    The verb must name one of the act's relations; the act has no name, or is called like the verb.
    """
    masked = asked.words(range(len(asked.sentence)), asked.place(link))
    phrase = f"{' '.join('X' if word == X else word for word in masked)}?"
    said = verb_of(phrase)
    if said is None or not asked.inverse:
        return []
    verb, does = said
    found = []
    for hop, _, _ in asked.reader.expand(link.iri, inverse=True).hops:
        named = voice(asked.names.label(hop.relation), verb)
        if not hop.inverse or does is not (named is True) or not _is_act(asked, link, hop, verb):
            continue
        steps = asked.reader.expand(link.iri, (hop,), inverse=False).hops
        others = [
            step
            for step, _, sample in steps
            if step.relation != hop.relation
            and is_relation(step.relation)
            and kind_of(sample) == "thing"
        ]
        if not does:
            others = _doers(asked, link, hop, others, verb)
        elif wanted is None and len(others) > 1:
            continue
        names = asked.names.label(hop.relation)
        for step in others[:_TRIED]:
            told = (
                f'"{phrase.rstrip("?")}" as {names} (inverse); {asked.names.label(step.relation)}'
            )
            sure = _SAID_SO if _called_so(asked, hop, verb) else _ALONE
            phrases = ((phrase, 1), ("", 0)) if does else (("", 0), (phrase, 1))
            one = Interpretation(link.iri, (hop, step), "values", -0.3, sure, told, phrases=phrases)
            found.append(_typed(asked, one, wanted) if wanted is not None else one)
    return found


def _doers(asked: ParsedQuestion, link: Link, hop: Hop, steps: list[Hop], verb: str) -> list[Hop]:
    """The relations of an act to who did it: by the verb, or, of an act called like the verb, the
    only one to somebody who does things: the author of a review reviewed it.
    """
    done = [step for step in steps if voice(asked.names.label(step.relation), verb) is True]
    if done or not _called_so(asked, hop, verb):
        return done
    names = {step: asked.names.label(step.relation) for step in steps}
    doers = [step for step in steps if DOER.search(names[step]) or names[step].endswith(" by")]
    return doers if len(doers) == 1 else []


def _called_so(asked: ParsedQuestion, hop: Hop, verb: str) -> bool:
    """Whether the things that a relation starts from are called like a verb."""
    kinds = [asked.names.label(kind) for kind in asked.classes_at(Hop(hop.relation, inverse=True))]
    return any(same_verb(word, verb) for kind in kinds for word in kind.lower().split())


def _is_act(asked: ParsedQuestion, link: Link, hop: Hop, verb: str) -> bool:
    """Whether what a relation leads back to are acts: without names, or called like the verb."""
    ends = asked.reader.ends(link.iri, hop, _TRIED)[0]
    things = [end for end in ends if isinstance(end, Iri)]
    asked.names.fetch(things)
    return _called_so(asked, hop, verb) or not any(
        asked.names.named(end) or not opaque(end) for end in things
    )


def _of_class(asked: ParsedQuestion) -> list[Interpretation]:
    found = []
    wanted = asked.wanted
    nouns = {asked.place(link) for link in asked.classes} & set(asked.shape.noun_at)
    denies = not {"not", "no", "without"}.isdisjoint(asked.low)
    for link in asked.classes:
        if asked.place(link) not in nouns:
            sure = 0.95 if wanted is None or link.iri == wanted.iri else 0.5
            if asked.asks_about:
                sure = _ELSEWISE  # "where are huts" does not ask which huts there are
            base = Interpretation(
                None, score=-0.1, confidence=sure, explanation=f"all members of {link.label}"
            )
            found.append(_class_of(asked, base, link.iri))
            found += [
                replace(
                    found[-1],
                    by=(Hop(relation),),
                    operator="=",
                    bound=_FALSE if denies else _TRUE,
                    score=0.0,
                    explanation=f"{base.explanation} that are{' not' * denies}: "
                    f"{asked.names.label(relation)}",
                )
                for relation in _yes_or_no_relations(asked)
            ]
            if not asked.things and not asked.shape.compares:
                found += _with_text(asked, _class_of(asked, base, link.iri))
    if not asked.classes and not asked.things and not asked.shape.compares:
        found += _with_text(asked, Interpretation(None, score=-0.1, explanation="anything"))
    if not found and asked.shape.compares:
        found.append(Interpretation(None, score=-0.3, confidence=0.7, explanation="anything"))
    return found


def _with_text(asked: ParsedQuestion, base: Interpretation) -> list[Interpretation]:
    """The members of a class of which the graph states a text of the question: those "in Sweden",
    where a country is no thing but a text.
    """
    texts = _texts_in(asked)
    if not texts:
        return []
    values = " ".join(n3(Literal(text, tag)) for text in texts for tag in (None, "en"))
    naming = " ".join(f"<{iri}>" for iri in asked.names.of_blanks)
    through = (
        f"VALUES ?name {{ {naming} }} ?answer ?p ?blank . ?blank ?name ?v FILTER (isBlank(?blank))"
    )
    query = (
        f"SELECT DISTINCT ?p ?v ?name WHERE {{ VALUES ?v {{ {values} }} {body(base)} "
        f"{{ ?answer ?p ?v }} UNION {{ {through} }} }} ORDER BY ?p ?v ?name"
    )
    rows = [
        (tuple(Hop(step) for step in (relation, name) if isinstance(step, Iri)), value)
        for relation, value, name in asked.reader.looked_up(query).rows
        if isinstance(relation, Iri) and isinstance(value, Literal) and is_relation(relation)
    ]
    longest = max((len(value.text) for _, value in rows), default=0)
    rows = [row for row in rows if len(row[1].text) == longest]
    return [
        replace(
            base,
            by=steps,
            operator="=",
            bound=value,
            score=0.0,
            confidence=0.95 if len(rows) == 1 else _SEVERAL,
            explanation=f"{base.explanation} with {asked.names.label(steps[0].relation)} {value.text}",
        )
        for steps, value in rows[:_TRIED]
    ]


def _texts_in(asked: ParsedQuestion) -> dict[str, None]:
    """The parts of a question that may be texts of the graph, longest first."""
    low = asked.sentence
    marked = [word.strip("?!.,;:\"'()") for word in asked.state.question.text.split()[1:]]
    spans = [
        (begin, end)
        for length in range(_TEXT_WORDS, 0, -1)
        for begin in range(1, len(low) - length + 1)
        for end in [begin + length]
        if says(low[begin]) and says(low[end - 1])
    ]
    texts = {" ".join(low[begin:end]).replace("_", " "): None for begin, end in spans}
    texts |= {" ".join(key(text)): None for text in texts}  # "tablets" as "tablet"
    texts |= {word: None for word in marked if word.isupper() and len(word) < _SHORT}  # "A+"
    return texts | {text[:1].upper() + text[1:]: None for text in texts}


def _counted(asked: ParsedQuestion, candidate: Interpretation) -> Interpretation:
    """The number of the values, or the values themselves if they are already numbers."""
    last = candidate.hops[-1] if candidate.hops and candidate.type is None else None
    if last is None or last.inverse or not _holds_number(asked, last.relation):
        said = f"the number of: {candidate.explanation}"
        return replace(candidate, form="count", explanation=said)
    # "how many floors" means a floor count, not a floor area; "how many hectares" an "area in hectares"
    names = " ; ".join(asked.names_of(last.relation))
    unit = re.search(rf"\b(?:in|of) {re.escape(' '.join(asked.counted))}\b", names) is not None
    gives = asked.gives_number(last.relation) or (bool(asked.counted) and unit)
    sure = candidate.confidence if gives else 0.5 * candidate.confidence
    return replace(candidate, confidence=sure)


def _holds_number(asked: ParsedQuestion, relation: Iri) -> bool:
    """Whether a relation has numbers, or texts in their place, such as "about 30"."""
    kind = kind_of(asked.sample(relation))
    named = not asked.words_of([relation]).isdisjoint(COUNTING)
    return kind == "number" or (kind == "text" and named)


# -----------------------------------------------------------------------------------------------
# classes of the values


def _fitting(asked: ParsedQuestion, candidate: Interpretation) -> Interpretation:
    """Restrict an interpretation to the class asked for; its confidence drops if its values are of
    the wrong kind.
    """
    wanted = asked.wanted
    # what is "in state" Ohio is no state: a name says what its end is
    said = {
        word
        for hop in candidate.hops
        for name in asked.names_of(hop.relation)
        if not hop.inverse or hop != candidate.hops[-1] or name.endswith(" of")
        for word in key(name)
    }
    explains = wanted is not None and bool(set(key(wanted.mention)) & said)
    if wanted is not None and candidate.type is None and not explains:
        return _kind_fits(asked, _typed(asked, candidate, wanted))
    return _kind_fits(asked, candidate)


def _typed(asked: ParsedQuestion, candidate: Interpretation, wanted: Link) -> Interpretation:
    """Restrict the values to a class if any of them belongs to it, or else lower the confidence."""
    if candidate.type is not None or candidate.confidence < 0.02:
        return candidate
    typed = _class_of(asked, candidate, wanted.iri)
    every, kept = _how_many(asked, candidate, typed)
    said = f"{candidate.explanation}; values are {wanted.label}"
    if not kept:
        by = _said_to_be(asked, candidate, wanted.iri)
        further = _onward(asked, candidate, wanted) or _within(asked, candidate, wanted)
        if by is None and further is not None:
            return further
        if by is None:
            return replace(
                candidate, score=candidate.score - 1.5, confidence=0.5 * candidate.confidence
            )
        also = (*candidate.also, Condition((Hop(by),), wanted.iri))
        return replace(candidate, also=also, explanation=said)
    # values all of the right class support the path; otherwise "clubs" may mean every value,
    # whatever its class
    sure = (
        candidate.confidence + (1 - candidate.confidence) * 0.35
        if kept == every
        else 0.7 * candidate.confidence
    )
    return replace(typed, score=candidate.score + 0.4, confidence=sure, explanation=said)


def _onward(
    asked: ParsedQuestion, candidate: Interpretation, wanted: Link
) -> Interpretation | None:
    """What the places that were found are in, by the only relation to the class asked for: "in
    which country" something is that is in a city.
    """
    last = candidate.hops[-1]
    if asked.low[0] not in ("in", "on", "at") or not _could_be(asked, candidate, last, "where"):
        return None
    if wanted.label in map(asked.names.label, asked.classes_at(last)):
        return None  # it leads to such things itself: what these are in is something else
    typed = _class_of(asked, candidate, wanted.iri)
    kind = of_type("?of", wanted.iri, typed.typed_by)
    query = f"SELECT DISTINCT ?p WHERE {{ {body(candidate)} ?answer ?p ?of . {kind} }} ORDER BY ?p"
    found = [row[0] for row in asked.reader.looked_up(query).rows if isinstance(row[0], Iri)]
    if len(found) != 1:
        return None
    name = asked.names.label(found[0])
    return replace(
        typed,
        hops=(*candidate.hops, Hop(found[0])),
        phrases=(*candidate.phrases, ("", 0)),
        confidence=min(candidate.confidence, _ALONE),
        explanation=f"{candidate.explanation or asked.names.label(last.relation)}; then {name}",
    )


def _within(
    asked: ParsedQuestion, candidate: Interpretation, wanted: Link
) -> Interpretation | None:
    """What is part of what was found, or has it as a part, to the first step that leads to things
    of the class asked for, if no other step does: the rooms of a town are in its houses.
    """
    last = candidate.hops[-1]
    if _PARTS.isdisjoint(word for name in asked.names_of(last.relation) for word in words(name)):
        return None
    typed, found = _class_of(asked, candidate, wanted.iri), list[Interpretation]()
    for steps in range(1, _DEEP):
        hops = (*candidate.hops, *[last] * steps)
        if not asked.reader.any(body(replace(candidate, hops=hops))):
            break
        further = replace(
            typed,
            hops=hops,
            phrases=(*candidate.phrases, *[("", 0)] * steps),
            explanation=f"{candidate.explanation}, and on by it; values are {wanted.label}",
        )
        found += [further] if asked.reader.any(body(further)) else []
    return found[0] if len(found) == 1 else None


def _how_many(
    asked: ParsedQuestion, candidate: Interpretation, typed: Interpretation
) -> tuple[int, int]:
    """How many values an interpretation has, and how many of them belong to a class."""
    kind = of_type("?answer", typed.type or TYPE, typed.typed_by)
    rows = asked.reader.looked_up(
        "SELECT (COUNT(DISTINCT ?answer) AS ?n) (COUNT(DISTINCT ?of) AS ?m) WHERE { "
        f"{body(candidate)} OPTIONAL {{ {kind} BIND (?answer AS ?of) }} }}"
    ).rows
    every, kept = (int(getattr(term, "text", "0")) for term in rows[0]) if rows else (0, 0)
    return every, kept


def _said_to_be(asked: ParsedQuestion, candidate: Interpretation, cls: Iri) -> Iri | None:
    """The relation, other than the type, that assigns values to a class: an occupation, for
    example.
    """
    reader, typed = asked.reader, n3(asked.reader.typed_by(cls))
    if not reader.any(f"?x ?p {n3(cls)} FILTER (?p != {typed})"):  # one query per class
        return None
    query = (
        f"SELECT ?p (COUNT(*) AS ?n) WHERE {{ {body(candidate)} ?answer ?p {n3(cls)} }} GROUP BY ?p"
    )
    rows = reader.looked_up(query).rows
    found = sorted(
        (
            (-int(getattr(number, "text", "0")), relation)
            for relation, number in rows
            if isinstance(relation, Iri)
        )
    )
    clear = len(found) == 1 or (len(found) > 1 and found[0][0] <= 3 * found[1][0])
    return found[0][1] if found and clear else None


def _kind_fits(asked: ParsedQuestion, candidate: Interpretation) -> Interpretation:
    """Lower the confidence if the values do not fit the question word: "where" for a number, "who"
    for a city.
    """
    last = candidate.hops[-1] if candidate.hops else None
    if last is None:
        return candidate
    first, second, *_ = low = [*asked.low[:3], "", ""]
    kind = "thing" if last.inverse else kind_of(asked.sample(last.relation))
    counts = (first, second) == ("how", "many") or asked.shape.form == "count"
    named = asked.words_of([last.relation])
    wrong = kind in ("number", "date") and not {"where", "who", "whom"}.isdisjoint(low)
    amount = first == "how" and (second == "much" or measure_of(second) is not None)
    if kind == "text" and (first == "when" or amount) and not counts:
        text = getattr(asked.sample(last.relation), "text", "")
        wrong = not any(letter.isdigit() for letter in text)
    if kind == "thing":
        wrong = first == "when" or (amount and not counts)
    called = {"name", "named", "called", "title"}.isdisjoint(asked.low)
    wrong |= called and not last.inverse and last.relation in asked.reader.own_naming()
    adjective = measure_of(second) if first == "how" else None
    fits = measures(adjective[0], named) if adjective else None
    if (
        wrong
        or fits is False
        or (adjective and adjective[0] == "old" and not _tells_age(asked, last))
    ):
        return replace(
            candidate, score=candidate.score - 4.0, confidence=0.2 * candidate.confidence
        )
    if fits and len(candidate.hops) == 1 and kind == "number":
        candidate = replace(candidate, confidence=max(candidate.confidence, _ALONE))
    asks = (
        first in ("who", "where")
        and kind == "thing"
        and candidate.type is None
        and asked.shape.form != "count"
    )
    if asks and not _could_be(asked, candidate, last, first):
        return replace(
            candidate, score=candidate.score - 1.5, confidence=0.4 * candidate.confidence
        )
    return candidate


def _tells_age(asked: ParsedQuestion, hop: Hop) -> bool:
    """Whether a relation's values can say how old something is: dates, years, or an age."""
    sample = asked.sample(hop.relation)
    if hop.inverse or kind_of(sample) not in ("date", "number"):
        return False
    return kind_of(sample) == "date" or measures("old", asked.words_of([hop.relation])) is True


def _could_be(asked: ParsedQuestion, candidate: Interpretation, last: Hop, word: str) -> bool:
    """Whether a relation's values may answer "who" or "where", judged by the names of their
    classes.
    """
    use = asked.uses.get(last.relation)
    ends = (use.domains if last.inverse else use.ranges) if use is not None else ()
    names = [asked.names.label(end) for end in ends]
    people, places = _PERSON, _PLACE
    if not names:  # no classes known: use the relation's own name
        if last.inverse:
            return True
        names, people, places = list(asked.names_of(last.relation)), _RELATIVES, _WHEREABOUTS
    person, place = (
        float(asked.context.wording.likeness(names, said).max()) for said in (people, places)
    )
    return place - person < _CLEARLY if word == "who" else person - place < _CLEARLY


# ------------------------------------------------------------------------------------------------------------
# measures


def _bound(asked: ParsedQuestion, use: RelationUse, others: Sequence[Link]) -> Literal | None:
    """The number or date to compare with, or else the value of the first of the other things that
    has one.
    """
    if asked.shape.bound:
        return bound_of(use.example, asked.shape.bound, asked.shape.operator)
    ends = (end for other in others for end in asked.reader.ends(other.iri, Hop(use.iri), 1)[0])
    return next((end for end in ends if isinstance(end, Literal)), None)


_EXTREME = {"most": "highest", "least": "lowest"}
_OTHER_END: Mapping[Form, Form] = {"most": "least", "least": "most"}
_TURNED = str.maketrans("<>", "><")
_AGES = frozenset(["age", "alter"])


def _measured(asked: ParsedQuestion, bases: Sequence[Interpretation]) -> list[Interpretation]:
    """Order or compare the values by those of their relations that fit the words."""
    made = list[Interpretation]()
    nodes = [one for one in bases if not _measures(asked, one)[:1] or _unfit(asked, one)]
    made += [one for base in nodes for one in _measured_by_nodes(asked, base)]
    others = sorted(asked.things, key=asked.place, reverse=True)  # after "than"
    for base in bases:
        for use, near, sure in _measures(asked, base):
            name, shape = use.names[0], _shape_for(asked, use)
            found = replace(
                base,
                by=(Hop(use.iri),),
                score=base.score + near - 1.0,
                confidence=min(base.confidence, sure),
            )
            if not shape.operator:
                said = f"{base.explanation}; the {_EXTREME.get(shape.form, shape.form)} {name}"
                made.append(replace(found, form=shape.form, explanation=said))
            elif (bound := _bound(asked, use, others)) is not None:
                said = f"{base.explanation}; {name} {shape.operator} {bound.text if shape.than else shape.bound}"
                made.append(replace(found, operator=shape.operator, bound=bound, explanation=said))
    return made


def _unfit(asked: ParsedQuestion, base: Interpretation) -> bool:
    """Whether the best measure of the values is hardly what is asked for."""
    return _measures(asked, base)[0][2] < _ALONE


def _measured_by_nodes(asked: ParsedQuestion, base: Interpretation) -> list[Interpretation]:
    """Order or compare the values by what nodes without a name say of them: the cheapest book has
    the lowest price in an offer.
    """
    shape = asked.shape
    nouns = set(key(" ".join(shape.noun or ([] if shape.measured else asked.said))))
    if base.start is None and base.type is None or shape.than or not (shape.measured or nouns):
        return []
    query = (
        f"SELECT DISTINCT ?q ?p (SAMPLE(?n) AS ?node) WHERE {{ {body(base)} ?answer ?q ?n . "
        f"?n ?p ?y FILTER (isLiteral(?y)) }} GROUP BY ?q ?p ORDER BY ?q ?p"
    )
    found = []
    for first, then, node in asked.reader.looked_up(query).rows:
        use = asked.uses.get(Iri(str(then)))
        if use is None or not isinstance(first, Iri) or kind_of(use.example) != "number":
            continue
        named = asked.words_of([use.iri])
        meant = nouns <= named if nouns else measures(shape.measured, named) is True
        if not meant or node is None:
            continue
        if asked.reader.holds_together(node):
            found.append((first, use))
    made = []
    for first, use in found if len(found) == 1 else ():
        one = replace(base, by=(Hop(first), Hop(use.iri)), confidence=min(base.confidence, 0.9))
        if not shape.operator:
            told = f"{base.explanation}; the {_EXTREME.get(shape.form, shape.form)} {use.names[0]}"
            made.append(replace(one, form=shape.form, explanation=told))
        elif (bound := _bound(asked, use, ())) is not None:
            told = f"{base.explanation}; {use.names[0]} {shape.operator} {shape.bound}"
            made.append(replace(one, operator=shape.operator, bound=bound, explanation=told))
    return made


def _measures(
    asked: ParsedQuestion, base: Interpretation
) -> list[tuple[RelationUse, float, float]]:
    """The values' numeric or date relations, best first, each with its nearness to the words and
    its confidence.
    """
    shape = asked.shape
    dated = shape.year or (shape.measured == "old" and not shape.noun)
    uses: list[RelationUse] = []
    related = _relations_of(asked, base)
    for use in related:
        kind = kind_of(use.example)
        kind = "date" if kind == "number" and dated and is_year(use.example) else kind
        if use.literal and kind == ("date" if dated else "number"):
            uses.append(use)
    if not uses and not shape.year:
        uses = [use for use in related if _is_age(asked, use)]
    if not uses:
        return []
    fit = asked.context.lexicon.fit(Phrase(_measure_phrase(asked), 1))
    nouns = set(map(plain, shape.noun))
    found = []
    for use in uses:
        near = fit.near.get(use.iri, 0.0)
        named = asked.words_of([use.iri])
        fits = measures(shape.measured, named) if shape.measured and not shape.noun else None
        if fits is not None:
            near = max(near, _MEANT) if fits else min(near, 0.0)
        if fits and not ENDS.isdisjoint(named) and ENDS.isdisjoint(key(" ".join(asked.low))):
            near = min(near, 0.0)  # the youngest is not who died last
        if not (shape.measured or nouns or shape.year) and not _AGES.isdisjoint(named):
            near = max(near, _MEANT)  # people "over 60"
        if nouns and nouns <= named:
            near = max(near, 0.7) + 0.1 * (
                shape.form in ("most", "least") and not shape.measured
            ) * asked.gives_number(use.iri)
        found.append((use, near, _sure_of(near)))
    found.sort(key=lambda entry: (-entry[1], entry[0].iri))
    best, near, sure = found[0]
    counting = bool(shape.noun) and not shape.measured
    counts = counting and asked.gives_number(best.iri)
    if len(found) == 1 and dated and (kind_of(best.example) == "date" or near >= 0.15):
        sure = max(sure, 0.7)
    if shape.measured in GENERAL and not shape.noun and len(found) > 1 and not asked.said:
        sure = min(sure, _GENERAL)
    if counting and not counts:
        sure *= 0.6  # "the most floors" does not ask for an area
    if (
        len(found) > 1
        and near - found[1][1] < _CLOSE
        and not (counts and not asked.gives_number(found[1][0].iri))
    ):
        sure *= 0.6  # no clear leader
    return [(best, near, sure), *((use, near, 0.5 * sure) for use, near, sure in found[1:_TRIED])]


def _shape_for(asked: ParsedQuestion, use: RelationUse) -> AnswerShape:
    """What is asked of a relation's values: the eldest has the earliest date, but the most years."""
    shape = asked.shape
    if not _is_age(asked, use):
        return shape
    return replace(
        shape,
        form=_OTHER_END.get(shape.form, shape.form),
        operator=shape.operator.translate(_TURNED),
    )


def _is_age(asked: ParsedQuestion, use: RelationUse) -> bool:
    """Whether a relation gives the age that "oldest" and "younger" compare, in place of a date."""
    number = use.literal and kind_of(use.example) == "number" and not is_year(use.example)
    old = asked.shape.measured == "old" and not asked.shape.noun
    return old and number and not _AGES.isdisjoint(asked.words_of([use.iri]))


def _measure_phrase(asked: ParsedQuestion) -> str:
    shape = asked.shape
    if shape.noun:
        return f"What is the {' '.join(shape.noun)} of X?"
    said = [word for word in asked.said if not word[:1].isdigit()]
    if shape.year or shape.measured == "old":
        return f"When was X {' '.join(said)}?" if said else "When was X born, founded or made?"
    return (
        f"How {shape.measured} is X?"
        if shape.measured
        else f"What is the {' '.join(said) or 'size'} of X?"
    )


def _relations_of(asked: ParsedQuestion, base: Interpretation) -> list[RelationUse]:
    """The relations of an interpretation's values."""
    asked.context.lexicon.meet((one.iri, one.example) for one in asked.schema.relations)
    if base.start is None and not base.among and base.type is None:
        return list(asked.schema.relations)
    some = f"SELECT DISTINCT ?answer WHERE {{ {body(base)} }} LIMIT {_MEMBERS}"
    rows = asked.reader.looked_up(f"SELECT DISTINCT ?p WHERE {{ {{ {some} }} ?answer ?p ?y }}").rows
    return [
        asked.uses[row[0]]
        for row in sorted(rows, key=str)
        if isinstance(row[0], Iri) and row[0] in asked.uses
    ]


def _most_counted(asked: ParsedQuestion) -> list[Interpretation]:
    """Who or what has the most or fewest of something: "Which party has the most members?"."""
    shape = asked.shape
    if shape.form not in ("most", "least") or not shape.noun or shape.measured:
        return []
    subject = _subject(asked)
    schema = asked.schema
    said = " ".join([*asked.said, *shape.noun])
    phrases = [
        Phrase(f"What is the {text} of X?", 1)
        for text in (said, " ".join(shape.noun), subject)
        if text
    ]
    asked.context.lexicon.meet((one.iri, one.example) for one in schema.relations)
    fits = asked.context.lexicon.fits(phrases)
    found: list[Interpretation] = []
    for use in schema.relations:
        if use.literal:
            continue
        near = max(fit.near.get(use.iri, 0.0) for fit in fits)
        # what is asked for is at the end whose class names are most like it; vectors must separate
        # the two ends
        ends = [_alike(asked, subject, use.domains), _alike(asked, subject, use.ranges)]
        told = abs(ends[0] - ends[1]) >= _TOLD
        sure = (0.8 if told else 0.3) * _sure_of(near)
        hop = Hop(use.iri, inverse=ends[1] > ends[0])
        extreme = "most" if shape.form == "most" else "fewest"
        said_so = f"the {extreme} by {use.names[0]}"
        found.append(
            Interpretation(None, (), shape.form, near - 1.0, sure, said_so, by=(hop,), counted=True)
        )
    found.sort(key=lambda one: (-one.score, one.explanation))
    return found[:_TRIED]


def _subject(asked: ParsedQuestion) -> str:
    """The noun for what is asked for: the class named, "person" for "who", or else the first
    content word.
    """
    if asked.wanted is not None and asked.wanted.label:
        return asked.wanted.label
    places = [
        at
        for at in range(len(asked.sentence))
        if at not in asked.shape.used and at not in asked.shape.noun_at
    ]
    if asked.low[:1] == ["who"]:
        return "person"
    return next((asked.sentence[at].lower() for at in places if says(asked.sentence[at])), "")


def _alike(asked: ParsedQuestion, noun: str, classes: Sequence[str]) -> float:
    return asked.alike(noun, [asked.names.label(one) for one in classes])


def bound_of(sample: Term | None, text: str, operator: str = "=") -> Literal:
    """A bound as a number, or as a date if the relation has dates: "after 1970" means after the end
    of that year.
    """
    datatype = sample.datatype if isinstance(sample, Literal) else None
    if operator == IN_YEAR:
        return Literal(text)
    late = operator in (">", "<=")
    if datatype == f"{XSD}date":
        return Literal(f"{text}-12-31" if late else f"{text}-01-01", datatype=datatype)
    if datatype in (f"{XSD}dateTime", f"{XSD}dateTimeStamp"):
        zone = "Z" if isinstance(sample, Literal) and sample.text.endswith("Z") else ""
        return Literal(
            f"{text}-12-31T23:59:59{zone}" if late else f"{text}-01-01T00:00:00{zone}",
            datatype=datatype,
        )
    if is_date(datatype):
        return Literal(text, datatype=datatype)
    return Literal(text, datatype=f"{XSD}decimal" if "." in text else f"{XSD}integer")


def _sure_of(near: float) -> float:
    """Confidence that names this near mean the same measure (0 to 1)."""
    return 1.0 / (1.0 + exp(-(near - 0.27) / 0.06))


# -----------------------------------------------------------------------------------------------------------
# yes or no


def _yes_or_no(asked: ParsedQuestion) -> list[Interpretation]:
    if asked.shape.compares:
        return _comparison(asked)
    things = sorted(asked.things, key=asked.place)
    mentions = list(dict.fromkeys(link.mention for link in things))
    found: list[Interpretation] = []
    if len(mentions) == 2:
        for a in things:
            for b in things:
                if a.mention != b.mention:
                    found += _whether(asked, a, b)
    elif len(mentions) == 1:
        if asked.classes:
            found += _whether_class(asked, things[0], asked.classes[-1])
        found += [one for thing in things for one in _whether_stated(asked, thing)]
        found += [one for thing in things for one in _whether_text(asked, thing)]
    return found


_TRUE, _FALSE = (Literal(text, datatype=f"{XSD}boolean") for text in ("true", "false"))
_AUXILIARY = frozenset(map(plain, "is are be has have can does".split()))


def _yes_or_no_relations(asked: ParsedQuestion) -> list[Iri]:
    """The relations with true or false as their values that words of the question name."""
    said = set(key(" ".join(asked.said)))
    return [
        use.iri
        for use in asked.schema.relations
        if isinstance(use.example, Literal) and use.example.datatype == _TRUE.datatype
        if any(
            named and named <= said
            for name in use.names
            for named in [set(filter(says, key(name))) - _AUXILIARY]
        )
    ]


def _whether_stated(asked: ParsedQuestion, thing: Link) -> list[Interpretation]:
    """Whether the graph states something as true of a thing; what it does not state stays open."""
    found = []
    for relation in _yes_or_no_relations(asked):
        paths, _ = asked.reader.along(thing.iri, (Hop(relation),))
        stated = {path[-1][2] for path in paths if isinstance(path[-1][2], Literal)}
        values = {one.text.lower() for one in stated if isinstance(one, Literal)}
        if len(values) != 1 or not values <= {"true", "1", "false", "0"}:
            continue
        found.append(
            Interpretation(
                thing.iri,
                (Hop(relation),),
                "exists",
                0.0,
                0.95,
                f"whether {thing.label} is: {asked.names.label(relation)}",
                target=next(iter(stated)) if values <= {"true", "1"} else _TRUE,
                nearby=tuple(path[-1] for path in paths),
            )
        )
    return found


def _whether_text(asked: ParsedQuestion, thing: Link) -> list[Interpretation]:
    """Whether a thing has a text that the graph states of some: "is order 12 shipped?"

    A "no" needs another text in its place, of a relation with one for each thing.
    """
    own = set(key(thing.mention))
    texts = [text for text in _texts_in(asked) if not set(key(text)) <= own]
    if not texts:
        return []
    values = " ".join(n3(Literal(text, tag)) for text in texts for tag in (None, "en"))
    query = f"SELECT DISTINCT ?p ?v WHERE {{ VALUES ?v {{ {values} }} ?x ?p ?v }} ORDER BY ?p ?v"
    found = []
    for relation, value in asked.reader.looked_up(query).rows:
        if not isinstance(relation, Iri) or value is None or not is_relation(relation):
            continue
        ends = asked.reader.ends(thing.iri, Hop(relation), _TRIED)[0]
        several = f"?x {n3(relation)} ?one , ?two FILTER (?one != ?two)"
        if not ends or (value not in ends and asked.reader.any(several)):
            continue
        told = f"whether {asked.names.label(relation)} of {thing.label} is {bare_text(value)}"
        nearby = tuple((thing.iri, relation, end) for end in ends)
        sure = 0.95 if value in ends else _ALONE
        one = Interpretation(thing.iri, (Hop(relation),), "exists", 0.0, sure, told)
        found.append(replace(one, target=value, nearby=nearby))
    return found


def _whether(asked: ParsedQuestion, a: Link, b: Link) -> list[Interpretation]:
    """Whether a path that the words may stand for leads from one thing to the other."""
    start, other = asked.place(a), asked.place(b)
    keep = [at for at in range(1, len(asked.sentence)) if at != other]
    inverse = asked.inverse
    said = [at for at in keep if at != start and says(asked.sentence[at])]
    if not said:
        return _together(asked, a, b) if start < other else []
    sentence = asked.words(keep, start)
    sentence = (
        ["what", asked.sentence[0].lower(), *sentence]
        if sentence[:1] == [X]
        else ["who", *sentence]
    )
    found = []
    for candidate in candidate_paths(
        a.iri, sentence, asked.context.lexicon, longest=2, inverse=inverse
    )[:_TRIED]:
        asks = replace(
            candidate,
            form="exists",
            target=b.iri,
            explanation=f"whether {b.label} is: {candidate.explanation}",
        )
        paths, _ = asked.reader.along(a.iri, candidate.hops) if candidate.start else ([], "")
        there = any(b.iri in (path[-1][0], path[-1][2]) for path in paths)
        nearby = tuple(dict.fromkeys(triple for path in paths[:20] for triple in path))
        sure = candidate.confidence
        # a match in the graph removes up to half of the doubt; a "no" is credible only if the path
        # leads to things: a season's start date tells us nothing about a hut
        ends = [path[-1][0] if candidate.hops[-1].inverse else path[-1][2] for path in paths]
        things = any(not isinstance(end, Literal) for end in ends)
        sure = (
            sure + (1 - sure) * 0.5 * min(1.0, 2 * sure + 0.2)
            if there
            else 0.9 * sure
            if things
            else 0.3 * sure
        )
        score = candidate.score + (1.0 if there else 0.0)
        asks = replace(asks, confidence=sure, score=score, nearby=nearby)
        if there or _may_end_in(asked, candidate.hops[-1], b.iri):
            found.append(asks)
        else:
            # the graph never says this of such things, so it cannot say no either
            found.append(replace(asks, confidence=_IMPOSSIBLE * sure, score=score - 1.0))
            # by the first thing's own relation: what others at the end of it have is not its own
            found += _through_another(asked, candidate, b) if start < other else []
    return found


def _may_end_in(asked: ParsedQuestion, hop: Hop, thing: Iri) -> bool:
    """Whether a relation leads to things of this kind, as far as classes and samples tell.

    A "no" means nothing where the relation never leads to such a thing: choirs sing in concerts,
    and concerts are in churches, so that no choir "sings" a church.
    """
    ends, kinds = set(asked.classes_at(hop)), asked.reader.kinds(thing)
    if ends and kinds:
        return not ends.isdisjoint(kinds)
    return asked.reader.any(pattern(thing, (Hop(hop.relation, not hop.inverse),)))


def _through_another(
    asked: ParsedQuestion, candidate: Interpretation, b: Link
) -> list[Interpretation]:
    """Whether the thing at the end of a relation is related to the other: one more step, by a
    relation that no word names. Only a yes is of use: a no may be because of another relation.
    """
    if len(candidate.hops) != 1 or candidate.start is None:
        return []
    first = candidate.hops[0]
    words = asked.words_of([first.relation])
    said = {word for token in asked.said for word in key(token)}
    if words.isdisjoint(said):
        return []
    steps = asked.reader.expand(candidate.start, (first,), inverse=asked.inverse).hops
    found = []
    for hop, _, _ in steps:
        hops = (first, hop)
        if not is_relation(hop.relation) or hop == Hop(first.relation, not first.inverse):
            continue
        if not asked.reader.any(pattern(candidate.start, hops, n3(b.iri))):
            continue
        paths, _ = asked.reader.along(candidate.start, hops)
        ending = [path for path in paths if b.iri in (path[-1][0], path[-1][2])]
        name = asked.names.label(hop.relation)
        found.append(
            replace(
                candidate,
                hops=hops,
                form="exists",
                target=b.iri,
                score=candidate.score + 0.5,
                confidence=_ALONE,
                explanation=f"whether {b.label} is: {candidate.explanation}; then {name}",
                nearby=tuple(triple for path in ending[:20] for triple in path),
                phrases=(*candidate.phrases, ("", 0)),
            )
        )
    return found


def _together(asked: ParsedQuestion, a: Link, b: Link) -> list[Interpretation]:
    """Whether two things are related when no word says how: a "yes" names the relation, a "no" is a
    guess.
    """
    reader, label = asked.reader, asked.names.label
    query = (
        f"SELECT DISTINCT ?p ?d WHERE {{ {{ {n3(a.iri)} ?p {n3(b.iri)} BIND (0 AS ?d) }} UNION "
        f"{{ {n3(b.iri)} ?p {n3(a.iri)} BIND (1 AS ?d) }} }} ORDER BY ?p ?d"
    )
    found = []
    for relation, inverse in reader.select(query).rows:
        if isinstance(relation, Iri) and is_relation(relation):
            hop = Hop(relation, getattr(inverse, "text", "") == "1")
            triple = (b.iri, relation, a.iri) if hop.inverse else (a.iri, relation, b.iri)
            said = f"whether {b.label} is: {label(relation)} of {a.label}"
            found.append(
                Interpretation(
                    a.iri, (hop,), "exists", -0.2, 0.85, said, target=b.iri, nearby=(triple,)
                )
            )
    return found or [
        replace(one, form="exists", target=b.iri, confidence=0.3, nearby=())
        for one in _by_class(asked, a, None)[:1]
    ]


def _whether_class(asked: ParsedQuestion, thing: Link, cls: Link) -> list[Interpretation]:
    places = (asked.place(thing), asked.place(cls))
    left = [
        at for at, token in enumerate(asked.sentence) if at and at not in places and says(token)
    ]  # "Is A a tall hut" asks for more than its class
    if left:
        return []
    by = Hop(asked.reader.typed_by(cls.iri))
    types = tuple(path[0] for path in asked.reader.along(thing.iri, (by,))[0])
    return [
        Interpretation(
            thing.iri,
            (by,),
            "exists",
            -0.3,
            0.9 if types else 0.4,
            f"whether {thing.label} is a {cls.label}",
            typed_by=by.relation,
            target=cls.iri,
            nearby=types,
        )
    ]


def _comparison(asked: ParsedQuestion) -> list[Interpretation]:
    """Whether a thing's number or date satisfies a comparison with a bound or with another thing's."""
    shape = asked.shape
    ordered = sorted(asked.things, key=asked.place)
    second = (
        next((link for link in ordered if link.mention != ordered[0].mention), None)
        if ordered
        else None
    )
    if not ordered or (second is None and not shape.bound):
        return []
    first, reader = ordered[0], asked.reader
    made = []
    for use, near, sure in _measures(
        asked, Interpretation(None, among=(first.iri,), confidence=0.95)
    ):
        shape = _shape_for(asked, use)
        bound = _bound(asked, use, [second] if second else [])
        own = asked.reader.ends(first.iri, Hop(use.iri), 2)[0]
        if bound is not None and {kind_of(bound)} == {kind_of(end) for end in own}:
            proof = tuple(path[0] for path in reader.along(first.iri, (Hop(use.iri),))[0][:1])
            if second is not None and not shape.bound:
                proof += ((second.iri, use.iri, bound),)
            said = f"whether {use.names[0]} of {first.label} {shape.operator} {bound.text}"
            made.append(
                Interpretation(
                    first.iri,
                    (Hop(use.iri),),
                    "exists",
                    near - 1.0,
                    sure,
                    said,
                    operator=shape.operator,
                    bound=bound,
                    nearby=proof,
                )
            )
    return made


# -------------------------------------------------------------------------------------------------------------
# helpers


def _comparable(asked: ParsedQuestion, candidate: Interpretation) -> Interpretation:
    """The same interpretation, comparing only what can be compared, and saying what is left out.

    A text among numbers ("950 m", "n/a") would be the highest of all, or fail every comparison.
    """
    measured = (
        candidate.by
        and not candidate.counted
        and candidate.form in ("values", "most", "least", "total", "average")
    )
    if not measured or candidate.bound is not None and candidate.operator in (IN_YEAR, "="):
        return candidate
    bare = replace(candidate, bound=None, operator="", comparing="")
    rows = asked.reader.looked_up(
        f"SELECT ?t (COUNT(DISTINCT ?answer) AS ?n) WHERE {{ {body(bare)} BIND (DATATYPE(?by) AS ?t) }} GROUP BY ?t"
    ).rows
    kinds = {kind_of(Literal("", datatype=str(t))) if t is not None else "thing" for t, _ in rows}
    dates = {str(t) for t, _ in rows if t is not None and is_date(str(t))}
    as_numbers = kind_of(asked.sample(candidate.by[-1].relation)) == "number"
    if len(kinds) < 2 and (as_numbers or len(dates) < 2):
        return candidate
    bound = candidate.bound
    if not as_numbers and bound is not None:
        year = bound.text[:4]
        bound = Literal(f"{year}-12-31" if candidate.operator in (">", "<=") else year)
    fair = replace(candidate, comparing="numbers" if as_numbers else "dates", bound=bound)
    own = "isNumeric(?by)" if as_numbers else 'REGEX(STR(?by), "^[0-9]{4}(-|$)")'
    wrong = asked.reader.looked_up(
        f"SELECT DISTINCT ?answer ?by WHERE {{ {body(bare)} FILTER (!({own})) }} ORDER BY ?answer ?by"
    ).rows
    if not wrong:
        return replace(fair, confidence=min(fair.confidence, _MIXED))
    names = [
        f"{asked.names.label(str(thing))} ({getattr(value, 'text', value)})"
        for thing, value in wrong
    ]
    more = f" and {len(names) - _LEFT_OUT} more" if len(names) > _LEFT_OUT else ""
    kind = "numbers" if as_numbers else "dates"
    left = f"only {kind} are compared, which leaves out {', '.join(names[:_LEFT_OUT])}{more}"
    texts = [getattr(value, "text", "") for _, value in wrong]
    most = _OPEN if as_numbers and _might_count(asked, fair, texts) else _MIXED
    return replace(
        fair,
        confidence=min(fair.confidence, most),
        left_out=left,
        explanation=f"{fair.explanation}; {left}",
    )


def _undone(asked: ParsedQuestion, candidate: Interpretation) -> Interpretation:
    """The same interpretation, surely no more than ``_MIXED`` if following a relation twice may lead
    back: some would count that; and hardly sure if it leads to nothing but its own start.
    """
    if candidate.start is None or candidate.shared:
        return candidate
    # her children's mother is she
    relations = {hop.relation for hop in candidate.hops}
    related = not RELATIVES.isdisjoint(asked.words_of(relations))
    if candidate.form == "values" and len(relations) > 1 and not related:
        where = body(candidate)
        away = asked.reader.any(f"{where} FILTER (?answer != {n3(candidate.start)})")
        if not away and asked.reader.any(where):
            told = f"{candidate.explanation}; leads to nothing but where it began"
            return replace(candidate, confidence=_GENERAL * candidate.confidence, explanation=told)
    if not candidate.undone:
        return candidate
    back = " || ".join(candidate.undone)
    if not asked.reader.any(
        f"{pattern(candidate.start, candidate.hops, '?answer')} FILTER ({back})"
    ):
        return candidate
    told = f"{candidate.explanation}; not back to where a step came from"
    return replace(candidate, confidence=min(candidate.confidence, _MIXED), explanation=told)


_IN_TEXT = re.compile(r"(-?\d[\d.,]*)\s*([^\W\d]*)")


def _might_count(asked: ParsedQuestion, fair: Interpretation, texts: Sequence[str]) -> bool:
    """Whether one of the texts left out holds a number that would win, or meet the bound, or is in
    another unit.
    """
    named = asked.words_of([fair.by[-1].relation])
    if fair.bound is not None:
        limit = float(fair.bound.text)
    else:
        best = "MAX" if fair.form == "most" else "MIN"
        rows = asked.reader.looked_up(f"SELECT ({best}(?by) AS ?n) WHERE {{ {body(fair)} }}").rows
        limit = float(getattr(rows[0][0], "text", "nan")) if rows else float("nan")
    beyond = fair.form == "most" or fair.operator in (">", ">=")
    for number, unit in (pair for text in texts for pair in _IN_TEXT.findall(text)[:1]):
        value = float(number.rstrip(".,").replace(",", ""))
        if (unit and unit.lower() not in named) or (value >= limit if beyond else value <= limit):
            return True
    return False


def _class_of(asked: ParsedQuestion, candidate: Interpretation, kind: Iri) -> Interpretation:
    """Restrict the values to a class, using this graph's own typing relation."""
    return replace(candidate, type=kind, typed_by=asked.reader.typed_by(kind))


def _is_class(state: State, link: Link) -> bool:
    reader = state.context.reader
    by = " ".join(map(n3, reader.typing))
    return link.is_class or (
        link.how == "given" and reader.any(f"VALUES ?t {{ {by} }} ?x ?t {n3(link.iri)}")
    )
