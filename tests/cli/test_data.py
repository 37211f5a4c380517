import functools
import hashlib
import http.server
import threading

from kgnb.cli import main
from kgnb.datasets.fetch import KNOWN


def test_lists_every_set_and_whether_it_is_at_hand(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("KGNB_DATA", str(tmp_path))
    assert main(["data", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(KNOWN)
    assert "included" in lines[0] and "not found" in lines[1]


def test_a_file_of_a_mirror_that_is_not_the_one_we_know_is_refused(capsys, tmp_path):
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "mouse.owl").write_text("not a mouse")
    known = KNOWN["oaei-anatomy"].files["mouse.owl"]
    assert hashlib.sha256(b"not a mouse").hexdigest() != known
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path / "served")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        mirror = f"http://127.0.0.1:{server.server_address[1]}"
        status = main(
            ["data", "get", "oaei-anatomy", "--to", str(tmp_path / "data"), "--mirror", mirror]
        )
        server.shutdown()
    assert status == 1
    assert "not the file we know" in capsys.readouterr().err
    assert not (tmp_path / "data" / "oaei-anatomy" / "mouse.owl").exists()
