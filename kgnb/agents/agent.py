"""An agent as one value, and a task: one use of it, with inputs, options and the values of its stages so far.

A package exports ``AGENT``: its inputs, stages and options. The magic, the command, the form, completion, the panel,
the report and the MCP tool are made from it. Stages are plain typed functions that name their arguments, which ``Task``
finds: the value of an earlier stage, an input, an options object, something the agent ``provides``, or something that
the shell lends (``model``, ``embedder``, ``index``, ``settings``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from pydantic import TypeAdapter

from kgnb.agents.options import OptionInfo, described, given_of, names_of
from kgnb.errors import BackendError, KgnbError
from kgnb.judging import Decisions, Judge, PersonJudge
from kgnb.run import Event, Run, failures

LENT = ("model", "embedder", "index", "settings", "remember", "run")
"""Names that every shell lends; ``remember`` wraps a judge so that its model is never asked the same twice."""


class OutOfOrder(KgnbError):
    """A stage was called before the one it builds on."""


def check_heard(run: Run) -> None:
    """Ends a stage whose model failed on some questions in an error; its value is kept.

    Raises:
        BackendError: the model's server failed on some questions of the last stage.
    """
    if failed := failures(run.steps[-1:]):
        stage = run.steps[-1].name
        raise BackendError(failed, service="", fix=f"What was judged is kept. Run {stage} again: it asks the rest.")


@dataclass(frozen=True)
class Input:
    """An input named at the start; ``kind`` decides how it is opened: graph, ontology, file, folder or text."""

    name: str
    kind: str
    help: str
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stage:
    """One stage: a plain function, and the names of its arguments.

    Args:
        needs: its positional arguments.
        keywords: its keyword arguments, by parameter.
        options: the options it reads, which are those its verb takes.
        help: one line; by default the first line of the function's docstring.
        apart: it is not part of a complete run.
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
        """The name of its function, used everywhere."""
        return self.function.__name__

    @property
    def summary(self) -> str:
        """One line of help."""
        return self.help or (self.function.__doc__ or "").strip().partition("\n")[0]


@dataclass(frozen=True)
class Review:
    """The review of a stage's answers by a person, each with its ``question`` and ``verdict``.

    Decisions are stored in the file that the agent's option ``decisions`` names; the agent's judge has to obey them,
    for instance by ``kgnb.judging.overridden``.

    Args:
        stages: the judging stages; the last one that has been run is reviewed. Run again, it applies the decisions.
        answers: the answers in the stage's value.
        decisions: opens the file of decisions.
        settled: makes a judge of it that answers what people have decided.
        file: the default file.
        relations: possible decisions on a candidate, by their option on the line; ``none`` rejects all candidates.
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
        name: the name of its runs: ``ontology_matching``.
        magic: its line magic, without ``%``; ``command`` is its ``kgnb`` command, by default the same.
        stages: in order.
        options: its options classes (see ``options``), by the name that stages use for them.
        provides: further arguments of stages, made from the task: ``{"judge": lambda task: ...}``.
        lent: names that only a shell of its own lends.
        judges: those of ``provides`` that answer questions; they are made before a run does any work.
        prepare: changes the opened inputs before the first stage.
        reopens: options that decide how inputs are opened.
        internal: options that no verb or command takes, as they follow from something else.
        evaluate: measures the task against the reference with this name; returns something displayable.
        explain: what the task knows about an item; returns something displayable.
        exports: writers of the last stage's value, by suffix.
        review: what a person may decide; the agent then has the option ``decisions``.
        asked: further inputs that change with every call, such as a question; notebooks have their own verbs for it.
        begins: the verb that names the inputs, if it is not ``start``.
        start_help: one line of help for ``start``; ``start_examples`` are lines to copy.

    Raises:
        ValueError: a name is used twice, or a stage needs a name that is unknown.
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
                raise ValueError(
                    f"agent {self.name}: {stage.name} needs {missing[0]}, which nothing before it provides"
                )
            if strange := [name for name in stage.options if name not in knobs]:
                raise ValueError(f"agent {self.name}: {stage.name} reads the option {strange[0]}, which does not exist")
            known.add(stage.name)
        if self.review is not None and "decisions" not in knobs:
            raise ValueError(f"agent {self.name}: a review needs the option decisions, the file that stores decisions")

    @property
    def sequence(self) -> tuple[str, ...]:
        """The names of the stages of a complete run, in order."""
        return tuple(stage.name for stage in self.stages if not stage.apart)

    def stage(self, name: str) -> Stage:
        """The stage with this name; KeyError if there is none."""
        return {stage.name: stage for stage in self.stages}[name]

    def knobs(self, names: Sequence[str] | None = None) -> tuple[OptionInfo, ...]:
        """The options that a person can set, all or those with these names, in their original order."""
        every = (option for cls in self.options.values() for option in described(cls))
        return tuple(one for one in every if one.name not in self.internal and (names is None or one.name in names))

    def chosen(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options objects with these values, and defaults for the rest."""
        return {key: cls(**given_of(cls, given)) for key, cls in self.options.items()}

    def schema(self) -> dict[str, Any]:
        """The arguments of a call of the whole agent, its inputs and options, as JSON Schema (MCP, 2020-12)."""
        taken = (*self.inputs, *self.asked)
        properties = {one.name: {"type": "string", "description": one.help.replace("%%", "%")} for one in taken}
        for cls in self.options.values():
            options = TypeAdapter(cls).json_schema()["properties"]
            properties |= {name: option for name, option in options.items() if name not in self.internal}
        required = [one.name for one in taken]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


class Listener(Protocol):
    """A display of a running stage."""

    def event(self, event: Event) -> None:
        """Shows one event of the run."""

    def clear(self) -> None:
        """Removes the display."""


class Task:
    """An agent's inputs and options, and the values of its stages so far.

    A stage's value is kept only when the stage is finished: an error or Stop leaves the earlier values as they are.

    Args:
        specs: the inputs as given, by name.
        options: the options objects, by the agent's names for them.
        opener: opens the inputs under the current options.
        lend: returns the things the agent does not have itself, by name.
        new_run: makes a run for this task that passes its events to a function.
        watch: wraps things the agent provides before a stage gets them, so that the run records a judge's verdicts.
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
        self.dropped: tuple[str, ...] = ()  # by the last stage: those built on an older value of it
        self._opener, self._lend, self._new_run, self._watch = opener, lend, new_run, watch
        self._listener: Listener | None = None
        self.inputs = self._open()
        self.run = new_run(self, self._tell)

    def _open(self) -> dict[str, Any]:
        opened = self._opener(self)
        return self.agent.prepare(opened) if self.agent.prepare else opened

    def begin_again(self) -> None:
        """Starts a new run with the current budget; values stay until their stage is run again."""
        self.run = self._new_run(self, self._tell)

    def option(self, name: str) -> Any:
        """The value of one option."""
        return next(getattr(one, name) for one in self.options.values() if name in names_of(type(one)))

    def parameters(self) -> dict[str, Any]:
        """All options by name, as a run records them."""
        return {name: value for one in self.options.values() for name, value in asdict(one).items()}

    def choose(self, given: Mapping[str, Any]) -> None:
        """Changes options for later stages; inputs that depend on them are opened again.

        Raises:
            ValueError: a value is not allowed; then no option changes.
        """
        before = [self.option(name) for name in self.agent.reopens]
        new = {key: replace(one, **given_of(type(one), given)) for key, one in self.options.items()}
        self.options = new
        if before != [self.option(name) for name in self.agent.reopens]:
            self.inputs = self._open()
            self.values.clear()

    def __getitem__(self, name: str) -> Any:
        """The argument of a stage with this name."""
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
            OutOfOrder: it has not been run; the message says what to run first.
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
        """Runs one stage as a step of the run, keeps its value and drops those built on an older one.

        ``instead`` replaces arguments of the stage, by name.

        Raises:
            OutOfOrder: a stage that it builds on has not been run.
            BackendError: the model's server failed on some questions; the other answers are kept.
        """
        work = self.agent.stage(stage)

        def needed(name: str) -> Any:
            return instead[name] if name in instead else self[name]

        positional, keywords = list(map(needed, work.needs)), {key: needed(name) for key, name in work.keywords.items()}
        with self.telling(listener):
            value = self.run.do(work.function, *positional, **keywords)
        self.keep(stage, value)
        check_heard(self.run)
        return value

    def keep(self, stage: str, value: Any) -> Any:
        """Sets the value of a stage."""
        order = self.agent.sequence
        later = order[order.index(stage) + 1 :] if stage in order else ()
        self.dropped = tuple(name for name in later if self.values.pop(name, None) is not None)
        self.values.pop(stage, None)
        self.values[stage] = value
        if order and stage == order[-1]:
            self.run.finish()  # running a stage again reopens it
        return value

    @contextmanager
    def telling(self, listener: Listener) -> Iterator[None]:
        """Shows the run's events in this block; on failure the display is removed."""
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
