import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from kgnb.cli import main
from kgnb.mapping_files import load


@pytest.fixture(autouse=True)
def quick(monkeypatch, tmp_path):
    monkeypatch.setenv("KGNB_EMBEDDER", "characters")
    monkeypatch.chdir(tmp_path)


def test_writes_every_format_asked_for_and_each_reads_back_the_same(pair, capsys, tmp_path):
    outs = [str(tmp_path / name) for name in ("o.rdf", "o.sssom.tsv", "o.ttl")]
    assert (
        main(["match", pair.left, pair.right, *(word for out in outs for word in ("--out", out))])
        == 0
    )
    alignments = [load(out) for out in outs]
    assert {("http://left.example.org/#Hut", "http://right.example.org/mountain_hut")} < {
        m.pair for m in alignments[0]
    }
    assert alignments[0] == alignments[1]
    assert [m.pair for m in alignments[2]] == [m.pair for m in alignments[0]]
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("kgnb: ") and "0 model calls" in captured.err
    assert "\r" not in captured.err and "\x1b" not in captured.err
    # without --out it goes to standard output, and again the same bytes
    assert main(["match", pair.left, pair.right, "--quiet", "--format", "rdf"]) == 0
    captured = capsys.readouterr()
    assert captured.out == Path(outs[0]).read_text() and captured.err == ""


THESAURUS = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://example.org/{name}/> .
:hut a skos:Concept ; skos:prefLabel "Mountain hut"@en ; skos:broader :house .
:house a skos:Concept ; skos:prefLabel "Building"@en ."""


def test_the_concepts_of_two_thesauri_match_in_skos_and_not_in_owl(tmp_path, capsys):
    for name in ("left", "right"):
        Path(f"{name}.ttl").write_text(THESAURUS.replace("{name}", name))
    assert main(["match", "left.ttl", "right.ttl", "-q"]) == 0
    rows = [
        line.split("\t")
        for line in capsys.readouterr().out.splitlines()
        if not line.startswith("#")
    ]
    assert [dict(zip(rows[0], row, strict=True))["predicate_id"] for row in rows[1:]] == [
        "skos:exactMatch"
    ] * 2
    assert [row[rows[0].index("subject_type")] for row in rows[1:]] == ["skos concept"] * 2


def test_a_reference_is_scored_whichever_way_round_it_is_written(pair, capsys):
    for words in ((pair.left, pair.right), (pair.right, pair.left)):
        assert main(["match", *words, "-o", "o.rdf", "--reference", pair.reference]) == 0
        assert "recall 75.0 %" in capsys.readouterr().err


def test_an_output_that_cannot_be_written_is_refused_before_any_work(capsys):
    for out, said in (
        ("o.csv", "ends in"),
        ("o.rdf.gz", "leave out .gz"),
        ("nowhere/o.rdf", "no folder nowhere"),
    ):
        assert main(["match", "missing-source.ttl", "missing-target.ttl", "--out", out]) == 2
        told = capsys.readouterr().err
        assert said in told and "missing-source" not in told


def test_an_input_is_never_overwritten(pair, capsys):
    before = Path(pair.left).read_bytes()
    assert main(["match", pair.left, pair.right, "--out", pair.left]) == 2
    assert (
        main(
            ["match", pair.left, pair.right, "--reference", pair.reference, "--out", pair.reference]
        )
        == 2
    )
    assert "one of the inputs" in capsys.readouterr().err
    assert Path(pair.left).read_bytes() == before


WRONG = (
    (["match", "missing.ttl", "{right}"], 1, "missing.ttl"),
    (
        ["match", "{left}", "{right}", "--judge", "model"],
        1,
        "the model judge asks a model, and none is set",
    ),
    (["match", "{left}", "{right}", "--judge", "oracle"], 1, "none was given"),
    (["match", "{left}", "{right}", "--judge", "nobody"], 2, "Invalid value for '--judge'"),
    (["match", "{left}", "{right}", "--k", "0"], 2, "Invalid value for '--k'"),
    (["match", "{left}", "{right}", "--embedder", "glove"], 1, "there is no embedder 'glove'"),
    (["match", "{left}", "{right}", "--reference", "missing.rdf"], 1, "missing.rdf"),
    (["match", "{left}"], 2, "Missing argument 'TARGET'"),
    (
        ["match", "{left}", "{right}", "--reference", "{stranger}"],
        1,
        "none of the reference's pairs joins",
    ),
    (["match", "{empty}", "{right}"], 1, "empty.ttl"),
    (["match", "{data}", "{right}"], 1, "no class, no property and no SKOS concept"),
    (["match", "{broken}", "{right}"], 1, "broken.ttl"),
    (["match", "http://127.0.0.1:9/sparql", "{right}"], 1, "127.0.0.1"),
    (["mach"], 2, "there is no command mach; did you mean match?"),
)


def test_what_goes_wrong_is_one_plain_message_and_an_exit_status(pair, capsys, tmp_path):
    (tmp_path / "empty.ttl").write_text("")
    (tmp_path / "broken.ttl").write_text("@prefix : <http://x/> .\n:a :b .")
    (tmp_path / "data.ttl").write_text("<http://x.example/a> <http://x.example/b> 1 .\n")
    (tmp_path / "stranger.rdf").write_text(
        Path(pair.reference).read_text().replace("left.example", "other.example")
    )
    places = {name: str(tmp_path / f"{name}.ttl") for name in ("empty", "broken", "data")}
    places |= {"left": pair.left, "right": pair.right, "stranger": str(tmp_path / "stranger.rdf")}
    (tmp_path / "o.rdf").write_text("older")  # what fails leaves it as it was
    for words, status, said in WRONG:
        words = [word.format(**places) for word in words]
        assert main([*words, *(["--out", "o.rdf"] if words[0] == "match" else [])]) == status, words
        captured = capsys.readouterr()
        assert said in captured.err and "Traceback" not in captured.err and captured.out == "", (
            words
        )
        assert (tmp_path / "o.rdf").read_text() == "older"
    assert main(["--debug", "match", "missing.ttl", pair.right]) == 1
    assert "Traceback" in capsys.readouterr().err
    assert not [path for path in tmp_path.iterdir() if ".part" in path.name]


def test_a_closed_pipe_is_no_error(pair, tmp_path):
    words = [sys.executable, "-m", "kgnb", "match", pair.left, pair.right, "--quiet"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 128 + signal.SIGPIPE


def test_an_interrupt_ends_it_with_130_and_no_traceback(pair, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:  # an endpoint that never answers
        silent.settimeout(60)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/sparql"
        process = subprocess.Popen(
            [sys.executable, "-m", "kgnb", "match", url, pair.right],
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )
        connection, _ = silent.accept()
        with connection:
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.strip() == "kgnb: interrupted"


def test_decisions_of_a_person_are_honoured_from_sssom(pair, tmp_path):
    rows = ["subject_id\tpredicate_id\tpredicate_modifier\tobject_id\treviewer_label"]
    rows.append(
        "http://left.example.org/#Hut\tskos:exactMatch\tNot\thttp://right.example.org/mountain_hut\tAda"
    )
    (tmp_path / "ada.sssom.tsv").write_text("\n".join(rows) + "\n")
    assert (
        main(["match", pair.left, pair.right, "-q", "-o", "o.rdf", "--decisions", "ada.sssom.tsv"])
        == 0
    )
    assert "http://left.example.org/#Hut" not in {mapping.source for mapping in load("o.rdf")}
