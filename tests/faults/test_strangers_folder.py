"""A folder of a stranger: links at names that kgnb chooses, modules beside the work, packed files that
unfold, patterns that never end, a cache that somebody else made first.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kgnb import trust
from kgnb.agents.kg_construction.built import Journal, write_journal
from kgnb.agents.kg_construction.documents import find_documents, html_text
from kgnb.agents.kg_construction.graph_file import GraphFile
from kgnb.agents.kg_construction.tables import read_tables
from kgnb.cli import main
from kgnb.datasets.fetch import fetch
from kgnb.errors import DataError, NotKept
from kgnb.files import Claim, append_lines, locked, most_unpacked, open_text
from kgnb.kg.converting import sheet_rows
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.regular_expressions import matches
from kgnb.kg.result_files import inert
from kgnb.tasks.building import compile_ontology
from tests.agents.kg_construction.kitchen import HUTS
from tests.faults.cpu import within
from tests.reporting.conftest import notebook

posix = pytest.mark.skipif(os.name != "posix", reason="these are files of POSIX")
PLAIN = ["--judge", "rule", "--embedder", "characters"]
MATCH = ["match", "huts:alpine", "huts:refuge", *PLAIN, "-o", "o.sssom.tsv"]


def claims(folder: Path, victim: Path) -> None:
    (folder / ".out.jsonl.in-use").symlink_to(victim)
    with Claim(folder / "out.jsonl"):
        pass


def claims_by_hard_link(folder: Path, victim: Path) -> None:
    os.link(victim, folder / ".out.jsonl.in-use")
    with Claim(folder / "out.jsonl"):
        pass


def locks(folder: Path, victim: Path) -> None:
    (folder / ".writing").symlink_to(victim)
    with locked(folder / ".writing"):
        pass


def appends(folder: Path, victim: Path) -> None:
    (folder / "replies.jsonl").symlink_to(victim)
    with pytest.raises(DataError, match="is a link to"):
        append_lines(folder / "replies.jsonl", [{"text": "$(id)"}])


def runs(folder: Path, victim: Path) -> None:
    (folder / "R").mkdir()
    (folder / "R" / "events.jsonl").symlink_to(victim)
    assert main([*MATCH, "--run", "R"]) == 1


def sweeps(folder: Path, victim: Path) -> None:
    (folder / "grid.yaml").write_text("report: ontology-matching\nparameters: {dataset: [huts]}\n")
    (folder / "sw").mkdir()
    (folder / "sw" / "comparison.json").symlink_to(victim)
    assert main(["sweep", "grid.yaml", "--out", "sw"]) == 1


def reports(folder: Path, victim: Path) -> None:
    (folder / "rep").mkdir()
    (folder / "rep" / "report.ipynb").symlink_to(victim)
    assert main(["report", "ontology-matching", "-p", "dataset=huts", "--out", "rep"]) == 1


def serves(folder: Path, victim: Path) -> None:
    (folder / "huts.ttl").write_text(HUTS)
    (folder / "built.trig.journal").symlink_to(victim)
    with pytest.raises(DataError, match="is a link to"):
        GraphFile(folder / "built.trig", compile_ontology(folder / "huts.ttl").session())


def compiles(folder: Path, victim: Path) -> None:
    (folder / "pack").mkdir()
    (folder / "pack" / "tools.json").symlink_to(victim)
    assert main(["compile", "huts:kitchen", "-o", "pack"]) == 1


def explores(folder: Path, victim: Path) -> None:
    (folder / "topics.txt").write_text("http://huts.example/id/hochkarhaus\n")
    (folder / "near.nt.progress").write_text("")
    (folder / "near.nt").symlink_to(victim)
    words = ["subgraph", "--entities", "topics.txt", "--endpoint", "huts:graph", "-o", "near.nt"]
    assert main(words) == 1


def fetches(folder: Path, victim: Path) -> None:
    (folder / "a.ttl.part").symlink_to(victim)
    with pytest.raises(DataError, match="is a link to"):
        fetch("a.ttl", "http://127.0.0.1:9/a.ttl", "0" * 64, folder)


@posix
@pytest.mark.fault("links that a stranger left")
@pytest.mark.parametrize(
    "work",
    [
        *(claims, claims_by_hard_link, locks, appends, runs, sweeps, reports, serves, compiles),
        *(explores, fetches),
    ],
)
def test_no_file_is_reached_through_a_link_at_a_name_that_kgnb_chose(
    work: Callable[[Path, Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = tmp_path / "home" / "precious"
    victim.parent.mkdir()
    victim.write_text("kept")
    folder = tmp_path / "stranger"
    folder.mkdir()
    monkeypatch.chdir(folder)
    work(folder, victim)
    assert victim.read_text() == "kept"


@posix
@pytest.mark.fault("links that a stranger left")
def test_a_journal_is_not_written_through_a_link_and_the_reading_goes_on(tmp_path: Path) -> None:
    victim = tmp_path / "precious"
    victim.write_text("kept")
    folder = tmp_path / "journals"
    write_journal(folder, Journal("a.txt", "0", "key", "rule"))
    [file] = folder.iterdir()
    file.unlink()
    file.symlink_to(victim)
    with pytest.warns(NotKept, match="is a link to"):
        write_journal(folder, Journal("a.txt", "0", "key", "rule"))
    assert victim.read_text() == "kept"


@pytest.mark.slow
@pytest.mark.fault("modules in the working folder")
@pytest.mark.parametrize("command", ["sweep", "report"])
def test_no_module_of_the_working_folder_takes_the_place_of_a_library(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("json", "numpy", "ipykernel", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    (tmp_path / "grid.yaml").write_text(
        "report: ontology-matching\nparameters: {dataset: [huts]}\n"
    )
    words = {
        "sweep": ["sweep", "grid.yaml", "--out", "sw"],
        "report": ["report", "ontology-matching", "-p", "dataset=huts", "--out", "rep"],
    }
    assert main(words[command]) == 0
    assert not (tmp_path / "ran").exists()


@pytest.mark.fault("small files that kill or hang a reader")
@pytest.mark.parametrize("name", ["bomb.ttl.gz", "bomb.csv.gz", "bomb.nt"])
def test_a_packed_file_unpacks_to_a_hundred_times_its_size_at_most(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    with gzip.open(path, "wb", compresslevel=9) as file:
        for _ in range(80):
            file.write(b"# " + b"x" * ((1 << 20) - 3) + b"\n")
    assert path.stat().st_size < 200_000
    with pytest.raises(DataError, match="unpacks to more than 64 MiB"):
        load(OxigraphGraph(), path)
    assert most_unpacked(10 << 20) == 1000 << 20


@pytest.mark.fault("small files that kill or hang a reader")
def test_a_spreadsheet_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/worksheets/sheet1.xml", b" " * (70 << 20))
    with pytest.raises(DataError, match="unpacks to 70 MiB"):
        sheet_rows(path)


NEVER_ENDS = (
    HUTS
    + """
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
[] a sh:NodeShape ; sh:targetClass <https://hut.example/Hut> ;
  sh:property [ sh:path rdfs:label ; sh:pattern "^(a+)+$" ] .
"""
)


@pytest.mark.fault("small files that kill or hang a reader")
def test_a_pattern_of_an_ontology_ends(tmp_path: Path) -> None:
    (tmp_path / "huts.ttl").write_text(NEVER_ENDS)
    session = compile_ontology(tmp_path / "huts.ttl").session()
    assert not session.call("create_hut", {"label": "a" * 150 + "!"}).ok
    assert session.call("create_hut", {"label": "a" * 150}).ok
    assert matches("[", "") is None and matches("(a{1000}){1000}", "") is None


WORKBOOK = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>',
    "_rels/.rels": "<Relationships "
    'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": "<Relationships "
    'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
    'Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/worksheets/sheet1.xml": "<worksheet "
    'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    '<row r="1"><c r="A1"><v>1</v></c></row>'
    '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row></sheetData></worksheet>',
}


@pytest.mark.fault("small files that kill or hang a reader")
@pytest.mark.parametrize("last", [1_048_576, 4000], ids=str)
def test_a_cell_far_out_does_not_end_the_process(last: int, tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    path = tmp_path / "far.xlsx"
    with zipfile.ZipFile(path, "w") as packed:
        for name, text in WORKBOOK.items():
            packed.writestr(name, text.replace("1048576", str(last)))
    with pytest.raises(DataError, match="its reader broke off"):
        sheet_rows(path)


def word(xml: str | bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as packed:
        packed.writestr("word/document.xml", xml)
    return made.getvalue()


BODY = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
LAUGHS = (
    '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE r [<!ENTITY a "'
    + "ha" * 2000
    + '">'
    + "".join(
        f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdef", "bcdefg", strict=True)
    )
    + f"]>{BODY}<w:p><w:t>&g;</w:t></w:p></w:body></w:document>"
)


def harmed(packed: bytes, at: int, with_: bytes) -> bytes:
    return packed[:at] + with_ + packed[at + len(with_) :]


DOCUMENTS = {
    "deep.docx": word(BODY + "<w:p>" * 50_000 + "</w:p>" * 50_000 + "</w:body></w:document>"),
    "laughs.docx": word(LAUGHS.encode("utf-16")),
    "long.docx": word(BODY + "<w:p/>" * 2_000_000 + "</w:body></w:document>"),
    "damaged.docx": harmed(word(BODY + "salt" * 900 + "</w:body></w:document>"), 60, b"\xff" * 30),
    "cut.docx": word(BODY + "</w:body></w:document>")[:80],
    "wide.csv": b"a," * 200_000 + b"\n" + b"b\n" * 100_000,
}


@pytest.mark.fault("small files that kill or hang a reader")
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_that_unfolds_or_is_damaged_costs_itself_alone(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(DOCUMENTS[name])
    (tmp_path / "note.txt").write_text("The soup needs salt.")
    with within(20):
        words = ["build", "huts:kitchen", name, "note.txt", "--judge", "rule", "-o", "o.trig"]
        assert main(words) == 1
    assert "2 documents, 1 failed" in capsys.readouterr().err
    assert (tmp_path / "o.trig").exists()


OWL = """@prefix : <https://x.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:p a owl:ObjectProperty . :A a owl:Class ; rdfs:subClassOf :B .
"""
SOME = "[ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom "
TWISTED = {
    "restrictions in restrictions": f":A rdfs:subClassOf {SOME * 800} :B {']' * 800} .",
    "blank nodes that all look alike": "".join(
        f"_:b{i} :p _:b{j} . " for i in range(14) for j in range(14) if i != j
    ),
    "demands along a chain": "".join(
        f":C{i} a owl:Class ; rdfs:subClassOf :C{i + 1} , {SOME} :C{i + 2} ] .\n" for i in range(90)
    ),
}
ABOVE = {
    "a chain of classes": "".join(f":C{i} rdfs:subClassOf :C{i + 1} . " for i in range(3000)),
    "a circle": "".join(f":C{i} rdfs:subClassOf :C{(i + 1) % 3000} . " for i in range(3000)),
    "a chain of properties": "".join(
        f":p{i} a owl:ObjectProperty ; rdfs:subPropertyOf :p{i + 1} . " for i in range(3000)
    ),
}


@pytest.mark.fault("small files that kill or hang a reader")
@pytest.mark.parametrize("name", TWISTED | ABOVE)
def test_a_twisted_ontology_is_compiled_or_refused_in_bounded_time(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / "twisted.ttl"
    path.write_text(OWL + (TWISTED | ABOVE)[name])
    with within(20):
        if name in ABOVE:
            with pytest.raises(DataError, match="more than 500 terms lie above https://x.example"):
                compile_ontology(path)
        else:
            assert "create_a" in compile_ontology(path)


@pytest.mark.fault("small files that kill or hang a reader")
@pytest.mark.parametrize("cell", ["a", "c{}"])
def test_a_table_of_very_many_columns_takes_time_in_proportion(cell: str, tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text(
        ",".join(cell.format(at) for at in range(50_000)) + "\n" + ",".join("1" * 50_000)
    )
    with within(20):
        assert load(OxigraphGraph(), tmp_path / "wide.csv").triples > 50_000
    with within(5):
        assert not read_tables("".join(f"|{one * 200_000}\n" for one in ("a|", "-|", "1|")))


@pytest.mark.fault("small files that kill or hang a reader")
@pytest.mark.parametrize("key", ["@context", "@\\u0063ontext"])
def test_contexts_in_contexts_are_refused(key: str, tmp_path: Path) -> None:
    path = tmp_path / "many.jsonld"
    terms = (f'"t{i}": {{"@id": "urn:{i}", "{key}": {{"z": "urn:z"}}}}' for i in range(20_000))
    path.write_text(f'{{"@context": {{{", ".join(terms)}}}, "t1": "x"}}')
    with within(10), pytest.raises(DataError, match="20,001 contexts, one of 20,000 terms"):
        load(OxigraphGraph(), path)
    nodes = (f'{{"{key}": {{"q": "urn:q"}}, "q": "{i}"}}' for i in range(2000))
    path.write_text(f'{{"@graph": [{", ".join(nodes)}]}}')
    assert load(OxigraphGraph(), path).triples == 2000


@pytest.mark.fault("small files that kill or hang a reader")
@pytest.mark.parametrize("command", ["match", "build"])
def test_two_thousand_classes_of_one_name_end(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for side in "ab":
        classes = (f':{side}{i} a owl:Class ; rdfs:label "thing" . ' for i in range(2000))
        (tmp_path / f"{side}.ttl").write_text(OWL.partition(":p a")[0] + "".join(classes))
    (tmp_path / "note.txt").write_text("A thing.")
    words = {"match": ["a.ttl", "b.ttl", *PLAIN], "build": ["a.ttl", "note.txt", *PLAIN[:2]]}
    with within(30):
        assert main([command, *words[command], "-o", "o.ttl"]) == 0


UNITS = (
    "<!--",
    "<!-- >",
    "<a ",
    "<a b='",
    "<a b='>",
    "</a",
    "<![ >",
    "<![CDATA[",
    "<?",
    "&#",
    "<div>",
)


@pytest.mark.fault("small files that kill or hang a reader")
@pytest.mark.parametrize("unit", UNITS)
def test_a_page_takes_time_in_proportion_to_its_length(unit: str) -> None:
    with within(10):
        html_text(unit * 50_000)
    assert html_text("<p>a<!-- no --> b <![if !IE]>c<![endif]> 1 < 2") == "a b c 1 < 2"
    assert "salt" in html_text(f"<table><tr><td colspan={'9' * 6000}>salt</table>")


@pytest.mark.fault("small files that kill or hang a reader")
def test_a_packed_list_of_pairs_unpacks_to_a_bound(tmp_path: Path) -> None:
    path = tmp_path / "seeds.tsv.gz"
    with gzip.open(path, "wb", compresslevel=1) as packed:
        for _ in range(80):
            packed.write(b" " * (1 << 20))
    with pytest.raises(DataError, match="unpacks to more"), open_text(path) as lines:
        next(lines)


@pytest.mark.fault("small files that kill or hang a reader")
@pytest.mark.parametrize("pattern", ["(?=a)b", "(a)\\\\1", "(?<!a)b", "["])
def test_a_pattern_that_only_python_understands_is_said_and_not_enforced(
    pattern: str, tmp_path: Path
) -> None:
    (tmp_path / "huts.ttl").write_text(NEVER_ENDS.replace("^(a+)+$", pattern))
    pack = compile_ontology(tmp_path / "huts.ttl")
    assert [one.kind for one in pack.warnings] == ["pattern"]
    assert pack.session().call("create_hut", {"label": "Ambre"}).ok


@posix
@pytest.mark.fault("no home folder")
@pytest.mark.parametrize("made", ["readable", "link", "file", "own"])
def test_a_cache_that_somebody_made_first_is_not_used(made: str, tmp_path: Path) -> None:
    theirs = tmp_path / f"kgnb-{os.getuid()}"
    if made == "readable":
        theirs.mkdir()
        theirs.chmod(0o777)
    elif made == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        theirs.symlink_to("elsewhere")
    elif made == "file":
        theirs.write_text("")
    code = "from kgnb import trust; trust._absolute = lambda of_user: None\n"
    code += "print(trust.cache_folder(), trust.cache_folder())"
    environment = {"PATH": os.defpath, "TMPDIR": str(tmp_path)}
    environment["PYTHONPATH"] = str(Path(trust.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    one, other = map(Path, done.stdout.split())
    assert one == other and one.stat().st_mode & 0o077 == 0 and not one.is_symlink()
    assert (one == theirs) is (made == "own")


@pytest.mark.fault("hostile text shown")
def test_nothing_of_a_received_request_commands_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "x\x1b]0;PWN\x07\x9b31m\u202e"
    call = {"id": "1", "type": "function", "function": {"name": evil, "arguments": evil}}
    body = {"messages": [{"role": evil, "content": evil, "tool_calls": [call]}], "model": evil}
    (tmp_path / "requests-001.jsonl").write_text(json.dumps({"custom_id": evil, "body": body}))
    assert main(["batch", "show", str(tmp_path)]) == 0
    assert main(["batch", "status", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert "PWN" in said.out
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & {*said.out, *said.err}


STRANGE = "import pathlib\npathlib.Path({!r}).write_text('ran')\n"


@pytest.mark.slow
@pytest.mark.fault("a stranger's settings file")
def test_a_sweep_that_was_received_runs_no_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(trust, "config_folder", lambda: tmp_path / "config")
    notebook(tmp_path, "# Small", "k: int = 2", STRANGE.format(str(tmp_path / "ran")))
    (tmp_path / "grid.yaml").write_text("report: small.ipynb\nparameters: {k: [3]}\n")
    folder = tmp_path / "sw"
    folder.mkdir()
    received = {"report": str(tmp_path / "small.ipynb"), "parameters": {"k": [3]}}
    (folder / "sweep.json").write_text(json.dumps(received))
    assert main(["resume", "sw"]) == 1
    assert "you have not begun this sweep here" in capsys.readouterr().err
    assert not (tmp_path / "ran").exists()
    assert main(["sweep", "grid.yaml", "--out", "sw"]) == 0
    assert (tmp_path / "ran").exists()
    assert main(["resume", "sw"]) == 0
    (folder / "sweep.json").write_text(json.dumps(received))
    assert main(["resume", "sw"]) == 1


@posix
@pytest.mark.fault("paths and links that lead elsewhere")
def test_a_folder_of_documents_does_not_send_what_lies_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "key.txt").write_text("secret")
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a.txt").write_text("Salt.")
    (folder / "b.txt").symlink_to("a.txt")
    assert [one.name for one in find_documents(folder)] == ["a.txt", "b.txt"]
    (folder / "c.txt").symlink_to(tmp_path / "key.txt")
    with pytest.raises(DataError, match="is a link to"):
        find_documents(folder)
    assert len(find_documents(f"{folder}/*")) == 3


@pytest.mark.fault("hostile text shown")
@pytest.mark.parametrize(
    "cell", ["=1+1", "+cmd", "-cmd", "@SUM(1)", "\t=1", "\r=1", "\n=1", "＝1", "＠x"]
)
def test_no_cell_for_a_spreadsheet_begins_like_a_formula(cell: str) -> None:
    assert inert(cell) == f"'{cell}"
