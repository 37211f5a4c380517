"""Anatomy end to end without a model: how long it takes beside embedding alone, and once the
vectors are cached.

KGNB_DATA=... python -m tests.benchmarks.scale.anatomy --cache FOLDER

The warm run is measured; the first run with a new cache embeds some nine thousand texts before
that, which takes minutes. Embedding from scratch is not repeated: a sample is embedded, and its
rate is scaled up to all texts.
"""

import argparse
import os
import random
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.rule import RuleJudge
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.validate import validate
from kgnb.backends import open_embedder, open_index, open_ontology
from kgnb.datasets.oaei import matching_set
from kgnb.run.collecting import collecting_seldom
from kgnb.settings import Settings
from kgnb.vectors.cached_embedder import CachedEmbedder, VectorCache

SAMPLE = 500

T = TypeVar("T")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--cache", type=Path, required=True, help="folder of vectors.sqlite, filled if need be"
    )
    parser.add_argument(
        "--sample",
        type=int,
        default=SAMPLE,
        help="texts embedded anew to measure the rate; 0: none",
    )
    parser.add_argument("--embedder", help="another one than local")
    given = parser.parse_args(arguments)
    settings = Settings(cache=given.cache, data=Path(os.environ["KGNB_DATA"]))
    (case,) = matching_set("oaei-anatomy", settings.data).cases
    embedder = open_embedder(given.embedder, settings)
    described = retrieve(*(open_ontology(path) for path in (case.source, case.target)))
    texts = sorted(
        {
            text
            for d in described.descriptions
            for view in ("syntactic", "lexical")
            for text in d.texts(view)
        }
        | {text for d in described.descriptions for text in d.related}
    )
    begun = time.process_time()
    embedder.embed(texts)
    print(
        f"{len(texts)} texts embedded, or read from the cache, in {time.process_time() - begun:.1f} s of CPU"
    )
    stages: dict[str, tuple[float, float]] = {}

    def timed(name: str, work: Callable[[], T]) -> T:
        begun, cpu = time.perf_counter(), time.process_time()
        with collecting_seldom():  # as in a run
            result = work()
        stages[name] = (time.perf_counter() - begun, time.process_time() - cpu)
        return result

    ontologies = timed("read", lambda: [open_ontology(path) for path in (case.source, case.target)])
    described = timed("retrieve", lambda: retrieve(*ontologies))
    stored = timed("store", lambda: store(described, open_index(None, settings), embedder))
    found = timed("search", lambda: search(stored))
    summarised = timed("summarise", lambda: summarise(found))
    validated = timed("validate", lambda: validate(summarised, RuleJudge()))
    alignment = timed("merge", lambda: merge(validated))
    for name, (wall, cpu) in stages.items():
        print(f"{name:10s} {wall:6.1f} s {cpu:6.1f} s of CPU")
    wall, cpu = (sum(values) for values in zip(*stages.values(), strict=True))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"warm: {len(alignment)} mappings in {wall:.1f} s ({cpu:.1f} s of CPU), {memory:.0f} MB at most"
    )
    if given.sample:
        _cold(embedder, texts, given.sample, cpu)


def _cold(embedder: object, texts: Sequence[str], sample: int, rest: float) -> None:
    picked = random.Random(0).sample(texts, min(sample, len(texts)))
    inner = embedder.embedder if isinstance(embedder, CachedEmbedder) else embedder
    fresh = CachedEmbedder(inner, VectorCache(":memory:"), batch_size=512)  # type: ignore[arg-type]  # whatever open_embedder gave
    fresh.embed(picked[:8])  # loads the model
    begun, cpu = time.perf_counter(), time.process_time()
    fresh.embed(picked[8:])
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    alone = cpu * len(texts) / (len(picked) - 8)
    print(
        f"cold: {len(picked) - 8} of {len(texts)} texts embedded in {seconds:.1f} s ({cpu:.1f} s of CPU); scaled up, "
        f"embedding alone takes {alone:.0f} s of CPU, everything {alone + rest:.0f} s: "
        f"{(alone + rest) / alone:.2f} times as long"
    )


if __name__ == "__main__":
    main()
