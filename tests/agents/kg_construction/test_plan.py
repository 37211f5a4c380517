"""Prompts from templates: all tools of a step are named, and a model's wording never loses one."""

from __future__ import annotations

import json

from kgnb.agents.kg_construction.plan import plan
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks.building import compile_ontology

PACK = compile_ontology("huts:kitchen", "huts:kitchen-shapes")


def test_the_same_pack_gives_the_same_prompts_with_constraints_and_guidance_apart() -> None:
    first, again = plan(PACK), plan(PACK)
    assert first == again
    text = first.prompts[0].text
    assert "create_recipe" in text
    assert "What must hold:" in text
    assert text.index("What must hold:") < text.index("What helps:")
    assert len(first) == len(PACK.plan) == first.counts()["steps"]


def test_a_model_may_polish_but_not_drop_a_tool() -> None:
    short = json.dumps({"extraction": "Read.", "building": "Write."})
    assert plan(PACK, ScriptedModel(lambda request: short)) == plan(PACK)

    def keeps(request: object) -> str:
        text = request.messages[-1].text  # type: ignore[attr-defined]
        extraction, building = text.removeprefix("EXTRACTION\n").split("\n\nBUILDING\n")
        return json.dumps({"extraction": f"Please. {extraction}", "building": building})

    polished = plan(PACK, ScriptedModel(keeps))
    assert all(one.polished and one.extraction.startswith("Please.") for one in polished)
