"""A question and a data set in, SPARQL out: the interface of the TEXT2SPARQL challenge, over HTTP.

``GET /?question=...&dataset=...`` is answered with JSON, ``{"dataset", "question", "query"}``. The
query is the one whose rows are the answer; where the answer is unsure, that of the best reading,
and ``confidence`` says so.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from kgnb.agents.kg_construction.http_clients import App
from kgnb.agents.kg_construction.serve import HERE, guarded
from kgnb.agents.question_answering.state import GraphContext
from kgnb.backends import GraphSource
from kgnb.errors import KgnbError
from kgnb.settings import Settings
from kgnb.tasks.asking import answer_question, open_context

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import JSONResponse

_LONGEST = 2000
"""Characters of a question that is answered."""


@dataclass(frozen=True)
class Refused(Exception):
    """A request that cannot be answered: its HTTP status and what is wrong."""

    status: int
    what: str


class Translator:
    """Questions over named data sets as SPARQL.

    Args:
        contexts: the opened graphs, by the IRI or name by which clients ask for them. With a single
        one, every name is taken for it.
    """

    def __init__(self, contexts: Mapping[str, GraphContext]) -> None:
        self._contexts = dict(contexts)
        self._turn = Lock()

    def query(self, dataset: str, question: str) -> dict[str, Any]:
        """The reply to one question.

        Raises:
            Refused: the question is empty or too long, or there is no such data set.
        """
        if not question.strip() or len(question) > _LONGEST:
            raise Refused(400, f"question: give 1 to {_LONGEST} characters")
        context = self._contexts.get(dataset)
        if context is None and len(self._contexts) == 1:
            (context,) = self._contexts.values()
        if context is None:
            raise Refused(404, f"dataset: there are {', '.join(sorted(self._contexts))}")
        with self._turn:
            found = answer_question(question, context)
        guess = found.guess.sparql if found.guess is not None else ""
        return {
            "dataset": dataset,
            "question": question,
            "query": found.sparql or guess,
            "confidence": round(found.confidence, 4),
            "status": found.status,
        }


def application(translator: Translator) -> App:
    """The HTTP service, for programs of this machine: a page in the user's browser must not spend money
    here, nor read the graph.
    """
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    async def translate(request: Request) -> JSONResponse:
        given = request.query_params
        try:
            reply = await run_in_threadpool(
                translator.query, given.get("dataset", ""), given.get("question", "")
            )
        except Refused as refused:
            return JSONResponse({"error": refused.what}, refused.status)
        except KgnbError as error:
            return JSONResponse({"error": error.what}, 502)
        return JSONResponse(reply)

    routes = [Route("/", translate), Route("/text2sparql", translate)]
    return guarded(Starlette(routes=routes), "", HERE)


def serve_text2sparql(
    graph: GraphSource,
    port: int,
    settings: Settings,
    *,
    on_ready: Callable[[str], object] = lambda url: None,
) -> None:
    """Serve a graph on this machine until interrupted; port 0 is a free one."""
    import uvicorn

    app = application(Translator({"": open_context(graph, settings=settings)}))
    listening = socket.create_server(("127.0.0.1", port))
    on_ready(f"http://127.0.0.1:{listening.getsockname()[1]}/")
    uvicorn.Server(uvicorn.Config(app, log_level="warning", proxy_headers=False)).run(
        sockets=[listening]
    )
