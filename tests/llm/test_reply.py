"""From text to value: what is forgiven, what is repaired, what is given up."""

import json
import time
from typing import Any
from typing import Literal as OneOf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from kgnb.errors import ReplyError
from kgnb.llm.model import Message, Reply, Request, Usage
from kgnb.llm.openai_model import OpenAIModel
from kgnb.llm.reply import UnusableReply, json_values, parse, structured
from kgnb.llm.scripted import ScriptedModel
from tests.llm.stub_server import Fault, StubServer


class Choice(BaseModel):
    model_config = ConfigDict(extra="forbid")
    choice: OneOf["A", "B", "none"]
    reason: str = ""


ASK = Request((Message("user", "Which of these is a Reviewer? A: Referee, B: Chair"),))


@pytest.mark.parametrize(
    "text",
    [
        '{"choice": "A"}',
        ' \n{"choice": "A"}\n',
        '```json\n{"choice": "A"}\n```',
        '```\n{"choice": "A"}\n```',
        'Sure, here it is:\n```JSON\n{"choice": "A"}\n```\nIt fits [1], {really}.',
        'The answer is {"choice": "A"}, as both review.',
        'Of the set {x} and [y] I take {"choice": "A"}.',
        '{"choice": "A",}',
        '{"choice": "A", \n }',
        '<think>Maybe {"choice": "B"}? No.</think>{"choice": "A"}',
        '{"choice": "A"} and again {"choice": "A"}',
        '```json\n{"choice": "A"}\n```\nfor instance not ```json\n{"choice": "A"}\n```',
    ],
)
def test_finds_the_value_bare_fenced_or_amid_prose(text: str) -> None:
    assert parse(text, Choice) == Choice(choice="A")


def test_a_spare_comma_in_a_text_is_left_alone() -> None:
    assert (
        parse('{"choice": "A", "reason": "both, } and ,] count",}', Choice).reason
        == "both, } and ,] count"
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no JSON object"),
        ("I cannot say.", "no JSON object"),
        ('{"choice": "C"}', "choice: Input should be 'A', 'B' or 'none'"),
        ('{"choice": "A"} or else {"choice": "B"}', "several answers that differ"),
        ('{"choice": "A", "choice": "B"}', "no JSON object"),
        ('{"answers": [{"choice": "A"}, {"choice":', "no JSON object"),
        ('{"first": {"choice": "A"} "second": 2}', "no JSON object"),
        ('{"choice": "A", "iri": "http://made.up/x"}', "iri: Extra inputs are not permitted"),
        ('[{"choice": "A"}]', "the value: Input should be a valid dictionary"),
        ('{"choice": NaN}', "no JSON object"),
        ('{"choice": 1}', "choice"),
        ("{'choice': 'A'}", "no JSON object"),
    ],
)
def test_what_is_not_plainly_meant_is_not_guessed(text: str, says: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse(text, Choice)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 1_000_000,
        '{"a":' * 200_000,
        "{" * 500_000,
        "```json\n" * 100_000,
        "," + " " * 500_000 + "x",
        "<think>" * 100_000,
        '{"choice": ' + "9" * 100_000 + "}",
        '{"choice": "' + "A" * 2_000_000 + '"}',
        "\ud800{\x00}" * 1000,
    ],
)
def test_hostile_and_huge_replies_are_refused_in_no_time(text: str) -> None:
    start = time.thread_time()
    with pytest.raises(ValueError) as caught:
        parse(text, Choice)
    assert time.thread_time() - start < 5
    assert len(str(caught.value)) < 1000


json_objects = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
        ),
        max_leaves=8,
    ),
)


@given(json_objects, st.sampled_from(["{0}", "```json\n{0}\n```", "Here: {0}. That is all."]))
def test_any_object_is_found_as_it_was_written(value: dict[str, Any], around: str) -> None:
    text = json.dumps(value)
    if "```" in text or "</think>" in text:
        return
    assert json_values(around.replace("{0}", text)) == [value]


# ------------------------------------------------------------------------------------------------
# asking


def test_one_repair_shows_the_model_what_was_wrong() -> None:
    with StubServer(
        faults=[Fault(text='{"choice": "Z"}'), Fault(text='{"choice": "B"}')]
    ) as server:
        value, replies = structured(OpenAIModel("stub", server.url), ASK, Choice)
    assert value == Choice(choice="B")
    assert [reply.text for reply in replies] == ['{"choice": "Z"}', '{"choice": "B"}']
    first, second = (seen.body["messages"] for seen in server.requests)
    assert second[: len(first)] == first
    assert second[-2] == {"role": "assistant", "content": '{"choice": "Z"}'}
    assert "Input should be 'A', 'B' or 'none'" in second[-1]["content"]


def test_after_one_repair_it_is_given_up_with_the_reply_and_the_cost_of_both() -> None:
    with StubServer(always=Fault(text="nonsense")) as server:
        with pytest.raises(UnusableReply) as caught:
            structured(OpenAIModel("stub", server.url), ASK, Choice)
        sent = len(server.requests)
    error = caught.value
    assert isinstance(error, ReplyError)
    assert len(error.replies) == 2 and sent == 3, "the schema, then in words, then the repair"
    assert error.reply == "nonsense"
    assert error.usage == error.replies[0].usage + error.replies[1].usage
    assert error.usage.completion_tokens == 6


def test_no_second_call_is_paid_if_it_would_be_no_use() -> None:
    for ending in ("context_overflow", "content_filter", "refusal"):
        model = ScriptedModel([Reply("", usage=Usage(3, 0), finish_reason=ending)])
        with pytest.raises(UnusableReply) as caught:
            structured(model, ASK, Choice)
        assert len(model.asked) == 1 and caught.value.usage == Usage(3, 0)


def test_a_reply_cut_off_is_asked_for_again_in_fewer_words_and_not_sent_back_whole() -> None:
    cut = Reply('{"choice": "A", "reason": "' + "x" * 1_000_000, finish_reason="length")
    model = ScriptedModel([cut, '{"choice": "A"}'])
    assert structured(model, ASK, Choice)[0].choice == "A"
    assert "fewer words" in model.asked[1].messages[-1].text
    assert sum(len(message.text) for message in model.asked[1].messages) < 6000
