"""The tables and plots of the report, one function each, and its metrics."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

from kgnb.evaluate.alignment import Average, Score, best_threshold
from kgnb.mapping_files import save as save_alignment
from kgnb.reporting import costs, sections
from kgnb.reporting.figures import (
    NO_REFERENCE,
    NOT_PUBLISHED,
    SCORE_KEYS,
    Figure,
    FigureRow,
    cells_of,
    figure_table,
    measured,
    published,
    scored,
)
from kgnb.reporting.ontology_matching.results import (
    WITHOUT_MODEL,
    MatchingResults,
    PairOutcome,
)
from kgnb.reporting.ontology_matching.stored import compared
from kgnb.reporting.plot import Plot, grouped_bars, in_series, lines, risk_over_coverage
from kgnb.reporting.sections import (
    SCORES,
    SOURCE,
    UNMEASURED,
    Cost,
    Fragment,
    absent,
    words,
    write_numbers,
)
from kgnb.reporting.session import ReportSession
from kgnb.results.bundle import count
from kgnb.results.cells import NoFigure
from kgnb.results.table import Column, Table, Value, numbers, texts

SCORED = ("--", ":", "-")  # how precision, recall and F1 are drawn
UNSCORED = numbers(found="Found", unsure="Left unsure")  # where there is no reference
COUNTS = numbers(found="Found", wanted="In reference", right="Right")


def figures(results: MatchingResults) -> list[FigureRow]:
    """Our figures, micro and mean, beside the published ones, each figure with its source; without
    a reference, how many mappings were found and left unsure.
    """
    rows: list[FigureRow] = []
    if results.mean:
        these = "this pair" if len(results.scored) == 1 else f"these {len(results.scored)} pairs"
        covered: list[tuple[str, Score | Average]] = [(these, results.micro)]
        if len(results.scored) > 1:
            covered = [(f"micro over {these}", results.micro), (f"mean of {these}", results.mean)]
        if any("non-trivial" in peer.covers for peer in results.peers):
            covered.append(("non-trivial part", results.non_trivial))
        silent = sections.silence(results.run)
        mark = f"; {silent}" if silent else ""
        rows = [FigureRow(results.matcher, covers + mark, _ours(one)) for covers, one in covered]
        for judge, alone in results.unasked.items():
            system = f"kgnb ({WITHOUT_MODEL[judge]})"
            rows.append(FigureRow(system, covered[0][0], _ours(alone), unasked=True))
    else:
        counted = {
            "found": sum(len(one.alignment) for one in results.outcomes),
            "unsure": sum(len(one.alignment.unsure) for one in results.outcomes),
        }
        ours = {name: measured(number) for name, number in counted.items()}
        none = dict.fromkeys(SCORE_KEYS, NO_REFERENCE)
        rows = [FigureRow(results.matcher, results.task, none | ours)]
    for peer in results.peers:
        theirs = {name: published(getattr(peer, name), peer.source) for name in SCORE_KEYS}
        elsewhere = "21 pairs" in peer.covers and len(results.scored) != 21
        rows.append(FigureRow(peer.system, peer.covers, theirs, elsewhere))
    return sorted(rows, key=lambda row: ("these" not in row.covers, "mean" in row.covers))


def _ours(score: Score | Average) -> dict[str, Figure]:
    if isinstance(score, Score):
        return scored(score)
    return {name: measured(getattr(score, name)) for name in SCORE_KEYS}


def headline(results: MatchingResults) -> Table:
    """The figures as a table."""
    notes = _notes(results) if results.mean else [UNMEASURED]
    first = texts(system="Matcher", covers="Covers")
    caption = results.labelled(results.task)
    columns = SCORES if results.mean else UNSCORED
    return figure_table(figures(results), columns, first, [SOURCE], caption=caption, notes=notes)


def headline_bars(results: MatchingResults) -> Plot | None:
    """The figures as bars; None where nothing was measured."""
    if not results.scored:
        return None
    shown = figures(results)
    names = [one.system if len(one.system) <= 28 else one.system[:27] + "…" for one in shown]
    names = [f"{name}\n{one.covered}" for name, one in zip(names, shown, strict=True)]
    several = "Micro adds up the counts of all pairs; mean averages the pairs' figures: compare like with like."
    caption = several if len(results.scored) > 1 else "Compare only figures that cover the same."
    titles = zip(("precision", "recall", "F1"), SCORE_KEYS, strict=True)
    series = [(title, [row.value(name) for row in shown]) for title, name in titles]
    return grouped_bars(names, series, results.labelled(caption))


def by_pair(results: MatchingResults) -> Table:
    """Every pair: counts and scores, and another system's F1 where it is published for the pair."""
    if not results.scored:
        counts: list[list[Value]] = [
            [one.name, len(one.alignment), len(one.alignment.unsure)] for one in results.outcomes
        ]
        return Table([*texts(pair="Pair"), *UNSCORED], counts)
    rivals = sorted({name for one in results.outcomes for name in one.published})
    columns = [*texts(pair="Pair"), *COUNTS, *SCORES]
    columns += [Column(name, f"{name}: F1", "percent") for name in rivals]
    rows: list[list[Value]] = []
    for one in results.outcomes:
        none = NO_REFERENCE.cell
        ours = _scored(one.score) if one.score else [len(one.alignment), *[none] * 5]
        theirs = [
            one.published[name].f1 if name in one.published else NoFigure(NOT_PUBLISHED)
            for name in rivals
        ]
        rows.append([one.name, *ours, *theirs])
    return Table(columns, rows, caption=results.labelled(""))


def by_pair_bars(results: MatchingResults) -> Plot | None:
    """The scores of every pair as bars; None where the headline shows the only one."""
    if len(results.scored) < 2:
        return None
    caption = results.labelled("Scores of every pair.")
    return grouped_bars([one.name for one in results.scored], in_series(results.scores), caption)


def behind(results: MatchingResults) -> Table | Fragment:
    """The micro figures by part: what a string comparison would miss, kinds and relations."""
    if not results.scored:
        return absent(UNMEASURED)
    parts = {"all": results.micro, "non-trivial: no label shared": results.non_trivial}
    parts |= {f"kind: {name}": score for name, score in results.per_kind.items()}
    if len(results.per_relation) > 1:
        parts |= {f"relation: {name}": score for name, score in results.per_relation.items()}
    rows = [[name, *_scored(score)] for name, score in parts.items()]
    note = "Labels, or local names where there is no label, compared without case and punctuation; micro over pairs."
    columns = [*texts(part="Part"), *COUNTS, *SCORES]
    return Table(columns, rows, caption=results.labelled(""), notes=[note])


def risk(results: MatchingResults) -> Plot | Fragment:
    """The share of wrong mappings among the most confident."""
    if not results.curve:
        return absent(UNMEASURED)
    points = [(point.coverage, point.risk) for point in results.curve]
    caption = "Risk over coverage, all pairs pooled: low on the left means the confidence can be trusted to sort."
    found = sum(score.tp + score.fp for score in results.scores)
    return risk_over_coverage(points, results.labelled(caption), n=found)


def thresholds(results: MatchingResults) -> Plot | None:
    """Precision, recall and F1 if all mappings below a confidence were dropped."""
    if not results.curve:
        return None
    points = sorted(results.curve, key=lambda point: point.confidence)
    caption, alt = "Scores over confidence, all pairs pooled (micro).", ""
    if points:
        best = best_threshold(results.curve)
        alt = f" F1 is highest, {100 * best.score.f1:.1f} %, at {best.confidence:.2f}"
        caption += f"{alt}; that threshold is chosen on the reference, so it is not a result of the matcher."
    series = [
        (
            name,
            [(point.confidence, 100 * share) for point, share in zip(points, scores, strict=True)],
        )
        for name, scores in in_series([point.score for point in points])
    ]
    across, alt = (
        "mappings below this confidence dropped",
        f"Precision, recall, F1 over confidence.{alt}",
    )
    return lines(
        series, across, "score, %", results.labelled(caption), alt, drawn="steps-pre", styles=SCORED
    )


def cost_rows(results: MatchingResults) -> list[FigureRow]:
    """What an entity (of either side) took, over all pairs and of each, and F1."""
    whole = results.micro if results.scored else None
    parts: list[tuple[str, tuple[PairOutcome, ...], Cost, Score | None]] = [
        (results.task, results.outcomes, results.cost, whole)
    ]
    if len(results.outcomes) > 1:
        parts += [(one.name, (one,), one.cost, one.score) for one in results.outcomes]
    rows = []
    for name, outcomes, took, score in parts:
        size = sum(len(side) for one in outcomes for side in (one.source, one.target))
        totals = asdict(took)
        if outcomes is results.outcomes:
            totals["usd"] = results.run.totals.get("usd")
        quality = scored(score)["f1"] if score else NO_REFERENCE
        found = {"f1": quality} | costs.each(totals, size, took.seconds)
        rows.append(FigureRow(results.matcher, f"{name}, an entity", found))
    return rows


def beside_costs(results: MatchingResults) -> Table:
    """Cost beside quality: ours, and what papers print."""
    return costs.cost_table("ontology-matching", cost_rows(results), results.about_papers)


def sources(results: MatchingResults) -> Table:
    """Every ontology that was read: its size, and how often it was used."""
    columns = [*texts(ontology="Ontology"), Column("iri", "IRI", "iri")]
    columns += numbers(entities="Entities", pairs="In pairs", mended="Mended on loading")
    used = [side.digest for one in results.outcomes for side in (one.source, one.target)]
    rows: list[list[Value]] = [
        [
            side.name,
            side.iri,
            len(side),
            used.count(side.digest),
            sum(one.count for one in side.mended),
        ]
        for side in results.ontologies
    ]
    return Table(columns, rows, caption="Ontologies")


def _scored(score: Score) -> list[Value]:
    found, wanted = score.tp + score.fp, score.tp + score.fn
    return [found, wanted, score.tp, *cells_of(score)]


def _notes(results: MatchingResults) -> list[str]:
    notes = [f"{note[0].upper()}{note[1:]}" for note in results.notes]
    strangers = sum(len(one.wanted.strangers) for one in results.scored if one.wanted)
    if strangers:
        notes.append(
            f"{strangers} reference mappings name an entity neither ontology has; they count as missed."
        )
    unscored = sum(len(one.alignment) - len(one.found) for one in results.scored)
    if unscored:
        notes.append(
            f"{unscored} found mappings are not scored: a relation the reference never uses, or owl:Thing."
        )
    if results.simulation:
        asked = sum(one.simulated for one in results.outcomes)
        notes.append(
            f"SIMULATION: a judge that knows the reference answered {count(asked, 'question')} ({results.simulation})."
        )
    return notes


def _pairs(number: int) -> str:
    return count(number, "pair")


def notice(results: MatchingResults) -> Fragment:
    """In a few sentences what was done, after a warning if anything is simulated."""
    done = (
        f"{_pairs(len(results.outcomes))} matched by the {results.judge}, embedder {results.embedder}: "
        f"{count(sum(len(one.alignment) for one in results.outcomes), 'mapping')} found, "
        f"{sum(len(one.alignment.unsure) for one in results.outcomes)} left unsure, "
        f"{count(results.cost.calls, 'model call')}."
    )
    if results.simulation:
        warning = f"SIMULATION: the judge answers from the reference ({results.simulation}); no matcher reached this."
        return words(warning, done, look="alarm")
    return words(done)


def save(results: MatchingResults, session: ReportSession) -> None:
    """Write the metrics, the timing and the alignments (SSSOM and Alignment RDF)."""
    pairs = {outcome.name: asdict(outcome.cost) for outcome in results.outcomes}
    timing = {"note": "of this run alone", "pairs": pairs, "all": asdict(results.cost)}
    write_numbers(session, metrics(results, session), timing)
    folder = session.folder / "alignments"
    folder.mkdir(exist_ok=True)
    for outcome in results.outcomes:
        name = re.sub(r"[^\w.-]", "_", outcome.name).strip(".")[:100] or "alignment"
        for suffix in (".sssom.tsv", ".rdf"):
            save_alignment(outcome.alignment, folder / f"{name}{suffix}")


def metrics(results: MatchingResults, session: ReportSession) -> dict[str, Any]:
    """The figures, the same in every run."""
    rows = figures(results)
    stored = [
        {"system": name} | whole.to_json() | {"non_trivial": part.to_json()}
        for name, whole, part in compared(results)
    ]
    return (
        costs.common_metrics("ontology-matching", results.run, rows, cost_rows(results))
        | {
            "task": results.task,
            "simulation": results.simulation or None,
            "judge": results.judge,
            "embedder": results.embedder,
            "options": asdict(results.options),
            "data": dict(session.data) | {side.name: side.digest for side in results.ontologies},
            "headline": [_plain_row(one) for one in rows],
            "micro": results.micro.to_json() if results.scored else None,
            "mean": asdict(results.mean) if results.mean else None,
            "non_trivial": results.non_trivial.to_json() if results.scored else None,
            "per_kind": {name: score.to_json() for name, score in results.per_kind.items()},
            "per_relation": {name: score.to_json() for name, score in results.per_relation.items()},
            "pairs": [_pair(outcome) for outcome in results.outcomes],
            "cost": _cost(results.cost),
        }
        | ({"stored_alignments": stored} if stored else {})
    )


def _plain_row(row: FigureRow) -> dict[str, Any]:
    """A row of the headline, its figures by the letters they are known by."""
    letters = {"system": "matcher", "precision": "P", "recall": "R", "f1": "F1"}
    found = {letters.get(name, name): value for name, value in row.to_json().items()}
    for part in ("empty", "few"):
        if part in found:
            found[part] = {letters[name]: told for name, told in found[part].items()}
    return found


def _pair(outcome: PairOutcome) -> dict[str, Any]:
    scored = outcome.score.to_json() if outcome.score else {"found": len(outcome.alignment)}
    kept = {"unsure": len(outcome.alignment.unsure), "dropped": len(outcome.alignment.dropped)}
    simulated = {"simulated_answers": outcome.simulated} if outcome.simulated else {}
    return {"pair": outcome.name} | scored | kept | simulated | _cost(outcome.cost)


def _cost(cost: Cost) -> dict[str, Any]:
    tokens = {"prompt_tokens": cost.prompt_tokens, "completion_tokens": cost.completion_tokens}
    return {"calls": cost.calls, "tokens": cost.tokens} | tokens | {"vectors": cost.points}
