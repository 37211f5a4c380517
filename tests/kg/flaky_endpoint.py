"""A SPARQL endpoint on loopback with a real engine behind it, that fails before it answers: each
fault by its name.
"""

import gzip
import socket
import struct
import threading
import time
from urllib.parse import parse_qs

import pyoxigraph as ox

from tests.loopback import LoopbackServer, Request

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


class FlakyEndpoint(LoopbackServer):
    """Answers queries and updates over its own store; every other request meets the fault (a
    harmless one: each).
    """

    protocol, place = "HTTP/1.1", "/sparql"

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.store = ox.Store()
        self.requests = self.faults = 0
        self._turn = threading.Lock()
        super().__init__()

    def answer(self, request: Request) -> None:
        form, broken = parse_qs(request.body.decode()), self.fault
        with self._turn:
            self.requests += 1
            failing = self.fault in PASSING and self.requests % 2 == 1
            self.faults += failing
            if failing and "update" in form and broken[:3] not in ("429", "503"):
                broken = (
                    "503"  # an update whose answer is lost is never repeated: a test of its own
                )
            if failing and broken[:3].isdigit():
                status, media_type, body = int(broken[:3]), "text/plain", b"come back later"
            else:
                status, media_type, body = self.sound(form)
        send(request, status, media_type, body, broken if failing or self.fault in HARMLESS else "")

    def sound(self, form: dict[str, list[str]]) -> tuple[int, str, bytes]:
        """Status, media type and body, as a sound service would give them."""
        try:
            if "update" in form:
                self.store.update(form["update"][0])
                return 200, "text/plain", b""
            found = self.store.query(form["query"][0])
            if isinstance(found, ox.QueryTriples):
                return 200, "text/turtle", found.serialize(format=ox.RdfFormat.TURTLE) or b""
            return (
                200,
                "application/sparql-results+json",
                found.serialize(format=ox.QueryResultsFormat.JSON) or b"",
            )
        except (SyntaxError, ValueError) as error:
            return 400, "text/plain", str(error).encode()


def send(request: Request, status: int, media_type: str, body: bytes, fault: str) -> None:
    """Send an answer with this fault."""
    if fault == "reset before an answer":
        return reset(request)
    headers = {"Retry-After": "0"} if fault == "429 with Retry-After" else {}
    if "gzip" in fault:
        headers["Content-Encoding"] = "gzip"
        body = gzip.compress(body)[: -9 if "damaged" in fault else None]
    if fault == "chunks":
        request.begin(status, media_type, None, {"Transfer-Encoding": "chunked"})
        for piece in [*(body[start : start + 100] for start in range(0, len(body), 100)), b""]:
            request.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        return None
    request.begin(status, media_type, len(body) + (fault == "shorter than announced"), headers)
    if fault == "reset within an answer":
        request.wfile.write(body[: len(body) // 2])
        return reset(request)
    for start in range(0, len(body), 64) if fault == "dripping" else [0]:
        request.wfile.write(body[start : start + 64] if fault == "dripping" else body)
        time.sleep(0.001 if fault == "dripping" else 0)
    request.close_connection = request.close_connection or fault == "shorter than announced"
    return None


def reset(request: Request) -> None:
    """Break the connection off."""
    request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.connection.close()
    request.close_connection = True
