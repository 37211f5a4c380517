"""A question prepared for the semantic parser: its tokens, linked entities and classes, and shape."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kgnb.agents.question_answering.answer_shape import AnswerShape
from kgnb.agents.question_answering.graph_reader import GraphNames, GraphReader, GraphSchema
from kgnb.agents.question_answering.segmentation import X, find, says
from kgnb.agents.question_answering.state import GraphContext, State
from kgnb.agents.question_answering.values import Link
from kgnb.kg.terms import Iri, Literal
from kgnb.kg.words import key

LIGHT = frozenset(
    """people person persons someone somebody everyone everybody anyone thing things something one ones place kind type
    sort get got go went come came take took make made give gave put keep keeps kept lie lies find found belong belongs
    use used part total different many much also ever still both each every own stand stands situated called i we theirs
    them he him she it its his her their personne gibt liegt heißt gehört besteht member members there""".split()  # noqa: SIM905 - a page long as a list
)
"""Words with little meaning of their own: no relation needs to explain them."""

_COUNTING = frozenset(["number", "count", "total", "quantity", "anzahl", "nombre", "population", "num", "capacity"])
_UNITS = frozenset(["area", "length", "height", "width", "weight", "speed"])


@dataclass(frozen=True)
class ParsedQuestion:
    """A question with its tokens, linked entities and classes, and shape."""

    state: State
    sentence: tuple[str, ...]
    shape: AnswerShape
    things: tuple[Link, ...]
    classes: tuple[Link, ...]

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
        return self.reader.schema

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
        """The class asked for: named right after "which", "what" or "how many", or first in the sentence."""
        before = 0
        for at, token in enumerate(self.sentence):
            for link in self.classes:
                if self.place(link) == at and before == 0:
                    return link
            before += says(token) and token.lower() not in ("list", "name") and at not in self.shape.used
        return None

    @property
    def said(self) -> list[str]:
        """The content words that belong neither to a link nor to the question's shape, in lower case."""
        places = {self.place(link) for link in (*self.things, *self.classes)}
        return [
            token.lower()
            for at, token in enumerate(self.sentence)
            if says(token) and at not in places and at not in self.shape.used and token.lower() not in LIGHT
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

    def words_of(self, iris: Iterable[Iri]) -> set[str]:
        """The words of all names of these relations, classes or entities."""
        return {word for iri in iris for name in self.names.of(iri) for word in key(name)}

    def gives_number(self, relation: Iri) -> bool:
        """Whether a relation gives a count, judged by its name, or by an integer sample if its name has no unit."""
        named, sample = self.words_of([relation]), self.context.lexicon.sample(relation)
        whole = isinstance(sample, Literal) and "." not in sample.text
        return bool(named & _COUNTING) or (whole and not named & _UNITS)
