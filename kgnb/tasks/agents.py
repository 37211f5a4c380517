"""Any self-describing agent, for scripts and MCP: opens inputs, checks options, runs stages."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgnb.agents.agent import Agent, Task
from kgnb.agents.known import all_agents
from kgnb.backends import file_of, open_embedder, open_graph, open_index, open_ontology
from kgnb.errors import DataError, KgnbError
from kgnb.judging import Judge
from kgnb.run import Event, Run
from kgnb.settings import Settings
from kgnb.tasks.running import answering_model, digests_of, new_run, remembering

ASKING = ("auto", "model", "cascade")  # judges that may ask a model


def agent_called(name: str) -> Agent:
    """The agent of this name, magic or command; ValueError, naming those there are, if none."""
    known = all_agents()
    found = next((one for one in known if name in (one.name, one.magic, one.command)), None)
    if found is None:
        raise ValueError(f"there is no agent {name!r}\nThere are: {', '.join(one.name for one in known)}.")
    return found


def run_agent(
    agent: Agent | str, inputs: Mapping[str, Any], *, run: Run | None = None, settings: Settings | None = None,
    **options: Any,
) -> Any:  # fmt: skip
    """The result of an agent's last stage, after running all stages.

    Args:
        inputs: the source of each input by name: a path, a URL, ``huts:graph``, or an opened value.
        run: records steps, judgements and calls; a new one by default.
        options: any of the agent's options, by name.

    Raises:
        ValueError: an input is missing or an option is not allowed.
        KgnbError: whatever a stage or a backend raises.
    """
    agent = agent_called(agent) if isinstance(agent, str) else agent
    _check(agent, inputs, options)
    if agent.name in OWN:
        values = {option.name: option.default for option in agent.knobs()} | options
        return OWN[agent.name](inputs, agent.chosen(options), values, {"run": run, "settings": settings})
    task = new_task(agent, inputs, options, run=run, settings=settings)
    with task.run:
        return run_through(task)


Given = Mapping[str, Any]


def _matched(inputs: Given, chosen: Given, values: Given, beside: Given) -> Any:
    from kgnb.tasks.matching import match_ontologies

    told: dict[str, Any] = {name: values[name] or None for name in ("embedder", "index", "decisions", "reference")}
    told |= {name: values[name] for name in ("judge", "error_rate", "seed")}
    return match_ontologies(inputs["source"], inputs["target"], options=chosen["options"], **told, **beside)


def _aligned(inputs: Given, chosen: Given, values: Given, beside: Given) -> Any:
    from kgnb.tasks.aligning import align_entities

    told = {name: values[name] or None for name in ("embedder", "decisions", "reference")}
    told |= {name: values[name] for name in ("judge", "planner", "error_rate")} | {"seed": values["oracle_seed"]}
    options = {"options": chosen["options"], "look": chosen["look"]}
    return align_entities(inputs["left"], inputs["right"] or None, **options, **told, **beside)


def _answered(inputs: Given, chosen: Given, values: Given, beside: Given) -> Any:
    from kgnb.tasks.asking import answer_question

    told = {"judge": values["judge"], "embedder": values["embedder"] or None, "options": chosen["options"]}
    return answer_question(inputs["question"], inputs["graph"], **told, **beside)


def _built(inputs: Given, chosen: Given, values: Given, beside: Given) -> Any:
    from kgnb.tasks.building import build_graph

    return build_graph(inputs["documents"], inputs["tbox"], options=chosen["options"], **beside)


# Our own agents run by their task functions, which also take questions, folders of two graphs, and journals. They are
# imported on use, so that a command of one agent need not load the libraries of the others.
OWN: Mapping[str, Callable[[Given, Given, Given, Given], Any]] = {
    "ontology_matching": _matched,
    "entity_alignment": _aligned,
    "question_answering": _answered,
    "kg_construction": _built,
}


def _check(agent: Agent, inputs: Given, options: Given) -> None:
    names = {one.name for one in (*agent.inputs, *agent.asked)}
    if names != set(inputs):
        raise ValueError(f"agent {agent.name} takes the inputs {', '.join(sorted(names))}, not {', '.join(inputs)}")
    if strange := sorted(set(options) - {option.name for option in agent.knobs()}):
        raise ValueError(f"agent {agent.name} has no option {strange[0]}")


def new_task(
    agent: Agent | str,
    inputs: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    run: Run | None = None,
    settings: Settings | None = None,
    folder: Path | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> Task:
    """A task with its inputs opened, ready for its first stage."""
    agent = agent_called(agent) if isinstance(agent, str) else agent
    chosen_settings = settings or Settings.load()
    _check(agent, inputs, options)

    def opened(task: Task) -> dict[str, Any]:
        return {one.name: open_input(one.kind, task.specs[one.name]) for one in agent.inputs}

    def begun(task: Task, tell: Callable[[Event], None]) -> Run:
        return run or new_run(
            agent.name, digests_of(task.inputs), parameters=task.parameters(), settings=chosen_settings,
            folder=folder, on_event=on_event or tell,
        )  # fmt: skip

    def lend(task: Task, name: str) -> Any:
        return _lent(task, name, chosen_settings)

    def watched(task: Task, value: Any) -> Any:
        return task.run.watch_judge(value) if isinstance(value, Judge) else value

    return Task(agent, inputs, agent.chosen(options), opener=opened, lend=lend, new_run=begun, watch=watched)


def run_through(task: Task) -> Any:
    """Runs all stages; a judge that lacks something fails before any work is done. Returns the last stage's value."""
    for name in task.agent.judges:
        task[name]
    for stage in task.agent.sequence:
        task.do(stage, Silent())
    return task.values[task.agent.sequence[-1]]


def open_input(kind: str, spec: Any) -> Any:
    """An input, opened as its kind says: graph, ontology, file, folder or text.

    Raises:
        DataError: a file or folder is not there, or cannot be read.
    """
    if kind == "graph":
        return open_graph(spec)
    if kind == "ontology":
        return open_ontology(spec)
    if kind in ("file", "folder"):
        path = Path(file_of(spec)).expanduser()
        if not (path.is_file() if kind == "file" else path.is_dir()):
            raise DataError(f"there is no such {kind}", where=str(spec), fix=f"Name a {kind} that exists.")
        return path
    return spec


def _lent(task: Task, name: str, settings: Settings) -> Any:
    chosen = task.parameters()
    match name:
        case "model":
            asks = chosen.get("judge", "auto") in ASKING or "model" in chosen.values()
            model = answering_model(settings) if asks else None
            return task.run.watch(model) if model is not None else None
        case "embedder":
            return open_embedder(chosen.get("embedder") or None, settings, many=task.agent.name == "ontology_matching")
        case "index":
            return open_index(chosen.get("index") or None, settings)
        case "settings":
            return settings
        case "remember":
            return lambda asked: remembering(asked, settings)
    raise ValueError(f"agent {task.agent.name} is run by its own command and magic; {name} is only available there")


class Silent:
    """Shows nothing."""

    def event(self, event: Event) -> None:
        """Nothing."""

    def clear(self) -> None:
        """Nothing."""


if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

MOST_ROWS = 200  # of a table in a reply: more fills a model's window


def call(agent: Agent, arguments: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Runs an agent; the result as plain JSON, with ``ok`` false where it was refused or failed."""
    names = {one.name for one in (*agent.inputs, *agent.asked)}
    try:
        inputs = {name: arguments[name] for name in names if name in arguments}
        if odd := [name for name, value in inputs.items() if not isinstance(value, str)]:
            raise ValueError(f"{odd[0]} is {inputs[odd[0]]!r}: it is a text")
        options = {name: value for name, value in arguments.items() if name not in names}
        return {"ok": True, "result": plain(run_agent(agent, inputs, settings=settings, **options))}
    except (KgnbError, ValueError) as error:
        return {"ok": False, "error": str(error)}


def plain(value: Any) -> Any:
    """A stage's value as JSON: its ``to_json()``, its table, or its text."""
    if hasattr(value, "to_json"):
        return value.to_json()
    from kgnb.agents.question_answering.values import Answer
    from kgnb.tasks.asking import AnswerOutcome, written

    if isinstance(value, Answer):
        return json.loads(written(AnswerOutcome.of(value)))
    table = value.table() if hasattr(value, "table") else value
    if hasattr(table, "df"):
        frame = table.df()
        rows = json.loads(frame.head(MOST_ROWS).to_json(orient="records"))
        return {"rows": rows, "of": len(frame)}
    return str(value)


def mcp_server(agents: Sequence[Agent], settings: Settings) -> Server[Any]:
    """The MCP server that offers these agents."""
    import anyio
    import mcp_types as types
    from mcp.server.lowlevel import Server

    known = {agent.name: agent for agent in agents}
    tools = [
        types.Tool(
            name=agent.name,
            title=agent.title,
            description=agent.summary or agent.title,
            input_schema=agent.schema(),
            annotations=types.ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=True),
        )
        for agent in agents
    ]

    async def on_list(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def on_call(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in known:
            said = {"ok": False, "error": f"there is no tool {params.name}: there are {', '.join(known)}"}
        else:
            said = await anyio.to_thread.run_sync(call, known[params.name], dict(params.arguments or {}), settings)
        text = types.TextContent(type="text", text=json.dumps(said, ensure_ascii=False, default=str))
        return types.CallToolResult(content=[text], structured_content=said, is_error=not said["ok"])

    return Server("kgnb", version=metadata.version("kgnb"), on_list_tools=on_list, on_call_tool=on_call)


def serve_stdio(server: Server[Any]) -> None:
    """Serves over standard input and output until the client disconnects."""
    import anyio
    from mcp.server.stdio import stdio_server

    async def serving() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(serving)
