"""A SPARQL endpoint on loopback that gives scripted replies, sound and faulty, and keeps what it
was sent.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from tests.loopback import LoopbackServer, Request

RESULTS = "application/sparql-results+json"


@dataclass(frozen=True)
class Reply:
    """One scripted reply; ``drip`` seconds pass between its bytes, ``claim`` is a false
    Content-Length.
    """

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


class StubEndpoint(LoopbackServer):
    """Gives its replies in turn, the last one again and again."""

    place = "/sparql"

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.received: list[Received] = []
        super().__init__()

    def answer(self, request: Request) -> None:
        self.received.append(
            Received(request.path, dict(request.headers.items()), parse_qs(request.body.decode()))
        )
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        length = len(reply.body) if reply.claim is None else reply.claim
        request.begin(reply.status, reply.media_type, length, reply.headers)
        for piece in [reply.body] if not reply.drip else [bytes([byte]) for byte in reply.body]:
            request.wfile.write(piece)
            time.sleep(reply.drip)


def solutions(*rows: Mapping[str, object], variables: tuple[str, ...] = ("x",)) -> bytes:
    return json.dumps(
        {"head": {"vars": list(variables)}, "results": {"bindings": list(rows)}}
    ).encode()
