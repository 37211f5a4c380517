"""Question files: ours, line by line, and those of benchmarks."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from kgnb.agents.question_answering.values import Question
from kgnb.datasets.question_sets import codex_triples, pathquestion, qald10, slot_filling
from kgnb.datasets.questions import Asked, read_questions, sampled, scan_questions
from kgnb.errors import DataError
from kgnb.evaluate.answers import is_literal_zero
from kgnb.kg.sparql import query_form


def lines(tmp_path: Path, *texts: str) -> Path:
    path = tmp_path / "asked.jsonl"
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


def test_a_line_needs_an_id_and_a_question(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        '{"id": 7, "question": "Who?", "entities": "http://h/a"}',
        "",
        '{"id": "b", "question": "é?"}\r',
    )
    assert read_questions(path) == [Asked("7", "Who?", entities=("http://h/a",)), Asked("b", "é?")]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{id: 1}", "not JSON"),
        ('["a"]', "a JSON object is wanted"),
        ('{"question": "Who?"}', "'id' is missing or empty"),
        ('{"id": "x", "question": "  "}', "'question' is missing or empty"),
        ('{"id": "x", "question": 3}', "'question' is 3, not a text"),
        ('{"id": true, "question": "Who?"}', "'id' is true, not a text"),
        (
            '{"id": "x", "question": "Who?", "entities": [1]}',
            "'entities' is [1], not a list of texts",
        ),
        ('{"id": "a", "question": "Again?"}', "the id 'a' comes twice"),
    ],
)
def test_a_wrong_line_is_named_and_the_others_are_kept(
    tmp_path: Path, line: str, what: str
) -> None:
    path = lines(
        tmp_path, '{"id": "a", "question": "Who?"}', line, '{"id": "z", "question": "Where?"}'
    )
    found, wrong = scan_questions(path)
    assert [asked.id for asked in found] == ["a", "z"]
    assert len(wrong) == 1 and f"{path}:2: {what}" in wrong[0].what
    with pytest.raises(DataError) as caught:
        read_questions(path)
    assert caught.value.where == f"{path}:2" and caught.value.fix


def test_answers_of_another_form_are_refused_with_the_form_that_is_read(tmp_path: Path) -> None:
    other = '{"id": "a", "question": "Who?", "answers": [{"type": "uri", "value": "http://h/a"}]}'
    with pytest.raises(DataError, match="'answers' is .*, not a list of texts") as caught:
        read_questions(lines(tmp_path, other))
    assert '"values": [' in caught.value.fix


def test_a_file_that_is_missing_empty_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such file"):
        scan_questions(tmp_path / "none.jsonl")
    with pytest.raises(DataError, match="there is no question in it"):
        scan_questions(lines(tmp_path, "", " "))
    (tmp_path / "asked.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="not UTF-8"):
        scan_questions(tmp_path / "asked.jsonl")


@pytest.mark.fault("small files that kill or hang a reader")
def test_a_question_as_long_as_a_book_is_refused(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        '{"id": "a", "question": "' + "Who runs the hut? " * 6000 + '"}',
        '{"id": "b", "question": "Who?"}',
    )
    found, [wrong] = scan_questions(path)
    assert [asked.id for asked in found] == ["b"] and "10,000 characters" in wrong.what
    with pytest.raises(ValueError, match="more than 10,000 characters"):
        Question("a", "Who? " * 3000)


def test_a_sample_is_spread_over_the_file_and_always_the_same() -> None:
    questions = [Asked(str(number), "?") for number in range(7)]
    assert [asked.id for asked in sampled(questions, 2)] == ["0", "3"]
    assert sampled(questions, 0) == sampled(questions, 99) == tuple(questions)


def test_pathquestion_lines_are_read(tmp_path: Path) -> None:
    (tmp_path / "PQ-2H.txt").write_text(
        "what of ada_b 's heir ?\tbob(bob/eve/)\tada_b#children#x#gender#bob#<end>#bob\n"
    )
    (only,) = pathquestion(tmp_path).questions
    assert only.text == "what of ada b 's heir ?" and only.group == "ada_b#children#gender"
    assert only.entities == ("http://names.example/entity/ada_b",)
    assert only.values == ("http://names.example/entity/bob", "http://names.example/entity/eve")
    (tmp_path / "PQ-2H.txt").write_text("what?\tbob\n")
    with pytest.raises(DataError, match="PQ-2H.txt:1"):
        pathquestion(tmp_path)
    with pytest.raises(DataError, match="not there"):
        pathquestion(tmp_path, 3)


def test_every_second_slot_is_taken_out_of_the_graph(tmp_path: Path) -> None:
    folder = tmp_path / "codex-s"
    folder.mkdir()
    (folder / "train.txt").write_text("Q1\tP1\tQ2\nQ1\tP1\tQ3\nQ4\tP1\tQ2\n")
    (folder / "valid.txt").write_text("")
    (folder / "test.txt").write_text("Q1\tP1\tQ5\nQ4\tP2\tQ2\n")
    labels = {"P1": {"label": "friend"}, "P2": {"label": "home"}}
    (tmp_path / "relations.en.json").write_text(json.dumps(labels))
    found = slot_filling(tmp_path, size="s")
    kept, gone = found.questions
    assert kept.text == "What is the friend of Q1?" and len(kept.values or ()) == 3
    assert gone.values == () and gone.kind == "taken out of the graph"
    assert not [t for t in found.triples if t[0].endswith("/Q4") and t[1].endswith("/P2")]  # type: ignore[union-attr]
    assert len(found.triples) == len(codex_triples(tmp_path, "s")) - 1


def data(name: str) -> Path:
    if not os.environ.get("KGNB_DATA"):
        pytest.skip("KGNB_DATA is not set: no benchmark data")
    return Path(os.environ["KGNB_DATA"]) / name


@pytest.mark.benchmark
def test_pathquestion_is_whole() -> None:
    two, three = (pathquestion(data("pathquestion"), hops).questions for hops in (2, 3))
    assert (len(two), len(three)) == (1908, 5198)
    assert all(asked.values and asked.entities for asked in (*two, *three))


@pytest.mark.benchmark
def test_every_reference_query_of_qald_parses_and_the_kinds_are_as_counted() -> None:
    questions = qald10(data("kgqa") / "qald10").questions
    assert len(questions) == 394
    assert all(query_form(asked.sparql) in ("SELECT", "ASK") for asked in questions)
    from pyoxigraph import Store

    for asked in questions:
        Store().query(asked.sparql)  # raises SyntaxError where it does not parse
    kinds = Counter(asked.kind for asked in questions)
    assert kinds["yes/no"] == 61 and kinds["count"] == 100
    assert sum(is_literal_zero(asked.values or ()) for asked in questions) == 28
