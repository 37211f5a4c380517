"""Caches that another process holds, or that may not be written: said within seconds, and nothing
paid is lost.
"""

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kgnb.cli import main
from kgnb.errors import DataError, NotKept
from kgnb.judging import Verdict
from kgnb.judging.memory import VerdictStore
from kgnb.llm.chat_model import Model
from kgnb.llm.model import Message, Request
from kgnb.llm.replay import ReplayCache
from kgnb.llm.scripted import ScriptedModel
from kgnb.sqlite_file import InUse, SqliteFile
from kgnb.vectors.cached_embedder import CachedEmbedder, VectorCache
from kgnb.vectors.character_embedder import CharacterEmbedder
from kgnb.vectors.openai_embedder import OpenAIEmbedder
from tests.faults.commands import Place
from tests.faults.tries import WHOLE
from tests.vectors.qdrant_shim import QdrantShim

pytestmark = pytest.mark.fault("cache locked or read-only")

HOLD = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""
ASKED = Request((Message("user", "Is it a hut?"),))
VERDICT = Verdict("equivalent", "http://hut.example/a", 0.9, "alike", "model")


@contextmanager
def held(path: Path, code: str = HOLD) -> Iterator[int]:
    """Another process that is writing to the file, or runs such code, for as long as this lasts:
    its number.
    """
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdin and other.stdout
    try:
        assert other.stdout.readline() == "held\n"
        yield other.pid
    finally:
        other.kill()  # as a kernel that dies: nothing of it is left to lock the file
        other.wait()
        other.stdin.close()
        other.stdout.close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in use, with a wait that a test can afford."""
    monkeypatch.setattr(SqliteFile, "patience", 0.2)


def by(process: int) -> str:
    return (
        rf"is locked: process {process} \(.*\) is writing to it"
        if sys.platform == "linux"
        else "is locked"
    )


def test_a_locked_memory_of_verdicts_is_left_out_and_its_holder_named(tmp_path: Path) -> None:
    memory = VerdictStore(tmp_path / "verdicts.sqlite")
    memory.put("judge", {"q1": VERDICT})
    with held(memory.path) as process:
        with pytest.warns(NotKept, match=by(process)):
            memory.put("judge", {"q2": VERDICT})
        memory.put("judge", {"q3": VERDICT})  # it warns once
        assert memory.get("judge", ["q1"]) == {}
    assert set(VerdictStore(memory.path).get("judge", ["q1", "q2", "q3"])) == {"q1"}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions do not bind here")
def test_a_read_only_memory_of_verdicts_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.sqlite"
    VerdictStore(path).close()
    path.chmod(0o400)
    with pytest.warns(NotKept, match="may not be written to"):
        VerdictStore(path).put("judge", {"q1": VERDICT})


def test_vectors_and_paid_replies_are_used_without_a_locked_cache(
    tmp_path: Path, record_property: Any
) -> None:
    vectors = VectorCache(tmp_path / "vectors.sqlite")
    with held(vectors.path) as process, pytest.warns(NotKept, match=by(process)):
        found = CachedEmbedder(CharacterEmbedder(), vectors).embed(["a hut", "a pass"])
    assert np.array_equal(found, CharacterEmbedder().embed(["a hut", "a pass"]))
    service = CharacterEmbedder()
    service.paid = OpenAIEmbedder.paid  # type: ignore[attr-defined]  # a service: each batch would be paid for again
    with held(vectors.path), pytest.raises(InUse):
        CachedEmbedder(service, vectors).embed(["a pass and a hut"])
    cache = ReplayCache(tmp_path / "replies.sqlite")
    model = Model.of(ScriptedModel(["yes", "no"]), cache=cache)
    with held(cache.path) as process, pytest.warns(NotKept, match=by(process)):
        assert model.ask(ASKED).text == "yes"
    assert model.ask(ASKED).text == "no" and len(cache) == 1  # asked again, and cached now
    new = tmp_path / "new.sqlite"
    sqlite3.connect(new).close()
    with held(new) as process, pytest.raises(DataError, match=by(process)):
        ReplayCache(new)
    record_property("tries", 3)


UNPRIVILEGED = """
import ctypes, os, sys
for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH: permissions bind root, too
    if os.geteuid() == 0 and ctypes.CDLL(None).prctl(24, capability, 0, 0, 0):
        sys.exit(77)
os.execv(sys.executable, [sys.executable, "-m", "kgnb", *sys.argv[1:]])
"""
READ_ONLY = {
    "alignment": (
        "match",
        "huts:alpine",
        "huts:refuge",
        "--judge",
        "rule",
        "-o",
        "bare/out.sssom.tsv",
    ),
    "cache": ("match", "huts:alpine", "huts:refuge", "--judge", "rule"),
    "run": ("match", "huts:alpine", "huts:refuge", "--judge", "rule", "--run", "bare/run"),
    "answers": (
        "ask",
        "--graph",
        "huts:graph",
        "--questions",
        "q.jsonl",
        "--judge",
        "rule",
        "-o",
        "bare/out.jsonl",
    ),
    "served facts": ("serve", "huts:kitchen", "--out", "bare/out.trig"),
    "built graph": (
        "build",
        "huts:kitchen",
        "huts:kitchen-notes",
        "--judge",
        "rule",
        "-o",
        "bare/out.trig",
    ),
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="capabilities of Linux")
@pytest.mark.parametrize("what", READ_ONLY if WHOLE else ["alignment", "cache"])
def test_a_folder_that_may_not_be_written_to_is_named_and_stays_as_it_is(
    tmp_path: Path, what: str
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    (tmp_path / "q.jsonl").write_text(
        '{"id": "q", "question": "Who is the warden of the Hochkar House?"}\n'
    )
    bare.chmod(0o500)
    cache = bare if what == "cache" else tmp_path / "cache"
    done = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED, *READ_ONLY[what]],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "KGNB_CACHE": str(cache), "KGNB_EMBEDDER": "characters"},
        capture_output=True,
        text=True,
        check=False,
    )
    bare.chmod(0o700)
    if done.returncode == 77:
        pytest.skip("no capability can be given up here")
    assert done.returncode == 1, done.stderr
    assert "bare" in done.stderr and "Traceback" not in done.stderr
    assert not list(bare.iterdir())
    assert what != "cache" or done.stdout.count("\n") > 20  # the work is done all the same


DAMAGES = (b"CREATE", b"hut", b"judge", b"replies", b"verdicts", b"{")


@pytest.mark.parametrize("kind", ["verdicts", "replies", "vectors"])
def test_a_damaged_cache_is_refused_by_its_name(tmp_path: Path, kind: str) -> None:
    """Bytes that are no UTF-8, put into every place where SQLite may read a text."""
    path = tmp_path / "kept.sqlite"

    def use() -> None:
        opened: VerdictStore | ReplayCache | VectorCache
        with closing(
            opened := {"verdicts": VerdictStore, "replies": ReplayCache, "vectors": VectorCache}[
                kind
            ](path)
        ):
            match opened:
                case VerdictStore():
                    opened.put("judge", {"hut": VERDICT})
                    opened.get("judge", ["hut"])
                case ReplayCache():
                    Model.of(ScriptedModel(["hut"]), cache=opened).ask(ASKED)
                case VectorCache():
                    CachedEmbedder(CharacterEmbedder(), opened).embed(["a hut"])

    use()
    sound, refused = path.read_bytes(), 0
    for word in DAMAGES:
        for at in (one.start() for one in re.finditer(re.escape(word), sound)):
            path.write_bytes(sound[:at] + b"\xd5\xff" + sound[at + 2 :])
            try:
                use()
            except DataError as error:
                refused += 1
                assert str(path) in str(error), error
    assert refused


def test_a_command_goes_on_without_a_cache_that_another_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    words, said = (
        ["match", "huts:alpine", "huts:refuge", "--embedder", "characters", "--judge", "rule"],
        [],
    )
    VectorCache(tmp_path / "taken" / "vectors.sqlite").close()
    with held(tmp_path / "taken" / "vectors.sqlite") as process:
        for name, status in (("free", 0), ("taken", 1)):
            monkeypatch.setenv("KGNB_CACHE", str(tmp_path / name))
            assert main(words) == status
            said.append(capfd.readouterr())
    assert said[1].out == said[0].out != ""
    assert f"process {process}" in said[1].err or sys.platform != "linux"
    assert "vectors are not kept" in said[1].err


HOLD_INDEX = """
import sys
from kgnb.vectors.qdrant_index import QdrantIndex
index = QdrantIndex(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""
MATCH = ("match", "huts:alpine", "huts:refuge", "--embedder", "characters", "--judge", "rule")


@pytest.mark.slow
@pytest.mark.fault("vector store locked or gone")
def test_a_qdrant_folder_that_another_process_holds_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "vectors"
    place = Place(tmp_path, None, {"KGNB_INDEX": str(folder)})
    with held(folder, HOLD_INDEX):
        status, _, told = place.run(*MATCH, "-o", "out.sssom.tsv")
    assert status == 1
    assert str(folder) in told and "in use by another kernel or program" in told
    assert "Traceback" not in told
    status, _, told = place.run(*MATCH, "-o", "out.sssom.tsv")
    assert status == 0, told


@pytest.mark.slow
@pytest.mark.fault("vector store locked or gone")
@pytest.mark.parametrize("requests", [0, 3])
def test_a_qdrant_server_that_goes_away_in_the_middle_is_an_error_by_its_address(
    tmp_path: Path,
    requests: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("kgnb.patience.Patience.pause", lambda self, tried, *asked: tried < 2)
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


PUT = """
import sys
from kgnb.llm.replay import ReplayCache
with ReplayCache(sys.argv[1]).use() as db:
    db.execute("CREATE TABLE IF NOT EXISTS others (name TEXT)")
    db.execute("INSERT INTO others VALUES ('there')")
    db.close()
print("held", flush=True)
"""


def test_a_cache_opened_twice_in_a_process_is_not_taken_for_left_over(tmp_path: Path) -> None:
    """To open the file beside SQLite and to close it again dropped the process's locks: the next
    process that closed the file removed the log in use, and "disk I/O error" or lost rows followed.
    """
    path = tmp_path / "replies.sqlite"
    first, second = ReplayCache(path), ReplayCache(path)
    try:
        assert len(first) == len(second) == 0
        log = path.with_name("replies.sqlite-wal").stat().st_ino
        with held(path, PUT):
            pass
        assert path.with_name("replies.sqlite-wal").stat().st_ino == log
    finally:
        first.close()
        second.close()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT name FROM others").fetchall() == [("there",)]
