"""Questions asked, with what came in the time of each and whether its proof holds."""

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
