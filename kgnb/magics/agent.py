"""The magic of an agent, made from what the agent says of itself: a verb a stage, and those every agent has."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from kgnb.agents.agent import Agent, OutOfOrder, Task
from kgnb.agents.options import Option
from kgnb.datasets import huts
from kgnb.errors import KgnbError
from kgnb.files import write_whole
from kgnb.judging import Judge
from kgnb.magics.arguments import add_option, argument
from kgnb.magics.progress import Progress, announced, summary
from kgnb.magics.reviewing import actions, by_name, queue_of, review_arguments
from kgnb.magics.verbs import Verb, VerbMagics, verb
from kgnb.results.table import Column, Table, Value
from kgnb.run import Event, Run
from kgnb.tasks.agents import ASKING
from kgnb.tasks.running import digests_of, new_run, remembering
from kgnb.vectors.cached_embedder import CachedEmbedder
from kgnb.vectors.embedder import Embedder
from kgnb.widgets.review import Thing

T = TypeVar("T", bound=Task)


class AgentMagics(VerbMagics):
    """The magic of one agent. A subclass says which (``agent=AGENT``) and adds or replaces verbs by hand."""

    agent: ClassVar[Agent]
    nothing_yet: ClassVar[str] = ""  # what is said before ``start``
    stale = False  # whether the task under way is older than a start that failed

    def __init_subclass__(cls, agent: Agent | None = None, **kwargs: Any) -> None:
        """Makes the verbs the agent implies; those written by hand win, and stand where one meets them."""
        if agent is not None:
            cls.agent = agent
            by_hand = {method.verb: method for method in vars(cls).values() if hasattr(method, "verb")}
            every = dict(_verbs(agent)) | by_hand
            first = ["start", *(stage.name for stage in agent.stages), "run", "evaluate", "explain"]
            last = [name for name in ("review", "export", "trace") if name in every]
            order = [name for name in first if name in every]
            cls.verbs = {name: every[name] for name in [*order, *(n for n in every if n not in order + last), *last]}
            stages = ", ".join(("start", *agent.sequence))
            kwargs |= {"magic": agent.magic, "doc": f"{agent.summary or agent.title}, a stage a cell: {stages}."}
        super().__init_subclass__(**kwargs)

    @property
    def task(self) -> Task | None:
        """The task under way, if any."""
        return self.session.tasks.get(self.agent.name)

    def call(self, method: Verb, arguments: argparse.Namespace, line: str) -> Any:
        """Runs a verb; a line that fails sets no option."""
        task = self.task
        before = task.parameters() if task is not None else {}
        try:
            return super().call(method, arguments, line)
        except KgnbError:
            if task is not None:
                task.choose(before)
            raise

    def start(self, arguments: argparse.Namespace) -> Any:
        """Names the inputs; a task that cannot begin leaves the one before as it was, and that is said from then on."""
        self.stale = self.task is not None
        task = self.new_task(arguments)
        self.session.tasks[self.agent.name], self.stale = task, False
        return self.started(task)

    def new_task(self, arguments: argparse.Namespace) -> Task:
        """A task over what the line names."""
        given = vars(arguments)
        specs = {one.name: given[one.name] for one in self.agent.inputs if one.name in given}
        return self.task_of(Task, specs, self.agent.chosen(given))

    def task_of(self, kind: type[T], specs: Mapping[str, Any], chosen: Mapping[str, Any]) -> T:
        """A task of this kind over these inputs, under these options."""
        return kind(
            self.agent, specs, chosen, opener=self.opened, lend=self.lend, new_run=self.new_run, watch=self.watched
        )

    def opened(self, task: Task) -> dict[str, Any]:
        """Every input, opened as its kind says."""
        return {one.name: self.session.opened(one.kind, task.specs[one.name]) for one in self.agent.inputs}

    def started(self, task: Task) -> Any:
        """What ``start`` shows: each input and how much it holds."""
        rows: list[list[Value]] = []
        for one in self.agent.inputs:
            value = task.inputs[one.name]
            counts = value.counts() if hasattr(value, "counts") else {}
            size = ", ".join(f"{number:,} {what}" for what, number in counts.items())
            rows.append([one.name, str(getattr(value, "name", value)), size])
        columns = [Column("input", "input"), Column("name", "what"), Column("size", "holds")]
        return Table(columns, rows, caption=self.agent.title, notes=[self.next_line()])

    def next_line(self) -> str:
        """What to run after ``start``."""
        first = self.agent.sequence[0]
        return f"Next: %{self.magic} {first}, or all: %{self.magic} run"

    def run_stage(self, stage: str, arguments: argparse.Namespace) -> Any:
        """Runs one stage on the values of those before it, and says in one line what it did."""
        task = self.current_task(arguments)
        if stage == self.agent.sequence[0] and task.run.steps:
            task.begin_again()
        progress = self.progress()
        value = task.do(stage, progress)
        line = summary(task.run.steps[-1])
        progress.say(line + (f"; dropped, to be run again: {', '.join(task.dropped)}" if task.dropped else ""))
        return value

    def run(self, arguments: argparse.Namespace) -> Any:
        """Runs all stages, from the beginning."""
        task = self.current_task(arguments)
        task.begin_again()
        self.check(task)
        progress = self.progress()
        for stage in self.agent.sequence:
            task.do(stage, progress)
        progress.say(summary(*task.run.steps, name="run"))
        return task.values[self.agent.sequence[-1]]

    def check(self, task: Task) -> None:
        """Makes the agent's judges, so that what they lack is said before any work is done."""
        for name in self.agent.judges:
            task[name]

    def evaluate(self, arguments: argparse.Namespace) -> Any:
        """Measures the task against a reference."""
        task = self.current_task(arguments)
        assert self.agent.evaluate is not None
        return self.agent.evaluate(task, str(arguments.reference))

    def explain(self, arguments: argparse.Namespace) -> Any:
        """Shows what is known of one item."""
        assert self.agent.explain is not None
        return self.agent.explain(self.current_task(arguments), " ".join(map(str, arguments.item)))

    def export(self, arguments: argparse.Namespace) -> None:
        """Writes the last stage's value to a file; the suffix decides how."""
        value = self.current_task(arguments).need(self.agent.sequence[-1])
        path = Path(arguments.file).expanduser()
        suffix = next((one for one in self.agent.exports if path.name.lower().endswith(one)), None)
        if suffix is None:
            raise ValueError(f"{path.name} says no format: export to {', '.join(self.agent.exports)}")
        write_whole(path, self.agent.exports[suffix](value))
        print(f"wrote {path}")

    def review(self, arguments: argparse.Namespace) -> Any:
        """Takes the answers the line gives; without any, shows what waits: to be answered by key, or as a table."""
        from kgnb.widgets.form import someone_is_there
        from kgnb.widgets.review import RELATIONS, ReviewQueue, ReviewWidget

        task, review = self.current_task(arguments), self.agent.review
        assert review is not None
        queue = queue_of(task, arguments.below, self.named)
        task.choose({"decisions": str(queue.decisions.path)})
        said = [(action, words) for action in actions(review) if (words := getattr(arguments, action))]
        for action, words in said:
            print(queue.decide(action, words, arguments.who))
        if arguments.list or not (said or someone_is_there(self.shell)):
            return queue.table()
        if said:
            return None
        waiting = [entry for _, entry in queue.entries]
        words = dict(zip(RELATIONS, review.relations.values(), strict=False)) | {"different": review.none}
        return ReviewWidget(ReviewQueue(waiting, queue.decisions, arguments.who, queue.nothing(), words))

    def named(self, word: str, among: Sequence[Thing]) -> Sequence[Thing]:
        """The things under review that a word names."""
        return by_name(word, among)

    def trace(self, arguments: argparse.Namespace) -> Run:
        """Shows the run so far."""
        run = self.current_task(arguments).run
        if not run.steps:
            magic, first = self.magic, self.agent.sequence[0]
            raise OutOfOrder(
                "nothing has been run yet", fix=f"Run a stage first: %{magic} {first}, or all: %{magic} run"
            )
        return run

    def current_task(self, arguments: argparse.Namespace) -> Task:
        """The task under way, with the options this line sets; they hold for the stages after it as well."""
        if self.task is None:
            raise OutOfOrder(
                self.nothing_yet or f"%{self.magic} has not been started yet",
                fix=f"Run first, in a cell above: {self.first_line()}",
            )
        if self.stale:
            over = " and ".join(str(spec) for spec in self.task.specs.values())
            print(f"The last %{self.magic} start failed: this is still the task before it, over {over}.")
        self.task.choose(vars(arguments))
        return self.task

    def first_line(self) -> str:
        """The line to start with: over the graphs that are open, where there are as many as inputs."""
        names = list(self.session.graphs)
        wanted = [one.name.upper() for one in self.agent.inputs]
        words = names[: len(wanted)] if len(names) >= len(wanted) and self._takes_graphs() else wanted
        return " ".join([f"%{self.magic} start", *words])

    def _takes_graphs(self) -> bool:
        return all(one.kind in ("graph", "ontology") for one in self.agent.inputs)

    def progress(self) -> Progress:
        """A line for the stage that is about to run."""
        return Progress(live=getattr(self.shell, "kernel", None) is not None)

    def new_run(self, task: Task, tell: Callable[[Event], None]) -> Run:
        """A run for this task, kept by the session."""
        run = new_run(
            self.agent.name,
            digests_of({one.name: task.inputs[one.name] for one in self.agent.inputs}),
            parameters=task.parameters(),
            settings=self.session.settings,
            on_event=tell,
        )
        self.session.runs.append(run)
        return run

    def lend(self, task: Task, name: str) -> Any:
        """What a stage needs and the agent does not have: of the session, as it is set now."""
        match name:
            case "model":
                chosen = task.parameters()
                asks = chosen.get("judge", "auto") in ASKING or "model" in chosen.values()
                model = self.session.model() if asks else None
                return task.run.watch(model) if model is not None else None
            case "embedder":
                return self.embedder(task)
            case "index":
                return self.session.index(str(task.parameters().get("index", "")))
            case "settings":
                return self.session.settings
            case "remember":
                return lambda asked: remembering(asked, self.session.settings)
        raise KeyError(name)

    def watched(self, task: Task, value: Any) -> Any:
        """What the agent provides; a judge is noted by the run and tells how many calls it is about to make."""
        if isinstance(value, Judge):
            return task.run.watch_judge(announced(value, task.run.progress))
        return value

    def embedder(self, task: Task) -> Embedder:
        """The embedder the task names, or the settings'; it tells the run how far it is."""
        named = str(task.parameters().get("embedder", ""))
        embedder = self.session.embedder(named, many=self.agent.name == "ontology_matching")
        if isinstance(embedder, CachedEmbedder):
            embedder.on_progress = lambda done, total: task.run.progress(done, total, "texts embedded")
        return embedder

    def suggestions(self, name: str) -> Sequence[str]:
        """Words that fit an input or option: open graphs, our own data, names of backends."""
        for one in self.agent.inputs:
            if one.name == name:
                ours = one.suggestions or [f"huts:{own}" for own in huts.FILES]
                return (*self.session.graphs, *ours) if one.kind in ("graph", "ontology") else tuple(ours)
        return {"embedder": ("local", "characters", "tiny"), "index": ("memory",)}.get(name, ())

    def current(self, method: Verb) -> dict[str, object]:
        """What the task under way has set, else defaults and what the settings say: what a form starts from."""
        settings, task = self.session.settings, self.task
        values: dict[str, object] = {option.name: option.default for option in self.agent.knobs()}
        if task is not None:
            values |= task.parameters() | task.specs
        if method.verb == "start":
            names = [*self.session.graphs, *([""] * len(self.agent.inputs))]
            values |= dict(zip((one.name for one in self.agent.inputs), names, strict=False))
        for name in ("embedder", "index"):
            if name in values:
                values[name] = values[name] or getattr(settings, name)
        return values


class options_of(argument):  # lower case as IPython's own decorators are
    """Decorates a verb with options of an agent; one not given on the line stays absent."""

    def __init__(self, knobs: Iterable[Option]) -> None:
        self.knobs = tuple(knobs)

    def add_to_parser(self, parser: argparse.ArgumentParser, group: Any) -> None:
        """Called by IPython when it builds the verb's parser."""
        for option in self.knobs:
            add_option(parser, option)


def options_from(arguments: Iterable[argument]) -> Callable[[Any], Any]:
    """Decorates a verb with these arguments."""

    def decorate(method: Any) -> Any:
        for one in reversed(list(arguments)):
            method = one(method)
        return method

    return decorate


def magics_of(agent: Agent) -> type[AgentMagics]:
    """The magic of an agent of which nothing is written by hand."""
    name = "".join(part.capitalize() for part in agent.magic.split("_")) + "Magics"
    return type(name, (AgentMagics,), {"__doc__": f"The ``%{agent.magic}`` magic."}, agent=agent)


def _verbs(agent: Agent) -> Iterable[tuple[str, Verb]]:
    """The verbs an agent implies; each calls the method of its name, which a subclass may replace."""
    magic, every = f"%{agent.magic}", options_of(agent.knobs())
    inputs = [argument(one.name, metavar=one.name.upper(), help=one.help) for one in agent.inputs]
    if agent.begins == "start":
        starts = agent.start_examples or (" ".join([f"{magic} start", *(one.name.upper() for one in agent.inputs)]),)
        yield _verb(agent, "start", agent.start_help, starts, *inputs, every)
    for stage in agent.stages:
        if not stage.apart:
            examples, own = stage.examples or (f"{magic} {stage.name}",), options_of(agent.knobs(stage.options))
            yield _verb(agent, stage.name, stage.summary, examples, own)
    yield _verb(agent, "run", "Run all stages, from the beginning.", (f"{magic} run",), every)
    if agent.evaluate is not None:
        file = argument("reference", metavar="FILE", help="what to compare with")
        yield _verb(agent, "evaluate", "Compare with a reference.", (f"{magic} evaluate FILE",), file)
    if agent.explain is not None:
        item = argument("item", metavar="ITEM", nargs="+", help="what it is called")
        text = "Show what is known of one item, and why it came out as it did."
        yield _verb(agent, "explain", text, (f"{magic} explain ITEM",), item)
    if agent.review is not None:
        text = f"Answer what the judge could not decide; {magic} {agent.review.stages[0]} then takes your answers over."
        lines = (f"{magic} review", f"{magic} review --list --below 0.7", f"{magic} review --accept ITEM 2 --who Ada")
        yield _verb(agent, "review", text, lines, *review_arguments(agent))
    if agent.exports:
        file = argument("file", metavar="FILE", help=f"its suffix decides: {', '.join(agent.exports)}")
        line = f"{magic} export result{next(iter(agent.exports))}"
        yield _verb(agent, "export", "Write the result to a file other tools read.", (line,), file)
    text = "Show the run so far: every step, model call and judgement, with what they took."
    yield _verb(agent, "trace", text, (f"{magic} trace",))


def _verb(agent: Agent, name: str, text: str, examples: Sequence[str], *arguments: argument) -> tuple[str, Verb]:
    """A verb with these arguments: it runs the stage of its name, or else calls the method."""

    def called(self: AgentMagics, parsed: argparse.Namespace) -> Any:
        stage = name in [each.name for each in agent.stages]
        return self.run_stage(name, parsed) if stage else getattr(self, name)(parsed)

    called.__name__ = called.__qualname__ = f"{agent.magic}_{name}"
    called.__doc__ = text
    return name, verb(f"{agent.magic} {name}", *examples)(options_from(arguments)(called))
