"""Trajectories: every path of every entity with its outcome and reward, and the lines that a planner
is tuned on (EA-Agent, section 4.4 and algorithm 1).

A round is: write trajectories, tune a model on the best paths, choose it as the planner (``--planner
model:NAME``), and write again. docs/tuning-the-planner.md says how.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp

from kgnb.agents.entity_alignment.align import align
from kgnb.agents.entity_alignment.judging_values import (
    PATHS,
    STANDS,
    AlignQuestion,
    LookOptions,
    Path,
    Planned,
    PlanQuestion,
)
from kgnb.agents.entity_alignment.plan import Prompted, questions_about
from kgnb.agents.entity_alignment.reflect import reflect
from kgnb.agents.entity_alignment.select import select
from kgnb.agents.entity_alignment.values import Proposal
from kgnb.errors import DataError
from kgnb.judging import Judge


@dataclass(frozen=True)
class Trajectory:
    """One path of one entity: what came of it, and its reward."""

    question: PlanQuestion
    path: Path
    choice: str  # IRI, "" for none
    right: bool
    right_before: bool  # before a reflection, if there was one
    reflected: bool

    @property
    def reward(self) -> float:
        """Equations 3 to 6: a hit, what the reflection changed, and short paths preferred."""
        return reward(self.right_before, self.right, self.reflected, len(self.path))


def reward(before: bool, after: bool, reflected: bool, length: int) -> float:
    """1 for a hit, plus exp(-0.2 length), plus for a reflection 1 (wrong to right), -0.5 (right kept)
    or -1 (right to wrong).

    Wrong to wrong is not defined in the paper and counts 0.

    >>> round(reward(False, True, True, 3), 3), round(reward(True, True, False, 0), 3)
    (2.549, 2.0)
    """
    changed = {(False, True): 1.0, (True, True): -0.5, (True, False): -1.0, (False, False): 0.0}
    return float(after) + (changed[before, after] if reflected else 0.0) + exp(-0.2 * length)


def trajectories(
    proposal: Proposal,
    rows: Sequence[int],
    truth: Mapping[str, str],
    judge: Judge[AlignQuestion],
    *,
    options: LookOptions = LookOptions(),
) -> list[Trajectory]:
    """Every possible path of these rows whose counterpart is known, walked with this judge.

    Raises:
        DataError: no row's counterpart is known.
    """
    entities = proposal.left.entities
    known = [row for row in rows if entities[int(proposal.sources[row])] in truth]
    if not known:
        raise DataError(
            "no entity in question has a known counterpart, so that no path can be rewarded",
            where="trajectories",
            fix="Give --reference FILE, and --share 1 if the first alignment leaves nothing in doubt.",
        )
    # the costs in a prompt are measured on all that are planned for
    planned_for = questions_about(proposal, rows, options)
    questions = {question.row: question for question in planned_for if question.row in set(known)}
    found = [_standing(proposal, question, truth) for question in questions.values()]
    thorough = replace(options, reflect_below=1.0)
    for path in PATHS[1:4]:
        longer: Path = (*path, "reflect")
        walked = [row for row, question in questions.items() if longer in question.paths]
        planned = Planned(proposal, dict.fromkeys(walked, longer), {}, "every path")
        aligned = align(select(planned, options=thorough), judge)
        reflected = reflect(aligned, judge)
        for first, second in zip(aligned.answers, reflected.answers, strict=True):
            question = questions[first.question.row]
            right = truth[question.iri]
            before, after = (answer.standing()[0] for answer in (first, second))
            found.append(
                Trajectory(question, path, before, before == right, before == right, False)
            )
            found.append(
                Trajectory(
                    question, longer, after, after == right, before == right, second.reflected
                )
            )
    return sorted(found, key=lambda one: (one.question.row, PATHS.index(one.path)))


def _standing(proposal: Proposal, question: PlanQuestion, truth: Mapping[str, str]) -> Trajectory:
    first = int(proposal.first[question.row])
    choice = proposal.right.entities[first] if first >= 0 else ""
    right = choice == truth[question.iri]
    return Trajectory(question, STANDS, choice, right, right, False)


def best(walked: Sequence[Trajectory]) -> list[Trajectory]:
    """The path of the highest reward of each entity; of equals the shorter one."""
    found: dict[int, Trajectory] = {}
    for one in walked:
        other = found.get(one.question.row)
        if other is None or (one.reward, -len(one.path)) > (other.reward, -len(other.path)):
            found[one.question.row] = one
    return list(found.values())


def as_lines(walked: Sequence[Trajectory], planner: Prompted) -> Iterator[str]:
    """One JSON object a path: entity, path, choice, right or not, reward, and the planner's prompt."""
    chosen = {(one.question.row, one.path) for one in best(walked)}
    prompts: dict[int, list[dict[str, str]]] = {}
    for one in walked:
        row = one.question.row
        if row not in prompts:
            prompts[row] = prompt(planner, one.question)
        yield json.dumps(
            {
                "entity": one.question.iri,
                "path": list(one.path),
                "choice": one.choice or None,
                "right": one.right,
                "right_before_reflection": one.right_before,
                "reflected": one.reflected,
                "reward": round(one.reward, 6),
                "best": (row, one.path) in chosen,
                "messages": prompts[row],
            },
            ensure_ascii=False,
        )


def training_lines(walked: Sequence[Trajectory], planner: Prompted) -> Iterator[str]:
    """The best path of each entity in OpenAI's format for fine-tuning: the planner's own prompt, and
    the answer it should have given.
    """
    for one in best(walked):
        answer = json.dumps({"answers": [{"question": 1, "tools": list(one.path)}]})
        messages = [*prompt(planner, one.question), {"role": "assistant", "content": answer}]
        yield json.dumps({"messages": messages}, ensure_ascii=False)


def prompt(planner: Prompted, question: PlanQuestion) -> list[dict[str, str]]:
    """What the planner is sent about one entity."""
    (request,) = planner.requests([question])
    return [{"role": message.role, "content": message.text} for message in request.messages]
