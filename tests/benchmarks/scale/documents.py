"""A thousand documents read by a scripted model: time, memory, resuming, and Dask workers.

``python -m tests.benchmarks.scale.documents [250 1000] [--characters 4000] [--workers 2]`` prints a
line for each number of documents: seconds and the peak of memory of one process; how many documents
a second process reads that finds the journals of one that was killed halfway; and whether the
workers of a Dask cluster, which share the folder of journals, give the same bytes. The model is a
stub that writes what the first sentence says: no figure is about what a model knows.

``--command`` has ``kgnb build --judge rule`` read small notes instead, alone and with
``--scheduler``, the second killed halfway and begun again.
"""

import argparse
import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

from rdflib import Graph

from kgnb.agents.kg_construction.instantiate import Options
from kgnb.llm.model import Reply, Request, ToolCall
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks.building import build_graph, compile_ontology

TBOX = """@prefix : <https://hut.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Hut a owl:Class ; rdfs:label "hut" . :Valley a owl:Class ; rdfs:label "valley" .
:beds a owl:DatatypeProperty , owl:FunctionalProperty ; rdfs:domain :Hut ; rdfs:range xsd:integer .
:lies a owl:ObjectProperty ; rdfs:label "lies in" ; rdfs:domain :Hut ; rdfs:range :Valley .
"""
SAID = re.compile(r"The hut (\w+) has (\d+) beds and lies in the valley (\w+)\.")
FILLER = "Nothing is said here that the ontology has a place for. "
OPTIONS = Options(together=0, no_plan=True, tool_budget=100_000)


def write_notes(folder: Path, number: int, characters: int) -> list[str]:
    """The paths of so many notes, each of one fact and words."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for at in range(number):
        path = folder / f"{at:05}.txt"
        text = f"The hut H{at} has {at % 90 + 1} beds and lies in the valley V{at % 40}. "
        path.write_text((text + FILLER * (characters // len(FILLER)))[:characters])
        paths.append(str(path))
    return paths


def reads(request: Request) -> Reply:
    """The calls for the first sentence, and the end."""
    if any(message.role == "tool" for message in request.messages):
        return Reply("", (ToolCall("end", "finish", {}),))
    said = SAID.search(request.messages[-1].text)
    if said is None:
        return Reply("", (ToolCall("end", "finish", {}),))
    hut, beds, valley = said.groups()
    made: list[tuple[str, dict[str, Any]]] = [
        ("create_hut", {"id": "h", "label": hut, "beds": int(beds), "quote": said[0]}),
        ("create_valley", {"id": "v", "label": valley, "quote": said[0]}),
        ("add_lies", {"subject": "h", "object": "v", "quote": said[0]}),
        ("finish", {}),
    ]
    return Reply("", tuple(ToolCall(f"c{at}", *one) for at, one in enumerate(made)))


def read(paths: list[str], folder: str, die_after: int = 0) -> dict[str, Any]:
    """What reading these documents took, in this process."""
    model = ScriptedModel(reads)
    begun = perf_counter()

    def dying(event: Any) -> None:
        if die_after and len(model.asked) >= die_after:
            os.kill(os.getpid(), signal.SIGKILL)

    pack = compile_ontology(Graph().parse(data=TBOX, format="turtle"))
    built = build_graph(
        paths, pack, judge="model", model=model, options=OPTIONS, folder=folder, on_event=dying
    )
    taken = perf_counter() - begun
    return {
        "facts": built.counts()["facts"],
        "requests": len(model.asked),
        "seconds": round(taken, 1),
        "MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        "sha256": hashlib.sha256(built.session.trig().encode()).hexdigest()[:16],
    }


def apart(paths: list[str], folder: Path, die_after: int = 0) -> dict[str, Any]:
    """The same in a process of its own; {} where it was killed."""
    given = json.dumps([paths, str(folder), die_after])
    done = subprocess.run(
        [sys.executable, "-m", __spec__.name, "--one"], input=given, capture_output=True, text=True
    )
    if done.returncode not in (0, -signal.SIGKILL):
        raise RuntimeError(done.stderr[-2000:])
    found: dict[str, Any] = json.loads(done.stdout) if done.returncode == 0 else {}
    return found


def on_workers(paths: list[str], folder: Path, workers: int) -> dict[str, Any]:
    """Blocks of the documents read by the workers of a cluster into one folder of journals; then
    the graph, which reads nothing again.
    """
    import distributed

    blocks = [paths[at : at + 50] for at in range(0, len(paths), 50)]
    with (
        distributed.LocalCluster(workers, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        begun = perf_counter()
        client.gather(client.map(read, blocks, folder=str(folder), pure=False))
        taken = perf_counter() - begun
    return apart(paths, folder) | {"seconds on workers": round(taken, 1)}


def write_cards(folder: Path, number: int) -> None:
    """So many notes of a name and two keys, which are read without a model."""
    folder.mkdir(parents=True)
    for at in range(number):
        text = f"Hut H{at}\n\nBeds: {at % 90 + 1}\nLies in: Valley V{at % 40}\n"
        (folder / f"{at:05}.txt").write_text(text)


def command(home: Path, out: str, *more: str, journals: int = 0) -> dict[str, Any]:
    """What ``kgnb build`` took and wrote; it is killed when there are so many journals."""
    kept, trig = home / f"{out}-journals", home / f"{out}.trig"
    build = [sys.executable, "-m", "kgnb", "build", str(home / "tbox.ttl"), str(home / "notes")]
    build += ["--judge", "rule", "--folder", str(kept), "-o", str(trig), *more]
    begun = perf_counter()
    with subprocess.Popen(build, stderr=subprocess.PIPE, text=True) as running:
        while journals and running.poll() is None and len(list(kept.rglob("*.json"))) < journals:
            sleep(0.02)
        if journals:
            running.kill()
            return {"killed with journals": len(list(kept.rglob("*.json")))}
        said = str(running.stderr and running.stderr.read())
        _, status, used = os.wait4(running.pid, 0)
    if status:
        raise RuntimeError(said[-2000:])
    return {
        "said": said.strip(),
        "seconds": round(perf_counter() - begun, 1),
        "MiB": used.ru_maxrss >> 10,
        "sha256": hashlib.sha256(trig.read_bytes()).hexdigest()[:16],
    }


def peak() -> int:
    """The most memory that this process has had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def by_command(number: int, workers: int) -> None:
    """Print what the command took alone, on the workers of a cluster, and on them after a kill."""
    import distributed

    with tempfile.TemporaryDirectory() as kept:
        home = Path(kept)
        (home / "tbox.ttl").write_text(TBOX)
        write_cards(home / "notes", number)
        found = [command(home, "alone")]
        with (
            distributed.LocalCluster(
                workers, threads_per_worker=1, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            there = ("--scheduler", cluster.scheduler_address)
            found.append(command(home, "spread", *there))
            killed = command(home, "killed", *there, journals=number // 2)
            found.append(command(home, "killed", *there))
            memory = max(client.run(peak).values())
    print(f"{number} small documents: {found[0]}")
    print(f"  on {workers} workers, of {memory} MiB each at most: {found[1]}")
    print(f"  {killed}, then: {found[2]}")
    same = len({one["sha256"] for one in found}) == 1
    print(f"  the same bytes: {'yes' if same else 'no'}", flush=True)


def main() -> None:
    """Print the lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("numbers", nargs="*", type=int, default=[250, 1000])
    parser.add_argument("--characters", type=int, default=4000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--one", action="store_true")
    parser.add_argument("--command", action="store_true")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(read(*json.load(sys.stdin))))
        return
    for number in given.numbers:
        if given.command:
            by_command(number, given.workers)
            continue
        with tempfile.TemporaryDirectory() as kept:
            home = Path(kept)
            paths = write_notes(home / "notes", number, given.characters)
            whole = apart(paths, home / "whole")
            killed = apart(paths, home / "killed", number // 2)
            resumed = apart(paths, home / "killed")
            spread = on_workers(paths, home / "spread", given.workers)
        print(f"{number} documents: {whole}")
        print(f"  killed halfway ({killed or 'nothing written'}), then: {resumed}")
        print(f"  on {given.workers} workers: {spread}")
        same = whole["sha256"] == resumed["sha256"] == spread["sha256"]
        print(f"  the same bytes: {'yes' if same else 'no'}", flush=True)


if __name__ == "__main__":
    main()
