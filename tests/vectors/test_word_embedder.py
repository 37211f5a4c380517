from __future__ import annotations

import numpy as np
import pytest

from kgnb.vectors.cached_embedder import CachedEmbedder, VectorCache
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.word_embedder import TinyEmbedder, WordEmbedder

TEXTS = ["Upper lobe of the lung", "lung", "lobe", "%", "", "程序委员会"]


def test_a_text_of_one_word_has_the_words_vector_and_a_longer_one_the_direction_of_the_mean() -> None:
    embedder, words = WordEmbedder(TinyEmbedder()), TinyEmbedder()
    assert isinstance(embedder, Embedder) and embedder.name == "words-tiny-32"
    one, two = embedder.embed(["lung", "lung lobe"])
    lung, lobe = words.embed(["lung", "lobe"])
    assert one == pytest.approx(lung, abs=1e-6)
    assert two == pytest.approx((lung + lobe) / np.linalg.norm(lung + lobe), abs=1e-6)


def test_a_text_gives_the_same_vector_in_any_batch() -> None:
    embedder = WordEmbedder(TinyEmbedder())
    together = embedder.embed(TEXTS)
    assert (together.dtype, together.shape) == (np.float32, (len(TEXTS), 32))
    assert np.array_equal(np.array([embedder.embed([text])[0] for text in TEXTS]), together)
    assert together.any(axis=1).tolist() == [True, True, True, False, False, True]
    assert embedder.embed([]).shape == (0, 32)


def test_each_word_is_embedded_once_if_there_is_a_cache() -> None:
    words = TinyEmbedder()
    embedder = WordEmbedder(CachedEmbedder(words, VectorCache(":memory:")))
    embedder.embed(["left lung", "right lung"])
    embedder.embed(["Lung, right", "right lobe"])
    assert words.texts == 4
