import json

import numpy as np
import pytest

from kgnb.errors import DataError
from kgnb.judging.memory import VerdictStore
from kgnb.judging.question import Verdict
from kgnb.llm.chat_model import Model
from kgnb.llm.model import Message, Request
from kgnb.llm.replay import ReplayCache
from kgnb.llm.scripted import ScriptedModel
from kgnb.reporting.sharing import contents, export_cache, import_cache
from kgnb.vectors.cached_embedder import VectorCache


def test_what_is_exported_replays_elsewhere_without_a_model_and_damage_is_named(tmp_path):
    here, there, shared = tmp_path / "here", tmp_path / "there", tmp_path / "shared"
    hut, route = (Request((Message("user", text),)) for text in ("hut?", "route?"))
    model = ScriptedModel(["one"])
    Model.of(model, cache=ReplayCache(here / "replies.sqlite")).ask(hut)
    VerdictStore(here / "verdicts.sqlite").put(
        "j", {q: Verdict("same", "A", 0.5, "because", "me") for q in "qa"}
    )
    VectorCache(here / "vectors.sqlite").put(
        "e", {b"\x00k": np.array([0.6, 0.8], dtype=np.float32)}
    )
    assert export_cache(here, shared) == {"replies": 1, "verdicts": 2, "vectors": 1}
    assert [json.loads(line)["question"] for line in (shared / "verdicts.jsonl").open()] == [
        "a",
        "q",
    ]
    assert import_cache(there, shared) == {"replies": 1, "verdicts": 2, "vectors": 1}
    assert import_cache(there, shared) == {"replies": 0, "verdicts": 0, "vectors": 0}
    assert [count for count, _ in contents(there).values()] == [1, 2, 1, 0]
    replayed = Model(model.name, None, cache=ReplayCache(there / "replies.sqlite"))
    assert replayed.ask(hut).text == "one"
    assert VerdictStore(there / "verdicts.sqlite").get("j", ["q"])["q"].rationale == "because"
    with pytest.raises(DataError, match="is kept for: route"):
        replayed.ask(route)
    export_cache(there, tmp_path / "again")
    for file in shared.rglob("*.json*"):
        assert file.read_bytes() == (tmp_path / "again" / file.relative_to(shared)).read_bytes()
    (shared / "verdicts.jsonl").write_text(json.dumps({"judge": "j"}) + "\n")
    with pytest.raises(DataError, match="verdicts.jsonl:1"):
        import_cache(there, shared)
