"""An agent as one value.

A package exports ``AGENT``: its inputs, stages and options. The magic, the command, the form,
completion, the panel, the report and the MCP tool are made from it. Stages are plain typed
functions that name their arguments, which a ``kgnb.tasks.task.Task`` finds: the value of an earlier
stage, an input, an options object, something the agent ``provides``, or something that the task
lends (``model``, ``embedder``, ``index``, ``settings``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import TypeAdapter

from kgnb.agents.options import OptionInfo, described, given_of, names_of
from kgnb.errors import KgnbError
from kgnb.judging import Decisions, Judge, PersonJudge

LENT = ("model", "writer", "embedder", "index", "settings", "remember", "run")
"""Names that every task lends; ``writer`` is the model for texts, and ``remember`` wraps a judge so
that its model is never asked the same twice.
"""


def first_sentence(docstring: str | None) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join((docstring or "").strip().partition("\n\n")[0].split())


class OutOfOrder(KgnbError):
    """A stage was called before the one it builds on."""


class AgentTask(Protocol):
    """What an agent's own functions may ask of a task."""

    agent: Agent
    values: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        """The argument of a stage with this name."""

    def option(self, name: str) -> Any:
        """The value of one option."""

    def need(self, stage: str) -> Any:
        """The value of a stage; OutOfOrder if it has not been run."""

    def do(self, stage: str, **instead: Any) -> Any:
        """Runs one stage and returns its value; ``instead`` replaces arguments of the stage, by
        name.
        """


@dataclass(frozen=True)
class Input:
    """An input named at the start; ``kind`` decides how it is opened: graph, ontology, file, folder
    or text.
    """

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
        return self.help or first_sentence(self.function.__doc__)


@dataclass(frozen=True)
class Review:
    """The review of a stage's answers by a person, each with its ``question`` and ``verdict``.

    Decisions are stored in the file that the agent's option ``decisions`` names; the agent's judge
    has to obey them, for instance by ``kgnb.judging.overridden``.

    Args:
        stages: the judging stages; the last one that has been run is reviewed. Run again, it
        applies the decisions. answers: the answers in the stage's value.
        decisions: opens the file of decisions.
        settled: makes a judge of it that answers what people have decided.
        file: the default file.
        relations: possible decisions on a candidate, by their option on the line; ``none`` rejects
        all candidates.
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
        magic: its line magic, without ``%``; ``command`` is its ``kgnb`` command, by default the
        same. stages: in order.
        options: its options classes (see ``options``), by the name that stages use for them.
        provides: further arguments of stages, made from the task: ``{"judge": lambda task: ...}``.
        lent: names that only the agent's own kind of task lends.
        judges: those of ``provides`` that answer questions; they are made before a run does any
        work. prepare: changes the opened inputs before the first stage.
        reopens: options that decide how inputs are opened.
        internal: options that no verb or command takes, as they follow from something else.
        evaluate: measures the task against the reference with this name; returns something
        displayable. explain: what the task knows about an item; returns something displayable.
        exports: writers of the last stage's value, by suffix.
        review: what a person may decide; the agent then has the option ``decisions``.
        asked: further inputs that change with every call, such as a question; notebooks have their
        own verbs for it. begins: the verb that names the inputs, if it is not ``start``.
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
    provides: Mapping[str, Callable[[AgentTask], Any]] = field(default_factory=dict)
    lent: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    prepare: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    reopens: tuple[str, ...] = ()
    internal: tuple[str, ...] = ()
    evaluate: Callable[[AgentTask, str], Any] | None = None
    explain: Callable[[AgentTask, str], Any] | None = None
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
                raise ValueError(
                    f"agent {self.name}: {', '.join(sorted(twice))} stands for two things"
                )
        known = {*inputs, *self.options, *self.provides, *self.lent, *LENT}
        for stage in self.stages:
            if missing := [
                name for name in (*stage.needs, *stage.keywords.values()) if name not in known
            ]:
                raise ValueError(
                    f"agent {self.name}: {stage.name} needs {missing[0]}, which nothing before it provides"
                )
            if strange := [name for name in stage.options if name not in knobs]:
                raise ValueError(
                    f"agent {self.name}: {stage.name} reads the option {strange[0]}, which does not exist"
                )
            known.add(stage.name)
        if self.review is not None and "decisions" not in knobs:
            raise ValueError(
                f"agent {self.name}: a review needs the option decisions, the file that stores decisions"
            )

    @property
    def sequence(self) -> tuple[str, ...]:
        """The names of the stages of a complete run, in order."""
        return tuple(stage.name for stage in self.stages if not stage.apart)

    def stage(self, name: str) -> Stage:
        """The stage with this name; KeyError if there is none."""
        return {stage.name: stage for stage in self.stages}[name]

    def knobs(self, names: Sequence[str] | None = None) -> tuple[OptionInfo, ...]:
        """The options that a person can set, all or those with these names, in their original
        order.
        """
        every = (option for cls in self.options.values() for option in described(cls))
        return tuple(
            one
            for one in every
            if one.name not in self.internal and (names is None or one.name in names)
        )

    def chosen(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options objects with these values, and defaults for the rest."""
        return {key: cls(**given_of(cls, given)) for key, cls in self.options.items()}

    def schema(self) -> dict[str, Any]:
        """The arguments of a call of the whole agent, its inputs and options, as JSON Schema (MCP,
        2020-12).
        """
        taken = (*self.inputs, *self.asked)
        properties = {
            one.name: {"type": "string", "description": one.help.replace("%%", "%")}
            for one in taken
        }
        for cls in self.options.values():
            options = TypeAdapter(cls).json_schema()["properties"]
            properties |= {
                name: option for name, option in options.items() if name not in self.internal
            }
        required = [one.name for one in taken]
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }
