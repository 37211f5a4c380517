"""How much faster a sweep is with four processes: a model takes 200 ms a call. Calls at once: ``llm.in_flight``.

Every figure is a whole sweep of the ontology matching report on our own data, from the command to the comparison: the
processes start, the reports run, are drawn, and are compared. Serial and parallel runs take turns, in the same minutes,
each with an empty cache of replies and the vectors at hand; the ratio is of the best of each.

python -m tests.benchmarks.run.parallel [ROUNDS]
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.llm.stub_server import StubServer
from tests.reporting.answering import answer

LATENCY, PROCESSES, ROUNDS = 0.2, 4, 2
HUTS, KS = {"dataset": "huts", "judge": "model", "embedder": "characters"}, (2, 3, 4, 5, 6, 7, 8, 9)


def sweep(folder: Path, workers: int, url: str, ks: Sequence[int]) -> float:
    """Seconds that a sweep takes, one call at once in every report."""
    (folder / "cache").mkdir(parents=True)
    vectors = folder.parent / "vectors.sqlite"
    if vectors.is_file():
        shutil.copy(vectors, folder / "cache")
    (folder / "grid.yaml").write_text(json.dumps({"report": "ontology-matching", "parameters": HUTS | {"k": ks}}))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("KGNB_", "OPENAI_"))}
    environment |= {"KGNB_CACHE": str(folder / "cache"), "KGNB_MODEL": "stub", "KGNB_BASE_URL": url}
    environment |= {"KGNB_WIDTH": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    words = ["sweep", str(folder / "grid.yaml"), "--out", str(folder / "out"), "-j", str(workers)]
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-m", "kgnb", *words], env=environment, check=True, capture_output=True)
    taken = time.perf_counter() - begun
    if not vectors.is_file():
        shutil.copy(folder / "cache" / "vectors.sqlite", vectors)
    return taken


def processes(rounds: int = ROUNDS, ks: Sequence[int] = KS) -> float:
    """How many times faster the sweep is with four processes; both must give the same comparison."""
    taken: dict[int, list[float]] = {1: [], PROCESSES: []}
    with TemporaryDirectory() as folder, StubServer(answer, delay=LATENCY) as server:
        pages = set()
        for number in range(rounds):
            for workers in taken:
                home = Path(folder) / f"{number}-{workers}"
                before = len(server.requests)
                taken[workers].append(sweep(home, workers, server.url, ks))
                calls = len(server.requests) - before
                pages.add((home / "out" / "comparison.html").read_bytes())
                print(f"-j {workers}: {taken[workers][-1]:.1f} s, {calls} model calls", flush=True)
    if len(pages) != 1:
        raise RuntimeError("serial and parallel sweeps gave different comparisons")
    return min(taken[1]) / min(taken[PROCESSES])


def main(rounds: int = ROUNDS) -> None:
    """Print the ratio."""
    ratio = processes(rounds)
    print(
        f"server latency {1000 * LATENCY:.0f} ms, {os.cpu_count()} cores: {PROCESSES} processes run {len(KS)} reports "
        f"{ratio:.1f} times as fast as one"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else ROUNDS)
