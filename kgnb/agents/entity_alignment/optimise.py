"""Optimise: recorded paths are rewarded and rewritten, and the better ones train a policy (EA-Agent's optimisation).

In each of three rounds every training entity takes a path, which is rewarded against the known counterpart. All other
paths are tried as well, and the best one is kept. A small classifier then learns which path suits which statistics;
its paths start the next round.

The empty path is never a rewriting: by the reward (1 + hit for it) it would pay wherever a look is right less than a
third more often, and Hits@1 would fall. ``plan`` decides by confidence who is looked at.

The paths can also be exported to fine-tune a planning model: JSON Lines by the schema in
``docs/entity-alignment-policy.md``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any

from kgnb.agents.entity_alignment.align import align
from kgnb.agents.entity_alignment.judging_values import (
    DIFFERENT,
    TAKE,
    AlignQuestion,
    EntityVerdicts,
    LookOptions,
    Planned,
    PlanQuestion,
    Selected,
)
from kgnb.agents.entity_alignment.paths import CLOSE, PATHS, STANDS, Path, Record, path_of, reward
from kgnb.agents.entity_alignment.plan import (
    PlanSheet,
    Policy,
    ThoroughPlanner,
    completion,
    learn,
    possible,
    questions_about,
    told,
    worth_a_look,
)
from kgnb.agents.entity_alignment.reflect import reflect
from kgnb.agents.entity_alignment.select import Selector
from kgnb.agents.entity_alignment.values import Proposal, statistics
from kgnb.files import write_whole
from kgnb.judging import Judge, Verdict
from kgnb.llm.model import Message
from kgnb.results.table import Column, Table, Tabled

ROUNDS = 3  # of the paper


@dataclass(frozen=True)
class Episode:
    """One recorded path: the planner's question, the path and its reward, the best path and its reward."""

    round: int
    question: PlanQuestion
    path: Path
    reward: float
    rewritten: Path  # equals ``path`` where no other was better
    reward_after: float

    def to_json(self, record: Record, simulation: bool = False) -> dict[str, Any]:
        """One line of the fine-tuning set; see the documentation."""
        return {
            "input": [{"role": one.role, "content": one.text} for one in prompt(self.question, record)],
            "output": completion(self.rewritten),
            "path": list(self.path),
            "reward": round(self.reward, 6),
            "rewritten_path": list(self.rewritten),
            "reward_after": round(self.reward_after, 6),
            "entity": self.question.iri,
            "round": self.round,
            "simulation": simulation,
        }


@dataclass(frozen=True)
class Round:
    """The result of one round's paths, before they were rewritten."""

    number: int
    planner: str
    tools: float  # on average
    reflected: float  # share of the paths with a reflector
    hits: float  # share of right answers
    reward: float  # mean
    rewritten: int  # paths for which a better one was found


@dataclass(frozen=True, eq=False)
class Optimised(Tabled):
    """The result of ``optimise``: the policy, every recorded path, and a summary of each round."""

    policy: Policy
    episodes: tuple[Episode, ...]
    rounds: tuple[Round, ...]
    judge: str
    simulation: bool = False

    def counts(self) -> dict[str, int | float]:
        """How much was recorded, and how many paths the policy knows."""
        return {
            "entities": self.policy.trained_on,
            "paths recorded": len(self.episodes),
            "paths rewritten": sum(one.rewritten != one.path for one in self.episodes),
            "paths of the policy": len(self.policy.paths),
        }

    def table(self) -> Table:
        """One row per round."""
        columns = [Column("number", "round", "number"), Column("planner", "paths chosen by")]
        columns += [Column("tools", "tools on average", "number"), Column("reflected", "reflected", "percent")]
        columns += [Column("hits", "right", "percent"), Column("reward", "mean reward", "number")]
        columns += [Column("rewritten", "rewritten", "number")]
        rows = [[getattr(one, column.key) for column in columns] for one in self.rounds]
        notes = [f"SIMULATION: answers by {self.judge}"] if self.simulation else [f"answers by {self.judge}"]
        return Table(columns, rows, caption="Rounds of optimisation, on the training entities", notes=notes)


@dataclass(frozen=True)
class PathOutcome:
    """A path taken, and whether the answer was right before and after a reflection."""

    path: Path
    first_right: bool
    right: bool
    reflected: bool

    @property
    def reward(self) -> float:
        """By the paper's formula."""
        return reward(self.path, first_right=self.first_right, last_right=self.right, reflected=self.reflected)


def optimise(
    proposal: Proposal,
    truth: Mapping[str, str],
    judge: Judge[AlignQuestion],
    *,
    options: LookOptions = LookOptions(),
    rows: Iterable[int] | None = None,
    rounds: int = ROUNDS,
) -> Optimised:
    """The policy learnt from entities with a known counterpart (``truth``: source IRI to target IRI).

    In the first round every tool is used for nearly every entity, as in the paper. ``rows`` are those to learn from; by
    default all that ``plan`` would select.

    Raises:
        ValueError: no training entity is worth a look.
    """
    if rounds < 1:
        raise ValueError(f"rounds is {rounds}: at least 1 is needed")
    left = proposal.left
    wanted = worth_a_look(proposal, options) if rows is None else sorted(rows)
    known = [row for row in wanted if left.entities[int(proposal.sources[row])] in truth]
    if not known:
        raise ValueError("no entity with a known counterpart is worth a look: give more training pairs, or other rows")
    table = statistics(proposal)
    questions = questions_about(proposal, known, options)
    offered = {row: possible(table[row], options) for row in known}
    trials = _Trials(proposal, truth, judge, options)
    best: dict[int, PathOutcome] = {}
    episodes: list[Episode] = []
    done: list[Round] = []
    planner: Judge[PlanQuestion] = ThoroughPlanner()
    for number in range(1, rounds + 1):
        chosen = {one.row: _asking(said, one) for one, said in zip(questions, planner.judge(questions), strict=True)}
        taken = trials.take(chosen)
        better = _rewritten(trials, taken, offered)
        for question in questions:
            one, other = taken[question.row], better[question.row]
            episodes.append(Episode(number, question, one.path, one.reward, other.path, other.reward))
            best[question.row] = max((best.get(question.row, one), one, other), key=lambda outcome: outcome.reward)
        done.append(_round(number, planner.name, [taken[row] for row in known], [better[row] for row in known]))
        planner = policy = learn(table[known], [best[row].path for row in known])
    policy = replace(policy, record=trials.record(known))
    return Optimised(policy, tuple(episodes), tuple(done), judge.name, bool(getattr(judge, "simulation", False)))


class _Trials:
    """Takes paths and reports their outcomes; the same question is never asked twice."""

    def __init__(
        self, proposal: Proposal, truth: Mapping[str, str], judge: Judge[AlignQuestion], options: LookOptions
    ) -> None:
        self.proposal, self.truth, self.judge = proposal, truth, _Remembering(judge)
        self.options = replace(options, reflect_below=1.0)  # so that every reflector in a path runs
        self._selector = Selector(proposal, self.options)
        self._questions: dict[tuple[int, Path], AlignQuestion] = {}
        self._seen: dict[tuple[int, Path], PathOutcome] = {}

    def take(self, paths: Mapping[int, Path]) -> dict[int, PathOutcome]:
        """The outcome of one path for each row."""
        planned = Planned(self.proposal, paths, {}, "given")
        questions = tuple(self._question(row, paths[row]) for row in planned.asked)
        answered = reflect(align(Selected(planned, questions, self.options), self.judge), self.judge)
        found = {answer.question.row: self._outcome(answer, paths[answer.question.row]) for answer in answered.answers}
        found |= {row: self._stood(row) for row, path in paths.items() if not path}
        self._seen |= {(row, paths[row]): outcome for row, outcome in found.items()}
        return found

    def record(self, rows: Sequence[int]) -> Record:
        """How often each path that was taken decided right, and how often the first alignment of ``rows`` is."""
        seen = self._seen | {(row, STANDS): self._stood(row) for row in rows}
        counts = {path: [[0, 0], [0, 0]] for path in PATHS}
        for (row, path), outcome in seen.items():
            score = counts[path][int(self.proposal.margin[row] >= CLOSE)]
            score[0] += 1
            score[1] += outcome.right
        return {
            path: ((close[0], close[1]), (wide[0], wide[1]))
            for path, (close, wide) in counts.items()
            if close[0] + wide[0]
        }

    def _question(self, row: int, path: Path) -> AlignQuestion:
        key = (row, tuple(tool for tool in path if tool in ("attributes", "relations")))
        if key not in self._questions:
            self._questions[key] = self._selector.question(row, path)
        return self._questions[key]

    def _outcome(self, answer: EntityVerdicts, path: Path) -> PathOutcome:
        right = self.truth.get(answer.question.about.iri, "")
        earlier = replace(answer, verdict=answer.before) if answer.before is not None else answer
        first, last = (one.standing(self.options.heed)[0] == right for one in (earlier, answer))
        return PathOutcome(path, first, last, answer.reflected)

    def _stood(self, row: int) -> PathOutcome:
        proposal = self.proposal
        source, first = proposal.left.entities[int(proposal.sources[row])], int(proposal.first[row])
        right = first >= 0 and proposal.right.entities[first] == self.truth.get(source)
        return PathOutcome(STANDS, right, right, False)


class _Remembering:
    """A judge that remembers its verdicts for as long as it is in use."""

    def __init__(self, judge: Judge[AlignQuestion]) -> None:
        self._judge, self._said = judge, dict[str, Verdict]()
        self.name, self.simulation = judge.name, bool(getattr(judge, "simulation", False))

    def judge(self, questions: Sequence[AlignQuestion]) -> list[Verdict]:
        """The verdicts, in order."""
        new = list({question.id: question for question in questions if question.id not in self._said}.values())
        self._said |= dict(zip((question.id for question in new), self._judge.judge(new), strict=True))
        return [self._said[question.id] for question in questions]


def _rewritten(
    trials: _Trials, taken: Mapping[int, PathOutcome], offered: Mapping[int, tuple[Path, ...]]
) -> dict[int, PathOutcome]:
    """For each row the best of all its paths, the shortest one of equals; the one taken where none is better."""
    best = dict(taken)
    others = {
        row: sorted(
            (path for path in offered[row] if path and path != taken[row].path), key=lambda one: (len(one), one)
        )
        for row in taken
    }
    for at in range(max(map(len, others.values()), default=0)):
        trial = {row: found[at] for row, found in others.items() if at < len(found)}
        for row, outcome in trials.take(trial).items():
            if outcome.reward > best[row].reward:
                best[row] = outcome
    return best


def _asking(verdict: Verdict, question: PlanQuestion) -> Path:
    """The planned path; in place of an empty one, the shortest one that asks."""
    path = path_of(verdict.choice) if verdict.choice is not None else STANDS
    return path or min((one for one in question.paths if one), key=len)


def _round(number: int, planner: str, taken: Sequence[PathOutcome], best: Sequence[PathOutcome]) -> Round:
    size = len(taken)
    return Round(
        number=number,
        planner=planner,
        tools=round(sum(len(one.path) for one in taken) / size, 2),
        reflected=sum("reflect" in one.path for one in taken) / size,
        hits=sum(one.right for one in taken) / size,
        reward=round(sum(one.reward for one in taken) / size, 3),
        rewritten=sum(one.path != other.path for one, other in zip(taken, best, strict=True)),
    )


def prompt(question: PlanQuestion, record: Record) -> tuple[Message, ...]:
    """The messages that ``ModelPlanner`` sends about one entity."""
    sheet = PlanSheet(told(question.costs, record), (question.text,), (question.options,), (TAKE,), DIFFERENT)
    return sheet.messages()


def export(episodes: Iterable[Episode], path: FilePath | str, record: Record, *, simulation: bool = False) -> int:
    """Write the paths as JSON Lines; returns how many. ``record`` is that of the policy used for planning later."""
    lines = [json.dumps(one.to_json(record, simulation), ensure_ascii=False) + "\n" for one in episodes]
    write_whole(FilePath(path), "".join(lines))
    return len(lines)
