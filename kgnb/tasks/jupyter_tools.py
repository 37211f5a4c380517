"""The tools of an ontology in a running Jupyter server, for the entry point
``jupyter_server_mcp.tools``.

The extension jupyter-server-mcp asks ``tool_names`` for "module:function" and imports each: one
function a tool, made here on request. The setting ``serve.tbox`` (``KGNB_TBOX``) names the
ontology; without one there are no tools. All functions share one session, whose graph is kept in
``jupyter/built-DIGEST.trig`` in the cache, by a digest of the ontology's tools: a server that
restarts continues with it. A second server at the same time has a file of its own, ``-2``.
"""

from __future__ import annotations

import atexit
import inspect
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from kgnb.agents.kg_construction.graph_file import GraphFile
from kgnb.agents.kg_construction.serve import Shared
from kgnb.agents.kg_construction.session import ConstructionSession
from kgnb.agents.kg_construction.tool_values import ToolDefinition
from kgnb.errors import BackendError
from kgnb.files import make_private
from kgnb.settings import Settings
from kgnb.tasks.building import compile_ontology

_TYPES: dict[Any, Any] = {"string": str, "integer": int, "number": float, "boolean": bool}


@lru_cache(maxsize=4)
def shared(tbox: str) -> Shared:
    """The one session of this process over an ontology."""
    settings = Settings.load()
    pack = compile_ontology(tbox)
    # each ontology has a graph of its own
    out = settings.cache / "jupyter" / f"built-{pack.content_sha256[:12]}.trig"
    make_private(settings.cache)
    make_private(out.parent)
    session = pack.session()
    own = Shared(pack, session, _free(out, session), "jupyter")
    atexit.register(own.close)
    return own


MOST_SERVERS = 16
"""Jupyter servers of one user and ontology at the same time."""


def _free(out: Path, session: ConstructionSession) -> GraphFile:
    """The first of the files ``out``, ``out-2``... that no other server keeps its graph in."""
    for number in range(1, MOST_SERVERS):
        path = out if number == 1 else out.with_stem(f"{out.stem}-{number}")
        try:
            file = GraphFile(path, session)
        except BackendError:
            continue
        if number > 1:
            what = f"another Jupyter server keeps its graph in {out}; this one has {path}"
            print(f"kgnb: {what}", file=sys.stderr, flush=True)
        return file
    return GraphFile(out, session)


def tool_names(settings: Settings | None = None) -> list[str]:
    """The tools as "module:function"; none where no ontology is set."""
    tbox = (settings or Settings.load()).tbox
    return [f"{__name__}:{tool.name}" for tool in shared(tbox).pack.tools] if tbox else []


def __getattr__(name: str) -> Any:
    tbox = "" if name.startswith("__") else Settings.load().tbox
    if tbox and name in (own := shared(tbox)).pack:
        return tool_function(own, own.pack.tool(name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def tool_function(own: Shared, tool: ToolDefinition) -> Callable[..., dict[str, Any]]:
    """A tool as a function with the signature and docstring of its schema."""

    def call(**arguments: Any) -> dict[str, Any]:
        given = {name: value for name, value in arguments.items() if value is not None}
        return own.call(tool.name, given).as_json()

    required = set(tool.input_schema.get("required", ()))
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if name in required else None,
            annotation=_hint(schema) if name in required else _hint(schema) | None,
        )
        for name, schema in sorted(
            tool.input_schema["properties"].items(), key=lambda one: one[0] not in required
        )
    ]
    call.__name__ = call.__qualname__ = tool.name
    arguments = "\n".join(
        f"    {n}: {s.get('description', '')}" for n, s in tool.input_schema["properties"].items()
    )
    call.__doc__ = f"{tool.description}\n\nArgs:\n{arguments}"
    call.__signature__ = inspect.Signature(parameters, return_annotation=dict[str, Any])  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in parameters} | {
        "return": dict[str, Any]
    }
    return call


def _hint(schema: dict[str, Any]) -> Any:
    kind = schema.get("type")
    return (
        _TYPES.get(kind, str | int | float | bool)
        if isinstance(kind, str)
        else str | int | float | bool
    )
