"""Text2KGBench: sentences, the ontology they are read with, and what they state (Mihindukulasooriya
et al. 2023).
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kgnb.datasets.fetch import data_folder
from kgnb.errors import DataError
from kgnb.evaluate.alignment import Score
from kgnb.evaluate.extraction import normalised
from kgnb.files import from_json

Triple = tuple[str, str, str]


@dataclass(frozen=True)
class Sentence:
    """A sentence and the triples it states, as surface strings."""

    id: str
    text: str
    triples: tuple[Triple, ...]


@dataclass(frozen=True)
class Text2KgCase:
    """One ontology with its test sentences. ``relations`` are the names it has."""

    name: str
    tbox: Path
    sentences: tuple[Sentence, ...]
    relations: frozenset[str]
    train: tuple[Sentence, ...] = ()


def text2kg(folder: Path | None, benchmark: str = "dbpedia_webnlg") -> tuple[Text2KgCase, ...]:
    """The ontologies of a benchmark in the order of their numbers; ``folder`` holds ``text2kg``.

    Raises:
        DataError: the data is not there, or a line of it is not what it should be.
    """
    home = data_folder("text2kg", folder) / benchmark
    files = sorted((home / "ground_truth").glob("ont_*_ground_truth.jsonl"), key=_number)
    if not files:
        raise DataError(
            "there are no test sentences", where=str(home), fix="Get Text2KGBench and put it there."
        )
    return tuple(_case(home, file) for file in files)


def _number(file: Path) -> int:
    match = re.match(r"ont_(\d+)_", file.name)
    return int(match[1]) if match else 0


def _case(home: Path, file: Path) -> Text2KgCase:
    name = file.name.removesuffix("_ground_truth.jsonl")
    plain = name.removeprefix("ont_")
    owl = sorted((home / "ontologies" / "owl").glob(f"*{plain}*"))
    if not owl:
        raise DataError(
            f"there is no ontology for {name}",
            where=str(home / "ontologies" / "owl"),
            fix="Get it again.",
        )
    described = home / "ontologies" / f"{plain}_ontology.json"
    relations = frozenset[str]()
    if described.is_file():
        try:
            found = from_json(described.read_text(encoding="utf-8"))
            relations = frozenset(str(one["label"]) for one in found.get("relations", ()))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(
                "not an ontology of the benchmark", where=str(described), fix="Get it again."
            ) from error
    train = home / "train" / f"{name}_train.jsonl"
    return Text2KgCase(
        name, owl[0], _sentences(file), relations, _sentences(train) if train.is_file() else ()
    )


def _sentences(file: Path) -> tuple[Sentence, ...]:
    """The sentences of a file with their triples."""
    sentences = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = from_json(line)
            triples = tuple((one["sub"], one["rel"], one["obj"]) for one in row["triples"])
            sentences.append(Sentence(row["id"], row["sent"], triples))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                "not a sentence with triples", where=f"{file}:{number}", fix="Get it again."
            ) from error
    return tuple(sentences)


def score_triples(found: Iterable[Triple], wanted: Iterable[Triple]) -> Score:
    """Triples of surface strings compared after plain normalisation, underscores read as blanks,
    each counted once.

    >>> score_triples([("Aaron_Deer", "genre", "Indie rock")], [("Aaron Deer", "genre", "Indie_rock")]).f1
    1.0
    """
    mine, theirs = (
        Counter({_plain(triple): 1 for triple in triples}) for triples in (found, wanted)
    )
    hits = len(mine & theirs)
    return Score(hits, len(mine) - hits, len(theirs) - hits)


def _plain(triple: Triple) -> tuple[str, ...]:
    return tuple(normalised(part.replace("_", " ")) or "-" for part in triple)
