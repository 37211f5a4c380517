"""How sure an interpretation is of its question: which words it leaves unexplained, and its calibrated confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp, log

from kgnb.agents.question_answering.answer_shape import opposite, polar
from kgnb.agents.question_answering.graph_schema import GraphSchema
from kgnb.agents.question_answering.interpretation import Interpretation
from kgnb.agents.question_answering.parsed_question import LIGHT, ParsedQuestion
from kgnb.agents.question_answering.segmentation import PREPOSITIONS, QUESTION_WORDS, RELATIVE, Phrase, says
from kgnb.kg.words import key, plain, words

UNEXPLAINED = 0.35
"""What is left of an interpretation's confidence for each word of the question that it does not explain."""
VERB = 0.8
"""As UNEXPLAINED, for the one word that is left where it stands as a verb does."""
_ARTICLES = frozenset(["a", "an", "the", "any", "some", "no"])
_NEAR = 0.36  # nearness from which a name explains a word
_PHRASE = 0.2  # nearness from which a phrase of two words is explained as a whole by the relation nearest to it
_JOINS = frozenset(["and", "but", "&", "und", "aber", "mais"])
"""Words between two conditions, both of which hold; "et" is left out, for names have it."""
_BOTH = frozenset(["both", "also", "besides", "sowohl", "auch", "beide", "aussi"])
_OR = frozenset(["or", "either", "oder", "ou"])
_OTHERS = frozenset(["else", "another"])
_EXCEPT = frozenset("not never without except neither nor only nicht nie ohne außer nur sans sauf jamais".split())  # noqa: SIM905


def calibrated(asked: ParsedQuestion, candidate: Interpretation, ranked: Sequence[Interpretation]) -> Interpretation:
    """The interpretation with its calibrated confidence: a logistic regression on how sure its parts are, and on how
    much it leads what reads the question by other relations; less for words that ask for more than it says.

    Fitted on the development halves of tests/benchmarks/questions, the huts, two and three relations of PathQuestion
    (weight .3), and those halves without the relations that answer (weight .7). Each graph left out in its turn, 135 of
    145 natural answers of .6 or more are right, 82 of 83 of .9 or more. What else the phrases are near to, the form and
    the number of relations made it no better there; the two factors are set, not fitted: an unread word is no answer.
    """
    doubts = _doubts(asked, candidate)
    raw = min(max(candidate.confidence, 1e-4), 1 - 1e-4)
    rivals = [rank(one) for one in ranked if _parts(one) != _parts(candidate)]
    lead = min(1.0, max(-0.3, rank(candidate) - max(rivals, default=-9.0))) if candidate.form != "exists" else 0.5
    sure = 1 / (1 + exp(0.2 - 0.54 * log(raw / (1 - raw)) - 1.5 * lead)) * UNEXPLAINED ** len(doubts)
    if candidate.unused and not (len(candidate.unused) == 1 and set(candidate.unused) <= _verbs(asked)):
        sure *= 0.7
    return replace(candidate, confidence=round(sure, 4), unused=tuple(dict.fromkeys((*candidate.unused, *doubts))))


def _parts(candidate: Interpretation) -> tuple[object, ...]:
    return (candidate.start, candidate.hops, candidate.by)


def rank(candidate: Interpretation) -> float:
    """By how much one candidate goes before another."""
    return 0.25 * candidate.score + 2.0 * candidate.confidence - 0.5 * len(candidate.unused)


def explained(asked: ParsedQuestion, candidate: Interpretation) -> Interpretation:
    """The interpretation, less sure for each word of the question that nothing in it explains; the words are said."""
    unused = unexplained(asked, candidate)
    end = [token.lower() for token in asked.sentence if token[:1].isalnum()][-1:]
    if end == ["do"] and not any(number == 1 and "job" in key(text) for text, number in candidate.phrases):
        candidate = replace(candidate, confidence=0.3 * candidate.confidence)
    if not unused:
        return candidate
    named = [word for word in unused if word[:1].isupper()]
    verbs = _verbs(asked) if len(unused) == 1 and (candidate.start or candidate.type) else set()
    left = 1.0
    for word in unused:
        left *= VERB if word in verbs else UNEXPLAINED
    return replace(
        candidate,
        confidence=candidate.confidence * left,
        unused=tuple(word.lower() if word not in named else word for word in unused),
    )


def _doubts(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The words that ask for more than an interpretation's structure says.

    Counting links and measuring what a path leads to are guesses of their own: there a relation that is merely near
    to a word is no evidence, and each word must be part of a name.
    """
    found = [*_beyond_structure(asked, candidate), *_polarity(asked, candidate)]
    if candidate.counted or (candidate.by and (candidate.hops or candidate.also)):
        found += _unnamed(asked, candidate)
    shape, measures = asked.shape, candidate.by or (candidate.hops if candidate.operator else ())
    counts = candidate.counted or all(asked.gives_number(one.relation) for one in measures)
    if shape.noun and not shape.measured and not counts:
        found += shape.noun  # "more floors" is no floor area
    return [word for word in dict.fromkeys(found) if word not in candidate.unused or polar(word)]


def _polarity(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The words that say which way is compared, where a candidate compares nothing; no vector tells them."""
    names = {word for one in candidate.iris for name in asked.names.of(one) for word in words(name)}
    low = [token.lower() for token in asked.sentence]
    found = [word for at, word in enumerate(low) if polar(word) and at not in asked.shape.used and word not in names]
    return found + [word for word in low if opposite(word, names)]


def _beyond_structure(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The words that join, exclude or add a condition, where the interpretation has no part that does so."""
    low = [token.lower() for token in asked.sentence]
    names = {word for one in candidate.iris for name in asked.names.of(one) for word in words(name)}
    entities = {link.iri for link in asked.things}
    joined = sum(condition.entity in entities for condition in candidate.also)
    joins = [word for word in low if word in _JOINS and word not in names]
    found = [] if joins and len(joins) <= joined else joins
    if not joined:
        found += [word for word in low if word in _BOTH and word not in names]
    if not asked.shape.either:
        found += [word for word in low if word in _OR and word not in names]
    found += [word for word in low if word in _OTHERS or (word in _EXCEPT and word not in names)]
    parts = len(candidate.hops) + len(candidate.also) + len(candidate.by) + (candidate.type is not None)
    clauses = _clauses(asked)
    return [*found, *(low[at] for at in clauses)] if len(clauses) >= max(1, parts) else found


def _clauses(asked: ParsedQuestion) -> list[int]:
    """The places of the relative pronouns that open a clause about something named before them."""
    found, asking = [], False  # whether a question word came before
    low = [token.lower() for token in asked.sentence]
    for at, token in enumerate(low):
        before = low[max(0, at - 2)] if low[at - 1] in PREPOSITIONS else low[max(0, at - 1)]
        opens = before in (":", ";") or (before == "," and not asking)  # "In Paris, who ..." asks
        named = any(says(one) and one not in LIGHT for one in low[:at])
        if token in RELATIVE and named and not opens:
            found.append(at)
        asking = asking or token in QUESTION_WORDS
    return found


def _unnamed(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The words of a question that are part of no name a candidate speaks of; what is near to one does not count."""
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


def _verbs(asked: ParsedQuestion) -> set[str]:
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


def unexplained(asked: ParsedQuestion, candidate: Interpretation) -> list[str]:
    """The words of a question that no relation, class, name or measure of an interpretation accounts for."""
    shape = asked.shape
    relations = [hop.relation for hop in (*candidate.hops, *candidate.by)]
    relations += [hop.relation for condition in candidate.also for hop in condition.hops]
    names = [name for relation in relations for name in asked.names.of(relation)]
    ends = {candidate.start, candidate.target, *candidate.among, *(one.entity for one in candidate.also)}
    used = {asked.place(link) for link in asked.things if link.iri in ends}
    # which of several things is compared with the other stands in the bound
    used |= {asked.place(link) for link in asked.things if shape.than}
    schema = asked.schema
    held = [asked.names.label(one) for one in _classes_along(schema, candidate)]
    said = {word for name in names for word in key(name)}
    parts = list(dict.fromkeys([*names, *(word for name in names for word in words(name) if len(word) > 2)]))
    left: list[tuple[int, str]] = []
    for at, token in enumerate(asked.sentence):
        if at in used or at in shape.used or not says(token) or token.lower() in LIGHT:
            continue
        if at in shape.noun_at and candidate.by:
            continue
        if at == 0 and token.lower() in ("list", "name", "give", "tell", "show"):
            continue
        cls = next((link for link in asked.classes if asked.place(link) == at), None)
        if cls is not None and (
            cls.iri in (candidate.type, candidate.target) or _like_any(asked, cls.label, held, 0.6)
        ):
            continue
        if set(key(token)) & said:
            continue
        left.append((at, token))
    phrased = _phrased(asked, candidate)
    found = []
    own = _own_phrases(candidate, {word for _, token in left for word in key(token)})
    for at, token in left:
        text = token.replace("_", " ").lower()
        if set(key(token)) & own:
            continue
        near = float(asked.context.wording.likeness([text], parts).max()) if parts else 0.0
        # a phrase of one word was compared as a whole, and the search has counted how well
        if near >= _NEAR or set(key(token)) & phrased or _like_any(asked, text, held, 0.5):
            continue
        named = at > 0 and token[:1].isupper() and asked.state.question.text.count(" ") > 1
        found.append(token.replace("_", " ") if named else text)
    return found


def _own_phrases(candidate: Interpretation, left: set[str]) -> set[str]:
    """The words of phrases none of which is explained, each a step of its own among several.

    How little such a phrase fits its relation is in the path's confidence already; a word within a phrase that others
    explain is not.
    """
    found: set[str] = set()
    for text, _ in candidate.phrases if len(candidate.hops) > 1 else ():
        said = {plain(word) for word in words(text) if word != "x" and says(word) and word not in LIGHT}
        if said and said <= left:
            found |= said
    return found


def _phrased(asked: ParsedQuestion, candidate: Interpretation) -> set[str]:
    """The words of phrases that were compared with a relation as a whole: of one word, or of two that only together
    mean it, as "other half" means a spouse. Where one of the two means it alone, the other says something else.
    """
    found: set[str] = set()
    for (text, number), hop in zip(candidate.phrases, candidate.hops, strict=False):
        said = [word for word in words(text) if word != "x" and says(word)]
        if number == 2 and len(said) == 2:
            fits = asked.context.lexicon.fits([Phrase(text, 2), *(Phrase(f"What is the {w} of X?", 1) for w in said)])
            near, *alone = (fit.near[hop.relation] for fit in fits)
            if near < max(_PHRASE, *fits[0].near.values()) or max(alone) > _NEAR:
                continue
        elif number > 1:
            continue
        found |= set(key(text))
    return found


def _classes_along(schema: GraphSchema, candidate: Interpretation) -> list[str]:
    """The classes of what lies along an interpretation's path."""
    uses = {one.iri: one for one in schema.relations}
    found: list[str] = []
    for hop in candidate.hops:
        use = uses.get(hop.relation)
        if use is not None and not use.literal:
            found += [*use.domains, *use.ranges]
    for hop in candidate.by:
        use = uses.get(hop.relation)
        found += [*(use.domains if use is not None else ()), *(use.ranges if use and not use.literal else ())]
    return list(dict.fromkeys(found))


def _like_any(asked: ParsedQuestion, text: str, names: Sequence[str], least: float) -> bool:
    return bool(names) and float(asked.context.wording.likeness([text], list(names)).max()) >= least
