"""Stage 5: the tools of a pack for any MCP client, over stdio or streamable HTTP.

The clients share one session, with the same checks and store, one call at a time. Over HTTP the
server listens on this machine only and requires a token, unless told otherwise.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib import metadata
from typing import TYPE_CHECKING, Any, TypeVar
from typing import Literal as OneOf

from kgnb.agents.kg_construction.generic_tools import (
    BUDGET,
    GENERIC,
    QUOTE,
    GenericTools,
    model_tools,
    schema_tokens,
)
from kgnb.agents.kg_construction.graph_file import GraphFile
from kgnb.agents.kg_construction.hints import nearest, worded
from kgnb.agents.kg_construction.http_clients import App, Guesses, Sessions, Strangers
from kgnb.agents.kg_construction.ontology_terms import OntologyTerms
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.plan import LONG, SYSTEM, StepPrompt, plan
from kgnb.agents.kg_construction.tool_values import WRITING, CallResult, Source, Violation
from kgnb.agents.kg_construction.workspace import find_quote, unquoted
from kgnb.agents.mcp_messages import Messages, stdio_streams
from kgnb.errors import BackendError, ConfigError, KgnbError
from kgnb.kg.terms import Iri
from kgnb.llm.tools import Tool, violations

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.lowlevel import Server

    from kgnb.agents.kg_construction.session import ConstructionSession

T = TypeVar("T")
Face = OneOf["auto", "typed", "generic"]
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_HOW = (
    "Tools that write facts into a knowledge graph. Every call is checked against the ontology {name} before anything "
    "is written; a refused call says what is wrong and what would be accepted. Create entities first, then state "
    "facts about the ids or IRIs you were given; replace and retract put right what was wrong. Call missing to see "
    "what is still required, and finish at the end."
)


@dataclass
class Shared:
    """One session that several clients call, one at a time. ``file`` keeps it on the disk.

    ``documents`` are the texts that quotes are looked up in, by name. ``face`` says which tools
    clients are shown: "typed", one per class and property; "generic", the few that take class and
    property as arguments; "auto", the generic ones where the schemas of the typed ones take more
    than 6,000 tokens. All of them can be called either way. ``outside`` are other tools to offer,
    such as looking names up in a reference graph.
    """

    pack: ToolPack
    session: ConstructionSession
    file: GraphFile | None = None
    source: str = "mcp"
    documents: Mapping[str, str] = field(default_factory=dict)
    face: Face = "auto"
    outside: Mapping[str, Tool] = field(default_factory=dict)
    calls: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _source: Source | None = None

    @cached_property
    def generic(self) -> bool:
        """Whether clients are shown the generic tools."""
        return self.face == "generic" or (self.face == "auto" and schema_tokens(self.pack) > BUDGET)

    @cached_property
    def _generic(self) -> GenericTools:
        def kind(iri: str) -> str:
            return next(
                (self.pack.tbox.label(str(one)) for one in self.session.facts.types(Iri(iri))), ""
            )

        terms = OntologyTerms(self.pack)
        return GenericTools(
            terms,
            lambda name, given, quote: self._call(name, given, self._source),
            self.session.holds,
            kind=kind,
        )

    def call(self, name: str, arguments: Mapping[str, Any]) -> CallResult:
        """Call a tool; waits while another client's call is running. An acknowledged write is on
        the disk.

        ``document`` and ``quote`` among the arguments name the source; a quote that is not in the
        document is refused.
        """
        given = dict(arguments)
        with self._lock:
            self.calls += 1
            source = self._read_in(name, given)
            return (
                CallResult.refused(source)
                if isinstance(source, Violation)
                else self._call(name, given, source)
            )

    def _call(self, name: str, given: Mapping[str, Any], source: Source | None) -> CallResult:
        try:
            return self.session.call(name, given, source)
        except (
            BackendError
        ) as error:  # the disk is full: nothing was written, and the client is told why
            return CallResult.refused(Violation(name, "not kept", "", (), str(error)))

    def use(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a generic tool; the answer is plain JSON with ids in place of IRIs."""
        given = dict(arguments)
        with self._lock:
            self.calls += 1
            source = self._read_in(name, given)
            if isinstance(source, Violation):
                return {"ok": False, "refused": [source.hint]}
            self._source = source
            return self._generic.use(name, given)

    def ask(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call one of the outside tools; arguments that violate its schema are refused."""
        tool = self.outside[name]
        try:
            for wrong in violations(tool.spec.parameters, dict(arguments)):
                raise ValueError(wrong)
            answer = tool.function(**arguments)
        except (KgnbError, TypeError, ValueError) as error:
            return {"ok": False, "refused": [f"{name}: {error}"]}
        return answer if isinstance(answer, dict) else {"ok": True, "answer": answer}

    def answer(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What a client is told when it calls one of the tools that it is shown, or one of the
        pack's.
        """
        if name in self.outside:
            return self.ask(name, arguments)
        if self.generic and name in GENERIC:
            return self.use(name, arguments)
        if name in self.pack:
            return dict(json.loads(json.dumps(self.call(name, arguments).as_json(), default=str)))
        near = ", ".join(nearest(name, [tool.name for tool in self.pack.tools], 3))
        return {"ok": False, "retryable": True, "error": f"there is no tool {name!r}; near: {near}"}

    def _read_in(self, name: str, given: dict[str, Any]) -> Source | Violation:
        """The source of a call's facts, whose names are removed from the arguments."""
        if not name.startswith(tuple(WRITING)):
            return Source(self.source)
        quote, document = (str(given.pop(key, None) or "") for key in ("quote", "document"))
        if self.documents and document and document not in self.documents:
            near = nearest(document, list(self.documents), 5)
            said = document[:80]
            return worded(
                "unknown document", "document", said, near, document=said, near=", ".join(near)
            )
        if not document and len(self.documents) == 1:
            document = next(iter(self.documents))
        text = self.documents.get(document)
        if text is None or not quote.strip():
            return Source(document.strip() or self.source)
        place = find_quote(text, quote)
        if place is None:
            return unquoted(quote, document)
        return Source(document, *place)

    def save(self) -> None:
        """Write the file, if anything changed; where that fails, the journal has it."""
        if self.file is not None:
            with suppress(KgnbError, OSError):
                self.file.save()

    def close(self) -> None:
        """Write the file, if anything changed, and release it."""
        with self._lock:
            if self.file is not None:
                self.file.close()


def mcp_server(shared: Shared) -> Server[Any]:
    """The MCP server over a shared session.

    A refused call is marked as an error and carries the reasons, so that a model can repair it.
    Tools are listed in pages of a hundred.
    """
    import anyio
    import mcp_types as types
    from mcp.server.lowlevel import Server

    how, tools = served_face(shared)

    async def on_list(context: Any, params: Any) -> types.ListToolsResult:
        cursor = getattr(params, "cursor", None) or "0"
        at = int(cursor) if cursor.isdigit() else 0
        end = at + _PAGE
        return types.ListToolsResult(
            tools=tools[at:end], next_cursor=str(end) if end < len(tools) else None
        )

    async def on_call(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        # a client that gives up does not break off what is being written
        said = await anyio.to_thread.run_sync(
            shared.answer, params.name, dict(params.arguments or {})
        )
        text = types.TextContent(type="text", text=json.dumps(said, ensure_ascii=False))
        return types.CallToolResult(
            content=[text], structured_content=said, is_error=not said.get("ok")
        )

    texts = _Texts(shared, how)

    async def on_prompts(context: Any, params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[types.Prompt(name=n, description=d) for n, (d, _) in texts.prompts.items()]
        )

    async def on_prompt(
        context: Any, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        about, text = _known("prompt", params.name, texts.prompts)
        content = types.TextContent(type="text", text=text())
        message = types.PromptMessage(role="user", content=content)
        return types.GetPromptResult(description=about, messages=[message])

    async def on_resources(context: Any, params: Any) -> types.ListResourcesResult:
        listed = [
            types.Resource(uri=uri, name=name, mime_type=kind)
            for uri, (name, kind, _) in texts.resources.items()
        ]
        return types.ListResourcesResult(resources=listed)

    async def on_resource(
        context: Any, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        _, kind, text = _known("resource", uri, texts.resources)
        found = await anyio.to_thread.run_sync(text)
        content = types.TextResourceContents(uri=uri, mime_type=kind, text=found)
        return types.ReadResourceResult(contents=[content])

    return Server(
        "kgnb",
        version=metadata.version("kgnb"),
        instructions=how,
        on_list_tools=on_list,
        on_call_tool=on_call,
        on_list_prompts=on_prompts,
        on_get_prompt=on_prompt,
        on_list_resources=on_resources,
        on_read_resource=on_resource,
    )


class _Texts:
    """What clients may read besides the tools: prompts for each step, and the graph, its
    provenance, the ontology and the plan as resources.
    """

    def __init__(self, shared: Shared, how: str) -> None:
        pack, session = shared.pack, shared.session
        steps = plan(pack, longest=LONG).prompts
        self.prompts: dict[str, tuple[str, Callable[[], str]]] = {
            "instructions": (f"How to write facts of {pack.name}", lambda: how)
        }
        for one in steps:
            name = f"step-{one.step.number}" if len(steps) > 1 else "read"
            self.prompts[name] = (one.step.name, partial(_step_text, one))
        turtle, trig, shacl = "text/turtle", "application/trig", "text/turtle"
        self.resources: dict[str, tuple[str, str, Callable[[], str]]] = {
            "kgnb://graph": ("The graph as it is now", turtle, session.turtle),
            "kgnb://provenance": ("The graph with its provenance", trig, session.trig),
            "kgnb://shapes": ("What is enforced, as SHACL", shacl, pack.shacl),
            "kgnb://ontology": (
                "The classes and properties",
                "text/plain",
                lambda: OntologyTerms(pack).page(100_000).text,
            ),
            "kgnb://plan": ("The steps of the work", "application/json", pack.plan_json),
        }


def _known(kind: str, name: str, known: Mapping[str, T]) -> T:
    """A prompt by name, or a resource by its address."""
    from mcp import MCPError

    if name not in known:
        raise MCPError(INVALID, f"there is no {kind} {name!r}; there are {', '.join(known)}")
    return known[name]


INVALID = -32602  # JSON-RPC: invalid parameters


def _step_text(prompt: StepPrompt) -> str:
    return f"{SYSTEM.format(finish='finish')}\n\n{prompt.text}"


def served_face(shared: Shared) -> tuple[str, list[types.Tool]]:
    """The instructions for clients, and the tools in the order of the list."""
    import mcp_types as types

    def served(
        name: str, title: str, text: str, schema: Mapping[str, Any], kind: str
    ) -> types.Tool:
        if kind in WRITING:
            schema = {**schema, "properties": {**schema["properties"], **_READ_IN}}
        notes = types.ToolAnnotations(
            read_only_hint=kind not in WRITING,
            destructive_hint=kind in ("replace", "retract"),
            open_world_hint=False,
        )
        return types.Tool(
            name=name,
            title=title or None,
            description=text,
            input_schema=dict(schema),
            annotations=notes,
        )

    how = _HOW.format(name=shared.pack.name)
    if shared.generic:
        how = f"{how}\n\n{OntologyTerms(shared.pack).page(BUDGET // 3).text}"
        few = model_tools(partial=True, quoted=False)
        tools = [served(one.name, "", one.description, one.parameters, one.name) for one in few]
    else:
        tools = [
            served(one.name, one.label, one.description, one.input_schema, one.kind)
            for one in shared.pack.tools
        ]
    others = (
        served(name, "", one.spec.description, one.spec.parameters, "find")
        for name, one in shared.outside.items()
    )
    return how, [*tools, *others]


_PAGE = 100
_READ_IN: Mapping[str, Any] = {
    "document": {"type": "string", "description": "the name of the document that says so"},
    "quote": QUOTE,
}


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
        host: where to listen; anything but loopback needs a token of the caller's own.
        port: 0 lets the system choose.
        token: what clients have to send as ``Authorization: Bearer``; None generates one, ""
            requires none.
        on_ready: called with the URL and the token once the server listens.

    Raises:
        ConfigError: the host is not loopback and there is no token of 16 characters or more.
        OSError: the port is taken.
    """
    import anyio

    try:
        with _kept_when_ended(shared):
            if transport == "stdio":
                anyio.run(_stdio, shared)
            else:
                _http(shared, host, port, token, on_ready)
    finally:
        shared.close()


_ENDING = ("SIGTERM", "SIGINT", "SIGHUP")


@contextmanager
def _kept_when_ended(shared: Shared) -> Iterator[None]:
    """While a signal that ends the process writes the file first.

    Nothing is raised: a thread that waits for standard input would hold up the end.
    """

    def end(number: int, frame: object) -> None:
        for other in before:
            signal.signal(other, signal.SIG_IGN)
        try:
            shared.close()
            shared.session.close()
        finally:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
        # what is ignored already, as under nohup, stays ignored
        numbers = [one for one in numbers if signal.getsignal(one) is not signal.SIG_IGN]
        before |= {one: signal.signal(one, end) for one in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def _stdio(shared: Shared) -> None:
    server = mcp_server(shared)
    async with stdio_streams() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _http(
    shared: Shared,
    host: str,
    port: int,
    token: str | None,
    on_ready: Callable[[str, str], object] | None,
) -> None:
    import uvicorn

    if host not in LOOPBACK and len(token or "") < 16:
        raise ConfigError(
            f"anyone who reaches {host} could write",
            fix="Give a token of 16 characters or more (--token env:NAME), or listen on 127.0.0.1.",
        )
    if token and len(token.strip()) < 16:
        # other users of this machine reach loopback as well, and may guess
        raise ConfigError(
            "the token has fewer than 16 characters",
            fix="Give a longer one (--token env:NAME), or none: one is drawn.",
        )
    wanted = secrets.token_urlsafe(24) if token is None else token
    inner = mcp_server(shared).streamable_http_app(
        host=host,
        # twice as many as there may be: some are being opened while others end
        max_sessions=2 * MOST_SESSIONS,
        session_idle_timeout=SESSION_IDLE,
    )
    strangers = Strangers(MOST_AT_ONCE // 4)
    app = guarded(
        Messages(Sessions(inner, MOST_SESSIONS)),
        wanted,
        HERE if host in LOOPBACK else None,
        strangers,
    )
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        # whoever guesses tokens on this machine would name another address each time
        proxy_headers=False,
        lifespan="on",
        http=_prompt_requests(strangers),
        timeout_graceful_shutdown=2,
        limit_concurrency=MOST_AT_ONCE,
    )

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: Any) -> None:
            shared.save()  # before it waits for its clients
            super().handle_exit(sig, frame)

    listening = config.bind_socket()
    listening.listen(config.backlog)  # from now on clients wait in line and are not refused
    try:
        if on_ready:
            named = f"[{host}]" if ":" in host else host
            on_ready(f"http://{named}:{listening.getsockname()[1]}/mcp", wanted)
        Server(config).run(sockets=[listening])
    finally:
        listening.close()


SLOWEST = 10.0
"""Seconds that a request may take to arrive, head and body."""


def _prompt_requests(strangers: Strangers) -> type[asyncio.Protocol]:
    """Connections closed where a request is overdue, as uvicorn's own never are; answers may take
    any time. Those that have shown no token are among the strangers.
    """
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class PromptRequests(H11Protocol):
        timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.start_timer()
            if self.client is not None:
                strangers.came(self.client, transport.close)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state in (h11.DONE, h11.MUST_CLOSE, h11.CLOSED):
                self.stop_timer()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self.start_timer()

        def connection_lost(self, exc: Exception | None) -> None:
            self.stop_timer()
            strangers.left(self.client)
            super().connection_lost(exc)

        def start_timer(self) -> None:
            self.stop_timer()
            self.timer = self.loop.call_later(SLOWEST, self.transport.close)

        def stop_timer(self) -> None:
            if self.timer is not None:
                self.timer.cancel()

    return PromptRequests


MOST_SESSIONS, SESSION_IDLE = 128, 1800.0
"""Clients at once, and the seconds after which an idle one is dropped; each takes some 30 kB. One
more ends the session that has been idle for longest.
"""
MOST_AT_ONCE = 512
"""Concurrent connections and requests; any more get status 503."""
MOST_A_SECOND = 1_000
"""Requests accepted in a second, several times what eight busy clients send; any more get status
429.
"""
HERE = re.compile(rb"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)


def _of_a_web_page(headers: Mapping[bytes, bytes]) -> bool:
    """Whether a browser sent this for a page of another machine."""
    origin = headers.get(b"origin")
    if origin is None:
        return headers.get(b"sec-fetch-site") == b"cross-site"
    return not HERE.fullmatch(origin.partition(b"://")[2])


def guarded(
    app: App, token: str, hosts: re.Pattern[bytes] | None = None, strangers: Strangers | None = None
) -> App:
    """The application for requests with the token and one of these hosts; 401, 421 or 429 for all
    others. The answer to a wrong token waits, longer each time.

    An empty token, or None for the hosts, is not checked.
    """
    from starlette.responses import PlainTextResponse

    second = calls = 0
    guesses = Guesses()

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        nonlocal second, calls
        if scope["type"] != "http":
            return await app(scope, receive, send)
        sent = b"".join(value for name, value in scope["headers"] if name == b"authorization")
        if hosts is not None and not all(
            hosts.fullmatch(host) for name, host in scope["headers"] if name == b"host"
        ):
            return await PlainTextResponse("unknown host", 421)(scope, receive, send)
        if hosts is not None and _of_a_web_page(dict(scope["headers"])):
            return await PlainTextResponse("not for web pages", 403)(scope, receive, send)
        if token and not secrets.compare_digest(sent, b"Bearer " + token.encode()):
            if sent:
                await asyncio.sleep(guesses.delay(scope["client"][0] if scope["client"] else ""))
            wanted = "a token is required: Authorization: Bearer ..."
            return await PlainTextResponse(wanted, 401, {"www-authenticate": "Bearer"})(
                scope, receive, send
            )
        if strangers is not None:
            strangers.left(scope["client"])
        now = int(time.monotonic())
        second, calls = now, calls + 1 if now == second else 1
        if calls > MOST_A_SECOND:
            refusal = PlainTextResponse("too many requests a second", 429, {"retry-after": "1"})
            return await refusal(scope, receive, send)
        await app(scope, receive, send)

    return guard
