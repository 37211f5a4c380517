"""``kgnb compile``: an ontology in, tools out."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.files import write_whole
from kgnb.tasks.building import compile_ontology


@click.command()
@click.argument("tbox", nargs=-1, required=True)
@click.option("--out", "-o", type=click.Path(file_okay=False), required=True, metavar="DIR",
              help="Folder for tools.json, plan.json, shapes.ttl, warnings.json and manifest.json.")  # fmt: skip
@click.option("--shapes", multiple=True, metavar="FILE", help="SHACL beside the ontology; repeatable.")
@click.option("--stats", type=click.Path(dir_okay=False), metavar="FILE.json",
              help="Write counts of classes, properties, tools, constraints and warnings here.")  # fmt: skip
@click.option("--open-world", is_flag=True, help="Do not require at finish what the ontology says exists.")
@click.option("--only", multiple=True, metavar="CLASS",
              help="Tools for CLASS and what it cannot be said without alone; repeatable.")  # fmt: skip
@click.option("--quiet", "-q", is_flag=True, help="No summary on standard error.")
def compile(
    tbox: tuple[str, ...], out: str, shapes: tuple[str, ...], stats: str | None, open_world: bool,
    only: tuple[str, ...], quiet: bool,
) -> None:  # fmt: skip
    """Compile the ontology TBOX into tools that can write valid facts only.

    TBOX is a file, folder or glob of RDF; several are read as one ontology. No model is asked, imports are not
    followed, and the same ontology gives the same bytes.

    \b
    Examples:
      kgnb compile kitchen.ttl --out pack/
      kgnb compile onto.owl units.rdf --shapes rules.ttl --out pack/ --stats stats.json
    """
    if stats and not Path(stats).absolute().parent.is_dir():
        raise ValueError(f"--stats {stats}: there is no folder {Path(stats).parent}\nName a file in a folder there is.")
    begun = perf_counter()
    pack = compile_ontology(list(tbox), list(shapes) or None, closed_world=not open_world, only=only)
    pack.save(out)
    if stats:
        text = json.dumps(statistics(pack, tbox), ensure_ascii=False, indent=1) + "\n"
        write_whole(Path(stats), text)
    if not quiet:
        click.echo(_summary(pack, perf_counter() - begun), err=True)


def statistics(pack: ToolPack, tbox: tuple[str, ...]) -> dict[str, Any]:
    """What ``--stats`` writes: the counts of a pack, its inputs and the hash of what was compiled."""
    return {"tbox": list(tbox), "tbox_sha256": pack.manifest["tbox_sha256"], **pack.counts()}


def _summary(pack: ToolPack, seconds: float) -> str:
    counts = pack.counts()
    parts = [f"{counts[name]:,} {name}" for name in ("classes", "properties", "tools", "constraints", "warnings")]
    lines = [f"kgnb: {', '.join(parts)}, {seconds:.1f} s"]
    kinds: dict[str, int] = counts["warnings by kind"]
    if kinds:
        lines.append("kgnb: not enforced: " + ", ".join(f"{kind} ({number})" for kind, number in kinds.items()))
    return "\n".join(lines)
