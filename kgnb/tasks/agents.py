"""Any self-describing agent, for scripts and MCP: opens inputs, checks options, runs stages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any

from kgnb.agents.agent import Agent, Input
from kgnb.agents.known import all_agents
from kgnb.agents.mcp_messages import stdio_streams
from kgnb.errors import KgnbError
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.task import Task


def agent_called(name: str) -> Agent:
    """The agent of this name, magic or command; ValueError, naming those there are, if none."""
    known = all_agents()
    found = next((one for one in known if name in (one.name, one.magic, one.command)), None)
    if found is None:
        raise ValueError(
            f"there is no agent {name!r}\nThere are: {', '.join(one.name for one in known)}."
        )
    return found


def run_agent(
    agent: Agent | str,
    inputs: Mapping[str, Any],
    *,
    run: Run | None = None,
    settings: Settings | None = None,
    **options: Any,
) -> Any:
    """The result of an agent's last stage, after running all stages.

    Args:
        inputs: the source of each input by name: a path, a URL, ``huts:graph``, or an opened value.
        run: records steps, judgements and calls; a new one by default.
        options: any of the agent's options, by name.

    Raises:
        ValueError: an input is missing or an option is not allowed.
        KgnbError: whatever a stage or a backend raises.

    Examples:
        >>> given = {"source": "huts:alpine", "target": "huts:refuge"}
        >>> len(run_agent("ontology_matching", given, embedder="characters", judge="rule")) > 10
        True
    """
    agent = agent_called(agent) if isinstance(agent, str) else agent
    agent.specs(inputs)
    agent.refuse_missing(inputs)
    if strange := sorted(set(options) - {option.name for option in agent.knobs()}):
        raise ValueError(f"agent {agent.name} has no option {strange[0]}")
    return new_task(agent, inputs, run=run, settings=settings, **options).run_through()


def kind_of(agent: Agent) -> type[Task]:
    """The class of an agent's tasks, imported on use: one agent need not load the libraries of the
    others.
    """
    if not agent.task:
        return Task
    module, _, name = agent.task.partition(":")
    kind: type[Task] = getattr(import_module(module), name)
    return kind


def new_task(agent: Agent | str, inputs: Mapping[str, Any], **told: Any) -> Task:
    """A task with its inputs opened, ready for its first stage; arguments as in ``Task.of``."""
    agent = agent_called(agent) if isinstance(agent, str) else agent
    return kind_of(agent).of(agent, inputs, **told)


if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

MOST_ROWS = 200  # of a table in a reply: more fills a model's window


def call(agent: Agent, arguments: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Runs an agent; the result as plain JSON, with ``ok`` false where it was refused or failed."""
    try:
        inputs = {
            one.name: as_sent(one, arguments[one.name])
            for one in agent.remote
            if one.name in arguments
        }
        options = {name: value for name, value in arguments.items() if name not in inputs}
        return {"ok": True, "result": plain(run_agent(agent, inputs, settings=settings, **options))}
    except (KgnbError, ValueError) as error:
        return {"ok": False, "error": str(error)}


def as_sent(one: Input, value: Any) -> Any:
    """An input that a client sent; ValueError if it is not what the schema asks for."""
    if one.kind == "flag" and isinstance(value, bool):
        return value
    texts = value if isinstance(value, list) and one.many else [value]
    if one.kind in ("flag", "value") or not all(isinstance(text, str) for text in texts):
        kind = "true or false" if one.kind == "flag" else "a text"
        raise ValueError(f"{one.name} is {value!r}: it is {kind}")
    return value


def plain(value: Any) -> Any:
    """A stage's value as JSON: its ``to_json()``, its table, or its text."""
    if hasattr(value, "to_json"):
        return value.to_json()
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
            annotations=types.ToolAnnotations(
                read_only_hint=True, destructive_hint=False, open_world_hint=True
            ),
        )
        for agent in agents
    ]

    async def on_list(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def on_call(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in known:
            said = {
                "ok": False,
                "error": f"there is no tool {params.name}: there are {', '.join(known)}",
            }
        else:
            said = await anyio.to_thread.run_sync(
                call, known[params.name], dict(params.arguments or {}), settings
            )
        text = types.TextContent(
            type="text", text=json.dumps(said, ensure_ascii=False, default=str)
        )
        return types.CallToolResult(
            content=[text], structured_content=said, is_error=not said["ok"]
        )

    return Server(
        "kgnb", version=metadata.version("kgnb"), on_list_tools=on_list, on_call_tool=on_call
    )


def serve_stdio(server: Server[Any]) -> None:
    """Serves over standard input and output until the client disconnects."""
    import anyio

    async def serving() -> None:
        async with stdio_streams() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(serving)
