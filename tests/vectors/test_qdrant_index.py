"""What only the Qdrant adapter can get wrong: folders, the wire, keys, busy servers."""

import gzip
import pickle
import sqlite3
import subprocess
import sys
import time
import warnings
from contextlib import closing
from pathlib import Path

import pytest

from kgnb.errors import BackendError, ConfigError
from kgnb.patience import Patience
from kgnb.vectors.index import Point
from kgnb.vectors.qdrant_index import QdrantIndex
from tests.loopback import LoopbackServer, Request
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
    first.close()
    again = QdrantIndex(folder)
    ids, payloads, vectors = again.read("huts", "name")
    assert again.name == folder
    assert (ids, payloads, vectors.tolist()) == (
        ["a", "b"],
        [{"n": 1}, {"n": 2}],
        [[1, 0, 0], [0, 1, 0]],
    )
    again.close()
    with pytest.raises(BackendError, match="closed"):
        again.collections()


def test_a_folder_that_is_a_file_or_broken_is_an_error_that_names_it(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(BackendError, match="cannot be opened"):
        QdrantIndex(str(file))
    index = QdrantIndex(str(tmp_path))
    index.create("huts", VIEWS)
    index.close()
    (tmp_path / "points.sqlite").write_bytes(b"not a database, and long enough to tell" * 9)
    with pytest.raises(BackendError, match="cannot be opened") as caught:
        QdrantIndex(str(tmp_path))
    assert caught.value.fix


@pytest.mark.fault("pickles")
def test_no_pickle_in_a_folder_is_ever_read(tmp_path: Path) -> None:
    """A folder of Qdrant's own local mode, whose points would run code when they are opened."""
    from qdrant_client import QdrantClient, models

    made = QdrantClient(path=str(tmp_path))
    size = models.VectorParams(size=3, distance=models.Distance.COSINE)
    made.create_collection("huts", {"name": size})
    made.upsert("huts", [models.PointStruct(id=1, vector={"name": [1.0, 0.0, 0.0]})])
    made.close()
    [storage] = tmp_path.rglob("storage.sqlite")
    ran = tmp_path / "RAN"
    with closing(sqlite3.connect(storage)) as db, db:
        db.execute("UPDATE points SET point = ?", (pickle.dumps(Evil(ran)),))
    with pytest.raises(BackendError, match="does not read") as caught:
        QdrantIndex(str(tmp_path))
    assert "filled again" in caught.value.fix
    assert not ran.exists()


class Evil:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> object:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("payload", ["[1]", "{", "null"])
def test_a_damaged_point_in_a_folder_is_named(tmp_path: Path, payload: str) -> None:
    index = QdrantIndex(str(tmp_path))
    index.create("huts", VIEWS)
    index.add("huts", POINTS)
    index.close()
    with closing(sqlite3.connect(tmp_path / "points.sqlite")) as db, db:
        db.execute("UPDATE points SET payload = ? WHERE kind = 'point'", (payload,))
    with pytest.raises(BackendError, match="cannot be opened"):
        QdrantIndex(str(tmp_path))


def test_local_mode_does_not_warn_of_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    from qdrant_client.common import client_warnings
    from qdrant_client.local.local_collection import LocalCollection

    monkeypatch.setattr(LocalCollection, "LARGE_DATA_THRESHOLD", 1)
    monkeypatch.setattr(client_warnings, "SEEN_MESSAGES", set())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        index = QdrantIndex(":memory:")
        index.create("huts", VIEWS)
        index.add("huts", POINTS)
        index.close()


def test_a_key_goes_to_the_server_and_is_never_shown(shim: QdrantShim) -> None:
    shim.api_key = "sk-secret-123"
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a key on loopback is nothing to warn of
        index = QdrantIndex(shim.url, api_key="sk-secret-123")
    index.create("huts", VIEWS)
    assert shim.requests[-1][2]["api-key"] == "sk-secret-123"
    assert "sk-secret" not in repr(index) + index.name
    with pytest.raises(ConfigError) as caught:
        QdrantIndex(shim.url, api_key="wrong-secret").collections()
    error = caught.value
    shown = f"{error} {error.details} {error.__cause__} {''.join(error._render_traceback_())}"
    assert "wrong-secret" not in shown and "index_key" in error.fix and error.__suppress_context__


@pytest.mark.parametrize(
    ("status", "headers", "pauses"),
    [
        (429, {"Retry-After": "2"}, [2.0]),
        (429, {"Retry-After": "Wed, 21 Oct 2037 07:28:00 GMT"}, [0.5]),
        (503, {"Retry-After": "1"}, [1.0]),
        (502, {}, [0.5]),
    ],
)
def test_a_busy_server_is_asked_again_after_the_pause_it_asks_for(
    shim: QdrantShim, status: int, headers: dict[str, str], pauses: list[float]
) -> None:
    waited: list[float] = []
    index = QdrantIndex(shim.url, patience=waiting(waited))
    index.create("huts", VIEWS)
    shim.answer_next(status, headers)
    index.add("huts", POINTS)
    assert (waited, index.count("huts")) == (pauses, 2)


def test_a_server_that_stays_busy_or_asks_for_too_long_a_pause_is_given_up(
    shim: QdrantShim,
) -> None:
    waited: list[float] = []
    index = QdrantIndex(shim.url, patience=waiting(waited))
    for _ in range(3):
        shim.answer_next(503, text="<html>busy</html>")
    with pytest.raises(BackendError, match="HTTP 503") as caught:
        index.collections()
    assert caught.value.service == shim.url
    shim.answer_next(429, {"Retry-After": "3600"})
    with pytest.raises(BackendError, match="too busy"):
        index.collections()
    assert waited == [0.5, 1.0]


def test_nonsense_and_silence_are_backend_errors(shim: QdrantShim) -> None:
    index = QdrantIndex(shim.url, patience=waiting([], tries=1))
    for text in ("<html>welcome</html>", '{"result": 7}', '{"result": null}', '{"result": nul'):
        shim.answer_next(200, text=text)
        with pytest.raises(BackendError, match="no usable answer"):
            index.collections()
    shim.stop()
    with pytest.raises(BackendError, match="no usable answer"):
        index.collections()


@pytest.mark.fault("hostile vector servers")
@pytest.mark.parametrize("packed", [True, False], ids=["packed", "endless"])
def test_an_answer_that_never_ends_is_broken_off(packed: bool) -> None:
    class Endless(LoopbackServer):
        def answer(self, request: Request) -> None:
            piece = b" " * (1 << 20)
            if packed:
                request.send(200, gzip.compress(piece * 100), headers={"Content-Encoding": "gzip"})
                return
            request.begin(200, "application/json", None)
            for _ in range(1000):
                request.wfile.write(piece)

    with Endless() as server, pytest.raises(BackendError, match="no usable answer") as told:
        QdrantIndex(server.url, patience=waiting([], tries=1)).collections()
    assert ("compressed" if packed else "longer than 64 MiB") in told.value.details


@pytest.mark.fault("hostile vector servers")
def test_a_server_that_sends_a_byte_now_and_then_has_a_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kgnb.vectors.qdrant_index._TIMEOUT", 1)

    class Drips(LoopbackServer):
        def answer(self, request: Request) -> None:
            request.begin(200, "application/json", None)
            for _ in range(300):
                request.wfile.write(b" ")
                time.sleep(0.1)

    began = time.monotonic()
    with Drips() as server, pytest.raises(BackendError, match="no usable answer"):
        QdrantIndex(server.url, patience=waiting([], tries=1)).collections()
    assert time.monotonic() - began < 20


def test_a_collection_that_vanished_or_was_not_made_by_kgnb_is_named(shim: QdrantShim) -> None:
    from qdrant_client import models

    index = QdrantIndex(shim.url)
    index.create("huts", VIEWS)
    index.add("huts", POINTS)
    shim.engine.delete_collection("huts")
    with pytest.raises(BackendError, match="no collection 'huts'"):
        index.read("huts", "name")
    shim.engine.create_collection(
        "plain", models.VectorParams(size=3, distance=models.Distance.DOT)
    )
    with pytest.raises(BackendError, match="not made by kgnb"):
        index.read("plain", "name")


@pytest.mark.parametrize(
    "url", ["http://user:hush@127.0.0.1:1", "ftp://x", "http://", "http://x/?api_key=hush"]
)
def test_a_bad_url_or_one_with_a_secret_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        QdrantIndex(url)
    assert "hush" not in str(caught.value) + caught.value.details
    with pytest.raises(ConfigError, match="not a server"):
        QdrantIndex(":memory:", api_key="k")


def test_without_the_library_the_pip_line_is_given(tmp_path: Path) -> None:
    code = "import sys; sys.modules['qdrant_client'] = None; from kgnb.cli import main; sys.exit(main(sys.argv[1:]))"
    words = ["match", "huts:alpine", "huts:refuge", "--judge", "rule", "--index", str(tmp_path)]
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
    assert done.returncode == 1 and 'pip install "kgnb[qdrant]"' in done.stderr
    assert "--index memory" in done.stderr and "Traceback" not in done.stderr
