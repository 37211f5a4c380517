"""The tables and plots of the report, one function each; the notebook only calls them."""

from __future__ import annotations

from kgnb.evaluate.alignment import Score, best_threshold
from kgnb.reporting.figure import Figure
from kgnb.reporting.ontology_matching.outcome import Cost
from kgnb.reporting.ontology_matching.results import Results
from kgnb.reporting.plots import grouped_bars, over_confidence, risk_over_coverage
from kgnb.results.table import Column, Table

SCORES = (
    Column("precision", "Precision", "percent"),
    Column("recall", "Recall", "percent"),
    Column("f1", "F1", "percent"),
)
COUNTS = (
    Column("found", "Found", "number"),
    Column("wanted", "In reference", "number"),
    Column("right", "Right", "number"),
)
UNMEASURED = "No reference was given, so nothing is measured."


def headline(results: Results) -> Table:
    """Our figures, micro and mean, and the published ones beside them, each with its average and its source."""
    columns = [
        Column("matcher", "Matcher"),
        Column("average", "Average"),
        *SCORES,
        Column("source", "Where it is from"),
    ]
    pairs = _pairs(len(results.scored))
    rows: list[list[str | float]] = []
    if results.mean:
        whole, average = results.micro, results.mean
        rows.append([results.matcher, f"micro, {pairs}", whole.precision, whole.recall, whole.f1, "this run"])
        rows.append([results.matcher, f"mean, {pairs}", average.precision, average.recall, average.f1, "this run"])
    for peer in results.peers:
        over = f"{peer.average}, {_pairs(peer.pairs)}"
        rows.append([peer.matcher, over, peer.precision, peer.recall, peer.f1, peer.source])
    notes = _notes(results) if rows else [UNMEASURED]
    return Table(columns, rows, caption=f"{results.task}: {_pairs(len(results.outcomes))}", notes=notes)


def headline_bars(results: Results) -> Figure:
    """The headline as bars."""
    rows = headline(results).rows
    names = [f"{_short(str(row[0]))}\n{row[1]}" for row in rows if not isinstance(row, dict)]
    series = [(label, [row[at] for row in rows]) for at, label in ((2, "precision"), (3, "recall"), (4, "F1"))]
    return grouped_bars(
        names, series, _labelled(results, "Micro adds up the counts of all pairs; mean averages the pairs' figures.")
    )


def by_pair(results: Results) -> Table:
    """Every pair: counts and scores, and a peer's F1 where it is published for the pair."""
    rivals = sorted({name for one in results.outcomes for name in one.published})
    columns = [Column("pair", "Pair"), *COUNTS, *SCORES]
    columns += [Column(name, f"{name}: F1", "percent") for name in rivals]
    rows = []
    for one in results.outcomes:
        theirs = [one.published[name].f1 if name in one.published else None for name in rivals]
        rows.append([one.name, *(_scored(one.score) if one.score else [len(one.alignment), *[None] * 5]), *theirs])
    return Table(columns, rows, caption=_labelled(results, "Pair by pair"))


def by_pair_bars(results: Results) -> Figure:
    """The scores of every pair as bars."""
    series = [
        ("precision", [score.precision for score in results.scores]),
        ("recall", [score.recall for score in results.scores]),
        ("F1", [score.f1 for score in results.scores]),
    ]
    return grouped_bars([one.name for one in results.scored], series, _labelled(results, "Pair by pair."))


def behind(results: Results) -> Table:
    """What the micro figures are made of: the part a string comparison would miss, kinds and relations."""
    rows: list[list[str | float | int]] = [["all", *_scored(results.micro)]]
    rows.append(["non-trivial: no label shared", *_scored(results.non_trivial)])
    rows += [[f"kind: {name}", *_scored(score)] for name, score in results.per_kind.items()]
    if len(results.per_relation) > 1:
        rows += [[f"relation: {name}", *_scored(score)] for name, score in results.per_relation.items()]
    notes = ["Labels, or local names where there is no label, compared without case and punctuation; micro over pairs."]
    return Table(
        [Column("part", "Part"), *COUNTS, *SCORES],
        rows if results.scored else [],
        caption=_labelled(results, "What the figures are made of"),
        notes=notes if results.scored else [UNMEASURED],
    )


def risk(results: Results) -> Figure:
    """How many of the surest mappings are wrong."""
    points = [(point.coverage, point.risk) for point in results.curve]
    caption = "Risk over coverage, all pairs pooled: low on the left means the confidence can be trusted to sort."
    return risk_over_coverage(points, _labelled(results, caption))


def thresholds(results: Results) -> Figure:
    """Precision, recall and F1 if all mappings below a confidence were dropped."""
    points = sorted(results.curve, key=lambda point: point.confidence)
    scores = [
        ("precision", [point.score.precision for point in points]),
        ("recall", [point.score.recall for point in points]),
        ("F1", [point.score.f1 for point in points]),
    ]
    caption = "Scores over confidence, all pairs pooled (micro)."
    if points:
        best = best_threshold(results.curve)
        caption += (
            f" F1 would be highest, {100 * best.score.f1:.1f} %, at {best.confidence:.2f}; that threshold is chosen "
            "on the reference, so it is no result of the matcher."
        )
    return over_confidence([point.confidence for point in points], scores, _labelled(results, caption))


def cost(results: Results) -> Table:
    """What every pair took in this run; what a cache had is counted apart."""
    columns = [Column("pair", "Pair")]
    columns += [
        Column(key, title, "number")
        for key, title in (
            ("seconds", "Seconds"),
            ("calls", "Model calls"),
            ("cached", "of them cached"),
            ("tokens", "Tokens"),
            ("usd", "US dollars"),
            ("embedded", "Texts embedded"),
            ("reused", "from cache"),
            ("points", "Vectors used"),
            ("written", "of them new"),
        )
    ]
    rows = [[one.name, *_costs(one.cost)] for one in results.outcomes]
    if len(rows) > 1:
        rows.append(["all", *_costs(results.cost)])
    used = 2 * len(results.outcomes)
    notes = [
        f"{len(results.ontologies)} ontologies take {used} sides of {_pairs(len(results.outcomes))}: each is embedded "
        "and stored once, whatever it is matched with.",
        "Seconds are those of this run; tokens are what the models' servers counted, cached replies included.",
    ]
    return Table(columns, rows, caption="What it took", notes=notes)


def sources(results: Results) -> Table:
    """Every ontology that was read: what it holds, how often it was used, and its digest."""
    columns = [
        Column("ontology", "Ontology"),
        Column("iri", "IRI", "iri"),
        Column("entities", "Entities", "number"),
        Column("pairs", "In pairs", "number"),
        Column("mended", "Mended on loading", "number"),
        Column("digest", "Digest"),
    ]
    rows = [
        [
            side.name,
            side.iri,
            len(side),
            sum(side.digest in (one.source.digest, one.target.digest) for one in results.outcomes),
            sum(number for _, number in side.mended),
            side.digest[:16],
        ]
        for side in results.ontologies
    ]
    return Table(columns, rows, caption="What was read")


def _scored(score: Score) -> list[float | int]:
    found, wanted = score.tp + score.fp, score.tp + score.fn
    return [found, wanted, score.tp, score.precision, score.recall, score.f1]


def _costs(cost: Cost) -> list[float | int | None]:
    counted = [cost.calls, cost.cached, cost.tokens, cost.usd, cost.texts_embedded, cost.texts_reused, cost.points]
    return [round(cost.seconds, 2), *counted, cost.points_written]


def _notes(results: Results) -> list[str]:
    notes = ["Micro adds up the counts of all pairs, mean averages the pairs' figures: compare like with like."]
    strangers = sum(len(one.wanted.strangers) for one in results.scored if one.wanted)
    if strangers:
        notes.append(f"{strangers} reference mappings name an entity neither ontology has; they count as missed.")
    unscored = sum(len(one.alignment) - len(one.found) for one in results.scored)
    if unscored:
        notes.append(f"{unscored} found mappings are not scored: a relation the reference never uses, or owl:Thing.")
    if results.simulation:
        asked = sum(one.simulated for one in results.outcomes)
        notes.append(f"SIMULATION: a judge that knows the reference answered {asked} questions ({results.simulation}).")
    return notes


def _labelled(results: Results, text: str) -> str:
    return f"SIMULATION ({results.simulation}). {text}" if results.simulation else text


def _pairs(number: int) -> str:
    return "1 pair" if number == 1 else f"{number} pairs"


def _short(text: str) -> str:
    return text if len(text) <= 28 else text[:27] + "…"
