"""How time and memory grow with the size of two generated ontologies, stage by stage, without a
model.

python -m tests.benchmarks.scale.growth 1000 5000 20000 50000 --embedder characters --out
growth.json

Every size runs in a process of its own. Prints a table and, for each stage, the exponent of its
growth: 1 is linear, 2 quadratic. With ``--out`` the runs are saved as JSON.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.rule import RuleJudge
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.validate import validate
from kgnb.backends import open_index, open_ontology
from kgnb.evaluate.alignment import score, triples
from kgnb.run.collecting import collecting_seldom
from kgnb.settings import Settings
from kgnb.vectors.cached_embedder import CachedEmbedder, VectorCache
from kgnb.vectors.character_embedder import CharacterEmbedder, TinyEmbedder
from kgnb.vectors.embedder import Embedder
from tests.benchmarks.scale.generated import generate

DIMENSIONS = 384  # as many as the small models have
STAGES = ("read", "retrieve", "embed", "store", "search", "summarise", "validate", "merge")

T = TypeVar("T")


class Meter:
    """Seconds of CPU and wall time, and the highest memory of the process, stage by stage."""

    def __init__(self) -> None:
        self.stages: dict[str, dict[str, float]] = {}
        self._highest = 0.0
        self._ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def measure(self, stage: str, work: Callable[[], T]) -> T:
        """Run a stage; what it ends with is its result."""
        self._highest = _memory()
        begun, cpu = time.perf_counter(), time.process_time()
        with collecting_seldom():  # as in a run
            result = work()
        self._highest = max(self._highest, _memory())
        self.stages[stage] = {
            "seconds": round(time.perf_counter() - begun, 3),
            "cpu": round(time.process_time() - cpu, 3),
            "megabytes": round(self._highest),
        }
        return result

    def _watch(self) -> None:
        while not self._ended.wait(0.02):
            self._highest = max(self._highest, _memory())


def _memory() -> float:
    """Megabytes this process holds now."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def run_size(classes: int, embedder_name: str) -> dict[str, Any]:
    """Match two ontologies of this size once; seconds, megabytes, counts and scores."""
    embedder: Embedder = (
        TinyEmbedder(DIMENSIONS) if embedder_name == "tiny" else CharacterEmbedder(DIMENSIONS)
    )
    meter, settings = Meter(), Settings(embedder="tiny")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = generate(classes, folder)
        sides = meter.measure(
            "read", lambda: [open_ontology(path) for path in (made.source, made.target)]
        )
        described = meter.measure("retrieve", lambda: retrieve(*sides))
        cached = CachedEmbedder(embedder, VectorCache(folder / "vectors.sqlite"))
        texts = {
            text
            for d in described.descriptions
            for view in ("syntactic", "lexical")
            for text in d.texts(view)
        }
        texts |= {text for d in described.descriptions for text in d.related}
        meter.measure("embed", lambda: cached.embed(sorted(texts)))
        stored = meter.measure(
            "store", lambda: store(described, open_index("memory", settings), cached)
        )
        found = meter.measure("search", lambda: search(stored))
        summarised = meter.measure("summarise", lambda: summarise(found))
        validated = meter.measure("validate", lambda: validate(summarised, RuleJudge()))
        alignment = meter.measure("merge", lambda: merge(validated))
    result = score(
        triples(alignment, "equivalent"), [(*pair, "equivalent") for pair in made.reference]
    )
    counts = {"texts": len(texts), "candidates": len(found.cosines), "mappings": len(alignment)}
    return {"classes": classes, "stages": meter.stages, **counts, "f1": round(result.f1, 4)}


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float | None:
    """The slope of log(value) over log(size) by least squares; None with fewer than two sizes."""
    if len(set(sizes)) < 2 or min(values) <= 0:
        return None
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def table(runs: Sequence[dict[str, Any]], measure: str) -> str:
    """One line a stage, one column a size, and the exponent of growth."""
    sizes = [run["classes"] for run in runs]
    lines = [
        f"{measure:12s}" + "".join(f"{f'2 x {size}':>12s}" for size in sizes) + f"{'exponent':>10s}"
    ]
    sums = [sum(run["stages"][stage][measure] for stage in STAGES) for run in runs]
    tops = [max(run["stages"][stage][measure] for stage in STAGES) for run in runs]
    rows = [(stage, [run["stages"][stage][measure] for run in runs]) for stage in STAGES]
    rows.append(("highest", tops) if measure == "megabytes" else ("all", sums))
    for name, values in rows:
        slope = exponent(sizes, values)
        told = "" if slope is None else f"{slope:.2f}"
        lines.append(f"{name:12s}" + "".join(f"{value:12.1f}" for value in values) + f"{told:>10s}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the sizes one after another and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", nargs="*", type=int, default=[1000, 5000, 20000, 50000])
    parser.add_argument("--embedder", choices=("characters", "tiny"), default="characters")
    parser.add_argument("--out", type=Path, help="write the runs as JSON")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.one:
        print(json.dumps(run_size(given.sizes[0], given.embedder)))
        return
    runs = []
    for size in sorted(given.sizes):
        command = [
            sys.executable,
            "-m",
            __spec__.name,
            str(size),
            "--one",
            "--embedder",
            given.embedder,
        ]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        runs.append(json.loads(done.stdout.splitlines()[-1]))
        print({name: value for name, value in runs[-1].items() if name != "stages"}, flush=True)
    for measure in ("cpu", "seconds", "megabytes"):
        print("\n" + table(runs, measure))
    candidates = exponent([run["classes"] for run in runs], [run["candidates"] for run in runs])
    print(f"\ncandidates grow with exponent {candidates:.2f}" if candidates is not None else "")
    if given.out:
        given.out.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
