"""``%qa``: ask a graph, a stage a cell."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from IPython.core.magic import line_cell_magic, magics_class, no_var_expand
from IPython.display import display

from kgnb import tasks
from kgnb.agents.question_answering import pictures, pipeline
from kgnb.agents.question_answering.values import Answer, Options, Question
from kgnb.backends import file_of, open_graph
from kgnb.datasets.questions import read_questions, sampled
from kgnb.errors import DataError
from kgnb.kg.result_files import save_triples
from kgnb.magics.arguments import Number, argument, options
from kgnb.magics.asking import AskingTask, Judging, OutOfOrder, chosen, listed, next_stage
from kgnb.magics.matching import summary
from kgnb.magics.progress import Progress
from kgnb.magics.rounds import rounds
from kgnb.magics.verbs import VerbMagics, verb
from kgnb.results.table import Column, Table
from kgnb.run import Run
from kgnb.tasks.answer_files import Outcome, written
from kgnb.tasks.asking import open_desk, open_judges
from kgnb.tasks.naming import entity_named

ENTITY = argument(
    "--entity",
    action="append",
    metavar="IRI",
    default=[],
    help="what the question speaks of, by IRI or name; repeatable",
)
CHOICE = argument("choice", nargs="*", metavar="#", help="with --judge person: your choice, by its number on the list")


@magics_class
class QaMagics(VerbMagics):
    """The ``%qa`` magic. Each verb parses, calls what a script would call, and returns its value."""

    magic = "qa"

    @verb("qa start", "%qa start huts:graph", "%qa start https://example.org/sparql --judge rule --depth 2")
    @argument("graph", metavar="GRAPH", help="a name of %%kg, a file, a folder, an endpoint's URL, huts:graph")
    @options(Options)
    @options(Judging)
    def start(self, arguments: argparse.Namespace) -> Table:
        """Name the graph to ask; what is set here holds for all questions."""
        named = self.session.graphs.get(arguments.graph) if isinstance(arguments.graph, str) else None
        graph = named.graph if named is not None else open_graph(arguments.graph, self.session.settings)
        chosen_options, judging = Options(**given(arguments, Options)), Judging(**given(arguments, Judging))
        holder: list[AskingTask] = []
        run = tasks.new_run(
            "question_answering",
            {graph.name: ""},
            parameters={**asdict(chosen_options), **asdict(judging)},
            settings=self.session.settings,
            on_event=lambda event: holder[0].tell(event) if holder else None,
        )
        self.session.runs.append(run)
        desk = open_desk(
            graph,
            judge="rule",
            embedder=self.session.embedder(judging.embedder),
            options=chosen_options,
            run=run,
            settings=self.session.settings,
        )
        holder.append(AskingTask(graph.name, desk, run, chosen_options, judging))
        self.session.asking = holder[0]
        self._judge(holder[0])
        rows = [
            ["graph", graph.name],
            ["judge", judging.judge],
            ["embedder", self.session.embedder(judging.embedder).name],
        ]
        return Table(
            [Column("what", "what"), Column("value", "value")],
            rows,
            caption="To be asked",
            notes=['Next: %qa ask "...", or stage by stage: %qa link "..."'],
        )

    @verb("qa ask", '%qa ask "Who is the warden of the Hochkar House?"', '%qa ask "Who is she?" --entity http://...')
    @argument("question", metavar="QUESTION", nargs="+", help="what to ask")
    @ENTITY
    @options(Options)
    @options(Judging)
    def ask(self, arguments: argparse.Namespace) -> Any:
        """Ask a question and go through all stages: the answer with its proof, drawn and listed."""
        task = self._task(arguments)
        self._begin(task, arguments)
        return self._to_the_end(task)

    @verb("qa link", '%qa link "Which huts have a warden who lives in Ottersried?"', "%qa link --entity http://...")
    @argument("question", metavar="QUESTION", nargs="*", help="a new question; without it the one under way again")
    @ENTITY
    @options(Options, "links")
    def link(self, arguments: argparse.Namespace) -> Any:
        """Find the entities a question speaks of; what else a word may mean is shown."""
        task = self._task(arguments)
        return self._begin(task, arguments).linked

    @verb("qa observe", "%qa observe", "%qa observe --depth 1 --width 20")
    @options(Options, "depth", "width", "share", "directions", "observation")
    def observe_stage(self, arguments: argparse.Namespace) -> Any:
        """Look around the entities: the triples that fit the question, drawn and ranked."""
        # not named observe: that is what watches traits on any Magics
        task = self._task(arguments)
        state = self._step(task, "observe", task.ready("observe"))
        if state.observation.triples:
            display(pictures.observation(state))  # type: ignore[no-untyped-call]  # IPython is untyped
        return state.observation

    @verb("qa act", "%qa act", "%qa act 2", '%qa act --sparql "SELECT ?hut WHERE { ... }"')
    @CHOICE
    @argument("--sparql", metavar="QUERY", default="", help="a query of your own instead; it may only read")
    @options(Judging, "judge")
    def act(self, arguments: argparse.Namespace) -> Any:
        """Choose what to ask of the graph, and ask it: the action, its reason, what the graph said."""
        return self._judged("act", arguments)

    @verb("qa reflect", "%qa reflect", "%qa reflect 1 3", "%qa reflect --keep 5")
    @CHOICE
    @options(Options, "keep", "reflection")
    @options(Judging, "judge")
    def reflect(self, arguments: argparse.Namespace) -> Any:
        """Keep the triples that matter: the memory as paths, what is new marked."""
        return self._judged("reflect", arguments)

    @verb("qa answer", "%qa answer", "%qa answer 1")
    @CHOICE
    @options(Options, "confidence", "own_knowledge")
    @options(Judging, "judge")
    def answer(self, arguments: argparse.Namespace) -> Any:
        """Answer from what is remembered: values, the triples that prove them, SPARQL that gives them again."""
        return self._judged("answer", arguments)

    @verb("qa run", "%qa run", "%qa run --rounds 4")
    @options(Options)
    @options(Judging)
    def run(self, arguments: argparse.Namespace) -> Any:
        """Run the question under way to its end, from where it stands."""
        task = self._task(arguments)
        if task.state.stage == "answer":
            self._begin(task, argparse.Namespace(question=[], entity=[]))
        return self._to_the_end(task)

    @verb("qa evaluate", "%qa evaluate huts:questions", "%qa evaluate mine.jsonl --sample 20")
    @argument("file", metavar="FILE", nargs="?", default="huts:questions", help="lines {id, question, values, kind?}")
    @argument("--sample", type=Number(int, 0, None), metavar="N", default=0, help="ask only so many, spread over it")
    @argument("--given", action="store_true", help="take the entities the file gives instead of looking for them")
    @options(Judging, "judge")
    def evaluate(self, arguments: argparse.Namespace) -> Any:
        """Ask a file of questions and compare with its answers: three scores by kind of question."""
        from kgnb.evaluate.answers import by_kind, measure
        from kgnb.reporting.question_answering.measuring import ask_all
        from kgnb.reporting.question_answering.sections import scores

        task = self._task(arguments)
        asked = [one for one in read_questions(file_of(arguments.file)) if one.values is not None]
        if not asked:
            raise DataError("no question has an answer", where=str(arguments.file), fix='Add "values": [...] to them.')
        if task.judging.judge == "person":
            raise OutOfOrder("a whole file is not asked of a person", fix="Choose: %qa evaluate FILE --judge rule")
        kept = sampled(asked if arguments.given else [replace(one, entities=()) for one in asked], arguments.sample)
        task.progress = self._progress()
        with task.telling():
            measured = ask_all(kept, task.desk, task.options, task.run)
        task.progress.clear()
        items = [one.item for one in measured]
        missed = [one.asked.id for one in measured if not one.right]
        notes = [f"not exactly right: {', '.join(missed[:30])}{', ...' if len(missed) > 30 else ''}"] if missed else []
        return scores(by_kind(items), measure(items), str(arguments.file), notes)

    @verb("qa explain", "%qa explain")
    def explain(self, arguments: argparse.Namespace) -> Any:
        """Show round by round how the question was read, what was done and why, and what was refused."""
        return rounds(self._task(arguments).state)

    @verb("qa export", "%qa export answers.jsonl", "%qa export proof.ttl", "%qa export query.rq")
    @argument("file", metavar="FILE", help="its suffix decides: .jsonl (all answers so far), .ttl or .nt (proof), .rq")
    def export(self, arguments: argparse.Namespace) -> None:
        """Write the answers, the last one's proof as RDF, or its SPARQL, to a file."""
        answers = self._task(arguments).answers
        if not answers:
            raise OutOfOrder("there is no answer yet", fix='Ask first: %qa ask "..."')
        print(_exported(answers, Path(arguments.file).expanduser()))

    @verb("qa trace", "%qa trace")
    def trace(self, arguments: argparse.Namespace) -> Run:
        """Show the run so far: every step, query, model call and judgement, with what they took."""
        run = self._task(arguments).run
        if not run.steps:
            raise OutOfOrder("nothing has been run yet", fix='Ask first: %qa ask "..."')
        return run

    def suggestions(self, name: str) -> Sequence[str]:
        """Open graphs, embedders, entities linked in the question under way."""
        task = self.session.asking
        if name == "graph":
            return (*self.session.graphs, "huts:graph")
        if name == "entity" and task is not None and task.states:
            return tuple(link.iri for link in task.state.linked.links)
        return ("local", "characters", "tiny") if name == "embedder" else ("huts:questions",) if name == "file" else ()

    def current(self, method: Callable[..., Any]) -> dict[str, object]:
        """What the task under way has set, else what the settings say."""
        task = self.session.asking
        values: dict[str, object] = {**asdict(Options()), **asdict(Judging())}
        if task is not None:
            values.update({**asdict(task.options), **asdict(task.judging), "graph": task.graph_name})
            values["question"] = task.states[-1].question.text if task.states else ""
        if method.verb == "start":  # type: ignore[attr-defined]
            values["graph"] = next(iter(self.session.graphs), "huts:graph")
        values["embedder"] = values["embedder"] or self.session.settings.embedder
        return values

    def _task(self, arguments: argparse.Namespace) -> AskingTask:
        """The task under way, with the options this line sets; they hold for what comes after it as well."""
        task = self.session.asking
        if task is None:
            name = next(iter(self.session.graphs), "huts:graph")
            raise OutOfOrder("there is no graph to ask yet", fix=f"Run first, in a cell above: %qa start {name}")
        task.options = replace(task.options, **given(arguments, Options))
        changes = given(arguments, Judging)
        if changes.get("embedder", task.judging.embedder) != task.judging.embedder:
            raise ValueError("the embedder is chosen at the start: %qa start GRAPH --embedder NAME")
        if changes:
            task.judging = replace(task.judging, **changes)
            self._judge(task)
        return task

    def _judge(self, task: AskingTask) -> None:
        """Sets the judge of the desk; a person at the cells judges by what each line says, and needs none here."""
        if task.judging.judge == "person":
            return
        model = self.session.model() if task.judging.judge in ("auto", "model", "cascade") else None
        watched = task.run.watch(model) if model is not None else None
        judges = open_judges(task.judging.judge, watched)
        task.desk = replace(task.desk, judges=judges, model=watched).watched(task.run)

    def _begin(self, task: AskingTask, arguments: argparse.Namespace) -> Any:
        """A new question (or the one under way, again), linked."""
        words = " ".join(map(str, arguments.question))
        entities = tuple(
            entity_named(str(name), task.desk.graph, task.desk.hood.own_naming) for name in arguments.entity
        )
        if words.strip():
            question = Question(f"q{len(task.answers) + 1}", words, entities)
        else:
            before = task.state.question
            question = replace(before, entities=entities or before.entities)
        task.states = []
        return self._step(task, "link", pipeline.begin(question, task.desk, task.options))

    def _step(self, task: AskingTask, stage: str, state: Any, by: Any = None) -> Any:
        task.progress = self._progress()
        new = task.step(stage, replace(state, desk=task.desk), by)
        task.progress.say(summary(task.run.steps[-1]))
        return new

    def _judged(self, stage: str, arguments: argparse.Namespace) -> Any:
        """A stage with a judge: a person's choice, the list to choose from, or the judge's own."""
        task = self._task(arguments)
        state = replace(task.ready(stage), desk=task.desk)
        sparql = str(getattr(arguments, "sparql", ""))
        by = None
        if arguments.choice or sparql:
            by = chosen(stage, task.choices(stage, state), arguments.choice, sparql)
        elif task.judging.judge == "person":
            question = task.choices(stage, state)
            if question.options:
                return listed(stage, question.options)
        return self._shown(self._step(task, stage, state, by))

    def _shown(self, state: Any) -> Any:
        """A stage's value, after its picture."""
        if state.stage == "reflect" and state.memory.paths:
            display(pictures.memory(state))  # type: ignore[no-untyped-call]  # IPython is untyped
        if state.stage == "answer":
            return self._answered(state.answered)
        return state.value

    def _answered(self, answer: Answer) -> Answer:
        if answer.support:
            display(pictures.proof(answer))  # type: ignore[no-untyped-call]  # IPython is untyped
        if answer.linked.ambiguous:
            display(answer.linked)  # type: ignore[no-untyped-call]  # IPython is untyped
        return answer

    def _to_the_end(self, task: AskingTask) -> Answer:
        """All that is left of the loop, with one line for what it took."""
        if task.judging.judge == "person":
            raise OutOfOrder(
                "a person decides, one cell at a time",
                fix="Go on: %qa observe, then %qa act and %qa reflect, %qa answer",
            )
        task.progress, steps = self._progress(), len(task.run.steps)
        state = replace(task.state, options=task.options, desk=task.desk)
        while state.answered is None:
            state = task.step(next_stage(state), state)
        task.progress.say(summary(*task.run.steps[steps:], name="ask"))
        return self._answered(state.answered)

    def _progress(self) -> Progress:
        return Progress(live=getattr(self.shell, "kernel", None) is not None)

    @no_var_expand
    @line_cell_magic
    def qa(self, line: str, cell: str | None = None) -> Any:
        """Ask a graph, a stage a cell: start, then ask; or link, observe, act, reflect, answer."""
        return self.dispatch(line, cell)


def given(arguments: argparse.Namespace, cls: type[Any]) -> dict[str, Any]:
    """The fields of an options dataclass that the line said."""
    return {entry.name: getattr(arguments, entry.name) for entry in fields(cls) if hasattr(arguments, entry.name)}


def _exported(answers: Sequence[Answer], path: Path) -> str:
    """Writes what the suffix asks for; what was done, in a line."""
    kind, last = path.suffix.lower(), answers[-1]
    if kind == ".jsonl":
        path.write_text("".join(written(Outcome.of(answer)) for answer in answers), encoding="utf-8")
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
