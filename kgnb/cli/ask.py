"""``kgnb ask``: answers a question from a graph, with proof; or a file of questions."""

from __future__ import annotations

from os.path import exists  # which takes a text of any length
from shlex import quote
from typing import Any

import click

from kgnb.agents.question_answering import AGENT
from kgnb.cli.options import agent_command, input_options


@click.command()
@click.argument("question", nargs=-1, metavar="[QUESTION]")
@click.option(
    "--graph",
    "-g",
    multiple=True,
    metavar="FILE|URL",
    help="The graph: RDF files or folders, lines of head TAB relation TAB tail (.tsv, .txt), a SPARQL "
    "endpoint, huts:graph.",
)
@click.option(
    "--questions", metavar="FILE.jsonl", help="Ask all of these: lines {id, question, entities?}."
)
@click.option(
    "--out",
    "-o",
    metavar="FILE.jsonl",
    help="Where answers go, each as soon as it is there; default: standard output.",
)
@click.option(
    "--resume", is_flag=True, help="Keep the answers in --out; ask the rest, and those that failed."
)
@click.option(
    "--width",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Questions asked at once with a model; default: the settings' number of model calls.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Write the answer to one QUESTION as a line of JSON."
)
@input_options(AGENT.taken)
@agent_command(AGENT)
def ask(question: tuple[str, ...], **given: Any) -> None:
    """Answer QUESTION from a graph, with the triples that prove it and SPARQL that reproduces it.

    Or answer a whole file with --questions. A question that fails does not stop the others; a line
    that is not a question is reported, and the exit status is then 1. Public endpoints are queried
    at a polite pace.

    \b
    Examples:
      kgnb ask "Who is the warden of the Hochkar House?" --graph huts:graph
      kgnb ask "Where was she born?" --graph people.tsv --entity "Ada Lovelace"
      kgnb ask "Which river flows through Berne?" --graph https://example.org/sparql -e wd:Q70
      kgnb ask --questions asked.jsonl --graph graph.ttl --judge rule --out answered.jsonl
    """
    if len(question) > 1:
        said = [word for word in question if not exists(word)]
        if len(question) == 2 and len(said) == 1:
            given["graph"] += tuple(set(question) - set(said))
        graphs = " ".join(f"--graph {quote(one)}" for one in given["graph"] or ("FILE",))
        line = f"kgnb ask {quote(' '.join(said))} {graphs}"
        raise click.UsageError(f"one QUESTION, in quotes, and the graph by its option: {line}")
    if not given["graph"]:
        raise click.UsageError("name what to ask: --graph FILE|URL, or -g; huts:graph to try it")
    if (not question) == (given["questions"] is None):
        raise click.UsageError("give one QUESTION, or a file of them: --questions FILE.jsonl")
    if given["questions"] is None and (given["out"] or given["resume"]):
        raise click.UsageError(
            "--out and --resume go with --questions; for one QUESTION use --json"
        )
    if given["questions"] is not None and given["entities"]:
        raise click.UsageError(
            '--entity goes with one QUESTION; in a file it is "entities": ["http://..."]'
        )
    if given["resume"] and not given["out"]:
        raise click.UsageError("--resume needs the --out FILE.jsonl to continue")
    from kgnb.cli.answering import answer

    answer(question[0] if question else None, given)
