"""``%report``: run a parameterised report from a notebook, list those there are, look at what one left."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import line_magic, magics_class, no_var_expand

from kgnb.magics.arguments import split
from kgnb.magics.verbs import VerbMagics
from kgnb.results.table import Column, Table, Value

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
        from kgnb.reporting.figures import headline_figures, marks
        from kgnb.reporting.report import run_report

        result = run_report(name, given, out, self.session.settings)
        rows: list[list[Value]] = [["page", str(result.html)], ["notebook", str(result.notebook)]]
        rows += [[figure, value] for figure, value in headline_figures(result.metrics).items()]
        columns = [Column("what", "what"), Column("value", "value")]
        return Table(columns, rows, caption=f"Report {name}", notes=marks(result.metrics))
