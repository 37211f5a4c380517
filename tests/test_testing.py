"""What the package offers for other people's tests, used as they would use it."""

from pathlib import Path

import pytest

import kgnb
from kgnb.llm.model import Message, Request
from kgnb.testing import ScriptedModel, StubServer, rate_limited


def test_a_server_on_loopback_answers_and_fails_as_it_is_told(tmp_path: Path) -> None:
    settings = kgnb.Settings(embedder="characters", cache=tmp_path / "cache", retries=2, width=1)
    with StubServer(lambda body: "not even JSON", faults=[rate_limited(after_ms=1)]) as server:
        asking = settings.with_(model="stub", base_url=server.url)
        with pytest.raises(kgnb.BackendError, match="no usable answer"):
            kgnb.match_ontologies("huts:alpine", "huts:refuge", judge="model", settings=asking)
    assert server.prompts and len(server.requests) == len(server.prompts)


def test_a_scripted_model_answers_in_turn() -> None:
    model = ScriptedModel(["A", "B"])
    request = Request((Message("user", "Which?"),))
    assert [model.ask(request).text, model.ask(request).text] == ["A", "B"]
