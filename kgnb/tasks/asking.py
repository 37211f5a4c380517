"""Question answering, as a script calls it: inputs opened, defaults filled in from the settings, the pipeline run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from kgnb.agents.question_answering import pipeline
from kgnb.agents.question_answering.desk import Desk, Example, Judges
from kgnb.agents.question_answering.judges import make_judges
from kgnb.agents.question_answering.rehearsing import rehearse
from kgnb.agents.question_answering.values import Answer, Options, Question
from kgnb.backends import GraphSource, file_of, open_embedder, open_graph, open_model
from kgnb.datasets.questions import Asked
from kgnb.errors import BackendError, ConfigError, KgnbError, LimitError
from kgnb.judging import CallableJudge, Estimate, Judge, Verdict
from kgnb.kg.graph import Graph
from kgnb.llm.model import ChatModel
from kgnb.llm.replay import MissingReply
from kgnb.run import Forecast, Run
from kgnb.settings import Settings
from kgnb.tasks.answer_files import AnswerFile, Outcome
from kgnb.tasks.naming import entity_named
from kgnb.tasks.running import new_run
from kgnb.vectors.embedder import Embedder

JudgeSource = str | Judge[Any] | Judges | Callable[[Any], Verdict]
Askable = str | Question | Asked | Mapping[str, Any]
DEAD_AFTER = 3
"""Questions in a row that a service fails before a batch is given up: it is not the question's fault."""


def answer_question(
    question: str | Question,
    graph: GraphSource | Desk,
    *,
    entities: Sequence[str] = (),
    judge: JudgeSource = "auto",
    embedder: str | Embedder | None = None,
    model: ChatModel | None = None,
    options: Options = Options(),
    examples: Sequence[Example] = (),
    decisions: str | Path | None = None,
    run: Run | None = None,
    settings: Settings | None = None,
    on_event: Callable[[Any], None] | None = None,
) -> Answer:
    """The answer to a question from a graph: values, the triples that prove them, SPARQL that reproduces them.

    Args:
        graph: files, folders, an endpoint's URL, ``huts:graph``, an rdflib graph, a Graph, or a Desk of ``open_desk``.
        entities: the IRIs (or names) of what the question speaks of; without them they are looked for.
        judge: "auto" (cascade if a model is set, else rule), "rule", "model", "cascade", "person", a Judge, a Judges
            value with one judge a stage, or any function from a question to a verdict.
        embedder: "local", "characters", "tiny", "openai:MODEL", "sentence-transformers:MODEL", or an Embedder.
        model: a chat model; by default the one the settings name, if any.
        examples: questions with their answers over this graph, for the rule judge to learn wordings from.
        decisions: a file of a person's decisions, which the "person" judge answers from.
        run: where steps, judgements, calls and queries are noted; made here when not given.

    Raises:
        ValueError: the question is empty, or a name fits no entity or several.
        DataError: a file is missing or malformed.
        ConfigError: a backend or judge lacks a setting.
        BackendError: an endpoint or a model's server fails for good.

    >>> answer = answer_question("Who is the warden of the Hochkar House?", "huts:graph", embedder="characters")
    >>> [answer.label(value) for value in answer.values]
    ['Wilma Aschauer']
    """
    settings = settings or Settings.load()
    own_run = run is None
    if not isinstance(graph, Desk):
        opened = open_graph(graph, settings)
        run = run or new_run("question_answering", graph_digests(graph, opened), settings=settings, on_event=on_event)
        desk = open_desk(
            opened,
            judge=judge,
            embedder=embedder,
            model=model,
            options=options,
            examples=examples,
            decisions=decisions,
            run=run,
            settings=settings,
        )
    else:
        desk = graph
        run = run or new_run("question_answering", {}, settings=settings, on_event=on_event)
    with run if own_run else nullcontext():
        asked = question if isinstance(question, Question) else Question("q1", question)
        if entities:
            asked = replace(asked, entities=tuple(entities))
        run.expect(Estimate(2 * options.rounds + 1), "up to")
        return pipeline.answer_question(_named(asked, desk), desk, options=options, run=run)


def open_desk(
    graph: GraphSource,
    *,
    judge: JudgeSource = "auto",
    embedder: str | Embedder | None = None,
    model: ChatModel | None = None,
    options: Options = Options(),
    examples: Sequence[Example] = (),
    decisions: str | Path | None = None,
    run: Run | None = None,
    settings: Settings | None = None,
) -> Desk:
    """What many questions over one graph share: labels, relations and vectors are looked up once.

    With a ``run``, its queries, calls and judgements are noted there. Arguments as in ``answer_question``.
    """
    settings = settings or Settings.load()
    opened = open_graph(graph, settings)
    chat = model or (open_model(settings) if judge in ("auto", "model", "cascade") else None)
    watched = run.watch(chat) if run is not None and chat is not None else chat
    return pipeline.open_desk(
        opened,
        embedder=embedder if isinstance(embedder, Embedder) else open_embedder(embedder, settings),
        judge=open_judges(judge, watched, decisions),
        options=options,
        model=watched,
        examples=examples,
        run=run,
    )


def answer_questions(
    questions: Iterable[Askable],
    graph: GraphSource | Desk,
    *,
    judge: JudgeSource = "auto",
    embedder: str | Embedder | None = None,
    model: ChatModel | None = None,
    options: Options = Options(),
    examples: Sequence[Example] = (),
    decisions: str | Path | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    run: Run | None = None,
    settings: Settings | None = None,
    on_event: Callable[[Any], None] | None = None,
    on_outcome: Callable[[Outcome], None] | None = None,
) -> list[Outcome]:
    """The outcome of every question, in order: its answer, or what went wrong with it alone.

    From ``options.rehearse`` questions on (50), all are read before the first is answered, and what their wording has
    in common is learned (no answer is looked at). A question that fails does not stop the others; a service that fails
    three questions in a row, and a budget that is spent, do.

    Args:
        questions: texts, Questions, or mappings with ``id``, ``question`` and perhaps ``entities``.
        out: a file of JSON Lines, ``{id, values, support, confidence, status, ...}``, written as answers come.
        resume: keep what ``out`` has already, and ask only what is missing or failed.
        on_outcome: told every outcome as it comes.

    Raises:
        ValueError: two questions have one id.
        BackendError: a service does not answer any more; what was answered so far is in ``out``.
        LimitError: a budget is spent; what was answered so far is in ``out``.
    """
    settings = settings or Settings.load()
    asked = list(_asked(questions))
    own_run = run is None
    opened = graph if isinstance(graph, Desk) else open_graph(graph, settings)
    data = {} if isinstance(graph, Desk) else graph_digests(graph, opened)  # type: ignore[arg-type]
    run = run or new_run("question_answering", data, settings=settings, on_event=on_event)
    desk = (
        opened
        if isinstance(opened, Desk)
        else open_desk(
            opened,
            judge=judge,
            embedder=embedder,
            model=model,
            options=options,
            examples=examples,
            decisions=decisions,
            run=run,
            settings=settings,
        )
    )
    file = AnswerFile(out, resume=resume) if out is not None else None
    found: dict[str, Outcome] = dict(file.kept) if file is not None else {}
    with run if own_run else nullcontext():
        left = [each for each in asked if each.id not in found]
        if left and options.rehearse and len(asked) >= options.rehearse:
            _rehearsed(asked, desk, options, run)
        for outcome in _outcomes(left, desk, options, run):
            found[outcome.id] = outcome
            if file is not None:
                file.add(outcome)
            if on_outcome is not None:
                on_outcome(outcome)
    if file is not None:
        file.order([each.id for each in asked])
    return [found[each.id] for each in asked]


def _rehearsed(asked: Sequence[Question], desk: Desk, options: Options, run: Run) -> None:
    """Teaches the desk the wording of all questions, those answered before too, so that a resumed batch reads alike."""
    named: list[Question] = []
    for question in asked:
        try:
            named.append(_named(question, desk))
        except (LimitError, ConfigError, MissingReply):  # the next one would fail alike
            raise
        except (KgnbError, ValueError):
            continue  # said when the question itself is asked
    run.do(rehearse, desk, named, options, lambda done, total: run.progress(done, total, "questions read ahead"))


def _outcomes(questions: Sequence[Question], desk: Desk, options: Options, run: Run) -> Iterator[Outcome]:
    """Asks one question after another; a service that fails several in a row ends it."""
    dead = 0
    # A call for the action and one for the triples in each round, and one for the answer.
    run.expect(Estimate((2 * options.rounds + 1) * len(questions)), "up to")
    forecast = Forecast(run)
    for number, question in enumerate(questions):
        run.check()
        run.progress(number, len(questions), "questions")
        forecast.done(number, len(questions))
        try:
            answer = pipeline.answer_question(_named(question, desk), desk, options=options, run=run)
        except (LimitError, ConfigError, MissingReply):  # the next one would fail alike
            raise
        except BackendError as error:
            dead += 1
            if dead >= min(DEAD_AFTER, len(questions)):
                raise
            yield Outcome.failed(question.id, error.what)
        except (KgnbError, ValueError) as error:
            yield Outcome.failed(question.id, str(error).partition("\n")[0])
        else:
            dead = 0
            yield Outcome.of(answer)


def graph_digests(source: GraphSource, graph: Graph) -> dict[str, str]:
    """What a run records of a graph: the digest of each file; of an endpoint its address, which has no digest."""
    specs = [source] if isinstance(source, str | Path) else source
    if not isinstance(specs, Sequence):
        return {graph.name: ""}
    paths = [Path(file_of(spec)) for spec in specs if not isinstance(spec, Graph)]
    if not paths or not all(path.is_file() for path in paths):
        return {graph.name: ""}
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def _named(question: Question, desk: Desk) -> Question:
    """The question with names among its entities replaced by the IRIs they stand for."""
    own = desk.hood.own_naming
    return replace(question, entities=tuple(entity_named(name, desk.graph, own) for name in question.entities))


def _asked(questions: Iterable[Askable]) -> Iterator[Question]:
    seen: set[str] = set()
    for number, given in enumerate(questions, start=1):
        question = _question(given, number)
        if question.id in seen:
            raise ValueError(f"two questions have the id {question.id!r}")
        seen.add(question.id)
        yield question


def _question(given: Askable, number: int) -> Question:
    if isinstance(given, Question):
        return given
    if isinstance(given, str):
        return Question(f"q{number}", given)
    if isinstance(given, Asked):
        return Question(given.id, given.text, given.entities)
    if not isinstance(given.get("question"), str):
        raise ValueError(f'question {number} has no text: give {{"id": ..., "question": ...}}')
    entities = given.get("entities") or ()
    entities = (entities,) if isinstance(entities, str) else entities
    return Question(str(given.get("id", f"q{number}")), given["question"], tuple(entities))


def open_judges(judge: JudgeSource, model: ChatModel | None = None, decisions: str | Path | None = None) -> Judges:
    """The judges a name, a Judge or a function stands for; a person's ``decisions`` override the named ones.

    Raises:
        ConfigError: the judge needs a model or a file of decisions that is not there.
        ValueError: there is no judge of this name.
    """
    if isinstance(judge, Judges):
        return judge
    if isinstance(judge, str):
        return make_judges(judge, model=model, decisions=decisions)
    return Judges.all(judge if isinstance(judge, Judge) else CallableJudge(judge))
