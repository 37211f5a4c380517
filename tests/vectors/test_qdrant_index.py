"""What only the Qdrant adapter can get wrong: folders, the wire, keys, busy servers."""

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from kgnb.errors import BackendError, ConfigError
from kgnb.patience import Patience
from kgnb.vectors.index import Point
from kgnb.vectors.qdrant_index import QdrantIndex
from tests.vectors.qdrant_shim import QdrantShim

VIEWS = {"name": 3}
POINTS = [Point("a", "name", [1, 0, 0], {"n": 1}), Point("b", "name", [0, 1, 0], {"n": 2})]


def waiting(pauses: list[float], tries: int = 3) -> Patience:
    return Patience(tries=tries, first=0.5, longest=10, sleep=pauses.append)


def test_a_folder_keeps_what_was_written(tmp_path: Path) -> None:
    folder = str(tmp_path / "deep" / "qdrant")
    first = QdrantIndex(folder)
    first.create("huts", VIEWS)
    first.add("huts", POINTS)
    wrote = first.read("huts", "name"), first.search("huts", "name", [1, 1, 0], k=2)
    first.close()
    again = QdrantIndex(folder)
    ids, payloads, vectors = again.read("huts", "name")
    assert again.name == folder
    assert (ids, payloads, vectors.tolist()) == (wrote[0][0], wrote[0][1], wrote[0][2].tolist())
    assert again.search("huts", "name", [1, 1, 0], k=2) == wrote[1]
    again.close()


def test_a_folder_in_use_says_so_to_another_process(tmp_path: Path) -> None:
    index = QdrantIndex(str(tmp_path))
    code = (
        "import sys\nfrom kgnb.errors import BackendError\nfrom kgnb.vectors.qdrant_index import QdrantIndex\n"
        "try:\n    QdrantIndex(sys.argv[1])\nexcept BackendError as error:\n    print(error)\n"
    )
    said = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=300)
    index.close()
    assert "in use by another kernel or program" in said.stdout, said.stderr
    assert "Qdrant server" in said.stdout


def test_a_folder_that_is_a_file_or_broken_is_an_error_that_names_it(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(BackendError, match="cannot be opened"):
        QdrantIndex(str(file))
    (tmp_path / "meta.json").write_text("{broken")
    with pytest.raises(BackendError, match="cannot be opened"):
        QdrantIndex(str(tmp_path))
    (tmp_path / "meta.json").unlink()
    index = QdrantIndex(str(tmp_path))
    index.create("huts", VIEWS)
    index.close()
    (tmp_path / "collection" / "huts" / "storage.sqlite").write_bytes(b"not a database, and long enough to tell" * 9)
    with pytest.raises(BackendError, match="cannot be opened") as caught:
        QdrantIndex(str(tmp_path))
    assert caught.value.fix


def test_a_closed_index_says_that_it_is_closed() -> None:
    index = QdrantIndex(":memory:")
    index.close()
    with pytest.raises(BackendError, match="closed"):
        index.collections()


def test_local_mode_says_nothing_about_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    from qdrant_client.common import client_warnings
    from qdrant_client.local.local_collection import LocalCollection

    monkeypatch.setattr(LocalCollection, "LARGE_DATA_THRESHOLD", 1)
    monkeypatch.setattr(client_warnings, "SEEN_MESSAGES", set())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        index = QdrantIndex(":memory:")
        index.create("huts", VIEWS)
        index.add("huts", POINTS)
        index.search("huts", "name", [1, 0, 0], k=1)
        index.close()


def test_the_wire_carries_the_key_and_asks_for_exact_search(shim: QdrantShim) -> None:
    shim.api_key = "sk-secret-123"
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a key on loopback is nothing to warn of
        index = QdrantIndex(shim.url, api_key="sk-secret-123")
    index.create("huts", VIEWS)
    index.add("huts", POINTS)
    assert [hit.id for hit in index.search("huts", "name", [1, 0.5, 0], k=2)] == ["a", "b"]
    method, path, headers, body = shim.requests[-1]
    assert (method, path.split("?")[0]) == ("POST", "/collections/huts/points/query")
    assert headers["api-key"] == "sk-secret-123"
    assert body["params"]["exact"] is True
    assert "sk-secret" not in repr(index) + index.name
    index.close()


def test_approximate_search_is_asked_for_by_name(shim: QdrantShim) -> None:
    index = QdrantIndex(shim.url, exact=False)
    index.create("huts", VIEWS)
    index.search("huts", "name", [1, 0, 0], k=1)
    assert not (shim.requests[-1][3].get("params") or {}).get("exact")
    index.close()


def test_a_refused_key_is_a_setting_to_mend_and_is_never_shown(shim: QdrantShim) -> None:
    shim.api_key = "right"
    index = QdrantIndex(shim.url, api_key="wrong-secret")
    with pytest.raises(ConfigError) as caught:
        index.collections()
    error = caught.value
    shown = f"{error} {error.details} {error.__cause__} {''.join(error._render_traceback_())}"
    assert "wrong-secret" not in shown
    assert "index_key" in error.fix
    assert error.__suppress_context__


@pytest.mark.parametrize(
    ("status", "headers", "pauses"),
    [
        (429, {"Retry-After": "2"}, [2.0]),
        (429, {}, [0.5]),
        (429, {"Retry-After": "Wed, 21 Oct 2037 07:28:00 GMT"}, [0.5]),
        (503, {"Retry-After": "1"}, [1.0]),
        (502, {}, [0.5]),
    ],
)
def test_a_busy_server_is_asked_again_after_the_pause_it_wants(
    shim: QdrantShim, status: int, headers: dict[str, str], pauses: list[float]
) -> None:
    waited: list[float] = []
    index = QdrantIndex(shim.url, patience=waiting(waited))
    index.create("huts", VIEWS)
    shim.answer_next(status, headers)
    index.add("huts", POINTS)
    assert waited == pauses
    assert index.count("huts") == 2
    index.close()


def test_a_server_that_stays_busy_or_wants_too_long_a_pause_is_given_up(shim: QdrantShim) -> None:
    waited: list[float] = []
    index = QdrantIndex(shim.url, patience=waiting(waited, tries=3))
    for _ in range(3):
        shim.answer_next(503, text="<html>busy</html>")
    with pytest.raises(BackendError, match="HTTP 503") as caught:
        index.collections()
    assert waited == [0.5, 1.0]
    assert caught.value.service == shim.url
    shim.answer_next(429, {"Retry-After": "3600"})
    with pytest.raises(BackendError, match="too busy"):
        index.collections()
    assert waited == [0.5, 1.0]
    index.close()


def test_nonsense_and_silence_are_backend_errors(shim: QdrantShim) -> None:
    waited: list[float] = []
    index = QdrantIndex(shim.url, patience=waiting(waited, tries=2))
    shim.answer_next(200, text="<html>welcome</html>")
    shim.answer_next(200, text='{"result": 7}')
    with pytest.raises(BackendError, match="no usable answer"):
        index.collections()
    shim.answer_next(200, text='{"result": null}')
    shim.answer_next(200, text='{"result": nul')
    with pytest.raises(BackendError, match="no usable answer"):
        index.collections()
    shim.stop()
    with pytest.raises(BackendError, match="no usable answer"):
        index.collections()
    assert len(waited) == 3
    index.close()


def test_a_collection_that_vanished_is_named(shim: QdrantShim) -> None:
    index = QdrantIndex(shim.url)
    index.create("huts", VIEWS)
    index.add("huts", POINTS)
    shim.engine.delete_collection("huts")
    with pytest.raises(BackendError, match="no collection 'huts'"):
        index.search("huts", "name", [1, 0, 0], k=1)
    index.close()


@pytest.mark.parametrize("url", ["http://user:hush@127.0.0.1:1", "ftp://x", "http://", "http://x/?api_key=hush"])
def test_a_url_that_is_none_or_holds_a_secret_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        QdrantIndex(url)
    assert "hush" not in str(caught.value) + caught.value.details


def test_a_key_without_a_server_is_a_mistake() -> None:
    with pytest.raises(ConfigError, match="not a server"):
        QdrantIndex(":memory:", api_key="k")


def test_a_collection_of_somebody_else_is_left_alone(shim: QdrantShim) -> None:
    from qdrant_client import models

    shim.engine.create_collection("plain", models.VectorParams(size=3, distance=models.Distance.DOT))
    index = QdrantIndex(shim.url)
    with pytest.raises(BackendError, match="not made by kgnb"):
        index.read("plain", "name")
    index.close()
