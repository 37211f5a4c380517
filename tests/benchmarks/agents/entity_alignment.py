"""Entity alignment without a model on real pairs: what propose reaches, however it is asked.

python -m tests.benchmarks.agents.entity_alignment --data DIR [--pairs dbp15k/fr_en srprs/en_fr]

Every pair with and without seeds, assigned and per entity, names native and hidden. ``--precision``
compares instead the precision that is estimated without a reference with the real one: on the
pairs, on the pairs with counterparts taken away, and on generated worlds. Vectors are kept in the
folder ``KGNB_CACHE`` names; embedding 40,000 names takes some minutes.
"""

import argparse
import os
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kgnb.agents.entity_alignment.graphs import EntityGraph, Integers
from kgnb.agents.entity_alignment.propose import propose
from kgnb.agents.entity_alignment.values import Options, Proposal
from kgnb.datasets.entity_folders import read_folder
from kgnb.evaluate.ranking import Measured, measure
from kgnb.tasks.sides import from_raw
from kgnb.vectors.cached_embedder import CachedEmbedder, VectorCache
from kgnb.vectors.character_embedder import CharacterEmbedder
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.local_embedder import LocalEmbedder
from tests.agents.entity_alignment.graphs_at_hand import pairs, without_values, world

CACHE = os.environ.get(
    "KGNB_CACHE"
)  # read here: the tests' own fixtures put a fresh folder in its place
PAIRS = ("dbp15k/fr_en", "srprs/en_fr")


class Case(NamedTuple):
    """Two graphs, seeds and tests as indices."""

    left: EntityGraph
    right: EntityGraph
    seeds: Integers
    tests: Integers


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    pair: str
    names: str
    assignment: str
    seed_ratio: float
    hits1: float
    hits10: float
    mrr: float
    precision: float
    recall: float
    f1: float
    seconds: float
    cpu: float
    megabytes: float


def case(folder: Path) -> Case:
    """The graphs of a folder, ready to be proposed for."""
    read = read_folder(folder)
    left, right = from_raw(read.left), from_raw(read.right)
    return Case(left, right, pairs(left, right, read.seeds), pairs(left, right, read.tests))


def measured(found: Proposal, tests: Integers) -> Measured:
    """The figures of a proposal over the test targets."""
    left, right = found.left.entities, found.right.entities
    rankings = {
        left[source]: [right[target] for target in candidates if target >= 0]
        for source, candidates in zip(
            found.sources.tolist(), found.candidates.tolist(), strict=True
        )
    }
    chosen = [
        (left[s], right[t])
        for s, t in zip(found.sources.tolist(), found.first.tolist(), strict=True)
        if t >= 0
    ]
    links = [(left[s], right[t]) for s, t in tests.tolist()]
    return measure(
        rankings, chosen, links, universe=f"{len(links):,} test targets", seeds=len(found.seeds)
    )


def asked(pair: str, given: Case, embedder: Embedder, options: Options, seeds: Integers) -> Row:
    """One run and its figures."""
    begun, cpu = time.perf_counter(), time.process_time()
    found = propose(
        given.left,
        given.right,
        embedder,
        options,
        seeds,
        sources=given.tests[:, 0],
        targets=given.tests[:, 1],
    )
    took, worked = time.perf_counter() - begun, time.process_time() - cpu
    figures = measured(found, given.tests)
    ranking, chosen = figures.ranking, figures.chosen
    return Row(
        pair,
        options.names,
        options.assignment,
        round(figures.seed_ratio, 3),
        round(ranking.hits1, 4),
        round(ranking.hits10, 4),
        round(ranking.mrr, 4),
        round(chosen.precision, 4),
        round(chosen.recall, 4),
        round(chosen.f1, 4),
        round(took, 1),
        round(worked, 1),
        round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    )


def rows(pair: str, given: Case, embedder: Embedder) -> Iterator[Row]:
    """Every way of asking about one pair."""
    none = given.seeds[:0]
    for seeds in (none, given.seeds):
        for assignment in ("sinkhorn", "argmax"):
            yield asked(pair, given, embedder, Options(assignment=assignment), seeds)
    for assignment in ("sinkhorn", "argmax"):
        yield asked(
            pair, given, embedder, Options(assignment=assignment, names="hidden"), given.seeds
        )


class Estimate(NamedTuple):
    """What was matched, how much of it is right as estimated without a reference, and how much is."""

    pair: str
    matched: int
    estimated: float
    precision: float
    recall: float


def estimate(
    pair: str,
    given: Case,
    embedder: Embedder,
    options: Options,
    sources: Integers | None,
    targets: Integers | None,
) -> Estimate:
    """What is estimated and what is so, where these are asked about and may be answers (None:
    everybody).
    """
    seeds = given.seeds if options.names == "hidden" else given.seeds[:0]
    found = propose(
        given.left, given.right, embedder, options, seeds, sources=sources, targets=targets
    )
    right = {
        source: target
        for source, target in given.tests.tolist()
        if (sources is None or source in sources) and (targets is None or target in targets)
    }
    seeded = set(seeds[:, 0].tolist())
    rows = [
        row
        for row, first in enumerate(found.first)
        if first >= 0 and int(found.sources[row]) not in seeded
    ]
    hits = sum(right.get(int(found.sources[row])) == found.first[row] for row in rows)
    sure = float(found.confidence[rows].mean()) if rows else 0.0
    return Estimate(pair, len(rows), sure, hits / max(1, len(rows)), hits / max(1, len(right)))


def estimates(pairs_at_hand: Sequence[str], data: Path, embedder: Embedder) -> Iterator[Estimate]:
    """Each pair whole, with counterparts taken from the sources, and from both sides; then
    generated worlds.
    """
    for pair, names in product(pairs_at_hand, ("native", "hidden")):
        given = case(data / pair)
        for out in ((0.0, 0.0), (0.3, 0.0), (0.3, 0.3)):
            draw = np.random.default_rng(0)
            targets, sources = (
                given.tests[draw.random(len(given.tests)) >= share, 1 - at]
                for at, share in enumerate(out)
            )
            title = f"{pair}, {names}, {out[0]:.0%} of targets and {out[1]:.0%} of sources left out"
            yield estimate(title, given, embedder, Options(names=names), sources, targets)
    worlds = product((0,), (360, 4000), (0.0, 0.3), ("native", "hidden"))
    for draw_of, size, dangling, names in (
        *worlds,
        *product((1, 2, 3), (4000,), (0.3,), ("hidden",)),
    ):
        made = world(size, dangling=round(dangling * size), degree=6.0, seed=draw_of)
        known = np.random.default_rng(1).permutation(np.flatnonzero(made.answers >= 0))
        links = np.column_stack([known, made.answers[known]]).astype(np.int32)
        left, right = (without_values(side) for side in made[:2])
        number = round(0.3 * len(links))
        given = Case(left, right, links[:number], links[number:] if names == "hidden" else links)
        title = f"generated (seed {draw_of}), 2 x {size:,}, {names}, {dangling:.0%} without a counterpart"
        yield estimate(title, given, embedder, Options(names=names), None, None)


def embedder(name: str) -> Embedder:
    """The embedder over its cache."""
    if name == "characters":
        return CharacterEmbedder()
    cache = VectorCache(Path(CACHE) / "vectors.sqlite" if CACHE else ":memory:")
    return CachedEmbedder(LocalEmbedder(), cache, batch_size=512)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("KGNB_DATA"))
    parser.add_argument("--pairs", nargs="+", default=PAIRS)
    parser.add_argument("--embedder", choices=("local", "characters"), default="local")
    parser.add_argument("--precision", action="store_true")
    parser.add_argument("--first", action="store_true", help="the first row alone, then once more")
    given = parser.parse_args(arguments)
    if given.data is None:
        parser.error("name the data folder: --data DIR, or KGNB_DATA")
    if given.precision:
        print("| pair | matched | estimated | real | recall |")
        for one in estimates(given.pairs, given.data, CharacterEmbedder(128)):
            print(
                f"| {one.pair} | {one.matched:,} | {one.estimated:.3f} | {one.precision:.3f} | {one.recall:.3f} |",
                flush=True,
            )
        return 0
    print(
        "| pair | names | assignment | seeds | Hits@1 | Hits@10 | MRR | P | R | F1 | s | CPU s | MB |"
    )
    for pair in given.pairs:
        asked_about, vectors = case(given.data / pair), embedder(given.embedder)
        found = rows(pair, asked_about, vectors)
        if given.first:  # with no vector in the cache, and with all of them
            found = (next(rows(pair, asked_about, vectors)) for _ in range(2))
        for row in found:
            print("|", " | ".join(str(value) for value in asdict(row).values()), "|", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
