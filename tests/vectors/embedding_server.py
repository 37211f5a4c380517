"""An OpenAI-compatible embeddings server on loopback that answers with ``TinyEmbedder`` and fails as told."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from kgnb.vectors.character_embedder import TinyEmbedder


class EmbeddingServer:
    """``answer_next(status, headers, text)`` replaces the next answer; ``bodies`` and ``headers`` are what came."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.planned: list[tuple[int, dict[str, str], str]] = []
        self.embedder = TinyEmbedder()
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                served.bodies.append(body)
                served.headers.append({name.lower(): value for name, value in self.headers.items()})
                status, headers, text = served.planned.pop(0) if served.planned else (200, {}, served.answer(body))
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def answer(self, body: dict[str, Any]) -> str:
        rows = 3 * self.embedder.embed(body["input"])  # not of unit length: the client must see to that
        data = [{"object": "embedding", "index": i, "embedding": row.tolist()} for i, row in enumerate(rows)]
        tokens = sum(len(text.split()) for text in body["input"])
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return json.dumps({"object": "list", "model": body["model"], "data": data[::-1], "usage": usage})

    def answer_next(self, status: int, headers: dict[str, str] | None = None, text: str = "{}") -> None:
        self.planned.append((status, headers or {}, text))

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
