"""A model plans how each kind of entity is matched, and every choice has an effect."""

from __future__ import annotations

import json
from typing import Any

from kgnb.agents.ontology_matching.values import Options
from kgnb.judging import Verdict
from kgnb.kg.ontology import Kind
from kgnb.llm.model import Request
from kgnb.llm.scripted import ScriptedModel
from kgnb.mappings import Alignment
from kgnb.tasks.matching import AGENT, MatchingTask
from tests.agents.ontology_matching.small import alpine, refuge


def none(request: Request) -> str:
    return '{"entries": []}'


def run(*plans: dict[str, Any], judge: Any = "rule", **options: Any) -> MatchingTask:
    """A match as planned; kinds that a plan leaves out are planned as usual."""
    usual = {
        "views": ["syntactic", "lexical", "semantic"],
        "k": 5,
        "define": False,
        "judge": "model",
    }
    reply = json.dumps({"plans": [usual | plan for plan in plans]})
    model = ScriptedModel(lambda r: reply if "plan how" in r.messages[0].text else none(r))
    inputs = {"source": alpine(), "target": refuge()}
    task = MatchingTask.of(
        AGENT,
        inputs,
        plan="model",
        judge=judge,
        model=model,
        embedder="characters",
        options=Options(**options),
    )
    task.run_through()
    return task


def rankings(task: MatchingTask, kind: Kind) -> list[Any]:
    return [r for r in task.values["search"].rankings if r.kind == kind]


def test_views_and_k_are_chosen_for_each_kind() -> None:
    usual, planned = run(), run({"kind": "class", "views": ["syntactic"], "k": 2})
    views = {ranked.view for ranked in rankings(planned, "class")}
    assert "syntactic" in views
    assert not views & {"lexical", "semantic"}
    assert "lexical" in {ranked.view for ranked in rankings(planned, "object property")}
    assert len(rankings(planned, "class")) < len(rankings(usual, "class"))


def test_a_larger_k_never_gives_fewer_candidates() -> None:
    numbers = []
    for k in (1, 3, 8, 20):
        questions = run({"kind": "class", "k": k}).values["summarise"].questions
        numbers.append(sum(len(q.candidates) for q in questions if q.about.kind == "class"))
    assert numbers == sorted(numbers)
    assert numbers[0] < numbers[-1]


def test_definitions_are_written_for_the_kinds_that_need_them() -> None:
    def defined(task: MatchingTask) -> set[str]:
        model = task.given["model"]
        requests = [r for r in model.asked if "dictionary" in r.messages[0].text]
        return {t["kind"] for r in requests for t in json.loads(r.messages[1].text).values()}

    assert defined(run()) == set()
    assert defined(run({"kind": "object property", "define": True})) == {"object property"}


def test_the_rule_judges_the_kinds_that_need_no_model() -> None:
    def judge(question: object) -> Verdict:
        return Verdict("different", None, 0.9, "no", "asked")

    judged = run({"kind": "class", "judge": "rule"}, judge=judge).values["validate"].judged
    by = {(one.question.about.kind == "class", one.verdict.judged_by) for one in judged}
    assert by == {(True, "rule"), (False, "asked")}


def test_the_plan_and_its_cost_are_told_and_an_unusable_one_is_said() -> None:
    notes = " ".join(run({"kind": "class", "k": 3, "why": "few"}).values["merge"].notes)
    assert "1 call," in notes
    assert "class: syntactic, lexical, semantic, k 3, judge model (few)" in notes
    broken: Alignment = run({"kind": "class", "views": ["smell"]}).values["merge"]
    assert "cannot be used" in broken.notes[0]
    assert "names no kind" in run({"kind": "verb"}).values["merge"].notes[0]
