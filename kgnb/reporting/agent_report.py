"""The report of an agent of another package: a notebook generated from the agent, and the functions
its cells call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat

from kgnb.agents.agent import Agent, OutOfOrder
from kgnb.agents.known import agents_from_elsewhere
from kgnb.agents.options import OptionInfo
from kgnb.files import write_whole
from kgnb.reporting.sections import reproduce as reproduce  # for the notebook
from kgnb.reporting.sections import spent
from kgnb.reporting.sections import stages as stages
from kgnb.reporting.session import current, tell
from kgnb.tasks.agents import new_task
from kgnb.tasks.task import Task


def agent_notebooks(folder: Path) -> list[Path]:
    """A notebook for each agent of another package, written into this folder."""
    paths = []
    for agent in agents_from_elsewhere():
        path = folder / f"{agent.name.replace('_', '-')}.ipynb"
        text = nbformat.writes(notebook_of(agent))  # type: ignore[no-untyped-call]
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(path, text)
        paths.append(path)
    return paths


def notebook_of(agent: Agent) -> nbformat.NotebookNode:
    """Title, parameters, start, a cell a stage, evaluation against a reference, costs, how to run
    it again.
    """
    knobs = agent.knobs()
    parameters = ["from typing import Literal\n"] if any(option.choices for option in knobs) else []
    parameters += [f'{one.name}: str = ""  # {one.help.replace("%%", "%")}' for one in agent.inputs]
    parameters += ['reference: str = ""  # what to measure against'] if agent.evaluate else []
    parameters += map(_parameter, knobs)
    inputs, options = (
        ", ".join(f'"{one.name}": {one.name}' for one in part) for part in (agent.inputs, knobs)
    )
    begin = (
        "from kgnb.reporting import agent_report as report\nfrom kgnb.reporting.session import current\n\n"
        f'task = report.begin("{agent.name}", {{{inputs}}}, {{{options}}})'
    )
    parts = [
        (f"# {agent.title}\n\n{agent.summary or agent.title}.", "\n".join(parameters)),
        ("", begin),
    ]
    for stage in agent.stages:
        if not stage.apart:
            heading = f"## {stage.name.replace('_', ' ').capitalize()}\n\n{stage.summary}"
            parts.append((heading, f'report.stage(task, "{stage.name}")'))
    parts += [("## Measured", "report.measured(task, reference)")] if agent.evaluate else []
    parts += [
        ("## Cost", "report.stages(task)"),
        ("## How to run this again", "report.reproduce(task, current())"),
    ]
    v4: Any = nbformat.v4  # untyped
    cells = []
    for words, code in parts:
        cells += [v4.new_markdown_cell(words)] if words else []
        cells.append(v4.new_code_cell(code))
    cells[1].metadata["tags"] = ["parameters"]
    for number, cell in enumerate(cells):
        cell["id"] = f"{agent.name.replace('_', '-')}-{number}"  # the same in every run
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    made: nbformat.NotebookNode = v4.new_notebook(cells=cells, metadata=kernel)
    return made


def _parameter(option: OptionInfo) -> str:
    """One option as a line of a report's parameters cell."""
    kind = f"Literal{list(option.choices)!r}" if option.choices else option.kind.__name__
    kind = f"{kind} | None" if option.optional else kind
    bounds = (
        f" [{option.least:g}, {option.most:g}]"
        if option.least is not None and option.most is not None
        else ""
    )
    return f"{option.name}: {kind} = {option.default!r}  # {' '.join(option.help.split())}{bounds}"


def begin(agent: str, inputs: Mapping[str, str], options: Mapping[str, Any]) -> Task:
    """The task of a report; its run is kept in the report's folder.

    Raises:
        ValueError: an input is missing.
    """
    if missing := [name for name, value in inputs.items() if not value]:
        raise ValueError(f"the report lacks an input: give -p {missing[0]}=...")
    session = current()
    task = new_task(
        agent,
        inputs,
        settings=session.settings,
        folder=session.folder / "run",
        on_event=tell,
        **options,
    )
    task.opener.watched = True
    return task


def stage(task: Task, name: str) -> Any:
    """Run one stage and return its value; the last one also writes ``metrics.json`` and the
    exports.
    """
    value = task.do(name)
    if name == task.agent.sequence[-1]:
        counts = {what: number for step in task.run.steps for what, number in step.counts.items()}
        found = {
            "headline": [{"agent": task.agent.title, **counts}],
            "cost": spent(task.run.totals),
        }
        text = json.dumps(found, ensure_ascii=False, indent=1, sort_keys=True, default=str) + "\n"
        write_whole(current().folder / "metrics.json", text)
        for suffix, write in task.agent.exports.items():
            write_whole(current().folder / f"result{suffix}", write(value))
    return value


def measured(task: Task, reference: str) -> Any:
    """The result against a reference, or a line that says that none was named."""
    if not reference or task.agent.evaluate is None:
        return "No reference was named: give -p reference=FILE."
    try:
        return task.agent.evaluate(task, reference)
    except OutOfOrder as error:
        return str(error)
