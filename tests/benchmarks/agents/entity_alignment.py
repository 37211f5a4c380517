"""Entity alignment without a model on real pairs: what propose reaches, however it is asked.

python -m tests.benchmarks.agents.entity_alignment --data DIR [--pairs dbp15k/fr_en srprs/en_fr] [--curve] [--out FILE]

Every pair with and without seeds, assigned and per entity, names native and hidden; ``--curve`` adds hidden names
over the seed ratio. Vectors are kept in the folder ``KGNB_CACHE`` names; embedding 40,000 names takes some minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kgnb.agents.entity_alignment.graphs import EntityGraph, Integers, pairs
from kgnb.agents.entity_alignment.propose import propose
from kgnb.agents.entity_alignment.values import Options, Proposal
from kgnb.datasets.entity_folders import read_folder
from kgnb.evaluate.ranking import Measured, measure
from kgnb.tasks.sides import from_raw
from kgnb.vectors.cached_embedder import CachedEmbedder, VectorCache
from kgnb.vectors.character_embedder import CharacterEmbedder
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.local_embedder import LocalEmbedder

CACHE = os.environ.get("KGNB_CACHE")  # read here: the tests' own fixtures put a fresh folder in its place
PAIRS = ("dbp15k/fr_en", "srprs/en_fr")
CURVE = (0.05, 0.1, 0.2, 0.3)


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
        for source, candidates in zip(found.sources.tolist(), found.candidates.tolist(), strict=True)
    }
    chosen = [(left[s], right[t]) for s, t in zip(found.sources.tolist(), found.first.tolist(), strict=True) if t >= 0]
    links = [(left[s], right[t]) for s, t in tests.tolist()]
    return measure(rankings, chosen, links, universe=f"{len(links):,} test targets", seeds=len(found.seeds))


def asked(pair: str, given: Case, embedder: Embedder, options: Options, seeds: Integers) -> Row:
    """One run and its figures."""
    begun, cpu = time.perf_counter(), time.process_time()
    found = propose(
        given.left, given.right, embedder, options, seeds, sources=given.tests[:, 0], targets=given.tests[:, 1]
    )
    took, worked = time.perf_counter() - begun, time.process_time() - cpu
    figures = measured(found, given.tests)
    ranking, chosen = figures.ranking, figures.chosen
    return Row(
        pair, options.names, options.assignment, round(figures.seed_ratio, 3),
        round(ranking.hits1, 4), round(ranking.hits10, 4), round(ranking.mrr, 4),
        round(chosen.precision, 4), round(chosen.recall, 4), round(chosen.f1, 4),
        round(took, 1), round(worked, 1), round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    )  # fmt: skip


def rows(pair: str, given: Case, embedder: Embedder, curve: bool) -> Iterator[Row]:
    """Every way of asking about one pair."""
    none = given.seeds[:0]
    for seeds in (none, given.seeds):
        for assignment in ("sinkhorn", "argmax"):
            yield asked(pair, given, embedder, Options(assignment=assignment), seeds)
    for assignment in ("sinkhorn", "argmax"):
        yield asked(pair, given, embedder, Options(assignment=assignment, names="hidden"), given.seeds)
    if curve:
        order = np.random.default_rng(0).permutation(len(given.seeds))
        known = len(given.seeds) + len(given.tests)
        for ratio in CURVE[:-1]:
            seeds = given.seeds[np.sort(order[: round(ratio * known)])]
            yield asked(pair, given, embedder, Options(names="hidden"), seeds)


def embedder(name: str) -> Embedder:
    """The embedder over its cache."""
    if name == "characters":
        return CharacterEmbedder()
    return CachedEmbedder(LocalEmbedder(), VectorCache(Path(CACHE) / "vectors.sqlite" if CACHE else ":memory:"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("KGNB_DATA"))
    parser.add_argument("--pairs", nargs="+", default=PAIRS)
    parser.add_argument("--embedder", choices=("local", "characters"), default="local")
    parser.add_argument("--curve", action="store_true")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    if given.data is None:
        parser.error("name the data folder: --data DIR, or KGNB_DATA")
    found: list[Row] = []
    print("| pair | names | assignment | seeds | Hits@1 | Hits@10 | MRR | P | R | F1 | s | CPU s | MB |")
    for pair in given.pairs:
        for row in rows(pair, case(given.data / pair), embedder(given.embedder), given.curve):
            print("|", " | ".join(str(value) for value in asdict(row).values()), "|", flush=True)
            found.append(row)
    if given.out:
        given.out.write_text(json.dumps([asdict(row) for row in found], indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
