"""How many of the questions in this folder are answered rightly: by the rule, by a model, by a
recording.

``KGNB_DATA=DIR python -m tests.benchmarks.questions.measure codex-m --judge model --model
recorded:qa-codex`` prints the wrong ones, and a line: exact sets, F1, coverage, precision of what
was answered, and of that at .9 or more; and how many were answered although the graph has no
answer.
"""

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pyoxigraph
from pydantic import TypeAdapter

import kgnb
from kgnb.agents.question_answering.options import Options
from kgnb.cli.outcome import WAITING
from kgnb.settings import Settings
from kgnb.tasks.asking import AnswerOutcome
from tests.benchmarks.questions.graphs import GRAPHS, HERE, lines_of

Scored = tuple[AnswerOutcome, frozenset[str]]


@click.command()
@click.argument("name", type=click.Choice(sorted(GRAPHS)))
@click.option("--half", type=click.Choice(["dev", "final"]), default="final", show_default=True)
@click.option("--judge", default="rule", show_default=True)
@click.option("--model", default="", help="a model, recorded:NAME or batch:FOLDER")
@click.option(
    "-p",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="an option of the agent, such as tools=paper",
)
def main(name: str, half: str, judge: str, model: str, options: tuple[str, ...]) -> None:
    """Ask the questions of one half over one graph, and say how many answers are right."""
    settings = Settings.load()
    settings = settings.with_(model=model) if model else settings
    chosen = TypeAdapter(Options).validate_strings(dict(one.split("=", 1) for one in options))
    rows = [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text().splitlines()]
    rows = [row for row in rows if row["half"] == half]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.nt"
        file.write_text("\n".join(lines_of(name)) + "\n")
        asked = [{"id": row["id"], "question": row["question"]} for row in rows]
        try:
            outcomes = kgnb.answer_questions(
                asked, file, judge=judge, settings=settings, width=50, options=chosen
            )
        except kgnb.Waiting as waiting:
            click.echo(str(waiting), err=True)
            sys.exit(WAITING)
        store = pyoxigraph.Store()
        store.load(path=file, format=pyoxigraph.RdfFormat.N_TRIPLES)
    scored = [(outcome, wanted(store, row)) for outcome, row in zip(outcomes, rows, strict=True)]
    for (outcome, values), row in zip(scored, rows, strict=True):
        if given(outcome) != values:
            click.echo(
                f"{row['kind']}: {row['question']} {outcome.status} {outcome.confidence:.2f}"
            )
    said = " ".join((judge, model, *options))
    click.echo(f"{name} {half}, {said}: {summary(scored)}")


def given(outcome: AnswerOutcome) -> frozenset[str]:
    """The values of an answer as texts; none of what is unsure."""
    values = outcome.values if outcome.status == "answered" else ()
    return frozenset({"yes": "true", "no": "false"}.get(value, _number(value)) for value in values)


def wanted(store: pyoxigraph.Store, row: dict[str, Any]) -> frozenset[str]:
    """The values that are right: those written down with the question, or what its query gives."""
    if "values" in row:
        return frozenset(_number(value) for value in row["values"])
    return right(store, row["sparql"])


def right(store: pyoxigraph.Store, sparql: str | None) -> frozenset[str]:
    """The values that are right; none where the graph cannot tell."""
    found = store.query(sparql) if sparql else ()
    if isinstance(found, pyoxigraph.QueryBoolean):
        return frozenset({"true" if found else "false"})
    return frozenset(_number(row[0].value) for row in found)


def summary(scored: Sequence[Scored]) -> str:
    """The figures of answers beside what is right, in one line."""
    answered = [pair for pair in scored if given(pair[0])]
    sure = [pair for pair in answered if pair[0].confidence >= 0.9]
    exact = sum(given(outcome) == wanted for outcome, wanted in scored)
    f1 = sum(_f1(given(outcome), wanted) for outcome, wanted in scored) / len(scored)
    line = f"exact {exact} of {len(scored)}, F1 {f1:.3f}, answered {_right(answered)}, at .9 or more {_right(sure)}"
    none, none_sure = (sum(not wanted for _, wanted in pairs) for pairs in (answered, sure))
    unanswerable = sum(not wanted for _, wanted in scored)
    return f"{line}; without an answer in the graph {unanswerable}, of those answered {none}, at .9 or more {none_sure}"


def _right(pairs: Sequence[Scored]) -> str:
    return f"{sum(given(outcome) == wanted for outcome, wanted in pairs)} right of {len(pairs)}"


def _f1(found: frozenset[str], wanted: frozenset[str]) -> float:
    return 2 * len(found & wanted) / (len(found) + len(wanted)) if found or wanted else 1.0


def _number(value: str) -> str:
    """One text for a number however it is written, and for a literal without its datatype."""
    plain = value.split("^^")[0].strip('"')
    try:
        return str(float(plain))
    except ValueError:
        return plain


if __name__ == "__main__":
    main()
