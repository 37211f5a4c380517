"""The options of ``propose`` and its result, the proposal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kgnb.agents.entity_alignment.graphs import EntityGraph, Integers
from kgnb.agents.entity_alignment.options import Assignment as Assignment
from kgnb.agents.entity_alignment.options import Options as Options
from kgnb.results.bundle import count
from kgnb.results.cells import LabelledIri, Value
from kgnb.results.table import Table, Tabled, numbers, percents, texts

CERTAINTY = percents(confidence="confidence") + numbers(margin="margin")
SHOWN = 1000  # rows of a table: a browser has to hold them; the whole lies in the arrays
Floats = NDArray[np.float32]

MATCHED = "matched"
WEIGHTS = "weights of the views"  # how a note about them begins
NO_CANDIDATE = "there is nothing to compare by"
TAKEN = "the best candidate fits another better"
DOUBTFUL = "the best candidate is too doubtful"
ALONE = "no other row is a duplicate"
UNLISTED = "the candidates that were given name none for it"
UNLIKELY = "no candidate is likely"
REASONS: tuple[str, ...] = (MATCHED, NO_CANDIDATE, TAKEN, DOUBTFUL, ALONE, UNLISTED, UNLIKELY)
"""Why an entity has its first alignment, or none: ``Proposal.reasons`` holds positions in this
list.
"""


@dataclass(frozen=True, eq=False)
class Proposal(Tabled):
    """The result of ``propose``: every source's candidates, best first, and the first alignment.

    Row ``i`` is about entity ``sources[i]`` of ``left``; candidates are entities of ``right`` (-1:
    none), ordered by ``scores``. ``evidence[i, j]`` has one similarity per view (``views``).
    """

    left: EntityGraph
    right: EntityGraph
    sources: Integers  # (n,) entities of left to be aligned
    targets: Integers  # (m,) entities of right that may be matched
    seeds: Integers  # (s, 2) known pairs
    candidates: Integers  # (n, k)
    similarities: Floats  # (n, k) before assignment; -inf where there is no candidate
    scores: Floats  # (n, k) after assignment, between 0 and 1
    views: tuple[str, ...]  # "spelling", "shared neighbours", ...
    evidence: Floats  # (n, k, views)
    first: Integers  # (n,) the target of each source, or -1
    reasons: NDArray[np.int8]  # (n,) positions in REASONS
    margin: Floats  # (n,) similarity of the best candidate less that of the next
    confidence: Floats  # (n,) estimated chance that the first alignment is right
    options: Options = field(default_factory=Options)
    notes: tuple[str, ...] = ()
    records: bool = False  # whether the views are fields that both sides have
    proposed: str = ""  # another cardinality, where duplicates ask for it

    def __len__(self) -> int:
        return len(self.sources)

    @cached_property
    def _rows(self) -> dict[int, int]:
        return {int(source): row for row, source in enumerate(self.sources)}

    def row(self, source: str) -> int:
        """The row about an entity, by IRI; KeyError if there is none."""
        return self._rows[self.left.index(source)]

    def why(self, row: int) -> str:
        """Why a row is matched or not."""
        return REASONS[int(self.reasons[row])]

    def link(self, row: int) -> LabelledIri:
        """The entity that a row is about."""
        source = int(self.sources[row])
        return LabelledIri(self.left.entities[source], self.left.called(source))

    def certainty(self, row: int) -> tuple[float, float]:
        """Confidence and margin of a row, to three digits."""
        return round(float(self.confidence[row]), 3), round(float(self.margin[row]), 3)

    def counts(self) -> dict[str, int]:
        """Sources, candidates, and how many are unmatched and why."""
        found = np.bincount(self.reasons, minlength=len(REASONS)).tolist()
        return {
            "sources": len(self.sources),
            "targets": len(self.targets),
            "seeds": len(self.seeds),
            "candidates": int((self.candidates >= 0).sum()),
            MATCHED: found[0],
            **{
                f"unmatched: {why}": number
                for why, number in zip(REASONS[1:], found[1:], strict=True)
                if number
            },
        }

    def __repr__(self) -> str:
        return f"<Proposal: {self.counts()[MATCHED]} of {count(len(self), 'entity', 'entities')} matched>"

    def table(self) -> Table:
        """One row per entity with its first alignment; it opens to its candidates. The least sure
        come first.
        """
        columns = texts(source="source", target="first alignment") + CERTAINTY
        columns += texts(why="matched, or why not")
        rows: list[list[Value]] = []
        details: list[list[tuple[str, str]]] = []
        for row in self.confidence.argsort(kind="stable")[:SHOWN].tolist():
            target = int(self.first[row])
            chosen = (
                LabelledIri(self.right.entities[target], self.right.called(target))
                if target >= 0
                else None
            )
            rows.append([self.link(row), chosen, *self.certainty(row), self.why(row)])
            details.append(self.candidate_lines(row))
        counts = self.counts()
        whole = count(len(self), "entity", "entities")
        caption = f"{counts['matched']} of {whole} with a first alignment; the least sure first"
        notes = [
            f"{number:,} {what}" for what, number in counts.items() if what.startswith("unmatched")
        ]
        if len(self) > SHOWN:
            notes.append(f"The {SHOWN:,} least sure of {count(len(self), 'entity', 'entities')}.")
        notes += [note for note in self.notes if not note.startswith(WEIGHTS)]
        notes += [self.proposed] if self.proposed else []
        facts = [note for note in self.notes if note.startswith(WEIGHTS)]
        return Table(columns, rows, caption=caption, details=details, notes=notes, facts=facts)

    def candidate_lines(self, row: int) -> list[tuple[str, str]]:
        """One line per candidate: name, similarity before and score after assignment, and the score
        of every view.
        """
        lines = []
        for place, target in enumerate(self.candidates[row].tolist()):
            if target < 0:
                break
            views = self.views_of(row, place)
            said = f"similarity {self.similarities[row, place]:.3f}, after assignment {self.scores[row, place]:.3f}"
            lines.append((f"{place + 1}. {self.right.called(target)}", f"{said}; {views}"))
        return lines

    def views_of(self, row: int, place: int) -> str:
        """The score of every view for one candidate of a row, in words."""
        scores = zip(self.views, self.evidence[row, place].tolist(), strict=True)
        if self.records:
            return ", ".join(f"{view}: {word}" for view, word in self.agreements(row, place))
        return ", ".join(f"{view} {score:.2f}" for view, score in scores if np.isfinite(score))

    def agreements(self, row: int, place: int) -> list[tuple[str, str]]:
        """How each field that both have agrees, in a word; none where no fields were compared."""
        if not self.records:
            return []
        scores = zip(self.views, self.evidence[row, place].tolist(), strict=True)
        return [(view, _agrees(score)) for view, score in scores if np.isfinite(score)]


def _agrees(score: float) -> str:
    """A similarity of two values in a word (the levels of ``fields``)."""
    words = ((0.97, "equal"), (0.85, "close"), (0.6, "partly equal"), (0.35, "slightly alike"))
    return next((word for least, word in words if score >= least), "differs")


FEATURES = (
    "attribute triples",
    "attributes",
    "relation triples",
    "relations",
    "has a name",
    "first similarity",
    "second similarity",
    "third similarity",
    "margin",
    "confidence",
)


def statistics(proposal: Proposal) -> Floats:
    """One row per source, one column per feature: shape (n, 10)."""
    graph, sources = proposal.left, proposal.sources
    said, kinds = _counted(graph.attribute_triples[:, :2], len(graph))
    ends = np.concatenate(
        [graph.triples[:, :2], graph.triples[:, [2, 1]] + [0, len(graph.relations)]]
    )
    linked, relations = _counted(ends, len(graph))
    has_name = np.fromiter((bool(name) for name in graph.names), dtype=np.float32, count=len(graph))
    similar = np.zeros((len(sources), 3), dtype=np.float32)
    width = min(3, proposal.similarities.shape[1])
    best = -np.sort(-np.where(proposal.candidates >= 0, proposal.similarities, -np.inf), axis=1)[
        :, :width
    ]
    similar[:, :width] = np.where(np.isfinite(best), best, 0.0)
    columns = [
        said[sources],
        kinds[sources],
        linked[sources],
        relations[sources],
        has_name[sources],
    ]
    margin = np.where(np.isfinite(proposal.margin), proposal.margin, 1.0)
    found = np.column_stack([*columns, similar, margin, proposal.confidence])
    return found.astype(np.float32)


def reads(row: Floats, first: str = "", others: Sequence[str] = ()) -> str:
    """One entity's statistics in words, with its first alignment and its other candidates.

    >>> print(reads(np.array([3, 2, 8, 4, 1, 0.91, 0.84, 0.2, 0.07, 0.62]), "Inn 0.91", ["Hut 0.84"]))
    3 attribute triples (2 kinds), 8 relation triples (4 kinds); first alignment: Inn 0.91,
    confidence 0.62; other candidates: Hut 0.84
    """
    attributes, kinds, triples, relations = (int(value) for value in row[:4])
    said = [_triples("attribute", attributes, kinds), _triples("relation", triples, relations)]
    aligned, rest = "no first alignment", "candidates"
    if first:
        sure = row[FEATURES.index("confidence")]
        aligned, rest = f"first alignment: {first}, confidence {sure:.2f}", "other candidates"
    parts = [", ".join(filter(None, said)), aligned, f"{rest}: {', '.join(others) or 'none'}"]
    return "; ".join(filter(None, parts))


def _triples(kind: str, number: int, kinds: int) -> str:
    """How many triples there are, and how many kinds where that is not the same; "" for none."""
    several = f" ({count(kinds, 'kind')})" if 0 < kinds < number else ""
    return count(number, f"{kind} triple") + several if number else ""


def _counted(pairs: Integers, size: int) -> tuple[Floats, Floats]:
    """How many rows each entity has, and how many different ones."""
    rows = np.bincount(pairs[:, 0], minlength=size).astype(np.float32)
    kinds = (
        np.bincount(np.unique(pairs, axis=0)[:, 0], minlength=size)
        if len(pairs)
        else np.zeros(size)
    )
    return rows, kinds.astype(np.float32)
