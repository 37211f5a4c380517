"""A small ontology does not say enough to try a model on: it is tried on the ontology itself."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import kgnb
from kgnb.errors import NotFit
from kgnb.llm.model import Reply, Request
from kgnb.llm.scripted import ScriptedModel

PAIR = Path(__file__).parents[2] / "benchmarks" / "data" / "small-pairs" / "02-hospital"
Pick = Callable[[str, list[str]], str]  # a letter, or "none", by the entity and the options


def answering(pick: Pick) -> ScriptedModel:
    """A model that answers every question of a sheet so."""

    def reply(request: Request) -> Reply:
        answers = []
        for asked in re.findall(
            r"^##data question (\d+)\n(.*?)\n##data end", request.messages[-1].text, re.M | re.S
        ):
            number, text = asked
            about, *options = re.split(r"\n(?=[A-Z]\. )", text)
            letter = pick(about.partition(" (")[0], options)
            said = {"why": "", "letter": letter, "second": "none", "confidence": 0.9}
            answers.append({"question": int(number), **said})
        return Reply(json.dumps({"answers": answers}))

    return ScriptedModel(reply)


def same_name(about: str, options: list[str]) -> str:
    """The option of the same name."""
    return next((o[0] for o in options if re.split(r" [|(]", o[3:])[0] == about), "none")


def found(model: ScriptedModel | None) -> list[tuple[str, str, float]]:
    judge = "cascade" if model else "rule"
    mappings = kgnb.match_ontologies(PAIR / "a.ttl", PAIR / "b.ttl", judge=judge, model=model)
    return sorted((one.source, one.target, one.confidence) for one in mappings)


@pytest.mark.parametrize(
    "pick",
    [lambda about, options: "A", lambda about, options: options[-1][0], lambda *asked: "none"],
    ids=["the first", "the last", "none"],
)
def test_a_model_that_answers_by_place_is_asked_once_and_changes_nothing(pick: Pick) -> None:
    model = answering(pick)
    with pytest.warns(NotFit, match="questions right whose answers are known"):
        mappings = found(model)
    assert len(model.asked) == 1
    assert mappings == found(None)


def test_a_model_that_knows_an_entity_again_is_asked_what_the_rule_leaves_open() -> None:
    model = answering(same_name)
    mappings = found(model)
    assert len(model.asked) > 2
    assert mappings != found(None)
