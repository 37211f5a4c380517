"""One question to an open database over HTTP: paced, repeated while it is busy, and its answer as
JSON.
"""

from __future__ import annotations

import urllib.request
from dataclasses import dataclass, field
from typing import Any

from kgnb.errors import BackendError, shown
from kgnb.files import from_json
from kgnb.kg.endpoint_wire import AGENT, courtesy_towards
from kgnb.network import ConnectionFault, HttpAnswer, exchange, open_network
from kgnb.patience import BUSY, Patience, TryAgain, retry_after

SECONDS = 30.0
MOST_BYTES = 4_000_000
"""Of one answer; a thousand entries of the Crystallography Open Database take about half."""


@dataclass(frozen=True)
class JsonService:
    """A database that answers in JSON."""

    name: str
    patience: Patience = field(default_factory=lambda: Patience(tries=3, longest=10.0))

    def answer(self, url: str, form: bytes | None = None) -> Any:
        """What it answers; None where it says that there is nothing (404).

        Raises:
            ValueError: no answer can be used; says why, for the model that asked.
        """
        try:
            got = self.patience.repeat(lambda: self._once(url, form))
        except BackendError as error:
            raise ValueError(error.what) from error
        if got.status == 404:
            return None
        if not got.good:
            page = shown(got.body.decode("utf-8", "replace"))
            raise ValueError(f"{self.name} answered HTTP {got.status}: {page}")
        if got.cut:
            raise ValueError(f"{self.name} knows too many of these: ask for something narrower")
        try:
            answer = from_json(got.body)
        except ValueError as error:
            raise ValueError(f"{self.name} did not answer in JSON") from error
        if answer is None:
            raise ValueError(f"{self.name} answered null, which says nothing")
        return answer

    def _once(self, url: str, form: bytes | None) -> HttpAnswer:
        courtesy_towards(url).wait()
        request = urllib.request.Request(url, form, {"User-Agent": AGENT})
        try:
            got = exchange(open_network(url), request, SECONDS, MOST_BYTES)
        except (ConnectionFault, TimeoutError, ValueError) as error:
            raise BackendError(f"{self.name} {error}", service=self.name) from error
        if got.status in BUSY:
            busy = f"{self.name} is busy (HTTP {got.status})"
            raise TryAgain(
                lambda tried: BackendError(busy, service=self.name), asked=retry_after(got.headers)
            )
        return got
