"""The typed parameters of a report, read from the cell of its notebook that is tagged
``parameters``.

A parameter is an assignment; without a type it has that of its default, as in notebooks made for
papermill (where that is a list or computed, the value stays as it is). The comment after it (or,
for long ones, on the lines above it) is its help, and a closed interval in square brackets at the
comment's end bounds a number::

    k: int = 10  # candidates per entity and view [1, 50]
    judge: Literal["rule", "model"] = "rule"  # who answers

Types are ``str``, ``int``, ``float``, ``bool``, ``Literal[...]`` of strings, and any of these ``| None``.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias

from pydantic import ConfigDict, TypeAdapter, ValidationError

from kgnb.agents.known import our_agents
from kgnb.agents.options import OptionInfo
from kgnb.errors import DataError
from kgnb.secret import KEY, blot_forms

Value: TypeAlias = str | int | float | bool | None

TYPES: dict[str, type[Any]] = {kind.__name__: kind for kind in (str, int, float, bool)}
SECRET = re.compile(
    r"key|token|passw(?:or)?d|passphrase|secrets?|credentials?|apikey", re.IGNORECASE
)
BOUNDS = re.compile(r"\s*\[\s*(-?[\d.]+)\s*,\s*(-?[\d.]+)\s*\]\s*$")


@dataclass(frozen=True)
class ReportParameter(OptionInfo):
    """One parameter of a report; ``of_agent``: an option of the agent that no cell names."""

    of_agent: bool = False

    def read(self, given: object) -> Value:
        """The value of a text as typed, or a value of the right type unchanged; ValueError if it is
        not allowed.
        """
        text = given.strip() if isinstance(given, str) else None
        if self.optional and (given is None or (text and text.casefold() in ("none", "null"))):
            return None
        if self.name == "judge" and text and text.startswith(("recorded:", "batch:")):
            return text  # any recording or folder
        kind = TypeAdapter[Any](self.kind, config=ConfigDict(allow_inf_nan=False))
        try:
            value: Value = (
                kind.validate_python(given, strict=True)
                if text is None
                else kind.validate_strings(text)
            )
        except ValidationError:
            raise self._refused(given) from None
        bounded = (
            self.least is None or self.most is None or self.least <= float(value or 0) <= self.most
        )
        if not bounded or (self.choices and value not in self.choices):
            raise self._refused(given)
        return value

    def _refused(self, given: object) -> ValueError:
        hint = did_you_mean(str(given), self.choices)
        return ValueError(
            f"parameter {self.name}: {given!r} is not allowed{hint}\nIt may be {self.allowed}."
        )


def did_you_mean(given: str, names: Sequence[str]) -> str:
    """The nearest of some names, in brackets; "" where none is near."""
    return "".join(f" (did you mean {name}?)" for name in get_close_matches(given, names, n=1))


def read_parameters(notebook: Mapping[str, Any], where: str) -> tuple[ReportParameter, ...]:
    """The parameters of a notebook, in the order of its ``parameters`` cell; none if it has no such
    cell.

    Raises DataError, with ``where`` and the line within the cell, for what is no assignment, a type
    that is not allowed or does not fit the default, and a name that looks like a secret.
    """
    cells = (
        cell["source"]
        for cell in notebook["cells"]
        if "parameters" in cell["metadata"].get("tags", ())
    )
    source = next(cells, "")
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise DataError(
            f"the parameters cell is not valid Python: {error.msg}", where=f"{where}:{error.lineno}"
        ) from error
    helps = _helps(source)
    nodes = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    found = []
    for node in nodes:
        text = helps.get(node.end_lineno or node.lineno, "")
        if not isinstance(node, ast.Assign | ast.Expr):
            found.append(_parameter(node, text, where))
        elif typed_node := _with_type(node):
            found.append(_parameter(typed_node, text, where))
    return tuple(found)


def _with_type(node: ast.Assign | ast.Expr) -> ast.AnnAssign | None:
    """An assignment, as notebooks made for papermill have it, with the type of its value: text that
    may be missing for None. None for what stays as the notebook has it: a list, a computed value, a
    call, several names at once.
    """
    names = node.targets if isinstance(node, ast.Assign) else []
    if len(names) != 1 or not isinstance(names[0], ast.Name):
        return None
    try:
        value = ast.literal_eval(node.value)
    except ValueError:
        return None
    kind = "str | None" if value is None else type(value).__name__
    if value is not None and kind not in TYPES:
        return None
    annotation = ast.parse(kind, mode="eval").body
    typed_node = ast.AnnAssign(names[0], annotation, node.value, simple=1)
    return ast.copy_location(typed_node, node)


# what a report opens itself, and what only makes sense with a person or on one machine
NOT_SWEPT = (
    *("judge", "embedder", "index", "context", "decisions", "reference", "scheduler"),
    *("error_rate", "timeout", "page", "most"),
)


def agent_parameters(
    notebook: Mapping[str, Any], named: Sequence[ReportParameter]
) -> tuple[ReportParameter, ...]:
    """A parameter for every option of the agent that the notebook's metadata name
    (``{"kgnb": {"agent": NAME}}``), but those that its parameters cell has already.
    """
    name = notebook["metadata"].get("kgnb", {}).get("agent")
    taken = {one.name for one in named} | {*NOT_SWEPT}
    agents = [agent for agent in our_agents() if agent.name == name] if name else []
    return tuple(
        ReportParameter(
            **{field: getattr(one, field) for field in OptionInfo.__dataclass_fields__},
            of_agent=True,
        )
        for agent in agents
        for one in agent.knobs()
        if one.name not in taken
    )


def chosen_options(agent: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The options of an agent among a notebook's variables, as its parameters cells set them.

    >>> chosen_options("question_answering", {"keep": 3, "questions": ""})
    {'keep': 3}
    """
    [found] = [one for one in our_agents() if one.name == agent]
    names = {one.name for one in found.knobs()} - {*NOT_SWEPT}
    return {name: value for name, value in variables.items() if name in names}


def check(parameters: Sequence[ReportParameter], given: Mapping[str, object]) -> dict[str, Value]:
    """Every parameter's value, in order: the given one, read and checked, or its default.

    Raises ValueError for an unknown name (suggesting the nearest), a value that is not allowed, and
    anything that looks like a secret: a report is shared, and shows its parameters at the top.
    """
    names = [parameter.name for parameter in parameters]
    for name, value in given.items():
        text = value if isinstance(value, str) else ""
        secret = "its name looks like a secret" if looks_secret(name) else ""
        if secret or KEY.search(text):
            raise ValueError(
                f"parameter {name}: {secret or 'its value looks like a key'}, and a report shows its parameters\n"
                'Put it in an environment variable and name that in the settings: key = "env:NAME".'
            )
        if name not in names:
            hint = did_you_mean(name, names)
            raise ValueError(
                f"there is no parameter {name!r}{hint}\nThe parameters are: {', '.join(names)}."
            )
        if blot_forms(text) != text:
            raise ValueError(
                f"parameter {name}: the URL contains a password or a key, and a report shows its parameters\n"
                "Give the URL without it, and write env:NAME in the settings: docs/settings.md, Endpoints."
            )
    values = {
        parameter.name: parameter.read(given[parameter.name])
        if parameter.name in given
        else parameter.default
        for parameter in parameters
    }
    ours = [one for one in parameters if str(one.default).startswith("huts:")]
    if ours and values[ours[0].name] != ours[0].default:
        # the data of ours go together: none of them stands beside somebody's own
        values |= {one.name: "" for one in ours if one.name not in given}
    return values


def looks_secret(name: str) -> bool:
    """Whether a name looks like that of a secret.

    >>> looks_secret("api_key"), looks_secret("hfToken"), looks_secret("max_tokens"), looks_secret("monkey")
    (True, True, False, False)
    """
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return any(SECRET.fullmatch(word) for word in words)


def assignments(values: Mapping[str, Value]) -> list[str]:
    """The values as one would type them: ``name=value`` each."""
    return [f"{name}={typed(value)}" for name, value in values.items()]


def typed(value: Value) -> str:
    """A value as one would type it."""
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _helps(source: str) -> dict[int, str]:
    """The help for an assignment that ends on each line: the comment there, else those on the lines
    just above.
    """
    helps: dict[int, str] = {}
    above = ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            text = token.string.lstrip("# ").strip()
            alone = token.line.lstrip().startswith("#")
            above = f"{above} {text}".strip() if alone else above
            helps |= {} if alone else {token.start[0]: text}
        elif token.type == tokenize.NL and not token.line.strip():
            above = ""
        elif token.type == tokenize.NEWLINE:
            helps.setdefault(token.start[0], above)
            above = ""
    return helps


def _parameter(node: ast.stmt, help_text: str, where: str) -> ReportParameter:
    place = f"{where}:{node.lineno}"
    if not (
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and node.value is not None
    ):
        raise DataError("a parameter is written as name: type = default  # what it is", where=place)
    name = node.target.id
    if looks_secret(name):
        raise DataError(
            f"parameter {name} looks like a secret",
            where=place,
            fix="Read secrets from the settings, not from a report's parameters.",
        )
    kind, choices, optional = _annotation(node.annotation, place)
    bounds = BOUNDS.search(help_text)
    least, most = (float(bounds[1]), float(bounds[2])) if bounds else (None, None)
    try:
        default, text = ast.literal_eval(node.value), BOUNDS.sub("", help_text)
        parameter = ReportParameter(name, kind, default, text, choices, least, most, optional)
        parameter.read(parameter.default)
    except ValueError as error:
        raise DataError(f"the default of {name} is not allowed: {error}", where=place) from error
    return parameter


def _annotation(node: ast.expr, place: str) -> tuple[type[Any], tuple[str, ...], bool]:
    """The type, the choices, and whether it may be None."""
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.right, ast.Constant)
        and node.right.value is None
    ):
        return *_annotation(node.left, place)[:2], True
    if isinstance(node, ast.Name) and node.id in TYPES:
        return TYPES[node.id], (), False
    if (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == "Literal"
    ):
        choices = ast.literal_eval(node.slice)
        choices = choices if isinstance(choices, tuple) else (choices,)
        if all(isinstance(choice, str) for choice in choices):
            return str, choices, False
    raise DataError(
        f"a parameter cannot have the type {ast.unparse(node)}",
        where=place,
        fix="Use str, int, float, bool or Literal[...] of strings, each with | None if it may be missing.",
    )
