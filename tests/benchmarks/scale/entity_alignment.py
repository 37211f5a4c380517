"""How propose's time and memory grow with two generated graphs, beside the plain way: all pairs,
dense matrices.

python -m tests.benchmarks.scale.entity_alignment 2000 5000 20000 [--dense-up-to 10000] [--rounds 3]
[--out FILE]

Names are embedded by spelling (characters), before the clock starts; every size runs in a process
of its own. The plain way is what is simple and strong: names spread over two hops, all cosines,
dense Sinkhorn of ten rounds.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kgnb.agents.entity_alignment.graphs import EntityGraph
from kgnb.agents.entity_alignment.names import compare_ready
from kgnb.agents.entity_alignment.propose import propose
from kgnb.agents.entity_alignment.relations import adjacency, edges_of, spread, unit
from kgnb.agents.entity_alignment.values import Options
from kgnb.vectors.character_embedder import CharacterEmbedder
from kgnb.vectors.embedder import Vectors

_SYLLABLES = [
    a + b + c for a in "bcdfglmnprstvz" for b in "aeiou" for c in ("", "l", "n", "r", "s")
]
_DEGREE = 6  # triples an entity, as in the published pairs
_TEMPERATURE = 0.02


class Kept:
    """An embedder that has embedded before the clock starts."""

    dimensions = 384

    def __init__(self, texts: Sequence[str]) -> None:
        rows = CharacterEmbedder(self.dimensions).embed(texts)
        self._rows = dict(zip(texts, rows, strict=True))
        self.name = "characters, kept"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The rows kept."""
        return np.array([self._rows[text] for text in texts], dtype=np.float32)


def generated(size: int, seed: int = 0) -> tuple[EntityGraph, EntityGraph]:
    """A graph and its copy: entity i is entity i, a letter of every name is another, one triple in
    eight is missing.
    """
    draw = np.random.default_rng(seed)
    words = [
        f"{_SYLLABLES[a]}{_SYLLABLES[b]}".title()
        for a, b in draw.integers(0, len(_SYLLABLES), (size, 2))
    ]
    more = draw.integers(0, size, (size, 2))
    names = [
        f"{words[at]} {words[one]} {words[other]}" for at, (one, other) in enumerate(more.tolist())
    ]
    cuts = draw.integers(1, 6, size).tolist()
    misspelt = [f"{name[:cut]}y{name[cut + 1 :]}" for name, cut in zip(names, cuts, strict=True)]
    number = size * _DEGREE
    popular = (size * draw.random(number) ** 3).astype(np.int64)  # a few are pointed at by many
    triples = np.column_stack(
        [draw.integers(0, size, number), draw.integers(0, 50, number), popular]
    ).astype(np.int32)
    relations = tuple(f"http://r.example/{number}" for number in range(50))
    sides = ((names, triples), (misspelt, triples[draw.random(number) > 0.125]))
    left, right = (
        EntityGraph(
            side,
            tuple(f"http://{side}.example/{n}" for n in range(size)),
            tuple(called),
            relations,
            rows,
        )
        for side, (called, rows) in zip(("left", "right"), sides, strict=True)
    )
    return left, right


def plain(left: EntityGraph, right: EntityGraph, embedder: Kept) -> np.ndarray:
    """The target of each source, the dense way."""
    named = compare_ready(left.names, right.names, embedder)
    features = []
    for side, graph in zip(named, (left, right), strict=True):
        features.append(
            unit(side.vectors + sum(spread(side.vectors, adjacency(edges_of(graph)), 2)))
        )
    chances = np.exp((features[0] @ features[1].T - 1) / _TEMPERATURE)
    for _ in range(10):
        chances /= chances.sum(axis=1, keepdims=True) + 1e-30
        chances /= chances.sum(axis=0, keepdims=True) + 1e-30
    found: np.ndarray = chances.argmax(axis=1)
    return found


def one(size: int, way: str, rounds: int) -> dict[str, Any]:
    """Seconds, CPU seconds, peak megabytes beyond the start, and Hits@1 of one run."""
    left, right = generated(size)
    embedder = Kept([*dict.fromkeys((*left.names, *right.names))])
    ways: dict[str, Callable[[], np.ndarray]] = {
        "propose": lambda: propose(left, right, embedder, Options(rounds=rounds)).candidates[:, 0],
        "dense": lambda: plain(left, right, embedder),
    }
    held, begun, cpu = _megabytes("VmRSS"), time.perf_counter(), time.process_time()
    found = ways[way]()
    return {
        "entities": size,
        "way": way,
        "seconds": round(time.perf_counter() - begun, 1),
        "cpu": round(time.process_time() - cpu, 1),
        "megabytes": round(_megabytes("VmHWM")),
        "of which data": round(held),
        "hits1": round(float(np.mean(found == np.arange(size))), 4),
    }


def _megabytes(what: str) -> float:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{what}:"):
            return int(line.split()[1]) / 1024
    return 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sizes", nargs="*", type=int, default=[2000, 5000, 20000])
    parser.add_argument("--dense-up-to", type=int, default=10000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", choices=("propose", "dense"), help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.only:
        print(json.dumps(one(given.sizes[0], given.only, given.rounds)))
        return 0
    rows = []
    for size in given.sizes:
        for way in ("propose", *(["dense"] if size <= given.dense_up_to else [])):
            command = [
                sys.executable,
                "-m",
                "tests.benchmarks.scale.entity_alignment",
                str(size),
                "--only",
                way,
            ]
            done = subprocess.run(
                [*command, "--rounds", str(given.rounds)],
                capture_output=True,
                text=True,
                check=True,
            )
            rows.append(json.loads(done.stdout))
            print(
                "| " + " | ".join(f"{key} {value}" for key, value in rows[-1].items()) + " |",
                flush=True,
            )
    if given.out:
        given.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
