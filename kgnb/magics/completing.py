"""Completion in ``%%sparql`` cells and on lines of our magics, by the kernel, with or without the
extension.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unicodedata import combining, normalize

from IPython.core.completer import CompletionContext, SimpleCompletion

from kgnb.errors import KgnbError
from kgnb.kg.prefixes import PREFIXES, shorten
from kgnb.kg.schema import Schema, SchemaTerm, read_individuals, read_schema
from kgnb.kg.sparql import declared, tokens
from kgnb.magics.session import NamedGraph, Session, is_remote

KEYWORDS = re.split(
    r",\s+",
    """\
SELECT, DISTINCT, WHERE, FILTER, OPTIONAL, UNION, MINUS, GRAPH, SERVICE, BIND, VALUES,
GROUP BY, ORDER BY, HAVING, LIMIT, OFFSET, ASC, DESC, ASK, CONSTRUCT, DESCRIBE, FROM,
PREFIX, BASE, INSERT DATA, DELETE DATA, DELETE WHERE, EXISTS, NOT EXISTS, IN, AS, COUNT,
SUM, AVG, MIN, MAX, SAMPLE, GROUP_CONCAT, STR, LANG, LANGMATCHES, DATATYPE, BOUND, IRI,
IF, COALESCE, CONCAT, CONTAINS, STRSTARTS, STRENDS, STRLEN, LCASE, UCASE, REGEX, REPLACE,
YEAR, MONTH, DAY, NOW, ABS, ROUND, CEIL, FLOOR, isIRI, isBLANK, isLITERAL, xsd:integer""",
)
MOST = 60
_OPEN_QUOTE = re.compile(r"""\s(["'])((?:(?!\1).)*)$""")
_WORD = re.compile(r"(?:[?$]\w*|<[^<>\s]*|[^\W\d]?[\w.\-]*:[\w.\-%]*|\w+)$")


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion: the text, its kind, its label, and how well it fits (lowest first)."""

    text: str
    kind: str
    label: str = ""
    rank: tuple[int, int, str] = (0, 0, "")


def complete(
    query: str, cursor: int, schema: Schema | None = None, prefixes: Mapping[str, str] | None = None
) -> tuple[int, list[Completion]]:
    """Where the word under the cursor begins, and its completions, the best first.

    >>> from kgnb.kg.schema import Schema, SchemaTerm
    >>> huts = Schema((SchemaTerm("http://huts.example/Hut", ("hut", "Hütte"), 9),), ())
    >>> start, found = complete("SELECT * { ?x a hütt", 20, huts, {"h": "http://huts.example/"})
    >>> start, found[0].text, found[0].label
    (16, 'h:Hut', 'Hütte')
    """
    before = query[:cursor]
    match = _WORD.search(before)
    word = match[0] if match else ""
    start = cursor - len(word)
    if word[:1] in ("?", "$"):
        return start, _variables(query, word)
    known = {**dict(schema.prefixes if schema else {}), **(prefixes or {}), **declared(query)}
    earlier = tokens(before[:start])
    last = earlier[-1].text if earlier else ""
    if last.upper() == "PREFIX":
        return start, _namespaces(word, known)
    found: list[Completion] = []
    if schema is not None:
        wants_class = last in ("a", "rdf:type") or last.endswith("#type>")
        if last.upper() == "GRAPH" or last.upper() in ("FROM", "NAMED"):
            found += [
                Completion(f"<{iri}>", "graph", rank=(0, 0, iri))
                for iri in schema.graphs
                if _inside(word, iri)
            ]
        found += _names(schema.classes, "class", word, known, 0 if wants_class else 2)
        if not wants_class:
            found += _names(schema.properties, "property", word, known, 1)
            if len(word) >= 2:  # one letter fits too many
                things = _names(schema.individuals, "individual", word, known, 3)
                found += [one for one in things if one.rank[1] < 2 * 10**9]  # beginnings only
    if word and ":" not in word and not word.startswith("<"):
        found += [
            Completion(keyword, "keyword", rank=(3 if found else 0, 0, keyword))
            for keyword in KEYWORDS
            if keyword.upper().startswith(word.upper())
        ]
        every = {**PREFIXES, **known}
        found += [
            Completion(f"{name}:", "prefix", iri, (4, 0, name))
            for name, iri in every.items()
            if name.startswith(word)
        ]
    return start, sorted(found, key=lambda one: one.rank)[:MOST]


def _variables(query: str, word: str) -> list[Completion]:
    names = dict.fromkeys(token.text[1:] for token in tokens(query) if token.kind == "variable")
    return [
        Completion(word[0] + name, "variable", rank=(0, 0, name))
        for name in sorted(names)
        if name.startswith(word[1:]) and name != word[1:]
    ]


def _names(
    entries: Iterable[SchemaTerm], kind: str, word: str, prefixes: Mapping[str, str], rank: int
) -> list[Completion]:
    """Entries whose short form, IRI or label fits the word: beginnings before other places,
    frequent ones first.
    """
    found = []
    wanted = _plain(word.lstrip("<"))
    for entry in entries:
        short = shorten(entry.iri, prefixes)
        text = short if short != entry.iri else f"<{entry.iri}>"
        local = _plain(text.rpartition(":")[2] if text == short else entry.iri)
        label = _fitting(entry.labels, wanted)
        if _plain(text).startswith(wanted) or local.startswith(wanted):
            fit = 0
        elif label and _plain(label).startswith(wanted):
            fit = 1
        elif label or wanted in _plain(entry.iri):
            fit = 2
        else:
            continue
        shown = label or (entry.labels[0] if entry.labels else "")
        found.append(
            Completion(text, kind, shown, (rank, fit * 10**9 - min(entry.count, 10**8), text))
        )
    return found


def _fitting(labels: Sequence[str], wanted: str) -> str:
    inside = [label for label in labels if wanted in _plain(label)]
    return min(
        inside,
        key=lambda label: (not _plain(label).startswith(wanted), labels.index(label)),
        default="",
    )


@lru_cache(maxsize=100_000)
def _plain(text: str) -> str:
    """Lower case without accents: "hutte" finds "Hütte"."""
    if text.isascii():
        return text.lower()
    return "".join(letter for letter in normalize("NFD", text) if not combining(letter)).lower()


def _namespaces(word: str, known: Mapping[str, str]) -> list[Completion]:
    every = {**PREFIXES, **known}
    return [
        Completion(f"{name}: <{iri}>", "prefix", iri, (0, 0, name))
        for name, iri in sorted(every.items())
        if name.startswith(word.rstrip(":"))
    ]


def _inside(word: str, iri: str) -> bool:
    return word.lower().lstrip("<") in iri.lower()


PATIENCE = (
    0.3  # seconds the first completion waits for the graph's schema; after that it does without
)


def in_query(session: Session, context: CompletionContext) -> dict[str, Any]:
    """What IPython's completer offers in a ``%%sparql`` cell."""
    before = context.full_text.split("\n")[: context.cursor_line]
    offered = offer(
        session,
        context.full_text,
        sum(len(line) + 1 for line in before) + context.cursor_position,
    )
    if offered is None:
        return {"completions": []}
    start, end, found = offered
    return {
        "completions": [SimpleCompletion(text=one.text, type=one.kind) for one in found],
        "matched_fragment": context.full_text[start:end],
        "ordered": True,
        "suppress": True,  # no Python fits a query
    }


def in_line(magics: Any, shell: Any, line: str, ours: str) -> dict[str, Any]:
    """What it offers in a line of a magic; ``ours`` is the part of the line from the magic on."""
    opened = _OPEN_QUOTE.search(line)
    word = opened[2] if opened else line.rpartition(" ")[2]
    event = SimpleNamespace(text_until_cursor=ours, symbol=word, line=line, command=magics.magic)
    first = len(ours.split()) - bool(word) < 2

    def kind(text: str) -> str:
        return (
            "option"
            if text.startswith("--")
            else "verb"
            if first and text in magics.verbs
            else "value"
        )

    every, start = magics.complete(shell, event), word.casefold()
    offered = [text for text in every if text.casefold().startswith(start)]
    if not first or word.startswith((".", "/", "~")):
        at = sum(not text.startswith("-") for text in offered)
        offered[at:at] = paths(word, opened[1] if opened else "")
    if word and not word.startswith("{{"):
        offered = offered or [word]  # with nothing to offer, IPython would offer its own words
    return {
        "completions": [
            SimpleCompletion(text=text, type=kind(text)) for text in dict.fromkeys(offered)
        ],
        "matched_fragment": word,
        "ordered": True,
        "suppress": True,
    }


def paths(word: str, quote: str) -> list[str]:
    """The files and folders whose path begins with this word, as a line takes them; hidden ones if
    the word asks for them. ``quote`` is the one that is open before the word; the quote around a
    folder stays open, to go on in it.
    """
    folder, slash, start = word.rpartition("/")
    try:
        entries = sorted(Path(folder + slash or ".").expanduser().iterdir())
    except OSError:  # no folder, or not one's own
        return []
    found = []
    for entry in entries:
        if entry.name.startswith(start) and (start or not entry.name.startswith(".")):
            opening = '"' if " " in entry.name and not quote else ""
            closing = "/" if entry.is_dir() else quote or opening
            found.append(f"{opening}{folder}{slash}{entry.name}{closing}")
    return found


def offer(session: Session, cell: str, cursor: int) -> tuple[int, int, list[Completion]] | None:
    """The completions at a place in a ``%%sparql`` cell, after the start and end to replace; None
    outside its query.
    """
    head, newline, body = cell.partition("\n")
    skipped = len(head) + 1
    if re.match(r"%%sparql(\s|$)", head) is None or not newline or cursor < skipped:
        return None
    words = (word.removeprefix("--graph=") for word in head.split()[1:])
    name = next((word for word in words if word in session.graphs), session.current)
    named = session.graphs.get(name)
    start, found = complete(
        body, cursor - skipped, schema_of(named) if named else None, session.prefixes
    )
    return start + skipped, cursor, found


def answer(session: Session, question: Mapping[str, Any]) -> dict[str, Any]:
    """The same for JupyterLab, with the label that matched: ``{"code": ..., "cursor": ...}`` in,
    items out.
    """
    offered = offer(session, str(question["code"]), int(question["cursor"]))
    if offered is None:
        return {"start": 0, "end": 0, "items": []}
    start, end, found = offered
    return {
        "start": start,
        "end": end,
        "items": [{"text": o.text, "kind": o.kind, "label": o.label} for o in found],
    }


def schema_of(named: NamedGraph, patience: float = PATIENCE) -> Schema | None:
    """The schema of an open graph, read once in the background; None until then."""
    if named.schema is None and named.reading is None:
        named.reading = threading.Thread(
            target=_read, args=(named,), name="kgnb schema", daemon=True
        )
        named.reading.start()
    if named.reading is not None and named.schema is None:
        named.reading.join(patience)
    return named.schema


def _read(named: NamedGraph) -> None:
    try:
        schema = read_schema(named.graph, links=False)
        named.schema = (
            schema
            if is_remote(named)
            else replace(schema, individuals=read_individuals(named.graph, schema))
        )
    except (KgnbError, ValueError):  # the graph cannot be read, or was closed meanwhile
        named.schema = Schema((), ())
