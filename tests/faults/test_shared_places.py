# ruff: noqa: E501
"""What several processes use at once, or what goes away in the middle: vector stores, a full disk."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgnb.cli import main
from tests.faults.commands import Place
from tests.faults.test_caches_in_use import held
from tests.faults.tries import WHOLE
from tests.vectors.qdrant_shim import QdrantShim

pytestmark = pytest.mark.slow
MATCH = ("match", "huts:alpine", "huts:refuge", "--embedder", "characters", "--judge", "rule")
HOLD = """
import sys
from kgnb.vectors.qdrant_index import QdrantIndex
index = QdrantIndex(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.fault("vector store locked or gone")
def test_a_qdrant_folder_that_another_process_holds_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "vectors"
    place = Place(tmp_path, None, {"KGNB_INDEX": str(folder)})
    with held(folder, HOLD):
        status, _, told = place.run(*MATCH, "-o", "out.sssom.tsv")
    assert status == 1
    assert str(folder) in told and "in use by another kernel or program" in told
    assert "Traceback" not in told
    status, _, told = place.run(*MATCH, "-o", "out.sssom.tsv")
    assert status == 0, told


@pytest.mark.fault("vector store locked or gone")
@pytest.mark.parametrize("requests", [0, 3])
def test_a_qdrant_server_that_goes_away_in_the_middle_is_an_error_by_its_address(
    tmp_path: Path, requests: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kgnb.patience.Patience.pause", lambda self, tried, asked=None: tried < 2)
    monkeypatch.chdir(tmp_path)
    shim = QdrantShim()
    answer = shim.said

    def leaving(*asked: object) -> tuple[int, dict[str, str], str]:
        if len(shim.requests) >= requests:
            return 503, {}, "<html>going down</html>"
        return answer(*asked)  # type: ignore[arg-type]

    shim.said = leaving  # type: ignore[method-assign,assignment]
    monkeypatch.setenv("KGNB_INDEX", shim.url)
    try:
        assert main([*MATCH, "-o", "out.sssom.tsv"]) == 1
    finally:
        shim.stop()
    told = capsys.readouterr().err
    assert shim.url.removeprefix("http://") in told
    assert "Traceback" not in told
    assert not Path("out.sssom.tsv").exists()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB, where this process may mount one."""
    home = tmp_path / "disk"
    home.mkdir()
    mount = shutil.which("mount")
    if sys.platform != "linux" or os.geteuid() != 0 or not mount:
        pytest.skip("mounting a small disk needs root")
    done = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(home)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield home
    subprocess.run(["umount", str(home)], check=True)


@pytest.mark.fault("full disk, hostile names")
@pytest.mark.parametrize("what", ["output", "run", "cache", *(["report"] if WHOLE else [])])
def test_a_full_disk_affects_only_what_is_on_it(small_disk: Path, tmp_path: Path, what: str) -> None:
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * (200 << 10))
    if what == "output":
        (small_disk / "out.sssom.tsv").write_text("old")
        filler.write_bytes(b"x" * (248 << 10))
    place = Place(tmp_path / "home", None, {"KGNB_CACHE": str(small_disk / "cache")} if what == "cache" else {})
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
