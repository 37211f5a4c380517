"""Character n-gram vectors: no model, no weights, any script."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from kgnb.vectors.embedder import Vectors

_LONGEST = 4  # characters of an n-gram
_CHUNK = 1024  # texts counted at a time: 8 MB at 1024 x 2048 x float32
_TEXTS = 1 << 16  # the same if counts are sparse: some 200 MB
_VERSION = 1  # part of the name: change it with the vectors


class CharacterEmbedder:
    """Embeds a text as its hashed character n-grams, each word between boundary marks.

    Texts are compared by spelling alone: good for inflected, compounded and misspelt names, blind
    to synonyms. Nothing is learnt from data, so the same text gives the same vector everywhere.
    Counts are damped by a square root, and each n-gram has a hashed sign, which keeps chance
    collisions from adding up.

    >>> here, there = CharacterEmbedder().embed(["reviewer", "reviewers"])
    >>> bool(here @ there > 0.7)
    True
    """

    def __init__(self, dimensions: int = 2048) -> None:
        if dimensions < 1:
            raise ValueError(f"dimensions must be at least 1, not {dimensions}")
        self._dimensions = dimensions

    @property
    def name(self) -> str:
        """``characters-<version>-<shortest>-<longest n-gram>-<dimensions>``."""
        return f"characters-{_VERSION}-1-{_LONGEST}-{self._dimensions}"

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit-length float32 row per text, in order; a text without a letter or digit gives a
        zero row.
        """
        vectors = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for start in range(0, len(texts), _CHUNK):
            self._fill(vectors[start : start + _CHUNK], texts[start : start + _CHUNK])
        return vectors

    def _fill(self, vectors: Vectors, texts: Sequence[str]) -> None:
        for hashes, where in _all_grams(texts, _LONGEST):
            buckets = where * self._dimensions + (hashes % np.uint64(self._dimensions)).astype(
                np.int64
            )
            # The top bit is independent of the bucket, so it can be the sign.
            signs = 1.0 - 2.0 * (hashes >> np.uint64(63)).astype(np.float64)
            counts = np.bincount(buckets, weights=signs, minlength=vectors.size).reshape(
                vectors.shape
            )
            vectors += (np.sign(counts) * np.sqrt(np.abs(counts))).astype(np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, lengths, out=vectors, where=lengths > 0)


def hashed_grams(texts: Sequence[str], buckets: int) -> scipy.sparse.csr_matrix:
    """How often each hashed n-gram of up to 3 letters occurs in each text: float32 counts, (texts,
    buckets), sparse.
    """
    if len(texts) > _TEXTS:
        parts = (texts[at : at + _TEXTS] for at in range(0, len(texts), _TEXTS))
        counted = [hashed_grams(part, buckets) for part in parts]
        return scipy.sparse.csr_matrix(scipy.sparse.vstack(counted, format="csr"))
    found = list(_all_grams(texts, 3))
    columns = np.concatenate([hashes % np.uint64(buckets) for hashes, _ in found]).astype(np.int64)
    places = np.concatenate([where for _, where in found])
    counts = scipy.sparse.csr_matrix(
        (np.ones(len(columns), np.float32), (places, columns)), shape=(len(texts), buckets)
    )
    counts.sum_duplicates()
    return counts


def _marked(text: str) -> str:
    """The text's words, case-folded, each between spaces; "" for a text without words."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    words = "".join(
        letter if unicodedata.category(letter)[0] in "LMN" else " " for letter in folded
    ).split()
    return f" {'  '.join(words)} " if words else ""


def _all_grams(
    texts: Sequence[str], longest: int
) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int64]]]:
    """For each length up to ``longest`` the hashes of all n-grams, and the row of the text of each."""
    marked = [_marked(text) for text in texts]
    rows = np.repeat(np.arange(len(texts)), [len(text) for text in marked])
    points = np.frombuffer(
        "".join(marked).encode("utf-32-le", "surrogatepass"), dtype="<u4"
    ).astype(np.uint64)
    return (_grams(points, rows, length) for length in range(1, longest + 1))


def _grams(
    points: NDArray[np.uint64], rows: NDArray[np.int64], length: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """A 64-bit hash of every n-gram within one text, and the text's row. Integers wrap the same on
    every machine.
    """
    size = len(points) - length + 1
    if size <= 0:
        return np.empty(0, np.uint64), np.empty(0, np.int64)
    hashes = np.full(size, length, dtype=np.uint64)
    for offset in range(length):
        hashes = _mixed(hashes ^ points[offset : offset + size])
    space = np.uint64(ord(" "))
    blank = np.ones(size, dtype=bool)
    for offset in range(length):
        blank &= points[offset : offset + size] == space
    within = (rows[:size] == rows[length - 1 :]) & ~blank
    return hashes[within], rows[:size][within]


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of splitmix64 (Steele, Lea and Flood, OOPSLA 2014): one bit in moves half of
    the bits out.
    """
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


_SPLIT = re.compile(r"\w+")


class TinyEmbedder:
    """Embeds a text as the sum of one pseudo-random vector per word: texts that share words are
    near.

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
        """One unit-length float32 row per text, in order; a text without a word gives a zero row."""
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
        """The word's own vector, each part uniform in [-1, 1), from a hash that is the same
        everywhere.
        """
        digest = hashlib.shake_128(word.encode("utf-8", "replace")).digest(4 * self._dimensions)
        return np.frombuffer(digest, dtype="<u4") / 2.0**31 - 1.0
