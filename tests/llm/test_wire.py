"""What servers send may be anything: it becomes a reply or a ValueError, and nothing else."""

import json
from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kgnb.errors import shown
from kgnb.llm.model import Message, Request
from kgnb.llm.openai_model import advice, ending, milder
from kgnb.llm.wire import completion_of, from_wire, to_wire
from kgnb.openai_server import ServerRefusal, error_text

NAMES = [
    "choices",
    "message",
    "delta",
    "content",
    "refusal",
    "tool_calls",
    "function",
    "name",
    "arguments",
    "index",
    "id",
    "usage",
    "prompt_tokens",
    "finish_reason",
    "model",
    "error",
    "code",
    "param",
    "detail",
    "type",
    "text",
]
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("{}"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=25,
)


@given(anything, st.integers(400, 599))
def test_any_error_body_is_judged(body: Any, status: int) -> None:
    got = ServerRefusal(status, error_text(body), body)
    assert isinstance(got.passing, bool)
    assert advice(got)
    assert ending(got) in ("", "context_overflow", "content_filter")
    with suppress(ValueError):  # an answer of the Responses API
        from_wire(completion_of({"output": [body], "usage": body, "incomplete_details": body}), "m")
    sent = to_wire(Request((Message("user", "x"),), schema={}))
    less = milder(got, sent, "json_schema", frozenset())
    assert less is None or less != ("json_schema", frozenset())


def test_an_errors_message_is_found_where_servers_put_it() -> None:
    for body in (
        {"error": {"message": "m"}},
        {"error": "m"},
        {"message": "m"},
        {"detail": "m"},
        "m",
    ):
        assert error_text(body) == "m"
    assert error_text({"detail": [{"msg": "m"}]}) == error_text(None) == ""


def test_half_a_surrogate_pair_does_not_stop_a_request() -> None:
    sent = to_wire(Request((Message("user", "bad \ud800 label"),)))
    assert json.dumps(sent, ensure_ascii=False).encode("utf-8")
    assert sent["messages"][0]["content"] == "bad ? label"


@given(st.text(), st.integers(1, 50))
def test_what_is_shown_is_one_printable_line_of_bounded_length(text: str, length: int) -> None:
    line = shown(text, length)
    assert len(line) <= length
    assert line.isprintable()
