import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgnb.vectors.character_embedder import CharacterEmbedder, TinyEmbedder
from kgnb.vectors.embedder import Embedder, Vectors


def cosine(one: str, other: str) -> float:
    a, b = CharacterEmbedder().embed([one, other])
    return float(a @ b)


def test_spelling_decides() -> None:
    assert cosine("reviewer", "reviewers") > 0.8
    assert cosine("co-author", "Co Author") == pytest.approx(1, abs=1e-6)
    assert cosine("pulmonary artery", "artery, pulmonary") > 0.8
    assert cosine("reviewer", "kitchen") < 0.3
    assert cosine("hut", "shutter") < cosine("hut", "hut food")  # where a word begins and ends counts


def test_every_script_has_letters() -> None:
    assert cosine("会议论文", "会议文章") > 0.3
    assert cosine("ΣΊΣΥΦΟΣ", "σίσυφος") == pytest.approx(1, abs=1e-6)
    assert cosine("Straße", "STRASSE") == pytest.approx(1, abs=1e-6)
    assert cosine("résumé", "re\u0301sume\u0301") == pytest.approx(1, abs=1e-6)


def test_vectors_are_the_same_on_every_machine() -> None:
    # Pinned: if this changes, the embedder's name must change with it, or old caches lie.
    vector = CharacterEmbedder(8).embed(["mountain hut"])[0]
    assert vector.tolist() == pytest.approx(PINNED, abs=1e-6)
    assert CharacterEmbedder().name == "characters-1-1-4-2048"


PINNED = [-0.4109841, -0.2516753, -0.3507969, -0.2304224, -0.3507969, -0.2906096, 0.6024721, -0.1453048]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=12), max_size=6), st.sampled_from([CharacterEmbedder(64), TinyEmbedder(16)]))
def test_a_text_gives_the_same_vector_whatever_else_is_in_the_batch(texts: list[str], embedder: Embedder) -> None:
    together = embedder.embed(texts)
    assert (together.dtype, together.shape) == (np.float32, (len(texts), embedder.dimensions))
    for text, row in zip(texts, together, strict=True):
        assert np.array_equal(embedder.embed([text])[0], row)
        length = float(np.linalg.norm(row))
        assert length == 0 or length == pytest.approx(1, abs=1e-5)


def rows_of_blank(embedder: Embedder) -> Vectors:
    return embedder.embed(["", "  ", "-- / --", "\u200b"])


def test_texts_without_a_word_give_zero_rows() -> None:
    assert not rows_of_blank(CharacterEmbedder()).any()
    assert not rows_of_blank(TinyEmbedder()).any()


def test_a_batch_longer_than_a_chunk_is_whole() -> None:
    texts = [f"name {number}" for number in range(1500)]
    vectors = CharacterEmbedder(128).embed(texts)
    assert np.array_equal(vectors[1499], CharacterEmbedder(128).embed(["name 1499"])[0])
    assert vectors.any(axis=1).all()


def test_refuses_no_dimensions_and_no_grams() -> None:
    for make in (
        lambda: CharacterEmbedder(0),
        lambda: CharacterEmbedder(shortest=0),
        lambda: CharacterEmbedder(shortest=4, longest=3),
        lambda: TinyEmbedder(0),
    ):
        with pytest.raises(ValueError):
            make()
