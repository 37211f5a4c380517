"""Budgets, kept before each call and never charged for what is cached; and what a run says a model
will cost.
"""

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from kgnb.errors import ConfigError, LimitError
from kgnb.judging import Cascade, Estimate, ModelJudge, Verdict
from kgnb.llm.asking import ask_many
from kgnb.llm.chat_model import Model as Chat
from kgnb.llm.model import ChatModel, Message, Reply, Request, Usage
from kgnb.llm.pacing import Pace
from kgnb.llm.prices import Price, Prices
from kgnb.llm.scripted import ScriptedModel
from kgnb.run import Clock, Forecast, Limits, Run
from tests.judging.questions import Ask, ask


def requests(number: int) -> list[Request]:
    return [Request((Message("user", f"question {each}"),)) for each in range(number)]


def model(cached: bool = False, prompt: int = 10, completion: int = 5) -> ScriptedModel:
    usage = Usage(prompt, completion)
    return ScriptedModel(lambda asked: Reply("yes", usage=usage, cached=cached), name="m")


def ask_all(run: Run, watched: Any, number: int, width: int = 4) -> list[Any]:
    return run.do(ask_many, watched, requests(number), width)


def test_no_more_calls_are_made_than_the_budget_has() -> None:
    for width in (1, 8):
        asked = model()
        run = Run("example", limits=Limits(calls=10))
        outcomes = ask_all(run, run.watch(asked), 40, width)
        assert (
            sum(isinstance(outcome, Reply) for outcome in outcomes)
            == len(asked.asked)
            == run.totals["calls"]
            == 10
        )
        assert all(isinstance(outcome, (Reply, LimitError)) for outcome in outcomes)
        assert run.finish().state == "limited"


def test_cached_replies_are_free_whatever_the_width() -> None:
    run = Run(
        "example",
        limits=Limits(calls=2, tokens=100, usd=0.01),
        prices=Prices("2026-01-01", {"m": Price(1, 1)}),
    )
    outcomes = ask_all(run, run.watch(model(cached=True)), 200, width=8)
    assert all(isinstance(outcome, Reply) for outcome in outcomes)
    assert run.finish().state == "done"
    assert run.totals["cached"] == 200


def test_calls_in_flight_that_turn_out_to_be_cached_leave_room_for_those_that_wait() -> None:
    """With one call left and a slow cached one in flight, the next call waits for it, and is then
    made.
    """
    answered = threading.Event()

    def answer(asked: Request) -> Reply:
        if not answered.is_set():
            time.sleep(0.2)
            answered.set()
            return Reply("kept", cached=True)
        return Reply("live", usage=Usage(1, 1))

    run = Run("example", limits=Limits(calls=1))
    outcomes = ask_all(run, run.watch(ScriptedModel(answer, name="m")), 2, width=2)
    assert sorted(outcome.text for outcome in outcomes) == ["kept", "live"]


def test_a_token_budget_stops_before_a_prompt_that_would_overdraw_it() -> None:
    asked = model(prompt=3, completion=5)
    run = Run("example", limits=Limits(tokens=18))
    outcomes = ask_all(run, run.watch(asked), 10, width=1)
    assert [type(outcome).__name__ for outcome in outcomes[:3]] == ["Reply", "Reply", "LimitError"]
    assert outcomes[2].limit == "tokens"
    totals = run.totals
    assert totals["prompt_tokens"] + totals["completion_tokens"] == 16


def test_a_money_budget_stops_and_says_which_it_was() -> None:
    prices = Prices("2026-01-01", {"m": Price(prompt=1.0, completion=1.0)})
    run = Run("example", limits=Limits(usd=0.0003), prices=prices)
    outcomes = ask_all(run, run.watch(model(prompt=50, completion=50)), 10, width=1)
    assert sum(isinstance(outcome, Reply) for outcome in outcomes) == 3
    assert outcomes[-1].limit == "usd"
    assert "0.0003 US dollars" in str(outcomes[-1])
    assert run.totals["usd"] == pytest.approx(0.0003)


def test_budgets_that_cannot_be_kept_are_refused_before_anything_is_spent() -> None:
    with pytest.raises(ConfigError, match="price of m is not known"):
        Run("example", limits=Limits(usd=1)).watch(model())
    for limits in ({"calls": -1}, {"usd": -0.5}, {"seconds": float("nan")}):
        with pytest.raises(ValueError, match="0 or more"):
            Limits(**limits)


def test_seconds_count_inside_stages_only() -> None:
    ticks = count()
    now = {"extra": 0.0}
    clock = Clock(seconds=lambda: next(ticks) * 0.001 + now["extra"])
    run = Run("example", limits=Limits(seconds=10), clock=clock)
    watched = run.watch(model())
    run.do(watched.ask, requests(1)[0])
    now["extra"] += 1000  # the notebook lies idle
    run.do(watched.ask, requests(1)[0])

    def slow() -> None:
        watched.ask(requests(1)[0])
        now["extra"] += 11
        watched.ask(requests(1)[0])

    with pytest.raises(LimitError, match="10 seconds"):
        run.do(slow)
    assert run.state == "limited"
    assert run.steps[-1].state == "failed"
    assert run.totals["calls"] == 3


def test_a_limit_that_was_hit_and_handled_still_marks_the_run() -> None:
    run = Run("example", limits=Limits(calls=0))
    watched = run.watch(model())

    def stage() -> str:
        try:
            return watched.ask(requests(1)[0]).text
        except LimitError:
            return "partial"

    assert run.do(stage) == "partial"
    assert run.state == "running"
    assert run.finish().state == "limited"
    assert run.totals["calls"] == 0


def test_a_failed_call_counts_as_a_call() -> None:
    run = Run("example", limits=Limits(calls=2))
    watched = run.watch(ScriptedModel([], name="m"))
    outcomes = ask_all(run, watched, 4, width=1)
    assert [type(outcome).__name__ for outcome in outcomes] == [
        "ModelError",
        "ModelError",
        "LimitError",
        "LimitError",
    ]


# ------------------------------------------------------------------------------------------------
# what it will cost


PRICES = Prices("2026-11-01", {"scripted": Price(1.0, 10.0)})


class Model:
    """A model that is never asked."""

    name = "scripted"

    def ask(self, request: Request) -> Reply:
        raise AssertionError("nobody asks")


def told_of(
    model: ChatModel, estimate: Estimate, bound: str = "about", **given: Any
) -> list[dict[str, Any]]:
    events: list[Any] = []
    run = Run("example", on_event=events.append, **given)
    run.watch(model)
    run.expect(estimate, bound)
    return events


def test_calls_tokens_and_money_are_announced_as_far_as_they_are_known() -> None:
    (event,) = told_of(Model(), Estimate(12, 30_000, 1_500), prices=PRICES)
    assert event["event"] == "estimate" and event["usd"] == pytest.approx(0.045)
    assert event["text"] == (
        "about 12 model calls, 30,000 tokens in and 1,500 out, $0.0450 at the price in the settings; "
        "replies in the cache cost nothing"
    )
    (event,) = told_of(Model(), Estimate(1, 300), "at least")
    assert event["usd"] is None and event["seconds"] is None
    assert (
        event["text"] == "at least 1 model call, 300 tokens in; replies in the cache cost nothing"
    )


def test_the_least_time_follows_from_the_pace_of_the_settings() -> None:
    (event,) = told_of(Chat.of(Model(), pace=Pace(requests_per_minute=30)), Estimate(90))
    assert event["seconds"] == 120.0 and "2 min 00 s or more at 30 calls a minute" in event["text"]
    (event,) = told_of(Chat.of(Model(), pace=Pace(requests_per_minute=30)), Estimate(30))
    assert event["seconds"] is None  # a minute's calls may leave at once


def test_a_budget_that_will_not_suffice_is_named_beforehand() -> None:
    for limits, said in (
        (Limits(calls=5), "5 model calls"),
        (Limits(tokens=100), "100 tokens"),
        (Limits(usd=0.001), "0.001 US dollars"),
    ):
        for bound, ends in (
            ("about", f"The budget of {said} will end it before"),
            ("up to", "may end it before"),
        ):
            (event,) = told_of(
                Model(), Estimate(12, 3_000, 100), bound, limits=limits, prices=PRICES
            )
            assert event["text"].endswith(ends)


def test_nothing_is_announced_without_a_model_or_in_a_replay() -> None:
    events: list[Any] = []
    Run("example", on_event=events.append).expect(Estimate(3))
    assert events == []
    replaying = Chat("scripted", None)  # its cache alone answers
    assert told_of(replaying, Estimate(3)) == [] and told_of(Model(), Estimate()) == []


class Cheap:
    """Sure of every other question; counts how often it is asked."""

    name = "cheap"

    def __init__(self) -> None:
        self.asked = 0

    def judge(self, questions: Sequence[Any]) -> list[Verdict]:
        self.asked += 1
        sure = Verdict("different", None, 1.0, "", self.name)
        return [
            sure if number % 2 else replace(sure, decision="unsure")
            for number in range(len(questions))
        ]


def test_a_cascade_announces_what_is_left_for_the_model_and_asks_the_cheap_judge_once() -> None:
    events: list[Any] = []
    run, cheap = Run("example", on_event=events.append), Cheap()
    entry = {"question": 1, "why": "", "letter": "none", "decision": "unsure", "confidence": 0.5}
    model = run.watch(ScriptedModel(lambda request: json.dumps({"answers": [entry]})))
    costly: ModelJudge[Ask] = ModelJudge(
        model, instructions="Judge.", decisions=("equivalent",), none_decision="different", batch=1
    )
    judge = run.watch_judge(Cascade(cheap, costly))
    judge.judge([ask(f"hut {number}", "Hut") for number in range(6)])
    estimates = [event for event in events if event["event"] == "estimate"]
    assert [event["calls"] for event in estimates] == [3] and cheap.asked == 1
    judge.judge([ask("hut 7", "Hut")])  # one question is sooner asked than announced
    assert (
        len([event for event in events if event["event"] == "estimate"]) == 1 and cheap.asked == 2
    )


def test_the_cost_of_the_rest_of_a_batch_is_announced_once() -> None:
    events: list[Any] = []
    run = Run("example", on_event=events.append)
    model = run.watch(ScriptedModel(lambda request: "yes"))
    forecast = Forecast(run)
    for number in range(20):
        forecast.done(number, 20)
        model.ask(Request(()))
    (event,) = [event for event in events if event["event"] == "estimate"]
    assert event["calls"] == 15 and event["text"].startswith("for the rest about 15 model calls")
    assert "at the pace so far" in event["text"]
