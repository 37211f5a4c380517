"""The magics of a notebook, with one session for each IPython shell.

Loading them is quick: a magic is imported when it is first used, and the session made then.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from IPython import get_ipython
from IPython.core.completer import CompletionContext, context_matcher
from IPython.core.magic import no_var_expand

from kgnb.agents.known import agents_from_elsewhere
from kgnb.cell import enter_cell
from kgnb.errors import KgnbError, UntrustedFile
from kgnb.magics.answering import Answering
from kgnb.settings import Settings

if TYPE_CHECKING:
    from kgnb.magics.session import Session
    from kgnb.magics.verbs import VerbMagics

__all__ = ["families", "load", "unload"]

_MAGIC = re.compile(r"(%%?)([a-z]+)(?=\s|$)")
_QUESTION = re.compile(r"(\s*(?:\w+ *= *)?)%qa +(\w+ .*\?)\s*$")
_NO_PYTHON = re.compile(  # how a query may begin but Python code may not
    r"\s*(PREFIX\s+[\w.-]*:\s*<|BASE\s*<|SELECT\s+((DISTINCT|REDUCED)\s+)?([?$]|\*\s*(WHERE\b|FROM\b|\{)|\(.*\sAS\s+[?$])"
    r"|(ASK|CONSTRUCT)\s*(WHERE\s*)?\{|DESCRIBE\s+[?$<])",
    re.IGNORECASE,
)
_OURS = {
    "kg": "kg:KgMagics",
    "sparql": "sparql:SparqlMagics",
    "turtle": "sparql:TurtleMagics",
    "vectors": "llm:VectorsMagics",
    "om": "om:OmMagics",
    "ea": "ea:EaMagics",
    "qa": "qa:QaMagics",
    "kgc": "kgc:KgcMagics",
    "llm": "llm:LlmMagics",
    "run_view": "runs:RunMagics",
    "report": "runs:ReportMagics",
    "check": "check:CheckMagics",
}


def _names() -> list[str]:
    """The magics: ours, and one for each agent of another package."""
    return [*_OURS, *(agent.magic for agent in agents_from_elsewhere())]


@cache
def _family(name: str) -> type[VerbMagics]:
    """The class of a magic."""
    if name in _OURS:
        module, _, wanted = _OURS[name].partition(":")
        ours: type[VerbMagics] = getattr(import_module(f"kgnb.magics.{module}"), wanted)
        return ours
    from kgnb.magics.agent import magics_of

    return magics_of(next(agent for agent in agents_from_elsewhere() if agent.magic == name))


def families() -> tuple[type[VerbMagics], ...]:
    """The classes of all magics."""
    return tuple(map(_family, _names()))


def _help(name: str) -> str:
    return str(getattr(_family(name), name).__doc__)


class Unused:
    """A magic that nobody has used yet: its first use, or a look at its help, imports it."""

    def __init__(self, name: str, loaded: Loaded) -> None:
        self._name, self._loaded = name, loaded

    def __call__(self, line: str, cell: str | None = None) -> Any:
        """Runs a line, or a cell, of the magic."""
        return self._loaded.magics(self._name).dispatch(line, cell)

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return _help(self._name)


class Overview:
    """The magic ``%kgnb``: all magics with what each is for."""

    def __call__(self, _line: str = "") -> None:
        """Prints the list."""
        print(self.__doc__)

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        lines = [f"  %{name:<9} {_help(name).strip().splitlines()[0]}" for name in _names()]
        return "\n".join(["The magics of kgnb:", *lines, "", "%om? shows what one of them can do."])


class Loaded:
    """What ``load`` adds to a shell; ``unload`` takes it away."""

    def __init__(self, shell: Any, settings: Settings) -> None:
        self.shell, self.settings = shell, settings
        self.answering = {
            target: Answering(shell, target, answer)
            for target, answer in (
                ("kgnb.version", _version),
                ("kgnb.complete", self._complete),
                ("kgnb.panel", self._panel),
            )
        }
        self._made: dict[str, VerbMagics] = {}
        self.matchers = (self._sparql_matcher(), self._line_matcher())
        for name in _names():
            for kind in ("line", "cell"):
                shell.magics_manager.magics[kind][name] = no_var_expand(Unused(name, self))
        shell.magics_manager.magics["line"]["kgnb"] = Overview()
        self._format, warnings.formatwarning = warnings.formatwarning, _formatted
        self.hooks = (("pre_run_cell", _before_cell), ("post_run_cell", self._after_cell))
        for event, hook in self.hooks:
            shell.events.register(event, hook)
        shell.Completer.custom_matchers.extend(self.matchers)
        shell.input_transformers_cleanup.extend((_questions, _misread))
        enter_cell(_cell_of(shell))

    @cached_property
    def session(self) -> Session:
        """The state between cells."""
        from kgnb.magics.session import Session

        return Session(self.settings, self.answering)

    def magics(self, name: str) -> VerbMagics:
        """The magic of this name."""
        if name not in self._made:
            made = self._made[name] = _family(name)(self.shell, self.session)
            self.shell.register_magics(made)
        return self._made[name]

    def unload(self) -> None:
        """Takes everything away, and closes the session."""
        manager = self.shell.magics_manager
        manager.magics["line"].pop("kgnb", None)
        warnings.formatwarning = self._format
        for name in _names():
            for kind in ("line", "cell"):
                manager.magics[kind].pop(name, None)
        for made in self._made.values():
            manager.registry.pop(type(made).__name__, None)
        for event, hook in self.hooks:
            self.shell.events.unregister(event, hook)
        for each in (self.shell.Completer.custom_matchers, self.shell.input_transformers_cleanup):
            each[:] = [one for one in each if one not in (*self.matchers, _questions, _misread)]
        for answering in self.answering.values():
            answering.stop()
        if "session" in vars(self):
            self.session.close()

    def _complete(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        from kgnb.magics import completing

        return completing.answer(self.session, question)

    def _panel(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        from kgnb.magics import panel

        return panel.answer(self.session, question)

    def _after_cell(self, _result: Any) -> None:
        enter_cell("")
        self.answering["kgnb.panel"].tell({"changed": True})

    def _sparql_matcher(self) -> Any:
        """An IPython matcher for ``%%sparql`` cells over this session's graphs."""

        @context_matcher(identifier="kgnb.sparql")
        def kgnb_sparql(context: CompletionContext) -> dict[str, Any]:
            if not context.full_text.startswith("%%sparql"):
                return {"completions": []}
            from kgnb.magics.completing import in_query

            return in_query(self.session, context)

        return kgnb_sparql

    def _line_matcher(self) -> Any:
        """An IPython matcher for the lines of our magics; it suppresses Python completions."""
        of_ours = re.compile(
            rf"\s*(?:[^\s%=][^%=]*=\s*)?(?P<line>%%?(?P<magic>{'|'.join(map(re.escape, _names()))})\s.*)"
        )

        @context_matcher(identifier="kgnb.lines")
        def kgnb_lines(context: CompletionContext) -> dict[str, Any]:
            line = context.full_text.split("\n")[context.cursor_line][: context.cursor_position]
            found = of_ours.fullmatch(line)
            if found is None:
                return {"completions": []}
            from kgnb.magics.completing import in_line

            return in_line(self.magics(found["magic"]), self.shell, line, found["line"])

        return kgnb_lines


def load(ipython: Any, settings: Settings | None = None) -> None:
    """Registers the magics and their completion on a shell; a shell that has them already keeps its
    session.
    """
    registry = ipython.magics_manager.registry
    if "kgnb" not in registry:
        registry["kgnb"] = Loaded(ipython, settings or _settings())


def unload(ipython: Any) -> None:
    """Removes the magics and closes their session; does nothing if they are not loaded."""
    loaded = ipython.magics_manager.registry.pop("kgnb", None)
    if loaded is not None:
        loaded.unload()


def _settings() -> Settings:
    """The settings of this folder; a file that nobody has trusted is shown, not used."""
    try:
        return Settings.load()
    except UntrustedFile as error:
        print(error)
        return Settings.load(found="none")


def is_query(text: str) -> bool:
    """Whether a text begins like a SPARQL query and unlike any Python."""
    return _NO_PYTHON.match(text) is not None


def _questions(lines: list[str]) -> list[str]:
    """Lets a question end in a question mark, which IPython would take for a request for help, and
    ``%%sparql --help`` stand alone, which it would refuse as a cell without a body.
    """
    found = _MAGIC.match(lines[0]) if lines else None
    if found and found[1] == "%%" and not "".join(lines[1:]).strip():
        ours = found[2] in _names()
        return [lines[0][ours:], *lines[1:]]
    asked = [(_QUESTION.match(line), line) for line in lines]
    return [
        f"{m[1]}get_ipython().run_line_magic('qa', {m[2]!r})\n" if m else line for m, line in asked
    ]


def _misread(lines: list[str]) -> list[str]:
    """Refuses a misspelt magic of ours, and a query without its magic, with a better message than
    Python's.
    """
    shell, names = get_ipython(), _names()
    for line in lines[:1] if lines and lines[0].startswith("%%") else lines:
        found = _MAGIC.match(line)
        if (
            found is None
            or (shell.find_cell_magic if found[1] == "%%" else shell.find_line_magic)(found[2])
            is not None
        ):
            continue
        if near := get_close_matches(found[2], names, n=2):
            from kgnb.magics.arguments import LineError

            fix = f"Did you mean {' or '.join(found[1] + name for name in near)}?"
            raise LineError(
                f"there is no {found[1]}{found[2]}", line=line.strip(), at=found[2], fix=fix
            )
    if is_query("".join(lines)):
        from kgnb.magics.arguments import LineError

        raise LineError(
            "this is SPARQL, not Python",
            line=lines[0].strip(),
            fix="Put %%sparql in a line above it.",
        )
    return lines


def _formatted(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> str:
    """A warning of ours in one line, as our errors are shown: where in our code it arose helps
    nobody.
    """
    if category.__module__ == KgnbError.__module__:
        return f"{category.__name__}: {message}\n"
    return _as_python(message, category, *where, **more)


_as_python = warnings.formatwarning
_misread.has_side_effects = True  # type: ignore[attr-defined]  # so that IPython does not call it while somebody types


def _version(_question: Mapping[str, Any]) -> Mapping[str, Any]:
    from importlib.metadata import version

    return {"version": version("kgnb")}


def _before_cell(info: Any) -> None:
    enter_cell(getattr(info, "cell_id", None))


def _cell_of(ipython: Any) -> str | None:
    """The id of the cell that loads the extension, which began before our hook existed."""
    message = ipython.get_parent() if hasattr(ipython, "get_parent") else None
    return ((message or {}).get("metadata") or {}).get("cellId")
