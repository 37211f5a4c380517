"""Writing whole files, and what an interrupt at the worst moment leaves."""

import os
import signal
from pathlib import Path

import pytest

from kgnb.files import write_whole


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
