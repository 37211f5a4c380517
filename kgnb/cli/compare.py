"""``kgnb compare``: what differs between runs or reports; ``kgnb run``: shows a saved run."""

from __future__ import annotations

from pathlib import Path

import click

from kgnb.cli.outcome import say_path
from kgnb.errors import DataError
from kgnb.files import from_json


@click.command()
@click.argument(
    "folders",
    nargs=-1,
    required=True,
    metavar="RUN RUN",
    type=click.Path(exists=True, file_okay=False),
)
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Also write comparison.html and .json.",
)
@click.option(
    "--journals",
    type=click.Path(exists=True, file_okay=False),
    metavar="FOLDER",
    help="Of two packs: the folder of a build (--run, --folder), to say which documents to read again.",
)
def compare(folders: tuple[str, ...], out: str | None, journals: str | None) -> None:
    """Show what differs between two runs, two or more reports, or two compiled ontologies, given
    by folder.

    For runs: parameters, data, versions, totals, counts and judgements that changed. For reports:
    the parameters that differ, with headline figures and costs.

    \b
    Examples:
      kgnb compare reports/ontology-matching/17190f336b6b reports/ontology-matching/5b1f0c2a9d3e
      kgnb compare first/run second/run
      kgnb compare pack-1/ pack-2/ --journals runs/papers
    """
    from kgnb.reporting.compare import (
        compare_reports,
        text_of,
        write_comparison,
    )  # draws; slow to import
    from kgnb.reporting.session import read_ledger
    from kgnb.run import Run

    if len(folders) < 2:
        raise click.UsageError("name at least two folders")
    if all((Path(folder) / "tools.json").is_file() for folder in folders[:2]):
        old, new = map(Path, folders[:2])
        click.echo(_compared_packs(old, new, Path(journals) if journals else None))
        return
    for folder in folders:
        _expect(Path(folder), bool(read_ledger(Path(folder))))
    reports = all(read_ledger(Path(folder)) for folder in folders)
    if not reports and len(folders) > 2:
        raise click.UsageError("only two runs can be compared at a time, but any number of reports")
    if reports:
        compared = compare_reports(folders, out)
        click.echo(text_of(compared))
        if out:
            Path(out).mkdir(parents=True, exist_ok=True)
            for path in write_comparison(Path(out), compared, "Comparison"):
                say_path(path)
    if not reports or (len(folders) == 2 and all(_has_run(Path(folder)) for folder in folders)):
        first, second = map(Run.load, folders)
        click.echo(str(first.compare(second)))


def _compared_packs(old: Path, new: Path, journals: Path | None) -> str:
    """The tools that are added, gone, narrowed or widened, and the documents to read again."""
    from kgnb.agents.kg_construction.built import calls_by_document
    from kgnb.agents.kg_construction.pack_content import pack_difference

    first, second = (
        from_json((folder / "tools.json").read_text(encoding="utf-8")) for folder in (old, new)
    )
    found = pack_difference(first, second)
    lines = [f"{kind} ({len(names)}): {', '.join(names)}" for kind, names in found.items()]
    if journals is not None:
        touched = {name for kind in ("gone", "narrowed", "changed") for name in found.get(kind, ())}
        again = [
            document
            for document, tools in sorted(calls_by_document(journals).items())
            if touched & tools
        ]
        if found.get("added"):
            lines.append("What is new, any document may have.")
        lines.append(
            f"read again ({len(again)}): {', '.join(again)}" if again else "nothing to read again"
        )
    return "\n".join(lines or ["the same tools, constraints and arguments"])


def _expect(folder: Path, report: bool) -> None:
    """DataError for a folder that contains neither a report nor a run."""
    if report or _has_run(folder):
        return
    if (folder / "sweep.json").is_file():
        fix = f"{folder / 'comparison.html'} compares its reports; to compare some, name them: {folder / 'items'}/..."
        raise DataError("this is a sweep, not a run", where=folder, fix=fix)
    fix = "Name folders written by kgnb report (reports/NAME/...), or the folders of two runs."
    raise DataError("there is neither a run nor a report", where=folder, fix=fix)


def _has_run(folder: Path) -> bool:
    return (folder / "events.jsonl").is_file() or (folder / "run" / "events.jsonl").is_file()


@click.group()
def run() -> None:
    """Show a saved run.

    \b
    Example:
      kgnb run show reports/ontology-matching/17190f336b6b
    """


@run.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
def show(folder: str) -> None:
    """Show the run in FOLDER, or in the report there: its steps, calls and costs."""
    from kgnb.run import Run

    click.echo(Run.load(folder)._repr_mimebundle_()["text/plain"])
