"""Downloads from a loopback server: checked, resumed, refused."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgnb.datasets.fetch import KNOWN, data_folder, digest, fetch, get
from kgnb.errors import BackendError, DataError
from tests.loopback import LoopbackServer, Request

BODY = bytes(range(256)) * 4096
SHA256 = hashlib.sha256(BODY).hexdigest()


class Server(LoopbackServer):
    """Serves ``BODY``; its attributes say how it misbehaves."""

    place = "/huts.bin"
    cut: int | None = None  # bytes after which the answer breaks off
    status = 200
    redirect = ""
    asked = 0

    def answer(self, request: Request) -> None:
        self.asked += 1
        if self.redirect:
            return request.send(302, b"", headers={"Location": self.redirect})
        request.begin(self.status, "application/octet-stream", len(BODY))
        request.wfile.write(BODY[: self.cut])
        return None


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


def test_a_download_lands_under_its_name_and_is_not_repeated(
    server: Server, tmp_path: Path
) -> None:
    heard: list[tuple[str, int, int | None]] = []
    path = fetch(
        "deep/huts.bin",
        server.url,
        SHA256,
        tmp_path,
        on_progress=lambda *event: heard.append(event),
    )
    assert path == tmp_path / "deep/huts.bin"
    assert path.read_bytes() == BODY
    assert heard[-1] == ("deep/huts.bin", len(BODY), len(BODY))
    assert [file.name for file in path.parent.iterdir()] == ["huts.bin"]
    fetch("deep/huts.bin", server.url, SHA256, tmp_path)
    assert server.asked == 1


def test_what_is_not_the_whole_file_is_refused_and_thrown_away(
    server: Server, tmp_path: Path
) -> None:
    def refused(error: type[Exception], match: str, sha256: str = SHA256) -> None:
        with pytest.raises(error, match=match):
            fetch("huts.bin", server.url, sha256, tmp_path)
        assert list(tmp_path.iterdir()) == []

    refused(DataError, "is not the file we know", "0" * 64)
    server.cut = 300_000
    refused(BackendError, "broke off")
    server.status = 503
    refused(BackendError, "503")
    for server.redirect in ("file:///etc/passwd", "ftp://127.0.0.1/x"):
        refused(BackendError, "broke off")


def test_a_set_without_an_address_says_where_it_is_at_home(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot download") as refused:
        get("oaei-anatomy", tmp_path)
    assert KNOWN["oaei-anatomy"].home in refused.value.fix
    with pytest.raises(DataError, match="comes with kgnb"):
        get("huts", tmp_path)
    with pytest.raises(ValueError, match="there are huts"):
        get("nothing", tmp_path)


def verify(name: str, folder: Path) -> dict[str, str]:
    home, known = data_folder(name, folder), KNOWN[name].files
    return {
        path: "missing"
        if not (home / path).is_file()
        else "ok"
        if digest(home / path) == sha256
        else "different"
        for path, sha256 in known.items()
    }


def test_the_data_folder_is_found_or_explained(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    assert data_folder("mine", tmp_path) == tmp_path / "mine"
    with pytest.raises(DataError, match="no folder of benchmark data is set"):
        data_folder("oaei-mse", None)
    with pytest.raises(DataError, match="no such data set"):
        data_folder("oaei-mse", tmp_path)


@pytest.mark.benchmark
@pytest.mark.parametrize("name", ["oaei-conference", "oaei-anatomy", "oaei-mse"])
def test_the_copy_at_hand_is_the_one_we_know(name: str, benchmark_data: Path) -> None:
    assert set(verify(name, benchmark_data).values()) == {"ok"}
