"""The entity-alignment report: one pair of graphs aligned under several settings, and what is shown
and saved.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import Any

import numpy as np

from kgnb.agents.entity_alignment.final_alignment import Settled
from kgnb.agents.entity_alignment.judging_values import LookOptions
from kgnb.agents.entity_alignment.values import DOUBTFUL, Options
from kgnb.agents.options import given_of
from kgnb.backends import open_embedder
from kgnb.datasets.fetch import data_folder
from kgnb.datasets.published import published as published_on
from kgnb.evaluate.alignment import risk_coverage
from kgnb.evaluate.ranking import IDENTICAL, Measured, Ranking, measure
from kgnb.evaluate.ranking import slices as names_told
from kgnb.llm.asking import in_one_round
from kgnb.mapping_files import save as save_alignment
from kgnb.reporting import costs, sections
from kgnb.reporting.figures import SCORE_KEYS, Figure, FigureRow, figure_table, peer_row
from kgnb.reporting.figures import measured as here
from kgnb.reporting.figures import scored as counted
from kgnb.reporting.plot import Plot, grouped_bars, risk_over_coverage
from kgnb.reporting.references import first_pairs, first_rankings, measured
from kgnb.reporting.sections import SCORES, SOURCE, UNMEASURED, Detail, Fragment, words
from kgnb.reporting.sections import reproduce as reproduce  # for the notebook
from kgnb.reporting.sections import stages as stages
from kgnb.reporting.session import ReportSession, current
from kgnb.results.bundle import count
from kgnb.results.cells import NoFigure, share
from kgnb.results.table import Column, LabelledIri, Table, Value, numbers, percents, texts
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.aligning import AlignmentOutcome, align
from kgnb.tasks.sides import (
    Links,
    Sides,
    check_reference,
    links_between,
    links_of,
    open_sides,
)
from kgnb.vectors.embedder import Embedder

TEACHING = "A small teaching set of our own; a figure on it says nothing about real graphs."
SIMULATED = "oracle judge: it answers from the reference"


@dataclass(frozen=True)
class Setting:
    """One alignment of the pair: the settings by name, the scores and the result."""

    name: str
    measured: Measured
    outcome: AlignmentOutcome
    seconds: float
    tests: Links = ()

    @property
    def settled(self) -> Settled:
        """The final choices."""
        return self.outcome.settled

    @property
    def tokens(self) -> float:
        """Model tokens per entity, over all entities."""
        return self.outcome.tokens_per_entity

    def labelled(self, text: str) -> str:
        """The text, marked if the judge is simulated."""
        return f"SIMULATION. {text}" if self.settled.simulation else text


@dataclass(frozen=True)
class AlignmentResults:
    """Everything the report shows."""

    pair: str
    headline: tuple[Setting, ...]
    sides: Sides
    known: Links
    embedder: str
    judge: str
    notes: tuple[str, ...] = ()
    about_papers: bool = False  # whether papers' costs, on other data, stand beside ours

    @property
    def title(self) -> str:
        """What was aligned."""
        return "kgnb's mountain huts" if self.pair == "huts" else self.pair

    @property
    def run(self) -> Run:
        """The run of the headline's alignments."""
        return self.headline[0].outcome.run


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
    seeded: bool = False,
    papers: bool = False,
    options: Mapping[str, Any] = MappingProxyType({}),
    session: ReportSession | None = None,
) -> AlignmentResults:
    """Align a pair without seeds and with a share of the known pairs as seeds; the parameters are
    the report's.

    Two graphs without any known pair are aligned once, with the file ``seeds`` if there is one; the
    precision is estimated. ``seeded`` leaves all but the alignment with seeds out, for a sweep over
    their share.

    Raises:
        DataError: an input is missing or malformed.
        ValueError: only one of source and target is given.
    """
    session = session or current()
    judge, settings = sections.judging(session, judge, model)
    name, sides, known = opened(pair, folder, source, target, reference, seeds, names, settings)
    bench = Bench(
        sides,
        known,
        open_embedder(embedder or None, settings),
        judge,
        settings,
        LookOptions(**given_of(LookOptions, {**options, "share": share})),
        Options(**given_of(Options, options)),
        str(options.get("planner", "auto")),
    )
    parameters = {"pair": name, "names": names, "share": share, "judge": judge, **options}
    run = sections.run_in(session, "entity_alignment", sides.digests(), parameters, settings)
    with run:  # one for all three: a budget is for the whole report
        first = "no seeds" if known or not sides.seeds else "the seeds given"
        by_itself = replace(bench.options, assignment="argmax")
        tasks = [
            lambda: bench.run(first, run=run),
            lambda: bench.run(f"{100 * seed_ratio:.0f} % seeds", seed_ratio, run=run),
            lambda: bench.run("no seeds, each entity by itself", options=by_itself, run=run),
        ]
        tasks = tasks[1:2] if known and seeded else tasks if known else tasks[:1]
        rows = in_one_round(tasks)
    partial = [f"Partial: {run.partial}."] if run.partial else []
    return AlignmentResults(
        pair=name,
        headline=tuple(rows),
        sides=sides,
        known=known,
        embedder=bench.embedder.name,
        judge=rows[0].settled.aligned.judge,
        about_papers=papers or not (source or folder),
        notes=(*partial, *sides.notes, *([TEACHING] if name == "huts" else [])),
    )


def opened(
    pair: str,
    folder: str,
    source: str,
    target: str,
    reference: str,
    seeds: str,
    names: str,
    settings: Settings,
) -> tuple[str, Sides, Links]:
    """The pair's name, its sides, and all its known pairs; the sides have seeds only where no pair
    is known.
    """
    if source or target:
        if not (source and target):
            raise ValueError("source and target are given together")
        sides = open_sides(source, target, seeds=seeds or "none", names=names)
        title = f"{Path(source).name} and {Path(target).name}"
        if not reference:
            return title, sides, ()
        found = links_between(sides, reference)
        check_reference(sides, found, reference)
        return title, replace(sides, seeds=()), tuple(dict.fromkeys((*sides.seeds, *found)))
    if pair == "huts" and not folder:
        words = ("huts:alpine", "huts:refuge")
        sides = open_sides(
            "huts:hollenmark", "huts:corvane", seeds="none", names=names, labels=words
        )
        return "huts", sides, links_of("huts:entity-reference")
    place = (
        Path(folder)
        if folder
        else data_folder(pair.split("/")[0], settings.data) / pair.split("/", 1)[1]
    )
    sides = open_sides(place, seeds="none", names=names)
    given = links_of(seeds) if seeds else open_sides(place).seeds
    return folder and Path(folder).name or pair, sides, (*given, *sides.tests)


@dataclass
class Bench:
    """Aligns one pair under different settings."""

    sides: Sides
    known: Links
    embedder: Embedder
    judge: str
    settings: Settings
    look: LookOptions
    options: Options
    planner: str

    def split(self, ratio: float) -> tuple[Links, Links]:
        """Seeds, drawn by digest, and tests: a folder's own, so that figures compare, else all
        other known pairs.
        """
        if not self.known:
            return self.sides.seeds, ()
        own = set(self.sides.tests)
        seeds = tuple(
            drawn([pair for pair in self.known if pair not in own])[
                : round(ratio * len(self.known))
            ]
        )
        chosen = set(seeds)
        return seeds, self.sides.tests or tuple(pair for pair in self.known if pair not in chosen)

    def run(self, name: str, ratio: float = 0.0, **given: Any) -> Setting:
        """One alignment with this share of seeds, measured; ``given`` are arguments of ``align``."""
        seeds, tests = self.split(ratio)
        sides = replace(self.sides, seeds=seeds)
        own = {"look": self.look, "options": self.options, "planner": self.planner}
        given = {"judge": self.judge, **own, **given}
        begun = perf_counter()
        outcome = align(
            sides,
            embedder=self.embedder,
            reference=tests or None,
            settings=self.settings,
            **given,
        )
        return Setting(
            name, measured(outcome.settled, sides, tests), outcome, perf_counter() - begun, tests
        )


def drawn(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs in an order that depends only on the pairs themselves."""
    return sorted(
        pairs,
        key=lambda pair: hashlib.sha256(
            "\0".join(pair).encode("utf-8", "surrogatepass")
        ).hexdigest(),
    )


RANKED = (*percents(hits1="Hits@1", hits10="Hits@10"), *numbers(mrr="MRR"))


def notice(results: AlignmentResults) -> Fragment:
    """In a few sentences what was done."""
    first = results.headline[0]
    left, right = results.sides.left, results.sides.right
    counts = first.settled.counts()
    one, whole = (count(size, "entity", "entities") for size in (len(left), counts["entities"]))
    seeds = count(first.measured.seeds, "seed") if first.measured.seeds else "no seeds"
    lines = [
        f"{left.name} ({one}) and {right.name} ({len(right):,}): {counts['matched']:,} of {whole} matched with "
        f"{seeds}, {100 * first.outcome.share_looked_at:.1f} % of "
        f"them looked at by the judge {results.judge}, {first.tokens:.1f} model tokens an entity over all; embedder "
        f"{results.embedder}. "
        + (
            f"Measured on {first.measured.ranking.tests:,} known pairs."
            if results.known
            else _estimated(first)
        )
    ]
    simulated = any(one.settled.simulation for one in results.headline)
    if simulated:
        lines.insert(
            0, "SIMULATION: the judge answers from the reference; no aligner reached this."
        )
    return words(*lines, look="alarm" if simulated else "")


def _estimated(setting: Setting) -> str:
    estimate = setting.settled.estimate()
    if not estimate:
        why = setting.settled.untried or "nothing but seeds is matched"
        return f"{UNMEASURED} Nothing can be estimated either: {why}."
    return f"{UNMEASURED} {estimate[0].upper()}{estimate[1:]}."


RANKED_KEYS = ("hits1", "hits10", "mrr")


def figures(results: AlignmentResults) -> list[FigureRow]:
    """Our figures and published ones of this pair as rows, each figure with its source."""
    if not results.known:
        return [_counted(one) for one in results.headline]
    rows: list[FigureRow] = []
    for one in results.headline:
        system = f"kgnb, {one.name}" + (" (SIMULATION)" if one.settled.simulation else "")
        tests = count(one.measured.ranking.tests, "pair")
        covers = f"{tests}, among {one.measured.universe}"
        rows.append(FigureRow(system, covers, _measured(one.measured)))
    if sections.heard(results.run)["asked"]:
        rows += [_before(results.headline[0], results)]
        silent = sections.silence(results.run)
        rows = [replace(row, covers=f"{row.covers}; {silent}") if silent else row for row in rows]
    for peer in published_on(results.pair):
        keys = (*RANKED_KEYS, *SCORE_KEYS, "seeds")
        rows.append(peer_row(peer, keys))
    return rows


def _before(one: Setting, results: AlignmentResults) -> FigureRow:
    """The same alignment before the model was asked."""
    pairs = first_pairs(one.settled, results.sides)
    first = measure(first_rankings(one.settled), pairs, one.tests, universe=one.measured.universe)
    covers = f"{count(first.ranking.tests, 'pair')}, among {one.measured.universe}"
    system = f"kgnb, {one.name}, before the model"
    found = _measured(replace(first, seeds=one.measured.seeds))
    return FigureRow(system, covers, found, unasked=True)


def _ranked(ranked: Ranking) -> list[Value]:
    """Hits@1, Hits@10 and MRR as cells."""
    hits = (share(hit, ranked.tests) for hit in (ranked.hits1, ranked.hits10))
    return [*hits, round(ranked.mrr, 3)]


def _measured(found: Measured) -> dict[str, Figure]:
    """The figures of the ranking and of the choices."""
    ranked = found.ranking
    return {
        "hits1": here(ranked.hits1, of=ranked.tests),
        "hits10": here(ranked.hits10, of=ranked.tests),
        "mrr": here(round(ranked.mrr, 3)),
        **counted(found.chosen),
        "seeds": here(found.seeds),
    }


ESTIMATED = percents(
    estimated_precision="Estimated precision", written="Written", unsure="Unsure", nobody="Nobody"
)


def _counted(setting: Setting) -> FigureRow:
    """The row of a setting without known pairs: shares of the entities asked about."""
    counts, left = setting.settled.counts(), setting.settled.unmatched()
    size, unsure = max(1, counts["entities"]), left.get(DOUBTFUL, 0)
    untried = setting.settled.untried
    found: dict[str, Figure] = {
        "estimated_precision": here(
            setting.settled.shown_precision, untried or "nothing is written"
        ),
        "written": here(counts["matched"] / size),
        "unsure": here(unsure / size),
        "nobody": here((counts["unmatched"] - unsure) / size),
        "entities": here(counts["entities"]),
        "seeds": here(setting.measured.seeds),
    }
    covers = "; ".join(filter(None, [count(counts["entities"], "entity", "entities"), untried]))
    return FigureRow(f"kgnb, {setting.name}", covers, found)


def headline(results: AlignmentResults) -> Table:
    """Our figures beside published ones, each with its source; estimates where no pair is known."""
    last: tuple[Column, ...] = (SOURCE,)
    if results.known:
        columns = [*RANKED, *SCORES, *numbers(seeds="Seeds")]
        last = (*texts(covers="Covers"), SOURCE)
        notes = _warnings(results)
    else:
        columns = [*ESTIMATED, *numbers(entities="Entities", seeds="Seeds")]
        notes = [
            "Estimated precision: the share of what is written that is expected to be right. "
            "An entity's confidence is the probability "
            "that its candidate scores better than a wrong one would; the scores of wrong ones are learnt from the "
            "second-best candidates of all entities. Where this could be checked, it was hardly ever too high.",
            "Unsure: the best candidate is too doubtful to be written. Nobody: none, or it fits another better.",
            *results.notes,
        ]
    return figure_table(
        figures(results),
        columns,
        texts(system="System"),
        last,
        caption=results.title,
        notes=notes,
    )


def headline_bars(results: AlignmentResults) -> Plot:
    """The headline as bars."""
    shown = figures(results)
    names = [row.system for row in shown]
    titles = {column.key: column.title for column in ESTIMATED}
    caption = "Shares of the entities asked about."
    if results.known:
        names = [name.replace(", ", ",\n", 1) for name in names]
        titles = {"hits1": "Hits@1", "hits10": "Hits@10", "f1": "F1 of the choices"}
        caption = "Compare only figures over the same pairs, ranked among the same targets."
    values = {key: [row.value(key) for row in shown] for key in titles}
    return grouped_bars(names, [(title, values[key]) for key, title in titles.items()], caption)


def _warnings(results: AlignmentResults) -> list[str]:
    notes = [
        "With one-to-one assignment over test targets, each answer has one rival fewer than in the open; "
        "'each entity by itself' does not benefit from that.",
        "Pairs about entities that are in no known pair are not counted in precision.",
    ]
    first = results.headline[0].measured
    for one in results.headline:
        if said := one.settled.estimate():
            notes.append(f"{one.name}: {said}.")
    if IDENTICAL in first.slices:
        identical = first.slices[IDENTICAL].tests / max(1, first.ranking.tests)
        notes.append(f"Identical names alone would solve {100 * identical:.1f} % of the pairs.")
    for peer in published_on(results.pair):
        first_hit, mrr = peer.figures["hits1"], peer.get("mrr")
        most = first_hit + (1 - first_hit) / 2  # whatever is not first comes second
        if mrr is not None and mrr > most + 0.0005:
            notes.append(
                f"{peer.system}: an MRR of {mrr:.3f} cannot go with Hits@1 {first_hit:.3f}, whatever Hits@10 is "
                f"(at most {most:.3f})."
            )
    return [*notes, *results.notes]


def slices(results: AlignmentResults) -> Table:
    """The figures by what the names of a pair have in common; without known pairs, the confidences
    by the same.
    """
    notes = ["Identical but for case and spaces: a string comparison finds these as well."]
    if results.known:
        rows: list[list[Value]] = [
            [one.name, name, part.tests, *_ranked(part)]
            for one in results.headline
            for name, part in one.measured.slices.items()
        ]
        return Table(
            [*texts(setting="Setting", slice="Pairs with"), *numbers(tests="Pairs"), *RANKED],
            rows,
            notes=notes,
        )
    settled = results.headline[0].settled
    sure = {(one, other): confidence for one, other, confidence in settled.pairs(untried=False)}
    notes += [f"{settled.untried}."] if settled.untried else []
    sides = (settled.proposal.left, settled.proposal.right)
    cut = names_told(sure, *(dict(zip(side.entities, side.names, strict=True)) for side in sides))
    columns = [
        *texts(slice="Written pairs with"),
        *numbers(n="Pairs"),
        *percents(confidence="Mean confidence"),
    ]
    rows = [
        [name, len(part), sum(sure[pair] for pair in part) / len(part)]
        for name, part in cut.items()
    ]
    return Table(columns, rows, notes=notes)


def unmatched(results: AlignmentResults) -> Table:
    """How many entities were left without a counterpart, and why."""
    rows: list[list[Value]] = [
        [one.name, reason, number]
        for one in results.headline
        for reason, number in one.settled.unmatched().items()
    ]
    return Table(
        [*texts(setting="Setting", reason="Left unmatched because"), *numbers(n="Entities")], rows
    )


def cost_rows(results: AlignmentResults) -> list[FigureRow]:
    """What an entity took in each row of the headline, and its Hits@1."""
    rows = []
    for one in results.headline:
        size, ranked = len(one.settled.proposal), one.measured.ranking
        totals = {
            "calls": one.outcome.calls,
            "prompt_tokens": one.tokens * size,
            "completion_tokens": 0,
        }
        quality = here(ranked.hits1 if results.known else None, "no reference", of=ranked.tests)
        system = f"kgnb, {one.name}, {results.judge}"
        found = {"hits1": quality} | costs.each(totals, size, one.seconds)
        rows.append(FigureRow(system, f"{results.title}, an entity", found))
    return rows


def beside_costs(results: AlignmentResults) -> Table:
    """Cost beside quality: ours, and what papers print."""
    return costs.cost_table("entity-alignment", cost_rows(results), results.about_papers)


def errors(results: AlignmentResults) -> Table | Fragment:
    """Every known pair that the first row of the headline missed, the most confident wrong choices
    first.

    Where no pair is known: a sample of the written pairs, evenly over their confidences, and the
    likeliest others.
    """
    setting = results.headline[0]
    settled, proposal = setting.settled, setting.settled.proposal
    if not results.known:
        return _examples(settled)
    places = {
        proposal.left.entities[int(source)]: row for row, source in enumerate(proposal.sources)
    }
    missed = []
    for source, target in setting.tests:
        row = places.get(source)
        chosen = int(settled.targets[row]) if row is not None else -1
        if row is not None and (chosen < 0 or proposal.right.entities[chosen] != target):
            missed.append(
                (-settled.confidence(row) if chosen >= 0 else 1.0, source, target, row, chosen)
            )
    if not missed:
        return words(f"All {len(setting.tests):,} known pairs were found.")
    missed.sort()
    columns = [
        *texts(source="Entity", chosen="Chosen", right="Right"),
        *numbers(place="Place of the right one"),
    ]
    columns += [*percents(confidence="Confidence"), *texts(what="What happened")]
    rows: list[list[Value]] = []
    details: list[list[Detail]] = []
    for _, source, target, row, chosen in missed[: sections.SHOWN]:
        ranked, right = (
            [iri for iri, _ in settled.ranking(row)],
            proposal.right.entities.index(target),
        )
        place = ranked.index(target) + 1 if target in ranked else 0
        what = "another was better" if place else "the right one was not a candidate"
        ends: list[Value] = [
            _entity(settled, row),
            _target(settled, chosen),
            _target(settled, right),
            place or NoFigure("no candidate"),
        ]
        sure = settled.confidence(row) if chosen >= 0 else NoFigure("left")
        rows.append([*ends, sure, what if chosen >= 0 else f"left: {settled.why(row)}"])
        evidence = _evidence(
            settled, row, {"for the chosen one": chosen, "for the right one": right}
        )
        details.append(
            [*evidence, *_judged(settled, row), ("entity", source), ("right one", target)]
        )
    wrong = sum(chosen >= 0 for *_, chosen in missed)
    number, left = len(missed), len(missed) - wrong
    caption = (
        f"{number:,} of {len(setting.tests):,} known pairs missed: {wrong:,} wrong, {left:,} left"
    )
    notes = ["Place of the right one: its rank among the candidates, if it is one."]
    return Table(
        columns, rows, caption=setting.labelled(caption), details=details, notes=notes, total=number
    )


def _examples(settled: Settled) -> Table:
    """Pairs to judge by hand, the least confident first."""
    proposal, half = settled.proposal, sections.SHOWN // 2
    seeded = np.isin(proposal.sources, proposal.seeds[:, 0])
    order = np.argsort(
        np.array([settled.confidence(row) for row in range(len(proposal))]), kind="stable"
    )
    written = order[((settled.targets >= 0) & ~seeded)[order]]
    left = order[((settled.targets < 0) & (proposal.candidates[:, 0] >= 0))[order]][::-1][:half]
    chosen = written[
        np.unique(np.linspace(0, len(written) - 1, min(len(written), half)).astype(int))
    ]
    columns = texts(source="Entity", chosen="Counterpart, or its best candidate", what="Result")
    rows: list[list[Value]] = []
    details: list[list[Detail]] = []
    for row in [*chosen.tolist(), *left.tolist()]:
        target, entity = int(settled.targets[row]), _entity(settled, row)
        shown = _target(settled, target if target >= 0 else int(proposal.candidates[row, 0]))
        rows.append(
            [
                entity,
                shown,
                "written" if target >= 0 else f"left: {settled.why(row)}",
                settled.confidence(row),
            ]
        )
        iris = [("entity", entity.iri), ("shown", shown.iri if shown else "")]
        details.append([*proposal.candidate_lines(row)[:3], *_judged(settled, row, ""), *iris])
    caption = (
        f"{len(chosen)} of {len(written):,} written pairs, evenly "
        f"from the least to the most confident; then the rest"
    )
    notes = [
        "Judge the written pairs by hand: the share of right ones is the precision, give or take a few points."
    ]
    return Table(
        [*columns, *percents(confidence="Confidence")],
        rows,
        caption=caption,
        details=details,
        notes=notes,
    )


def _entity(settled: Settled, row: int) -> LabelledIri:
    left, source = settled.proposal.left, int(settled.proposal.sources[row])
    return LabelledIri(left.entities[source], left.called(source))


def _target(settled: Settled, target: int) -> LabelledIri | None:
    right = settled.proposal.right
    return LabelledIri(right.entities[target], right.called(target)) if target >= 0 else None


def _evidence(settled: Settled, row: int, entities: Mapping[str, int]) -> list[Detail]:
    """The scores of these candidates of a row, by heading."""
    proposal = settled.proposal
    candidates = proposal.candidates[row].tolist()
    found: list[Detail] = []
    for head, entity in entities.items():
        if entity in candidates and entity >= 0:
            at = candidates.index(entity)
            views = zip(proposal.views, proposal.evidence[row, at].tolist(), strict=True)
            scores = ", ".join(f"{view} {score:.2f}" for view, score in views)
            found.append((head, f"score {float(proposal.scores[row, at]):.3f}; {scores}"))
        elif entity >= 0:
            found.append((head, "not among the candidates that were kept"))
    return found


def _judged(settled: Settled, row: int, unexplained: str = "no reason given") -> list[Detail]:
    choice = settled.choices.get(row)
    if choice is None or choice.answer is None:
        return []
    return [(f"said {choice.by}", choice.answer.verdict.rationale or unexplained)]


def risk(results: AlignmentResults) -> Plot:
    """The share of wrong choices among the most confident; estimated where no pair is known."""
    setting = results.headline[0]
    pairs = setting.settled.pairs(untried=bool(results.known))
    if not results.known:
        sure = np.sort([min(1.0, confidence) for _, _, confidence in pairs])[::-1]
        kept = np.arange(1, len(sure) + 1)
        points = list(zip(kept / max(1, len(sure)), np.cumsum(1 - sure) / kept, strict=True))
        caption = "Estimated risk over coverage: the share of errors that the confidences predict, without a reference."
        few = len(sure)
        return risk_over_coverage(points, caption, "pairs", n=few, wrong="expected to be wrong")
    sources, targets = (
        {source for source, _ in setting.tests},
        {target for _, target in setting.tests},
    )
    found = [
        ((one, other, ""), confidence)
        for one, other, confidence in pairs
        if one in sources or other in targets
    ]
    measured = risk_coverage(found, [(one, other, "") for one, other in setting.tests])
    caption = f"Risk over coverage, {setting.name}: low on the left means the confidence can be trusted to sort."
    return risk_over_coverage(
        [(one.coverage, one.risk) for one in measured],
        setting.labelled(caption),
        "pairs",
        n=len(found),
    )


def save(results: AlignmentResults, session: ReportSession) -> None:
    """Write the metrics, the timing and the alignment of the headline's first row."""
    timing = {"headline": {one.name: one.seconds for one in results.headline}}
    sections.write_numbers(session, metrics(results), timing)
    first, folder = results.headline[0], session.folder / "alignments"
    folder.mkdir(exist_ok=True)
    for suffix in (".sssom.tsv", ".ttl"):
        save_alignment(first.outcome.alignment, folder / f"{first.name.replace(' ', '-')}{suffix}")


def metrics(results: AlignmentResults) -> dict[str, Any]:
    """The figures, the same in every run."""
    return costs.common_metrics(
        "entity-alignment", results.run, figures(results), cost_rows(results), digits=2
    ) | {
        "pair": results.pair,
        "judge": results.judge,
        "measured": bool(results.known),
        "embedder": results.embedder,
        "data": results.sides.digests(),
        "settings": [_plain(one) for one in results.headline],
        "simulation": SIMULATED
        if any(one.settled.simulation for one in results.headline)
        else None,
    }


def _plain(setting: Setting) -> dict[str, Any]:
    chosen = setting.measured.chosen
    return {
        "setting": setting.name,
        "simulation": setting.settled.simulation,
        **setting.measured.ranking.row(),
        "precision": chosen.precision,
        "recall": chosen.recall,
        "f1": chosen.f1,
        "estimated_precision": setting.settled.estimated_precision,
        "tests": setting.measured.ranking.tests,
        "seeds": setting.measured.seeds,
        "universe": setting.measured.universe,
        "looked_at": setting.outcome.share_looked_at,
        "tokens_per_entity": setting.tokens,
    }
