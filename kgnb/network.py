"""One HTTP call, the same for every service: one deadline for all of it, a limit of size, no redirect
followed, gzip unpacked within the limit, and what went wrong as one of two errors.
"""

from __future__ import annotations

import http.client
import io
import math
import ssl
import threading
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

import certifi

from kgnb.patience import on_this_machine

PIECE = 1 << 16
LONGEST_ERROR = 1 << 16
"""Bytes of an error's page that are read."""
MOST = 64 * 2**20
"""Bytes that one answer may take; no reply of a model is that long."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A service's answer: its status, its headers in lower case, and its body, unpacked."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    cut: bool  # the body is longer than was wanted

    @property
    def good(self) -> bool:
        """Whether the service did what it was asked to."""
        return 200 <= self.status < 300


class ConnectionFault(Exception):
    """There is no answer: the service was not ``reached``, or the answer broke off."""

    def __init__(self, what: str, *, reached: bool = True) -> None:
        super().__init__(what)
        self.reached = reached


def open_network(url: str, *handlers: urllib.request.BaseHandler) -> urllib.request.OpenerDirector:
    """What sends requests to the service at a URL: through the proxy that the environment names,
    unless it runs on this machine. Redirects are not followed: texts and keys would go elsewhere.

    Raises:
        ValueError: the environment names a proxy that does not speak HTTP.
    """
    proxies = {} if on_this_machine(url) else urllib.request.getproxies()
    for scheme in ("http", "https") if "all" in proxies else ():
        proxies.setdefault(scheme, proxies["all"])
    for scheme in ("http", "https"):
        address = proxies.get(scheme, "")
        if urlsplit(address).scheme not in ("http", "https", ""):
            raise ValueError(f"the proxy that the environment names: {address}")
    return urllib.request.build_opener(
        urllib.request.ProxyHandler(proxies), _NoRedirect, _Http, _Https, *handlers
    )


def exchange(
    network: urllib.request.OpenerDirector,
    request: urllib.request.Request,
    seconds: float,
    most_bytes: int,
) -> HttpAnswer:
    """The answer to a request, whatever its status; all of it comes within ``seconds``.

    Raises:
        TimeoutError: it did not.
        ConnectionFault: there is no answer, or not all of it.
    """
    try:
        with _until(seconds):
            try:
                response = network.open(request, timeout=seconds)
            except urllib.error.HTTPError as refusal:
                response = refusal
            with response:
                return _read(response, most_bytes)
    except TimeoutError:
        raise
    except (urllib.error.URLError, UnicodeError, ValueError) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            raise TimeoutError(str(reason)) from error
        if isinstance(reason, ConnectionResetError | BrokenPipeError):
            raise ConnectionFault(f"broke the connection off: {reason}") from error
        raise ConnectionFault(f"cannot be reached: {reason}", reached=False) from error
    except zlib.error as error:
        raise ConnectionFault("sent damaged gzip data") from error
    except (http.client.HTTPException, OSError) as error:
        what = f"broke the connection off: {error or type(error).__name__}"
        raise ConnectionFault(what) from error


class Transport:
    """How a library's httpx (or its successor) sends: as every service is asked, each answer whole,
    uncompressed, within the time of its request and no longer than ``MOST``.
    """

    def __init__(self, url: str) -> None:
        self._network = open_network(url)

    def __enter__(self) -> Transport:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is left open."""

    def handle_request(self, request: Any) -> Any:
        """httpx's answer to httpx's request."""
        httpx: Any = import_module(type(request).__module__.partition(".")[0])
        sent = urllib.request.Request(
            str(request.url.copy_with(userinfo=b"")),
            data=request.read() or None,
            headers=dict(request.headers),
            method=request.method,
        )
        try:
            got = exchange(self._network, sent, request.extensions["timeout"]["read"], MOST)
        except TimeoutError as error:
            raise httpx.ReadTimeout("no answer in time") from error
        except ConnectionFault as error:
            kind = httpx.ReadError if error.reached else httpx.ConnectError
            raise kind(str(error)) from error
        if got.headers.get("content-encoding", "identity") != "identity":
            raise ValueError("the answer is compressed, which was not asked for")
        if got.good and got.cut:
            raise ValueError(f"the answer is longer than {MOST // 2**20} MiB")
        framing = ("transfer-encoding", "content-length")  # the body came whole
        headers = [(name, value) for name, value in got.headers.items() if name not in framing]
        return httpx.Response(got.status, headers=headers, content=got.body)


def _read(response: Any, most_bytes: int) -> HttpAnswer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    most = most_bytes if 200 <= response.status < 300 else min(most_bytes, LONGEST_ERROR)
    body = bytearray()
    # in pieces, so that a service that sends without an end is given up in time
    for piece in _pieces(response, headers.get("content-encoding", "")):
        body += piece
        if len(body) > most:
            break
    return HttpAnswer(response.status, headers, bytes(body[:most]), len(body) > most)


_deadline = threading.local()


@contextmanager
def _until(seconds: float) -> Iterator[None]:
    """The time of one call in this thread, which its connections keep: a socket's own timeout
    begins anew with every byte.
    """
    _deadline.end = time.monotonic() + seconds
    try:
        yield
    finally:
        _deadline.end = math.inf


def _left() -> float:
    left = float(getattr(_deadline, "end", math.inf)) - time.monotonic()
    if left <= 0:
        raise TimeoutError("the time of the call is over")
    return left


class _Timed:
    """A connected socket that reads and writes in what is left of the call's time."""

    def __init__(self, connected: Any) -> None:
        self._connected = connected

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connected, name)

    def sendall(self, data: Any) -> None:
        self._connected.settimeout(_left())
        self._connected.sendall(data)

    def makefile(self, mode: str = "rb", *_: Any) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self._connected))


class _TimedReader(io.RawIOBase):
    def __init__(self, connected: Any) -> None:
        self._connected, self._file = connected, connected.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._connected.settimeout(_left())
        return self._file.readinto(buffer)  # type: ignore[no-any-return]

    def close(self) -> None:
        self._file.close()
        super().close()


class _Connection(http.client.HTTPConnection):
    def connect(self) -> None:
        super().connect()
        self.sock: Any = _Timed(self.sock)


class _SecureConnection(http.client.HTTPSConnection):
    def connect(self) -> None:
        super().connect()
        self.sock: Any = _Timed(self.sock)


class _Http(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_Connection, request)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self) -> None:
        self._trusted = ssl.create_default_context()
        # some systems hand Python no certificates at all
        self._trusted.load_verify_locations(certifi.where())
        super().__init__(context=self._trusted)

    def https_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_SecureConnection, request, context=self._trusted)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def _pieces(response: Any, encoding: str) -> Iterator[bytes]:
    """The body in pieces of bounded size, unpacked where it is gzipped; raises zlib.error or
    HTTPException where it is damaged or cut off.
    """
    packed = zlib.decompressobj(wbits=47) if encoding in ("gzip", "x-gzip", "deflate") else None
    while piece := response.read(PIECE):
        while packed is not None and piece:
            yield packed.decompress(piece, 16 * PIECE)
            piece = packed.unconsumed_tail
        yield piece
    if getattr(response, "length", None):  # what was announced and did not come
        raise http.client.IncompleteRead(b"", response.length)
    if packed is not None and not packed.eof:
        raise zlib.error("cut off")
