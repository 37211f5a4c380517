"""The tables and plots of the report, one function each; the notebook only calls them."""

from __future__ import annotations

from matplotlib.axes import Axes

from kgnb.datasets.published_alignment import BY_PAIR, COST
from kgnb.evaluate.ranking import IDENTICAL, Measured, is_feasible
from kgnb.reporting.costs import ledger
from kgnb.reporting.entity_alignment.aligning import AlignmentResults, Setting
from kgnb.reporting.plot import Plot, Theme
from kgnb.reporting.plots import grouped_bars
from kgnb.reporting.reproducing import reproduce as everything
from kgnb.reporting.sections import SCORES
from kgnb.reporting.session import ReportSession
from kgnb.reporting.words import Words
from kgnb.results.table import Column, Table, Value, percents, texts

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
    return everything(session, results.headline[0].outcome.run, graphs)


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
