"""Questions asked one after another, with what each took and whether its proof holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter, process_time

from kgnb.agents.question_answering.desk import Desk
from kgnb.agents.question_answering.values import Options
from kgnb.datasets.questions import Asked
from kgnb.errors import BackendError, LimitError
from kgnb.evaluate.answers import Support, support
from kgnb.kg.graph import Graph
from kgnb.kg.terms import Triple
from kgnb.reporting.question_answering.results import MeasuredQuestion, QuestionCost
from kgnb.run import Run
from kgnb.tasks.answer_files import Outcome, plain_triple
from kgnb.tasks.asking import answer_questions


def ask_all(
    questions: Sequence[Asked], desk: Desk, options: Options, run: Run, *, out: Path | None = None
) -> list[MeasuredQuestion]:
    """Ask one question after another; what was answered before a budget was spent is kept."""
    by_id = {asked.id: asked for asked in questions}
    measured: list[MeasuredQuestion] = []
    mark = [perf_counter(), process_time(), float(len(run.steps))]

    def came(outcome: Outcome) -> None:
        now, steps = perf_counter(), run.steps
        new = steps[int(mark[2]) :]
        calls = [call for step in new for call in step.calls]
        cost = QuestionCost(
            questions=1,
            seconds=now - mark[0],
            cpu=process_time() - mark[1],
            rounds=outcome.answer.rounds if outcome.answer else 0,
            queries=sum(len(step.queries) for step in new),
            embedded=sum(int(step.counts.get("embedded", 0)) for step in new),
            calls=len(calls),
            tokens=sum(call.prompt_tokens + call.completion_tokens for call in calls),
        )
        measured.append(MeasuredQuestion(by_id[outcome.id], outcome, supported(outcome, desk.graph), cost))
        mark[:] = [perf_counter(), process_time(), float(len(run.steps))]

    try:
        answer_questions(questions, desk, options=options, run=run, out=out, on_outcome=came)
    except (LimitError, BackendError):
        if not measured:
            raise
    return measured


def supported(outcome: Outcome, graph: Graph) -> Support | None:
    """Whether what an answer cites is in the graph and gives the answer; None where nothing was answered."""
    if outcome.answer is None or not outcome.values:
        return None
    cited: dict[tuple[str, str, str], Triple] = {plain_triple(triple): triple for triple in outcome.answer.support}

    def exists(triple: tuple[str, str, str]) -> bool:
        subject, predicate, value = cited[triple]
        return bool(graph.triples(subject, predicate, value, limit=1))

    return support(list(cited), outcome.values, exists)
