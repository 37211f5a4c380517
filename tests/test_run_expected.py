"""What a run says a model will cost, before it is asked."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from kgnb.judging import Cascade, Estimate, ModelJudge, Verdict
from kgnb.llm.model import ChatModel, Reply, Request
from kgnb.llm.pacing import Pace, Paced
from kgnb.llm.prices import Price, Prices
from kgnb.llm.scripted import ScriptedModel
from kgnb.run import Forecast, Limits, Run
from tests.judging.questions import Ask, ask

PRICES = Prices("2026-11-01", {"scripted": Price(1.0, 10.0)})


class Model:
    """A model that is never asked."""

    name = "scripted"

    def ask(self, request: Request) -> Reply:
        raise AssertionError("nobody asks")


def told_of(model: ChatModel, estimate: Estimate, bound: str = "about", **given: Any) -> list[dict[str, Any]]:
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
    assert event["text"] == "at least 1 model call, 300 tokens in; replies in the cache cost nothing"


def test_the_least_time_follows_from_the_pace_of_the_settings() -> None:
    (event,) = told_of(Paced(Model(), Pace(requests_per_minute=30)), Estimate(90))
    assert event["seconds"] == 120.0 and "2 min 00 s or more at 30 calls a minute" in event["text"]
    (event,) = told_of(Paced(Model(), Pace(requests_per_minute=30)), Estimate(30))
    assert event["seconds"] is None  # a minute's calls may leave at once


def test_a_budget_that_will_not_suffice_is_named_beforehand() -> None:
    for limits, said in (
        (Limits(calls=5), "5 model calls"),
        (Limits(tokens=100), "100 tokens"),
        (Limits(usd=0.001), "0.001 US dollars"),
    ):
        for bound, ends in (("about", f"The budget of {said} will end it before"), ("up to", "may end it before")):
            (event,) = told_of(Model(), Estimate(12, 3_000, 100), bound, limits=limits, prices=PRICES)
            assert event["text"].endswith(ends)


def test_nothing_is_announced_without_a_model_or_in_a_replay() -> None:
    events: list[Any] = []
    Run("example", on_event=events.append).expect(Estimate(3))
    assert events == []
    replaying = Model()
    replaying.mode = "replay"  # type: ignore[attr-defined]  # as Replaying has it
    assert told_of(replaying, Estimate(3)) == [] and told_of(Model(), Estimate()) == []


class Cheap:
    """Sure of every other question; counts how often it is asked."""

    name = "cheap"

    def __init__(self) -> None:
        self.asked = 0

    def judge(self, questions: Sequence[Any]) -> list[Verdict]:
        self.asked += 1
        sure = Verdict("different", None, 1.0, "", self.name)
        return [sure if number % 2 else replace(sure, decision="unsure") for number in range(len(questions))]


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
    assert len([event for event in events if event["event"] == "estimate"]) == 1 and cheap.asked == 2


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
