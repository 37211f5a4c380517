"""How much of all against all the cells find, and in which share of its time: generated names, character vectors.

python -m tests.benchmarks.vectors.approximate 20000 50000

Above 20,000 names all against all is measured on a sample of rows and scaled up, as if both ways cost what one does.
"""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import numpy as np

from kgnb.backends import open_ontology
from kgnb.settings import Settings
from kgnb.vectors.character_embedder import CharacterEmbedder
from kgnb.vectors.nearest import Grouped, Neighbours, centred, nearest, nearest_entities
from tests.benchmarks.scale.generated import generate

K, DIMENSIONS = 10, 384
SAMPLED_ABOVE, SAMPLE = 20_000, 1_000

T = TypeVar("T")


def compare(names: int) -> tuple[float, float, float]:
    """Recall at 10 (the lower of both directions), CPU seconds of all against all, and of the cells."""
    with TemporaryDirectory() as folder:
        made = generate(names, Path(folder))
        texts = [_labels(path) for path in (made.source, made.target)]
    embedder = CharacterEmbedder(DIMENSIONS)
    vectors = centred(*(embedder.embed(side) for side in texts))
    a, b = (Grouped(side, np.arange(len(side)), len(side)) for side in vectors)
    found, in_cells = _seconds(lambda: nearest_entities(a, b, K, exact_up_to=0))
    if names <= SAMPLED_ABOVE:
        exact, all_with_all = _seconds(lambda: nearest_entities(a, b, K, exact_up_to=None))
        return min(_recall(*both) for both in zip(found, exact, strict=True)), all_with_all, in_cells
    rows = np.sort(np.random.default_rng(0).choice(names, SAMPLE, replace=False))
    there, seconds = _seconds(lambda: nearest(a.vectors[rows], b.vectors, K))
    back, more = _seconds(lambda: nearest(b.vectors[rows], a.vectors, K))
    recalls = [
        _recall(Neighbours(side.indices[rows], side.scores[rows]), exact)
        for side, exact in zip(found, (there, back), strict=True)
    ]
    return min(recalls), (seconds + more) / 2 * names / SAMPLE, in_cells


def _labels(path: Path) -> list[str]:
    ontology = open_ontology(path, Settings(embedder="tiny"))
    return [entity.labels[0].text for entity in ontology.of_kind("class")]


def _recall(found: Neighbours, wanted: Neighbours) -> float:
    hits = sum(len(np.intersect1d(a, b)) for a, b in zip(found.indices, wanted.indices, strict=True))
    return hits / wanted.indices.size


def _seconds(work: Callable[[], T]) -> tuple[T, float]:
    begun = time.process_time()
    return work(), time.process_time() - begun


def main(arguments: Sequence[str]) -> None:
    """One line a size."""
    for names in map(int, arguments or ["20000"]):
        recall, exact, cells = compare(names)
        print(
            f"2 x {names} names, {DIMENSIONS} dimensions, top {K}, both ways: all with all {exact:.1f} s of CPU, "
            f"cells {cells:.1f} s ({exact / cells:.1f} times as fast), recall {recall:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
