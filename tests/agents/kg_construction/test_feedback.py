"""A model that errs mends what it is told, and nothing is called mended that is not."""

import json
from dataclasses import replace

import pytest

from kgnb.agents.kg_construction.instantiate import Options
from kgnb.evaluate.extraction import normalised
from kgnb.llm.model import Reply
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks.building import build_graph, compile_ontology
from tests.agents.kg_construction.test_instantiate import calls
from tests.benchmarks.agents.feedback import SHORT_NOTES, measured, statements

TYPED = Options(note_budget=0)  # a tool for each class and property, as the small model was given


def test_reasons_are_worth_facts_and_checks_keep_the_graph_whole() -> None:
    rows = {row["read with"]: row for row in measured(0.3, 1.0, 1, notes=2)}
    told, withheld, unchecked, neither = rows.values()
    assert told["repaired"] > 0 == withheld["repaired"] == neither["repaired"]
    assert told["F1"] > unchecked["F1"] > withheld["F1"]
    assert told["broken"] < withheld["broken"] < unchecked["broken"]


@pytest.mark.parametrize("mends", [0.0, 1.0])
def test_only_what_was_mended_is_called_mended(mends: float) -> None:
    [row] = measured(0.3, mends, 1, notes=1)[:1]
    assert row["refused"] > 0 and (row["called mended"] > 0) == (row["repaired"] > 0) == bool(mends)


def test_arguments_that_a_small_model_fills_in_and_that_say_nothing_are_left_out() -> None:
    """What Qwen2.5-Coder-1.5B wrote of the first short note, as it wrote it."""
    pack = compile_ontology(SHORT_NOTES / "tbox.ttl")
    text = "Ansel Lodge lies in the Rivermark and has 24 beds. It opened in 1931."
    said = {"label": "Ansel Lodge", "id": "Ansel Lodge", "entity": "Ansel Lodge", "quote": text}
    more = {"within": "Rivermark", "beds": 24, "opened": "1931"}
    written = {"name": "create_hut", "arguments": {**said, **more}}
    replies = [Reply(f"```json\n{json.dumps(written)}\n```"), Reply("That is all.")]
    built = build_graph(
        {"note": text},
        pack,
        judge="model",
        model=ScriptedModel(replies),
        options=replace(TYPED, calls=2),
    )
    hut = normalised("Ansel Lodge")
    assert statements(built, pack) >= {(hut, "beds", "24"), (hut, "opened", "1931")}


def test_names_with_spaces_may_be_ids_in_the_same_reply() -> None:
    """What the same model wrote of the second short note: it names entities by their labels."""
    pack = compile_ontology(SHORT_NOTES / "tbox.ttl")
    text = "The warden of the Birch Hut in the Tolm is Greta Moll; a wood stove keeps it warm."
    named = {"hut": "Birch Hut", "person": "Greta Moll", "valley": "Tolm"}
    made = [
        (f"create_{kind}", {"label": name, "id": name, "within": "Tolm", "quote": text})
        for kind, name in named.items()
    ]
    made += [
        ("add_warden", {"subject": "Birch Hut", "object": "Greta Moll", "quote": text}),
        ("add_lies_in", {"subject": "Birch Hut", "object": "Tolm", "quote": text}),
        ("finish", {}),
    ]
    built = build_graph(
        {"note": text}, pack, judge="model", model=ScriptedModel([calls(*made)]), options=TYPED
    )
    hut = normalised("Birch Hut")
    assert built.counts()["refused"] == 0
    assert statements(built, pack) == {
        (hut, "warden", normalised("Greta Moll")),
        (hut, "lies in", "tolm"),
    }


def test_a_model_that_finishes_with_refused_calls_is_told_which_and_why() -> None:
    pack = compile_ontology(SHORT_NOTES / "tbox.ttl")
    text = "Dunmore Hut, Vale of Ise. A dozen beds, no heating."
    hut = ("create_hut", {"label": "Dunmore Hut", "id": "d", "quote": "Dunmore Hut"})
    valley = ("create_valley", {"label": "Vale of Ise", "id": "v", "quote": "Vale of Ise"})
    lies = ("add_lies_in", {"subject": "d", "object": "v", "quote": text})
    wrong, right = (
        ("add_heating", {"subject": "d", "value": value, "quote": "no heating"})
        for value in ("unheated", "none")
    )
    model = ScriptedModel(
        [calls(hut, valley, lies, wrong, ("finish", {})), calls(right, ("finish", {}))]
    )
    built = build_graph({"note": text}, pack, judge="model", model=model, options=TYPED)
    reminded = json.loads(model.asked[-1].messages[-1].text)["refused"]
    assert "add_heating was refused" in reminded[0] and "wood" in reminded[0], reminded
    assert built.counts()["repaired"] == 1 and not built.doubts


def test_a_call_that_is_made_again_is_not_asked_for_once_more() -> None:
    """What the same model did next: all its calls again, and the end; only what is missing counts."""
    pack = compile_ontology(SHORT_NOTES / "tbox.ttl")
    text = "Jarrow Hut, Rivermark, two rooms of six beds each, unheated."
    hut = ("create_hut", {"label": "Jarrow Hut", "id": "Jarrow Hut", "quote": "Jarrow Hut"})
    heating = ("add_heating", {"subject": "Jarrow Hut", "value": "none", "quote": "unheated"})
    model = ScriptedModel(
        [calls(hut, heating), calls(hut, heating, ("finish", {})), calls(("finish", {}))]
    )
    build_graph({"note": text}, pack, judge="model", model=model, options=TYPED)
    told = [json.loads(m.text) for m in model.asked[-1].messages if m.role == "tool"]
    assert told[-2]["ok"] and "made before" in told[-2]["note"]
    [reminded] = told[-1]["refused"]
    assert "lies in" in reminded
