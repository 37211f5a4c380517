"""A server that speaks OpenAI's protocol: one bounded call at a time, and every failure as a value.

Chat models and embedders build on it; ``openai`` stays in this file.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from kgnb.errors import ConfigError, shown
from kgnb.network import Transport
from kgnb.patience import may_pass, retry_after
from kgnb.secret import SHORTEST, Secret

OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True)
class ServerRefusal:
    """One call that was not answered as it should be."""

    status: int  # 0: there was no answer
    message: str
    body: Any = None  # the error's JSON, if there was one
    headers: Mapping[str, str] | None = None
    late: bool = False  # the server took the call and did not answer in time

    @property
    def error(self) -> Mapping[str, Any]:
        """The error's fields, whether they come as ``{"error": {...}}`` or bare."""
        inner = self.body.get("error", self.body) if isinstance(self.body, Mapping) else None
        return inner if isinstance(inner, Mapping) else {}

    @property
    def code(self) -> str:
        """The error's code and type."""
        return f"{self.error.get('code') or ''} {self.error.get('type') or ''}"

    @property
    def passing(self) -> bool:
        """Whether the same call may succeed later."""
        if (
            "insufficient_quota" in self.code
            or (self.headers or {}).get("x-should-retry") == "false"
        ):
            return False
        # 0 is no answer, 200 one that cannot be read
        return self.status in (0, 200) or may_pass(self.status)

    @property
    def retry_after(self) -> float | None:
        """Seconds that the server asked to be left alone."""
        return retry_after(self.headers or {})


class OpenAIServer:
    """Calls a server by the ``openai`` client, which is imported at the first call.

    ``timeout`` is for a whole call. No answer may be longer than 64 MiB or come compressed, for it
    may unpack to any length. Redirects are not followed, since they would take the texts elsewhere.
    ``table`` is the table of kgnb.toml that holds the settings of this server.

    Raises:
        ConfigError: there is no key for OpenAI's own server, the URL is wrong, or no header can
            hold the key.
    """

    def __init__(
        self,
        base_url: str | None,
        api_key: str | Secret | None,
        *,
        table: str,
        timeout: float,
        headers: Mapping[str, Secret] | None = None,
        api_version: str = "",
    ) -> None:
        self.base_url = (base_url or OPENAI).rstrip("/")
        self._table = table
        self._key = self._checked_key(api_key, required=self.base_url == OPENAI)
        self.service = self._without_credentials()
        self._timeout = timeout
        self._headers = (
            {"api-key": self._key} if api_version else {}
        )  # Azure's deployments want it there
        self._headers |= {
            name: self._checked_key(value) for name, value in (headers or {}).items() if value
        }
        self._api_version = api_version
        self._client: Any = None
        self._opening = threading.Lock()

    def call(self, work: Callable[[Any], Any]) -> Any:
        """What ``work`` makes of the client, or a Refusal; none of the library's errors, for they
        may quote the key.
        """
        client = self._opened()
        import openai

        try:
            return work(client)
        except openai.APIStatusError as error:
            headers = {name.lower(): value for name, value in error.response.headers.items()}
            message = error_text(error.body) or f"HTTP status {error.status_code}"
            if 300 <= error.status_code < 400:
                message = f"it redirects to {headers.get('location', 'another place')}, which is not followed"
            return ServerRefusal(error.status_code, self.clean(message), error.body, headers)
        except openai.APITimeoutError:
            return ServerRefusal(0, f"no answer within {self._timeout:g} s", late=True)
        except openai.APIConnectionError as error:
            return ServerRefusal(0, self.clean(f"no connection: {error.__cause__ or error}"))
        except openai.OpenAIError as error:
            return ServerRefusal(0, self.clean(f"the reply broke off: {error}"))
        except (ValueError, RecursionError) as error:  # broken JSON, bytes that are not text
            return ServerRefusal(200, self.clean(f"the answer is not what was asked for: {error}"))

    def clean(self, text: str) -> str:
        """A server's text without the key, fit to be shown."""
        for secret in (self._key, *self._headers.values()):
            if len(secret) >= SHORTEST:
                text = text.replace(secret, "***")
            elif secret == self._key:
                # a key such as "x" for a local server is a word of its own, no letter of others
                text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "***", text)
        return shown(text)

    def misconfigured(self, got: ServerRefusal, name: str) -> ConfigError | None:
        """The error of a refusal that only another setting can mend; None for any other refusal."""
        where = f"{self.service} (model {name})"
        if got.status in (401, 403):
            named = f'{self._table}.key = "env:NAME" in kgnb.toml'
            if self._table == "model":
                named = (
                    f"%llm use MODEL --key env:NAME in a notebook, {named}, or KGNB_KEY=env:NAME"
                )
            return ConfigError(
                f"{where} refused the key with {got.status}: {got.message}",
                fix=f"Name the variable that holds a valid key: {named}.",
            )
        if got.status == 404:
            return ConfigError(
                f"{where} is not there: {got.message}",
                fix=f"Check the model's name, and that {self._table}.base_url ends as the server's manual says "
                "(often /v1).",
            )
        return None

    def _opened(self) -> Any:
        with self._opening:
            if self._client is None:
                import openai  # takes a second or two

                transport: Any = Transport(self.base_url)
                client = openai.DefaultHttpxClient(
                    transport=transport, trust_env=False, follow_redirects=False
                )
                self._client = openai.OpenAI(
                    api_key=self._key,
                    base_url=self.base_url,
                    timeout=self._timeout,
                    max_retries=0,
                    http_client=client,
                    default_headers={"Accept-Encoding": "identity", **self._headers},
                    default_query={"api-version": self._api_version} if self._api_version else None,
                )
                if self.base_url != OPENAI:  # from the environment, and no other server's business
                    self._client.organization = self._client.project = None
            return self._client

    def _checked_key(self, api_key: str | Secret | None, *, required: bool = False) -> str:
        key = (api_key.reveal() if isinstance(api_key, Secret) else api_key or "").strip()
        if not key and required:
            raise ConfigError(
                "OpenAI's server needs a key",
                fix="Set the variable OPENAI_API_KEY, or name another: %llm use MODEL --key env:NAME in a notebook, "
                f'{self._table}.key = "env:NAME" in kgnb.toml. Another server: {self._table}.base_url.',
            )
        if not (
            key.isascii() and key.isprintable()
        ):  # a header cannot hold it, and the error would show it
            raise ConfigError(
                "the API key or a header holds characters that are not allowed",
                fix="Copy it again into its variable.",
            )
        return key or "none"  # the client wants one, local servers do not

    def _without_credentials(self) -> str:
        try:
            parts = urlsplit(self.base_url)
            valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            valid = False
        if not valid or parts.query or parts.fragment:
            variable = "; see $KGNB_BASE_URL" if self._table == "model" else ""
            raise ConfigError(
                f"{self._table}.base_url is not the URL of a server",
                fix=f"It looks like http://127.0.0.1:8080/v1{variable}.",
            )
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def error_text(body: Any) -> str:
    """The message in an error's JSON, whichever of the usual places it is in; "" if there is none."""
    for _ in range(4):
        if isinstance(body, str):
            return body
        if not isinstance(body, Mapping):
            return ""
        body = next(
            (body[key] for key in ("error", "message", "detail", "msg") if body.get(key)), ""
        )
    return ""
