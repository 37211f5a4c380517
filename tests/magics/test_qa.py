"""``%qa`` in a shell: a question in one line, stage by stage, by hand; what is out of order says
what to run first.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from kgnb.agents.agent import OutOfOrder
from kgnb.agents.question_answering import name_file
from kgnb.agents.question_answering.values import Answer
from kgnb.errors import NotFit
from kgnb.results.bundle import CARD_MIME, GRAPH_MIME
from kgnb.run import Run
from kgnb.settings import Settings
from tests.agents.question_answering.worlds import TURTLE
from tests.llm.stub_server import StubServer

from .conftest import Notebook

WARDEN = "Who is the warden of the Hochkar House?"


@pytest.fixture
def asking(notebook: Notebook) -> Notebook:
    notebook.good("%qa start huts:graph --judge rule")
    return notebook


def values(answer: Any) -> list[str]:
    assert isinstance(answer, Answer)
    return [answer.label(value) for value in answer.values]


def pictures(cell: Any) -> list[Any]:
    return [bundle[GRAPH_MIME] for bundle in cell.shown if GRAPH_MIME in bundle]


def card(answer: Answer) -> dict[str, Any]:
    made: dict[str, Any] = answer._repr_mimebundle_()[CARD_MIME]
    return made


def test_a_question_is_answered_in_one_line_with_its_proof_drawn(asking: Notebook) -> None:
    cell = asking.good(f'%qa ask "{WARDEN}"')
    assert values(cell.value) == ["Wilma Aschauer"]
    assert cell.value.support and cell.value.sparql
    assert cell.shown == [] or pictures(cell) == []  # all is in one card
    shown = card(cell.value)
    assert [one["label"] for one in shown["answers"]] == ["Wilma Aschauer"]
    assert {node[1] for node in shown["picture"]["nodes"]} >= {"Wilma Aschauer", "Hochkar House"}
    assert (
        "PREFIX network: <http://huts.example/network#>" in shown["query"]
        and "http" not in shown["query"].split("{")[1]
    )
    assert any("because: Hochkar House warden Wilma Aschauer" in fact for fact in shown["facts"])
    assert "because" not in shown["said"] + "".join(shown["notes"])  # folded, not in sight
    assert "ask:" in cell.said and "0 model calls" in cell.said


def test_a_question_needs_no_quotes_and_its_mark_asks_for_no_help(asking: Notebook) -> None:
    assert card(asking.good("%qa ask Who is the warden of the Hochkar House?").value)["answers"]
    named = asking.good("found = %qa ask Who is the warden of the Hochkar House?\nfound").value
    assert [each["label"] for each in card(named)["answers"]] == ["Wilma Aschauer"]


def test_a_no_says_what_was_looked_for_and_not_found(asking: Notebook) -> None:
    shown = card(asking.good('%qa ask "Does the Sorne Refuge lie in the Otter Valley?"').value)
    assert shown["answers"] == ["No"]
    (note,) = shown["notes"]
    assert note == "Looked for, and not in the graph: Sorne Refuge located in Otter Valley"
    assert any(fact.startswith("there is: Sorne Refuge located in") for fact in shown["facts"])


def test_a_query_on_a_card_gives_the_same_as_the_one_that_was_run(asking: Notebook) -> None:
    answer = asking.good('%qa ask "Which huts are higher than 2000 metres?"').value
    graph = asking.session.tasks["question_answering"].context.graph
    shown = card(answer)["query"]
    assert shown.startswith("PREFIX") and len(shown.splitlines()) > 4
    assert graph.select(shown).rows == graph.select(answer.sparql).rows != ()


def test_stage_by_stage_every_cell_shows_what_it_saw(asking: Notebook) -> None:
    linked = asking.good(f'%qa link "{WARDEN}"').value
    assert "http://huts.example/id/hochkarhaus" in linked.entities
    observed = asking.good("%qa observe")
    assert observed.value.triples and len(pictures(observed)) == 1
    scores = [seen.score for seen in observed.value.triples if seen.turn == 1]
    assert scores == sorted(scores, reverse=True)
    acted = asking.good("%qa act").value
    assert acted.reason and acted.triples
    remembered = asking.good("%qa reflect")
    assert remembered.value.paths and len(pictures(remembered)) == 1
    assert values(asking.good("%qa answer").value) == ["Wilma Aschauer"]
    asking.good("%qa link --entity http://huts.example/id/hochkarhaus")
    asking.good("%qa observe")
    warden = "SELECT ?w WHERE { <http://huts.example/id/hochkarhaus> <http://huts.example/network#warden> ?w }"
    assert len(asking.good(f'%qa act --sparql "{warden}"').value.values) == 1
    explained = asking.good("%qa explain").value
    assert "neighbours" in explained.text() or "query" in explained.text()


def test_a_person_plays_the_model_action_by_action(asking: Notebook) -> None:
    asking.good(f'%qa link "{WARDEN}"')
    asking.good("%qa observe")
    offered = asking.good("%qa act --judge person").value
    texts = [str(row[1]) for row in offered.rows]
    wanted = next(place for place, text in enumerate(texts, start=1) if "warden" in text)
    acted = asking.good(f"%qa act {wanted}").value
    assert acted.judged_by == "person" and acted.triples
    kept = asking.good("%qa reflect").value
    number = next(place for place, row in enumerate(kept.rows, start=1) if "Wilma" in str(row[1]))
    asking.good(f"%qa reflect {number}")
    choices = asking.good("%qa answer").value
    number = next(
        place for place, row in enumerate(choices.rows, start=1) if "Wilma" in str(row[1])
    )
    answer = asking.good(f"%qa answer {number}").value
    assert values(answer) == ["Wilma Aschauer"] and answer.judged_by == "person"
    assert "on the list" in str(asking("%qa answer 99").error)
    assert "one cell at a time" in str(asking("%qa run").error)


def test_what_is_out_of_order_says_what_to_run_first(notebook: Notebook) -> None:
    cell = notebook("%qa ask Who")
    assert isinstance(cell.error, OutOfOrder) and "%qa start" in cell.error.fix
    notebook.good("%qa start huts:graph --judge rule")
    for line, first in (
        ("%qa observe", "%qa link"),
        ("%qa explain", "%qa ask"),
        ("%qa export a.jsonl", "%qa ask"),
    ):
        cell = notebook(line)
        assert isinstance(cell.error, OutOfOrder) and first in cell.error.fix
    notebook.good(f'%qa link "{WARDEN}"')
    cell = notebook("%qa act")
    assert isinstance(cell.error, OutOfOrder) and "%qa observe" in cell.error.fix


def test_a_stage_run_again_goes_on_from_where_it_did_before(asking: Notebook) -> None:
    asking.good(f'%qa link "{WARDEN}"')
    first = asking.good("%qa observe --breadth 5").value
    second = asking.good("%qa observe --breadth 50").value
    assert len(first.triples) < len(second.triples)
    assert [state.stage for state in asking.session.tasks["question_answering"].states] == [
        "link",
        "observe",
    ]
    assert values(asking.good("%qa run").value) == ["Wilma Aschauer"]


def test_answers_are_exported_and_the_run_is_shown(asking: Notebook) -> None:
    asking.good(f'%qa ask "{WARDEN}"')
    asking.good("%qa export answers.jsonl")
    with open("answers.jsonl", encoding="utf-8") as file:
        (line,) = map(json.loads, file)
    assert (
        line["values"] == ["http://huts.example/id/wilma-aschauer"] and line["status"] == "answered"
    )
    assert "to proof.ttl" in asking.good("%qa export proof.ttl").printed
    assert "wrote the query" in asking.good("%qa export query.rq").printed
    assert "export to .jsonl" in str(asking("%qa export answers.csv").error)
    run = asking.good("%qa trace").value
    assert isinstance(run, Run) and {"link", "observe", "act", "answer"} <= {
        step.name for step in run.steps
    }


def test_a_file_of_questions_is_scored_three_ways(asking: Notebook) -> None:
    metrics = asking.good("%qa evaluate huts:questions --sample 6 --given").value
    text = metrics.text()
    assert all(title in text for title in ("Exact set", "Set F1", "Hits@1"))
    assert any("left unsure" in note for note in metrics.notes)
    at = [column.key for column in metrics.columns].index("questions")
    assert metrics.rows[-1][at] == 6
    assert asking.good("%qa evaluate --sample 3").value.rows[-1][at] == 3


def test_wrong_words_are_pointed_at(asking: Notebook) -> None:
    assert "did you mean" in str(asking("%qa observ").error).lower()
    assert "whole number" in str(asking("%qa observe --depth=-1").error)
    assert "nothing in" in str(asking('%qa ask "Who?" --entity "no such thing"').error)
    assert "the question is empty" in str(asking('%qa ask ""').error)


def test_a_start_whose_judge_cannot_be_opened_leaves_nothing_that_answers(
    notebook: Notebook,
) -> None:
    assert "none is set" in str(notebook("%qa start huts:graph --judge model").error)
    refused = notebook(f'%qa ask "{WARDEN}"')
    assert isinstance(refused.error, OutOfOrder) and refused.value is None
    notebook.good("%qa start huts:graph --judge rule")
    assert notebook("%qa start huts:graph --judge cascade").error is not None
    assert notebook(f'%qa ask "{WARDEN}" --judge model').error is not None
    kept = notebook.good(f'%qa ask "{WARDEN}"').value  # the task before continues
    assert kept.judged_by == "rule"


def test_a_model_that_fails_on_known_questions_is_not_asked_and_the_card_says_so(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGNB_TEST_KEY", "not-a-real-key")
    doubtful = "Which huts have a warden who is a guide?"
    with StubServer(lambda body: "How lovely, a hut.") as server:
        notebook.good(f"%llm use stub --base-url {server.url} --key env:KGNB_TEST_KEY")
        notebook.good("%qa start huts:graph")
        with pytest.warns(NotFit, match="0 of 6 questions right"):
            first = notebook.good(f"%qa ask {doubtful}").value
        asked = len(server.requests)
        again = notebook.good(f"%qa ask {doubtful}").value
        assert len(server.requests) == asked
    assert (
        "stub was not heard (it got 0 of 6" in str(card(first))
        and first.rationale == again.rationale
    )
    by_rule = notebook.good(f"%qa ask {doubtful} --judge rule").value
    assert (by_rule.values, by_rule.confidence) == (first.values, first.confidence)


def test_the_model_of_now_is_asked_whenever_the_task_was_started(notebook: Notebook) -> None:
    doubtful = "Which huts have a warden who is a guide?"
    notebook.good("%qa start huts:graph")
    by_rule = notebook.good(f"%qa ask {doubtful}").value
    with StubServer(lambda body: "How lovely, a hut.") as server:
        notebook.good(f"%llm use stub --base-url {server.url}")
        with pytest.warns(NotFit):
            asked = notebook.good(f"%qa ask {doubtful}").value
        assert "stub was not heard" in asked.rationale and server.requests
        before = len(server.requests)
        notebook.good("%llm off")
        assert notebook.good(f"%qa ask {doubtful}").value.rationale == by_rule.rationale
        assert len(server.requests) == before


def test_a_judge_of_one_question_is_not_that_of_the_next(notebook: Notebook) -> None:
    with StubServer(lambda body: "How lovely, a hut.") as server:
        notebook.good(f"%llm use stub --base-url {server.url}")
        notebook.good("%qa start huts:graph --judge rule")
        notebook(f'%qa ask "{WARDEN}" --judge model')
        before = len(server.requests)
        assert notebook.good(f'%qa ask "{WARDEN}"').value.judged_by == "rule"
        assert before and len(server.requests) == before


def test_the_names_of_an_open_graph_are_kept_while_it_is_as_its_file_says(
    notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(name_file, "KEPT_FROM", 1)
    file = tmp_path / "valley.ttl"
    file.write_text(TURTLE, encoding="utf-8")
    kept = Settings.load().cache / "names"
    before = set(kept.glob("*.sqlite"))
    notebook.good(f"%kg open {file}")
    notebook.good("%qa start valley --judge rule")
    notebook.good("%qa ask Who is the warden of Upper Hut?")
    (path,) = set(kept.glob("*.sqlite")) - before
    path.unlink()
    notebook.good(
        '%%sparql --update\nINSERT DATA { <http://a.example/x> <http://a.example/p> "x" }'
    )
    notebook.good("%qa start valley --judge rule")
    notebook.good("%qa ask Who is the warden of Upper Hut?")
    assert not set(kept.glob("*.sqlite")) - before
