"""Completion in ``%%sparql`` cells and on lines of our magics, from the kernel: with the extension or without."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from IPython.core.completer import CompletionContext, SimpleCompletion, context_matcher

from kgnb.errors import KgnbError
from kgnb.kg.completing import Completion, complete
from kgnb.kg.schema import Schema, read_individuals, read_schema
from kgnb.magics.session import NamedGraph, Session, is_remote

PATIENCE = 0.3  # seconds a first completion waits for the graph to be read; after that it offers what it has


def matcher(session: Session) -> Any:
    """An IPython matcher for this session's graphs."""

    @context_matcher(identifier="kgnb.sparql")
    def kgnb_sparql(context: CompletionContext) -> dict[str, Any]:
        before = context.full_text.split("\n")[: context.cursor_line]
        offered = offer(session, context.full_text, sum(len(line) + 1 for line in before) + context.cursor_position)
        if offered is None:
            return {"completions": []}
        start, end, found = offered
        return {
            "completions": [SimpleCompletion(text=one.text, type=one.kind) for one in found],
            "matched_fragment": context.full_text[start:end],
            "ordered": True,
            "suppress": True,  # nothing of Python fits a query
        }

    return kgnb_sparql


def line_matcher(families: Mapping[str, Any], shell: Any) -> Any:
    """An IPython matcher for the lines of our magics, by name: what may follow, and nothing of Python."""
    of_ours = re.compile(rf"\s*(?:[^\s%=][^%=]*=\s*)?(?P<line>%%?(?P<magic>{'|'.join(map(re.escape, families))})\s.*)")

    @context_matcher(identifier="kgnb.lines")
    def kgnb_lines(context: CompletionContext) -> dict[str, Any]:
        line = context.full_text.split("\n")[context.cursor_line][: context.cursor_position]
        found = of_ours.fullmatch(line)
        if found is None:
            return {"completions": []}
        word = re.split(r"\s", line)[-1]
        event = SimpleNamespace(text_until_cursor=found["line"], symbol=word, line=line, command=found["magic"])
        magics = families[found["magic"]]
        first = len(found["line"].split()) - bool(word) < 2

        def kind(text: str) -> str:
            return "option" if text.startswith("--") else "verb" if first and text in magics.verbs else "value"

        words = [text for text in dict.fromkeys(magics.complete(shell, event)) if text.startswith(word)]
        return {
            "completions": [SimpleCompletion(text=text, type=kind(text)) for text in words],
            "matched_fragment": word,
            "ordered": True,
            "suppress": _OF_PYTHON | (_OF_FILES if first or word.startswith("-") else set()),
        }

    return kgnb_lines


_OF_PYTHON = {
    f"IPCompleter.{name}_matcher"
    for name in ("jedi", "_jedi", "python", "python_func_kw", "magic", "custom_completer", "dict_key")
}
_OF_FILES = {"IPCompleter.file_matcher"}


def offer(session: Session, cell: str, cursor: int) -> tuple[int, int, list[Completion]] | None:
    """What may stand at a place of a ``%%sparql`` cell, and from where to where; None outside its query."""
    head, newline, body = cell.partition("\n")
    skipped = len(head) + 1
    if re.match(r"%%sparql(\s|$)", head) is None or not newline or cursor < skipped:
        return None
    words = head.split()[1:]
    name = words[0] if words and words[0] in session.graphs else session.current
    named = session.graphs.get(name)
    start, found = complete(body, cursor - skipped, schema_of(named) if named else None, session.prefixes)
    return start + skipped, cursor, found


def answer(session: Session, question: Mapping[str, Any]) -> dict[str, Any]:
    """The same for JupyterLab, with the label that was found by: ``{"code": ..., "cursor": ...}`` in, items out."""
    offered = offer(session, str(question["code"]), int(question["cursor"]))
    if offered is None:
        return {"start": 0, "end": 0, "items": []}
    start, end, found = offered
    return {"start": start, "end": end, "items": [{"text": o.text, "kind": o.kind, "label": o.label} for o in found]}


def schema_of(named: NamedGraph, patience: float = PATIENCE) -> Schema | None:
    """The schema of an open graph, read once in the background; None while it is not there yet."""
    if named.schema is None and named.reading is None:
        named.reading = threading.Thread(target=_read, args=(named,), name="kgnb schema", daemon=True)
        named.reading.start()
    if named.reading is not None and named.schema is None:
        named.reading.join(patience)
    return named.schema


def _read(named: NamedGraph) -> None:
    try:
        schema = read_schema(named.graph, links=False)
        named.schema = (
            schema if is_remote(named) else replace(schema, individuals=read_individuals(named.graph, schema))
        )
    except (KgnbError, ValueError):  # a graph that cannot be read (or was closed meanwhile) completes nothing
        named.schema = Schema((), ())
