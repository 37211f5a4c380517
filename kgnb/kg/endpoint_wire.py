"""One SPARQL request (SPARQL 1.1 Protocol): SPARQLWrapper words it, this sends it, retries it,
unpacks the answer and puts failures in plain words.

SPARQLWrapper alone has no limit of time or size for a whole answer, asks once, follows redirects
with the credentials and does not unpack gzip: its request is sent through an opener of our own.
"""

from __future__ import annotations

import base64
import copy
import ipaddress
import re
import threading
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from importlib import metadata
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urljoin, urlsplit, urlunsplit

from kgnb.errors import BackendError, DataError
from kgnb.network import ConnectionFault, HttpAnswer, exchange, open_network
from kgnb.patience import BUSY, Patience, TryAgain, retry_after
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


_NO_METHOD = "the service takes neither POST nor GET at this address: check its path"


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
        return self.patience.repeat(lambda: self._once(text, rdf, update, seconds, repeatable))

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
    def _network(self) -> urllib.request.OpenerDirector:
        try:
            return open_network(self.url, _Digest(self._login))
        except ValueError as error:
            fix = "correct $ALL_PROXY, $HTTP_PROXY or $HTTPS_PROXY, or unset it"
            raise self.failure(f"cannot be asked through {error}", fix=fix) from error

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

    def _once(
        self, text: str, rdf: bool, update: bool, seconds: float, repeatable: bool
    ) -> ServiceReply:
        self.courtesy.wait()
        try:
            request = self._request(text, rdf, update)
        except ValueError as error:
            raise self.failure(f"cannot be asked: {error}", fix="check the address") from error
        try:
            answer = exchange(self._network, request, seconds, self.most_bytes)
        except TimeoutError as error:
            fix = "ask a narrower query, add a LIMIT, or give it a longer timeout"
            raise self.failure(f"gave no answer within {seconds:g} s", fix=fix) from error
        except ConnectionFault as fault:
            reached = "try again later"
            fix = reached if fault.reached else "check the address, and whether the service runs"
            # one more try for a service that restarts, without keeping a person waiting
            tries = (None if fault.reached else 2) if repeatable else 1
            raise self._again(str(fault), fix=fix, tries=tries) from fault
        return self._answer(answer, repeatable)

    def _again(
        self, what: str, body: str = "", *, fix: str, asked: float | None = None, tries: int | None
    ) -> TryAgain:
        def given_up(tried: int) -> BackendError:
            if asked is not None and asked > self.patience.longest:
                hours, wait = asked / 3600, f"{asked:.0f} seconds"
                wait = f"{hours:.0f} hours" if hours >= 2 else wait
                text = f"{what} and asks to be left alone for {wait}"
                return self.failure(text, body, fix="ask again after that")
            return self.failure(f"{what} ({tried} tries)", body, fix=fix)

        return TryAgain(given_up, asked=asked, tries=tries)

    def _answer(self, answer: HttpAnswer, repeatable: bool) -> ServiceReply:
        status, headers = answer.status, answer.headers
        if 300 <= status < 400:
            raise self._redirected(status, headers)
        if status in (405, 501) and not self.method and self.wrapper is None:
            self.method.append("GET")
            raise self._again("does not take POST", fix="", tries=2)
        if not answer.good:
            body = answer.body.decode("utf-8", "replace")
            raise self._refusal(status, headers, body, repeatable)
        if answer.cut:
            what = (
                f"sent more than {self.most_bytes >> 20} MiB, which is more than this client takes"
            )
            raise self.failure(what, fix="add a LIMIT to the query")
        kind, _, more = headers.get("content-type", "").lower().partition(";")
        media_type, content = kind.strip(), answer.body
        charset = re.search(r'charset="?([\w.-]+)', more)
        if charset and media_type in ("text/csv", "text/tab-separated-values", "text/plain"):
            with suppress(LookupError, UnicodeError):
                content = content.decode(charset[1]).encode()
        return ServiceReply(media_type, content, headers)

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

    def _refusal(
        self, status: int, headers: Mapping[str, str], body: str, repeatable: bool
    ) -> Exception:
        shown = " ".join(re.sub(r"<[^>]*>", " ", body).split())
        if status in BUSY:
            # after these two nothing was done
            tries = None if repeatable or status in (429, 503) else 1
            what, fix = f"is busy (HTTP {status})", "try again later, or ask less often"
            return self._again(what, body, fix=fix, asked=retry_after(headers), tries=tries)
        if status == 400:
            place = re.search(
                r"(?:line|at)\s*:?\s*(\d+)(?:\s*,?\s*col(?:umn)?\s*:?\s*|:)(\d+)", shown
            )
            line = re.search(r"\bline (\d+)", shown)  # all that Virtuoso says
            where = f"SPARQL query, line {line[1]}" if line else "SPARQL query"
            where = f"SPARQL query, line {place[1]}, column {place[2]}" if place else where
            return DataError(
                f"{self.service} calls the query malformed: {self._clean(shown, 300)}",
                where=where,
                # Virtuoso has none for updates
                fix="name a graph: --graph IRI"
                if "default graph" in shown
                else "correct the query",
                details=self._clean(body, 2000),
            )
        fixes = {
            401: self._what_it_wants(headers),
            403: "the service does not allow you to do this; where it wants a key: --auth env:NAME, or "
            "--header NAME=env:VAR",
            404: "check the path of the address",
            405: _NO_METHOD,
            501: _NO_METHOD,
            413: "make the query shorter",
            414: "make the query shorter",
        }
        return self.failure(
            f"answered HTTP {status}: {shown}",
            body,
            fix=fixes.get(
                status, "check the address, or try again later; the details hold what it sent"
            ),
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


class _Digest(urllib.request.HTTPDigestAuthHandler):
    """Answers a service that asks for a digest of user and password (RFC 7616), as Virtuoso does at
    /sparql-auth.
    """

    def __init__(self, login: tuple[str, str]) -> None:
        super().__init__(_OneLogin(login) if login[0] else None)
        self._known = bool(login[0])

    def http_error_401(self, request: Any, file: Any, code: int, message: str, headers: Any) -> Any:
        asked = headers.get_all("www-authenticate", [])
        if not asked and request.headers.pop("Authorization", "").startswith("Basic"):
            # Virtuoso asks for a digest only where nothing was sent
            return self.parent.open(request, timeout=request.timeout)
        offered = [value for value in asked if value.strip().lower().startswith("digest")]
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
