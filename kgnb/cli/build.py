"""``kgnb compile``, ``build``, ``ground``: an ontology and documents in, a graph out that keeps it; its links."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from kgnb.agents.kg_construction import AGENT
from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.compile import MISTAKES
from kgnb.agents.kg_construction.documents import find_documents, is_utf8
from kgnb.agents.kg_construction.ground import Grounding
from kgnb.agents.kg_construction.ground import Options as GroundOptions
from kgnb.agents.kg_construction.instantiate import Options
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.options import given_of, names_of
from kgnb.backends import file_of, open_graph
from kgnb.cli.outcome import TerminalLine, check_outs
from kgnb.cli.work import Work, agent_command
from kgnb.errors import DataError
from kgnb.files import write_whole
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.quads import Quad, quads, written
from kgnb.kg.result_files import inert
from kgnb.kg.terms import Iri, Term
from kgnb.settings import Settings
from kgnb.shapes.phrases import joined
from kgnb.tasks.building import READERS, build_graph, compile_ontology
from kgnb.tasks.building import ground as ground_graph


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
        click.echo(_summary(pack, perf_counter() - begun, ", ".join(tbox)), err=True)


def statistics(pack: ToolPack, tbox: tuple[str, ...]) -> dict[str, Any]:
    """What ``--stats`` writes: the counts of a pack, its inputs and the hash of what was compiled."""
    return {"tbox": list(tbox), "tbox_sha256": pack.manifest["tbox_sha256"], **pack.counts()}


def _summary(pack: ToolPack, seconds: float, source: str) -> str:
    counts = pack.counts()
    parts = [f"{counts[name]:,} {name}" for name in ("classes", "properties", "tools", "constraints", "warnings")]
    lines = [f"kgnb: {', '.join(parts)}, {seconds:.1f} s"]
    kinds: dict[str, int] = counts["warnings by kind"]
    if kinds:
        lines.append("kgnb: not enforced: " + ", ".join(f"{kind} ({number})" for kind, number in kinds.items()))
    return "\n".join([*lines, *(f"kgnb: {said}" for said in mistakes(pack, source))])


def mistakes(pack: ToolPack, source: str) -> list[str]:
    """What is written wrongly in the ontology's own shapes, and an ontology that is none."""
    return [f"{source}: {' '.join(filter(None, [one.about, one.text]))}" for one in pack.warnings
            if one.kind in MISTAKES or one.kind == "empty ontology"]  # fmt: skip


SUFFIXES = (".trig", ".ttl", ".jsonld")


@click.command()
@click.argument("tbox")
@click.argument("documents", nargs=-1, required=True)
@click.option("--out", "-o", multiple=True, metavar="FILE",
              help="Where to write: .trig with provenance, .ttl or .jsonld without; - for the screen.")  # fmt: skip
@click.option("--shapes", metavar="FILE", help="SHACL shapes, besides those in the T-Box.")
@click.option("--judge", type=click.Choice(READERS), default="auto", show_default=True,
              help="Who reads. auto: the model if one is set, else rule.")  # fmt: skip
@click.option("--namespace", metavar="IRI", help="What the IRIs of new entities begin with.")
@click.option("--open-world", is_flag=True, help='Do not read "some" as "must be stated".')
@click.option("--only", multiple=True, metavar="CLASS", help="Compile the part of a large T-Box that CLASS needs.")
@click.option("--tools", "outside", multiple=True, metavar="TOOL",
              help="What the model may ask: MODULE:FUNCTION, or an MCP server by URL or command.")  # fmt: skip
@click.option("--notes", "extractor", metavar="MODEL",
              help="A model that first notes what each passage says; the other one builds from the notes.")  # fmt: skip
@click.option("--examples", metavar="FILE",
              help="Texts with the facts wanted of them (JSON Lines), to show the model.")  # fmt: skip
@click.option("--derive-types", is_flag=True,
              help="Read domains and ranges as RDFS does: a fact makes its ends members of them.")  # fmt: skip
@click.option("--review", metavar="FILE", help="Write what is left to a person as CSV.")
@agent_command(AGENT, leave_out=names_of(GroundOptions))
def build(tbox: str, documents: tuple[str, ...], **given: Any) -> int:
    """Read DOCUMENTS through the tools of the ontology TBOX and write what they say as a graph.

    TBOX is a file or folder of RDF, the URL of a SPARQL endpoint, or huts:kitchen (our own example). DOCUMENTS are
    files, folders or patterns: plain text, Markdown, HTML, CSV, PDF. Exit status 1 if a document could not be read; the
    graph of the others is written all the same. The folder of --run keeps journals, too: a run that was broken off
    goes on where it was.

    \b
    Examples:
      kgnb build huts:kitchen huts:kitchen-notes --judge rule --out kitchen.trig
      kgnb build tbox.ttl papers/ --shapes shapes.ttl --model gpt-4o --run runs/papers -o papers.trig -o papers.ttl
    """
    outs = given["out"] or ("-",)
    check_outs(outs, SUFFIXES)
    work = Work(given)
    told = {name: given[name] for name in ("judge", "namespace", "outside", "extractor", "examples", "folder")}
    with work.reading(tbox):
        pack = compile_ontology(
            tbox, given["shapes"], closed_world=not given["open_world"], only=given["only"],
            derive_types=given["derive_types"], settings=work.settings,
        )  # fmt: skip
        if not pack.tbox.classes and not pack.tbox.properties:
            fix = "TBOX names the file that says which classes and properties there are; documents come after it."
            raise DataError("no class or property is declared in it: is it data?", where=tbox, fix=fix)
        data = {"tbox": pack.manifest["tbox_sha256"][:16], "shapes": pack.manifest["shapes_sha256"][:16]}
        run = work.run(AGENT, data, {"tbox": tbox, "documents": list(documents), "judge": given["judge"]})
        with run:
            options = Options(**given_of(Options, given))
            built = build_graph(list(documents), pack, options=options, run=run, settings=work.settings, **told)
    for out in outs:
        if out == "-":
            sys.stdout.write(built.session.trig())
        else:
            built.save(out)
    if given["review"]:
        rows = built.review().df().map(lambda cell: inert(cell) if isinstance(cell, str) else cell)
        write_whole(Path(given["review"]), rows.to_csv(index=False))
    counts = built.counts().items()
    counted = [f"{value:,} {name}" for name, value in counts if value or name in ("documents", "facts")]
    failed = [f"{journal.document}: {journal.error}" for journal in built.failed]
    return work.end(run, ", ".join(counted), *failed, *_silent(built, documents), *mistakes(pack, tbox)) or int(
        bool(failed)
    )


def _silent(built: Built, documents: tuple[str, ...]) -> list[str]:
    """Which documents gave nothing, or no more than a name, and why that may be."""
    kinds = {one.document: {act.tool.partition("_")[0] for act in one.acts if act.writes}
             for one in built.journals if not one.error}  # fmt: skip
    bare = {"nothing": [name for name, tools in kinds.items() if not tools],
            "nothing but a name": [name for name, tools in kinds.items() if tools == {"create"}]}  # fmt: skip
    found = [f"{what} was read in {joined(names, 20, 'and')}" for what, names in bare.items() if names]
    if found and any(one.reader.startswith("rule") for one in built.journals):
        found[-1] += ": without a model it is tables, lists and 'key: value' in the ontology's words"
    entries = find_documents([file_of(one) for one in documents])
    odd = [one.name for one in entries if one.name in sum(bare.values(), []) and not is_utf8(one)]
    return found + ([f"not in UTF-8, so read as Windows-1252: {joined(odd, 20, 'and')}"] if odd else [])


FORMS = {".trig": "trig", ".nq": "n-quads", ".nt": "n-triples", ".ttl": "turtle", ".jsonld": "json-ld"}


@click.command()
@click.argument("graph")
@click.argument("reference")
@click.option("--out", "-o", metavar="FILE", default="-", help="Where owl:sameAs goes (.ttl); - for standard output.")
@click.option(
    "--rewrite", metavar="FILE", help="Also write GRAPH with the reference's IRIs; .trig and .nq keep its named graphs."
)
@click.option("--review", metavar="FILE", help="Write what is unsure as CSV, to be decided by a person.")
@click.option("--decisions", metavar="FILE", help="CSV of entity,target: what a person decided; they hold.")
@click.option("--schema", metavar="FILE", help="An ontology whose subclasses say which classes fit.")
@click.option("--label", "labels", multiple=True, metavar="IRI", help="A label property; default: found by sampling.")
@click.option("--similarity", type=click.FloatRange(0.5, 1), default=GroundOptions().similarity, show_default=True,
              help="A name as like as this is a candidate.")  # fmt: skip
@click.option("--margin", type=click.FloatRange(0, 0.5), default=GroundOptions().margin, show_default=True,
              help="How far the best has to stand above the next.")  # fmt: skip
@click.option("--any-type", is_flag=True, help="Do not compare classes.")
@click.option("--cache", type=click.Path(file_okay=False), metavar="FOLDER", help="Keep the reference's labels here.")
@click.option("--quiet", "-q", is_flag=True, help="No summary on standard error.")
def ground(graph: str, reference: str, **given: Any) -> None:
    """Find which entities of GRAPH are the same as entities of REFERENCE, a file or a SPARQL endpoint's URL.

    \b
    Examples:
      kgnb ground kitchen.trig huts:pantry --out links.ttl --review unsure.csv
      kgnb ground papers.trig https://example.org/sparql --cache labels/ --rewrite papers-linked.trig
    """
    settings, begun, line = Settings.load(), perf_counter(), TerminalLine(quiet=given["quiet"])
    options = GroundOptions(given["similarity"], given["margin"], not given["any_type"])
    decided = _decisions(Path(given["decisions"])) if given["decisions"] else None
    if given["rewrite"] and Path(given["rewrite"]).suffix.lower() not in FORMS:  # before any work is done
        raise click.BadParameter(f"{given['rewrite']} ends in none of {', '.join(FORMS)}", param_hint="--rewrite")
    try:
        mine = open_graph(graph, settings)
        found = ground_graph(
            mine, reference, options=options, schema=given["schema"], predicates=given["labels"], decisions=decided,
            cache=given["cache"], settings=settings, on_event=line.event,
        )  # fmt: skip
    finally:
        line.clear()
    if given["out"] == "-":
        sys.stdout.write(found.turtle())
    else:
        write_whole(Path(given["out"]), found.turtle())
    if given["rewrite"]:
        stored: Iterable[Quad] = quads(mine) if isinstance(mine, OxigraphGraph) else ((t, None) for t in mine.triples())
        rewriting = Path(given["rewrite"])
        write_whole(rewriting, written(linked(stored, found.mapping), FORMS[rewriting.suffix.lower()]))
    if given["review"]:
        write_whole(Path(given["review"]), _review(found))
    if not given["quiet"]:
        parts = [f"{value:,} {name}" for name, value in found.counts().items()]
        click.echo(f"kgnb: {', '.join(parts)}, {perf_counter() - begun:.1f} s", err=True)
        if found.note:
            click.echo(f"kgnb: {found.note}", err=True)


def linked(content: Iterable[Quad], new: Mapping[str, str]) -> Iterator[Quad]:
    """The quads with every linked IRI replaced by the reference's; predicates and names of graphs stay."""

    def mapped(term: Term) -> Term:
        return Iri(new.get(term, term)) if isinstance(term, Iri) else term

    for (subject, predicate, value), name in content:
        yield (mapped(subject), predicate, mapped(value)), name  # type: ignore[misc]  # an IRI becomes an IRI


def _review(found: Grounding) -> str:
    """What is unsure as CSV: the column target is for a person to fill in; no cell acts as a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["entity", "target", "label", "candidates"])
    for link in found.unsure:
        others = " | ".join(f"{one.target} {one.label} {one.score:.2f}" for one in link.candidates)
        writer.writerow([link.entity, "", inert(link.label), inert(others)])
    return text.getvalue()


def _decisions(path: Path) -> dict[str, str | None]:
    """What a person decided: the columns entity and target; an empty target: there is none; "?": not decided."""
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))
    except OSError as error:
        raise DataError(f"it cannot be read: {error.strerror}", where=str(path), fix="Check the name.") from error
    if rows and not {"entity", "target"} <= set(rows[0]):
        raise DataError("it has no columns entity and target", where=str(path), fix="The file of --review has them.")
    return {row["entity"]: row["target"] or None for row in rows if row["target"] != "?"}
