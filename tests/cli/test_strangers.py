"""What somebody meets who gives a command something else than it expects."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kgnb.cli import main

ONTOLOGY = """
@prefix : <http://huts.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Hut a owl:Class ; rdfs:label "Hut" .
:opened a owl:DatatypeProperty ; rdfs:domain :Hut ; rdfs:label "opened" .
:falkenau a :Hut ; rdfs:label "Falkenau" ; :opened 1932 .
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("huts.ttl").write_text(ONTOLOGY)
    Path("ours.csv").write_text("id;name\n1;Anna Lind\n2;Berta Kohl\n")
    Path("theirs.csv").write_text("id;name\n8;Anna Lindt\n9;Bertha Kohl\n")
    return tmp_path


@pytest.mark.parametrize("form", ["pairs.tsv", "pairs.csv", "pairs.txt"])
def test_pairs_of_row_ids_are_those_of_the_rows(
    here: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    divider = "," if form.endswith("csv") else "\t"
    Path(form).write_text("".join(f"{one}{divider}{two}\n" for one, two in ((1, 8), (2, 9))))
    assert main(["align", "ours.csv", "theirs.csv", "--reference", form, "--out", "found.tsv"]) == 0
    assert "precision 100.0 %, recall 100.0 %" in capsys.readouterr().err
    assert main(["align", "ours.csv", "theirs.csv", "--seeds", form]) == 0
    assert "http://names.example/ours/1\thttp://names.example/theirs/8\t1\n" in (
        capsys.readouterr().out
    )
    assert main(["evaluate", "found.tsv", form, "--json"]) == 0
    assert '"right": 2, "found": 2, "reference": 2' in capsys.readouterr().out


def test_a_heading_is_no_pair_and_an_unknown_id_is_one_that_was_missed(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("wanted.csv").write_text("our_id,their id\n1,8\n7,7\n")
    Path("ids.csv").write_text("id1,id1\nid2,id3\n")
    assert main(["evaluate", "ids.csv", "ids.csv", "--json"]) == 0
    assert '"right": 2, "found": 2' in capsys.readouterr().out
    Path("found.csv").write_text("1,8,0.9\n2,9,0.8\n")
    assert main(["evaluate", "found.csv", "wanted.csv", "--json"]) == 0
    assert '"right": 1, "found": 2, "reference": 2' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("align ours.csv theirs.csv --reference strange.tsv", "1 of 1 pair with an entity"),
        ("evaluate pairs.tsv strange.tsv", "it names no entity that strange.tsv names"),
        ("evaluate pairs.tsv note.txt", "no row holds two IRIs"),
        ("evaluate bare.tsv pairs.tsv", "bare.tsv: it holds no pair"),
        ("build notes huts.ttl", "The ontology comes first, then the documents: is huts.ttl it?"),
        ("build note.txt huts.ttl", "is huts.ttl it?"),
        ("build huts.ttl old", "no document in this folder, but 1 .doc"),
        ("build huts.ttl old/old.doc", "a Word document of before 2007. Save it as .docx"),
        ("build huts.ttl note.txt --instructions note.txt", "instructions and a plan need a model"),
        ("build huts.ttl note.txt --plan note.txt", "instructions and a plan need a model"),
        ("aks huts.ttl", "there is no command aks; did you mean ask?"),
        ("frobnicate", "there is no command frobnicate\n"),
        ("ask huts.ttl opened?", "in quotes, and the graph by its option: kgnb ask 'opened?' "),
        ("ask opened?", "name what to ask: --graph FILE|URL"),
    ],
)
def test_what_went_wrong_is_said_with_the_way_to_mend_it(
    here: Path, line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in {
        "strange.tsv": "x\ty\n",
        "pairs.tsv": "http://a/1\thttp://b/1\n",
        "bare.tsv": "# nothing\n",
        "note.txt": "Falkenau was opened in 1932.\n",
        "notes/note.md": "Falkenau was opened in 1932.\n",
    }.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    Path("old").mkdir()
    Path("old/old.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0")
    assert main(line.split()) in (1, 2)
    assert said in capsys.readouterr().err


def test_files_of_a_folder_that_are_no_documents_are_counted(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.txt", "b.doc", "c.odt", "d.odt", ".hidden"):
        (here / "notes").mkdir(exist_ok=True)
        (here / "notes" / name).write_text("Falkenau was opened in 1932.\n")
    assert main(["build", "huts.ttl", "notes"]) == 0
    said = capsys.readouterr().err
    assert "1 document, 0 facts" in said
    assert "passed over, for they are no documents that can be read: 1 .doc, 2 .odt" in said


def test_a_table_among_ontologies_and_one_without_a_header_are_said(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["match", "ours.csv", "huts.ttl"]) == 0
    assert "ours.csv is a table: its columns were matched; kgnb align" in capsys.readouterr().err
    Path("bare.csv").write_text("1,Anna Lind,Graz\n2,Berta Kohl,Wien\n3,Carl Moser,Linz\n")
    assert main(["align", "bare.csv", "theirs.csv"]) == 0
    assert "the first row names the columns, though it looks like one" in capsys.readouterr().err
    Path("years.csv").write_text("land,2019,2020\nGraz,1,2\nWien,3,4\nLinz,5,7\n")
    assert main(["align", "years.csv", "theirs.csv"]) == 0
    assert "the first row names" not in capsys.readouterr().err


def test_a_question_may_be_longer_than_the_name_of_a_file(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    long = "When was the " + "very " * 60 + "old Falkenau opened?"
    assert main(["ask", long, "--graph", "huts.ttl"]) == 0
    assert main(["ask", "huts.ttl", long]) == 2
    assert "the graph by its option" in capsys.readouterr().err


@pytest.fixture
def site(here: Path) -> Iterator[str]:
    Path("index.html").write_text("<html><body>Welcome</body></html>")
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(here))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_a_web_page_is_no_endpoint(site: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "opened?", "--graph", site]) == 1
    said = capsys.readouterr().err
    assert "sent a web page (HTML)" in said and "check its path" in said


def test_a_graph_that_is_extended_is_not_printed_as_well(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("more.md").write_text("| hut | opened |\n|---|---|\n| Rotwand | 1930 |\n")
    for line, printed in (("--into grown.trig", False), ("--into grown.trig -o -", True)):
        assert main(["build", "huts.ttl", "more.md", *line.split()]) == 0
        assert bool(capsys.readouterr().out) == printed
        assert "Rotwand" in Path("grown.trig").read_text()
