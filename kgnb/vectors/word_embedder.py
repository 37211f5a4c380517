"""Vectors of texts from vectors of their words: what large ontologies of one language can afford."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from kgnb.vectors.embedder import Embedder, Vectors

_SPLIT = re.compile(r"\w+")


class TinyEmbedder:
    """Embeds a text as the sum of one pseudo-random vector a word: texts that share words are near.

    ``calls`` and ``texts`` count what it was asked, so that a test can see what a cache saved.

    >>> committee, hut, chair = TinyEmbedder().embed(["program committee", "mountain hut", "committee chair"])
    >>> bool(committee @ chair > committee @ hut)
    True
    """

    def __init__(self, dimensions: int = 32) -> None:
        if dimensions < 1:
            raise ValueError(f"dimensions must be at least 1, not {dimensions}")
        self._dimensions = dimensions
        self.calls = 0
        self.texts = 0

    @property
    def name(self) -> str:
        """``tiny-<dimensions>``."""
        return f"tiny-{self._dimensions}"

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length float32 row a text, in order; a text without a word gives a zero row."""
        self.calls += 1
        self.texts += len(texts)
        vectors = np.zeros((len(texts), self._dimensions), dtype=np.float64)
        for row, text in enumerate(texts):
            for word in _SPLIT.findall(text.casefold()):
                vectors[row] += self._word(word)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, lengths, out=vectors, where=lengths > 0)
        return vectors.astype(np.float32)

    def _word(self, word: str) -> np.ndarray:
        """The word's own vector, each part uniform in [-1, 1), from a hash that is the same everywhere."""
        digest = hashlib.shake_128(word.encode("utf-8", "replace")).digest(4 * self._dimensions)
        return np.frombuffer(digest, dtype="<u4") / 2.0**31 - 1.0


_WORDS = re.compile(r"\w+")


class WordEmbedder:
    """Embeds a text as the mean of what another embedder makes of its words, whatever their order.

    Ontologies repeat their words: anatomy's 8,000 texts have 2,800, so that it takes a fifth of the time. Poor across
    languages, where one side's compound is the other's phrase (docs/evaluation.md has figures). Give it an embedder
    with a cache, which then embeds each word once.

    >>> from kgnb.vectors.word_embedder import TinyEmbedder
    >>> one, other = WordEmbedder(TinyEmbedder()).embed(["Upper lobe", "lobe, upper"])
    >>> bool(np.allclose(one, other))
    True
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """``words-<the other's name>``."""
        return f"words-{self._embedder.name}"

    @property
    def dimensions(self) -> int:
        """The other's."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length float32 row a text, in order; a text of which nothing has a vector gives a zero row."""
        split = [_WORDS.findall(text.casefold()) or [text] for text in texts]
        words = sorted({word for text in split for word in text})
        rows = {word: row for row, word in enumerate(words)}
        known = self._embedder.embed(words)
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float64)
        for row, text in enumerate(split):
            vectors[row] = known[[rows[word] for word in text]].mean(axis=0, dtype=np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, lengths, out=vectors, where=lengths > 0)
        return vectors.astype(np.float32)
