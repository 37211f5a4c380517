"""An agent as one value, and the task somebody is in the middle of with it.

A package exports ``AGENT``: its inputs, its stages in order and its options. From that value the magic, the command,
the form, completion, the panel, the report and the MCP tool are made. Stages stay plain typed functions; a stage says
by name what it works on, and ``Task`` finds it: the value of an earlier stage, an input, an options object, something
the agent ``provides``, or what the shell lends (``model``, ``embedder``, ``index``, ``settings``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from pydantic import TypeAdapter

from kgnb.agents.options import Option, described, given_of, names_of
from kgnb.errors import BackendError, KgnbError
from kgnb.judging import Decisions, Judge, PersonJudge
from kgnb.run import Event, Run, failures

LENT = ("model", "embedder", "index", "settings", "remember", "run")
"""What every shell lends: opened things, and what wraps a judge that asks a model so that it is asked nothing twice."""


class OutOfOrder(KgnbError):
    """A stage was asked for before the one it builds on."""


def check_heard(run: Run) -> None:
    """A stage whose judge was not heard on everything ends in an error, its value kept all the same.

    Raises:
        BackendError: the model's server failed on some of what the last stage asked.
    """
    if failed := failures(run.steps[-1:]):
        stage = run.steps[-1].name
        raise BackendError(failed, service="", fix=f"What was judged is kept. Run {stage} again: it asks the rest.")


@dataclass(frozen=True)
class Input:
    """Something named at the start. ``kind`` says how it is opened: graph, ontology, file, folder or text."""

    name: str
    kind: str
    help: str
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stage:
    """One stage: a plain function, and by name what it is called with.

    Args:
        needs: its positional arguments.
        keywords: its keyword arguments, by parameter.
        options: the options it reads, which are those its verb takes.
        help: what it does, in one line; by default the first line of the function's docstring.
        apart: it is no part of a run from beginning to end.
    """

    function: Callable[..., Any]
    needs: tuple[str, ...] = ()
    keywords: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    help: str = ""
    examples: tuple[str, ...] = ()
    apart: bool = False

    @property
    def name(self) -> str:
        """The name it has everywhere: that of its function."""
        return self.function.__name__

    @property
    def summary(self) -> str:
        """What it does, in one line."""
        return self.help or (self.function.__doc__ or "").strip().partition("\n")[0]


@dataclass(frozen=True)
class Review:
    """What a person may settle: answers of a stage, each with its ``question`` and ``verdict``.

    The decisions are kept in the file that the agent's option ``decisions`` names; whoever makes the agent's judge
    has them obeyed, with ``kgnb.judging.overridden`` for instance.

    Args:
        stages: those that judge; the last one that has been run is reviewed. Run again, it takes decisions over.
        answers: its answers, of the stage's value.
        decisions: opens the file of decisions; ``settled`` makes of it a judge that answers what people have decided.
        file: that file, unless another is named.
        relations: what may be decided of a candidate, by the option that says so; ``none`` is said of all of them.
    """

    stages: tuple[str, ...]
    answers: Callable[[Any], Sequence[Any]]
    decisions: Callable[[str], Decisions] = Decisions
    settled: Callable[[Any], Judge[Any]] = PersonJudge
    file: str = "decisions.jsonl"
    relations: Mapping[str, str] = field(default_factory=lambda: {"accept": "equivalent"})
    none: str = "different"


@dataclass(frozen=True)
class Agent:
    """An agent that describes itself.

    Args:
        name: what its runs are called: ``ontology_matching``.
        magic: its line magic, without ``%``; ``command`` is its ``kgnb`` command, by default the same.
        stages: in order.
        options: its options classes (see ``options``), by the name under which stages ask for them.
        provides: further things stages need, made from the task: ``{"judge": lambda task: ...}``.
        lent: what only a shell of its own can lend it.
        judges: which of what it provides answer questions: what one lacks is said before a run does any work.
        prepare: changes the opened inputs before the first stage.
        reopens: options that decide how inputs are opened.
        internal: options that no verb or command takes, for they follow from something else.
        evaluate: measures the task against the reference of this name; gives something that shows itself.
        explain: what the task knows of an item; gives something that shows itself.
        exports: writers of the last stage's value, by suffix.
        review: what a person may settle of what was judged; the agent then has the option ``decisions``.
        asked: what is named anew each time, beside the inputs: a question. Notebooks ask for it by verbs of their own.
        begins: the verb that names the inputs; a stage written by hand may do that as well.
        start_help: what ``start`` does, in one line; ``start_examples`` are lines one can copy.

    Raises:
        ValueError: two things have one name, or a stage needs what nobody has.
    """

    name: str
    magic: str
    title: str
    inputs: tuple[Input, ...]
    stages: tuple[Stage, ...]
    options: Mapping[str, type[Any]] = field(default_factory=dict)
    summary: str = ""
    command: str = ""
    provides: Mapping[str, Callable[[Task], Any]] = field(default_factory=dict)
    lent: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    prepare: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    reopens: tuple[str, ...] = ()
    internal: tuple[str, ...] = ()
    evaluate: Callable[[Task, str], Any] | None = None
    explain: Callable[[Task, str], Any] | None = None
    exports: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    review: Review | None = None
    asked: tuple[Input, ...] = ()
    begins: str = "start"
    start_help: str = "Name what to work on; what is set here holds for all stages."
    start_examples: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        knobs = [name for cls in self.options.values() for name in names_of(cls)]
        inputs, stages = [one.name for one in self.inputs], [one.name for one in self.stages]
        for names in (knobs + inputs, inputs + stages + list(self.options)):
            if twice := {name for name in names if names.count(name) > 1}:
                raise ValueError(f"agent {self.name}: {', '.join(sorted(twice))} stands for two things")
        known = {*inputs, *self.options, *self.provides, *self.lent, *LENT}
        for stage in self.stages:
            if missing := [name for name in (*stage.needs, *stage.keywords.values()) if name not in known]:
                raise ValueError(f"agent {self.name}: {stage.name} needs {missing[0]}, which nothing before it gives")
            if strange := [name for name in stage.options if name not in knobs]:
                raise ValueError(f"agent {self.name}: {stage.name} reads the option {strange[0]}, which there is not")
            known.add(stage.name)
        if self.review is not None and "decisions" not in knobs:
            raise ValueError(
                f"agent {self.name}: a person's decisions are kept in a file: it needs the option decisions"
            )

    @property
    def sequence(self) -> tuple[str, ...]:
        """The names of the stages that make a run, in order."""
        return tuple(stage.name for stage in self.stages if not stage.apart)

    def stage(self, name: str) -> Stage:
        """The stage of this name; KeyError if there is none."""
        found = next((stage for stage in self.stages if stage.name == name), None)
        if found is None:
            raise KeyError(name)
        return found

    def knobs(self, names: Sequence[str] | None = None) -> tuple[Option, ...]:
        """The options, all or those of these names, in the order they are written."""
        every = tuple(option for cls in self.options.values() for option in described(cls))
        return tuple(
            option for option in every if option.name not in self.internal and (names is None or option.name in names)
        )

    def chosen(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options objects that hold these values, and defaults elsewhere."""
        return {key: cls(**given_of(cls, given)) for key, cls in self.options.items()}

    def schema(self) -> dict[str, Any]:
        """What a call of the whole agent takes, as JSON Schema: its inputs and options (MCP, 2020-12)."""
        taken = (*self.inputs, *self.asked)
        properties = {one.name: {"type": "string", "description": one.help.replace("%%", "%")} for one in taken}
        for cls in self.options.values():
            options = TypeAdapter(cls).json_schema()["properties"]
            properties |= {name: option for name, option in options.items() if name not in self.internal}
        required = [one.name for one in taken]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


class Listener(Protocol):
    """What a shell shows of a stage at work."""

    def event(self, event: Event) -> None:
        """Takes in one event of the run."""

    def clear(self) -> None:
        """What was shown is over."""


class Task:
    """An agent's inputs and options, and how far its stages have come.

    A stage's value is kept only once the stage is through: an error or Stop leaves the earlier ones as they were.

    Args:
        opener: opens what the inputs were given as, under these options.
        specs: what each input was given as, by name.
        options: the options objects, by the agent's names for them.
        lend: gives what the agent does not have of its own, by name.
        watch: what becomes of what the agent provides before a stage gets it: a judge is noted by the run.
        new_run: makes a run for this task that tells its events to a function.
    """

    def __init__(
        self,
        agent: Agent,
        specs: Mapping[str, Any],
        options: Mapping[str, Any],
        *,
        opener: Callable[[Task], dict[str, Any]],
        lend: Callable[[Task, str], Any],
        new_run: Callable[[Task, Callable[[Event], None]], Run],
        watch: Callable[[Task, Any], Any] = lambda _task, value: value,
    ) -> None:
        self.agent, self.specs, self.options = agent, dict(specs), dict(options)
        self.values: dict[str, Any] = {}
        self.dropped: tuple[str, ...] = ()  # by the last stage: what was built on an older value of it
        self._opener, self._lend, self._new_run, self._watch = opener, lend, new_run, watch
        self._listener: Listener | None = None
        self.inputs = self._open()
        self.run = new_run(self, self._tell)

    def _open(self) -> dict[str, Any]:
        opened = self._opener(self)
        return self.agent.prepare(opened) if self.agent.prepare else opened

    def begin_again(self) -> None:
        """Starts a new run, with the budget as it is set now; the values stay until their stage is run again."""
        self.run = self._new_run(self, self._tell)

    def option(self, name: str) -> Any:
        """The value of one option."""
        return next(getattr(one, name) for one in self.options.values() if name in names_of(type(one)))

    def parameters(self) -> dict[str, Any]:
        """All options by name, as a run records them."""
        return {name: value for one in self.options.values() for name, value in asdict(one).items()}

    def choose(self, given: Mapping[str, Any]) -> None:
        """Takes other options for the stages to come; inputs are opened anew where that depends on them.

        Raises:
            ValueError: a value is not allowed; then none is taken.
        """
        before = [self.option(name) for name in self.agent.reopens]
        new = {key: replace(one, **given_of(type(one), given)) for key, one in self.options.items()}
        self.options = new
        if before != [self.option(name) for name in self.agent.reopens]:
            self.inputs = self._open()
            self.values.clear()

    def __getitem__(self, name: str) -> Any:
        """What a stage needs under this name."""
        if name in self.agent.sequence:
            return self.need(name)
        for known in (self.inputs, self.options):
            if name in known:
                return known[name]
        if name in self.agent.provides:
            return self._watch(self, self.agent.provides[name](self))
        return self.run if name == "run" else self._lend(self, name)

    def need(self, stage: str) -> Any:
        """The value of a stage.

        Raises:
            OutOfOrder: it has not been run; the message says which lines to run first.
        """
        if stage in self.values:
            return self.values[stage]
        order, magic = self.agent.sequence, self.agent.magic
        last = order.index(stage)
        first = max((at + 1 for at, name in enumerate(order[:last]) if name in self.values), default=0)
        lines = [f"%{magic} {name}" for name in order[first : last + 1]]
        raise OutOfOrder(
            f"the stage {stage} has not been run yet",
            fix=f"Run first, in a cell above: {', then '.join(lines)}"
            + (f", or all at once: %{magic} run" if last else ""),
        )

    def do(self, stage: str, listener: Listener, **instead: Any) -> Any:
        """Runs one stage as a step of the run, keeps its value and drops what was built on an older one.

        ``instead`` gives, by name, what the stage is to be called with in place of what the task has.

        Raises:
            OutOfOrder: what the stage needs is not there yet.
            BackendError: the model's server failed on the way; what it did answer is kept.
        """
        work = self.agent.stage(stage)
        needed = {
            name: instead[name] if name in instead else self[name] for name in (*work.needs, *work.keywords.values())
        }
        positional = [needed[name] for name in work.needs]
        with self.telling(listener):
            value = self.run.do(
                work.function, *positional, **{key: needed[name] for key, name in work.keywords.items()}
            )
        self.keep(stage, value)
        check_heard(self.run)
        return value

    def keep(self, stage: str, value: Any) -> Any:
        """Takes a value as that of a stage."""
        order = self.agent.sequence
        later = order[order.index(stage) + 1 :] if stage in order else ()
        self.dropped = tuple(name for name in later if self.values.pop(name, None) is not None)
        self.values.pop(stage, None)
        self.values[stage] = value
        if order and stage == order[-1]:
            self.run.finish()  # a stage run again opens it again
        return value

    @contextmanager
    def telling(self, listener: Listener) -> Iterator[None]:
        """While this lasts, the run's events are shown; the progress of what fails is taken away."""
        self._listener = listener
        try:
            yield
        except BaseException:
            listener.clear()
            raise
        finally:
            self._listener = None

    def _tell(self, event: Event) -> None:
        if self._listener is not None:
            self._listener.event(event)
