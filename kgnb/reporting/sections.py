"""What every agent's report has: its figures in percent, what each stage took, and how to run it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from kgnb.reporting.costs import ledger
from kgnb.reporting.reproducing import reproduce as everything
from kgnb.reporting.session import Session
from kgnb.results.table import Table, percents
from kgnb.run import Run

SCORES = percents(precision="Precision", recall="Recall", f1="F1")
UNMEASURED = "No reference was given, so nothing is measured."


class HasRun(Protocol):
    """The results of a report that is one run."""

    @property
    def run(self) -> Run:
        """The run: steps, calls, queries."""


def in_percent(row: Mapping[str, Any], digits: int = 1) -> dict[str, Any]:
    """A row of the headline as ``kgnb report`` prints it: shares in percent, an MRR as it is."""
    return {
        name: round(100 * value, digits) if isinstance(value, float) and name != "mrr" else value
        for name, value in row.items()
    }


def stages(results: HasRun) -> Table:
    """The cost ledger, stage by stage."""
    return ledger(results.run)


def reproduce(results: HasRun, session: Session) -> Table:
    """Everything that decides the result: command, versions, digests of what was read."""
    return everything(session, results.run)
