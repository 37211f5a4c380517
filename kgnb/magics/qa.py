"""``%qa``: ask a graph questions, one stage per cell."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from IPython.display import display

from kgnb.agents.agent import OutOfOrder
from kgnb.agents.question_answering import AGENT, pipeline, tables
from kgnb.agents.question_answering.act import act_question
from kgnb.agents.question_answering.answer import answer_question_of
from kgnb.agents.question_answering.judges import GIVE, KEEP, NONE, PERFORM, QaQuestion, RuleJudge
from kgnb.agents.question_answering.pipeline import STALLED
from kgnb.agents.question_answering.reflect import reflect_question
from kgnb.agents.question_answering.state import Judges, State
from kgnb.agents.question_answering.values import Answer, Query, Question, written
from kgnb.backends import file_of
from kgnb.datasets.questions import read_questions, sampled
from kgnb.errors import DataError
from kgnb.files import write_whole
from kgnb.judging import Decisions, Option, Verdict
from kgnb.kg.result_files import save_triples
from kgnb.llm.model import ChatModel
from kgnb.magics.agent import AgentMagics, agent_verb, options_of
from kgnb.magics.arguments import Number, argument
from kgnb.magics.open_questions import OF_ANSWERS, by_people, queue_of_answers
from kgnb.magics.progress import summary
from kgnb.magics.reviewing import Queue
from kgnb.magics.verbs import Verb, verb
from kgnb.results.bundle import count
from kgnb.results.table import Table, TableRows, Value, numbers, percents, texts
from kgnb.tasks.asking import AnswerOutcome, AskingTask, entity_named
from kgnb.tasks.asking import written as as_line

BEFORE = {
    "observe": ("link", "reflect", "act"),
    "act": ("observe",),
    "reflect": ("act",),
    "answer": ("act", "reflect", "observe"),
}
WORDS = {"act": PERFORM, "reflect": KEEP, "answer": GIVE}


class Chosen:
    """A judge that answers what the person at the cell has chosen."""

    name = "person"

    def __init__(self, word: str, choices: Sequence[str]) -> None:
        self._word, self._choices = word, choices

    def judge(self, questions: Sequence[QaQuestion]) -> list[Verdict]:
        """The choice, for the one question a stage asks."""
        first = self._choices[0] if self._choices else None
        more = tuple((choice, 1.0) for choice in self._choices[1:])
        decision = self._word if first is not None else NONE
        return [Verdict(decision, first, 1.0, "chosen by hand", self.name, more) for _ in questions]


class QuestionInCells(AskingTask):
    """A graph, and the state of the current question after each stage, oldest first."""

    def choose_for(self, stages: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
        """Chooses the options of a line: a question is worked on in rounds, so what its lines gave
        holds until the next question.
        """
        if tuple(stages) == ("link",):
            self.by_stage.clear()
        own = {name: value for name, value in given.items() if name in self.held}
        inherited: dict[str, Any] = {}
        for earlier in self.by_stage.values() if stages else ():
            inherited |= earlier
        self.choose({**self.held, **inherited, **own})
        for stage in stages:
            self.by_stage[stage] = self.by_stage.get(stage, {}) | own
        return {name: value for name, value in inherited.items() if name not in own}

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._judged_with = self.option("judge"), self.opener.settings
        self.states: list[State] = []  # of the current question
        self.answers: list[Answer] = []

    def judging(self) -> tuple[Judges, ChatModel | None]:
        """The judges and their model; a person needs no judge here, as each line holds the choice."""
        return (
            (Judges.all(RuleJudge()), None)
            if self.option("judge") == "person"
            else super().judging()
        )

    def judge_again(self) -> None:
        """Takes the judge of the option, and the model of the settings, as they are now."""
        now = self.option("judge"), self.opener.settings
        if now == self._judged_with:
            return
        judges, model = self.judging()
        self._judged_with = now
        self.context = replace(self.context, judges=judges, model=model).watched(self.run)

    @property
    def state(self) -> State:
        """The state after the last stage.

        Raises:
            OutOfOrder: no question has been asked.
        """
        if not self.states:
            fix = 'Ask one: %qa ask "...", or start one stage by stage: %qa link "..."'
            raise OutOfOrder("no question has been asked yet", fix=fix)
        return self.states[-1]

    def ready(self, stage: str) -> State:
        """The state a stage starts from; a stage that runs again starts from the same state as
        before.

        Raises:
            OutOfOrder: the stage before it has not been run; the message says which line to run
                first.
        """
        states = list(self.states)
        while states and states[-1].stage in (stage, "answer"):
            states.pop()
        if not states:
            raise OutOfOrder(
                "no question has been asked yet", fix='Start one in a cell above: %qa link "..."'
            )
        if states[-1].stage not in BEFORE[stage]:
            first = BEFORE[stage][0]
            raise OutOfOrder(
                f"{stage} follows {' or '.join(BEFORE[stage])}", fix=f"Run first: %qa {first}"
            )
        self.states = states
        return replace(states[-1], options=self["options"], context=self.context)

    def choices(self, stage: str, state: State) -> QaQuestion:
        """What a person may choose from in a stage."""
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

    def step(self, stage: str, state: State, by: Chosen | None = None) -> State:
        """Runs one stage on a state; ``by`` gives the choice of a person."""
        if by is not None:
            state = replace(
                state, context=replace(state.context, judges=Judges.all(by)).watched(self.run)
            )
        self.do(stage, state=state)
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
    """What a person chose: numbers on the list (from 1), a query of their own, or none of them ("0"
    or "none").

    Raises:
        ValueError: a word is not a number on the list, or there are several but only one is
            allowed.
    """
    if sparql:
        return Chosen(PERFORM, [written(Query(sparql))])
    parts = [part for word in words for part in str(word).replace(",", " ").split()]
    if parts in (["0"], ["none"]):
        return Chosen(WORDS[stage], [])
    options = question.options
    for part in parts:
        if not part.isdecimal() or not 1 <= int(part) <= len(options):
            raise ValueError(
                f"{part!r} is not on the list: choose from 1 to {len(options)}, or none"
            )
    if stage == "act" and len(parts) > 1:
        raise ValueError("one action at a time")
    return Chosen(WORDS[stage], [options[int(part) - 1].id for part in parts])


def listed(stage: str, options: Sequence[Option]) -> Table:
    """The numbered list a person chooses from, and the line to choose with."""
    what = {
        "act": "What to ask the graph next",
        "reflect": "Which triples help",
        "answer": "Which of these are answers",
    }
    how = {"act": "%qa act 1", "reflect": "%qa reflect 1 3", "answer": "%qa answer 1 2"}[stage]
    rows: TableRows = [[number, option.text] for number, option in enumerate(options, start=1)]
    notes = [f"Choose: {how}, or %qa {stage} none"]
    if stage == "act":
        notes.append('Your own query: %qa act --sparql "SELECT ..."')
    return Table(numbers(number="#") + texts(text=stage), rows, caption=what[stage], notes=notes)


def rounds(state: State) -> Table:
    """One row per action, also refused ones: why, who chose it, what it found. The notes hold the
    interpretations.
    """
    columns = numbers(round="Round") + texts(action="Action", why="Why", by="Chosen by")
    columns += percents(confidence="Confidence") + numbers(triples="Triples", values="Values")
    rows: TableRows = []
    for number, acted in enumerate(state.history, start=1):
        rows += [
            [number, f"refused: {one.action}", one.reason, "", None, None, None]
            for one in acted.refused
        ]
        taken: list[Value] = [
            number,
            written(acted.action),
            acted.reason,
            acted.judged_by,
            acted.confidence,
        ]
        rows.append([*taken, len(acted.triples), len(acted.values)])
    interpretations = [
        f"read as ({r.score:.2f}): {r.explanation}" for r in state.observation.interpretations[:5]
    ]
    linked = [
        f"{link.mention or 'given'}: {link.label} ({link.how}, {link.score:.2f})"
        for link in state.linked.links[:8]
    ]
    paths, triples = (
        count(len(state.memory.paths), "path"),
        count(len(state.memory.triples), "triple"),
    )
    memory = [f"{paths} of {triples} remembered"] if state.history else []
    answer = state.answered
    ended = [f"{answer.status}: {answer.rationale}"] if answer is not None else ["not answered yet"]
    return Table(
        columns,
        rows,
        caption=state.question.text,
        notes=[*linked, *interpretations, *memory, *ended],
    )


ENTITY = argument(
    "--entity",
    action="append",
    metavar="IRI",
    default=[],
    help="an entity the question is about, by IRI or name; repeatable",
)
CHOICE = argument(
    "choice",
    nargs="*",
    metavar="#",
    help="with --judge person: your choice, by its number on the list",
)


class QaMagics(AgentMagics[QuestionInCells], agent=AGENT):
    """The ``%qa`` magic."""

    nothing_yet = "no graph has been named yet"

    in_cells = QuestionInCells

    def started(self, task: QuestionInCells) -> Table:
        """The graph, the judge and the embedder."""
        rows: TableRows = [
            ["graph", task["graph"].name],
            ["judge", task.option("judge")],
            ["embedder", self.session.embedder(task.option("embedder")).name],
        ]
        return Table(
            texts(what="what", value="value"),
            rows,
            caption="Ready for questions",
            notes=[*task.warnings(), self.next_line()],
        )

    def next_line(self) -> str:
        """What to run after ``start``."""
        return 'Next: %qa ask "...", or stage by stage: %qa link "..."'

    def first_line(self) -> str:
        """The line to start with."""
        return f"%qa start {next(iter(self.session.graphs), 'huts:graph')}"

    @verb(
        "qa ask",
        '%qa ask "Who is the warden of the Hochkar House?"',
        '%qa ask "Who is she?" --entity http://...',
    )
    @argument("question", metavar="QUESTION", nargs="+", help="the question")
    @ENTITY
    @options_of(AGENT.knobs())
    def ask(self, arguments: argparse.Namespace) -> Any:
        """Ask a question and run all stages: the answer with its proof, as a picture and a list."""
        task = self.current_task(arguments)
        self._begin(task, arguments)
        return self._to_the_end(task)

    @agent_verb(
        AGENT,
        "link",
        '%qa link "Which huts have a warden in Ottersried?"',
        "%qa link --entity http://...",
    )
    @argument(
        "question",
        metavar="QUESTION",
        nargs="*",
        help="a new question; without it the current one again",
    )
    @ENTITY
    def _link(self, arguments: argparse.Namespace) -> Any:
        return self._begin(self.current_task(arguments), arguments).linked

    @agent_verb(AGENT, "observe", "%qa observe", "%qa observe --depth 1 --breadth 20")
    def _observe(self, arguments: argparse.Namespace) -> Any:
        task = self.current_task(arguments)
        state = self._step(task, "observe", task.ready("observe"))
        if state.observation.triples:
            display(tables.observation(state))  # type: ignore[no-untyped-call]  # IPython is untyped
        return state.observation

    @agent_verb(
        AGENT, "act", "%qa act", "%qa act 2", '%qa act --sparql "SELECT ?hut WHERE { ... }"'
    )
    @CHOICE
    @argument("--sparql", metavar="QUERY", default="", help="your own read-only query instead")
    def _act(self, arguments: argparse.Namespace) -> Any:
        return self._judged("act", arguments)

    @agent_verb(AGENT, "reflect", "%qa reflect", "%qa reflect 1 3", "%qa reflect --keep 5")
    @CHOICE
    def _reflect(self, arguments: argparse.Namespace) -> Any:
        return self._judged("reflect", arguments)

    @agent_verb(AGENT, "answer", "%qa answer", "%qa answer 1")
    @CHOICE
    def _answer(self, arguments: argparse.Namespace) -> Any:
        return self._judged("answer", arguments)

    @agent_verb(AGENT, "run", "%qa run", "%qa run --rounds 4")
    def go_on(self, arguments: argparse.Namespace) -> Any:
        """Run the remaining stages of the current question."""
        task = self.current_task(arguments)
        if task.state.stage == "answer":
            self._begin(task, argparse.Namespace(question=[], entity=[]))
        return self._to_the_end(task)

    @verb("qa evaluate", "%qa evaluate huts:questions", "%qa evaluate mine.jsonl --sample 20")
    @argument(
        "file",
        metavar="FILE",
        nargs="?",
        default="huts:questions",
        help="lines {id, question, values, kind?}",
    )
    @argument(
        "--sample",
        type=Number(int, 0, None),
        metavar="N",
        default=0,
        help="ask only N, spread over the file",
    )
    @argument(
        "--given", action="store_true", help="use the entities in the file instead of linking"
    )
    @options_of(AGENT.knobs(("judge",)))
    def measure(self, arguments: argparse.Namespace) -> Any:
        """Ask a file of questions and compare with its answers: three scores by kind of question."""
        from kgnb.evaluate.answers import by_kind, measure
        from kgnb.reporting.question_answering import ask_all, scores

        task = self.current_task(arguments)
        asked = [one for one in read_questions(file_of(arguments.file)) if one.values is not None]
        if not asked:
            fix = 'Add "values": [...] to them.'
            raise DataError(
                "none of the questions has an answer", where=str(arguments.file), fix=fix
            )
        if task.option("judge") == "person":
            fix = "Choose another judge: %qa evaluate FILE --judge rule"
            raise OutOfOrder("a person cannot answer a whole file here", fix=fix)
        kept = sampled(
            asked if arguments.given else [replace(one, entities=()) for one in asked],
            arguments.sample,
        )
        with self.progress():
            measured = ask_all(kept, task.context, task["options"], task.run)
        items = [one.item for one in measured]
        missed = [one.asked.id for one in measured if not one.right]
        notes = (
            [f"not exactly right: {', '.join(missed[:30])}{', ...' if len(missed) > 30 else ''}"]
            if missed
            else []
        )
        return scores(by_kind(items), measure(items), str(arguments.file), notes)

    @verb("qa review", "%qa review", "%qa review --who Ada")
    @argument("--who", metavar="NAME", default="", help="your name, saved with each decision")
    def decide(self, arguments: argparse.Namespace) -> Any:
        """Call answers right or wrong; the same question asked again is answered as decided."""
        queue = self.review_queue(arguments)
        if queue.answers and self.someone:
            return self._review_widget(queue, arguments)
        return replace(queue, below=1.01).table()

    def review_queue(self, arguments: argparse.Namespace) -> Queue:
        """The last answer to each question."""
        return queue_of_answers(self.current_task(arguments))

    def apply_decisions(self) -> Any:
        """The last answer, as people decided about it."""
        assert self.task is not None
        return self._answers(self.task)[-1]

    def _answers(self, task: QuestionInCells) -> list[Answer]:
        """All answers so far, as people decided about them."""
        decisions = Decisions(OF_ANSWERS.file)
        return [by_people(one, task["graph"].name, decisions) for one in task.answers]

    @verb("qa explain", "%qa explain")
    def why(self, arguments: argparse.Namespace) -> Any:
        """Show round by round how the question was understood, what was done and why, and what was
        refused.
        """
        return rounds(self.current_task(arguments).state)

    @verb("qa export", "%qa export answers.jsonl", "%qa export proof.ttl", "%qa export query.rq")
    @argument(
        "file",
        metavar="FILE",
        help="the suffix decides: .jsonl (all answers), .ttl or .nt (last proof), .rq (last query)",
    )
    def write(self, arguments: argparse.Namespace) -> None:
        """Write all answers so far, or the proof or SPARQL of the last one, to a file."""
        answers = self._answers(self.current_task(arguments))
        if not answers:
            raise OutOfOrder("there is no answer yet", fix='Ask first: %qa ask "..."')
        print(_exported(answers, Path(arguments.file).expanduser()))

    def suggestions(self, name: str) -> Sequence[str]:
        """Entities linked in the current question; else what every agent suggests."""
        if name == "entity" and self.task is not None and self.task.states:
            return tuple(link.iri for link in self.task.state.linked.links)
        return ("huts:questions",) if name == "file" else super().suggestions(name)

    def current(self, method: Verb) -> dict[str, object]:
        """What every agent's form starts from, and the current question."""
        values = super().current(method)
        if self.task is not None:
            values["question"] = self.task.states[-1].question.text if self.task.states else ""
        if method.verb == "start":
            values["graph"] = values["graph"] or "huts:graph"
        return values

    def current_task(self, arguments: argparse.Namespace) -> QuestionInCells:
        """The current task, with the options of this line."""
        before = self.task.option("embedder") if self.task is not None else ""
        if getattr(arguments, "embedder", before) != before and self.task is not None:
            raise ValueError("the embedder is chosen at the start: %qa start GRAPH --embedder NAME")
        task = super().current_task(arguments)
        task.judge_again()
        return task

    def _begin(self, task: QuestionInCells, arguments: argparse.Namespace) -> Any:
        """Links a new question, or the current one again."""
        words = " ".join(map(str, arguments.question))
        if arguments.question and not words.strip():
            raise ValueError("the question is empty")
        entities = tuple(
            entity_named(str(name), task.context.graph, task.context.reader.own_naming)
            for name in arguments.entity
        )
        if words.strip():
            question = Question(f"q{len(task.answers) + 1}", words, entities)
        else:
            before = task.state.question
            question = replace(before, entities=entities or before.entities)
        task.states = []
        return self._step(task, "link", pipeline.begin(question, task.context, task["options"]))

    def _step(
        self, task: QuestionInCells, stage: str, state: State, by: Chosen | None = None
    ) -> State:
        with self.progress() as progress:
            new = task.step(stage, state.at(task.context), by)
            progress.say(summary(task.run.steps[-1]))
        return new

    def _judged(self, stage: str, arguments: argparse.Namespace) -> Any:
        """Runs a stage with the person's choice, shows the list to choose from, or lets the judge
        choose.
        """
        task = self.current_task(arguments)
        state = task.ready(stage).at(task.context)
        sparql = str(getattr(arguments, "sparql", ""))
        by = None
        if arguments.choice or sparql:
            by = chosen(stage, task.choices(stage, state), arguments.choice, sparql)
        elif task.option("judge") == "person":
            question = task.choices(stage, state)
            if question.options:
                return listed(stage, question.options)
        new = self._step(task, stage, state, by)
        if stage == "reflect" and new.memory.paths:
            display(tables.memory(new))  # type: ignore[no-untyped-call]  # IPython is untyped
        return new.value

    def _to_the_end(self, task: QuestionInCells) -> Answer:
        """Runs the rest of the loop, and says in one line what it took."""
        if task.option("judge") == "person":
            raise OutOfOrder(
                "a person decides one cell at a time",
                fix="Continue with %qa observe, then %qa act and %qa reflect, then %qa answer",
            )
        steps = len(task.run.steps)
        state = replace(task.state, options=task["options"]).at(task.context)
        with self.progress() as progress:
            while state.answered is None:
                state = task.step(next_stage(state), state)
            progress.say(summary(*task.run.steps[steps:], name="ask"))
        return self._answers(task)[-1]


def _exported(answers: Sequence[Answer], path: Path) -> str:
    """Writes what the suffix asks for; returns a line that says what was written."""
    kind, last = path.suffix.lower(), answers[-1]
    if kind == ".jsonl":
        write_whole(path, "".join(as_line(AnswerOutcome.of(answer)) for answer in answers))
        return f"wrote {count(len(answers), 'answer')} to {path}"
    if kind in (".ttl", ".nt"):
        if not last.support:
            raise DataError(
                "the last answer has no proof",
                fix="Only an answer from the graph has one.",
            )
        save_triples(list(last.support), path)
        return f"wrote {count(len(last.support), 'triple')} to {path}"
    if kind == ".rq":
        if not last.sparql:
            raise DataError("the last answer has no query", fix="Export .jsonl or .ttl instead.")
        write_whole(path, last.sparql + "\n")
        return f"wrote the query to {path}"
    raise ValueError(f"{path.name}: export to .jsonl (answers), .ttl or .nt (proof) or .rq (query)")
