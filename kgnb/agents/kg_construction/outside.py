"""Outside tools for readers: a Python function, an MCP server, or a graph to look names up.

The paper's readers ask PubChem and the CCDC for what an article leaves out. Anything with a schema
can be used here. The answers are noted in the document's journal, and facts taken from them go
through the same checks.
"""

from __future__ import annotations

import inspect
import logging
import os
import shlex
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from importlib import import_module
from typing import Any

from pydantic import TypeAdapter

from kgnb.agents.kg_construction.generic_tools import BUDGET
from kgnb.agents.kg_construction.ground import ReferenceNames
from kgnb.agents.kg_construction.outside_checks import (
    MOST_TOOLS,
    SECONDS,
    Allow,
    Guard,
    as_text,
    checked_tool,
    tokens_of,
)
from kgnb.agents.kg_construction.outside_process import MOST_BYTES, OutsideProcess
from kgnb.errors import BackendError, ConfigError, shown
from kgnb.llm.model import ToolSpec
from kgnb.llm.tools import Tool

LONGEST = 4000
"""The most characters of an answer that a reader is shown."""


def function_tool(function: Callable[..., Any]) -> Tool:
    """A function as a tool: its name, the first paragraph of its docstring, its parameters as JSON
    Schema.

    Raises:
        ConfigError: it has no docstring, which is all that a model sees, or a parameter that is no
            JSON value.

    >>> def molar_mass(formula: str) -> float:
    ...     '''The molar mass of a formula in g/mol.'''
    ...     return 18.015
    >>> function_tool(molar_mass).spec.parameters["required"]
    ['formula']
    """
    name, text = function.__name__, (inspect.getdoc(function) or "").split("\n\n")[0]
    if not text:
        raise ConfigError(
            f"{name} has no docstring",
            fix="Say in it what the function gives: a model reads no more.",
        )
    try:
        schema = TypeAdapter(function).json_schema()  # type: ignore[arg-type]  # a function is described by it, too
        parameters = {
            "type": "object",
            "properties": schema["properties"],
            "required": [],
            "additionalProperties": False,
        } | schema
    except Exception as error:  # pydantic's many, and a schema of arguments by position
        raise ConfigError(
            f"{name}: its parameters are not plain JSON values",
            fix="Annotate them as str, int, float, bool or list.",
        ) from error
    return Tool(ToolSpec(name, " ".join(text.split()), parameters), function)


def look_up_tool(names: ReferenceNames) -> Tool:
    """A tool that finds the entities of a reference graph that a name may stand for."""

    def look_up(label: str, kind: str = "") -> dict[str, Any]:
        return names.look_up(label, kind)

    text = (
        f"Look a name up in the reference graph {names.name}: the entities that may be meant, with their IRIs and "
        "classes, the best first. certain: the first is clearly the one. The IRIs are of that graph: "
        "here, create what is meant by its name."
    )
    properties = {
        "label": {"type": "string", "description": "the name, as the text has it"},
        "kind": {
            "type": "string",
            "description": "the name or IRI of the class that it must be of",
        },
    }
    parameters = {
        "type": "object",
        "properties": properties,
        "required": ["label"],
        "additionalProperties": False,
    }
    return Tool(ToolSpec("look_up", text, parameters), look_up)


@contextmanager
def outside_tools(
    given: Sequence[str | Tool | Callable[..., Any] | Allow],
    *,
    budget: int = BUDGET,
    seconds: float = SECONDS,
) -> Iterator[tuple[Tool, ...]]:
    """The tools that these name, while their servers are connected.

    Each is a Tool, a function, ``module:function``, the URL of an MCP server (http or https), or a
    command line that starts one. An ``Allow`` limits the arguments of a tool. Their descriptions
    take at most ``budget`` tokens of a request, and a call at most ``seconds``. Calls that failed
    are counted in a ToolFailed warning at the end.

    Raises:
        ConfigError: a function cannot be found or used, two tools have one name, or what a tool
            says of itself is not fit for a request.
        BackendError: a server does not start or answer.
    """
    allowed = [one for one in given if isinstance(one, Allow)]
    with ExitStack() as stack:
        found: list[Tool] = []
        for one in given:
            if isinstance(one, Tool):
                found.append(checked_tool(one, "the tool given"))
            elif isinstance(one, Allow):
                continue
            elif not isinstance(one, str):
                found.append(checked_tool(function_tool(one), one.__name__))
            elif one.startswith(("http://", "https://")) or " " in one.strip() or ":" not in one:
                found += [checked_tool(tool, one) for tool in stack.enter_context(_server(one))]
            else:
                found.append(checked_tool(function_tool(_imported(one)), one))
        names = [tool.spec.name for tool in found]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ConfigError(
                f"two outside tools are called {twice[0]}", fix="Leave one of them out."
            )
        if unknown := [one.tool for one in allowed if one.tool not in names]:
            raise ConfigError(
                f"arguments are allowed of {unknown[0]}, and there is no such outside tool",
                fix=f"There are: {', '.join(names) or 'none'}.",
            )
        if (taken := tokens_of(found)) > budget:
            raise ConfigError(
                f"the outside tools take {taken:,} tokens of every request, and the tool budget is "
                f"{budget:,}",
                fix="Name fewer of them, or raise --tool-budget.",
            )
        guards = [Guard(tool, allowed, seconds) for tool in found]
        try:
            yield tuple(guard.guarded for guard in guards)
        finally:
            for guard in guards:
                guard.sum_up()


def _imported(said: str) -> Callable[..., Any]:
    module, _, name = said.partition(":")
    try:
        function: Callable[..., Any] = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(
            f"{said}: {error}", fix="Name a function that can be imported, MODULE:FUNCTION."
        ) from error
    return function


@contextmanager
def _server(said: str) -> Iterator[list[Tool]]:
    """The tools of an MCP server, called from this thread while the client runs in its own."""
    from anyio.from_thread import start_blocking_portal
    from httpx2 import AsyncClient
    from mcp import Client, MCPError, StdioServerParameters
    from mcp.client.streamable_http import streamable_http_client

    # it would print a traceback for each line that is no message
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    process: OutsideProcess | None = None
    with closing(ExitStack()) as stack:  # closed without the exception, which the client would wrap
        try:
            portal = stack.enter_context(start_blocking_portal())
            target: Any
            if said.startswith(("http://", "https://")):
                http = AsyncClient(
                    timeout=60,
                    headers={"Accept-Encoding": "identity"},
                    event_hooks={"response": [_bound]},
                )
                stack.enter_context(portal.wrap_async_context_manager(http))
                target = streamable_http_client(said, http_client=http)
            else:
                command, *words = shlex.split(said)
                process = OutsideProcess([command, *words])
                target = process.streams()
                if os.name == "nt":  # has its own way to find a command and to end it
                    target = StdioServerParameters(command=command, args=words)
            client = Client(target, read_timeout_seconds=60)
            stack.enter_context(portal.wrap_async_context_manager(client))
            listed = portal.call(_listed, client)
        except (OSError, ExceptionGroup, MCPError, ValueError, RuntimeError) as error:
            why: BaseException = error
            while isinstance(why, BaseExceptionGroup):
                why = why.exceptions[0]
            told = (process and process.fault) or str(why).partition(", input_")[0]
            raise BackendError(
                f"the MCP server {said} does not answer as it should: {shown(told)}",
                service=said,
                fix="Start it, or mend its command line or URL; a Python function is named MODULE:FUNCTION.",
            ) from error

        def asked(name: str) -> Callable[..., Any]:
            def ask(**given: Any) -> Any:
                try:
                    return _answer(portal.call(client.call_tool, name, given))
                except MCPError as error:
                    if process is None or not process.fault:
                        raise
                    raise ValueError(process.fault) from error

            return ask

        yield [
            Tool(
                ToolSpec(one.name, one.description or one.title or "", one.input_schema),
                asked(one.name),
            )
            for one in listed
        ]


async def _bound(response: Any) -> None:
    """Have an answer read to a bound, and none that is compressed, which may unpack to any length."""
    from httpx2 import AsyncByteStream, StreamError

    sent, encoding = response.stream, response.headers.get("content-encoding", "identity")

    class Bounded(AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = MOST_BYTES if encoding == "identity" else 0
            async for piece in sent:
                left -= len(piece)
                if left < 0:
                    raise StreamError(
                        f"the answer is compressed, or longer than {MOST_BYTES >> 20} MiB"
                    )
                yield piece

        async def aclose(self) -> None:
            await sent.aclose()

    response.stream = Bounded()


async def _listed(client: Any) -> list[Any]:
    """The tools on all pages of a server's list.

    Raises:
        ConfigError: there are too many for a request.
    """
    tools: list[Any] = []
    cursor: str | None = None
    while len(tools) <= MOST_TOOLS:
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if not cursor or not page.tools:
            break
    if len(tools) > MOST_TOOLS:
        raise ConfigError(
            f"the MCP server offers more than {MOST_TOOLS} tools, and all would be in every request",
            fix="Connect one that offers what the reading needs.",
        )
    for tool in tools:
        # the client would hold answers to it, and a hostile one can take for ever to check
        if tool.output_schema:
            tool.output_schema.clear()
    return tools


def _answer(result: Any) -> Any:
    """The answer of a server's tool; ValueError, which a model is told, where it was an error."""
    texts = [one.text for one in result.content if getattr(one, "type", "") == "text"]
    if result.is_error:
        raise ValueError(" ".join(texts)[:LONGEST] or "the tool failed")
    return result.structured_content if result.structured_content is not None else "\n".join(texts)


def shortened(answer: Any) -> Any:
    """An answer, cut as text where it is too long for a request."""
    text = as_text(answer)
    return answer if len(text) <= LONGEST else f"{text[:LONGEST]} ..."
