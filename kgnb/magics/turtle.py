"""``%%turtle``: a graph written in a cell."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from IPython.core.magic import line_cell_magic, magics_class, no_var_expand

from kgnb.errors import DataError
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.rdflib_graph import RdflibGraph
from kgnb.magics.arguments import LineError, argument, parse, split
from kgnb.magics.kg import Opened, mended, take
from kgnb.magics.session import NamedGraph
from kgnb.magics.sparql import point
from kgnb.magics.verbs import VerbMagics, verb

_DECLARED = re.compile(r"^\s*@?prefix\s+([\w.-]*):", re.IGNORECASE | re.MULTILINE)
_USED = re.compile(r"(?<![\w:/<.-])([A-Za-z][\w.-]*):")
_PLACE = re.compile(r"\bline (\d+)\b")


@magics_class
class TurtleMagics(VerbMagics):
    """The ``%%turtle`` magic."""

    magic = "turtle"

    @verb("turtle", "%%turtle", "%%turtle huts", "%%turtle huts --add")
    @argument("name", metavar="NAME", nargs="?", default="cell", help="what to call the graph [cell]")
    @argument("--add", action="store_true", help="add to the graph of this name, which is open")
    def write(self, arguments: argparse.Namespace, cell: str = "") -> Opened:
        """Open what is written below, in Turtle, as a graph, and make it the current one.

        Prefixes of ``%kg prefix`` and well-known ones need no @prefix line.
        """
        if arguments.add:
            named = self.session.graph(arguments.name)
            if not isinstance(named.graph, OxigraphGraph | RdflibGraph):
                raise DataError(f"{named.name} lies on a server", where="", fix="Use %%sparql --update to change it.")
            self._load(named.graph, cell)
            named.ontologies.clear()  # what was read of it is out of date
            named.schema = named.reading = None
            self.session.current = named.name
        else:
            graph = OxigraphGraph(name=arguments.name)
            self._load(graph, cell)
            named = NamedGraph(arguments.name, graph, "a cell")
            take(self.session, named)
        return Opened(named.name, named.graph, named.graph.count(), mended(named.graph))

    @no_var_expand
    @line_cell_magic
    def turtle(self, line: str, cell: str | None = None) -> Any:
        """Write a graph in a cell."""
        shown = f"%%turtle {line.strip()}".rstrip()
        try:
            words = split(line, {})
        except LineError as error:
            error.line = shown
            raise
        method = self.verbs["turtle"]
        if "-h" in words or "--help" in words:
            print(method.parser.format_help())  # type: ignore[attr-defined]
            return None
        arguments = parse(method.parser, words, line=shown)  # type: ignore[attr-defined]
        if cell is None or not cell.strip():
            raise LineError("there is no graph", line=shown, fix="Write it below, in a cell that begins %%turtle.")
        return self.write(arguments, cell)

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

    def complete(self, shell: Any, event: SimpleNamespace) -> list[str]:
        """Graphs and options, on the first line."""
        return [*self.session.graphs, "--add", "--help"]

    def suggestions(self, name: str) -> list[str]:
        """Names of open graphs."""
        return list(self.session.graphs)


def _in_cell(error: DataError, path: str, cell: str) -> DataError:
    """The same error, at its place in the cell; the line of prefixes above it is not the writer's."""
    what = error.what.removeprefix(f"{error.where}: ").replace(path, "the cell")
    what = _PLACE.sub(lambda found: f"line {int(found[1]) - 1}", what)
    line, _, column = error.where.removeprefix(f"{path}:").partition(":")
    where = f"line {int(line) - 1}, column {column}" if line.isdigit() and column.isdigit() else "the cell"
    said = DataError(what, where=where, fix=error.fix.replace("the file", "the cell"))
    point(said, cell)
    return said
