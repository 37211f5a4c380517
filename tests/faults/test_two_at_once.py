"""Finished work that was damaged, and work of two programs in one place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kgnb.agents.kg_construction import AGENT as BUILDER
from kgnb.agents.kg_construction.graph_file import GraphFile
from kgnb.agents.kg_construction.session import ConstructionSession
from kgnb.cli import main
from kgnb.errors import DataError
from kgnb.files import Claim
from kgnb.reporting.report import run_report
from kgnb.tasks import jupyter_tools
from kgnb.tasks.asking import AnswerFile, AnswerOutcome, read_answers
from kgnb.tasks.building import compile_ontology
from kgnb.trust import SettingsFile
from tests.agents.kg_construction.kitchen import HUTS
from tests.reporting.conftest import notebook

PARAMETERS = "k: int = 2  # how many [1, 9]"
SAVES = (
    "import json, os\nfrom kgnb.reporting.session import current\n"
    "with open(os.environ['SEEN'], 'a') as seen: seen.write(f'{k}\\n')\n"
    "(current().folder / 'metrics.json').write_text(json.dumps({'headline': [{'F1': 10.0 * k}]}))"
)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:20])


def other_figures(path: Path) -> None:
    path.write_text(json.dumps({"headline": [{"F1": 99.0}]}))


@pytest.mark.slow
@pytest.mark.fault("finished work is damaged")
def test_resume_runs_a_damaged_item_again_and_says_so(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    record_property: Callable[[str, object], None],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    notebook(tmp_path, "# Small", PARAMETERS, SAVES)
    (tmp_path / "grid.yaml").write_text("report: small.ipynb\nparameters: {k: [3]}\n")
    assert main(["sweep", "grid.yaml", "--out", "sw"]) == 0
    [item] = (tmp_path / "sw" / "items").iterdir()
    harms = [("metrics.json", cut), ("metrics.json", other_figures), ("item.json", cut)]
    for name, harm in harms:
        harm(item / name)
        capsys.readouterr()
        assert main(["resume", "sw"]) == 0
        captured = capsys.readouterr()
        assert f"{name} is cut or changed; this report runs again" in captured.err
        assert "1 done" in captured.out
        [row] = json.loads((tmp_path / "sw" / "comparison.json").read_text())["rows"]
        assert row["figures"] == {"F1": 30.0}
    assert main(["resume", "sw"]) == 0
    assert "runs again" not in capsys.readouterr().err
    assert (tmp_path / "seen").read_text().split() == ["3"] * 4
    record_property("tries", len(harms))


def a_session(home: Path) -> ConstructionSession:
    (home / "huts.ttl").write_text(HUTS)
    return compile_ontology(home / "huts.ttl").session()


@pytest.mark.fault("two at once")
@pytest.mark.parametrize("name", ["built.trig", "built.ttl"])
def test_a_served_file_that_somebody_else_changed_is_set_aside_and_this_is_said(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, session = tmp_path / name, a_session(tmp_path)
    file = GraphFile(path, session, None)
    theirs = []
    for number in (1, 2):
        assert session.call("create_hut", {"label": f"Hut {number}"}).ok
        file.save()
        assert "changed" not in capsys.readouterr().err
        theirs.append(f"<https://hut.example/{number}> <https://hut.example/by> 'hand' .\n")
        path.write_text(theirs[-1])
        assert session.call("create_hut", {"label": f"Other hut {number}"}).ok
        file.save()
        kept = path.with_stem(f"built-changed-{number}")
        assert f"that version is kept in {kept}" in capsys.readouterr().err
        assert kept.read_text() == theirs[-1]
        assert "hand" not in path.read_text() and f"Other hut {number}" in path.read_text()
    file.close()
    assert "changed" not in capsys.readouterr().err


@pytest.mark.fault("two at once")
def test_a_second_jupyter_server_has_a_graph_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KGNB_CACHE", str(tmp_path / "cache"))
    a_session(tmp_path)
    tbox = str(tmp_path / "huts.ttl")
    servers = [jupyter_tools.shared.__wrapped__(tbox) for _ in range(3)]
    said = capsys.readouterr().err
    assert said.count("another Jupyter server keeps its graph in") == 2
    journals = sorted((tmp_path / "cache" / "jupyter").glob("*.journal"))
    assert len(journals) == 3, "an attempt to open a graph took its journal away"
    for number, server in enumerate(servers):
        assert server.call("create_hut", {"label": f"Hut {number}"}).ok
        server.close()
    files = sorted((tmp_path / "cache" / "jupyter").glob("*.trig"))
    assert len(files) == 3
    held = [{n for n in range(3) if f'"Hut {n}"' in file.read_text()} for file in files]
    assert sorted(map(sorted, held)) == [[0], [1], [2]]


HOLDER = """
import sys
from pathlib import Path
from kgnb.files import Claim
with Claim(Path(sys.argv[1]), shared=len(sys.argv) > 2):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_by_another(path: Path, *shared: str) -> Iterator[int]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), *shared],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin and process.stdout
    try:
        assert process.stdout.readline() == "held\n"
        yield process.pid
    finally:
        process.kill()
        process.communicate()


def left(home: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and not path.name.endswith(".in-use")
    }


PLAIN = ["--judge", "rule"]
MATCHING = ["match", "huts:alpine", "huts:refuge", *PLAIN, "--embedder", "characters"]
ASKING = ["ask", "--questions", "asked.jsonl", "--graph", "huts:graph", *PLAIN, "--out", "o.jsonl"]
BUILDING = ["build", "huts:kitchen", "huts:kitchen-notes", *PLAIN]
SUBGRAPH = ["subgraph", "--entities", "entities.txt", "--endpoint", "huts:graph"]
WORK = [
    ("o.jsonl", ASKING),
    ("o.jsonl", [*ASKING, "--resume"]),
    ("R/run.json", [*MATCHING, "-o", "o.sssom.tsv", "--run", "R"]),
    ("sw/sweep.json", ["sweep", "grid.yaml", "--out", "sw"]),
    ("sw/sweep.json", ["sweep", "grid.yaml", "--out", "sw", "--shard", "1/2"]),
    ("o.sssom.tsv", [*MATCHING, "-o", "o.sssom.tsv"]),
    ("o.csv", ["align", "huts:hollenmark", "huts:corvane", *PLAIN, "-o", "o.csv"]),
    ("g.trig", [*BUILDING, "--into", "g.trig"]),
    ("g.trig", [*BUILDING, "-o", "g.trig"]),
    ("left.csv", [*BUILDING, "-o", "g.trig", "--review", "left.csv"]),
    ("g.trig", ["serve", "huts:kitchen", "--out", "g.trig"]),
    ("l.ttl", ["ground", "a.ttl", "huts:pantry", "--out", "l.ttl"]),
    ("near.nt", [*SUBGRAPH, "--out", "near.nt"]),
    ("R/report.html", ["report", "ontology-matching", "-p", "dataset=huts", "--out", "R"]),
    ("a.ttl.push", ["push", "a.ttl", "http://127.0.0.1:9/update"]),
]


@pytest.mark.fault("two at once")
@pytest.mark.parametrize(("path", "words"), WORK, ids=lambda one: "-".join(one)[:60])
def test_the_second_of_two_is_refused_with_the_name_of_the_first_and_touches_nothing(
    path: str,
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("R", "sw"):
        (tmp_path / name).mkdir()
    (tmp_path / "o.jsonl").write_text("")
    (tmp_path / "asked.jsonl").write_text('{"id": "q1", "question": "Who is the warden?"}\n')
    (tmp_path / "a.ttl").write_text("<http://a/a> <http://a/b> <http://a/c> .")
    (tmp_path / "entities.txt").write_text("http://huts.example/id/hochkar-house\n")
    (tmp_path / "grid.yaml").write_text(
        "report: ontology-matching\nparameters: {dataset: [huts]}\n"
    )
    before = left(tmp_path)
    with held_by_another(tmp_path / path) as process:
        assert main(words) == 1
        assert f"is being written by process {process} on" in capsys.readouterr().err
        assert left(tmp_path) == before


@pytest.mark.fault("two at once")
def test_a_claim_ends_with_its_process_and_parts_of_one_sweep_go_together(tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"
    with held_by_another(path, "shared"):
        with Claim(path, shared=True):
            pass
        with pytest.raises(DataError, match="is being written by process"):
            Claim(path)
    with Claim(path):
        Claim(path, again=True).release()
        with pytest.raises(DataError, match="is being written by process"):
            Claim(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.fault("two at once")
def test_what_two_builds_add_to_one_graph_is_all_there_or_the_second_is_refused(
    tmp_path: Path,
) -> None:
    into = ["--into", "g.trig", "--model", "", *PLAIN]
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(f"Tea {name}\n\nHut: Refuge {name}\nServes 4\n")
    jobs = {
        name: command(["build", "huts:kitchen", f"{name}.txt", *into], tmp_path) for name in "ab"
    }
    ended = {name: (job.communicate(timeout=120)[1], job.returncode) for name, job in jobs.items()}
    built = (tmp_path / "g.trig").read_text()
    assert any(status == 0 for _, status in ended.values())
    for name, (said, status) in ended.items():
        if status == 0:
            assert f"Refuge {name}" in built
        else:
            assert "is being written by process" in said and f"Refuge {name}" not in built
    assert [path.name for path in tmp_path.iterdir() if "in-use" in path.name] == []


def command(words: list[str], home: Path) -> subprocess.Popen[str]:
    run = "import sys; from kgnb.cli import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.Popen(
        [sys.executable, "-c", run, *words], cwd=home, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.fault("two at once")
def test_a_graph_that_was_changed_by_hand_while_documents_were_read_is_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from kgnb.tasks.building import BuildingTask

    monkeypatch.chdir(tmp_path)
    hand = "<https://hut.example/1> <https://hut.example/by> 'hand' .\n"
    task = BuildingTask.of(
        BUILDER,
        {"tbox": "huts:kitchen", "documents": {"a": "Tea\n"}, "into": "g.trig"},
        judge="rule",
    )
    task.compile()
    (tmp_path / "g.trig").write_text(hand)
    task.read({"note": "Tea\n\nHut: Refuge\nServes 4\n"})
    assert "g-changed-1.trig" in capsys.readouterr().err
    assert (tmp_path / "g-changed-1.trig").read_text() == hand
    task.read({"note": "Tea\n\nHut: Refuge\nServes 4\n"})
    assert capsys.readouterr().err == "" and "Refuge" in (tmp_path / "g.trig").read_text()


@pytest.mark.fault("two at once")
def test_answers_that_were_changed_by_hand_while_others_came_are_set_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "o.jsonl"
    for changed in (False, True):
        file = AnswerFile(path)
        for name in ("q2", "q1"):
            file.add(AnswerOutcome(name, ("4",), (), 1.0, "answered"))
        if changed:
            path.write_text(path.read_text().replace('"4"', '"5"'))
        file.order(["q1", "q2"])
        assert list(read_answers(path)) == ["q1", "q2"]
        assert ("that version is kept" in capsys.readouterr().err) is changed
    assert '"5"' in (tmp_path / "o-changed-1.jsonl").read_text()


@pytest.mark.slow
@pytest.mark.fault("two at once")
def test_a_report_whose_process_was_killed_is_begun_anew_whoever_has_its_number_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = notebook(tmp_path, "# Small", "k: int = 1", "print(k)")
    run_report(str(name), {}, "R")
    ledger = tmp_path / "R" / "cells.json"
    saved = json.loads(ledger.read_text())
    saved["process"] = os.getppid()
    saved["cells"][-1]["state"] = "running"
    ledger.write_text(json.dumps(saved))
    (tmp_path / "R" / ".report.html.in-use").write_text("process 1 on another-host")
    assert run_report(str(name), {}, "R").html.is_file()
    assert not list((tmp_path / "R").glob(".*"))


TRUSTER = """
import sys
from pathlib import Path
from kgnb.trust import SettingsFile
for number in range(10):
    path = Path(sys.argv[1], f"{sys.argv[2]}-{number}.toml")
    path.write_text("")
    SettingsFile.read(path).trust()
"""


@pytest.mark.fault("two at once")
def test_what_several_processes_trust_at_once_is_all_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    made = [
        subprocess.Popen([sys.executable, "-c", TRUSTER, str(tmp_path), str(number)])
        for number in range(3)
    ]
    assert [one.wait(120) for one in made] == [0, 0, 0]
    files = list(tmp_path.glob("*-*.toml"))
    assert len(files) == 30 and all(SettingsFile.read(file).trusted for file in files)
