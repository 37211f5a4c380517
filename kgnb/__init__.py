"""kgnb: LLM agents over knowledge graphs, split into stages that can be run, read and changed in a
notebook.

``%load_ext kgnb`` gives a notebook its magics; a script calls the functions below.
"""

from __future__ import annotations

from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

from kgnb.errors import BackendError, ConfigError, DataError, KgnbError, LimitError, ReplyError

if TYPE_CHECKING:
    from kgnb.agents.entity_alignment.judging_values import LookOptions
    from kgnb.agents.entity_alignment.values import Options as AlignOptions
    from kgnb.agents.ontology_matching.values import Options as MatchOptions
    from kgnb.agents.question_answering.values import Answer
    from kgnb.agents.question_answering.values import Options as AskOptions
    from kgnb.kg.terms import Iri
    from kgnb.mapping_files import load as load_alignment
    from kgnb.mapping_files import save as save_alignment
    from kgnb.mappings import Alignment, Mapping
    from kgnb.run import Run
    from kgnb.settings import Settings
    from kgnb.tasks.aligning import align_entities
    from kgnb.tasks.asking import answer_question, answer_questions
    from kgnb.tasks.building import build_graph, compile_ontology, ground
    from kgnb.tasks.matching import match_ontologies
    from kgnb.tasks.querying import query

__version__ = _version("kgnb")

__all__ = [
    "AlignOptions",
    "Alignment",
    "Answer",
    "AskOptions",
    "BackendError",
    "ConfigError",
    "DataError",
    "Iri",
    "KgnbError",
    "LimitError",
    "LookOptions",
    "Mapping",
    "MatchOptions",
    "ReplyError",
    "Run",
    "Settings",
    "align_entities",
    "answer_question",
    "answer_questions",
    "build_graph",
    "compile_ontology",
    "ground",
    "load_alignment",
    "load_ipython_extension",
    "match_ontologies",
    "query",
    "save_alignment",
    "unload_ipython_extension",
]

# Names are imported from their modules on first use, so that importing kgnb is quick.
_LAZY = {
    "Answer": ("kgnb.agents.question_answering.values", "Answer"),
    "AskOptions": ("kgnb.agents.question_answering.values", "Options"),
    "answer_question": ("kgnb.tasks.asking", "answer_question"),
    "answer_questions": ("kgnb.tasks.asking", "answer_questions"),
    "build_graph": ("kgnb.tasks.building", "build_graph"),
    "compile_ontology": ("kgnb.tasks.building", "compile_ontology"),
    "ground": ("kgnb.tasks.building", "ground"),
    "AlignOptions": ("kgnb.agents.entity_alignment.values", "Options"),
    "LookOptions": ("kgnb.agents.entity_alignment.judging_values", "LookOptions"),
    "align_entities": ("kgnb.tasks.aligning", "align_entities"),
    "Iri": ("kgnb.kg.terms", "Iri"),
    "query": ("kgnb.tasks.querying", "query"),
    "Alignment": ("kgnb.mappings", "Alignment"),
    "Mapping": ("kgnb.mappings", "Mapping"),
    "MatchOptions": ("kgnb.agents.ontology_matching.values", "Options"),
    "Run": ("kgnb.run", "Run"),
    "Settings": ("kgnb.settings", "Settings"),
    "load_alignment": ("kgnb.mapping_files", "load"),
    "match_ontologies": ("kgnb.tasks.matching", "match_ontologies"),
    "save_alignment": ("kgnb.mapping_files", "save"),
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'kgnb' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _LAZY[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load_ipython_extension(ipython: Any) -> None:
    """Registers the magics (``%load_ext kgnb``); loading twice changes nothing."""
    from kgnb import magics

    magics.load(ipython)


def unload_ipython_extension(ipython: Any) -> None:
    """Removes the magics (``%unload_ext kgnb``)."""
    from kgnb import magics

    magics.unload(ipython)


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Where JupyterLab finds the front end of an editable install."""
    return [{"src": "labextension", "dest": "kgnb-labextension"}]
