"""An OpenAI-compatible embeddings server on loopback that answers with ``TinyEmbedder`` and fails
as told.
"""

import json
from typing import Any

from kgnb.vectors.character_embedder import TinyEmbedder
from tests.loopback import LoopbackServer, Request


class EmbeddingServer(LoopbackServer):
    """``answer_next(status, headers, text)`` replaces the next answer; ``bodies`` and ``headers``
    are what came.
    """

    place = "/v1"

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.planned: list[tuple[int, dict[str, str], str]] = []
        self.embedder = TinyEmbedder()
        super().__init__()

    def answer(self, request: Request) -> None:
        self.bodies.append(json.loads(request.body))
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        status, headers, text = (
            self.planned.pop(0) if self.planned else (200, {}, self.embedded(self.bodies[-1]))
        )
        request.send(status, text.encode(), headers=headers)

    def embedded(self, body: dict[str, Any]) -> str:
        rows = 3 * self.embedder.embed(
            body["input"]
        )  # not of unit length: the client must see to that
        data = [
            {"object": "embedding", "index": i, "embedding": row.tolist()}
            for i, row in enumerate(rows)
        ]
        tokens = sum(len(text.split()) for text in body["input"])
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return json.dumps(
            {"object": "list", "model": body["model"], "data": data[::-1], "usage": usage}
        )

    def answer_next(
        self, status: int, headers: dict[str, str] | None = None, text: str = "{}"
    ) -> None:
        self.planned.append((status, headers or {}, text))
