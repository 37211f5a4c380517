"""What a report measures: every question with its answer, what it took, whether its proof holds, and its scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from time import perf_counter, process_time

from kgnb.agents.question_answering.desk import Desk
from kgnb.agents.question_answering.values import Options
from kgnb.datasets.question_sets import AnswerFigure
from kgnb.datasets.questions import Asked
from kgnb.errors import BackendError, LimitError
from kgnb.evaluate.answers import Item, Measures, Support, by_kind, is_literal_zero, measure, support
from kgnb.kg.graph import Graph
from kgnb.kg.terms import Triple
from kgnb.run import Run
from kgnb.tasks.answer_files import Outcome, plain_triple
from kgnb.tasks.asking import answer_questions

ZEROS = 'the reference is the literal "0"'


@dataclass(frozen=True)
class QuestionCost:
    """What some questions took. Calls and tokens count cached replies too, so that they are the same when run again."""

    questions: int = 0
    seconds: float = 0.0
    cpu: float = 0.0  # seconds of this process
    rounds: int = 0
    queries: int = 0
    embedded: int = 0  # texts whose vector was computed while observing
    calls: int = 0
    tokens: int = 0

    def __add__(self, other: QuestionCost) -> QuestionCost:
        return QuestionCost(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class MeasuredQuestion:
    """One question: what was asked, what came of it, whether its proof holds, what it took."""

    asked: Asked
    outcome: Outcome
    support: Support | None
    cost: QuestionCost

    @property
    def item(self) -> Item:
        """The question as the scorers take it."""
        return Item(
            self.outcome.values, self.asked.values or (), self.kind, self.outcome.status == "forced", self.support
        )

    @property
    def kind(self) -> str:
        """The kind of question, as its set has it."""
        return self.asked.kind or "any"

    @property
    def right(self) -> bool:
        """Whether the set of values is exactly the reference."""
        return measure([self.item]).exact == 1.0


@dataclass(frozen=True)
class Variant:
    """One line of the ablation or of the judges: what was changed, and what came of it."""

    name: str
    measures: Measures
    cost: QuestionCost
    kinds: Mapping[str, Measures] = field(default_factory=dict)
    failed: int = 0  # questions that brought an error


@dataclass(frozen=True)
class AnsweringResults:
    """Everything a report shows."""

    title: str
    measured: tuple[MeasuredQuestion, ...]
    judge: str
    embedder: str
    entities: str  # "given" or "linked"
    options: Options
    run: Run
    graph: str = ""
    peers: tuple[AnswerFigure, ...] = ()
    notes: tuple[str, ...] = ()
    variants: tuple[Variant, ...] = ()
    judges: tuple[Variant, ...] = ()  # the same questions to each judge
    simulation: str = ""  # what was simulated, if anything
    zeros_apart: bool = False

    @property
    def scored(self) -> tuple[MeasuredQuestion, ...]:
        """The questions that have a reference."""
        return tuple(one for one in self.measured if one.asked.values is not None)

    @cached_property
    def items(self) -> list[Item]:
        """The scored questions as the scorers take them."""
        return [one.item for one in self.scored]

    @cached_property
    def whole(self) -> Measures:
        """The scores over all questions."""
        return measure(self.items)

    @cached_property
    def kinds(self) -> dict[str, Measures]:
        """The scores by kind of question, and the literal zeros apart where the set is known for them."""
        found = by_kind(self.items)
        if self.zeros_apart:
            zeros = [one.item for one in self.scored if is_literal_zero(one.asked.values or ())]
            others = [one.item for one in self.scored if not is_literal_zero(one.asked.values or ())]
            found |= {ZEROS: measure(zeros), "all without those": measure(others)} if zeros else {}
        return found

    @property
    def cost(self) -> QuestionCost:
        """What all questions took together."""
        return total(one.cost for one in self.measured)


def total(costs: Iterable[QuestionCost]) -> QuestionCost:
    """Costs added up."""
    return sum(costs, QuestionCost())


def wrong(measured: Sequence[MeasuredQuestion]) -> list[MeasuredQuestion]:
    """The questions whose answer is not exactly the reference, those first that were answered."""
    missed = [one for one in measured if not one.right]
    return sorted(missed, key=lambda one: (one.outcome.status == "unsure", one.outcome.status == "failed"))


def ask_all(
    questions: Sequence[Asked], desk: Desk, options: Options, run: Run, *, out: Path | None = None
) -> list[MeasuredQuestion]:
    """Ask the questions; what was answered before a budget was spent is kept."""
    by_id = {asked.id: asked for asked in questions}
    measured: list[MeasuredQuestion] = []
    mark = [perf_counter(), process_time(), *_counted(run)]

    def came(outcome: Outcome) -> None:
        # against all there is by now: several questions are under way, and a step that was begun counts on
        now = [perf_counter(), process_time(), *_counted(run)]
        seconds, cpu, queries, embedded, calls, tokens = (
            after - before for after, before in zip(now, mark, strict=True)
        )
        cost = QuestionCost(
            questions=1,
            seconds=seconds,
            cpu=cpu,
            rounds=outcome.answer.rounds if outcome.answer else 0,
            queries=int(queries),
            embedded=int(embedded),
            calls=int(calls),
            tokens=int(tokens),
        )
        measured.append(MeasuredQuestion(by_id[outcome.id], outcome, supported(outcome, desk.graph), cost))
        mark[:] = [perf_counter(), process_time(), *now[2:]]

    try:
        answer_questions(questions, desk, options=options, run=run, out=out, on_outcome=came)
    except (LimitError, BackendError):
        if not measured:
            raise
    return measured


def _counted(run: Run) -> tuple[int, int, int, int]:
    """Queries, texts embedded, model calls and tokens of a run so far."""
    steps = run.steps
    calls = [call for step in steps for call in step.calls]
    return (
        sum(len(step.queries) for step in steps),
        sum(int(step.counts.get("embedded", 0)) for step in steps),
        len(calls),
        sum(call.prompt_tokens + call.completion_tokens for call in calls),
    )


def supported(outcome: Outcome, graph: Graph) -> Support | None:
    """Whether what an answer cites is in the graph and gives the answer; None where nothing was answered."""
    if outcome.answer is None or not outcome.values:
        return None
    cited: dict[tuple[str, str, str], Triple] = {plain_triple(triple): triple for triple in outcome.answer.support}

    def exists(triple: tuple[str, str, str]) -> bool:
        subject, predicate, value = cited[triple]
        return bool(graph.triples(subject, predicate, value, limit=1))

    return support(list(cited), outcome.values, exists)
