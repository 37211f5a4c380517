"""The file of a served graph: its content is kept, each write is on the disk, nothing is written
twice.
"""

import time
from pathlib import Path

import pytest
import rdflib

from kgnb.agents.kg_construction import graph_file
from kgnb.agents.kg_construction.graph_file import GraphFile
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.session import ConstructionSession
from kgnb.agents.kg_construction.tool_values import Source
from kgnb.errors import BackendError, DataError
from kgnb.tasks.building import compile_ontology
from tests.agents.kg_construction.kitchen import HUTS

pytestmark = pytest.mark.fault("MCP server, its file")


@pytest.fixture(scope="module")
def pack() -> ToolPack:
    return compile_ontology(rdflib.Graph().parse(data=HUTS, format="turtle"))


def hut(session: ConstructionSession, name: str) -> str:
    done = session.call("create_hut", {"label": name}, Source("notes"))
    assert done.ok
    return done.iri


def test_the_facts_of_earlier_sessions_are_read_and_not_written_again(
    pack: ToolPack, tmp_path: Path
) -> None:
    for suffix in (".trig", ".ttl", ".jsonld"):
        path = tmp_path / f"huts{suffix}"
        for name in ("Ambre", "Basodine", "Corno"):
            session = pack.session()
            file = GraphFile(path, session, None)
            hut(session, name)
            file.close()
        assert sorted(session.labels().values()) == ["Ambre", "Basodine", "Corno"]
        assert not file.journal.exists()
        again = pack.session()
        file = GraphFile(path, again, None)
        assert suffix != ".trig" or again.trig() == session.trig() == path.read_text()
        hut(again, "Corno")
        assert not (file.changed and suffix == ".trig")
        file.close()
    own = "# mine\n<urn:a> <urn:p> <urn:b> .  # a remark\n"
    (tmp_path / "mine.ttl").write_text(own)
    session = pack.session()
    file = GraphFile(tmp_path / "mine.ttl", session, None)
    assert not session.call("create_hut", {"label": ""}).ok
    file.close()
    assert (tmp_path / "mine.ttl").read_text() == own  # nothing changed, so nothing is written


def test_the_statements_of_a_foreign_file_are_kept(pack: ToolPack, tmp_path: Path) -> None:
    path = tmp_path / "mine.trig"
    path.write_text("<urn:a> <urn:p> <urn:b> . <urn:g> { <urn:c> <urn:p> [ <urn:q> 1 ] }")
    session = pack.session()
    file = GraphFile(path, session, None)
    hut(session, "Ambre")
    file.close()
    data = rdflib.Dataset()
    data.parse(path)
    own = {str(s): str(g) for s, _, _, g in data.quads((None, rdflib.URIRef("urn:p"), None, None))}
    assert set(own) == {"urn:a", "urn:c"}
    assert own["urn:c"] == "urn:g" != own["urn:a"]
    assert len(list(data.quads((None, rdflib.URIRef("urn:q"), None, None)))) == 1


def test_foreign_files_and_journals_are_refused_and_left_alone(
    pack: ToolPack, tmp_path: Path
) -> None:
    mine, other = tmp_path / "mine.ttl", tmp_path / "huts.ttl.journal"
    mine.write_text("Dear diary, today")
    other.write_text("12 May: rain\n")
    with pytest.raises(DataError):
        GraphFile(mine, pack.session(), None)
    with pytest.raises(DataError, match="not a journal"):
        GraphFile(tmp_path / "huts.ttl", pack.session(), None)
    assert (mine.read_text(), other.read_text()) == ("Dear diary, today", "12 May: rain\n")
    assert not mine.with_name("mine.ttl.journal").exists()


def test_each_write_is_journaled_and_survives_a_kill(pack: ToolPack, tmp_path: Path) -> None:
    path = tmp_path / "huts.trig"
    session = pack.session()
    file = GraphFile(path, session, None)
    sizes = [0]
    for number in range(60):
        hut(session, f"Hut {number:03}")
        sizes.append(file.journal.stat().st_size)
    assert not path.exists()  # not written anew for each fact
    steps = [after - before for before, after in zip(sizes[1:], sizes[2:], strict=False)]
    assert max(steps) == min(steps) > 0
    # as after a kill: the journal alone is there, its last line cut off
    lines = file.journal.read_bytes()
    file.close()
    path.unlink()
    file.journal.write_bytes(lines[:-5])
    again = pack.session()
    GraphFile(path, again, None).close()
    assert len(again.labels()) == 59


def test_a_write_that_comes_while_the_file_is_written_stays_in_the_journal(
    pack: ToolPack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = pack.session()
    file = GraphFile(tmp_path / "huts.ttl", session, None)
    whole = session.save

    def slow(path: Path, *, lasting: bool) -> Path:
        written = whole(path, lasting=lasting)
        hut(session, "Basodine")
        return written

    monkeypatch.setattr(session, "save", slow)
    hut(session, "Ambre")
    file.save()
    assert "Basodine" not in file.path.read_text() and b"Basodine" in file.journal.read_bytes()
    monkeypatch.undo()
    file.close()
    assert "Basodine" in file.path.read_text()


def test_a_damaged_line_is_named(pack: ToolPack, tmp_path: Path) -> None:
    session = pack.session()
    file = GraphFile(tmp_path / "huts.trig", session, None)
    hut(session, "Ambre")
    text = file.journal.read_bytes()
    file.close()
    file.journal.write_bytes(text.replace(b"<", b"\x01", 1))
    with pytest.raises(DataError, match="damaged") as caught:
        GraphFile(tmp_path / "huts.trig", pack.session(), None)
    assert ":2" in str(caught.value)


def test_two_servers_do_not_share_a_file(pack: ToolPack, tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    path = tmp_path / "huts.trig"
    file = GraphFile(path, pack.session(), None)
    with pytest.raises(BackendError, match="another process"):
        GraphFile(path, pack.session(), None)
    file.close()
    GraphFile(path, pack.session(), None).close()


def test_the_file_is_written_soon_after_a_call_and_again_where_that_failed(
    pack: ToolPack,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(graph_file, "_AGAIN", 0.01)
    path = tmp_path / "huts.ttl"
    session = pack.session()
    file = GraphFile(path, session, 0.01)
    path.mkdir()  # nothing can be written there
    hut(session, "Ambre")
    said = ""
    for _ in range(1000):
        said += capsys.readouterr().err
        if "could not be written" in said and path.is_dir():
            path.rmdir()
        if path.is_file() and not file.changed:
            break
        time.sleep(0.01)
    assert '"Ambre"' in path.read_text()
    assert "could not be written" in said
    file.close()
