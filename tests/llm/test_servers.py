"""Schema, tool loop and plain text with every server that docs/models.md lists, each a stub of what
it documents.
"""

import threading
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel

from kgnb.errors import ReplyError
from kgnb.llm.asking import ask_many
from kgnb.llm.model import Message, Reply, Request
from kgnb.llm.openai_model import OpenAIModel
from kgnb.llm.reply import structured
from kgnb.llm.tools import call_tools, tool_from_function
from tests.llm.servers import SERVERS, Server, ollama, responses, responses_only
from tests.llm.stub_server import Body, StubServer

DOCS = Path(__file__).parents[2] / "docs" / "models.md"
ASK = Request((Message("system", "Choose."), Message("user", "A or B?")), max_tokens=200)


class Picked(BaseModel, extra="forbid"):
    why: str
    letter: Literal["A", "B"]


def greet(name: str) -> str:
    """Says hello."""
    return f"hello {name}"


def model_of(server: Server, stub: StubServer) -> OpenAIModel:
    told = {"api_key": "not-a-key", **server.told}
    return OpenAIModel("stub", stub.url.removesuffix("/v1") + server.base, **told)


@pytest.mark.parametrize("name", SERVERS)
def test_a_schema_a_tool_loop_and_words_work_with_each_server(name: str) -> None:
    with SERVERS[name].make() as stub:
        model = model_of(SERVERS[name], stub)
        model.check_answering()
        picked, replies = structured(model, ASK, Picked)
        assert picked.letter in "AB" and len(replies) == 1
        talk = call_tools(
            model, ASK.messages, {"greet": tool_from_function(greet)}, 12, request=ASK
        )
        assert talk.answer is not None and sum(use.call.name == "greet" for use in talk.uses) >= 1
        assert not any(use.error for use in talk.uses)
        assert model.ask(ASK).text
        refused = len(stub.requests)
        assert model.ask(ASK).text and len(stub.requests) == refused + 1, (
            "what it refused once is not sent again"
        )
    assert f"| {name} |" in DOCS.read_text(encoding="utf-8")


def test_calls_side_by_side_all_go_over_to_the_responses_form() -> None:
    both = threading.Barrier(2, timeout=60)

    def refused(body: Body) -> str:
        both.wait()
        return responses_only(body)

    with StubServer(whole=refused, routes={"/v1/responses": responses}) as stub:
        replies = ask_many(OpenAIModel("stub", stub.url), [ASK, ASK], 2)
    assert [isinstance(reply, Reply) for reply in replies] == [True, True]


def test_the_responses_form_carries_reasoning_settings_and_counts() -> None:
    with SERVERS["OpenAI, Responses"].make() as stub:
        model = OpenAIModel("stub", stub.url)
        how = {"reasoning_effort": "low", "verbosity": "low"}
        reply = model.ask(Request(ASK.messages, max_tokens=90, options=how))
    body = stub.requests[-1].body
    assert stub.requests[-1].path == "/v1/responses"
    assert (body["reasoning"], body["text"], body["max_output_tokens"]) == (
        {"effort": "low"},
        {"verbosity": "low"},
        90,
    )
    assert (reply.usage.prompt_tokens, reply.usage.cached_tokens, reply.usage.reasoning_tokens) == (
        20,
        8,
        4,
    )


@pytest.mark.parametrize(
    ("server", "fits"),
    [
        (ollama(4096), False),
        (ollama(16384), True),
        (ollama(4096, "num_ctx                        16384"), True),
    ],
)
def test_ollama_is_asked_for_its_context_and_a_prompt_that_does_not_fit_is_not_sent(
    server, fits
) -> None:
    with server() as stub:
        model = OpenAIModel("stub", stub.url)
        model.check_answering()
        long = Request((Message("user", "word " * 4000),))  # about 5,000 tokens
        reply = model.ask(long)
        sent = sum(seen.path == "/v1/chat/completions" for seen in stub.requests)
        if fits:
            assert reply.finish_reason == "stop" and sent == 1
            return
        assert (reply.finish_reason, sent) == ("context_overflow", 0)
        assert "4,096" in reply.attempts[-1].error
        with pytest.raises(ReplyError, match="longer than the model can read"):
            call_tools(model, long.messages, {"greet": tool_from_function(greet)}, 12)
