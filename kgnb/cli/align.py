"""``kgnb align``: two graphs, or a folder that holds both, in; which of their entities are the same thing, out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from kgnb.agents.entity_alignment import AGENT
from kgnb.agents.entity_alignment.judging_values import LookOptions
from kgnb.agents.entity_alignment.values import Options
from kgnb.agents.options import given_of
from kgnb.cli.outcome import check_outs
from kgnb.cli.work import Work, agent_command
from kgnb.evaluate.ranking import Measured, measure
from kgnb.files import write_whole
from kgnb.mapping_files import save
from kgnb.tasks.aligning import Outcome, rankings_of
from kgnb.tasks.aligning import align as align_graphs
from kgnb.tasks.sides import Sides, links_of, open_sides

PLAIN = ".tsv"
EXPORTED = (".sssom.tsv", ".rdf", ".ttl")


@click.command()
@click.argument("first", metavar="FOLDER | FIRST")
@click.argument("second", metavar="[SECOND]", required=False)
@click.option(
    "--seeds", metavar="none|folder|FILE", help="Known pairs: none, those of the folder (default there), or a file."
)
@click.option(
    "--names",
    default="native",
    show_default=True,
    metavar="native|hidden|FILE.json",
    help="Names as they are, none (structure and values alone), or a JSON object from IRI to name.",
)
@click.option(
    "--labels",
    multiple=True,
    metavar="FILE",
    help="A vocabulary with labels of the properties and classes, for whoever judges. Repeatable.",
)
@click.option(
    "--universe",
    type=click.Choice(["test", "all"]),
    default="test",
    show_default=True,
    help="Who may be an answer: the folder's test targets, or all entities.",
)
@click.option(
    "--out",
    "-o",
    multiple=True,
    metavar="FILE",
    help="The alignment: .tsv (three plain columns), .sssom.tsv, .rdf (OAEI), .ttl (owl:sameAs); - for standard "
    "output. Repeatable.",
)
@click.option("--ranking", metavar="FILE.tsv", help="The ten best targets of every test source.")
@click.option("--plans", type=click.Path(dir_okay=False), metavar="FILE", help="A person's plans (.jsonl).")
@agent_command(AGENT)
def align(first: str, second: str | None, **given: Any) -> int:
    """Find which entities of two graphs are the same thing.

    Either FOLDER in the layout of DBP15K, SRPRS or OpenEA, which holds both graphs; or FIRST and SECOND: files or
    folders of RDF, SPARQL endpoints by URL, or huts:hollenmark and huts:corvane (our own example).

    \b
    Files (UTF-8, columns parted by a tab, raw IRIs, no header line):
      --out FILE.tsv      source IRI, target IRI, confidence between 0 and 1
      --ranking FILE.tsv  source IRI, rank from 1, target IRI, score; ten best of every test source, or of every
                          source where there are no test pairs
      --seeds FILE        source IRI, target IRI (further columns are not read); or .sssom.tsv, .rdf, .ttl

    Existing output files are replaced, whole or not at all. Without --out the plain columns go to standard output.
    What is left without a counterpart is counted, with reasons, on standard error.

    \b
    Examples:
      kgnb align data/srprs/en_fr --seeds folder --names hidden --out found.tsv --ranking ranking.tsv
      kgnb align huts:hollenmark huts:corvane --reference huts:entity-reference -o huts.tsv -o huts.ttl
      kgnb align a.ttl https://example.org/sparql --seeds known.tsv --judge rule | less
      kgnb align ours.csv theirs.csv --precision 0.8 --out same.tsv
    """
    outs = given["out"] or ("-",)
    beside = [given["ranking"]] if given["ranking"] else []
    check_outs(outs, (PLAIN, *EXPORTED), (first, second, given["seeds"]), beside)
    work = Work(given)
    with work.reading(first, second):
        sides = open_sides(
            first, second, seeds=given["seeds"], names=given["names"], labels=given["labels"], settings=work.settings
        )
        known = links_of(given["reference"], work.settings) if given["reference"] else sides.tests
        outcome = _aligned(sides, known, given, work)
    for out in outs:
        _write(outcome, out)
    if given["ranking"]:
        write_whole(Path(given["ranking"]), _ranking(outcome))
    if outcome.settled.simulation and not work.quiet:
        click.echo("kgnb: SIMULATION: the judge answers from the reference", err=True)
    return work.end(outcome.run, *_summary(outcome, known))


def _aligned(sides: Sides, known: tuple[tuple[str, str], ...], given: dict[str, Any], work: Work) -> Outcome:
    options = {name: value for name, value in given_of(Options, given).items() if name != "names"}
    look = given_of(LookOptions, given)
    words = {name: given[name] for name in ("seeds", "names", "universe", "judge", "planner")}
    run = work.run(AGENT, sides.digests(), words | {"embedder": given["embedder"] or None} | options | look)
    told: dict[str, Any] = {name: given[name] for name in ("universe", "judge", "planner", "error_rate")}
    told |= {name: given[name] or None for name in ("policy", "plans", "embedder", "decisions")}
    with work.stoppable(run):
        return align_graphs(
            sides,
            options=Options(**options, names="hidden" if given["names"] == "hidden" else "native"),
            look=LookOptions(**look),
            reference=known or None,
            seed=given["oracle_seed"],
            run=run,
            settings=work.settings,
            **told,
        )


def _write(outcome: Outcome, out: str) -> None:
    if out == "-" or (out.lower().endswith(PLAIN) and not out.lower().endswith(EXPORTED)):
        text = "".join(f"{one}\t{other}\t{sure:g}\n" for one, other, sure in outcome.settled.pairs())
        if out == "-":
            sys.stdout.write(text)
        else:
            write_whole(Path(out), text)
    else:
        save(outcome.alignment, out)


def _ranking(outcome: Outcome) -> str:
    return "".join(
        f"{source}\t{rank}\t{target}\t{score:g}\n"
        for source, found in rankings_of(outcome).items()
        for rank, (target, score) in enumerate(found, start=1)
    )


def _summary(outcome: Outcome, known: tuple[tuple[str, str], ...]) -> list[str]:
    settled = outcome.settled
    lines = [*settled.summary(), *outcome.cost()]
    seeded = {source for source, _ in outcome.sides.seeds}
    tests = [pair for pair in known if pair[0] not in seeded]
    if tests:
        pairs = [(one, other) for one, other, _ in settled.pairs() if one not in seeded]
        found = measure(settled.rankings(), pairs, tests, universe=outcome.universe, seeds=len(outcome.sides.seeds))
        lines += in_words(found)
        named = {one for one, _ in tests}
        if beside := sum(one not in named for one, _ in pairs):
            lines.append(f"{beside:,} matches of entities that the reference does not name are not judged")
    return lines


def in_words(found: Measured) -> list[str]:
    """Hits@1, Hits@10, MRR, precision, recall and F1, and what they were measured on."""
    ranked, scored = found.ranking, found.chosen
    return [
        f"Hits@1 {ranked.hits1:.2%}, Hits@10 {ranked.hits10:.2%}, MRR {ranked.mrr:.3f} over {ranked.tests:,} test "
        f"pairs, among {found.universe}, {found.seeds:,} seeds ({found.seed_ratio:.0%})",
        f"precision {scored.precision:.1%}, recall {scored.recall:.1%}, F1 {scored.f1:.1%}",
    ]
