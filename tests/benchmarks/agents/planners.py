"""Who plans which tools look, in entity alignment: recorded plans and answers on the 300 most
doubtful entities of two pairs, and on all that are in doubt of the huts.

KGNB_DATA=DIR KGNB_CACHE=DIR python -m tests.benchmarks.agents.planners [--pair huts]
    [--model NAME] [--row model]

``--model`` asks another model than the recordings, one that answers now: KGNB_BASE_URL says where.

A row is one run without seeds. The entities in doubt are the same in every row, so that the rows
differ in who is looked at, with what. "only those without a first alignment" takes the answers of
"every tool" for those entities, and its share of the tokens.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from kgnb.agents.entity_alignment import AGENT
from kgnb.agents.entity_alignment.final_alignment import settle
from kgnb.agents.entity_alignment.judging_values import Aligned, EntityVerdicts
from kgnb.agents.entity_alignment.values import Proposal
from kgnb.settings import Settings
from kgnb.tasks.aligning import AligningTask

RECORDED = {
    "huts": "huts",
    "srprs/en_fr": "srprs-en-fr-planned",
    "dbp15k/fr_en": "dbp15k-fr-en-planned",
}
SHARE = 0.0286  # 300 of 10,500
ROWS: dict[str, dict[str, Any]] = {
    "every tool": {"planner": "thorough"},
    "every tool, every answer checked": {"planner": "thorough", "reflect_below": 1.0},
    "every tool, names alone": {"planner": "thorough", "attributes": 0, "relations": 0},
    "every tool, no selectors": {"planner": "thorough", "entropy": "none"},
    "rule": {"planner": "rule"},
    "model": {"planner": "model"},
}
STAGES = ("plan", "align", "reflect")
HEADINGS = (
    "who plans",
    "looked at",
    "ranked first",
    "right of matched",
    "Hits@1 of all",
    "precision of all",
    "calls",
    *(f"tokens: {stage}" for stage in STAGES),
    "tokens",
    "second looks, corrected, spoiled",
    *(f"seconds: {stage}" for stage in STAGES),
)


class Right(NamedTuple):
    """How many of some entities were matched, how many of these rightly, and how many have their
    counterpart ranked first.
    """

    matched: int
    right: int
    first: int


@dataclass(frozen=True)
class Walk:
    """One run on the proposal: the first looks, the result, and what each stage took."""

    aligned: Aligned
    reflected: Aligned
    calls: int
    tokens: tuple[int, ...]  # by stage
    seconds: tuple[float, ...] = (0, 0, 0)  # of waiting for a model, by stage; recordings take none


class Pair:
    """The two graphs of a benchmark, and the first alignment between them."""

    def __init__(self, name: str, data: Path | None, model: str) -> None:
        self.model = model or f"recorded:{RECORDED[name]}"
        if name == "huts":
            self.inputs = {"left": "huts:hollenmark", "right": "huts:corvane"}
            self.options: dict[str, Any] = {"reference": "huts:entity-reference"}
        else:
            self.inputs = {"left": str(Path(data or "") / name)}
            self.options = {"share": SHARE, "sure": 1.0}
        task = self.task(planner="rule")
        self.proposal: Proposal = task.do("propose")
        self.truth = dict(task.known)

    def task(self, **options: Any) -> AligningTask:
        """A task with these options that asks the recording, or the model that was named."""
        return AligningTask.of(
            AGENT,
            {**self.inputs, "seeds": "none"},
            judge="model",
            settings=Settings.load().with_(model=self.model),
            **self.options,
            **options,
        )

    def walk(self, **options: Any) -> Walk:
        """One run with these options."""
        task = self.task(**options)
        task.keep("propose", self.proposal)
        for stage in ("plan", "select", "align"):
            task.do(stage)
        aligned = task.need("align")
        reflected = task.do("reflect")
        steps = {step.name: step.calls for step in task.run.steps}
        tokens = [
            sum(call.prompt_tokens + call.completion_tokens for call in steps[stage])
            for stage in STAGES
        ]
        seconds = [sum(call.seconds for call in steps[stage]) for stage in STAGES]
        calls = sum(map(len, steps.values()))
        return Walk(aligned, reflected, calls, tuple(tokens), tuple(seconds))

    def known(self, rows: Iterable[int]) -> list[int]:
        """Those of the rows whose counterpart is known: the others are not scored."""
        entities, sources = self.proposal.left.entities, self.proposal.sources
        return [row for row in rows if entities[int(sources[row])] in self.truth]

    def is_right(self, row: int, iri: str) -> bool:
        """Whether this is the counterpart of a row."""
        return self.truth.get(self.proposal.left.entities[int(self.proposal.sources[row])]) == iri

    def count(self, aligned: Aligned, rows: Sequence[int]) -> Right:
        """What became of some rows."""
        settled = settle(aligned)
        targets = {row: int(settled.targets[row]) for row in rows if settled.targets[row] >= 0}
        entities = self.proposal.right.entities
        return Right(
            len(targets),
            sum(self.is_right(row, entities[target]) for row, target in targets.items()),
            sum(self.is_right(row, settled.ranking(row)[0][0]) for row in rows),
        )

    def changed(self, walk: Walk) -> tuple[int, int, int]:
        """The second looks, and how many of them corrected and spoiled an answer."""

        def right(answer: EntityVerdicts) -> bool:
            return self.is_right(answer.question.row, answer.standing()[0])

        looks = [
            (right(before), right(after))
            for before, after in zip(walk.aligned.answers, walk.reflected.answers, strict=True)
            if after.reflected
        ]
        return len(looks), looks.count((False, True)), looks.count((True, False))


def without_first(walk: Walk, proposal: Proposal) -> Walk:
    """The answers about entities without a first alignment alone, and their share of the tokens."""
    answers = walk.aligned.answers
    kept = tuple(answer for answer in answers if proposal.first[answer.question.row] < 0)
    asked = [sum(len(answer.said) for answer in some) for some in (kept, answers)]
    aligned = replace(walk.aligned, answers=kept)
    return Walk(aligned, aligned, 0, (0, walk.tokens[1] * asked[0] // asked[1], 0))


def lines(pair: Pair, wanted: Sequence[str]) -> list[str]:
    """The rows of the table; without a choice also the two that need no run of their own."""
    walks = {name: pair.walk(**ROWS[name]) for name in wanted or ROWS}
    every = max(walks.values(), key=lambda walk: len(walk.aligned.answers))
    if not wanted:
        nobody = replace(every.aligned, answers=())
        walks = {
            "nobody is asked": Walk(nobody, nobody, 0, (0, 0, 0)),
            "only those without a first alignment": without_first(every, pair.proposal),
            **walks,
        }
    doubtful = pair.known(answer.question.row for answer in every.aligned.answers)
    rows = pair.known(range(len(pair.proposal)))
    found = []
    for name, walk in walks.items():
        few, all_of = pair.count(walk.reflected, doubtful), pair.count(walk.reflected, rows)
        looks, corrected, spoiled = pair.changed(walk)
        tokens = " | ".join(f"{number:,}" for number in (*walk.tokens, sum(walk.tokens)))
        found.append(
            f"| {name} | {len(walk.aligned.answers)} | {few.first} of {len(doubtful)} | {few.right} of {few.matched} "
            f"| {all_of.first / len(rows):.2%} | {all_of.right / all_of.matched:.2%} "
            f"| {walk.calls or ''} | {tokens} | {looks}, {corrected}, {spoiled} "
            f"| {' | '.join(f'{number:,.0f}' for number in walk.seconds)} |"
        )
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("KGNB_DATA"))
    parser.add_argument("--pair", choices=RECORDED, action="append")
    parser.add_argument("--model", default="", help="in place of the recordings")
    parser.add_argument("--row", choices=ROWS, action="append", default=[])
    given = parser.parse_args(arguments)
    if given.data is None and given.pair != ["huts"]:
        parser.error("name the data folder: --data DIR, or KGNB_DATA")
    for name in given.pair or RECORDED:
        print(f"\n{name}\n")
        print(f"| {' | '.join(HEADINGS)} |")
        print("|---" * len(HEADINGS) + "|")
        print("\n".join(lines(Pair(name, given.data, given.model), given.row)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
