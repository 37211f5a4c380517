"""Containers and clusters: no home, no entry in the list of users, read-only places, no locks, caches
that cannot be opened. The work is done, or one line says what is wrong and where.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import which

import pytest

import kgnb
from tests.llm.obliging import oblige
from tests.llm.stub_server import StubServer

pytestmark = [pytest.mark.fault("containers and clusters"), pytest.mark.slow]

PACKAGE = Path(kgnb.__file__).parents[1]
MATCH = ["match", "huts:alpine", "huts:refuge", "--embedder", "characters", "-o", "out.sssom.tsv"]
UNKNOWN = 54321  # a user of no list, as containers are run
NO_LOCKS = """
import errno, fcntl
def none(*given):
    raise OSError(errno.ENOLCK, "No locks available")
fcntl.flock = fcntl.lockf = none
"""
AS_SOMEBODY = [
    "setpriv",
    "--clear-groups",
    "--inh-caps=+dac_read_search",
    "--ambient-caps=+dac_read_search",
]
as_root = pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0 or not which("setpriv"),
    reason="only root can be somebody else",
)


def run(
    folder: Path, *words: str, user: int | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """A command with this environment and no other, as ``env -i`` gives it."""
    bare = {"PATH": os.defpath, "PYTHONPATH": str(PACKAGE), **environment}

    # may read what only root can (this Python may be such), and write nothing of it
    somebody = [*AS_SOMEBODY, f"--reuid={user}", f"--regid={user}"] if user is not None else []
    return subprocess.run(
        [*somebody, sys.executable, "-m", "kgnb", *words],
        cwd=folder,
        env=bare,
        capture_output=True,
        text=True,
        timeout=300,
    )


def open_to_all(folder: Path) -> None:
    for parent in (folder, *folder.parents[:3]):
        parent.chmod(parent.stat().st_mode | 0o711)
    folder.chmod(0o777)


@pytest.mark.parametrize("home", [None, "", "relative", "/nonexistent"])
def test_a_home_that_is_missing_empty_or_relative_is_no_hindrance(
    tmp_path: Path, home: str | None
) -> None:
    environment = {} if home is None else {"HOME": home}
    done = run(tmp_path, *MATCH, "--judge", "rule", TMPDIR=str(tmp_path), **environment)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.sssom.tsv").stat().st_size
    assert not (tmp_path / "relative").exists()


@as_root
@pytest.mark.parametrize("cache", [None, "own", "closed"])
def test_a_user_without_an_entry_works_whatever_becomes_of_the_cache(
    tmp_path: Path, cache: str | None
) -> None:
    open_to_all(tmp_path)
    environment = {"TMPDIR": str(tmp_path)}
    if cache:
        place = tmp_path / cache
        place.mkdir(mode=0o700)
        if cache == "own":
            os.chown(place, UNKNOWN, UNKNOWN)
        environment["KGNB_CACHE"] = str(place)
    with StubServer(oblige) as server:
        done = run(
            tmp_path,
            *MATCH,
            "--judge",
            "model",
            user=UNKNOWN,
            KGNB_MODEL="stub",
            KGNB_BASE_URL=server.url,
            **environment,
        )
    assert (tmp_path / "out.sssom.tsv").stat().st_size, done.stderr
    assert "Traceback" not in done.stderr
    if cache == "closed":
        # the result is there, and the line and the status say that nothing was kept
        assert done.returncode == 1 and "nothing is kept" in done.stderr and cache in done.stderr
    else:
        assert done.returncode == 0, done.stderr


@as_root
def test_a_read_only_home_costs_only_what_would_be_kept_there(tmp_path: Path) -> None:
    open_to_all(tmp_path)
    home = tmp_path / "home"
    home.mkdir(mode=0o555)
    with StubServer(oblige) as server:
        model = {"KGNB_MODEL": "stub", "KGNB_BASE_URL": server.url, "HOME": str(home)}
        done = run(tmp_path, *MATCH, "--judge", "model", user=UNKNOWN, **model)
    assert done.returncode == 1, done.stderr
    assert (tmp_path / "out.sssom.tsv").stat().st_size
    assert "nothing is kept" in done.stderr and str(home) in done.stderr
    assert not list(home.iterdir())


def damaged(cache: Path) -> None:
    (cache / "replies.sqlite").write_bytes(b"no database" * 1000)


def no_folder(cache: Path) -> None:
    cache.rmdir()
    cache.write_text("a file")


def a_folder_in_its_place(cache: Path) -> None:
    (cache / "replies.sqlite").mkdir()


@pytest.mark.parametrize("spoil", [damaged, no_folder, a_folder_in_its_place])
def test_a_cache_that_cannot_be_opened_is_named_and_the_work_is_done(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    spoil(cache)
    with StubServer(oblige) as server:
        model = {"KGNB_MODEL": "stub", "KGNB_BASE_URL": server.url, "KGNB_CACHE": str(cache)}
        done = run(tmp_path, *MATCH, "--judge", "model", **model)
    assert done.returncode == 1, done.stderr
    assert (tmp_path / "out.sssom.tsv").stat().st_size
    assert "nothing is kept" in done.stderr and str(cache) in done.stderr
    assert "Traceback" not in done.stderr


def test_without_locks_models_are_asked_and_all_is_written(tmp_path: Path) -> None:
    """A file system without a lock service, as home folders of clusters are."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(NO_LOCKS)
    with StubServer(oblige) as server:
        done = run(
            tmp_path,
            *MATCH,
            "--judge",
            "model",
            "--run",
            "run",
            KGNB_MODEL="stub",
            KGNB_BASE_URL=server.url,
            KGNB_CACHE=str(tmp_path / "cache"),
            PYTHONPATH=f"{tmp_path / 'site'}{os.pathsep}{PACKAGE}",
        )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.sssom.tsv").stat().st_size
    assert (tmp_path / "run" / "run.json").is_file()
