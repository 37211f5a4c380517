"""The report of an agent of which nothing is written by hand: a notebook made from what the agent says of itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat

from kgnb.agents.agent import Agent
from kgnb.agents.known import agents_from_elsewhere
from kgnb.agents.options import Option
from kgnb.files import write_whole


def agent_notebooks(folder: Path) -> list[Path]:
    """A notebook a foreign agent, written into this folder under the agent's name."""
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
    """Title, parameters, start, a cell a stage, the measure against a reference, what it cost, how to run it again."""
    v4: Any = nbformat.v4  # untyped
    parameters = [f'{one.name}: str = ""  # {one.help.replace("%%", "%")}' for one in agent.inputs]
    parameters += ['reference: str = ""  # what to measure against'] if agent.evaluate else []
    parameters += [_parameter(option) for option in agent.knobs()]
    typing = ["from typing import Literal", ""] if any(option.choices for option in agent.knobs()) else []
    inputs = ", ".join(f'"{one.name}": {one.name}' for one in agent.inputs)
    options = ", ".join(f'"{option.name}": {option.name}' for option in agent.knobs())
    cells = [
        v4.new_markdown_cell(f"# {agent.title}\n\n{agent.summary or agent.title}."),
        v4.new_code_cell("\n".join([*typing, *parameters]), metadata={"tags": ["parameters"]}),
        v4.new_code_cell(
            "from kgnb.reporting import agent_cells as report\n\n"
            f'task = report.begin("{agent.name}", {{{inputs}}}, {{{options}}})'
        ),
    ]
    for stage in agent.stages:
        if not stage.apart:
            cells += [
                v4.new_markdown_cell(f"## {stage.name.replace('_', ' ').capitalize()}\n\n{stage.summary}"),
                v4.new_code_cell(f'report.stage(task, "{stage.name}")'),
            ]
    if agent.evaluate:
        cells += [v4.new_markdown_cell("## Measured"), v4.new_code_cell("report.measured(task, reference)")]
    cells += [v4.new_markdown_cell("## Cost"), v4.new_code_cell("report.cost(task)")]
    cells += [v4.new_markdown_cell("## How to run this again"), v4.new_code_cell("report.again(task)")]
    for number, cell in enumerate(cells):
        cell["id"] = f"{agent.name.replace('_', '-')}-{number}"  # the same every time
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    made: nbformat.NotebookNode = v4.new_notebook(cells=cells, metadata=kernel)
    return made


def _parameter(option: Option) -> str:
    """One option as a line of a report's parameters cell."""
    kind = f"Literal{list(option.choices)!r}" if option.choices else option.kind.__name__
    kind = f"{kind} | None" if option.optional else kind
    bounds = f" [{option.least:g}, {option.most:g}]" if option.least is not None and option.most is not None else ""
    return f"{option.name}: {kind} = {option.default!r}  # {' '.join(option.help.split())}{bounds}"
