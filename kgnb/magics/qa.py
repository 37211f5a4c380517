"""``%qa``: ask a graph, a stage a cell."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from IPython.display import display

from kgnb.agents.agent import Listener, OutOfOrder, Task
from kgnb.agents.question_answering import AGENT, pipeline, views
from kgnb.agents.question_answering.act import act_question
from kgnb.agents.question_answering.answer import answer_question_of
from kgnb.agents.question_answering.judges import GIVE, KEEP, NONE, PERFORM, QaQuestion
from kgnb.agents.question_answering.pipeline import STALLED
from kgnb.agents.question_answering.reflect import reflect_question
from kgnb.agents.question_answering.state import GraphContext, Judges, State
from kgnb.agents.question_answering.values import Answer, Query, Question, written
from kgnb.backends import file_of
from kgnb.datasets.questions import read_questions, sampled
from kgnb.errors import DataError
from kgnb.judging import Option, Verdict
from kgnb.kg.result_files import save_triples
from kgnb.magics.agent import AgentMagics, options_of
from kgnb.magics.arguments import Number, argument
from kgnb.magics.progress import summary
from kgnb.magics.verbs import Verb, verb
from kgnb.results.bundle import count
from kgnb.results.table import Column, Table, Value, numbers, texts
from kgnb.tasks.asking import Outcome, entity_named, open_context, open_judges
from kgnb.tasks.asking import written as as_line

BEFORE = {
    "observe": ("link", "reflect", "act"),
    "act": ("observe",),
    "reflect": ("act",),
    "answer": ("act", "reflect", "observe"),
}
WORDS = {"act": PERFORM, "reflect": KEEP, "answer": GIVE}


class Chosen:
    """A judge that says what the person at the cell has chosen."""

    name = "person"

    def __init__(self, word: str, choices: Sequence[str]) -> None:
        self._word, self._choices = word, choices

    def judge(self, questions: Sequence[QaQuestion]) -> list[Verdict]:
        """The choice, for the one question a stage asks."""
        first = self._choices[0] if self._choices else None
        more = tuple((choice, 1.0) for choice in self._choices[1:])
        decision = self._word if first is not None else NONE
        return [Verdict(decision, first, 1.0, "chosen by hand", self.name, more) for _ in questions]


class AskingTask(Task):
    """A graph, and how far the question asked of it has come: the state after each stage, oldest first."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.states: list[State] = []  # of the question under way
        self.answers: list[Answer] = []
        self.context: GraphContext  # what many questions share; whoever makes the task sets it

    @property
    def state(self) -> State:
        """The state after the last stage.

        Raises:
            OutOfOrder: no question has been asked.
        """
        if not self.states:
            raise OutOfOrder(
                "no question has been asked yet", fix='Ask one: %qa ask "...", or begin one: %qa link "..."'
            )
        return self.states[-1]

    def ready(self, stage: str) -> State:
        """The state a stage goes on from; a stage that is run again goes on from where it did before.

        Raises:
            OutOfOrder: the stage before it is missing; the message says which line to run first.
        """
        states = list(self.states)
        while states and states[-1].stage in (stage, "answer"):
            states.pop()
        if not states:
            raise OutOfOrder("no question has been asked yet", fix='Begin one in a cell above: %qa link "..."')
        if states[-1].stage not in BEFORE[stage]:
            first = BEFORE[stage][0]
            raise OutOfOrder(f"{stage} comes after {' or '.join(BEFORE[stage])}", fix=f"Run first: %qa {first}")
        self.states = states
        return replace(states[-1], options=self["options"], context=self.context)

    def choices(self, stage: str, state: State) -> QaQuestion:
        """What a person may choose from in a stage.

        Raises:
            OutOfOrder: the last action brought nothing to choose from.
        """
        if stage == "act":
            return act_question(state)
        if stage == "answer":
            return answer_question_of(state)[0]
        triples = state.acted.triples if state.acted else ()
        return reflect_question(state, triples)

    def keep(self, stage: str, value: State) -> State:
        """Takes a state as the one after a stage."""
        self.values[stage] = value
        self.states.append(replace(value, context=self.context))
        if value.answered is not None:
            self.answers.append(value.answered)
        return self.states[-1]

    def step(self, stage: str, listener: Listener, state: State, by: Chosen | None = None) -> State:
        """Runs one stage on a state; ``by`` is what a person at the cell has chosen."""
        if by is not None:
            state = replace(state, context=replace(state.context, judges=Judges.all(by)).watched(self.run))
        self.do(stage, listener, state=state)
        return self.states[-1]


def next_stage(state: State) -> str:
    """The stage that comes next, as ``pipeline.answer_question`` has it."""
    if state.stage == "observe":
        return "act"
    if state.stage == "act" and not state.finished:
        return "reflect"
    over = state.finished or state.round >= state.options.rounds or state.stalled >= STALLED
    return "answer" if over else "observe"


def chosen(stage: str, question: QaQuestion, words: Sequence[str], sparql: str = "") -> Chosen:
    """What a person means by numbers of the list (from 1), or by a query of their own; 0 or none: none of them.

    Raises:
        ValueError: a word is no number on the list, or there are several where one is wanted.
    """
    if sparql:
        return Chosen(PERFORM, [written(Query(sparql))])
    parts = [part for word in words for part in str(word).replace(",", " ").split()]
    if parts in (["0"], ["none"]):
        return Chosen(WORDS[stage], [])
    options = question.options
    for part in parts:
        if not part.isdecimal() or not 1 <= int(part) <= len(options):
            raise ValueError(f"{part!r} is not on the list: choose from 1 to {len(options)}, or none")
    if stage == "act" and len(parts) > 1:
        raise ValueError("one action at a time")
    return Chosen(WORDS[stage], [options[int(part) - 1].id for part in parts])


def listed(stage: str, options: Sequence[Option]) -> Table:
    """What a person may choose from, numbered, and the line that chooses."""
    what = {"act": "What to ask of the graph next", "reflect": "Which triples help", "answer": "Which of these answer"}
    how = {"act": "%qa act 1", "reflect": "%qa reflect 1 3", "answer": "%qa answer 1 2"}[stage]
    rows: list[list[Value]] = [[number, option.text] for number, option in enumerate(options, start=1)]
    notes = [f"You decide: {how}, or %qa {stage} none"]
    if stage == "act":
        notes.append('A query of your own: %qa act --sparql "SELECT ..."')
    return Table([Column("number", "#", "number"), Column("text", stage)], rows, caption=what[stage], notes=notes)


def rounds(state: State) -> Table:
    """One row an action: the action, why, who chose it, what it brought; refused ones too. Notes: interpretations."""
    columns = [*numbers(round="Round"), *texts(action="Action", why="Why", by="Chosen by")]
    columns += numbers(confidence="Confidence", triples="Triples", values="Values")
    rows: list[list[Value]] = []
    for number, acted in enumerate(state.history, start=1):
        rows += [[number, f"refused: {one.action}", one.reason, "", None, None, None] for one in acted.refused]
        said: list[Value] = [number, written(acted.action), acted.reason, acted.judged_by, round(acted.confidence, 3)]
        rows.append([*said, len(acted.triples), len(acted.values)])
    interpretations = [f"read as ({r.score:.2f}): {r.explanation}" for r in state.observation.interpretations[:5]]
    linked = [
        f"{link.mention or 'given'}: {link.label} ({link.how}, {link.score:.2f})" for link in state.linked.links[:8]
    ]
    paths, triples = count(len(state.memory.paths), "path"), count(len(state.memory.triples), "triple")
    memory = [f"{paths} of {triples} remembered"] if state.history else []
    answer = state.answered
    ended = [f"{answer.status}: {answer.rationale}"] if answer is not None else ["not answered yet"]
    return Table(columns, rows, caption=state.question.text, notes=[*linked, *interpretations, *memory, *ended])


ENTITY = argument(
    "--entity",
    action="append",
    metavar="IRI",
    default=[],
    help="what the question speaks of, by IRI or name; repeatable",
)
CHOICE = argument("choice", nargs="*", metavar="#", help="with --judge person: your choice, by its number on the list")


class QaMagics(AgentMagics, agent=AGENT):
    """The ``%qa`` magic: what every agent has, and what asking has besides."""

    nothing_yet = "there is no graph to ask yet"

    def new_task(self, arguments: argparse.Namespace) -> AskingTask:
        """A task over one graph; without its judge there is nothing to ask, so that is made first."""
        task = self.task_of(AskingTask, {"graph": arguments.graph}, AGENT.chosen(vars(arguments)))
        task.context = open_context(
            task["graph"], judge="rule", embedder=task["embedder"], options=task["options"], run=task.run,
            settings=self.session.settings,
        )  # fmt: skip
        self._judge(task)
        return task

    def started(self, task: Task) -> Table:
        """What is asked, and of whom."""
        rows: list[list[Value]] = [
            ["graph", task["graph"].name],
            ["judge", task.option("judge")],
            ["embedder", self.session.embedder(task.option("embedder")).name],
        ]
        return Table(texts(what="what", value="value"), rows, caption="To be asked", notes=[self.next_line()])

    def next_line(self) -> str:
        """What to run after ``start``."""
        return 'Next: %qa ask "...", or stage by stage: %qa link "..."'

    def first_line(self) -> str:
        """The line to start with."""
        return f"%qa start {next(iter(self.session.graphs), 'huts:graph')}"

    @verb("qa ask", '%qa ask "Who is the warden of the Hochkar House?"', '%qa ask "Who is she?" --entity http://...')
    @argument("question", metavar="QUESTION", nargs="+", help="what to ask")
    @ENTITY
    @options_of(AGENT.knobs())
    def ask(self, arguments: argparse.Namespace) -> Any:
        """Ask a question and go through all stages: the answer with its proof, drawn and listed."""
        task = self._task(arguments)
        self._begin(task, arguments)
        return self._to_the_end(task)

    @verb("qa link", '%qa link "Which huts have a warden who lives in Ottersried?"', "%qa link --entity http://...")
    @argument("question", metavar="QUESTION", nargs="*", help="a new question; without it the one under way again")
    @ENTITY
    @options_of(AGENT.knobs(("links",)))
    def link(self, arguments: argparse.Namespace) -> Any:
        """Find the entities a question speaks of; what else a word may mean is shown."""
        task = self._task(arguments)
        return self._begin(task, arguments).linked

    @verb("qa observe", "%qa observe", "%qa observe --depth 1 --breadth 20")
    @options_of(AGENT.knobs(("depth", "breadth", "share", "directions", "observation")))
    def observe_stage(self, arguments: argparse.Namespace) -> Any:
        """Look around the entities: the triples that fit the question, drawn and ranked."""
        # not named observe: that is what watches traits on any Magics
        task = self._task(arguments)
        state = self._step(task, "observe", task.ready("observe"))
        if state.observation.triples:
            display(views.observation(state))  # type: ignore[no-untyped-call]  # IPython is untyped
        return state.observation

    @verb("qa act", "%qa act", "%qa act 2", '%qa act --sparql "SELECT ?hut WHERE { ... }"')
    @CHOICE
    @argument("--sparql", metavar="QUERY", default="", help="a query of your own instead; it may only read")
    @options_of(AGENT.knobs(("judge",)))
    def act(self, arguments: argparse.Namespace) -> Any:
        """Choose what to ask of the graph, and ask it: the action, its reason, what the graph said."""
        return self._judged("act", arguments)

    @verb("qa reflect", "%qa reflect", "%qa reflect 1 3", "%qa reflect --keep 5")
    @CHOICE
    @options_of(AGENT.knobs(("keep", "reflection", "judge")))
    def reflect(self, arguments: argparse.Namespace) -> Any:
        """Keep the triples that matter: the memory as paths, what is new marked."""
        return self._judged("reflect", arguments)

    @verb("qa answer", "%qa answer", "%qa answer 1")
    @CHOICE
    @options_of(AGENT.knobs(("confidence", "own_knowledge", "judge")))
    def answer(self, arguments: argparse.Namespace) -> Any:
        """Answer from what is remembered: values, the triples that prove them, SPARQL that gives them again."""
        return self._judged("answer", arguments)

    @verb("qa run", "%qa run", "%qa run --rounds 4")
    @options_of(AGENT.knobs())
    def go_on(self, arguments: argparse.Namespace) -> Any:
        """Run the question under way to its end, from where it stands."""
        task = self._task(arguments)
        if task.state.stage == "answer":
            self._begin(task, argparse.Namespace(question=[], entity=[]))
        return self._to_the_end(task)

    @verb("qa evaluate", "%qa evaluate huts:questions", "%qa evaluate mine.jsonl --sample 20")
    @argument("file", metavar="FILE", nargs="?", default="huts:questions", help="lines {id, question, values, kind?}")
    @argument("--sample", type=Number(int, 0, None), metavar="N", default=0, help="ask only so many, spread over it")
    @argument("--given", action="store_true", help="take the entities the file gives instead of looking for them")
    @options_of(AGENT.knobs(("judge",)))
    def measure(self, arguments: argparse.Namespace) -> Any:
        """Ask a file of questions and compare with its answers: three scores by kind of question."""
        from kgnb.evaluate.answers import by_kind, measure
        from kgnb.reporting.question_answering import ask_all, scores

        task = self._task(arguments)
        asked = [one for one in read_questions(file_of(arguments.file)) if one.values is not None]
        if not asked:
            raise DataError("no question has an answer", where=str(arguments.file), fix='Add "values": [...] to them.')
        if task.option("judge") == "person":
            raise OutOfOrder("a whole file is not asked of a person", fix="Choose: %qa evaluate FILE --judge rule")
        kept = sampled(asked if arguments.given else [replace(one, entities=()) for one in asked], arguments.sample)
        progress = self.progress()
        with task.telling(progress):
            measured = ask_all(kept, task.context, task["options"], task.run)
        progress.clear()
        items = [one.item for one in measured]
        missed = [one.asked.id for one in measured if not one.right]
        notes = [f"not exactly right: {', '.join(missed[:30])}{', ...' if len(missed) > 30 else ''}"] if missed else []
        return scores(by_kind(items), measure(items), str(arguments.file), notes)

    @verb("qa explain", "%qa explain")
    def why(self, arguments: argparse.Namespace) -> Any:
        """Show round by round how the question was read, what was done and why, and what was refused."""
        return rounds(self._task(arguments).state)

    @verb("qa export", "%qa export answers.jsonl", "%qa export proof.ttl", "%qa export query.rq")
    @argument("file", metavar="FILE", help="its suffix decides: .jsonl (all answers so far), .ttl or .nt (proof), .rq")
    def write(self, arguments: argparse.Namespace) -> None:
        """Write the answers, the last one's proof as RDF, or its SPARQL, to a file."""
        answers = self._task(arguments).answers
        if not answers:
            raise OutOfOrder("there is no answer yet", fix='Ask first: %qa ask "..."')
        print(_exported(answers, Path(arguments.file).expanduser()))

    def suggestions(self, name: str) -> Sequence[str]:
        """Entities linked in the question under way; else what every agent suggests."""
        if name == "entity" and isinstance(self.task, AskingTask) and self.task.states:
            return tuple(link.iri for link in self.task.state.linked.links)
        return ("huts:questions",) if name == "file" else super().suggestions(name)

    def current(self, method: Verb) -> dict[str, object]:
        """What every agent's form starts from, and the question under way."""
        values = super().current(method)
        if isinstance(self.task, AskingTask):
            values["question"] = self.task.states[-1].question.text if self.task.states else ""
        if method.verb == "start":
            values["graph"] = values["graph"] or "huts:graph"
        return values

    def _task(self, arguments: argparse.Namespace) -> AskingTask:
        """The task under way, with the options this line sets; they hold for what comes after it as well."""
        before = self.task.option("embedder") if self.task is not None else ""
        if getattr(arguments, "embedder", before) != before and self.task is not None:
            raise ValueError("the embedder is chosen at the start: %qa start GRAPH --embedder NAME")
        task = self.current_task(arguments)
        assert isinstance(task, AskingTask)
        if hasattr(arguments, "judge"):
            self._judge(task)
        return task

    def _judge(self, task: AskingTask) -> None:
        """Sets the judge of the context; a person at the cells judges by what each line says, and needs none here."""
        if task.option("judge") == "person":
            return
        model = self.session.model() if task.option("judge") in ("auto", "model", "cascade") else None
        watched = task.run.watch(model) if model is not None else None
        judges = open_judges(task.option("judge"), watched)
        task.context = replace(task.context, judges=judges, model=watched).watched(task.run)

    def _begin(self, task: AskingTask, arguments: argparse.Namespace) -> Any:
        """A new question (or the one under way, again), linked."""
        words = " ".join(map(str, arguments.question))
        if arguments.question and not words.strip():
            raise ValueError("the question is empty")
        entities = tuple(
            entity_named(str(name), task.context.graph, task.context.reader.own_naming) for name in arguments.entity
        )
        if words.strip():
            question = Question(f"q{len(task.answers) + 1}", words, entities)
        else:
            before = task.state.question
            question = replace(before, entities=entities or before.entities)
        task.states = []
        return self._step(task, "link", pipeline.begin(question, task.context, task["options"]))

    def _step(self, task: AskingTask, stage: str, state: State, by: Chosen | None = None) -> State:
        progress = self.progress()
        new = task.step(stage, progress, state.at(task.context), by)
        progress.say(summary(task.run.steps[-1]))
        return new

    def _judged(self, stage: str, arguments: argparse.Namespace) -> Any:
        """A stage with a judge: a person's choice, the list to choose from, or the judge's own."""
        task = self._task(arguments)
        state = task.ready(stage).at(task.context)
        sparql = str(getattr(arguments, "sparql", ""))
        by = None
        if arguments.choice or sparql:
            by = chosen(stage, task.choices(stage, state), arguments.choice, sparql)
        elif task.option("judge") == "person":
            question = task.choices(stage, state)
            if question.options:
                return listed(stage, question.options)
        return self._shown(self._step(task, stage, state, by))

    def _shown(self, state: Any) -> Any:
        """A stage's value, after its picture."""
        if state.stage == "reflect" and state.memory.paths:
            display(views.memory(state))  # type: ignore[no-untyped-call]  # IPython is untyped
        return state.value

    def _to_the_end(self, task: AskingTask) -> Answer:
        """All that is left of the loop, with one line for what it took."""
        if task.option("judge") == "person":
            raise OutOfOrder(
                "a person decides, one cell at a time",
                fix="Go on: %qa observe, then %qa act and %qa reflect, %qa answer",
            )
        progress, steps = self.progress(), len(task.run.steps)
        state = replace(task.state, options=task["options"]).at(task.context)
        while state.answered is None:
            state = task.step(next_stage(state), progress, state)
        progress.say(summary(*task.run.steps[steps:], name="ask"))
        answered: Answer = state.answered
        return answered


def _exported(answers: Sequence[Answer], path: Path) -> str:
    """Writes what the suffix asks for; what was done, in a line."""
    kind, last = path.suffix.lower(), answers[-1]
    if kind == ".jsonl":
        path.write_text("".join(as_line(Outcome.of(answer)) for answer in answers), encoding="utf-8")
        return f"wrote {len(answers)} answers to {path}"
    if kind in (".ttl", ".nt"):
        if not last.support:
            raise DataError("the last answer has no proof", where="", fix="Only an answer from the graph has one.")
        save_triples(list(last.support), path)
        return f"wrote {len(last.support)} triples to {path}"
    if kind == ".rq":
        if not last.sparql:
            raise DataError("no query gives the last answer", where="", fix="Export .jsonl or .ttl instead.")
        path.write_text(last.sparql + "\n", encoding="utf-8")
        return f"wrote the query to {path}"
    raise ValueError(f"{path.name}: export to .jsonl (answers), .ttl or .nt (proof) or .rq (query)")
