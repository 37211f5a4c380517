"""Names and links that lead out of where they may lead: refused by name, and nobody is asked."""

import json
import os
import pickle
import socket
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from kgnb.cli import main
from kgnb.errors import DataError
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.reporting.sharing import import_cache
from tests.faults.test_fuzzed_files import KINDS, OURS

pytestmark = pytest.mark.fault("paths and links that lead elsewhere")

OUT = "../../../../etc/passwd"


CLIMBING = (
    ("match", f"huts:{OUT}", "huts:refuge"),
    ("match", "huts:/etc/passwd", "huts:refuge"),
    ("match", "huts:alpine", "huts:refuge", "--model", f"recorded:{OUT}"),
    ("report", OUT),
    ("build", "huts:kitchen", f"huts:{OUT}", "--judge", "rule"),
    ("ask", "Who?", "--graph", f"huts:{OUT}", "--judge", "rule"),
)


def test_a_name_that_leads_out_of_its_folder_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    record_property: Any,
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in CLIMBING:
        assert main(words) in (1, 2), words
        said = capsys.readouterr()
        assert "root:" not in said.out + said.err and "Traceback" not in said.err
        assert not list(tmp_path.iterdir()), words
    record_property("tries", len(CLIMBING))


ASKING = {
    "context.jsonld": '{"@context": "http://127.0.0.1:PORT/c", "@id": "http://a/x", "http://a/p": "v"}',
    "import.jsonld": '{"@context": {"@import": "http://127.0.0.1:PORT/c"}, "@id": "http://a/x", "http://a/p": "v"}',
    "imports.ttl": "<http://a/o> <http://www.w3.org/2002/07/owl#imports> <http://127.0.0.1:PORT/o> .",
    "dtd.rdf": '<!DOCTYPE r SYSTEM "http://127.0.0.1:PORT/d"><r/>',
    "entity.rdf": '<!DOCTYPE r [<!ENTITY x SYSTEM "http://127.0.0.1:PORT/d">]><r>&x;</r>',
    "include.rdf": '<r xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="http://127.0.0.1:PORT/d"/></r>',
}


def test_a_file_cannot_make_the_loader_fetch_anything(tmp_path: Path, record_property: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        for name, text in ASKING.items():
            path = tmp_path / name
            path.write_text(text.replace("PORT", str(listening.getsockname()[1])))
            try:
                load(OxigraphGraph(), path)
            except DataError as error:
                assert name in str(error)
            with pytest.raises(BlockingIOError):  # nobody has knocked
                listening.accept()
    record_property("tries", len(ASKING))


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_a_link_in_an_exported_cache_is_not_followed(tmp_path: Path) -> None:
    secret, export = tmp_path / "mine.json", tmp_path / "export"
    secret.write_text(json.dumps({"mine": "a secret"}))
    (export / "replies").mkdir(parents=True)
    (export / "replies" / "theirs.json").symlink_to(secret)
    with pytest.raises(DataError) as refused:
        import_cache(tmp_path / "cache", export)
    assert "a secret" not in str(refused.value)
    assert not [
        one
        for one in (tmp_path / "cache").rglob("*")
        if one.is_file() and b"a secret" in one.read_bytes()
    ]


class Takes:
    """Unpickled, it leaves a file."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str, str]]:
        return open, (str(self.mark), "w")


@pytest.mark.fault("pickles")
def test_a_pickle_in_place_of_any_file_is_never_unpickled(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    taking = pickle.dumps(Takes(mark))
    for name, kind in KINDS.items():
        home = tmp_path / name
        home.mkdir()
        for path in kind.write(home):
            path.write_bytes(taking)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with suppress(*OURS):
                kind.read(home)
        assert not mark.exists(), name
    pickle.loads(taking)
    assert mark.exists()


FORGING = "a\nkgnb: all is well"
BROKEN_FILES = {
    ".ttl": "<a> <b> .. broken",
    ".txt": "The soup needs salt. Its key is " + "gh" + "p_Ab3dEf6hIj9kLm2nOp5qAb3dEf6hIj9k1234",
    ".jsonl": "{}\n[",
    ".yaml": "x: [",
    ".sssom.tsv": "x\ty\n1",
}
SAYING = (
    ("match", f"{FORGING}.ttl", "huts:refuge", "--judge", "rule"),
    ("match", f"{FORGING}-none.ttl", "huts:refuge"),
    ("match", "huts:alpine", "huts:refuge", "-o", f"{FORGING}.xx"),
    ("ask", "Who?", "--graph", f"{FORGING}.ttl", "--judge", "rule"),
    ("ask", "--questions", f"{FORGING}.jsonl", "--graph", "huts:graph", "--judge", "rule"),
    ("scan", "."),
    ("sweep", f"{FORGING}.yaml"),
    ("sweep", f"{FORGING}-none.yaml"),
    ("evaluate", f"{FORGING}.sssom.tsv", f"{FORGING}.sssom.tsv"),
    ("build", "huts:kitchen", f"{FORGING}.txt", "--judge", "rule", "-o", "o.trig"),
    ("resume", FORGING),
)


@pytest.mark.skipif(os.name != "posix", reason="names of POSIX")
def test_a_line_end_in_a_name_cannot_forge_a_line_on_the_terminal(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    record_property: Any,
) -> None:
    monkeypatch.chdir(tmp_path)
    for suffix, text in BROKEN_FILES.items():
        (tmp_path / f"{FORGING}{suffix}").write_text(text)
    for words in SAYING:
        main(words)
        said = capsys.readouterr()
        lines = f"{said.out}\n{said.err}".splitlines()
        assert not [line for line in lines if line.startswith("kgnb: all is well")], words
    record_property("tries", len(SAYING))
