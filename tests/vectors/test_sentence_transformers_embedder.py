import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from kgnb.errors import ConfigError
from kgnb.vectors.character_embedder import TinyEmbedder
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.local_embedder import SentenceTransformersEmbedder


class FakeModel:
    """As much of ``SentenceTransformer`` as the adapter calls."""

    def __init__(self, path: str, device: str | None = None) -> None:
        if path == "missing":
            raise OSError("no such model on the hub")
        self.seen: list[str] = []

    def get_sentence_embedding_dimension(self) -> int:
        return 32

    def encode(self, texts: list[str], **options: Any) -> Any:
        assert options["normalize_embeddings"] and options["convert_to_numpy"] and not options["show_progress_bar"]
        self.seen += texts
        return TinyEmbedder().embed(texts)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = FakeModel  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


def test_without_the_library_the_pip_line_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ConfigError) as caught:
        SentenceTransformersEmbedder("all-MiniLM-L6-v2")
    assert 'pip install "kgnb[sentence-transformers]"' in caught.value.fix


def test_gives_unit_rows_and_leaves_blank_texts_out(library: None) -> None:
    embedder = SentenceTransformersEmbedder("m", prompt="passage: ")
    vectors = embedder.embed(["hut", " ", "warden"])
    assert isinstance(embedder, Embedder)
    assert np.array_equal(vectors, TinyEmbedder().embed(["passage: hut", "", "passage: warden"]))
    assert (embedder.name, embedder.dimensions) == ("sentence-transformers:m:'passage: '", 32)


def test_a_model_in_a_folder_is_named_without_its_path(library: None, tmp_path: Path) -> None:
    (tmp_path / "my-model").mkdir()
    assert SentenceTransformersEmbedder(str(tmp_path / "my-model")).name == "sentence-transformers:my-model"


def test_a_model_that_cannot_be_loaded_is_a_setting(library: None) -> None:
    with pytest.raises(ConfigError, match="'missing' cannot be loaded"):
        SentenceTransformersEmbedder("missing").embed(["a"])
    with pytest.raises(ConfigError, match="no name"):
        SentenceTransformersEmbedder("")


@pytest.mark.slow
def test_a_real_model_agrees_with_the_library(tmp_path: Path) -> None:
    """A two-layer model of random weights, built and saved here: no network, no claim of quality."""
    library = pytest.importorskip("sentence_transformers", reason="the extra sentence-transformers is not installed")
    transformers = pytest.importorskip("transformers")
    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hut", "warden"]))
    tokenizer = transformers.BertTokenizer(str(tmp_path / "vocab.txt"))
    config = transformers.BertConfig(vocab_size=7, hidden_size=16, num_hidden_layers=2, num_attention_heads=2)
    transformers.BertModel(config).save_pretrained(tmp_path / "bert")
    tokenizer.save_pretrained(tmp_path / "bert")
    embedder = SentenceTransformersEmbedder(str(tmp_path / "bert"))
    vectors = embedder.embed(["hut", "", "warden hut"])
    direct = library.SentenceTransformer(str(tmp_path / "bert")).encode(["hut"], normalize_embeddings=True)
    assert vectors.shape == (3, embedder.dimensions)
    assert np.abs(vectors[0] - direct[0]).max() < 1e-5
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1], abs=1e-5)
