"""PathQuestion (Zhou et al., COLING 2018): questions over two or three relations of a small Freebase graph.

A line is ``question TAB answer(answer1/answer2/) TAB start#r1#e1#r2#e2#<end>#answer``; the graph is plain triples of
names.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from kgnb.datasets.questions import Asked, QuestionSet
from kgnb.errors import DataError
from kgnb.kg.name_triples import entity_iri

_ANSWERS = re.compile(r"\S.*?\((?P<all>.*?)/?\)")


def pathquestion(folder: Path, hops: int = 2) -> QuestionSet:
    """The questions of ``folder`` over this many relations (2 or 3), with the entity they start from given.

    The questions of one path, in other wordings, are one group: a split must keep them together.

    Raises:
        DataError: a file is missing, or a line of it is not as it should be.
    """
    if hops not in (2, 3):
        raise ValueError(f"hops is {hops}: PathQuestion has questions over 2 or 3 relations")
    path = next((each for each in (folder / f"PQ-{hops}H.txt", folder / f"PQ-{hops}H.txt.gz") if each.is_file()), None)
    if path is None:
        raise DataError("the questions are not there", where=str(folder / f"PQ-{hops}H.txt"), fix="Check KGNB_DATA.")
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        questions = tuple(_asked(line, f"{path}:{number}", number, hops) for number, line in enumerate(file, start=1))
    return QuestionSet(
        f"pathquestion-{hops}h",
        f"PathQuestion, {hops} relations",
        questions,
        graph=folder / f"{hops}H-kb.txt",
        notes=("the entity a question starts from is given, as in the published figures",),
    )


def _asked(line: str, where: str, number: int, hops: int) -> Asked:
    cells = [cell.strip() for cell in line.rstrip("\n").split("\t")]
    answers = _ANSWERS.fullmatch(cells[1]) if len(cells) == 3 else None
    if answers is None:
        raise DataError("not question TAB answer(answers) TAB path", where=where, fix="Fetch the file again.")
    steps = cells[2].split("#")
    relations = "#".join(steps[1 : 2 * hops : 2])
    return Asked(
        f"pq{hops}-{number}",
        cells[0].replace("_", " "),
        f"{hops} relations",
        (entity_iri(steps[0]),),
        tuple(entity_iri(name) for name in dict.fromkeys(answers["all"].split("/")) if name),
        group=f"{steps[0]}#{relations}",
    )
