"""What loading read otherwise than it stands in a file is said with the result of every agent."""

import json
from pathlib import Path

import pytest

from kgnb.cli import main
from kgnb.tasks.asking import answer_question

BOATS = "Name;Draught;Tonnage\nGannet;1.250;12.400\nPetrel;2.105;9.300\n"
QUESTION = "What is the draught of Petrel?"
BUOYS = """@prefix : <http://sea.example/{side}#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Buoy a owl:Class ; rdfs:label "buoy" ; rdfs:seeAlso <http://sea.example/100%> .
:Old a owl:Class ; rdfs:label "leading light" ; owl:deprecated true .
:draught a owl:DatatypeProperty ; rdfs:label "draught" ; rdfs:domain :Buoy .
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGNB_EMBEDDER", "characters")
    monkeypatch.chdir(tmp_path)
    Path("boats.csv").write_text(BOATS)
    for side in ("a", "b"):
        Path(f"{side}.ttl").write_text(BUOYS.format(side=side))


def test_an_answer_repeats_what_was_left_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", QUESTION, "--graph", "boats.csv"]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[0] == "2.105"
    assert said.out.count("two readings: 4 ('1.250': 1.250 or 1250)") == 1
    (note,) = answer_question(QUESTION, "boats.csv", judge="rule").notes
    assert "boats.csv" in note and "two readings" in note


def test_lines_of_answers_stay_lines_and_the_note_goes_to_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("asked.jsonl").write_text(json.dumps({"id": "a", "question": QUESTION}))
    for line in (["--questions", "asked.jsonl"], [QUESTION, "--json"]):
        assert main(["ask", *line, "--graph", "boats.csv"]) == 0
        said = capsys.readouterr()
        assert json.loads(said.out)["values"] == ["2.105"]
        assert said.err.count("two readings: 4") == 1


def test_an_answer_that_compares_numbers_beyond_the_engine_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("sea.ttl").write_text(
        BUOYS.format(side="a")
        + ':g a :Buoy ; rdfs:label "Gannet" ; :draught 123456789012345678901234 .'
        ':p a :Buoy ; rdfs:label "Petrel" ; :draught 12 .'
    )
    assert main(["ask", "Which buoy has the highest draught?", "--graph", "sea.ttl"]) == 0
    assert "beyond the engine's range" in capsys.readouterr().out


def test_a_match_says_what_was_mended_and_what_was_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["match", "a.ttl", "b.ttl", "--judge", "rule", "--out", "ab.ttl"]) == 0
    said = capsys.readouterr().err
    assert "a.ttl: characters percent-encoded in IRIs: 1 ('http://sea.example/100%'" in said
    assert "1 obsolete term of a.ttl left out" in said and "of b.ttl" in said


def test_an_alignment_of_tables_says_how_each_was_read(capsys: pytest.CaptureFixture[str]) -> None:
    Path("fleet.csv").write_text(BOATS.replace("12.400", "12.400,5"))
    assert main(["align", "boats.csv", "fleet.csv", "--out", "ab.ttl"]) == 0
    said = capsys.readouterr().err
    assert "boats.csv: numbers left as text, for they have two readings: 4" in said
    assert "fleet.csv: numbers rewritten as RDF has them: 4 ('1.250': 1250)" in said


def test_a_build_says_what_was_mended_in_its_ontology(capsys: pytest.CaptureFixture[str]) -> None:
    Path("note.txt").write_text("Gannet\ntype: buoy\ndraught: 3\n")
    assert main(["build", "a.ttl", "note.txt", "--judge", "rule", "--out", "g.ttl"]) == 0
    assert "a.ttl: characters percent-encoded in IRIs: 1" in capsys.readouterr().err


def test_one_table_searched_for_duplicates_says_once_what_was_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("fleet.csv").write_text(
        "No;Name;Port;Tonnage\n1;Gannet;Leith;1.200,5\n2;Gannett;Leith;1.200,5\n3;Petrel;Oban;9,3\n"
    )
    assert main(["align", "fleet.csv"]) == 0
    assert capsys.readouterr().err.count("numbers rewritten as RDF has them: 3") == 1
