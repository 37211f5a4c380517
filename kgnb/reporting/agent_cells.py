"""What the cells of a made report call: the agent's task begun, its stages run, its figures kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kgnb.agents.agent import OutOfOrder, Task
from kgnb.files import write_whole
from kgnb.reporting.costs import ledger, spent
from kgnb.reporting.reproducing import reproduce
from kgnb.reporting.session import current, tell
from kgnb.results.table import Table
from kgnb.tasks.agents import new_task


class _Told:
    """Hands events to whoever runs the report."""

    def event(self, event: Any) -> None:
        """One event of the run."""
        tell(event)

    def clear(self) -> None:
        """Nothing was shown."""


def begin(agent: str, inputs: Mapping[str, str], options: Mapping[str, Any]) -> Task:
    """The task of a report: its run lies in the report's folder.

    Raises:
        ValueError: an input is not named.
    """
    if missing := [name for name, value in inputs.items() if not value]:
        raise ValueError(f"the report is about something: give -p {missing[0]}=...")
    session = current()
    return new_task(agent, inputs, options, settings=session.settings, folder=session.folder / "run", on_event=tell)


def stage(task: Task, name: str) -> Any:
    """Runs one stage and shows its value; the last one also writes ``metrics.json``."""
    value = task.do(name, _Told())
    if name == task.agent.sequence[-1]:
        counts = {what: number for step in task.run.steps for what, number in step.counts.items()}
        found = {"headline": [{"agent": task.agent.title, **counts}], "costs": spent(task.run.totals)}
        text = json.dumps(found, ensure_ascii=False, indent=1, sort_keys=True, default=str) + "\n"
        write_whole(current().folder / "metrics.json", text)
        for suffix, write in task.agent.exports.items():
            write_whole(current().folder / f"result{suffix}", write(value))
    return value


def measured(task: Task, reference: str) -> Any:
    """The result against a reference; a line that says so where none was named."""
    if not reference or task.agent.evaluate is None:
        return "No reference was named: give -p reference=FILE."
    try:
        return task.agent.evaluate(task, reference)
    except OutOfOrder as error:
        return str(error)


def cost(task: Task) -> Table:
    """What every stage took."""
    return ledger(task.run)


def again(task: Task) -> Table:
    """Command, run, versions and digests."""
    return reproduce(
        current(), task.run, [(name, digest) for name, digest in task.run.to_json()["data"].items() if digest]
    )
