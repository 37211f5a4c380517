"""How time and memory of building grow with the documents: the hut kitchens' notes again and again, each one renamed.

python -m tests.benchmarks.scale.construction 0.5 1 5

Every size, in megabytes of text, runs in a process of its own, read by the rule. The last column is the growth of time
against the size before: 1 is linear, 2 quadratic. With ``--replayed`` one document in a hundred is read, and its calls
are done again, unchecked, for all the others: the same graph with the same journals, held and saved, for memory alone.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from math import log
from pathlib import Path
from typing import Any

from kgnb.agents.kg_construction.documents import Document, read_document
from kgnb.agents.kg_construction.instantiate import _apply
from kgnb.tasks.building import build_graph, compile_ontology, find_documents

HUTS = Path(__file__).parents[3] / "data" / "huts"


def notes(size: int) -> list[Document]:
    """Documents of at least so many characters in all: no two are about the same dish, all use the same ingredients."""
    plain = [read_document(one) for one in find_documents(HUTS / "kitchen") if not one.name.endswith("html")]
    found: list[Document] = []
    written = 0
    while written < size:
        one, again = plain[len(found) % len(plain)], len(found) // len(plain)
        title, _, rest = one.text.partition("\n")
        found.append(Document(f"{again:05d}-{one.name}", f"{title} {again}\n{rest}"))
        written += len(found[-1].text)
    return found


def run_size(megabytes: float, journals: bool = True) -> dict[str, Any]:
    """Build a graph of this much text and save it with where it comes from."""
    pack = compile_ontology(HUTS / "kitchen.ttl", HUTS / "kitchen-shapes.ttl")
    documents = notes(round(megabytes * 1_000_000))
    begun, wall = time.process_time(), time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        built = build_graph(documents, pack, judge="rule", folder=Path(name) / "journals" if journals else None)
        read, counts = time.process_time(), built.counts()
        reading = _highest()
        built.save(Path(name) / "out.trig")
        written = (Path(name) / "out.trig").stat().st_size
    return {
        "megabytes": megabytes, **{n: counts[n] for n in ("documents", "calls", "facts")},
        "build CPU s": round(read - begun, 1), "save CPU s": round(time.process_time() - read, 1),
        "CPU s a MB": round((time.process_time() - begun) / megabytes, 1),
        "wall s": round(time.perf_counter() - wall, 1), "peak MB building": reading, "peak MB": _highest(),
        "MB written": round(written / 1e6, 1),
    }  # fmt: skip


def run_replayed(megabytes: float) -> dict[str, Any]:
    """The graph of this much text, of which a hundredth is read: what holding and saving it takes."""
    pack = compile_ontology(HUTS / "kitchen.ttl", HUTS / "kitchen-shapes.ttl")
    documents = notes(round(megabytes * 1_000_000))
    part = len([one for one in documents if one.name < documents[len(documents) // 100].name])
    session, begun = pack.session(checked=False), time.process_time()
    read = [replace(journal, acts=tuple(journal.acts))
            for journal in build_graph(documents[:part], pack, judge="rule").journals]  # fmt: skip
    journals = []
    for at, document in enumerate(documents):
        journal = read[at % part]
        old, new = (one.text.partition("\n")[0].lstrip("# ") for one in (documents[at % part], document))
        acts = [replace(act, arguments={k: new if v == old else v for k, v in act.arguments.items()})
                for act in journal.acts]  # fmt: skip
        journals.append(replace(journal, document=document.name, acts=tuple(acts)).packed())
        _apply(journals[-1], session)
    reading = _highest()
    with tempfile.TemporaryDirectory() as name:
        written = session.save(Path(name) / "out.trig").stat().st_size
    return {
        "megabytes": megabytes, "documents": len(journals), "read": part, "calls": sum(len(j.acts) for j in journals),
        "facts": len(session.facts), "CPU s": round(time.process_time() - begun, 1), "peak MB holding": reading,
        "peak MB": _highest(), "MB written": round(written / 1e6, 1),
    }  # fmt: skip


def _highest() -> int:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the sizes one after another and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", nargs="*", type=float, default=[0.5, 1, 5])
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--replayed", action="store_true", help="memory alone, most calls done again unchecked")
    given = parser.parse_args(arguments)
    if given.one:
        way = run_replayed if given.replayed else run_size
        print(json.dumps(way(given.sizes[0])))
        return
    before: dict[str, Any] = {}
    for size in sorted(given.sizes):
        command = [sys.executable, "-m", __spec__.name, str(size), "--one", *["--replayed"] * given.replayed]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        run = json.loads(done.stdout.splitlines()[-1])
        costs = [one.get("CPU s") or one["build CPU s"] + one["save CPU s"] for one in (run, before) if one]
        if before:
            run["growth"] = round(log(costs[0] / costs[1]) / log(size / before["megabytes"]), 2)
        print(run, flush=True)
        before = run


if __name__ == "__main__":
    main()
