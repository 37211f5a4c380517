"""The frozen values that pass between the stages of question answering, and its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from typing import Literal as OneOf

from kgnb.agents.question_answering import tables
from kgnb.agents.question_answering.actions import Action
from kgnb.agents.question_answering.reading import Reading
from kgnb.kg.terms import Iri, Term, Triple, n3

Status = OneOf["answered", "forced", "unsure"]
Source = OneOf["graph", "model"]
How = OneOf["given", "exact", "normalised", "fuzzy", "vector"]
REFLECTIONS = ("judge", "similarity", "random", "facts")
DIRECTIONS = ("both", "outgoing")


@dataclass(frozen=True)
class Options:
    """What a person may turn. ``metadata["help"]`` and the bounds feed ``--form``, ``--help`` and the report."""

    depth: int = field(default=3, metadata={"help": "turns of an observation (paper: D = 3)", "min": 1, "max": 6})  # D
    width: int = field(
        default=50, metadata={"help": "triples an observation keeps each turn (paper: N = 50)", "min": 1, "max": 1000}
    )  # N
    share: float = field(
        default=0.1,
        metadata={"help": "share of the kept triples observed from next (paper: P = 10 %)", "min": 0.0, "max": 1.0},
    )  # P
    keep: int = field(
        default=15, metadata={"help": "triples a reflection keeps (paper: K = 15)", "min": 1, "max": 200}
    )  # K
    rounds: int = field(default=8, metadata={"help": "rounds of observe, act, reflect (paper: 8)", "min": 1, "max": 50})
    observation: bool = field(default=True, metadata={"help": "observe the graph before acting (ablation: no)"})
    reflection: str = field(
        default="judge", metadata={"help": "how triples are chosen (ablation)", "choices": REFLECTIONS}
    )
    directions: str = field(
        default="both", metadata={"help": "triples are followed (paper: outgoing)", "choices": DIRECTIONS}
    )
    confidence: float = field(
        default=0.25, metadata={"help": "an answer below this confidence is unsure", "min": 0.0, "max": 1.0}
    )
    hops: int = field(
        default=3, metadata={"help": "relations a question may be read to follow in a row", "min": 1, "max": 4}
    )
    links: int = field(
        default=5, metadata={"help": "entities shown for one mention in the question", "min": 1, "max": 50}
    )
    page: int = field(default=1000, metadata={"help": "rows one query may give", "min": 10, "max": 100_000})
    most: int = field(
        default=10_000, metadata={"help": "rows read of one answer, page by page", "min": 10, "max": 1_000_000}
    )
    timeout: float = field(default=30.0, metadata={"help": "seconds one query may take", "min": 0.1, "max": 3600.0})
    own_knowledge: bool = field(
        default=False, metadata={"help": "let the model answer from memory where the graph does not (marked so)"}
    )
    rehearse: int = field(
        default=50,
        metadata={
            "help": "a batch of so many questions first learns their wording from each other (0: never)",
            "min": 0,
        },
    )
    seed: int = field(default=0, metadata={"help": "seed of what is sampled", "min": 0, "max": 2**31 - 1})

    def __post_init__(self) -> None:
        for name in ("depth", "width", "keep", "rounds", "hops", "links", "page", "most"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: at least 1 is needed")
        if self.rehearse < 0:
            raise ValueError(f"rehearse is {self.rehearse}: a number of questions is needed, or 0 for never")
        for name in ("share", "confidence"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} is {getattr(self, name)}: it lies between 0 and 1")
        if self.timeout <= 0:
            raise ValueError(f"timeout is {self.timeout}: more than 0 seconds are needed")
        if self.reflection not in REFLECTIONS:
            raise ValueError(f"reflection is {self.reflection!r}: choose {', '.join(REFLECTIONS)}")
        if self.directions not in DIRECTIONS:
            raise ValueError(f"directions is {self.directions!r}: choose {', '.join(DIRECTIONS)}")


@dataclass(frozen=True)
class Question:
    """What is asked. ``entities`` are the IRIs it speaks of, where they are known; none: they are looked for."""

    id: str
    text: str
    entities: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError("the question is empty")


@dataclass(frozen=True)
class Link:
    """An entity a piece of the question may mean."""

    iri: Iri
    label: str
    mention: str  # the words of the question; "" where the entity was given and the question does not name it
    score: float
    how: How
    is_class: bool = False


@dataclass(frozen=True)
class Linked:
    """What ``link`` gives: every entity held possible, best first for each mention."""

    links: tuple[Link, ...]
    given: bool = False  # the question brought its entities: nothing was looked for
    notes: tuple[str, ...] = ()

    @property
    def entities(self) -> tuple[Iri, ...]:
        """The task entities: the best for each mention; classes only where nothing else was found."""
        best: dict[str, Iri] = {}
        single = [link for link in self.links if not link.is_class] or self.links
        for place, link in enumerate(single):
            best.setdefault(f"{place}" if link.how == "given" else link.mention, link.iri)
        return tuple(dict.fromkeys(best.values()))

    @property
    def ambiguous(self) -> tuple[Link, ...]:
        """The links of mentions that may mean more than one entity, as well as the best."""
        mentions = [link.mention for link in self.links if link.how != "given"]
        return tuple(link for link in self.links if link.how != "given" and mentions.count(link.mention) > 1)

    def counts(self) -> dict[str, int]:
        """Entities and mentions."""
        return {
            "entities": len(self.entities),
            "mentions": len({link.mention for link in self.links}),
            "held possible": len(self.links),
        }

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return tables.linked(self)._repr_mimebundle_(include, exclude)


@dataclass(frozen=True)
class Seen:
    """One triple of an observation."""

    triple: Triple
    score: float  # how well its relation and other end fit the question, from -1 to 1
    turn: int  # 1 to D
    inverse: bool  # it was reached from its object


@dataclass(frozen=True)
class Observation:
    """What ``observe`` gives: the subgraph around the task entities that fits the question, best first.

    ``readings`` are the ways to read the question over the relations there are, best first: what the rule judge
    chooses from, and a hint for the others.
    """

    triples: tuple[Seen, ...] = ()
    readings: tuple[Reading, ...] = ()
    notes: tuple[str, ...] = ()  # what was sampled or left out, in words
    queries: int = 0
    embedded: int = 0  # texts whose vector was computed now
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)  # by IRI

    def counts(self) -> dict[str, int]:
        """Triples, readings, and what they cost."""
        return {
            "triples": len(self.triples),
            "readings": len(self.readings),
            "queries": self.queries,
            "embedded": self.embedded,
        }

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return tables.observed(self)._repr_mimebundle_(include, exclude)


@dataclass(frozen=True)
class Refusal:
    """An action that was not taken, and why."""

    action: str  # as it was asked for
    reason: str


@dataclass(frozen=True)
class Acted:
    """What ``act`` gives: the action, why, and what the graph said to it."""

    action: Action
    reason: str = ""
    confidence: float = 0.0
    judged_by: str = ""
    triples: tuple[Triple, ...] = ()
    values: tuple[Term, ...] = ()  # what a ``Query`` selected
    reading: Reading | None = None  # the reading the action follows
    refused: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)  # those known by then

    def counts(self) -> dict[str, int]:
        """Triples and values the action brought, and actions refused before it."""
        return {"triples": len(self.triples), "values": len(self.values), "refused": len(self.refused)}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return tables.acted(self)._repr_mimebundle_(include, exclude)


Path: TypeAlias = tuple[Triple, ...]


@dataclass(frozen=True)
class Memory:
    """What ``reflect`` gives: paths of triples, each triple going on where the one before it ended."""

    paths: tuple[Path, ...] = ()
    added: tuple[Triple, ...] = ()  # by the last reflection
    reason: str = ""
    judged_by: str = ""
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def triples(self) -> tuple[Triple, ...]:
        """All triples, each once."""
        return tuple(dict.fromkeys(triple for path in self.paths for triple in path))

    def counts(self) -> dict[str, int]:
        """Paths and triples."""
        return {"paths": len(self.paths), "triples": len(self.triples), "added": len(self.added)}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return tables.remembered(self)._repr_mimebundle_(include, exclude)


@dataclass(frozen=True)
class Answer:
    """What ``answer`` gives. No values and the status "unsure": the graph does not support an answer.

    A count is one ``xsd:integer``, a yes or no one ``xsd:boolean``. ``sparql`` was run and gave exactly ``values``;
    it is "" where no query reproduces them.
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
    paths: tuple[Path, ...] = ()  # the memory it rests on
    linked: Linked = Linked(())
    notes: tuple[str, ...] = ()
    partial: str = ""  # why, if it is: a budget was spent, and what was found by then decided
    labels: Mapping[str, str] = field(
        default_factory=dict, repr=False
    )  # by IRI, for the first 1,000 values and the support

    def label(self, term: Term) -> str:
        """How a person would read a term."""
        if isinstance(term, Iri):
            return self.labels.get(term, term)
        return getattr(term, "text", n3(term))

    def counts(self) -> dict[str, int]:
        """Values, triples that prove them, rounds."""
        return {"values": len(self.values), "support": len(self.support), "rounds": self.rounds}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return tables.answered(self)._repr_mimebundle_(include, exclude)
