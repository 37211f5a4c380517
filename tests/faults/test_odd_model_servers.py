"""Servers that lack something or answer in a way of their own: no system role, streams only, drafts
before the answer, thoughts and nothing else, a model that is still being loaded.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from kgnb.cli import main
from kgnb.errors import Delayed
from kgnb.judging.sheet import Sheet
from kgnb.llm import openai_model
from kgnb.llm.model import Message, ModelError, Reply, Request, ToolSpec
from kgnb.llm.openai_model import OpenAIModel
from kgnb.llm.reply import UnusableReply, final_text, json_values
from kgnb.llm.tools import Tool, call_tools
from kgnb.llm.wire import from_stream
from tests.llm.obliging import oblige
from tests.llm.stub_server import Seen, StubServer

pytestmark = pytest.mark.fault("model servers of their own kind")

PATH = "/v1/chat/completions"
ASKED = Request((Message("system", "Be brief."), Message("user", "Which?")))
MATCH = ["match", "huts:alpine", "huts:refuge", "--judge", "model", "--embedder", "characters"]


def said(text: str | None, reason: str = "stop", **more: Any) -> str:
    message = {"role": "assistant", "content": text, **more}
    return json.dumps({"choices": [{"message": message, "finish_reason": reason}], "model": "m"})


def refusing(status: int, body: Any) -> tuple[int, str]:
    return status, json.dumps(body)


def asking(
    answer: Callable[[Seen], tuple[int, str]], request: Request = ASKED
) -> tuple[Reply, Any]:
    """The reply of a server that answers like this, and the requests that it took."""
    with StubServer(routes={PATH: answer}) as server:
        return OpenAIModel("m", server.url, "k").ask(request), server.requests


NO_SYSTEM = (
    (400, {"object": "error", "message": "System role not supported", "code": 400}),
    (400, {"error": {"message": "Developer instruction is not enabled for models/gemma-2"}}),
    (400, {"message": "This model doesn't support system messages. Try again without one."}),
    (500, {"error": {"message": "Conversation roles must alternate user/assistant/user"}}),
    (422, {"error": "role 'system' is not allowed"}),
)


@pytest.mark.parametrize(("status", "body"), NO_SYSTEM)
def test_what_the_system_says_is_said_by_the_user_where_there_is_no_such_role(
    status: int, body: Any
) -> None:
    def answer(seen: Seen) -> tuple[int, str]:
        if any(one["role"] == "system" for one in seen.body["messages"]):
            return refusing(status, body)
        return 200, said("A")

    with StubServer(routes={PATH: answer}) as server:
        model = OpenAIModel("m", server.url, "k")
        assert [model.ask(ASKED).text for _ in range(2)] == ["A", "A"]
    assert [len(seen.body["messages"]) for seen in server.requests] == [2, 1, 1]
    assert server.requests[-1].body["messages"] == [
        {"role": "user", "content": "Be brief.\n\nWhich?"}
    ]


def pieces(*deltas: dict[str, Any], end: str = "stop") -> str:
    chunks = [{"model": "m", "choices": [{"index": 0, "delta": one}]} for one in deltas]
    chunks += [{"model": "m", "choices": [{"delta": {}, "finish_reason": end}]}]
    chunks += [{"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}]
    return "".join(f"data: {json.dumps(one)}\n\n" for one in chunks) + "data: [DONE]\n\n"


@pytest.mark.parametrize(
    "message",
    [
        "This model only support stream mode, please enable the stream parameter to access the model.",
        "stream must be set to true",
        "Non-streaming requests are not supported",
    ],
)
def test_a_server_that_only_streams_is_asked_for_a_stream(message: str) -> None:
    def answer(seen: Seen) -> tuple[int, str]:
        if not seen.body.get("stream"):
            return refusing(400, {"error": {"message": message}})
        return 200, ": keep alive\n\n" + pieces(
            {"role": "assistant"}, {"content": "A"}, {"content": "B"}
        )

    reply, requests = asking(answer)
    assert (reply.text, reply.usage.total, len(requests)) == ("AB", 5, 2)


def test_a_stream_that_nobody_asked_for_is_read_and_a_broken_one_is_not() -> None:
    reply, _ = asking(lambda seen: (200, pieces({"content": "A"})))
    assert reply.text == "A"
    call = {"index": 0, "id": "1", "function": {"name": "look", "arguments": '{"a":'}}
    more = {"index": 0, "function": {"arguments": " 1}"}}
    reply, _ = asking(
        lambda seen: (200, pieces({"tool_calls": [call]}, {"tool_calls": [more]}, end="tool_calls"))
    )
    assert [(one.name, dict(one.arguments)) for one in reply.tool_calls] == [("look", {"a": 1})]
    for broken in ('data: {"choices": [{"delta": {"content": "A"}}]}\n\n', "data: {nonsense\n\n"):
        with pytest.raises(ValueError):
            from_stream(broken)
        with pytest.raises(ModelError):
            asking(lambda seen, broken=broken: (200, broken))  # type: ignore[misc]
    with pytest.raises(ModelError, match="overloaded"):
        asking(lambda seen: (200, 'data: {"error": {"message": "overloaded"}}\n\n'))


@pytest.mark.parametrize(
    "body",
    [
        said(None, "length", reasoning_content="hm and hm"),
        said("", "length", reasoning="hm"),
        said("<think>hm and", "length"),
    ],
)
def test_a_model_cut_off_while_thinking_is_said_to_be(body: str) -> None:
    reply, _ = asking(lambda seen: (200, body))
    assert reply.finish_reason == "thinking"
    with StubServer(routes={PATH: lambda seen: (200, body)}) as server:
        model = OpenAIModel("m", server.url, "k")
        tool = Tool(ToolSpec("look", "", {"type": "object"}), lambda: 1)
        with pytest.raises(UnusableReply, match="raise model.max_tokens, or turn thinking off"):
            call_tools(model, ASKED.messages, {"look": tool}, 5)


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_an_answer_that_stands_among_the_thoughts_alone_is_read(field: str) -> None:
    reply, _ = asking(lambda seen: (200, said(None, **{field: 'Hm. {"choice": "A"}'})))
    assert json_values(reply.text) == [{"choice": "A"}]


DRAFT, FINAL = '{"choice": "A"}', '{"choice": "B"}'


@pytest.mark.parametrize(
    "text",
    [
        f"<thinking>Perhaps {DRAFT}</thinking>\n{FINAL}",
        f"<think>{DRAFT}</think>{FINAL}",
        f"{DRAFT}</think>\n\n```json\n{FINAL}\n```",
        f"<seed:think>{DRAFT}</seed:think>{FINAL}",
        f"<reasoning>{DRAFT}</reasoning>{FINAL}",
        f"[THINK]{DRAFT}[/THINK]{FINAL}",
        f"◁think▷{DRAFT}◁/think▷{FINAL}",
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{FINAL}",
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final "
        f"<|constrain|>json<|message|>{FINAL}<|return|>",
        f"analysis Perhaps {DRAFT}assistantfinal{FINAL}",
        f"{FINAL}\n<reflection>Or {DRAFT}? No.</reflection>",
    ],
)
def test_what_a_model_thought_first_is_no_answer(text: str) -> None:
    assert json_values(text) == [{"choice": "B"}]
    assert "choice" in final_text(text) and "A" not in final_text(text)


def test_an_answer_that_speaks_of_thinking_is_kept() -> None:
    assert json_values('{"why": "the <think> tag"}') == [{"why": "the <think> tag"}]
    assert final_text("The analysis shows a final answer.") == "The analysis shows a final answer."


def test_the_same_answer_twice_is_one_and_two_that_differ_are_none() -> None:
    from kgnb.judging.question import Option

    options = (Option("a", "hut"), Option("b", "bed"))
    sheet = Sheet("Match.", ("lodge",), (options,), ("same",), "different")
    one = {"question": 1, "why": "", "letter": "A", "confidence": 0.9}
    twice = json.dumps({"answers": [one]}) + "\n" + json.dumps({"answers": [one]})
    assert sheet.read(twice).verdicts[1].choice == "a"
    other = json.dumps({"answers": [one, {**one, "letter": "B"}]})
    assert sheet.read(other).problems == {1: "answered twice"}


TGI = "Input validation error: `inputs`"
OVERFLOWS = (
    (
        400,
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
    (422, f"{TGI} tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens"),
    (422, f"{TGI} must have less than 1024 tokens. Given: 5000"),
    (400, "Input is too long for requested model."),
    (400, "prompt tokens (9000) exceed the limit of 8192"),
    (400, "Please reduce the length of the messages or completion."),
    (400, "the request exceeds the available context size"),
)


@pytest.mark.parametrize(("status", "message"), OVERFLOWS)
def test_a_prompt_that_is_too_long_is_seen_in_the_words_of_each_maker(
    status: int, message: str
) -> None:
    for body in ({"error": {"message": message}}, {"error": message}, {"message": message}):
        reply, _ = asking(lambda seen, body=body: refusing(status, body))  # type: ignore[misc]
        assert reply.finish_reason == "context_overflow"


def test_other_refusals_are_no_overflow() -> None:
    for message in ("Input must be a list", "the maximum number of images is 4", "Bad Request"):
        with pytest.raises(ModelError):
            asking(lambda seen, message=message: refusing(400, {"error": {"message": message}}))  # type: ignore[misc]


LOADING = {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}


def test_a_server_that_loads_its_model_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(openai_model, "_PAUSE", 0.01)
    tried = []

    def answer(seen: Seen) -> tuple[int, str]:
        tried.append(seen)
        return refusing(503, LOADING) if len(tried) < 8 else (200, said("A"))

    with pytest.warns(Delayed, match="still loading its model"):
        reply, _ = asking(answer)
    assert reply.text == "A"
    monkeypatch.setattr(openai_model, "_LOADING", 0.0)
    with pytest.raises(ModelError, match="503"), pytest.warns(Delayed):
        asking(lambda seen: refusing(503, LOADING))


def test_a_run_begins_once_the_model_is_loaded(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(openai_model, "_PAUSE", 0.01)
    tried = []

    def answer(seen: Seen) -> tuple[int, str]:
        tried.append(seen)
        if len(tried) < 6:
            return refusing(503, LOADING)
        return 200, said(str(oblige(seen.body)))

    def models(seen: Seen) -> tuple[int, str]:
        return refusing(503, LOADING)

    with StubServer(routes={PATH: answer, "/v1/models": models}) as server:
        monkeypatch.setenv("KGNB_MODEL", "m")
        monkeypatch.setenv("KGNB_BASE_URL", server.url)
        assert main([*MATCH, "-o", "o.sssom.tsv"]) == 0
    said_once = capsys.readouterr().err
    assert said_once.count("is still loading its model; waiting for it") == 1


SCHEMA = {
    "type": "object",
    "properties": {
        "answers": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "question": {"type": "integer", "enum": [1, 2, 3]},
                    "why": {"type": "string"},
                    "letter": {"type": "string", "enum": ["A", "B"]},
                },
            },
        }
    },
    "required": ["answers"],
}
ANSWERS = '{"answers": [{"question": 1}]}'


def test_every_request_bounds_its_reply_by_what_is_asked() -> None:
    tool = ToolSpec("look", "", {"type": "object"})
    for request in (
        ASKED,
        Request(ASKED.messages, tools=(tool,)),
        Request(ASKED.messages, SCHEMA),
        Request((Message("user", "word " * 20_000),)),
    ):
        _, [seen] = asking(lambda seen: (200, said(ANSWERS)), request)
        assert 256 < seen.body["max_tokens"] <= 16_000
    _, [seen] = asking(lambda seen: (200, said(ANSWERS)), Request(ASKED.messages, SCHEMA))
    answers = seen.body["response_format"]["json_schema"]["schema"]["properties"]["answers"]
    assert answers["maxItems"] == 3
    assert answers["items"]["properties"]["why"] == {"type": "string", "maxLength": 1000}
    assert "maxLength" not in answers["items"]["properties"]["letter"]
    assert seen.body["max_tokens"] < 2_000
    _, [seen] = asking(
        lambda seen: (200, said(ANSWERS)), Request(ASKED.messages, SCHEMA, max_tokens=77)
    )
    assert seen.body["max_tokens"] == 77


def test_a_server_that_knows_no_bounds_gets_the_plain_schema() -> None:
    def answer(seen: Seen) -> tuple[int, str]:
        if "maxItems" in json.dumps(seen.body):
            message = "Invalid schema for response_format: 'maxItems' is not permitted."
            return refusing(400, {"error": {"message": message}})
        return 200, said(ANSWERS)

    reply, requests = asking(answer, Request(ASKED.messages, SCHEMA))
    assert reply.text == ANSWERS and len(requests) == 2
    assert requests[1].body["response_format"]["json_schema"]["schema"] == SCHEMA


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens",
        "max_tokens is too large: 8192. This model's maximum context length is 4096 tokens",
        f"{TGI} tokens + `max_new_tokens` must be <= 4096. Given: 3000 `inputs` tokens",
    ],
)
def test_a_prompt_that_only_fits_without_our_bound_is_asked_without(message: str) -> None:
    def answer(seen: Seen) -> tuple[int, str]:
        if "max_tokens" in seen.body:
            return refusing(400, {"error": {"message": message}})
        return 200, said("A")

    reply, requests = asking(answer)
    assert (reply.text, len(requests)) == ("A", 2)


def test_a_thinking_model_gets_room_to_think_once_it_needs_it() -> None:
    def answer(seen: Seen) -> tuple[int, str]:
        if seen.body["max_tokens"] < 20_000:
            return 200, said(None, "length", reasoning="hm")
        return 200, said("A", reasoning="hm")

    with StubServer(routes={PATH: answer}) as server:
        model = OpenAIModel("m", server.url, "k")
        assert [model.ask(ASKED).text for _ in range(2)] == ["A", "A"]
    assert len(server.requests) == 3
