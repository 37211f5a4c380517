"""What the servers of the tests share: a free port of loopback, a thread, and no noise."""

import ssl
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self


class LoopbackRequest(BaseHTTPRequestHandler):
    """One request, its body read; the server's ``answer`` says what becomes of it."""

    server: "LoopbackServer"
    body: bytes
    disable_nagle_algorithm = True
    timeout = 30

    def setup(self) -> None:
        self.protocol_version = self.server.protocol
        super().setup()

    def do_POST(self) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.answer(self)

    do_GET = do_PUT = do_DELETE = do_POST

    def begin(
        self,
        status: int,
        media_type: str,
        length: int | None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Send the head of an answer; ``length``: None where the headers say it in another way."""
        said = {"Content-Type": media_type} | (
            {} if length is None else {"Content-Length": str(length)}
        )
        self.send_response(status)
        for name, value in (said | dict(headers or {})).items():
            self.send_header(name, value)
        self.end_headers()

    def send(
        self,
        status: int,
        body: bytes,
        media_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Send an answer."""
        self.begin(status, media_type, len(body), headers)
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class LoopbackServer(ThreadingHTTPServer):
    """Serves from the moment it is made until it is stopped, also as a context."""

    protocol = "HTTP/1.0"
    place = ""  # how its URL goes on
    request_queue_size = 64

    def __init__(self, certificate: Path | None = None) -> None:
        super().__init__(("127.0.0.1", 0), LoopbackRequest)
        self.scheme = "https" if certificate else "http"
        if certificate:  # with its key, in PEM
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False
            )
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        """Where it is asked."""
        return f"{self.scheme}://127.0.0.1:{self.server_port}{self.place}"

    def answer(self, request: LoopbackRequest) -> None:
        """Answer a request; several may come at once, each on a thread of its own."""
        raise NotImplementedError

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Connections that break are what half of the tests are about: no noise."""

    def stop(self) -> None:
        """Stop serving; more than once does no harm."""
        self.shutdown()
        self.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.stop()


class RawServer(LoopbackServer):
    """Writes what it likes to whoever asks, HTTP or not, until nobody reads; ``write`` gets what
    takes bytes.
    """

    def __init__(
        self, write: Callable[[Callable[[bytes], object]], object], place: str = ""
    ) -> None:
        self._write, self.place = write, place
        super().__init__()

    def answer(self, request: LoopbackRequest) -> None:
        self._write(request.wfile.write)


def dripping(head: bytes) -> Callable[[Callable[[bytes], object]], None]:
    """Writes the head, and then a byte at a time for as long as anybody reads."""

    def write(out: Callable[[bytes], object]) -> None:
        out(head)
        while True:
            out(b"a")
            time.sleep(0.05)

    return write
