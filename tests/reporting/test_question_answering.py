"""The question-answering report: scores with their warning, costs, errors,
QALD-10 end to end.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path

import pytest

from kgnb.agents.question_answering.judges import (
    GIVE,
    PERFORM,
    ActQuestion,
    AnswerQuestion,
    QaQuestion,
)
from kgnb.agents.question_answering.values import Finish, Options, Query, written
from kgnb.datasets.published import published
from kgnb.datasets.question_sets import SETS, question_set
from kgnb.errors import DataError
from kgnb.evaluate.answers import measure
from kgnb.judging import Verdict
from kgnb.llm.replay import MissingReply
from kgnb.reporting import question_answering as report
from kgnb.reporting.question_answering import (
    MOST,
    ask_all,
    metrics,
    open_questions_graph,
    reference_on,
)
from kgnb.reporting.session import ReportSession, marks
from kgnb.results.graph import GraphPicture
from kgnb.results.table import Table
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.asking import open_context
from tests.reporting.conftest import drawn_cells


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> ReportSession:
    settings = Settings(embedder="characters", cache=tmp_path_factory.mktemp("cache"))
    return ReportSession(
        tmp_path_factory.mktemp("report"), settings, "kgnb report question-answering"
    )


@pytest.fixture(scope="module")
def results(session: ReportSession) -> report.AnsweringResults:
    return report.run_questions(session=session)


def test_every_kind_is_scored_with_its_cost_and_published_figures_stand_on_their_own_questions(
    results: report.AnsweringResults, session: ReportSession
) -> None:
    headline, errors = report.headline(results), report.errors(results)
    assert isinstance(headline, Table) and isinstance(errors, Table)
    assert headline.groups.count("case") == 9 and headline.df()["questions"].iloc[-1] == 30
    keys = {column.key for column in headline.columns}
    assert {
        "exact",
        "f1",
        "strict",
        "precision",
        "coverage",
        "support",
    } <= keys and "lenient" not in keys
    assert (results.whole.answerable, results.whole.left) == (28, 1.0)
    assert (results.whole.exact or 0) > 0.5 and (results.whole.support or 0) > 0.9
    assert len(errors.rows) == sum(not one.right for one in results.scored)
    costs = report.beside_costs(results)
    assert {f"{kind}, a question" for kind in results.kinds} <= {row[1] for row in costs.rows}
    assert results.cost.queries > 0 and results.cost.calls == 0
    assert isinstance(report.example(results), GraphPicture)
    assert (
        "ODA" not in str(report.published(results))
        and "lenient" not in metrics(results)["headline"][0]
    )
    table = report.published(replace(results, peers=published("qald10"), name="QALD-10"))
    assert isinstance(table, Table) and all(row[-1] for row in table.rows)
    cells = [(row[0], row[1], *row[2:5]) for row in table.rows]
    covers = "other data: QALD-10 en, 333 questions"
    assert ("ODA (GPT-4)", covers, 0.6667, "not published", "not published") in cells
    assert "an unsure answer is no hit" in table.notes[0]
    report.save(results, session)
    assert json.loads((session.folder / "metrics.json").read_text())["all"]["questions"] == 30
    assert len((session.folder / "answers.jsonl").read_text().splitlines()) == 30
    assert "Right if answered" in "".join(drawn_cells("question-answering", results, session))


def test_a_recording_without_this_judges_replies_ends_the_report(
    tmp_path: Path, session: ReportSession
) -> None:
    settings = session.settings.with_(model="recorded:huts", embedder="local")
    given = {"session": ReportSession(tmp_path, settings), "most": 2}
    paper = report.run_questions(judge="model", options={"tools": "paper"}, **given)
    assert paper.failed == 0 and metrics(paper)["requests"]
    with pytest.raises(MissingReply):  # nothing was recorded without a graph
        report.run_questions(judge="closed-book", **given)


def test_a_set_over_another_graph_than_its_own_is_marked_everywhere(
    session: ReportSession, tmp_path: Path
) -> None:
    (tmp_path / "other.ttl").write_text("<http://a.example/x> <http://a.example/p> 'y' .\n")
    found = report.run_questions(
        graph=str(tmp_path / "other.ttl"), most=3, session=ReportSession(tmp_path, session.settings)
    )
    told = metrics(found)
    assert "not the set's own graph" in told["headline"][0]["covers"] and marks(told)
    assert "Another graph" in str(report.notice(found))


def test_own_questions_are_asked_over_ones_own_graph_and_a_large_set_is_sampled(
    session: ReportSession, tmp_path: Path
) -> None:
    (tmp_path / "kb.tsv").write_text("ada\tmother_of\tbob\nbob\tlives_in\tberne\n")
    lines = [
        {
            "id": "0",
            "question": "Where does bob live?",
            "values": ["http://names.example/entity/berne"],
        }
    ]
    lines += [{"id": str(number), "question": "Who?", "values": []} for number in range(1, 5)]
    (tmp_path / "asked.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    own = {"questions": str(tmp_path / "asked.jsonl"), "graph": str(tmp_path / "kb.tsv")}
    here = ReportSession(tmp_path, session.settings)
    found = report.run_questions(session=here, most=3, **own)
    assert [one.asked.id for one in found.measured] == ["0", "1", "3"] and found.measured[0].right
    assert found.entities == "linked" and found.notes[-1].startswith(
        "3 of the 5 questions, evenly spread over the set"
    )
    assert found.other_graph == "" and not report.metrics(found)["other_graph"]
    assert len(report.run_questions(session=here, most=0, **own).measured) == 5
    assert signature(report.run_questions).parameters["most"].default == MOST
    with pytest.raises(ValueError, match="questions and graph go together"):
        report.run_questions(session=session, questions=own["questions"])


def test_a_reference_table_is_measured_by_cells_and_its_missing_columns_are_an_error(
    tmp_path: Path, session: ReportSession
) -> None:
    warden = "http://huts.example/id/wilma-aschauer"
    asked = {"question": "Who is the warden of the Hochkar House?"}
    tables = {"one": [[warden]], "two": [[warden, "Wilma Aschauer"]]}
    lines = [{"id": name, **asked, "table": {"rows": rows}} for name, rows in tables.items()]
    file = tmp_path / "tables.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    here = ReportSession(tmp_path, session.settings)
    found = report.run_questions(
        questions=str(file), graph="huts:graph", judge="rule", session=here
    )
    assert (found.whole.exact, found.whole.tables, found.whole.cell_f1) == (1.0, 2, 0.5)
    assert metrics(found)["all"]["cell_recall"] == 0.5
    scores = report.headline(found)
    assert isinstance(scores, Table) and "Cell F1" in {column.title for column in scores.columns}
    errors = report.errors(found)
    assert isinstance(errors, Table) and [row[0] for row in errors.rows] == ["two"]
    assert errors.rows[0][-1] == "the first column is right, other cells are not"


def test_a_set_that_is_not_available_says_so(session: ReportSession) -> None:
    for name in SETS[1:]:
        with pytest.raises(DataError, match="no folder of benchmark data is set"):
            question_set(name, None)
    with pytest.raises(ValueError, match="there is no question set 'cellar'"):
        question_set("cellar")


def test_checking_a_proof_does_not_count_as_a_query_of_the_next_question(
    session: ReportSession,
) -> None:
    task = question_set("huts", session.settings.data)
    run = Run("question_answering")
    graph = open_questions_graph(task)
    context = open_context(
        graph, judge="rule", embedder="characters", run=run, settings=session.settings
    )
    measured = ask_all(task.questions[:4], context, Options(), run)
    noted = [query.query for step in run.steps for query in step.queries]
    assert any(one.support for one in measured) and not [
        text for text in noted if text.startswith("triples")
    ]
    assert sum(one.cost.queries for one in measured) == len(noted) > 0


class Script:
    """SIMULATION: acts with the reference query, then gives whatever the graph answered."""

    name = "scripted (simulation)"

    def __init__(self, queries: dict[str, str]) -> None:
        self._queries = queries

    def judge(self, questions: Sequence[QaQuestion]) -> list[Verdict]:
        return [self._verdict(question) for question in questions]

    def _verdict(self, question: QaQuestion) -> Verdict:
        if isinstance(question, ActQuestion):
            query = Query(self._queries[question.asked])
            return Verdict(
                PERFORM,
                written(Finish() if question.done else query),
                1.0,
                "by the script",
                self.name,
            )
        if isinstance(question, AnswerQuestion) and question.values:
            more = tuple((option.id, 1.0) for option in question.options[1:])
            return Verdict(GIVE, question.options[0].id, 1.0, "by the script", self.name, more)
        return Verdict("none", None, 1.0, "by the script", self.name)


@pytest.mark.benchmark
def test_the_yes_no_and_counting_questions_of_qald_are_answered_end_to_end_over_a_local_slice(
    benchmark_data: Path, session: ReportSession, tmp_path: Path
) -> None:
    task = question_set("qald10", benchmark_data)
    graph = open_questions_graph(task)
    asked = [reference_on(graph, one) for one in task.questions if one.kind in ("yes/no", "count")]
    assert len(asked) == 161
    asked = asked[::3]
    run = Run("question_answering")
    script = Script({one.text: one.sparql for one in asked})
    context = open_context(
        graph, judge=script, embedder="characters", run=run, settings=session.settings
    )
    measured = ask_all(asked, context, Options(depth=1, breadth=20, rounds=2), run)
    assert len(measured) == len(asked) and not [
        one for one in measured if one.outcome.status == "failed"
    ]
    answered = [one for one in measured if one.outcome.values]
    # answers are those of the query on the slice; queries that name unknown things were refused,
    # not guessed
    with_answer = [one.item for one in answered if one.asked.values]
    assert with_answer and measure(with_answer).f1 == 1.0
    refused = [
        one
        for one in measured
        if one.outcome.answer and "refused" in " ".join(one.outcome.answer.notes)
    ]
    assert len(answered) + len(refused) >= 25
    here = ReportSession(tmp_path, session.settings.with_(data=benchmark_data))
    found = report.run_questions(dataset="qald10", most=3, session=here)
    assert found.graph == "CoDEx-S as a local slice" and found.entities == "given"
    assert str(report.notice(found)).startswith("SIMULATED REFERENCE")
    [row, *_] = metrics(found)["headline"]
    assert "SIMULATED REFERENCE" in row["system"] and "CoDEx-S as a local slice" in row["covers"]
    assert "CoDEx-S" in metrics(found)["simulation"] and marks(metrics(found))


@pytest.mark.benchmark
def test_questions_that_a_slice_has_no_answer_to_score_nothing(
    benchmark_data: Path, session: ReportSession, tmp_path: Path
) -> None:
    here = ReportSession(tmp_path, session.settings.with_(data=benchmark_data))
    found = report.run_questions(dataset="qald10", most=12, judge="rule", session=here)
    silent = [one for one in found.measured if not one.outcome.values]
    assert found.whole.unanswerable > 0 and silent
    hits = sum(bool(one.outcome.values) and one.right for one in found.scored)
    assert (found.whole.exact or 0) * found.whole.answerable == hits


def test_answers_that_no_reference_tells_of_are_listed_with_their_proofs(tmp_path: Path) -> None:
    graph = "@prefix : <http://ferry.example/#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    graph += ":captain rdfs:label 'captain' . :elke rdfs:label 'Elke' ; :captain :ada . :ada rdfs:label 'Ada Lind' ."
    (tmp_path / "ferry.ttl").write_text(graph, encoding="utf-8")
    asked = ["Who is the captain of Elke?", "Which ferry sank first?"]
    lines = [json.dumps({"id": str(n), "question": text}) for n, text in enumerate(asked)]
    (tmp_path / "asked.jsonl").write_text("\n".join(lines), encoding="utf-8")
    settings = Settings(embedder="characters", cache=tmp_path / "cache")
    found = report.run_questions(
        session=ReportSession(tmp_path, settings, ""),
        questions=str(tmp_path / "asked.jsonl"),
        graph=str(tmp_path / "ferry.ttl"),
    )
    listed = report.errors(found)
    assert isinstance(listed, Table) and len(listed) == 2
    assert "Ada Lind" in listed.rows[0]
    assert ("because", "Elke | captain | Ada Lind") in listed.details[0]
    assert isinstance(report.example(found), GraphPicture)
