"""One SPARQL request (SPARQL 1.1 Protocol, by POST): sent, retried, unpacked, its failures put in
plain words.
"""

from __future__ import annotations

import base64
import ipaddress
import re
import ssl
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import metadata
from itertools import count
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urljoin, urlsplit, urlunsplit

from kgnb.errors import BackendError, DataError
from kgnb.openai_server import Bounds
from kgnb.patience import Patience, on_this_machine, retry_after
from kgnb.secret import HIDDEN, blot_forms

if TYPE_CHECKING:
    import httpx

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


_RESULTS = "application/sparql-results+json, application/json;q=0.9"
_RDF = "text/turtle, application/n-triples;q=0.9, application/x-turtle;q=0.8"
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
        for secret in sorted(
            (self.authorization, coded, login, *self.headers.values(), *keys), key=len
        )[::-1]:
            if len(secret) > 3:
                text = text.replace(secret, "***")
        return harmless(text, most)

    @cached_property
    def _bounds(self) -> Bounds:
        return Bounds()

    @cached_property
    def _client(self) -> httpx.Client:
        """Redirects are not followed: the query would go elsewhere, or become a GET without its
        text.
        """
        import httpx  # slow to import

        try:
            client = httpx.Client(
                verify=ssl.create_default_context(),
                trust_env=not on_this_machine(self.url),
                limits=httpx.Limits(max_keepalive_connections=0),
            )
        except (
            ImportError,
            ValueError,
        ) as error:  # socks needs a package more; an address that is none
            what = f"cannot be asked through the proxy that the environment names: {error}"
            raise self.failure(
                what, fix="correct $ALL_PROXY, $HTTP_PROXY or $HTTPS_PROXY, or unset it"
            ) from error
        self._bounds.around(client)
        return client

    def _once(self, text: str, rdf: bool, update: bool, seconds: float) -> ServiceReply:
        import httpx

        self.courtesy.wait()
        form = {**self.parameters, "update" if update else "query": text}
        accept = "*/*" if update else _RDF if rdf else _RESULTS
        headers = {"Accept": accept, "Accept-Encoding": "gzip", "User-Agent": AGENT, **self.headers}
        if self.authorization:
            headers["Authorization"] = self.authorization
        try:
            with (
                self._bounds.of(seconds, sys.maxsize),
                self._client.stream(
                    "POST", self.url, data=form, headers=headers, timeout=seconds
                ) as response,
            ):
                return self._answer(response, seconds)
        except httpx.TimeoutException as error:
            raise self._late(seconds) from error
        except (httpx.ConnectError, httpx.ProxyError, httpx.InvalidURL) as error:
            fix = "check the address, and whether the service runs"
            # one more try for a service that restarts, without keeping a person waiting
            raise _Again(f"cannot be reached: {error}", fix=fix, retries=1) from error
        except httpx.DecodingError as error:
            raise _Again("sent damaged gzip data", fix="try again later") from error
        except httpx.TransportError as error:
            raise _Again(
                f"broke the connection off: {error or type(error).__name__}", fix="try again later"
            ) from error

    def _answer(self, response: httpx.Response, seconds: float) -> ServiceReply:
        """The whole body, read in pieces, so that a service that sends without an end is given up
        in time.
        """
        end, body = time.monotonic() + seconds, bytearray()
        most = self.most_bytes if response.is_success else 65536
        for piece in response.iter_bytes():
            body += piece
            if time.monotonic() > end:
                raise self._late(seconds)
            if len(body) > most:
                break
        if response.is_redirect:
            raise self._redirected(response)
        if not response.is_success:
            raise self._refusal(response, body[:most].decode("utf-8", "replace"))
        if len(body) > most:
            what = f"sent more than {most >> 20} MiB, which is more than this client takes"
            raise self.failure(what, fix="add a LIMIT to the query")
        media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        return ServiceReply(media_type, bytes(body), response.headers)

    def _redirected(self, response: httpx.Response) -> BackendError:
        try:
            to = public_url(urljoin(self.url, response.headers.get("location", "")))
        except ValueError:
            to = "a malformed address"
        fix = "check the address; if you trust the target, give that address instead"
        return self.failure(
            f"redirects to {to} (HTTP {response.status_code}), and queries are not forwarded",
            fix=fix,
        )

    def _late(self, seconds: float) -> BackendError:
        fix = "ask a narrower query, add a LIMIT, or give it a longer timeout"
        return self.failure(f"gave no answer within {seconds:g} s", fix=fix)

    def _refusal(self, response: httpx.Response, body: str) -> Exception:
        status = response.status_code
        shown = " ".join(re.sub(r"<[^>]*>", " ", body).split())
        if status in BUSY:
            fix = "try again later, or ask less often"
            asked, refused = retry_after(response.headers), status in (429, 503)
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
            401: "give the user and password, or the token, that the service wants",
            403: "the service does not allow you to do this",
            404: "check the path of the address",
            405: "the service does not take POST at this address: check its path",
            413: "make the query shorter",
            414: "make the query shorter",
        }
        return self.failure(
            f"answered HTTP {status}: {shown}", body, fix=fixes.get(status, "see the details")
        )


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
