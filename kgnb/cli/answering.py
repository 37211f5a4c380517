"""What ``kgnb ask`` does: one question, or a file of them."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import click

from kgnb.agents.question_answering import AGENT
from kgnb.agents.question_answering.tables import guessed
from kgnb.agents.question_answering.values import Answer
from kgnb.backends import URL, file_of
from kgnb.cli.outcome import FAILED, refuse_unwritable
from kgnb.cli.work import Work, took
from kgnb.datasets.questions import scan_questions
from kgnb.errors import KgnbError
from kgnb.kg.terms import Iri, Term, bare_text
from kgnb.results.bundle import count
from kgnb.results.escaping import one_line, unbroken
from kgnb.results.wording import percent
from kgnb.run import Run
from kgnb.tasks.asking import AnswerOutcome, AskingTask, answer_all, written


def answer(question: str | None, given: dict[str, Any]) -> None:
    """Answers the question or the file of questions that the line names.

    Raises:
        UsageError: what the line says does not go together.
    """
    if given["out"]:
        inputs = [given["questions"], given["examples"], given["decisions"], *given["graph"]]
        refuse_unwritable(
            given["out"], [file_of(spec) for spec in inputs if spec and not URL.match(spec)]
        )
    if len(given["graph"]) > 1 and any(URL.match(spec) for spec in given["graph"]):
        raise click.UsageError("an endpoint cannot be combined with other graphs: give one --graph")
    work = Work(given)
    if question is not None:
        _one(question, given, work)
    else:
        _many(given, work)


def _one(question: str, given: dict[str, Any], work: Work) -> None:
    """Answers one question and prints the answer."""
    with work.reading(*given["graph"]):
        task = _task(given, work, question=question, entities=given["entities"])
        answer = task.run_through()
    if given["as_json"]:
        click.echo(written(AnswerOutcome.of(answer)), nl=False)
        work.say(*task.warnings())
    elif given["quiet"]:
        click.echo("\n".join(map(bare_text, answer.values)), nl=bool(answer.values))
    else:
        click.echo("\n".join(shown(answer)))
        work.say(*task.unread())
    _end(work, task.run, "1 question")


def _many(given: dict[str, Any], work: Work) -> None:
    """Answers a file of questions; malformed lines are reported, and make the exit status 1."""
    questions, wrong = scan_questions(given["questions"])
    if not questions:
        raise wrong[0]
    for error in wrong:
        click.echo(f"kgnb: {unbroken(error.what)}", err=True)
    found: list[AnswerOutcome] = []

    def came(outcome: AnswerOutcome) -> None:
        found.append(outcome)
        if not given["out"]:
            work.line.clear()
            sys.stdout.write(written(outcome))
            sys.stdout.flush()

    keywords = {name: given[name] for name in ("out", "resume", "width")}
    try:
        with work.reading(*given["graph"]):
            task = _task(given, work)
            answer_all(task, questions, on_outcome=came, **keywords)
    except KgnbError as error:
        if found and given["out"]:
            so_far = (
                f"{count(len(found), 'answer')} so far in {given['out']}: continue with --resume."
            )
            error.fix = f"{error.fix} {so_far}".strip()
        raise
    work.say(*task.warnings())
    failed = [outcome for outcome in found if outcome.status == "failed"]
    for outcome in failed[:5]:
        click.echo(f"kgnb: {one_line(outcome.id)} failed: {one_line(outcome.error)}", err=True)
    counts = Counter(outcome.status for outcome in found)
    answered = counts["answered"] + counts["forced"]
    result = f"{count(len(found), 'question')}: {answered} answered, {counts['unsure']} unsure, {len(failed)} failed"
    waiting = f", {counts['waiting']} waiting for the model's replies" if counts["waiting"] else ""
    _end(work, task.run, result + waiting)
    if wrong:
        raise Failed(
            f"{count(len(wrong), 'line')} of {given['questions']} could not be asked (see above)"
        )
    if failed:
        again = f"; to continue, add --resume (answers in {given['out']})" if given["out"] else ""
        raise Failed(f"{len(failed)} of {count(len(found), 'question')} failed{again}")


def _task(given: dict[str, Any], work: Work, **asked: Any) -> AskingTask:
    """The graph with its judges, and what they learn from."""
    inputs = {name: given[name] for name in ("examples", "decisions")}
    task = work.task(AGENT, {**inputs, "graph": list(given["graph"]), **asked}, given)
    assert isinstance(task, AskingTask)
    return task


def _end(work: Work, run: Run, what: str) -> None:
    calls = f", {took(run)}" if run.totals["calls"] else ""
    work.say(
        f"{what}, {count(run.totals['queries'], 'query', 'queries')}{calls}, {work.seconds:.1f} s"
    )


class Failed(click.ClickException):
    """Some questions were not answered."""

    exit_code = FAILED


MOST_TRIPLES = 12  # of a proof


def shown(answer: Answer) -> list[str]:
    """An answer as lines for a terminal: values, proof, SPARQL, and what was ambiguous."""

    def named(term: Term) -> str:
        return one_line(answer.label(term))

    def value(term: Term) -> str:
        return f"{named(term)}  <{one_line(term)}>" if isinstance(term, Iri) else named(term)

    unsure = (
        "no interpretation is likely enough"
        if answer.guess
        else "the graph does not support an answer"
    )
    lines = [value(term) for term in answer.values] or [f"unsure: {unsure}"]
    if answer.values:
        source = (
            "from the graph"
            if answer.source == "graph"
            else "from the model's own memory, not from the graph"
        )
        forced = "; forced: rounds or budget ran out" if answer.status == "forced" else ""
        lines.append(f"  {source}, confidence {percent(answer.confidence)}{forced}")
    lines += [f"  {one_line(line)}" for line in guessed(answer)]
    if answer.rationale:
        lines.append(f"  why      {one_line(answer.rationale)}")
    for place, triple in enumerate(answer.support[:MOST_TRIPLES]):
        lines.append(f"  {'because' if not place else '':8} {' | '.join(map(named, triple))}")
    if len(answer.support) > MOST_TRIPLES:
        lines.append(f"  {'':8} and {count(len(answer.support) - MOST_TRIPLES, 'more triple')}")
    if answer.sparql:
        lines.append(f"  SPARQL   {one_line(answer.sparql)}")
    for link in answer.linked.ambiguous:
        lines.append(
            f"  maybe    {one_line(link.mention)}: {one_line(link.label)}  <{one_line(link.iri)}>  {link.score:.2f}"
        )
    return lines + [f"  note     {one_line(note)}" for note in answer.notes]
