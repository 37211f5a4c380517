"""What every agent's report has: its run, its figures in percent, what each stage took, and how to run it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from kgnb.reporting.costs import ledger
from kgnb.reporting.reproducing import reproduce as everything
from kgnb.reporting.session import ReportSession, tell
from kgnb.results.table import Table, percents
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.running import judge_and_model, new_run

SCORES = percents(precision="Precision", recall="Recall", f1="F1")
UNMEASURED = "No reference was given, so nothing is measured."


class HasRun(Protocol):
    """The results of a report that is one run."""

    @property
    def run(self) -> Run:
        """The run: steps, calls, queries."""


def judging(session: ReportSession, judge: str, model: str = "") -> tuple[str, Settings]:
    """The judge and the settings that a report's parameters ``judge`` and ``model`` stand for."""
    return judge_and_model(judge, session.settings.with_(model=model) if model else session.settings)


def judge_in_words(judge: str, settings: Settings) -> str:
    """The judge by its name, and the model it asks."""
    name = ("cascade" if settings.model else "rule") if judge == "auto" else judge
    return f"{name}, {settings.model}" if settings.model and name in ("model", "cascade") else f"{name} judge"


def run_in(
    session: ReportSession, agent: str, data: Mapping[str, str], parameters: Mapping[str, Any], settings: Settings
) -> Run:
    """A run that lies in the report's folder and tells what it expects to spend."""
    folder = session.folder / "run"
    return new_run(agent, data, parameters=parameters, settings=settings, folder=folder, on_event=tell)


def in_percent(row: Mapping[str, Any], digits: int = 1) -> dict[str, Any]:
    """A row of the headline as ``kgnb report`` prints it: shares in percent, an MRR as it is."""
    return {
        name: round(100 * value, digits) if isinstance(value, float) and name != "mrr" else value
        for name, value in row.items()
    }


def stages(results: HasRun) -> Table:
    """The cost ledger, stage by stage."""
    return ledger(results.run)


def reproduce(results: HasRun, session: ReportSession) -> Table:
    """Everything that decides the result: command, versions, digests of what was read."""
    return everything(session, results.run)
