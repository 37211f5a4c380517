"""A disk that is full, or not to be written on: the file is named, the old one stays, and finished
work is not lost.
"""

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kgnb.cli import main
from kgnb.errors import DataError, NotKept
from kgnb.files import write_whole
from kgnb.run import Run
from tests.faults.commands import Place
from tests.faults.tries import WHOLE

pytestmark = pytest.mark.fault("full disk, hostile names")

FULL = Path("/dev/full")
MATCH = ("match", "huts:alpine", "huts:refuge", "--embedder", "characters", "--judge", "rule")
full_device = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")


def limited(kilobytes: int, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """kgnb, in a process whose files may grow so large only: as on a full disk, a write ends half
    way.
    """
    script = (
        "import resource, signal, sys; from kgnb.cli import main;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({kilobytes} << 10, {kilobytes} << 10));"
        "sys.exit(main(sys.argv[1:]))"
    )
    command = [
        sys.executable,
        "-B",
        "-c",
        script,
        *words,
    ]  # -B: a .pyc file cut short would break later imports
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
    done = limited(1, *MATCH, "-o", "a.sssom.tsv", cwd=tmp_path)
    assert done.returncode == 1
    assert "a.sssom.tsv: cannot be written: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert not [one for one in tmp_path.iterdir() if one.suffix in (".part", ".partial", ".tsv")]


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_a_trace_that_does_not_fit_costs_the_trace_and_not_the_result(tmp_path: Path) -> None:
    done = limited(4, *MATCH, "--run", "run", "-o", "-", cwd=tmp_path)
    assert done.returncode == 1
    assert "the trace of this run is not kept any further" in done.stderr
    assert done.stdout.count("\n") > 20


def test_an_error_that_no_command_foresaw_is_still_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
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


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB, where this process may mount one."""
    home = tmp_path / "disk"
    home.mkdir()
    mount = shutil.which("mount")
    if sys.platform != "linux" or os.geteuid() != 0 or not mount:
        pytest.skip("mounting a small disk needs root")
    done = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(home)],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield home
    subprocess.run(["umount", str(home)], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["output", "run", "cache", *(["report"] if WHOLE else [])])
def test_a_full_disk_affects_only_what_is_on_it(
    small_disk: Path, tmp_path: Path, what: str
) -> None:
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * (200 << 10))
    if what == "output":
        (small_disk / "out.sssom.tsv").write_text("old")
        filler.write_bytes(b"x" * (248 << 10))
    place = Place(
        tmp_path / "home",
        None,
        {"KGNB_CACHE": str(small_disk / "cache")} if what == "cache" else {},
    )
    if what == "report":
        settled = ("-p", "dataset=huts", "-p", "embedder=characters")
        words = ("report", "ontology-matching", *settled, "--out", str(small_disk / "report"))
    else:
        out = str(small_disk / "out.sssom.tsv") if what == "output" else "out.sssom.tsv"
        words = (*MATCH, "-o", out, *(("--run", str(small_disk / "run")) if what == "run" else ()))
    if what != "output":
        filler.write_bytes(b"x" * (252 << 10))
    status, said, told = place.run(*words)
    assert status == 1, told
    assert "Traceback" not in said + told
    assert "No space left" in told or "are not kept" in told or "full" in told
    if what == "output":
        assert (small_disk / "out.sssom.tsv").read_text() == "old"
    elif what != "report":
        assert b"\t" in (tmp_path / "home" / "out.sssom.tsv").read_bytes()
    assert not [one for one in small_disk.rglob("*") if one.suffix in (".part", ".partial")]
