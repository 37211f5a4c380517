"""Agents as tools for any MCP client: one tool an agent, its schema made of the agent's inputs and options."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any

from kgnb.agents.agent import Agent
from kgnb.agents.question_answering.values import Answer
from kgnb.errors import KgnbError
from kgnb.settings import Settings
from kgnb.tasks.agents import run_agent
from kgnb.tasks.answer_files import Outcome, written

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

MOST_ROWS = 200  # of a table in a reply: more fills a model's window


def call(agent: Agent, arguments: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Runs an agent; what came of it as plain JSON, ``ok`` false where it was refused or failed."""
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
    """A stage's value as JSON: what it says of itself (``to_json``), its table, or its text."""
    if hasattr(value, "to_json"):
        return value.to_json()
    if isinstance(value, Answer):
        return json.loads(written(Outcome.of(value)))
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
    """Serves over standard input and output until the client leaves."""
    import anyio
    from mcp.server.stdio import stdio_server

    async def serving() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(serving)
