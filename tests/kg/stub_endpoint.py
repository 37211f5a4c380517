"""A SPARQL endpoint on loopback that gives scripted replies, sound and faulty, and keeps what it was sent."""

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

RESULTS = "application/sparql-results+json"


@dataclass(frozen=True)
class Reply:
    """One scripted reply; ``drip`` seconds pass between its bytes, ``claim`` is a false Content-Length."""

    body: bytes = b""
    status: int = 200
    media_type: str = RESULTS
    headers: Mapping[str, str] = field(default_factory=dict)
    drip: float = 0.0
    claim: int | None = None


@dataclass(frozen=True)
class Received:
    """One request as it came in."""

    path: str
    headers: Mapping[str, str]
    form: Mapping[str, list[str]]


class StubEndpoint:
    """Gives its replies in turn, the last one again and again."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.received: list[Received] = []
        stub = self

        class Answering(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                form = parse_qs(self.rfile.read(length).decode())
                stub.received.append(Received(self.path, dict(self.headers.items()), form))
                reply = stub.replies.pop(0) if len(stub.replies) > 1 else stub.replies[0]
                self.send_response(reply.status)
                self.send_header("Content-Type", reply.media_type)
                self.send_header("Content-Length", str(len(reply.body) if reply.claim is None else reply.claim))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    for piece in [reply.body] if not reply.drip else [bytes([byte]) for byte in reply.body]:
                        self.wfile.write(piece)
                        self.wfile.flush()
                        time.sleep(reply.drip)
                except (BrokenPipeError, ConnectionResetError):
                    pass

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/sparql"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def solutions(*rows: Mapping[str, object], variables: tuple[str, ...] = ("x",)) -> bytes:
    return json.dumps({"head": {"vars": list(variables)}, "results": {"bindings": list(rows)}}).encode()
