"""The magics of a notebook, with one session for each IPython shell."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache, partial
from importlib.metadata import version
from typing import Any

from IPython import get_ipython

from kgnb.agents.known import agents_from_elsewhere
from kgnb.errors import UntrustedFile
from kgnb.magics import completing, panel
from kgnb.magics.agent import magics_of
from kgnb.magics.arguments import LineError
from kgnb.magics.check import CheckMagics
from kgnb.magics.completing import line_matcher, matcher
from kgnb.magics.ea import EaMagics
from kgnb.magics.kg import KgMagics
from kgnb.magics.kgc import KgcMagics
from kgnb.magics.llm import LlmMagics, VectorsMagics
from kgnb.magics.om import OmMagics
from kgnb.magics.qa import QaMagics
from kgnb.magics.runs import ReportMagics, RunMagics
from kgnb.magics.session import Answering, Session
from kgnb.magics.sparql import SparqlMagics, TurtleMagics, is_query
from kgnb.magics.verbs import VerbMagics
from kgnb.run.record import enter_cell
from kgnb.settings import Settings

__all__ = ["FAMILIES", "load", "unload"]

_MAGIC = re.compile(r"(%%?)([a-z]+)(?=\s|$)")
_QUESTION = re.compile(r"(\s*(?:\w+ *= *)?)%qa +(\w+ .*\?)\s*$")
FAMILIES: tuple[type[VerbMagics], ...] = (
    *(KgMagics, SparqlMagics, TurtleMagics, VectorsMagics),
    *(OmMagics, EaMagics, QaMagics, KgcMagics),
    *(LlmMagics, RunMagics, ReportMagics, CheckMagics),
)


def families() -> tuple[type[VerbMagics], ...]:
    """All magics: ours, and one for each agent of another package."""
    return (*FAMILIES, *(_family(agent.name) for agent in agents_from_elsewhere()))


@cache
def _family(name: str) -> type[VerbMagics]:
    return magics_of(next(agent for agent in agents_from_elsewhere() if agent.name == name))


def load(ipython: Any, settings: Settings | None = None) -> None:
    """Registers the magics and their completion on a shell; a shell that has them already keeps its
    session.
    """
    if all(family.__name__ in ipython.magics_manager.registry for family in families()):
        return
    session = Session(settings or _settings())
    ipython.Completer.custom_matchers.append(matcher(session))  # in cells of %%sparql
    _answer_the_front_end(ipython, session)
    made: dict[str, VerbMagics] = {}
    for family in families():
        magics = made[family.magic] = family(ipython, session)
        ipython.register_magics(magics)
    ipython.Completer.custom_matchers.append(line_matcher(made, ipython))
    ipython.input_transformers_cleanup.extend((_questions, _misread))


def _settings() -> Settings:
    """The settings of this folder; a file that nobody has trusted is shown, not used."""
    try:
        return Settings.load()
    except UntrustedFile as error:
        print(error)
        return Settings.load(found="none")


def _questions(lines: list[str]) -> list[str]:
    """Lets a question end in a question mark, which IPython would take for a request for help, and
    ``%%sparql --help`` stand alone, which it would refuse as a cell without a body.
    """
    found = _MAGIC.match(lines[0]) if lines else None
    if found and found[1] == "%%" and not "".join(lines[1:]).strip():
        ours = found[2] in {family.magic for family in families()}
        return [lines[0][ours:], *lines[1:]]
    asked = [(_QUESTION.match(line), line) for line in lines]
    return [
        f"{m[1]}get_ipython().run_line_magic('qa', {m[2]!r})\n" if m else line for m, line in asked
    ]


def _misread(lines: list[str]) -> list[str]:
    """Refuses a misspelt magic of ours, and a query without its magic, with a better message than
    Python's.
    """
    shell, names = get_ipython(), [family.magic for family in families()]
    for line in lines[:1] if lines and lines[0].startswith("%%") else lines:
        found = _MAGIC.match(line)
        if (
            found is None
            or (shell.find_cell_magic if found[1] == "%%" else shell.find_line_magic)(found[2])
            is not None
        ):
            continue
        if near := get_close_matches(found[2], names, n=2):
            fix = f"Did you mean {' or '.join(found[1] + name for name in near)}?"
            raise LineError(
                f"there is no {found[1]}{found[2]}", line=line.strip(), at=found[2], fix=fix
            )
    if is_query("".join(lines)):
        raise LineError(
            "this is SPARQL, not Python",
            line=lines[0].strip(),
            fix="Put %%sparql in a line above it.",
        )
    return lines


_misread.has_side_effects = True  # type: ignore[attr-defined]  # so that IPython does not call it while somebody types


def _answer_the_front_end(ipython: Any, session: Session) -> None:
    """Serves JupyterLab's completer, panel and version check; after every cell the panel is told to
    refresh.
    """
    session.answering["kgnb.version"] = Answering(
        ipython, "kgnb.version", lambda _question: {"version": version("kgnb")}
    )
    session.answering["kgnb.complete"] = Answering(
        ipython, "kgnb.complete", partial(completing.answer, session)
    )
    session.answering["kgnb.panel"] = Answering(
        ipython, "kgnb.panel", partial(panel.answer, session)
    )

    def after_cell(_result: Any) -> None:
        enter_cell("")
        session.changed()

    session.before_cell, session.after_cell = _before_cell, after_cell
    ipython.events.register("pre_run_cell", session.before_cell)
    ipython.events.register("post_run_cell", session.after_cell)
    enter_cell(_cell_of(ipython))


def _before_cell(info: Any) -> None:
    enter_cell(getattr(info, "cell_id", None))


def _cell_of(ipython: Any) -> str | None:
    """The id of the cell that loads the extension, which began before our hook existed."""
    message = ipython.get_parent() if hasattr(ipython, "get_parent") else None
    return ((message or {}).get("metadata") or {}).get("cellId")


def unload(ipython: Any) -> None:
    """Removes the magics and closes their session; does nothing if they are not loaded."""
    manager = ipython.magics_manager
    matchers = ipython.Completer.custom_matchers
    ipython.input_transformers_cleanup[:] = [
        one for one in ipython.input_transformers_cleanup if one not in (_questions, _misread)
    ]
    matchers[:] = [
        one for one in matchers if not getattr(one, "matcher_identifier", "").startswith("kgnb.")
    ]
    sessions = set()
    for family in families():
        magics = manager.registry.pop(family.__name__, None)
        if magics is None:
            continue
        sessions.add(magics.session)
        for kind in ("line", "cell"):
            manager.magics[kind].pop(family.magic, None)
    for session in sessions:
        for answering in session.answering.values():
            answering.stop()
        for event, hook in (
            ("pre_run_cell", session.before_cell),
            ("post_run_cell", session.after_cell),
        ):
            if hook in ipython.events.callbacks[event]:
                ipython.events.unregister(event, hook)
        session.close()
