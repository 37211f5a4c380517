"""What the rule answers where the graph cannot tell: the relations of a reference query are taken
out of it.

Negatives without end, from questions at hand: what is answered all the same is wrong, unless
another relation leads to the same values. ``KGNB_DATA=DIR python -m
tests.benchmarks.questions.knocked_out webnlg`` prints those that are, and a line.
"""

import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Set
from pathlib import Path
from typing import Any

import click
import pyoxigraph

import kgnb
from tests.benchmarks.questions.graphs import GRAPHS, HERE, RDF, RDFS, lines_of
from tests.benchmarks.questions.measure import Scored, given, right, summary

_PREFIX = re.compile(r"PREFIX\s+(\w*):\s*<([^>]*)>", re.IGNORECASE)


def relations_of(sparql: str, relations: Set[str]) -> frozenset[str]:
    """The relations a query names, types and labels aside.

    >>> sorted(relations_of("PREFIX r: <http://r/> SELECT ?x { ?x r:a <http://r/b> }", {"http://r/a", "http://r/c"}))
    ['http://r/a']
    """
    prefixes, body = dict(_PREFIX.findall(sparql)), _PREFIX.sub("", sparql)
    named = set(re.findall(r"<([^>\s]+)>", body))
    named |= {
        prefixes.get(prefix, "") + name for prefix, name in re.findall(r"(\w*):([\w-]+)", body)
    }
    return frozenset(one for one in named & relations if not one.startswith((RDF, RDFS)))


@click.command()
@click.argument("name", type=click.Choice(sorted(GRAPHS)))
@click.option("--half", type=click.Choice(["dev", "final"]), default="dev", show_default=True)
def main(name: str, half: str) -> None:
    """Ask the questions of one half, each over the graph without the relations that answer it."""
    lines = lines_of(name)
    store = pyoxigraph.Store()
    store.bulk_load(input="\n".join(lines).encode(), format=pyoxigraph.RdfFormat.N_TRIPLES)
    relations = {line.split(" ", 2)[1][1:-1] for line in lines}
    groups: dict[frozenset[str], list[tuple[dict[str, Any], frozenset[str]]]] = defaultdict(list)
    for row in map(json.loads, (HERE / f"{name}.jsonl").read_text().splitlines()):
        out = relations_of(row["sparql"] or "", relations)
        if row["half"] == half and out:
            groups[out].append((row, right(store, row["sparql"])))
    scored: list[Scored] = []
    for out, rows in groups.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{name}.nt"
            file.write_text(
                "\n".join(line for line in lines if line.split(" ", 2)[1][1:-1] not in out) + "\n"
            )
            asked = [{"id": row["id"], "question": row["question"]} for row, _ in rows]
            outcomes = kgnb.answer_questions(asked, file, judge="rule", width=50)
        for outcome, (row, before) in zip(outcomes, rows, strict=True):
            scored.append((outcome, before if given(outcome) == before else frozenset()))
            if given(outcome) and given(outcome) != before:
                click.echo(f"{row['kind']}: {row['question']} {outcome.confidence:.2f}")
    click.echo(f"{name} {half} without what answers: {summary(scored)}")


if __name__ == "__main__":
    main()
