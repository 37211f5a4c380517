"""Writing whole files, and what an interrupt at the worst moment leaves."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kgnb.errors import DataError
from kgnb.files import append_lines, locked, read_lines, write_whole


def test_a_file_is_replaced_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")
    path.chmod(0o640)
    write_whole(path, "new ä\n")
    assert path.read_text(encoding="utf-8") == "new ä\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_just_after_the_renaming_stays_an_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.replace

    def renamed_then_interrupted(name: str, path: Path) -> None:
        rename(name, path)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "replace", renamed_then_interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "page.html", "new")
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]


def test_lines_that_cannot_be_kept_are_an_error_that_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="lines.jsonl: cannot be written"):
        append_lines(tmp_path / "file" / "lines.jsonl", [{"a": 1}])


def test_lines_that_an_editor_of_windows_saved_are_read(tmp_path: Path) -> None:
    (tmp_path / "lines.jsonl").write_text('\ufeff{"a": 1}\n', encoding="utf-8")
    assert list(read_lines(tmp_path / "lines.jsonl")) == [(1, {"a": 1})]


HOLD = """
import sys
from pathlib import Path
from kgnb.files import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")
def test_a_lock_is_held_by_one_process_or_thread_and_leaves_no_file(tmp_path: Path) -> None:
    path, entered = tmp_path / "lock", threading.Event()

    def enter() -> None:
        with locked(path):
            entered.set()

    words = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        threads = [threading.Thread(target=enter) for _ in range(3)]
        for thread in threads:
            thread.start()
        assert not entered.wait(0.5)
        process.kill()  # whoever dies lets go
        for thread in threads:
            thread.join(60)
    assert entered.is_set() and not path.exists()
