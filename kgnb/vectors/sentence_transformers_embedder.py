"""Embeddings from any sentence-transformers model (the extra ``kgnb[sentence-transformers]``)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kgnb.errors import ConfigError
from kgnb.vectors.embedder import Vectors


class SentenceTransformersEmbedder:
    """Embeds with a model by its hub name or its folder; the library fetches the weights of a hub model itself.

    ``prompt`` goes in front of every text, for models that want one ("passage: "). A model in a folder is named by the
    folder's last part: give two models two folder names.
    """

    def __init__(self, model: str, *, prompt: str = "", batch_size: int = 64, device: str | None = None) -> None:
        if not model:
            raise ConfigError("The embedding model has no name.", fix="Say --embedder sentence-transformers:MODEL.")
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, not {batch_size}")
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise ConfigError(
                "This embedder needs the package sentence-transformers.",
                fix='Run: pip install "kgnb[sentence-transformers]", or choose another: --embedder local, characters.',
                details=str(error),
            ) from error
        self._open = SentenceTransformer
        self._path = model
        self._prompt = prompt
        self._batch_size = batch_size
        self._device = device
        self._model: Any = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """``sentence-transformers:<model>``, and the prompt where there is one."""
        model = Path(self._path).name if Path(self._path).is_dir() else self._path
        return f"sentence-transformers:{model}" + (f":{self._prompt!r}" if self._prompt else "")

    @property
    def dimensions(self) -> int:
        """The length of a vector; loads the model."""
        with self._lock:
            model = self._loaded()
        # Renamed in version 5 of the library; the old name goes on for a while.
        length = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        return int(length())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length float32 row a text, in order; a blank text gives a zero row."""
        filled = [position for position, text in enumerate(texts) if text.strip()]
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if filled:
            with self._lock:
                rows = self._loaded().encode(
                    [self._prompt + texts[position].encode("utf-8", "replace").decode("utf-8") for position in filled],
                    batch_size=self._batch_size,
                    convert_to_numpy=True,
                    normalize_embeddings=True,
                    show_progress_bar=False,
                )
            vectors[filled] = rows
        return vectors

    def _loaded(self) -> Any:
        if self._model is None:
            try:
                self._model = self._open(self._path, device=self._device)
            except (OSError, ValueError) as error:
                raise ConfigError(
                    f"The model {self._path!r} cannot be loaded.",
                    fix="Check its name, that the hub can be reached, or give the folder of a downloaded model.",
                    details=str(error),
                ) from error
        return self._model
