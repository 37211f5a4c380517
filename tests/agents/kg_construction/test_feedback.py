"""A model that errs mends what it is told, and nothing is called mended that is not."""

import json

import pytest

from kgnb.agents.kg_construction.instantiate import Options
from kgnb.evaluate.extraction import normalised
from kgnb.llm.model import Reply
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks.building import build_graph, compile_ontology
from tests.benchmarks.agents.feedback import SHORT_NOTES, measured, statements


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
        {"note": text}, pack, judge="model", model=ScriptedModel(replies), options=Options(calls=2)
    )
    hut = normalised("Ansel Lodge")
    assert statements(built, pack) >= {(hut, "beds", "24"), (hut, "opened", "1931")}
