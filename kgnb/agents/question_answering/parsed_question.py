"""A question prepared for the semantic parser: its tokens, linked entities and classes, and shape.

The shape says that it asks for things, a number, yes or no, an extreme, or things beyond a bound.
This uses word tables, not a grammar. Those for extremes and comparisons are English: in other
languages such words stay unexplained, so that the rule is unsure and a model decides. Vectors find
what is compared, but the direction always comes from the tables, because vectors cannot tell
"highest" from "lowest". All other words must be explained by relations.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from kgnb.agents.question_answering.everyday_words import everyday
from kgnb.agents.question_answering.graph_reader import (
    GraphNames,
    GraphReader,
    GraphSchema,
    RelationUse,
)
from kgnb.agents.question_answering.interpretation import Form, Hop
from kgnb.agents.question_answering.segmentation import AUXILIARIES, PREPOSITIONS, X, find, says
from kgnb.agents.question_answering.state import GraphContext, State
from kgnb.agents.question_answering.values import Link
from kgnb.kg.terms import Iri, Literal, Term
from kgnb.kg.words import key

_ADJECTIVES = {
    "high": "high tall low:-",
    "long": "long short:-",
    "large": "large big great small:-",
    "deep": "deep shallow:-",
    "heavy": "heavy light:-",
    "fast": "fast slow:-",
    "wide": "wide broad narrow:-",
    "warm": "warm hot cold:-",
    "expensive": "expensive dear costly cheap:-",
    "thick": "thick thin:-",
    "rich": "rich poor:-",
    "steep": "steep",
    "strong": "strong weak:-",
    "old": "old:- young new recent late early:-",
}
"""Adjectives by what they measure; a minus marks those that mean less of it. "Old" measures when
something began: what began later is younger.
"""
_IRREGULAR = {"last": "late", "first": "early", "eldest": "old"}
MEASURES = {
    "high": "height elevation altitude prominence summit höhe hauteur",
    "long": "length duration distance day hour minute page länge longueur",
    "large": "area size surface fläche superficie",
    "deep": "depth tiefe profondeur",
    "heavy": "weight mass gewicht poids",
    "fast": "speed velocity pace geschwindigkeit vitesse",
    "wide": "width breadth span breite largeur",
    "warm": "temperature temperatur température",
    "expensive": "price cost fee fare preis prix",
    "thick": "thickness dicke",
    "rich": "wealth income worth fortune",
    "steep": "slope gradient steepness",
    "old": "age birth born founded built opened established date year since alter",
}
"""Words in the names of relations for what adjectives measure; a relation with words of another
measure, and none of its own, is not what an adjective asks for.
"""
GENERAL = frozenset(["large", "old"])
"""Measures that several relations may stand for: a house may be big by its beds or its floors."""
_BEYOND = {
    "more": ">",
    "over": ">",
    "above": ">",
    "exceeding": ">",
    "after": ">",
    "since": ">=",
    "fewer": "<",
    "less": "<",
    "under": "<",
    "below": "<",
    "before": "<",
    "until": "<=",
}
_ABOUT = frozenset("where when how why whose wo wann wie warum où quand comment pourquoi".split())
_TIMES = frozenset("after before since until".split())  # noqa: SIM905
_MOST = {"most": "most", "fewest": "least"}
_MANY = (
    ("how", "many"),
    ("wie", "viele"),
    ("wie", "vielen"),
    ("combien", "de"),
    ("combien", "d"),
    ("number", "of"),
)
_OPPOSITES = [
    tuple(frozenset(side.split()) for side in pair.split("|"))
    for pair in """born birth|die died dies dead death killed buried;open opened opening begin began
    start started founded founding established|close closed end ended finished;win won winner|lose lost
    loser;source spring|mouth;highest|lowest""".split(";")  # noqa: SIM905 - as above
]
_YES_NO = AUXILIARIES | frozenset(
    ["ist", "sind", "war", "hat", "haben", "kann", "est", "sont", "a"]
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ZEROS = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9}
_IN_WORDS = {
    word: str(number)
    for number, word in [
        *enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1),
        *((10 * ten, word) for ten, word in enumerate("twenty thirty forty fifty".split(), 2)),
    ]
}
_YEAR = re.compile(r"[12]\d{3}")
_UNITS = frozenset(
    "m km metres meters kilometres kilometers feet miles years minutes hours % kg".split()
)  # noqa: SIM905
_STOP = (
    PREPOSITIONS | AUXILIARIES | frozenset(["than", "that", "which", "who", "and", "or", ",", "?"])
)


@dataclass(frozen=True)
class AnswerShape:
    """How a question asks. ``used`` holds the positions of the words that say so; the rest must be
    explained.
    """

    form: Form = "values"
    used: frozenset[int] = frozenset()
    measured: str = (
        ""  # what values are ordered or compared by, such as "high"; "" if a noun says it
    )
    noun: tuple[str, ...] = ()  # what is counted or measured: "beds" in "most beds"
    noun_at: frozenset[int] = frozenset()
    operator: str = ""
    bound: str = ""  # the number or year that values are compared with
    than: bool = False  # values are compared with that of an entity
    year: bool = False  # the bound is a year
    either: bool = False  # the answer is one of the entities named

    @property
    def compares(self) -> bool:
        """Whether values are ordered or compared."""
        return bool(self.operator) or self.form in ("most", "least", "total", "average")


def shape_of(sentence: Sequence[str], names: Collection[str] = ()) -> AnswerShape:
    """The shape of a question; ``names`` holds its tokens that name entities.

    >>> shape_of(["How", "many", "beds", "does", "it", "have", "?"]).form
    'count'
    >>> shape = shape_of(["Which", "hut", "is", "the", "lowest", "?"])
    >>> shape.form, shape.measured
    ('least', 'high')
    """
    low = ["" if token in names else token.lower() for token in sentence]
    form: Form = "values"
    used: set[int] = set()
    many = _how_many(low)
    if many is not None:
        form, used = "count", {many, many + 1}
    if low and low[0] in _YES_NO and form == "values":
        form, used = "exists", {0}
    extreme = _extreme(low, form, used)
    if extreme is not None:
        return _either(extreme, low, names, sentence)
    return _either(_beyond(low, form, used, names, sentence), low, names, sentence)


def _how_many(low: Sequence[str]) -> int | None:
    """Where a question says "how many" or "number of"; the number of a phone is no count."""
    for at in range(len(low) - 1):
        named = low[at] == "number" and low[max(0, at - 1)] not in ("the", "number")
        if (low[at], low[at + 1]) in _MANY and not named:
            return at
    return None


def _extreme(low: Sequence[str], form: Form, used: set[int]) -> AnswerShape | None:
    """The shape of a question for the most or least, if it is one."""
    if form == "exists":
        return None
    for at, word in enumerate(low):
        graded = _graded(low, at, "most", "least")
        if word in _MOST and low[max(0, at - 1)] != "at" and not graded:
            noun, places = _noun(low, at + 1)
            if noun:
                return AnswerShape(
                    _form(_MOST[word] == "most"), frozenset({*used, at}), "", noun, places
                )
        meant = graded or _superlative(word)
        if meant is None or (
            word in ("first", "last")
            and (low[0] == "when" or low[at + 1 : at + 2] in (["name"], ["to"]))
        ):
            continue
        used |= {at, at + 1} if graded else {at}
        noun, places = _noun(low, len(low))
        if low[max(0, at - 2) : at] in (
            ["has", "the"],
            ["have", "the"],
            ["had", "the"],
            ["with", "the"],
            ["covers", "the"],
        ):
            noun, places = _noun(low, at + 1)  # "which city has the largest population"
        if "by" in low[at + 1 :]:
            noun, places = _noun(low, low.index("by", at + 1) + 1)
        return AnswerShape(_form(meant[1]), frozenset(used), meant[0], noun, places)
    return None


def _graded(low: Sequence[str], at: int, more: str, less: str) -> tuple[str, bool] | None:
    """The measure of "more expensive", "least recent"; more high schools are not higher."""
    following = (low[at + 1 : at + 2] or [""])[0]
    meant = measure_of(following) if low[at] in (more, less) and len(following) > 5 else None
    return meant and (meant[0], meant[1] == (low[at] == more))


def _beyond(
    low: Sequence[str], form: Form, used: set[int], names: Collection[str], sentence: Sequence[str]
) -> AnswerShape:
    """The shape of a comparison with a number, a year or another entity; else the plain shape."""
    for at, word in enumerate(low):
        if word == "in" and low[at + 1 : at + 2] and _YEAR.fullmatch(low[at + 1]):
            return AnswerShape(
                form,
                frozenset({*used, at, at + 1}),
                "old",
                operator="in",
                bound=low[at + 1],
                year=True,
            )
        pair = low[at : at + 2]
        operator, measured, end = _BEYOND.get(word, ""), "", at + 1
        if pair in (["at", "least"], ["at", "most"]):
            operator, end = (">=" if pair[1] == "least" else "<="), at + 2
        elif not operator:
            meant = _comparative(word)
            if meant is None:
                continue
            measured, operator = meant[0], ">" if meant[1] else "<"
        elif graded := _graded(low, at, "more", "less"):
            measured, operator, end = graded[0], ">" if graded[1] else "<", at + 2
        noun, places = _noun(low, len(low))
        than = next(
            (place for place in range(end, min(end + 5, len(low))) if low[place] == "than"), None
        )
        if than is not None and than > end:
            noun, places = _noun(low, end)  # "more floors than"
        end = than + 1 if than is not None else end
        if (amount := _amount(low, end)) is not None:
            bound, after = amount
            year = bool(_YEAR.fullmatch(bound)) and (word in _TIMES or measured == "old")
            if low[after : after + 1] and low[after] in _UNITS:
                after += 1
            if not noun and not year:
                noun, places = _noun(low, after)
                if not noun and not measured and word in ("above", "below"):
                    measured = "high"
            spent = frozenset({*used, *range(at, after)} - places)
            return AnswerShape(
                form, spent, "old" if year else measured, noun, places, operator, bound, year=year
            )
        if than is not None and any(token in names for token in sentence[end : end + 3]):
            return AnswerShape(
                form,
                frozenset({*used, *({at, end - 2} if measured else {at}), than}),
                measured,
                noun,
                places,
                operator,
                than=True,
            )
    return AnswerShape(form, frozenset(used))


def _amount(low: Sequence[str], at: int) -> tuple[str, int] | None:
    """A number in digits or words, and where it ends: "two", "1.5 million", "a thousand".

    >>> _amount(["a", "million", "people"], 0), _amount(["3.5", "million"], 0), _amount(["a", "hut"], 0)
    (('1000000', 2), ('3500000', 2), None)
    """
    word, following = [*low[at : at + 2], "", ""][:2]
    digits = _NUMBER.fullmatch(word)
    text = digits[0].replace(",", "") if digits else _IN_WORDS.get(word, "")
    zeros = _ZEROS.get(following, 0) if text or word == "a" else 0
    if not zeros:
        return (text, at + 1) if text else None
    return f"{float(text or 1) * 10**zeros:.0f}", at + 2


def _either(
    shape: AnswerShape, low: Sequence[str], names: Collection[str], sentence: Sequence[str]
) -> AnswerShape:
    """The shape, marked as ``either`` if it is like "Which is higher, A or B?"."""
    places = [at for at, token in enumerate(sentence) if token in names]
    joined = len(places) > 1 and any(low[at] == "or" for at in range(places[0], places[-1]))
    if not joined or shape.form == "exists":
        return shape
    if shape.form in ("most", "least"):
        return replace(shape, either=True)
    for at, word in enumerate(low):
        graded = _graded(low, at, "more", "less")
        meant = graded or _comparative(word)
        if meant is not None or word in ("more", "fewer", "less"):
            noun, spots = _noun(low, at + 1) if meant is None else ((), frozenset[int]())
            up = meant[1] if meant is not None else word == "more"
            used = frozenset({*shape.used, at, at + 1 if graded else at})
            return AnswerShape(_form(up), used, meant[0] if meant else "", noun, spots, either=True)
    return shape


def _form(most: bool) -> Form:
    return "most" if most else "least"


def _noun(low: Sequence[str], begin: int) -> tuple[tuple[str, ...], frozenset[int]]:
    """The content words from ``begin`` to the next stop word (at most four words), and their
    positions.
    """
    end = begin
    while end < len(low) and low[end] and low[end] not in _STOP and end - begin < 4:
        end += 1
    kept = [at for at in range(begin, end) if says(low[at])]
    return tuple(low[at] for at in kept), frozenset(kept)


def measure_of(adjective: str) -> tuple[str, bool] | None:
    """What an adjective measures, and whether it means more of it (True) or less (False)."""
    for measured, said in _ADJECTIVES.items():
        for word in said.split():
            name, _, minus = word.partition(":")
            if name == adjective:
                return measured, not minus
    return None


def measures(adjective: str, names: Collection[str]) -> bool | None:
    """Whether a relation whose names have these words gives what an adjective measures; None if
    they do not say.

    >>> measures("high", ["altitude"]), measures("old", ["altitude"]), measures("old", ["beds"])
    (True, False, None)
    """
    if not set(names).isdisjoint(MEASURES.get(adjective, "").split()):
        return True
    others = {word for named in MEASURES.values() for word in named.split()}
    return None if others.isdisjoint(names) else False


def polar(word: str) -> bool:
    """Whether a word gives the direction of a comparison: highest, fewer, before.

    >>> [polar(word) for word in ("highest", "fewer", "before", "warden")]
    [True, True, True, False]
    """
    return word in _BEYOND or word in _MOST or bool(_superlative(word) or _comparative(word))


def opposite(word: str, names: Collection[str]) -> bool:
    """Whether some names contain the opposite of a word, which vectors barely tell apart.

    >>> opposite("die", ["year", "of", "birth"]), opposite("die", ["place", "of", "death"])
    (True, False)
    """
    sides = next(
        (
            pair if word in pair[0] else pair[::-1]
            for pair in _OPPOSITES
            if word in pair[0] | pair[1]
        ),
        None,
    )
    return sides is not None and not sides[0] & set(names) and bool(sides[1] & set(names))


def _superlative(word: str) -> tuple[str, bool] | None:
    """The measure of "highest", "lowest", "heaviest"."""
    if word in _IRREGULAR:
        return measure_of(_IRREGULAR[word])
    return _measure_of_stem(re.sub(r"i?est$", "", word)) if word.endswith("est") else None


def _comparative(word: str) -> tuple[str, bool] | None:
    """The measure of "higher", "older"."""
    return _measure_of_stem(re.sub(r"i?er$", "", word)) if word.endswith("er") else None


def _measure_of_stem(stem: str) -> tuple[str, bool] | None:
    doubled = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else ""
    for form in (stem, f"{stem}e", f"{stem}y", doubled):
        found = measure_of(form) if len(form) > 2 else None
        if found is not None:
            return found
    return None


LIGHT = frozenset(
    """people person persons someone somebody everyone everybody anyone thing things something one ones place kind type
    sort get got go went come came take took make made give gave put keep keeps kept lie lies find found belong belongs
    use used part total different many much also ever still both each every own stand stands situated called i we theirs
    them he him she it its his her their personne gibt liegt heißt gehört besteht member members there""".split()  # noqa: SIM905 - a page long as a list
)
"""Words with little meaning of their own: no relation needs to explain them."""

COUNTING = frozenset(
    ["number", "count", "total", "quantity", "anzahl", "nombre", "population", "num", "capacity"]
)
_MEASURES = frozenset("area length height width weight speed".split())  # noqa: SIM905


@dataclass(frozen=True)
class ParsedQuestion:
    """A question with its tokens, linked entities and classes, and shape."""

    state: State
    sentence: tuple[str, ...]
    shape: AnswerShape
    things: tuple[Link, ...]
    classes: tuple[Link, ...]

    @property
    def low(self) -> list[str]:
        """The tokens in lower case."""
        return [token.lower() for token in self.sentence]

    @property
    def context(self) -> GraphContext:
        """The context shared by all questions over this graph."""
        return self.state.context

    @property
    def reader(self) -> GraphReader:
        """The graph that is asked."""
        return self.context.reader

    @property
    def names(self) -> GraphNames:
        """The names of the graph's entities and relations."""
        return self.reader.names

    @property
    def schema(self) -> GraphSchema:
        """The graph's classes and relations."""
        return self.state.schema

    @property
    def uses(self) -> dict[Iri, RelationUse]:
        """How the graph uses each relation."""
        return self.schema.uses

    @property
    def inverse(self) -> bool:
        """Whether relations may be followed backwards."""
        return self.state.options.directions == "both"

    def place(self, link: Link) -> int:
        """The token index of a link's mention, or -1 if the question does not contain it."""
        span = find(link.mention, self.sentence) if link.mention else None
        return span[0] if span else -1

    @property
    def wanted(self) -> Link | None:
        """The class asked for: named right after "which", "what" or "how many", or first in the
        sentence.
        """
        before = 0
        for at, token in enumerate(self.sentence):
            for link in self.classes:
                if self.place(link) == at and before == 0:
                    return link
            before += (
                says(token) and token.lower() not in ("list", "name") and at not in self.shape.used
            )
        return None

    @property
    def asks_about(self) -> bool:
        """Whether it asks where, when or how things are, or what they are made of, and not which."""
        low = [token for token in self.low if token[:1].isalnum()]
        if not low or self.shape.form == "count":
            return False
        about = low[0] == "what" and low[1] in AUXILIARIES and low[-1] in PREPOSITIONS
        return about or low[0] in _ABOUT

    @property
    def counted(self) -> tuple[str, ...]:
        """The nouns after "how many"."""
        many = _how_many(self.low)
        return () if many is None else _noun(self.low, many + 2)[0]

    @property
    def said(self) -> list[str]:
        """The content words that belong neither to a link nor to the question's shape, in lower
        case.
        """
        places = {self.place(link) for link in (*self.things, *self.classes)}
        return [
            token.lower()
            for at, token in enumerate(self.sentence)
            if says(token)
            and at not in places
            and at not in self.shape.used
            and token.lower() not in LIGHT
        ]

    def words(self, keep: Sequence[int], start: int = -1) -> list[str]:
        """The tokens at these indexes in lower case, with X at ``start``, or with "of X" appended."""
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

    def names_of(self, iri: Iri) -> tuple[str, ...]:
        """All names of a relation, class or entity, and what people call it."""
        names = self.names.of(iri)
        numbers = [f"{name[:-2]}number" for name in names if name.lower().endswith(" no")]
        return (*names, *numbers, *everyday(iri))

    def words_of(self, iris: Iterable[Iri]) -> set[str]:
        """The words of all names of these relations, classes or entities."""
        return {word for iri in iris for name in self.names_of(iri) for word in key(name)}

    def classes_at(self, hop: Hop) -> list[str]:
        """The classes at the end of a step."""
        use = self.uses.get(hop.relation)
        ends = (use.subjects if hop.inverse else use.objects) if use is not None else ()
        return [end for end in ends if "/" in end or "#" in end]  # not datatypes

    def alike(self, text: str, names: Sequence[str]) -> float:
        """The likeness of a text to the nearest of some names; 0 if there is none."""
        near = self.context.wording.likeness([text], names) if names and text else None
        return float(near.max()) if near is not None else 0.0

    def sample(self, relation: Iri) -> Term | None:
        """One object of a relation, of the commonest kind if several were read."""
        use = self.uses.get(relation)
        return use.example if use is not None else self.context.lexicon.sample(relation)

    def gives_number(self, relation: Iri) -> bool:
        """Whether a relation gives a count, judged by its name, or by an integer sample if its name
        has no unit.
        """
        named, sample = self.words_of([relation]), self.sample(relation)
        whole = isinstance(sample, Literal) and "." not in sample.text
        return bool(named & COUNTING) or (whole and not named & _MEASURES)
