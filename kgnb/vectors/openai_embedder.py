"""Embeddings from any OpenAI-compatible server; ``openai`` stays in this file."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from kgnb.errors import BackendError, ConfigError, KgnbError
from kgnb.patience import BUSY, Patience, on_this_machine, retry_after
from kgnb.vectors.embedder import Vectors

OPENAI = "https://api.openai.com/v1"
_LETTERS_A_REQUEST = 100_000  # OpenAI takes 300,000 tokens in one request; a letter of a rare script is up to three


@dataclass(frozen=True, slots=True)
class EmbeddingUsage:
    """What was asked of the server so far: requests (retries included) and the tokens it counted."""

    requests: int = 0
    tokens: int = 0


class OpenAIEmbedder:
    """Asks ``base_url`` (OpenAI's own by default) for vectors of ``model``, some texts a request.

    Servers that are busy (429, 5xx, no connection) are asked again as ``patience`` has it, after the pause they want.
    ``dimensions`` asks for shorter vectors where the model has such; unasked, their length is learnt from the first
    reply. A name stands for one model everywhere: the same model on two servers shares cached vectors.

    Raises:
        ConfigError: no key for the default server, a bad URL; and on embedding, 401, 403 and 404.
        BackendError: the server failed for good, or its reply holds no vectors.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        dimensions: int | None = None,
        batch_size: int = 128,
        timeout: float = 60.0,
        patience: Patience | None = None,
    ) -> None:
        if not model:
            raise ConfigError("The embedding model has no name.", fix="Say --embedder openai:MODEL.")
        if batch_size < 1 or (dimensions is not None and dimensions < 1):
            raise ValueError(f"batch_size ({batch_size}) and dimensions ({dimensions}) must be at least 1")
        self._model = model
        self._url = (base_url or OPENAI).rstrip("/")
        self._key = _checked(self._url, api_key)
        self._asked_dimensions = dimensions
        self._dimensions = dimensions
        self._batch_size = batch_size
        self._timeout = timeout
        self._patience = patience or Patience()
        self._client: Any = None
        self._usage = EmbeddingUsage()
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._model!r}, base_url={self._url!r})"

    @property
    def name(self) -> str:
        """``openai:<model>``, and the dimensions where some were asked for."""
        return f"openai:{self._model}" + (f":{self._asked_dimensions}" if self._asked_dimensions else "")

    @property
    def dimensions(self) -> int:
        """The length of a vector; asks the server for one if nothing is embedded yet."""
        if self._dimensions is None:
            self.embed(["dimensions"])
        assert self._dimensions is not None  # embed sets it or raises
        return self._dimensions

    @property
    def usage(self) -> EmbeddingUsage:
        """What was asked so far."""
        return self._usage

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length float32 row a text, in order; a blank text gives a zero row (and is not sent)."""
        filled = [position for position, text in enumerate(texts) if text.strip()]
        rows = [self._request(batch) for batch in self._batches([texts[position] for position in filled])]
        vectors = np.zeros((len(texts), self.dimensions if texts else self._dimensions or 0), dtype=np.float32)
        if rows:
            vectors[filled] = np.concatenate(rows)
        return vectors

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        letters = 0
        for text in texts:
            text = text.encode("utf-8", "replace").decode("utf-8")
            if batch and (len(batch) == self._batch_size or letters + len(text) > _LETTERS_A_REQUEST):
                yield batch
                batch, letters = [], 0
            batch.append(text)
            letters += len(text)
        if batch:
            yield batch

    def _request(self, batch: list[str]) -> Vectors:
        """The vectors of one request, asked until they come or patience ends."""
        import openai

        client = self._opened()
        extra = {} if self._asked_dimensions is None else {"dimensions": self._asked_dimensions}
        tried = 1
        while True:
            self._count(requests=1)
            # The library's errors may quote the key, so none is let out as a cause.
            try:
                reply = client.embeddings.create(model=self._model, input=batch, encoding_format="float", **extra)
                return self._rows(reply, len(batch))
            except openai.APIStatusError as error:
                again = error.status_code in BUSY and error.code != "insufficient_quota"
                failure = self._refused(error.status_code, error.message)
                asked = retry_after(error.response.headers)
            except openai.APIConnectionError as error:  # a timeout is one, too
                again, asked = True, None
                failure = self._failed(f"cannot be reached ({type(error).__name__})", str(error.__cause__ or error))
            except (openai.OpenAIError, ValueError) as error:
                again, asked = False, None
                failure = self._failed("answered with something unreadable", str(error))
            if not (again and self._patience.pause(tried, asked)):
                raise failure from None
            tried += 1

    def _rows(self, reply: Any, expected: int) -> Vectors:
        """The reply's vectors in the order of the texts; ValueError if it is not such a reply."""
        data = getattr(reply, "data", None)
        if not isinstance(data, list) or len(data) != expected:
            raise ValueError(f"{expected} texts were sent, and the reply holds no list of as many vectors")
        try:
            if sorted(item.index for item in data) != list(range(expected)):
                raise ValueError("the reply's vectors are not numbered like the texts")
            rows = np.array([item.embedding for item in sorted(data, key=lambda item: item.index)], dtype=np.float64)
        except (TypeError, AttributeError) as error:
            raise ValueError(f"the reply holds something that is not a vector: {error}") from error
        lengths = np.linalg.norm(rows, axis=1, keepdims=True) if rows.ndim == 2 else np.zeros(1)
        if rows.ndim != 2 or not np.isfinite(lengths).all() or not (lengths > 0).all():
            raise ValueError("the reply holds a vector that is empty, zero or not finite")
        if rows.shape[1] != (self._dimensions or rows.shape[1]):
            raise ValueError(f"vectors of {self._dimensions} dimensions were due, {rows.shape[1]} came")
        self._dimensions = rows.shape[1]
        tokens = getattr(getattr(reply, "usage", None), "total_tokens", None)
        self._count(tokens=tokens if isinstance(tokens, int) else 0)
        vectors: Vectors = (rows / lengths).astype(np.float32)
        return vectors

    def _opened(self) -> Any:
        """The client; imported on first use, as that takes a second or two."""
        with self._lock:
            if self._client is None:
                from openai import DefaultHttpxClient
                from openai import OpenAI as Client

                # A redirect would take the texts elsewhere.
                own = DefaultHttpxClient(trust_env=not on_this_machine(self._url), follow_redirects=False)
                self._client = Client(
                    api_key=self._key or "none",  # the client wants one, local servers do not
                    base_url=self._url,
                    timeout=self._timeout,
                    max_retries=0,
                    http_client=own,
                )
                if self._url != OPENAI:  # read from the environment, and no business of another server
                    self._client.organization = self._client.project = None
            return self._client

    def _count(self, *, requests: int = 0, tokens: int = 0) -> None:
        with self._lock:
            self._usage = EmbeddingUsage(self._usage.requests + requests, self._usage.tokens + tokens)

    def _refused(self, status: int, message: str) -> KgnbError:
        if status in (401, 403):
            return ConfigError(
                f"The embedding server {self._url} refused the key (HTTP {status}).",
                fix='Set vectors.key = "env:NAME" in kgnb.toml, where $NAME holds a valid key.',
                details=self._clean(message),
            )
        if status == 404:
            return ConfigError(
                f"The embedding server {self._url} knows no model {self._model!r}, or is no such server (HTTP 404).",
                fix="Check the model's name, and that vectors.base_url ends as the server's manual has it (often /v1).",
                details=self._clean(message),
            )
        return self._failed(f"answered with HTTP {status}", message)

    def _failed(self, what: str, details: str) -> BackendError:
        return BackendError(
            f"The embedding server {self._url} {what}: {self._clean(details)}",
            service=self._url,
            fix="What was embedded before is kept: run again once the server is well.",
            details=self._clean(details, 2000),
        )

    def _clean(self, text: str, length: int = 200) -> str:
        """A server's words, fit to be shown: without the key and control characters, and not too many."""
        text = text.replace(self._key, "***") if self._key else text
        return "".join(letter if letter.isprintable() else " " for letter in text)[:length]


def _checked(url: str, api_key: str | None) -> str:
    """The key, if key and URL can be used: "" where the server needs none."""
    key = (api_key or "").strip()
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError(
            "The URL of the embedding server (vectors.base_url) is none, or holds a user, password or query.",
            fix='It looks like http://127.0.0.1:8080/v1; a key is named in vectors.key = "env:NAME".',
        )
    if not key and url == OPENAI:
        raise ConfigError(
            "OpenAI's embedding server needs a key.",
            fix='Set vectors.key = "env:OPENAI_API_KEY" in kgnb.toml (and that variable), or another vectors.base_url.',
        )
    if not (key.isascii() and key.isprintable()):  # a header cannot hold it, and the error would show it
        raise ConfigError("The API key holds characters that no key has.", fix="Copy it again into its variable.")
    return key
