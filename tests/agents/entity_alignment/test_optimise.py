import json
import re
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from kgnb.agents.entity_alignment.judges import make_planner
from kgnb.agents.entity_alignment.judging_values import LookOptions
from kgnb.agents.entity_alignment.optimise import export, optimise
from kgnb.agents.entity_alignment.paths import PATHS, path_of, reward
from kgnb.agents.entity_alignment.plan import Policy, learn, plan
from kgnb.errors import DataError
from kgnb.judging.named import reference_oracle

DOCS = Path(__file__).parents[3] / "docs" / "entity-alignment-policy.md"


@pytest.mark.parametrize(
    ("first", "last", "worth"), [(False, True, 2.0), (True, True, 0.5), (True, False, -1.0), (False, False, 0.0)]
)
def test_the_reward_is_the_papers(first, last, worth):
    path = PATHS[-1]
    assert reward(path, first_right=first, last_right=last, reflected=True) == pytest.approx(worth + np.exp(-0.8))
    short = reward(path[:2], first_right=last, last_right=last, reflected=False)
    assert short == pytest.approx(last + np.exp(-0.4))


def test_a_rewriting_is_kept_only_if_its_reward_is_higher(learned):
    assert any(one.rewritten != one.path for one in learned.episodes)
    for one in learned.episodes:
        assert (one.reward_after > one.reward) == (one.rewritten != one.path)
        assert one.rewritten != ()


def test_a_policy_plans_as_it_did_before_it_was_saved(learned, proposal, tmp_path):
    loaded = Policy.load(learned.policy.save(tmp_path / "policy.json"))
    look = LookOptions(share=1.0)
    before, after = (plan(proposal, make_planner(policy=policy), options=look) for policy in (learned.policy, loaded))
    assert before.paths == after.paths and before.planner == "policy"


def test_the_fine_tuning_set_keeps_to_the_schema_in_the_documentation(learned, tmp_path):
    number = export(learned.episodes, tmp_path / "ways.jsonl", learned.policy.record, simulation=True)
    lines = (tmp_path / "ways.jsonl").read_text(encoding="utf-8").splitlines()
    assert number == len(lines) == len(learned.episodes)
    documented = json.loads(re.search(r"```json\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)[1])
    jsonschema.Draft202012Validator.check_schema(documented)
    for line in lines:
        jsonschema.validate(json.loads(line), documented)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(lines[0]) | {"path": ["guess"]}, documented)


def test_nothing_to_learn_from_is_an_error(proposal, truth):
    with pytest.raises(ValueError, match="no entity with a known counterpart"):
        optimise(proposal, {}, reference_oracle(truth.items()))
    with pytest.raises(ValueError, match="rounds is 0"):
        optimise(proposal, truth, reference_oracle(truth.items()), rounds=0)


def test_later_rounds_use_fewer_tools_and_reflect_less(learned):
    first, *_, last = learned.rounds
    assert len(learned.rounds) == 3
    assert last.tools < first.tools - 0.5 and last.reflected < first.reflected / 2 and last.reward > first.reward
    assert learned.simulation and "SIMULATION" in learned.table().notes[0]


def test_a_file_that_is_not_a_whole_policy_is_refused(learned, tmp_path):
    file, content = tmp_path / "policy.json", learned.policy.to_json()
    for change, said in (
        ({"format": "pickle"}, "not a policy"),
        ({"version": 2}, "other statistics"),
        ({"features": ["age"]}, "other statistics"),
        ({"paths": ["rm -rf"]}, "damaged"),
        ({"scale": [0.0] * 10}, "damaged"),
        ({"mean": [float("nan")] * 10}, "damaged"),
        ({"intercepts": []}, "damaged"),
        ({"record": {"relations > align": [[1, 2], [0, 0]]}}, "more right answers than questions"),
    ):
        file.write_text(json.dumps(content | change))
        with pytest.raises(DataError, match=said):
            Policy.load(file)
    file.write_bytes(b"\x80\x04pickle")
    for path in (file, tmp_path / "missing"):
        with pytest.raises(DataError, match="policy"):
            Policy.load(path)


def test_a_policy_learns_one_two_or_more_paths():
    for number in (1, 2, 3):
        known = [path_of("attributes > align"), path_of("relations > align"), PATHS[-1]][:number]
        rows = np.zeros((60, 10))
        rows[:, 8] = np.repeat(np.arange(number), 60 // number) * 5.0
        paths = [known[int(row[8] / 5)] for row in rows]
        policy = learn(rows, paths)
        chances = policy.chances(rows)
        assert [policy.paths[at] for at in chances.argmax(axis=1)] == paths
        assert np.allclose(chances.sum(axis=1), 1)
