"""Question answering: its task, the functions a script calls, and files of answers."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kgnb.agents.agent import Agent
from kgnb.agents.question_answering import AGENT, pipeline, trial
from kgnb.agents.question_answering.model_judges import ModelActor, make_judges
from kgnb.agents.question_answering.names import NAMING
from kgnb.agents.question_answering.state import (
    Example,
    GraphContext,
    Judges,
    TurnLock,
)
from kgnb.agents.question_answering.values import Answer, Options, Question
from kgnb.backends import URL, GraphSource, file_of, open_graph
from kgnb.datasets.questions import Asked
from kgnb.errors import BackendError, ConfigError, DataError, KgnbError, LimitError, Waiting
from kgnb.evaluate.answers import Value
from kgnb.files import Claim, OwnFile, read_lines, write_whole
from kgnb.judging import CallableJudge, Estimate, Judge, Verdict
from kgnb.kg.graph import Graph
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.terms import Iri, Literal, is_iri, n3
from kgnb.llm.asking import raise_waiting
from kgnb.llm.chat_model import Model
from kgnb.llm.model import ChatModel
from kgnb.llm.replay import MissingReply
from kgnb.run import Forecast, Run
from kgnb.settings import Settings
from kgnb.tasks.task import Task
from kgnb.vectors.embedder import Embedder


@dataclass(frozen=True)
class AnswerOutcome:
    """The outcome of one question of a batch: plain strings, as written to a file, and the answer
    itself if available.

    ``status`` is that of the answer ("answered", "forced", "unsure"); or "failed", with ``error``
    saying why; or "waiting" for a reply of a model that answers later.
    """

    id: str
    values: tuple[str, ...] = ()
    support: tuple[tuple[str, str, str], ...] = ()
    confidence: float = 0.0
    status: str = "unsure"
    sparql: str = ""
    source: str = "graph"
    error: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)  # of the values that have one
    partial: str = ""  # why, if it is: a budget was spent, and what was found by then decided
    guess: Mapping[str, Any] = field(
        default_factory=dict
    )  # of what is unsure: the best reading's values and sparql
    table: Mapping[str, Any] = field(default_factory=dict)  # columns and rows, if there are several
    answer: Answer | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, answer: Answer) -> AnswerOutcome:
        """The outcome that is this answer."""
        return replace(cls.from_json(answer.to_json()), answer=answer)

    def to_json(self) -> dict[str, Any]:
        """One line of an answer file."""
        always = ("id", "values", "support", "confidence", "status", "source", "sparql")
        content = {name: getattr(self, name) for name in always}
        content |= {
            "values": list(self.values),
            "support": [*map(list, self.support)],
        }
        return content | {
            name: value
            for name in ("labels", "table", "guess", "error", "partial")
            if (value := getattr(self, name))
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> AnswerOutcome:
        """The outcome a line holds.

        Raises:
            ValueError, TypeError, KeyError: it holds none.
        """
        if not isinstance(content["id"], str) or not isinstance(content["status"], str):
            raise TypeError("no id or no status")
        table = dict(content.get("table") or {})
        if table and not all(isinstance(row, list) for row in table["rows"]):
            raise TypeError("rows that are no lists")
        return cls(
            content["id"],
            tuple(map(str, content["values"])),
            tuple((str(s), str(p), str(o)) for s, p, o in content["support"]),
            float(content["confidence"]),
            content["status"],
            str(content.get("sparql", "")),
            str(content.get("source", "graph")),
            str(content.get("error", "")),
            labels={str(k): str(v) for k, v in dict(content.get("labels") or {}).items()},
            partial=str(content.get("partial", "")),
            guess=dict(content.get("guess") or {}),
            table=table,
        )


def found_rows(outcome: AnswerOutcome) -> list[tuple[str, ...]]:
    """The rows of an answer that is a table, as texts; one cell a row where it has one column."""
    rows = outcome.table["rows"] if outcome.table else [[value] for value in outcome.values]
    return [tuple(map(str, row)) for row in rows if row]


def found_values(outcome: AnswerOutcome, asked: Asked) -> Sequence[Value]:
    """The values of an answer to compare with the question's reference: each with its label where
    the reference has names instead of IRIs.
    """
    by_name = asked.names or any(not is_iri(value) for value in asked.values or ())
    if not by_name:
        return outcome.values
    return [
        tuple(dict.fromkeys((value, outcome.labels.get(value, value)))) for value in outcome.values
    ]


def written(outcome: AnswerOutcome) -> str:
    """One line of JSON, its line end included."""
    return json.dumps(outcome.to_json(), ensure_ascii=False) + "\n"


class AnswerFile:
    """A file of answers, one a line; it is valid up to its last complete line at any time.

    A file that is there is replaced; with ``resume`` its answers are kept, except those of
    questions that failed or for which a budget was spent too early, and a last line that was cut
    off.

    Raises:
        DataError: with ``resume``, the existing file holds something other than answers; or it
            cannot be written.
    """

    def __init__(self, path: str | Path, *, resume: bool = False) -> None:
        self.path = Path(path).expanduser()
        there = read_answers(self.path) if resume and self.path.exists() else {}
        self.kept = {
            name: outcome
            for name, outcome in there.items()
            if outcome.status not in ("failed", "waiting") and not outcome.partial
        }
        self._lines = {name: written(outcome) for name, outcome in self.kept.items()}
        self._own = OwnFile(self.path)
        self._write()

    def add(self, outcome: AnswerOutcome) -> None:
        """Adds one line and flushes it to disk."""
        line = written(outcome)
        self._lines[outcome.id] = line
        self._digest.update(line.encode())
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    def order(self, ids: Sequence[str]) -> None:
        """Sorts the lines into this order; answers to other questions come last."""
        places = {name: place for place, name in enumerate(ids)}
        ordered = sorted(self._lines, key=lambda name: places.get(name, len(places)))
        if ordered != list(self._lines):
            self._lines = {name: self._lines[name] for name in ordered}
            self._own.known = self._digest.hexdigest()
            self._own.set_aside()
            self._write()

    def _write(self) -> None:
        text = "".join(self._lines.values())
        write_whole(self.path, text, lasting=True)
        self._digest = hashlib.sha256(text.encode())


def read_answers(path: str | Path) -> dict[str, AnswerOutcome]:
    """The outcomes in a file of answers, by question.

    Raises:
        DataError: a line is not an answer.
    """
    found: dict[str, AnswerOutcome] = {}
    for number, line in read_lines(Path(path)):
        try:
            outcome = AnswerOutcome.from_json(line)
        except (ValueError, TypeError, KeyError) as error:
            raise DataError(
                "this line is not an answer",
                where=f"{path}:{number}",
                fix="Name a file of kgnb ask --out; to write one anew, leave out --resume.",
            ) from error
        found[outcome.id] = outcome
    return found


JudgeSource = str | Judge[Any] | Judges | Callable[[Any], Verdict]
Askable = str | Question | Asked | Mapping[str, Any]
DEAD_AFTER = 3
"""Questions in a row on which a service may fail before the batch is given up: it is not the
question's fault.
"""


def answer_question(
    question: str | Question,
    graph: GraphSource | GraphContext,
    *,
    entities: Sequence[str] = (),
    judge: JudgeSource = "auto",
    embedder: str | Embedder | None = None,
    model: ChatModel | None = None,
    options: Options = Options(),
    examples: Sequence[Example] | str | Path = (),
    decisions: str | Path | None = None,
    run: Run | None = None,
    settings: Settings | None = None,
    on_event: Callable[[Any], None] | None = None,
) -> Answer:
    """The answer to a question from a graph: values, the triples that prove them, SPARQL that
    reproduces them.

    Args:
        graph: files, folders, an endpoint's URL, ``huts:graph``, an rdflib graph, a Graph, what
            ``open_context`` gave.
        entities: the IRIs (or names) of the entities in the question; found by entity linking by
            default.
        judge: "auto" (cascade if a model is set, else rule), "rule", "model", "cascade", "person",
            a Judge, a Judges value with one judge a stage, or any function from a question to a
            verdict.
        embedder: "local", "characters", "tiny", "openai:MODEL", "sentence-transformers:MODEL", or
            an Embedder.
        model: a chat model; by default the one the settings name, if any.
        examples: questions with their answers over this graph, for the rule judge to learn wordings
            from.
        decisions: a file of a person's decisions for the "person" judge.
        run: where steps, judgements, calls and queries are noted; made here when not given.

    Raises:
        ValueError: the question is empty, or a name fits no entity or several.
        DataError: a file is missing or malformed.
        ConfigError: a backend or judge lacks a setting.
        BackendError: an endpoint or a model's server fails for good.

    Examples:
        >>> answer = answer_question("Who is the warden of the Hochkar House?", "huts:graph", embedder="characters")
        >>> [answer.label(value) for value in answer.values]
        ['Wilma Aschauer']
    """
    inputs = {
        "graph": graph,
        "question": question,
        "entities": tuple(entities),
        "examples": examples,
        "decisions": decisions,
    }
    key = None if examples else _version_of(graph, options, embedder)
    kept = _KEPT.pop(key, None) if key is not None else None
    task = AskingTask.of(
        AGENT,
        {**inputs, "graph": kept or Kept(graph)},
        judge=judge,
        embedder=embedder,
        model=model,
        options=options,
        run=run,
        settings=settings,
        on_event=on_event,
    )
    answer = task.run_through()
    if key is not None and not task.context.reader.failed:
        _KEPT[key] = Kept(graph, task["graph"], task.context)
        for old in list(_KEPT)[:-_MOST_KEPT]:
            _KEPT.pop(old, None)
    return answer


@dataclass(frozen=True)
class Kept:
    """A graph as it was named; and, once it was asked, opened, with what is known of it."""

    source: GraphSource | GraphContext
    graph: Graph | None = None
    context: GraphContext | None = None


_KEPT: dict[Hashable, Kept] = {}
"""What ``answer_question`` knows of the graphs asked last, by version: it is taken out while it is
in use, so that no two threads share it.
"""
_MOST_KEPT = 4


def _version_of(graph: object, options: Options, embedder: str | Embedder | None) -> Hashable:
    """What stands for a graph and its content: files by name, size and time, an endpoint by its URL,
    a store of ours by its version; None for anything whose changes do not show.
    """
    reading = (options.page, options.most, options.timeout, embedder)
    if isinstance(graph, OxigraphGraph):
        return (graph, graph.version, *reading)
    specs = [graph] if isinstance(graph, str | Path) else graph
    if not isinstance(specs, list | tuple):
        return None
    found: list[Hashable] = []
    for spec in specs:
        path = Path(file_of(spec)).expanduser() if not URL.match(str(spec)) else None
        if path is not None and not path.is_file():
            return None  # a folder or a pattern, or an error to be told
        place = path.stat() if path is not None else None
        found.append((str(path or spec), place and (place.st_size, place.st_mtime_ns)))
    return (*found, *reading)


class AskingTask(Task):
    """A graph, and what all questions about it share: names, relations, vectors, judges."""

    context: GraphContext
    _digests: dict[str, str] | None = None

    def __init__(
        self, agent: Agent, specs: Mapping[str, Any], options: Mapping[str, Any], *more: Any
    ) -> None:
        graph = specs["graph"]
        graph = graph[0] if isinstance(graph, list | tuple) and len(graph) == 1 else graph
        kept = graph if isinstance(graph, Kept) else Kept(graph)
        self._kept, specs = kept, {**specs, "graph": kept.source}
        super().__init__(agent, specs, options, *more)
        if isinstance(kept.source, GraphContext):
            self.context = kept.source
            return
        self._turn = TurnLock()
        judges, model = self.judging()
        self.context = pipeline.open_context(
            self["graph"],
            embedder=self["embedder"],
            judge=judges,
            options=self["options"],
            model=model,
            examples=self["examples"],
            run=self.run,
            turn=self._turn,
            known=kept.context,
            names=self._names_file(),
        )

    def _names_file(self) -> Path | None:
        """Where the names of a graph of unchanged files are kept; None for any other."""
        specs = self.opener.source(self.specs["graph"])
        specs = specs if isinstance(specs, list | tuple) else [specs]
        digests = self.opener.digests(self.specs["graph"])
        if not digests and all(isinstance(one, str | Path) for one in specs):
            digests = self.digests()
        if self._kept.graph is not None:
            return None
        if not digests or not all(digests.values()):
            return None
        content = json.dumps(sorted(digests.items())).encode()
        return (
            self.opener.settings.cache / "names" / f"{hashlib.sha256(content).hexdigest()}.sqlite"
        )

    def open(self) -> dict[str, Any]:
        """The graph, from files read as one or from one source; that of a context as it is."""
        spec = self.opener.source(self.specs["graph"])
        others = {
            one.name: self.opener.opened(one, self.specs[one.name]) for one in self.agent.inputs[1:]
        }
        known = spec.graph if isinstance(spec, GraphContext) else self._kept.graph
        return others | {"graph": open_graph(spec) if known is None else known}

    def digests(self) -> dict[str, str]:
        """The digest of each file; only the name of a graph without files, such as an endpoint."""
        source = self.specs["graph"]
        if isinstance(source, GraphContext):
            return {}
        if self._digests is None:
            self._digests = graph_digests(source, self["graph"])
        return self._digests

    def judging(self) -> tuple[Judges, ChatModel | None]:
        """The judges of the option, and the model behind them; a model that is asked lets other
        questions go on.
        """
        model: ChatModel | None = self["model"]
        if model is not None:
            model = Model.of(model, while_asking=self._turn.given_away)
        return open_judges(self.option("judge"), model, self["decisions"]), model

    def run_through(self) -> Answer:
        """Answers the question among the inputs, a text or a Question."""
        question, entities = self.specs["question"], tuple(self.specs["entities"])
        if not isinstance(question, Question):
            question = Question("q1", question)
        question = replace(question, entities=entities) if entities else question
        with self.ending():
            self.run.expect(Estimate(self["options"].rounds), "up to")
            return self.answer(question)

    def answer(self, question: Question) -> Answer:
        """The answer to a question; names among its entities become the IRIs they stand for."""
        graph, own = self.context.graph, self.context.reader.own_naming
        entities = tuple(entity_named(name, graph, own) for name in question.entities)
        asked = replace(question, entities=entities)
        return pipeline.answer_question(asked, self.context, options=self["options"], run=self.run)


def asking_task(
    graph: GraphSource | GraphContext,
    *,
    examples: Sequence[Example] | str | Path = (),
    decisions: str | Path | None = None,
    **told: Any,
) -> AskingTask:
    """A task that asks many questions of one graph. Arguments as in ``answer_question``."""
    inputs = {"graph": graph, "examples": examples, "decisions": decisions}
    return AskingTask.of(AGENT, inputs, **told)


def open_context(graph: GraphSource, **told: Any) -> GraphContext:
    """The shared context of many questions over one graph: labels, relations and vectors are looked
    up once.

    With a ``run``, its queries, calls and judgements are noted there. Arguments as in
    ``answer_question``.
    """
    return asking_task(graph, **told).context


def answer_questions(
    questions: Iterable[Askable],
    graph: GraphSource | GraphContext,
    *,
    out: str | Path | None = None,
    resume: bool = False,
    width: int | None = None,
    on_outcome: Callable[[AnswerOutcome], None] | None = None,
    judge: JudgeSource = "auto",
    embedder: str | Embedder | None = None,
    model: ChatModel | None = None,
    options: Options = Options(),
    examples: Sequence[Example] | str | Path = (),
    decisions: str | Path | None = None,
    run: Run | None = None,
    settings: Settings | None = None,
    on_event: Callable[[Any], None] | None = None,
) -> list[AnswerOutcome]:
    """The outcome of every question, in order: its answer, or its own error.

    A failed question does not stop the others; a service that fails on three questions in a row and
    an exhausted budget do. What is not said here is as in ``answer_question``.

    Args:
        questions: texts, Questions, or mappings with ``id``, ``question`` and perhaps ``entities``.
        out: a file of JSON Lines, ``{id, values, support, confidence, status, ...}``, written as
            answers come.
        resume: keep the answers in ``out`` and ask only what is missing or failed.
        width: questions under way at once: one works while the others wait for the model. By
            default the settings' number of model calls at once; of no use without a model.
        on_outcome: called with every outcome.

    Raises:
        ValueError: two questions have one id.
        BackendError: a service has stopped answering; the answers so far are in ``out``.
        Waiting: some questions wait for replies of a ``batch:`` model; the other answers are in
            ``out``.
        LimitError: a budget is exhausted; the answers so far are in ``out``.

    Examples:
        >>> asked = ["Who is the warden of the Hochkar House?", "How many beds has the Hochkar House?"]
        >>> outcomes = answer_questions(asked, "huts:graph", judge="rule", embedder="characters")
        >>> [outcome.id for outcome in outcomes]
        ['q1', 'q2']
    """
    task = asking_task(
        graph,
        examples=examples,
        decisions=decisions,
        judge=judge,
        embedder=embedder,
        model=model,
        options=options,
        run=run,
        settings=settings,
        on_event=on_event,
    )
    return answer_all(task, questions, out=out, resume=resume, width=width, on_outcome=on_outcome)


def answer_all(
    task: AskingTask,
    questions: Iterable[Askable],
    *,
    out: str | Path | None = None,
    resume: bool = False,
    width: int | None = None,
    on_outcome: Callable[[AnswerOutcome], None] | None = None,
) -> list[AnswerOutcome]:
    """The outcome of every question to a task's graph, in order; see ``answer_questions``."""
    if out is None:
        return _answer_into(None, task, questions, width, on_outcome)
    with Claim(Path(out).expanduser()):
        return _answer_into(AnswerFile(out, resume=resume), task, questions, width, on_outcome)


def _answer_into(
    file: AnswerFile | None,
    task: AskingTask,
    questions: Iterable[Askable],
    width: int | None,
    on_outcome: Callable[[AnswerOutcome], None] | None,
) -> list[AnswerOutcome]:
    asked = list(_asked(questions))
    found: dict[str, AnswerOutcome] = dict(file.kept) if file is not None else {}
    with task.ending():
        left = [each for each in asked if each.id not in found]
        for outcome in _outcomes(
            task, left, task.opener.settings.width if width is None else width
        ):
            found[outcome.id] = outcome
            if file is not None:
                file.add(outcome)
            if on_outcome is not None:
                on_outcome(outcome)
    if file is not None:
        file.order([each.id for each in asked])
    return [found[each.id] for each in asked]


def _outcomes(
    task: AskingTask, questions: Sequence[Question], width: int
) -> Iterator[AnswerOutcome]:
    """Asks the questions, ``width`` at a time, and yields their outcomes in order.

    Several failures of a service in a row end it. A question that waits for a reply has not failed:
    every question gets as far as it can.
    """
    dead = 0
    pending: list[Waiting] = []
    context, run = task.context, task.run
    _expect(run, context, questions, task["options"])
    forecast = Forecast(run)

    def asked(question: Question) -> Answer:
        with context.turn.taken():
            run.check()
            return task.answer(question)

    at_once = max(1, min(width, len(questions))) if context.model is not None else 1
    with ThreadPoolExecutor(at_once) as pool:
        waiting = deque(enumerate(questions))
        under_way: deque[tuple[int, Question, Future[Answer]]] = deque()
        try:
            while waiting or under_way:
                while waiting and len(under_way) < at_once:
                    number, question = waiting.popleft()
                    under_way.append(
                        (number, question, pool.submit(copy_context().run, asked, question))
                    )
                number, question, future = under_way.popleft()
                run.progress(number, len(questions), "questions")
                forecast.done(number, len(questions))
                try:
                    answer = future.result()
                except (LimitError, ConfigError, MissingReply):  # the next one would fail as well
                    raise
                except Waiting as error:
                    pending.append(error)
                    yield AnswerOutcome(question.id, status="waiting", error=error.what)
                except BackendError as error:
                    dead += 1
                    if dead >= min(DEAD_AFTER, len(questions)):
                        raise
                    yield AnswerOutcome(question.id, status="failed", error=error.what)
                except (KgnbError, ValueError) as error:
                    yield AnswerOutcome(
                        question.id, status="failed", error=str(error).partition("\n")[0]
                    )
                else:
                    dead = 0
                    yield AnswerOutcome.of(answer)
        finally:
            pool.shutdown(cancel_futures=True)
    raise_waiting(pending)


def _expect(
    run: Run, context: GraphContext, questions: Sequence[Question], options: Options
) -> None:
    """Announce the expected cost; for a cascade, the upper bound."""
    if questions and context.model is not None and "model:" in context.judges.act.name:
        with context.turn.taken():
            state = pipeline.begin(questions[0], context, options)
            expected = ModelActor(context.model).expected(state, len(questions))
        alone = context.judges.act.name.startswith("model:")
        run.expect(
            expected if alone else expected + trial.expected(), "about" if alone else "up to"
        )


def graph_digests(source: GraphSource, graph: Graph) -> dict[str, str]:
    """The data entry of a run: the digest of each file; only the name of a graph without files,
    such as an endpoint.
    """
    specs = [source] if isinstance(source, str | Path) else source
    if not isinstance(specs, Sequence):
        return {graph.name: ""}
    paths = [Path(file_of(spec)) for spec in specs if not isinstance(spec, Graph)]
    if not paths or not all(path.is_file() for path in paths):
        return {graph.name: ""}
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


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


def open_judges(
    judge: JudgeSource, model: ChatModel | None = None, decisions: str | Path | None = None
) -> Judges:
    """The judges a name, a Judge or a function stands for; a person's ``decisions`` override the
    named ones.

    Raises:
        ConfigError: the judge needs a model or a file of decisions that is not there.
        ValueError: there is no judge of this name.
    """
    if isinstance(judge, Judges):
        return judge
    if isinstance(judge, str):
        return make_judges(judge, model=model, decisions=decisions)
    return Judges.all(judge if isinstance(judge, Judge) else CallableJudge(judge))


_BY_LABEL = """
SELECT DISTINCT ?entity {
  VALUES ?named { %s }
  ?entity ?named ?label .
  FILTER(isIRI(?entity) && REPLACE(LCASE(STR(?label)), "_", " ") = ?name)
}"""
_EXACT = """
SELECT DISTINCT ?entity {
  VALUES ?label { %s }
  VALUES ?named { %s }
  ?entity ?named ?label .
  FILTER(isIRI(?entity))
}"""
_TAGS = (None, "en", "de", "fr", "es", "it")
_MOST = 10


def entity_named(name: str, graph: Graph, own: Callable[[], Iterable[str]] = tuple) -> str:
    """The IRI behind a name: an IRI (with or without angle brackets), ``wd:Q42``, or a label in any
    case.

    ``own`` returns naming predicates of this graph only; they are tried where the usual ones find
    nothing.

    Raises:
        ValueError: no entity or several entities have this name; the message lists them.
    """
    bare = name.strip()
    if bare.startswith("<") and bare.endswith(">"):
        bare = bare[1:-1]
    prefixes: Mapping[str, str] = {**PREFIXES, **dict(getattr(graph, "prefixes", ()))}
    prefix, colon, local = bare.partition(":")
    if colon and prefix in prefixes and re.fullmatch(r"[\w.\-]+", local):
        return prefixes[prefix] + local
    if is_iri(bare):
        return bare
    if not bare or re.search(r'[<>"{}|\\^`\n\r\t]', bare):
        raise ValueError(f"not an IRI and not a name: {name[:80]!r}")
    found = _called(bare, graph, sorted(NAMING)) or _called(bare, graph, list(own()))
    if len(found) == 1:
        return found[0]
    if not found:
        raise ValueError(f"nothing in {graph.name} is called {bare!r}\nGive its IRI.")
    raise ValueError(
        f"{bare!r} may be {', '.join(found[:4])}\nGive the IRI of the one that is meant."
    )


def _called(name: str, graph: Graph, naming: Sequence[str]) -> list[Iri]:
    """The entities with this name by one of these predicates, sorted."""
    if not naming:
        return []
    predicates = " ".join(n3(Iri(iri)) for iri in naming)
    # an exact label is found by lookup; only other spellings need a scan of all labels
    texts = dict.fromkeys((name, " ".join(name.replace("_", " ").split())))
    written = " ".join(n3(Literal(text, tag)) for text in texts for tag in _TAGS)
    rows = graph.select(_EXACT % (written, predicates), limit=_MOST).rows
    if not rows:
        wanted = Literal(" ".join(name.replace("_", " ").lower().split()))
        rows = graph.select(_BY_LABEL % predicates, bindings={"name": wanted}, limit=_MOST).rows
    return sorted({row[0] for row in rows if isinstance(row[0], Iri)})
