"""kgnb: LLM agents over knowledge graphs, split into stages that can be run, read and changed in a
notebook.

``%load_ext kgnb`` gives a notebook its magics; a script calls the functions below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgnb.errors import (
    BackendError,
    ConfigError,
    DataError,
    KgnbError,
    LimitError,
    ReplyError,
    Waiting,
)

if TYPE_CHECKING:
    from kgnb.agents.entity_alignment.judging_values import AlignQuestion
    from kgnb.agents.entity_alignment.options import LookOptions
    from kgnb.agents.entity_alignment.options import Options as AlignOptions
    from kgnb.agents.kg_construction.built import Built
    from kgnb.agents.kg_construction.ground import Grounding
    from kgnb.agents.kg_construction.options import GroundOptions
    from kgnb.agents.kg_construction.options import Options as BuildOptions
    from kgnb.agents.kg_construction.pack import ToolPack
    from kgnb.agents.ontology_matching.options import Options as MatchOptions
    from kgnb.agents.ontology_matching.values import MatchQuestion
    from kgnb.agents.question_answering.judges import QaQuestion
    from kgnb.agents.question_answering.options import Options as AskOptions
    from kgnb.agents.question_answering.values import Answer, Question
    from kgnb.backends import open_graph
    from kgnb.judging import ClosedQuestion, Judge, Verdict
    from kgnb.kg.graph import Graph
    from kgnb.kg.ontology import Ontology
    from kgnb.kg.terms import Iri, Literal
    from kgnb.mapping_files import load as load_alignment
    from kgnb.mapping_files import save as save_alignment
    from kgnb.mappings import Alignment, Mapping
    from kgnb.results.table import Table
    from kgnb.run import Run
    from kgnb.settings import Settings
    from kgnb.tasks.agents import run_agent
    from kgnb.tasks.aligning import align_entities
    from kgnb.tasks.asking import AnswerOutcome, answer_question, answer_questions
    from kgnb.tasks.building import build_graph, compile_ontology, ground
    from kgnb.tasks.matching import match_ontologies
    from kgnb.tasks.querying import query

__version__: str

__all__ = [
    "AlignOptions",
    "AlignQuestion",
    "Alignment",
    "Answer",
    "AnswerOutcome",
    "AskOptions",
    "BackendError",
    "BuildOptions",
    "Built",
    "ClosedQuestion",
    "ConfigError",
    "DataError",
    "Graph",
    "GroundOptions",
    "Grounding",
    "Iri",
    "Judge",
    "KgnbError",
    "LimitError",
    "Literal",
    "LookOptions",
    "Mapping",
    "MatchOptions",
    "MatchQuestion",
    "Ontology",
    "QaQuestion",
    "Question",
    "ReplyError",
    "Run",
    "Settings",
    "Table",
    "ToolPack",
    "Verdict",
    "Waiting",
    "align_entities",
    "answer_question",
    "answer_questions",
    "build_graph",
    "compile_ontology",
    "ground",
    "load_alignment",
    "load_ipython_extension",
    "match_ontologies",
    "open_graph",
    "query",
    "run_agent",
    "save_alignment",
    "unload_ipython_extension",
]

# Where each name is, and its name there if that differs: imported on first use, so that importing
# kgnb is quick.
_LAZY = {
    "AlignQuestion": "kgnb.agents.entity_alignment.judging_values:AlignQuestion",
    "LookOptions": "kgnb.agents.entity_alignment.options:LookOptions",
    "AlignOptions": "kgnb.agents.entity_alignment.options:Options",
    "Built": "kgnb.agents.kg_construction.built:Built",
    "Grounding": "kgnb.agents.kg_construction.ground:Grounding",
    "GroundOptions": "kgnb.agents.kg_construction.options:GroundOptions",
    "BuildOptions": "kgnb.agents.kg_construction.options:Options",
    "ToolPack": "kgnb.agents.kg_construction.pack:ToolPack",
    "MatchQuestion": "kgnb.agents.ontology_matching.values:MatchQuestion",
    "MatchOptions": "kgnb.agents.ontology_matching.options:Options",
    "QaQuestion": "kgnb.agents.question_answering.judges:QaQuestion",
    "Answer": "kgnb.agents.question_answering.values:Answer",
    "AskOptions": "kgnb.agents.question_answering.options:Options",
    "Question": "kgnb.agents.question_answering.values:Question",
    "open_graph": "kgnb.backends:open_graph",
    "ClosedQuestion": "kgnb.judging:ClosedQuestion",
    "Judge": "kgnb.judging:Judge",
    "Verdict": "kgnb.judging:Verdict",
    "Graph": "kgnb.kg.graph:Graph",
    "Ontology": "kgnb.kg.ontology:Ontology",
    "Iri": "kgnb.kg.terms:Iri",
    "Literal": "kgnb.kg.terms:Literal",
    "load_alignment": "kgnb.mapping_files:load",
    "save_alignment": "kgnb.mapping_files:save",
    "Alignment": "kgnb.mappings:Alignment",
    "Mapping": "kgnb.mappings:Mapping",
    "Table": "kgnb.results.table:Table",
    "Run": "kgnb.run:Run",
    "Settings": "kgnb.settings:Settings",
    "run_agent": "kgnb.tasks.agents:run_agent",
    "align_entities": "kgnb.tasks.aligning:align_entities",
    "AnswerOutcome": "kgnb.tasks.asking:AnswerOutcome",
    "answer_question": "kgnb.tasks.asking:answer_question",
    "answer_questions": "kgnb.tasks.asking:answer_questions",
    "build_graph": "kgnb.tasks.building:build_graph",
    "compile_ontology": "kgnb.tasks.building:compile_ontology",
    "ground": "kgnb.tasks.building:ground",
    "match_ontologies": "kgnb.tasks.matching:match_ontologies",
    "query": "kgnb.tasks.querying:query",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # not for help

        return version("kgnb")
    if name not in _LAZY:
        raise AttributeError(f"module 'kgnb' has no attribute {name!r}")
    from importlib import import_module

    module, _, attribute = _LAZY[name].partition(":")
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
