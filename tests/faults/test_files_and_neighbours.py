"""Files that are not files, file systems without locks, YAML that unfolds, neighbours that read."""

from __future__ import annotations

import errno
import io
import json
import os
import sqlite3
import stat
import sys
import threading
import time
import unicodedata
from contextlib import closing
from pathlib import Path

import pytest

from kgnb import files
from kgnb.agents.kg_construction.documents import find_documents
from kgnb.agents.kg_construction.graph_file import GraphFile
from kgnb.cli import main
from kgnb.errors import ConfigError
from kgnb.files import append_lines, from_yaml, locked, read_lines, write_whole
from kgnb.judging import Verdict
from kgnb.judging.memory import VerdictStore
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.llm.batch import BatchModel
from kgnb.llm.model import Message, Reply, Request
from kgnb.llm.replay import Key, ReplayCache
from kgnb.run.folder import RunFolder
from kgnb.settings import Settings
from kgnb.sqlite_file import InUse, Locked
from kgnb.tasks.building import compile_ontology

posix = pytest.mark.skipif(os.name != "posix", reason="these are files of POSIX")
MATCH = ["match", "huts:alpine", "huts:refuge", "--judge", "rule", "--embedder", "characters"]


@posix
@pytest.mark.fault("files that are not files")
def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    real, link = tmp_path / "store" / "real.tsv", tmp_path / "link.tsv"
    real.parent.mkdir()
    real.write_text("old")
    link.symlink_to("store/real.tsv")
    assert write_whole(link, "new") == link
    assert link.is_symlink() and real.read_text() == "new"
    link.unlink()
    link.symlink_to("store/new.tsv")
    write_whole(link, "newer")
    assert (tmp_path / "store" / "new.tsv").read_text() == "newer" and link.is_symlink()


@posix
@pytest.mark.fault("files that are not files")
def test_hard_links_stay_one_file(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("a much longer old text")
    os.link(one, other)
    write_whole(one, "new")
    assert other.read_text() == "new" and one.samefile(other)


@posix
@pytest.mark.fault("files that are not files")
def test_a_pipe_gets_the_text_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "new")
    reader.join(10)
    assert heard == ["new"] and stat.S_ISFIFO(pipe.stat().st_mode)


@posix
@pytest.mark.fault("files that are not files")
def test_a_device_stays_a_device(tmp_path: Path) -> None:
    link = tmp_path / "null"
    link.symlink_to("/dev/null")
    write_whole(link, "new")
    assert link.is_symlink() and stat.S_ISCHR(link.stat().st_mode)


@posix
@pytest.mark.fault("files that are not files")
def test_a_read_only_file_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "o.sssom.tsv"
    out.write_text("kept")
    out.chmod(0o444)
    assert main([*MATCH, "-o", "o.sssom.tsv"]) == 1
    assert out.read_text() == "kept"
    assert "o.sssom.tsv: cannot be written: it is read-only" in capsys.readouterr().err


@posix
@pytest.mark.fault("files that are not files")
@pytest.mark.parametrize(
    "words",
    [
        ["match", "pipe.ttl", "huts:refuge"],
        ["build", "huts:kitchen", "pipe.ttl", "-o", "o.trig"],
        ["build", "pipe.ttl", "huts:kitchen-notes", "-o", "o.trig"],
        ["ask", "Who?", "--graph", "pipe.ttl"],
        ["align", "huts:hollenmark", "huts:corvane", "--seeds", "pipe.ttl"],
        ["align", "pipe.ttl", "huts:corvane"],
        ["align", "huts:hollenmark", "huts:corvane", "--names", "pipe.ttl"],
        ["ask", "--questions", "pipe.ttl", "--graph", "huts:graph"],
        ["ask", "Who?", "--graph", "huts:graph", "--examples", "pipe.ttl"],
        ["ask", "Who?", "--graph", "huts:graph", "--decisions", "pipe.ttl"],
        ["match", "huts:alpine", "huts:refuge", "--decisions", "pipe.ttl"],
        ["build", "huts:kitchen", "huts:kitchen-notes", "--into", "pipe.ttl"],
    ],
    ids=" ".join,
)
def test_a_pipe_as_input_is_refused_in_one_line_that_says_so(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.ttl")
    judge = "person" if words[-2] == "--decisions" else "rule"
    assert main([*words, "--judge", judge]) == 1
    assert "pipe.ttl: is a pipe or a device, and inputs are read more than once\n" in (
        capsys.readouterr().err
    )


@posix
@pytest.mark.fault("files that are not files")
@pytest.mark.parametrize(
    "words",
    [
        ["sweep", "pipe.ttl"],
        ["scan", "--allow", "pipe.ttl", "."],
        ["subgraph", "--entities", "pipe.ttl", "--endpoint", "huts:graph", "-o", "o.nt"],
        ["serve", "huts:kitchen", "--out", "pipe.ttl"],
    ],
    ids=" ".join,
)
def test_a_pipe_as_the_file_of_an_option_is_refused(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.ttl")
    assert main(words) == 1
    assert "pipe.ttl: is a pipe or a device" in capsys.readouterr().err


@posix
@pytest.mark.fault("file system without locks")
def test_work_goes_on_where_the_file_system_knows_no_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*given: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(files.fcntl, "flock", none)
    with locked(tmp_path / ".lock"):
        append_lines(tmp_path / "lines.jsonl", [{"a": 1}])
    assert [entry for _, entry in read_lines(tmp_path / "lines.jsonl")] == [{"a": 1}]
    assert not (tmp_path / ".lock").exists()
    batch = BatchModel(tmp_path / "batch")
    assert batch.folder.is_dir()
    session = compile_ontology("huts:kitchen").session()
    served = GraphFile(tmp_path / "k.trig", session, None)
    assert session.call("create_ingredient", {"label": "salt"}).ok
    served.close()
    assert "salt" in (tmp_path / "k.trig").read_text()


@posix
@pytest.mark.fault("file system without locks")
def test_a_cache_that_cannot_be_locked_is_said_and_no_other_process_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*given: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(ReplayCache, "patience", 0.1)
    path = tmp_path / "replies.sqlite"
    cache = ReplayCache(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")  # as SQLite is refused where there are no locks
        with pytest.raises(Locked, match="is writing to it"):
            cache.put(Key.of(Request((Message("user", "Who?"),)), "m"), Reply("yes"))
        monkeypatch.setattr(files.fcntl, "lockf", none)
        with pytest.raises(InUse, match="needs locks") as told:
            cache.put(Key.of(Request((Message("user", "Who?"),)), "m"), Reply("yes"))
    assert not isinstance(told.value, Locked) and "KGNB_CACHE" in told.value.fix


@pytest.mark.fault("kill -9")
def test_what_a_kill_left_beside_a_file_is_no_input(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text("<http://a/a> <http://a/b> <http://a/c> .")
    (tmp_path / "note.txt").write_text("Salt.")
    for name in ("a.ttl", "note.txt"):
        (tmp_path / f".{name}.0a1b2c3d.part").write_text("half of")
    graph = OxigraphGraph()
    assert load(graph, tmp_path).triples == 1
    assert [one.name for one in find_documents(tmp_path)] == ["note.txt"]
    write_whole(tmp_path / "note.txt", "Salt and pepper.")
    assert len(list(tmp_path.iterdir())) == 4


WRITER = """
import sys
import time
from pathlib import Path
from kgnb.files import append_lines
for number in range(50):
    append_lines(Path(sys.argv[1]), [{"of": sys.argv[2], "text": "x" * 1000}])
"""


@pytest.mark.slow
@pytest.mark.fault("two at once")
def test_lines_of_several_processes_are_whole_and_none_is_marked_as_cut(tmp_path: Path) -> None:
    import subprocess

    path = tmp_path / "decisions.jsonl"
    made = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(number)])
        for number in range(3)
    ]
    assert [one.wait(120) for one in made] == [0, 0, 0]
    lines = path.read_text().splitlines()
    assert len(lines) == 150 and all(json.loads(line) for line in lines)


@posix
@pytest.mark.fault("two at once")
def test_a_line_goes_to_the_file_that_an_editor_put_there_meanwhile(tmp_path: Path) -> None:
    path, theirs = tmp_path / "decisions.jsonl", tmp_path / "saved.jsonl"
    append_lines(path, [{"number": 1}])
    theirs.write_text(path.read_text().replace("1", "10"))
    with path.open("ab") as file:
        assert files.hold(file.fileno())
        adding = threading.Thread(target=append_lines, args=(path, [{"number": 2}]))
        adding.start()
        time.sleep(0.5)
        theirs.replace(path)
    adding.join(60)
    assert [line["number"] for _, line in read_lines(path)] == [10, 2]


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [*{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.fault("small files that kill or hang a reader")
@pytest.mark.parametrize("text", [BOMB, "a: " + "[" * 5000, "a: [" + "1," * 200_000 + "1]"])
def test_yaml_that_unfolds_nests_or_never_ends_is_refused(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match="it "):
        from_yaml(text)
    file = tmp_path / "sweep.yaml"
    file.write_text("report: ontology-matching\nparameters:\n  k: [3]\n" + text)
    assert main(["sweep", str(file)]) == 1
    assert "the sweep cannot be read: it " in capsys.readouterr().err


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix
@pytest.mark.fault("neighbours on the machine")
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077], ids=oct)
def test_what_is_kept_is_for_its_user_alone(mask: int, tmp_path: Path) -> None:
    before = os.umask(mask)
    try:
        cache = ReplayCache(tmp_path / "cache" / "replies.sqlite")
        cache.put(Key.of(Request((Message("user", "Jane Roe"),)), "m"), Reply("yes"))
        VerdictStore(tmp_path / "cache" / "verdicts.sqlite")
        BatchModel(tmp_path / "asked")
        run = RunFolder(tmp_path / "run")
        run.append([])
        words = ["-o", str(tmp_path / "o.trig"), "--folder", str(tmp_path / "kept")]
        assert main(["build", "huts:kitchen", "huts:kitchen-notes", "--judge", "rule", *words]) == 0
    finally:
        os.umask(before)
    for folder in ("cache", "asked", "run", "kept/journals"):
        assert mode(tmp_path / folder) == 0o700
    kept = list((tmp_path / "cache").iterdir())
    assert len(kept) >= 2 and {mode(path) for path in kept} == {0o600}


@pytest.mark.fault("neighbours on the machine")
@pytest.mark.parametrize("name", ["Jane Roe", 'Ørsted "the" Ünlü'])
def test_a_person_s_text_is_erased_from_the_cache(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Settings.load().cache / "replies.sqlite"
    cache = ReplayCache(path)
    for text in (f"Who is {name}?", "Who else?"):
        cache.put(Key.of(Request((Message("user", text),)), "m"), Reply("yes"))
    cache.put(Key.of(Request((Message("user", "Which?"),)), "m"), Reply(f"It is {name}."))
    assert main(["cache", "forget", name]) == 0
    assert "replies            2 deleted" in capsys.readouterr().out
    assert len(cache) == 1
    other = unicodedata.normalize("NFD", name).upper().replace(" ", "\n  ")
    nested = json.dumps({"arguments": json.dumps({"who": other})})
    for text in (f"Who is {other}?", nested):
        cache.put(Key.of(Request((Message("user", text),)), "m"), Reply("yes"))
    assert main(["cache", "forget", name]) == 0
    assert "replies            2 deleted" in capsys.readouterr().out
    for not_said in ("%", "max_tokens"):
        assert main(["cache", "forget", not_said]) == 0
        assert "replies            0 deleted" in capsys.readouterr().out
    assert len(cache) == 1
    cache.close()
    escaped = json.dumps(name)[1:-1].encode()
    for file in path.parent.glob("replies.sqlite*"):
        assert escaped not in file.read_bytes()
    assert main(["cache", "forget", " "]) == 2


@pytest.mark.fault("neighbours on the machine")
def test_what_was_kept_long_ago_is_forgotten_by_age(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Settings.load().cache / "replies.sqlite"
    cache = ReplayCache(path)
    keys = [Key.of(Request((Message("user", f"Question {n}?"),)), "m") for n in range(4)]
    for key in keys:
        cache.put(key, Reply("yes"))
    with cache.use() as db:
        for key, days in zip(keys, (100, 31, 29, 0), strict=True):
            db.execute("UPDATE days SET day = day - ? WHERE entry = ?", (days, key.digest))
    VerdictStore(path.with_name("verdicts.sqlite")).put(
        "judge", {"q1": Verdict("yes", "yes", 1.0, "why", "judge")}
    )
    assert main(["cache", "forget", "--older-than", "30"]) == 0
    said = capsys.readouterr().out
    assert "replies            2 deleted" in said and "verdicts           0 deleted" in said
    assert [cache.get(key) is not None for key in keys] == [False, False, True, True]
    # what an earlier version has kept has no day
    with cache.use() as db:
        for made in ("TRIGGER came", "TRIGGER went", "TABLE days"):
            db.execute(f"DROP {made}")
    cache.close()
    assert main(["cache", "forget", "--older-than", "30"]) == 0
    assert "replies            2 deleted" in capsys.readouterr().out
    assert cache.insert([(key.digest, key.content, "{}") for key in (*keys, keys[0])]) == 4
    assert main(["cache", "forget", "--older-than", "0"]) == 0
    assert "replies            0 deleted" in capsys.readouterr().out
    assert main(["cache", "forget"]) == main(["cache", "forget", "x", "--older-than", "1"]) == 2


@pytest.mark.fault("two at once")
def test_a_reply_that_is_cut_off_by_the_end_of_input_is_not_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from kgnb.errors import Waiting

    with pytest.raises(Waiting):
        BatchModel(tmp_path / "asked").ask(Request((Message("user", "Who?"),)))
    monkeypatch.setattr("sys.stdin", io.StringIO("half a reply without a dot"))
    assert main(["batch", "answer", str(tmp_path / "asked")]) == 1
    assert "in the middle of a reply, which is not kept" in capsys.readouterr().err
    assert not list((tmp_path / "asked").glob("replies*.jsonl"))


@pytest.mark.fault("neighbours on the machine")
def test_a_token_that_can_be_guessed_is_refused_on_loopback_as_well(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("T", "a")
    assert main(["serve", "huts:kitchen", "--http", "--token", "env:T"]) == 1
    assert "fewer than 16 characters" in capsys.readouterr().err


@posix
@pytest.mark.fault("no home folder")
@pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can be somebody else"
)
def test_a_user_without_a_home_or_an_entry_can_work(tmp_path: Path) -> None:
    import subprocess

    code = (
        "import os; os.setgid(54321); os.setuid(54321)\n"
        "from kgnb.settings import Settings\n"
        "from kgnb.trust import config_folder\n"
        "print(Settings.load().cache, config_folder())"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("HOME", "XDG", "KGNB"))}
    tmp_path.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd="/", capture_output=True, text=True
    )
    if "ermission" in done.stderr or "No module" in done.stderr:
        pytest.skip("this Python cannot be read by other users")
    assert done.stdout.split() == [f"{os.environ.get('TMPDIR', '/tmp')}/kgnb-54321", "None"]


def test_the_error_of_a_trust_without_a_home_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kgnb import trust

    monkeypatch.setattr(trust, "config_folder", lambda: None)
    path = tmp_path / "kgnb.toml"
    path.write_text("")
    with pytest.raises(ConfigError, match="no home folder"):
        trust.SettingsFile.read(path).trust()


@pytest.mark.fault("no home folder")
def test_a_cache_that_cannot_be_opened_costs_only_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.llm.obliging import oblige
    from tests.llm.stub_server import StubServer

    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("no folder can be made in it")
    monkeypatch.setenv("KGNB_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setenv("KGNB_REMEMBER", "no")
    words = [*MATCH[:3], "--judge", "model", "--embedder", "characters", "-o", "o.sssom.tsv"]
    with StubServer(oblige) as server:
        monkeypatch.setenv("KGNB_MODEL", "stub")
        monkeypatch.setenv("KGNB_BASE_URL", server.url)
        # as for everything that is not kept: the result is there, and the status says so
        assert main(words) == 1
    assert "the cache of replies is not used, and nothing is kept" in capsys.readouterr().err
    assert (tmp_path / "o.sssom.tsv").exists()


@pytest.mark.fault("files that are not files")
@pytest.mark.parametrize("kind", ["a device", "a pipe", "an empty device", "a link to one"])
def test_a_settings_file_that_is_no_file_is_refused_at_once(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kgnb.toml"
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a link to one":
        path.symlink_to("/dev/zero")
    else:
        path = Path("/dev/zero" if kind == "a device" else "/dev/null")
    began = time.monotonic()
    for words in (["--config", str(path), "cache", "info"], ["trust", str(path)]):
        assert main(words) == 1
        assert f"{path}: is a pipe or a device" in capsys.readouterr().err
    assert time.monotonic() - began < 10
