"""``kgnb align``: which entities of two graphs are the same."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from kgnb.agents.entity_alignment import AGENT
from kgnb.agents.entity_alignment.final_alignment import Settled
from kgnb.cli.outcome import check_outs, stoppable
from kgnb.cli.work import Work, agent_command
from kgnb.evaluate.ranking import measure
from kgnb.files import write_whole
from kgnb.mapping_files import save
from kgnb.mappings import Alignment
from kgnb.results.bundle import count
from kgnb.tasks.aligning import AligningTask, AlignmentOutcome, rankings_of
from kgnb.tasks.sides import Links

PLAIN = ".tsv"
EXPORTED = (".sssom.tsv", ".rdf", ".ttl")


@click.command()
@click.argument("first", metavar="FOLDER | FIRST")
@click.argument("second", metavar="[SECOND]", required=False)
@click.option(
    "--seeds",
    metavar="none|folder|FILE",
    help="Known pairs: none, those of the folder (the default for one), or a file.",
)
@click.option(
    "--names",
    default="native",
    show_default=True,
    metavar="native|hidden|FILE.json",
    help="Names as they are, none (structure and values only), or a JSON file from IRI to name.",
)
@click.option(
    "--labels",
    multiple=True,
    metavar="FILE",
    help="A vocabulary that labels properties and classes, for the judge. Repeatable.",
)
@click.option(
    "--universe",
    type=click.Choice(["test", "all"]),
    default="test",
    show_default=True,
    help="Which targets may be answers: the folder's test targets, or all entities.",
)
@click.option(
    "--out",
    "-o",
    multiple=True,
    metavar="FILE",
    help="The alignment: .tsv (three plain columns), .sssom.tsv, .rdf (OAEI), .ttl (owl:sameAs); - for "
    "standard output. Repeatable.",
)
@click.option("--ranking", metavar="FILE.tsv", help="The ten best targets of every test source.")
@click.option(
    "--plans", type=click.Path(dir_okay=False), metavar="FILE", help="A person's plans (.jsonl)."
)
@agent_command(AGENT)
def align(first: str, second: str | None, **given: Any) -> int:
    """Find which entities of two graphs are the same.

    Give either FOLDER in the layout of DBP15K, SRPRS or OpenEA, which holds both graphs; or FIRST
    and SECOND: files or folders of RDF, URLs of SPARQL endpoints, or our own example,
    huts:hollenmark and huts:corvane.

    \b
    Files (UTF-8, tab-separated, full IRIs, no header line):
      --out FILE.tsv      source IRI, target IRI, confidence between 0 and 1
      --ranking FILE.tsv  source IRI, rank from 1, target IRI, score; the ten best of every test
      source, or of every
                          source if there are no test pairs
      --seeds FILE        source IRI, target IRI (further columns are ignored); or .sssom.tsv, .rdf,
      .ttl

    Existing output files are replaced, whole or not at all. Without --out the plain columns go to
    standard output. Entities left without a counterpart are counted, with reasons, on standard
    error.

    \b
    Examples:
      kgnb align data/srprs/en_fr --seeds folder --names hidden --out found.tsv --ranking
      ranking.tsv kgnb align huts:hollenmark huts:corvane --reference huts:entity-reference -o
      huts.tsv -o huts.ttl kgnb align a.ttl https://example.org/sparql --seeds known.tsv --judge
      rule | less kgnb align ours.csv theirs.csv --precision 0.8 --out same.tsv
    """
    outs = given["out"] or ("-",)
    beside = [given["ranking"]] if given["ranking"] else []
    check_outs(outs, (PLAIN, *EXPORTED), (first, second, given["seeds"]), beside)
    work = Work(given)
    names = ("seeds", "names", "labels", "universe")
    with work.reading(first, second):
        inputs = {"left": first, "right": second} | {name: given[name] for name in names}
        task = work.task(AGENT, inputs, given, plans=given["plans"])
        assert isinstance(task, AligningTask)
        with stoppable(task.run):
            task.run_through()
    outcome = task.outcome()
    for out in outs:
        if out == "-":
            sys.stdout.write(plain_pairs(outcome.settled))
        else:
            save_pairs(outcome.settled, outcome.alignment, Path(out))
    if given["ranking"]:
        write_whole(Path(given["ranking"]), _ranking(outcome))
    if outcome.settled.simulation:
        work.say("SIMULATION: the judge answers from the reference")
    return work.end(outcome.run, *_summary(outcome, task.known))


def save_pairs(settled: Settled, alignment: Alignment, path: Path) -> Path:
    """Writes an alignment of entities: as plain columns to .tsv, else as its suffix says. Returns
    the path.
    """
    name = path.name.lower()
    if name.endswith(PLAIN) and not name.endswith(EXPORTED):
        return write_whole(path, plain_pairs(settled))
    return save(alignment, path)


def plain_pairs(settled: Settled) -> str:
    """The pairs in three columns: source IRI, target IRI, confidence."""
    return "".join(f"{one}\t{other}\t{sure:g}\n" for one, other, sure in settled.pairs())


def _ranking(outcome: AlignmentOutcome) -> str:
    return "".join(
        f"{source}\t{rank}\t{target}\t{score:g}\n"
        for source, found in rankings_of(outcome).items()
        for rank, (target, score) in enumerate(found, start=1)
    )


def _summary(outcome: AlignmentOutcome, known: Links) -> list[str]:
    settled = outcome.settled
    lines = [*settled.summary(), *outcome.cost()]
    seeded = {source for source, _ in outcome.sides.seeds}
    tests = [pair for pair in known if pair[0] not in seeded]
    if tests:
        pairs = [(one, other) for one, other, _ in settled.pairs() if one not in seeded]
        found = measure(
            settled.rankings(),
            pairs,
            tests,
            universe=outcome.universe,
            seeds=len(outcome.sides.seeds),
        )
        ranked, scored = found.ranking, found.chosen
        lines += [
            f"Hits@1 {ranked.hits1:.2%}, Hits@10 {ranked.hits10:.2%}, MRR {ranked.mrr:.3f} over {ranked.tests:,} test "
            f"pairs, among {found.universe}, {found.seeds:,} seeds ({found.seed_ratio:.0%})",
            f"precision {scored.precision:.1%}, recall {scored.recall:.1%}, F1 {scored.f1:.1%}",
        ]
        named = {one for one, _ in tests}
        if beside := sum(one not in named for one, _ in pairs):
            lines.append(
                f"{count(beside, 'match', 'matches')} of entities that are not in the reference: not scored"
            )
    return lines
