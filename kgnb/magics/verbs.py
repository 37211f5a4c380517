"""Magics with verbs: ``%om search --k 5`` finds the method decorated ``@verb``, parses its
arguments and calls it.
"""

from __future__ import annotations

import argparse
import traceback
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from os import getcwd, sep
from shlex import quote
from types import SimpleNamespace
from typing import Any, ClassVar, Protocol, cast

from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import MagicArgumentParser, magic_arguments

from kgnb.agents.agent import first_sentence
from kgnb.errors import KgnbError, Waiting
from kgnb.magics.arguments import LineError, argument, cell_body, parse, split, without_secrets
from kgnb.magics.progress import imports_finished_first, stopped
from kgnb.magics.session import Session


class Verb(Protocol):
    """A method decorated ``@verb``: its name, the first line of its help, and the parser of its
    arguments.
    """

    verb: str
    summary: str
    parser: MagicArgumentParser

    def __call__(self, magics: Any, arguments: argparse.Namespace, /) -> Any:
        """Runs the verb."""


class verb(magic_arguments):  # lower case as IPython's own decorators are
    """Makes a method a verb of its magic. Its docstring is the help; ``examples`` are lines to
    copy.
    """

    def __init__(self, name: str, *examples: str) -> None:
        super().__init__(name)  # type: ignore[no-untyped-call]  # IPython is untyped
        self.examples = examples

    def __call__(self, func: Any) -> Any:
        """Builds the parser: the verb's own arguments, then ``--form`` and ``--help``."""
        own = getattr(func, "decorators", [])
        shared = [
            argument("-h", "--help", action="store_true", help="show this help"),
            argument(
                "--form", action="store_true", help="show a form for these options, and its line"
            ),
        ]
        func.has_arguments, func.decorators = True, [*shared, *own]
        summary = (func.__doc__ or "").strip()
        func.argcmd_kwds = {
            "description": summary,
            "epilog": "\n".join(["\nexamples:", *(f"  {line}" for line in self.examples)])
            if self.examples
            else None,
        }
        func.verb, func.summary = self.name.split()[-1], first_sentence(summary)
        built = super().__call__(func)  # type: ignore[no-untyped-call]  # IPython is untyped
        # An abbreviated option would change its meaning when a new option arrives.
        built.parser.allow_abbrev = False
        return built


def entry(magic: str, doc: str) -> Callable[..., Any]:
    """The line and cell magic of this name."""

    def called(self: VerbMagics, line: str, cell: str | None = None) -> Any:
        return self.dispatch(line, cell)

    called.__name__ = called.__qualname__ = magic
    called.__doc__ = doc
    return cast(Callable[..., Any], no_var_expand(line_cell_magic(called)))


HELP = {"-h", "--help"}


class VerbMagics(Magics):
    """A line magic whose first word is a verb. A subclass names it (``magic="kg"``); its docstring
    is the help.
    """

    magic: ClassVar[str] = ""
    shell: Any
    verbs: ClassVar[dict[str, Verb]] = {}

    def __init__(self, shell: Any, session: Session) -> None:
        super().__init__(shell)
        self.session = session

    def __init_subclass__(cls, magic: str = "", doc: str = "", **kwargs: Any) -> None:
        """Collects the verbs in source order, and makes the magic itself."""
        super().__init_subclass__(**kwargs)
        if "verbs" not in vars(cls):
            cls.verbs = {
                method.verb: method for method in vars(cls).values() if hasattr(method, "verb")
            }
        if magic:
            cls.magic = magic
            setattr(cls, magic, entry(magic, cls.overview(doc or (cls.__doc__ or "").strip())))
            magics_class(cls)

    @classmethod
    def overview(cls, doc: str) -> str:
        """What ``%om?`` and ``%om --help`` show: purpose, verbs and examples."""
        width = max(map(len, cls.verbs), default=0)
        examples = [
            line.strip()
            for method in cls.verbs.values()
            for line in (method.parser.epilog or "").splitlines()[2:3]
        ]
        return "\n".join(
            [
                doc,
                "",
                "verbs:",
                *(f"  {name:{width}}  {method.summary}" for name, method in cls.verbs.items()),
                "",
                "examples:",
                *(f"  {line}" for line in examples),
                "",
                f"%{cls.magic} VERB --help shows the options of a verb; --form shows a form for them.",
                f"%%{cls.magic} VERB also reads options from the lines below it, such as: k = 3",
                "{{name}} passes the value of a Python variable.",
            ]
        )

    def dispatch(self, line: str, cell: str | None = None) -> Any:
        """Finds the verb, parses its arguments and returns its value."""
        shown, words = self.read(line)
        if not words or words[0] in (*HELP, "help"):
            print(getattr(self, self.magic).__doc__)
            return None
        method, rest = self._verb(words[0], shown), words[1:]
        body = cell_body(cell) if cell else None
        if HELP & {*rest}:
            print(options_help(method))
            return None
        if "--form" in rest:
            return self._form(method, [word for word in rest if word != "--form"], shown, body)
        others = [verb.parser for verb in self.verbs.values()]
        return self.call(
            method, parse(method.parser, rest, line=shown, body=body, others=others), shown
        )

    def read(self, line: str, mark: str = "%") -> tuple[str, list[str]]:
        """The line as errors show it, and its words."""
        shown = without_secrets(f"{mark}{self.magic} {line.strip()}".rstrip())
        try:
            return shown, split(line, self.shell.user_ns)
        except LineError as error:
            error.line = shown
            raise

    def call(self, method: Verb, arguments: argparse.Namespace, line: str) -> Any:
        """Runs a verb; a refused value becomes an error that shows the line."""
        named = f"%{method.parser.prog}"
        try:
            with imports_finished_first():
                return method(self, arguments)
        except Waiting as waiting:
            folder = quote(waiting.folder)
            said = (
                f"{waiting.what}. %llm batch show {folder} shows the first, %llm batch answer "
                f"{folder} {{{{reply}}}} answers it; then run this cell again."
            )
            print(said.replace(f"{getcwd()}{sep}", ""))
            return None
        except KeyboardInterrupt as error:
            raise stopped(" ".join([named, *getattr(error, "__notes__", ())])) from None
        except ValueError as error:
            fix = f"See {named} --help."
            raise LineError(
                str(error), line=line, fix=fix, details=traceback.format_exc()
            ) from error
        except KgnbError as error:
            # The error of a stage names the stage already; more would bury the advice.
            if not isinstance(error, LineError) and not getattr(error, "__notes__", ()):
                error.add_note(f"in {line}")
            raise

    def _form(
        self, method: Verb, words: list[str], line: str, body: dict[str, object] | None
    ) -> Any:
        """The verb's form; if nobody can press a button, its line is printed and run at once."""
        from kgnb.widgets.form import plain_line

        if self.someone:
            return self.form(
                method, vars(parse(method.parser, words, line=line, body=body, partial=True))
            )
        print(plain_line(self.magic, method.verb, words))
        return self.call(method, parse(method.parser, words, line=line, body=body), line)

    @property
    def someone(self) -> bool:
        """Whether a person can press a button, which is so in front ends that can also be asked for
        input.

        JupyterLab, Notebook, VS Code and Colab allow a kernel to ask; papermill, nbclient and nbval
        do not, and terminal IPython has no kernel at all.
        """
        return bool(getattr(getattr(self.shell, "kernel", None), "_allow_stdin", False))

    def form(self, method: Verb, given: Mapping[str, Any], cell: str | None = None) -> Any:
        """The form of a verb, starting from what the line has given."""
        from kgnb.widgets.form import Form, verb_controls

        controls = verb_controls(method.parser, given, self.current(method), self.suggestions)
        return Form(self, method.verb, controls, cell)

    def current(self, method: Verb) -> dict[str, object]:
        """The current values of options, which a form starts from."""
        return {}

    def suggestions(self, name: str) -> Sequence[str]:
        """Words that fit an argument, for completion and forms."""
        return ()

    def complete(self, shell: Any, event: SimpleNamespace) -> list[str]:
        """Words that may come next, for IPython's completer: verbs, then a verb's options and their
        values.
        """
        before = words_before(event)
        if len(before) <= 1:
            return list(self.verbs)
        return (
            self.complete_verb(self.verbs[before[1]], before[-1]) if before[1] in self.verbs else []
        )

    def complete_verb(self, method: Verb, before: str) -> list[str]:
        """What may follow this word in a verb's line."""
        actions = method.parser._actions
        last = next((action for action in actions if before in action.option_strings), None)
        if last is not None and last.nargs != 0:
            return [*map(str, last.choices or self.suggestions(last.dest))]
        names = [
            text for action in actions for text in action.option_strings if text.startswith("--")
        ]
        positional = [
            word
            for action in actions
            if not action.option_strings
            for word in self.suggestions(action.dest)
        ]
        return positional + names

    def _verb(self, name: str, line: str) -> Verb:
        if name in self.verbs:
            return self.verbs[name]
        near = get_close_matches(name, self.verbs, n=1, cutoff=0.5)
        if "." in name or ":" in name:  # a file, data set or URL without the verb that takes it
            first = next((verb for verb in ("open", "start", "compile") if verb in self.verbs), "")
            near = [f"{first} {line.partition(' ')[2]}"] if first else near
        elif "ask" in self.verbs and not near:
            near = [f'ask "{line.partition(" ")[2]}"']
        raise LineError(
            f"%{self.magic} has no verb {name}",
            line=line,
            at=name,
            fix=(f"Did you mean %{self.magic} {near[0]}? " if near else "")
            + f"Verbs: {', '.join(self.verbs)}.",
        )


class PlainMagics(VerbMagics):
    """A magic without verbs: its one method has the name of the magic, and gets the cell's text as
    ``arguments.cell``.

    ``below`` names what the cell contains; "" for a line magic.
    """

    below: ClassVar[str] = ""

    @classmethod
    def overview(cls, doc: str) -> str:
        """What ``%%sparql?`` and ``%%sparql --help`` show: the help of the one method."""
        return f"{doc}\n\n{options_help(cls.verbs[cls.magic])}"

    @property
    def method(self) -> Verb:
        """The one method."""
        return self.verbs[self.magic]

    def dispatch(self, line: str, cell: str | None = None) -> Any:
        """Parses the line and returns the value of the method."""
        shown, words = self.read(line, "%%" if self.below else "%")
        if HELP & {*words}:
            print(self.help(words))
            return None
        if self.below and not (cell or "").strip():
            fix = f"Write it below %%{self.magic}, in the same cell."
            raise LineError(f"the {self.below} is missing", line=shown, fix=fix)
        arguments = parse(self.method.parser, words, line=shown)
        arguments.cell = cell or ""
        return self.call(self.method, arguments, shown)

    def help(self, words: Sequence[str]) -> str:
        """What --help shows."""
        return options_help(self.method)

    def complete(self, shell: Any, event: SimpleNamespace) -> list[str]:
        """Words that may come next on the first line."""
        return self.complete_verb(self.method, words_before(event)[-1])


def options_help(method: Verb) -> str:
    """The help of a verb without the mark of reStructuredText that IPython puts before it."""
    return str(method.parser.format_help()).removeprefix("::").strip()


def words_before(event: SimpleNamespace) -> list[str]:
    """The words of a line without the one being typed."""
    text = event.text_until_cursor
    words: list[str] = text.split()
    return words if text.endswith((" ", "\t")) else words[:-1]
