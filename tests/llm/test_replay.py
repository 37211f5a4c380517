"""Keeping replies: what counts as the same question, sharing, damage, and a colleague's replay."""

import json
import os
import pickle
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgnb.errors import DataError
from kgnb.llm.asking import ask_many
from kgnb.llm.chat_model import Model
from kgnb.llm.model import Attempt, Message, Reply, Request, ToolCall, ToolSpec, Usage
from kgnb.llm.openai_model import OpenAIModel
from kgnb.llm.pacing import Pace
from kgnb.llm.replay import (
    Key,
    ReplayCache,
    reply_from_json,
    reply_to_json,
    server_alias,
)
from kgnb.llm.scripted import ScriptedModel
from kgnb.results.run_view import RunView
from kgnb.run import Run
from tests.llm import stub_server as stub
from tests.llm.stub_server import StubServer

ASK = Request((Message("user", "Is a Referee a Reviewer?"),))
FULL = Reply(
    "yes \ud800 é",
    (ToolCall("1", "search", {"label": "Chair", "k": 3}),),
    Usage(12, 3),
    "tool_calls",
    "stub-2026",
    seconds=1.5,
    attempts=(Attempt(200, "", 1.5),),
)


@pytest.fixture
def cache(tmp_path: Path) -> ReplayCache:
    return ReplayCache(tmp_path / "cache" / "replies.sqlite")


def test_asks_once_and_replays_for_ever(cache: ReplayCache) -> None:
    model = ScriptedModel(["A"])
    first = Model.of(model, cache=cache).ask(ASK)
    again = Model.of(model, cache=ReplayCache(cache.path)).ask(ASK)
    assert (first.text, first.cached, again.text, again.cached) == ("A", False, "A", True)
    assert again.usage == first.usage
    assert (again.seconds, again.attempts) == (0.0, ())
    assert len(model.asked) == len(cache) == 1


def test_everything_that_may_change_a_reply_changes_its_key() -> None:
    tool = ToolSpec("t", "d", {})
    requests = [
        ASK,
        replace(ASK, seed=1),
        replace(ASK, temperature=0.5),
        replace(ASK, max_tokens=9),
        replace(ASK, schema={"a": 1, "b": 2}),
        replace(
            ASK, schema={"b": 2, "a": 1}
        ),  # a reason before a decision is not a reason after it
        replace(ASK, tools=(tool,)),
        replace(ASK, tools=(replace(tool, description="e"),)),
        replace(ASK, messages=(Message("system", ASK.messages[0].text),)),
        replace(ASK, messages=(*ASK.messages, Message("user", ""))),
        replace(ASK, messages=(Message("tool", "x", tool_call_id="1"),)),
        replace(ASK, messages=(Message("tool", "x", tool_call_id="2"),)),
        replace(ASK, messages=(Message("assistant", "", (ToolCall("1", "t", {}),)),)),
    ]
    keys = {Key.of(request, "m").digest for request in requests}
    assert len(keys) == len(requests)
    assert (
        Key.of(ASK, "m").digest != Key.of(ASK, "n").digest != Key.of(ASK, "m", "elsewhere").digest
    )
    assert Key.of(ASK, "m") == Key.of(replace(ASK, temperature=0), "m")


def test_a_key_stays_what_it_is_from_release_to_release() -> None:
    assert (
        Key.of(ASK, "m", "local").digest
        == "1a01d9be1d84aa340059162f6710bc96b6b33d4d7d712c1ed290c342eff676d9"
    )


def test_keeps_text_calls_usage_and_ending_but_neither_times_nor_tries(cache: ReplayCache) -> None:
    Model.of(ScriptedModel([FULL]), cache=cache).ask(ASK)
    kept = pickle.loads(pickle.dumps(cache))  # another process opens it for itself
    found = Model("scripted (simulation)", None, cache=kept).ask(ASK)
    assert found == replace(FULL, cached=True, seconds=0.0, attempts=())


@given(st.text(), st.text(), st.integers(0), st.booleans())
def test_a_kept_reply_comes_back_as_it_was(
    text: str, ending: str, tokens: int, estimated: bool
) -> None:
    reply = Reply(
        text, (ToolCall("i", "n", {"a": [text, None]}),), Usage(tokens, 1, estimated), ending, text
    )
    assert reply_from_json(reply_to_json(reply), "here") == reply


def test_a_replay_never_asks_and_says_what_is_missing(cache: ReplayCache) -> None:
    with StubServer() as server:
        model = Model("stub", None, server=server_alias(server.url), cache=cache)
        with pytest.raises(DataError) as caught:
            model.ask(ASK)
    assert server.requests == []
    error = caught.value
    assert error.where == str(cache.path)
    assert f"stub ({server_alias(server.url)})" in str(error) and "Is a Referee a Reviewer?" in str(
        error
    )
    assert Key.of(ASK, "stub", server_alias(server.url)).digest in error.details
    assert "model.replay" in error.fix


def test_a_failure_is_not_kept(cache: ReplayCache) -> None:
    with StubServer(lambda body: "A", [stub.server_error()]) as server:
        model = Model.of(OpenAIModel("stub", server.url), pace=Pace(), retries=0, cache=cache)
        outcomes = [ask_many(model, [ASK])[0] for _ in range(3)]
    assert [isinstance(outcome, Reply) for outcome in outcomes] == [False, True, True]
    assert len(server.requests) == 2


def test_a_context_overflow_is_asked_again_but_replayed_unchanged(cache: ReplayCache) -> None:
    overflow = Reply("", finish_reason="context_overflow")
    model = Model.of(ScriptedModel([overflow, "A"]), cache=cache)
    assert model.ask(ASK).finish_reason == "context_overflow"
    assert Model(model.name, None, cache=cache).ask(ASK).finish_reason == "context_overflow"
    assert (model.ask(ASK).text, model.ask(ASK).text) == ("A", "A")


def test_servers_are_told_apart_by_host_port_and_path(cache: ReplayCache) -> None:
    urls = (
        "http://127.0.0.1:81/v1",
        "http://127.0.0.1:82/v1",
        "http://127.0.0.1:81/other/v1",
        "https://llm.example.org/v1",
        "https://llm.example.org:8443/v1",
    )
    servers = [Model.of(OpenAIModel("m", url), cache=cache).server for url in urls]
    assert len(set(servers)) == 5 and servers[0] == "localhost:81/v1"
    assert (
        Model.of(OpenAIModel("m", "https://llm.example.org/v1"), server="", cache=cache).server
        == ""
    )
    assert server_alias("") == server_alias("https://api.openai.com/v1/") == "api.openai.com/v1"
    assert server_alias("http://localhost:81/v1") == server_alias("http://127.0.0.1:81/v1")


def test_another_model_behind_another_port_does_not_answer_from_the_first_ones_replies(
    cache: ReplayCache,
) -> None:
    for answer in ("A", "B"):
        with StubServer(lambda body, answer=answer: answer) as server:  # type: ignore[misc]
            assert Model.of(OpenAIModel("stub", server.url), cache=cache).ask(ASK).text == answer


def test_another_model_loaded_behind_the_same_address_is_asked_and_the_first_one_counts_again_later(
    cache: ReplayCache,
) -> None:
    with StubServer(lambda body: server.models[0], models=["small-7b"]) as server:

        def answer(loaded: str) -> Reply:
            server.models = [loaded]  # the server was started anew with another file
            return Model.of(OpenAIModel("local", server.url), cache=cache).ask(ASK)

        replies = [answer(loaded) for loaded in ("small-7b", "other-8b", "other-8b", "small-7b")]
    assert [reply.text for reply in replies] == ["small-7b", "other-8b", "other-8b", "small-7b"]
    assert [reply.cached for reply in replies] == [False, False, True, True]
    assert [reply.model for reply in replies] == ["small-7b", "other-8b", "other-8b", "small-7b"]
    server_gone = Model.of(OpenAIModel("local", server.url), cache=cache)
    assert server_gone.ask(ASK).text == "other-8b"  # the newest, and nobody can say otherwise


def test_a_reply_that_names_another_snapshot_ends_the_trust_in_the_older_ones_replies(
    cache: ReplayCache,
) -> None:
    snapshot = ["m-2026-05"]

    def answer(body: object) -> str:
        return snapshot[0]

    def whole(body: dict[str, object]) -> str:
        completion = stub.completion(body, {"role": "assistant", "content": snapshot[0]}, "stop")
        return json.dumps(completion | {"model": snapshot[0]})

    other = replace(ASK, seed=5)
    with StubServer(answer, whole=whole, models=["m", "n"]) as server:
        Model.of(OpenAIModel("m", server.url), cache=cache).ask(ASK)
        snapshot[0] = "m-2026-11"
        model = Model.of(OpenAIModel("m", server.url), cache=cache)
        texts = [model.ask(request).text for request in (ASK, other, ASK)]
    assert texts == ["m-2026-05", "m-2026-11", "m-2026-11"]


def test_a_cached_reply_says_its_day_and_the_runs_summary_repeats_it(cache: ReplayCache) -> None:
    Model.of(ScriptedModel(["A"]), cache=cache).ask(ASK)
    with sqlite3.connect(cache.path) as other:
        other.execute("UPDATE days SET day = 2461365")
    run = Run("example")
    assert run.watch(Model.of(ScriptedModel([]), cache=cache)).ask(ASK).cached_on == "2026-11-20"
    assert run.totals["cached_on"] == "2026-11-20"
    assert "1 call (1 cached, of 2026-11-20)" in RunView(run.finish().to_json()).text()


def test_the_same_question_at_the_same_time_is_paid_once(cache: ReplayCache) -> None:
    with StubServer(lambda body: "A", delay=0.05) as server:
        outcomes = ask_many(Model.of(OpenAIModel("stub", server.url), cache=cache), [ASK] * 6, 6)
    assert len(server.requests) == 1
    assert [outcome.cached for outcome in outcomes if isinstance(outcome, Reply)].count(False) == 1


def test_the_first_reply_stays_and_a_damaged_one_is_named(cache: ReplayCache) -> None:
    key = Key.of(ASK, "m")
    for text in ("A", "B"):
        cache.put(key, Reply(text))
    assert cache.get(key) == Reply("A", cached=True)
    with sqlite3.connect(cache.path) as other:
        other.execute("UPDATE replies SET reply = '{\"text\": 1}'")
    with pytest.raises(DataError, match=key.digest):
        cache.get(key)


# ------------------------------------------------------------------------------------------------ a
# colleague


def test_a_colleague_replays_an_exported_folder_with_no_model(
    cache: ReplayCache, tmp_path: Path
) -> None:
    requests = [
        Request((Message("user", f"{n} é \ud800"),), schema={"b": 1, "a": 2}) for n in range(5)
    ]
    with StubServer(lambda body: f"{body['messages'][-1]['content'][0]} ✓") as server:
        mine = ask_many(Model.of(OpenAIModel("stub", server.url), cache=cache), requests)
    assert cache.export_folder(tmp_path / "out") == 5
    theirs_cache = ReplayCache(tmp_path / "theirs.sqlite")
    assert theirs_cache.import_folder(tmp_path / "out") == 5
    assert theirs_cache.import_folder(tmp_path / "out") == 0
    theirs = ask_many(
        Model("stub", None, server=server_alias(server.url), cache=theirs_cache), requests
    )
    assert [each.text for each in theirs if isinstance(each, Reply)] == [f"{n} ✓" for n in range(5)]
    assert [each.usage for each in theirs if isinstance(each, Reply)] == [
        each.usage for each in mine if isinstance(each, Reply)
    ]
    theirs_cache.export_folder(tmp_path / "again")
    first, second = (
        {p.name: p.read_bytes() for p in (tmp_path / f).iterdir()} for f in ("out", "again")
    )
    assert first == second
    assert "é" in next(iter(first.values())).decode()  # readable, and so diffable


@pytest.mark.parametrize("harm", ["prompt", "cut", "form", "name"])
def test_a_changed_file_is_named_and_nothing_is_imported(
    cache: ReplayCache, tmp_path: Path, harm: str
) -> None:
    for seed in range(3):
        cache.put(Key.of(replace(ASK, seed=seed), "m"), Reply("A"))
    cache.export_folder(tmp_path / "out")
    path = sorted((tmp_path / "out").iterdir())[-1]
    content = json.loads(path.read_text())
    if harm == "prompt":
        content["request"]["messages"][0]["text"] = "Is a Chair a Reviewer?"
    if harm == "form":
        del content["reply"]["usage"]
    path.write_text(json.dumps(content)[: 50 if harm == "cut" else None])
    if harm == "name":
        path = path.rename(path.with_name("0123.json"))
    other = ReplayCache(tmp_path / "other.sqlite")
    with pytest.raises(DataError) as caught:
        other.import_folder(tmp_path / "out")
    assert path.name in str(caught.value)
    assert len(other) == 0
    with pytest.raises(DataError, match="is not a folder"):
        other.import_folder(tmp_path / "nowhere")


@pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="the system does not list open files"
)
def test_models_opened_again_and_again_hold_no_more_files_open(tmp_path: Path) -> None:
    for _ in range(3):
        cache = ReplayCache(tmp_path / "replies.sqlite")
        assert Model.of(ScriptedModel(["A"]), cache=cache).ask(ASK).text == "A"
        cache.close()
    left = [os.path.realpath(file) for file in Path("/proc/self/fd").iterdir()]
    assert not [file for file in left if file.startswith(str(tmp_path))]
    assert [file.name for file in tmp_path.iterdir()] == ["replies.sqlite"]
