"""What one call may take, where it may lead, and what the settings add to it."""

import gzip
import json
from typing import Any

import pytest

from kgnb.backends import open_model
from kgnb.llm.model import Message, ModelError, Request, ToolCall, ToolSpec
from kgnb.llm.openai_model import OpenAIModel
from kgnb.llm.replay import Key
from kgnb.settings import Settings
from tests.llm.stub_server import Fault, StubServer, error_body
from tests.loopback import RawServer, dripping

ASK = Request((Message("user", "Which?"),))
GREET = ToolSpec(
    "greet", "Says hello.", {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
)


def endless(out: Any) -> None:
    out(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")
    while True:
        out(b"[" * 65536)


def bomb(out: Any) -> None:
    body = gzip.compress(b" " * 10_000_000)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}"
    out(head.encode() + b"\r\n\r\n" + body)


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nX-Slow: ", b"HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n{"])
def test_the_timeout_is_for_the_whole_call(head: bytes) -> None:
    with RawServer(dripping(head), "/v1") as server, pytest.raises(ModelError, match="no answer within 0.5 s"):
        OpenAIModel("m", server.url, timeout=0.5).ask(ASK)


def test_a_reply_without_end_and_one_that_unpacks_are_refused(monkeypatch: Any) -> None:
    with RawServer(endless, "/v1") as server:
        monkeypatch.setattr("kgnb.openai_server.MOST", 1_000_000)
        with pytest.raises(ModelError, match="longer than 0 MiB"):
            OpenAIModel("m", server.url, timeout=30).ask(ASK)
    with RawServer(bomb, "/v1") as server, pytest.raises(ModelError, match="compressed"):
        OpenAIModel("m", server.url).ask(ASK)


def test_a_redirect_takes_the_prompt_nowhere() -> None:
    for status in (301, 303, 308):
        with StubServer() as elsewhere:
            redirect = Fault(status, {"Location": f"{elsewhere.url}/chat/completions"}, body="{}")
            with StubServer(always=redirect) as server, pytest.raises(ModelError, match="redirects to http"):
                OpenAIModel("stub", server.url).ask(ASK)
            assert not elsewhere.requests


def test_settings_go_into_every_call_and_into_what_it_is_kept_under(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("TEAM_SECRET", "not-for-logs-1")
    plain = {"temperature": "none", "seed": 7, "max_tokens": 99, "reasoning_effort": "low", "verbosity": "high"}
    more = {"parallel_tool_calls": "no", "strict_tools": "yes", "extra_body": '{"top_p": 0.5}'}
    headers = {"headers": '{"X-Team": "env:TEAM_SECRET"}'}
    with StubServer() as server:
        settings = Settings(model="stub", base_url=server.url, cache=tmp_path, retries=0)
        ordinary, special = open_model(settings), open_model(settings.with_(**plain, **more, **headers))
        assert ordinary is not None and special is not None
        for model in (ordinary, special, special):
            model.ask(Request(ASK.messages, tools=(GREET,)))
    first, second = server.requests
    assert (first.body["temperature"], first.body["seed"]) == (0.0, 0) and "top_p" not in first.body
    body = second.body
    assert "temperature" not in body and (body["seed"], body["max_tokens"], body["top_p"]) == (7, 99, 0.5)
    assert (body["reasoning_effort"], body["verbosity"], body["parallel_tool_calls"]) == ("low", "high", False)
    assert body["tools"][0]["function"]["strict"] is True and "strict_tools" not in body
    assert second.headers["x-team"] == "not-for-logs-1"
    assert Key.of(ASK, "m") != Key.of(Request(ASK.messages, options={"top_p": 0.5}), "m")


def test_cached_and_reasoning_tokens_are_counted() -> None:
    usage = {"prompt_tokens": 90, "completion_tokens": 30}
    usage |= {"prompt_tokens_details": {"cached_tokens": 64}, "completion_tokens_details": {"reasoning_tokens": 20}}
    whole = {"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}], "usage": usage}
    with StubServer(whole=lambda body: json.dumps(whole)) as server:
        used = OpenAIModel("stub", server.url).ask(ASK).usage
    assert (used.cached_tokens, used.reasoning_tokens, used.total) == (64, 20, 120)


def test_a_server_that_refuses_what_it_is_sent_back_is_not_sent_it_again() -> None:
    def old(body: Any) -> str:
        if any("reasoning_content" in message for message in body["messages"]):
            return error_body("reasoning_content is not allowed in input messages")
        return json.dumps({"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}]})

    thought = Message("assistant", "", (ToolCall("1", "greet", {}),), carried={"reasoning_content": "hm"})
    request = Request((*ASK.messages, thought, Message("tool", "done", tool_call_id="1")))
    with StubServer(whole=old) as server:
        assert OpenAIModel("stub", server.url).ask(request).text == "A"
        assert len(server.requests) == 2
