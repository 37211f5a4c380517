"""``answer_question`` in a loop: what is known of a graph is kept while it stays the same."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kgnb
from kgnb.backends import open_graph
from kgnb.kg.terms import Iri, Literal, bare_text
from kgnb.run import Run
from kgnb.tasks.asking import answer_question

HUT = """@prefix : <http://valley.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:warden rdfs:label "warden" . :cook rdfs:label "cook" .
:upper rdfs:label "Upper Hut" ; :warden :ann ; :cook :bob . :ann rdfs:label "Ann" . :bob rdfs:label "Bob" .
"""
WARDEN = "Who is the warden of Upper Hut?"


def asked(graph: object, question: str = WARDEN) -> tuple[list[str], int]:
    """The values, and the queries that the question took."""
    run = Run("question_answering")
    answer = answer_question(question, graph, judge="rule", embedder="characters", run=run)  # type: ignore[arg-type]
    return [bare_text(value) for value in answer.values], run.totals["queries"]


def test_a_second_question_to_a_file_reads_no_labels_and_no_schema_again(tmp_path: Path) -> None:
    file = tmp_path / "hut.ttl"
    file.write_text(HUT)
    first, dear = asked(file)
    second, cheap = asked(str(file), "Who is the cook of Upper Hut?")
    assert first == ["http://valley.example/ann"] and second == ["http://valley.example/bob"]
    assert cheap < dear / 2 and asked(file)[1] < 8


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "hut.ttl"
    file.write_text(HUT)
    asked(file)
    file.write_text(HUT.replace(":warden :ann", ":warden :bob , :zoe") + ':zoe rdfs:label "Zoe" .')
    assert asked(file)[0] == ["http://valley.example/bob", "http://valley.example/zoe"]


def test_a_store_that_has_changed_is_looked_at_again(tmp_path: Path) -> None:
    file = tmp_path / "hut.ttl"
    file.write_text(HUT)
    graph = open_graph(file)
    asked(graph)
    lower, name = (
        Iri("http://valley.example/lower"),
        Iri("http://www.w3.org/2000/01/rdf-schema#label"),
    )
    warden = Iri("http://valley.example/warden")
    graph.add(
        [(lower, name, Literal("Lower Hut")), (lower, warden, Iri("http://valley.example/bob"))]
    )
    assert asked(graph, "Who is the warden of Lower Hut?")[0] == ["http://valley.example/bob"]


def test_threads_that_ask_one_graph_at_once_get_their_own_answers_and_runs(tmp_path: Path) -> None:
    file = tmp_path / "hut.ttl"
    file.write_text(HUT)
    questions = [WARDEN, "Who is the cook of Upper Hut?"] * 4
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda question: asked(file, question), questions))
    assert [values for values, _ in found] == [
        ["http://valley.example/ann"],
        ["http://valley.example/bob"],
    ] * 4
    assert all(queries > 0 for _, queries in found)


def test_an_answer_is_the_same_whatever_was_asked_before() -> None:
    questions = [WARDEN.replace("Upper Hut", "the Hochkar House"), "Which summit is the lowest?"]

    def all_of(order: list[str]) -> dict[str, object]:
        return {
            text: kgnb.answer_question(text, "huts:graph", judge="rule", embedder="tiny").to_json()
            for text in order
        }

    assert all_of(questions) == all_of(questions[::-1])
