"""``%run_view`` shows a run of this notebook, or a saved one; ``%report`` runs or lists reports."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kgnb.errors import DataError
from kgnb.magics.arguments import argument
from kgnb.magics.verbs import HELP, PlainMagics, verb
from kgnb.results.table import Table, TableRows, numbers, texts
from kgnb.run import Run
from kgnb.run.run import RunComparison


class RunMagics(PlainMagics, magic="run_view"):
    """Show a run of this notebook, or a saved one."""

    @verb(
        "run_view",
        "%run_view",
        "%run_view 2",
        "%run_view reports/ontology-matching/1a2b3c/run",
        "%run_view --list",
    )
    @argument(
        "which",
        metavar="RUN",
        nargs="?",
        default="",
        help="a number from --list, or a run's folder [the latest]",
    )
    @argument("--list", dest="listed", action="store_true", help="list the runs of this notebook")
    @argument("--compare", metavar="RUN", default="", help="compare with this run")
    def view(self, arguments: argparse.Namespace) -> Any:
        """Show a run: its steps with their calls, judgements and queries, and the costs."""
        if arguments.listed:
            return self._list()
        run = self._run(arguments.which)
        return compared(run.compare(self._run(arguments.compare))) if arguments.compare else run

    def _run(self, which: str) -> Run:
        runs = self.session.begun
        if str(which).isdecimal():
            if not 0 < int(which) <= len(runs):
                fix = "%run_view --list lists the runs."
                raise DataError(f"there is no run {which}", where="this notebook", fix=fix)
            return runs[int(which) - 1]
        if which:
            return Run.load(Path(str(which)))
        if not runs:
            fix = "Run a stage, or name a saved run's folder: %run_view FOLDER"
            raise DataError("nothing has run yet", where="this notebook", fix=fix)
        return runs[-1]

    def _list(self) -> Table:
        rows: TableRows = []
        for number, run in enumerate(self.session.begun, start=1):
            total = run.totals
            tokens = total["prompt_tokens"] + total["completion_tokens"]
            rows.append(
                [
                    number,
                    run.agent,
                    len(run.steps),
                    total["calls"],
                    tokens,
                    total["seconds"],
                ]
            )
        columns = numbers(number="number") + texts(agent="agent")
        columns += numbers(steps="steps", calls="model calls", tokens="tokens", seconds="seconds")
        return Table(columns, rows, caption="The runs of this notebook")


def compared(comparison: RunComparison) -> Table:
    """What differs between two runs, one row each."""
    columns = texts(what="what", name="which", before="this run", after="the other")
    alike = ["All counts and judgements are the same."] if comparison.same_result else []
    return Table(columns, comparison.rows(), caption="Differences", notes=alike)


class ReportMagics(PlainMagics, magic="report"):
    """Run a report with these parameters, or list all reports."""

    @verb(
        "report",
        "%report",
        "%report ontology-matching --help",
        "%report ontology-matching dataset=huts k=5",
    )
    @argument(
        "name",
        metavar="NAME",
        nargs="?",
        default="",
        help="a report; NAME --help shows its parameters [list all]",
    )
    @argument("values", metavar="KEY=VALUE", nargs="*", help="parameters")
    @argument(
        "--out", metavar="FOLDER", default=None, help="where to write its files [reports/NAME/ID]"
    )
    def run(self, arguments: argparse.Namespace) -> Table:
        """Run a report in its own kernel, as `kgnb report` does: its page and headline figures."""
        from kgnb.cli.report import split
        from kgnb.reporting.report import run_report, templates
        from kgnb.reporting.session import headline_figures, marks

        name = arguments.name
        if not name:
            return Table(
                texts(name="report", summary="summary"),
                [[one.name, one.summary] for one in templates()],
                caption="Reports",
            )
        given = split(tuple(map(str, arguments.values)))
        result = run_report(name, given, arguments.out, self.session.settings)
        rows: TableRows = [["page", str(result.html)], ["notebook", str(result.notebook)]]
        rows += [[figure, value] for figure, value in headline_figures(result.metrics).items()]
        return Table(
            texts(what="what", value="value"),
            rows,
            caption=f"Report {name}",
            notes=marks(result.metrics),
        )

    def read(self, line: str, mark: str = "%") -> tuple[str, list[str]]:
        """The line's words without the -p that parameters have on the command line."""
        shown, words = super().read(line, mark)
        return shown, [word for word in words if word != "-p"]

    def suggestions(self, name: str) -> Sequence[str]:
        """Names of reports."""
        from kgnb.reporting.report import templates

        return [one.name for one in templates()] if name == "name" else ()

    def help(self, words: Sequence[str]) -> str:
        """The parameters of the report, if one is named, else those of the magic."""
        from kgnb.cli.report import parameters_help

        name = next((word for word in words if word not in (*HELP, "help")), "")
        return parameters_help(name) if name else super().help(words)
