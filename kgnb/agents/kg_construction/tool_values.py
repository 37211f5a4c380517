"""Tools, their parameters, and the results of calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args
from typing import Literal as OneOf

from kgnb.kg.terms import Term

ToolKind = OneOf["find", "create", "add", "replace", "retract", "inspect", "missing", "finish"]
TOOL_KINDS: tuple[ToolKind, ...] = get_args(ToolKind)
WRITING: tuple[ToolKind, ...] = ("create", "add", "replace", "retract")


@dataclass(frozen=True)
class ToolParameter:
    """One argument of a tool, and how it is turned into a term.

    ``kind`` is label, entity, value, number, unit, language, text or any (any JSON scalar).
    ``choices`` is a closed list of names and terms; ``aliases`` are other spellings with the name
    each stands for.
    """

    name: str
    kind: str
    required: bool = False
    description: str = ""
    property: str = ""  # IRI
    datatypes: tuple[str, ...] = ()  # of a value, the likeliest first
    classes: tuple[str, ...] = ()  # of an entity
    choices: tuple[tuple[str, Term], ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ToolDefinition:
    """One tool: its description for models, and the schema of its arguments (JSON Schema 2020-12).

    ``description`` says what the tool does and which constraints are enforced; ``guidance``, from
    labels and comments, is never enforced.
    """

    name: str  # ^[a-zA-Z0-9_-]{1,64}$
    description: str
    input_schema: Mapping[str, Any]
    kind: ToolKind
    term: str  # IRI of the class or property; "" for inspect, missing and finish
    label: str = ""  # what a person calls the term
    constraints: tuple[str, ...] = ()  # hard, in plain words
    guidance: str = ""  # soft
    parameters: tuple[ToolParameter, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class RefusedArgument:
    """An argument that breaks a rule, before it is said in words."""

    rule: str  # a key of ``hints.RULES``
    name: str  # the argument
    got: Any
    detail: str = ""  # what its reader found out: the unit that is meant, why it is impossible
    allowed: tuple[str, ...] = ()  # what is there, where that is not said by the tool


@dataclass(frozen=True, slots=True)
class Violation:
    """One constraint that a call or the graph violates, and how to repair it."""

    path: str  # the argument or the property it is about
    constraint: str  # its name, as ``ToolPack.counts`` counts it: range, max, one of, ...
    got: str
    allowed: tuple[
        str, ...
    ] = ()  # what would be accepted, the likeliest first; empty where that is no list
    hint: str = ""
    focus: str = ""  # IRI of the entity that violates it
    component: str = ""  # IRI of the SHACL constraint component, where there is one
    shape: str = ""  # IRI of the shape that states it

    def as_json(self) -> dict[str, Any]:
        """The five fields a model is told."""
        told = {"path": self.path, "constraint": self.constraint, "got": self.got}
        return {**told, "allowed": list(self.allowed), "hint": self.hint}


@dataclass(frozen=True)
class CallResult:
    """The result of a call. Nothing was written unless ``ok``."""

    ok: bool
    iri: str = ""  # the entity created, found or written about
    created: bool = False  # it was not there before
    violations: tuple[Violation, ...] = ()
    retryable: bool = False  # a call with other arguments may succeed
    data: Any = None  # the answer of find, inspect and missing: plain JSON
    triples: int = 0  # facts newly written, without provenance; below 0: retracted

    @classmethod
    def refused(cls, *violations: Violation, iri: str = "") -> CallResult:
        """A call that wrote nothing; with other arguments it may."""
        return cls(False, iri, violations=violations, retryable=True)

    @property
    def repeated(self) -> bool:
        """Whether it was refused only because its facts are there already."""
        return (
            not self.ok
            and not self.retryable
            and any(one.constraint == "repeat" for one in self.violations)
        )

    def as_json(self) -> dict[str, Any]:
        """The answer for a model or an MCP client; violations with the same hint are listed once."""
        found: dict[str, Any] = {"ok": self.ok, "iri": self.iri, "created": self.created}
        told = {one.hint or one: one for one in reversed(self.violations)}
        found |= {
            "violations": [one.as_json() for one in reversed(told.values())],
            "retryable": self.retryable,
        }
        return found if self.data is None else found | {"data": self.data}


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What an outside tool answered a reader; ``text`` is plain text or JSON."""

    tool: str
    arguments: Mapping[str, Any]
    text: str
    time: str  # when it was given, in UTC


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a fact: a document's name or IRI, and the characters ``start`` up to ``end`` of
    its text; or an outside tool's ``answer``, asked for while that document was read.
    """

    document: str
    start: int | None = None
    end: int | None = None
    answer: ToolAnswer | None = None

    def __post_init__(self) -> None:
        if not self.document.strip():
            raise ValueError("a source needs the name of its document")
        if (self.start is None) != (self.end is None):
            raise ValueError("give both start and end of a span, or neither")
        if self.start is not None and self.end is not None and not 0 <= self.start <= self.end:
            raise ValueError(f"a span runs from {self.start} to {self.end}: 0 <= start <= end")


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of the task: the classes it is about, what it reads, what it writes, and the tools
    it needs.
    """

    number: int  # from 1
    name: str
    classes: tuple[str, ...]  # IRIs of the entities made in this step
    reads: tuple[str, ...]  # IRIs of classes whose entities must be there already
    writes: tuple[str, ...]  # IRIs of the classes and properties written
    groups: Mapping[str, tuple[str, ...]]  # names of tools, by kind
    goal: str = ""  # that a person wrote into the plan

    @property
    def usual_goal(self) -> str:
        """The goal of a step in whose plan nobody wrote another."""
        return f"Find every {self.name} in the text, create it, and state what is said of it."

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of its tools."""
        return tuple(name for names in self.groups.values() for name in names)

    def as_json(self) -> dict[str, Any]:
        """The step in ``plan.json``."""
        lists = {name: list(getattr(self, name)) for name in ("classes", "reads", "writes")}
        groups = {kind: list(names) for kind, names in self.groups.items()}
        return {
            "step": self.number,
            "name": self.name,
            "goal": self.goal or self.usual_goal,
            **lists,
            "tool_groups": groups,
        }
