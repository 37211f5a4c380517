"""Completion inside ``%%sparql`` cells, from the kernel: it works in every front end, with the extension or without."""

from __future__ import annotations

import threading
from typing import Any

from IPython.core.completer import CompletionContext, SimpleCompletion, context_matcher

from kgnb.errors import KgnbError
from kgnb.kg.completing import complete
from kgnb.kg.schema import Schema, read_schema
from kgnb.magics.session import NamedGraph, Session

PATIENCE = 0.3  # seconds a first completion waits for the graph to be read; after that it offers what it has


def matcher(session: Session) -> Any:
    """An IPython matcher for this session's graphs."""

    @context_matcher(identifier="kgnb.sparql")
    def kgnb_sparql(context: CompletionContext) -> dict[str, Any]:
        head, newline, body = context.full_text.partition("\n")
        if not head.startswith("%%sparql") or not newline:
            return {"completions": []}
        if context.cursor_line == 0:
            return {"completions": []}
        lines = body.split("\n")
        cursor = sum(len(line) + 1 for line in lines[: context.cursor_line - 1]) + context.cursor_position
        words = head.split()[1:]
        name = words[0] if words and words[0] in session.graphs else session.current
        schema = schema_of(session.graphs[name]) if name else None
        start, found = complete(body, cursor, schema, session.prefixes)
        return {
            "completions": [SimpleCompletion(text=one.text, type=one.kind) for one in found],
            "matched_fragment": body[start:cursor],
            "ordered": True,
            "suppress": True,  # nothing of Python fits a query
        }

    return kgnb_sparql


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
        named.schema = read_schema(named.graph, links=False)
    except (KgnbError, ValueError):  # a graph that cannot be read (or was closed meanwhile) completes nothing
        named.schema = Schema((), ())
