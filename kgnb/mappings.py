"""Mappings between two ontologies or graphs, and alignments made of them; files in and out:
``mapping_files``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from collections.abc import Mapping as Dict
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar
from typing import Literal as OneOf

from pydantic import Field

from kgnb.kg.prefixes import told_apart
from kgnb.results.bundle import count
from kgnb.results.interchange import networkx_module
from kgnb.results.table import Column, LabelledIri, Table, Tabled

if TYPE_CHECKING:
    import networkx
    import pandas

Relation = OneOf["equivalent", "broader", "narrower", "related", "different", "unsure"]
"""The relation of the *target* to the source: "broader" means source is a kind of target
(skos:broadMatch).
"""
Concepts = OneOf["", "source", "target", "both"]
"""Which of two entities matched as classes are SKOS concepts, to which OWL axioms do not apply."""


def turned(relation: str) -> Any:
    """The relation seen from the target: broader becomes narrower."""
    return {"broader": "narrower", "narrower": "broader"}.get(relation, relation)


def which_concepts(source: bool, target: bool) -> Concepts:
    """The ``concepts`` of a mapping."""
    return "both" if source and target else "source" if source else "target" if target else ""


class Evidence(NamedTuple):
    """One reason for a mapping: its kind, its score (0 to 1, or None) and the texts compared."""

    kind: str  # e.g. "syntactic rank", "exact label", "shared parents", "verdict"
    text: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Mapping:
    """One correspondence between an entity of the source and one of the target."""

    source: str  # IRI
    target: str  # IRI
    relation: Relation = "equivalent"
    confidence: Annotated[float, Field(ge=0.0, le=1.0)] = 1.0
    kind: str = "class"
    source_label: str = ""
    target_label: str = ""
    justification: str = "semapv:CompositeMatching"  # SSSOM mapping_justification
    judged_by: str = ""
    rationale: str = ""
    evidence: tuple[Evidence, ...] = ()
    concepts: Concepts = ""

    @property
    def pair(self) -> tuple[str, str]:
        """Source and target IRI."""
        return (self.source, self.target)

    def is_concept(self, side: str) -> bool:
        """Whether the "source" or the "target" is a SKOS concept."""
        return self.concepts in (side, "both")


@dataclass(frozen=True, slots=True)
class Dropped:
    """A mapping that was considered and left out, and why."""

    mapping: Mapping
    reason: str


@dataclass(frozen=True, repr=False)
class Alignment(Tabled):
    """The mappings between a source and a target, sorted, with dropped mappings and those that wait
    for a person.

    It is shown as a table: one row a mapping, with its evidence in the details.

    >>> refuge = "http://b#Refuge"
    >>> Alignment((Mapping("http://a#Hut", refuge), Mapping("http://a#RescueHut", refuge, "broader")))
    <Alignment: 2 mappings (1 broader, 1 equivalent), 0 dropped, 0 unsure>
    """

    mappings: tuple[Mapping, ...]
    source: str = ""  # IRI of the source ontology
    target: str = ""
    dropped: tuple[Dropped, ...] = ()
    unsure: tuple[Mapping, ...] = ()
    notes: tuple[str, ...] = field(default=())
    partial: str = ""  # why, if it is: a budget was spent before everything was judged

    def __len__(self) -> int:
        return len(self.mappings)

    def __iter__(self) -> Iterator[Mapping]:
        return iter(self.mappings)

    def __repr__(self) -> str:
        counts = self.counts()
        relations = ", ".join(
            f"{number} {relation}" for relation, number in counts["relations"].items()
        )
        found = f"{len(self)} mapping{'' if len(self) == 1 else 's'}" + (
            f" ({relations})" if relations else ""
        )
        partial = "partial: " if self.partial else ""
        return (
            f"<Alignment: {partial}{found}, {len(self.dropped)} dropped, {len(self.unsure)} unsure>"
        )

    def __str__(self) -> str:
        return self.table().text()

    def marked_partial(self, why: str) -> Alignment:
        """The same mappings, marked as partial."""
        return replace(self, partial=why)

    def counts(self) -> dict[str, Any]:
        """How many mappings there are, by relation and by kind, and how many were dropped or are
        unsure; plain JSON.
        """
        return {
            "mappings": len(self.mappings),
            "relations": _counted(mapping.relation for mapping in self.mappings),
            "kinds": _counted(mapping.kind for mapping in self.mappings),
            "dropped": len(self.dropped),
            "unsure": len(self.unsure),
        }

    def table(self) -> Table:
        """The mappings as a table; a row opens to its rationale, evidence and justification."""
        columns = [
            Column("source", "Source", "iri"),
            Column("relation", "Relation"),
            Column("target", "Target", "iri"),
            Column("confidence", "Confidence", "percent"),
            Column("kind", "Kind"),
            Column("judged_by", "Judged by"),
        ]
        sources = told_apart((m.source, m.source_label) for m in self.mappings)
        targets = told_apart((m.target, m.target_label) for m in self.mappings)
        rows = [
            [
                LabelledIri(mapping.source, sources[mapping.source]),
                mapping.relation,
                LabelledIri(mapping.target, targets[mapping.target]),
                mapping.confidence,
                "concept" if mapping.concepts == "both" else mapping.kind,
                mapping.judged_by,
            ]
            for mapping in self.mappings
        ]
        return Table(
            columns,
            rows,
            details=[_details(mapping) for mapping in self.mappings],
            notes=self._notices(),
        )

    def df(self) -> pandas.DataFrame:
        """All fields except the evidence, as a data frame with one row a mapping."""
        names = (
            *("source", "target", "relation", "confidence", "kind", "source_label", "target_label"),
            *("justification", "judged_by", "rationale"),
        )
        rows = [[getattr(mapping, name) for name in names] for mapping in self.mappings]
        return Table(
            [Column(name, name, "percent" if name == "confidence" else "text") for name in names],
            rows,
        ).df()

    def to_json(self) -> list[dict[str, Any]]:
        """The mappings as plain JSON, in order: every field, evidence included."""
        return [
            {**asdict(mapping), "evidence": [one._asdict() for one in mapping.evidence]}
            for mapping in self.mappings
        ]

    def networkx(self) -> networkx.DiGraph:
        """A networkx graph: an edge for each mapping, with its relation and confidence."""
        made: networkx.DiGraph = networkx_module().DiGraph()
        for mapping in self.mappings:
            made.add_node(mapping.source, label=mapping.source_label, side="source")
            made.add_node(mapping.target, label=mapping.target_label, side="target")
            made.add_edge(*mapping.pair, relation=mapping.relation, confidence=mapping.confidence)
        return made

    def _notices(self) -> list[str]:
        ranked = sorted(_counted(d.reason for d in self.dropped).items(), key=lambda item: -item[1])
        reasons = "; ".join(
            [f"{number} {reason}" for reason, number in ranked[:5]] + ["..."] * (len(ranked) > 5)
        )
        dropped = [f"{len(self.dropped)} dropped: {reasons}"] if self.dropped else []
        pairs = count(len(self.unsure), "pair")
        unsure = [f"{pairs} could not be decided: review them"] if self.unsure else []
        partial = [f"Partial: {self.partial}"] if self.partial else []
        return [*partial, *dropped, *unsure, *self.notes]


Ends = TypeVar("Ends", bound=tuple[Any, Any])


def one_to_one(worth: Dict[Ends, float]) -> set[Ends]:
    """The pairs of the greatest total worth in which no two share an end, solved exactly by
    connected component.

    >>> sorted(one_to_one({("a", "x"): 0.95, ("a", "y"): 0.9, ("b", "x"): 0.9}))
    [('a', 'y'), ('b', 'x')]
    """
    import numpy as np
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    pairs = list(worth)
    rows, columns = (
        {end: n for n, end in enumerate(dict.fromkeys(pair[at] for pair in pairs))} for at in (0, 1)
    )
    row = np.array([rows[pair[0]] for pair in pairs], dtype=np.int64)
    column = np.array([len(rows) + columns[pair[1]] for pair in pairs], dtype=np.int64)
    size = len(rows) + len(columns)
    group = connected_components(
        coo_matrix((np.ones(len(pairs)), (row, column)), shape=(size, size)), directed=False
    )
    members: defaultdict[int, list[int]] = defaultdict(list)
    for at, number in enumerate(group[1][row].tolist()):
        members[number].append(at)
    chosen: set[Ends] = set()
    for places in members.values():
        if len(places) == 1:
            chosen.add(pairs[places[0]])
            continue
        from scipy.optimize import linear_sum_assignment  # slow to import, and seldom needed

        ones, i = np.unique(row[places], return_inverse=True)
        others, j = np.unique(column[places], return_inverse=True)
        gain = np.zeros((len(ones), len(others)))
        gain[i, j] = [worth[pairs[at]] for at in places]
        best = np.zeros(gain.shape, dtype=bool)
        best[linear_sum_assignment(gain, maximize=True)] = True
        chosen |= {pairs[at] for at, taken in zip(places, best[i, j], strict=True) if taken}
    return chosen


def _counted(words: Iterator[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))


def _details(mapping: Mapping) -> list[tuple[str, str]]:
    shown = [("rationale", mapping.rationale)] if mapping.rationale else []
    shown += [
        (item.kind if item.score is None else f"{item.kind} ({item.score:.2f})", item.text)
        for item in mapping.evidence
    ]
    return [*shown, ("justification", mapping.justification)]
