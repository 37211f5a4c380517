"""The magics of a notebook: ``%kg``, ``%om`` and ``%llm``, on one session for each IPython shell."""

from __future__ import annotations

from typing import Any

from kgnb.magics.kg import KgMagics
from kgnb.magics.llm import LlmMagics
from kgnb.magics.om import OmMagics
from kgnb.magics.session import Session
from kgnb.magics.sparql import SparqlMagics
from kgnb.magics.verbs import VerbMagics
from kgnb.settings import Settings

__all__ = ["FAMILIES", "load", "unload"]

FAMILIES: tuple[type[VerbMagics], ...] = (KgMagics, SparqlMagics, OmMagics, LlmMagics)


def load(ipython: Any, settings: Settings | None = None) -> None:
    """Registers the magics and their completion on a shell; a shell that has them keeps its session."""
    if all(family.__name__ in ipython.magics_manager.registry for family in FAMILIES):
        return
    session = Session(settings or Settings.load())
    for family in FAMILIES:
        magics = family(ipython, session)
        ipython.register_magics(magics)
        ipython.set_hook("complete_command", magics.complete, str_key=f"%{family.magic}")


def unload(ipython: Any) -> None:
    """Takes the magics away and closes what their session had open; what is not there is no error."""
    manager = ipython.magics_manager
    sessions = set()
    for family in FAMILIES:
        magics = manager.registry.pop(family.__name__, None)
        if magics is None:
            continue
        sessions.add(magics.session)
        for kind in ("line", "cell"):
            manager.magics[kind].pop(family.magic, None)
        ipython.strdispatchers["complete_command"].strs.pop(f"%{family.magic}", None)
    for session in sessions:
        session.close()
