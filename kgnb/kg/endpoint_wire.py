"""One SPARQL request (SPARQL 1.1 Protocol): SPARQLWrapper words it, this sends it, retries it,
unpacks the answer and puts failures in plain words.

SPARQLWrapper alone has no limit of time or size for a whole answer, asks once, follows redirects
with the credentials and does not unpack gzip: its request is sent through an opener of our own.
"""

from __future__ import annotations

import base64
import copy
import http.client
import io
import ipaddress
import math
import re
import ssl
import threading
import time
import urllib.error
import urllib.request
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib import metadata
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urljoin, urlsplit, urlunsplit

from kgnb.errors import BackendError, DataError
from kgnb.patience import Patience, on_this_machine, retry_after
from kgnb.secret import HIDDEN, blot_forms

if TYPE_CHECKING:
    from SPARQLWrapper import SPARQLWrapper

AGENT = f"kgnb/{metadata.version('kgnb')} (agents over knowledge graphs)"
PUBLIC_QUERIES_PER_SECOND = 5.0
"""How many queries a second a service on the public network gets."""


def is_public(url: str) -> bool:
    """Whether a URL leads outside this machine and its own network.

    >>> [is_public(f"http://{host}/sparql") for host in ("localhost:7878", "10.0.0.7", "graphs", "query.wikidata.org")]
    [False, False, False, True]
    """
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return "." in host and not host.endswith((".localhost", ".local", ".internal"))


class Courtesy:
    """Limits how many requests to one service start per second; shared by threads. 0: no limit."""

    def __init__(
        self,
        per_second: float,
        *,
        seconds: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.per_second = per_second
        self._seconds, self._sleep = seconds, sleep
        self._lock = threading.Lock()
        self._next = 0.0

    def wait(self) -> None:
        """Wait until the next request may start."""
        if not self.per_second:
            return
        with self._lock:
            now = self._seconds()
            start = max(now, self._next)
            self._next = start + 1 / self.per_second
        if start > now:
            self._sleep(start - now)


_shared: dict[str, Courtesy] = {}


def courtesy_towards(url: str) -> Courtesy:
    """The pace that all graphs on one host share in this process."""
    host = urlsplit(url).hostname or ""  # in lower case; setdefault is atomic
    return _shared.setdefault(host, Courtesy(PUBLIC_QUERIES_PER_SECOND if is_public(url) else 0.0))


_RESULTS = (
    "application/sparql-results+json, application/json;q=0.9, application/sparql-results+xml;q=0.8, "
    "text/tab-separated-values;q=0.6, text/csv;q=0.4"
)
_RDF = (
    "text/turtle, application/n-triples;q=0.9, application/x-turtle;q=0.8, "
    "application/rdf+xml;q=0.7, application/ld+json;q=0.5"
)
_RESULT_FORMS = frozenset({"json", "xml", "csv", "tsv"})  # as SPARQLWrapper names them
_RDF_FORMS = frozenset({"turtle", "n3", "xml", "rdf", "rdf+xml", "json-ld"})
LONGEST_GET = 6000  # characters: servers refuse addresses of 8 kB and more
PIECE = 1 << 16
BUSY = frozenset({429, 502, 503, 504})
PATIENCE = Patience(longest=30.0)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]+")


@dataclass(frozen=True, slots=True)
class ServiceReply:
    """A service's answer: the media type without parameters, the unpacked body and the headers, of
    any case.
    """

    media_type: str
    body: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Wire:
    """Sends requests to one service. Its credentials appear in no repr and no error."""

    url: str
    authorization: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    parameters: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 60.0
    patience: Patience = PATIENCE
    most_bytes: int = 256 << 20
    courtesy: Courtesy = field(default_factory=lambda: Courtesy(0), repr=False, compare=False)
    wrapper: SPARQLWrapper | None = field(default=None, repr=False)  # a person's own
    method: list[str] = field(default_factory=list, repr=False)  # learnt: GET where POST is refused

    @property
    def service(self) -> str:
        """The URL without user, password and query."""
        return public_url(self.url)

    def ask(
        self,
        text: str,
        *,
        rdf: bool = False,
        update: bool = False,
        timeout: float | None = None,
        repeatable: bool = True,
    ) -> ServiceReply:
        """The answer to a query or an update, after as many tries as patience allows; ``timeout``
        is for each try.

        A request that is not ``repeatable`` is sent again only after a refusal (429, 503): else it
        may have been done.
        """
        seconds = self.timeout if timeout is None else timeout
        if seconds <= 0:
            raise ValueError(f"timeout must be more than 0 seconds, not {seconds!r}")
        for tried in count(1):
            try:
                return self._once(text, rdf, update, seconds)
            except _Again as again:
                if again.asked and again.asked > self.patience.longest:
                    wait = (
                        f"{again.asked / 3600:.0f} hours"
                        if again.asked >= 7200
                        else f"{again.asked:.0f} seconds"
                    )
                    what = f"{again.what} and asks to be left alone for {wait}"
                    raise self.failure(
                        what, again.body, fix="ask again after that"
                    ) from again.__cause__
                may_help = tried <= again.retries and (repeatable or again.refused)
                if not (may_help and self.patience.pause(tried, again.asked)):
                    raise self.failure(
                        f"{again.what} ({tried} tries)", again.body, fix=again.fix
                    ) from again.__cause__
        raise AssertionError("unreachable: the last try returns or raises")

    def failure(self, what: str, body: str = "", fix: str = "") -> BackendError:
        """The error for this service, its text made harmless and without the credentials."""
        return BackendError(
            f"{self.service}: {self._clean(what, 300)}",
            service=self.service,
            fix=fix,
            details=self._clean(body, 2000),
        )

    def _clean(self, text: str, most: int) -> str:
        scheme, _, coded = self.authorization.partition(" ")
        login = base64.b64decode(coded).decode().partition(":")[2] if scheme == "Basic" else ""
        named = (*self.parameters.items(), *parse_qsl(urlsplit(self.url).query))
        keys = [value for name, value in named if HIDDEN in blot_forms(f"x?{name}={value}")]
        theirs = [self._login[1], *self.wrapper.customHttpHeaders.values()] if self.wrapper else []
        for secret in sorted(
            (self.authorization, coded, login, *self.headers.values(), *keys, *theirs), key=len
        )[::-1]:
            if len(secret) > 3:
                text = text.replace(secret, "***")
        return harmless(text, most)

    @cached_property
    def _opener(self) -> urllib.request.OpenerDirector:
        """Redirects are not followed: the query would go elsewhere, or become a GET without its
        text.
        """
        proxies = {} if on_this_machine(self.url) else urllib.request.getproxies()
        for scheme in ("http", "https") if "all" in proxies else ():
            proxies.setdefault(scheme, proxies["all"])
        wrong = [
            address
            for scheme, address in proxies.items()
            if scheme in ("http", "https") and urlsplit(address).scheme not in ("http", "https", "")
        ]
        if wrong:
            what = f"cannot be asked through the proxy that the environment names: {wrong[0]}"
            raise self.failure(
                what, fix="correct $ALL_PROXY, $HTTP_PROXY or $HTTPS_PROXY, or unset it"
            )
        return urllib.request.build_opener(
            urllib.request.ProxyHandler(proxies), _NoRedirect, _Http, _Https, _Digest(self._login)
        )

    @property
    def _login(self) -> tuple[str, str]:
        """User and password, for a service that asks for a digest of them."""
        if self.wrapper is not None and self.wrapper.user:
            return self.wrapper.user, self.wrapper.passwd or ""
        scheme, _, coded = self.authorization.partition(" ")
        user, _, password = (
            base64.b64decode(coded).decode() if scheme == "Basic" else ""
        ).partition(":")
        return user, password

    def _request(self, text: str, rdf: bool, update: bool) -> urllib.request.Request:
        """The request as SPARQLWrapper words it, with a person's settings where there are such."""
        from SPARQLWrapper import GET, POST, SPARQLWrapper  # brings rdflib's parsers

        if self.wrapper is None:
            asking = SPARQLWrapper(self.url, updateEndpoint=self.url, agent=AGENT)
            asking.setOnlyConneg(True)
            asking.setMethod(POST)
        else:
            asking = copy.copy(self.wrapper)
            asking.parameters = dict(self.wrapper.parameters)
            asking.customHttpHeaders = dict(self.wrapper.customHttpHeaders)
        asking.queryString = text
        asking.queryType = "INSERT" if update else "CONSTRUCT" if rdf else "SELECT"
        for name, value in self.parameters.items():
            asking.addParameter(name, value)
        sent = {name.lower() for name in asking.customHttpHeaders}
        ours = {**self._usual(asking.returnFormat, rdf, update), **self.headers}
        for name, value in ours.items():
            if name.lower() not in sent:
                asking.addCustomHttpHeader(name, value)
        if update or len(text) > LONGEST_GET:
            asking.setMethod(POST)
        elif self.method:
            asking.setMethod(GET if self.method[-1] == "GET" else POST)
        if asking.http_auth == "DIGEST":
            # answered by this opener; SPARQLWrapper would change every request of this process
            asking.user = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # formats it has no header for: Accept
            return asking._createRequest()

    def _usual(self, form: str, rdf: bool, update: bool) -> dict[str, str]:
        """Our own headers; a person's return format is kept where it fits the kind of query."""
        headers = {"Accept-Encoding": "gzip"}
        if self.authorization:
            headers["Authorization"] = self.authorization
        kept = _RDF_FORMS if rdf else _RESULT_FORMS
        if update:
            headers["Accept"] = "*/*"
        elif self.wrapper is None or form not in kept:
            headers["Accept"] = _RDF if rdf else _RESULTS
        return headers

    def _once(self, text: str, rdf: bool, update: bool, seconds: float) -> ServiceReply:
        self.courtesy.wait()
        try:
            request = self._request(text, rdf, update)
            opener = self._opener
            with _until(seconds):
                try:
                    response = opener.open(request, timeout=seconds)
                except urllib.error.HTTPError as refusal:
                    response = refusal
                with response:
                    return self._answer(response, seconds)
        except TimeoutError as error:
            raise self._late(seconds) from error
        except (urllib.error.URLError, UnicodeError, ValueError) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise self._late(seconds) from error
            if isinstance(reason, ConnectionResetError | BrokenPipeError):
                raise _Again(
                    f"broke the connection off: {reason}", fix="try again later"
                ) from error
            fix = "check the address, and whether the service runs"
            # one more try for a service that restarts, without keeping a person waiting
            raise _Again(f"cannot be reached: {reason}", fix=fix, retries=1) from error
        except zlib.error as error:
            raise _Again("sent damaged gzip data", fix="try again later") from error
        except (http.client.HTTPException, OSError) as error:
            raise _Again(
                f"broke the connection off: {error or type(error).__name__}", fix="try again later"
            ) from error

    def _answer(self, response: Any, seconds: float) -> ServiceReply:
        """The whole body, read in pieces, so that a service that sends without an end is given up
        in time.
        """
        headers = {name.lower(): value for name, value in response.headers.items()}
        good = 200 <= response.status < 300
        most = self.most_bytes if good else 65536
        body = bytearray()
        for piece in _pieces(response, headers.get("content-encoding", "")):
            body += piece
            if len(body) > most:
                break
        if 300 <= response.status < 400:
            raise self._redirected(response.status, headers)
        if response.status == 405 and not self.method and self.wrapper is None:
            self.method.append("GET")
            raise _Again("does not take POST", retries=1)
        if not good:
            raise self._refusal(response.status, headers, body[:most].decode("utf-8", "replace"))
        if len(body) > most:
            what = f"sent more than {most >> 20} MiB, which is more than this client takes"
            raise self.failure(what, fix="add a LIMIT to the query")
        media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        return ServiceReply(media_type, bytes(body), headers)

    def _redirected(self, status: int, headers: Mapping[str, str]) -> BackendError:
        try:
            to = public_url(urljoin(self.url, headers.get("location", "")))
        except ValueError:
            to = "a malformed address"
        fix = "check the address; if you trust the target, give that address instead"
        return self.failure(
            f"redirects to {to} (HTTP {status}), and queries are not forwarded",
            fix=fix,
        )

    def _late(self, seconds: float) -> BackendError:
        fix = "ask a narrower query, add a LIMIT, or give it a longer timeout"
        return self.failure(f"gave no answer within {seconds:g} s", fix=fix)

    def _refusal(self, status: int, headers: Mapping[str, str], body: str) -> Exception:
        shown = " ".join(re.sub(r"<[^>]*>", " ", body).split())
        if status in BUSY:
            fix = "try again later, or ask less often"
            asked, refused = retry_after(headers), status in (429, 503)
            return _Again(
                f"is busy (HTTP {status})", asked=asked, body=body, fix=fix, refused=refused
            )
        if status == 400:
            place = re.search(
                r"(?:line|at)\s*:?\s*(\d+)(?:\s*,?\s*col(?:umn)?\s*:?\s*|:)(\d+)", shown
            )
            line = re.search(r"\bline (\d+)", shown)  # all that Virtuoso says
            where = f"SPARQL query, line {place[1]}, column {place[2]}" if place else "SPARQL query"
            where += f", line {line[1]}" if line and not place else ""
            return DataError(
                f"{self.service} calls the query malformed: {self._clean(shown, 300)}",
                where=where,
                fix="correct the query",
                details=self._clean(body, 2000),
            )
        fixes = {
            401: self._what_it_wants(headers),
            403: "the service does not allow you to do this; where it wants a key: --auth env:NAME, or "
            "--header NAME=env:VAR",
            404: "check the path of the address",
            405: "the service takes neither POST nor GET at this address: check its path",
            413: "make the query shorter",
            414: "make the query shorter",
        }
        return self.failure(
            f"answered HTTP {status}: {shown}", body, fix=fixes.get(status, "see the details")
        )

    def _what_it_wants(self, headers: Mapping[str, str]) -> str:
        """How to say who asks, after a service refused to answer without (or with) that."""
        challenge = headers.get("www-authenticate", "").split()
        scheme = challenge[0].strip(",") if challenge else ""
        if self._login[0] or self.authorization:
            named = f" ({scheme} authentication)" if scheme else ""
            return (
                f"the service does not accept this user and password, or token{named}: check them"
            )
        return (
            "give the user and password (--user, --auth env:NAME), the token (--auth env:NAME) or "
            "the header (--header NAME=env:VAR) that the service wants"
            + (f": {scheme}" if scheme else "")
        )


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
        super().__init__(context=self._trusted)

    def https_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_SecureConnection, request, context=self._trusted)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class _Digest(urllib.request.HTTPDigestAuthHandler):
    """Answers a service that asks for a digest of user and password (RFC 7616), as Virtuoso does at
    /sparql-auth.
    """

    def __init__(self, login: tuple[str, str]) -> None:
        super().__init__(_OneLogin(login) if login[0] else None)
        self._known = bool(login[0])

    def http_error_401(self, request: Any, file: Any, code: int, message: str, headers: Any) -> Any:
        offered = [
            value
            for value in headers.get_all("www-authenticate", [])
            if value.strip().lower().startswith("digest")
        ]
        tried = str(request.get_header("Authorization", "")).startswith("Digest")
        if tried or not (offered and self._known):
            return None  # refused, or another scheme, for which the header was sent already
        challenge: Any = {"www-authenticate": offered[0]}
        return super().http_error_401(request, file, code, message, challenge)


class _OneLogin(urllib.request.HTTPPasswordMgr):
    """The same user and password for every realm of the one service that is asked."""

    def __init__(self, login: tuple[str, str]) -> None:
        super().__init__()
        self._one = login

    def find_user_password(self, *_: Any) -> tuple[str | None, str | None]:
        return self._one


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


@dataclass(eq=False)
class _Again(Exception):
    """A failure that may pass: busy, unreachable or cut off."""

    what: str
    asked: float | None = None  # seconds that the service asks to be left alone
    body: str = ""
    fix: str = ""
    retries: int = 1_000
    refused: bool = False  # nothing was done


def harmless(text: str, most: int) -> str:
    """The text on one line, without control and text-direction characters, cut to ``most``
    characters.
    """
    line = " ".join(_CONTROL.sub(" ", text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def public_url(url: str) -> str:
    """The URL without user, password, query and fragment.

    >>> public_url("https://me:secret@endpoint.example/sparql?key=1")
    'https://endpoint.example/sparql'
    """
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
