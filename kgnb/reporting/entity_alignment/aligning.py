"""One pair of graphs aligned under every setting the report shows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter

from kgnb.agents.entity_alignment.judging_values import LookOptions
from kgnb.agents.entity_alignment.values import Options
from kgnb.backends import open_embedder
from kgnb.datasets.fetch import data_folder
from kgnb.evaluate.ranking import Measured
from kgnb.llm.asking import in_one_round
from kgnb.llm.model import ChatModel
from kgnb.reporting.ranked import measured
from kgnb.reporting.sections import judging, run_in
from kgnb.reporting.session import ReportSession, current
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

    ``ablation`` and ``curve`` align the pair some thirty times more: where a graph has over ``largest`` entities (0: no
    limit) they are left out, and the page says so.

    Raises:
        DataError: an input is missing or malformed.
        ValueError: nothing to measure against.
    """
    session = session or current()
    judge, settings = judging(session, judge, model)
    name, sides, known = opened(pair, folder, source, target, reference, seeds, names, settings)
    bench = Bench(sides, known, open_embedder(embedder or None, settings), judge, settings, LookOptions(share=share))
    names_of = {"pair": name, "names": names, "share": share, "judge": judge}
    run = run_in(session, "entity_alignment", sides.digests(), names_of, settings)
    with run:  # one for all three: a budget is of the whole report
        by_itself = Options(assignment="argmax")
        rows = in_one_round(
            (
                lambda: bench.run("no seeds", 0.0, run=run),
                lambda: bench.run(f"{100 * seed_ratio:.0f} % seeds", seed_ratio, run=run),
                lambda: bench.run("no seeds, each entity by itself", 0.0, options=by_itself, run=run),
            )
        )
    partial = [f"Partial: {run.partial}."] if run.partial else []
    size = max(len(sides.left), len(sides.right))
    small = not largest or size <= largest
    return AlignmentResults(
        pair=name,
        headline=tuple(rows),
        ablation=tuple(variants(bench, seed_ratio)) if ablation and small else (),
        curve=curves(bench) if curve and small else {},
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
    """The name of the pair, its sides without seeds, and all pairs known of it."""
    if source or target:
        if not (source and target and reference):
            raise ValueError("source, target and reference are given together")
        sides = open_sides(source, target, seeds="none", names=names, settings=settings)
        return f"{Path(source).name} and {Path(target).name}", sides, links_of(reference, settings)
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
            reference=tests,
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
    return [
        bench.run("first alignment only", 0.0, judge="first"),
        bench.run("rule: planned look", 0.0, judge="rule"),
        *(
            bench.run(f"model: {name}", 0.0, judge="model", look=chosen, planner=planner)
            for name, chosen, planner in (model if asked else ())
        ),
        *(
            bench.run(f"assignment: {one}", 0.0, judge="first", options=replace(plain, assignment=one))
            for one in ("sinkhorn", "hungarian", "stable", "argmax")
        ),
        *(
            bench.run(f"propagation: {hops} hops", 0.0, judge="first", options=replace(plain, hops=hops))
            for hops in (0, 1, 2, 3)
        ),
        bench.run("one round, no self-training", 0.0, judge="first", options=replace(plain, rounds=0)),
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
