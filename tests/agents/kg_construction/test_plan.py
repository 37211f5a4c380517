"""Prompts from templates: all tools of a step are named."""

from kgnb.agents.kg_construction.plan import LONG, plan
from kgnb.tasks.building import compile_ontology

PACK = compile_ontology("huts:kitchen", "huts:kitchen-shapes")


def test_a_large_pack_has_one_generic_step() -> None:
    plan_of = plan(PACK)
    assert plan_of == plan(PACK) and len(plan_of) == 1 and plan_of.prompts[0].generic
    assert "How one hut cooks one dish" in plan_of.prompts[0].text
    assert plan_of.prompts[0].text.count("serves people:") == 1


def test_a_step_names_its_tools_and_what_is_required_now() -> None:
    steps = plan(PACK, longest=LONG)
    assert len(steps) > 1
    text = steps.prompts[0].text
    assert text.startswith("STEP 1 of ")
    assert "create_recipe" in text
    assert "Required now:" in text
    assert (
        "lasts" not in text.split("Required now:")[1].split("\n")[0]
    )  # its tool comes in a later step
    assert "duration" in text.split("Leave ")[1].split("\n")[0]
    order = text.split("in this order: ")[1]
    assert order.index("create_recipe") < order.index("create_step") < order.index("create_boil")
