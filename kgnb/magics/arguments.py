"""Magic lines: splitting them into words, parsing options, and errors that point at the word to
fix.
"""

from __future__ import annotations

import argparse
import copy
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic_arguments import ArgDecorator, MagicArgumentParser

from kgnb.agents.agent import Input
from kgnb.agents.options import OptionInfo, within
from kgnb.errors import KgnbError, nearest
from kgnb.secret import blot_forms

VARIABLE = re.compile(r"\{\{\s*([^\W\d]\w*)\s*\}\}")
NONE = ("none", "auto", "automatic")
NAMES_GRAPH = ("-g", "--graph")
# What follows an option named like a secret, and what looks like a key anywhere.
_AFTER_KEY = re.compile(
    r"""(--?[\w-]*(?:key|password|secret|token)(?:\s*=\s*|\s+))(?!env:|-)("[^"]*"?|'[^']*'?|\S+)""",
    re.IGNORECASE,
)
_LIKE_A_KEY = re.compile(r"\b(?:sk|pk|hf|ghp|gho|xox[a-z])[-_][\w-]{6,}")


class LineError(KgnbError):
    """A magic line that cannot be run: what is wrong, where (the line and a caret), and how to fix
    it.
    """

    def __init__(
        self, what: str, *, line: str = "", at: str = "", fix: str = "", details: str = ""
    ) -> None:
        super().__init__(what, fix=fix, details=details)
        self.line = line
        self.at = at

    def _render_traceback_(self) -> list[str]:
        shown = [f"{type(self).__name__}: {self.what}"]
        if self.line:
            start = self.line.rfind(self.at) if self.at else -1
            shown.append(
                f"    {self.line}"
                + (f"\n    {' ' * start}{'^' * len(self.at)}" if start >= 0 else "")
            )
        return [*shown, *([self.fix] if self.fix else []), *getattr(self, "__notes__", ())]


class Bound(str):
    """A word ``{{name}}`` that stands for a Python value; never split, never read as an option."""

    value: object

    def __new__(cls, text: str, value: object) -> Bound:
        """The word as written, with its value."""
        bound = super().__new__(cls, text)
        bound.value = value
        return bound


def bound_value(word: Any) -> Any:
    """The Python value behind a word: the word itself, unless it is a ``{{name}}``."""
    return word.value if isinstance(word, Bound) else word


def split(line: str, names: Mapping[str, object] | None = None) -> list[str]:
    r"""The words of a line. Quotes group; backslashes (Windows paths) and ``#`` (IRIs) are ordinary
    characters.

    >>> split('start a.ttl "my huts.ttl" --context "huts and routes"')
    ['start', 'a.ttl', 'my huts.ttl', '--context', 'huts and routes']
    >>> split("open {{ path }} --as huts", {"path": "a folder/b.ttl"})[1].value
    'a folder/b.ttl'

    Raises:
        LineError: a quote is never closed, or a ``{{name}}`` is not defined.
    """
    lexer = shlex.shlex(VARIABLE.sub(r"{{\1}}", line), posix=True)
    lexer.whitespace_split, lexer.commenters, lexer.escape = True, "", ""
    try:
        words = list(lexer)
    except ValueError as error:
        raise LineError(
            "a quote is never closed",
            line=line,
            at=max("\"'", key=line.rfind),
            fix="Close it; put text with an apostrophe into double quotes.",
        ) from error
    return [_bind(word, names or {}, line) for word in words]


def _bind(word: str, names: Mapping[str, object], line: str) -> str:
    found = VARIABLE.fullmatch(word)
    if found is None:
        return word
    if found[1] not in names:
        raise LineError(
            f"there is no variable {found[1]}",
            line=line,
            at=found[1],
            fix=f"Set {found[1]} = ... in a cell above.",
        )
    return Bound(word, names[found[1]])


def without_secrets(line: str) -> str:
    """The line as an error may show it, without any keys.

    >>> without_secrets("%llm use m --key sk-123456789 --base-url http://x.example")
    '%llm use m --key ... --base-url http://x.example'
    >>> without_secrets("%llm use m --key env:MY_KEY")
    '%llm use m --key env:MY_KEY'
    """
    return blot_forms(_LIKE_A_KEY.sub("...", _AFTER_KEY.sub(r"\1...", line)))


def quote(word: str) -> str:
    """A word quoted so that ``split`` returns it unchanged.

    >>> quote("huts.ttl"), quote("huts and routes"), split(quote('''a "b" 'c' '''))
    ('huts.ttl', '"huts and routes"', ['a "b" \\'c\\' '])
    """
    if re.fullmatch(r"[^\s'\"]+", word):
        return str(word)
    return f'"{word}"' if '"' not in word else shlex.quote(word)


class Number:
    """An argparse type: a number within bounds, or ``none`` if the option is optional."""

    def __init__(
        self,
        kind: type[int] | type[float],
        least: float | None,
        most: float | None,
        optional: bool = False,
    ) -> None:
        self.kind, self.least, self.most, self.optional = kind, least, most, optional

    def __call__(self, word: str) -> int | float | None:
        """The number a word stands for."""
        value = bound_value(word)
        if self.optional and (value is None or str(value).lower() in NONE):
            return None
        try:
            number = self.kind(value)
        except (TypeError, ValueError):
            number = None
        if number is None or not (
            (self.least is None or number >= self.least)
            and (self.most is None or number <= self.most)
        ):
            raise argparse.ArgumentTypeError(f"must be {self}, not {value!r}")
        return number

    def __str__(self) -> str:
        kind = "a whole number" if self.kind is int else "a number"
        return f"{kind}{within(self.least, self.most)}{' or none' if self.optional else ''}"


class argument(ArgDecorator):  # lower case as IPython's own decorators are
    """Decorates a verb with one argument, given as to argparse's ``add_argument``."""

    def __init__(self, *names: str, **given: Any) -> None:
        self.names, self.given = names, given

    def add_to_parser(self, parser: argparse.ArgumentParser, group: Any) -> None:
        """Called by IPython when it builds the verb's parser."""
        parser.add_argument(*self.names, **self.given)


class input_argument(argument):
    """Decorates a verb with one input of an agent, by its place or by its name."""

    def __init__(self, one: Input, *, leads: bool = False) -> None:
        if leads:
            one = replace(one, named=False, optional=False, default=None)
        text = one.help
        given: dict[str, Any] = {"default": one.default}
        if one.kind == "flag":
            given["action"] = "store_true"
        elif one.choices:
            given["choices"] = one.choices
        else:
            given["metavar"] = one.placeholder
        if isinstance(one.default, str):
            text = f"{text} [{one.default}]"
        if one.many:
            given["nargs"] = "*" if one.optional and not one.named else "+"
        elif one.optional and not one.named:
            given["nargs"] = "?"
        names = one.flags if one.named else [one.name]
        if one.named:
            given["dest"] = one.name
        super().__init__(*names, help=text.replace("%", "%%"), **given)


class _Joined(argparse.Action):
    """Keeps a text that is given several times as one, with commas between."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        """Called by argparse for each."""
        known = getattr(namespace, self.dest, "")
        setattr(namespace, self.dest, f"{known},{values}" if known else values)


def add_option(parser: Any, option: OptionInfo) -> None:
    """Adds an option to a verb's parser; an option the line does not give stays absent."""
    default = {None: " [none]", "": ""}.get(option.default, f" [{option.default}]")
    text = f"{option.help}{default}".replace("%", "%%")
    given: dict[str, Any] = {"dest": option.name, "help": text, "default": argparse.SUPPRESS}
    if option.kind is bool:
        # BooleanOptionalAction of Python 3.11 would repeat the default in the help.
        both = not option.flag.startswith("--no-")  # no --no-no-plan
        action = argparse.BooleanOptionalAction if both else "store_true"
        parser.add_argument(option.flag, action=action, **given)
        return
    if option.choices:
        given["choices"] = option.choices
    elif option.kind is str:
        given["metavar"] = "TEXT"
        given |= {"action": _Joined} if option.many else {}
    else:
        given["type"] = Number(option.kind, option.least, option.most, optional=option.optional)
        given["metavar"] = "N" if option.kind is int else "X"
    parser.add_argument(option.flag, **given)


def parse(
    parser: MagicArgumentParser,
    words: Sequence[str],
    *,
    line: str,
    body: Mapping[str, object] | None = None,
    partial: bool = False,
    others: Iterable[MagicArgumentParser] = (),
) -> argparse.Namespace:
    """The arguments of a verb: those of the line, then those of ``body`` (of a cell magic).

    With ``partial``, for a form, nothing is required and ``{{name}}`` stays as written. ``others``
    are the parsers of the magic's verbs, so that an error can say which of them has an unknown
    option.

    Raises:
        LineError: an unknown option (the nearest is suggested), a bad value, or a missing argument.
    """
    words = [*_body_words(parser, body or {}), *words]
    if "--graph" not in parser._option_string_actions:  # then NAME alone means the same
        words = [
            word[8:] if word.startswith("--graph=") else word
            for word in words
            if word not in NAMES_GRAPH
        ]
    parser = _lenient(parser) if partial else parser
    try:
        arguments, extra = parser.parse_known_intermixed_args(
            words
        )  # options may stand between positional arguments
    except (UsageError, argparse.ArgumentError) as error:
        at = next(
            (
                word
                for word in reversed(words)
                if f"{word!r}" in str(error) or f" {word}:" in str(error)
            ),
            "",
        )
        raise LineError(_plain(str(error)), line=line, at=str(at), fix=_usage(parser)) from error
    if extra:
        option = extra[0].partition("=")[0]
        having = [f"%{one.prog}" for one in others if option in one._option_string_actions]
        hint = nearest(option, parser._option_string_actions)
        if having:
            hint = f"{option} belongs to {', '.join(having)}."
        raise LineError(
            f"%{parser.prog} has no option {extra[0]}"
            if extra[0].startswith("-")
            else f"%{parser.prog} does not take {extra[0]!r}",
            line=line,
            at=str(extra[0]),
            fix=f"{hint} {_usage(parser)}".lstrip(),
        )
    for name, value in vars(arguments).items() if not partial else ():
        setattr(
            arguments,
            name,
            [*map(bound_value, value)] if isinstance(value, list) else bound_value(value),
        )
    return arguments


def _lenient(parser: MagicArgumentParser) -> MagicArgumentParser:
    """The same parser with nothing required."""
    lenient = copy.deepcopy(parser)
    for action in lenient._actions:
        if not action.option_strings:
            action.required, action.nargs = False, "*" if action.nargs == "+" else "?"
    return lenient


def _body_words(parser: argparse.ArgumentParser, body: Mapping[str, object]) -> list[str]:
    """A cell's ``name = value`` lines as words of the line."""
    actions = {action.dest: action for action in parser._actions if action.option_strings}
    words: list[str] = []
    for name, value in body.items():
        action = actions.get(name.replace("-", "_"))
        if action is None:
            raise LineError(
                f"%{parser.prog} has no option {name}",
                line=f"{name} = {value!r}",
                at=name,
                fix=nearest(name, actions) or _usage(parser),
            )
        option = next(text for text in action.option_strings if text.startswith("--"))
        if action.nargs == 0:
            words += (
                [option]
                if value
                else [option.replace("--", "--no-", 1)]
                if len(action.option_strings) > 1
                else []
            )
        else:
            plain = value if isinstance(value, (int, float)) else str(value)
            bound = Bound(f"{name} = {value!r}", plain)
            words += [option, str(value) if action.choices else bound]  # they are compared as text
    return words


def cell_body(cell: str) -> dict[str, object]:
    """The ``name = value`` lines (TOML) below a cell magic.

    Raises:
        LineError: the lines are not TOML.
    """
    try:
        return tomllib.loads(cell)
    except tomllib.TOMLDecodeError as error:
        raise LineError(
            f"the lines below the magic are not options: {error}",
            line=next((text for text in cell.splitlines() if text.strip()), ""),
            fix='Write one per line, such as: k = 5 or context = "mountain huts".',
        ) from error


def _plain(message: str) -> str:
    return message.replace("argument ", "", 1).replace(
        "the following arguments are required", "missing"
    )


def _usage(parser: argparse.ArgumentParser) -> str:
    return f"See %{parser.prog} --help."
