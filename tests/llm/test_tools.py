"""The tool loop, with native calls, without them, and with a model that does everything wrong."""

import enum
import json
from typing import Annotated, Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from kgnb.errors import BackendError, DataError
from kgnb.llm.model import Message, Reply, Request, ToolCall, ToolSpec
from kgnb.llm.openai_model import OpenAIModel
from kgnb.llm.reply import UnusableReply
from kgnb.llm.scripted import ScriptedModel
from kgnb.llm.tools import Tool, ToolTalk, call_tools, tool_from_function
from tests.llm.stub_server import Body, Call, StubServer, error_body

START = [Message("system", "You match."), Message("user", "Find the Referee.")]
DONE = {"summary": "found"}


def search(label: str, k: int = 5) -> list[str]:
    """Finds entities by label.

    The rest of this is of no use to a model.
    """
    return [label.lower()] * min(k, 2)


class Route(BaseModel):
    start: str


TOOLS = {"search": tool_from_function(search)}


def in_turn(*answers: Any) -> Any:
    """A responder that gives one answer after the other."""
    left = list(answers)
    return lambda body: left.pop(0)


def run(server: StubServer, limit: int = 5, **options: Any) -> ToolTalk:
    return call_tools(OpenAIModel("stub", server.url), START, TOOLS, limit, **options)


def test_calls_tools_natively_until_finish() -> None:
    with StubServer(in_turn(Call("search", {"label": "Referee"}), Call("finish", DONE))) as server:
        talk = run(server)
    assert talk.answer == DONE
    assert [use.result for use in talk.uses] == [["referee"] * 2, None]
    assert len(talk.replies) == len(server.requests) == 2
    names = [tool["function"]["name"] for tool in server.requests[0].body["tools"]]
    assert names == ["search", "finish"]
    roles = [message["role"] for message in server.requests[1].body["messages"]]
    assert roles == ["system", "user", "assistant", "tool"]
    told = server.requests[1].body["messages"][-1]
    assert (told["tool_call_id"], json.loads(told["content"])) == ("call_1", ["referee", "referee"])


@pytest.mark.parametrize("support", ["ignored", "rejected"])
def test_a_server_without_tools_is_found_out_and_asked_by_schema(support: str) -> None:
    answers = in_turn(
        "I would search for it.",
        "Then I would finish.",
        json.dumps({"tool": "search", "arguments": {"label": "Referee"}}),
        Call("finish", DONE),
    )
    with StubServer(answers, tools=support) as server:  # type: ignore[arg-type]
        talk = run(server)
    assert talk.answer == DONE
    assert [use.call.name for use in talk.uses] == ["search", "finish"]
    assert len(talk.replies) == 4
    assert (
        "no tool call"
        in server.requests[1 if support == "ignored" else -1].body["messages"][3]["content"]
    )
    body = server.requests[-1].body
    assert "tools" not in body
    assert body["response_format"]["type"] == "json_schema"
    assert body["messages"][0]["content"].startswith("You match.")
    assert "Finds entities by label." in body["messages"][0]["content"]
    assert body["messages"][-1]["content"].startswith("Result:\n[")


def test_a_call_in_the_text_is_a_call_and_other_words_are_nudged_while_native_calls_go_on() -> None:
    calls = (Call("search", {"label": "Referee"}), Call("finish", DONE))
    with StubServer(in_turn(*calls), tools="ignored") as server:
        talk = run(server)
    assert talk.answer == DONE and [use.call.name for use in talk.uses] == ["search", "finish"]
    assert all("tools" in seen.body for seen in server.requests) and len(server.requests) == 2
    with StubServer(in_turn("Let me think about it.", *calls)) as server:
        talk = run(server)
    assert talk.answer == DONE and len(server.requests) == 3
    assert all("tools" in seen.body for seen in server.requests)
    assert server.requests[1].prompt.startswith("That was no tool call. Call a tool, or finish")


def test_words_after_a_successful_call_end_the_work_if_finish_requires_nothing() -> None:
    end = ToolSpec("finish", "Ends the work.", {"type": "object", "properties": {}})
    model = ScriptedModel([calling("search", label="x"), "That is all there is."])
    talk = call_tools(model, START, TOOLS, 9, finish=end)
    assert talk.answer == {} and talk.messages[-1].text == "That is all there is."
    end = ToolSpec(
        "answer", "Answers.", {"type": "object", "properties": {"iri": {"enum": ["x:a"]}}}
    )
    model = ScriptedModel([calling("answer", iri="x:made-up"), calling("answer", iri="x:a")])
    talk = call_tools(
        model, START, TOOLS, 5, finish=end
    )  # a finish of one's own gives its arguments
    assert talk.answer == {"iri": "x:a"} and len(talk.replies) == 2


def test_what_a_thinking_server_sends_with_a_call_goes_back_with_it() -> None:
    thought = {
        "reasoning_content": "They may mean the referee.",
        "calls": [{"extra_content": {"sign": "abc"}}],
    }

    def thinks(body: Body) -> str:
        sent = [message for message in body["messages"] if message["role"] == "assistant"]
        if not sent:
            call: dict[str, Any] = {"id": "1", "type": "function", "extra_content": {"sign": "abc"}}
            call["function"] = {"name": "search", "arguments": '{"label": "x"}'}
            message = {
                "content": "",
                "reasoning_content": thought["reasoning_content"],
                "tool_calls": [call],
            }
        elif sent[0].get("reasoning_content") != thought["reasoning_content"]:
            return error_body(
                "reasoning_content is missing in assistant tool call message at index 2"
            )
        else:
            assert sent[0]["tool_calls"][0]["extra_content"] == {"sign": "abc"}
            call = {"id": "2", "function": {"name": "finish", "arguments": json.dumps(DONE)}}
            message = {"content": "", "tool_calls": [call]}
        return json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}]})

    with StubServer(whole=thinks) as server:
        talk = run(server)
    assert talk.answer == DONE
    assert talk.messages[2].carried == thought


def test_the_emulated_schema_accepts_every_right_call_and_no_other() -> None:
    def plan(route: Route) -> str:
        """Plans."""
        return route.start

    model = ScriptedModel(['{"tool": "plan", "arguments": {"route": {"start": "hut"}}}'] * 2)
    talk = call_tools(model, START, {**TOOLS, "plan": tool_from_function(plan)}, 1, emulate=True)
    assert talk.uses[0].result == "hut"
    schema = model.asked[0].schema
    assert schema is not None
    validator = Draft202012Validator(schema)
    good = {"tool": "plan", "arguments": {"route": {"start": "hut"}}}
    assert validator.is_valid(good)
    assert validator.is_valid({"tool": "search", "arguments": {"label": "x"}})
    for bad in (
        {"tool": "drop", "arguments": {}},
        {"tool": "search", "arguments": {"route": {}}},
        {"tool": "plan", "arguments": {"route": {}}},
        {**good, "more": 1},
    ):
        assert not validator.is_valid(bad)


def test_a_bad_call_runs_nothing_and_the_model_reads_why() -> None:
    ran: list[str] = []
    tools = {"search": Tool(TOOLS["search"].spec, lambda **arguments: ran.append("search"))}
    for call, why in (
        (Call("drop_all", {}), "there is no tool drop_all; there are search, finish"),
        (Call("search", {}), "'label' is a required property"),
        (Call("search", {"label": 7}), "$.label: 7 is not of type 'string'"),
        (Call("search", {"label": "x", "shell": "rm"}), "'shell' was unexpected"),
        (Call("search", '{"label": '), "not a JSON object"),
        (Call("finish", {}), "'summary' is a required property"),
    ):
        with StubServer(in_turn(call, Call("finish", DONE))) as server:
            talk = call_tools(OpenAIModel("stub", server.url), START, tools, 5)
        assert ran == [] and talk.answer == DONE
        assert why in talk.uses[0].error
        assert why in json.loads(server.requests[1].body["messages"][-1]["content"])["error"]


def test_a_value_error_of_a_function_is_read_by_the_model_and_any_other_ends_the_loop() -> None:
    def fail(**arguments: Any) -> None:
        raise error

    tools = {"search": Tool(TOOLS["search"].spec, fail)}
    error: Exception = ValueError("no such label")
    talk = call_tools(
        ScriptedModel([calling("search", label="x"), calling("finish", **DONE)]), START, tools, 5
    )
    assert "no such label" in talk.uses[0].error and talk.answer == DONE
    for error in (
        BackendError("down", service="s"),
        DataError("no reply kept", where="f"),
        KeyError(),
    ):
        with pytest.raises(type(error)):
            call_tools(ScriptedModel([calling("search", label="x")]), START, tools, 5)


def test_how_a_loop_ends_without_an_answer() -> None:
    with StubServer(lambda body: Call("search", {"label": "x"})) as server:
        talk = run(server, limit=3)
    assert talk.answer is None and len(server.requests) == len(talk.replies) == 3
    with StubServer(lambda body: "Well, let me think.") as server:
        with pytest.raises(UnusableReply, match="3 replies in a row held no tool call") as caught:
            run(server, limit=40)
        assert (
            len(caught.value.replies) == 3 and len(server.requests) == 4
        )  # the last one, in words, too


def test_calls_after_finish_and_two_calls_in_one_text_are_not_run() -> None:
    with StubServer(lambda body: [Call("finish", DONE), Call("search", {"label": "x"})]) as server:
        assert [use.call.name for use in run(server).uses] == ["finish"]
    both = "\n".join(
        json.dumps({"tool": "search", "arguments": {"label": label}}) for label in "ab"
    )
    assert call_tools(ScriptedModel([both]), START, TOOLS, 1, emulate=True).uses == ()


def test_calls_that_a_small_model_writes_in_a_fence_are_all_made_unless_one_is_no_tool() -> None:
    def written(*names: str) -> str:
        calls = (json.dumps({"name": name, "arguments": {"label": name}}) for name in names)
        return "```json\n{}\n```".format("\n".join(calls))

    answers = [
        written("search", "search"),
        written("search", "nonsense"),
        calling("finish", **DONE),
    ]
    talk = call_tools(ScriptedModel(answers), START, TOOLS, 5)
    assert [use.call.name for use in talk.uses] == ["search", "search", "finish"]
    listed = f"[{json.dumps({'name': 'search', 'arguments': {'label': 'x'}})}]"
    assert len(call_tools(ScriptedModel([listed]), START, TOOLS, 1).uses) == 1


def test_a_long_result_is_cut_and_says_so() -> None:
    tools = {"read": Tool(ToolSpec("read", "Reads.", {"type": "object"}), lambda: "x" * 20_000)}
    model = ScriptedModel([calling("read"), calling("finish", **DONE)])
    call_tools(model, START, tools, 5)
    told = model.asked[1].messages[-1].text
    assert told.endswith("(cut: 12000 more characters)") and len(told) < 8100


def test_calls_are_numbered_alike_whatever_ids_the_server_draws() -> None:
    def asked(server_id: str) -> Request:
        first = Reply("", (ToolCall(server_id, "search", {"label": "x"}),))
        model = ScriptedModel([first, calling("finish", **DONE)])
        call_tools(model, START, TOOLS, 5)
        return model.asked[1]

    assert asked("call_8f3a") == asked("call_77b0")


def test_no_tool_may_be_called_finish_and_no_talk_begins_empty() -> None:
    with pytest.raises(ValueError, match="finish"):
        call_tools(ScriptedModel([]), START, {"finish": TOOLS["search"]}, 1)
    with pytest.raises(ValueError, match="no message"):
        call_tools(ScriptedModel([]), [], TOOLS, 1)


def calling(name: str, **arguments: Any) -> Reply:
    return Reply("", (ToolCall("id", name, arguments),))


# ------------------------------------------------------------------------------------------------
# from a function


class Side(enum.Enum):
    SOURCE = "source"
    TARGET = "target"


def test_a_functions_hints_become_the_schema_and_its_values() -> None:
    def neighbours(
        side: Side, hops: Annotated[int, Field(ge=1, le=3, description="how far")] = 1
    ) -> str:
        """Entities around.

        Args: of no matter.
        """
        return f"{side.name} {hops}"

    tool = tool_from_function(neighbours)
    schema = dict(tool.spec.parameters)
    assert (tool.spec.name, tool.spec.description) == ("neighbours", "Entities around.")
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["side"]
    assert schema["properties"]["hops"]["description"] == "how far"
    assert tool.function(side="source", hops=2) == "SOURCE 2"
    with pytest.raises(ValueError):
        tool.function(side="source", hops=9)

    def spread(*labels: str) -> None: ...

    with pytest.raises(TypeError, match="labels"):
        tool_from_function(spread)
