"""``kgnb ask`` as a person types it: one question, a file of them, and what was typed wrongly."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kgnb.cli import main
from kgnb.tasks.asking import AnswerOutcome
from tests.llm.stub_server import Answer, Body, Call, StubServer

WARDEN = "Who is the warden of the Hochkar House?"
WILMA = "http://huts.example/id/wilma-aschauer"
KB = "ada\tmother_of\tbob\nbob\tlives_in\tberne\nada\tlives_in\tthun\neve\tlives_in\tberne\n"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGNB_EMBEDDER", "characters")
    monkeypatch.chdir(tmp_path)


def asked(*lines: object) -> str:
    Path("asked.jsonl").write_text(
        "".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8"
    )
    return "asked.jsonl"


def answered(path: str = "out.jsonl") -> list[dict[str, object]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def test_one_question_is_answered_with_its_proof(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", WARDEN, "--graph", "huts:graph"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith(f"Wilma Aschauer  <{WILMA}>\n")
    assert "from the graph, confidence" in captured.out
    assert "because  Hochkar House | warden | Wilma Aschauer" in captured.out
    assert "SPARQL   SELECT" in captured.out
    assert captured.err.startswith("kgnb: 1 question, ") and "queries" in captured.err


def test_an_answer_can_be_had_as_json_or_as_bare_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", WARDEN, "-g", "huts:graph", "--json", "-q"]) == 0
    line = json.loads(capsys.readouterr().out)
    assert (
        line["values"] == [WILMA] and line["status"] == "answered" and 0 < line["confidence"] <= 1
    )
    assert [
        "http://huts.example/id/hochkarhaus",
        "http://huts.example/network#warden",
        WILMA,
    ] in line["support"]
    assert main(["ask", WARDEN, "-g", "huts:graph", "-q"]) == 0
    assert capsys.readouterr().out == f"{WILMA}\n"


def test_what_is_unsure_is_said_with_what_the_best_reading_gives(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["ask", WARDEN, "-g", "huts:graph", "--confidence", "1"]
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert (
        said.startswith("unsure: ")
        and "Not an answer, but what the best reading gives: Wilma Aschauer" in said
    )
    assert main([*asked, "--json", "-q"]) == 0
    line = json.loads(capsys.readouterr().out)
    assert (line["values"], line["status"], line["guess"]["values"]) == ([], "unsure", [WILMA])
    assert AnswerOutcome.from_json(line).to_json() == line
    assert main([*asked, "-q"]) == 0
    assert capsys.readouterr().out == ""


def test_an_entity_is_given_by_iri_or_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    for entity in (
        "http://huts.example/id/hochkarhaus",
        "<http://huts.example/id/hochkarhaus>",
        "Hochkarhaus",
    ):
        assert main(["ask", "Who is its warden?", "-g", "huts:graph", "-e", entity, "-q"]) == 0
        assert capsys.readouterr().out == f"{WILMA}\n"
    assert main(["ask", "Who?", "-g", "huts:graph", "-e", "Nowhere"]) == 2
    assert "nothing in graph.ttl is called 'Nowhere'" in capsys.readouterr().err
    assert main(["ask", "Who?", "-g", "huts:graph", "-e", "a> . <b"]) == 2
    assert "not an IRI and not a name" in capsys.readouterr().err


def test_plain_triples_of_names_are_a_graph(capsys: pytest.CaptureFixture[str]) -> None:
    Path("kb.txt").write_text(KB)
    assert main(["ask", "where does bob live ?", "-g", "kb.txt", "-e", "bob", "-q"]) == 0
    assert capsys.readouterr().out == "http://names.example/entity/berne\n"


def test_a_file_of_questions_becomes_a_file_of_answers_in_order(
    capsys: pytest.CaptureFixture[str],
) -> None:
    questions = asked(
        {"id": "b", "question": WARDEN, "entities": ["http://huts.example/id/hochkarhaus"]},
        {"id": "a", "question": "How many stages does the Two Slopes Way have?"},
        {"id": "c", "question": "What is the telephone number of the Hochkar House?"},
    )
    assert (
        main(
            [
                "ask",
                "--questions",
                questions,
                "--graph",
                "huts:graph",
                "--judge",
                "rule",
                "-o",
                "out.jsonl",
            ]
        )
        == 0
    )
    lines = answered()
    assert [line["id"] for line in lines] == ["b", "a", "c"]
    assert all({"id", "values", "support", "confidence", "status"} <= line.keys() for line in lines)
    assert lines[0]["values"] == [WILMA] and lines[1]["values"] == ["4"]
    capsys.readouterr()
    assert (
        main(["ask", "--questions", questions, "--graph", "huts:graph", "--judge", "rule", "-q"])
        == 0
    )
    assert capsys.readouterr() == (Path("out.jsonl").read_text(encoding="utf-8"), "")


def test_a_question_that_fails_stops_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    questions = asked(
        {"id": "bad", "question": "Who?", "entities": ["no such thing"]},
        {"id": "odd", "question": 'x"}) } DROP ALL # <b> \u202e'},
        {
            "id": "unknown",
            "question": "Who is the warden?",
            "entities": ["http://elsewhere.example/x"],
        },
        {"id": "good", "question": WARDEN},
    )
    assert main(["ask", "--questions", questions, "-g", "huts:graph", "-o", "out.jsonl"]) == 1
    lines = {line["id"]: line for line in answered()}
    assert lines["bad"]["status"] == "failed" and "no such thing" in str(lines["bad"]["error"])
    assert lines["unknown"]["values"] == [] and lines["odd"]["values"] == []
    assert lines["good"]["values"] == [WILMA]
    assert "bad failed" in capsys.readouterr().err


def test_malformed_lines_are_named_and_the_others_answered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("asked.jsonl").write_text(
        f'{{"id": "a", "question": "{WARDEN}"}}\n{{"id": 1,\n["x"]\n', encoding="utf-8"
    )
    assert main(["ask", "--questions", "asked.jsonl", "-g", "huts:graph", "-o", "out.jsonl"]) == 1
    error = capsys.readouterr().err
    assert "asked.jsonl:2: not JSON" in error and "asked.jsonl:3: a JSON object is wanted" in error
    assert [line["id"] for line in answered()] == ["a"]
    Path("asked.jsonl").write_text("nothing here\n")
    assert main(["ask", "--questions", "asked.jsonl", "-g", "huts:graph", "-o", "none.jsonl"]) == 1
    assert "asked.jsonl:1: not JSON" in capsys.readouterr().err and not Path("none.jsonl").exists()


def test_a_batch_goes_on_where_it_was_cut_off() -> None:
    questions = asked(
        {"id": "a", "question": WARDEN},
        {"id": "b", "question": "Who is the cook of the Hochkar House?"},
    )
    kept = {"id": "b", "values": ["kept"], "support": [], "confidence": 0.5, "status": "answered"}
    failed = {
        "id": "a",
        "values": [],
        "support": [],
        "confidence": 0,
        "status": "failed",
        "error": "busy",
    }
    Path("out.jsonl").write_text(f'{json.dumps(failed)}\n{json.dumps(kept)}\n{{"id": "c", "val')
    arguments = ["ask", "--questions", questions, "-g", "huts:graph", "-o", "out.jsonl"]
    assert main([*arguments, "--resume"]) == 0
    assert [(line["id"], line["values"]) for line in answered()] == [
        ("a", [WILMA]),
        ("b", ["kept"]),
    ]
    Path("out.jsonl").write_text('not an answer\n{"id": "x"}\n')
    assert main([*arguments, "--resume"]) == 1
    assert main(arguments) == 0  # without it the file is replaced
    assert len(answered()) == 2


GRAPH = ("-g", "huts:graph")
WRONG = (
    (["ask", *GRAPH], 2, "give one QUESTION, or a file of them"),
    (["ask", "Who?", "--questions", "x.jsonl", *GRAPH], 2, "give one QUESTION, or a file of them"),
    (["ask", "Who?"], 2, "name what to ask: --graph FILE|URL"),
    (["ask", "Who?", *GRAPH, "--out", "x.jsonl"], 2, "--out and --resume go with --questions"),
    (["ask", "--questions", "x.jsonl", *GRAPH, "-e", "x"], 2, "--entity goes with one QUESTION"),
    (["ask", "--questions", "x.jsonl", *GRAPH, "--resume"], 2, "--resume needs the --out"),
    (["ask", " ", *GRAPH], 2, "the question is empty"),
    (["ask", "Who?", "-g", "huts:cellar"], 2, "huts has no 'cellar'"),
    (["ask", "Who?", *GRAPH, "--judge", "oracle"], 2, "is not one of"),
    (["ask", "Who?", *GRAPH, "--depth", "-1"], 2, "-1 is not in the range"),
    (["ask", "--questions", "x.jsonl", *GRAPH, "-o", "no/where.jsonl"], 2, "there is no folder no"),
    (
        ["ask", "--questions", "asked.jsonl", *GRAPH, "-o", "asked.jsonl"],
        2,
        "this is one of the inputs",
    ),
    (["ask", "Who?", "-g", "none.ttl"], 1, "none.ttl: there is no such file"),
    (["ask", "--questions", "none.jsonl", *GRAPH], 1, "none.jsonl: there is no such file"),
    (
        ["ask", "Who?", *GRAPH, "--judge", "model"],
        1,
        "the model judge asks a model, and none is set",
    ),
    (["ask", WARDEN, "-g", "http://127.0.0.1:1/sparql"], 1, "127.0.0.1:1"),
)


def test_what_was_typed_wrongly_or_is_missing_is_said_before_anything_is_done(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked({"id": "a", "question": WARDEN})
    for words, status, what in WRONG:
        assert main(words) == status, words
        assert what in capsys.readouterr().err, words


def careful() -> Callable[[Body], Answer]:
    """A scripted model: asks for wardens, then answers with the rows it got."""
    acted: list[int] = []

    def reply(body: Body) -> Answer:
        acted.append(1)
        sparql = "SELECT ?w WHERE { id:hochkarhaus network:warden ?w }"
        return (
            Call("query", {"sparql": sparql})
            if len(acted) == 1
            else Call("answer", {"query": 1, "columns": "w"})
        )

    return reply


def test_a_model_judges_over_http_and_one_that_babbles_answers_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGNB_MODEL", "stub")
    monkeypatch.setenv("KGNB_API_KEY", "not-a-key")
    for judge in ("model", "cascade", "auto"):
        with StubServer(careful()) as server:
            monkeypatch.setenv("KGNB_BASE_URL", server.url)
            monkeypatch.setenv("KGNB_CACHE", judge)
            assert main(["ask", WARDEN, *GRAPH, "--judge", judge]) == 0
            captured = capsys.readouterr()
            assert captured.out.startswith("Wilma Aschauer"), captured.out
            assert judge != "model" or (server.requests and "model calls" in captured.err)
    with StubServer(lambda body: "Certainly! I would love to help.") as server:
        monkeypatch.setenv("KGNB_BASE_URL", server.url)
        monkeypatch.setenv("KGNB_CACHE", "babble")
        assert main(["ask", WARDEN, *GRAPH, "--judge", "model"]) == 1
    captured = capsys.readouterr()
    assert not captured.out and "kgnb: the model called no tool" in captured.err


def test_a_model_that_fails_on_known_questions_is_said_once_and_the_rule_answers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    doubtful = "Which huts have a warden who is a guide?"
    Path("asked.jsonl").write_text(
        "".join(json.dumps({"id": f"q{n}", "question": doubtful}) + "\n" for n in range(3))
    )
    monkeypatch.setenv("KGNB_MODEL", "stub")
    monkeypatch.setenv("KGNB_API_KEY", "not-a-key")
    with StubServer(lambda body: '{"readings": [1, 1, 1, 1, 1, 1], "reading": 1}') as server:
        monkeypatch.setenv("KGNB_BASE_URL", server.url)
        assert main(["ask", doubtful, *GRAPH]) == 0
        one = capsys.readouterr()
        said = "it got 1 of 6 questions right whose answers are known"
        assert f"was not asked what the rule leaves open: {said}" in one.err
        assert "was not heard" in one.out and len(server.requests) == 1
        assert main(["ask", "--questions", "asked.jsonl", *GRAPH, "--out", "by-both.jsonl"]) == 0
        assert capsys.readouterr().err.count(said) == 1 and len(server.requests) == 1
    monkeypatch.setenv("KGNB_MODEL", "")
    assert main(["ask", "--questions", "asked.jsonl", *GRAPH, "--out", "by-rule.jsonl"]) == 0
    assert Path("by-both.jsonl").read_text() == Path("by-rule.jsonl").read_text()
