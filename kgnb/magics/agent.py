"""The magic of an agent, derived from its ``AGENT``: a verb for each stage, and the verbs every
agent has.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, cast

from IPython.display import display

from kgnb.agents.agent import Agent, OutOfOrder
from kgnb.agents.options import OptionInfo
from kgnb.cli.progress import ProgressLine
from kgnb.datasets import huts
from kgnb.errors import KgnbError
from kgnb.files import write_whole
from kgnb.magics.arguments import add_option, argument, input_argument, quote
from kgnb.magics.panel import reviews
from kgnb.magics.progress import NotebookLine, ShellLine, summary
from kgnb.magics.reviewing import Queue, actions, by_name, queue_of, review_arguments, say_found
from kgnb.magics.verbs import Verb, VerbMagics, verb
from kgnb.results.bundle import count
from kgnb.results.table import Table, TableRows, texts
from kgnb.run import Run
from kgnb.tasks.agents import kind_of
from kgnb.tasks.task import Task
from kgnb.widgets.review import Thing

T = TypeVar("T", bound=Task)


class AgentMagics(VerbMagics, Generic[T]):
    """The magic of one agent. A subclass names it (``agent=AGENT``) and may add or replace verbs."""

    agent: ClassVar[Agent]
    in_cells: ClassVar[type[Task] | None] = None  # the kind of task of a notebook, if it has one
    nothing_yet: ClassVar[str] = ""  # the error before ``start``
    stale = False  # whether the current task is older than a start that failed

    def __init_subclass__(cls, agent: Agent | None = None, **kwargs: Any) -> None:
        """Derives the verbs of the agent; verbs written by hand replace them and take their usual
        place.
        """
        if agent is not None:
            cls.agent = agent
            by_hand = {
                method.verb: method for method in vars(cls).values() if hasattr(method, "verb")
            }
            apart = [stage.name for stage in agent.stages if stage.apart]
            implied = [name for name in derived(agent) if name not in apart]
            every = {
                name: agent_verb(agent, name)(_calling(agent, name)) for name in implied
            } | by_hand
            first = ["start", *(stage.name for stage in agent.stages), "run", "evaluate", "explain"]
            last = ["review", "export", "trace"]
            order = [*first, *(name for name in every if name not in first + last), *last]
            cls.verbs = {name: every[name] for name in order if name in every}
            stages = ", ".join(dict.fromkeys((agent.begins, *agent.sequence)))
            kwargs |= {
                "magic": agent.magic,
                "doc": f"{agent.summary or agent.title}, one stage per cell: {stages}.",
            }
        super().__init_subclass__(**kwargs)

    verb_called: str = ""  # by the line that runs

    @property
    def task(self) -> T | None:
        """The current task, if any."""
        return cast(T | None, self.session.tasks.get(self.agent.name))

    def call(self, method: Verb, arguments: argparse.Namespace, line: str) -> Any:
        """Runs a verb; a line that fails leaves the options as they were."""
        task, self.verb_called = self.task, method.verb
        before, by_stage = ({}, {}) if task is None else (task.parameters(), {**task.by_stage})
        try:
            return super().call(method, arguments, line)
        except KgnbError:
            if task is not None:
                task.choose(before)
                task.by_stage = by_stage
            raise

    def start(self, arguments: argparse.Namespace) -> Any:
        """Makes a new task; if that fails, the task before it stays, and later verbs say so."""
        self.stale = self.task is not None
        task = self.new_task(arguments)
        task.check()
        self.session.tasks[self.agent.name], self.stale = task, False
        return self.started(task)

    def new_task(self, arguments: argparse.Namespace) -> T:
        """A task over the inputs the line names."""
        given = vars(arguments)
        specs = {one.name: given[one.name] for one in self.agent.inputs if one.name in given}
        chosen = self.agent.chosen(
            {one.name: given[one.name] for one in self.agent.knobs() if one.name in given}
        )
        kind = self.in_cells or kind_of(self.agent)
        return cast(T, kind(self.agent, specs, chosen, self.session))

    def take(self, stage: str, arguments: argparse.Namespace, task: T) -> None:
        """Gives a task the inputs that a stage's line names; those it leaves out are as at first."""
        for one in self.agent.inputs:
            if one.stage == stage:
                task.specs[one.name] = getattr(arguments, one.name, one.default)

    def started(self, task: T) -> Any:
        """What ``start`` shows: each input and how much is in it."""
        rows: TableRows = []
        for one in self.agent.main:
            value = task.inputs[one.name]
            counts = value.counts() if hasattr(value, "counts") else {}
            size = ", ".join(f"{number:,} {what}" for what, number in counts.items())
            rows.append([one.name, str(getattr(value, "name", value)), size])
        columns = texts(input="input", name="name", size="contains")
        return Table(
            columns, rows, caption=self.agent.title, notes=[*task.warnings(), self.next_line()]
        )

    def next_line(self) -> str:
        """What to run after ``start``."""
        return f"Next: %{self.magic} {self.agent.sequence[0]}, or everything: %{self.magic} run"

    def run_stage(self, stage: str, arguments: argparse.Namespace) -> Any:
        """Runs one stage on the values of the earlier ones, and says in one line what it did."""
        task = self.current_task(arguments)
        if stage == self.agent.sequence[0] and task.run.steps:
            task.begin_again()
        with self.progress() as progress:
            value = task.do(stage)
            line = summary(task.run.steps[-1])
            progress.say(
                line
                + (
                    f"; discarded, to be run again: {', '.join(task.dropped)}"
                    if task.dropped
                    else ""
                )
            )
        return value

    def run(self, arguments: argparse.Namespace) -> Any:
        """Runs all stages from the beginning."""
        task = self.current_task(arguments)
        task.begin_again()
        with self.progress() as progress:
            found = task.run_through()
            left = reviews(self.session, self.agent.name).items()
            waits = [
                f"{line}: {count(number, 'question')} for you" for line, number in left if number
            ]
            progress.say("; ".join([summary(*task.run.steps, name="run"), *waits]))
        return found

    def evaluate(self, arguments: argparse.Namespace) -> Any:
        """Measures the task against a reference."""
        task = self.current_task(arguments)
        assert self.agent.evaluate is not None
        return self.agent.evaluate(task, str(arguments.reference))

    def explain(self, arguments: argparse.Namespace) -> Any:
        """Shows what is known about one item."""
        assert self.agent.explain is not None
        return self.agent.explain(self.current_task(arguments), " ".join(map(str, arguments.item)))

    def export(self, arguments: argparse.Namespace) -> None:
        """Writes the last stage's value to a file, in the format of its suffix."""
        task, path = self.current_task(arguments), Path(arguments.file).expanduser()
        write_whole(path, task.written(path.name))
        print(f"wrote {path}: {task.summary()[0]}")

    def review(self, arguments: argparse.Namespace) -> Any:
        """Records the answers on the line; without any, shows the questions as a widget or a table."""
        queue = self.review_queue(arguments)
        answers = [
            (action, words)
            for action in actions(queue.review)
            if (words := getattr(arguments, action, ()))
        ]
        for action, words in answers:
            print(queue.decide(action, words, arguments.who))
        if arguments.list or not (answers or self.someone):
            return queue.table()
        return None if answers else self._review_widget(queue, arguments)

    def review_queue(self, arguments: argparse.Namespace) -> Queue:
        """What there is to review; answers are saved in the file the line names, from now on."""
        task = self.current_task(arguments)
        queue = queue_of(task, arguments.below, self.named)
        if not task.option("decisions"):
            say_found(queue.decisions)
        task.hold({"decisions": str(queue.decisions.path)})
        return queue

    def _review_widget(self, queue: Queue, arguments: argparse.Namespace) -> Any:
        """The review with its Apply, which shows the new result below it."""
        from ipywidgets import Output, VBox

        from kgnb.widgets.review import RELATIONS, ReviewQueue, ReviewWidget, WithTable

        output, review = Output(), queue.review

        def apply() -> Sequence[Any]:
            output.clear_output()
            applied = False
            with output:  # which shows an error as a cell would, and swallows it
                display(self.apply_decisions())  # type: ignore[no-untyped-call]  # IPython is untyped
                applied = True
            if not applied:
                raise ValueError("The decisions are saved, but could not be applied: see below.")
            return self.review_queue(arguments).answers

        words = dict(zip(RELATIONS, review.relations.values(), strict=False))
        rows = ReviewQueue(
            queue.answers,
            queue.decisions,
            review.settled,
            who=arguments.who,
            below=queue.below,
            nothing=queue.nothing(),
            words=words | {"different": review.none},
            apply=apply,
        )
        widget = ReviewWidget(rows, self.session.changed)
        return WithTable(VBox([widget, output]), queue.table())

    def apply_decisions(self) -> Any:
        """Runs the judging stage again, and of those after it the ones that had been run."""
        assert self.task is not None and self.agent.review is not None
        order = self.agent.sequence
        first = min(map(order.index, self.agent.review.stages))
        value = None
        for stage in [stage for stage in order[first:] if stage in self.task.values]:
            self.verb_called = stage
            value = self.run_stage(stage, argparse.Namespace())
        return self.task.result() if order[-1] in self.task.values else value

    def named(self, word: str, among: Sequence[Thing]) -> Sequence[Thing]:
        """The things under review that a word refers to."""
        return by_name(word, among)

    def trace(self, arguments: argparse.Namespace) -> Run:
        """Shows the run so far."""
        run = self.current_task(arguments).run
        if not run.steps:
            stage = f"%{self.magic} {self.agent.sequence[0]}"
            raise OutOfOrder(
                "no stage has been run yet",
                fix=f"Run one: {stage}, or everything: %{self.magic} run",
            )
        return run

    def current_task(self, arguments: argparse.Namespace) -> T:
        """The current task, with the options of this line, and of those that made what it builds on."""
        if self.task is None:
            raise OutOfOrder(
                self.nothing_yet or f"%{self.magic} has not been started yet",
                fix=f"Run this first, in a cell above: {self.first_line()}",
            )
        if self.stale:
            specs = [self.task.specs[one.name] for one in self.agent.main]
            over = " and ".join(str(spec) for spec in specs if spec is not None)
            print(
                f"The last %{self.magic} start failed; this still uses the task before it, over {over}."
            )
        order = self.agent.sequence
        stages = order if self.verb_called == "run" else [s for s in order if s == self.verb_called]
        inherited = self.task.choose_for(stages, vars(arguments))
        read = {*self.agent.stage(stages[0]).options} if len(stages) == 1 else set()
        if still := [f"{name} {value}" for name, value in inherited.items() if name in read]:
            print(f"as an earlier line said: {', '.join(still)}")
        return self.task

    def first_line(self) -> str:
        """The line to start with, naming the open graphs if there are as many as inputs."""
        names = list(self.session.graphs)
        words = [one.name.upper() for one in self.agent.main]
        if len(names) >= len(words) and all(
            one.kind in ("graph", "ontology") for one in self.agent.main
        ):
            words = [*map(quote, names[: len(words)])]
        return " ".join([f"%{self.magic} start", *words])

    @contextmanager
    def progress(self) -> Iterator[ProgressLine]:
        """A line that shows what the session's runs do in this block, and then goes."""
        there = getattr(self.shell, "kernel", None) is not None
        with NotebookLine() if there else ShellLine() as line:
            self.session.show = line.event
            try:
                yield line
            finally:
                self.session.show = None

    def suggestions(self, name: str) -> Sequence[str]:
        """Words that fit an input or option: open graphs, our own data sets, names of backends."""
        for one in self.agent.inputs:
            if one.name == name:
                ours = one.suggestions or [f"huts:{own}" for own in huts.FILES]
                return (
                    (*self.session.graphs, *ours)
                    if one.kind in ("graph", "ontology")
                    else tuple(ours)
                )
        return {"embedder": ("local", "characters", "tiny"), "index": ("memory",)}.get(name, ())

    def current(self, method: Verb) -> dict[str, object]:
        """What a form starts from: the current task's options, else defaults and settings."""
        settings, task = self.session.settings, self.task
        values: dict[str, object] = {option.name: option.default for option in self.agent.knobs()}
        if task is not None:
            values |= task.parameters() | task.specs
        if method.verb == "start":
            names = [*self.session.graphs, *([""] * len(self.agent.main))]
            values |= dict(zip((one.name for one in self.agent.main), names, strict=False))
        return values | {
            name: values[name] or getattr(settings, name)
            for name in ("embedder", "index")
            if name in values
        }


class options_of(argument):  # lower case as IPython's own decorators are
    """Decorates a verb with options of an agent; an option the line does not give stays absent."""

    def __init__(self, knobs: Iterable[OptionInfo]) -> None:
        self.knobs = tuple(knobs)

    def add_to_parser(self, parser: argparse.ArgumentParser, group: Any) -> None:
        """Called by IPython when it builds the verb's parser."""
        for option in self.knobs:
            add_option(parser, option)


@dataclass(frozen=True)
class Derived:
    """A verb that follows from an agent's description."""

    help: str
    examples: Sequence[str]
    arguments: Sequence[argument]


def derived(agent: Agent) -> dict[str, Derived]:
    """The verbs an agent has by its description, by name."""
    magic, every = f"%{agent.magic}", options_of(agent.knobs())
    found: dict[str, Derived] = {}
    first: list[argument] = [*map(input_argument, agent.first)]
    later = [one for one in agent.inputs if one.stage]
    if agent.begins == "start":
        words = [one.placeholder for one in agent.main if not one.optional]
        lines = agent.start_examples or (" ".join([f"{magic} start", *words]),)
        found["start"] = Derived(agent.start_help, lines, [*first, every])
    for stage in agent.stages:
        lines = stage.examples or (f"{magic} {stage.name}",)
        taken: list[argument] = [
            input_argument(one, leads=one.leads) for one in later if one.stage == stage.name
        ]
        taken = first if stage.name == agent.begins else taken
        arguments = [*taken, options_of(agent.knobs(stage.options))]
        found[stage.name] = Derived(stage.summary, lines, arguments)
    arguments = [*map(input_argument, later), every]
    found["run"] = Derived("Run all stages from the beginning.", [f"{magic} run"], arguments)
    if agent.evaluate is not None:
        file = argument("reference", metavar="FILE", help="what to compare with")
        found["evaluate"] = Derived(
            "Compare the result with a reference.", [f"{magic} evaluate FILE"], [file]
        )
    if agent.explain is not None:
        item = argument("item", metavar="ITEM", nargs="+", help="its name")
        text = "Show what is known about one item, and how its result came about."
        found["explain"] = Derived(text, [f"{magic} explain ITEM"], [item])
    if agent.review is not None:
        text = f"Answer what the judge could not decide; {magic} {agent.review.stages[0]} then applies your answers."
        lines = (
            f"{magic} review",
            f"{magic} review --list --below 0.7",
            f"{magic} review --accept ITEM 2 --who Ada",
        )
        found["review"] = Derived(text, lines, review_arguments(agent))
    if agent.exports:
        file = argument(
            "file", metavar="FILE", help=f"the suffix sets the format: {', '.join(agent.exports)}"
        )
        lines = tuple(f"{magic} export result{suffix}" for suffix in list(agent.exports)[:3])
        text = "Write the result to a file that other tools can read."
        found["export"] = Derived(text, lines, [file])
    text = "Show the run so far: every step, model call and judgement, and what each took."
    found["trace"] = Derived(text, [f"{magic} trace"], [])
    return found


def agent_verb(agent: Agent, name: str, *examples: str) -> Callable[[Any], Any]:
    """Makes a method a verb that the agent's description implies.

    Its docstring and ``examples`` replace the derived help; its own arguments come before the
    derived ones.
    """

    def decorate(method: Any) -> Any:
        known = derived(agent)[name]
        method.__doc__ = method.__doc__ or known.help
        method.decorators = [*reversed(known.arguments), *getattr(method, "decorators", ())]
        return verb(f"{agent.magic} {name}", *(examples or known.examples))(method)

    return decorate


def magics_of(agent: Agent) -> type[AgentMagics[Task]]:
    """The magic of an agent that needs nothing written by hand."""
    name = "".join(part.capitalize() for part in agent.magic.split("_")) + "Magics"
    return type(name, (AgentMagics,), {"__doc__": f"The ``%{agent.magic}`` magic."}, agent=agent)


def _calling(agent: Agent, name: str) -> Callable[[AgentMagics[Task], argparse.Namespace], Any]:
    """A function that runs the stage of this name, or else calls the method, which a subclass may
    replace.
    """

    def called(self: AgentMagics[Task], parsed: argparse.Namespace) -> Any:
        stage = name in [each.name for each in agent.stages]
        return self.run_stage(name, parsed) if stage else getattr(self, name)(parsed)

    called.__name__ = called.__qualname__ = f"{agent.magic}_{name}"
    return called
