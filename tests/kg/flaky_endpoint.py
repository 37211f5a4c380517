"""A SPARQL endpoint on loopback with a real engine behind it, that fails before it answers: each fault by its name."""

import gzip
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pyoxigraph as ox

PASSING = (
    "429 with Retry-After",
    "502",
    "503",
    "504",
    "reset before an answer",
    "reset within an answer",
    "shorter than announced",
    "damaged gzip",
)
"""Faults after which the same request is answered when it comes again."""

HARMLESS = ("gzip", "dripping", "chunks")
"""Ways of answering that look odd and lose nothing."""


class FlakyEndpoint:
    """Answers queries and updates over its own store; every other request meets the fault (a harmless one: each)."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.store = ox.Store()
        self.requests = self.faults = 0
        endpoint, turn = self, threading.Lock()

        class Answering(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                form = parse_qs(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())
                with turn:
                    endpoint.requests += 1
                    failing = fault in PASSING and endpoint.requests % 2 == 1
                    endpoint.faults += failing
                    broken = fault
                    if failing and "update" in form and fault[:3] not in ("429", "503"):
                        broken = "503"  # an update whose answer is lost is never repeated: a test of its own
                    if failing and broken[:3].isdigit():
                        status, media_type, body = int(broken[:3]), "text/plain", b"come back later"
                    else:
                        status, media_type, body = endpoint.answer(form)
                try:
                    self._send(status, media_type, body, broken if failing or fault in HARMLESS else "")
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def _send(self, status: int, media_type: str, body: bytes, fault: str) -> None:
                if fault == "reset before an answer":
                    return self._reset()
                self.send_response(status)
                self.send_header("Content-Type", media_type)
                if fault == "429 with Retry-After":
                    self.send_header("Retry-After", "0")
                if "gzip" in fault:
                    self.send_header("Content-Encoding", "gzip")
                    body = gzip.compress(body)[: -9 if "damaged" in fault else None]
                if fault == "chunks":
                    self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    for start in range(0, len(body), 100):
                        piece = body[start : start + 100]
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    self.wfile.write(b"0\r\n\r\n")
                    return None
                self.send_header("Content-Length", str(len(body) + (fault == "shorter than announced")))
                self.end_headers()
                if fault == "reset within an answer":
                    self.wfile.write(body[: len(body) // 2])
                    return self._reset()
                for start in range(0, len(body), 64) if fault == "dripping" else [0]:
                    self.wfile.write(body[start : start + 64] if fault == "dripping" else body)
                    self.wfile.flush()
                    time.sleep(0.001 if fault == "dripping" else 0)
                self.close_connection = self.close_connection or fault == "shorter than announced"
                return None

            def _reset(self) -> None:
                self.wfile.flush()
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, request: object, client_address: object) -> None:
                """A connection this server has reset itself."""

        self._server = Quiet(("127.0.0.1", 0), Answering)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def answer(self, form: dict[str, list[str]]) -> tuple[int, str, bytes]:
        """Status, media type and body, as a sound service would give them."""
        try:
            if "update" in form:
                self.store.update(form["update"][0])
                return 200, "text/plain", b""
            found = self.store.query(form["query"][0])
            if isinstance(found, ox.QueryTriples):
                return 200, "text/turtle", found.serialize(format=ox.RdfFormat.TURTLE) or b""
            return 200, "application/sparql-results+json", found.serialize(format=ox.QueryResultsFormat.JSON) or b""
        except SyntaxError as error:
            return 400, "text/plain", str(error).encode()
        except ValueError as error:
            return 400, "text/plain", str(error).encode()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/sparql"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
