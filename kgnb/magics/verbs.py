"""Magics with verbs: ``%om search --k 5`` finds the method decorated ``@verb``, parses, calls it, returns its value."""

from __future__ import annotations

import argparse
import traceback
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from types import SimpleNamespace
from typing import Any, ClassVar

from IPython.core.magic import Magics
from IPython.core.magic_arguments import magic_arguments

from kgnb.errors import KgnbError
from kgnb.magics.arguments import LineError, argument, cell_body, parse, split, without_secrets
from kgnb.magics.progress import stopped
from kgnb.magics.session import Session


class verb(magic_arguments):  # lower case as IPython's own decorators are
    """Makes a method a verb of its magic. Its docstring is the help, ``examples`` are lines one can copy."""

    def __init__(self, name: str, *examples: str) -> None:
        super().__init__(name)  # type: ignore[no-untyped-call]  # IPython is untyped
        self.examples = examples

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Builds the parser: the verb's own arguments, then ``--form`` and ``--help``."""
        own = getattr(func, "decorators", [])
        shared = [
            argument("-h", "--help", action="store_true", help="show this help"),
            argument("--form", action="store_true", help="show controls for these options, and the line they make"),
        ]
        func.has_arguments, func.decorators = True, [*shared, *own]  # type: ignore[attr-defined]
        summary = (func.__doc__ or "").strip()
        func.argcmd_kwds = {  # type: ignore[attr-defined]
            "description": summary,
            "epilog": "\n".join(["\nexamples:", *(f"  {line}" for line in self.examples)]) if self.examples else None,
        }
        func.verb, func.summary = self.name.split()[-1], summary.splitlines()[0]  # type: ignore[attr-defined]
        built = super().__call__(func)  # type: ignore[no-untyped-call]  # IPython is untyped
        # An abbreviated option would change its meaning when a new option arrives.
        built.parser.allow_abbrev = False
        return built  # type: ignore[no-any-return]


class VerbMagics(Magics):
    """A line magic whose first word is a verb."""

    magic: ClassVar[str] = ""
    shell: Any
    verbs: ClassVar[dict[str, Callable[..., Any]]] = {}

    def __init__(self, shell: Any, session: Session) -> None:
        super().__init__(shell)
        self.session = session

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Collects the verbs, in the order they are written, and puts their list into what ``%om?`` shows."""
        super().__init_subclass__(**kwargs)
        if "verbs" not in vars(cls):
            cls.verbs = {method.verb: method for method in vars(cls).values() if hasattr(method, "verb")}
        entry = vars(cls).get(cls.magic)
        if entry is not None:
            entry.__doc__ = cls.overview((entry.__doc__ or "").strip())

    @classmethod
    def overview(cls, doc: str) -> str:
        """What ``%om?`` and ``%om --help`` show: what the magic is for, its verbs, and examples."""
        width = max(map(len, cls.verbs), default=0)
        examples = [
            line.strip()
            for method in cls.verbs.values()
            for line in (method.parser.epilog or "").splitlines()[2:3]  # type: ignore[attr-defined]
        ]
        return "\n".join(
            [
                doc,
                "",
                "verbs:",
                *(f"  {name:{width}}  {method.summary}" for name, method in cls.verbs.items()),  # type: ignore[attr-defined]
                "",
                "examples:",
                *(f"  {line}" for line in examples),
                "",
                f"%{cls.magic} VERB --help shows what a verb takes; --form shows controls for it.",
                f"%%{cls.magic} VERB takes options from the lines below it as well, as in: k = 3",
                "{{name}} stands for a Python variable, whole and unsplit.",
            ]
        )

    def dispatch(self, line: str, cell: str | None = None) -> Any:
        """Finds the verb, parses its arguments and returns what it returns."""
        shown = without_secrets(f"%{self.magic} {line.strip()}".rstrip())
        try:
            words = split(line, self.shell.user_ns)
        except LineError as error:
            error.line = shown
            raise
        if not words or words[0] in ("-h", "--help", "help"):
            print(getattr(self, self.magic).__doc__)
            return None
        method = self._verb(words[0], shown)
        parser, rest = method.parser, words[1:]  # type: ignore[attr-defined]
        body = cell_body(cell) if cell else None
        if "-h" in rest or "--help" in rest:
            print(parser.format_help())
            return None
        if "--form" in rest:
            return self._form(method, [word for word in rest if word != "--form"], shown, body)
        return self.call(method, parse(parser, rest, line=shown, body=body), shown)

    def call(self, method: Callable[..., Any], arguments: argparse.Namespace, line: str) -> Any:
        """Runs a verb; a value it refuses becomes an error that shows the line."""
        try:
            return method(self, arguments)
        except KeyboardInterrupt as error:
            raise stopped(" ".join([f"%{method.parser.prog}", *getattr(error, "__notes__", ())])) from None  # type: ignore[attr-defined]
        except ValueError as error:
            raise LineError(
                str(error), line=line, fix=f"%{method.parser.prog} --help lists what it takes.",  # type: ignore[attr-defined]
                details=traceback.format_exc(),
            ) from error  # fmt: skip
        except KgnbError as error:
            # A stage's error says already which stage it was; more would bury what to do.
            if not isinstance(error, LineError) and not getattr(error, "__notes__", ()):
                error.add_note(f"in {line}")
            raise

    def _form(self, method: Callable[..., Any], words: list[str], line: str, body: dict[str, object] | None) -> Any:
        """The verb's controls; where nobody can press a button, the plain line, printed and run at once."""
        from kgnb.widgets.form import Form, plain_line, someone_is_there

        parser = method.parser  # type: ignore[attr-defined]
        if someone_is_there(self.shell):
            return Form(self, method, vars(parse(parser, words, line=line, body=body, partial=True)))
        print(plain_line(self.magic, method.verb, words))  # type: ignore[attr-defined]
        return self.call(method, parse(parser, words, line=line, body=body), line)

    def current(self, method: Callable[..., Any]) -> dict[str, object]:
        """The values that hold where the line says nothing: what a form starts from."""
        return {}

    def suggestions(self, name: str) -> Sequence[str]:
        """Words that fit an argument: for completion and for a form's lists."""
        return ()

    def complete(self, shell: Any, event: SimpleNamespace) -> list[str]:
        """Words that may follow, for IPython's completer: verbs, then a verb's options and their values."""
        before = event.text_until_cursor.split()
        if not event.text_until_cursor.endswith(tuple(" \t")):
            before = before[:-1]
        if len(before) <= 1:
            return list(self.verbs)
        method = self.verbs.get(before[1])
        if method is None:
            return []
        actions = method.parser._actions  # type: ignore[attr-defined]
        last = next((action for action in actions if before[-1] in action.option_strings), None)
        if last is not None and last.nargs != 0:
            return [str(choice) for choice in last.choices or self.suggestions(last.dest)]
        names = [text for action in actions for text in action.option_strings if text.startswith("--")]
        positional = [word for action in actions if not action.option_strings for word in self.suggestions(action.dest)]
        return positional + names

    def _verb(self, name: str, line: str) -> Callable[..., Any]:
        if name in self.verbs:
            return self.verbs[name]
        near = get_close_matches(name, self.verbs, n=1, cutoff=0.5)
        if "." in name or ":" in name:  # a file, a data set or an address, with the verb that takes it left out
            first = next((verb for verb in ("open", "start", "compile") if verb in self.verbs), "")
            near = [f"{first} {line.partition(' ')[2]}"] if first else near
        elif "ask" in self.verbs and not near:
            near = [f'ask "{line.partition(" ")[2]}"']
        raise LineError(
            f"%{self.magic} has no verb {name}",
            line=line,
            at=name,
            fix=(f"Did you mean %{self.magic} {near[0]}? " if near else "") + f"Verbs: {', '.join(self.verbs)}.",
        )
