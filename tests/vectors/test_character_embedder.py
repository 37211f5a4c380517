import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgnb.vectors.character_embedder import CharacterEmbedder, TinyEmbedder
from kgnb.vectors.embedder import Embedder

PINNED = [
    -0.4109841,
    -0.2516753,
    -0.3507969,
    -0.2304224,
    -0.3507969,
    -0.2906096,
    0.6024721,
    -0.1453048,
]


def cosine(one: str, other: str) -> float:
    a, b = CharacterEmbedder().embed([one, other])
    return float(a @ b)


def test_spelling_decides_in_every_script() -> None:
    assert cosine("reviewer", "reviewers") > 0.8
    assert cosine("pulmonary artery", "artery, pulmonary") > 0.8
    assert cosine("reviewer", "kitchen") < 0.3
    assert cosine("hut", "shutter") < cosine(
        "hut", "hut food"
    )  # where a word begins and ends counts
    assert cosine("会议论文", "会议文章") > 0.3
    for one, other in (
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("Straße", "STRASSE"),
        ("résumé", "re\u0301sume\u0301"),
        ("a-b", "A B"),
    ):
        assert cosine(one, other) == pytest.approx(1, abs=1e-6)


def test_vectors_are_the_same_on_every_machine() -> None:
    # Pinned: if this changes, the embedder's name must change with it, or old caches are wrong.
    vector = CharacterEmbedder(8).embed(["mountain hut"])[0]
    assert vector.tolist() == pytest.approx(PINNED, abs=1e-6)
    assert CharacterEmbedder().name == "characters-1-1-4-2048"


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text(max_size=12), max_size=6),
    st.sampled_from([CharacterEmbedder(64), TinyEmbedder(16)]),
)
def test_a_text_gives_the_same_vector_whatever_else_is_in_the_batch(
    texts: list[str], embedder: Embedder
) -> None:
    together = embedder.embed(texts)
    assert (together.dtype, together.shape) == (np.float32, (len(texts), embedder.dimensions))
    for text, row in zip(texts, together, strict=True):
        assert np.array_equal(embedder.embed([text])[0], row)
        length = float(np.linalg.norm(row))
        assert length == 0 or length == pytest.approx(1, abs=1e-5)


def test_texts_without_words_give_zero_rows_and_long_batches_are_whole() -> None:
    for embedder in (CharacterEmbedder(), TinyEmbedder()):
        assert not embedder.embed(["", "  ", "-- / --", "\u200b"]).any()
    texts = [f"name {number}" for number in range(1500)]
    vectors = CharacterEmbedder(128).embed(texts)
    assert np.array_equal(vectors[1499], CharacterEmbedder(128).embed(["name 1499"])[0])
    for kind in (CharacterEmbedder, TinyEmbedder):
        with pytest.raises(ValueError):
            kind(0)
