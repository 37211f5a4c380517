"""Trajectories of every path, and a planner that learns from the best of them."""

import json

import pytest

import kgnb
from kgnb.agents.entity_alignment.judging_values import PATHS, named
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks.agents import new_task

SIDES = {"left": "huts:hollenmark", "right": "huts:corvane"}


@pytest.fixture(scope="module")
def walked():
    task = new_task(
        "align", SIDES, judge="oracle", error_rate=0.2, reference="huts:entity-reference",
        embedder="characters", share=0.1,
    )  # fmt: skip
    task.run_through()
    lines = [json.loads(line) for line in task.trajectories().splitlines()]
    return lines, [json.loads(line) for line in task.trajectories(tuning=True).splitlines()]


def test_every_possible_path_is_walked_and_the_best_is_marked(walked):
    lines, _ = walked
    by_entity = {}
    for line in lines:
        by_entity.setdefault(line["entity"], []).append(line)
    for paths in by_entity.values():
        assert len({tuple(line["path"]) for line in paths}) == len(paths) > 2
        (best,) = [line for line in paths if line["best"]]
        assert best["reward"] == max(line["reward"] for line in paths)
    assert {tuple(line["path"]) for line in lines} <= set(PATHS)
    assert any(line["reflected"] for line in lines)
    assert any(line["right"] for line in lines) and not all(line["right"] for line in lines)


def test_a_planner_that_learnt_the_lines_plans_the_best_paths(walked):
    lines, training = walked
    learnt = {}
    for line in training:
        system, user, answer = (message["content"] for message in line["messages"])
        learnt[user.splitlines()[1].partition(". ")[2]] = json.loads(answer)["answers"][0]["tools"]

    def tuned(request):
        texts = [line.partition(". ")[2] for line in request.messages[1].text.splitlines()[1:-1]]
        answers = [
            {"question": at, "tools": learnt.get(text, ["relations", "align"])}
            for at, text in enumerate(texts, start=1)
        ]
        return json.dumps({"answers": answers})

    model = ScriptedModel(tuned)
    task = new_task(
        "align", SIDES, judge="rule", planner="model", model=model, embedder="characters", share=0.1
    )
    task.run_through()
    sent = {request.messages[0].text for request in model.asked}
    assert sent == {line["messages"][0]["content"] for line in training}
    planned = task.need("plan")
    entities = planned.proposal.left.entities
    best = {line["entity"]: named(line["path"]) for line in lines if line["best"]}
    for row, verdict in planned.verdicts.items():
        iri = entities[int(planned.proposal.sources[row])]
        if iri in best:
            assert verdict.choice == best[iri]


def test_without_known_counterparts_nothing_can_be_rewarded(tmp_path):
    task = new_task("align", SIDES, judge="rule", embedder="characters", share=0.05)
    task.run_through()
    with pytest.raises(kgnb.DataError, match="--reference"):
        task.trajectories()
