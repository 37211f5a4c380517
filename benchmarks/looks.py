"""What planning, selecting and a second look gain in entity alignment, with a simulated judge that
knows the reference and errs more often the less it is shown that tells the candidates apart.

    python -m benchmarks.looks                  our own huts
    KGNB_DATA=DIR python -m benchmarks.looks DIR/srprs/en_de

A wrong answer is on average less sure than a right one. A second look keeps the first answer half
of the time, else it is drawn anew.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from kgnb.agents.entity_alignment.judging_values import AlignQuestion, LookOptions
from kgnb.judging import Verdict
from kgnb.tasks.aligning import AlignmentOutcome, align
from kgnb.tasks.sides import Links, links_of, open_sides

SETTINGS: dict[str, tuple[str, LookOptions]] = {
    "as it is": ("rule", LookOptions()),
    "no planning: every tool for each": ("thorough", LookOptions()),
    "no second look": ("rule", LookOptions(reflect_below=0.0)),
    "a second look at every answer": ("thorough", LookOptions(reflect_below=1.0)),
    "no selectors": ("rule", LookOptions(entropy="none")),
    "no triples": ("rule", LookOptions(attributes=0, relations=0)),
}


@dataclass
class Reader:
    """Errs with ``rate``, halved by each shown fact that another candidate does not share."""

    pairs: frozenset[tuple[str, str]]
    rate: float
    name: str = "reader (simulation)"
    simulation: bool = True
    lines: int = 0
    asked: int = 0
    second: list[tuple[bool, bool]] = field(default_factory=list)  # right before, right after

    def judge(self, questions: Sequence[AlignQuestion]) -> list[Verdict]:
        """One verdict a question."""
        return [self._verdict(question) for question in questions]

    def _verdict(self, question: AlignQuestion) -> Verdict:
        self.asked += 1
        self.lines += len(question.lines())
        draw = random.Random(f"{question.id} {self.rate}")
        right = next(
            (one.iri for one in question.others if (question.about.iri, one.iri) in self.pairs), ""
        )
        wrong = [one.iri for one in question.others if one.iri != right] + [""] * bool(right)
        error = self.rate * 0.5 ** min(telling(question), 3)
        errs = draw.random() < error and bool(wrong)
        choice = draw.choice(wrong) if errs else right
        sure = draw.uniform(0.4, 0.9) if errs else draw.uniform(0.6, 1.0)
        if question.earlier:
            earlier = next(
                (one.iri for one in question.others if f"({one.name})," in question.earlier), ""
            )
            choice = earlier if draw.random() < 0.5 else choice
            self.second.append((earlier == right, choice == right))
        decision = "equivalent" if choice else "different"
        return Verdict(decision, choice or None, round(sure, 2), "", self.name)


def telling(question: AlignQuestion) -> int:
    """How many shown lines of the candidates stand at one candidate alone."""
    shown = [line.text for card in question.others for line in card.lines]
    return sum(shown.count(text) == 1 for text in shown) // max(len(question.others), 1)


def looked(
    source: Sequence[str], pairs: Links, rate: float, planner: str, look: LookOptions
) -> tuple[Reader, AlignmentOutcome]:
    """One alignment with a new reader."""
    reader = Reader(frozenset(pairs), rate)
    return reader, align(*source, judge=reader, planner=planner, look=look, embedder="characters")


def line(name: str, rate: float, reader: Reader, outcome: AlignmentOutcome, pairs: Links) -> str:
    """A row of the table."""
    settled, known = outcome.settled, dict(pairs)
    entities, proposal = settled.proposal.left.entities, settled.proposal
    targets = [proposal.right.entities[at] if at >= 0 else "" for at in range(len(proposal.right))]

    def is_right(row: int, target: int) -> bool:
        iri = entities[int(proposal.sources[row])]
        return (targets[target] if target >= 0 else "") == known.get(iri, "")

    rows = range(len(proposal))
    before = [is_right(row, int(proposal.first[row])) for row in rows]
    after = [is_right(row, int(settled.targets[row])) for row in rows]
    changed = list(zip(before, after, strict=True))
    return (
        f"| {name} | {rate:g} | {reader.asked} | {reader.lines / max(reader.asked, 1):.1f} | "
        f"{sum(before)} | {sum(after)} | {changed.count((False, True))} | "
        f"{changed.count((True, False))} | {len(reader.second)} | "
        f"{reader.second.count((False, True))} | {reader.second.count((True, False))} |"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", nargs="*", default=["huts:hollenmark", "huts:corvane"])
    parser.add_argument("--reference", default="huts:entity-reference")
    given = parser.parse_args(arguments)
    alone = len(given.source) == 1
    pairs = open_sides(given.source[0]).tests if alone else links_of(given.reference)
    print(
        "| | error rate | questions | triples each | right before | after | corrected | spoiled "
        "| second looks | corrected | spoiled |"
    )
    for rate in (0.1, 0.3, 0.5):
        for name, (planner, look) in SETTINGS.items():
            reader, outcome = looked(given.source, pairs, rate, planner, look)
            print(line(name, rate, reader, outcome, pairs), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
