"""What the report shows and saves, one function each; the notebook only calls them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from kgnb.agents.entity_alignment.final_alignment import Settled
from kgnb.datasets.published_alignment import BY_PAIR, COST
from kgnb.evaluate.alignment import risk_coverage
from kgnb.evaluate.ranking import IDENTICAL, Measured, is_feasible
from kgnb.files import write_json
from kgnb.mapping_files import save as save_alignment
from kgnb.reporting.entity_alignment.aligning import AlignmentResults, Setting
from kgnb.reporting.plot import Plot, Theme, grouped_bars, risk_over_coverage
from kgnb.reporting.sections import SCORES, Words, in_percent, ledger, spent
from kgnb.reporting.sections import reproduce as everything
from kgnb.reporting.session import ReportSession
from kgnb.results.table import Column, Link, Table, Value, percents, texts

RANKED = (*percents(hits1="Hits@1", hits10="Hits@10"), Column("mrr", "MRR", "number"))


def notice(results: AlignmentResults) -> Words:
    """In a few sentences what was done."""
    first = results.headline[0]
    left, right = results.sides.left, results.sides.right
    counts = first.outcome.settled.counts()
    lines = [
        f"{left.name} ({len(left):,} entities) and {right.name} ({len(right):,}): {counts['matched']:,} of "
        f"{counts['entities']:,} entities matched without a seed, {100 * first.outcome.share_looked_at:.1f} % of "
        f"them looked at by the judge {results.judge}, {first.tokens:.1f} model tokens an entity over all; embedder "
        f"{results.embedder}. Measured on {first.measured.ranking.tests:,} known pairs."
    ]
    if any(one.simulation for one in results.headline):
        lines.insert(0, "SIMULATION: the judge answers from the reference; no aligner reached this.")
        return Words(tuple(lines), alarm=True)
    return Words(tuple(lines))


def figures(results: AlignmentResults) -> list[dict[str, Value]]:
    """Our figures and published ones as rows, shares between 0 and 1: what each covers and where it is from."""
    keys = [column.key for column in (*RANKED, *SCORES)]
    rows: list[dict[str, Value]] = []
    for one in results.headline:
        system = f"kgnb, {one.name}" + (" (SIMULATION)" if one.simulation else "")
        covers = f"{one.measured.ranking.tests:,} pairs, among {one.measured.universe}"
        scores: dict[str, Value] = dict(zip(keys, (*_ranked(one.measured), *_scored(one.measured)), strict=True))
        told: dict[str, Value] = {"seeds": one.measured.seeds, "covers": covers, "source": "this run"}
        rows.append({"system": system} | scores | told)
    for peer in BY_PAIR.get(results.pair, ()):
        nothing: dict[str, Value] = dict.fromkeys([*keys, "seeds"])
        theirs: dict[str, Value] = {"hits1": peer.hits1, "mrr": peer.mrr, "covers": "test pairs, among test targets"}
        rows.append({"system": peer.system} | nothing | theirs | {"source": peer.source})
    return rows


def headline(results: AlignmentResults) -> Table:
    """Our figures with published ones beside them, each with where it is from."""
    columns = [Column("system", "System"), *RANKED, *SCORES, Column("seeds", "Seeds", "number")]
    columns += [Column("covers", "Covers"), Column("source", "Where it is from")]
    return Table(columns, figures(results), caption=results.title, notes=_warnings(results))


def headline_bars(results: AlignmentResults) -> Plot:
    """Hits@1, Hits@10 and F1 as bars, ours and published ones."""
    shown = figures(results)
    series = [
        (title, [None if row[key] is None else float(str(row[key])) for row in shown])
        for title, key in (("Hits@1", "hits1"), ("Hits@10", "hits10"), ("F1 of the choices", "f1"))
    ]
    names = [str(row["system"]).replace(", ", ",\n", 1) for row in shown]
    return grouped_bars(names, series, "Compare only figures over the same pairs, ranked among the same targets.")


def _warnings(results: AlignmentResults) -> list[str]:
    notes = [
        "With one-to-one assignment over test targets each answer has a rival less than in the open; "
        "'each entity by itself' makes no such use of it.",
        "Pairs about entities that are in no known pair are not counted in precision.",
    ]
    first = results.headline[0].measured
    for one in results.headline:
        share = one.outcome.settled.estimated_precision
        if share is not None:
            notes.append(f"{one.name}: a precision of {100 * share:.1f} % was estimated without the reference.")
    if IDENTICAL in first.slices:
        share = first.slices[IDENTICAL].tests / max(1, first.ranking.tests)
        notes.append(f"Identical names alone would solve {100 * share:.1f} % of the pairs.")
    for peer in BY_PAIR.get(results.pair, ()):
        if peer.mrr is not None and not is_feasible(peer.hits1, 1.0, peer.mrr, rounding=0.0005):
            notes.append(
                f"{peer.system}: an MRR of {peer.mrr:.3f} cannot go with Hits@1 {peer.hits1:.3f}, whatever Hits@10 is "
                f"(at most {peer.hits1 + (1 - peer.hits1) / 2:.3f})."
            )
    return notes + list(results.notes)


def slices(results: AlignmentResults) -> Table:
    """What the figures are made of: pairs whose names are identical, and the rest."""
    columns = [Column("setting", "Setting"), Column("slice", "Pairs with"), Column("tests", "Pairs", "number"), *RANKED]
    rows: list[list[Value]] = [
        [one.name, name, part.tests, part.hits1, part.hits10, round(part.mrr, 3)]
        for one in results.headline
        for name, part in one.measured.slices.items()
    ]
    return Table(columns, rows, notes=["Identical but for case and spaces: what a string comparison finds as well."])


def unmatched(results: AlignmentResults) -> Table:
    """How many entities were left without a counterpart, and why."""
    columns = [*texts(setting="Setting", reason="Left unmatched because"), Column("n", "Entities", "number")]
    rows: list[list[Value]] = [
        [one.name, reason, number]
        for one in results.headline
        for reason, number in one.outcome.settled.unmatched().items()
    ]
    return Table(columns, rows)


def _left_out(results: AlignmentResults) -> Words:
    """That a part was not computed, and how to have it."""
    if results.too_large:
        why = (
            f"Not computed: it aligns the graphs again and again, and one has {results.too_large:,} entities. "
            "-p largest=0 computes it all the same; that may take hours."
        )
        return Words((why,), off=True)
    return Words(("Not computed: its parameter is set to false.",), off=True)


def ablation(results: AlignmentResults) -> Table | Words:
    """What every ingredient is worth."""
    columns = [Column("name", "Setting"), *RANKED, Column("f1", "F1", "percent")]
    columns += [Column("asked", "Looked at", "percent"), Column("tokens", "Tokens an entity", "number")]
    rows: list[list[Value]] = [
        [
            one.name,
            *_ranked(one.measured),
            one.measured.chosen.f1,
            one.outcome.share_looked_at,
            round(one.tokens, 1),
        ]
        for one in results.ablation
    ]
    if not rows:
        return _left_out(results)
    notes = [] if any(one.tokens for one in results.ablation) else ["No model was asked: set one for those rows."]
    return Table(columns, rows, caption=f"{results.title}, one thing changed at a time", notes=notes)


def seed_curve(results: AlignmentResults) -> Plot | Words:
    """Hits@1 against the share of known pairs that are seeds."""
    if not results.curve:
        return _left_out(results)
    series = [
        (title, [(100 * ratio, 100 * found.ranking.hits1) for ratio, found in points])
        for title, points in results.curve.items()
    ]

    def draw(axes: Axes, theme: Theme) -> None:
        for at, (title, points) in enumerate(series):
            axes.plot(*zip(*points, strict=True), marker="o", label=title, color=theme.series[at])
        axes.set_ylim(0, 102)
        axes.set_xlabel("seeds, % of the known pairs")
        axes.set_ylabel("Hits@1, %")
        axes.grid()
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)

    told = "; ".join(f"{title}: " + ", ".join(f"{y:.1f} at {x:.0f} %" for x, y in points) for title, points in series)
    caption = "Hits@1 over the share of seeds, first alignment alone, no model."
    return Plot(draw, caption, f"Hits@1 in percent. {told}")


def cost(results: AlignmentResults) -> Table:
    """What an entity costs, beside published costs."""
    columns = [Column("system", "System"), Column("tokens", "Tokens an entity", "number")]
    columns += [Column("seconds", "Seconds an entity", "number"), Column("asked", "Entities asked about", "percent")]
    columns += [Column("calls", "Model calls", "number"), Column("source", "Where it is from")]
    rows: list[list[Value]] = [
        [
            f"kgnb, {one.name}",
            f"{one.tokens:.1f}",
            f"{one.seconds / max(1, len(one.outcome.settled.proposal)):.4f}",
            one.outcome.share_looked_at,
            one.outcome.calls,
            "this run, this machine; vectors from the cache where it had them",
        ]
        for one in results.headline
    ]
    rows += [[peer.system, f"{peer.tokens:.0f}", f"{peer.seconds:.2f}", 1.0, None, peer.source] for peer in COST]
    return Table(columns, rows, caption="What an entity costs")


def setting_times(results: AlignmentResults) -> Table | None:
    """What every setting of the ablation took, if there were any."""
    columns = [Column("name", "Setting"), Column("seconds", "Seconds", "number")]
    rows: list[list[Value]] = [[one.name, f"{one.seconds:.2f}"] for one in results.ablation]
    return Table(columns, rows, caption="What each setting took") if rows else None


def stages(results: AlignmentResults) -> Table:
    """The cost ledger of the rows of the headline, stage by stage."""
    return ledger(results.headline[0].outcome.run, of=", ".join(one.name for one in results.headline))


def reproduce(results: AlignmentResults, session: ReportSession) -> Table:
    """Everything that decides the result: command, versions, digests of what was read."""
    graphs = [(graph.name, graph.digest) for graph in (results.sides.left, results.sides.right)]
    return everything(results.headline[0].outcome, session, graphs)


def _ranked(found: Measured) -> list[float]:
    return [found.ranking.hits1, found.ranking.hits10, round(found.ranking.mrr, 3)]


def _scored(found: Measured) -> list[float]:
    return [found.chosen.precision, found.chosen.recall, found.chosen.f1]


def rows_of(settings: tuple[Setting, ...]) -> list[dict[str, float | int | str | None]]:
    """Settings as plain numbers, for ``metrics.json``."""
    return [
        {
            "setting": one.name,
            "simulation": one.simulation,
            "hits1": round(one.measured.ranking.hits1, 6),
            "hits10": round(one.measured.ranking.hits10, 6),
            "mrr": round(one.measured.ranking.mrr, 6),
            "precision": round(one.measured.chosen.precision, 6),
            "recall": round(one.measured.chosen.recall, 6),
            "f1": round(one.measured.chosen.f1, 6),
            "estimated_precision": one.outcome.settled.estimated_precision,
            "tests": one.measured.ranking.tests,
            "seeds": one.measured.seeds,
            "universe": one.measured.universe,
            "looked_at": round(one.outcome.share_looked_at, 6),
            "tokens_per_entity": round(one.tokens, 3),
        }
        for one in settings
    ]


SHOWN = 100  # rows one reads through
Detail = tuple[str, str]


def errors(results: AlignmentResults) -> Table | Words:
    """Every known pair that the first row of the headline missed, the surest wrong choices first."""
    setting = results.headline[0]
    settled, proposal = setting.outcome.settled, setting.outcome.settled.proposal
    places = {proposal.left.entities[int(source)]: row for row, source in enumerate(proposal.sources)}
    missed = []
    for source, target in setting.tests:
        row = places.get(source)
        chosen = int(settled.targets[row]) if row is not None else -1
        if row is not None and (chosen < 0 or proposal.right.entities[chosen] != target):
            missed.append((-settled.confidence(row) if chosen >= 0 else 1.0, source, target, row, chosen))
    if not missed:
        return Words((f"All {len(setting.tests):,} known pairs were found.",))
    missed.sort()
    columns = [
        *texts(source="Entity", chosen="Chosen", right="Right"),
        Column("place", "Place of the right one", "number"),
        Column("confidence", "Confidence", "percent"),
        Column("what", "What happened"),
    ]
    rows: list[list[Value]] = []
    details: list[list[Detail]] = []
    for _, source, target, row, chosen in missed[:SHOWN]:
        ranked = [iri for iri, _ in settled.ranking(row)]
        rows.append(
            [
                Link(source, proposal.left.called(int(proposal.sources[row]))),
                _named(settled, chosen) if chosen >= 0 else None,
                _named(settled, _place(settled, target)),
                ranked.index(target) + 1 if target in ranked else None,
                settled.confidence(row) if chosen >= 0 else None,
                _what(settled, row, chosen, target in ranked),
            ]
        )
        details.append(_details(settled, row, chosen, target))
    wrong = sum(chosen >= 0 for *_, chosen in missed)
    told = (
        f"{len(missed):,} of {len(setting.tests):,} known pairs missed: {wrong:,} wrong, {len(missed) - wrong:,} left"
    )
    total = len(missed) if len(missed) > SHOWN else None
    notes = ["Place of the right one: among the candidates, where it is one."]
    return Table(columns, rows, caption=_labelled(setting, told), details=details, notes=notes, total=total)


def risk(results: AlignmentResults) -> Plot:
    """How many of the surest choices are wrong, among those about entities of known pairs."""
    setting = results.headline[0]
    known = {source for source, _ in setting.tests}, {target for _, target in setting.tests}
    found = [
        ((one, other, ""), confidence)
        for one, other, confidence in setting.outcome.settled.pairs()
        if one in known[0] or other in known[1]
    ]
    points = risk_coverage(found, [(one, other, "") for one, other in setting.tests])
    caption = f"Risk over coverage, {setting.name}: low on the left means the confidence can be trusted to sort."
    return risk_over_coverage([(point.coverage, point.risk) for point in points], _labelled(setting, caption), "pairs")


def _place(settled: Settled, target: str) -> int:
    return settled.proposal.right.entities.index(target)


def _named(settled: Settled, target: int) -> Link:
    right = settled.proposal.right
    return Link(right.entities[target], right.called(target))


def _what(settled: Settled, row: int, chosen: int, ranked: bool) -> str:
    if chosen < 0:
        return f"left: {settled.why(row)}"
    return "another was better" if ranked else "the right one was no candidate"


def _details(settled: Settled, row: int, chosen: int, target: str) -> list[Detail]:
    """What spoke for the chosen one, for the right one, and who decided."""
    proposal = settled.proposal
    found: list[Detail] = []
    for head, entity in (("for the chosen one", chosen), ("for the right one", _place(settled, target))):
        at = next((at for at, one in enumerate(proposal.candidates[row].tolist()) if one == entity), None)
        if entity >= 0 and at is not None:
            views = zip(proposal.views, proposal.evidence[row, at].tolist(), strict=True)
            said = ", ".join(f"{view} {score:.2f}" for view, score in views)
            found.append((head, f"score {float(proposal.scores[row, at]):.3f}; {said}"))
        elif entity >= 0:
            found.append((head, "not among the candidates that were kept"))
    choice = settled.choices.get(row)
    if choice is not None and choice.answer is not None:
        found.append((f"said {choice.by}", choice.answer.verdict.rationale or "no reason given"))
    return [*found, ("entity", proposal.left.entities[int(proposal.sources[row])]), ("right one", target)]


def _labelled(setting: Setting, text: str) -> str:
    return f"SIMULATION. {text}" if setting.simulation else text


SHARES = ("hits1", "hits10", "precision", "recall", "f1")
SIMULATED = "oracle judge: it answers from the reference"


def save(results: AlignmentResults, session: ReportSession) -> Path:
    """Write the metrics and the alignment without seeds; the report's folder."""
    folder = session.folder
    write_json(folder / "metrics.json", metrics(results))
    write_json(folder / "timing.json", timing(results))
    (folder / "alignments").mkdir(exist_ok=True)
    save_alignment(results.headline[0].outcome.alignment, folder / "alignments" / "no-seeds.sssom.tsv")
    return folder


def timing(results: AlignmentResults) -> dict[str, Any]:
    """The seconds of every setting in this run: different every time."""
    return {
        part: {one.name: round(one.seconds, 3) for one in getattr(results, part)} for part in ("headline", "ablation")
    }


def metrics(results: AlignmentResults) -> dict[str, Any]:
    """What is the same every time."""
    return {
        "report": "entity-alignment",
        "pair": results.pair,
        "judge": results.judge,
        "embedder": results.embedder,
        "data": {graph.name: graph.digest for graph in (results.sides.left, results.sides.right)},
        "headline": [in_percent(row, 2) for row in figures(results)],
        "cost": spent(results.headline[0].outcome.run.totals),
        "settings": rows_of(results.headline),
        "ablation": rows_of(results.ablation),
        "curve": {
            title: [[ratio, round(found.ranking.hits1, 6)] for ratio, found in points]
            for title, points in results.curve.items()
        },
        "simulation": SIMULATED if any(one.simulation for one in results.headline) else None,
    }
