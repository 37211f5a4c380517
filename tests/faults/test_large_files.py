# ruff: noqa: E501
"""Large and small-but-growing files within bounds of memory: each is read, or refused, in a process that may not grow."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.hostile_text import PREFIX
from tests.faults.tries import WHOLE

pytestmark = [
    pytest.mark.fault("large files, bounded memory"),
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the limit on addresses is Linux's"),
]
MANY = 1_000_000 if WHOLE else 100_000

READ = """
import resource, sys, time
from collections import Counter
from pathlib import Path
from kgnb.errors import DataError
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
graph = OxigraphGraph()
try:
    load(graph, sys.argv[1])
    said = f"read {graph.count()}"
except DataError as error:
    said = "refused " + error.what.rpartition(": ")[2][:60]
print(said, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10, sep="|")
"""


def long_literal(path: Path) -> None:
    path.write_text(f'{PREFIX}:a :b "{"x" * (100 << 20)}" .')


def deep_collection(path: Path) -> None:
    path.write_text(f"{PREFIX}:a :b {'(' * MANY}{')' * MANY} .")


def long_collection(path: Path) -> None:
    path.write_text(f"{PREFIX}:a :b ({' :c' * MANY} ) .")


def tiny_triples(path: Path) -> None:
    with path.open("w") as out:
        for number in range(MANY):
            out.write(f"<a:s{number}> <a:p> <a:o{number % 1000}> .\n")


CASES: dict[
    str, tuple[Callable[[Path], None], str, int]
] = {  # writes it, what must be said, MB a million units may take
    "long.ttl": (long_literal, "refused a single term", 1_500),
    "deep.ttl": (deep_collection, "read", 3_000),
    "collection.ttl": (long_collection, "read", 3_000),
    "tiny.nt": (tiny_triples, "read", 2_000),
}


@pytest.mark.parametrize("name", CASES if WHOLE else [name for name in CASES if name != "long.ttl"])
def test_it_is_read_or_refused_within_its_memory(tmp_path: Path, name: str) -> None:
    write, wanted, most = CASES[name]
    path = tmp_path / name
    write(path)
    done = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    said, _, grown = done.stdout.strip().partition("|")
    print(f"{name}: {said}, {grown} MB")
    assert said.startswith(wanted)
    assert int(grown) <= (most if WHOLE else most // 5)
