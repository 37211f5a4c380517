"""``%run_view``: a run of this notebook, or a saved one, as a tree; ``%report``: reports run, and listed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from IPython.core.magic import line_magic, magics_class, no_var_expand

from kgnb.errors import DataError
from kgnb.magics.arguments import argument, parse, split
from kgnb.magics.verbs import VerbMagics, verb
from kgnb.results.table import Column, Table, Value, texts
from kgnb.run import Run
from kgnb.run.run import Comparison


@magics_class
class RunMagics(VerbMagics):
    """The ``%run_view`` magic."""

    magic = "run_view"

    @verb("run_view", "%run_view", "%run_view 2", "%run_view reports/ontology-matching/1a2b3c/run", "%run_view --list")
    @argument("which", metavar="RUN", nargs="?", default="", help="a number of --list, or a run's folder [the latest]")
    @argument("--list", dest="listed", action="store_true", help="list the runs of this notebook")
    @argument("--compare", metavar="RUN", default="", help="compare with this one")
    def view(self, arguments: argparse.Namespace) -> Any:
        """Show a run: its steps with their calls, judgements and queries, and what it all cost."""
        if arguments.listed:
            return self._list()
        run = self._run(arguments.which)
        return compared(run.compare(self._run(arguments.compare))) if arguments.compare else run

    @no_var_expand
    @line_magic
    def run_view(self, line: str) -> Any:
        """Show a run of this notebook, or a saved one."""
        method = self.verbs["run_view"]
        words = split(line, self.shell.user_ns)
        if "-h" in words or "--help" in words:
            print(method.parser.format_help())  # type: ignore[attr-defined]
            return None
        shown = f"%run_view {line.strip()}".rstrip()
        return self.call(method, parse(method.parser, words, line=shown), shown)  # type: ignore[attr-defined]

    def _run(self, which: str) -> Run:
        runs = [run for run in self.session.runs if run.steps]
        if str(which).isdecimal():
            if not 0 < int(which) <= len(runs):
                raise DataError(f"there is no run {which}", where="this notebook", fix="%run_view --list shows them.")
            return runs[int(which) - 1]
        if which:
            return Run.load(Path(str(which)))
        if not runs:
            fix = "Run a stage, or name a saved run's folder: %run_view FOLDER"
            raise DataError("nothing has run yet", where="this notebook", fix=fix)
        return runs[-1]

    def _list(self) -> Table:
        rows: list[list[Value]] = []
        for number, run in enumerate((run for run in self.session.runs if run.steps), start=1):
            total = run.totals
            tokens = total["prompt_tokens"] + total["completion_tokens"]
            rows.append([number, run.agent, len(run.steps), total["calls"], tokens, total["seconds"], run.id])
        columns = [
            Column("number", "number", "number"),
            Column("agent", "agent"),
            Column("steps", "steps", "number"),
            Column("calls", "model calls", "number"),
            Column("tokens", "tokens", "number"),
            Column("seconds", "seconds", "number"),
            Column("id", "id"),
        ]
        return Table(columns, rows, caption="The runs of this notebook")


def compared(comparison: Comparison) -> Table:
    """What differs between two runs, a line each; what is equal is left out."""
    columns = texts(what="what", name="which", before="this run", after="the other")
    alike = ["Both counted and judged alike."] if comparison.same_result else []
    return Table(columns, comparison.rows(), caption="What differs", notes=alike)


HELP = """%report [NAME [KEY=VALUE ...]] [--out FOLDER]

Without NAME: the reports there are. NAME --help: its parameters. Else the report is run in a kernel of its own; its
page and headline figures are shown; the files are those of `kgnb report`.

examples:
  %report
  %report ontology-matching --help
  %report ontology-matching dataset=huts k=5
"""


@magics_class
class ReportMagics(VerbMagics):
    """The ``%report`` magic."""

    magic = "report"

    @no_var_expand
    @line_magic
    def report(self, line: str) -> Any:
        """Run a report with these parameters, or list the reports there are."""
        from kgnb.cli.report import parameters_help
        from kgnb.cli.report import split as pairs
        from kgnb.reporting.report import templates

        words = [str(word) for word in split(line, self.shell.user_ns) if word != "-p"]
        if words in (["-h"], ["--help"], ["help"]):
            print(HELP)
            return None
        if not words:
            rows: list[list[Value]] = [[one.name, one.summary] for one in templates()]
            return Table([Column("name", "report"), Column("summary", "what it says")], rows, caption="Reports")
        name, rest = words[0], words[1:]
        if "--help" in rest or "-h" in rest:
            print(parameters_help(name))
            return None
        out = None
        if "--out" in rest:
            at = rest.index("--out")
            if at + 1 == len(rest):
                raise ValueError("--out is followed by a folder")
            out, rest = rest[at + 1], rest[:at] + rest[at + 2 :]
        return self._run(name, pairs(tuple(rest)), out)

    def _run(self, name: str, given: dict[str, str], out: str | None) -> Table:
        from kgnb.reporting.report import run_report
        from kgnb.reporting.session import headline_figures, marks

        result = run_report(name, given, out, self.session.settings)
        rows: list[list[Value]] = [["page", str(result.html)], ["notebook", str(result.notebook)]]
        rows += [[figure, value] for figure, value in headline_figures(result.metrics).items()]
        columns = [Column("what", "what"), Column("value", "value")]
        return Table(columns, rows, caption=f"Report {name}", notes=marks(result.metrics))
