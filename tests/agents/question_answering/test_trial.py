"""A model is tried on known questions before the cascade asks it, and one that fails is not asked."""

import json
import random
import re
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import kgnb
from kgnb.datasets import huts
from kgnb.errors import NotFit, Waiting
from kgnb.llm.model import Reply, Request, ToolCall
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks.asking import AnswerOutcome, answer_questions
from tests.agents.question_answering.worlds import TRIAL, TURTLE, graph, is_trial

ROWS = [
    json.loads(line) for line in huts.path("questions").read_text(encoding="utf-8").splitlines()
]
DOUBTFUL = "Which huts have a warden who is a guide?"


def chooses(pick: Callable[[int], int]) -> ScriptedModel:
    """A model that chooses a reading by nothing but how many there are, and calls the first tool
    with what it was shown.
    """

    def reply(request: Request) -> str | Reply:
        text = request.messages[-1].text
        if is_trial(request):
            return json.dumps({"readings": [pick(4) for _ in range(6)]})
        if "READINGS:" in text:
            last = max(int(number) for number in re.findall(r"^(\d+)\. ", text, re.M))
            return json.dumps({"why": "", "reading": pick(last), "confidence": 0.95})
        if "numbers" in (request.schema or {}).get("properties", {}):
            return json.dumps({"numbers": [1], "confidence": 0.95})
        shown = re.findall(r"\b\w+:\w+", text)
        query = f"SELECT ?x {{ ?x {pick_of(shown, pick)} ?y }}"
        return Reply("", tool_calls=(ToolCall("1", "query", {"sparql": query, "columns": "x"}),))

    return ScriptedModel(reply)


def pick_of(shown: list[str], pick: Callable[[int], int]) -> str:
    return shown[pick(len(shown)) - 1]


def guessing(seed: int) -> ScriptedModel:
    numbers = random.Random(seed)
    return chooses(lambda last: numbers.randint(1, last))


USELESS = {
    "guesses": lambda: guessing(1),
    "guesses otherwise": lambda: guessing(2),
    "the first": lambda: chooses(lambda last: 1),
    "the second": lambda: chooses(lambda last: 2),
    "the last": lambda: chooses(lambda last: last),
    "says nothing": lambda: ScriptedModel(lambda request: ""),
    "talks": lambda: ScriptedModel(lambda request: "What a lovely question. It depends."),
    "numbers beyond": lambda: ScriptedModel(lambda request: '{"readings": [9, 9, 9, 9, 9, 9]}'),
}


@pytest.fixture(scope="module")
def by_rule() -> list[AnswerOutcome]:
    """The rule's answers to the huts' questions that it doubts, and to two that it does not."""
    every = answer_questions(ROWS, "huts:graph", judge="rule")
    doubtful = [one for one in every if one.confidence < 0.9]
    assert sum(bool(one.values) for one in doubtful) > 3
    return doubtful + [one for one in every if one.confidence >= 0.9][:2]


@pytest.mark.parametrize("kind", USELESS)
def test_a_model_that_fails_is_asked_nothing_else_and_the_answers_are_the_rules(
    kind: str, by_rule: list[AnswerOutcome]
) -> None:
    model = USELESS[kind]()
    with pytest.warns(NotFit, match="was not asked what the rule leaves open") as said:
        found = answer_questions(
            [row for row in ROWS for one in by_rule if row["id"] == one.id],
            "huts:graph",
            judge="cascade",
            model=model,
        )
    assert len(said) == 1 and len(model.asked) <= 2, "one sheet, and perhaps its repair"
    assert sorted(found, key=lambda one: one.id) == sorted(by_rule, key=lambda one: one.id)
    unheard = [one.answer.rationale for one in found if one.answer and one.confidence < 0.9]
    assert unheard and all("questions right whose answers are known" in one for one in unheard)
    sure = [one.answer.rationale for one in found if one.answer and one.confidence >= 0.9]
    assert not any("known" in one for one in sure)


@pytest.mark.parametrize("trial", [TRIAL, '{"readings": [2, 3, 1, 4, 3, 3]}'])
def test_a_model_that_passes_with_at_most_one_slip_is_asked(trial: str) -> None:
    other = chooses(lambda last: 1)
    model = ScriptedModel(lambda request: trial if is_trial(request) else other.ask(request))
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotFit)
        kgnb.answer_question(DOUBTFUL, "huts:graph", judge="cascade", model=model)
    assert len(model.asked) > 1 and is_trial(model.asked[0])
    assert not any(is_trial(request) for request in model.asked[1:])


def test_nobody_is_tried_where_the_rule_is_sure_or_no_rule_is_asked() -> None:
    model = ScriptedModel([])
    sure = "Who is the warden of the Hochkar House?"
    assert kgnb.answer_question(sure, "huts:graph", judge="cascade", model=model).values
    assert model.asked == []
    gives_up = Reply("", tool_calls=(ToolCall("1", "give_up", {"why": "no"}),))
    alone = ScriptedModel([gives_up])
    kgnb.answer_question(sure, "huts:graph", judge="model", model=alone)
    assert len(alone.asked) == 1


def test_a_trial_and_the_question_wait_for_their_replies_together(tmp_path: Path) -> None:
    settings = kgnb.Settings(model=f"batch:{tmp_path}/asked", cache=tmp_path)
    with pytest.raises(Waiting, match="2 requests wait"):
        kgnb.answer_question(DOUBTFUL, "huts:graph", judge="cascade", settings=settings)


def test_many_questions_at_once_share_one_trial() -> None:
    trials = threading.Semaphore(1)

    def reply(request: Request) -> str:
        if is_trial(request):
            assert trials.acquire(blocking=False), "tried twice"
        return "no"

    model = ScriptedModel(reply)
    questions = [f"Who sweeps floor {at} of Upper Hut?" for at in range(8)]
    with pytest.warns(NotFit):
        found = answer_questions(
            questions, graph(TURTLE), judge="cascade", model=model, embedder="characters", width=8
        )
    assert {one.status for one in found} == {"unsure"} and len(model.asked) == 2


def test_the_trial_is_asked_once_for_all_graphs_and_processes_where_replies_are_kept(
    tmp_path: Path,
) -> None:
    from kgnb.testing import StubServer

    with StubServer(lambda body: "no idea") as server:
        settings = kgnb.Settings(model="stub", base_url=server.url, cache=tmp_path)
        calls = []
        for source in ("huts:graph", graph(TURTLE)):
            with pytest.warns(NotFit):
                found = kgnb.answer_question(
                    "Who sweeps the floors?", source, judge="cascade", settings=settings
                )
            assert "stub was not heard" in found.rationale
            calls.append(len(server.requests))
    assert calls[0] == calls[1] <= 3
