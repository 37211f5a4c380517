"""The judges of entity alignment, by name: who plans the ways, and who says which candidate it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args
from typing import Literal as OneOf

from kgnb import judging
from kgnb.agents.entity_alignment.align import DECISIONS, INSTRUCTIONS, REFLECTION
from kgnb.agents.entity_alignment.judging_values import DIFFERENT, EQUIVALENT, AlignQuestion, PlanQuestion
from kgnb.agents.entity_alignment.plan import BATCH, ModelPlanner, Policy, RulePlanner, ThoroughPlanner
from kgnb.errors import ConfigError
from kgnb.judging import UNSURE, Decision, Decisions, Estimate, Judge, ModelJudge, PersonJudge, Verdict, estimate
from kgnb.judging.named import chosen, given_decisions, given_reference, reference_oracle, set_model
from kgnb.judging.person import PERSON
from kgnb.llm.model import ChatModel

JudgeName = OneOf["auto", "first", "rule", "model", "person", "oracle"]
JUDGES: tuple[JudgeName, ...] = get_args(JudgeName)
PlannerName = OneOf["auto", "rule", "thorough", "model", "policy", "person"]
PLANNERS: tuple[PlannerName, ...] = get_args(PlannerName)


class FirstJudge:
    """Keeps every first alignment: the floor any other judge must beat."""

    name = "first alignment"

    def judge(self, questions: Sequence[AlignQuestion]) -> list[Verdict]:
        """The first alignment of each question."""
        return [_keep(question, self.name, "as first aligned") for question in questions]


class RuleJudge:
    """Keeps the first alignment unless another candidate shares clearly more values and neighbours with the entity."""

    name = "rule"

    def __init__(self, lead: float = 2.0, near: float = 0.05) -> None:
        self.lead, self.near = lead, near

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


class TwoLooks:
    """A judge for first looks and, with words of its own, one for second looks (questions with an earlier answer)."""

    def __init__(self, first: Judge[AlignQuestion], second: Judge[AlignQuestion]) -> None:
        self.first, self.second = first, second
        self.name = first.name

    def judge(self, questions: Sequence[AlignQuestion]) -> list[Verdict]:
        """The verdicts, in order."""
        found: dict[int, Verdict] = {}
        for judge, places in self._parts(questions):
            found |= dict(zip(places, judge.judge([questions[at] for at in places]), strict=True))
        return [found[at] for at in range(len(questions))]

    def estimate(self, questions: Sequence[AlignQuestion]) -> Estimate:
        """What the questions would cost."""
        parts = (estimate(judge, [questions[at] for at in places]) for judge, places in self._parts(questions))
        return sum(parts, Estimate())

    def _parts(self, questions: Sequence[AlignQuestion]) -> list[tuple[Judge[AlignQuestion], list[int]]]:
        again = [at for at, question in enumerate(questions) if question.earlier]
        fresh = [at for at, question in enumerate(questions) if not question.earlier]
        return [(judge, places) for judge, places in ((self.first, fresh), (self.second, again)) if places]


def _asking(model: ChatModel, instructions: str, width: int) -> ModelJudge[AlignQuestion]:
    return ModelJudge(
        model, instructions=instructions, decisions=DECISIONS, none_decision=DIFFERENT, batch=12, width=width
    )


def _keep(question: AlignQuestion, name: str, why: str) -> Verdict:
    if question.first:
        return Verdict(EQUIVALENT, question.first, question.confidence, why, name)
    likeliest = max(
        zip(question.candidates, question.others, strict=True), key=lambda pair: pair[0].score, default=None
    )
    also = ((likeliest[1].iri, question.confidence),) if likeliest else ()
    return Verdict(UNSURE, None, 0.0, why, name, also)


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
    """The judge of this name; ``auto`` is the model where there is one, and the rule where there is none.

    What people decided overrides any of them. "oracle" is a simulation that answers from the reference.

    Raises:
        ConfigError: the judge needs a model, a reference or a file of decisions that is not there.
        ValueError: there is no judge of this name.
    """
    name = chosen(name, JUDGES, model, "model")
    judge: Judge[AlignQuestion]
    if name == "person":
        return Reviewed(given_decisions(decisions))
    if name == "model":
        asked = set_model(model, name)
        judge = TwoLooks(*(remember(_asking(asked, text, width)) for text in (INSTRUCTIONS, REFLECTION)))
    elif name == "oracle":
        judge = reference_oracle(given_reference(reference), error_rate=error_rate, seed=seed)
    else:
        judge = RuleJudge() if name == "rule" else FirstJudge()
    return Reviewed(decisions, judge) if decisions is not None else judge


def tuned_model(planner: str) -> str:
    """The NAME in "model:NAME", "" for any other planner."""
    return planner.removeprefix("model:") if planner.startswith("model:") else ""


def make_planner(
    name: str = "auto",
    *,
    model: ChatModel | None = None,
    policy: Policy | Path | str | None = None,
    decisions: str | Path | None = None,
    width: int = 8,
    temperature: float = 0.0,
    seed: int = 0,
) -> Judge[PlanQuestion]:
    """The planner of this name; ``auto`` is the learned policy where one is given, else the rule.

    "model:NAME" is a model tuned for it, asked about one entity at a time; ``model`` is that model. A ``temperature``
    above 0 samples the paths of a policy (by ``seed``) or of a model.

    Raises:
        ConfigError: the planner needs a model, a policy or a file of decisions that is not there.
        DataError: the policy's file cannot be read.
        ValueError: there is no planner of this name.
    """
    tuned = tuned_model(name)
    if name not in PLANNERS and not tuned:
        raise ValueError(f"there is no planner {name!r}: choose {', '.join(PLANNERS)} or model:NAME")
    learned = policy if isinstance(policy, Policy) else Policy.load(policy) if policy else None
    name = ("policy" if learned else "rule") if name == "auto" else name
    if name == "policy":
        if not learned:
            raise ConfigError("the policy planner needs a policy", fix="Give --policy FILE; %ea optimise writes one.")
        return learned.sampled(temperature, seed) if temperature else learned
    if name == "model" or tuned:
        if model is None:
            raise ConfigError(
                "the model planner asks a model, and none is set", fix="Set KGNB_MODEL, or %llm use MODEL."
            )
        record = learned.record if learned else None
        return ModelPlanner(model, record=record, batch=1 if tuned else BATCH, width=width, temperature=temperature)
    if name == "person":
        if decisions is None:
            raise ConfigError("the person planner needs a file of decisions", fix="Give --plans FILE.")
        return PersonJudge(Decisions(decisions))
    return RulePlanner() if name == "rule" else ThoroughPlanner()


@dataclass(frozen=True)
class Ruling:
    """What somebody decided about one source entity: its counterpart, or which candidates it is not."""

    source: str
    target: str = ""  # "" where none of ``rejected`` is it
    rejected: frozenset[str] = frozenset()
    who: str = ""
    note: str = ""


class EntityDecisions(Decisions):
    """A file of decisions on entities; each line says which entity and which candidates it is about."""

    def decide(self, question: Any, decision: str, choice: str | None = None, **given: Any) -> Decision:
        """Keep a decision; see ``Decisions.decide``."""
        about = (question.side, question.about.iri, question.about.kind)
        return super().decide(question, decision, choice, about=about, **given)

    def reject(self, question: Any, candidate: str, *, who: str = "", note: str = "") -> Decision:
        """Keep that one candidate is wrong; what was rejected before stays so."""
        earlier = self.rulings().get(question.about.iri)
        before = sorted(earlier.rejected) if earlier is not None else []
        offered = tuple(dict.fromkeys((*before, candidate)))
        return self.decide(question, DIFFERENT, who=who, note=note, offered=offered)

    def rulings(self) -> dict[str, Ruling]:
        """The decisions that stand, by source IRI; a later one replaces an earlier one."""
        found: dict[str, Ruling] = {}
        for decision in self.standing().values():
            if len(decision.about) < 2:
                continue
            iri = decision.about[1]
            found.pop(iri, None)
            if decision.decision == EQUIVALENT and decision.choice:
                found[iri] = Ruling(iri, decision.choice, frozenset(), decision.who, decision.note)
            else:
                found[iri] = Ruling(iri, "", frozenset(decision.offered), decision.who, decision.note)
        return found


class Reviewed(judging.Reviewed[AlignQuestion]):
    """A judge overruled by people: what they decided is not even asked of it. Without a judge the rest waits."""

    def __init__(self, decisions: EntityDecisions, judge: Judge[AlignQuestion] | None = None) -> None:
        super().__init__(self._settled, judge)
        self.decisions = decisions

    def _settled(self, questions: Sequence[AlignQuestion]) -> list[AlignQuestion | Verdict]:
        rulings = self.decisions.rulings()
        return [self._verdict(one, rulings.get(one.about.iri)) or one for one in questions]

    def _verdict(self, question: AlignQuestion, ruling: Ruling | None) -> Verdict | None:
        offered = {card.iri for card in question.others}
        if ruling is None:
            return None
        who = f"{PERSON}:{ruling.who}" if ruling.who else PERSON
        if ruling.target:
            if ruling.target in offered:
                return Verdict(EQUIVALENT, ruling.target, 1.0, ruling.note, who)
            return Verdict(DIFFERENT, None, 1.0, ruling.note, who)  # it is another one, which is not on show
        return Verdict(DIFFERENT, None, 1.0, ruling.note, who) if offered <= ruling.rejected else None
