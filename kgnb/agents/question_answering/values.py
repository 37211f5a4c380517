"""The frozen values passed between the stages of question answering, its options, and its actions.

Actions are serialised as one line of JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias
from typing import Literal as OneOf

from kgnb.agents.question_answering.interpretation import Interpretation
from kgnb.agents.question_answering.options import BRIEF as BRIEF
from kgnb.agents.question_answering.options import Direction as Direction
from kgnb.agents.question_answering.options import Options as Options
from kgnb.agents.question_answering.options import Reflection as Reflection
from kgnb.agents.question_answering.options import Tools as Tools
from kgnb.datasets.questions import LONGEST
from kgnb.files import from_json
from kgnb.kg.result_files import python_value
from kgnb.kg.terms import Iri, Literal, Term, Triple, bare_text
from kgnb.results.bundle import Shown
from kgnb.results.interchange import network_of, rdflib_of
from kgnb.results.table import Column, Table
from kgnb.results.table import Value as Cell

if TYPE_CHECKING:
    import networkx
    import pandas
    import rdflib


@dataclass(frozen=True)
class Neighbours:
    """The triples of an entity in both directions, or only those of one relation.

    Of a class: its things, or that relation's triples of all its things. ``page`` counts from 0.
    """

    entity: Iri
    relation: Iri | None = None
    page: int = 0


@dataclass(frozen=True)
class Paths:
    """The paths of at most ``max_length`` triples between two entities, in any direction."""

    a: Iri
    b: Iri
    max_length: int = 2
    page: int = 0


@dataclass(frozen=True)
class Query:
    """A read-only SPARQL query, for counting, ordering, filtering and yes/no questions."""

    sparql: str


@dataclass(frozen=True)
class Look:
    """The relations and classes with names that match these words."""

    words: str


@dataclass(frozen=True)
class Finish:
    """Go on to ``answer``: memory suffices, or nothing more will be found."""


@dataclass(frozen=True)
class Commit:
    """The answer: columns of an earlier query (numbered from 1), or ``values`` as they were shown.

    ``column`` may be several, with commas between; the first holds the things asked for.
    ``triples`` are lines that were shown and prove values that no literal states.
    """

    query: int = 0
    column: str = ""
    values: tuple[str, ...] = ()
    triples: tuple[str, ...] = ()


@dataclass(frozen=True)
class GiveUp:
    """The graph does not contain the answer."""


Action: TypeAlias = Neighbours | Paths | Query | Look | Finish | Commit | GiveUp


_KINDS: dict[str, type[Action]] = {
    "neighbours": Neighbours,
    "paths": Paths,
    "query": Query,
    "schema": Look,
    "commit": Commit,
    "give_up": GiveUp,
    "answer": Finish,
}


def written(action: Action) -> str:
    """An action as one line of JSON, which also serves as its id.

    >>> written(Neighbours(Iri("http://huts.example/id/ottertal")))
    '{"neighbours": ["http://huts.example/id/ottertal"]}'
    """
    content: Any = True
    match action:
        case Query(text) | Look(text):
            content = text
        case Commit(query, column, values, triples):
            content = [query, column, *values, *([list(triples)] if triples else [])]
        case Neighbours() | Paths():
            content = [part or "" for part in astuple(action)]
            while not content[-1]:
                content.pop()
    return json.dumps(
        {next(name for name, kind in _KINDS.items() if isinstance(action, kind)): content}
    )


def read_action(text: str) -> Action:
    """Parse the output of ``written``.

    Raises:
        ValueError: the text is not an action.
    """
    try:
        ((name, value),) = from_json(text).items()
        kind = _KINDS[name]
        if kind in (Finish, GiveUp):
            return kind()
        if kind in (Query, Look):
            if isinstance(value, str) and value.strip():
                return kind(value)
        elif not isinstance(value, list):
            pass
        elif kind is Commit:
            *values, triples = value if isinstance(value[-1], list) else [*value, []]
            return Commit(
                int(values[0]),
                str(values[1]),
                tuple(map(str, values[2:])),
                tuple(map(str, triples)),
            )
        elif kind is Paths:
            return Paths(_iri(value[0]), _iri(value[1]), *map(int, value[2:]))
        else:
            entity, relation, *page = [*value, ""][: max(2, len(value))]
            return Neighbours(_iri(entity), _iri(relation) if relation else None, *map(int, page))
    except (ValueError, AttributeError, TypeError, LookupError, OverflowError):
        pass
    raise ValueError(f"not an action: {text[:200]!r}")


def _iri(value: object) -> Iri:
    if not isinstance(value, str) or not value:
        raise ValueError("not an IRI")
    return Iri(value)


Status = OneOf["answered", "forced", "unsure"]
Source = OneOf["graph", "model"]
How = OneOf["given", "exact", "normalised", "fuzzy", "vector", "part"]


@dataclass(frozen=True)
class Question:
    """A question. ``entities`` are the IRIs it mentions, if known; if empty, they are searched for."""

    id: str
    text: str
    entities: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError("the question is empty")
        if len(self.text) > LONGEST:
            raise ValueError(f"the question has more than {LONGEST:,} characters")


@dataclass(frozen=True)
class Link:
    """An entity or class that part of the question may refer to."""

    iri: Iri
    label: str
    mention: (
        str  # words of the question; "" if the entity was given and the question does not name it
    )
    score: float
    how: How
    is_class: bool = False


@dataclass(frozen=True)
class Linked(Shown):
    """The result of ``link``: all possible entities, best first for each mention."""

    links: tuple[Link, ...]
    given: bool = False  # the question came with its entities, so none were searched for
    notes: tuple[str, ...] = ()

    @property
    def entities(self) -> tuple[Iri, ...]:
        """The task entities: the best one for each mention; classes only if nothing else was found."""
        best: dict[str, Iri] = {}
        single = [link for link in self.links if not link.is_class] or self.links
        for place, link in enumerate(single):
            best.setdefault(f"{place}" if link.how == "given" else link.mention, link.iri)
        return tuple(dict.fromkeys(best.values()))

    @property
    def ambiguous(self) -> tuple[Link, ...]:
        """All links of mentions that may refer to more than one entity."""
        mentions = [link.mention for link in self.links if link.how != "given"]
        return tuple(
            link for link in self.links if link.how != "given" and mentions.count(link.mention) > 1
        )

    def counts(self) -> dict[str, int]:
        """Numbers of entities, mentions and links."""
        return {
            "entities": len(self.entities),
            "mentions": len({link.mention for link in self.links}),
            "candidates": len(self.links),
        }


@dataclass(frozen=True)
class Seen:
    """One triple of an observation."""

    triple: Triple
    score: float  # how well its relation and other end fit the question, from -1 to 1
    turn: int  # 1 to D
    inverse: bool  # reached from its object
    ends: int = 0  # how many triples of its relation the entity has there; 0: not known

    @property
    def sides(self) -> tuple[tuple[Term, Term, bool], ...]:
        """The end it was reached from, then the other: each with the relation, and whether this
        ends there.
        """
        subject, relation, object_ = self.triple
        sides = (subject, relation, False), (object_, relation, True)
        return sides[::-1] if self.inverse else sides


@dataclass(frozen=True)
class Observation(Shown):
    """The result of ``observe``: the triples around the entities that fit the question, best first.

    ``interpretations`` map the question to the graph's relations, best first. The rule judge
    chooses from them; for other judges they are hints.
    """

    triples: tuple[Seen, ...] = ()
    interpretations: tuple[Interpretation, ...] = ()
    notes: tuple[str, ...] = ()  # what was sampled or left out
    queries: int = 0
    embedded: int = 0  # vectors computed, not cached
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)  # by IRI

    def counts(self) -> dict[str, int]:
        """Numbers of triples and interpretations, and their cost."""
        return {
            "triples": len(self.triples),
            "readings": len(self.interpretations),
            "queries": self.queries,
            "embedded": self.embedded,
        }


@dataclass(frozen=True)
class Refusal:
    """A refused action and the reason."""

    action: str  # as requested
    reason: str


@dataclass(frozen=True)
class Acted(Shown):
    """The result of ``act``: the action, the reason for it, and the graph's reply."""

    action: Action
    reason: str = ""
    confidence: float = 0.0
    judged_by: str = ""
    triples: tuple[Triple, ...] = ()
    values: tuple[Term, ...] = ()  # distinct values of a query's first column
    columns: tuple[str, ...] = ()  # of a query's result, like rows; "yes" for ASK
    rows: tuple[tuple[Term | None, ...], ...] = ()
    truncated: bool = False  # there are more rows than were read
    number: int = (
        0  # number of the query within the question, from 1; 0 if it failed or is not a query
    )
    error: str = ""  # error message of the graph or its query engine
    interpretation: Interpretation | None = None  # the interpretation the action follows
    refused: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(
        default_factory=dict, repr=False, compare=False
    )  # labels known at the time

    def counts(self) -> dict[str, int]:
        """Numbers of triples and values returned, and of actions refused before."""
        return {
            "triples": len(self.triples),
            "values": len(self.values),
            "refused": len(self.refused),
        }


Path: TypeAlias = tuple[Triple, ...]


@dataclass(frozen=True)
class Memory(Shown):
    """The result of ``reflect``: paths of triples, each continuing where the previous one ended."""

    paths: tuple[Path, ...] = ()
    added: tuple[Triple, ...] = ()  # by the last reflection
    reason: str = ""
    judged_by: str = ""
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def triples(self) -> tuple[Triple, ...]:
        """All distinct triples."""
        return tuple(dict.fromkeys(triple for path in self.paths for triple in path))

    def counts(self) -> dict[str, int]:
        """Numbers of paths, triples and newly added triples."""
        return {"paths": len(self.paths), "triples": len(self.triples), "added": len(self.added)}


@dataclass(frozen=True)
class Guess:
    """The result of the best interpretation if its confidence is too low for an answer; ``sparql``
    as in ``Answer``.
    """

    values: tuple[Term, ...]
    sparql: str = ""


@dataclass(frozen=True)
class AnswerTable:
    """Rows of an answer with several columns, in the order and number of its query; the first
    column holds the things asked for.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Term | None, ...], ...]


@dataclass(frozen=True)
class Answer(Shown):
    """The result of ``answer``. The status "unsure" without values means that the graph does not
    support an answer.

    A count is a single ``xsd:integer``, a yes/no answer a single ``xsd:boolean``. ``sparql`` was
    run and returned exactly ``values``; it is "" if no query reproduces them.
    """

    question: Question
    values: tuple[Term, ...] = ()
    support: tuple[Triple, ...] = ()
    sparql: str = ""
    confidence: float = 0.0
    source: Source = "graph"
    status: Status = "unsure"
    rationale: str = ""
    rounds: int = 0
    judged_by: str = ""
    paths: tuple[Path, ...] = ()  # the memory it is based on
    linked: Linked = Linked(())
    notes: tuple[str, ...] = ()
    partial: str = (
        ""  # the reason if a budget ran out and the answer rests on what was found until then
    )
    table: AnswerTable | None = None  # where the question asks several things of each value
    guess: Guess | None = (
        None  # for an unsure answer; ``rationale`` says how the question was interpreted
    )
    labels: Mapping[str, str] = field(
        default_factory=dict, repr=False
    )  # by IRI, for the first 1,000 values and the support

    def label(self, term: Term) -> str:
        """A term's label or text for display."""
        text = bare_text(term)
        return text if isinstance(term, Literal) else self.labels.get(text, text)

    def df(self) -> pandas.DataFrame:
        """A row for each value: ``value`` (IRI or text), ``label`` and ``confidence``; or the table,
        numbers as numbers and things by their labels.
        """
        if self.table is not None:
            from pandas import DataFrame

            cells = [[self._cell(term) for term in row] for row in self.table.rows]
            return DataFrame(cells, columns=list(self.table.columns))
        columns = [Column("value", "value"), Column("label", "label")]
        columns.append(Column("confidence", "confidence", "percent"))
        rows: list[list[Cell]] = [
            [bare_text(value), self.label(value), self.confidence] for value in self.values
        ]
        return Table(columns, rows).df()

    def _cell(self, term: Term | None) -> object:
        return self.label(term) if isinstance(term, Iri) else python_value(term)

    def to_json(self) -> dict[str, Any]:
        """The answer as plain JSON, as a line of an answer file has it."""
        content: dict[str, Any] = {
            "id": self.question.id,
            "values": [bare_text(value) for value in self.values],
            "labels": {
                bare_text(value): self.label(value)
                for value in self.values
                if self.label(value) != bare_text(value)
            },
            "support": [[bare_text(term) for term in triple] for triple in self.support],
            "confidence": round(self.confidence, 4),
            "status": self.status,
            "source": self.source,
            "sparql": self.sparql,
        }
        if self.table is not None:
            rows = [["" if t is None else bare_text(t) for t in row] for row in self.table.rows]
            content["table"] = {"columns": list(self.table.columns), "rows": rows}
        if self.guess is not None and not self.values:
            values = [bare_text(value) for value in self.guess.values]
            content["guess"] = {"values": values, "sparql": self.guess.sparql}
        return content | ({"partial": self.partial} if self.partial else {})

    def rdflib(self) -> rdflib.Graph:
        """The triples that prove it, as an rdflib graph."""
        return rdflib_of(self.support)

    def networkx(self) -> networkx.MultiDiGraph:
        """The triples that prove it, as a networkx graph."""
        return network_of(self.support, self.labels)

    def counts(self) -> dict[str, int]:
        """Numbers of values, supporting triples and rounds."""
        return {
            "values": len(self.values),
            "triples of proof": len(self.support),
            "rounds": self.rounds,
        }
