"""Matches every pair of the report with one embedder and one index, each ontology read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any
from typing import Literal as OneOf

from kgnb.agents.ontology_matching.retrieve import comparable, retrieve
from kgnb.agents.ontology_matching.values import Options
from kgnb.agents.options import given_of
from kgnb.backends import open_embedder, open_index, open_model, open_ontology
from kgnb.datasets.oaei import matching_set
from kgnb.datasets.published import MatchingCase, MatchingFigure, MatchingSet, over_pairs
from kgnb.errors import LimitError, Waiting
from kgnb.evaluate.alignment import Oriented, Score, score, scored_by_oaei, triples
from kgnb.judging.named import set_model
from kgnb.kg.ontology import Ontology
from kgnb.llm.asking import raise_waiting
from kgnb.mapping_files import load_reference
from kgnb.reporting.ontology_matching.at_once import at_once
from kgnb.reporting.ontology_matching.results import (
    WITHOUT_MODEL,
    MatchingResults,
    PairOutcome,
)
from kgnb.reporting.ontology_matching.stored import stored_alignments
from kgnb.reporting.sections import Cost, judge_in_words, judging, run_in
from kgnb.reporting.session import ReportSession, current
from kgnb.results.bundle import count
from kgnb.tasks.matching import match_ontologies, turned
from kgnb.tasks.running import digests_of

BASELINES = ("names at once", "descriptions at once")
"""In place of all stages: a model gets these of both ontologies in one prompt."""


def run_cases(
    *,
    dataset: str = "huts",
    pairs: str = "",
    source: str = "",
    target: str = "",
    reference: str = "",
    judge: str = "auto",
    model: str = "",
    embedder: str = "",
    context: str = "",
    error_rate: float = 0.0,
    seed: int = 0,
    plan: OneOf["fixed", "model"] = "fixed",
    papers: bool = False,
    options: Mapping[str, Any] = MappingProxyType({}),
    session: ReportSession | None = None,
) -> MatchingResults:
    """Match the pairs of a data set that have a reference (or those named), or ``source`` with
    ``target``.

    A spent budget ends the matching early, and the page says so.

    Raises:
        ValueError: only one of ``source`` and ``target`` is given.
        DataError: a file is missing or wrong.
        ConfigError: the judge lacks something.
    """
    session = session or current()
    judge, settings = judging(session, judge, model)
    task = (
        _own_pair(source, target, reference)
        if source or target
        else matching_set(dataset, settings.data)
    )
    cases = _chosen(task, pairs)
    about = context or task.context
    chosen = Options(**given_of(Options, {**options, "context": about}))
    specs = dict.fromkeys(spec for case in cases for spec in (case.source, case.target))
    read: dict[Any, Ontology] = {spec: open_ontology(spec) for spec in specs}
    wanted = {
        case.name: _wanted(case, read) for case in cases
    }  # before any work: a wrong reference costs nothing
    asked: dict[str, Any] = {"judge": judge, "error_rate": error_rate, "seed": seed, "plan": plan}
    names = {
        "task": task.name,
        "pairs": [case.name for case in cases],
        **asked,
        "context": about,
        **options,
    }
    run = run_in(
        session,
        "ontology_matching",
        digests_of({str(spec): ontology for spec, ontology in read.items()}),
        names,
        settings,
    )
    embed, index = open_embedder(embedder or None, settings), open_index(None, settings)

    def match(case: MatchingCase) -> PairOutcome:
        sides, oriented = (read[case.source], read[case.target]), wanted[case.name]
        known = (
            {triple[:2] for triple in oriented.triples if triple[2] == "equivalent"}
            if oriented
            else None
        )
        steps, before = len(run.steps), Cost.so_far(run)
        source, target = comparable(*sides)
        if judge in BASELINES:
            model = run.watch(set_model(open_model(settings), judge))
            described = retrieve(source, target, options=chosen)
            alignment = run.do(
                at_once, described, model, context=judge == BASELINES[1], subject=about
            )
        else:
            alignment = match_ontologies(
                source,
                target,
                embedder=embed,
                index=index,
                options=chosen,
                reference=known,
                run=run,
                settings=settings,
                **asked,
            )
        cost = Cost.so_far(run) - before
        called = any(step.calls for step in run.steps[steps:])
        return PairOutcome(
            case.name,
            source,
            target,
            alignment,
            oriented,
            cost,
            unasked=unasked(source, target, oriented) if oriented and called else {},
            simulated=sum(
                "simulation" in said.judged_by
                for step in run.steps[steps:]
                for said in step.judgements
            ),
            stored=stored_alignments(case, *sides) if oriented else {},
            published={
                figure.system: figure for figure in case.published if figure.covers == "this pair"
            },
        )

    def unasked(source: Ontology, target: Ontology, oriented: Oriented) -> dict[str, Score]:
        same: dict[str, Any] = {"embedder": embed, "index": index, "options": chosen}
        relations = sorted({triple[2] for triple in oriented.triples}) or ["equivalent"]
        found = {}
        for one in WITHOUT_MODEL:
            alignment = match_ontologies(source, target, judge=one, settings=settings, **same)
            scored = scored_by_oaei(triples(alignment, *relations))
            found[one] = score(scored, oriented.triples)
        return found

    outcomes: list[PairOutcome] = []
    waiting: list[Waiting] = []
    notes = list(task.notes)
    with run:
        for case in cases:
            try:
                run.check()
                outcomes.append(match(case))
            except Waiting as error:  # the other pairs are asked in the same round
                waiting.append(error)
            except LimitError:
                if not outcomes:
                    raise
                break
        raise_waiting(waiting)
    if run.partial:
        done = f"; {len(outcomes)} of {count(len(cases), 'pair')} were matched, and the last may be partial"
        notes.append(f"Partial: {run.partial}{done if len(outcomes) < len(cases) else ''}.")
    return MatchingResults(
        task=task.title,
        outcomes=tuple(outcomes),
        judge=judge_in_words(judge, settings),
        embedder=embed.name,
        options=chosen,
        run=run,
        peers=_peers(task, cases),
        simulation=f"oracle judge, error rate {error_rate:g}" if judge == "oracle" else "",
        notes=tuple(notes),
        about_papers=papers or not source,
    )


def _wanted(case: MatchingCase, read: dict[Any, Ontology]) -> Oriented | None:
    if case.reference is None:
        return None
    return turned(
        load_reference(case.reference), read[case.source], read[case.target], str(case.reference)
    )


def _own_pair(source: str, target: str, reference: str) -> MatchingSet:
    if not (source and target):
        raise ValueError("source and target go together\nGive both, or neither and a dataset.")
    names = [Path(spec).stem or spec for spec in (source, target)]
    case = MatchingCase("-".join(names), source, target, Path(reference) if reference else None)  # type: ignore[arg-type]
    return MatchingSet(case.name, f"{names[0]} and {names[1]}", (case,))


def _chosen(task: MatchingSet, pairs: str) -> tuple[MatchingCase, ...]:
    names = [name.strip() for name in pairs.split(",") if name.strip()]
    return tuple(task.case(name) for name in names) if names else task.with_reference or task.cases


def _peers(task: MatchingSet, cases: Sequence[MatchingCase]) -> tuple[MatchingFigure, ...]:
    """The figures published for the task; those over "these pairs" are recomputed where only some
    pairs are run.
    """
    if {case.name for case in cases} == {case.name for case in task.with_reference}:
        return task.published
    figures = [figure for figure in task.published if "these" not in figure.covers]
    sized = [
        (case.published[0], len(load_reference(case.reference)))
        for case in cases
        if case.published and case.reference
    ]
    return (*over_pairs(sized), *figures) if sized and len(sized) == len(cases) else tuple(figures)
