"""A model without agents, as the paper's baseline."""

import json

from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.llm.scripted import ScriptedModel
from kgnb.reporting.ontology_matching.at_once import at_once
from tests.agents.ontology_matching.small import alpine, refuge


def test_a_model_without_agents_gets_both_lists_at_once() -> None:
    described = retrieve(alpine(), refuge())
    pairs = [{"source": 4, "target": 3}, {"source": 99, "target": 1}]
    model = ScriptedModel(lambda request: json.dumps({"pairs": pairs}))
    alignment = at_once(described, model)
    assert [(m.source_label, m.target_label) for m in alignment] == [("Warden", "hut keeper")]
    assert "1 pair left out" in alignment.notes[0]
    at_once(described, model, context=True)
    bare, told = (request.messages[-1].text for request in model.asked)
    assert "kept for somebody" in told
    assert "kept for somebody" not in bare
