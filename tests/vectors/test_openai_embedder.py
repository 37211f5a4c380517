import json
from collections.abc import Iterator

import numpy as np
import pytest

from kgnb.errors import BackendError, ConfigError
from kgnb.patience import Patience
from kgnb.vectors.character_embedder import TinyEmbedder
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.openai_embedder import OpenAIEmbedder
from tests.vectors.embedding_server import EmbeddingServer


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    server = EmbeddingServer()
    yield server
    server.stop()


def opened(
    server: EmbeddingServer, waited: list[float] | None = None, api_key: str = ""
) -> OpenAIEmbedder:
    patience = Patience(
        tries=3, first=0.5, longest=10, sleep=(waited if waited is not None else []).append
    )
    return OpenAIEmbedder("m", base_url=server.url, patience=patience, api_key=api_key)


def reply(*vectors: object) -> str:
    return json.dumps(
        {"data": [{"index": i, "embedding": vector} for i, vector in enumerate(vectors)]}
    )


def test_gives_unit_rows_in_the_order_of_the_texts(server: EmbeddingServer) -> None:
    embedder = opened(server)
    texts = ["alpine hut", "", "warden", "  ", "booking of a hut"]
    vectors = embedder.embed(texts)
    assert isinstance(embedder, Embedder)
    assert vectors.dtype == np.float32
    assert np.abs(vectors - TinyEmbedder().embed(texts)).max() < 1e-6
    assert server.bodies[0]["input"] == ["alpine hut", "warden", "booking of a hut"]
    assert (embedder.name, embedder.dimensions) == ("openai:m", 32)


def test_many_and_long_texts_go_in_several_requests(server: EmbeddingServer) -> None:
    embedder = opened(server)
    embedder.embed([f"a {number}" for number in range(130)])
    embedder.embed(["x " * 30_000, "y " * 30_000, "z"])  # long texts go in smaller batches
    assert [len(body["input"]) for body in server.bodies] == [128, 2, 1, 2]
    server.answer_next(200, text=reply([1.0, 0.0]))
    with pytest.raises(BackendError, match="32 dimensions were due, 2 came"):
        embedder.embed(["a"])


@pytest.mark.parametrize(
    ("status", "headers", "pause"),
    [
        (429, {"retry-after": "3"}, 3.0),
        (429, {"retry-after-ms": "40"}, 0.04),
        (500, {}, 0.5),
        (503, {}, 0.5),
    ],
)
def test_a_busy_server_is_asked_again_after_the_pause_it_wants(
    server: EmbeddingServer, status: int, headers: dict[str, str], pause: float
) -> None:
    waited: list[float] = []
    server.answer_next(status, headers)
    embedder = opened(server, waited)
    assert embedder.embed(["a"]).any()
    assert waited == [pause]
    assert len(server.bodies) == 2


def test_a_server_that_stays_busy_is_given_up(server: EmbeddingServer) -> None:
    waited: list[float] = []
    for _ in range(3):
        server.answer_next(500, text='{"error": {"message": "out\\u001b[31m of\\nmemory"}}')
    with pytest.raises(BackendError, match="answered 500") as caught:
        opened(server, waited).embed(["a"])
    assert waited == [0.5, 1.0]
    assert "\x1b" not in str(caught.value)
    assert caught.value.service == server.url


def test_a_spent_quota_and_a_bad_request_are_not_asked_again(server: EmbeddingServer) -> None:
    waited: list[float] = []
    server.answer_next(
        429, text='{"error": {"message": "You ran out", "code": "insufficient_quota"}}'
    )
    with pytest.raises(BackendError, match="answered 429"):
        opened(server, waited).embed(["a"])
    server.answer_next(400, text='{"error": {"message": "too long"}}')
    with pytest.raises(BackendError, match="too long"):
        opened(server, waited).embed(["a"])
    assert waited == []


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_or_model_is_a_setting_and_the_key_is_never_shown(
    server: EmbeddingServer, status: int
) -> None:
    server.answer_next(
        status, text='{"error": {"message": "Incorrect API key provided: sk-hush-123"}}'
    )
    embedder = opened(server, api_key="sk-hush-123")
    with pytest.raises(ConfigError) as caught:
        embedder.embed(["a"])
    error = caught.value
    assert (
        "sk-hush" not in f"{error} {error.details} {error.__cause__} {embedder!r} {embedder.name}"
    )
    assert error.__context__ is None and error.fix
    assert server.headers[0]["authorization"] == "Bearer sk-hush-123"


@pytest.mark.parametrize(
    "text",
    [
        "<html>welcome</html>",
        '{"data": []}',
        '{"data": 7}',
        "{}",
        '{"data": [{"index": 0, "embed',
        reply([]),
        reply([0.0, 0.0]),
        reply(["a", "b"]),
        reply(None),
        reply("abc"),
        reply([1.0], [1.0]),
        '{"data": [{"index": 1, "embedding": [1.0]}]}',
        '{"data": [{"embedding": [1.0]}]}',
        '{"data": [null]}',
        '{"data": [{"index": null, "embedding": [1.0]}]}',
        '{"data": [{"index": 0, "vector": [1.0]}]}',
    ],
)
def test_an_answer_without_the_vectors_is_a_backend_error(
    server: EmbeddingServer, text: str
) -> None:
    server.answer_next(200, text=text)
    with pytest.raises(BackendError, match="not what was asked for"):
        opened(server).embed(["a"])


def test_a_server_that_is_not_there_is_named(server: EmbeddingServer) -> None:
    waited: list[float] = []
    embedder = opened(server, waited)
    server.stop()
    with pytest.raises(BackendError, match="cannot be reached"):
        embedder.embed(["a"])
    assert waited == [0.5, 1.0]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"api_key": "hush\nhush"},
        *({"base_url": url} for url in ("nonsense", "http://h/v1?key=hush")),
    ],
)
def test_bad_settings_are_refused_without_showing_them(settings: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as caught:
        OpenAIEmbedder("m", **settings)  # type: ignore[arg-type]
    assert "hush" not in str(caught.value)


def test_an_organisation_in_the_environment_goes_to_no_other_server(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # nor is a proxy asked for this machine
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    opened(server).embed(["a"])
    assert "openai-organization" not in server.headers[0]
    assert "sk-of-the-environment" not in str(server.headers[0])
