"""The paper's own validator, and none, as baselines."""

from __future__ import annotations

import pytest

from kgnb.agents.ontology_matching.papers_judges import YesNoValidator
from kgnb.agents.ontology_matching.values import Options
from kgnb.judging import estimate
from kgnb.llm.model import Request
from kgnb.llm.scripted import ScriptedModel
from kgnb.run import Run
from kgnb.tasks.matching import match_ontologies
from tests.agents.ontology_matching.small import alpine, questions_of, refuge


def equal_name(request: Request) -> str:
    """Yes to a warden and a hut keeper, whichever is asked about."""
    text = request.messages[-1].text
    return "Yes: the same." if "Warden" in text and "hut keeper" in text else "No, they differ."


def test_the_papers_validator_asks_name_by_name_until_one_is_accepted() -> None:
    model = ScriptedModel(equal_name)
    run = Run("ontology_matching")
    alignment = match_ontologies(
        alpine(), refuge(), model=model, preset="paper", embedder="characters", run=run
    )
    assert [(m.source_label, m.target_label) for m in alignment] == [("Warden", "hut keeper")]
    assert run.totals["calls"] == len(model.asked) > 12
    assert all("alpine" not in request.messages[-1].text for request in model.asked)
    questions = questions_of(alpine(), refuge(), Options(k=3)).questions
    expected = estimate(YesNoValidator(model), questions)
    assert expected.calls == sum(len(question.others) for question in questions)


def test_a_reply_that_is_neither_yes_nor_no_is_unsure() -> None:
    questions = questions_of(alpine(), refuge()).questions
    model = ScriptedModel(lambda request: "Perhaps.")
    verdicts = YesNoValidator(model).judge(questions)
    assert {verdict.decision for verdict in verdicts} == {"unsure"}
    assert len(model.asked) == len(questions)


def test_without_a_validator_the_best_candidate_counts() -> None:
    options = Options(merge="both")
    alignment = match_ontologies(
        alpine(), refuge(), judge="first", options=options, embedder="characters"
    )
    assert {m.judged_by for m in alignment} == {"first"}
    source_alone = match_ontologies(
        alpine(), refuge(), judge="first", options=Options(merge="source"), embedder="characters"
    )
    assert len(alignment) <= len(source_alone)


def test_a_preset_and_options_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="not both"):
        match_ontologies(alpine(), refuge(), preset="paper", options=Options())
