"""The judges of entity alignment, by name: who plans the paths, and who says which candidate is
meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from kgnb import judging
from kgnb.agents.entity_alignment.align import DECISIONS, INSTRUCTIONS, REFLECTION
from kgnb.agents.entity_alignment.judging_values import (
    DIFFERENT,
    EQUIVALENT,
    AlignQuestion,
    PlanQuestion,
)
from kgnb.agents.entity_alignment.options import JudgeName
from kgnb.agents.entity_alignment.plan import ModelPlanner, RulePlanner, ThoroughPlanner
from kgnb.errors import ConfigError
from kgnb.judging import (
    UNSURE,
    Decisions,
    Estimate,
    Judge,
    ModelJudge,
    PersonJudge,
    Verdict,
    estimate,
)
from kgnb.judging.cascade import Asking, Cascade
from kgnb.judging.named import chosen, given_decisions, given_reference, reference_oracle, set_model
from kgnb.judging.person import SubjectDecisions, signature
from kgnb.llm.model import ChatModel

JUDGES: tuple[JudgeName, ...] = get_args(JudgeName)
PLANNERS = ("auto", "rule", "thorough", "model", "person")


class FirstJudge:
    """Keeps every first alignment: the baseline for any other judge."""

    name = "similarity"

    def judge(self, questions: Sequence[AlignQuestion]) -> list[Verdict]:
        """The first alignment of each question."""
        return [_keep(question, self.name, "as first aligned") for question in questions]


class RuleJudge:
    """Keeps the first alignment unless another candidate shares clearly more values and neighbours
    with the entity.
    """

    name = "rule"
    # shared values and neighbours that another candidate needs more than the first alignment
    lead = 2.0
    near = 0.05  # how far its similarity may be below the best

    def judge(self, questions: Sequence[AlignQuestion]) -> list[Verdict]:
        """One verdict a question."""
        return [self._verdict(question) for question in questions]

    def _verdict(self, question: AlignQuestion) -> Verdict:
        pairs = sorted(
            zip(question.candidates, question.others, strict=True),
            key=lambda pair: (-pair[0].agreement, -pair[0].score, pair[1].iri),
        )
        best, card = pairs[0]
        mine = next((rival for rival, other in pairs if other.iri == question.first), None)
        rest = max((rival.agreement for rival, _ in pairs[1:]), default=0.0)
        likeliest = max(rival.similarity for rival, _ in pairs)
        if card.iri == question.first or best.agreement - rest < self.lead or mine is None:
            return _keep(question, self.name, "nothing speaks clearly for another")
        if likeliest - best.similarity > self.near:
            return _keep(question, self.name, "what shares more is called too differently")
        why = f"shares {best.agreement:.0f} values and neighbours, the first alignment {mine.agreement:.0f}"
        return Verdict(EQUIVALENT, card.iri, 0.6, why, self.name)


def _keep(question: AlignQuestion, name: str, why: str) -> Verdict:
    if question.first:
        return Verdict(EQUIVALENT, question.first, question.confidence, why, name)
    pairs = zip(question.candidates, question.others, strict=True)
    likeliest = max(pairs, key=lambda pair: pair[0].score, default=None)
    also = ((likeliest[1].iri, question.confidence),) if likeliest else ()
    return Verdict(UNSURE, None, 0.0, why, name, also)


class TwoLooks:
    """One judge for first looks and one for second looks (questions with an earlier answer)."""

    def __init__(self, first: Judge[AlignQuestion], second: Judge[AlignQuestion]) -> None:
        self.first, self.second, self.name = first, second, first.name

    def judge(self, questions: Sequence[AlignQuestion]) -> list[Verdict]:
        """The verdicts, in order."""
        found: dict[int, Verdict] = {}
        for judge, places in self._parts(questions):
            found |= dict(zip(places, judge.judge([questions[at] for at in places]), strict=True))
        return [found[at] for at in range(len(questions))]

    def estimate(self, questions: Sequence[AlignQuestion]) -> Estimate:
        """What the questions would cost."""
        parts = (
            estimate(judge, [questions[at] for at in places])
            for judge, places in self._parts(questions)
        )
        return sum(parts, Estimate())

    def _parts(
        self, questions: Sequence[AlignQuestion]
    ) -> list[tuple[Judge[AlignQuestion], list[int]]]:
        places: tuple[list[int], list[int]] = ([], [])
        for at, question in enumerate(questions):
            places[bool(question.earlier)].append(at)
        return [
            (judge, part)
            for judge, part in zip((self.first, self.second), places, strict=True)
            if part
        ]


def _trial(question: AlignQuestion, right: int, present: bool) -> AlignQuestion:
    """The question as it is, or without its right candidate."""
    kept = [at for at in range(len(question.others)) if present or at != right]
    return replace(
        question,
        others=tuple(question.others[at] for at in kept),
        candidates=tuple(question.candidates[at] for at in kept),
    )


ASKING: Asking[AlignQuestion] = Asking(share=1.0, least=12, trial=_trial)
"""Everything in doubt is asked, in waves, until it is decided or the budget ends."""


def make_judge(
    name: str = "auto",
    *,
    model: ChatModel | None = None,
    reference: Iterable[tuple[str, str]] | None = None,
    error_rate: float = 0.0,
    seed: int = 0,
    decisions: EntityDecisions | None = None,
    width: int = 8,
    remember: Callable[[ModelJudge[AlignQuestion]], Judge[AlignQuestion]] = lambda judge: judge,
) -> Judge[AlignQuestion]:
    """The judge with this name; ``auto`` is "cascade" if a model is given, else "rule".

    A cascade weighs the model's answers against the first alignment's confidence, and by how many
    of a few questions with known answers the model gets right; if they are too few it is not asked.

    A person's ``decisions`` override any of them. "oracle" is a simulation that answers from the
    reference.

    Raises:
        ConfigError: the judge needs a model, a reference or a file of decisions that is not given.
        ValueError: there is no judge with this name.
    """
    name = chosen(name, JUDGES, model, "cascade")
    judge: Judge[AlignQuestion]
    if name == "person":
        return ReviewedEntities(given_decisions(decisions))
    if name in ("model", "cascade"):
        asked = set_model(model, name)
        looks: list[Judge[AlignQuestion]] = [
            remember(
                ModelJudge(
                    asked,
                    instructions=text,
                    decisions=DECISIONS,
                    none_decision=DIFFERENT,
                    batch=12,
                    width=width,
                )
            )
            for text in (INSTRUCTIONS, REFLECTION)
        ]
        if name == "cascade":
            looks[0] = Cascade(RuleJudge(), looks[0], asking=ASKING)
        judge = TwoLooks(*looks)
    elif name == "oracle":
        judge = reference_oracle(given_reference(reference), error_rate=error_rate, seed=seed)
    else:
        judge = RuleJudge() if name == "rule" else FirstJudge()
    return ReviewedEntities(decisions, judge) if decisions is not None else judge


def make_planner(
    name: str = "auto",
    *,
    model: ChatModel | None = None,
    decisions: str | Path | None = None,
    width: int = 8,
) -> Judge[PlanQuestion]:
    """The planner with this name; ``auto`` is the rule.

    Raises:
        ConfigError: the planner needs a model or a file of decisions that is not given.
        ValueError: there is no planner with this name.
    """
    if name not in PLANNERS and not name.startswith("model:"):
        raise ValueError(
            f"there is no planner {name!r}: choose {', '.join(PLANNERS)} or model:NAME"
        )
    if name.startswith("model"):
        if model is None:
            raise ConfigError(
                "the model planner asks a model, and none is set",
                fix="Set KGNB_MODEL_PLAN or KGNB_MODEL, or give --planner model:NAME.",
            )
        return ModelPlanner(model, width=width)
    if name == "person":
        if decisions is None:
            raise ConfigError(
                "the person planner needs a file of decisions", fix="Give --plans FILE."
            )
        return PersonJudge(Decisions(decisions))
    return ThoroughPlanner() if name == "thorough" else RulePlanner()


@dataclass(frozen=True)
class Decided:
    """A person's decision on one source entity: its counterpart, or the candidates that it is not."""

    source: str
    target: str = ""  # "" where it is none of ``rejected``
    rejected: frozenset[str] = frozenset()
    who: str = ""
    note: str = ""


class EntityDecisions(SubjectDecisions):
    """A file of decisions on entities."""

    def by_entity(self) -> dict[str, Decided]:
        """The decisions in force, by source IRI; a later one replaces an earlier one."""
        found: dict[str, Decided] = {}
        for one in self.standing().values():
            if len(one.about) < 2:
                continue
            iri = one.about[1]
            chosen = one.choice if one.decision == EQUIVALENT and one.choice else ""
            found.pop(iri, None)
            found[iri] = Decided(
                iri, chosen, frozenset() if chosen else frozenset(one.offered), one.who, one.note
            )
        return found


class ReviewedEntities(judging.Reviewed[AlignQuestion]):
    """A judge overruled by people: it is not asked about what they decided. Without a judge the
    rest waits.
    """

    def __init__(
        self, decisions: EntityDecisions, judge: Judge[AlignQuestion] | None = None
    ) -> None:
        super().__init__(self._settled, judge)
        self.decisions = decisions

    def _settled(self, questions: Sequence[AlignQuestion]) -> list[AlignQuestion | Verdict]:
        decided = self.decisions.by_entity()
        return [_verdict(one, decided.get(one.about.iri)) or one for one in questions]


def _verdict(question: AlignQuestion, decided: Decided | None) -> Verdict | None:
    offered = {card.iri for card in question.others}
    if decided is None or (not decided.target and not offered <= decided.rejected):
        return None
    who = signature(decided.who)
    if decided.target in offered:
        return Verdict(EQUIVALENT, decided.target, 1.0, decided.note, who)
    return Verdict(DIFFERENT, None, 1.0, decided.note, who)
