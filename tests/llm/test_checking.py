"""What `%llm test` finds out."""

import json
from collections.abc import Callable

import pytest

from kgnb.llm.openai_model import OpenAIModel, check
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


REFUSALS = tuple(f"{what} is not supported" for what in
                 ("response_format json_schema", "response_format json_object", "tools"))  # fmt: skip


@pytest.mark.parametrize(
    ("server", "can", "notes", "said"),
    [
        (lambda: StubServer(lambda body: "green", models=["other"]), (False, False), None, "lists other, not stub"),
        (lambda: StubServer(lambda body: "green", schema="rejected", tools="rejected"), (False, False), REFUSALS, ""),
        (lambda: StubServer(able, faults=[None, stub.server_error()]), (False, True), None, "it is us, not you"),
    ],
    ids=["ignores what it is asked", "refuses it", "fails once"],
)
def test_what_a_server_cannot_do_is_seen_through_and_noted(
    server: Callable[[], StubServer], can: tuple[bool, bool], notes: tuple[str, ...] | None, said: str
) -> None:
    with server() as started:
        found = check(OpenAIModel("stub", started.url))
    assert (found.schema, found.tools) == can
    assert notes in (None, found.notes)
    assert said in str(found) + str(found.notes)
