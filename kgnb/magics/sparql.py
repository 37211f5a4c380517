"""``%%sparql``: a query in a cell, against any graph of ``%kg``; ``%%turtle``: a graph written in a cell."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kgnb.errors import DataError, KgnbError
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.placeholders import fill, placeholders
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.query_process import endable
from kgnb.kg.rdflib_graph import RdflibGraph
from kgnb.kg.schema import misspelt, read_schema
from kgnb.kg.sparql import never_bound, query_form, tokens
from kgnb.kg.terms import is_iri
from kgnb.magics.arguments import Number, argument
from kgnb.magics.kg import Opened, mended, take
from kgnb.magics.progress import interruptible
from kgnb.magics.session import NamedGraph, is_remote
from kgnb.magics.verbs import PlainMagics, Verb, verb
from kgnb.results.found import Rows, Triples, YesNo
from kgnb.tasks.querying import Found, declarations, query

# What aws/graph-notebook's %%sparql takes as well: the options that mean the same here, and those that say how its own
# viewer draws, which have no counterpart and do no harm.
SAME = {"--store-to": "--store", "-s": "--store", "--export-to": "--export", "-e": "--export"}
WITHOUT_EFFECT_VALUED = (
    *("--path", "-p", "--media-type", "-m", "--group-by", "-g", "--display-property", "-d", "--edge-display-property"),
    *("-de", "--tooltip-property", "-t", "--edge-tooltip-property", "-te", "--label-max-length", "-l"),
    *("--edge-label-max-length", "-le", "--simulation-duration", "-sd", "--results-per-page", "-r", "--explain-type"),
    *("--explain-format", "--store-format", "-sf", "--export-format", "-ef"),
)
WITHOUT_EFFECT = ("--expand-all", "--no-scroll", "--hide-index", "--stop-physics", "-sp", "--no-results",
                  "--ignore-groups", "-i", "--connected-table", "-ct", "--group-by-raw", "-gr")  # fmt: skip
MODES = ("query", "explain")
_QUERY = re.compile(r"\s*(PREFIX|BASE|SELECT|ASK|CONSTRUCT|DESCRIBE)\b.*[\s{<]", re.IGNORECASE)  # a query in one line
_NO_PYTHON = re.compile(  # how a query may begin, and Python may not
    r"\s*(PREFIX\s+[\w.-]*:\s*<|BASE\s*<|SELECT\s+((DISTINCT|REDUCED)\s+)?([?$]|\*\s*(WHERE\b|FROM\b|\{)|\(.*\sAS\s+[?$])"
    r"|(ASK|CONSTRUCT)\s*(WHERE\s*)?\{|DESCRIBE\s+[?$<])",
    re.IGNORECASE,
)
_AT = re.compile(r"line (\d+), column (\d+)")


class SparqlMagics(PlainMagics, magic="sparql"):
    """Ask a graph in SPARQL."""

    below = "query"

    @verb(
        "sparql",
        "%%sparql",
        "%%sparql huts --limit 100 --store found",
        "%%sparql huts --export huts.csv",
        "%%sparql --bind name=input().strip() --timeout 20",
    )
    @argument("name", metavar="NAME", nargs="?", default="", help="a graph that is open [the current one]")
    @argument("--limit", metavar="N", type=Number(int, 0, None), default=None, help="most rows to fetch [all]")
    @argument(
        "--timeout", metavar="SECONDS", type=Number(float, 0.001, None), default=None, help="give up after [none]"
    )
    @argument("--store", metavar="VAR", default="", help="a Python variable that gets the result")
    @argument("--export", metavar="FILE", default="", help="a file that gets it: .csv .tsv .json .parquet .ttl .nt")
    @argument("--graph", metavar="IRI", default="", help="ask this named graph only")
    @argument(
        "--bind", metavar="NAME=EXPRESSION", action="append", default=[], help="what {{NAME}} stands for in the query"
    )
    @argument("--update", action="store_true", help="allow the query to change the graph")
    @argument(
        "--labels", metavar="LANG", nargs="?", const="en", default="en", help="show IRIs by their labels in it [en]"
    )
    @argument("--no-labels", dest="labels", action="store_const", const="", help="show IRIs with their prefixes")
    @argument("--explain", action="store_true", help="show the query as it would be sent, and do not send it")
    @argument("--silent", action="store_true", help="show nothing; use it with --store or --export")
    def query(self, arguments: argparse.Namespace) -> Found | str | None:
        """Ask a graph: SELECT gives a table, CONSTRUCT and DESCRIBE a picture, ASK yes or no.

        {{name}} in the query stands for a Python variable, quoted as an RDF term; <{{name}}> for an IRI. A list stands
        for several terms. Prefixes that the graph's files declare, and well-known ones, need no PREFIX line.
        """
        cell = arguments.cell
        values = self._values(arguments.bind, cell)
        if arguments.store and not arguments.store.isidentifier():
            raise ValueError(f"{arguments.store!r} is no name for a Python variable")
        named = self.session.graph(arguments.name)
        text = _in_graph(cell, arguments.graph) if arguments.graph else cell
        prefixes = dict(self.session.prefixes)
        if arguments.explain:
            filled = fill(text, values)
            known = {**dict(getattr(named.graph, "prefixes", ())), **prefixes}
            return _Shown(f"{declarations(filled, known).strip()}\n{filled.strip()}".strip())
        found = interruptible(
            lambda: query(
                endable(named.graph),
                text,
                values=values,
                prefixes=prefixes,
                limit=arguments.limit,
                timeout=arguments.timeout,
                update=arguments.update,
                export=arguments.export or None,
                labels=arguments.labels,
                settings=self.session.settings,
            ),
            timeout=arguments.timeout,
        )
        if not arguments.update and _empty(found):
            found = self._with_hints(found, named, fill(text, values), prefixes)
        if isinstance(found, Rows | Triples) and (unbound := never_bound(text)):
            notes = (f"?{name} has no value: nothing in WHERE speaks of it." for name in unbound)
            found = replace(found, notes=(*found.notes, *notes))
        if arguments.update:
            named.ontologies.clear()  # what was read of it may be out of date
            named.schema = named.reading = None
        if arguments.store:
            self.shell.user_ns[arguments.store] = found
        if arguments.export:
            size = len(found.solutions) if isinstance(found, Rows) else len(found) if isinstance(found, Triples) else 0
            print(f"{arguments.export}: {size:,} {'rows' if isinstance(found, Rows) else 'triples'} written")
        return None if arguments.silent else found

    def _with_hints(self, found: Found, named: NamedGraph, asked: str, prefixes: dict[str, str]) -> Found:
        """What was found, with what may be misspelt in the query where it found nothing."""
        if is_remote(named):
            return found  # a service would be asked once for each name
        schema = named.schema or interruptible(lambda: read_schema(endable(named.graph), links=False))
        known = {**PREFIXES, **dict(getattr(named.graph, "prefixes", ())), **prefixes}
        hints = tuple(interruptible(lambda: misspelt(asked, endable(named.graph), schema, known)))
        if isinstance(found, YesNo):
            print("\n".join(hints), end="\n" if hints else "")
            return found
        return replace(found, notes=(*found.notes, *hints)) if isinstance(found, Rows | Triples) else found

    def dispatch(self, line: str, cell: str | None = None) -> Any:
        """Asks; a query may also stand in the line of the magic."""
        return super().dispatch("", line) if cell is None and _QUERY.match(line) else super().dispatch(line, cell)

    def read(self, line: str, mark: str = "%") -> tuple[str, list[str]]:
        """The line's words, graph-notebook's changed into ours."""
        shown, words = super().read(line, mark)
        words, ignored = _ours(words, self.session.graphs)
        if ignored:
            print(f"without effect here: {', '.join(ignored)}")
        return shown, words

    def call(self, method: Verb, arguments: argparse.Namespace, line: str) -> Any:
        """Asks; an error in the query shows where in the cell it is."""
        if arguments.form:
            from kgnb.widgets.form import Form, someone_is_there

            if someone_is_there(self.shell):
                return Form(self, method, vars(arguments), arguments.cell)
        try:
            return super().call(method, arguments, line)
        except KgnbError as error:
            point(error, arguments.cell)
            raise

    def suggestions(self, name: str) -> list[str]:
        """Names of open graphs."""
        return list(self.session.graphs) if name == "name" else []

    def _values(self, bound: list[str], cell: str) -> dict[str, object]:
        """What the names in the query stand for: ``--bind`` first, else the notebook's variables."""
        values: dict[str, object] = {}
        for word in bound:
            name, equals, expression = word.partition("=")
            if not equals or not name.isidentifier():
                raise ValueError(f"--bind wants NAME=EXPRESSION, not {word!r}")
            values[name] = self.shell.ev(expression)
        for name in placeholders(cell):
            if name not in values and name in self.shell.user_ns:
                values[name] = self.shell.user_ns[name]
        return values


def is_query(text: str) -> bool:
    """Whether a text begins as a SPARQL query does, and as no Python does."""
    return _NO_PYTHON.match(text) is not None


def _empty(found: Found) -> bool:
    """Whether nothing was found: no row, no triple, no; or nothing was counted."""
    if isinstance(found, Rows) and len(found) == 1:
        return all(getattr(term, "text", "") == "0" for term in found.solutions.rows[0])
    return (isinstance(found, Rows | Triples) and not len(found)) or (isinstance(found, YesNo) and not found)


class _Shown(str):
    """Text that shows itself as it is, not as Python would write it."""

    def __repr__(self) -> str:
        return str(self)


def _ours(words: list[str], graphs: Any) -> tuple[list[str], list[str]]:
    """The words with graph-notebook's names for options changed into ours, and those that do nothing here."""
    kept: list[str] = []
    ignored: list[str] = []
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in WITHOUT_EFFECT_VALUED:
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


def _in_graph(query: str, iri: str) -> str:
    """The query, asked of one named graph."""
    if not is_iri(iri):
        raise ValueError(f"--graph wants the IRI of a named graph, not {iri!r}")
    form = query_form(query)
    found = tokens(query)
    if form == "UPDATE" or any(token.word == "FROM" for token in found):
        raise DataError("--graph is for a query without FROM", where="SPARQL query", fix="Name the graph in the query.")
    depth, start = 0, len(query)
    template = form == "CONSTRUCT"
    for token in found:
        if token.word == "WHERE" and depth == 0:
            start = token.start
            break
        if token.text == "{" and depth == 0:
            if not template:
                start = token.start
                break
            template = False
        depth += (token.text in "{(") - (token.text in "})")
    return f"{query[:start]} FROM <{iri}> {query[start:]}"


def point(error: KgnbError, cell: str) -> None:
    """Adds the line of the query an error speaks of, with a caret below the place."""
    place = _AT.search(error.what)
    lines = cell.splitlines()
    if place is None or not 0 < int(place[1]) <= len(lines):
        return
    line = lines[int(place[1]) - 1].expandtabs(1)
    column = min(int(place[2]), len(line) + 1)
    error.add_note(f"    {line[:200]}\n    {' ' * (column - 1)}^" if column <= 200 else f"    {line[:200]}")


_DECLARED = re.compile(r"^\s*@?prefix\s+([\w.-]*):", re.IGNORECASE | re.MULTILINE)
_USED = re.compile(r"(?<![\w:/<.-])([A-Za-z][\w.-]*):")
_PLACE = re.compile(r"\bline (\d+)\b")


class TurtleMagics(PlainMagics, magic="turtle"):
    """Write a graph in a cell."""

    below = "graph"

    @verb("turtle", "%%turtle", "%%turtle huts", "%%turtle huts --add")
    @argument("name", metavar="NAME", nargs="?", default="cell", help="what to call the graph [cell]")
    @argument("--add", action="store_true", help="add to the graph of this name, which is open")
    def write(self, arguments: argparse.Namespace) -> Opened:
        """Open what is written below, in Turtle, as a graph, and make it the current one.

        Prefixes of ``%kg prefix`` and well-known ones need no @prefix line.
        """
        if arguments.add:
            named = self.session.graph(arguments.name)
            if not isinstance(named.graph, OxigraphGraph | RdflibGraph):
                raise DataError(f"{named.name} lies on a server", where="", fix="Use %%sparql --update to change it.")
            self._load(named.graph, arguments.cell)
            named.ontologies.clear()  # what was read of it is out of date
            named.schema = named.reading = None
            self.session.current = named.name
        else:
            graph = OxigraphGraph(name=arguments.name)
            self._load(graph, arguments.cell)
            named = NamedGraph(arguments.name, graph, "a cell")
            take(self.session, named)
        return Opened(named.name, named.graph, named.graph.count(), mended(named.graph))

    def _load(self, graph: OxigraphGraph | RdflibGraph, cell: str) -> None:
        """Reads the cell into the graph, all of it or nothing; an error names the cell's line."""
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

    def suggestions(self, name: str) -> list[str]:
        """Names of open graphs."""
        return list(self.session.graphs) if name == "name" else []


def _in_cell(error: DataError, path: str, cell: str) -> DataError:
    """The same error, at its place in the cell; the line of prefixes above it is not the writer's."""
    what = error.what.removeprefix(f"{error.where}: ").replace(path, "the cell")
    what = _PLACE.sub(lambda found: f"line {int(found[1]) - 1}", what)
    line, _, column = error.where.removeprefix(f"{path}:").partition(":")
    where = f"line {int(line) - 1}, column {column}" if line.isdigit() and column.isdigit() else "the cell"
    said = DataError(what, where=where, fix=error.fix.replace("the file", "the cell"))
    point(said, cell)
    return said
