"""``%%sparql``: query any open graph; ``%%turtle``: write a graph in a cell."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from IPython.display import display

from kgnb.errors import DataError, KgnbError
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.placeholders import fill, placeholders
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.query_process import endable
from kgnb.kg.schema import misspelt, read_schema
from kgnb.kg.sparql import from_graph, never_bound
from kgnb.kg.terms import is_iri
from kgnb.magics.arguments import NAMES_GRAPH, Number, argument
from kgnb.magics.kg import Opened, mended, take
from kgnb.magics.progress import interruptible
from kgnb.magics.session import NamedGraph, is_remote
from kgnb.magics.verbs import PlainMagics, Verb, verb
from kgnb.results.bundle import Bundled, count
from kgnb.results.chart import KINDS
from kgnb.results.found import Rows, Triples, YesNo
from kgnb.tasks.querying import Found, declarations, query

# Options of %%sparql in aws/graph-notebook: those that mean the same here, and those of its viewer,
# which are ignored.
SAME = {"--store-to": "--store", "-s": "--store", "--export-to": "--export", "-e": "--export"}
WITHOUT_EFFECT_VALUED = """\
--path -p --media-type -m --group-by --display-property -d --edge-display-property -de
--tooltip-property -t --edge-tooltip-property -te --label-max-length -l --edge-label-max-length
-le --simulation-duration -sd --results-per-page -r --explain-type --explain-format
--store-format -sf --export-format -ef""".split()
WITHOUT_EFFECT = """\
--expand-all --no-scroll --hide-index --stop-physics -sp --no-results --ignore-groups -i
--connected-table -ct --group-by-raw -gr""".split()
MODES = ("query", "explain")
# A query in one line: it begins like one, or has a brace of its own, as one with a misspelt first
# word does.
_QUERY = re.compile(
    r"\s*(PREFIX|BASE|SELECT|ASK|CONSTRUCT|DESCRIBE)\b.*[\s{<]|.*(?<!\{)\{(?!\{)", re.IGNORECASE
)
_BEGINS = re.compile(
    r"(?<![\w-])(PREFIX|BASE|SELECT|ASK|CONSTRUCT|DESCRIBE)\b.*[{<]", re.IGNORECASE
)
_AT = re.compile(r"line (\d+), column (\d+)")


class GraphMagics(PlainMagics):
    """A cell magic about an open graph."""

    def suggestions(self, name: str) -> list[str]:
        """Names of open graphs."""
        return list(self.session.graphs) if name in ("name", "graph") else []


class SparqlMagics(GraphMagics, magic="sparql"):
    """Query a graph in SPARQL."""

    below = "query"

    @verb(
        "sparql",
        "%%sparql",
        "%%sparql huts --limit 100 --store found",
        "%%sparql huts --export huts.csv",
        "%%sparql --bind name=input().strip() --timeout 20",
    )
    @argument("name", metavar="NAME", nargs="?", default="", help="an open graph [the current one]")
    @argument(
        "--limit",
        metavar="N",
        type=Number(int, 0, None),
        default=None,
        help="most rows or triples to fetch [100,000; with --export, all]",
    )
    @argument(
        "--timeout",
        metavar="SECONDS",
        type=Number(float, 0.001, None),
        default=None,
        help="give up after [none]",
    )
    @argument("--store", metavar="VAR", default="", help="a Python variable for the result")
    @argument(
        "--export",
        metavar="FILE",
        default="",
        help="a file for the result: .csv .tsv .json .parquet .ttl .nt",
    )
    @argument(
        "--graph",
        metavar="IRI",
        default="",
        help="query only this named graph; a NAME: that open graph",
    )
    @argument(
        "--bind",
        metavar="NAME=EXPRESSION",
        action="append",
        default=[],
        help="the value of {{NAME}} in the query",
    )
    @argument("--update", action="store_true", help="allow the query to change the graph")
    @argument(
        "--labels",
        metavar="LANG",
        nargs="?",
        const="en",
        default="en",
        help="show labels in this language [en]",
    )
    @argument(
        "--no-labels",
        dest="labels",
        action="store_const",
        const="",
        help="show IRIs instead of labels",
    )
    @argument(
        "--explain",
        action="store_true",
        help="show the query that would be sent, without sending it",
    )
    @argument(
        "--plot",
        metavar="KIND",
        nargs="?",
        const="auto",
        default="",
        help=f"also show the rows as a chart: links, {', '.join(KINDS)} [what fits]",
    )
    @argument(
        "--silent", action="store_true", help="show nothing; for use with --store or --export"
    )
    def query(self, arguments: argparse.Namespace) -> Found | Bundled | str | None:
        """Query a graph: SELECT gives a table, CONSTRUCT and DESCRIBE a picture, ASK yes or no.

        {{name}} in the query inserts a Python variable as an RDF term, <{{name}}> as an IRI, and a
        list as several terms. Well-known prefixes, and those declared in the graph's files, need no
        PREFIX line.
        """
        cell = arguments.cell
        values = self._values(arguments.bind, cell)
        if arguments.store and not arguments.store.isidentifier():
            raise ValueError(f"{arguments.store!r} is not a valid name for a Python variable")
        named = self.session.graph(arguments.name)
        text = from_graph(cell, arguments.graph) if arguments.graph else cell
        prefixes = dict(self.session.prefixes)
        if arguments.explain:
            filled = fill(text, values)
            known = {**dict(getattr(named.graph, "prefixes", ())), **prefixes}
            return _Shown(f"{declarations(filled, known).strip()}\n{filled.strip()}".strip())
        # none are left out of a file
        free = arguments.limit is None and not arguments.export
        limit = MOST_ROWS if free else arguments.limit
        found = interruptible(
            lambda: query(
                endable(named.graph),
                text,
                values=values,
                prefixes=prefixes,
                limit=limit,
                timeout=arguments.timeout,
                update=arguments.update,
                export=arguments.export or None,
                labels=arguments.labels,
            ),
            timeout=arguments.timeout,
        )
        named.queries = [cell.strip(), *(one for one in named.queries if one != cell.strip())]
        if not arguments.update and _empty(found):
            found = self._with_hints(found, named, fill(text, values), prefixes)
        if isinstance(found, Rows | Triples) and (unbound := never_bound(text)):
            notes = (f"?{name} has no value: WHERE does not mention it." for name in unbound)
            found = replace(found, notes=(*found.notes, *notes))
        if arguments.update:
            named.changed()
        if arguments.store:
            self.shell.user_ns[arguments.store] = found
        if arguments.export:
            size = len(found) if isinstance(found, Rows | Triples) else 0
            print(
                f"{arguments.export}: wrote {count(size, 'row' if isinstance(found, Rows) else 'triple')}"
            )
        if arguments.plot:
            if not arguments.silent:
                display(found)  # type: ignore[no-untyped-call]
            return _plotted(found, arguments.plot)
        return None if arguments.silent else found

    def _with_hints(
        self, found: Found, named: NamedGraph, asked: str, prefixes: dict[str, str]
    ) -> Found:
        """The empty result, with notes on what may be misspelt in the query."""
        if is_remote(named):
            return found  # a service would get a query for each name
        schema = named.schema or named.for_hints
        if schema is None:
            schema = interruptible(lambda: read_schema(endable(named.graph), links=False))
            named.for_hints = schema  # kept until the graph changes
        known = {**PREFIXES, **dict(getattr(named.graph, "prefixes", ())), **prefixes}
        hints = tuple(interruptible(lambda: misspelt(asked, endable(named.graph), schema, known)))
        if isinstance(found, YesNo):
            print("\n".join(hints), end="\n" if hints else "")
            return found
        return (
            replace(found, notes=(*found.notes, *hints))
            if isinstance(found, Rows | Triples)
            else found
        )

    def dispatch(self, line: str, cell: str | None = None) -> Any:
        """Runs the query, which may also be on the line of the magic, behind a name and options."""
        if cell is None and _QUERY.match(line):
            begins = _BEGINS.search(line)
            start = begins.start() if begins else 0
            return super().dispatch(line[:start], line[start:])
        return super().dispatch(line, cell)

    def read(self, line: str, mark: str = "%") -> tuple[str, list[str]]:
        """The line's words, with graph-notebook's options changed into ours."""
        shown, words = super().read(line, mark)
        words, ignored = _ours(words, self.session.graphs)
        if ignored:
            print(f"without effect here: {', '.join(ignored)}")
        return shown, words

    def call(self, method: Verb, arguments: argparse.Namespace, line: str) -> Any:
        """Runs the query; an error shows where it is in the cell."""
        if arguments.form and self.someone:
            return self.form(method, vars(arguments), arguments.cell)
        try:
            return super().call(method, arguments, line)
        except KgnbError as error:
            point(error, arguments.cell)
            raise

    def _values(self, bound: list[str], cell: str) -> dict[str, object]:
        """The values of the names in the query: those of ``--bind``, else the notebook's variables."""
        values: dict[str, object] = {}
        for word in bound:
            name, equals, expression = word.partition("=")
            if not equals or not name.isidentifier():
                raise ValueError(f"--bind takes NAME=EXPRESSION, not {word!r}")
            values[name] = self.shell.ev(expression)
        for name in placeholders(cell):
            if name not in values and name in self.shell.user_ns:
                values[name] = self.shell.user_ns[name]
        return values


MOST_ROWS = 100_000
"""Rows of a query without a limit of its own: a page shows a few, and a million take a gigabyte."""


def _empty(found: Found) -> bool:
    """Whether the result is empty: no row, no triple, "no", or a count of 0."""
    if isinstance(found, Rows) and len(found) == 1:
        return all(getattr(term, "text", "") == "0" for term in found.solutions.rows[0])
    return (isinstance(found, Rows | Triples) and not len(found)) or (
        isinstance(found, YesNo) and not found
    )


def _plotted(found: Found, kind: str) -> Bundled:
    """The rows as a chart or, where they hold links and no numbers, as a picture."""
    if not isinstance(found, Rows):
        raise ValueError("--plot draws the rows of a SELECT query")
    if kind == "links":
        return found.picture()
    try:
        return found.plot("" if kind == "auto" else kind)
    except ValueError:
        if kind != "auto":
            raise
        return found.picture()


class _Shown(str):
    """Text that is shown without quotes."""

    def __repr__(self) -> str:
        return str(self)


def _ours(words: list[str], graphs: Any) -> tuple[list[str], list[str]]:
    """The words with graph-notebook's options changed into ours, and those without an effect here.

    ``-g NAME`` and ``--graph NAME`` mean the open graph of that name, as NAME alone does.
    """
    kept: list[str] = []
    ignored: list[str] = []
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in NAMES_GRAPH:
            value = (value if equals else next(rest, "")).strip("<>")
            name_of_one = value in graphs or (value and not is_iri(value))
            kept += [value] if name_of_one else ["--graph", *filter(None, [value])]
        elif name in WITHOUT_EFFECT_VALUED:
            ignored.append(name)
            if not equals:
                next(rest, None)
        elif name in WITHOUT_EFFECT:
            ignored.append(name)
        elif word in MODES and not kept and word not in graphs:
            kept += ["--explain"] if word == "explain" else []
        else:
            kept += [SAME.get(name, name) + equals + value if equals else SAME.get(word, word)]
    return kept, ignored


def point(error: KgnbError, cell: str) -> None:
    """Adds to an error the line of the query it is about, with a caret below the place."""
    place = _AT.search(error.what)
    lines = cell.splitlines()
    if place is None or not 0 < int(place[1]) <= len(lines):
        return
    line = lines[int(place[1]) - 1].expandtabs(1)
    column = min(int(place[2]), len(line) + 1)
    error.add_note(
        f"    {line[:200]}\n    {' ' * (column - 1)}^" if column <= 200 else f"    {line[:200]}"
    )


_DECLARED = re.compile(r"^\s*@?prefix\s+([\w.-]*):", re.IGNORECASE | re.MULTILINE)
_USED = re.compile(r"(?<![\w:/<.-])([A-Za-z][\w.-]*):")
_PLACE = re.compile(r"\bline (\d+)\b")


class TurtleMagics(GraphMagics, magic="turtle"):
    """Write a graph in a cell."""

    below = "graph"

    @verb("turtle", "%%turtle", "%%turtle huts", "%%turtle huts --add")
    @argument(
        "name", metavar="NAME", nargs="?", default="cell", help="the name of the graph [cell]"
    )
    @argument("--add", action="store_true", help="add to the open graph of this name")
    def write(self, arguments: argparse.Namespace) -> Opened:
        """Open the Turtle below as a graph and make it the current one.

        Well-known prefixes, and those of ``%kg prefix``, need no @prefix line.
        """
        if arguments.add:
            named = self.session.graph(arguments.name)
            if not isinstance(named.graph, OxigraphGraph):
                raise DataError(
                    f"{named.name} is on a server",
                    fix="Use %%sparql --update to change it.",
                )
            self._load(named.graph, arguments.cell)
            named.changed()
            self.session.current = named.name
        else:
            graph = OxigraphGraph(name=arguments.name)
            self._load(graph, arguments.cell)
            named = NamedGraph(arguments.name, graph, "a cell")
            take(self.session, named)
        return Opened(named.name, named.graph, named.graph.count(), mended(named.graph))

    def _load(self, graph: OxigraphGraph, cell: str) -> None:
        """Reads the cell into the graph, all or nothing; an error names the line of the cell."""
        known = {**PREFIXES, **self.session.prefixes}
        wanted = sorted({*_USED.findall(cell)} & known.keys() - {*_DECLARED.findall(cell)})
        head = " ".join(f"@prefix {prefix}: <{known[prefix]}> ." for prefix in wanted)
        with TemporaryDirectory() as folder:
            path = Path(folder, "cell.ttl")
            path.write_text(f"{head}\n{cell}", encoding="utf-8")
            try:
                load(graph, path)
            except DataError as error:
                raise _in_cell(error, str(path), cell) from None
        graph.prefixes = tuple((p, iri) for p, iri in graph.prefixes if p not in wanted)


def _in_cell(error: DataError, path: str, cell: str) -> DataError:
    """The same error with its place in the cell, not counting the line of prefixes that was added
    above it.
    """
    what = error.what.removeprefix(f"{error.where}: ").replace(path, "the cell")
    what = _PLACE.sub(lambda found: f"line {int(found[1]) - 1}", what)
    line, _, column = error.where.removeprefix(f"{path}:").partition(":")
    where = (
        f"line {int(line) - 1}, column {column}"
        if line.isdigit() and column.isdigit()
        else "the cell"
    )
    moved = DataError(what, where=where, fix=error.fix.replace("the file", "the cell"))
    point(moved, cell)
    return moved
