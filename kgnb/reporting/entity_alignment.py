"""One pair of graphs aligned under every setting the report shows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from kgnb.agents.entity_alignment.final_alignment import Settled
from kgnb.agents.entity_alignment.judging_values import LookOptions
from kgnb.agents.entity_alignment.values import DOUBTFUL, Options
from kgnb.backends import open_embedder
from kgnb.datasets.fetch import data_folder
from kgnb.datasets.published import BY_PAIR, COST
from kgnb.evaluate.alignment import risk_coverage
from kgnb.evaluate.ranking import IDENTICAL, Measured, is_feasible
from kgnb.evaluate.ranking import slices as names_told
from kgnb.files import write_json
from kgnb.llm.asking import in_one_round
from kgnb.llm.model import ChatModel
from kgnb.mapping_files import save as save_alignment
from kgnb.reporting.plot import Axes, Plot, Theme, grouped_bars, risk_over_coverage
from kgnb.reporting.references import measured
from kgnb.reporting.sections import SCORES, UNMEASURED, Words, absent, in_percent, judging, ledger, run_in, spent
from kgnb.reporting.sections import reproduce as everything
from kgnb.reporting.session import ReportSession, current
from kgnb.results.table import Column, Link, Table, Value, numbers, percents, texts
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.aligning import Outcome, align
from kgnb.tasks.sides import Links, Sides, hidden, links_of, open_sides
from kgnb.vectors.embedder import Embedder

TEACHING = "A small teaching set of our own; a figure on it says nothing about real graphs."
LARGEST = 5000  # entities: aligning once takes seconds up to here, and minutes soon after
CURVE = (0.0, 0.05, 0.1, 0.2, 0.3)  # of all known pairs


@dataclass(frozen=True)
class Setting:
    """One row of the report: what was chosen, what came of it."""

    name: str
    measured: Measured
    outcome: Outcome
    seconds: float
    simulation: bool = False
    tests: Links = ()

    @property
    def tokens(self) -> float:
        """Model tokens per entity, over all entities."""
        return self.outcome.tokens_per_entity


@dataclass(frozen=True)
class AlignmentResults:
    """Everything the report shows."""

    pair: str
    headline: tuple[Setting, ...]
    ablation: tuple[Setting, ...]
    curve: Mapping[str, tuple[tuple[float, Measured], ...]]  # by how names are: share of seeds and what was reached
    sides: Sides
    known: Links
    embedder: str
    judge: str
    notes: tuple[str, ...] = field(default=())
    too_large: int = 0  # entities of a graph, where they are too many to align it again and again

    @property
    def title(self) -> str:
        """What was aligned, in words."""
        return "kgnb's mountain huts" if self.pair == "huts" else self.pair


def run_pair(
    *,
    pair: str = "huts",
    folder: str = "",
    source: str = "",
    target: str = "",
    reference: str = "",
    seeds: str = "",
    names: str = "native",
    judge: str = "auto",
    model: str = "",
    embedder: str = "",
    share: float = 0.10,
    seed_ratio: float = 0.3,
    ablation: bool = True,
    curve: bool = True,
    largest: int = LARGEST,
    session: ReportSession | None = None,
) -> AlignmentResults:
    """Align a pair without seeds and with a share of them, and measure what is asked for besides.

    Two graphs of which no pair is known are aligned once, with ``seeds`` where a file of them is given; how good that
    probably is, is estimated.

    ``ablation`` and ``curve`` align the pair some thirty times more: where a graph has over ``largest`` entities (0: no
    limit) they are left out, and the page says so.

    Raises:
        DataError: an input is missing or malformed.
        ValueError: only one of source and target.
    """
    session = session or current()
    judge, settings = judging(session, judge, model)
    name, sides, known = opened(pair, folder, source, target, reference, seeds, names, settings)
    bench = Bench(sides, known, open_embedder(embedder or None, settings), judge, settings, LookOptions(share=share))
    names_of = {"pair": name, "names": names, "share": share, "judge": judge}
    run = run_in(session, "entity_alignment", sides.digests(), names_of, settings)
    with run:  # one for all three: a budget is of the whole report
        by_itself = Options(assignment="argmax")
        tasks = [lambda: bench.run("no seeds" if known or not sides.seeds else "the seeds given", 0.0, run=run)]
        if known:
            tasks.append(lambda: bench.run(f"{100 * seed_ratio:.0f} % seeds", seed_ratio, run=run))
            tasks.append(lambda: bench.run("no seeds, each entity by itself", 0.0, options=by_itself, run=run))
        rows = in_one_round(tasks)
    partial = [f"Partial: {run.partial}."] if run.partial else []
    size = max(len(sides.left), len(sides.right))
    small = not largest or size <= largest
    return AlignmentResults(
        pair=name,
        headline=tuple(rows),
        ablation=tuple(variants(bench, seed_ratio)) if ablation and small and known else (),
        curve=curves(bench) if curve and small and known else {},
        sides=sides,
        known=known,
        embedder=bench.embedder.name,
        judge=rows[0].outcome.settled.aligned.judge,
        too_large=0 if small else size,
        notes=(*partial, *sides.notes, *([TEACHING] if name == "huts" else [])),
    )


def opened(
    pair: str, folder: str, source: str, target: str, reference: str, seeds: str, names: str, settings: Settings
) -> tuple[str, Sides, Links]:
    """The name of the pair, its sides, and all pairs known of it; the sides have seeds only where nothing is known."""
    if source or target:
        if not (source and target):
            raise ValueError("source and target are given together")
        sides = open_sides(source, target, seeds=seeds or "none", names=names, settings=settings)
        title = f"{Path(source).name} and {Path(target).name}"
        if not reference:
            return title, sides, ()
        return title, replace(sides, seeds=()), tuple(dict.fromkeys((*sides.seeds, *links_of(reference, settings))))
    if pair == "huts" and not folder:
        words = ("huts:alpine", "huts:refuge")
        sides = open_sides(
            "huts:hollenmark", "huts:corvane", seeds="none", names=names, labels=words, settings=settings
        )
        return "huts", sides, links_of("huts:entity-reference", settings)
    place = Path(folder) if folder else data_folder(pair.split("/")[0], settings.data) / pair.split("/", 1)[1]
    sides = open_sides(place, seeds="none", names=names, settings=settings)
    given = links_of(seeds, settings) if seeds else open_sides(place, settings=settings).seeds
    return folder and Path(folder).name or pair, sides, (*given, *sides.tests)


@dataclass
class Bench:
    """Runs one pair under different settings. The pairs that are seeds are the first ones known, or drawn by digest."""

    sides: Sides
    known: Links
    embedder: Embedder
    judge: str
    settings: Settings
    look: LookOptions
    model: ChatModel | None = None

    def split(self, ratio: float) -> tuple[Links, Links]:
        """Seeds and tests. A folder's own tests stay the tests, so that figures compare; else what is no seed."""
        if not self.known:
            return self.sides.seeds, ()
        tests = set(self.sides.tests)
        number = round(ratio * len(self.known))
        if tests:
            pool = [pair for pair in self.known if pair not in tests]
            seeds = drawn(pool)[:number]
            return tuple(seeds), self.sides.tests
        seeds = drawn(self.known)[:number]
        chosen = set(seeds)
        return tuple(seeds), tuple(pair for pair in self.known if pair not in chosen)

    def run(
        self,
        name: str,
        ratio: float,
        *,
        options: Options = Options(),
        look: LookOptions | None = None,
        judge: str = "",
        planner: str = "auto",
        nameless: bool = False,
        run: Run | None = None,
    ) -> Setting:
        """One alignment, measured."""
        seeds, tests = self.split(ratio)
        given = replace(self.sides, seeds=seeds)
        if nameless:
            given = replace(given, left=hidden(given.left), right=hidden(given.right))
            options = replace(options, names="hidden")
        begun = perf_counter()
        outcome = align(
            given,
            judge=judge or self.judge,
            planner=planner,
            model=self.model if (judge or self.judge) in ("auto", "model") else None,
            embedder=self.embedder,
            options=options,
            look=look or self.look,
            reference=tests or None,
            run=run,
            settings=self.settings,
        )
        found = measured(outcome.settled, given, tests)
        return Setting(name, found, outcome, perf_counter() - begun, outcome.settled.simulation, tests)


def drawn(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs in an order that depends on them alone."""
    return sorted(pairs, key=lambda pair: hashlib.sha256("\0".join(pair).encode("utf-8", "surrogatepass")).hexdigest())


def variants(bench: Bench, ratio: float) -> list[Setting]:
    """What every ingredient is worth: one left out or changed at a time, without seeds unless it says so.

    Judges that read the evidence answer: the rule, and the model where one is asked in the headline, too.
    """
    look, plain = bench.look, Options()
    asked = bench.judge in ("auto", "model") and bool(bench.settings.model)
    every = replace(look, both_orders=0.0)
    model: tuple[tuple[str, LookOptions, str], ...] = (
        ("planned look", look, "auto"),
        ("no selectors: triples as they come", replace(look, entropy="none"), "auto"),
        ("low entropy, as in the paper", replace(look, entropy="low"), "auto"),
        ("names alone", replace(look, attributes=0, relations=0), "auto"),
        ("no planning: every tool for those", look, "thorough"),
        ("no reflection", replace(look, reflect_below=0.0), "auto"),
        ("one order of candidates", every, "auto"),
    )
    alone: dict[str, dict[str, Any]] = {
        **{f"assignment: {one}": {"assignment": one} for one in ("sinkhorn", "hungarian", "stable", "argmax")},
        **{f"propagation: {hops} hops": {"hops": hops} for hops in (0, 1, 2, 3)},
        "one round, no self-training": {"rounds": 0},
    }
    return [
        bench.run("first alignment only", 0.0, judge="first"),
        bench.run("rule: planned look", 0.0, judge="rule"),
        *(
            bench.run(f"model: {name}", 0.0, judge="model", look=chosen, planner=planner)
            for name, chosen, planner in (model if asked else ())
        ),
        *(bench.run(name, 0.0, judge="first", options=replace(plain, **changed)) for name, changed in alone.items()),
        bench.run(f"{100 * ratio:.0f} % seeds, first alignment only", ratio, judge="first"),
    ]


def curves(bench: Bench) -> dict[str, tuple[tuple[float, Measured], ...]]:
    """What is reached with more seeds, names as they are and hidden; the first alignment alone."""
    return {
        title: tuple(
            (ratio, bench.run(f"{ratio:.0%}", ratio, judge="first", nameless=nameless).measured) for ratio in CURVE
        )
        for title, nameless in (("names as given", False), ("names hidden", True))
    }


RANKED = (*percents(hits1="Hits@1", hits10="Hits@10"), Column("mrr", "MRR", "number"))


def notice(results: AlignmentResults) -> Words:
    """In a few sentences what was done."""
    first = results.headline[0]
    left, right = results.sides.left, results.sides.right
    counts, seeds = first.outcome.settled.counts(), first.measured.seeds or "no"
    lines = [
        f"{left.name} ({len(left):,} entities) and {right.name} ({len(right):,}): {counts['matched']:,} of "
        f"{counts['entities']:,} entities matched with {seeds} seeds, {100 * first.outcome.share_looked_at:.1f} % of "
        f"them looked at by the judge {results.judge}, {first.tokens:.1f} model tokens an entity over all; embedder "
        f"{results.embedder}. "
        + (f"Measured on {first.measured.ranking.tests:,} known pairs." if results.known else _estimated(first))
    ]
    if any(one.simulation for one in results.headline):
        lines.insert(0, "SIMULATION: the judge answers from the reference; no aligner reached this.")
        return Words(tuple(lines), alarm=True)
    return Words(tuple(lines))


def _estimated(setting: Setting) -> str:
    """How good a setting probably is, in a sentence."""
    share = setting.outcome.settled.estimated_precision
    if share is None:
        return f"{UNMEASURED} Nothing is matched but seeds, so nothing can be estimated either."
    return f"{UNMEASURED} About {100 * share:.1f} % of what is matched is right, as far as its confidences tell."


def figures(results: AlignmentResults) -> list[dict[str, Value]]:
    """Our figures and published ones as rows, shares between 0 and 1: what each covers and where it is from."""
    if not results.known:
        return [_counted(one) for one in results.headline]
    rows: list[dict[str, Value]] = []
    for one in results.headline:
        system = f"kgnb, {one.name}" + (" (SIMULATION)" if one.simulation else "")
        covers = f"{one.measured.ranking.tests:,} pairs, among {one.measured.universe}"
        told: dict[str, Value] = {"seeds": one.measured.seeds, "covers": covers, "source": "this run"}
        rows.append({"system": system} | _scores(one.measured, 3) | told)
    for peer in BY_PAIR.get(results.pair, ()):
        nothing: dict[str, Value] = dict.fromkeys([*(column.key for column in (*RANKED, *SCORES)), "seeds"])
        theirs: dict[str, Value] = {"hits1": peer.hits1, "mrr": peer.mrr, "covers": "test pairs, among test targets"}
        rows.append({"system": peer.system} | nothing | theirs | {"source": peer.source})
    return rows


ESTIMATED = (
    Column("estimated_precision", "Estimated precision", "percent"),
    *percents(written="Written", unsure="Unsure", nobody="Nobody"),
    *numbers(entities="Entities", seeds="Seeds"),
)


def _counted(setting: Setting) -> dict[str, Value]:
    """What a setting comes to where no pair is known; shares of the entities asked about."""
    settled = setting.outcome.settled
    counts, left = settled.counts(), settled.unmatched()
    size, unsure = max(1, counts["entities"]), left.get(DOUBTFUL, 0)
    return {
        "system": f"kgnb, {setting.name}",
        "estimated_precision": settled.estimated_precision,
        "written": counts["matched"] / size,
        "unsure": unsure / size,
        "nobody": (counts["unmatched"] - unsure) / size,
        "entities": counts["entities"],
        "seeds": setting.measured.seeds,
        "source": "this run",
    }


def headline(results: AlignmentResults) -> Table:
    """Our figures with published ones beside them, each with where it is from; estimates where no pair is known."""
    if not results.known:
        notes = [
            "Estimated precision: the mean confidence of what is written. An entity's confidence is the chance that "
            "its candidate looks better than a wrong one would; how wrong ones look is learnt from everyone's second "
            "best. Where it could be checked it was hardly ever too high.",
            "Unsure: the best candidate is too doubtful to be written. Nobody: none, or it fits another better.",
            *results.notes,
        ]
        columns = [Column("system", "System"), *ESTIMATED, Column("source", "Where it is from")]
        return Table(columns, figures(results), caption=results.title, notes=notes)
    columns = [Column("system", "System"), *RANKED, *SCORES, Column("seeds", "Seeds", "number")]
    columns += [Column("covers", "Covers"), Column("source", "Where it is from")]
    return Table(columns, figures(results), caption=results.title, notes=_warnings(results))


def headline_bars(results: AlignmentResults) -> Plot:
    """Hits@1, Hits@10 and F1 as bars, ours and published ones."""
    shown = figures(results)
    if not results.known:
        shares = [(column.title, [_number(row[column.key]) for row in shown]) for column in ESTIMATED[:4]]
        return grouped_bars([str(row["system"]) for row in shown], shares, "Shares of the entities asked about.")
    series = [
        (title, [_number(row[key]) for row in shown])
        for title, key in (("Hits@1", "hits1"), ("Hits@10", "hits10"), ("F1 of the choices", "f1"))
    ]
    names = [str(row["system"]).replace(", ", ",\n", 1) for row in shown]
    return grouped_bars(names, series, "Compare only figures over the same pairs, ranked among the same targets.")


def _number(value: Value) -> float | None:
    return None if value is None else float(str(value))


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
    if not results.known:
        return _slices_written(results.headline[0].outcome.settled)
    columns = [Column("setting", "Setting"), Column("slice", "Pairs with"), Column("tests", "Pairs", "number"), *RANKED]
    rows: list[list[Value]] = [
        [one.name, name, part.tests, part.hits1, part.hits10, round(part.mrr, 3)]
        for one in results.headline
        for name, part in one.measured.slices.items()
    ]
    return Table(columns, rows, notes=["Identical but for case and spaces: what a string comparison finds as well."])


def _slices_written(settled: Settled) -> Table:
    """What is written, by what the names of a pair tell, and how sure that is."""
    sure = {(one, other): confidence for one, other, confidence in settled.pairs()}
    sides = (settled.proposal.left, settled.proposal.right)
    cut = names_told(sure, *(dict(zip(side.entities, side.names, strict=True)) for side in sides))
    columns = [Column("slice", "Written pairs with"), Column("n", "Pairs", "number")]
    columns += [Column("confidence", "Mean confidence", "percent")]
    rows: list[list[Value]] = [[name, len(part), sum(sure[p] for p in part) / len(part)] for name, part in cut.items()]
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
    if not results.known:
        return absent(f"{UNMEASURED} A file of known pairs, -p reference=FILE, brings this part.")
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
    if not results.ablation:
        return _left_out(results)
    rows: list[list[Value]] = []
    for one in results.ablation:
        found = _scores(one.measured, 3)
        scores = [found[key] for key in ("hits1", "hits10", "mrr", "f1")]
        rows.append([one.name, *scores, one.outcome.share_looked_at, round(one.tokens, 1)])
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


def _scores(found: Measured, digits: int) -> dict[str, Value]:
    """The ranking's figures and the choices', by name; the MRR to so many digits."""
    ranked, chosen = found.ranking, found.chosen
    return {"hits1": ranked.hits1, "hits10": ranked.hits10, "mrr": round(ranked.mrr, digits),
            "precision": chosen.precision, "recall": chosen.recall, "f1": chosen.f1}  # fmt: skip


def rows_of(settings: tuple[Setting, ...]) -> list[dict[str, Any]]:
    """Settings as plain numbers, for ``metrics.json``."""
    return [
        {"setting": one.name, "simulation": one.simulation}
        | {name: round(float(str(share)), 6) for name, share in _scores(one.measured, 6).items()}
        | {
            "estimated_precision": one.outcome.settled.estimated_precision,
            "tests": one.measured.ranking.tests,
            "seeds": one.measured.seeds,
            "universe": one.measured.universe,
            "looked_at": round(one.outcome.share_looked_at, 6),
            "tokens_per_entity": round(one.tokens, 3),
        }
        for one in settings
    ]


LISTED = 100  # rows one reads through
Detail = tuple[str, str]


def errors(results: AlignmentResults) -> Table | Words:
    """Every known pair that the first row of the headline missed, the surest wrong choices first.

    Where no pair is known: a sample of what is written, evenly over its confidences, and the likeliest of what is not.
    """
    setting = results.headline[0]
    if not results.known:
        return _examples(setting.outcome.settled)
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
    for _, source, target, row, chosen in missed[:LISTED]:
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
    total = len(missed) if len(missed) > LISTED else None
    notes = ["Place of the right one: among the candidates, where it is one."]
    return Table(columns, rows, caption=_labelled(setting, told), details=details, notes=notes, total=total)


def _examples(settled: Settled) -> Table:
    """Pairs to judge by hand, the least sure first."""
    proposal = settled.proposal
    seeded = np.isin(proposal.sources, proposal.seeds[:, 0])
    sure = np.array([settled.confidence(row) for row in range(len(proposal))])
    order = np.argsort(sure, kind="stable")
    written = order[((settled.targets >= 0) & ~seeded)[order]]
    left = order[((settled.targets < 0) & (proposal.candidates[:, 0] >= 0))[order]][::-1][: LISTED // 2]
    chosen = written[np.unique(np.linspace(0, len(written) - 1, min(len(written), LISTED // 2)).astype(int))]
    columns = [*texts(source="Entity", chosen="Counterpart, or its best candidate", what="What it came to")]
    columns.append(Column("confidence", "Confidence", "percent"))
    rows: list[list[Value]] = []
    details: list[list[Detail]] = []
    for row in [*chosen.tolist(), *left.tolist()]:
        target, source = int(settled.targets[row]), int(proposal.sources[row])
        shown = _named(settled, target if target >= 0 else int(proposal.candidates[row, 0]))
        entity = Link(proposal.left.entities[source], proposal.left.called(source))
        what = "written" if target >= 0 else f"left: {settled.why(row)}"
        rows.append([entity, shown, what, settled.confidence(row)])
        choice = settled.choices.get(row)
        told = (
            [] if choice is None or choice.answer is None else [(f"said {choice.by}", choice.answer.verdict.rationale)]
        )
        details.append([*proposal.candidate_lines(row)[:3], *told, ("entity", entity.iri), ("shown", shown.iri)])
    caption = (
        f"{len(chosen)} of {len(written):,} written pairs, evenly from the least sure to the surest; then what is not"
    )
    notes = ["Judge the written ones by hand: the share that is right is the precision, give or take some points."]
    return Table(columns, rows, caption=caption, details=details, notes=notes)


def review(results: AlignmentResults) -> Words:
    """How a person goes on from here: what to look at first, and how to write what came of it."""
    left, right = (side.name for side in (results.sides.left, results.sides.right))
    return Words(
        (
            f"In a notebook: %load_ext kgnb, %ea start A B with the two graphs ({left}, {right}), %ea run.",
            "%ea review --below 0.8 shows what was looked at and is less sure; a key accepts, rejects, picks another. "
            "What is decided is kept in a file, overrides every judge, and holds in the next run: --decisions FILE.",
            "%ea explain NAME shows an entity's candidates and all that speaks for each; kgnb align A B --out FILE and "
            "%ea export FILE write .ttl (owl:sameAs), .sssom.tsv (SSSOM), .rdf (Alignment RDF) or .tsv.",
            "The alignment of this page is in the folder alignments beside it: SSSOM, and owl:sameAs in Turtle.",
        )
    )


def risk(results: AlignmentResults) -> Plot:
    """How many of the surest choices are wrong, among those about entities of known pairs; else as it is estimated."""
    setting = results.headline[0]
    if not results.known:
        sure = np.sort([min(1.0, confidence) for _, _, confidence in setting.outcome.settled.pairs()])[::-1]
        kept = np.arange(1, len(sure) + 1)
        caption = "Estimated risk over coverage: what the confidences say is wrong. No reference was looked at."
        return risk_over_coverage(
            list(zip(kept / max(1, len(sure)), np.cumsum(1 - sure) / kept, strict=True)), caption, "pairs"
        )
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
    name = results.headline[0].name.replace(" ", "-")
    for suffix in (".sssom.tsv", ".ttl"):
        save_alignment(results.headline[0].outcome.alignment, folder / "alignments" / f"{name}{suffix}")
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
        "measured": bool(results.known),
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
