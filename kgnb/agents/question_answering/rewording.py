"""Questions that are read by another question: what a class lacks, what its members add up to, and
what has something in common with a thing.

"Which stops are not on Line A?" asks for the stops beside those of "Which stops are on Line A?";
"the total weight of the lions" adds up a measure of "which lions"; "who has the same doctor as
Ann?" leads to what "What is the doctor of Ann?" finds, and back. The other question is read as any
question is, with the confidence of that reading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from kgnb.agents.question_answering.interpretation import (
    Form,
    Hop,
    Interpretation,
    body,
    of_type,
    pattern,
    sparql,
)
from kgnb.agents.question_answering.parsed_question import (
    AnswerShape,
    ParsedQuestion,
    measure_of,
    polar,
    shape_of,
)
from kgnb.agents.question_answering.path_search import same_verb
from kgnb.agents.question_answering.querying import proof_of
from kgnb.agents.question_answering.segmentation import (
    AUXILIARIES,
    PREPOSITIONS,
    QUESTION_WORDS,
    RELATIVE,
    find,
    says,
)
from kgnb.agents.question_answering.values import Link
from kgnb.kg.terms import Iri, Literal, n3
from kgnb.kg.words import key

Reader = Callable[[ParsedQuestion], Sequence[Interpretation]]
"""Reads a question, best interpretation first, each with its confidence."""

_SILENT = 0.85  # most confidence where what the graph does not say decides, chosen, not tuned
_STATED = 0.9  # most confidence in what is not among all that is stated
_UNKNOWN = 0.3  # confidence where most is not stated, or where the words may mean two things
_ENOUGH = 0.5  # share of a class of which a relation must be stated to speak of the rest
_FEW = 2  # things of which it must be stated at least
_BEING = frozenset("is are was were".split())  # noqa: SIM905
_ADVERBS = frozenset("when where how".split())  # noqa: SIM905
_FOLLOWED = 2  # readings of the other question that are followed

_ARTICLE = r"(?:(?:a|an|the|any|all|all the|all of the) )?"
_SAYS_TOTAL = "total|combined|overall|summed|joint"
_SAYS_MEAN = "average|mean"
_TOTALS = (
    rf"(?:what|which|how much|how high|how large) (?:is|are|was|were) the "
    rf"(?:(?P<total>{_SAYS_TOTAL}|sum of the)|{_SAYS_MEAN}) (?:number of |amount of )?"
    rf"(?P<noun>.+?) (?:of|in|for) {_ARTICLE}(?P<rest>.+)",
    rf"how (?:many|much) (?P<noun>.+?) (?:do|does) {_ARTICLE}(?P<rest>.+) have "
    r"(?:(?P<total>altogether|in total|in all|together|combined|overall)|on average)",
    rf"how (?P<adjective>\w+) (?:is|are) {_ARTICLE}(?P<rest>.+) on average",
)
_SAME = (
    r"(?P<doing>.+ )the same (?P<noun>.+?) as (?:the )?(?P<thing>\S+)(?: (?:is|are|has|have|do|does|did))?",
    r".+ (?:share|shares|sharing) (?:a|an|the|their|its|his|her) (?P<noun>.+?) with (?:the )?(?P<thing>\S+)",
)
_LISTING = frozenset("list name give show tell all every each me us many number".split())  # noqa: SIM905
_ANY = "(?: a| an| any)?"
_NOTHING = (
    rf"(?:(?:has|have|had|with|is|are) no|(?:do|does|did) not have{_ANY}|(?:is |are )?without{_ANY}) "
    r"(?P<noun>.+)"
)
_NOT = r"(?:do|does|did|(?P<aux>is|are|was|were|has|have|had|can))(?: been)? (?:not|never) (?P<done>.+)"


def reworded(asked: ParsedQuestion, read: Reader) -> list[Interpretation]:
    """The readings of a question by another one, best first; none for most questions."""
    if asked.shape.form == "exists":
        return []
    return (
        _totals(asked, read)
        or _of_extreme(asked, read)
        or _common(asked, read)
        or _lacking(asked, read)
    )


def _form(asked: ParsedQuestion) -> Form:
    return "count" if asked.shape.form == "count" else "values"


def _text(words: Iterable[str]) -> str:
    """Words in lower case without marks, one blank between two, so that places can be counted."""
    return " ".join(word.lower() for word in words if word[:1].isalnum())


def _asking(asked: ParsedQuestion, words: Sequence[str]) -> ParsedQuestion:
    """The question in other words."""
    named = {asked.sentence[asked.place(link)] for link in asked.things if asked.place(link) >= 0}
    sentence = (*words, "?")
    return replace(asked, sentence=sentence, shape=shape_of(sentence, named))


def _spoken(asked: ParsedQuestion) -> list[str]:
    """The words of a question without its marks, "don't" in two."""
    words = [word for word in asked.sentence if word[:1].isalnum()]
    return " ".join(re.sub(r"n't$", " not", word) for word in words).split()


# ---------------------------------------------------------------------------------------------------
# totals and averages


def _totals(asked: ParsedQuestion, read: Reader) -> list[Interpretation]:
    """What a number of things come to together, or on average."""
    words = _spoken(asked)
    if _text(words[:2]) == "on average":
        words = [*words[2:], *words[:2]]
    for wording in _TOTALS:
        match = re.fullmatch(wording, _text(words))
        if match is None:
            continue
        parts = match.groupdict()
        other = _asking(asked, ["Which", *_part(words, match, "rest")])
        adjective = measure_of(parts.get("adjective") or "")
        noun = tuple((parts.get("noun") or "").replace("_", " ").split())
        if not (adjective or noun) or other.wanted is None or other.shape.compares:
            continue
        if _is_stated(asked, match.string):
            continue
        form: Form = "total" if parts.get("total") else "average"
        measured = adjective[0] if adjective else " ".join(noun)
        shape = AnswerShape(form, measured=measured, noun=tuple(filter(says, noun)))
        found = [_complete(asked, one) for one in read(replace(other, shape=shape))]
        return [one for one in found if one is not None]
    return []


def _is_stated(asked: ParsedQuestion, text: str) -> bool:
    """Whether some relation is called a total or an average itself."""
    said = {*_SAYS_TOTAL.split("|"), *_SAYS_MEAN.split("|")} & set(text.split())
    return any(said & asked.words_of([use.iri]) for use in asked.schema.relations)


def _complete(asked: ParsedQuestion, candidate: Interpretation) -> Interpretation | None:
    """The total as far as all have one number each; less sure where some have none, or several."""
    if candidate.form not in ("total", "average"):
        return None
    every = _number(asked, body(replace(candidate, by=(), comparing="")))
    having, numbers = (
        _number(asked, body(candidate)),
        _number(asked, body(candidate), "?answer ?by"),
    )
    if not having:
        return None
    told, sure = candidate.explanation, candidate.confidence
    if having < every:
        told = f"{told}; {every - having} of {every} have none"
        sure = min(sure, _SILENT if having >= _ENOUGH * every else _UNKNOWN)
    if numbers > having:
        told, sure = f"{told}; some have several", min(sure, _UNKNOWN)
    return replace(candidate, explanation=told, confidence=sure)


def _number(asked: ParsedQuestion, where: str, what: str = "?answer") -> int:
    """How many different things, or rows, match a pattern."""
    inner = f"SELECT DISTINCT {what} WHERE {{ {where} }}"
    rows = asked.reader.looked_up(f"SELECT (COUNT(*) AS ?n) WHERE {{ {{ {inner} }} }}").rows
    return int(getattr(rows[0][0], "text", "0")) if rows else 0


# ---------------------------------------------------------------------------------------------------
# what is asked of the first, the highest or the oldest


def _of_extreme(asked: ParsedQuestion, read: Reader) -> list[Interpretation]:
    """What is asked of the one thing of a class that has the most of something: "who wrote the
    longest book?", "how old is the oldest lion?" """
    words = _spoken(asked)
    part = _extreme_part(asked, words) if asked.shape.form in ("most", "least") else None
    if part is None:
        return []
    begin, end, inner = part
    before, after = words[:begin], words[end:]
    asks_more = any(map(says, before[1:]))
    if after and says(after[0]) and before:
        asks_more |= before[-1].lower() in AUXILIARIES - _BEING or before[0].lower() in _ADVERBS
    if not asks_more:
        return []  # "which was the first state to join" asks for the state
    for first in read(_asking(_with_things(asked, inner), inner))[:1]:
        values = [row[0] for row in asked.reader.looked_up(sparql(first), _FEW).rows]
        if len(values) != 1 or not isinstance(values[0], Iri) or first.confidence < _UNKNOWN:
            return []
        name = asked.names.label(values[0])
        link = Link(values[0], name, name, 1.0, "exact")
        outer = [*before, "_".join(name.split()), *after]
        other = _with_things(replace(asked, things=(*asked.things, link), classes=()), outer)
        other = replace(
            other, classes=tuple(one for one in asked.classes if find(one.mention, outer))
        )
        proof = proof_of(asked.reader, sparql(first))
        return [
            replace(
                one,
                confidence=one.confidence * first.confidence,
                explanation=f"{name}: {first.explanation}; {one.explanation}",
                grounds=proof,
            )
            for one in read(_asking(other, outer))[:_FOLLOWED]
            if one.start == values[0]
        ]
    return []


def _extreme_part(asked: ParsedQuestion, words: Sequence[str]) -> tuple[int, int, list[str]] | None:
    """Where a question names a thing by an extreme, and the question which thing that is."""
    low = [word.lower() for word in words]
    if "by" in low:
        return None  # "the largest by population" says what is measured
    things = {asked.sentence[asked.place(link)] for link in asked.things if asked.place(link) >= 0}
    for link in asked.classes:
        span = find(link.mention, words)
        if span is None:
            continue
        begin, end = span
        the = begin - 1 - (low[begin - 1 : begin] != ["the"])
        the -= low[max(0, the - 1)] in ("most", "least")
        if the > 0 and low[the - 1] == "the" and polar(low[the]):  # "the most recent film"
            the -= 1
        if the >= 0 and low[the] == "the" and any(map(polar, low[the + 1 : begin])):
            if low[begin - 1] in ("most", "fewest", "more", "fewer"):
                return None  # who has the most of them
            more = low[end : end + 2]
            if more and more[0] in PREPOSITIONS and set(words[end + 1 : end + 3]) & things:
                end += 3 if more[1:] == ["the"] else 2
            return the, end, ["Which", "is", *words[the:end]]
        if low[end : end + 2] == ["with", "the"] and any(map(polar, low[end + 2 : end + 3])):
            last = next((at for at in range(end + 3, len(low)) if low[at] in AUXILIARIES), len(low))
            inner = ["Which", words[begin], "has", *words[end + 1 : last]]
            return begin - (low[begin - 1] == "the"), last, inner
    for the in range(1, len(words) - 3):  # "the oldest member of X"
        if (
            low[the] == "the"
            and low[the + 1] not in ("most", "fewest")
            and polar(low[the + 1])
            and low[the + 3] in PREPOSITIONS
        ):
            end = the + 5 + (low[the + 4] == "the")
            if words[end - 1 : end] and words[end - 1] in things:
                return the, end, ["Who", "is", *words[the:end]]
    return None


def _with_things(asked: ParsedQuestion, words: Sequence[str]) -> ParsedQuestion:
    """A question with no other things than words name."""
    return replace(asked, things=tuple(one for one in asked.things if find(one.mention, words)))


# ---------------------------------------------------------------------------------------------------
# what has something in common with a thing


def _common(asked: ParsedQuestion, read: Reader) -> list[Interpretation]:
    """What has the same owner as a thing, or shares a valley with it, and is not that thing."""
    words = _spoken(asked)
    match = next(filter(None, (re.fullmatch(wording, _text(words)) for wording in _SAME)), None)
    things = {link.mention for link in asked.things}
    if match is None or len(things) != 1 or match["thing"] != _text([_token(asked)]):
        return []
    noun = _part(words, match, "noun")
    name = _part(words, match, "thing")
    questions = [["What", "is", "the", *noun, "of", *name]]
    if "same" in match[0]:
        place = _place(words, asked.wanted)
        doing = [
            word
            for word in _part(words, match, "doing")[place + 1 :]
            if word.lower() not in AUXILIARIES | RELATIVE | QUESTION_WORDS
        ]
        if doing:
            questions.insert(0, ["Which", *noun, "is", *name, *doing])
    found: dict[tuple[Hop, ...], Interpretation] = {}
    for question in questions:
        for one in read(_asking(asked, question))[:_FOLLOWED]:
            if (back := _there_and_back(asked, one, "same" in match[0])) is not None:
                found.setdefault(back.hops, back)
    return sorted(found.values(), key=lambda one: -one.confidence)


def _token(asked: ParsedQuestion) -> str:
    """The word that names the thing."""
    places = [asked.place(link) for link in asked.things]
    return asked.sentence[max(places)] if max(places) >= 0 else ""


def _place(words: Sequence[str], link: Link | None) -> int:
    """Where words name a class, or 0."""
    span = find(link.mention, words) if link is not None else None
    return span[0] if span else 0


def _part(words: Sequence[str], match: re.Match[str], group: str) -> list[str]:
    """The words of a group of a match of their text."""
    if not match[group]:
        return []
    begin = match.string[: match.start(group)].count(" ")
    return list(words[begin : begin + len(match[group].split())])


def _there_and_back(
    asked: ParsedQuestion, one: Interpretation, same: bool
) -> Interpretation | None:
    """From the thing to what it has, and back to all that have it too."""
    if one.start is None or not one.hops or one.form != "values" or one.by or one.also:
        return None
    kinds = asked.reader.kinds(one.start)
    back = tuple(Hop(hop.relation, not hop.inverse) for hop in reversed(one.hops))
    if set(asked.classes_at(one.hops[-1])) & kinds:
        return None  # who "shares a border" with a state borders it
    told = f"{one.explanation}; what else has it"
    found = replace(
        one, hops=(*one.hops, *back), phrases=(), type=None, shared=True, explanation=told
    )
    found = replace(found, form=_form(asked))
    if asked.wanted is not None:
        cls = asked.wanted.iri
        found = replace(found, type=cls, typed_by=asked.reader.typed_by(cls))
    if not asked.reader.any(body(found)):
        return None
    if (
        same and len(asked.reader.ends(one.start, one.hops[0], 2)[0]) > 1
    ):  # "the same ingredients": all of them, or one?
        told = f"{told}; it has several, and all of them may be meant"
        return replace(found, confidence=min(found.confidence, _UNKNOWN), explanation=told)
    return found


# ---------------------------------------------------------------------------------------------------
# what does not


def _lacking(asked: ParsedQuestion, read: Reader) -> list[Interpretation]:
    """The members of a class that do not do something, or have none of something."""
    words, wanted = _spoken(asked), asked.wanted
    if wanted is None or asked.shape.compares:
        return []
    place = _place(words, wanted)
    if not {word.lower() for word in words[:place] if says(word)} <= _LISTING:
        return []
    rest = words[place + 1 :]
    if rest[:1] and rest[0].lower() in RELATIVE:
        rest = rest[1:]
    match = re.fullmatch(_NOTHING, _text(rest))
    if match is not None:
        return _without(asked, wanted, _part(rest, match, "noun"), doing=False)
    match = re.fullmatch(_NOT, _text(rest))
    if match is None:
        return []
    done = _part(rest, match, "done")
    if not asked.things:
        return _without(asked, wanted, done, doing=True)
    if len({link.mention for link in asked.things}) > 1:
        return []
    question = ["Which", words[place], *_part(rest, match, "aux"), *done]
    found = [_beside(asked, one, wanted) for one in read(_asking(asked, question))[:_FOLLOWED]]
    return [one for one in found if one is not None]


def _beside(asked: ParsedQuestion, one: Interpretation, wanted: Link) -> Interpretation | None:
    """The members of a class beside those that a reading leads to, of which its relation is stated."""
    bare = not (one.by or one.also or one.among or one.axioms or one.undone)
    if (
        one.start is None
        or not one.hops
        or one.form != "values"
        or not bare
        or one.confidence < _UNKNOWN
    ):
        return None
    if one.type not in (None, wanted.iri):
        return None
    last = one.hops[-1]
    cls = replace(one, type=wanted.iri, typed_by=asked.reader.typed_by(wanted.iri))
    kind = of_type("?answer", wanted.iri, cls.typed_by)
    every = _number(asked, kind)
    stated = _number(asked, f"{kind} {pattern('?answer', (Hop(last.relation, not last.inverse),))}")
    name = asked.names.label(last.relation)
    most = _STATED if stated == every else _SILENT
    told = f"all {wanted.label} but those: {one.explanation}"
    if stated < every:
        told = f"{told}; of {every - stated} of {every} the graph does not say: {name}"
    if not last.inverse or stated < max(_FEW, _ENOUGH * every):
        most = _UNKNOWN
    found = replace(cls, form=_form(asked), denied=True, explanation=told)
    found = replace(found, confidence=min(one.confidence, most))
    return found if asked.reader.any(body(found)) else None


def _without(
    asked: ParsedQuestion, wanted: Link, words: Sequence[str], *, doing: bool
) -> list[Interpretation]:
    """The members of a class without any of what words name: "trams without a depot", or, if they
    are ``doing`` something, "keepers who do not look after any animal".
    """
    found = []
    for use in asked.schema.relations:
        if isinstance(use.example, Literal) and use.example.text in ("true", "false"):
            continue  # what is said to be false is not silent
        for hop in (Hop(use.iri), Hop(use.iri, inverse=True)):
            here = asked.classes_at(Hop(hop.relation, not hop.inverse))
            if wanted.iri in here and _names(asked, hop, words, doing=doing):
                found.append(hop)
    return _none_of(asked, wanted, found[0]) if len(found) == 1 else []


def _names(asked: ParsedQuestion, hop: Hop, words: Sequence[str], *, doing: bool) -> bool:
    """Whether words name a relation, or the class at its other end, and nothing else."""
    text = [word.lower() for word in words if says(word)]
    far = [link for link in asked.classes if find(link.mention, words)]
    kinds = {word for link in far for word in key(link.mention)}
    leads = any(link.iri in asked.classes_at(hop) for link in far)
    said = [word for word in text if not set(key(word)) <= kinds]
    names = [list(filter(says, name.lower().split())) for name in asked.names_of(hop.relation)]
    if not doing:
        named = any(key(" ".join(name)) == key(" ".join(text)) for name in names if name)
        return (named and not hop.inverse) or (leads and not said)
    verbs = any(same_verb(part, word) for name in names for part in name for word in said[:1])
    return verbs and (leads or not far)


def _none_of(asked: ParsedQuestion, wanted: Link, hop: Hop) -> list[Interpretation]:
    """Those that a relation is not stated of, if it is of enough others, or leads back from enough."""
    typed_by = asked.reader.typed_by(wanted.iri)
    kind, step = of_type("?answer", wanted.iri, typed_by), pattern("?answer", (hop,), "?some")
    every, stated = _number(asked, kind), _number(asked, f"{kind} {step}")
    name = asked.names.label(hop.relation)
    told = f"all {wanted.label} without: {name}; stated of {stated} of {every}"
    sure = _SILENT if stated >= max(_FEW, _ENOUGH * every) else _UNKNOWN
    if hop.inverse:
        sure = min(sure, _SILENT) if _from_all(asked, hop) else _UNKNOWN
    found = Interpretation(
        None,
        form=_form(asked),
        score=-0.1,
        confidence=sure,
        explanation=told,
        type=wanted.iri,
        typed_by=typed_by,
        lacking=hop,
    )
    return [found] if asked.reader.any(body(found)) else []


def _from_all(asked: ParsedQuestion, hop: Hop) -> bool:
    """Whether a relation is stated of nearly all that it might start from."""
    starts = asked.classes_at(hop)
    if len(starts) != 1:
        return False
    kind = of_type("?answer", Iri(starts[0]), asked.reader.typed_by(Iri(starts[0])))
    every = _number(asked, kind)
    return _number(asked, f"{kind} ?answer {n3(hop.relation)} ?some .") >= 0.9 * every
