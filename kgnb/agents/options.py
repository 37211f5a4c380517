"""Options: frozen dataclasses checked by pydantic, with one description of their fields for every
interface.

An agent defines each option once::

    @options
    class Options:
        k: int = Field(default=5, ge=1, le=50, description="candidates kept per entity")
        cardinality: Literal["1:1", "n:m"] = Field(default="1:1", description="how often an entity
        may be mapped")

``described`` returns what a magic's ``--help``, its form, the command line, a report and a schema
show of them.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, TypeVar, Union, dataclass_transform, get_args, get_origin

from pydantic import ConfigDict, ValidationError
from pydantic import Field as Field
from pydantic.dataclasses import dataclass as checked_dataclass
from pydantic.dataclasses import rebuild_dataclass

T = TypeVar("T")
PAPERS = {
    "ontology_matching": "Agent-OM",
    "question_answering": "ODA",
    "entity_alignment": "EA-Agent",
}
"""By agent, the system whose paper "(paper: ...)" in the description of an option means."""


@dataclass(frozen=True)
class OptionInfo:
    """One option for display. ``kind`` is bool, int, float or str; ``optional``: it may be None;
    ``many``: a text that holds several, separated by commas, each of which may be given by itself.
    """

    name: str
    kind: type[Any]
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    optional: bool = False
    many: bool = False

    @property
    def flag(self) -> str:
        """The option on a command line: ``--fusion-constant``."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def allowed(self) -> str:
        """The allowed values, in words.

        >>> OptionInfo("k", int, 5, "", least=1, most=50).allowed
        'a whole number from 1 to 50'
        """
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        words = {bool: "true or false", int: "a whole number", float: "a number"}.get(
            self.kind, "text"
        )
        return f"{words}{within(self.least, self.most)}{' or none' if self.optional else ''}"


def within(least: float | None, most: float | None) -> str:
    """Bounds in words with a leading blank: `` from 1 to 50``, `` of 1 or more``, or nothing."""
    low, high = (f"{bound:.15g}" if bound is not None else "" for bound in (least, most))
    return f" from {low} to {high}" if low and high else f" of {low} or more" if low else ""


@dataclass_transform(frozen_default=True, field_specifiers=(Field,))
def options(cls: type[T]) -> type[T]:
    """Makes a class a frozen dataclass with checked fields; ValueError says which value is not
    allowed, and why.
    """
    made: Any = checked_dataclass(frozen=True, config=ConfigDict(extra="forbid", defer_build=True))(
        cls
    )
    check = made.__init__

    @wraps(check)
    def __init__(self: Any, *positional: Any, **given: Any) -> None:
        if not made.__pydantic_complete__:  # what is only described never builds its checks
            rebuild_dataclass(made)  # which replaces __init__
            made.__init__ = __init__
        try:
            check(self, *positional, **given)
        except ValidationError as error:
            raise ValueError(_in_words(made, error)) from None

    made.__init__ = __init__
    return made  # type: ignore[no-any-return]


def described(cls: type[Any]) -> tuple[OptionInfo, ...]:
    """The options of a class made by ``options``, in order."""
    paper = next((PAPERS[part] for part in cls.__module__.split(".") if part in PAPERS), "")
    return tuple(_described(name, field, paper) for name, field in cls.__pydantic_fields__.items())


def names_of(cls: type[Any]) -> tuple[str, ...]:
    """The names of a class's options, in order."""
    return tuple(one.name for one in described(cls))


def given_of(cls: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the values that are options of the class."""
    return {name: values[name] for name in names_of(cls) if name in values}


def _described(name: str, field: Any, paper: str) -> OptionInfo:
    kinds = (
        get_args(field.annotation)
        if get_origin(field.annotation) in (Union, types.UnionType)
        else ()
    )
    optional = type(None) in kinds
    kind = next((one for one in kinds if one is not type(None)), field.annotation)
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    bounds = {
        key: getattr(rule, key)
        for rule in field.metadata
        for key in ("ge", "gt", "le", "lt")
        if hasattr(rule, key)
    }
    least, most = bounds.get("ge", bounds.get("gt")), bounds.get("le", bounds.get("lt"))
    text, extra = field.description or "", field.json_schema_extra or {}
    text = text.replace("(paper: ", f"(in the paper on {paper}: ") if paper else text
    return OptionInfo(
        name,
        str if choices else kind,
        field.default,
        text,
        choices,
        least,
        most,
        optional,
        many="many" in extra,
    )


def _in_words(cls: type[Any], error: ValidationError) -> str:
    known = {one.name: one for one in described(cls)}
    said = []
    for wrong in error.errors(include_url=False):
        name = str(wrong["loc"][0]) if wrong["loc"] else ""
        allowed = (
            f"{name} must be {known[name].allowed}, not {wrong['input']!r}" if name in known else ""
        )
        said.append(allowed or f"{name}: {wrong['msg']}")
    return "; ".join(said)
