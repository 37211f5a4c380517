"""Plan: which way each entity takes (EA-Agent's planner). Most take none: their first alignment stands.

The paper sends every entity down a path of tools, 672 tokens each. Here the calibrated confidence of the first
alignment decides who is looked at at all, the doubtful first and never more than ``share`` of the entities; a planner
then chooses the tools for each of those.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kgnb.agents.entity_alignment.judging_values import LookOptions, Planned
from kgnb.agents.entity_alignment.model_planner import path_costs
from kgnb.agents.entity_alignment.paths import (
    ALIGN,
    ATTRIBUTES,
    PATHS,
    REFLECT,
    RELATIONS,
    STANDS,
    Path,
    named,
    path_of,
)
from kgnb.agents.entity_alignment.questions import TAKE, PlanQuestion
from kgnb.agents.entity_alignment.select import Selector
from kgnb.agents.entity_alignment.values import FEATURES, Floats, Proposal, statistics
from kgnb.judging import Judge, Verdict, checked

_SAMPLE = 20  # rows that the costs of paths are measured on


def plan(
    proposal: Proposal,
    planner: Judge[PlanQuestion],
    *,
    options: LookOptions = LookOptions(),
    rows: Iterable[int] | None = None,
) -> Planned:
    """The way of every entity that is worth a look, as the planner chooses it.

    ``rows`` names those to look at instead (to train on, or to try). A way that is not on offer counts as none.
    """
    chosen = worth_a_look(proposal, options) if rows is None else sorted(rows)
    questions = questions_about(proposal, chosen, options)
    verdicts = planner.judge(questions)
    if len(verdicts) != len(questions):
        raise ValueError(f"the {planner.name} planner gave {len(verdicts)} verdicts on {len(questions)} questions")
    paths: dict[int, Path] = {}
    said: dict[int, Verdict] = {}
    for question, verdict in zip(questions, verdicts, strict=True):
        verdict = checked(verdict, question, planner.name)
        said[question.row] = verdict
        paths[question.row] = path_of(verdict.choice) if verdict.choice is not None else STANDS
    return Planned(proposal, paths, said, planner.name, bool(getattr(planner, "simulation", False)))


def worth_a_look(proposal: Proposal, options: LookOptions) -> list[int]:
    """The rows a look is expected to help most, the first alignment of which is not sure; in order of row."""
    gain = expected_gain(proposal)
    matched = proposal.first >= 0
    open_rows = np.flatnonzero((gain > 0) & ~(matched & (proposal.confidence >= options.sure)))
    most = int(np.floor(options.share * len(proposal) + 1e-9))
    if options.share > 0 and len(open_rows):
        most = max(1, most)
    if options.share >= 1.0:
        return [int(row) for row in np.flatnonzero((proposal.candidates >= 0).any(axis=1))]
    ordered = open_rows[np.argsort(-gain[open_rows], kind="stable")]
    return sorted(int(row) for row in ordered[:most])


def expected_gain(proposal: Proposal) -> Floats:
    """How much a right answer would bring, row by row: what the first alignment lacks in confidence.

    Where there is no first alignment, half the share of a usual similarity that its best candidate reaches: an entity
    that nothing resembles has most likely no counterpart.
    """
    any_candidate = proposal.candidates[:, 0] >= 0 if len(proposal) else np.zeros(0, dtype=bool)
    best = np.where(np.isfinite(proposal.similarities), proposal.similarities, 0.0).max(axis=1, initial=0.0)
    matched = proposal.first >= 0
    usual = float(np.median(best[matched])) if matched.any() else 1.0
    alone = 0.5 * np.clip(best / usual if usual > 0 else best, 0.0, 1.0)
    gain = np.where(matched, 1.0 - proposal.confidence, alone)
    return np.where(any_candidate, gain, 0.0).astype(np.float32)


def questions_about(proposal: Proposal, rows: Sequence[int], options: LookOptions) -> list[PlanQuestion]:
    """The planning questions of these rows."""
    known, costs = statistics(proposal), costs_of(proposal, rows, options)
    return [_question(proposal, row, known, costs, options) for row in rows]


def costs_of(proposal: Proposal, rows: Sequence[int], options: LookOptions) -> tuple[int, ...]:
    """What each path takes in tokens, measured on the questions of some of these rows."""
    sample = rows[:: max(1, len(rows) // _SAMPLE)]
    if not sample:
        return ()
    selector = Selector(proposal, options)
    sizes: dict[tuple[str, ...], float] = {}
    for tools in ((ATTRIBUTES,), (RELATIONS,), (ATTRIBUTES, RELATIONS)):
        questions = [selector.question(row, tools) for row in sample]
        shown = sum(len(one.text) + sum(len(option.text) for option in one.options) for one in questions)
        sizes[tools] = shown / len(questions)
    return path_costs(sizes)


def _question(
    proposal: Proposal, row: int, known: Floats, costs: tuple[int, ...], options: LookOptions
) -> PlanQuestion:
    source = int(proposal.sources[row])
    return PlanQuestion(
        row=row,
        iri=proposal.left.entities[source],
        name=proposal.left.names[source] or "an entity without a name",
        statistics=tuple(round(float(value), 4) for value in known[row]),
        paths=possible(known[row], options),
        costs=costs,
    )


def possible(row: Floats, options: LookOptions) -> tuple[Path, ...]:
    """The paths whose selectors have triples to select from."""
    missing = set()
    if not row[FEATURES.index("attribute triples")] or not options.attributes:
        missing.add(ATTRIBUTES)
    if not row[FEATURES.index("relation triples")] or not options.relations:
        missing.add(RELATIONS)
    if missing == {ATTRIBUTES, RELATIONS}:  # names alone: any selector gives an empty selection
        missing = {ATTRIBUTES}
    return tuple(path for path in PATHS if not missing & set(path))


class RulePlanner:
    """One selector where it should do, both where candidates are close, a reflection where they are hardly apart."""

    name = "rule"

    def __init__(self, close: float = 0.10, closest: float = 0.02) -> None:
        self.close, self.closest = close, closest

    def judge(self, questions: Sequence[PlanQuestion]) -> list[Verdict]:
        """One path a question."""
        return [self._path(question) for question in questions]

    def _path(self, question: PlanQuestion) -> Verdict:
        margin = question.value("margin")
        wanted = {ATTRIBUTES, RELATIONS, ALIGN} if margin < self.close else {RELATIONS, ALIGN}
        if margin < self.close and question.value("confidence") < 0.5 or margin < self.closest:
            wanted.add(REFLECT)
        path = nearest(wanted, question.paths)
        return Verdict(TAKE, named(path), 1.0, f"margin {margin:.2f}", self.name)


class ThoroughPlanner:
    """Every tool for nearly everyone, as the paper's untrained planner does (3.61 tools, 90 % reflected)."""

    name = "thorough"

    def judge(self, questions: Sequence[PlanQuestion]) -> list[Verdict]:
        """All tools; no reflection on the tenth with the widest margins."""
        margins = np.array([question.value("margin") for question in questions])
        wide = float(np.quantile(margins, 0.9)) if len(margins) else 0.0
        tools = (ATTRIBUTES, RELATIONS, ALIGN)
        return [
            Verdict(
                TAKE,
                named(nearest({*tools} if question.value("margin") > wide else {*tools, REFLECT}, question.paths)),
                1.0,
                "everything that can be done",
                self.name,
            )
            for question in questions
        ]


def nearest(wanted: set[str], paths: Sequence[Path]) -> Path:
    """The possible path that differs least from the wanted tools; the shorter of equals."""
    return min(paths, key=lambda path: (len(wanted ^ set(path)), len(path)))
