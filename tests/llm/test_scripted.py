"""The model with prepared answers that comes with the package."""

import pytest

from kgnb.errors import BackendError
from kgnb.llm.model import ChatModel, Message, Reply, Request, ToolCall, Usage
from kgnb.llm.scripted import ScriptedModel


def ask(text: str) -> Request:
    return Request((Message("system", "Chair"), Message("user", text)))


def test_answers_from_a_list_a_mapping_or_a_function_and_fails_clearly() -> None:
    model = ScriptedModel(["A", "B"])
    assert [model.ask(ask("1")).text, model.ask(ask("2")).text] == ["A", "B"]
    with pytest.raises(BackendError, match="2 answers"):
        model.ask(ask("3"))
    assert [request.messages[-1].text for request in model.asked] == ["1", "2", "3"]
    model = ScriptedModel({"Referee": "A", "Chair": "B"})
    assert model.ask(ask("a Chair?")).text == "B"
    with pytest.raises(BackendError, match="no answer to: a Paper"):
        model.ask(ask("a Paper?"))
    whole = Reply("", (ToolCall("1", "search", {}),), Usage(3, 4), model="told")
    model = ScriptedModel(
        lambda request: whole if request.seed else request.messages[-1].text.upper()
    )
    assert model.ask(ask("a")).text == "A"
    assert model.ask(Request(ask("a").messages, seed=1)) == whole


def test_says_that_it_is_a_simulation_and_that_its_usage_is_an_estimate() -> None:
    model = ScriptedModel(["four"])
    reply = model.ask(ask("12345678"))
    assert isinstance(model, ChatModel)
    assert reply.model == model.name == "scripted (simulation)"
    assert reply.usage == Usage(4, 1, estimated=True)
