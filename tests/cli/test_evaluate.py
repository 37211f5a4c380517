import json
from pathlib import Path

import pytest

from kgnb.cli import main
from kgnb.mapping_files import save
from kgnb.mappings import Alignment, Mapping

LEFT, RIGHT = "http://left.example.org/#", "http://right.example.org/"


@pytest.fixture
def found(tmp_path):
    mappings = (
        Mapping(f"{LEFT}Hut", f"{RIGHT}mountain_hut"),
        Mapping(f"{LEFT}Route", f"{RIGHT}route"),
        Mapping(f"{LEFT}Warden", f"{RIGHT}warden", "broader"),
    )
    return str(save(Alignment(mappings), tmp_path / "found.sssom.tsv"))


def test_precision_recall_and_f1_are_printed_or_written_as_json(pair, found, capsys):
    assert main(["evaluate", found, pair.reference]) == 0
    row = capsys.readouterr().out.splitlines()[1].split()
    assert row == ["all", "50.0", "%", "25.0", "%", "33.3", "%", "1", "2", "4"]
    assert main(["evaluate", found, pair.reference, "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content == {
        "precision": 0.5,
        "recall": 0.25,
        "f1": 1 / 3,
        "right": 1,
        "found": 2,
        "reference": 4,
    }
    # a pair counts whatever is said of it
    assert main(["evaluate", found, pair.reference, "--any-relation", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert (content["right"], content["found"]) == (2, 3)
    assert main(["evaluate", pair.reference, pair.reference, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["f1"] == 1.0


def test_a_reference_written_the_other_way_round_is_turned(pair, tmp_path, capsys):
    found = save(Alignment((Mapping(f"{RIGHT}warden", f"{LEFT}Warden"),)), tmp_path / "turned.rdf")
    assert main(["evaluate", str(found), pair.reference, "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["right"] == 1
    assert "it was swapped" in captured.err


def test_a_bad_file_is_named(pair, tmp_path, capsys):
    file = tmp_path / "found.rdf"
    for content, status, said in (
        (None, 2, "does not exist"),
        ("", 1, "empty"),
        ("<rdf", 1, "found.rdf"),
    ):
        if content is not None:
            file.write_text(content)
        assert main(["evaluate", str(file), pair.reference]) == status
        assert said in capsys.readouterr().err


def test_pairs_as_entity_alignment_writes_them_are_measured(tmp_path, capsys):
    rows = [f"{LEFT}{name}\t{RIGHT}{name}" for name in ("a", "b", "c")]
    found, known = tmp_path / "found.tsv", tmp_path / "known.tsv"
    found.write_text(f"{rows[0]}\t0.9\n{rows[1]}\t1\n{LEFT}c\t{RIGHT}d\t0.2\n")
    known.write_text("\n".join(rows))
    assert main(["evaluate", str(found), str(known), "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert (content["right"], content["found"], content["reference"]) == (2, 3, 3)
    found.write_text(f"{rows[0]}\tmaybe\n")
    assert main(["evaluate", str(found), str(known)]) == 1
    assert "subject_id" in capsys.readouterr().err


def test_answers_are_measured_against_questions_and_silence_never_scores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers, questions = tmp_path / "answered.jsonl", tmp_path / "questions.jsonl"
    line = {"support": [], "confidence": 0.9, "source": "graph", "sparql": ""}
    answers.write_text(
        json.dumps({"id": "1", "values": ["Ann"], "status": "answered", **line})
        + "\n"
        + json.dumps({"id": "2", "values": [], "status": "unsure", **line})
        + "\n"
    )
    questions.write_text(
        "".join(
            json.dumps({"id": str(at), "question": "Who?", "values": ["ann"]}) + "\n"
            for at in (1, 2, 3)
        )
    )
    before = answers.read_text()
    assert main(["evaluate", str(answers), str(questions), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["questions"], found["answered"], found["not in the file"]) == (3, 1, 1)
    assert round(found["exact"], 3) == round(found["f1"], 3) == 0.333 and found["precision"] == 1.0
    assert answers.read_text() == before


def test_tables_are_measured_cell_by_cell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers, questions = tmp_path / "answered.jsonl", tmp_path / "questions.jsonl"
    line = {"support": [], "confidence": 0.9, "source": "graph", "sparql": "", "status": "answered"}
    rows = [["http://x/a", "Oslo", "7.0"], ["http://x/b", "", "9"]]
    found = {"id": "1", "values": ["http://x/a", "http://x/b"], **line}
    answers.write_text(json.dumps(found | {"table": {"columns": ["s", "c", "n"], "rows": rows}}))
    asked = {"id": "1", "question": "For each supplier, its city and number of orders?"}
    wanted = [["http://x/b", 9, "Rome"], ["http://x/a", 7, "Oslo"]]
    questions.write_text(json.dumps(asked | {"table": {"rows": wanted}}) + "\n")
    assert main(["evaluate", str(answers), str(questions), "--json"]) == 0
    score = json.loads(capsys.readouterr().out)
    assert (score["exact"], score["tables"], score["cell precision"]) == (1.0, 1, 1.0)
    assert score["cell recall"] == 0.75
    answers.write_text(json.dumps(found) + "\n")
    assert main(["evaluate", str(answers), str(questions), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cell F1"] == 0
    for wrong in ({"rows": []}, {"rows": [["a"], ["a", "b"]]}, [["a"]], {"rows": [[["a"]]]}):
        questions.write_text(json.dumps(asked | {"table": wrong}))
        assert main(["evaluate", str(answers), str(questions)]) == 1
        said = capsys.readouterr().err
        assert "questions.jsonl:1" in said and "'table'" in said


CLUB = """@prefix : <http://club.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Member a rdfs:Class . :plays rdfs:label "plays" .
:m1 a :Member ; rdfs:label "Ida Berg" ; :plays :g1 . :m2 a :Member ; rdfs:label "Omar Said" ; :plays :g1 .
:m3 a :Member ; rdfs:label "Lea Roth" ; :plays :g2 . :g1 rdfs:label "Chess" . :g2 rdfs:label "Go" ."""


@pytest.mark.parametrize("called", ["values", "answers", "answer"])
def test_a_reference_may_name_things_and_give_numbers_instead_of_iris(
    called: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph, questions, answers = (tmp_path / name for name in ("club.ttl", "q.jsonl", "a.jsonl"))
    graph.write_text(CLUB, encoding="utf-8")
    given = {
        "Who plays Go?": "Lea Roth",
        "Who plays Chess?": ["Ida Berg", "Omar Said"],
        "How many members are there?": 3,
        "What does Omar Said play?": ["Go"],
    }
    lines = [
        json.dumps({"id": str(number), "question": question, called: value})
        for number, (question, value) in enumerate(given.items())
    ]
    questions.write_text("\n".join(lines), encoding="utf-8")
    ask = ["ask", "--graph", str(graph), "--questions", str(questions), "--judge", "rule"]
    assert main([*ask, "--embedder", "characters", "--out", str(answers)]) == 0
    capsys.readouterr()
    assert main(["evaluate", str(answers), str(questions), "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["questions"] == scores["answered"] == 4 and scores["exact"] == 0.75
