"""Stage 5: the tools of a pack for any MCP client, over stdio or streamable HTTP.

The clients share one session: the same checks, the same store, one call at a time. Over HTTP the server listens on this
machine only and wants a token, unless it is told otherwise.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any
from typing import Literal as OneOf

from kgnb.agents.kg_construction.values import CallResult, Source, ToolPack
from kgnb.errors import ConfigError

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from kgnb.agents.kg_construction.session import Session

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_HOW = (
    "Tools that write facts into a knowledge graph. Every call is checked against the ontology {name} before anything "
    "is written; a refused call says what is wrong and what would be accepted. Create entities first, then state "
    "facts about the IRIs you were given. Call missing to see what is still required, and finish at the end."
)


@dataclass
class Shared:
    """One session that several clients call, one at a time. ``out`` is written anew, whole, after each written fact."""

    pack: ToolPack
    session: Session
    out: Path | None = None
    source: str = "mcp"
    save: Callable[[Session, Path], object] | None = None
    calls: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def call(self, name: str, arguments: Mapping[str, Any]) -> CallResult:
        """Call a tool; waits while another client's call is under way."""
        with self._lock:
            self.calls += 1
            result = self.session.call(name, arguments, Source(self.source))
            if result.ok and (result.triples or result.created):
                self._write()
            return result

    def close(self) -> None:
        """Write the graph a last time."""
        with self._lock:
            self._write()

    def _write(self) -> None:
        if self.out is not None and self.save is not None:
            self.save(self.session, self.out)


def mcp_server(shared: Shared) -> Server[Any]:
    """The MCP server over a shared session.

    A call that is refused is marked as an error and carries the violations, so that a model can mend it.
    """
    import anyio
    import mcp_types as types
    from mcp.server.lowlevel import Server

    tools = [
        types.Tool(
            name=tool.name,
            title=tool.label or None,
            description=tool.description,
            input_schema=dict(tool.input_schema),
            annotations=types.ToolAnnotations(
                read_only_hint=tool.kind not in ("create", "add"), destructive_hint=False, open_world_hint=False
            ),
        )
        for tool in shared.pack.tools
    ]

    async def on_list(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def on_call(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in shared.pack:
            said: dict[str, Any] = {"ok": False, "retryable": True, "error": _unknown(shared.pack, params.name)}
            ok = False
        else:
            # a client that gives up does not break off what is being written
            result = await anyio.to_thread.run_sync(shared.call, params.name, dict(params.arguments or {}))
            said, ok = json.loads(json.dumps(result.as_json(), default=str)), result.ok
        text = types.TextContent(type="text", text=json.dumps(said, ensure_ascii=False))
        return types.CallToolResult(content=[text], structured_content=said, is_error=not ok)

    return Server(
        "kgnb",
        version=metadata.version("kgnb"),
        instructions=_HOW.format(name=shared.pack.name),
        on_list_tools=on_list,
        on_call_tool=on_call,
    )


def _unknown(pack: ToolPack, name: str) -> str:
    try:
        pack.tool(name)
    except KeyError as error:
        return str(error.args[0])
    return ""


def serve(
    shared: Shared,
    transport: OneOf["stdio", "http"] = "stdio",
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    on_ready: Callable[[str, str], object] | None = None,
) -> None:
    """Serves until the client leaves (stdio), or until interrupted (HTTP).

    Args:
        host: where to listen; other than this machine's loopback only with a token of the caller's own.
        port: 0 lets the system choose.
        token: what clients have to send as ``Authorization: Bearer``; None draws one, "" wants none.
        on_ready: told the URL and the token once the server listens.

    Raises:
        ConfigError: the host is not loopback and there is no token of 16 characters or more.
        OSError: the port is taken.
    """
    import anyio

    try:
        if transport == "stdio":
            anyio.run(_stdio, shared)
        else:
            _http(shared, host, port, token, on_ready)
    finally:
        shared.close()


async def _stdio(shared: Shared) -> None:
    from mcp.server.stdio import stdio_server

    server = mcp_server(shared)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _http(
    shared: Shared, host: str, port: int, token: str | None, on_ready: Callable[[str, str], object] | None
) -> None:
    import uvicorn

    if host not in LOOPBACK and len(token or "") < 16:
        raise ConfigError(
            f"anyone who reaches {host} could write",
            fix="Give a token of 16 characters or more (--token env:NAME), or listen on 127.0.0.1.",
        )
    wanted = secrets.token_urlsafe(24) if token is None else token
    app = guarded(mcp_server(shared).streamable_http_app(host=host), wanted)
    config = uvicorn.Config(app, host=host, port=port, log_level="warning", access_log=False, lifespan="on")
    listening = config.bind_socket()
    listening.listen(config.backlog)  # who is told the address waits in line from now on, and is not refused
    try:
        if on_ready:
            on_ready(f"http://{_in_url(host)}:{listening.getsockname()[1]}/mcp", wanted)
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        listening.close()


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


App = Callable[[Any, Any, Any], Awaitable[None]]


def guarded(app: App, token: str) -> App:
    """The application for those who send the token; 401 for all others. An empty token guards nothing."""

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or not token:
            await app(scope, receive, send)
            return
        sent = b"".join(value for name, value in scope["headers"] if name == b"authorization")
        if secrets.compare_digest(sent, b"Bearer " + token.encode()):
            await app(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b"a token is wanted: Authorization: Bearer ..."})

    return guard
