"""Finished work that was damaged, and work of two programs in one place."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kgnb.agents.kg_construction.graph_file import GraphFile
from kgnb.agents.kg_construction.session import ConstructionSession
from kgnb.cli import main
from kgnb.errors import DataError
from kgnb.files import Claim
from kgnb.tasks import jupyter_tools
from kgnb.tasks.building import compile_ontology
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
WORK = [
    ("o.jsonl", ASKING),
    ("o.jsonl", [*ASKING, "--resume"]),
    ("R/run.json", [*MATCHING, "-o", "o.sssom.tsv", "--run", "R"]),
    ("sw/sweep.json", ["sweep", "grid.yaml", "--out", "sw"]),
    ("sw/sweep.json", ["sweep", "grid.yaml", "--out", "sw", "--shard", "1/2"]),
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
