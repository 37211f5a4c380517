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
    """Serves ``BODY``; its attributes say how it misbehaves, ``asked`` notes the Range header of every request."""

    place = "/huts.bin"
    ranges = True
    cut: int | None = None  # bytes after which the answer breaks off
    status = 200
    redirect = ""

    def __init__(self) -> None:
        self.asked: list[str | None] = []
        super().__init__()

    def answer(self, request: Request) -> None:
        asked = request.headers.get("Range")
        self.asked.append(asked)
        if self.redirect:
            return request.send(302, b"", headers={"Location": self.redirect})
        start = int(asked[6:-1]) if asked and self.ranges else 0
        status = 416 if start >= len(BODY) else 206 if start else self.status
        body = BODY[start:] if status in (200, 206) else b"no"
        request.begin(status, "application/octet-stream", len(body))
        request.wfile.write(body[: self.cut])
        return None


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


def test_a_download_lands_under_its_name_and_is_not_repeated(server: Server, tmp_path: Path) -> None:
    heard: list[tuple[str, int, int | None]] = []
    path = fetch("deep/huts.bin", server.url, SHA256, tmp_path, on_progress=lambda *event: heard.append(event))
    assert path == tmp_path / "deep/huts.bin"
    assert path.read_bytes() == BODY
    assert heard[-1] == ("deep/huts.bin", len(BODY), len(BODY))
    assert [file.name for file in path.parent.iterdir()] == ["huts.bin"]
    fetch("deep/huts.bin", server.url, SHA256, tmp_path)
    assert len(server.asked) == 1


@pytest.mark.parametrize("ranges", [True, False])
def test_a_broken_download_goes_on_where_it_stopped(server: Server, tmp_path: Path, ranges: bool) -> None:
    server.cut, server.ranges = 300_000, ranges
    with pytest.raises(BackendError, match="broke off|of 1048576 bytes") as broken:
        fetch("huts.bin", server.url, SHA256, tmp_path)
    assert "where it stopped" in broken.value.fix
    assert not (tmp_path / "huts.bin").exists()
    had = (tmp_path / "huts.bin.part").stat().st_size
    assert 0 < had <= 300_000
    server.cut = None
    assert fetch("huts.bin", server.url, SHA256, tmp_path).read_bytes() == BODY
    assert server.asked == [None, f"bytes={had}-"]


def test_a_part_that_is_no_beginning_is_started_over(server: Server, tmp_path: Path) -> None:
    (tmp_path / "huts.bin.part").write_bytes(BODY + b"more")
    assert fetch("huts.bin", server.url, SHA256, tmp_path).read_bytes() == BODY
    assert server.asked == [f"bytes={len(BODY) + 4}-", None]


def test_another_file_is_refused_and_thrown_away(server: Server, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not the file we know") as refused:
        fetch("huts.bin", server.url, "0" * 64, tmp_path)
    assert "home page" in refused.value.fix
    assert list(tmp_path.iterdir()) == []


def test_a_refusing_server_is_named(server: Server, tmp_path: Path) -> None:
    server.status = 503
    with pytest.raises(BackendError, match="503") as refused:
        fetch("huts.bin", server.url, SHA256, tmp_path)
    assert refused.value.service.startswith("127.0.0.1")
    assert list(tmp_path.iterdir()) == []


def test_a_redirection_to_another_scheme_is_not_followed(server: Server, tmp_path: Path) -> None:
    for server.redirect in ("file:///etc/passwd", "ftp://127.0.0.1/x"):
        with pytest.raises(BackendError):
            fetch("huts.bin", server.url, SHA256, tmp_path)
        assert list(tmp_path.iterdir()) == []


def test_a_name_outside_the_folder_and_other_schemes_are_refused(tmp_path: Path) -> None:
    for name in ("../huts.bin", "/huts.bin", "a/../../b", ""):
        with pytest.raises(ValueError, match="not a path inside"):
            fetch(name, "http://127.0.0.1/x", SHA256, tmp_path)
    with pytest.raises(ValueError, match="not an http or https address"):
        fetch("x", "file:///etc/passwd", SHA256, tmp_path)


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
        path: "missing" if not (home / path).is_file() else "ok" if digest(home / path) == sha256 else "different"
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
