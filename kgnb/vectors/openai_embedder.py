"""Embeddings from any OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from kgnb.errors import BackendError, ConfigError, KgnbError
from kgnb.files import from_json
from kgnb.openai_server import OpenAIServer, ServerRefusal
from kgnb.patience import Patience, TryAgain
from kgnb.vectors.embedder import Vectors

_TIMEOUT = 300.0  # seconds in all: on the processor of a laptop a full request takes minutes
_TEXTS_A_REQUEST = 128
_LETTERS_A_REQUEST = (
    100_000  # OpenAI takes 300,000 tokens in one request; a letter of a rare script is up to three
)


class OpenAIEmbedder:
    """Asks ``base_url`` (OpenAI's own server by default) for vectors of ``model``, several texts
    per request.

    Busy servers (429, 5xx, no connection) are asked again according to ``patience``, after the
    pause they ask for. The length of vectors follows from the first reply. A name means the same
    model everywhere: the same model on two servers shares cached vectors.

    Raises:
        ConfigError: there is no key for OpenAI's own server, or the URL is wrong; on embedding, for
            401, 403 and 404.
        BackendError: the server failed for good, or its reply holds no vectors.
    """

    paid = True  # asking it again may cost money

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        patience: Patience | None = None,
    ) -> None:
        if not model:
            raise ConfigError(
                "The embedding model has no name.", fix="Say --embedder openai:MODEL."
            )
        self._model = model
        self._server = OpenAIServer(base_url, api_key, table="vectors", timeout=_TIMEOUT)
        self._dimensions: int | None = None  # known once something is embedded
        self._patience = patience or Patience()

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._model!r}, base_url={self._server.service!r})"

    @property
    def name(self) -> str:
        """``openai:<model>``."""
        return f"openai:{self._model}"

    @property
    def dimensions(self) -> int:
        """The length of a vector; asks the server for one if nothing is embedded yet."""
        if self._dimensions is None:
            self.embed(["dimensions"])
        assert self._dimensions is not None  # embed sets it or raises
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length float32 row per text, in order; a blank text gives a zero row (and is not
        sent).
        """
        filled = [position for position, text in enumerate(texts) if text.strip()]
        rows = [
            self._embedded(batch)
            for batch in self._batches([texts[position] for position in filled])
        ]
        vectors = np.zeros(
            (len(texts), self.dimensions if texts else self._dimensions or 0), dtype=np.float32
        )
        if rows:
            vectors[filled] = np.concatenate(rows)
        return vectors

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        letters = 0
        for text in texts:
            text = text.encode("utf-8", "replace").decode("utf-8")
            if batch and (
                len(batch) == _TEXTS_A_REQUEST or letters + len(text) > _LETTERS_A_REQUEST
            ):
                yield batch
                batch, letters = [], 0
            batch.append(text)
            letters += len(text)
        if batch:
            yield batch

    def _embedded(self, batch: list[str]) -> Vectors:
        """The vectors of one request, asked for until they come or patience ends."""
        body: dict[str, Any] = {"model": self._model, "input": batch, "encoding_format": "float"}
        create: Callable[[Any], Any] = lambda client: client.embeddings.with_raw_response.create(  # noqa: E731
            **body
        )

        def once() -> Vectors:
            got = self._server.call(lambda c: self._rows(from_json(create(c).text), len(batch)))
            if not isinstance(got, ServerRefusal):
                vectors: Vectors = got
                return vectors
            again = TryAgain(lambda tried: self._failure(got), asked=got.retry_after)
            raise again if got.passing and got.status != 200 else self._failure(got)

        return self._patience.repeat(once)

    def _failure(self, got: ServerRefusal) -> KgnbError:
        service = self._server.service
        happened = f"answered {got.status}" if got.status else "cannot be reached"
        return self._server.misconfigured(got, self._model) or BackendError(
            f"The embedding server {service} {happened}: {got.message}",
            service=service,
            fix="What was embedded before is cached: run again once the server is well.",
        )

    def _rows(self, reply: Any, expected: int) -> Vectors:
        """The reply's vectors in the order of the texts; ValueError if it is not such a reply."""
        try:
            data = sorted(reply["data"], key=lambda item: item["index"])
            if [item["index"] for item in data] != list(range(expected)):
                raise ValueError(
                    f"{expected} texts were sent, and its vectors are not numbered like them"
                )
            rows = np.array([item["embedding"] for item in data], dtype=np.float64)
        except (TypeError, AttributeError, LookupError) as error:
            raise ValueError(f"it holds something that is not a vector: {error}") from error
        lengths = np.linalg.norm(rows, axis=1, keepdims=True) if rows.ndim == 2 else np.zeros(1)
        if rows.ndim != 2 or not np.isfinite(lengths).all() or not (lengths > 0).all():
            raise ValueError("it holds a vector that is empty, zero or not finite")
        if rows.shape[1] != (self._dimensions or rows.shape[1]):
            raise ValueError(
                f"vectors of {self._dimensions} dimensions were due, {rows.shape[1]} came"
            )
        self._dimensions = rows.shape[1]
        vectors: Vectors = (rows / lengths).astype(np.float32)
        return vectors
