"""An agent as one value.

A package exports ``AGENT``: its inputs, stages and options. The magic, the command, the form,
completion, the panel, the report and the MCP tool are made from it. Stages are plain typed
functions that name their arguments, which a ``kgnb.tasks.task.Task`` finds: the value of an earlier
stage, an input, an options object, or something that is opened for it (what the agent
``provides``, and for all agents ``model``, ``embedder``, ``index``, ``settings``, ``run``).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from kgnb.agents.options import OptionInfo, described, given_of, names_of
from kgnb.errors import KgnbError

if TYPE_CHECKING:
    from kgnb.judging import Decisions, Judge

SHARED = ("model", "writer", "embedder", "index", "settings", "remember", "run")
"""What is opened for the stages of every agent; ``writer`` is the model for texts, and ``remember``
wraps a judge so that its model is never asked the same twice.
"""
KINDS = ("graph", "ontology", "file", "folder", "text", "flag", "value")
"""How an input is read: ``value`` is a Python object, which only a script can give."""


def first_sentence(docstring: str | None) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join((docstring or "").strip().partition("\n\n")[0].split())


class later:  # lower case as a function, which it stands for
    """A function that is imported when it is called, so that an agent can be described without
    loading what it works with.

    >>> later("textwrap:dedent")("  huts")
    'huts'
    """

    def __init__(self, place: str) -> None:
        self._place = place
        self.__name__ = place.rpartition(":")[2]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function returns."""
        return self.__wrapped__(*args, **kwargs)

    @cached_property
    def __wrapped__(self) -> Callable[..., Any]:  # where inspect looks for it
        found: Callable[..., Any] = getattr(
            import_module(self._place.partition(":")[0]), self.__name__
        )
        return found


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
    """What an agent works on.

    Args:
        kind: how it is read, one of ``KINDS``.
        help: what it may be; without a full stop.
        suggestions: words that completion and forms offer.
        optional: it may be left out, and is then ``default``.
        many: several may be given.
        named: it is given by its name, ``--seeds FILE``, not by its place on the line.
        choices: all it may be.
        flag: its name on a line where that differs, or several: ``-e --entity``.
        metavar: what stands for it in help.
        stage: the stage whose verb takes it in a notebook; by default the first verb does.
        leads: the verb of its stage takes it by its place, and needs it.
        read: makes what a stage works with of what was opened.
        local: only a person or a script may give it: it names code, or a place to write.
        written: a complete run writes its result there, so that a command does not print it.

    Raises:
        ValueError: there is no such kind, or a required input is named or has a default.
    """

    name: str
    kind: str
    help: str
    suggestions: tuple[str, ...] = ()
    optional: bool = False
    many: bool = False
    default: Any = None
    named: bool = False
    choices: tuple[str, ...] = ()
    flag: str = ""
    metavar: str = ""
    stage: str = ""
    leads: bool = False
    read: Callable[[Any], Any] | None = None
    local: bool = False
    written: bool = False

    def __post_init__(self) -> None:
        # as agents wrote it whose help went to argparse as it was
        object.__setattr__(self, "help", self.help.replace("%%", "%"))
        if self.kind not in KINDS:
            raise ValueError(f"input {self.name}: there is no kind {self.kind}")
        if not self.optional and (self.named or self.default is not None):
            raise ValueError(f"input {self.name}: one that is named or has a default is optional")

    @property
    def flags(self) -> list[str]:
        """Its names on a line, the long one last: ``--open-world``."""
        return self.flag.split() or [f"--{self.name.replace('_', '-')}"]

    @property
    def placeholder(self) -> str:
        """What stands for it in help."""
        words = {"file": "FILE", "folder": "FOLDER", "graph": "FILE", "ontology": "FILE"}
        return self.metavar or (words.get(self.kind, "TEXT") if self.named else self.name.upper())


@dataclass(frozen=True)
class Output:
    """A file beside the result that a command writes on request: ``--ranking FILE.tsv``.

    Args:
        write: its text, from the task once it has run.
        needs: the input without which there is nothing to write.
        check: raises, before anything is computed, where it cannot be written for this task.
    """

    name: str
    help: str
    write: Callable[[Any], str]
    metavar: str = "FILE"
    needs: str = ""
    check: Callable[[Any], None] | None = None


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
        return self.help or first_sentence(inspect.unwrap(self.function).__doc__)


@dataclass(frozen=True)
class Review:
    """The review of a stage's answers by a person, each with its ``question`` and ``verdict``.

    Decisions are stored in the file that the agent's option ``decisions`` names; the agent's judge
    has to obey them, for instance by ``kgnb.judging.overridden``.

    Args:
        stages: the judging stages; the last one that has been run is reviewed. Run again, it
            applies the decisions.
        answers: the answers in the stage's value.
        decisions: opens the file of decisions.
        settled: makes a judge of it that answers what people have decided.
        file: the default file.
        relations: possible decisions on a candidate, by their option on the line; ``none`` rejects
            all candidates.
    """

    stages: tuple[str, ...]
    answers: Callable[[Any], Sequence[Any]]
    decisions: Callable[[str], Decisions] = later("kgnb.judging:Decisions")
    settled: Callable[[Any], Judge[Any]] = later("kgnb.judging:PersonJudge")
    file: str = "decisions.jsonl"
    relations: Mapping[str, str] = field(default_factory=lambda: {"accept": "equivalent"})
    none: str = "different"


@dataclass(frozen=True)
class Agent:
    """An agent that describes itself.

    Args:
        name: the name of its runs: ``ontology_matching``.
        magic: its line magic, without ``%``; ``command`` is its ``kgnb`` command, by default the
            same.
        stages: in order.
        options: its options classes (see ``options``), by the name that stages use for them.
        provides: further arguments of stages, made from the task: ``{"judge": lambda task: ...}``.
        task: ``MODULE:CLASS`` of its own kind of ``kgnb.tasks.task.Task``, which may open more than
            the agent provides.
        judges: those of ``provides`` that answer questions; they are made before a run does any
            work.
        prepare: changes the opened inputs before the first stage.
        reopens: options that decide how inputs are opened.
        internal: options that no verb or command takes, as they follow from something else.
        evaluate: measures the task against the reference with this name; returns something
            displayable.
        explain: what the task knows about an item; returns something displayable.
        exports: writers by suffix, of the last stage's value or what the task has in its place.
        printed: the suffix of what a command prints where no file is named; by default the value's
            own text.
        outputs: further files.
        review: what a person may decide; the agent then has the option ``decisions``.
        asked: further inputs that change with every call, such as a question; notebooks have their
            own verbs for it.
        begins: the verb that names the inputs, if it is not ``start``.
        start_help: one line of help for ``start``; ``start_examples`` are lines to copy.
        about: the help of the command after its first line; ``examples`` are commands to copy.

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
    task: str = ""
    judges: tuple[str, ...] = ()
    prepare: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    reopens: tuple[str, ...] = ()
    internal: tuple[str, ...] = ()
    evaluate: Callable[[AgentTask, str], Any] | None = None
    explain: Callable[[AgentTask, str], Any] | None = None
    exports: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    printed: str = ""
    outputs: tuple[Output, ...] = ()
    review: Review | None = None
    asked: tuple[Input, ...] = ()
    begins: str = "start"
    start_help: str = "Name what to work on; what is set here holds for all stages."
    start_examples: tuple[str, ...] = ()
    about: str = ""
    examples: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        knobs = [name for cls in self.options.values() for name in names_of(cls)]
        knobs = [name for name in knobs if name not in self.internal]
        inputs = [one.name for one in (*self.inputs, *self.asked)]
        stages = [one.name for one in self.stages]
        for names in (knobs + inputs, inputs + stages + list(self.options)):
            if twice := {name for name in names if names.count(name) > 1}:
                raise ValueError(
                    f"agent {self.name}: {', '.join(sorted(twice))} stands for two things"
                )
        known = {*inputs, *self.options, *self.provides, *SHARED}
        for stage in self.stages:
            missing = [
                name for name in (*stage.needs, *stage.keywords.values()) if name not in known
            ]
            # an own kind of task opens more, and says itself what it lacks
            if missing and not self.task:
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

    @property
    def taken(self) -> tuple[Input, ...]:
        """All inputs, those that change with every call included."""
        return (*self.inputs, *self.asked)

    @property
    def first(self) -> tuple[Input, ...]:
        """The inputs that the first verb of a notebook takes."""
        return tuple(one for one in self.inputs if one.kind != "value" and not one.stage)

    @property
    def main(self) -> tuple[Input, ...]:
        """Those of them that are given by their place: what the agent is about."""
        return tuple(one for one in self.first if not one.named)

    @property
    def remote(self) -> tuple[Input, ...]:
        """The inputs that a client elsewhere may give."""
        return tuple(one for one in self.taken if one.kind != "value" and not one.local)

    def specs(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Every input as given, by name; its default where it is left out, or is None or "".

        Raises:
            ValueError: there is no input of this name, or one is none of its choices.
        """
        names = [one.name for one in self.taken]
        if strange := [name for name in given if name not in names]:
            raise ValueError(
                f"agent {self.name} takes the inputs {', '.join(names)}, not {strange[0]}"
            )
        return {one.name: _spec(one, given.get(one.name)) for one in self.taken}

    def refuse_missing(self, given: Mapping[str, Any]) -> None:
        """ValueError, naming what a complete run needs, where an input is missing."""
        required = [one.name for one in self.taken if not one.optional]
        missing = [name for name in required if given.get(name) is None]
        if missing:
            raise ValueError(
                f"agent {self.name} takes the inputs {', '.join(required)}: {missing[0]} is missing"
            )

    def schema(self) -> dict[str, Any]:
        """The arguments of a call of the whole agent, its inputs and options, as JSON Schema (MCP,
        2020-12).
        """
        from pydantic import TypeAdapter  # slow to import

        properties = {one.name: _schema(one) for one in self.remote}
        for cls in self.options.values():
            options = TypeAdapter(cls).json_schema()["properties"]
            properties |= {
                name: option for name, option in options.items() if name not in self.internal
            }
        return {
            "type": "object",
            "properties": properties,
            "required": [one.name for one in self.remote if not one.optional],
            "additionalProperties": False,
        }


def _spec(one: Input, value: Any) -> Any:
    if value is None or (one.optional and isinstance(value, str) and not value):
        return one.default
    if one.choices and value not in one.choices:
        raise ValueError(f"{one.name} is {value!r}: choose {' or '.join(one.choices)}")
    return value


def _schema(one: Input) -> dict[str, Any]:
    """An input as JSON Schema: a text, one of several texts, texts, or true and false."""
    about: dict[str, Any] = {"description": one.help}
    if one.kind == "flag":
        return {"type": "boolean", "default": bool(one.default), **about}
    text: dict[str, Any] = {"type": "string"}
    if one.choices:
        text["enum"] = list(one.choices)
    if one.many:
        return {"anyOf": [text, {"type": "array", "items": text}], **about}
    default = {"default": one.default} if isinstance(one.default, str) else {}
    return text | default | about
