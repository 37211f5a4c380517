"""The real openai client against a stub server: what is asked, what comes back, how it fails."""

import gzip
import json
import traceback
from typing import Any

import pytest

from kgnb.backends import open_model
from kgnb.errors import ConfigError
from kgnb.llm.bounds import bounded_schema
from kgnb.llm.model import Message, ModelError, Request, ToolCall, ToolSpec, Usage
from kgnb.llm.openai_model import OpenAIModel
from kgnb.llm.replay import Key
from kgnb.llm.wire import UNREADABLE
from kgnb.secret import Secret
from kgnb.settings import Settings
from tests.llm import stub_server as stub
from tests.llm.stub_server import Body, Call, Fault, StubServer, error_body
from tests.loopback import RawServer, dripping

pytestmark = pytest.mark.fault("model server fails")

KEY = "sk-very-secret-0123456789"
ASK = Request((Message("system", "You match."), Message("user", "Is a Referee a Reviewer?")))
SCHEMA = {
    "type": "object",
    "properties": {"choice": {"type": "string"}},
    "required": ["choice"],
    "additionalProperties": False,
}
WITH_SCHEMA = Request(ASK.messages, schema=SCHEMA)
SEARCH = ToolSpec(
    "search", "Finds.", {"type": "object", "properties": {"label": {"type": "string"}}}
)


def model_of(server: StubServer) -> OpenAIModel:
    return OpenAIModel("stub", server.url, KEY, timeout=2)


def statuses(attempts: tuple[object, ...]) -> list[int]:
    return [attempt.status for attempt in attempts]  # type: ignore[attr-defined]


def test_asks_and_gives_text_usage_and_one_attempt() -> None:
    with StubServer(lambda body: "A, for both review.") as server:
        reply = model_of(server).ask(ASK)
    [seen] = server.requests
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.body["messages"] == [
        {"role": "system", "content": "You match."},
        {"role": "user", "content": "Is a Referee a Reviewer?"},
    ]
    assert (seen.body["temperature"], seen.body["seed"], seen.body["model"]) == (0.0, 0, "stub")
    assert reply.text == "A, for both review."
    assert reply.usage == Usage(8, 4)
    assert (reply.finish_reason, reply.model, reply.cached) == ("stop", "stub", False)
    assert statuses(reply.attempts) == [200]
    assert reply.seconds == reply.attempts[0].seconds > 0


def test_tokens_are_estimated_if_the_server_counts_none() -> None:
    plain = Fault(body='{"choices": [{"message": {"content": "A, so"}, "finish_reason": "stop"}]}')
    with StubServer(faults=[plain]) as server:
        assert model_of(server).ask(ASK).usage == Usage(9, 2, estimated=True)


def test_sends_tools_and_reads_calls() -> None:
    history = (
        Message("user", "Go."),
        Message("assistant", "", (ToolCall("call_1", "search", {"label": "Chair"}),)),
        Message("tool", "nothing", tool_call_id="call_1"),
    )
    calls = [
        Call("search", {"label": "Referee"}),
        Call("search", "{broken"),
        Call("search", '{"a":' * 300 + "1" + "}" * 300),
    ]
    with StubServer(lambda body: calls) as server:
        reply = model_of(server).ask(Request(history, tools=(SEARCH,)))
    sent = server.requests[0].body
    assert sent["tools"][0]["function"] == {
        "name": "search",
        "description": "Finds.",
        "parameters": SEARCH.parameters,
    }
    assert sent["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"label": "Chair"}'
    assert sent["messages"][2] == {"role": "tool", "content": "nothing", "tool_call_id": "call_1"}
    assert reply.tool_calls[0] == ToolCall("call_0", "search", {"label": "Referee"})
    assert reply.tool_calls[1].arguments == {UNREADABLE: "{broken"}
    assert list(reply.tool_calls[2].arguments) == [UNREADABLE]


# ------------------------------------------------------------------------------------------------
# making do


def test_a_schema_is_sent_in_strict_mode_if_it_qualifies() -> None:
    loose = {"type": "object", "properties": {"choice": {"type": "string"}}}
    with StubServer(lambda body: '{"choice": "A"}') as server:
        model_of(server).ask(WITH_SCHEMA)
        model_of(server).ask(Request(ASK.messages, schema=loose))
    formats = [seen.body["response_format"]["json_schema"] for seen in server.requests]
    assert [(each["schema"], each["strict"]) for each in formats] == [
        (bounded_schema(SCHEMA), True),
        (bounded_schema(loose), False),
    ]


def test_a_server_that_takes_a_schema_and_ignores_it_gets_it_in_words_from_then_on() -> None:
    def careless(body: Body) -> str:
        return (
            '{"choice": "A"}'
            if "JSON schema" in body["messages"][0]["content"]
            else "Gladly: it is A."
        )

    other = Request(ASK.messages, schema={**SCHEMA, "title": "another"})
    with StubServer(careless) as server:
        model = model_of(server)
        replies = [model.ask(WITH_SCHEMA), model.ask(WITH_SCHEMA), model.ask(other)]
        assert len(server.requests) == 4, "only the first one is asked twice"
    assert [reply.text for reply in replies] == ['{"choice": "A"}'] * 3
    assert [attempt.error for attempt in replies[0].attempts] == ["the JSON schema was ignored", ""]
    assert replies[0].usage.completion_tokens > replies[1].usage.completion_tokens, (
        "both tries are paid for"
    )


def test_a_server_without_schemas_gets_the_schema_in_words_and_is_not_tried_again(
    record_property: Any,
) -> None:
    record_property("tries", 2)
    forms = {
        "object only": ["json_schema", "json_object"],
        "rejected": ["json_schema", "json_object", None],
    }
    for support, tried in forms.items():
        with StubServer(lambda body: '{"choice": "A"}', schema=support) as server:  # type: ignore[arg-type]
            model = model_of(server)
            first, second = model.ask(WITH_SCHEMA), model.ask(WITH_SCHEMA)
        sent = [(seen.body.get("response_format") or {}).get("type") for seen in server.requests]
        assert sent == [*tried, tried[-1]]
        assert statuses(first.attempts) == [400] * (len(tried) - 1) + [200] and statuses(
            second.attempts
        ) == [200]
        system = server.requests[-1].body["messages"][0]
        assert system["role"] == "system"
        assert system["content"].startswith("You match.") and '"choice"' in system["content"]


@pytest.mark.parametrize(
    "body",
    [
        stub.error_body(
            "Unsupported value: 'temperature' does not support 0",
            "unsupported_value",
            "temperature",
        ),
        '{"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}]}',
    ],
)
def test_leaves_out_what_the_server_does_not_know(body: str) -> None:
    with StubServer(faults=[Fault(400, body=body)]) as server:
        model = model_of(server)
        assert statuses(model.ask(ASK).attempts) == [400, 200]
        assert statuses(model.ask(ASK).attempts) == [200]
    assert ["temperature" in seen.body for seen in server.requests] == [True, False, False]


# ------------------------------------------------------------------------------------------------
# endings


def test_a_prompt_that_cannot_be_answered_gives_a_reply_that_says_how_it_ended(
    record_property: Any,
) -> None:
    record_property("tries", 4)
    for fault, ending in ((stub.TOO_LONG, "context_overflow"), (stub.FILTERED, "content_filter")):
        with StubServer(faults=[fault]) as server:
            reply = model_of(server).ask(WITH_SCHEMA)
        assert (reply.text, reply.finish_reason, reply.usage, statuses(reply.attempts)) == (
            "",
            ending,
            Usage(),
            [400],
        )
    refusal = Fault(body='{"choices": [{"message": {"content": null, "refusal": "I will not."}}]}')
    with StubServer(faults=[refusal]) as server:
        reply = model_of(server).ask(ASK)
    assert (reply.text, reply.finish_reason) == ("I will not.", "refusal")
    told = "'max_tokens' is too large: 8192. This model's maximum context length is 4096 tokens."
    with (
        StubServer(always=Fault(400, body=stub.error_body(told))) as server,
        pytest.raises(ModelError, match="8192"),
    ):
        model_of(server).ask(
            Request(ASK.messages, max_tokens=8192)
        )  # it is not the prompt that is too long


# ------------------------------------------------------------------------------------------------
# failing


@pytest.mark.parametrize(
    ("fault", "status", "says", "passing"),
    [
        (stub.rate_limited(after=3), 429, "slow down", True),
        (stub.server_error(), 500, "it is us, not you", True),
        (stub.server_error(501), 501, "it is us, not you", False),
        (
            Fault(400, body=stub.error_body("no such role", None, "messages")),
            400,
            "no such role",
            False,
        ),
        (
            Fault(429, body=stub.error_body("pay first", "insufficient_quota")),
            429,
            "pay first",
            False,
        ),
        (Fault(500, {"x-should-retry": "false"}), 500, "status 500", False),
        (stub.CUT_JSON, 200, "not what was asked for", True),
        (stub.TORN, 0, "complete", True),
        (stub.HTML, 200, "not what was asked for", True),
        (stub.DROPPED, 0, "no connection", True),
        (Fault(body='{"choices": []}'), 200, "no choices", True),
        (Fault(body='{"choices": [{"message": null}]}'), 200, "no message", True),
        (Fault(body='{"error": {"message": "upstream died"}}'), 200, "upstream died", True),
    ],
)
def test_a_failure_is_one_attempt_and_says_whether_it_may_pass(
    fault: Fault, status: int, says: str, passing: bool
) -> None:
    with StubServer(always=fault) as server, pytest.raises(ModelError) as caught:
        model_of(server).ask(ASK)
    error = caught.value
    assert len(server.requests) == 1 and statuses(error.attempts) == [status]
    assert says in str(error)
    assert (error.passing, error.service, error.status) == (
        passing,
        server.url,
        status,
    ) and error.fix


def test_a_refused_key_or_unknown_path_names_the_setting_and_never_the_key(
    record_property: Any,
) -> None:
    record_property("tries", 3)
    for status in (401, 403):
        with StubServer(always=stub.unauthorised(status)) as server:
            model = model_of(server)
            with pytest.raises(ConfigError, match="%llm use MODEL --key.*model.key") as caught:
                model.ask(ASK)
        assert len(server.requests) == 1
        assert KEY not in "".join(traceback.format_exception(caught.value))
        assert caught.value.__cause__ is None and caught.value.__context__ is None
        assert KEY not in repr(model) + repr(caught.value) + caught.value.details
    with StubServer() as server, pytest.raises(ConfigError, match="model.base_url"):
        OpenAIModel("stub", server.url + "/nowhere", KEY).ask(ASK)


def test_a_servers_words_are_cleaned_before_they_are_shown() -> None:
    nasty = stub.error_body("\x1b[2J<script>alert(1)</script>\n" * 400 + KEY)
    with StubServer(always=Fault(500, body=nasty)) as server, pytest.raises(ModelError) as caught:
        model_of(server).ask(ASK)
    assert "\x1b" not in str(caught.value) + caught.value.details
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize(
    ("name", "url", "key", "said"),
    [
        *(("gpt", None, key, "OPENAI_API_KEY") for key in ("", None, Secret(""))),
        *(
            ("m", url, "k", "base_url")
            for url in ("localhost:8080", "http://", "http://[::1", "http://a:99999/v1")
        ),
        ("m", "http://127.0.0.1:9/v1", "sk-pâté", "not allowed"),  # no header can hold it
        ("", "http://127.0.0.1:9/v1", "k", "KGNB_MODEL"),
    ],
)
def test_bad_settings_are_refused_at_once_and_no_key_is_shown(
    name: str, url: str | None, key: str | Secret | None, said: str
) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        OpenAIModel(name, url, key)
    assert "pâté" not in str(caught.value)
    model = OpenAIModel("m", "http://ada:lovelace@127.0.0.1:9/v1")
    assert "lovelace" not in repr(model) + model.server


def test_the_environment_neither_changes_the_server_nor_leaks_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in {
        "OPENAI_API_KEY": "sk-other",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_ORG_ID": "my-org",
        "OPENAI_PROJECT_ID": "my-project",
        "HTTP_PROXY": "http://127.0.0.1:9",
    }.items():
        monkeypatch.setenv(name, value)
    with StubServer() as server:
        for key in (None, Secret(KEY, "env:X")):
            OpenAIModel("stub", server.url, key).ask(ASK)
    assert [seen.headers["authorization"] for seen in server.requests] == [
        "Bearer none",
        f"Bearer {KEY}",
    ]
    said = str(server.requests[0].headers)
    assert "my-org" not in said and "my-project" not in said and "sk-other" not in said


# ------------------------------------------------------------------------------------------------
# bounds, settings


GREET = ToolSpec(
    "greet",
    "Says hello.",
    {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
)


def endless(out: Any) -> None:
    out(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")
    while True:
        out(b"[" * 65536)


def bomb(out: Any) -> None:
    body = gzip.compress(b" " * 10_000_000)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}"
    out(head.encode() + b"\r\n\r\n" + body)


@pytest.mark.parametrize(
    "head", [b"HTTP/1.1 200 OK\r\nX-Slow: ", b"HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n{"]
)
def test_the_timeout_is_for_the_whole_call(head: bytes) -> None:
    with (
        RawServer(dripping(head), "/v1") as server,
        pytest.raises(ModelError, match="no answer within 0.5 s"),
    ):
        OpenAIModel("m", server.url, timeout=0.5).ask(ASK)


def test_a_reply_without_end_and_one_that_unpacks_are_refused(monkeypatch: Any) -> None:
    with RawServer(endless, "/v1") as server:
        monkeypatch.setattr("kgnb.network.MOST", 1_000_000)
        with pytest.raises(ModelError, match="longer than 0 MiB"):
            OpenAIModel("m", server.url, timeout=30).ask(ASK)
    with RawServer(bomb, "/v1") as server, pytest.raises(ModelError, match="compressed"):
        OpenAIModel("m", server.url).ask(ASK)


def test_a_redirect_takes_the_prompt_nowhere() -> None:
    for status in (301, 303, 308):
        with StubServer() as elsewhere:
            redirect = Fault(status, {"Location": f"{elsewhere.url}/chat/completions"}, body="{}")
            with (
                StubServer(always=redirect) as server,
                pytest.raises(ModelError, match="redirects to http"),
            ):
                OpenAIModel("stub", server.url).ask(ASK)
            assert not elsewhere.requests


def test_settings_go_into_every_call_and_into_what_it_is_kept_under(
    tmp_path: Any, monkeypatch: Any
) -> None:
    monkeypatch.setenv("TEAM_SECRET", "not-for-logs-1")
    plain = {
        "temperature": "none",
        "seed": 7,
        "max_tokens": 99,
        "reasoning_effort": "low",
        "verbosity": "high",
    }
    more = {"parallel_tool_calls": "no", "strict_tools": "yes", "extra_body": '{"top_p": 0.5}'}
    headers = {"headers": '{"X-Team": "env:TEAM_SECRET"}'}
    with StubServer() as server:
        settings = Settings(model="stub", base_url=server.url, cache=tmp_path, retries=0)
        ordinary, special = (
            open_model(settings),
            open_model(settings.with_(**plain, **more, **headers)),
        )
        assert ordinary is not None and special is not None
        for model in (ordinary, special, special):
            model.ask(Request(ASK.messages, tools=(GREET,)))
    first, second = server.requests
    assert (first.body["temperature"], first.body["seed"]) == (0.0, 0) and "top_p" not in first.body
    body = second.body
    assert "temperature" not in body and (body["seed"], body["max_tokens"], body["top_p"]) == (
        7,
        99,
        0.5,
    )
    assert (body["reasoning_effort"], body["verbosity"], body["parallel_tool_calls"]) == (
        "low",
        "high",
        False,
    )
    assert body["tools"][0]["function"]["strict"] is True and "strict_tools" not in body
    assert second.headers["x-team"] == "not-for-logs-1"
    assert Key.of(ASK, "m") != Key.of(Request(ASK.messages, options={"top_p": 0.5}), "m")


def test_cached_and_reasoning_tokens_are_counted() -> None:
    usage = {"prompt_tokens": 90, "completion_tokens": 30}
    usage |= {
        "prompt_tokens_details": {"cached_tokens": 64},
        "completion_tokens_details": {"reasoning_tokens": 20},
    }
    whole = {"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}], "usage": usage}
    with StubServer(whole=lambda body: json.dumps(whole)) as server:
        used = OpenAIModel("stub", server.url).ask(ASK).usage
    assert (used.cached_tokens, used.reasoning_tokens, used.total) == (64, 20, 120)


def test_a_server_that_refuses_what_it_is_sent_back_is_not_sent_it_again() -> None:
    def old(body: Any) -> str:
        if any("reasoning_content" in message for message in body["messages"]):
            return error_body("reasoning_content is not allowed in input messages")
        return json.dumps({"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}]})

    thought = Message(
        "assistant", "", (ToolCall("1", "greet", {}),), carried={"reasoning_content": "hm"}
    )
    request = Request((*ASK.messages, thought, Message("tool", "done", tool_call_id="1")))
    with StubServer(whole=old) as server:
        assert OpenAIModel("stub", server.url).ask(request).text == "A"
        assert len(server.requests) == 2
