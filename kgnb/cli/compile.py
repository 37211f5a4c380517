"""``kgnb compile`` and ``kgnb ground``: an ontology compiled, and a graph linked to another one."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from kgnb.agents.kg_construction.ground import Grounding
from kgnb.agents.kg_construction.options import GroundOptions
from kgnb.agents.options import given_of
from kgnb.backends import open_graph
from kgnb.cli.options import QUIET, input_options, stage_options
from kgnb.cli.serve import COMPILING
from kgnb.cli.work import Work, only_here
from kgnb.errors import DataError
from kgnb.files import read_input, write_whole
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.quads import Quad, quads, written
from kgnb.kg.result_files import inert
from kgnb.kg.terms import Iri, Term
from kgnb.tasks.building import compile_ontology, mistakes
from kgnb.tasks.building import ground as ground_graph
from kgnb.tasks.task import counted


@click.command()
@click.argument("tbox", nargs=-1, required=True)
@click.option(
    "--out",
    "-o",
    type=click.Path(file_okay=False),
    required=True,
    metavar="DIR",
    help="Folder for tools.json, plan.json, shapes.ttl, warnings.json and manifest.json.",
)
@click.option(
    "--shapes",
    multiple=True,
    metavar="FILE",
    help="SHACL shapes in addition to those in the ontology. Repeatable.",
)
@click.option(
    "--stats",
    type=click.Path(dir_okay=False),
    metavar="FILE.json",
    help="Write counts of classes, properties, tools, constraints and warnings here.",
)
@input_options(COMPILING)
@QUIET
def compile(tbox: tuple[str, ...], out: str, stats: str | None, **given: Any) -> None:
    """Compile the ontology TBOX into tools that can write valid facts only.

    TBOX is a file, folder or glob of RDF; several are read as one ontology. No model is asked,
    imports are not followed, and the same ontology gives the same bytes.

    \b
    Examples:
      kgnb compile kitchen.ttl --out pack/
      kgnb compile onto.owl units.rdf --shapes rules.ttl --out pack/ --stats stats.json
    """
    if stats and not Path(stats).absolute().parent.is_dir():
        what = f"--stats {stats}: there is no folder {Path(stats).parent}"
        raise ValueError(f"{what}\nName a file in a folder that exists.")
    work = Work(given)
    shapes = list(given["shapes"]) or None
    pack = compile_ontology(
        list(tbox),
        shapes,
        closed_world=not given["open_world"],
        derive_types=given["derive_types"],
        only=given["only"],
    )
    pack.save(out)
    if stats:
        content = {"tbox": list(tbox), "tbox_sha256": pack.manifest["tbox_sha256"], **pack.counts()}
        write_whole(Path(stats), json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    counts = pack.counts()
    parts = {
        name: counts[name] for name in ("classes", "properties", "tools", "constraints", "warnings")
    }
    work.say(f"{counted(parts)}, {work.seconds:.1f} s")
    kinds: dict[str, int] = counts["warnings by kind"]
    if kinds:
        work.say(
            f"not enforced, or at the end only: {', '.join(f'{kind} ({number})' for kind, number in kinds.items())}"
        )
    work.say(*mistakes(pack, ", ".join(tbox)))


FORMS = {
    ".trig": "trig",
    ".nq": "n-quads",
    ".nt": "n-triples",
    ".ttl": "turtle",
    ".jsonld": "json-ld",
}


@click.command()
@click.argument("graph")
@click.argument("reference")
@click.option(
    "--out",
    "-o",
    metavar="FILE",
    default="-",
    help="Where to write owl:sameAs (.ttl). [default: -]",
)
@click.option(
    "--rewrite",
    metavar="FILE",
    help="Also write GRAPH with the reference's IRIs; .trig and .nq keep its named graphs.",
)
@click.option(
    "--review", metavar="FILE", help="Write unsure links to this CSV file, for a person to decide."
)
@click.option(
    "--decisions",
    metavar="FILE",
    help="CSV of entity,target: a person's decisions, which are final.",
)
@click.option(
    "--schema",
    metavar="FILE",
    help="An ontology whose subclasses decide which classes are compatible.",
)
@click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="IRI",
    help="A label property; default: found by sampling. Repeatable.",
)
@stage_options(GroundOptions)
@click.option(
    "--cache",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Keep the reference's labels here.",
)
@QUIET
def ground(graph: str, reference: str, **given: Any) -> None:
    """Find which entities of GRAPH are the same as entities of REFERENCE, a file or a SPARQL
    endpoint's URL.

    \b
    Examples:
      kgnb ground kitchen.trig huts:pantry --out links.ttl --review unsure.csv
      kgnb ground papers.trig https://example.org/sparql --cache labels/ --rewrite
      papers-linked.trig
    """
    work = Work(given)
    places = [given[name] for name in ("out", "rewrite", "review")]
    only_here([place for place in places if place and place != "-"])
    options = GroundOptions(**given_of(GroundOptions, given))
    decided = _decisions(Path(given["decisions"])) if given["decisions"] else None
    if (
        given["rewrite"] and Path(given["rewrite"]).suffix.lower() not in FORMS
    ):  # before any work is done
        raise click.BadParameter(
            f"{given['rewrite']} does not end in {', '.join(FORMS)}", param_hint="--rewrite"
        )
    with work.reading(graph, reference):
        mine = open_graph(graph)
        found = ground_graph(
            mine,
            reference,
            options=options,
            schema=given["schema"],
            predicates=given["labels"],
            decisions=decided,
            cache=given["cache"],
            settings=work.settings,
            on_event=work.line.event,
        )
    if given["out"] == "-":
        sys.stdout.write(found.turtle())
    else:
        write_whole(Path(given["out"]), found.turtle())
    if given["rewrite"]:
        stored: Iterable[Quad] = (
            quads(mine) if isinstance(mine, OxigraphGraph) else ((t, None) for t in mine.triples())
        )
        rewriting = Path(given["rewrite"])
        write_whole(
            rewriting, written(linked(stored, found.mapping), FORMS[rewriting.suffix.lower()])
        )
    if given["review"]:
        write_whole(Path(given["review"]), _review(found))
    work.say(f"{counted(found.counts())}, {work.seconds:.1f} s", *filter(None, [found.note]))


def linked(content: Iterable[Quad], new: Mapping[str, str]) -> Iterator[Quad]:
    """The quads with every linked IRI replaced by the reference's, except predicates and names of
    graphs.
    """

    def mapped(term: Term) -> Term:
        return Iri(new.get(term, term)) if isinstance(term, Iri) else term

    for (subject, predicate, value), name in content:
        yield (mapped(subject), predicate, mapped(value)), name  # type: ignore[misc]  # an IRI becomes an IRI


def _review(found: Grounding) -> str:
    """The unsure links as CSV, with a column target for a person to fill in; no cell acts as a
    formula.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["entity", "target", "label", "candidates"])
    for link in found.unsure:
        others = " | ".join(f"{one.target} {one.label} {one.score:.2f}" for one in link.candidates)
        writer.writerow([link.entity, "", inert(link.label), inert(others)])
    return text.getvalue()


def _decisions(path: Path) -> dict[str, str | None]:
    """A person's decisions, the target of each entity: None if it has none; entities with "?" are
    left out.
    """
    rows = list(csv.DictReader(read_input(path, "Check the name.").splitlines()))
    if rows and not {"entity", "target"} <= set(rows[0]):
        raise DataError(
            "the columns entity and target are missing",
            where=path,
            fix="Start from the file of --review.",
        )
    return {row["entity"]: row["target"] or None for row in rows if row["target"] != "?"}
