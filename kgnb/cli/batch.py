"""``kgnb batch``: the requests in the folder of a ``batch:`` model, and ways to answer them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from kgnb.errors import DataError
from kgnb.files import from_json
from kgnb.llm import batch as batches
from kgnb.results.bundle import count
from kgnb.results.escaping import one_line, visible

FOLDER = click.argument("folder", type=click.Path(file_okay=False))


@click.group()
def batch() -> None:
    """See which requests of a batch: model wait, read one, answer by hand, or make a recording of
    the replies.

    A run with the model batch:FOLDER writes its requests to FOLDER/requests-NNN.jsonl, in the
    format of the OpenAI Batch API, and ends with exit status 75. Put the service's output there as
    replies*.jsonl, and run the same command again.

    \b
    Examples:
      KGNB_MODEL=batch:asked kgnb match a.ttl b.ttl --out ab.sssom.tsv
      kgnb batch status asked
      kgnb batch show asked | less
      kgnb batch answer asked
    """


@batch.command()
@FOLDER
def status(folder: str) -> None:
    """Show how many requests in FOLDER wait, and how long they are."""
    found = batches.standing(folder)
    click.echo(
        f"{count(found.requests, 'request')}, {found.answered:,} answered, {len(found.waiting):,} waiting "
        f"(about {count(found.tokens, 'token')})"
    )
    if found.failed:
        click.echo(
            f"{found.failed:,} of them got an error in reply: run the command again to repeat them"
        )


@batch.command()
@FOLDER
@click.argument("which", metavar="[ID]", required=False)
@click.option("--all", "every", is_flag=True, help="Every waiting request, not only the first.")
@click.option("--json", "as_json", is_flag=True, help="Print lines of JSON: custom_id and body.")
def show(folder: str, which: str | None, every: bool, as_json: bool) -> None:
    """Show one request in FOLDER: the first that waits, or the one with this ID."""
    waiting = batches.standing(folder).waiting
    wanted = [which] if which else list(waiting if every else waiting[:1])
    rows = {row["custom_id"]: row["body"] for row in batches.requests_in(Path(folder))}
    if which and which not in rows:
        raise DataError(
            f"there is no request {which}",
            where=folder,
            fix=f"kgnb batch show {folder} --all lists them.",
        )
    for one in wanted:
        if as_json:
            click.echo(json.dumps({"custom_id": one, "body": rows[one]}, ensure_ascii=False))
        else:
            click.echo(readable(one, rows[one]))
    if not wanted:
        click.echo("no request is waiting", err=True)


@batch.command()
@FOLDER
def answer(folder: str) -> None:
    """Answer the requests in FOLDER one by one: each is shown, then your reply is read up to a line
    with a single dot.

    A reply is text, or a tool call as {"tool": NAME, "arguments": {...}}. An empty reply leaves the
    request for later.
    """
    rows = {row["custom_id"]: row["body"] for row in batches.requests_in(Path(folder))}
    for wanted in batches.standing(folder).waiting:
        click.echo(readable(wanted, rows[wanted]))
        click.echo("--- your reply, then a line with a single dot (empty: later)")
        lines: list[str] = []
        for line in sys.stdin:
            if line.rstrip("\n") == ".":
                break
            lines.append(line)
        else:
            if lines:
                raise click.ClickException(
                    "the input ended in the middle of a reply, which is not kept; end it with a line "
                    "with a single dot"
                )
            return
        if text := "".join(lines).strip():
            batches.answer(folder, wanted, typed_reply(text, rows[wanted]))


@batch.command()
@click.argument("name")
@FOLDER
@click.option(
    "--into",
    metavar="DIR",
    default="data/recordings",
    show_default=True,
    help="The folder of recordings.",
)
def record(name: str, folder: str, into: str) -> None:
    """Make the recording NAME from the replies in FOLDER: ids and replies, but no request's text."""
    target = Path(into) / name
    number = batches.record(folder, target)
    click.echo(
        f"{target}: {count(number, 'reply', 'replies')}; describe them in {target / 'card.md'}; "
        f"to replay: the model recorded:{name}"
    )


def readable(wanted: str, body: dict[str, Any]) -> str:
    """A request as text, for a person or for a model behind a chat window."""
    parts = [f"=== {wanted}"]
    for message in body.get("messages", ()):
        parts.append(f"--- {message['role']}\n{message.get('content') or ''}")
        for call in message.get("tool_calls", ()):
            parts.append(f"    calls {call['function']['name']} {call['function']['arguments']}")
    for tool in body.get("tools", ()):
        function = tool["function"]
        parts.append(
            f"--- tool {function['name']}: {one_line(function['description'])}\n"
            f"    {json.dumps(function['parameters'], ensure_ascii=False)}"
        )
    form = body.get("response_format", {}).get("json_schema", {}).get("schema")
    if form:
        parts.append(
            f"--- the reply is JSON that follows this schema\n{json.dumps(form, ensure_ascii=False)}"
        )
    reply = (
        '"tool_calls": [{"name": NAME, "arguments": {...}}]'
        if body.get("tools")
        else '"text": TEXT'
    )
    parts.append(f'--- in replies.jsonl, a line: {{"custom_id": "{wanted}", {reply}}}')
    return "\n".join(visible(line) for line in "\n".join(parts).split("\n"))


def typed_reply(text: str, body: dict[str, Any]) -> dict[str, Any]:
    """A reply as typed: a tool call if it is JSON that names one of the tools, else text."""
    names = {tool["function"]["name"] for tool in body.get("tools", ())}
    try:
        value = from_json(text)
    except ValueError:
        value = None
    calls = value if isinstance(value, list) else [value]
    if names and all(isinstance(call, dict) and call.get("tool") in names for call in calls):
        return {
            "tool_calls": [
                {"name": call["tool"], "arguments": call.get("arguments", {})} for call in calls
            ]
        }
    return {"text": text}
