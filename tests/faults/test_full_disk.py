"""A disk that is full, or not to be written on: the file is named, the old one stays, and finished work is not lost."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kgnb.cli import main
from kgnb.errors import DataError, NotKept
from kgnb.files import write_whole
from kgnb.run import Run

pytestmark = pytest.mark.fault("full disk, hostile names")

FULL = Path("/dev/full")
full_device = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")


def limited(kilobytes: int, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """kgnb, in a process whose files may grow so large only: as on a full disk, a write ends half way."""
    script = (
        "import resource, signal, sys; from kgnb.cli import main;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({kilobytes} << 10, {kilobytes} << 10));"
        "sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-B", "-c", script, *words]  # -B: a .pyc file cut short would break later imports
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_a_file_that_does_not_fit_leaves_the_old_one_and_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.ttl"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError, match=r"a\.ttl: cannot be written: No space left on device"):
        write_whole(path, "new", lasting=True)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@full_device
def test_a_run_goes_on_without_its_trace_and_says_so(tmp_path: Path) -> None:
    run = Run("ontology_matching", folder=tmp_path / "run")
    run.do(len, [1])
    (tmp_path / "run" / "events.jsonl").unlink()
    (tmp_path / "run" / "events.jsonl").symlink_to(FULL)
    run._files.close()  # type: ignore[union-attr]
    with pytest.warns(NotKept, match=r"events\.jsonl: No space left on device"):
        assert run.do(len, [1, 2]) == 2
    run.finish()
    assert run.state == "done"


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_an_alignment_that_does_not_fit_is_an_error_with_its_file(tmp_path: Path) -> None:
    done = limited(
        1, "match", "huts:alpine", "huts:refuge", "--embedder", "characters", "-o", "a.sssom.tsv", cwd=tmp_path
    )
    assert done.returncode == 1
    assert "a.sssom.tsv: cannot be written: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert not [one for one in tmp_path.iterdir() if one.suffix in (".part", ".partial", ".tsv")]


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_a_trace_that_does_not_fit_costs_the_trace_and_not_the_result(tmp_path: Path) -> None:
    words = ("match", "huts:alpine", "huts:refuge", "--embedder", "characters", "--run", "run")
    done = limited(4, *words, "-o", "-", cwd=tmp_path)
    assert done.returncode == 1
    assert "the trace of this run is not kept any further" in done.stderr
    assert done.stdout.count("\n") > 20


def test_an_error_that_no_command_foresaw_is_still_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    import click

    from kgnb.cli.outcome import outcome

    for error, words in (
        (MemoryError(), "out of memory"),
        (RecursionError(), "too deep"),
        (OverflowError("x"), "large"),
    ):

        @click.command()
        def failing(error: BaseException = error) -> None:
            raise error

        @click.group()
        def group() -> None:
            """Commands."""

        group.add_command(failing, "failing")
        assert outcome(group, ["failing"]) == 1
        said = capsys.readouterr().err
        assert words in said
        assert "Traceback" not in said


def test_a_hostile_file_name_reaches_the_terminal_as_text(
    capsys: pytest.CaptureFixture[str], record_property: Any
) -> None:
    record_property("tries", 3)
    for name in ("\x1b[31mred\x07.ttl", "a\u202egpj.ttl", "a\x9b2J.ttl"):
        assert main(["match", name, "huts:refuge"]) == 1
        said = capsys.readouterr().err
        assert "⟨U+" in said
        assert not set("\x1b\x07\u202e\x9b") & set(said)
