"""What a run notes, on which step, and how it ends."""

import json
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kgnb.errors import BackendError, DataError
from kgnb.judging import CallableJudge, Option, Verdict
from kgnb.kg.graph import Solutions
from kgnb.kg.terms import Iri
from kgnb.llm.asking import ask_many
from kgnb.llm.chat_model import Model
from kgnb.llm.model import Attempt, Message, ModelError, Reply, Request, Usage
from kgnb.llm.replay import ReplayCache
from kgnb.llm.scripted import ScriptedModel
from kgnb.run import Event, QueryRecord, Run


def request(text: str = "question") -> Request:
    return Request((Message("user", text),))


def test_a_failed_stage_is_on_record_and_the_run_can_go_on() -> None:
    def search() -> None:
        raise DataError("no such column", where="a.csv:3", fix="Add it.")

    run = Run("example")
    with pytest.raises(DataError) as caught:
        run.do(search)
    assert caught.value.__notes__ == ["in stage search"]
    assert (run.state, run.steps[0].state) == ("failed", "failed")
    assert run.steps[0].error == "DataError: a.csv:3: no such column"

    def outer() -> str:
        with pytest.raises(DataError):
            run.do(search)
        return "went on"

    assert run.do(outer) == "went on" and run.state == "running"
    assert run.finish().state == "done"
    assert [(step.name, step.state) for step in run.steps[1:]] == [
        ("outer", "done"),
        ("search", "failed"),
    ]


def test_a_with_block_ends_the_run_as_it_ends() -> None:
    with Run("example") as run:
        run.do(len, [1])
    assert run.state == "done"
    with pytest.raises(RuntimeError), Run("example") as run:
        raise RuntimeError("between stages")
    assert run.state == "failed"
    with pytest.raises(KeyboardInterrupt), Run("example") as run:
        raise KeyboardInterrupt
    assert run.state == "cancelled"


# ------------------------------------------------------------------------------------------------
# model calls


class FailingModel:
    name = "failing"

    def ask(self, request: Request) -> Reply:
        tries = (Attempt(429, "slow down", 0.1), Attempt(429, "slow down", 0.1))
        raise ModelError("the server is busy", service="test", attempts=tries)


def test_the_digest_on_record_is_the_key_the_reply_is_cached_under(tmp_path: Path) -> None:
    cache = ReplayCache(tmp_path / "replies.sqlite")
    run = Run("example")
    model = run.watch(
        Model.of(ScriptedModel(["yes"], name="m"), server="llm.example.org", cache=cache)
    )
    model.ask(request())
    model.ask(request())
    calls = run.steps[0].calls
    assert [call.cached for call in calls] == [False, True]
    cache.export_folder(tmp_path / "export")
    assert {file.stem for file in (tmp_path / "export").iterdir()} == {
        call.request for call in calls
    }
    assert (run.totals["calls"], run.totals["cached"]) == (2, 1)


def test_a_failed_call_is_recorded_with_its_tries_and_the_error_is_raised() -> None:
    run = Run("example")
    model = run.watch(FailingModel())
    with pytest.raises(BackendError):
        run.do(model.ask, request())
    [call] = run.steps[0].calls
    assert call.error == "ModelError: the server is busy"
    assert run.totals["retries"] == 1
    assert run.totals["usd"] is None


def test_a_cached_reply_costs_nothing_even_without_a_price() -> None:
    run = Run("example")
    run.watch(ScriptedModel([Reply("yes", usage=Usage(10, 1), cached=True)])).ask(request())
    assert run.totals["usd"] == 0.0
    run.watch(ScriptedModel([Reply("yes", usage=Usage(10, 1))])).ask(request())
    assert (
        run.totals["usd"] is None
    )  # one live call has no known price: a sum without it would be too low


def test_a_model_watched_twice_notes_each_call_once() -> None:
    run = Run("example")
    inner = run.watch(ScriptedModel(["a", "b"], name="m"))
    assert run.watch(inner) is inner

    class Wrapped:
        name = "wrapped"

        def ask(self, request: Request) -> Reply:
            return inner.ask(request)

    run.watch(Wrapped()).ask(request())
    assert [call.model for call in run.steps[0].calls] == ["m"]
    inner.ask(request())
    assert run.totals["calls"] == 2


def test_five_hundred_calls_of_eight_threads_all_land_on_their_step() -> None:
    run = Run("example")
    model = run.watch(ScriptedModel(lambda asked: asked.messages[0].text, name="m"))

    def first() -> list[Any]:
        return ask_many(model, [request(f"first {number}") for number in range(250)], width=8)

    def second() -> list[Any]:
        return ask_many(model, [request(f"second {number}") for number in range(250)], width=8)

    run.do(first)
    run.do(second)
    steps = run.to_json()["steps"]
    assert [len(step["calls"]) for step in steps] == [250, 250]
    assert [call["number"] for step in steps for call in step["calls"]] == list(range(1, 501))


def test_what_a_thread_outside_any_stage_asks_finds_the_step_that_is_just_beginning() -> None:
    run, over = Run("example"), threading.Event()

    def check() -> None:  # as a report does, of one answer, while the next questions are under way
        while not over.is_set():
            run.record(QueryRecord("graph", "ASK {}"))

    often = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(1) as pool:
            checking = pool.submit(check)
            for number in range(300):
                run.do(abs, number)
            over.set()
        assert checking.exception() is None
    finally:
        sys.setswitchinterval(often)
    assert len(run.steps) >= 300 and run.totals["queries"]


def test_a_bare_thread_of_a_stage_lands_on_that_stage() -> None:
    run = Run("example")
    model = run.watch(ScriptedModel(["yes"], name="m"))

    def stage() -> None:
        thread = threading.Thread(target=model.ask, args=(request(),))
        thread.start()
        thread.join()

    run.do(stage)
    assert [(step.name, len(step.calls)) for step in run.steps] == [("stage", 1)]


# ------------------------------------------------------------------------------------------------
# judges, graphs


@dataclass(frozen=True)
class Pair:
    id: str
    text: str
    options: tuple[Option, ...] = (Option("b#Bed", "Bed"),)


def test_every_verdict_is_recorded_with_its_question() -> None:
    def rule(question: Pair) -> Verdict:
        if question.id == "2":
            return Verdict("unsure", rationale="too\nlittle to go by")
        return Verdict("equivalent", "b#Bed", 0.9, "same word")

    run = Run("example")
    judge = run.watch_judge(CallableJudge(rule))
    verdicts = run.do(judge.judge, [Pair("1", "Bunk"), Pair("2", "Hut\nwith a roof")])
    assert [verdict.decision for verdict in verdicts] == ["equivalent", "unsure"]
    first, second = run.steps[0].judgements
    assert (first.question, first.choice, first.confidence, first.judged_by) == (
        "1",
        "b#Bed",
        0.9,
        "rule",
    )
    assert (second.text, second.rationale) == ("Hut with a roof", "too little to go by")
    assert (run.totals["judgements"], run.totals["unsure"]) == (2, 1)
    assert run.watch_judge(judge) is judge and not judge.simulation  # type: ignore[attr-defined]


def test_a_judge_that_forgets_a_question_is_an_error() -> None:
    class Forgetful:
        name = "forgetful"

        def judge(self, questions: Sequence[Pair]) -> list[Verdict]:
            return [Verdict("different") for _ in questions[1:]]

    with pytest.raises(ValueError):
        Run("example").watch_judge(Forgetful()).judge([Pair("1", "Bunk"), Pair("2", "Hut")])


class TinyGraph:
    name = "tiny"

    def select(self, query: str, **_: object) -> Solutions:
        if "broken" in query:
            raise DataError("malformed query", where="line 1")
        return Solutions(("s",), ((Iri("a:a"),), (Iri("a:b"),)))

    def ask(self, query: str, **_: object) -> bool:
        return False

    def construct(self, query: str, **_: object) -> list[Any]:
        return []

    def triples(self, *pattern: object, **_: object) -> list[Any]:
        return [(Iri("a:a"), Iri("a:p"), Iri("a:b"))]

    def add(self, triples: object) -> None:
        raise BackendError("read-only", service="tiny")

    def count(self) -> int:
        return 1

    def close(self) -> None:
        pass


def test_every_query_is_recorded_even_if_it_fails() -> None:
    run = Run("example")
    graph = run.watch_graph(TinyGraph())
    assert len(graph.select("SELECT ?s WHERE { ?s ?p ?o }")) == 2
    assert graph.ask("ASK { ?s ?p ?o }") is False
    assert graph.construct("DESCRIBE <a:a>") == []
    assert len(graph.triples(Iri("a:a"))) == 1
    with pytest.raises(DataError):
        graph.select("broken")
    assert [(query.query, query.rows) for query in run.steps[0].queries] == [
        ("SELECT ?s WHERE { ?s ?p ?o }", 2),
        ("ASK { ?s ?p ?o }", 1),
        ("DESCRIBE <a:a>", 0),
        ("triples a:a ? ?", 1),
        ("broken", 0),
    ]
    assert run.totals["queries"] == 5
    assert graph.count() == 1 and graph.name == "tiny"
    assert run.watch_graph(graph) is graph


# ------------------------------------------------------------------------------------------------
# the record itself


def test_the_id_is_made_of_content_alone() -> None:
    def make(**changes: Any) -> str:
        return Run(
            "example",
            **({"parameters": {"k": 10}, "data": {"a": "1"}, "versions": {"kgnb": "1"}} | changes),
        ).id

    assert make() == make()
    others = [
        make(parameters={"k": 11}),
        make(data={"a": "2"}),
        make(seed=1),
        make(versions={"kgnb": "2"}),
    ]
    assert len({make(), *others}) == 5


def test_parameters_become_plain_data_and_secrets_stay_out(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Options:
        k: int = 10
        views: tuple[str, ...] = ("lexical",)

    parameters = {
        "options": Options(),
        "source": tmp_path / "a.owl",
        "api_key": "hunter2",
        "max_tokens": 100,
    }
    parameters |= {"nested": {"password": "hunter2", "key": "env:MY_KEY"}}
    with Run("example", parameters=parameters, folder=tmp_path) as run:
        run.do(len, [1])
    assert run.to_json()["parameters"] == {
        "options": {"k": 10, "views": ["lexical"]},
        "source": str(tmp_path / "a.owl"),
        "api_key": "(hidden)",
        "max_tokens": 100,
        "nested": {"password": "(hidden)", "key": "env:MY_KEY"},
    }
    assert not any("hunter2" in file.read_text() for file in tmp_path.iterdir())


def test_a_parameter_that_is_not_plain_data_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="graph is a object"):
        Run("example", parameters={"graph": object()})
    with pytest.raises(ValueError, match="threshold"):
        Run("example", parameters={"threshold": float("nan")})


def test_listeners_hear_every_event_and_progress_besides() -> None:
    heard: list[Event] = []
    run = Run("example", on_event=heard.append)

    def stage() -> None:
        run.progress(3, 10, "entities")

    run.do(stage)
    run.finish()
    assert [event["event"] for event in heard] == ["run", "step", "progress", "step_end", "run_end"]
    assert heard[2] == {
        "event": "progress",
        "step": 1,
        "name": "stage",
        "done": 3,
        "total": 10,
        "unit": "entities",
    }
    json.dumps(heard)


def test_a_run_reads_well_and_shows_itself_in_three_forms() -> None:
    run = Run("example")
    run.watch(ScriptedModel(["yes"])).ask(request())
    run.watch_judge(CallableJudge(lambda pair: Verdict("unsure"), "rule")).judge(
        [Pair("1", "Bunk"), Pair("2", "Bed")]
    )
    assert repr(run.finish()) == "Run(example: done, 1 step, 1 call, 2 judgements (2 unsure))"
    assert {"application/vnd.kgnb.run+json", "text/html", "text/plain"} <= set(
        run._repr_mimebundle_()
    )


# ------------------------------------------------------------------------------------------------
# comparison


@dataclass(frozen=True)
class Merged:
    number: int

    def counts(self) -> dict[str, int]:
        return {"mappings": self.number}


def a_run(
    k: int = 10, mappings: int = 2, bunk: str | None = "b#Bed", more: tuple[Pair, ...] = ()
) -> Run:
    def rule(question: Pair) -> Verdict:
        choice = bunk if question.text == "Bunk" else None
        return Verdict("equivalent" if choice else "different", choice, 0.9)

    def merge() -> Merged:
        return Merged(mappings)

    with Run("example", parameters={"k": k, "judge": "rule"}, data={"a.owl": "1"}) as run:
        run.do(
            run.watch_judge(CallableJudge(rule)).judge, [Pair("1", "Bunk"), Pair("2", "Hut"), *more]
        )
        run.do(merge)
    return run


def test_equal_runs_do_not_differ() -> None:
    comparison = a_run().compare(a_run())
    assert comparison.same_result
    assert not (comparison.parameters or comparison.data or comparison.versions)
    assert set(comparison.totals) <= {"seconds"}


def test_what_changed_between_two_runs_is_listed() -> None:
    comparison = a_run().compare(a_run(k=20, mappings=1, bunk=None, more=(Pair("3", "Route"),)))
    assert comparison.parameters == {"k": (10, 20)}
    assert comparison.counts == {"merge": {"mappings": (2, 1)}}
    change, added = comparison.judgements
    assert (change.step, change.question, change.text) == ("judge", "1", "Bunk")
    assert change.before is not None and change.after is not None
    assert (change.before.choice, change.after.decision) == ("b#Bed", "different")
    assert added.before is None and added.after is not None
    assert not comparison.same_result
    for said in (
        "parameter k: 10 -> 20",
        "step merge, mappings: 2 -> 1",
        "judgement of 'Bunk': equivalent b#Bed -> different",
        "judgement of 'Route': not asked -> different",
    ):
        assert said in str(comparison)
