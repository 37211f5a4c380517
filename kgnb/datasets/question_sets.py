"""Question sets by name, and the figures others have published on them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from kgnb.datasets import huts
from kgnb.datasets.codex import codex_triples, slot_filling
from kgnb.datasets.fetch import data_folder
from kgnb.datasets.pathquestion import pathquestion
from kgnb.datasets.qald import qald10
from kgnb.datasets.questions import QuestionSet

SETS = ("huts", "pathquestion", "pathquestion-3h", "codex", "qald10")


@dataclass(frozen=True, slots=True)
class AnswerFigure:
    """A published figure: a share between 0 and 1, which score it is, what it covers and who says so."""

    system: str
    score: str  # legacy-lenient, strict, F1
    value: float
    covers: str
    source: str


_ODA = "Sun et al., ODA, Findings of ACL 2024, table 1"
_ODA_COVERS = {
    "QALD-10 en, 333 questions": (66.67, 53.80, 57.10),
    "Creak, 1,371": (95.19, 95.60, 94.52),
    "T-REx, 5,000": (86.00, 77.10, 57.72),
    "Zero-Shot RE, 3,724": (95.30, 88.30, 55.50),
}
_BY_ODA = tuple(
    AnswerFigure(system, "legacy-lenient", round(value / 100, 4), covers, _ODA)
    for covers, values in _ODA_COVERS.items()
    for system, value in zip(("ODA (GPT-4)", "ToG (GPT-4)", "GPT-4 alone"), values, strict=True)
)
PUBLISHED: dict[str, tuple[AnswerFigure, ...]] = {
    "pathquestion": (
        AnswerFigure("IRN (trained)", "strict", 0.960, "2 relations", "Zhou et al., PathQuestion, COLING 2018"),
    ),
    "pathquestion-3h": (
        AnswerFigure("IRN (trained)", "strict", 0.877, "3 relations", "Zhou et al., PathQuestion, COLING 2018"),
    ),
    "qald10": _BY_ODA,
}


def question_set(name: str, folder: Path | None = None) -> QuestionSet:
    """The question set of this name; benchmarks are read from below ``folder`` (the settings' ``data``).

    ``qald10`` brings no graph: its Wikidata snapshot is not at hand. Where CoDEx lies beside it, that slice is taken as
    its graph, to try the way through; figures then say nothing about QALD-10.

    Raises:
        ValueError: there is no set of this name.
        DataError: its files are not at hand, or not as they should be.
    """
    if name == "huts":
        return huts.questions()
    if name == "pathquestion":
        return pathquestion(data_folder("pathquestion", folder), 2)
    if name == "pathquestion-3h":
        return pathquestion(data_folder("pathquestion", folder), 3)
    if name == "codex":
        return slot_filling(data_folder("codex", folder), most=0)
    if name == "qald10":
        found = qald10(data_folder("kgqa", folder) / "qald10")
        beside = folder / "codex" if folder is not None else None
        return replace(found, triples=tuple(codex_triples(beside, "s"))) if beside and beside.is_dir() else found
    raise ValueError(f"there is no question set {name!r}; there are {', '.join(SETS)}")


def files_of(name: str, folder: Path | None) -> list[Path]:
    """The files a question set is read from."""
    if name == "huts":
        return [huts.path("graph"), huts.path("questions")]
    if name.startswith("pathquestion"):
        hops = 3 if name.endswith("3h") else 2
        below = data_folder("pathquestion", folder)
        return [path for path in sorted(below.glob(f"*{hops}H*")) if path.is_file()]
    if name == "codex":
        below = data_folder("codex", folder)
        return [
            *sorted((below / "codex-m").glob("t*.txt*")),
            below / "codex-m" / "valid.txt",
            below / "relations.en.json",
        ]
    return [data_folder("kgqa", folder) / "qald10" / "qald_10.json"]
