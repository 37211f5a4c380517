"""What `%llm test` finds out."""

import json

from kgnb.llm.checking import check
from kgnb.llm.openai_model import OpenAIModel
from tests.llm import stub_server as stub
from tests.llm.stub_server import Answer, Body, Call, StubServer


def able(body: Body) -> Answer:
    """A server that does all it is asked."""
    if body.get("tools"):
        return Call("greet", {"name": "Ada"})
    return json.dumps({"word": "violet"}) if body.get("response_format") else "Hello!"


def test_an_able_server_can_do_everything() -> None:
    with StubServer(able, models=["stub"]) as server:
        found = check(OpenAIModel("stub", server.url))
    assert (found.schema, found.tools, found.counts_tokens) == (True, True, True)
    assert (found.name, found.server, found.models, found.answer) == ("stub", server.url, ("stub",), "Hello!")
    assert found.notes == ()
    assert len(server.requests) == 3
    assert "tool calls: yes" in str(found)


def test_a_server_that_ignores_what_it_is_asked_is_seen_through() -> None:
    with StubServer(lambda body: "green", models=["other"]) as server:
        found = check(OpenAIModel("stub", server.url))
    assert (found.schema, found.tools) == (False, False)
    assert "the server lists other, not stub" in str(found)


def test_what_a_server_refuses_is_noted() -> None:
    with StubServer(lambda body: "green", schema="rejected", tools="rejected") as server:
        found = check(OpenAIModel("stub", server.url))
    assert (found.schema, found.tools) == (False, False)
    assert found.notes == (
        "response_format json_schema is not supported",
        "response_format json_object is not supported",
        "tools is not supported",
    )


def test_one_failing_question_does_not_hide_the_others() -> None:
    with StubServer(able, faults=[None, stub.server_error()]) as server:
        found = check(OpenAIModel("stub", server.url))
    assert (found.schema, found.tools) == (False, True)
    assert "it is us, not you" in found.notes[0]
